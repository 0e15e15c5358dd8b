/* SPDX-License-Identifier: MIT */
/* Linearization about a state: the matrices, and whether they are constant in time. At rest they are those
 * of the model, sparse and in body axes; about a motion, in axes in which they are constant (axes.c). */
#include "statics/linearization.h"

#include <math.h>
#include <string.h>

#include "lie/lie.h"
#include "statics/axes.h"
#include "statics/fixed_contacts.h"

/* Matrices are constant if they change by less than this, relative to the largest entry. */
static const double CONSTANT = 1e-6;
/* The state is at rest if accelerations are below this, relative to those of the forces alone. */
static const double RESTING = 1e-6;
/* A rotation is steady if accelerations are below this, relative to the largest one towards the axis. */
static const double STEADY = 1e-4;

/* a state and, solved for, its accelerations and multipliers */
typedef struct state {
  double t, *q, *v, *vd, *lam, *psi;
} state;

/* ---- matrices at a state -------------------------------------------------------------------- */

/* vd, lam, psi = solution of the equations of motion at (t, q, v); of least norm if rows are
 * redundant. Afterwards g holds M, G, H, D and the factors of their saddle-point system. Needs W,
 * and g opened with tangents; on failure no result is written. */
ga_status ga_static_system_accelerate(ga_static_system *g, double t, const double *q,
                                      const double *v, double *vd, double *lam, double *psi) {
  ga_eval *e = &g->eval;
  ga_status status = ga_eval_mass(e, t, q, &g->M);
  if (status == GA_OK) status = ga_eval_G(e, t, q, &g->G);
  if (status == GA_OK) status = ga_eval_H(e, t, q, v, &g->H);
  if (status == GA_OK) status = ga_eval_force(e, t, q, v, g->rhs);
  if (status == GA_OK) status = ga_eval_g_drift(e, t, q, v, g->rhs + g->nv);
  if (status == GA_OK) status = ga_eval_k_drift(e, t, q, v, g->rhs + g->nv + g->nlam);
  if (status != GA_OK) return status;
  ga_static_system_set_scales(g);
  for (int i = g->nv; i < g->n; i++) g->rhs[i] = -g->rhs[i];
  status = ga_static_system_factor(g, &(ga_static_system_weights){.m = 1, .e = 1e-11});
  if (status == GA_OK) status = ga_static_system_solve(g, 0);
  if (status != GA_OK) return status;
  memcpy(vd, g->rhs, (size_t)g->nv * sizeof(double));
  if (g->nlam) memcpy(lam, g->rhs + g->nv, (size_t)g->nlam * sizeof(double));
  if (g->npsi) memcpy(psi, g->rhs + g->nv + g->nlam, (size_t)g->npsi * sizeof(double));
  return GA_OK;
}

/* to = from, both of the same size; the pattern of `to` contains that of `from`, or is full */
static void copy_values(const ga_csr *from, ga_csr *to) {
  ga_csr_zero(to);
  for (int i = 0; i < from->nrow; i++) {
    for (int e = from->ptr[i]; e < from->ptr[i + 1]; e++) {
      to->val[ga_csr_find(to, i, from->col[e])] = from->val[e];
    }
  }
}

/* Fills the six matrices of lin (allocated) at s->t, q, v, and sets v', lam, psi of s. If
 * lin->moving, the matrices are in space axes, if lin->turning in those of the bodies. g->K and g->C are set in body axes, g->H is
 * overwritten by Y. Needs W of g. */
