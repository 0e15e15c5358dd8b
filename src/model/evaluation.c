/* SPDX-License-Identifier: MIT */
/* Fields that a model gives, checked; fields that it does not give, by differences. */
#include "model/evaluation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/present_rows.h"

/* Print "lam[2] ('pin x')", or "lam[2]" without a name; returns text. */
const char *ga_eval_entry_name(char *text, size_t room, const char *symbol, int i,
                               const char *const *names) {
  if (names && names[i]) {
    snprintf(text, room, "%s[%d] ('%s')", symbol, i, names[i]);
  } else {
    snprintf(text, room, "%s[%d]", symbol, i);
  }
  return text;
}

/* The larger of two numbers. */
static int largest(int a, int b) {
  return a > b ? a : b;
}

/* Colour the patterns of G, H, Kt and Ct: groups of columns for difference quotients. arena->failed
 * is set if memory runs out. */
static void colour_patterns(ga_eval *e, ga_arena *arena) {
  ga_arena scratch = {0};
  ga_csr K, C;
  if (arena->failed) return;
  if (ga_colouring_init(&e->colouring_G, &e->G, arena) != GA_OK ||
      ga_colouring_init(&e->colouring_H, &e->H, arena) != GA_OK ||
      ga_csr_init(&K, e->nv, e->nv, e->model->pat_K, &scratch) != GA_OK ||
      ga_colouring_init(&e->colouring_K, &K, arena) != GA_OK ||
      ga_csr_init(&C, e->nv, e->nv, ga_eval_pattern_C(e->model), &scratch) != GA_OK ||
      ga_colouring_init(&e->colouring_C, &C, arena) != GA_OK) {
    arena->failed = true;
  }
  ga_arena_free(&scratch);
}

/* Memory in e->near, curvature, mixed, mixed_rate and owner for derivatives of g and k by
 * differences, if the model does not give G or H. The patterns must be coloured; arena->failed is
 * set if memory runs out. */
static void allocate_differences(ga_eval *e, ga_arena *arena) {
  ga_nearby *near = &e->near;
  size_t nv = (size_t)e->nv, nlam = (size_t)e->nlam, npsi = (size_t)e->npsi;
  size_t of_g = (size_t)e->colouring_G.count * nlam, of_k = (size_t)e->colouring_H.count * npsi;
  bool g = e->absent & GA_GIVES_G, k = e->absent & GA_GIVES_H;
  if (g) {
    double **const by_groups[] = {&near->up, &near->down, &near->new_up, &near->new_down};
    for (int i = 0; i < 4; i++) *by_groups[i] = ga_arena_doubles(arena, of_g);
    near->q = ga_arena_doubles(arena, (size_t)e->nq);
    near->step = ga_arena_doubles(arena, nv);
    near->gt = ga_arena_doubles(arena, nlam);
    near->G = ga_arena_doubles(arena, (size_t)ga_csr_nnz(&e->G));
    ga_curvature *const both[] = {&e->curvature, &e->curvature_before};
    for (int i = 0; i < 2 && (e->absent & GA_GIVES_TANGENTS); i++) {
      both[i]->q = ga_arena_doubles(arena, (size_t)e->nq);
      both[i]->lam = ga_arena_doubles(arena, nlam);
      ga_csr_init(&both[i]->K, e->nv, e->nv, e->model->pat_K, arena);
    }
  }
  if (!g && !k) return;
  size_t most = of_g > of_k ? of_g : of_k, rows = nlam > npsi ? nlam : npsi;
  for (int i = 0; i < 2; i++) e->mixed[i] = ga_arena_doubles(arena, most);
  e->mixed_rate = ga_arena_doubles(arena, rows);
  e->owner = ga_arena_ints(arena, rows);
}

/* Bits (GA_GIVES_..) of the fields that a model may give, and that are computed by differences if
 * it does not. */
static unsigned derivative_fields(const ga_eval *e) {
  unsigned fields = GA_GIVES_TANGENTS;
  if (e->nlam > 0) fields |= GA_GIVES_G | GA_GIVES_Z | GA_GIVES_DRIFT;
  if (e->nlam > 0 && !e->model->scleronomic) fields |= GA_GIVES_GT;
  if (e->npsi > 0) fields |= GA_GIVES_H | GA_GIVES_Y | GA_GIVES_K_DRIFT;
  return fields;
}

