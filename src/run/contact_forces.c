/* SPDX-License-Identifier: MIT */
/* P4: forces and new states after a change.
 *
 *     u = A r + b,  u = (g'', k'),  r = (N, f),    0 <= N,  g'' >= 0,  N g'' = 0
 *     contacts that slide:   f = -mu N k/|k|, which makes column and row of A differ
 *     contacts at rest:      |f| <= mu_s N,  f = -mu_s N k'/|k'| where k' != 0
 *
 * and again with mu for a contact that mu_s does not hold. If there is no solution (Painleve), an impulse
 * without collision stops what jams: of the one contact of a rod r = -A^-1 u. */
#include <math.h>
#include <string.h>

#include "contact/cone.h"
#include "run/integrator.h"

static const double SOON = 1e-9;  /* of slip velocities: how fast gaps close a short time later */
static const double LARGE = 1e-6; /* of them: impulses that are no answer to SOON */
enum { JAMS = 5 };

/* The reduced problem: of the contacts that take part, sliding ones with their normal row alone. */
typedef struct {
  int n, m;
  int *block;     /* n: contacts in ga_touching */
  int *nt, *at;   /* n */
  bool *slides;   /* n */
  double (*d)[2]; /* n: direction of slip of those that slide */
  double *mu;     /* n */
  ga_csr A, normal;
  double *b, *r, *u;
  int *place; /* m of ga_touching: number of the block that each row belongs to, -1: none */
  int *status, *island;
} reduced;

static void allocate(ga_arena *arena, int count, int rows, reduced *s) {
  const size_t n = (size_t)count, m = (size_t)rows;
  s->block = ga_arena_ints(arena, n);
  s->nt = ga_arena_ints(arena, n);
  s->at = ga_arena_ints(arena, n);
  s->status = ga_arena_ints(arena, n);
  s->island = ga_arena_ints(arena, n);
  s->slides = ga_arena_take(arena, n, sizeof(bool));
  s->d = ga_arena_take(arena, n, sizeof *s->d);
  s->mu = ga_arena_doubles(arena, n);
  s->place = ga_arena_ints(arena, m);
  s->b = ga_arena_doubles(arena, m);
  s->r = ga_arena_doubles(arena, m);
  s->u = ga_arena_doubles(arena, m);
}

/* Length of the tangential rows of block i in u. */
static double tangential(const ga_touching *p, int i, const double *u) {
  const double *t = u + p->at[i] + 1;
  return p->nt[i] == 0 ? 0 : p->nt[i] == 1 ? fabs(t[0]) : hypot(t[0], t[1]);
}

/* mu at rest. */
static double at_rest(const ga_contact *c) {
  return fmax(c->static_friction, c->friction);
}

/* Which contacts of p take part, at velocities p->u; which slide. */
static void choose(const ga_integrator *it, const ga_touching *p, const bool *slide,
                   const bool *without, reduced *s) {
  const ga_contacts *c = &it->contacts;
  s->n = s->m = 0;
  for (int i = 0; i < p->n; i++) {
    const int contact = p->contact[i];
    const ga_contact *of = &c->rows.contact[contact];
    const double eps = ga_contacts_eps_speed(it, contact), speed = tangential(p, i, p->u);
    if (without && without[contact]) continue;
    const bool rests =
        c->g[of->gap] <= ga_contacts_eps_gap(it, contact) && fabs(p->u[p->at[i]]) <= eps;
    if (!rests && !(c->aim_h > 0)) continue; /* index3 keeps positions alone */
    s->block[s->n] = i;
    const bool aimed = c->aim_h > 0 && c->aimed[contact];
    s->slides[s->n] = p->nt[i] > 0 && speed > eps && !aimed;
    for (int k = 0; k < p->nt[i]; k++) {
      s->d[s->n][k] = s->slides[s->n] ? p->u[p->at[i] + 1 + k] / speed : 0;
    }
    s->nt[s->n] = s->slides[s->n] ? 0 : p->nt[i];
    s->mu[s->n] = aimed || (slide && slide[contact]) ? of->friction : at_rest(of);
    s->at[s->n] = s->m;
    s->m += 1 + s->nt[s->n];
    s->n++;
  }
}

/* Entry e of a row of p->A against the reduced problem: folded where the contact of its column slides.
 * *col: the column there, -1: none. */
