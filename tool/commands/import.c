/* SPDX-License-Identifier: MIT */
/* genalpha import: a robot in URDF as a model file. */
#define _XOPEN_SOURCE 700
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "args/args.h"
#include "args/paths.h"
#include "output/whole_file.h"
#include "source/robot_start.h"

enum { PACKAGES_MAX = 64 };

typedef struct settings {
  const char *out;
  int base; /* 1: floating */
  robot_start start;
  ga_import_options options;
  ga_import_package package[PACKAGES_MAX];
  char package_name[PACKAGES_MAX][64];
} settings;

/* WORD or WORD=NUMBER; *x <- the number, which must be positive; `none` words before it. False after
 * a message. */
static bool read_word_number(const arg_spec *spec, const char *text, const char *word, bool *is,
                             double *x) {
  const size_t n = strlen(word);
  char *end;
  *is = strncmp(text, word, n) == 0 && (text[n] == '\0' || text[n] == '=');
  if (*is && text[n] == '=') {
    *x = strtod(text + n + 1, &end);
    *is = end != text + n + 1 && !*end && isfinite(*x) && *x > 0;
  }
  if (*is || strcmp(text, "ignore") == 0) return true;
  tool_error("--%s '%s': write ignore, %s or %s=NUMBER, greater than 0", spec->key, text, word,
             word);
  return false;
}

/* arg_reads; field: the settings */

/* --friction smooth[=RATE]|ignore */
static bool read_friction(const arg_spec *spec, const char *text, void *field) {
  ga_import_options *o = &((settings *)field)->options;
  bool smooth;
  if (!read_word_number(spec, text, "smooth", &smooth, &o->friction_rate)) return false;
  o->ignore_friction = !smooth;
  return true;
}

/* --limits stop[=STIFFNESS]|ignore */
static bool read_limits(const arg_spec *spec, const char *text, void *field) {
  ga_import_options *o = &((settings *)field)->options;
  return read_word_number(spec, text, "stop", &o->stops, &o->stop_stiffness);
}

/* --gravity x,y,z */
static bool read_gravity(const arg_spec *spec, const char *text, void *field) {
  ga_import_options *o = &((settings *)field)->options;
  const char *at = text;
  for (int i = 0; i < 3; i++) {
    char *end;
    const double x = strtod(at, &end);
    if (end == at || !isfinite(x) || *end != (i < 2 ? ',' : '\0')) {
      tool_error("--%s '%s': write three numbers, x,y,z", spec->key, text);
      return false;
    }
    o->gravity[i] = (ga_given){x, true};
    at = end + 1;
  }
  return true;
}

/* --package NAME=DIR */
static bool read_package(const arg_spec *spec, const char *text, void *field) {
  settings *set = field;
  const char *equals = strchr(text, '=');
  const int n = set->options.npackage;
  if (!equals || equals == text || !equals[1] || equals - text >= 64) {
    tool_error("--%s '%s': write NAME=DIRECTORY", spec->key, text);
    return false;
  }
  if (n == PACKAGES_MAX) {
    tool_error("--%s: at most %d of them", spec->key, PACKAGES_MAX);
    return false;
  }
  memcpy(set->package_name[n], text, (size_t)(equals - text));
  set->package[n] = (ga_import_package){set->package_name[n], equals + 1};
  set->options.npackage++;
  return true;
}

#define FIELD(name) offsetof(settings, name)
static const arg_spec specs[] = {
    {"out", "FILE.yaml", "the model file (default: standard output)", arg_read_file, FIELD(out), 0,
     0},
    {"base", "fixed|floating",
     "the root link is the ground (default), or a free body at the origin, at rest", arg_read_word,
     FIELD(base), 0, 0},
    {"coordinate", "JOINT=X", "start value of a joint, in rad or m (default 0); once for each",
     robot_read_value, FIELD(start), 0, 0},
    {"rate", "JOINT=X", "start rate of a joint, in rad/s or m/s (default 0); once for each",
     robot_read_rate, FIELD(start), 0, 0},
    {"start", "FILE.csv", "the same from a file with columns joint,value,rate", robot_read_file,
     FIELD(start), 0, 0},
    {"friction", "smooth[=RATE]|ignore",
     "Coulomb friction f as -f tanh(rate/RATE) (default, RATE 0.01 rad/s or m/s), or none",
     read_friction, 0, 0, 0},
    {"limits", "stop[=K]|ignore",
     "limits as soft stops of stiffness K, by default such that the joint's largest effort presses "
     "it in by 1 % of its range; or none (default)",
     read_limits, 0, 0, 0},
    {"gravity", "X,Y,Z", "in m/s^2 (default 0,0,-9.81)", read_gravity, 0, 0, 0},
    {"strict", NULL, "whatever would be left out or warned about is an error", arg_read_flag,
     FIELD(options.strict), 0, 0},
    {"keep-fixed", NULL, "links on fixed joints stay bodies; default: they are merged",
     arg_read_flag, FIELD(options.keep_fixed), 0, 0},
    {"repair-inertia", NULL, "negative principal moments of inertia become 0; default: an error",
     arg_read_flag, FIELD(options.repair_inertia), 0, 0},
    {"mesh-dir", "DIR", "where relative mesh files are (default: beside the robot's file)",
     arg_read_text, FIELD(options.mesh_directory), 0, 0},
    {"package", "NAME=DIR", "where package://NAME/ is; once for each", read_package, 0, 0, 0},
    {.key = NULL}};