static ga_status evaluate_matrices(ga_linearization *lin, ga_static_system *g, state *s) {
  ga_status status = ga_static_system_accelerate(g, s->t, s->q, s->v, s->vd, s->lam, s->psi);
  const ga_eval_point at = {s->t, s->q, s->v, s->vd, s->lam, s->psi};
  if (status == GA_OK) status = ga_eval_tangents(&g->eval, &at, &g->K, &g->C);
  if (status != GA_OK) return status;
  copy_values(&g->M, &lin->M);
  copy_values(&g->C, &lin->C);
  copy_values(&g->K, &lin->K);
  copy_values(&g->G, &lin->G);
  copy_values(&g->H, &lin->H);
  status = ga_eval_Y(&g->eval, s->t, s->q, s->v, &g->H);
  if (status == GA_OK) copy_values(&g->H, &lin->Y);
  if (status != GA_OK || !lin->moving) return status;
  return lin->turning ? ga_axes_to_bodies(lin, s->q, s->v, g->eval.err)
                      : ga_axes_to_space(lin, s->q, s->v, s->vd, g->eval.err);
}

/* ---- is it constant? ------------------------------------------------------------------------ */

/* GA_ERR_INITIAL unless accelerations are below RESTING, relative to those of the forces alone and
 * of springs moved by 1e-3 units. s needs v'; g needs W and K; overwrites g->rhs. */
static ga_status check_rest(const ga_linearization *lin, ga_static_system *g, const state *s,
                            const double *unit) {
  double size = 0, most = 0;
  int worst = 0;
  char name[96];
  ga_status status = ga_eval_force(&g->eval, s->t, s->q, s->v, g->rhs);
  if (status != GA_OK) return status;
  for (int i = 0; i < lin->nv; i++) {
    const double size_i = fabs(s->vd[i]) * sqrt(g->W.val[i]);
    const double acting = fabs(g->rhs[i]) + 1e-3 * ga_static_system_reach(&g->K, i, unit);
    size = fmax(size, acting / sqrt(g->W.val[i]));
    if (size_i > most) most = size_i, worst = i;
  }
  if (most <= RESTING * size || most == 0) return GA_OK;
  ga_eval_entry_name(name, sizeof name, "v", worst, lin->model->v_names);
  return ga_fail(g->eval.err, GA_ERR_INITIAL,
                 "t = %.9g: the state is not an equilibrium: %s begins to move (acceleration "
                 "%.3g), and the linearization would change with it; find the equilibrium first",
                 s->t, name, s->vd[worst]);
}

/* largest |A_ij - B_ij| over the largest |A_ij|; *row: its row. A and B have the same pattern. */
static double relative_difference(const ga_csr *A, const ga_csr *B, int *row) {
  double size = 0, most = 0;
  for (int e = 0; e < ga_csr_nnz(A); e++) size = fmax(size, fabs(A->val[e]));
  for (int i = 0; i < A->nrow; i++) {
    for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
      const double d = fabs(A->val[e] - B->val[e]);
      if (d > most) most = d, *row = i;
    }
  }
  return size > 0 ? most / size : most;
}

/* *apart <- how far motions that B allows are from those that A allows: the largest entry of B N, rows of
 * B scaled by their largest entry, columns by units, N a basis of A y = 0; 1 if the ranks differ. Rows may be
 * other combinations of each other: those of a bearing turn with the body in whose axes they are. */
static ga_status compare_constraints(const ga_csr *A, const ga_csr *B, const double *unit,
                                     ga_arena *arena, double *apart, ga_error *err) {
  const int m = A->nrow, n = A->ncol, size = m * n;
  double *rows = ga_arena_doubles(arena, 2 * (size_t)size + 1), *then = rows + size;
  double *N = ga_arena_doubles(arena, (size_t)n * (size_t)n + 1);
  double *work = ga_arena_doubles(arena, (size_t)n * (size_t)n + 1);
  int rank[2];
  *apart = 0;
  if (m == 0) return GA_OK;
  if (arena->failed) return ga_fail(err, GA_ERR_MEM, "no memory to linearise");
  for (int e = 0; e < size; e++) {
    rows[e] = A->val[e] * unit[e % n];
    then[e] = B->val[e] * unit[e % n];
  }
  for (int i = 0; i < m; i++) {
    const double most = ga_max_abs(n, then + i * n);
    for (int j = 0; j < n && most > 0; j++) then[i * n + j] /= most;
  }
  ga_status status = ga_tangent_space_basis(m, n, rows, &rank[0], N, arena, err);
  for (int k = 0; status == GA_OK && k < n - rank[0]; k++) {
    for (int i = 0; i < m; i++) {
      double sum = 0;
      for (int j = 0; j < n; j++) sum += then[i * n + j] * N[k * n + j];
      *apart = fmax(*apart, fabs(sum));
    }
  }
  if (status == GA_OK) status = ga_tangent_space_basis(m, n, then, &rank[1], work, arena, err);
  if (status == GA_OK && rank[0] != rank[1]) *apart = 1;
  return status;
}

