/* SPDX-License-Identifier: MIT */
/* P3: velocities after an impact.
 *
 *     u+ = u- + A r,   0 <= r_N,  u_N+ + e min(u_N-, 0) >= 0,  their product 0
 *     |r_T| <= mu r_N, r_T = -mu r_N u_T+/|u_T+| where u_T+ != 0
 *     v+ = v- + X r
 *
 * Newton's restitution and Coulomb's friction together can gain energy. The work of the impact is
 * w = r^T (u- + u+)/2; if it is positive, all e of this impact are halved, four times, then 0.
 * Likewise if there is no solution: contacts that jam by friction cannot all rebound. */
#include <math.h>
#include <string.h>

#include "contact/cone.h"
#include "run/integrator.h"

static const double GAIN = 1e-10; /* of the kinetic energy: work that is rounding */

/* T = v^T M v/2 with saddle.M. */
double ga_contacts_kinetic(const ga_integrator *it, const double *v) {
  const ga_csr *M = &it->saddle.M;
  double sum = 0;
  for (int i = 0; i < M->nrow; i++) {
    for (int e = M->ptr[i]; e < M->ptr[i + 1]; e++) sum += v[i] * M->val[e] * v[M->col[e]];
  }
  return sum / 2;
}

/* Say once that restitution was reduced. */
static void tell_reduced(ga_integrator *it, const ga_touching *p, const double *e, double factor,
                         double t, double gain) {
  char text[300];
  if (it->contacts.told_reduced || !it->options.log) return;
  int worst = 0;
  for (int i = 1; i < p->n; i++) worst = e[p->contact[i]] > e[p->contact[worst]] ? i : worst;
  const ga_contact *c = &it->contacts.rows.contact[p->contact[worst]];
  it->contacts.told_reduced = true;
  snprintf(text, sizeof text,
           "contact '%s': t = %.9g: restitution %g with friction %g would gain energy (+%.2g %%): "
           "reduced to %g for this impact",
           c->name, t, c->restitution, c->friction, 100 * gain, factor * e[p->contact[worst]]);
  it->options.log(it->options.log_context, GA_LOG_WARNING, text);
}

/* GA_RETRY_CONTACT with the contacts of the island that has no solution. */
static ga_status fail_impact(ga_integrator *it, const ga_touching *p, const ga_cone_solution *out,
                             double t) {
  char names[200] = "";
  int count = 0;
  for (int i = 0; i < p->n; i++) {
    if (p->island[i] != out->unsolved) continue;
    const size_t used = strlen(names);
    snprintf(names + used, sizeof names - used, "%s'%s'", count++ ? ", " : "",
             it->contacts.rows.contact[p->contact[i]].name);
  }
  return ga_fail(
      &it->error, GA_RETRY_CONTACT,
      "contacts %s (one island): no solution of the impact at t = %.9g after %ld sweeps; "
      "reduce h, friction, or use contact: step; what drives press together no impulse parts",
      names, t, out->sweeps);
}

/* Solve for p->r with restitutions factor e. */
static ga_status solve(ga_integrator *it, ga_touching *p, double t, const double *un,
                       const double *e, double factor, const double *mu) {
  ga_contacts *c = &it->contacts;
  for (int i = 0; i < p->m; i++) p->b[i] = p->u[i];
  for (int i = 0; i < p->n; i++) {
    const double before = un ? un[p->contact[i]] : p->u[p->at[i]];
    p->b[p->at[i]] += factor * e[p->contact[i]] * fmin(before, 0);
  }
  const ga_cone cone = {.n = p->n,
                        .nt = p->nt,
                        .mu = mu,
                        .A = &p->A,
                        .b = p->b,
                        .normal = &p->normal,
                        .symmetric = true,
                        .arena = c->of_cone};
  double *u = ga_arena_doubles(p->arena, (size_t)p->m);
  if (!u) return ga_fail(&it->error, GA_ERR_MEM, "no memory for an impact");
  ga_cone_solution out = {.r = p->r, .u = u, .status = p->status, .island = p->island};
  const ga_status status = ga_cone_solve(&cone, &out, &it->error);
  c->stats.cones++;
  c->stats.sweeps += out.sweeps;
  c->stats.coarse += out.coarse;
  return status == GA_RETRY_CONTACT ? fail_impact(it, p, &out, t) : status;
}

/* w = r^T (u- + u+)/2, u+ = u- + A r. */
static double work_of(const ga_touching *p) {
  double w = 0;
  for (int i = 0; i < p->m; i++) {
    w += p->r[i] * (p->u[i] + ga_touching_gain(p, i) / 2);
  }
  return w;
}

ga_status ga_contacts_impact(ga_integrator *it, ga_touching *p, double t, double *v,
                             const double *un_begin, const double *e, double *factor,
                             bool *impact) {
  ga_contacts *c = &it->contacts;
  bool any = false, restitution = false;
  double *mu = ga_arena_doubles(p->arena, (size_t)p->n);
  if (!mu) return ga_fail(&it->error, GA_ERR_MEM, "no memory for an impact");
  ga_touching_velocities(it, p, p->u);
  memset(p->r, 0, (size_t)p->m * sizeof(double));
  for (int i = 0; i < p->n; i++) {
    const int contact = p->contact[i];
    any |= p->u[p->at[i]] < -ga_contacts_eps_speed(it, contact);
    restitution |= e[contact] > 0;
    mu[i] = c->rows.contact[contact].friction;
  }
  *impact = any;
  *factor = 1;
  if (!any) return GA_OK;
  const double T = ga_contacts_kinetic(it, v);
  double gain = 0;
  for (int k = 0;; k++) {
    const ga_status status = solve(it, p, t, un_begin, e, *factor, mu);
    const bool less = *factor > 0 && restitution;
    if (status != GA_OK && !(status == GA_RETRY_CONTACT && less)) return status;
    const double w = status == GA_OK ? work_of(p) : 0;
    if (status == GA_OK && (!(w > GAIN * T) || !less)) break;
    if (k == 0) gain = T > 0 ? w / T : 0;
    *factor = k == 4 ? 0 : *factor / 2;
  }
  if (*factor < 1) {
    c->stats.reduced++;
    tell_reduced(it, p, e, *factor, t, gain);
  }
  c->stats.impacts++;
  ga_touching_apply(p, p->r, v);
  return GA_OK;
}
