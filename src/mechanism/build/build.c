/* SPDX-License-Identifier: MIT */
/* From a list of bodies and elements to a model with start values. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mechanism/build/layout.h"
#include "mechanism/contact/contact.h"
#include "mechanism/evaluate/time_corners.h"
#include "mechanism/signal/signal.h"
#include "mechanism/tree/tree.h"

/* ---- names of unknowns and rows ------------------------------------------------------------- */

/* Fill q (nq) and v (nv) with the names of all unknowns, such as "crank.x"; body 0, the ground, has
 * none. The name of a joint coordinate's velocity also says which element or output asked for it.
 * Without memory names are NULL and m->arena.failed is set. */
static void name_unknowns(ga_mechanism *m, const char **q, const char **v) {
  if (m->tree) ga_tree_name_unknowns(m, q, v);
  for (int i = 1; !m->tree && i < m->bodies.count; i++) {
    const ga_solid *b = &m->bodies.item[i];
    for (int k = 0; k < b->kind->nq; k++) {
      q[b->q_at + k] = ga_mechanism_text(m, b->name, b->kind->q_names[k]);
    }
    for (int k = 0; k < b->kind->nv; k++) {
      v[b->v_at + k] = ga_mechanism_text(m, b->name, b->kind->v_names[k]);
    }
  }
  for (int c = 0; c < m->coordinates.count; c++) {
    const ga_angle *angle = &m->coordinates.item[c];
    char text[400];
    if (m->tree && angle->v_at < m->tree->nfreedom) continue; /* it has a mass */
    q[angle->q_at] = angle->name;
    if (angle->joint < 0) {
      snprintf(text, sizeof text, "the rate of %s", angle->name);
    } else {
      snprintf(text, sizeof text, "%s, which %s asked for", angle->name, angle->asked_by);
    }
    v[angle->v_at] = ga_mechanism_text(m, text, NULL);
  }
}

/* Fill lam (nlam) and psi (npsi) with the names of holonomic and nonholonomic rows, as "joint pin,
 * row 2". Without memory names are NULL and m->arena.failed is set. */
static void name_rows(ga_mechanism *m, const char **lam, const char **psi) {
  for (int i = 0; i < m->elements.count; i++) {
    const ga_element *el = &m->elements.item[i];
    const int rows = el->nlam + el->npsi;
    for (int r = 0; r < rows; r++) {
      char text[300];
      snprintf(text, sizeof text, rows > 1 ? "%s %.200s, row %d" : "%s %.200s", el->type->what,
               el->name, r + 1);
      const char *name = ga_mechanism_text(m, text, NULL);
      if (r < el->nlam) {
        lam[el->lam_at + r] = name;
      } else {
        psi[el->psi_at + r - el->nlam] = name;
      }
    }
  }
}

/* Set the four lists of names in m->model; they live in m's arena. False: no memory. */
static bool name_all(ga_mechanism *m) {
  const int sizes[4] = {m->nq, m->nv, m->nlam, m->npsi};
  const char **names[4];
  for (int i = 0; i < 4; i++) {
    names[i] = ga_arena_take(&m->arena, (size_t)sizes[i], sizeof *names[i]);
  }
  if (m->arena.failed) return false;
  name_unknowns(m, names[0], names[1]);
  name_rows(m, names[2], names[3]);
  m->model.q_names = names[0], m->model.v_names = names[1];
  m->model.lam_names = names[2], m->model.psi_names = names[3];
  return !m->arena.failed;
}

/* ---- the model ------------------------------------------------------------------------------ */

/* Set m->model from the patterns and sizes of the layout (ga_mechanism_layout comes first), name
 * its unknowns and rows, and validate it. The model is scleronomic unless an element has holonomic
 * rows that depend on t. Fails without memory or if the model is not valid. */
