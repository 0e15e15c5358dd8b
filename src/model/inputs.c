/* SPDX-License-Identifier: MIT */
/* Inputs of a model: numbers that are set between two steps, or that follow a table.
 *
 * A table is a table over the time. Before its first and after its last point it has the value of
 * that point: what was not measured is not extrapolated. */
#include "model/inputs.h"

#include <math.h>
#include <string.h>

/* Allocate the arrays for a model and set the values to those of the model. arena->failed is set if
 * memory runs out. */
void ga_inputs_init(ga_inputs *u, const ga_model *model, ga_arena *arena) {
  const size_t n = (size_t)model->ninput;
  *u = (ga_inputs){.n = model->ninput};
  if (n == 0) return;
  u->value = ga_arena_doubles(arena, n);
  u->now = ga_arena_doubles(arena, n);
  u->table = ga_arena_take(arena, n, sizeof *u->table);
  if (!arena->failed && model->input) memcpy(u->value, model->input, n * sizeof(double));
}

/* Free the tables. */
void ga_inputs_close(ga_inputs *u) {
  for (int i = 0; i < u->n && u->table; i++) ga_table_free(&u->table[i]);
}

/* out[0..n-1] <- the values at t, which is in the present step. */
void ga_inputs_get(const ga_inputs *u, double t, double *out) {
  for (int i = 0; i < u->n; i++) {
    const ga_table *s = &u->table[i];
    double value[3] = {u->value[i], 0, 0};
    if (s->n > 0 && s->kind != GA_TABLE_HOLD) {
      ga_table_value(s, fmin(fmax(t, s->x[0]), s->x[s->n - 1]), value);
    }
    out[i] = value[0];
  }
}

/* The values at t, in an array that the next call overwrites; NULL without inputs. */
const double *ga_inputs_at(ga_inputs *u, double t) {
  if (!u->moving) return u->value;
  ga_inputs_get(u, t, u->now);
  return u->now;
}

/* Free the table of input i and set u->moving for the others. */
static void end_table(ga_inputs *u, int i) {
  ga_table_free(&u->table[i]);
  u->moving = false;
  for (int k = 0; k < u->n; k++) {
    u->moving |= u->table[k].n > 0 && u->table[k].kind != GA_TABLE_HOLD;
  }
}

/* Set input i to a constant; its table ends. */
void ga_inputs_set(ga_inputs *u, int i, double value) {
  end_table(u, i);
  u->value[i] = value;
}

/* Let input i follow a table, a table that u then owns. */
void ga_inputs_follow(ga_inputs *u, int i, const ga_table *table) {
  end_table(u, i);
  u->table[i] = *table;
  u->moving |= table->kind != GA_TABLE_HOLD;
}

/* Index of the last point of a table up to the time t, at least 0. */
static int held_point(const ga_table *s, double t) {
  int lo = 0, hi = s->n;
  while (hi - lo > 1) {
    const int mid = (lo + hi) / 2;
    if (s->x[mid] <= t) {
      lo = mid;
    } else {
      hi = mid;
    }
  }
  return lo;
}

/* Set the values that are held at t to those from t on; true if one of them changes. Times up to
 * `same` later count as t. */
bool ga_inputs_jump(ga_inputs *u, double t, double same) {
  bool changed = false;
  for (int i = 0; i < u->n; i++) {
    const ga_table *s = &u->table[i];
    if (s->n == 0 || s->kind != GA_TABLE_HOLD) continue;
    const double next = s->y[held_point(s, t + same)];
    changed |= next != u->value[i];
    u->value[i] = next;
  }
  return changed;
}

/* The next point after t + same at which a table that changes within steps leaves a rest, two equal
 * values, and the point behind it; INFINITY: none. */
double ga_inputs_next_rise(const ga_inputs *u, double t, double same) {
  double first = INFINITY;
  for (int i = 0; i < u->n; i++) {
    const ga_table *s = &u->table[i];
    if (s->n == 0 || s->kind == GA_TABLE_HOLD) continue;
    for (int k = held_point(s, t + same) + 1; k < s->n && s->x[k] < first; k++) {
      const bool leaves = k > 0 && k + 1 < s->n && s->y[k] == s->y[k - 1] && s->y[k + 1] != s->y[k];
      const bool left = k > 1 && s->y[k - 1] == s->y[k - 2] && s->y[k] != s->y[k - 1];
      if (leaves || left) first = s->x[k];
    }
  }
  return first;
}

/* The next time after t + same at which a value that is held changes; INFINITY: none. */
double ga_inputs_next_jump(const ga_inputs *u, double t, double same) {
  double first = INFINITY;
  for (int i = 0; i < u->n; i++) {
    const ga_table *s = &u->table[i];
    if (s->n == 0 || s->kind != GA_TABLE_HOLD) continue;
    int k = held_point(s, t + same) + 1;
    while (k < s->n && s->y[k] == s->y[k - 1]) k++;
    if (k < s->n) first = fmin(first, s->x[k]);
  }
  return first;
}