/* Set pass, given, absent and alone of e: which fields evaluate gives, which any function of the
 * model gives, and which need differences. prefer_pass: evaluate wins over a callback. */
void ga_eval_sources(ga_eval *e, bool prefer_pass) {
  unsigned callbacks = ga_adapter_callback_fields(e->model->ops);
  e->pass = ga_adapter_pass_fields(e->model->ops);
  e->given = e->pass | callbacks;
  e->absent = derivative_fields(e) & ~e->given;
  if (!prefer_pass) e->pass &= ~callbacks;
  e->alone = e->pass == e->given;
}

/* size[i], i < nv: length scale of coordinate i for rounding bounds: |q|, 1 for rotations, at least
 * q_size. */
void ga_eval_size(const ga_eval *e, const double *q, double *size) {
  const double *least = e->model->q_size;
  ga_space_size(e->model->space, q, size);
  for (int i = 0; i < e->nv && least; i++) size[i] = ga_max(size[i], least[i]);
}

/* size (nv numbers): the sizes of the coordinates q that relative tolerances refer to. */
void ga_model_tolerance_sizes(const ga_model *model, const double *q, double *size) {
  const double *least = model->q_least;
  ga_space_size(model->space, q, size);
  for (int i = 0; least && i < ga_space_nv(model->space); i++) size[i] = ga_max(size[i], least[i]);
}

/* Allocate e->metric and e->root_metric and fill them from the model; ones if it has no metric. */
static void set_metric(ga_eval *e, ga_arena *arena) {
  const double *given = e->model->metric;
  e->metric = ga_arena_doubles(arena, (size_t)e->nv);
  e->root_metric = ga_arena_doubles(arena, (size_t)e->nv);
  for (int i = 0; i < e->nv && !arena->failed; i++) {
    e->metric[i] = given ? given[i] : 1;
    e->root_metric[i] = sqrt(e->metric[i]);
  }
}

/* Set sizes and sources of *e and allocate all its arrays in arena. The model is borrowed; e->err =
 * err receives later messages. */
ga_status ga_eval_init(ga_eval *e, const ga_model *model, ga_arena *arena, ga_error *err) {
  *e = (ga_eval){.model = model, .err = err};
  ga_eval_set_step(e, 1);
  e->nq = ga_space_nq(model->space);
  e->nv = ga_space_nv(model->space);
  e->nlam = model->nlam;
  e->npsi = model->npsi;
  e->nlam_all = e->nlam;
  e->npsi_all = e->npsi;
  e->mass_given = ga_adapter_mass_given(model);
  e->const_mass = model->const_mass || e->mass_given;
  ga_eval_sources(e, true);
  size_t rows = (size_t)largest(e->nv, largest(e->nlam, e->npsi));
  for (int level = 0; level < 2; level++) {
    struct ga_difference_level *fd = &e->fd[level];
    double **const v_size[] = {&fd->v, &fd->w, &fd->step};
    double **const row_size[] = {
        &fd->lo,      &fd->hi,      &fd->mid,        &fd->near, &fd->far,   &fd->up[0], &fd->up[1],
        &fd->down[0], &fd->down[1], &fd->truncation, &fd->wave, &fd->truth, &fd->proof};
    fd->q = ga_arena_doubles(arena, (size_t)e->nq);
    for (int i = 0; i < 3; i++) *v_size[i] = ga_arena_doubles(arena, (size_t)e->nv);
    for (int i = 0; i < 13; i++) *row_size[i] = ga_arena_doubles(arena, rows);
  }
  e->zero = ga_arena_doubles(arena, (size_t)e->nv);
  set_metric(e, arena);
  ga_inputs_init(&e->inputs, model, arena);
  e->mult = ga_arena_doubles(arena, (size_t)e->nlam + (size_t)e->npsi);
  ga_csr_init(&e->M, e->nv, e->nv, model->pat_M, arena);
  ga_csr_init(&e->G, e->nlam, e->nv, model->pat_G, arena);
  ga_csr_init(&e->H, e->npsi, e->nv, model->pat_H, arena);
  e->noise_all = ga_eval_jacobian_noise(e);
  colour_patterns(e, arena);
  if (!arena->failed) allocate_differences(e, arena);
  return arena->failed ? ga_fail(err, GA_ERR_MEM, "no memory for the model's work arrays") : GA_OK;
}