/* GA_ERR_INITIAL if a matrix changes by more than CONSTANT while the fastest velocity moves by 0.3
 * units. later and then: scratch (allocated) for the state and the matrices at that time. Some v
 * must not be zero. Overwrites g->sum and what evaluate_matrices sets in g. */
static ga_status check_steady(const ga_linearization *lin, ga_static_system *g, const state *s,
                              const double *unit, state *later, ga_linearization *then) {
  double fastest = 0;
  for (int i = 0; i < lin->nv; i++) fastest = fmax(fastest, fabs(s->v[i]) / unit[i]);
  const double dt = 0.3 / fastest;
  for (int i = 0; i < lin->nv; i++) {
    g->sum[i] = dt * s->v[i] + 0.5 * dt * dt * s->vd[i];
    later->v[i] = s->v[i] + dt * s->vd[i];
  }
  later->t = s->t + dt;
  ga_space_step(lin->model->space, s->q, g->sum, later->q);
  double apart;
  ga_status status = evaluate_matrices(then, g, later);
  if (status == GA_OK) {
    status = compare_constraints(&lin->G, &then->G, unit, &g->arena, &apart, g->eval.err);
  }
  if (status != GA_OK) return status;
  const struct {
    const char *what;
    const ga_csr *now, *then;
    bool by_velocity;
  } pairs[] = {{"mass", &lin->M, &then->M, true},
               {"damping and gyroscopic terms", &lin->C, &then->C, true},
               {"stiffness", &lin->K, &then->K, true},
               {"constraints", &lin->G, &then->G, false},
               {"nonholonomic constraints", &lin->H, &then->H, false}};
  for (int k = 0; k < 5; k++) {
    int row = 0;
    char name[96] = "";
    const double change = relative_difference(pairs[k].now, pairs[k].then, &row);
    if ((k == 3 ? apart : change) <= CONSTANT) continue;
    if (pairs[k].by_velocity) ga_eval_entry_name(name, sizeof name, "v", row, lin->model->v_names);
    if (k == 3) ga_eval_entry_name(name, sizeof name, "g", row, lin->model->lam_names);
    if (k == 4) ga_eval_entry_name(name, sizeof name, "k", row, lin->model->psi_names);
    return ga_fail(g->eval.err, GA_ERR_INITIAL,
                   "t = %.9g: the state moves, and its linearization is not constant in time: the "
                   "%s of %s changes within a time of %.3g. Frequencies exist about a "
                   "state of rest or a steady rotation only; `frozen` takes it as it stands",
                   s->t, pairs[k].what, name, dt);
  }
  return GA_OK;
}

/* GA_ERR_INITIAL if v' of s is not that of a steady rotation */
static ga_status check_turning_rate(const ga_linearization *lin, ga_static_system *g,
                                    const state *s) {
  double size, most = 0;
  int worst = 0;
  char name[96];
  memcpy(g->sum, s->vd, (size_t)lin->nv * sizeof(double));
  const ga_status status =
      ga_axes_unsteady(lin->model->space, s->q, s->v, g->W.val, g->sum, &size, g->eval.err);
  if (status != GA_OK) return status;
  for (int i = 0; i < lin->nv; i++) {
    const double size_i = fabs(g->sum[i]) * sqrt(g->W.val[i]);
    if (size_i > most) most = size_i, worst = i;
  }
  if (most <= STEADY * size) return GA_OK;
  ga_eval_entry_name(name, sizeof name, "v", worst, lin->model->v_names);
  return ga_fail(g->eval.err, GA_ERR_INITIAL,
                 "the acceleration of %s is %.3g off that of a steady rotation", name,
                 g->sum[worst]);
}