ga_status ga_mechanism_make_model(ga_mechanism *m, ga_error *err) {
  m->model = (ga_model){.ops = &ga_mechanism_ops,
                        .user = m,
                        .space = m->space,
                        .nlam = m->nlam,
                        .npsi = m->npsi,
                        .pat_M = m->tree && m->tree->full_M ? NULL : &m->M,
                        .pat_K = m->tree && m->tree->full_K ? NULL : &m->K,
                        .pat_G = &m->G,
                        .pat_H = &m->H,
                        .coordinates = m->tree ? "joint" : NULL,
                        .const_mass = !m->tree,
                        .scleronomic = true};
  bool reacts = false;
  for (int i = 0; i < m->elements.count; i++) {
    const ga_element *el = &m->elements.item[i];
    const bool constant = el->type->relation && ((const ga_relation *)el->data)->law.zero;
    if (el->type->rheonomic && !constant) m->model.scleronomic = false;
    if (ga_structure_of(m, el).mass == GA_MASS_FULL) m->model.const_mass = false;
    if ((el->npsi > 0 && el->reach) || el->type == &ga_element_bearing) reacts = true;
  }
  m->model.ops = ga_mechanism_ops_of(m, reacts);
  if (!name_all(m) || !ga_mechanism_set_inputs(m) || !ga_mechanism_set_contacts(m) ||
      !ga_mechanism_prepare_future(m))
    return ga_fail(err, GA_ERR_MEM, "no memory for the mechanism");
  return ga_model_validate(&m->model, err);
}

/* ---- sizes ---------------------------------------------------------------------------------- */

/* size[k], k = x, y, z <- magnitude of the largest lengths that the element adds or subtracts at
 * the start: its points in space, their arms, its length. Drawn-only points do not count. */
static void element_sizes(const ga_mechanism *m, const ga_element *el, double *size) {
  ga_geometry g = {.type = NULL};
  if (el->type->geometry) el->type->geometry(m, el, &g);
  for (int k = 0; k < 3; k++) size[k] = g.length;
  for (int side = 0; side < 2; side++) {
    const ga_solid *b = &m->bodies.item[el->body[side]];
    double p[3];
    if (!g.has[side] || g.only_drawn) continue;
    ga_times3(b->R0, g.s[side], p);
    ga_plus3(p, 1, b->x0, p);
    for (int k = 0; k < 3; k++) size[k] = fmax(size[k], fmax(fabs(p[k]), ga_norm3(g.s[side])));
  }
}

/* Set m->model.q_size, one scale per velocity (nv, in m's arena): for a position the largest length
 * that elements add to it or subtract from it at the start, for rotations and angles 1. False: no
 * memory. After the layout. */
static bool set_coordinate_sizes(ga_mechanism *m) {
  double *size = ga_arena_doubles(&m->arena, (size_t)m->nv), in[3];
  if (m->arena.failed) return false;
  for (int i = 0; i < m->nv; i++) size[i] = 1;
  for (int i = 1; i < m->bodies.count; i++) {
    const ga_solid *b = &m->bodies.item[i];
    for (int k = 0; k < b->kind->nx; k++) size[b->v_at + k] = fabs(b->x0[k]);
  }
  for (int i = 0; i < ga_mechanism_elements(m); i++) {
    const ga_element *el = ga_mechanism_element(m, i);
    element_sizes(m, el, in);
    for (int side = 0; side < 2; side++) {
      const ga_solid *b = &m->bodies.item[el->body[side]];
      for (int k = 0; el->body[side] > 0 && k < b->kind->nx; k++) {
        size[b->v_at + k] = fmax(size[b->v_at + k], in[k]);
      }
    }
  }
  for (int c = 0; c < m->coordinates.count; c++) {
    ga_angle *angle = &m->coordinates.item[c];
    const ga_coordinate_kind kind = ga_kind_of_coordinate(m, c);
    if (kind == GA_COORDINATE_STATE && angle->joint >= 0) angle->size *= m->length;
    if (kind == GA_COORDINATE_STATE) size[angle->v_at] = angle->size;
    if (kind != GA_COORDINATE_LENGTH) continue;
    element_sizes(m, &m->joints.item[angle->joint], in);
    size[angle->v_at] = ga_max_abs(3, in);
  }
  m->model.q_size = size;
  return true;
}

/* ---- start values --------------------------------------------------------------------------- */

/* p <- point i of the mechanism at the start: centres of mass first, then the two points of every
 * element. False: it has no such point; past == true: i is past the last. */