/* Do the sizes and velocity numbers of the team fit the model? GA_ERR_ARG if not. */
static ga_status check_numbers(const ga_eval *e, const ga_team *team) {
  if (team->nv != e->nv) {
    return ga_fail(e->err, GA_ERR_ARG, "the team was made for %d velocities, the model has %d",
                   team->nv, e->nv);
  }
  for (int i = 0; i < e->nv; i++) {
    if (team->velocity[i] >= 0 && team->velocity[i] < team->nv_all) continue;
    return ga_fail(e->err, GA_ERR_ARG, "velocity %d has the number %ld of 0 to %ld", i,
                   team->velocity[i], team->nv_all - 1);
  }
  return GA_OK;
}

/* Set shared, nlam_all, npsi_all and noise_all of e; check that every velocity has one owner
 * (GA_ERR_ARG if not). A velocity is shared if the sum of ones over its processes is above one.
 * ones: nv numbers, scratch. Collective: all processes call it. */
static ga_status find_shared(ga_eval *e, ga_team *team, double *ones) {
  double all[3] = {0, e->nlam, e->npsi};
  for (int i = 0; i < e->nv; i++) {
    ones[i] = 1;
    all[0] += team->owned[i];
  }
  ga_status status = team->ops->sum_shared(team, 1, ones);
  for (int i = 0; i < e->nv; i++) e->shared[i] = ones[i] > 1;
  if (status == GA_OK) status = team->ops->reduce(team, GA_TEAM_SUM, 3, all);
  e->nlam_all = (long)all[1];
  e->npsi_all = (long)all[2];
  e->noise_all = ga_team_max(team, e->noise_all);
  if (status != GA_OK || (long)all[0] == team->nv_all) return status;
  return ga_fail(e->err, GA_ERR_ARG, "the processes own %.0f velocities, the whole system has %ld",
                 all[0], team->nv_all);
}

/* Check that the team fits the model, set e->team and find the shared velocities; nothing to do
 * without a team (NULL). Arrays from arena. Collective: all processes call it. */
ga_status ga_eval_join(ga_eval *e, ga_team *team, ga_arena *arena) {
  if (!team) return GA_OK;
  double *ones = ga_arena_doubles(arena, (size_t)e->nv);
  e->shared = ga_arena_take(arena, (size_t)e->nv, sizeof(bool));
  ga_status status = check_numbers(e, team);
  if (arena->failed) status = ga_fail(e->err, GA_ERR_MEM, "no memory for the team");
  status = ga_team_agree(team, status, e->err);
  if (status != GA_OK) return status;
  e->team = team;
  return find_shared(e, team, ones);
}

/* Status and message (in e->err) for a nonzero code that a function of the model returned:
 * GA_RETRY_MODEL if code > 0 (a smaller step may help), else GA_ERR_MODEL. */
static ga_status report_code(ga_eval *e, const char *callback, int code, double t) {
  const ga_model *model = e->model;
  char why[240] = "";
  if (model->ops->explain) model->ops->explain(model->user, code, why, sizeof why);
  if (*why) {
    return ga_fail(e->err, code > 0 ? GA_RETRY_MODEL : GA_ERR_MODEL, "t = %.9g: %s", t, why);
  }
  if (code > 0) {
    return ga_fail(e->err, GA_RETRY_MODEL, "t = %.9g: callback '%s' asked for a smaller step (%d)",
                   t, callback, code);
  }
  return ga_fail(e->err, GA_ERR_MODEL, "t = %.9g: callback '%s' failed and returned %d", t,
                 callback, code);
}

/* GA_RETRY_NONFINITE with a message in e->err: "callback 'evaluate' wrote nan to row 1, column 2 of
 * G", or what the model says itself (explain_nonfinite). */
