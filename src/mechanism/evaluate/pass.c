/* SPDX-License-Identifier: MIT */
/* One evaluation: what elements ask for, handed on to the carrier of the mechanism, which knows what
 * the unknowns are (absolute.c: bodies; tree/: joints of a spanning tree). */
#include "mechanism/mechanism.h"
#include "mechanism/signal/signal.h"

/* Set all of *pass for an evaluation at (t, q, v): flags from *out, no frames yet. m, q, v, out must
 * outlive the pass; v may be NULL (all velocities zero) unless F, tangents or drifts are wanted.
 * Nothing of *out is written here. False: no memory; then no other function may be called. */
bool ga_pass_begin(ga_pass *pass, const ga_mechanism *m, double t, const double *q, const double *v,
                   const ga_evaluation *out) {
  pass->m = m;
  pass->t = t;
  pass->q = q, pass->v = v;
  pass->u = out->u ? out->u : m->model.input;
  pass->out = out;
  pass->tangents = out->Kt;
  pass->curved = out->Z || out->Y || out->drift || out->k_drift;
  pass->holonomic = out->g || out->G || out->Z || out->gt || out->drift || out->R || out->L;
  pass->nonholonomic = out->k || out->H || out->Y || out->k_drift || out->R || out->P;
  return m->carrier->begin(pass);
}

/* Give back what ga_pass_begin has taken. */
void ga_pass_end(ga_pass *pass) {
  pass->m->carrier->end(pass);
}

void ga_pass_frame(ga_pass *pass, int body, ga_frame *frame) {
  pass->m->carrier->frame(pass, body, frame);
}

void ga_pass_frames(ga_pass *pass, const ga_element *el, const ga_frame **a, const ga_frame **b) {
  pass->m->carrier->frames(pass, el, a, b);
}

void ga_pass_motion(ga_pass *pass, int body, const double *vd, ga_frame *frame, double *p,
                    double *xdd, double *wd) {
  pass->m->carrier->motion(pass, body, vd, frame, p, xdd, wd);
}

void ga_pass_row(ga_pass *pass, const ga_element *el, int i, const ga_row *row) {
  pass->m->carrier->row(pass, el, i, row);
}

void ga_pass_point_row(ga_pass *pass, const ga_element *el, int i, int k, const ga_pair *p) {
  pass->m->carrier->point_row(pass, el, i, k, p);
}

/* Write the derivative `coefficient` of row i by the element's k-th coordinate to G (holonomic
 * rows) or H; does nothing if that matrix is not wanted. */
void ga_pass_row_coordinate(ga_pass *pass, const ga_element *el, int i, int k, double coefficient) {
  const ga_evaluation *out = pass->out;
  const bool holonomic = i < el->nlam;
  ga_csr *A = holonomic ? out->G : out->H, *react = holonomic ? out->L : out->P;
  const int at = el->coordinate_at[i * el->ncoordinate + k];
  if (A) A->val[at] = coefficient;
  if (react) react->val[at] = coefficient;
  if (!out->R) return;
  const double multiplier =
      holonomic ? out->lam[el->lam_at + i] : out->psi[el->psi_at + i - el->nlam];
  out->R[pass->m->coordinates.item[el->coordinate[k]].v_at] -= multiplier * coefficient;
}

void ga_pass_force(ga_pass *pass, const ga_element *el, const double *f) {
  pass->m->carrier->force(pass, el, f);
}

void ga_pass_tangent(ga_pass *pass, const ga_element *el, ga_tangent *t) {
  pass->m->carrier->tangent(pass, el, t);
}

void ga_pass_point_tangent(ga_pass *pass, const ga_element *el, const double *phi,
                           const ga_pair *p) {
  pass->m->carrier->point_tangent(pass, el, phi, p);
}

/* Adds to Kt and Ct how the force changes with the signals of its function. */
int ga_pass_reach(ga_pass *pass, const ga_element *el, const ga_call *c, const double *f) {
  ga_gradient g;
  if (!el->reach || !c->law->uses) return 0;
  const int code = ga_call_gradient(pass, c, el->reach, &g);
  if (code == 0) pass->m->carrier->reach(pass, el, &g, f);
  return code;
}
