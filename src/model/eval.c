/* SPDX-License-Identifier: MIT */
/* The callbacks of a model, called in one place each, their results checked. */
#include "model/eval.h"

#include <stdio.h>
#include <string.h>

const char *ga_name_entry(char *text, size_t room, const char *symbol, int i,
                          const char *const *names) {
  if (names && names[i]) {
    snprintf(text, room, "%s[%d] ('%s')", symbol, i, names[i]);
  } else {
    snprintf(text, room, "%s[%d]", symbol, i);
  }
  return text;
}

static int largest(int a, int b) {
  return a > b ? a : b;
}

/* groups of columns for difference quotients */
static void colour_patterns(ga_eval *e, ga_arena *arena) {
  ga_arena scratch = {0};
  ga_csr K;
  if (arena->failed) return;
  if (ga_colours_init(&e->colours_G, &e->G, arena) != GA_OK ||
      ga_colours_init(&e->colours_H, &e->H, arena) != GA_OK ||
      ga_csr_init(&K, e->nv, e->nv, e->model->pat_K, &scratch) != GA_OK ||
      ga_colours_init(&e->colours_K, &K, arena) != GA_OK) {
    arena->failed = true;
  }
  ga_arena_free(&scratch);
}

ga_status ga_eval_init(ga_eval *e, const ga_model *model, ga_arena *arena, ga_error *err) {
  *e = (ga_eval){.model = model, .err = err};
  ga_eval_set_step(e, 1);
  e->nq = ga_space_nq(model->space);
  e->nv = ga_space_nv(model->space);
  e->nlam = model->nlam;
  e->npsi = model->npsi;
  size_t rows = (size_t)largest(e->nv, largest(e->nlam, e->npsi));
  for (int level = 0; level < 2; level++) {
    struct ga_fd_level *fd = &e->fd[level];
    double **const v_size[] = {&fd->v, &fd->w, &fd->step};
    double **const row_size[] = {&fd->lo, &fd->hi, &fd->mid, &fd->near, &fd->far};
    fd->q = ga_arena_doubles(arena, (size_t)e->nq);
    for (int i = 0; i < 3; i++) *v_size[i] = ga_arena_doubles(arena, (size_t)e->nv);
    for (int i = 0; i < 5; i++) *row_size[i] = ga_arena_doubles(arena, rows);
  }
  e->mult = ga_arena_doubles(arena, (size_t)e->nlam + (size_t)e->npsi);
  ga_csr_init(&e->M, e->nv, e->nv, model->pat_M, arena);
  ga_csr_init(&e->G, e->nlam, e->nv, model->pat_G, arena);
  ga_csr_init(&e->H, e->npsi, e->nv, model->pat_H, arena);
  colour_patterns(e, arena);
  return arena->failed ? ga_fail(err, GA_ERR_MEM, "no memory for the model's work arrays") : GA_OK;
}

/* what a callback returned, and what it wrote */
static ga_status judge(ga_eval *e, const char *callback, int code, double t, int n,
                       const double *out) {
  char why[240] = "";
  if (code != 0 && e->model->ops->explain) {
    e->model->ops->explain(e->model->user, code, why, sizeof why);
  }
  if (*why) {
    return ga_fail(e->err, code > 0 ? GA_RETRY_MODEL : GA_ERR_MODEL, "t = %.9g: %s", t, why);
  }
  if (code > 0) {
    return ga_fail(e->err, GA_RETRY_MODEL, "t = %.9g: callback '%s' asked for a smaller step (%d)",
                   t, callback, code);
  }
  if (code < 0) {
    return ga_fail(e->err, GA_ERR_MODEL, "t = %.9g: callback '%s' failed and returned %d", t,
                   callback, code);
  }
  int bad = e->trusting ? -1 : ga_first_nonfinite(n, out);
  if (bad < 0) return GA_OK;
  return ga_fail(e->err, GA_RETRY_NONFINITE, "t = %.9g: callback '%s' wrote %g to entry %d", t,
                 callback, out[bad], bad);
}

static ga_status judge_matrix(ga_eval *e, const char *callback, int code, double t,
                              const ga_csr *A) {
  ga_status status = judge(e, callback, code, t, ga_csr_nnz(A), A->val);
  if (status != GA_RETRY_NONFINITE) return status;
  /* name the entry by row and column */
  int bad = ga_first_nonfinite(ga_csr_nnz(A), A->val), row = 0;
  while (A->ptr[row + 1] <= bad) row++;
  return ga_fail(e->err, GA_RETRY_NONFINITE,
                 "t = %.9g: callback '%s' wrote %g to row %d, column %d", t, callback, A->val[bad],
                 row, A->col[bad]);
}

