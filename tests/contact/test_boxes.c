/* SPDX-License-Identifier: MIT */
/* A box on redundant corners: sliding, sticking, spinning, dropped, tumbling to rest. Forces are those of
 * equal compliances. */
#include <math.h>
#include <string.h>

#include "genalpha/genalpha.h"
#include "support.h"

enum { NV = 6 };
static const double half[3] = {0.1, 0.15, 0.05};

/* a box of unit mass over z = 0 */
typedef struct {
  int corners;
  double mu, e, gravity[3];
  double number; /* of changes */
} box;

static void turn(const double *p, double R[3][3]) { /* rotation of a quaternion */
  const double w = p[0], x = p[1], y = p[2], z = p[3];
  const double r[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                          {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                          {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
  memcpy(R, r, sizeof r);
}

static void cross(const double *a, const double *b, double *c) {
  for (int k = 0; k < 3; k++)
    c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static int evaluate(void *user, double t, const double *q, const double *v,
                    const ga_evaluation *out) {
  const box *s = user;
  const double J[3] = {(half[1] * half[1] + half[2] * half[2]) / 3,
                       (half[0] * half[0] + half[2] * half[2]) / 3,
                       (half[0] * half[0] + half[1] * half[1]) / 3};
  double R[3][3], spin[3];
  (void)t;
  turn(q + 3, R);
  const double L[3] = {J[0] * v[3], J[1] * v[4], J[2] * v[5]};
  cross(v + 3, L, spin);
  for (int k = 0; k < 3; k++) {
    if (out->M) out->M->val[k * NV + k] = 1, out->M->val[(3 + k) * NV + 3 + k] = J[k];
    if (out->F) out->F[k] = s->gravity[k], out->F[3 + k] = -spin[k];
  }
  for (int i = 0; i < s->corners; i++) {
    const double c[3] = {i & 2 ? half[0] : -half[0], i & 1 ? half[1] : -half[1],
                         i & 4 ? half[2] : -half[2]};
    double w[3], ww[3];
    cross(v + 3, c, w);
    cross(v + 3, w, ww);
    for (int a = 0; a < 3; a++) { /* x, y: rows of k; z: the gap */
      const double axis[3] = {R[a][0], R[a][1], R[a][2]};
      double arm[3], at = q[a], rate = v[a], drift = 0;
      cross(c, axis, arm);
      for (int k = 0; k < 3; k++) {
        at += axis[k] * c[k], rate += axis[k] * w[k], drift += axis[k] * ww[k];
      }
      const int row = a == 2 ? i : 2 * i + a;
      if (a == 2 && out->g) out->g[row] = at;
      if (a == 2 && out->drift) out->drift[row] = drift;
      if (a < 2 && out->k) out->k[row] = rate;
      if (a < 2 && out->k_drift) out->k_drift[row] = drift;
      ga_csr *D = a == 2 ? out->G : out->H;
      if (!D) continue;
      D->val[row * NV + a] = 1;
      for (int k = 0; k < 3; k++) D->val[row * NV + 3 + k] = arm[k];
    }
  }
  return 0;
}

static const ga_model_ops ops = {
    .evaluate = evaluate, .gives = GA_GIVES_G | GA_GIVES_H | GA_GIVES_DRIFT | GA_GIVES_K_DRIFT};

typedef struct {
  box b;
  ga_space *space;
  ga_contact contact[8];
  ga_model model;
  ga_integrator *it;
} run;

static void open_box(run *r, const box *b, double h, const double *q0, const double *v0) {
  ga_error err;
  memset(r, 0, sizeof *r);
  r->b = *b;
  must(ga_space_new(&r->space), NULL);
  must(ga_space_add(r->space, &ga_group_rn, 3, NULL, NULL), NULL);
  must(ga_space_add(r->space, &ga_group_so3, 1, NULL, NULL), NULL);
  for (int i = 0; i < b->corners; i++) {
    r->contact[i] = (ga_contact){.name = "corner",
                                 .gap = i,
                                 .slip = 2 * i,
                                 .nslip = 2,
                                 .friction = b->mu,
                                 .restitution = b->e};
  }
  r->model = (ga_model){.ops = &ops,
                        .user = &r->b,
                        .space = r->space,
                        .nlam = b->corners,
                        .npsi = 2 * b->corners,
                        .const_mass = true,
                        .scleronomic = true,
                        .contacts = r->contact,
                        .ncontacts = b->corners};
  ga_options o = ga_options_default();
  o.h = h;
  must(ga_integrator_new(&r->model, &o, &r->it, &err), &err);
  must(ga_integrator_start(r->it, 0, q0, v0), ga_integrator_error(r->it));
}

static void run_box(run *r, double t_end) {
  must(ga_integrator_run(r->it, t_end), ga_integrator_error(r->it));
}

static void close_box(run *r) {
  ga_integrator_free(r->it);
  ga_space_free(r->space);
}

static void near(const char *what, double value, double expected, double tol) {
  if (!(fabs(value - expected) <= tol)) {
    print_message("%s: %.12g, expected %.12g, error %.2g > %.2g\n", what, value, expected,
                  fabs(value - expected), tol);
  }
  assert_true(fabs(value - expected) <= tol);
}

static const double flat[7] = {0, 0, 0.05, 1, 0, 0, 0};

static void test_slide(void **state) {
  (void)state;
  run r;
  const double v0[NV] = {1, 0.5};
  open_box(&r, &(box){.corners = 4, .mu = 0.3, .gravity = {0, 0, -9.81}}, 0.01, flat, v0);
  run_box(&r, 0.5);
  const ga_state *s = ga_integrator_state(r.it);
  near("slide x", s->q[0], 0.1899480103, 1e-9);
  near("slide y", s->q[1], 0.0949740052, 1e-9);
  for (int i = 0; i < 4; i++) {
    assert_int_equal(ga_integrator_contact(r.it, i).state, GA_CONTACT_STICK);
    near("slide N", ga_integrator_contact(r.it, i).normal, 2.4525, 1e-9);
    assert_true(ga_integrator_contact_redundant(r.it, i));
  }
  close_box(&r);
}

static void test_tilted(void **state) {
  (void)state;
  static const double N[4] = {2.6863099, 2.6863099, 2.0515562, 2.0515562};
  run r;
  const double v0[NV] = {0}, a = 15 * 3.14159265358979324 / 180, b = 25 * 3.14159265358979324 / 180;
  open_box(&r, &(box){.corners = 4, .mu = 0.3, .gravity = {-9.81 * sin(a), 0, -9.81 * cos(a)}},
           0.01, flat, v0);
  run_box(&r, 0.5);
  near("tilted x", ga_integrator_state(r.it)->q[0], 0, 1e-12);
  for (int i = 0; i < 4; i++) near("tilted N", ga_integrator_contact(r.it, i).normal, N[i], 1e-6);
  close_box(&r);
  open_box(&r, &(box){.corners = 4, .mu = 0.3, .gravity = {-9.81 * sin(b), 0, -9.81 * cos(b)}},
           0.01, flat, v0);
  run_box(&r, 0.5);
  near("steep x", ga_integrator_state(r.it)->q[0], -0.1848276663, 1e-9);
  close_box(&r);
}

static void test_spin(void **state) {
  (void)state;
  static const double N[4] = {2.3569376, 2.0572731, 2.8477269, 2.5480624};
  const double v0[NV] = {1, 0.5, 0, 0, 0, 8};
  double w[3];
  for (int n = 0; n < 3; n++) {
    run r;
    open_box(&r, &(box){.corners = 4, .mu = 0.3, .gravity = {0, 0, -9.81}}, ldexp(0.01, -n), flat,
             v0);
    run_box(&r, 0.25);
    const ga_state *s = ga_integrator_state(r.it);
    const double q = fmax(fabs(s->q[0] - 0.1982922081), fabs(s->q[1] - 0.09562711048));
    const double v = fmax(fabs(s->v[0] - 0.5212842722), fabs(s->v[1] - 0.2419035073));
    w[n] = s->v[5];
    if (n == 0) {
      near("spin4 q", q, 0, 1.5 * 8.3e-5);
      near("spin4 v", fmax(v, fabs(s->v[5] - 2.277585215)), 0, 1.5 * 7.9e-4);
    }
    for (int i = 0; i < 4; i++) {
      near("spin4 N", ga_integrator_contact(r.it, i).normal, N[i], 3e-3 * ldexp(1, -2 * n));
    }
    close_box(&r);
  }
  near("spin4 order", log2((w[0] - 2.277585215) / (w[2] - 2.277585215)) / 2, 2, 0.1);
}

static void test_drop(void **state) {
  (void)state;
  run r;
  const double q0[7] = {0, 0, 0.25, 1}, v0[NV] = {0.5};
  open_box(&r, &(box){.corners = 4, .mu = 0.3, .e = 0.5, .gravity = {0, 0, -9.81}}, 0.01, q0, v0);
  run_box(&r, 2);
  near("drop x", ga_integrator_state(r.it)->q[0], 0.1009637555, 1e-9);
  near("drop lost", ga_integrator_contact_stats(r.it).energy_impacts, 2.087, 1e-3);
  for (int i = 0; i < 4; i++) near("drop N", ga_integrator_contact(r.it, i).normal, 2.4525, 1e-8);
  close_box(&r);
}

static void test_tumble(void **state) {
  (void)state;
  static const double h[3] = {0.01, 0.005, 0.0025}, x[3] = {0.08120, 0.08140, 0.08139},
                      y[3] = {0.00152, 0.00154, 0.00151}, e3[3] = {0.02791, 0.02803, 0.02802};
  const double angle = hypot(0.2, 0.1), s2 = sin(angle / 2) / angle;
  const double q0[7] = {0, 0, 0.3, cos(angle / 2), 0.2 * s2, 0.1 * s2, 0};
  const double v0[NV] = {0.3, 0, 0, 0, 0, 1};
  for (int n = 0; n < 3; n++) {
    run r;
    open_box(&r, &(box){.corners = 8, .mu = 0.3, .e = 0.3, .gravity = {0, 0, -9.81}}, h[n], q0, v0);
    run_box(&r, 1);
    const ga_state *s = ga_integrator_state(r.it);
    const ga_contact_stats stats = ga_integrator_contact_stats(r.it);
    print_message("tumble h %g: x %.5f y %.5f e3 %.5f, %ld changes, %ld uncut, lost %.4f\n", h[n],
                  s->q[0], s->q[1], s->q[6], stats.changes, stats.uncut, stats.energy_impacts);
    near("tumble x", s->q[0], x[n], 3e-4);
    near("tumble y", s->q[1], y[n], 3e-4);
    near("tumble e3", s->q[6], e3[n], 2e-4);
    for (int i = 0; i < 4; i++)
      near("tumble N", ga_integrator_contact(r.it, i).normal, 2.4525, 1e-6);
    close_box(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_slide), cmocka_unit_test(test_tilted),
                                     cmocka_unit_test(test_spin), cmocka_unit_test(test_drop),
                                     cmocka_unit_test(test_tumble)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