static double entry(const ga_integrator *it, const ga_touching *p, const reduced *s, int e,
                    int *col) {
  const int row = p->A.col[e], j = s->place[row];
  *col = -1;
  if (j < 0) return 0;
  const int k = row - p->at[s->block[j]];
  if (!s->slides[j] || k == 0) {
    *col = s->at[j] + k;
    return p->A.val[e];
  }
  const double mu = it->contacts.rows.contact[p->contact[s->block[j]]].friction;
  *col = s->at[j];
  return -mu * s->d[j][k - 1] * p->A.val[e];
}

/* The pattern of a matrix with the entries of p that have blocks in the reduced problem. */
static bool take_patterns(ga_arena *arena, const ga_touching *p, reduced *s) {
  const size_t m = (size_t)s->m, n = (size_t)s->n;
  int *ptr = ga_arena_ints(arena, m + 1), *nptr = ga_arena_ints(arena, n + 1);
  int *col = ga_arena_ints(arena, (size_t)ga_csr_nnz(&p->A));
  int *ncol = ga_arena_ints(arena, (size_t)ga_csr_nnz(&p->normal));
  double *val = ga_arena_doubles(arena, (size_t)ga_csr_nnz(&p->A));
  double *nval = ga_arena_doubles(arena, (size_t)ga_csr_nnz(&p->normal));
  if (arena->failed) return false;
  s->A = (ga_csr){.nrow = s->m, .ncol = s->m, .ptr = ptr, .col = col, .val = val};
  s->normal = (ga_csr){.nrow = s->n, .ncol = s->n, .ptr = nptr, .col = ncol, .val = nval};
  return true;
}

/* A, b, normal of the reduced problem. */
static void reduce(const ga_integrator *it, const ga_touching *p, reduced *s) {
  for (int i = 0; i < p->m; i++) s->place[i] = -1;
  for (int i = 0; i < s->n; i++) {
    const int block = s->block[i];
    for (int a = 0; a <= p->nt[block]; a++) s->place[p->at[block] + a] = i;
  }
  int n = 0, nn = 0;
  for (int i = 0; i < s->n; i++) {
    for (int a = 0; a <= s->nt[i]; a++) {
      const int row = p->at[s->block[i]] + a;
      const int begin = n;
      s->b[s->at[i] + a] = p->b[row];
      for (int e = p->A.ptr[row]; e < p->A.ptr[row + 1]; e++) {
        int col;
        const double value = entry(it, p, s, e, &col);
        if (col < 0) continue;
        if (n > begin && s->A.col[n - 1] == col) { /* folded into the normal before it */
          s->A.val[n - 1] += value;
        } else {
          s->A.col[n] = col;
          s->A.val[n++] = value;
        }
      }
      s->A.ptr[s->at[i] + a + 1] = n;
    }
    const ga_csr *N = &p->normal;
    for (int e = N->ptr[s->block[i]]; e < N->ptr[s->block[i] + 1]; e++) {
      const int other = s->place[p->at[N->col[e]]];
      if (other < 0) continue;
      s->normal.col[nn] = other;
      s->normal.val[nn++] = N->val[e];
    }
    s->normal.ptr[i + 1] = nn;
  }
}

/* b + k_n/h of contacts whose direction at the end of a piece is looked for (contact_aim.c). */
static void add_slips(const ga_integrator *it, const reduced *s, const ga_touching *p) {
  const ga_contacts *c = &it->contacts;
  for (int i = 0; i < s->n && c->aim_h > 0; i++) {
    const int contact = p->contact[s->block[i]];
    for (int k = 0; k < s->nt[i] && c->aimed[contact]; k++) {
      s->b[s->at[i] + 1 + k] += c->state[contact].slip[k] / c->aim_h;
    }
  }
}

/* Solve the reduced problem; contacts that mu_s does not hold get mu, until none is left. */
static ga_status solve(ga_integrator *it, const ga_touching *p, reduced *s) {
  ga_contacts *c = &it->contacts;
  bool any = false;
  for (int i = 0; i < s->n; i++) any |= s->slides[i];
  const ga_cone cone = {.n = s->n,
                        .nt = s->nt,
                        .mu = s->mu,
                        .A = &s->A,
                        .b = s->b,
                        .normal = &s->normal,
                        .symmetric = !any,
                        .arena = c->of_cone};
  for (;;) {
    ga_cone_solution out = {.r = s->r, .u = s->u, .status = s->status, .island = s->island};
    const ga_status status = ga_cone_solve(&cone, &out, &it->error);
    c->stats.cones++;
    c->stats.sweeps += out.sweeps;
    c->stats.coarse += out.coarse;
    if (status != GA_OK) return status;
    bool again = false;
    for (int i = 0; i < s->n; i++) {
      const double mu = c->rows.contact[p->contact[s->block[i]]].friction;
      if (s->nt[i] == 0 || s->status[i] != GA_CONE_SLIP || s->mu[i] == mu) continue;
      s->mu[i] = mu;
      again = true;
    }
    if (!again) return GA_OK;
  }
}

