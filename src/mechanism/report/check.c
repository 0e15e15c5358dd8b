/* SPDX-License-Identifier: MIT */
/* Checks of a mechanism before its first run: degrees of freedom, start values, bodies, condition,
 * frequencies, derivatives. */
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "linsol/rank/rank.h"
#include "mechanism/contact/contact.h"
#include "mechanism/mechanism.h"
#include "mechanism/report/beside_start.h"
#include "mechanism/report/check_beams.h"
#include "mechanism/tree/tree.h"
#include "statics/statics.h"

/* most velocities for which all modes are computed; most sentences of one sort; suggested steps */
enum { MODES_MOST = 300, REPORTED_MOST = 8, STEPS_A_PERIOD = 40 };
static const double PI = 3.14159265358979323846;

/* One run of all checks: the state (t, q, v), the log say(context, ..) or NULL, the results c, the
 * matrices s that the checks share, and err for failures. */
typedef struct checking {
  const ga_mechanism *m;
  double t;
  const double *q, *v;
  ga_log_fn say;
  void *context;
  ga_check *c;
  ga_static_system s;
  double *unit; /* nv: a typical size of each velocity */
  ga_error *err;
} checking;

static void report(checking *l, ga_log_level level, const char *format, ...) GA_PRINTF(3, 4);

/* Send a sentence to the caller's log (if there is one); count warnings in l->c. */
static void report(checking *l, ga_log_level level, const char *format, ...) {
  char text[600];
  va_list list;
  if (level == GA_LOG_WARNING) l->c->warnings++;
  if (!l->say) return;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  l->say(l->context, level, text);
}

/* ---- freedom -------------------------------------------------------------------------------- */

/* Ending of a word for n things: "" for one, else `many`. */
static const char *plural(int n, const char *many) {
  return n == 1 ? "" : many;
}

/* Report degrees of freedom and redundant equations, from l->c. */
static void report_freedom(checking *l) {
  const ga_check *c = l->c;
  if (c->positions != c->freedom) {
    report(l, GA_LOG_INFO,
           "It has %d degree%s of freedom in position and %d in velocity: %d velocities, %d "
           "independent equations, some of which bind velocities only.",
           c->positions, plural(c->positions, "s"), c->freedom, c->velocities,
           c->rows - c->redundant);
  } else if (c->freedom == 0) {
    report(l, GA_LOG_INFO,
           "It cannot move of itself: joints, drives and couplers hold all of its %d velocities.",
           c->velocities);
  } else {
    report(l, GA_LOG_INFO,
           "It has %d degree%s of freedom: %d velocities, %d independent equations.", c->freedom,
           plural(c->freedom, "s"), c->velocities, c->rows - c->redundant);
  }
  if (c->redundant == 0) return;
  report(l, GA_LOG_INFO,
         "Counting alone gives %d: of its %d equations %d follow%s from the others. The motion is "
         "determined, the forces of these joints are not all unique.",
         c->gruebler, c->rows, c->redundant, c->redundant == 1 ? "s" : "");
}

/* Set l->c->positions, the freedom of positions, from the rank of G, which l->s must have. */
static ga_status count_positions(checking *l) {
  const ga_rank_rows rows = {.G = &l->s.G, .H = NULL, .mass = l->s.W.val};
  ga_rank rank = {0};
  const ga_status status = ga_rank_analyze(&rank, &rows, GA_RANK_AUTO, l->err);
  if (status == GA_OK) l->c->positions = l->c->velocities - rank.rank;
  ga_rank_free(&rank);
  return status;
}

/* Rank of all constraint rows: sets freedom, positions, gruebler (freedom by counting) and
 * redundant of l->c and reports dependent rows. l->s.W holds the weights of the velocities on
 * entry; M, G, H are left in l->s. *rank is zero on entry, freed by the caller also after a
 * failure. */