/* lin <- the linearization in axes that turn with the bodies; GA_ERR_INITIAL if the state is no steady
 * rotation, or if what does not turn makes them change. */
static ga_status turn_with_bodies(ga_linearization *lin, ga_static_system *g, state *s,
                                  const double *unit, state *later, ga_linearization *then) {
  double fastest = 0, apart = 0;
  for (int i = 0; i < lin->nv; i++) fastest = fmax(fastest, fabs(s->v[i]) / unit[i]);
  const double dt = 0.3 / fastest;
  lin->turning = then->turning = true;
  ga_status status = evaluate_matrices(lin, g, s);
  if (status == GA_OK) status = check_turning_rate(lin, g, s);
  later->t = s->t + dt;
  if (status == GA_OK) {
    status = ga_axes_rotate_on(lin->model->space, dt, s->q, s->v, g->sum, later->q, later->v,
                               g->eval.err);
  }
  if (status == GA_OK) status = evaluate_matrices(then, g, later);
  if (status == GA_OK) status = check_turning_rate(then, g, later);
  if (status == GA_OK) {
    status = compare_constraints(&lin->G, &then->G, unit, &g->arena, &apart, g->eval.err);
  }
  int row = 0;
  const bool constant = apart <= CONSTANT &&
                        relative_difference(&lin->M, &then->M, &row) <= CONSTANT &&
                        relative_difference(&lin->C, &then->C, &row) <= CONSTANT &&
                        relative_difference(&lin->K, &then->K, &row) <= CONSTANT &&
                        relative_difference(&lin->H, &then->H, &row) <= CONSTANT;
  if (status != GA_OK || constant) return status;
  return ga_fail(g->eval.err, GA_ERR_INITIAL, "weight, or what does not turn, changes it");
}

/* Matrices in the axes in which they are constant, space axes first; GA_ERR_INITIAL if there are none. */
static ga_status find_constant_axes(ga_linearization *lin, ga_static_system *g, state *s,
                                    const double *unit, state *later, ga_linearization *then) {
  ga_status status = check_steady(lin, g, s, unit, later, then);
  if (status != GA_ERR_INITIAL || ga_space_tangent_size(lin->model->space) == 0) return status;
  const ga_error in_space = *g->eval.err;
  status = turn_with_bodies(lin, g, s, unit, later, then);
  if (status != GA_ERR_INITIAL) return status;
  const ga_error in_bodies = *g->eval.err;
  return ga_fail(g->eval.err, GA_ERR_INITIAL,
                 "%s. Nor is it constant in axes that turn with the bodies: %s", in_space.text,
                 in_bodies.text);
}

/* *rest <- are the velocities of s nothing but what is left at rest, such as the rounding errors at
 * the end of a run? They are if they move no component by RESTING of its unit in the time 1/w, where
 * w^2 is the largest acceleration by forces, or by springs moved by one unit, over that unit. All
 * of s but t, q, v is overwritten, and M, G, H, K of g. */
