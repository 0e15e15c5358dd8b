/* SPDX-License-Identifier: MIT */
/* Motions of mechanism files, see motion.h. */
#include "motion.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void hard_motion_free(hard_motion *m) {
  free(m->name);
  free(m->unit);
  free(m->value);
  *m = (hard_motion){0};
}

static bool is_motion(const char *unit) {
  static const char *const known[] = {"m", "rad", "m/s", "rad/s", "1"};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (unit && strcmp(unit, known[i]) == 0) return true;
  }
  return false;
}

/* The columns of lengths, angles and their rates at a state. */
static ga_status keep(const ga_mechanism *m, const ga_state *state, hard_motion *out) {
  size_t all = (size_t)ga_mechanism_columns(m);
  double *value = malloc(sizeof *value * all);
  out->name = calloc(all, sizeof *out->name);
  out->unit = calloc(all, sizeof *out->unit);
  out->value = calloc(all, sizeof *out->value);
  bool room = value && out->name && out->unit && out->value;
  ga_status status = room ? ga_mechanism_outputs(m, state, value) : GA_ERR_MEM;
  for (int i = 0; i < ga_mechanism_default_columns(m) && status == GA_OK; i++) {
    if (!is_motion(ga_mechanism_column_unit(m, i))) continue;
    snprintf(out->name[out->n], sizeof *out->name, "%s", ga_mechanism_column_name(m, i));
    snprintf(out->unit[out->n], sizeof *out->unit, "%s", ga_mechanism_column_unit(m, i));
    out->value[out->n++] = value[i];
  }
  free(value);
  return status;
}

/* The options of the section `run`, then those of the caller; returns t_end. Options of the tool
 * alone are passed over. */
static double options_of(const ga_file *file, const hard_motion_options *with, ga_options *o) {
  const char *key, *value;
  int line;
  double t_end = 1;
  *o = ga_options_default();
  o->redundant = GA_REDUNDANT_ALLOW;
  for (int i = 0; ga_file_option(file, i, &key, &value, &line); i++) {
    if (strcmp(key, "t-end") == 0 || strcmp(key, "t_end") == 0) t_end = atof(value);
    ga_options_set(o, key, value, NULL);
  }
  if (with->linsol) o->linsol = with->linsol;
  if (with->method) o->method = with->method;
  if (with->h > 0) o->h = with->h;
  return fmin(t_end, with->steps * o->h);
}

ga_status hard_motion_of(const char *name, const char *text, const hard_motion_options *with,
                         hard_motion *out, ga_error *err) {
  ga_file *file = NULL;
  ga_integrator *it = NULL;
  ga_options o;
  const ga_file_options kind = {.coordinates = with->coordinates};
  *out = (hard_motion){0};
  ga_status status = ga_file_parse(name, text, strlen(text), &kind, &file, err);
  if (status != GA_OK) return status;
  const ga_mechanism *m = ga_file_mechanism(file);
  out->span = options_of(file, with, &o);
  status = ga_integrator_new(ga_mechanism_model(m), &o, &it, err);
  if (status == GA_OK) {
    status = ga_integrator_start(it, 0, ga_mechanism_q0(m), ga_mechanism_v0(m));
    if (status == GA_OK) status = ga_integrator_run(it, out->span);
    if (status != GA_OK) *err = *ga_integrator_error(it);
    out->solves = ga_integrator_stats(it)->newton_its;
    out->steps = ga_integrator_stats(it)->steps;
  }
  if (status == GA_OK) status = keep(m, ga_integrator_state(it), out);
  ga_integrator_free(it);
  ga_file_free(file);
  return status;
}

/* The largest column of a unit. A rate that turns or moves the mechanism by less than 1e-6 of its
 * size in the run counts as zero; a velocity is a difference of terms omega times length, and counts
 * as these. */
static double size_of(const hard_motion *m, const char *unit) {
  double most = 0, length = 0, turning = 0;
  for (int i = 0; i < m->n; i++) {
    if (strcmp(m->unit[i], unit) == 0) most = fmax(most, fabs(m->value[i]));
    if (strcmp(m->unit[i], "m") == 0) length = fmax(length, fabs(m->value[i]));
    if (strcmp(m->unit[i], "rad/s") == 0) turning = fmax(turning, fabs(m->value[i]));
  }
  if (strcmp(unit, "m/s") == 0) most = fmax(most, turning * length);
  double whole = strncmp(unit, "m", 1) == 0 ? length : 1;
  bool rate = strchr(unit, '/') != NULL;
  return fmax(most, rate ? 1e-6 * whole / m->span : 1e-6 * whole);
}