#define OPS (e->model->ops)
#define USER (e->model->user)

ga_status ga_eval_mass(ga_eval *e, double t, const double *q, ga_csr *M) {
  ga_csr_zero(M);
  return judge_matrix(e, "mass", OPS->mass(USER, t, q, M), t, M);
}

ga_status ga_eval_force(ga_eval *e, double t, const double *q, const double *v, double *F) {
  return judge(e, "force", OPS->force(USER, t, q, v, F), t, e->nv, F);
}

ga_status ga_eval_g(ga_eval *e, double t, const double *q, double *g) {
  if (e->nlam == 0) return GA_OK;
  return judge(e, "holonomic", OPS->holonomic(USER, t, q, g), t, e->nlam, g);
}

ga_status ga_eval_k(ga_eval *e, double t, const double *q, const double *v, double *k) {
  if (e->npsi == 0) return GA_OK;
  return judge(e, "nonholonomic", OPS->nonholonomic(USER, t, q, v, k), t, e->npsi, k);
}

ga_status ga_eval_G(ga_eval *e, double t, const double *q, ga_csr *G) {
  if (e->nlam == 0) return GA_OK;
  if (!OPS->holonomic_jac) {
    return ga_fd_columns(e, ga_point_g, &(ga_point){.t = t, .q = q}, GA_FD_Q, true, &e->colours_G,
                         G);
  }
  ga_csr_zero(G);
  return judge_matrix(e, "holonomic_jac", OPS->holonomic_jac(USER, t, q, G), t, G);
}

ga_status ga_eval_H(ga_eval *e, double t, const double *q, const double *v, ga_csr *H) {
  if (e->npsi == 0) return GA_OK;
  if (!OPS->nonholonomic_jac) {
    return ga_fd_columns(e, ga_point_k, &(ga_point){.t = t, .q = q, .v = v}, GA_FD_V, true,
                         &e->colours_H, H);
  }
  ga_csr_zero(H);
  return judge_matrix(e, "nonholonomic_jac", OPS->nonholonomic_jac(USER, t, q, v, H), t, H);
}

ga_status ga_eval_gt(ga_eval *e, double t, const double *q, double *gt) {
  if (e->nlam == 0) return GA_OK;
  if (e->model->scleronomic) {
    memset(gt, 0, (size_t)e->nlam * sizeof(double));
    return GA_OK;
  }
  if (!OPS->holonomic_t) {
    return ga_fd_time(e, ga_point_g, &(ga_point){.t = t, .q = q}, false, e->nlam, gt);
  }
  return judge(e, "holonomic_t", OPS->holonomic_t(USER, t, q, gt), t, e->nlam, gt);
}

ga_status ga_eval_hidden(ga_eval *e, double t, const double *q, const double *v, const ga_csr *G,
                         double *gv) {
  ga_status status = ga_eval_gt(e, t, q, gv);
  if (status == GA_OK && e->nlam > 0) ga_csr_mul_add(G, 1, v, gv);
  return status;
}

ga_status ga_eval_Z(ga_eval *e, double t, const double *q, const double *v, ga_csr *Z) {
  if (e->nlam == 0) return GA_OK;
  if (!OPS->holonomic_curv) {
    return ga_fd_columns(e, ga_point_hidden, &(ga_point){.t = t, .q = q, .v = v}, GA_FD_Q, false,
                         &e->colours_G, Z);
  }
  ga_csr_zero(Z);
  return judge_matrix(e, "holonomic_curv", OPS->holonomic_curv(USER, t, q, v, Z), t, Z);
}

ga_status ga_eval_Y(ga_eval *e, double t, const double *q, const double *v, ga_csr *Y) {
  if (e->npsi == 0) return GA_OK;
  if (!OPS->nonholonomic_dq) {
    return ga_fd_columns(e, ga_point_k, &(ga_point){.t = t, .q = q, .v = v}, GA_FD_Q, false,
                         &e->colours_H, Y);
  }
  ga_csr_zero(Y);
  return judge_matrix(e, "nonholonomic_dq", OPS->nonholonomic_dq(USER, t, q, v, Y), t, Y);
}