static bool point_at_start(const ga_mechanism *m, int i, double *p, bool *past) {
  const int bodies = m->bodies.count - 1, elements = ga_mechanism_elements(m);
  *past = i >= bodies + 2 * elements;
  if (*past) return false;
  if (i < bodies) {
    ga_copy3(m->bodies.item[i + 1].x0, p);
    return true;
  }
  const ga_element *el = ga_mechanism_element(m, (i - bodies) / 2);
  const int side = (i - bodies) % 2;
  const ga_solid *b = &m->bodies.item[el->body[side]];
  ga_geometry g = {.type = NULL};
  if (el->type->geometry) el->type->geometry(m, el, &g);
  if (!g.has[side] || g.only_drawn) return false;
  ga_times3(b->R0, g.s[side], p);
  ga_plus3(p, 1, b->x0, p);
  return true;
}

/* The largest distance of a point of the mechanism from `from`, which becomes that point. */
static double farthest_point(const ga_mechanism *m, double *from) {
  double p[3], d[3], at[3], largest = 0;
  bool past = false;
  ga_copy3(from, at);
  for (int i = 0; !past; i++) {
    if (!point_at_start(m, i, p, &past)) continue;
    ga_plus3(p, -1, from, d);
    if (!(ga_norm3(d) > largest)) continue;
    largest = ga_norm3(d);
    ga_copy3(p, at);
  }
  ga_copy3(at, from);
  return largest;
}

/* The largest radius of gyration of a body about an axis; 0 if no body has mass and inertia. */
static double largest_gyration(const ga_mechanism *m) {
  double square = 0;
  for (int i = 1; i < m->bodies.count; i++) {
    const ga_solid *b = &m->bodies.item[i];
    if (b->mass > 0) square = fmax(square, (b->J[0] + b->J[4] + b->J[8]) / (2 * b->mass));
  }
  return sqrt(square);
}

/* The largest distance of centres of mass and of points of joints and forces at the start: from any
 * point to the farthest, from there to the farthest, and once more; axes do not matter. If all
 * points are one: the largest radius of gyration; 1 if the mechanism has no length at all. */
static double overall_length(const ga_mechanism *m) {
  double from[3];
  ga_copy3(m->bodies.item[1].x0, from);
  double length = farthest_point(m, from);
  for (int sweep = 0; sweep < 2; sweep++) length = fmax(length, farthest_point(m, from));
  if (length > 0) return length;
  length = largest_gyration(m);
  return length > 0 ? length : 1;
}

/* Allocate m->q0 (nq) and m->v0 (nv) in m's arena and fill them from the descriptions of bodies and
 * coordinates; fails only without memory. */
static ga_status set_start_values(ga_mechanism *m, ga_error *err) {
  m->q0 = ga_arena_doubles(&m->arena, (size_t)m->nq);
  m->v0 = ga_arena_doubles(&m->arena, (size_t)m->nv);
  if (m->arena.failed) return ga_fail(err, GA_ERR_MEM, "no memory for the mechanism");
  for (int i = 1; i < m->bodies.count; i++) {
    const ga_solid *b = &m->bodies.item[i];
    b->kind->start(b, m->q0 + b->q_at, m->v0 + b->v_at);
  }
  for (int c = 0; c < m->coordinates.count; c++) {
    const ga_angle *angle = &m->coordinates.item[c];
    m->q0[angle->q_at] = angle->start;
    m->v0[angle->v_at] = angle->start_rate;
  }
  return GA_OK;
}

/* What the checks of the start need: matrices with values at the start, and work arrays. */
typedef struct {
  ga_csr M, G, H;
  double *r;    /* (g, G v + g_t, k): nlam, nlam and npsi numbers */
  double *F;    /* nv: forces */
  double *held; /* nv: how well constraints hold each velocity */
  double rate;  /* the mechanism's own unit of 1/time, see start_rate */
} start_data;

/* Largest |g_t| of the elements, lengths divided by the length of the mechanism. gt: nlam numbers. */
static double largest_drive(const ga_mechanism *m, const double *gt) {
  double largest = 0;
  for (int i = 0; i < m->elements.count; i++) {
    const ga_element *el = &m->elements.item[i];
    for (int row = 0; row < el->nlam; row++) {
      const double size = ga_row_size(m, el, row);
      largest = fmax(largest, fabs(gt[el->lam_at + row]) / size);
    }
  }
  return largest;
}

/* The rate (1/time) at which the mechanism moves over its own length: the largest of
 *
 *     sqrt(w) |v| / length,   |g_t| of drives,   sqrt(sqrt(w) |F|/m / length)
 *
 * of all velocities v with their masses m. Residuals of velocities are measured with it. d has M, F
 * and G at the start, g_t in place of G v + g_t. */