double hard_motion_distance(const hard_motion *a, const hard_motion *b) {
  double most = a->n == b->n ? 0 : (double)INFINITY;
  for (int i = 0; i < a->n; i++) {
    int j = 0;
    while (j < b->n && strcmp(a->name[i], b->name[j]) != 0) j++;
    if (j == b->n) return (double)INFINITY;
    double apart = fabs(a->value[i] - b->value[j]) / size_of(a, a->unit[i]);
    if (!(apart <= most)) most = apart;
  }
  return most;
}

/* The end of the line that begins at `from`. */
static const char *line_end(const char *from) {
  const char *end = strchr(from, '\n');
  return end ? end + 1 : from + strlen(from);
}

char *hard_reversed_bodies(const char *text) {
  enum { MOST = 256 };
  const char *begin[MOST + 1], *section = strstr(text, "\nbodies:\n");
  char *out = malloc(strlen(text) + 1), *to = out;
  if (!out || !section) return out ? strcpy(out, text) : NULL;
  const char *at = line_end(section + 1);
  int n = 0;
  memcpy(to, text, (size_t)(at - text));
  to += at - text;
  for (; *at == ' ' || *at == '#' || *at == '\n'; at = line_end(at)) {
    if (strncmp(at, "  ", 2) == 0 && at[2] != ' ' && at[2] != '#' && n < MOST) begin[n++] = at;
    if (n == 0) { /* comments before the first entry */
      memcpy(to, at, (size_t)(line_end(at) - at));
      to += line_end(at) - at;
    }
  }
  begin[n] = at;
  for (int i = n - 1; i >= 0; i--) {
    memcpy(to, begin[i], (size_t)(begin[i + 1] - begin[i]));
    to += begin[i + 1] - begin[i];
  }
  strcpy(to, at);
  return out;
}

/* ---- random mechanisms -------------------------------------------------------------------- */

static void say(char text[HARD_TEXT], const char *format, ...) {
  size_t used = strlen(text);
  va_list args;
  va_start(args, format);
  vsnprintf(text + used, HARD_TEXT - used, format, args);
  va_end(args);
}

enum { MOST_RODS = 5 };

typedef struct chain {
  bool spatial, slide, link;
  int rods;
  double point[MOST_RODS + 2][3]; /* the joints, the tip, the end of the link */
  double mass[MOST_RODS + 1];
} chain;

static chain draw(uint64_t *r) {
  chain c = {.spatial = hard_pick(r, 2), .slide = hard_pick(r, 2), .link = hard_pick(r, 2)};
  c.rods = 1 + hard_pick(r, MOST_RODS);
  for (int i = 0; i <= c.rods; i++) {
    double length = hard_uniform(r, 0.3, 1), angle = hard_uniform(r, -2.8, -0.3);
    c.point[i + 1][0] = c.point[i][0] + length * cos(angle);
    c.point[i + 1][1] = c.point[i][1] + length * sin(angle);
    c.point[i + 1][2] = c.spatial ? c.point[i][2] + hard_uniform(r, -0.5, 0.5) : 0;
    c.mass[i] = hard_log_uniform(r, 0.1, 10);
  }
  return c;
}

/* "[x, y]" or "[x, y, z]" of a point between two joints */
static void say_point(char *text, const chain *c, const double *a, const double *b) {
  say(text, "[%.17g, %.17g", (a[0] + b[0]) / 2, (a[1] + b[1]) / 2);
  if (c->spatial) say(text, ", %.17g", (a[2] + b[2]) / 2);
  say(text, "]");
}

static void say_body(char *text, const chain *c, const char *name, double mass, const double *a,
                     const double *b) {
  double inertia = mass * 0.05;
  say(text, "  %s: {%smass: %.17g, position: ", name, c->spatial ? "" : "kind: planar, ", mass);
  say_point(text, c, a, b);
  if (c->spatial) {
    say(text, ", inertia: [%.17g, %.17g, %.17g]}\n", inertia, 1.3 * inertia, 0.8 * inertia);
  } else {
    say(text, ", inertia: %.17g}\n", inertia);
  }
}

static void say_hinge(char *text, const chain *c, int number, const char *a, const char *b,
                      const double *at) {
  say(text, "  pin%d: {type: %s, between: [%s, %s], at: ", number,
      c->spatial ? "spherical" : "revolute", a, b);
  say_point(text, c, at, at);
  say(text, "}\n");
}

