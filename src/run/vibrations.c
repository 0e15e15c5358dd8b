/* SPDX-License-Identifier: MIT */
/* Memories without vibrations that h does not resolve: after changes of contacts, at corners, after a start
 * at which a force sets in. C is the filter of the matrix of the step that comes next (error_filter.c). */
#include <math.h>
#include <string.h>

#include "kkt/measure.h"
#include "run/integrator.h"
#include "run/restart.h"

/* v' - a relative to v' that h does not explain, or what a filter leaves of a: vibrations */
static const double UNRESOLVED = 0.5;
/* of v: what the filter must remove at first, and at last, to be worth its cost */
static const double SOME = 0.05, LEAST = 1e-3;

/* energy that the memory of a start may bring into the motion, of that which this has */
static const double GAIN = 1e-3;
/* energy of a, over that of what it is made of, beyond which the filter is of no use */
static const double MORE = 4;
/* of masses: what h^2 times stiffness and h times damping are where no filter is needed */
static const double SOFT = 1e-3;
/* of v': what is not worth a filter, as it is rounding */
static const double NOTHING = 1e-12;

/* The matrix of the step of h that comes next, at its guess, with factors that this step begins
 * with. rough: v' and a are those of vibrations that h does not resolve; a guess with them is far
 * away, so both are taken as 0. */
static ga_status prepare_factors(ga_integrator *it, double h, bool rough) {
  ga_restart *r = &it->restart;
  ga_newton *w = &it->step.newton;
  ga_equations *eq = &it->step.eq;
  ga_past past;
  ga_status status = ga_memory_correct(it, h, &past);
  ga_redundancy_begin(it);
  if (rough) past.a = past.w = memset(r->v, 0, (size_t)eq->nv * sizeof(double));
  if (status == GA_OK) status = ga_equations_begin(eq, &it->mem, &past, h, it->mem.t + h);
  if (status != GA_OK) return status;
  if (!ga_predictor_guess(&it->predictor, it->mem.t, it->mem.t + h, r->x)) {
    memcpy(r->x, it->predictor.phi[0], (size_t)eq->n * sizeof(double));
  }
  if (rough) memset(r->x, 0, (size_t)(it->method->nx * eq->nv) * sizeof(double));
  it->stats.residuals++;
  status = ga_equations_evaluate(eq, r->x, NULL, &it->step.factors.matrix.tangents, w->r, w->terms);
  return status == GA_OK ? ga_factors_renew_ahead(&it->step.factors, eq, r->x) : status;
}

/* x^T M x, M of the step solved or prepared last. C takes from it where the tangent is positive; where it is
 * not, as under large pressure, C may multiply x instead, and is of no use. */
static double energy_of(ga_integrator *it, const double *x) {
  const ga_equations *s = &it->step.eq;
  double *Mx = it->step_size.bracket, sum = 0;
  memset(Mx, 0, (size_t)s->nv * sizeof(double));
  ga_csr_mul_add(&s->site[s->method->dyn[0].site].M, 1, x, Mx);
  for (int i = 0; i < s->nv; i++) sum += x[i] * Mx[i];
  return ga_team_sum(it->eval.team, sum);
}

/* The guess of the next step without the vibrations that h does not resolve: the position of a constant
 * C v'. The memory may have these vibrations in w and a, so that x = C v' would lead far from it:
 *   pa a + pw w + p x = (pa + pw + p) C v'.
 * restart.next is work. */
static ga_status damp_guess(ga_integrator *it) {
  ga_restart *r = &it->restart;
  ga_predictor *p = &it->predictor;
  ga_memory_copy(&r->next, &it->mem, &it->eval);
  const ga_status status = ga_filter_vibrations(it, r->x, r->next.vd);
  if (status != GA_OK) return status;
  memcpy(r->next.w, r->next.vd, (size_t)it->eval.nv * sizeof(double));
  ga_equations_guess(&it->step.eq, &r->next, p->phi[0]);
  const int nv = it->eval.nv, out = it->method->out_x;
  const ga_tableau *tab = &it->step.eq.tab;
  double *x = p->phi[0] + out * nv;
  for (int i = 0; i < nv && tab->p[out] != 0; i++) {
    const double a = tab->pa * (r->next.vd[i] - it->mem.a[i]);
    x[i] += (a + tab->pw * (r->next.vd[i] - it->mem.w[i])) / tab->p[out];
  }
  memset(p->phi[1], 0, (size_t)p->n * sizeof(double));
  ga_predictor_begin(p, it->mem.t, it->mem.h, 2);
  r->line_known = false;
  return GA_OK;
}

/* x <- (1 - (1 - C)^2) x = C (2 x - C x), C the filter of the step solved or prepared last: vibrations
 * that h does not resolve go, of the others O(h^4), with damping O(h^2). size: of what x is the
 * difference of; rounding of it stays as it is. */