static double start_rate(const ga_mechanism *m, const start_data *d) {
  double rate = largest_drive(m, d->r + m->nlam);
  for (int i = 0; i < m->nv; i++) {
    const double root = sqrt(m->model.metric[i]);
    const int e = ga_csr_find(&d->M, i, i);
    const double mass = e < 0 ? 0 : d->M.val[e];
    rate = fmax(rate, root * fabs(m->v0[i]) / m->length);
    if (mass > 0) rate = fmax(rate, sqrt(root * fabs(d->F[i]) / mass / m->length));
  }
  return rate;
}

/* Evaluate M, F (zero if that fails), G and the residuals r of d at (t0, m->q0, m->v0), then
 * d->rate. The matrices are zeroed by the caller. Returns 0 or the code of the element that could
 * not be evaluated; d is then useless. */
static int start_residuals(const ga_mechanism *m, double t0, start_data *d) {
  double *gv = d->r + m->nlam, *k = d->r + 2 * m->nlam;
  const ga_evaluation rows = {.g = d->r, .G = &d->G, .k = k, .gt = gv};
  const ga_evaluation forces = {.M = &d->M, .F = d->F};
  const int code = ga_mechanism_evaluate(m, t0, m->q0, m->v0, &rows);
  if (code != 0) return code;
  /* the start of a run reports forces that cannot be evaluated */
  if (ga_mechanism_evaluate(m, t0, m->q0, m->v0, &forces) != 0 || !ga_finite(m->nv, d->F)) {
    memset(d->F, 0, (size_t)m->nv * sizeof(double));
  }
  d->rate = start_rate(m, d);
  ga_csr_mul_add(&d->G, 1, m->v0, gv);
  return 0;
}

/* Largest residual of a row that a start may have, relative to the mechanism's length (1 for
 * angles), and to its length or 1 times its rate for velocities. */
static const double START_TOL = 1e-6;
/* Residuals above this part of START_TOL are corrected. */
static const double ROUGH = 1e-7;

/* Largest residual of a row that a start may have. velocity: of G v + g_t or k, with the rate of
 * start_rate. */
static double allowed_residual(const ga_mechanism *m, const ga_element *el, int row, bool velocity,
                               double rate) {
  const double size = ga_row_size(m, el, row);
  return START_TOL * size * (velocity ? rate : 1);
}

/* A hint for the message about a coupler or drive whose row is violated by `value` at the start: "" or
 * that an angle of it is a whole number of turns away, as angles start in (-pi, pi]. */
static const char *turns_hint(const ga_mechanism *m, const ga_element *el, double value) {
  static const double two_pi = 6.283185307179586;
  if (el->type != &ga_element_coupler && el->type != &ga_element_drive) return "";
  for (int k = 0; k < el->ncoordinate; k++) {
    const ga_angle *angle = &m->coordinates.item[el->coordinate[k]];
    if (angle->joint < 0) continue;
    const ga_joint_data *joint = m->joints.item[angle->joint].data;
    const double factor =
        el->type == &ga_element_coupler ? ((const ga_relation *)el->data)->coefficient[k] : 1;
    if (factor == 0) continue;
    const double turns = value / (two_pi * factor);
    if (!joint->type->coordinate[angle->which].angle || round(turns) == 0) continue;
    if (fabs(turns - round(turns)) > 1e-6) continue;
    return "; that is whole turns of an angle, which starts in (-pi, pi] unless its joint has "
           "`turns`";
  }
  return "";
}

/* Fail (GA_ERR_INITIAL) with a message at the first row of d->r (see start_data) that exceeds its
 * limit or is NaN. *rough <- whether a residual is above ROUGH of its limit, so that a projection is
 * worthwhile; complete only on success. level: 0 the position g, 1 the velocity G v + g_t. */
