/* SPDX-License-Identifier: MIT */
/* The options of check, equilibrium and modes, and how the three begin and end. */
#include "commands/statics.h"

#include <string.h>

#include "args/paths.h"
#include "picture/page.h"

#define FIELD(name) offsetof(statics_settings, name)
static const struct {
  int commands; /* that take the option */
  arg_spec spec;
} options[] = {
    {STATICS_CHECK | STATICS_EQUILIBRIUM | STATICS_MODES,
     {"set", "NAME=VALUE",
      "a parameter of the model file, in place of its value there; once for each", file_read_set,
      FIELD(problem.sets), 0, 0}},
    {STATICS_CHECK | STATICS_EQUILIBRIUM | STATICS_MODES,
     {"coordinates", FILE_COORDINATES_WORDS, FILE_COORDINATES_HELP, file_read_coordinates,
      FIELD(problem.sets.coordinates), 0, 0}},
    {STATICS_CHECK | STATICS_EQUILIBRIUM | STATICS_MODES,
     {"libraries", NULL, FILE_LIBRARIES_HELP, arg_read_flag, FIELD(problem.sets.libraries), 0, 0}},
    {STATICS_CHECK,
     {"frequency", "HZ", "also: have beams enough elements for vibrations up to this frequency?",
      arg_read_real, FIELD(frequency), 1e-300, 1e300}},
    {STATICS_EQUILIBRIUM,
     {"at", "FILE.state|T",
      "begin at a saved state, or at the state that a run reaches at time T (default the start)",
      arg_read_text, FIELD(at), 0, 0}},
    {STATICS_MODES,
     {"at", "FILE.state|T|equilibrium",
      "about a saved state, the state that a run reaches at time T, or the equilibrium found from "
      "the start (default the start itself)",
      arg_read_text, FIELD(at), 0, 0}},
    {STATICS_EQUILIBRIUM,
     {"save-state", "FILE", "save it as the start of a run: genalpha run ... --from-state FILE",
      arg_read_text, FIELD(save_state), 0, 0}},
    {STATICS_MODES,
     {"count", "N", "print the N slowest (default 20)", arg_read_int, FIELD(count), 1, INT_MAX}},
    {STATICS_MODES,
     {"few", "N", "compute only the N slowest, by shift and inversion: for large models at rest",
      arg_read_int, FIELD(few), 1, 1000}},
    {STATICS_MODES,
     {"frozen", NULL,
      "take a state as it stands even if its linearization changes with time, for what it is worth",
      arg_read_flag, FIELD(frozen), 0, 0}},
    {STATICS_MODES,
     {"out", "FILE.csv", "write all modes: eigenvalue, frequency, damping ratio, shape by columns",
      arg_read_text, FIELD(out), 0, 0}},
    {STATICS_MODES,
     {"matrices", "DIR",
      "write the linearised equations: M, C, K, G, H, Y as Matrix Market files, names.txt",
      arg_read_text, FIELD(matrices), 0, 0}},
    {STATICS_MODES,
     {"view", NULL, "make a page that shows the mode shapes as they move, in any browser",
      arg_read_flag, FIELD(view), 0, 0}},
    {STATICS_MODES,
     {"out-page", "PAGE.html",
      "the name of that page (default: the file's, ending in -modes.html, in this directory)",
      arg_read_file, FIELD(page), 0, 0}},
    {STATICS_CHECK | STATICS_EQUILIBRIUM,
     {"json", NULL, "print one JSON object instead of the text", arg_read_flag, FIELD(json), 0, 0}},
    {STATICS_MODES,
     {"json", NULL, "print one JSON object instead of the table", arg_read_flag, FIELD(json), 0,
      0}},
};
#undef FIELD

/* Refuse files of the command that would be written over each other or over its input: ARGS_GO_ON,
 * or TOOL_USAGE after a message. */
static int check_paths(const statics_settings *set, const char *operand) {
  const path_use use[] = {
      {"the model", operand, NULL, false},
      {"--at", set->at, NULL, false},
      {"--out", set->out, NULL, true},
      {"--out-page", set->page, NULL, true},
      {"--save-state", set->save_state, NULL, true},
      {"the temporary file of --save-state", set->save_state, ".tmp", true},
      {"--matrices", set->matrices, "/M.mtx", true},
      {"--matrices", set->matrices, "/C.mtx", true},
      {"--matrices", set->matrices, "/K.mtx", true},
      {"--matrices", set->matrices, "/G.mtx", true},
      {"--matrices", set->matrices, "/H.mtx", true},
      {"--matrices", set->matrices, "/Y.mtx", true},
      {"--matrices", set->matrices, "/names.txt", true},
  };
  return paths_check(sizeof use / sizeof use[0], use);
}

enum { NOPTIONS = (int)(sizeof options / sizeof options[0]) };

/* Parse the options that the table above marks for this command, read the model file, and call
 * command->solve. Returns the exit code. */
int statics_run(const statics_command *command, int argc, char **argv) {
  arg_spec specs[NOPTIONS + 1] = {{.key = NULL}};
  for (int i = 0, n = 0; i < NOPTIONS; i++) {
    if (options[i].commands & command->which) specs[n++] = options[i].spec;
  }
  const arg_command parsed = {.name = command->name,
                              .operand = "FILE.yaml",
                              .needs_operand = true,
                              .summary = command->summary,
                              .specs = specs,
                              .takes_library = problem_takes_all,
                              .library_default = problem_default,
                              .runs_nothing = true};
  statics_settings set = {.problem = PROBLEM_ARGS_NONE};
  ga_options library = ga_options_default();
  args a = {.command = &parsed, .settings = &set, .options = &library};
  int code = args_parse(&a, argc, argv);
  if (code == ARGS_GO_ON) code = args_check_params(&a);
  char name[256], page[300];
  if (code == ARGS_GO_ON && set.view && !set.page) {
    webpage_default_name(a.operand, sizeof name, name);
    snprintf(page, sizeof page, "%.*s-modes.html", (int)(strlen(name) - strlen(".html")), name);
    set.page = page;
  }
  if (code == ARGS_GO_ON) code = check_paths(&set, a.operand);
  if (code != ARGS_GO_ON) return code;
  mechanism_state s;
  code = mechanism_state_open(&s, &set.problem, &a);
  if (code == ARGS_GO_ON) code = command->solve(&set, &a, &s);
  mechanism_state_close(&s);
  return code;
}