static ga_status blame_entry(ga_eval *e, const ga_model_field *field, const ga_eval_point *p,
                             double value, const char *slot) {
  const ga_model *model = e->model;
  const bool pass = e->pass & field->bit;
  char why[240] = "";
  if (model->ops->explain_nonfinite) {
    model->ops->explain_nonfinite(model->user, p->t, p->q, p->v, ga_inputs_at(&e->inputs, p->t),
                                  why, sizeof why);
  }
  if (*why) return ga_fail(e->err, GA_RETRY_NONFINITE, "t = %.9g: %s", p->t, why);
  return ga_fail(e->err, GA_RETRY_NONFINITE, "t = %.9g: callback '%s' wrote %g to %s%s%s", p->t,
                 pass ? "evaluate" : field->callback, value, slot, pass ? " of " : "",
                 pass ? field->symbol : "");
}

/* GA_OK if all entries of A are finite; else GA_RETRY_NONFINITE with a message for the first that
 * is not. */
static ga_status blame_matrix(ga_eval *e, const ga_model_field *field, const ga_eval_point *p,
                              const ga_csr *A) {
  int bad = ga_first_nonfinite(ga_csr_nnz(A), A->val), row = 0;
  if (bad < 0) return GA_OK;
  while (A->ptr[row + 1] <= bad) row++;
  char slot[48];
  snprintf(slot, sizeof slot, "row %d, column %d", row, A->col[bad]);
  return blame_entry(e, field, p, A->val[bad], slot);
}

/* Check each field of got that is not NULL and that the model gives. GA_OK if all are finite, else
 * GA_RETRY_NONFINITE with a message that names the first bad entry. Calls no callback but
 * explain_nonfinite. */
ga_status ga_eval_blame(ga_eval *e, double t, const double *q, const double *v,
                        const ga_evaluation *got) {
  const int size[] = {[GA_MODEL_FIELD_OF_NV] = e->nv,
                      [GA_MODEL_FIELD_OF_NLAM] = e->nlam,
                      [GA_MODEL_FIELD_OF_NPSI] = e->npsi};
  const ga_eval_point p = {.t = t, .q = q, .v = v ? v : e->zero};
  ga_status status = GA_OK;
  for (int i = 0; i < GA_MODEL_FIELDS && status == GA_OK; i++) {
    const ga_model_field *field = &ga_model_field_list[i];
    const void *value = ga_model_field_value(got, field);
    if (!value || !(e->given & field->bit)) continue;
    if (field->kind == GA_MODEL_FIELD_MATRIX) {
      status = blame_matrix(e, field, &p, value);
      continue;
    }
    const double *x = value;
    int bad = ga_first_nonfinite(size[field->kind], x);
    if (bad < 0) continue;
    char slot[24];
    snprintf(slot, sizeof slot, "entry %d", bad);
    status = blame_entry(e, field, &p, x[bad], slot);
  }
  return status;
}

/* Compute by differences the wanted fields (not NULL in out) that the model does not give. Kt needs
 * Ct as well. Kt and Z together share second differences, so Z is then not computed again. On
 * failure later fields are not set. */
static ga_status compute_absent_fields(ga_eval *e, const ga_eval_point *p,
                                       const ga_evaluation *out) {
  unsigned absent = e->absent;
  ga_status status = GA_OK;
#define FORM(bit, member, call) \
  if ((absent & (bit)) && out->member && status == GA_OK) status = call
  FORM(GA_GIVES_G, G, ga_difference_G(e, p, out->G));
  FORM(GA_GIVES_H, H, ga_difference_H(e, p, out->H));
  FORM(GA_GIVES_GT, gt, ga_difference_gt(e, p, out->gt));
  FORM(GA_GIVES_DRIFT, drift, ga_difference_drift(e, p, out->drift));
  FORM(GA_GIVES_K_DRIFT, k_drift,
       ga_difference_time(e, ga_eval_point_k, p, true, e->npsi, out->k_drift));
  ga_csr *Z = (absent & GA_GIVES_Z) && (absent & GA_GIVES_G) ? out->Z : NULL;
  FORM(GA_GIVES_TANGENTS, Kt, ga_difference_tangents(e, p, out->Kt, out->Ct, Z));
  if ((absent & GA_GIVES_TANGENTS) && out->Kt && Z) absent &= ~(unsigned)GA_GIVES_Z;
  FORM(GA_GIVES_Z, Z, ga_difference_Z(e, p, out->Z));
  FORM(GA_GIVES_Y, Y, ga_difference_Y(e, p, out->Y));
#undef FORM
  return status;
}