/* Forces p->r, new states and directions of slip. old_d: of contacts at the edge of sliding. */
static void read_solution(ga_integrator *it, ga_touching *p, const reduced *s, const bool *slide,
                          int *states) {
  ga_contacts *c = &it->contacts;
  for (int i = 0; i < c->n; i++) states[i] = GA_CONTACT_OPEN;
  memset(p->r, 0, (size_t)p->m * sizeof(double));
  for (int i = 0; i < s->n; i++) {
    const int block = s->block[i], contact = p->contact[block], from = p->at[block];
    const ga_contact *of = &c->rows.contact[contact];
    const double *r = s->r + s->at[i], *u = s->u + s->at[i];
    p->r[from] = r[0];
    if (s->status[i] == GA_CONE_OPEN) continue;
    states[contact] = GA_CONTACT_SLIP;
    if (p->nt[block] == 0) continue;
    double d[2] = {s->d[i][0], s->d[i][1]};
    bool slips = s->slides[i];
    if (!slips) {
      const double ut = s->nt[i] == 1 ? fabs(u[1]) : hypot(u[1], u[2]);
      const double rt = s->nt[i] == 1 ? fabs(r[1]) : hypot(r[1], r[2]);
      slips = s->status[i] == GA_CONE_SLIP;
      for (int k = 0; k < s->nt[i]; k++) {
        p->r[from + 1 + k] = r[1 + k];
        d[k] = ut > 0 ? u[1 + k] / ut : rt > 0 ? -r[1 + k] / rt : 0;
        if (!slips && slide && slide[contact]) d[k] = c->rows.d[of->slip + k];
      }
      slips |= slide && slide[contact];
    } else {
      for (int k = 0; k < p->nt[block]; k++) p->r[from + 1 + k] = -of->friction * r[0] * d[k];
    }
    if (!slips) states[contact] = GA_CONTACT_STICK;
    for (int k = 0; slips && k < of->nslip; k++) c->rows.d[of->slip + k] = d[k];
  }
}

/* Tell of the contact with the largest impulse. */
static void tell_jammed(ga_integrator *it, const ga_touching *p, double t) {
  int most = 0;
  char text[256];
  if (!it->options.log) return;
  for (int i = 1; i < p->n; i++) most = p->r[p->at[i]] > p->r[p->at[most]] ? i : most;
  snprintf(
      text, sizeof text,
      "contact '%s': t = %.9g: no forces fit (Painlevé); an impulse of %.3g N s stops its slip",
      it->contacts.rows.contact[p->contact[most]].name, t, p->r[p->at[most]]);
  it->options.log(it->options.log_context, GA_LOG_WARNING, text);
}

/* P3 with e = 0 where gaps close with `soon` times fastest: p->r. *largest: of impulses, as velocities. */
static ga_status find_impulse(ga_integrator *it, ga_touching *p, double soon, double fastest,
                              double *largest) {
  ga_contacts *c = &it->contacts;
  double pressed = 0;
  double *mu = ga_arena_doubles(p->arena, (size_t)p->n);
  double *u = ga_arena_doubles(p->arena, (size_t)p->m);
  double *b = ga_arena_doubles(p->arena, (size_t)p->m);
  *largest = 0;
  if (!mu || !u || !b) return ga_fail(&it->error, GA_ERR_MEM, "no memory for %d contacts", p->n);
  memcpy(b, p->u, (size_t)p->m * sizeof(double));
  for (int i = 0; i < p->n; i++) {
    mu[i] = c->rows.contact[p->contact[i]].friction;
    pressed = fmax(pressed, -p->b[p->at[i]]);
  }
  for (int i = 0; i < p->n && pressed > 0; i++) {
    b[p->at[i]] = soon * fastest * fmin(p->b[p->at[i]] / pressed, 1);
  }
  const ga_cone cone = {.n = p->n,
                        .nt = p->nt,
                        .mu = mu,
                        .A = &p->A,
                        .b = b,
                        .normal = &p->normal,
                        .symmetric = true,
                        .arena = c->of_cone};
  ga_cone_solution out = {.r = p->r, .u = u, .status = p->status, .island = p->island};
  const ga_status status = ga_cone_solve(&cone, &out, &it->error);
  c->stats.cones++;
  c->stats.sweeps += out.sweeps;
  c->stats.coarse += out.coarse;
  if (status != GA_OK) return status == GA_RETRY_CONTACT ? GA_OK : status;
  for (int i = 0; i < p->n; i++) {
    *largest = fmax(*largest, p->r[p->at[i]] * ga_csr_at(&p->A, p->at[i], p->at[i]));
  }
  return GA_OK;
}