static ga_status find_rest(ga_static_system *g, state *s, bool *rest) {
  double *unit = ga_arena_doubles(&g->arena, (size_t)g->nv), fastest = 0, square = 0;
  *rest = ga_max_abs(g->nv, s->v) == 0;
  if (*rest) return GA_OK;
  if (!unit) return ga_fail(g->eval.err, GA_ERR_MEM, "no memory to linearise");
  ga_static_system_units(g->model, s->q, NULL, unit);
  ga_status status = ga_static_system_set_weights(g, s->t, s->q, NULL);
  if (status == GA_OK) {
    status = ga_static_system_accelerate(g, s->t, s->q, s->v, s->vd, s->lam, s->psi);
  }
  const ga_eval_point at = {s->t, s->q, s->v, s->vd, s->lam, s->psi};
  if (status == GA_OK) status = ga_eval_tangents(&g->eval, &at, &g->K, &g->C);
  if (status == GA_OK) status = ga_eval_force(&g->eval, s->t, s->q, s->v, g->rhs);
  if (status != GA_OK) return status;
  for (int i = 0; i < g->nv; i++) {
    const double acting = fabs(g->rhs[i]) + ga_static_system_reach(&g->K, i, unit);
    square = fmax(square, acting / (g->W.val[i] * unit[i]));
    fastest = fmax(fastest, fabs(s->v[i]) / unit[i]);
  }
  *rest = fastest <= RESTING * sqrt(square);
  return GA_OK;
}

/* ---- the object ----------------------------------------------------------------------------- */

/* allocates the six matrices of lin: full if lin->moving, else in the patterns of the model; false
 * without memory */
static bool allocate_matrices(ga_linearization *lin, const ga_model *model, ga_arena *arena) {
  const bool full = lin->moving;
  const int nv = lin->nv;
  ga_csr_init(&lin->M, nv, nv, full ? NULL : model->pat_M, arena);
  ga_csr_init(&lin->C, nv, nv, full ? NULL : model->pat_K, arena);
  ga_csr_init(&lin->K, nv, nv, full ? NULL : model->pat_K, arena);
  ga_csr_init(&lin->G, lin->nlam, nv, full ? NULL : model->pat_G, arena);
  ga_csr_init(&lin->H, lin->npsi, nv, full ? NULL : model->pat_H, arena);
  ga_csr_init(&lin->Y, lin->npsi, nv, full ? NULL : model->pat_H, arena);
  return !arena->failed;
}

/* allocates the arrays of s; false without memory */
static bool allocate_state(state *s, const ga_static_system *g, ga_arena *arena) {
  s->q = ga_arena_doubles(arena, (size_t)g->eval.nq);
  s->v = ga_arena_doubles(arena, (size_t)g->nv);
  s->vd = ga_arena_doubles(arena, (size_t)g->nv);
  s->lam = ga_arena_doubles(arena, (size_t)g->nlam);
  s->psi = ga_arena_doubles(arena, (size_t)g->npsi);
  return !arena->failed;
}

/* Fills the matrices and weights of lin at the state s. Unless frozen, fails with GA_ERR_INITIAL if
 * the linearization would change with time. nv, nlam, npsi, moving, q and room for the weights of
 * lin must be set, and t, q, v of s; scratch is taken from the arena of g. */
static ga_status fill_linearization(ga_linearization *lin, ga_static_system *g, state *s,
                                    bool frozen) {
  ga_linearization then = *lin;
  state later;
  double *unit = ga_arena_doubles(&g->arena, (size_t)g->nv);
  then.arena = (ga_arena){0};
  if (!unit || !allocate_state(&later, g, &g->arena) ||
      !allocate_matrices(lin, g->model, &lin->arena) ||
      (lin->moving && !allocate_matrices(&then, g->model, &g->arena))) {
    return ga_fail(g->eval.err, GA_ERR_MEM, "no memory to linearise");
  }
  ga_static_system_units(g->model, s->q, NULL, unit);
  ga_status status = ga_static_system_set_weights(g, s->t, s->q, NULL);
  if (status == GA_OK) status = evaluate_matrices(lin, g, s);
  if (status != GA_OK) return status;
  memcpy(lin->weight, g->W.val, (size_t)g->nv * sizeof(double));
  if (frozen) return GA_OK;
  if (!lin->moving) return check_rest(lin, g, s, unit);
  return find_constant_axes(lin, g, s, unit, &later, &then);
}