/* Z v + G_t v + g_tt, by the callback or by differences. Not by Z v: a wrong Z then costs
 * iterations, not the solution. */
ga_status ga_eval_g_drift(ga_eval *e, double t, const double *q, const double *v, double *drift) {
  if (e->nlam == 0) return GA_OK;
  if (OPS->holonomic_drift) {
    return judge(e, "holonomic_drift", OPS->holonomic_drift(USER, t, q, v, drift), t, e->nlam,
                 drift);
  }
  /* G v + g_t is the derivative of g along t + s, q o exp(s v), the drift its second derivative:
   * one difference of G v + g_t where both are given, a second difference of g where not */
  const ga_point p = {.t = t, .q = q, .v = v};
  bool given = OPS->holonomic_jac && (e->model->scleronomic || OPS->holonomic_t);
  return given ? ga_fd_time(e, ga_point_hidden, &p, true, e->nlam, drift)
               : ga_fd_second(e, ga_point_g, &p, e->nlam, drift);
}

ga_status ga_eval_k_drift(ga_eval *e, double t, const double *q, const double *v, double *drift) {
  if (e->npsi == 0) return GA_OK;
  if (OPS->nonholonomic_drift) {
    return judge(e, "nonholonomic_drift", OPS->nonholonomic_drift(USER, t, q, v, drift), t, e->npsi,
                 drift);
  }
  return ga_fd_time(e, ga_point_k, &(ga_point){.t = t, .q = q, .v = v}, true, e->npsi, drift);
}

ga_status ga_eval_reaction(ga_eval *e, const ga_point *p, const ga_csr *G, const ga_csr *H,
                           double *out) {
  ga_status status = GA_OK;
  if (OPS->reaction) {
    int code = OPS->reaction(USER, p->t, p->q, p->v, p->lam, p->psi, out);
    status = judge(e, "reaction", code, p->t, e->nv, out);
    for (int i = 0; i < e->nv; i++) out[i] = -out[i];
    return status;
  }
  memset(out, 0, (size_t)e->nv * sizeof(double));
  if (e->nlam > 0) ga_csr_mul_t_add(G, 1, p->lam, out);
  if (e->npsi > 0) ga_csr_mul_t_add(H, 1, p->psi, out);
  return status;
}

ga_status ga_eval_reaction_dmult(ga_eval *e, const ga_point *p, ga_csr *L, ga_csr *P) {
  if (!OPS->reaction_dmult) return ga_fd_multipliers(e, p, L, P);
  ga_csr_zero(L);
  ga_csr_zero(P);
  int code = OPS->reaction_dmult(USER, p->t, p->q, p->v, p->lam, p->psi, L, P);
  ga_status status = judge_matrix(e, "reaction_dmult", code, p->t, L);
  return status != GA_OK ? status : judge_matrix(e, "reaction_dmult", code, p->t, P);
}

ga_status ga_eval_acceleration_tangents(ga_eval *e, double t, const double *q, const double *v,
                                        const double *x, ga_csr *by_q, ga_csr *by_v) {
  if (e->nlam == 0) return GA_OK;
  const ga_point p = {.t = t, .q = q, .v = v, .x = x};
  const ga_colours *colours = &e->colours_G;
  ga_status status = ga_fd_columns(e, ga_point_acceleration, &p, GA_FD_Q, false, colours, by_q);
  if (status != GA_OK) return status;
  return ga_fd_columns(e, ga_point_acceleration, &p, GA_FD_V, false, colours, by_v);
}

ga_status ga_eval_tangents(ga_eval *e, const ga_point *p, ga_csr *Kt, ga_csr *Ct) {
  if (!OPS->force_tangents) {
    ga_status status = ga_fd_columns(e, ga_point_balance, p, GA_FD_Q, false, &e->colours_K, Kt);
    return status != GA_OK ? status
                           : ga_fd_columns(e, ga_point_force, p, GA_FD_V, false, &e->colours_K, Ct);
  }
  ga_csr_zero(Kt);
  ga_csr_zero(Ct);
  int code = OPS->force_tangents(USER, p->t, p->q, p->v, p->x, p->lam, p->psi, Kt, Ct);
  ga_status status = judge_matrix(e, "force_tangents", code, p->t, Kt);
  return status != GA_OK ? status : judge_matrix(e, "force_tangents", code, p->t, Ct);
}

