/* SPDX-License-Identifier: MIT */
/* genalpha view: a mechanism as a page that opens in any browser. */
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "reference.h"
#include "webpage.h"

typedef struct settings {
  const char *out;
  bool open;
  file_sets sets;
} settings;

#define FIELD(name) offsetof(settings, name)
static const arg_spec specs[] = {
    {"out", "PAGE.html", "the page (default: the file's name, ending in .html, in this directory)",
     arg_read_text, FIELD(out), 0, 0},
    {"open", NULL, "show it in the browser ($BROWSER, or xdg-open)", arg_read_flag, FIELD(open), 0,
     0},
    {"set", "NAME=VALUE",
     "a parameter of the model file, in place of its value there; once for each", file_read_set,
     FIELD(sets), 0, 0},
    {.key = NULL}};
#undef FIELD

static const arg_command command = {
    .name = "view",
    .operand = "FILE.yaml",
    .needs_operand = true,
    .summary =
        "Make a page that shows a mechanism in any browser, without network: FILE.yaml as it is\n"
        "placed at the start, with joint axes and names. `run --view` shows its motion.",
    .specs = specs};

/* the only frame: the start, at rest as far as accelerations and multipliers are concerned */
static bool film_start(film *f, const ga_problem *problem) {
  const ga_model *model = &problem->model;
  double *data = calloc(snapshot_size(model) + 1, sizeof *data);
  if (!data) {
    cli_error("no memory for the start");
    return false;
  }
  ga_state state = snapshot_state(model, data);
  state.t = problem->t0;
  state.q = problem->q0;
  state.v = problem->v0;
  film_add(f, &state);
  free(data);
  return true;
}

static int view_start(const settings *set, const char *path, const char *out) {
  ga_problem *problem = NULL;
  film frames = {.mechanism = NULL};
  int code = file_open(path, &set->sets, NULL, &problem);
  if (code == ARGS_GO_ON) {
    const char *const about[] = {path, "start configuration", "genalpha " GA_VERSION, NULL};
    const bool ok = film_open(&frames, problem) && film_start(&frames, problem);
    const webpage p = {.mechanism = frames.mechanism,
                       .film = &frames,
                       .title = problem->name,
                       .description = problem->summary,
                       .file = file_of(problem),
                       .about = about};
    code = ok && webpage_write(&p, out) ? CLI_OK : CLI_FAILED;
  }
  film_close(&frames);
  problem_close(problem);
  return code;
}

int cmd_view(int argc, char **argv) {
  settings set = {.out = NULL};
  args a = {.command = &command, .settings = &set};
  char name[256];
  int code = args_parse(&a, argc, argv);
  if (code != ARGS_GO_ON) return code;
  if (!webpage_possible()) return CLI_FAILED;
  if (!set.out) webpage_default_name(a.operand, sizeof name, name);
  const char *out = set.out ? set.out : name;
  code = view_start(&set, a.operand, out);
  if (code != CLI_OK) return code;
  printf("page: %s\n", out);
  return !set.open || webpage_show(out) ? CLI_OK : CLI_FAILED;
}