static ga_status check_rank(checking *l, ga_rank *rank) {
  ga_static_system *s = &l->s;
  ga_check *c = l->c;
  ga_status status = ga_eval_mass(&s->eval, l->t, l->q, &s->M);
  if (status == GA_OK) status = ga_eval_G(&s->eval, l->t, l->q, &s->G);
  if (status == GA_OK) status = ga_eval_H(&s->eval, l->t, l->q, l->v, &s->H);
  if (status != GA_OK) return status;
  const ga_rank_rows rows = {.G = &s->G, .H = &s->H, .mass = s->W.val};
  status = ga_rank_analyze(rank, &rows, GA_RANK_AUTO, l->err);
  if (status != GA_OK) return status;
  c->redundant = rank->ndependent;
  c->gruebler = c->velocities - c->rows;
  c->positions = c->freedom = c->velocities - rank->rank;
  if (s->npsi > 0) status = count_positions(l);
  if (status != GA_OK) return status;
  report_freedom(l);
  const ga_model *model = &l->m->model;
  char text[500];
  for (int i = 0; ga_rank_sentence(rank, model->nlam, model->lam_names, model->psi_names, i, text,
                                   sizeof text);
       i++) {
    if (i < REPORTED_MOST) report(l, GA_LOG_INFO, "  %s.", text);
    if (i == REPORTED_MOST) report(l, GA_LOG_INFO, "  and so on.");
  }
  return GA_OK;
}

/* ---- start values --------------------------------------------------------------------------- */

/* Residuals of the start values: sets gap (largest |g| / length of the mechanism) and slip (largest
 * |G v + g_t| and |k|) of l->c. With holonomic rows it also reports them, a warning above 1e-6, and
 * how far an assembly moved the bodies. G of check_rank must be in l->s; overwrites l->s.rhs. */
static ga_status check_start(checking *l) {
  ga_static_system *s = &l->s;
  const ga_mechanism *m = l->m;
  double *r = s->rhs;
  int worst = 0;
  ga_status status = ga_eval_g(&s->eval, l->t, l->q, r);
  if (status != GA_OK) return status;
  l->c->gap = ga_max_abs(m->nlam, r) / m->length;
  for (int i = 0; i < m->nlam; i++) worst = fabs(r[i]) > fabs(r[worst]) ? i : worst;
  const double gap = m->nlam ? r[worst] : 0;
  status = ga_eval_hidden(&s->eval, l->t, l->q, l->v, &s->G, r);
  l->c->slip = ga_max_abs(m->nlam, r);
  if (status == GA_OK) status = ga_eval_k(&s->eval, l->t, l->q, l->v, r);
  if (status != GA_OK) return status;
  l->c->slip = fmax(l->c->slip, ga_max_abs(m->npsi, r));
  if (m->nlam == 0) return GA_OK;
  if (l->c->gap > 1e-6) {
    report(l, GA_LOG_WARNING, "At the start %s is open by %.3g: it needs to be assembled.",
           m->model.lam_names[worst], fabs(gap));
  } else {
    report(l, GA_LOG_INFO, "All joints are closed at the start (largest gap %.1g, speed %.1g).",
           fabs(gap), l->c->slip);
  }
  double moved = 0, turned = 0;
  const char *name = "";
  for (int i = 1; i < m->bodies.count; i++) {
    const ga_solid *b = &m->bodies.item[i];
    if (b->moved[0] > moved) moved = b->moved[0], name = b->name;
    turned = fmax(turned, b->moved[1]);
  }
  if (moved > 1e-9 * m->length) {
    report(l, GA_LOG_INFO,
           "Assembly moved bodies by up to %.3g ('%s') and turned them by up to %.3g degrees.",
           moved, name, turned * 180 / PI);
  }
  return GA_OK;
}

/* ---- bodies --------------------------------------------------------------------------------- */

/* attached[i] <- true for every body (0: the ground) that an element or a contact acts on; false on
 * entry. */
static void mark_attached(const ga_mechanism *m, bool *attached) {
  for (int i = 0; i < m->elements.count; i++) {
    const ga_element *el = &m->elements.item[i];
    for (int side = 0; side < 2; side++) attached[el->body[side]] = true;
  }
  for (int i = 0; i < m->touches.count; i++) {
    for (int side = 0; side < 2; side++) attached[m->touches.item[i].body[side]] = true;
  }
}

/* Update lightest and heaviest of l->c (not by massless bodies); warn if the inertia does not fit
 * the mass and the size (arm: distance of its farthest joint point), as after a mistake of units. A
 * rod of length l has inertia m l^2/12: hence sqrt(12 J/m) in the messages. */