/* what the model's own callback can give of it; the rest is left for the others */
static ga_evaluation in_one_pass(const ga_eval *e, const ga_evaluation *out) {
  ga_evaluation part = *out;
  if (!OPS->holonomic_jac) part.G = NULL;
  if (!OPS->nonholonomic_jac) part.H = NULL;
  if (!OPS->holonomic_curv) part.Z = NULL;
  if (!OPS->nonholonomic_dq) part.Y = NULL;
  if (!OPS->force_tangents) part.Kt = part.Ct = NULL;
  if (e->nlam == 0) part.g = NULL, part.G = part.Z = NULL;
  if (e->npsi == 0) part.k = NULL, part.H = part.Y = NULL;
  return part;
}

ga_status ga_eval_blame(ga_eval *e, double t, const ga_evaluation *got) {
  ga_evaluation part = {0};
  if (OPS->evaluate) part = in_one_pass(e, got);
  const struct {
    const char *name;
    const ga_csr *A, *in_pass;
  } matrices[] = {{"mass", got->M, part.M},
                  {"holonomic_jac", got->G, part.G},
                  {"nonholonomic_jac", got->H, part.H},
                  {"force_tangents", got->Kt, part.Kt},
                  {"force_tangents", got->Ct, part.Ct},
                  {"holonomic_curv", got->Z, part.Z},
                  {"nonholonomic_dq", got->Y, part.Y}};
  const struct {
    const char *name;
    int n;
    const double *x, *in_pass;
  } vectors[] = {{"force", e->nv, got->F, part.F},
                 {"holonomic", e->nlam, got->g, part.g},
                 {"nonholonomic", e->npsi, got->k, part.k}};
  ga_status status = GA_OK;
  for (int i = 0; i < 3 && status == GA_OK; i++) {
    const char *name = vectors[i].in_pass ? "evaluate" : vectors[i].name;
    if (vectors[i].x) status = judge(e, name, 0, t, vectors[i].n, vectors[i].x);
  }
  for (int i = 0; i < 7 && status == GA_OK; i++) {
    const char *name = matrices[i].in_pass ? "evaluate" : matrices[i].name;
    if (matrices[i].A) status = judge_matrix(e, name, 0, t, matrices[i].A);
  }
  return status;
}

static ga_status one_pass(ga_eval *e, double t, const double *q, const double *v,
                          const ga_evaluation *part) {
  ga_csr *const matrices[] = {part->M, part->G, part->H, part->Kt, part->Ct, part->Z, part->Y};
  for (int i = 0; i < 7; i++) {
    if (matrices[i]) ga_csr_zero(matrices[i]);
  }
  ga_status status = judge(e, "evaluate", OPS->evaluate(USER, t, q, v, part), t, 0, NULL);
  return status != GA_OK || e->trusting ? status : ga_eval_blame(e, t, part);
}

ga_status ga_eval_all(ga_eval *e, double t, const double *q, const double *v,
                      const ga_evaluation *out) {
  ga_evaluation done = {0};
  ga_status status = GA_OK;
  if (OPS->evaluate) {
    done = in_one_pass(e, out);
    status = one_pass(e, t, q, v, &done);
  }
  const ga_point p = {.t = t, .q = q, .v = v, .x = out->x, .lam = out->lam, .psi = out->psi};
  if (status == GA_OK && out->M != done.M) status = ga_eval_mass(e, t, q, out->M);
  if (status == GA_OK && out->F != done.F) status = ga_eval_force(e, t, q, v, out->F);
  if (status == GA_OK && out->G != done.G) status = ga_eval_G(e, t, q, out->G);
  if (status == GA_OK && out->g != done.g) status = ga_eval_g(e, t, q, out->g);
  if (status == GA_OK && out->H != done.H) status = ga_eval_H(e, t, q, v, out->H);
  if (status == GA_OK && out->k != done.k) status = ga_eval_k(e, t, q, v, out->k);
  if (status == GA_OK && out->Kt != done.Kt) status = ga_eval_tangents(e, &p, out->Kt, out->Ct);
  if (status == GA_OK && out->Z != done.Z) status = ga_eval_Z(e, t, q, v, out->Z);
  if (status == GA_OK && out->Y != done.Y) status = ga_eval_Y(e, t, q, v, out->Y);
  return status;
}