ga_status ga_restart_filter(ga_integrator *it, double size, double *x) {
  ga_restart *r = &it->restart;
  const int nv = it->eval.nv;
  if (it->step.eq.own || ga_measure(&it->eval, x) <= NOTHING * size) return GA_OK;
  memcpy(r->d, x, (size_t)nv * sizeof(double));
  ga_status status = ga_filter_vibrations(it, r->x, r->d);
  for (int i = 0; i < nv; i++) x[i] = 2 * x[i] - r->d[i];
  return status == GA_OK ? ga_filter_vibrations(it, r->x, x) : status;
}

/* a = v' + alpha h v'' contains vibrations of frequency omega with the factor (h omega)^2. Where h does
 * not resolve them, such a start gains energy without bound, and so does a = v', which has the factor
 * h omega. With C = (1 + c (h omega)^2)^-1, the filter of the step's own matrix,
 *
 *   a = (1 - (1 - C)^2) v' + C^2 alpha h v'' = C (2 v' - C (v' - alpha h v''))
 *
 * differs from v' + alpha h v'' by O(h^3), with damping O(h^2), so that the order stays 2, and tends to
 * 0 with h omega. For q'' = -omega^2 q, from any q and v, the energy never exceeds that of the start by
 * more than 0.2 % with rho = 0 to 0.8, 1.5 % with 0.9, 4.5 % with 0.95, whatever h omega
 * (tests/contact/test_stiff_beam.c). Vibrations that are damped more than critically and not resolved
 * gain some with any a: the method's own position moves by a part of h v before v has decayed. With
 * rho = 1, a = v', and nothing is gained once v is filtered. Where C is of no use, a = v', too. */
static ga_status damp_a(ga_integrator *it) {
  ga_restart *r = &it->restart;
  ga_memory *mem = &it->mem;
  const int nv = it->eval.nv;
  for (int i = 0; i < nv; i++) r->d[i] = 2 * mem->w[i] - mem->a[i];
  ga_status status = ga_filter_vibrations(it, r->x, r->d);
  for (int i = 0; i < nv; i++) r->d[i] = 2 * mem->w[i] - r->d[i];
  if (status == GA_OK) status = ga_filter_vibrations(it, r->x, r->d);
  if (status != GA_OK) return status;
  const bool less =
      energy_of(it, r->d) <= MORE * fmax(energy_of(it, mem->a), energy_of(it, mem->w));
  memcpy(mem->a, less ? r->d : mem->w, (size_t)nv * sizeof(double));
  return GA_OK;
}

/* v <- v - (1 - C)^4 v: without the vibrations that h does not resolve. For the others this is O(h^8),
 * with damping O(h^4), and nothing is done where it is below LEAST of v. *changed: v did.
 * Start values are the author's and stay. So do velocities of automatic steps: their h follows from the
 * errors, which the h at hand does not know yet; and those of a slip that turns, whose derivative in the
 * matrix is stiff where nothing vibrates; and velocities to which C would add energy. */
ga_status ga_restart_filter_velocity(ga_integrator *it, double *v, bool *changed) {
  ga_restart *r = &it->restart;
  const int nv = it->eval.nv;
  const double of_v = ga_measure(&it->eval, v);
  double left = 0;
  ga_status status = GA_OK;
  *changed = false;
  if (it->step.eq.own || it->step_size.on || it->contacts.starting) return GA_OK;
  if (ga_contacts_slip_turns(it)) return GA_OK;
  memcpy(r->d, v, (size_t)nv * sizeof(double));
  for (int k = 0; k < 4 && status == GA_OK; k++) {
    memcpy(r->v, r->d, (size_t)nv * sizeof(double));
    status = ga_filter_vibrations(it, r->x, r->v);
    ga_axpy(nv, -1, r->v, r->d);
    left = ga_measure(&it->eval, r->d);
    if (k == 0 && !(left > SOME * of_v)) return status;
  }
  *changed = status == GA_OK && left > LEAST * of_v;
  if (!*changed) return status;
  const double before = energy_of(it, v);
  ga_axpy(nv, -1, r->d, v);
  if (energy_of(it, v) <= before) return GA_OK;
  ga_axpy(nv, 1, r->d, v);
  *changed = false;
  return status;
}

/* Is a another one than v', and is it the start's to choose? */
static bool has_vibrating_start(const ga_integrator *it) {
  const ga_params *par = &it->options.par;
  return par->alpha_m != par->alpha_f && it->options.start != GA_START_IMPLICIT && !it->step.eq.own;
}

/* Are entries of A, times scale, small beside the masses? Units of coordinates cancel. */
static bool is_soft(const ga_csr *A, const ga_csr *M, double scale) {
  for (int i = 0; i < A->nrow; i++) {
    for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
      const double a = scale * A->val[e];
      if (a != 0 &&
          !(a * a <= SOFT * SOFT * ga_csr_at(M, i, i) * ga_csr_at(M, A->col[e], A->col[e])))
        return false;
    }
  }
  return true;
}

