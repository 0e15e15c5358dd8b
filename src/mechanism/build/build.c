/* SPDX-License-Identifier: MIT */
/* From a list of bodies and elements to a model with start values. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mechanism/mechanism.h"

/* ---- names of unknowns and rows ------------------------------------------------------------- */

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

/* Largest numbers that an element subtracts from each other at the start, in x, y and z: its two
 * points, which are sums of a position and an arm, and its length. */
static void sizes_in(const ga_mechanism *m, const ga_element *el, double *size) {
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

/* ga_model.q_size: the largest numbers that elements add to the position of a body or subtract from
 * it. Rotations and angles have size 1. */
static bool size_coordinates(ga_mechanism *m) {
  double *size = ga_arena_doubles(&m->arena, (size_t)m->nv), in[3];
  if (m->arena.failed) return false;
  for (int i = 0; i < m->nv; i++) size[i] = 1;
  for (int i = 1; i < m->bodies.count; i++) {
    const ga_solid *b = &m->bodies.item[i];
    for (int k = 0; k < b->kind->nx; k++) size[b->v_at + k] = fabs(b->x0[k]);
  }
  for (int i = 0; i < m->joints.count + m->others.count; i++) {
    const ga_element *el = ga_mechanism_element(m, i);
    sizes_in(m, el, in);
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
    sizes_in(m, joint, in);
    size[angle->v_at] = ga_max_abs(3, in);
  }
  m->model.q_size = size;
  return true;
}

/* ---- start values --------------------------------------------------------------------------- */

/* the box around joint points and centres of mass: its diagonal, or 1 */
static double length_of(const ga_mechanism *m) {
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

static ga_status take_start(ga_mechanism *m, ga_error *err) {
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

/* g, G v + g_t, k of all rows, in this order, into one array */
static int residuals(const ga_mechanism *m, double t0, ga_csr *G, double *r) {
  double *g = r, *gv = r + m->nlam, *k = r + 2 * m->nlam;
  const int code = ga_mechanism_evaluate(m, t0, m->q0, m->v0,
                                         &(ga_evaluation){.g = g, .G = G, .k = k, .gt = gv});
  if (code == 0) ga_csr_mul_add(G, 1, m->v0, gv);
  return code;
}

/* Rows of a joint alone have a length, but for those that only turn. */
static double allowed(const ga_mechanism *m, const ga_element *el, int row) {
  return 1e-6 * (ga_row_is_length(m, el, row) ? m->length : 1);
}

static ga_status judge(const ga_mechanism *m, double t0, const double *r, bool *rough,
                       ga_error *err) {
  static const char *const what[] = {"is open by %.3g", "moves apart with %.3g", "slips with %.3g"};
  *rough = false;
  for (int i = 0; i < m->elements.count; i++) {
    const ga_element *el = &m->elements.item[i];
    for (int row = 0; row < el->nlam + el->npsi; row++) {
      const double limit = allowed(m, el, row);
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

/* A velocity without mass that no row of G or H holds: nothing determines it. */
static ga_status check_held(const ga_mechanism *m, double t0, const ga_csr *G, ga_csr *H,
                            double *held, ga_error *err) {
  const int code = ga_mechanism_evaluate(m, t0, m->q0, m->v0, &(ga_evaluation){.H = H});
  if (code != 0) return GA_OK; /* the rows report it themselves */
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

/* To rounding, by the integrator's own projections. Where these fail (redundant rows) the values
 * stay as they are: the start of a run reports what is wrong. */
static void polish(ga_mechanism *m, double t0) {
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
    const int code = residuals(m, t0, &G, r);
    char text[300];
    status = code == 0 ? judge(m, t0, r, &rough, err)
                       : ga_fail(err, GA_ERR_INITIAL, "at the start: %s",
                                 ga_mechanism_explain(m, code, text, sizeof text));
    if (status == GA_OK) status = check_held(m, t0, &G, &H, held, err);
  }
  ga_arena_free(&scratch);
  if (status == GA_OK && rough) polish(m, t0);
  return status;
}

ga_status ga_mechanism_build(ga_mechanism *m, double t0, ga_error *err) {
  if (m->built) return ga_fail(err, GA_ERR_ARG, "the mechanism has been built already");
  if (m->bodies.count < 2) return ga_fail(err, GA_ERR_ARG, "the mechanism has no bodies");
  /* whatever happens now, a second attempt would find lists half done */
  m->built = true;
  m->length = length_of(m);
  ga_mechanism_measure_arms(m);
  ga_status status = ga_mechanism_layout(m, err);
  if (status == GA_OK) status = ga_mechanism_make_model(m, err);
  if (status == GA_OK && !size_coordinates(m)) {
    status = ga_fail(err, GA_ERR_MEM, "no memory for the mechanism");
  }
  if (status == GA_OK) status = ga_mechanism_name_columns(m, err);
  if (status == GA_OK) status = take_start(m, err);
  if (status == GA_OK && m->assemble) status = ga_mechanism_assemble_start(m, t0, err);
  return status == GA_OK ? check_start(m, t0, err) : status;
}

const ga_model *ga_mechanism_model(const ga_mechanism *m) {
  return &m->model;
}

const double *ga_mechanism_q0(const ga_mechanism *m) {
  return m->q0;
}

const double *ga_mechanism_v0(const ga_mechanism *m) {
  return m->v0;
}

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
