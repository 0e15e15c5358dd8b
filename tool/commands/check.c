/* SPDX-License-Identifier: MIT */
/* genalpha check: what is odd or wrong in a model file, in sentences. */
#include <string.h>

#include <genalpha/ga_beam.h>

#include "args/run_settings.h"
#include "commands/statics.h"

/* Findings are printed as they arrive: as text, or as members of a JSON array. */
typedef struct findings {
  bool json;
  int count; /* so far */
} findings;

/* A ga_log_fn: print one finding of ga_mechanism_check and count it. context: findings. Leading
 * blanks of the text mark a continuation of the finding before, with a deeper indent. */
static void print_finding(void *context, ga_log_level level, const char *text) {
  findings *l = context;
  const bool warning = level == GA_LOG_WARNING;
  if (l->json) {
    printf("%s\n    {\"level\": \"%s\", \"text\": ", l->count ? "," : "",
           warning ? "warning" : "info");
    json_string(stdout, text + strspn(text, " "));
    putchar('}');
  } else {
    const int indent = text[0] == ' ' ? 4 : 2;
    printf("%*s", indent, "");
    if (warning) printf("WARNING: ");
    tool_print_wrapped(stdout, text + strspn(text, " "), indent);
  }
  l->count++;
}

/* Print the members of ga_check as the last members of the JSON object, and its closing brace. */
static void print_numbers(const ga_check *c) {
  const struct {
    const char *name;
    double value;
  } list[] = {{"bodies", c->bodies},
              {"joints", c->joints},
              {"coordinates", c->coordinates},
              {"velocities", c->velocities},
              {"rows", c->rows},
              {"gruebler", c->gruebler},
              {"freedom", c->freedom},
              {"positions", c->positions},
              {"redundant", c->redundant},
              {"loose", c->loose},
              {"length", c->length},
              {"gap", c->gap},
              {"slip", c->slip},
              {"lightest", c->lightest},
              {"heaviest", c->heaviest},
              {"condition", c->condition},
              {"slowest", c->slowest},
              {"fastest", c->fastest},
              {"h", c->h},
              {"warnings", c->warnings}};
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    printf(",\n  \"%s\": ", list[i].name);
    json_number(stdout, list[i].value);
  }
  printf(",\n  \"derivatives_ok\": %s\n}\n", c->derivatives_ok ? "true" : "false");
}

/* Compare the step h of the model file with the suggested one, c->h, which makes 40 steps in a
 * period of the fastest motion. Prints a finding; nothing if steps are automatic or none is
 * suggested. */
static void compare_step(const ga_options *o, const ga_check *c, findings *l) {
  char text[300];
  if (!(c->h > 0) || !(o->h > 0) || o->rtol > 0 || o->atol > 0) return;
  const double steps = 40 * c->h / o->h; /* in a period of the fastest motion */
  if (steps < 6) {
    snprintf(text, sizeof text,
             "Its step h = %.3g takes only %.2g steps for that: motions that fast will be damped "
             "or wrong.",
             o->h, steps);
    print_finding(l, GA_LOG_INFO, text);
  } else {
    snprintf(text, sizeof text, "Its step h = %.3g takes %.0f steps for that.", o->h, steps);
    print_finding(l, GA_LOG_INFO, text);
  }
}

/* Print a finding about a run that cannot start (code: its exit code), or that warns, and count it
 * as a warning. */
static void report_start(int code, const char *said, ga_check *c, findings *l) {
  char text[1100];
  const char *what = code == TOOL_OK ? "`genalpha run` warns"
                                     : "`genalpha run` would refuse it or fail at its first step";
  snprintf(text, sizeof text, "%s: %s.", what, said + (code == TOOL_OK ? strlen("warning: ") : 0));
  print_finding(l, GA_LOG_WARNING, text);
  c->warnings++;
}

/* The command itself (statics_command.solve): check the mechanism at its start, make the first step
 * of its run, and print the findings. Returns the exit code: TOOL_OK also with warnings, but the
 * exit code of `genalpha run` if that would not get beyond its first step. */
static int check_mechanism(const statics_settings *set, const args *a, mechanism_state *p) {
  ga_check found;
  ga_error err = {GA_OK, ""};
  findings l = {.json = set->json};
  if (set->json) {
    printf("{\n  \"name\": ");
    json_string(stdout, p->problem->name);
    printf(",\n  \"findings\": [");
  } else {
    tool_print_title(stdout, p->problem->name, p->problem->summary);
  }
  const ga_status status =
      ga_mechanism_check(p->mechanism, p->t, p->q, p->v, print_finding, &l, &found, &err);
  char failure[1024] = "";
  int code = TOOL_OK;
  if (status == GA_OK) {
    if (set->frequency > 0) {
      found.warnings += ga_mechanism_check_waves(p->mechanism, set->frequency, print_finding, &l);
    }
    compare_step(a->options, &found, &l);
    double t_end;
    code = run_try_start(a, p->problem, sizeof failure, failure, &t_end);
    found.warnings += ga_mechanism_check_corners(p->mechanism, p->t, t_end, print_finding, &l);
    if (failure[0]) report_start(code, failure, &found, &l);
    found.warnings += tool_warnings();
  }
  if (set->json) {
    printf("\n  ]");
    print_numbers(&found);
  }
  if (status != GA_OK) {
    tool_error("%s", err.text);
    return TOOL_FAILED;
  }
  if (!set->json) {
    printf(found.warnings == 0 ? "Nothing looks wrong.\n" : "%d warning%s.\n", found.warnings,
           found.warnings == 1 ? "" : "s");
  }
  if (code != TOOL_OK) tool_error("%s", failure);
  return code;
}

/* `genalpha check`; returns the exit code. */
int command_check(int argc, char **argv) {
  static const statics_command command = {
      STATICS_CHECK, "check",
      "Look at a model file before its first run: degrees of freedom, redundant joints, start\n"
      "values, masses, units, derivatives, how well posed it is, and a step size that suits it.",
      check_mechanism};
  return statics_run(&command, argc, argv);
}