/* *out: the linearization of the model at (t, q, v), freed by ga_linearization_free; NULL on
 * failure. The model is borrowed. frozen: accept a state whose linearization changes with time. */
ga_status ga_linearization_new(const ga_model *model, double t, const double *q, const double *v,
                               bool frozen, ga_linearization **out, ga_error *err) {
  ga_static_system g = {0};
  ga_fixed_contacts fixed;
  ga_arena arena = {0}; /* of the states of contacts */
  ga_error own;
  state s = {.t = t};
  *out = NULL;
  if (!err) err = &own;
  if (model && model->ops && (ga_model_gives(model) & GA_GIVES_R)) {
    return ga_fail(err, GA_ERR_ARG, "frequencies of a model with a reaction of its own");
  }
  ga_status status = ga_model_validate(model, err);
  if (status == GA_OK) status = ga_fixed_contacts_open(&fixed, model, &arena, err);
  if (status == GA_OK) status = ga_static_system_open(&g, &fixed.model, true, err);
  ga_linearization *lin = status == GA_OK ? ga_calloc(1, sizeof *lin) : NULL;
  if (status == GA_OK && !lin) status = ga_fail(err, GA_ERR_MEM, "no memory to linearise");
  if (status == GA_OK) {
    lin->model = model;
    lin->nv = g.nv, lin->nlam = g.nlam, lin->npsi = g.npsi;
    lin->q = ga_arena_doubles(&lin->arena, (size_t)g.eval.nq);
    lin->contact = ga_arena_ints(&lin->arena, (size_t)fixed.n + 1);
    lin->weight = ga_arena_doubles(&lin->arena, (size_t)g.nv);
    if (lin->arena.failed || !allocate_state(&s, &g, &g.arena)) {
      status = ga_fail(err, GA_ERR_MEM, "no memory to linearise");
    }
  }
  if (status == GA_OK) {
    memcpy(lin->q, q, (size_t)g.eval.nq * sizeof(double));
    memcpy(s.q, q, (size_t)g.eval.nq * sizeof(double));
    memcpy(s.v, v, (size_t)g.nv * sizeof(double));
    bool rest = false;
    status = ga_fixed_contacts_find(&fixed, &g, t, q, v);
    if (status == GA_OK) status = find_rest(&g, &s, &rest);
    lin->moving = !rest;
    if (rest) memset(s.v, 0, (size_t)g.nv * sizeof(double));
  }
  if (status == GA_OK) {
    if (fixed.n) memcpy(lin->contact, fixed.state, (size_t)fixed.n * sizeof(int));
    lin->load = fixed.load;
    status = fill_linearization(lin, &g, &s, frozen);
  }
  ga_static_system_close(&g);
  ga_arena_free(&arena);
  if (status == GA_OK) {
    *out = lin;
  } else {
    ga_linearization_free(lin);
  }
  return status;
}

/* frees lin with its matrices; NULL is allowed */
void ga_linearization_free(ga_linearization *lin) {
  if (!lin) return;
  ga_arena_free(&lin->arena);
  ga_free(lin);
}

/* the state of contact i; open for a wrong number */
int ga_linearization_contact(const ga_linearization *lin, int i) {
  return i >= 0 && i < lin->model->ncontacts ? lin->contact[i] : GA_CONTACT_OPEN;
}

/* the matrix of that name, owned by lin; NULL for other names than M, C, K, G, H, Y */
const ga_csr *ga_linearization_matrix(const ga_linearization *lin, char name) {
  switch (name) {
    case 'M':
      return &lin->M;
    case 'C':
      return &lin->C;
    case 'K':
      return &lin->K;
    case 'G':
      return &lin->G;
    case 'H':
      return &lin->H;
    case 'Y':
      return &lin->Y;
    default:
      return NULL;
  }
}
