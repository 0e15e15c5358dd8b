/* SPDX-License-Identifier: MIT */
/* Where the text of a model comes from: a model file as it stands, or a robot that others described,
 * which becomes the text of one. */
#include <stdio.h>
#include <string.h>

#include "base/read_file.h"
#include "file/private.h"
#include "genalpha/ga_import.h"

static const long LENGTH_MAX = 50000000; /* bytes */

/* A copy of a text and of what follows it, in the arena; NULL without memory. */
static char *joined(ga_arena *arena, const char *text, const char *more) {
  const size_t n = strlen(text) + strlen(more) + 1;
  char *copy = ga_arena_take(arena, n, 1);
  if (copy) snprintf(copy, n, "%s%s", text, more);
  return copy;
}

/* Report what was decided about a robot: its first line, then warnings, but for one that the mechanism
 * gives as well. */
static void report_robot(const ga_imported *robot, const ga_file_options *options) {
  ga_log_level level;
  for (int i = 0; options && options->log && ga_imported_report(robot, i, &level); i++) {
    const char *line = ga_imported_report(robot, i, NULL);
    const bool reported = i == 0 || (level == GA_LOG_WARNING && !strstr(line, GA_TRIANGLE_TEXT));
    if (reported) options->log(options->log_context, level, line);
  }
}

/* *source <- what the robot at path becomes. */
static ga_status read_robot(const char *path, const ga_file_options *options, ga_arena *arena,
                            ga_source *source, ga_error *err) {
  ga_imported *robot = NULL;
  const ga_status status = ga_import(path, NULL, &robot, err);
  if (status != GA_OK) return status;
  report_robot(robot, options);
  source->name = joined(arena, path, " (as a model file)");
  source->text = joined(arena, ga_imported_model(robot), "");
  ga_imported_free(robot);
  if (!source->name || !source->text) return ga_fail(err, GA_ERR_MEM, "%s: no memory", path);
  source->length = strlen(source->text);
  return GA_OK;
}

/* *source <- the text of the model at path, by the end of its name. */
ga_status ga_read_source(const char *path, const ga_file_options *options, ga_arena *arena,
                         ga_source *source, ga_error *err) {
  char *text;
  if (ga_import_named(path)) return read_robot(path, options, arena, source, err);
  *source = (ga_source){.name = path};
  const ga_status status =
      ga_read_file(path, "a model file", LENGTH_MAX, arena, &text, &source->length, err);
  source->text = text;
  return status;
}