static void check_body(checking *l, const ga_solid *b) {
  const double trace = b->J[0] + b->J[4] + b->J[8], size = fmax(b->arm, 1e-3 * l->m->length);
  if (b->mass == 0) {
    report(l, GA_LOG_INFO, "Body '%s' has no mass: its joints must hold it.", b->name);
    return;
  }
  l->c->lightest = fmin(l->c->lightest, b->mass);
  l->c->heaviest = fmax(l->c->heaviest, b->mass);
  if (b->kind->nphi == 0) return;
  const double ratio = trace / (b->mass * size * size);
  if (ratio > 1e3 && trace > 1e3 * b->mass * l->m->length * l->m->length) {
    report(l, GA_LOG_WARNING,
           "Body '%s': an inertia of %.3g is that of a body %.3g long, the mechanism is only %.3g. "
           "Are "
           "its units kg m^2?",
           b->name, trace, sqrt(12 * trace / b->mass), l->m->length);
  }
  if (trace > 0 && ratio < 1e-7) {
    report(
        l, GA_LOG_WARNING,
        "Body '%s': an inertia of %.3g is that of a body %.3g long, its joints are %.3g apart. Are "
        "its units kg m^2?",
        b->name, trace, sqrt(12 * trace / b->mass), b->arm);
  }
}

/* Check every body; warn about free bodies, very different masses and gravity in mm/s^2. Sets loose
 * (number of free bodies), lightest (0: no body has mass) and heaviest of l->c. Fails only without
 * memory. */
static ga_status check_bodies(checking *l) {
  const ga_mechanism *m = l->m;
  bool *attached = ga_calloc((size_t)m->bodies.count, sizeof *attached);
  if (!attached) return ga_fail(l->err, GA_ERR_MEM, "no memory to check the mechanism");
  mark_attached(m, attached);
  l->c->lightest = INFINITY;
  for (int i = 1; i < m->bodies.count; i++) {
    check_body(l, &m->bodies.item[i]);
    if (attached[i]) continue;
    l->c->loose++;
    if (l->c->loose <= REPORTED_MOST) {
      report(l, GA_LOG_WARNING, "Body '%s' is connected to nothing: it flies freely.",
             m->bodies.item[i].name);
    }
  }
  ga_free(attached);
  if (!isfinite(l->c->lightest)) l->c->lightest = 0;
  if (l->c->lightest > 0 && l->c->heaviest > 1e6 * l->c->lightest) {
    report(l, GA_LOG_WARNING,
           "Masses go from %.3g to %.3g. If that is not meant, look at their units (kg, g, t).",
           l->c->lightest, l->c->heaviest);
  }
  const double g = ga_norm3(m->gravity);
  if (g > 9000 && g < 11000) {
    report(l, GA_LOG_WARNING,
           "Gravity is %.4g, as in millimetres: masses are then tonnes, for forces to be newtons.",
           g);
  }
  return GA_OK;
}

/* ---- condition ------------------------------------------------------------------------------ */

/* x (s->n numbers) <- S A S x, or (S A S)^-1 x with inverse, S = diag(scale), A = s->blocks.A,
 * which is factored; then x is normalized. Returns the length before that, INFINITY if the solver
 * failed (x is then useless). Overwrites s->rhs. */
static double apply_scaled(ga_static_system *s, const double *scale, bool inverse, double *x) {
  double sum = 0;
  memset(s->rhs, 0, (size_t)s->n * sizeof(double));
  for (int i = 0; i < s->n; i++) {
    x[i] = inverse ? x[i] / scale[i] : x[i] * scale[i];
    if (inverse) s->rhs[i] = x[i];
  }
  if (inverse) {
    if (s->kkt.ls.ops->solve(&s->kkt.ls, s->rhs) != GA_OK) return INFINITY;
  } else {
    ga_csr_mul_add(&s->kkt.blocks.A, 1, x, s->rhs);
  }
  for (int i = 0; i < s->n; i++) {
    x[i] = inverse ? s->rhs[i] / scale[i] : s->rhs[i] * scale[i];
    sum += x[i] * x[i];
  }
  const double length = sqrt(sum);
  for (int i = 0; i < s->n && length > 0; i++) x[i] /= length;
  return length;
}