/* Overwrite all fields that are not NULL in out, at (t, q, v); v NULL: zero. Constant fields are
 * copied, given ones asked of the model and checked for NaN (unless e->trusting), the others
 * computed by differences. x, lam and psi of out are inputs. On failure the fields are incomplete
 * and e->err has a message. */
ga_status ga_eval_fields(ga_eval *e, double t, const double *q, const double *v,
                         const ga_evaluation *out) {
  ga_evaluation ask = *out;
  const char *who;
  if (!v) v = e->zero;
  ask.u = ga_inputs_at(&e->inputs, t);
  ask.axes = e->axes;
  if (e->npsi == 0) ask.k = ask.k_drift = NULL, ask.H = ask.Y = NULL;
  if (e->nlam == 0) ask.g = ask.gt = ask.drift = NULL, ask.G = ask.Z = NULL;
  if (ask.gt && e->model->scleronomic) {
    memset(ask.gt, 0, (size_t)e->nlam * sizeof(double));
    ask.gt = NULL;
  }
  if (ask.M && e->mass_given) ga_adapter_put_constant_mass(e->model, ask.M), ask.M = NULL;
  if (e->absent) ga_adapter_remove(&ask, e->absent);
  if ((!e->absent && !e->mass_given) || ga_adapter_wanted(&ask)) {
    int code;
    if (e->present) {
      code = ga_present_rows_ask(e->present, e->pass, e->alone, t, q, v, &ask, &who);
    } else {
      ga_adapter_zero(e->model, &ask);
      code = ga_adapter_ask(e->model, e->pass, e->alone, t, q, v, &ask, &who);
    }
    if (code != 0) return report_code(e, who, code, t);
    ga_status status = e->trusting ? GA_OK : ga_eval_blame(e, t, q, v, &ask);
    if (status != GA_OK || !e->absent) return status;
  }
  const ga_eval_point p = {.t = t, .q = q, .v = v, .x = out->x, .lam = out->lam, .psi = out->psi};
  return compute_absent_fields(e, &p, out);
}

ga_status ga_eval_all(ga_eval *e, double t, const double *q, const double *v,
                      const ga_evaluation *out) {
  const bool others =
      out->x || out->lam || out->psi || out->Mx || out->Kt || out->Z || out->Y || out->R || out->L;
  return e->recall.on && !others ? ga_recall_all(e, t, q, v, out) : ga_eval_fields(e, t, q, v, out);
}

/* ---- one field each ------------------------------------------------------------------------- */

/* M(t, q), overwritten. */
ga_status ga_eval_mass(ga_eval *e, double t, const double *q, ga_csr *M) {
  return ga_eval_all(e, t, q, NULL, &(ga_evaluation){.M = M});
}

/* F(t, q, v), nv numbers. */
ga_status ga_eval_force(ga_eval *e, double t, const double *q, const double *v, double *F) {
  return ga_eval_all(e, t, q, v, &(ga_evaluation){.F = F});
}

/* g(t, q): residuals of the holonomic constraints, nlam numbers. */
ga_status ga_eval_g(ga_eval *e, double t, const double *q, double *g) {
  return ga_eval_all(e, t, q, NULL, &(ga_evaluation){.g = g});
}

/* k(t, q, v): residuals of the nonholonomic constraints, npsi numbers. */
ga_status ga_eval_k(ga_eval *e, double t, const double *q, const double *v, double *k) {
  return ga_eval_all(e, t, q, v, &(ga_evaluation){.k = k});
}

/* G = D_q g */
ga_status ga_eval_G(ga_eval *e, double t, const double *q, ga_csr *G) {
  return ga_eval_all(e, t, q, NULL, &(ga_evaluation){.G = G});
}

/* H = dk/dv */
ga_status ga_eval_H(ga_eval *e, double t, const double *q, const double *v, ga_csr *H) {
  return ga_eval_all(e, t, q, v, &(ga_evaluation){.H = H});
}

/* gt = dg/dt, nlam numbers; zero if the model says that g does not depend on t. */
ga_status ga_eval_gt(ga_eval *e, double t, const double *q, double *gt) {
  if (!e->model->scleronomic) return ga_eval_all(e, t, q, NULL, &(ga_evaluation){.gt = gt});
  if (e->nlam > 0) memset(gt, 0, (size_t)e->nlam * sizeof(double));
  return GA_OK;
}

