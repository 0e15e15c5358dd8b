/* SPDX-License-Identifier: MIT */
/* Starts: how a wrong a_0 is forgotten, and the implicit one, solved together with the first step.
 */
#include "manufactured.h"
#include "problems/problems.h"
#include "run/integrator.h"
#include "trajectory.h"

/* ---- decay of the start layer ------------------------------------------------------------ */

typedef struct {
  const char *problem; /* NULL: the manufactured one */
  const ga_method *method;
  double push; /* change of a_0 */
} layer_case;

/* so small that what remains of the change in q and v does not show */
static const double H = 1e-6;

static ga_integrator *start_case(const layer_case *c, const ga_problem *p, double rho) {
  ga_options o = ga_options_default();
  use_method(&o, c->method);
  o.par = ga_params_rho(rho);
  o.h = H;
  return started(p, &o);
}

/* Two runs that differ in a_0 alone. The difference of a and psi is
 * a layer that falls like max(r_am, r_gamma, r_af)^n, r_am = |alpha_m/(alpha_m - 1)|, r_gamma =
 * |(gamma - 1)/gamma|, r_af = |alpha_f/(alpha_f - 1)|: a by the first two, along and across the
 * constraints, and the multipliers by the last two. (Jay 2011, Theorem 6.1, and Jay, Negrut 2008,
 * Theorem 1, name fewer.)
 */
static void check_decay(const layer_case *c, const ga_problem *p, double rho, int from, int to) {
  const ga_model *model = &p->model;
  int nv = ga_space_nv(model->space);
  ga_integrator *it = start_case(c, p, rho), *other = start_case(c, p, rho);
  for (int i = 0; i < nv; i++) other->mem.a[i] += c->push * cos(i + 1);
  double layer[2] = {0};
  for (int n = 1; n <= to; n++) {
    must(ga_integrator_step(it), ga_integrator_error(it));
    must(ga_integrator_step(other), ga_integrator_error(other));
    double a = vector_error(nv, it->mem.a, other->mem.a);
    double psi = vector_error(model->npsi, it->mem.psi, other->mem.psi);
    if (n == from || n == to) layer[n == to] = fmax(a, psi);
  }
  const ga_params *par = &it->options.par;
  double r[] = {fabs(par->alpha_m / (par->alpha_m - 1)), fabs((par->gamma - 1) / par->gamma),
                fabs(par->alpha_f / (par->alpha_f - 1))};
  char what[96];
  snprintf(what, sizeof what, "%s, %s, rho_inf = %g: rate of the layer", p->name,
           method_text(c->method), rho);
  assert_near(what, pow(layer[1] / layer[0], 1.0 / (to - from)), fmax(r[0], fmax(r[1], r[2])),
              0.02);
  ga_integrator_free(it);
  ga_integrator_free(other);
}

/* each rate is the largest of the three once: r_am at 0.2, r_af at 0.5 and 0.9, where r_gamma is
 * near and the layer takes long to show it */
static void test_decay(void **state) {
  (void)state;
  static const layer_case cases[] = {{"jay-nonholonomic", &ga_method_nonhol2, 3e-3},
                                     {"jay-nonholonomic", &ga_method_soi2, 3e-3},
                                     {"rolling-disk", &ga_method_nonhol2, 1},
                                     {NULL, &ga_method_soi2, 1e3}};
  static const struct {
    double rho;
    int from, to;
  } windows[] = {{0.2, 5, 8}, {0.5, 7, 12}, {0.9, 40, 60}};
  ga_space *space = NULL;
  double q0[MF_N], v0[MF_N], mult0[2] = {0};
  must(ga_space_rn(MF_N, &space), NULL);
  mf_exact(0, q0, v0, NULL, NULL, NULL);
  ga_problem own = {.name = "manufactured", .q0 = q0, .v0 = v0, .mult0 = mult0};
  own.model = (ga_model){.ops = &mf_ops, .space = space, .nlam = 1, .npsi = 1};
  for (int k = 0; k < 12; k++) {
    const layer_case *c = &cases[k % 4];
    ga_problem *p = c->problem ? problem_named(c->problem) : &own;
    check_decay(c, p, windows[k / 4].rho, windows[k / 4].from, windows[k / 4].to);
    if (c->problem) ga_problem_free(p);
  }
  ga_space_free(space);
}

/* ---- the implicit start ------------------------------------------------------------------ */

/* order 2 from t0 on; where the hidden constraint is left free it remains for v_0 to be moved, and
 * order 2 comes after the layer, and late */
static void check_implicit(const trajectory *tr, const ga_method *m, double t_end, double h) {
  double e[4][VARS];
  bool layer = m->hidden_free && tr->p->model.nlam > 0;
  for (int l = 0; l < 4; l++) {
    ga_options o = ga_options_default();
    use_method(&o, m);
    o.par = ga_params_rho(tr->p->rho_inf);
    o.h = ldexp(h, -l);
    o.start = GA_START_IMPLICIT;
    o.newton_tol = 1e-13;
    trajectory_errors(tr, &o, layer ? 0.75 * t_end : o.h / 2, t_end, e[l]);
    bool judged = layer ? l == 2 : l > 0; /* before it is late, after it is lost in rounding */
    if (judged) assert_order_2(tr, "implicit start", m, e[l - 1], e[l]);
  }
}