/* No forces fit: an impulse without collision, applied to v; *stopped = false if there is none. P3 with
 * gaps that do not close has r = 0 as a solution, and where no forces fit others, too: active sets,
 * which begin with all contacts sticking, often find them. If not: a short time tau later without forces
 * the gaps close with tau b_N. Small impulses against that would be the forces there are not, so that
 * P3 has large ones alone. tau is so short that what is left of u_N counts as zero. p->u: velocities,
 * p->b: accelerations without forces; p->r <- impulses. */
static ga_status stop_jammed(ga_integrator *it, ga_touching *p, double t, double *v, bool *jam,
                             double *impulse, bool *stopped) {
  const double soon[] = {0, SOON};
  ga_contacts *c = &it->contacts;
  double fastest = 0, largest;
  *stopped = false;
  for (int i = 0; i < p->m; i++) fastest = fmax(fastest, fabs(p->u[i]));
  for (int k = 0; k < 2 && !*stopped; k++) {
    const ga_status status = find_impulse(it, p, soon[k], fastest, &largest);
    if (status != GA_OK) return status;
    *stopped = largest > LARGE * fastest;
  }
  for (int i = 0; i < p->n && *stopped; i++) {
    const int contact = p->contact[i];
    jam[contact] |= p->r[p->at[i]] * ga_csr_at(&p->A, p->at[i], p->at[i]) > LARGE * fastest;
    c->state[contact].impulse += p->r[p->at[i]];
    for (int a = 0; a <= p->nt[i]; a++) impulse[3 * contact + a] += p->r[p->at[i] + a];
  }
  if (!*stopped) return GA_OK;
  ga_touching_apply(p, p->r, v);
  tell_jammed(it, p, t);
  return GA_OK;
}

/* GA_ERR_CONTACT that names the contacts of the problem. */
static ga_status fail_without_forces(ga_integrator *it, const ga_touching *p, const reduced *s,
                                     double t) {
  char names[200] = "";
  for (int i = 0; i < s->n; i++) {
    const size_t used = strlen(names);
    snprintf(names + used, sizeof names - used, "%s'%s'", i ? ", " : "",
             it->contacts.rows.contact[p->contact[s->block[i]]].name);
  }
  return ga_fail(&it->error, GA_ERR_CONTACT,
                 "contact%s %s: t = %.9g: no forces fit; reduce friction, or use contact: step",
                 s->n > 1 ? "s" : "", names, t);
}

ga_status ga_contacts_forces(ga_integrator *it, ga_touching *p, double t, const double *q,
                             double *v, const bool *slide, const bool *without, bool *jam,
                             double *impulse, int *states) {
  reduced s = {0};
  allocate(p->arena, p->n, p->m, &s);
  if (p->arena->failed) return ga_fail(&it->error, GA_ERR_MEM, "no memory for %d contacts", p->n);
  for (int round = 0;; round++) {
    ga_touching_velocities(it, p, p->u);
    ga_status status = ga_touching_accelerations(it, t, q, v, p);
    if (status != GA_OK) return status;
    choose(it, p, slide, without, &s);
    if (!take_patterns(p->arena, p, &s)) {
      return ga_fail(&it->error, GA_ERR_MEM, "no memory for %d contacts", p->n);
    }
    reduce(it, p, &s);
    add_slips(it, &s, p);
    status = s.n > 0 ? solve(it, p, &s) : GA_OK;
    if (status == GA_OK) {
      read_solution(it, p, &s, slide, states);
      return GA_OK;
    }
    if (status != GA_RETRY_CONTACT) return status;
    bool stopped = false;
    status = GA_OK;
    if (jam && round < JAMS) status = stop_jammed(it, p, t, v, jam, impulse, &stopped);
    if (status == GA_OK && !stopped) return fail_without_forces(it, p, &s, t);
    if (status == GA_OK) status = ga_contacts_evaluate(it, t, q, v);
    if (status != GA_OK) return status;
  }
}
