/* SPDX-License-Identifier: MIT */
/* From a list of bodies and elements to a model with start values. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mechanism/mechanism.h"

/* ---- names of unknowns and rows ------------------------------------------------------------- */

/* Fill q (nq) and v (nv) with the names of all unknowns, such as "crank.x"; body 0, the ground, has
 * none. The name of a joint coordinate's velocity also says which element or output asked for it.
 * Without memory names are NULL and m->arena.failed is set. */
static void name_unknowns(ga_mechanism *m, const char **q, const char **v) {
  for (int i = 1; i < m->bodies.count; i++) {
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
    q[angle->q_at] = angle->name;
    snprintf(text, sizeof text, "%s, which %s asked for", angle->name, angle->asked_by);
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
                        .pat_M = &m->M,
                        .pat_K = &m->K,
                        .pat_G = &m->G,
                        .pat_H = &m->H,
                        .const_mass = true,
                        .scleronomic = true};
  for (int i = 0; i < m->elements.count; i++) {
    if (m->elements.item[i].type->rheonomic) m->model.scleronomic = false;
  }
  if (!name_all(m)) return ga_fail(err, GA_ERR_MEM, "no memory for the mechanism");
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
  for (int i = 0; i < m->joints.count + m->others.count; i++) {
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
    const ga_angle *angle = &m->coordinates.item[c];
    const ga_element *joint = &m->joints.item[angle->joint];
    if (((const ga_joint_data *)joint->data)->type->coordinate[angle->which].angle) continue;
    element_sizes(m, joint, in);
    size[angle->v_at] = ga_max_abs(3, in);
  }
  m->model.q_size = size;
  return true;
}

/* ---- start values --------------------------------------------------------------------------- */

/* Diagonal of the box around all centres of mass and joint points at the start; 1 if it is zero. */
static double overall_length(const ga_mechanism *m) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  const int bodies = m->bodies.count - 1, points = bodies + 2 * m->joints.count;
  for (int i = 0; i < points; i++) {
    double p[3];
    if (i < bodies) {
      ga_copy3(m->bodies.item[i + 1].x0, p);
    } else {
      const ga_element *joint = &m->joints.item[(i - bodies) / 2];
      const int side = (i - bodies) % 2;
      const ga_solid *b = &m->bodies.item[joint->body[side]];
      ga_times3(b->R0, ((const ga_joint_data *)joint->data)->side[side].s, p);
      ga_plus3(p, 1, b->x0, p);
    }
    for (int k = 0; k < 3; k++) low[k] = fmin(low[k], p[k]), high[k] = fmax(high[k], p[k]);
  }
  const double size[3] = {high[0] - low[0], high[1] - low[1], high[2] - low[2]};
  return points > 0 && ga_norm3(size) > 0 ? ga_norm3(size) : 1;
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

/* r <- (g, G v + g_t, k) at (t0, m->q0, m->v0): nlam, nlam and npsi numbers; G (zeroed by the
 * caller, pattern m->G) receives its values, too. Returns 0 or the code of the element that could
 * not be evaluated; r and G are then useless. */
static int start_residuals(const ga_mechanism *m, double t0, ga_csr *G, double *r) {
  double *g = r, *gv = r + m->nlam, *k = r + 2 * m->nlam;
  const int code = ga_mechanism_evaluate(m, t0, m->q0, m->v0,
                                         &(ga_evaluation){.g = g, .G = G, .k = k, .gt = gv});
  if (code == 0) ga_csr_mul_add(G, 1, m->v0, gv);
  return code;
}

/* Largest residual of a row that a start may have: 1e-6, times the overall length if the row is a
 * length and not an angle. */
static double allowed_residual(const ga_mechanism *m, const ga_element *el, int row) {
  return 1e-6 * (ga_row_is_length(m, el, row) ? m->length : 1);
}

/* Fail (GA_ERR_INITIAL) with a message at the first row of r (see start_residuals) that exceeds its
 * limit or is NaN. *rough <- whether a residual is above 1e-7 of its limit, so that a projection is
 * worthwhile; complete only on success. level: 0 the position g, 1 the velocity G v + g_t. */
static ga_status check_residuals(const ga_mechanism *m, double t0, const double *r, bool *rough,
                                 ga_error *err) {
  static const char *const what[] = {"is open by %.3g", "moves apart with %.3g", "slips with %.3g"};
  *rough = false;
  for (int i = 0; i < m->elements.count; i++) {
    const ga_element *el = &m->elements.item[i];
    for (int row = 0; row < el->nlam + el->npsi; row++) {
      const double limit = allowed_residual(m, el, row);
      for (int level = 0; level < 2; level++) {
        const bool holonomic = row < el->nlam;
        if (!holonomic && level > 0) continue;
        const double value = holonomic ? r[level * m->nlam + el->lam_at + row]
                                       : r[2 * m->nlam + el->psi_at + row - el->nlam];
        if (fabs(value) > 1e-7 * limit) *rough = true;
        if (fabs(value) <= limit) continue;
        char text[300];
        if (!isfinite(value) &&
            *ga_mechanism_explain_nonfinite(m, t0, m->q0, m->v0, text, sizeof text)) {
          return ga_fail(err, GA_ERR_INITIAL, "at the start: %s", text);
        }
        snprintf(text, sizeof text, what[holonomic ? level : 2], value);
        return ga_fail(
            err, GA_ERR_INITIAL,
            "%s '%s' (row %d) %s at the start, allowed is %.1g; correct the start values, "
            "or have them made to fit (initial: {assemble: true})",
            el->type->what, el->name, row + 1, text, limit);
      }
    }
  }
  return GA_OK;
}

