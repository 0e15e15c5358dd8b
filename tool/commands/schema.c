/* SPDX-License-Identifier: MIT */
/* genalpha schema: the format of model files for editors, which complete and check with it. */
#include "args/args.h"

/* `genalpha schema`: JSON Schema of model files, or Markdown tables. Returns the exit code. */
int command_schema(int argc, char **argv) {
  static const arg_spec specs[] = {
      {"tables", NULL, "joints and fields as Markdown tables instead", arg_read_flag, 0, 0, 0},
      {.key = NULL}};
  static const arg_command command = {.name = "schema",
                                      .summary =
                                          "Print the JSON Schema of model files "
                                          "(docs/reference/models.md says how editors use it).",
                                      .specs = specs};
  bool tables = false;
  args a = {.command = &command, .settings = &tables};
  const int code = args_parse(&a, argc, argv);
  if (code != ARGS_GO_ON) return code;
  if (tables) {
    ga_file_tables(stdout);
  } else {
    ga_file_schema(stdout);
  }
  return TOOL_OK;
}