/* Set l->c->condition, |A| |A^-1| of the scaled matrix A = (M G^T H^T; G 0 0; H 0 0), by 12 power
 * iterations each, and report it. INFINITY, with a warning, if A is singular. Dependent rows
 * (rank->dropped) are zeroed and keep an entry on the diagonal. Needs M, G, H of check_rank;
 * overwrites G, H, D and the factors in l->s. */
static ga_status check_condition(checking *l, const ga_rank *rank) {
  ga_static_system *s = &l->s;
  double *x = ga_arena_doubles(&s->arena, (size_t)s->n);
  double *scale = ga_arena_doubles(&s->arena, (size_t)s->n);
  if (s->arena.failed) return ga_fail(l->err, GA_ERR_MEM, "no memory to check the mechanism");
  ga_static_system_set_scales(s);
  for (int i = 0; i < s->n; i++) {
    scale[i] = 1 / sqrt(i < s->nv ? s->W.val[i] : s->D.val[i - s->nv]);
  }
  for (int i = 0; i < s->nlam + s->npsi; i++) {
    ga_csr *rows = i < s->nlam ? &s->G : &s->H;
    const int row = i < s->nlam ? i : i - s->nlam;
    if (!rank->dropped[i]) s->D.val[i] = 0;
    for (int e = rows->ptr[row]; rank->dropped[i] && e < rows->ptr[row + 1]; e++) rows->val[e] = 0;
  }
  ga_status status = ga_static_system_factor(s, &(ga_static_system_weights){.m = 1, .e = 1});
  if (status != GA_OK) {
    ga_error_clear(l->err);
    l->c->condition = INFINITY;
    report(l, GA_LOG_WARNING,
           "Masses and constraints together do not determine the accelerations.");
    return status < 0 ? status : GA_OK;
  }
  double norm[2] = {0, 0};
  for (int k = 0; k < 2; k++) {
    uint32_t random = 7;
    for (int i = 0; i < s->n; i++) {
      random = random * 1664525u + 1013904223u;
      x[i] = (double)(random >> 8) / 8388608.0 - 1;
    }
    /* k = 0: the norm of A, k = 1: of its inverse */
    for (int i = 0; i < 12; i++) norm[k] = apply_scaled(s, scale, k == 1, x);
  }
  l->c->condition = norm[0] * norm[1];
  if (l->c->condition > 1e10) {
    report(
        l, GA_LOG_WARNING,
        "Masses and constraints are badly conditioned (%.1g): accelerations lose that many digits. "
        "Look for nearly dependent joints and for masses of very different size.",
        l->c->condition);
  } else {
    report(l, GA_LOG_INFO, "The equations are well posed (condition %.1g).", l->c->condition);
  }
  return GA_OK;
}

/* ---- frequencies ---------------------------------------------------------------------------- */

/* Largest |angular velocity| component of a body at the start, rad/s. */
static double fastest_rotation(const checking *l) {
  double most = 0;
  for (int i = 1; i < l->m->bodies.count; i++) {
    const ga_solid *b = &l->m->bodies.item[i];
    for (int k = b->kind->nx; k < b->kind->nv; k++) most = fmax(most, fabs(l->v[b->v_at + k]));
  }
  return most;
}

/* Set slowest (vibration; 0 on entry, modes come slowest first) and fastest (any mode) of l->c in
 * rad/s from all modes; costs O(nv^3). After a failure, which has no message, fastest is 0. */
static ga_status find_all_frequencies(checking *l) {
  ga_check *c = l->c;
  const int room = 2 * l->m->nv;
  c->fastest = 0;
  double *re = ga_calloc((size_t)room, sizeof(double)),
         *im = ga_calloc((size_t)room, sizeof(double));
  ga_modes modes = {.room = room, .re = re, .im = im};
  ga_error ignored = {GA_OK, ""};
  ga_status status = GA_ERR_MEM;
  /* true: frozen, the state is taken as it stands even if it is not at rest */
  if (re && im) status = ga_mechanism_modes(l->m, l->t, l->q, l->v, true, &modes, &ignored);
  for (int i = 0; status == GA_OK && i < modes.count; i++) {
    if (im[i] > 0 && c->slowest == 0) c->slowest = im[i];
    c->fastest = fmax(c->fastest, hypot(re[i], im[i]));
  }
  ga_free(re);
  ga_free(im);
  return status;
}

