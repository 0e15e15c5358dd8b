/* SPDX-License-Identifier: MIT */
/* genalpha view: a mechanism as a page that opens in any browser. */
#include <stdlib.h>
#include <string.h>

#include "args/args.h"
#include "args/paths.h"
#include "columns/state_fields.h"
#include "output/output.h"
#include "picture/page.h"

typedef struct settings {
  const char *out;
  bool open;
  file_sets sets;
} settings;

#define FIELD(name) offsetof(settings, name)
static const arg_spec specs[] = {
    {"out", "PAGE.html", "the page (default: the file's name, ending in .html, in this directory)",
     arg_read_file, FIELD(out), 0, 0},
    {"open", NULL, "show it in the browser ($BROWSER, or xdg-open)", arg_read_flag, FIELD(open), 0,
     0},
    {"set", "NAME=VALUE",
     "a parameter of a model FILE.yaml, in place of its value there; once for each", file_read_set,
     FIELD(sets), 0, 0},
    {"libraries", NULL, FILE_LIBRARIES_HELP, arg_read_flag, FIELD(sets.libraries), 0, 0},
    {.key = NULL}};
#undef FIELD

static const arg_command command = {
    .name = "view",
    .operand = "RUN.h5|FILE.yaml",
    .needs_operand = true,
    .summary =
        "Make a page that shows a mechanism in any browser, without network: its motion and its\n"
        "columns as plots, from the results of a run, RUN.h5 (`run --out RUN.h5`; `run --view` "
        "makes\n"
        "the page at once), or FILE.yaml as it is placed at the start, with joint axes and names.",
    .specs = specs};

/* Add the start of the problem as the only frame; accelerations and multipliers are zero in it.
 * False after a message. */