/* Do the tangents of the last step say that h resolves all vibrations, h^2 K and h C <= SOFT M? */
static bool resolves_all(const ga_integrator *it, double h) {
  const ga_tangents *d = &it->step.factors.matrix.tangents;
  if (!(it->step.factors.h > 0) || it->contacts.starting || it->saddle.own.ops) return false;
  bool soft = true;
  for (int j = 0; j < it->method->nx && soft; j++) {
    soft = d->Kt[j].ptr && is_soft(&d->Kt[j], &it->saddle.M, h * h) &&
           is_soft(&d->Ct[j], &it->saddle.M, h);
  }
  return soft;
}

ga_status ga_restart_damp(ga_integrator *it, double h) {
  const ga_memory *mem = &it->mem;
  const bool vibrates = has_vibrating_start(it);
  if (it->options.start == GA_START_IMPLICIT || it->step.eq.own || resolves_all(it, h))
    return GA_OK;
  const double of_v = ga_measure(&it->eval, mem->v), of_vd = ga_measure(&it->eval, mem->vd);
  ga_status status = prepare_factors(it, h, h * of_vd > of_v);
  if (status == GA_OK && vibrates) status = damp_a(it);
  bool changed = false;
  if (status == GA_OK) status = ga_restart_filter_velocity(it, it->mem.v, &changed);
  if (changed) {
    status = ga_restart_at_corner(it, h);
    if (status == GA_OK && vibrates) status = damp_a(it);
  }
  if (status == GA_OK && ga_measure_difference(&it->eval, mem->a, mem->vd) > UNRESOLVED * of_vd) {
    status = damp_guess(it);
  }
  return status > 0 ? GA_OK : status; /* the step itself says what is wrong */
}

/* ---- the start ------------------------------------------------------------------------------- */

/* a = w + alpha h w' with w' on the motion without the vibrations, whose way in a difference quotient is
 * far too long: with v' filtered. */
static ga_status renew_a(ga_integrator *it, double h) {
  ga_memory *mem = &it->mem;
  ga_restart *r = &it->restart;
  const ga_params *par = &it->options.par;
  const size_t bytes = (size_t)it->eval.nv * sizeof(double);
  if (it->options.start == GA_START_PLAIN) return GA_OK;
  memcpy(r->next.vd, mem->vd, bytes);
  ga_status status = ga_filter_vibrations(it, r->x, r->next.vd);
  ga_start_guess(it);
  if (status == GA_OK) status = ga_start_difference_ahead(it, mem, r->next.vd, r->rate.w);
  if (status != GA_OK) return status;
  memcpy(mem->a, mem->w, bytes);
  ga_axpy(it->eval.nv, (par->alpha_m - par->alpha_f) * h, r->rate.w, mem->a);
  return GA_OK;
}

/* w <- w - (1 - C)^8 w: v' of vibrations that h does not resolve would alternate from step to step, and
 * lead the guesses far away. The energy of a vibration never exceeds that of the start by more than 0.1 %
 * with rho = 0.5 to 0.8, 2 % with 0.9, 3 % with 0.95, and with rho <= 0.9 restarts in quick succession
 * do not add it up. With lower powers they do. */
static ga_status damp_w(ga_integrator *it) {
  ga_restart *r = &it->restart;
  const int nv = it->eval.nv;
  const size_t bytes = (size_t)nv * sizeof(double);
  ga_status status = GA_OK;
  memcpy(r->d, it->mem.w, bytes);
  for (int k = 0; k < 8 && status == GA_OK; k++) {
    memcpy(r->v, r->d, bytes);
    status = ga_filter_vibrations(it, r->x, r->v);
    ga_axpy(nv, -1, r->v, r->d);
  }
  if (status == GA_OK) ga_axpy(nv, -1, r->d, it->mem.w);
  return status;
}

ga_status ga_restart_damp_corner(ga_integrator *it, double h, const double *old_vd) {
  const ga_memory *mem = &it->mem;
  const ga_eval *e = &it->eval;
  if (!has_vibrating_start(it)) return GA_OK;
  const double of_v = ga_measure(e, mem->v), of_vd = ga_measure(e, mem->vd);
  const bool sudden = ga_measure_difference(e, mem->vd, old_vd) > UNRESOLVED * of_vd;
  ga_status status = prepare_factors(it, h, h * fmax(of_vd, ga_measure(e, mem->a)) > of_v);
  if (status == GA_OK) status = damp_a(it);
  if (status == GA_OK && ga_measure_difference(e, mem->a, mem->vd) > UNRESOLVED * of_vd) {
    if (sudden) status = damp_w(it);
    if (status == GA_OK) status = damp_guess(it);
  }
  return status > 0 ? GA_OK : status; /* the step itself says what is wrong */
}