static void test_implicit_orders(void **state) {
  (void)state;
  static const struct {
    const char *problem;
    double t_end, h;
  } cases[] = {{"heavy-top", 0.2, 5e-4},
               {"rolling-disk", 0.5, 1e-3},
               {"jay-negrut-soi2", 1, 5e-3},
               {"jay-negrut-hht", 1, 5e-3}};
  for (int k = 0; k < 4; k++) {
    ga_problem *p = problem_named(cases[k].problem);
    trajectory tr = trajectory_new(p, cases[k].h / 8, cases[k].t_end, 4);
    for (const ga_method *m = NULL; (m = next_method(m, &p->model, p->q0)) != NULL;) {
      check_implicit(&tr, m, cases[k].t_end, cases[k].h);
    }
    trajectory_free(&tr);
    ga_problem_free(p);
  }
}

/* f = F + R at a state, and M there */
static void forces_at(ga_integrator *it, double t, const double *q, const double *v,
                      const double *lam, const double *psi, double *f) {
  ga_eval *e = &it->eval;
  ga_saddle *s = &it->saddle;
  double reaction[SUPPORT_MAX] = {0};
  const ga_eval_point at = {.t = t, .q = q, .v = v, .lam = lam, .psi = psi};
  must(ga_eval_force(e, t, q, v, f), &it->error);
  must(ga_eval_G(e, t, q, &s->G), &it->error);
  must(ga_eval_H(e, t, q, v, &s->H), &it->error);
  must(ga_eval_reaction(e, &at, &s->G, &s->H, reaction), &it->error);
  for (int i = 0; i < e->nv; i++) f[i] -= reaction[i];
}

/* The equation that defines a_0, with a_0 as the first step used it:
 * a_0 = (1 - alpha) w_0 + alpha w_1, w = v' or its applied part; of weighted residuals
 * M_alpha a_0 = (1 - alpha) f_0 + alpha f_1, with the multipliers of the step in f_1 */
static void check_equation(const ga_problem *p, const ga_method *m) {
  int nv = ga_space_nv(p->model.space);
  double w0[SUPPORT_MAX], f0[SUPPORT_MAX], f1[SUPPORT_MAX], q[SUPPORT_MAX], shift[SUPPORT_MAX];
  double left[SUPPORT_MAX] = {0}, size = 0;
  ga_options o = ga_options_default();
  use_method(&o, m);
  o.par = ga_params_rho(0.6);
  o.h = p->h;
  o.start = GA_START_IMPLICIT;
  o.newton_tol = 1e-14;
  double alpha = o.par.alpha_m - o.par.alpha_f;
  ga_integrator *it = started(p, &o);
  const ga_memory *mem = &it->mem;
  memcpy(w0, mem->w, (size_t)nv * sizeof(double));
  forces_at(it, p->t0, mem->q, mem->v, mem->lam, mem->psi, f0);
  for (int i = 0; i < nv; i++) shift[i] = alpha * o.h * mem->v[i];
  ga_space_step(p->model.space, mem->q, shift, q);
  must(ga_integrator_step(it), ga_integrator_error(it));
  if (m->weighted) {
    forces_at(it, mem->t, mem->q, mem->v, mem->lam, mem->psi, f1);
    must(ga_eval_mass(&it->eval, p->t0 + alpha * o.h, q, &it->saddle.M), &it->error);
    ga_csr_mul_add(&it->saddle.M, 1, mem->a_used, left);
  } else {
    memcpy(f0, w0, sizeof f0);
    memcpy(f1, mem->w, (size_t)nv * sizeof(double));
    memcpy(left, mem->a_used, (size_t)nv * sizeof(double));
  }
  for (int i = 0; i < nv; i++) size = fmax(size, fmax(fabs(f0[i]), fabs(f1[i])));
  for (int i = 0; i < nv; i++) {
    double defect = left[i] - (1 - alpha) * f0[i] - alpha * f1[i];
    if (!(fabs(defect) <= 1e-10 * size)) {
      fail_msg("%s, %s: a_0[%d] leaves %.2g of %.2g", p->name, method_text(m), i, defect, size);
    }
  }
  ga_integrator_free(it);
}

static void test_implicit_equation(void **state) {
  (void)state;
  const char *const problems[] = {"heavy-top", "rolling-disk", "jay-negrut-soi2", "andrews"};
  for (int k = 0; k < 4; k++) {
    ga_problem *p = problem_named(problems[k]);
    for (const ga_method *m = NULL; (m = next_method(m, &p->model, p->q0)) != NULL;) {
      check_equation(p, m);
    }
    ga_problem_free(p);
  }
}

/* weighted residuals need M_alpha^-1 for it: refused with the coordinate, nothing has moved; the
 * other methods do not */
static void test_implicit_singular(void **state) {
  (void)state;
  ga_problem *p = problem_named("slider-crank");
  char name[96];
  int i = massless_coordinate(&p->model, p->t0, p->q0);
  snprintf(name, sizeof name, "v[%d] ('%s')", i, p->model.v_names[i]);
  for (const ga_method *m = NULL; (m = next_method(m, &p->model, p->q0)) != NULL;) {
    ga_options o = ga_options_default();
    use_method(&o, m);
    o.h = p->h;
    o.start = GA_START_IMPLICIT;
    ga_integrator *it = started(p, &o);
    ga_status status = ga_integrator_step(it);
    if (m->weighted) {
      assert_refused(status, ga_integrator_error(it), GA_ERR_SINGULAR, "start = implicit", name);
      assert_true(ga_integrator_state(it)->t == p->t0);
      assert_memory_equal(ga_integrator_state(it)->q, p->q0, 10 * sizeof(double));
    } else {
      must(status, ga_integrator_error(it));
    }
    ga_integrator_free(it);
  }
  ga_problem_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_decay),
      cmocka_unit_test(test_implicit_orders),
      cmocka_unit_test(test_implicit_equation),
      cmocka_unit_test(test_implicit_singular),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
