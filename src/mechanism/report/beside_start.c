/* SPDX-License-Identifier: MIT */
/* Checks beside the start of a mechanism. A law may be soft at the start and stiff beside it (a
 * contact that just touches, a dead zone), and it may have a kink there, where no derivative
 * exists. */
#include "mechanism/report/beside_start.h"

#include <math.h>

#include "statics/statics.h"

enum { PATTERNS = 4 }; /* directions in which the configuration is moved, in opposite pairs */

/* q <- the configuration n->q moved by `size` of its units, each component in another way; pattern
 * 0, 1, ..: other directions. step: nv numbers of scratch. */
static void move_configuration(const ga_beside_start *n, double size, int pattern, double *step,
                               double *q) {
  for (int i = 0; i < n->m->nv; i++) {
    const double way = sin(1.0 + 1.7 * i * (1 + pattern / 2));
    step[i] = size * n->unit[i] * (pattern % 2 ? -1 : 1) * (way < 0 ? way - 0.2 : way + 0.2);
  }
  ga_space_step(n->m->model.space, n->q, step, q);
}

/* Has it forces that are functions of the author? */
static bool has_laws(const ga_mechanism *m) {
  for (int i = 0; i < m->elements.count; i++) {
    const ga_element_type *type = m->elements.item[i].type;
    if (type->function && type != &ga_element_drive && type != &ga_element_rate) return true;
  }
  return false;
}

/* *fastest <- the largest frequency (rad/s) of configurations moved by 1e-4 and 1e-2 of their units,
 * *moved: by how much. A larger displacement counts only if it is 1.5 times as fast. Both 0 if no
 * force is a function of the author, or nothing can be found. GA_OK or GA_ERR_MEM. */
ga_status ga_beside_start_fastest(const ga_beside_start *n, double *fastest, double *moved) {
  static const double sizes[] = {1e-4, 1e-2};
  *fastest = *moved = 0;
  if (!has_laws(n->m)) return GA_OK;
  double *q = ga_calloc((size_t)(n->m->nq + n->m->nv), sizeof(double));
  ga_status status = q ? GA_OK : GA_ERR_MEM;
  for (int k = 0; k < 2 * PATTERNS && status != GA_ERR_MEM; k++) {
    ga_error ignored = {GA_OK, ""};
    double found = 0;
    move_configuration(n, sizes[k / PATTERNS], k % PATTERNS, q + n->m->nq, q);
    status = ga_fastest_mode(&n->m->model, n->t, q, n->v, &found, &ignored);
    if (status == GA_OK && found > 1.5 * *fastest) *fastest = found, *moved = sizes[k / PATTERNS];
  }
  ga_free(q);
  return status == GA_ERR_MEM ? status : GA_OK;
}

/* Do all derivatives agree with difference quotients in four configurations moved by `size` of the
 * units, or, with size 0, at q itself? Velocities in all directions are added (0.1 to 0.5 of the
 * units), so that no term vanishes by chance. err says which derivatives do not agree. */
bool ga_beside_start_derivatives(const ga_beside_start *n, double size, ga_error *err) {
  const int nq = n->m->nq, nv = n->m->nv;
  double *q = ga_calloc((size_t)(nq + 2 * nv), sizeof(double)), *step = q + nq, *v = step + nv;
  if (!q) {
    ga_fail(err, GA_ERR_MEM, "no memory to check derivatives");
    return false;
  }
  bool agree = true;
  for (int i = 0; i < nv; i++) v[i] = n->v[i] + n->unit[i] * (0.3 + 0.2 * sin(i + 1.0));
  for (int k = 0; k < (size > 0 ? PATTERNS : 1) && agree; k++) {
    move_configuration(n, size, k, step, q);
    const double *at = size > 0 ? q : n->q;
    agree = ga_model_check_derivatives(&n->m->model, n->t, at, v, NULL, err) == GA_OK;
  }
  ga_free(q);
  return agree;
}

/* Do all derivatives agree with difference quotients, at the place (*smooth) or beside it, where a kink
 * of a force is not? own: which do not at the place itself. */
bool ga_beside_start_agree(const ga_beside_start *n, bool *smooth, ga_error *own) {
  /* farther away if the steps of the quotients reach across the kink, as in small models */
  static const double sizes[] = {1e-3, 1e-2, 1e-1, 1};
  *smooth = ga_beside_start_derivatives(n, 0 /* at the place itself */, own);
  bool agree = *smooth;
  for (int i = 0; i < 4 && !agree; i++) {
    ga_error ignored = {GA_OK, ""};
    agree = ga_beside_start_derivatives(n, sizes[i], &ignored);
  }
  return agree;
}
