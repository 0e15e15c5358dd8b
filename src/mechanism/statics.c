/* SPDX-License-Identifier: MIT */
/* Equilibrium and modes of a mechanism: weights by mass and size, names of what moves. */
#include <stdio.h>
#include <string.h>

#include "mechanism/mechanism.h"

ga_status ga_mechanism_equilibrium(const ga_mechanism *m, double t, double *q,
                                   ga_equilibrium *equilibrium, ga_error *err) {
  ga_equilibrium none = {0}, *e = equilibrium ? equilibrium : &none;
  ga_arena arena = {0};
  if (!m->built) return ga_fail(err, GA_ERR_ARG, "the mechanism has not been built");
  double *weight = ga_arena_doubles(&arena, (size_t)m->nv);
  double *unit = ga_arena_doubles(&arena, (size_t)m->nv);
  ga_status status = GA_ERR_MEM;
  if (arena.failed) {
    ga_fail(err, status, "no memory to seek an equilibrium");
  } else {
    ga_mechanism_weights(m, weight, unit);
    e->weight = e->weight ? e->weight : weight;
    e->unit = e->unit ? e->unit : unit;
    status = ga_equilibrium_find(&m->model, t, q, e, err);
    if (e->weight == weight) e->weight = NULL;
    if (e->unit == unit) e->unit = NULL;
  }
  ga_arena_free(&arena);
  return status;
}
