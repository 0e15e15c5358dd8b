/* SPDX-License-Identifier: MIT */
/* Events on columns: an expression of them, located where it goes through zero. */
#include "mechanism/mechanism.h"

/* An event: the expression `when`, the direction of its zero, and whether a run stops there.
 * `columns` is scratch memory for the values of all columns. */
struct ga_watch {
  const ga_mechanism *m;
  ga_expr *when;
  double *columns;
  ga_direction direction;
  bool stop;
};

/* Names in the expression (ga_scope): columns are its variables. */
static ga_name lookup_column(const void *context, const char *name) {
  const int i = ga_mechanism_column_index(context, name);
  return i < 0 ? (ga_name){GA_NAME_UNKNOWN, 0, 0} : (ga_name){GA_NAME_VARIABLE, 0, i};
}

/* Name of column i, NULL past the end (candidates of ga_nearest_in). */
static const char *column_at(const void *context, int i) {
  return ga_mechanism_column_name(context, i);
}

/* The most similar column, for "did you mean" (ga_scope). */
static const char *nearest_column(const void *context, const char *name) {
  return ga_nearest_in(name, column_at, context);
}

/* *out <- an event where the expression `when` of columns passes through zero, freed by
 * ga_watch_free; NULL on failure. m is built and must outlive it. stop: a run ends there. An
 * expression with a mistake, or without columns, is an error. */
ga_status ga_watch_new(const ga_mechanism *m, const char *when, ga_direction direction, bool stop,
                       ga_watch **out, ga_error *err) {
  const ga_scope scope = {.lookup = lookup_column,
                          .nearest = nearest_column,
                          .context = m,
                          .condition = true}; /* a comparison is allowed */
  *out = NULL;
  ga_watch *w = ga_calloc(1, sizeof *w);
  if (!w) return ga_fail(err, GA_ERR_MEM, "no memory for an event");
  *w = (ga_watch){.m = m, .direction = direction, .stop = stop};
  ga_status status = ga_expr_parse(when, &scope, &w->when, NULL, err);
  if (status == GA_OK && ga_expr_constant(w->when)) {
    status = ga_fail(err, GA_ERR_ARG, "'%.120s' mentions no column: it never changes", when);
  }
  if (status == GA_OK) {
    w->columns = ga_calloc((size_t)ga_mechanism_columns(m), sizeof *w->columns);
    if (!w->columns) status = ga_fail(err, GA_ERR_MEM, "no memory for an event");
  }
  if (status != GA_OK) {
    ga_watch_free(w);
    return status;
  }
  *out = w;
  return GA_OK;
}

/* Free the event; w may be NULL. */
void ga_watch_free(ga_watch *w) {
  if (!w) return;
  ga_expr_free(w->when);
  ga_free(w->columns);
  ga_free(w);
}

/* ga_event.value: the expression at a state; NAN if the columns cannot be computed. context is the
 * ga_watch, whose scratch memory is overwritten: not for two threads at once. */
static double watch_value(void *context, const ga_state *state) {
  ga_watch *w = context;
  if (ga_mechanism_outputs(w->m, state, w->columns) != GA_OK) return NAN;
  return ga_expr_value(w->when, w->columns);
}

/* The event for an integrator; w must live as long as it is used. */
ga_event ga_watch_event(ga_watch *w) {
  return (ga_event){
      .value = watch_value, .context = w, .direction = w->direction, .terminal = w->stop};
}