/* Set l->c->fastest (and slowest, for at most MODES_MOST velocities), frequencies at the start in
 * rad/s, and suggest the step size l->c->h in s: STEPS_A_PERIOD steps in a period of the fastest
 * vibration or rotation at the start, or near it if a force is stiffer there. All stay 0 if nothing
 * moves. Fails only without memory: frequencies that cannot be found count as 0. */
static ga_status check_frequencies(checking *l) {
  ga_check *c = l->c;
  ga_error ignored = {GA_OK, ""};
  if (c->freedom == 0) return GA_OK;
  ga_status status = ga_fastest_mode(&l->m->model, l->t, l->q, l->v, &c->fastest, &ignored);
  if (status == GA_OK && c->fastest > 0 && l->m->nv <= MODES_MOST) status = find_all_frequencies(l);
  if (status == GA_ERR_MEM) return ga_fail(l->err, status, "no memory to check the mechanism");
  if (status != GA_OK) c->fastest = 0;
  const double turn = fastest_rotation(l), fastest = fmax(c->fastest, turn);
  double nearby = 0, moved = 0;
  const ga_beside_start place = {l->m, l->t, l->q, l->v, l->unit};
  if (ga_beside_start_fastest(&place, &nearby, &moved) != GA_OK) {
    return ga_fail(l->err, GA_ERR_MEM, "no memory to check the mechanism");
  }
  if (nearby > 1.5 * fastest) {
    c->h = 2 * PI / nearby / STEPS_A_PERIOD;
    report(l, GA_LOG_INFO,
           "Moved by %.0e of its size from the start, where a force is stiffer, its fastest "
           "vibration or decay takes %.3g s: a step of h = %.1g resolves it.",
           moved, 2 * PI / nearby, c->h);
    return GA_OK;
  }
  if (!(fastest > 0)) return GA_OK;
  c->h = 2 * PI / fastest / STEPS_A_PERIOD;
  report(l, GA_LOG_INFO,
         "The fastest %s at the start takes %.3g s: a step of h = %.1g resolves it%s.",
         turn > c->fastest ? "rotation" : "vibration or decay", 2 * PI / fastest, c->h,
         c->slowest > 0 && c->fastest > 1e3 * c->slowest
             ? "; a larger one is enough if only slower motions matter"
             : "");
  return GA_OK;
}

/* Compare all derivatives with difference quotients. Sets l->c->derivatives_ok; a difference is a
 * warning, not an error. */
static void check_derivatives(checking *l) {
  ga_error own = {GA_OK, ""};
  const ga_beside_start place = {l->m, l->t, l->q, l->v, l->unit};
  bool smooth;
  l->c->derivatives_ok = ga_beside_start_agree(&place, &smooth, &own);
  if (smooth) {
    report(l, GA_LOG_INFO, "Its derivatives agree with difference quotients.");
  } else if (l->c->derivatives_ok) {
    report(l, GA_LOG_INFO,
           "A force has a kink at the start; beside it the derivatives agree with difference "
           "quotients.");
  } else {
    report(l, GA_LOG_WARNING, "A derivative does not agree with its difference quotient: %s",
           own.text);
  }
}

/* All checks in order; they share the matrices in l->s, which is open, and fill l->c, l->unit and
 * the weights l->s.W. Stops at the first error. */
static ga_status check_all(checking *l) {
  const ga_mechanism *m = l->m;
  ga_rank rank = {0};
  l->unit = ga_arena_doubles(&l->s.arena, (size_t)m->nv);
  if (!l->unit) return ga_fail(l->err, GA_ERR_MEM, "no memory to check the mechanism");
  ga_mechanism_weights(m, l->s.W.val, l->unit);
  const ga_check_place place = {l->t, l->q, l->s.W.val, l->unit};
  int beams = 0;
  ga_status status = check_rank(l, &rank);
  if (status == GA_OK) status = check_start(l);
  if (status == GA_OK) status = check_bodies(l);
  if (status == GA_OK) status = ga_check_beams(m, &place, l->say, l->context, &beams, l->err);
  l->c->warnings += beams;
  if (status == GA_OK) status = check_condition(l, &rank);
  if (status == GA_OK) status = check_frequencies(l);
  if (status == GA_OK) check_derivatives(l);
  ga_rank_free(&rank);
  return status;
}