/* gv = G v + g_t, the time derivative of g, nlam numbers, with G at (t, q) given by the caller. */
ga_status ga_eval_hidden(ga_eval *e, double t, const double *q, const double *v, const ga_csr *G,
                         double *gv) {
  if (e->nlam == 0) return GA_OK;
  ga_status status = ga_eval_gt(e, t, q, gv);
  if (status == GA_OK) ga_csr_mul_add(G, 1, v, gv);
  return status;
}

/* Z = D_q(G v + g_t), in the pattern of G */
ga_status ga_eval_Z(ga_eval *e, double t, const double *q, const double *v, ga_csr *Z) {
  return ga_eval_all(e, t, q, v, &(ga_evaluation){.Z = Z});
}

/* Y = D_q k, in the pattern of H */
ga_status ga_eval_Y(ga_eval *e, double t, const double *q, const double *v, ga_csr *Y) {
  return ga_eval_all(e, t, q, v, &(ga_evaluation){.Y = Y});
}

/* drift = g'' - G v', the acceleration of the constraints without v'; nlam numbers */
ga_status ga_eval_g_drift(ga_eval *e, double t, const double *q, const double *v, double *drift) {
  return ga_eval_all(e, t, q, v, &(ga_evaluation){.drift = drift});
}

/* drift = k' - H v', npsi numbers */
ga_status ga_eval_k_drift(ga_eval *e, double t, const double *q, const double *v, double *drift) {
  return ga_eval_all(e, t, q, v, &(ga_evaluation){.k_drift = drift});
}

/* Kt = D_q(M x - F - R), Ct = d/dv(-F - R) at p, with x, lam and psi of p held */
ga_status ga_eval_tangents(ga_eval *e, const ga_eval_point *p, ga_csr *Kt, ga_csr *Ct) {
  const ga_evaluation out = {.x = p->x, .lam = p->lam, .psi = p->psi, .Kt = Kt, .Ct = Ct};
  return ga_eval_all(e, p->t, p->q, p->v, &out);
}

/* out = -R, nv numbers: from the model if it has its own reaction, else G^T lam + H^T psi. */
ga_status ga_eval_reaction(ga_eval *e, const ga_eval_point *p, const ga_csr *G, const ga_csr *H,
                           double *out) {
  if (ga_eval_own_reaction(e)) {
    const ga_evaluation ask = {.lam = p->lam, .psi = p->psi, .R = out};
    ga_status status = ga_eval_all(e, p->t, p->q, p->v, &ask);
    for (int i = 0; i < e->nv; i++) out[i] = -out[i];
    return status;
  }
  memset(out, 0, (size_t)e->nv * sizeof(double));
  if (e->nlam > 0) ga_csr_mul_t_add(G, 1, p->lam, out);
  if (e->npsi > 0) ga_csr_mul_t_add(H, 1, p->psi, out);
  return GA_OK;
}

/* L = -dR/dlam, P = -dR/dpsi, from the model or by differences. */
ga_status ga_eval_reaction_dmult(ga_eval *e, const ga_eval_point *p, ga_csr *L, ga_csr *P) {
  if (!(e->given & GA_GIVES_DR)) return ga_difference_multipliers(e, p, L, P);
  const ga_evaluation ask = {.lam = p->lam, .psi = p->psi, .L = L, .P = P};
  return ga_eval_all(e, p->t, p->q, p->v, &ask);
}

/* by_q = D_q(G x + drift), by_v = d drift/dv with x held, in the pattern of G, by central
 * quotients. */
ga_status ga_eval_acceleration_tangents(ga_eval *e, double t, const double *q, const double *v,
                                        const double *x, ga_csr *by_q, ga_csr *by_v) {
  if (e->nlam == 0) return GA_OK;
  const ga_eval_point p = {.t = t, .q = q, .v = v, .x = x};
  const ga_colouring *colours = &e->colouring_G;
  ga_status status = ga_difference_columns(e, ga_eval_point_acceleration, &p, GA_DIFFERENCE_Q,
                                           false, colours, by_q);
  if (status != GA_OK) return status;
  return ga_difference_columns(e, ga_eval_point_acceleration, &p, GA_DIFFERENCE_V, false, colours,
                               by_v);
}
