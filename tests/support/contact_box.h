/* SPDX-License-Identifier: MIT */
/* A box of unit mass that meets the floor z = 0 with its corners, and its runs. */
#ifndef GA_TESTS_CONTACT_BOX_H
#define GA_TESTS_CONTACT_BOX_H

#include <math.h>
#include <string.h>

#include "genalpha/genalpha.h"
#include "support.h"

enum { NV = 6 };
static const double usual[3] = {0.1, 0.15, 0.05}; /* half sizes */

/* a box of unit mass over z = 0 */
typedef struct {
  int corners;
  double mu, e, gravity[3];
  double half[3]; /* sizes; 0: the usual ones */
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
  const double *half = s->half[0] > 0 ? s->half : usual;
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
  /* the least gap after changes and steps; the states before a change are those of the dense output */
  double t, before, least, change;
  int times;                  /* of changes */
  ga_contact_change first[8]; /* rows of changes */
  int nfirst;
} run;

static void see_change(void *context, const ga_contact_change *c) {
  run *r = context;
  if (c->t != r->change) r->times++;
  r->change = c->t;
  if (r->nfirst < 8) r->first[r->nfirst++] = *c;
}

static int see_gaps(void *context, const ga_state *s, const ga_stats *stats) {
  run *r = context;
  (void)stats;
  if (s->t != r->t) r->least = fmin(r->least, r->before);
  r->t = s->t;
  r->before = 0;
  for (int i = 0; i < r->b.corners; i++) r->before = fmin(r->before, s->contacts[i].gap);
  return 0;
}

static inline void open_box(run *r, const box *b, double h, const double *q0, const double *v0) {
  ga_error err;
  memset(r, 0, sizeof *r);
  r->t = r->change = -1;
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
  ga_integrator_observe(r->it, see_gaps, r);
  ga_integrator_observe_contacts(r->it, see_change, r);
  must(ga_integrator_start(r->it, 0, q0, v0), ga_integrator_error(r->it));
}

static inline void run_box(run *r, double t_end) {
  must(ga_integrator_run(r->it, t_end), ga_integrator_error(r->it));
}

static inline void close_box(run *r) {
  ga_integrator_free(r->it);
  ga_space_free(r->space);
}

#endif