static void say_joints(char *text, const chain *c) {
  char name[16], last[16];
  say(text, "joints:\n");
  if (c->slide) {
    say(text, "  slide: {type: prismatic, between: [ground, helper], axis: %s}\n",
        c->spatial ? "[1, 0, 0]" : "[1, 0]");
  }
  snprintf(last, sizeof last, "%s", c->slide ? "helper" : "ground");
  for (int i = 0; i < c->rods; i++) {
    snprintf(name, sizeof name, "rod%d", i);
    say_hinge(text, c, i, last, name, c->point[i]);
    snprintf(last, sizeof last, "%s", name);
  }
  if (!c->link) return;
  say_hinge(text, c, c->rods, last, "link", c->point[c->rods]);
  say_hinge(text, c, c->rods + 1, "link", "bob", c->point[c->rods + 1]);
}

void hard_mechanism_text(uint64_t seed, int index, double gravity, char text[HARD_TEXT]) {
  uint64_t state = seed + 0xd1342543de82ef95u * (uint64_t)(index + 1), *r = &state;
  chain c = draw(r);
  char name[16];
  text[0] = '\0';
  say(text, "genalpha: 1\ngravity: [0, %.17g, 0]\nbodies:\n", -gravity);
  if (c.slide) say_body(text, &c, "helper", 0, c.point[0], c.point[0]);
  for (int i = 0; i < c.rods; i++) {
    snprintf(name, sizeof name, "rod%d", i);
    say_body(text, &c, name, c.mass[i], c.point[i], c.point[i + 1]);
  }
  if (c.link && c.spatial) c.link = false; /* it could turn about itself without inertia */
  if (c.link) {
    const double *a = c.point[c.rods], *b = c.point[c.rods + 1];
    say_body(text, &c, "link", 0, a, b);
    say_body(text, &c, "bob", c.mass[c.rods], b, b);
  }
  say_joints(text, &c);
  say(text, "forces:\n");
  const char *const far = c.spatial ? "[-3, 0.5, 0.2]" : "[-3, 0.5]";
  double k = hard_log_uniform(r, 10, 1e4);
  say(text, "  band: {type: spring, between: [ground, rod%d], stiffness: %.17g, damping: %.17g, ",
      c.rods - 1, k, hard_uniform(r, 0, 2));
  say(text, "at: {ground: %s}}\n", far);
  if (c.slide) {
    say(text,
        "  push: {type: spring, between: [ground, helper], stiffness: %.17g, damping: %.17g, ",
        hard_log_uniform(r, 10, 1e4), hard_uniform(r, 0.1, 3));
    say(text, "at: {ground: %s}}\n", c.spatial ? "[-3, 0, 0]" : "[-3, 0]");
  }
  say(text, "run: {method: %s, h: %.17g, t_end: 1}\n", hard_pick(r, 2) ? "stab2" : "index3",
      hard_log_uniform(r, 5e-4, 5e-3));
}

hard_agreement hard_solvers_agree(uint64_t seed, int index) {
  static const char *const solver[] = {"dense", "klu", "mumps", "auto", "dense", "auto"};
  static const char *const what[] = {"", "klu", "mumps", "auto", "gravity", "reversed bodies"};
  hard_agreement out = {.with = ""};
  hard_motion first = {0};
  ga_error err = {0};
  char text[HARD_TEXT];
  for (int run = 0; run < 6 && out.status == GA_OK; run++) {
    hard_motion_options o = {.linsol = solver[run], .steps = 60};
    hard_motion motion;
    hard_mechanism_text(seed, index, run == 4 ? 9.81 * (1 + 0x1p-52) : 9.81, text);
    char *reversed = run == 5 ? hard_reversed_bodies(text) : NULL;
    out.status = hard_motion_of("random", reversed ? reversed : text, &o, &motion, &err);
    free(reversed);
    if (out.status == GA_ERR_BACKEND && run > 0) { /* a module that is not installed */
      out.status = GA_OK;
      continue;
    }
    if (run == 0) first = motion;
    if (run == 0 || out.status != GA_OK) continue;
    double apart = hard_motion_distance(&first, &motion);
    if (run == 4) out.sensitivity = apart;
    if (run != 4 && !(apart <= out.apart)) {
      out.apart = apart;
      out.with = what[run];
    }
    hard_motion_free(&motion);
  }
  snprintf(out.text, sizeof out.text, "%.159s", err.text);
  hard_motion_free(&first);
  return out;
}