ga_status ga_restart_damp_start(ga_integrator *it, double h, bool *damped) {
  const ga_eval *e = &it->eval;
  ga_restart *r = &it->restart;
  const double *a = it->mem.a;
  *damped = false;
  if (!has_vibrating_start(it)) return GA_OK;
  ga_status status = prepare_factors(it, h, true);
  memcpy(r->d, a, (size_t)e->nv * sizeof(double));
  if (status == GA_OK) status = ga_filter_vibrations(it, r->x, r->d);
  *damped = status == GA_OK && ga_measure(e, r->d) < UNRESOLVED * ga_measure(e, a);
  if (*damped) {
    status = renew_a(it, h);
    if (status == GA_OK) status = damp_a(it);
    if (status == GA_OK) status = damp_w(it);
    if (status == GA_OK) status = damp_guess(it);
  } else {
    ga_step_reset(&it->step); /* the step begins with a matrix at its own guess */
  }
  return status > 0 ? GA_OK : status; /* the step itself says what is wrong */
}

/* With much damping and K the stiffness, a first step ends with v = 0 and, as the memory has a - w beside
 * v', in a position that is off by d = (1/2 - beta/gamma) h^2 (a - w). That costs the energy d^T K d/2 =
 * -d^T (F(q o exp d) - F(q))/2. */
ga_status ga_restart_start_gains(ga_integrator *it, double h, bool *gains) {
  ga_restart *r = &it->restart;
  ga_eval *e = &it->eval;
  const ga_memory *mem = &it->mem;
  const ga_params *par = &it->options.par;
  const int nv = e->nv;
  double gained = 0, kinetic = 0;
  *gains = false;
  if (e->team || !has_vibrating_start(it) || it->options.start == GA_START_PLAIN) return GA_OK;
  for (int i = 0; i < nv; i++) {
    r->d[i] = (0.5 - par->beta / par->gamma) * h * h * (mem->a[i] - mem->w[i]);
  }
  ga_space_step(it->model->space, mem->q, r->d, r->q);
  ga_status status = ga_eval_force(e, mem->t, r->q, mem->v, r->x);
  if (status == GA_OK) status = ga_eval_force(e, mem->t, mem->q, mem->v, r->v);
  if (status != GA_OK) return *gains = status > 0, status > 0 ? GA_OK : status;
  for (int i = 0; i < nv; i++) gained -= r->d[i] * (r->x[i] - r->v[i]);
  status = ga_eval_mass(e, mem->t, mem->q, &it->saddle.M);
  if (status != GA_OK) return status;
  for (int k = 0; k < 2; k++) {
    const double *v = k ? mem->w : mem->v;
    memset(r->v, 0, (size_t)nv * sizeof(double));
    ga_csr_mul_add(&it->saddle.M, k ? h * h : 1, v, r->v);
    for (int i = 0; i < nv; i++) kinetic += v[i] * r->v[i];
  }
  *gains = gained > GAIN * kinetic;
  return GA_OK;
}

ga_status ga_restart_damped(ga_integrator *it, double h, double t1, ga_status failed) {
  const ga_error text = it->error;
  bool damped = false;
  if (it->options.start == GA_START_PLAIN) return failed; /* the user asked for this one */
  const ga_status status = ga_restart_damp_start(it, h, &damped);
  it->error = text;
  return status == GA_OK && damped ? ga_loop_attempt(it, h, t1) : failed;
}

/* The memory for steps of h after pieces of steps: a + (1 - (1 - C)^2) da, da the correction of
 * memory_change.c, where vibrations would be multiplied by the ratio of the sizes. */
ga_status ga_restart_resize(ga_integrator *it, double h) {
  ga_memory *mem = &it->mem;
  const int nv = it->eval.nv;
  ga_past past;
  ga_status status = ga_memory_correct(it, h, &past);
  if (status != GA_OK || past.a == mem->a) return status;
  memcpy(mem->v, past.v, (size_t)nv * sizeof(double));
  mem->h = h;
  mem->growth = it->growth;
  double *da = it->dense_work.w;
  for (int i = 0; i < nv; i++) da[i] = past.a[i] - mem->a[i];
  const double of_v = ga_measure(&it->eval, mem->v), of_vd = ga_measure(&it->eval, mem->vd);
  if (ga_measure(&it->eval, da) <= NOTHING * of_vd) return GA_OK;
  status = prepare_factors(it, h, h * of_vd > of_v);
  if (status == GA_OK) status = ga_restart_filter(it, of_vd, da);
  if (status == GA_OK) ga_axpy(nv, 1, da, mem->a);
  return status > 0 ? GA_OK : status; /* the step itself says what is wrong */
}