#undef FIELD

static const arg_command command = {
    .name = "import",
    .operand = "FILE.urdf",
    .needs_operand = true,
    .summary =
        "Write a robot as a model file, to standard output or --out, and a report of what was\n"
        "decided and left out to standard error (docs/reference/import.md). run, check, view, "
        "modes,\n"
        "equilibrium and sweep take FILE.urdf, too: as import would write it without options.",
    .specs = specs};

/* directory (room bytes) <- the directory of a file, absolute and without links; false: there is none. */
static bool directory_of(const char *path, size_t room, char *directory) {
  char name[4096];
  const char *slash = strrchr(path, '/');
  const int n = slash ? (int)(slash - path) + 1 : 0;
  snprintf(name, sizeof name, "%.*s", n, path);
  char *whole = realpath(n ? name : ".", NULL);
  const bool found = whole != NULL;
  if (found) snprintf(directory, room, "%s", whole);
  free(whole);
  return found;
}

/* A model file in another directory than the robot names its meshes by their whole paths, so that they
 * are found. */
static void keep_meshes_found(settings *set, const char *robot) {
  static char from[4096], to[4096];
  if (!set->out || strcmp(set->out, "-") == 0) return;
  if (!directory_of(set->out, sizeof to, to) || !directory_of(robot, sizeof from, from)) return;
  if (!set->options.mesh_directory && strcmp(from, to) != 0) set->options.mesh_directory = from;
  if (set->options.mesh_directory && set->options.mesh_directory[0] != '/') {
    char *whole = realpath(set->options.mesh_directory, NULL);
    if (whole) {
      snprintf(from, sizeof from, "%s", whole);
      set->options.mesh_directory = from;
    }
    free(whole);
  }
}

/* Write the text to the path; NULL: standard output. Returns the exit code. */
static int write_model(const char *text, const char *path) {
  FILE *to = whole_file_open(path);
  if (!to) return TOOL_FAILED;
  fputs(text, to);
  return whole_file_close(to, path) ? TOOL_OK : TOOL_FAILED;
}

/* Print the report: the first line, then the others below it. */
static void print_report(const ga_imported *robot) {
  ga_log_level level;
  for (int i = 0; ga_imported_report(robot, i, &level); i++) {
    fprintf(tool_messages(), "%s%s%s\n", i ? "  " : "", level == GA_LOG_WARNING ? "warning: " : "",
            ga_imported_report(robot, i, NULL));
  }
}

/* `genalpha import`; returns the exit code. */
int command_import(int argc, char **argv) {
  settings set = {.base = 0};
  args a = {.command = &command, .settings = &set};
  int code = args_parse(&a, argc, argv);
  if (code != ARGS_GO_ON) {
    robot_start_close(&set.start);
    return code;
  }
  const path_use use[] = {{"the robot", a.operand, NULL, false},
                          {"--start", set.start.file, NULL, false},
                          {"--out", set.out, NULL, true}};
  code = paths_check(sizeof use / sizeof use[0], use);
  set.options.floating = set.base == 1;
  set.options.start = set.start.list;
  set.options.nstart = set.start.count;
  set.options.package = set.package;
  if (code == ARGS_GO_ON) keep_meshes_found(&set, a.operand);
  ga_error err = {GA_OK, ""};
  ga_imported *robot = NULL;
  if (code == ARGS_GO_ON && ga_import(a.operand, &set.options, &robot, &err) != GA_OK) {
    tool_error("%s", err.text);
    code = TOOL_FAILED;
  }
  if (code == ARGS_GO_ON) {
    print_report(robot);
    code = write_model(ga_imported_model(robot), set.out);
  }
  ga_imported_free(robot);
  robot_start_close(&set.start);
  return code;
}