static bool film_start(film *f, const ga_problem *problem) {
  const ga_model *model = &problem->model;
  double *data = calloc(snapshot_size(model) + 1, sizeof *data);
  if (!data) {
    tool_error("no memory for the start");
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

/* Write the page `out` of a model that cannot be built, as it is described in the file, with the
 * reason on the page, so that the user can see the mistake, and print the page's name. (The reason
 * is on stderr already.) False if the file cannot be read or the page not written. */
static bool view_description(const settings *set, const char *path, const char *out) {
  const ga_file_options all = {.set = set->sets.set, .nset = set->sets.count};
  ga_file_options unbuilt = all;
  ga_file *file = NULL, *none = NULL;
  ga_error err = {GA_OK, ""}, ignored;
  unbuilt.no_build = true;
  if (ga_file_load(path, &unbuilt, &file, &ignored) != GA_OK) return false;
  ga_file_load(path, &all, &none, &err);
  const char *const messages[] = {err.text, NULL};
  const char *const about[] = {path, "as described, not assembled", "genalpha " GA_VERSION, NULL};
  const webpage p = {.mechanism = ga_file_mechanism(file),
                     .title = ga_file_name(file),
                     .description = ga_file_description(file),
                     .messages = messages,
                     .about = about};
  const bool ok = webpage_write(&p, out);
  if (ok) printf("page: %s (as described: it shows what does not fit)\n", out);
  ga_file_free(none);
  ga_file_free(file);
  return ok;
}

/* Findings of ga_mechanism_check: the page shows warnings first, the others below them. Both lists
 * end with NULL. */
enum { SENTENCES = 60 };
typedef struct sentences {
  char text[SENTENCES][400];
  const char *warning[SENTENCES + 1], *other[SENTENCES + 1];
  int count, warnings, others;
} sentences;

/* A ga_log_fn: copy a sentence of the check into `sentences` (context), among the warnings or the
 * others. Sentences beyond SENTENCES are dropped. */
static void keep_sentence(void *context, ga_log_level level, const char *text) {
  sentences *s = context;
  if (s->count == SENTENCES) return;
  char *own = s->text[s->count++];
  snprintf(own, sizeof s->text[0], "%s", text + strspn(text, " "));
  if (level == GA_LOG_WARNING) {
    s->warning[s->warnings++] = own;
  } else {
    s->other[s->others++] = own;
  }
}

/* Check the mechanism at its start and keep the findings in s, which must be zeroed; a failed check
 * becomes a warning, too. */
static void check_start(const ga_problem *problem, sentences *s) {
  ga_check check;
  ga_error err = {GA_OK, ""};
  if (ga_mechanism_check(ga_file_mechanism(file_of(problem)), problem->t0, problem->q0, problem->v0,
                         keep_sentence, s, &check, &err) != GA_OK) {
    keep_sentence(s, GA_LOG_WARNING, err.text);
  }
}

/* Write the page of a model file at its start configuration. Returns the exit code; a model that
 * cannot be built fails, but its description is shown. */
static int view_start(const settings *set, const char *path, const char *out) {
  ga_problem *problem = NULL;
  film frames = {.mechanism = NULL};
  int code = file_open(path, &set->sets, NULL, &problem);
  if (code == ARGS_GO_ON) {
    static sentences said; /* large */
    const char *const about[] = {path, "start configuration", "genalpha " GA_VERSION, NULL};
    check_start(problem, &said);
    const bool ok = film_open(&frames, problem) && film_start(&frames, problem);
    const webpage p = {.mechanism = frames.mechanism,
                       .film = &frames,
                       .title = problem->name,
                       .description = problem->summary,
                       .file = file_of(problem),
                       .messages = said.warning,
                       .notes = said.other,
                       .about = about};
    code = ok && webpage_write(&p, out) ? TOOL_OK : TOOL_FAILED;
  } else if (code == TOOL_FAILED) { /* not if the page would replace a file of the model */
    view_description(set, path, out);
  }
  film_close(&frames);
  problem_close(problem);
  return code;
}

/* ---- results -------------------------------------------------------------------------------- */

/* Read one JSON string, as json_options writes it, into text (room bytes). Returns the position
 * after its closing quote, NULL if there is no string or it does not fit. */
static const char *read_string(const char *at, size_t room, char *text) {
  size_t n = 0;
  if (*at++ != '"') return NULL;
  for (; *at && *at != '"'; at++) {
    unsigned code = (unsigned char)*at;
    if (*at == '\\' && at[1] == 'u') {
      if (sscanf(at + 2, "%4x", &code) != 1) return NULL;
      at += 5;
    } else if (*at == '\\') {
      at++;
      code = *at == 'n' ? '\n' : *at == 't' ? '\t' : (unsigned char)*at;
    }
    if (n + 1 >= room || code > 255) return NULL;
    text[n++] = (char)code;
  }
  text[n] = '\0';
  return *at == '"' ? at + 1 : NULL;
}

/* Read the parameters that `run --set` replaced from the stored options, {.. "set": {"NAME":
 * "VALUE", ..}}, into sets, which is empty before and borrows the texts in values (SETS_MAX of
 * them). True also if there are none; false if they cannot be read. */
static bool read_sets(const char *options, file_sets *sets, char (*values)[256]) {
  const char *at = strstr(options, "\"set\":");
  if (!at || !(at = strchr(at, '{'))) return true;
  for (at += strspn(at, "{ "); *at == '"'; at += strspn(at, ", ")) {
    if (sets->count == SETS_MAX) return false;
    at = read_string(at, sizeof sets->name[0], sets->name[sets->count]);
    if (!at) return false;
    at += strspn(at, ": ");
    at = read_string(at, sizeof values[0], values[sets->count]);
    if (!at) return false;
    sets->set[sets->count] = (ga_file_set){sets->name[sets->count], values[sets->count]};
    sets->count++;
  }
  return true;
}

/* Parse the model that is stored in a result file, with the parameters of its run. NULL after a
 * message; the caller frees it. */
static ga_file *parse_stored_model(const char *path, const ga_results *results) {
  static char values[SETS_MAX][256];
  file_sets sets = {.count = 0};
  const char *text = ga_results_text(results, GA_RESULTS_MODEL);
  ga_error err = {GA_OK, ""};
  ga_file *file = NULL;
  if (!*text) {
    tool_error(
        "'%s' has no model of a mechanism in it: view shows results of `run FILE.yaml --out "
        "RUN.h5`",
        path);
  } else if (!read_sets(ga_results_text(results, GA_RESULTS_OPTIONS), &sets, values)) {
    tool_error("'%s': cannot read its options", path);
  } else {
    const ga_file_options options = {.set = sets.set, .nset = sets.count};
    if (ga_file_parse(ga_results_text(results, GA_RESULTS_MODEL_NAME), text, strlen(text), &options,
                      &file, &err) != GA_OK) {
      tool_error("the model in '%s': %s", path, err.text);
    }
  }
  return file;
}

enum { MARKS_MAX = 1000 };
typedef struct stored_marks {
  webpage_mark mark[MARKS_MAX];
  char name[MARKS_MAX][100];
  int count;
} stored_marks;

/* Read the events that the stored statistics list, {.. "events": [{"name": "a", .. "t": 1, ..},
 * ..]}, as marks. Stops at what it cannot read. */
static void read_marks(const char *statistics, stored_marks *m) {
  const char *at = strstr(statistics, "\"events\": [");
  m->count = 0;
  while (at && m->count < MARKS_MAX && (at = strstr(at, "\"name\": ")) != NULL) {
    char *name = m->name[m->count], when[1000];
    at = read_string(at + strlen("\"name\": "), sizeof m->name[0], name);
    if (!at || strncmp(at, ", \"when\": ", 10) != 0) return;
    at = read_string(at + 10, sizeof when, when);
    if (!at || strncmp(at, ", \"t\": ", 7) != 0) return;
    m->mark[m->count++] = (webpage_mark){strtod(at + 7, NULL), name};
  }
}

/* Write the page with the motion stored in the results. False after a message. */
static bool show_results(const char *path, const ga_file *file, ga_results *results,
                         const char *out) {
  film frames = {.mechanism = NULL};
  char rows[80];
  const bool ended = *ga_results_text(results, GA_RESULTS_STATISTICS) != '\0';
  const char *const messages[] = {
      ended ? NULL : "The run that wrote these results has not ended, or was killed.", NULL};
  static stored_marks marks; /* large */
  read_marks(ga_results_text(results, GA_RESULTS_STATISTICS), &marks);
  snprintf(rows, sizeof rows, "%ld rows", ga_results_rows(results));
  const char *const about[] = {path, ga_results_text(results, GA_RESULTS_MODEL_NAME), rows,
                               "genalpha " GA_VERSION, NULL};
  const webpage p = {.mechanism = ga_file_mechanism(file),
                     .film = &frames,
                     .title = ga_file_name(file),
                     .description = ga_file_description(file),
                     .file = file,
                     .messages = messages,
                     .about = about,
                     .mark = marks.mark,
                     .nmark = marks.count};
  bool ok = ga_results_rows(results) > 0;
  if (!ok) tool_error("'%s' has no rows yet", path);
  ok = ok && film_read(&frames, file, results) && webpage_write(&p, out);
  film_close(&frames);
  return ok;
}

/* Write the page of a result file, with the model stored in it. Returns the exit code. */
static int view_results(const settings *set, const char *path, const char *out) {
  ga_results *results = NULL;
  ga_error err = {GA_OK, ""};
  if (set->sets.count > 0) {
    tool_error("--set changes a model file; the run that wrote '%s' is over", path);
    return TOOL_USAGE;
  }
  if (ga_results_open(path, &results, &err) != GA_OK) {
    tool_error("%s", err.text);
    return TOOL_FAILED;
  }
  ga_file *file = parse_stored_model(path, results);
  int code = file_check_parts(file);
  if (code == ARGS_GO_ON) {
    code = file && show_results(path, file, results, out) ? TOOL_OK : TOOL_FAILED;
  }
  ga_file_free(file);
  ga_results_free(results);
  return code;
}

/* `genalpha view`: a page from a model file or from the results of a run. Returns the exit code. */
int command_view(int argc, char **argv) {
  settings set = {.out = NULL};
  args a = {.command = &command, .settings = &set};
  char name[256];
  int code = args_parse(&a, argc, argv);
  if (code != ARGS_GO_ON) return code;
  if (!results_named(a.operand) && !file_named(a.operand)) {
    tool_error("'%s' is neither a model file (NAME.yaml) nor results of a run (NAME.h5)",
               a.operand);
    return TOOL_USAGE;
  }
  if (!set.out) webpage_default_name(a.operand, sizeof name, name);
  const char *out = set.out ? set.out : name;
  const path_use use[] = {{"the input", a.operand, NULL, false}, {"--out", out, NULL, true}};
  code = paths_check(2, use);
  if (code != ARGS_GO_ON) return code;
  code = (results_named(a.operand) ? view_results : view_start)(&set, a.operand, out);
  if (code != TOOL_OK) return code;
  printf("page: %s\n", out);
  return !set.open || webpage_show(out) ? TOOL_OK : TOOL_FAILED;
}