static ga_status check_residuals(const ga_mechanism *m, double t0, const start_data *d, bool *rough,
                                 ga_error *err) {
  static const char *const what[] = {"is open by %.3g", "moves apart with %.3g", "slips with %.3g"};
  *rough = false;
  for (int i = 0; i < m->elements.count; i++) {
    const ga_element *el = &m->elements.item[i];
    for (int row = 0; row < el->nlam + el->npsi; row++) {
      for (int level = 0; level < 2; level++) {
        const bool holonomic = row < el->nlam;
        if (!holonomic && level > 0) continue;
        const double limit = allowed_residual(m, el, row, !holonomic || level > 0, d->rate);
        const double value = holonomic ? d->r[level * m->nlam + el->lam_at + row]
                                       : d->r[2 * m->nlam + el->psi_at + row - el->nlam];
        if (fabs(value) > ROUGH * limit) *rough = true;
        if (fabs(value) <= limit) continue;
        char text[300];
        if (!isfinite(value) &&
            *ga_mechanism_explain_nonfinite(m, t0, m->q0, m->v0, NULL, text, sizeof text)) {
          return ga_fail(err, GA_ERR_INITIAL, "at the start: %s", text);
        }
        snprintf(text, sizeof text, what[holonomic ? level : 2], value);
        return ga_fail(
            err, GA_ERR_INITIAL,
            "%s '%s' (row %d) %s at the start, allowed is %.1g%s; correct the start values, "
            "or have them made to fit (initial: {assemble: true})",
            el->type->what, el->name, row + 1, text, limit,
            level == 0 ? turns_hint(m, el, value) : "");
      }
    }
  }
  return GA_OK;
}

/* An entry of a constraint row that is smaller than this, relative to its largest, holds nothing. */
static const double HOLDS = 1e-12;

/* held[j] <- the largest of held[j] and |D_ij|/sqrt(w_j) over the same of the largest entry of row
 * i, for all rows of D, G or H: how well a row holds velocity j. */
static void find_held(const ga_mechanism *m, const ga_csr *D, double *held) {
  const double *w = m->model.metric;
  for (int i = 0; i < D->nrow; i++) {
    double largest = 0;
    for (int e = D->ptr[i]; e < D->ptr[i + 1]; e++) {
      largest = fmax(largest, fabs(D->val[e]) / sqrt(w[D->col[e]]));
    }
    for (int e = D->ptr[i]; e < D->ptr[i + 1] && largest > 0; e++) {
      double *x = &held[D->col[e]];
      *x = fmax(*x, fabs(D->val[e]) / sqrt(w[D->col[e]]) / largest);
    }
  }
}

/* Fail (GA_ERR_INITIAL) if a velocity has no entry in M and none above HOLDS in G or H: nothing
 * determines it. d->G has its values; d->H (zeroed) receives them; d->held is zero on entry. GA_OK,
 * too, if H cannot be evaluated. */
static ga_status check_determined(const ga_mechanism *m, double t0, start_data *d, ga_error *err) {
  const int code = ga_mechanism_evaluate(m, t0, m->q0, m->v0, &(ga_evaluation){.H = &d->H});
  if (code != 0) return GA_OK; /* the start of a run reports this failure */
  find_held(m, &d->G, d->held);
  find_held(m, &d->H, d->held);
  for (int j = 0; j < m->nv; j++) {
    if (m->M.ptr[j + 1] > m->M.ptr[j] || d->held[j] > HOLDS) continue;
    return ga_fail(
        err, GA_ERR_INITIAL,
        "velocity %s has neither mass nor a joint that holds it; give its body an inertia or a "
        "shape, or a joint; a rod between two balls needs a radius, for inertia about its axis",
        m->model.v_names[j]);
  }
  return GA_OK;
}

/* Project m->q0 and m->v0 onto the constraints, to rounding, by starting an integrator. If that
 * fails they stay unchanged, without a message: the start of a run reports the reason. rate: of
 * start_rate; the integrator needs a step size, a thousandth of its time. */
static void project_start(ga_mechanism *m, double t0, double rate) {
  ga_options o = ga_options_default();
  ga_integrator *it = NULL;
  if (rate > 0) o.h = 1e-3 / rate;
  o.start = GA_START_PLAIN;
  o.initial = GA_INITIAL_PROJECT;
  o.redundant = GA_REDUNDANT_ALLOW;
  if (ga_integrator_new(&m->model, &o, &it, NULL) == GA_OK &&
      ga_integrator_start(it, t0, m->q0, m->v0) == GA_OK) {
    const ga_state *s = ga_integrator_state(it);
    memcpy(m->q0, s->q, (size_t)m->nq * sizeof(double));
    memcpy(m->v0, s->v, (size_t)m->nv * sizeof(double));
  }
  ga_integrator_free(it);
}