/* Fail (GA_ERR_INITIAL) if a velocity has no entry in M and none above 1e-12 of the overall length
 * in G or H: nothing determines it. G has its values; H (zeroed) receives them; held (nv numbers,
 * zero on entry) <- the largest |entry| of each column. GA_OK, too, if H cannot be evaluated. */
static ga_status check_determined(const ga_mechanism *m, double t0, const ga_csr *G, ga_csr *H,
                                  double *held, ga_error *err) {
  const int code = ga_mechanism_evaluate(m, t0, m->q0, m->v0, &(ga_evaluation){.H = H});
  if (code != 0) return GA_OK; /* the start of a run reports this failure */
  const ga_csr *const matrices[] = {G, H};
  for (int k = 0; k < 2; k++) {
    for (int e = 0; e < ga_csr_nnz(matrices[k]); e++) {
      double *x = &held[matrices[k]->col[e]];
      *x = fmax(*x, fabs(matrices[k]->val[e]));
    }
  }
  for (int j = 0; j < m->nv; j++) {
    if (m->M.ptr[j + 1] > m->M.ptr[j] || held[j] > 1e-12 * m->length) continue;
    return ga_fail(
        err, GA_ERR_INITIAL,
        "velocity %s has neither mass nor a joint that holds it; give its body an inertia or a "
        "shape, or a joint; a rod between two balls needs a radius, for inertia about its axis",
        m->model.v_names[j]);
  }
  return GA_OK;
}

/* Project m->q0 and m->v0 onto the constraints, to rounding, by starting an integrator. If that
 * fails they stay unchanged, without a message: the start of a run reports the reason. */
static void project_start(ga_mechanism *m, double t0) {
  ga_options o = ga_options_default();
  ga_integrator *it = NULL;
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
  ga_csr G, H;
  bool rough = false;
  double *r = ga_arena_doubles(&scratch, 2 * (size_t)m->nlam + (size_t)m->npsi);
  double *held = ga_arena_doubles(&scratch, (size_t)m->nv);
  ga_status status = ga_csr_init(&G, m->nlam, m->nv, &m->G, &scratch);
  if (status == GA_OK) status = ga_csr_init(&H, m->npsi, m->nv, &m->H, &scratch);
  if (scratch.failed) {
    status = ga_fail(err, GA_ERR_MEM, "no memory for the mechanism");
  } else {
    const int code = start_residuals(m, t0, &G, r);
    char text[300];
    status = code == 0 ? check_residuals(m, t0, r, &rough, err)
                       : ga_fail(err, GA_ERR_INITIAL, "at the start: %s",
                                 ga_mechanism_explain(m, code, text, sizeof text));
    if (status == GA_OK) status = check_determined(m, t0, &G, &H, held, err);
  }
  ga_arena_free(&scratch);
  if (status == GA_OK && rough) project_start(m, t0);
  return status;
}

/* Number the unknowns, set up the model and its columns, assemble the start values at time t0 if
 * m->assemble asks for it, and check them. Sets m->built and all members of m below "set by the
 * build". May be called once, whether it succeeds or fails, but for a failure without bodies. */
ga_status ga_mechanism_build(ga_mechanism *m, double t0, ga_error *err) {
  if (m->built) return ga_fail(err, GA_ERR_ARG, "the mechanism has been built already");
  if (m->bodies.count < 2) return ga_fail(err, GA_ERR_ARG, "the mechanism has no bodies");
  /* set before the work: after a failure the lists are half filled, so a retry is not possible */
  m->built = true;
  m->length = overall_length(m);
  ga_mechanism_measure_arms(m);
  ga_status status = ga_mechanism_layout(m, err);
  if (status == GA_OK) status = ga_mechanism_make_model(m, err);
  if (status == GA_OK && !(set_coordinate_sizes(m) && ga_mechanism_set_metric(m))) {
    status = ga_fail(err, GA_ERR_MEM, "no memory for the mechanism");
  }
  if (status == GA_OK) status = ga_mechanism_name_columns(m, err);
  if (status == GA_OK) status = set_start_values(m, err);
  if (status == GA_OK && m->assemble) status = ga_mechanism_assemble_start(m, t0, err);
  return status == GA_OK ? check_start(m, t0, err) : status;
}

/* The model that the build has set up, owned by m; empty before the build. */
const ga_model *ga_mechanism_model(const ga_mechanism *m) {
  return &m->model;
}

/* Start values of the configuration, nq numbers owned by m; NULL before the build. */
const double *ga_mechanism_q0(const ga_mechanism *m) {
  return m->q0;
}

/* Start values of the velocities, nv numbers owned by m; NULL before the build. */
const double *ga_mechanism_v0(const ga_mechanism *m) {
  return m->v0;
}

/* Write into text (room bytes) which element returned this code from an evaluation, and why; "" for
 * an unknown code. |code| is 1 + the number of the element (ga_element_code). Returns text. */
const char *ga_mechanism_explain(const ga_mechanism *m, int code, char *text, size_t room) {
  const int i = abs(code) - 1;
  if (room > 0) text[0] = '\0';
  if (i < 0 || i >= m->elements.count) return text;
  const ga_element *el = &m->elements.item[i];
  snprintf(text, room, "%s '%s': %s", el->type->what, el->name,
           code < 0            ? "its function failed"
           : el->type->trouble ? el->type->trouble
                               : "it cannot be evaluated here");
  return text;
}