/* The checks in absolute coordinates, which tell about all joints, of a mechanism in joint coordinates;
 * then the derivatives in these. */
static ga_status check_in_joints(const ga_mechanism *m, double t, const double *q, const double *v,
                                 ga_log_fn log, void *context, ga_check *check, ga_error *err) {
  const ga_mechanism *a = m->absolute;
  double *qa = ga_calloc((size_t)(a->nq + a->nv + 2 * m->nv), sizeof *qa), *va = qa + a->nq;
  double *weight = va + a->nv, *unit = weight + m->nv;
  if (!qa || ga_tree_write(m, q, v, qa, va) != GA_OK) {
    ga_free(qa);
    return ga_fail(err, GA_ERR_MEM, "no memory to check the mechanism");
  }
  /* the start without the rounding of a change of coordinates: which of several dependent rows are
   * named depends on it */
  if (memcmp(q, m->q0, (size_t)m->nq * sizeof *q) == 0)
    memcpy(qa, a->q0, (size_t)a->nq * sizeof *q);
  if (memcmp(v, m->v0, (size_t)m->nv * sizeof *v) == 0)
    memcpy(va, a->v0, (size_t)a->nv * sizeof *v);
  ga_status status = ga_mechanism_check(a, t, qa, va, log, context, check, err);
  checking l = {.m = m, .say = log, .context = context, .c = check, .err = err};
  const ga_beside_start place = {m, t, q, v, unit};
  ga_error own = {GA_OK, ""};
  bool smooth;
  ga_mechanism_weights(m, weight, unit);
  if (status == GA_OK && check->derivatives_ok && !ga_beside_start_agree(&place, &smooth, &own)) {
    check->derivatives_ok = false;
    report(&l, GA_LOG_WARNING,
           "A derivative in joint coordinates does not agree with its difference quotient: %s",
           own.text);
  }
  ga_free(qa);
  report(&l, GA_LOG_INFO, "Coordinates: %s.", m->coordinates_text);
  return status;
}

/* Check a built mechanism at (t, q, v): *check <- the results (may be NULL), log <- sentences about
 * them (may be NULL). What it finds wrong is a warning; it fails only if a check could not be made,
 * *check then has the results so far. */
ga_status ga_mechanism_check(const ga_mechanism *m, double t, const double *q, const double *v,
                             ga_log_fn log, void *context, ga_check *check, ga_error *err) {
  ga_error own;
  ga_check none;
  if (!err) err = &own;
  if (!check) check = &none;
  *check = (ga_check){0};
  if (!m->built) return ga_fail(err, GA_ERR_ARG, "the mechanism has not been built");
  if (m->tree) return check_in_joints(m, t, q, v, log, context, check, err);
  const ga_mechanism *whole = m;
  ga_mechanism joints;
  m = ga_mechanism_without_contacts(m, &joints);
  *check = (ga_check){.bodies = m->bodies.count - 1,
                      .joints = m->joints.count,
                      .coordinates = m->coordinates.count,
                      .velocities = m->nv,
                      .rows = m->nlam + m->npsi,
                      .length = m->length};
  checking l = {
      .m = m, .t = t, .q = q, .v = v, .say = log, .context = context, .c = check, .err = err};
  /* true: its matrix has room for M */
  ga_status status = ga_static_system_open(&l.s, &m->model, true, err);
  if (status == GA_OK) status = check_all(&l);
  if (status == GA_OK && whole != m) {
    const int n = whole->model.ncontacts;
    report(&l, GA_LOG_INFO, "Its %d point%s of contact and end%s of limits count as open here.", n,
           n == 1 ? "" : "s", n == 1 ? "" : "s");
  }
  ga_static_system_close(&l.s);
  return status;
}