/* Check that m->q0, v0 satisfy all constraints within tolerance (allowed_residual) and that every
 * velocity is determined; then project them (in place) if they satisfy the constraints only
 * roughly. On failure they stay as they are. */
static ga_status check_start(ga_mechanism *m, double t0, ga_error *err) {
  ga_arena scratch = {0};
  start_data d = {.r = ga_arena_doubles(&scratch, 2 * (size_t)m->nlam + (size_t)m->npsi),
                  .F = ga_arena_doubles(&scratch, (size_t)m->nv),
                  .held = ga_arena_doubles(&scratch, (size_t)m->nv)};
  bool rough = false;
  ga_status status = ga_csr_init(&d.M, m->nv, m->nv, &m->M, &scratch);
  if (status == GA_OK) status = ga_csr_init(&d.G, m->nlam, m->nv, &m->G, &scratch);
  if (status == GA_OK) status = ga_csr_init(&d.H, m->npsi, m->nv, &m->H, &scratch);
  if (scratch.failed) {
    status = ga_fail(err, GA_ERR_MEM, "no memory for the mechanism");
  } else {
    const int code = start_residuals(m, t0, &d);
    char text[300];
    status = code == 0 ? check_residuals(m, t0, &d, &rough, err)
                       : ga_fail(err, GA_ERR_INITIAL, "at the start: %s",
                                 ga_mechanism_explain(m, code, text, sizeof text));
    if (status == GA_OK) status = check_determined(m, t0, &d, err);
  }
  ga_arena_free(&scratch);
  if (status == GA_OK && rough) project_start(m, t0, d.rate);
  return status;
}

/* Assemble the start values, if m says so, and check them: rows of joints, then gaps of contacts. */
static ga_status fit_start(ga_mechanism *m, double t0, ga_error *err) {
  ga_mechanism view, *joints = ga_mechanism_without_contacts(m, &view) == m ? m : &view;
  ga_status status = m->assemble ? ga_mechanism_assemble_start(joints, t0, err) : GA_OK;
  if (status == GA_OK) status = ga_mechanism_settle(m, t0, m->q0, m->v0, err);
  if (status == GA_OK) status = check_start(joints, t0, err);
  return status == GA_OK ? ga_mechanism_check_gaps(m, t0, err) : status;
}

/* Number the unknowns, set up the model and its columns, assemble and check the start values at t0.
 * Sets m->built and all members below "set by the build". To be called once, even if it fails. */
ga_status ga_mechanism_build(ga_mechanism *m, double t0, ga_error *err) {
  if (m->built) return ga_fail(err, GA_ERR_ARG, "the mechanism has been built already");
  if (m->bodies.count < 2) return ga_fail(err, GA_ERR_ARG, "the mechanism has no bodies");
  /* set before the work: after a failure the lists are half filled, so a retry is not possible */
  m->built = true;
  ga_status status = ga_mechanism_resolve(m, NULL, err);
  if (status != GA_OK) return status;
  m->length = overall_length(m);
  ga_mechanism_measure_arms(m);
  status = ga_mechanism_layout(m, err);
  if (status == GA_OK) status = ga_mechanism_make_model(m, err);
  if (status == GA_OK && !(set_coordinate_sizes(m) && ga_mechanism_set_metric(m))) {
    status = ga_fail(err, GA_ERR_MEM, "no memory for the mechanism");
  }
  if (status == GA_OK) status = ga_mechanism_name_columns(m, err);
  if (status == GA_OK) status = set_start_values(m, err);
  if (status == GA_OK) status = fit_start(m, t0, err);
  if (status == GA_OK) status = ga_mechanism_settle(m, t0, m->q0, m->v0, err);
  return status == GA_OK ? ga_mechanism_choose_coordinates(m, t0, err) : status;
}

/* The model that the build has set up, owned by m; empty before the build. */
const ga_model *ga_mechanism_model(const ga_mechanism *m) {
  return &m->model;
}

/* Start values of q and v, nq and nv numbers owned by m; NULL before the build. */
const double *ga_mechanism_q0(const ga_mechanism *m) {
  return m->q0;
}
const double *ga_mechanism_v0(const ga_mechanism *m) {
  return m->v0;
}
