/* SPDX-License-Identifier: MIT */
/* The absolute carrier: every body has its own unknowns. Frames of bodies, and the way from space axes
 * to a body's own velocities.
 *
 * A covector f in space axes becomes P^T f, where P maps a body's velocities to (x', omega): the
 * identity or R for x', R for omega, single columns for planar bodies. With P varying, the plain
 * derivatives of frame_pair.h need these additions (rotating kinds; the second of each on SE(3)
 * only):
 *
 *   row J, Z:       Z_phi += omega x J_phi,  x' x J_x             v is held, not x' and omega
 *   tangent f, A:   A(phi,phi) += f_phi~,  A(x,phi) += f_x~       d(R^T f) = R^T (df + f~ dphi)
 *   and B:          A(.,phi) -= B(.,phi) omega~,  B(.,x) x'~      as for rows
 *
 * A kind of body (ga_body_kind) says what P is: nx and nphi are its numbers of velocities of x and
 * of rotation; turn_x, turn_phi: P is R there; phi_at: the axis of its first rotation (planar:
 * z). */
#include <string.h>

#include "mechanism/mechanism.h"
#include "mechanism/signal/signal.h"

/* *frame <- frame of a body at the pass's (q, v). */
static void compute_frame(const ga_pass *pass, int body, ga_frame *frame) {
  const ga_solid *b = &pass->m->bodies.item[body];
  b->kind->frame(pass->q + b->q_at, pass->v ? pass->v + b->v_at : NULL, frame);
}

/* Frame of a body from the cache, computed if it is not there; that overwrites the frame of another
 * body in the same slot. Valid until a later call overwrites it in turn. */
static const ga_frame *frame_of(ga_pass *pass, int body) {
  const int i = body % GA_FRAME_SLOTS;
  if (pass->tag[i] != body) compute_frame(pass, body, &pass->slot[i]);
  pass->tag[i] = body;
  return &pass->slot[i];
}

/* *frame <- frame of a body: a copy from the cache, or computed; the cache does not change, so that
 * frames of an element stay valid. */
static void absolute_frame(ga_pass *pass, int body, ga_frame *frame) {
  const int i = body % GA_FRAME_SLOTS;
  if (pass->tag[i] == body) {
    *frame = pass->slot[i];
  } else {
    compute_frame(pass, body, frame);
  }
}

/* *a, *b and pass->frame <- frames of the element's bodies; valid until the next call. Two bodies
 * that share a cache slot (numbers equal modulo GA_FRAME_SLOTS) use pass->spare for B. */
static void absolute_frames(ga_pass *pass, const ga_element *el, const ga_frame **a,
                            const ga_frame **b) {
  *a = frame_of(pass, el->body[0]);
  const bool clash =
      el->body[0] != el->body[1] && (el->body[0] - el->body[1]) % GA_FRAME_SLOTS == 0;
  if (clash) compute_frame(pass, el->body[1], &pass->spare);
  *b = clash ? &pass->spare : frame_of(pass, el->body[1]);
  pass->frame[0] = *a, pass->frame[1] = *b;
}

/* own <- P^T f of one body: kind->nv numbers; f: 6 numbers (force, moment) in space axes. */
static inline void to_own_axes(const ga_body_kind *kind, const double *R, const double *f,
                               double *own) {
  if (kind->turn_x) {
    ga_times_t3(R, f, own);
  } else {
    for (int i = 0; i < kind->nx; i++) own[i] = f[i];
  }
  if (kind->turn_phi) {
    ga_times_t3(R, f + 3, own + kind->nx);
  } else if (kind->nphi > 0) {
    own[kind->nx] = f[3 + kind->phi_at];
  }
}

/* Write the entries of P^T f whose bits are set in own_mask (bit k: velocity k of the body) to val,
 * one after the other. f: 6 numbers (x, phi) in space axes; R: the body's rotation. */
static inline void store_row_entries(const ga_body_kind *kind, const double *R, unsigned own_mask,
                                     const double *f, double *val) {
  if (kind->turn_phi) {
    double own[6];
    to_own_axes(kind, R, f, own);
    for (int i = 0; i < 6; i++) {
      if (own_mask >> i & 1) *val++ = own[i];
    }
    return;
  }
  for (int i = 0; i < kind->nx; i++) {
    if (own_mask >> i & 1) *val++ = f[i];
  }
  if (own_mask >> kind->nx & 1) *val = f[3 + kind->phi_at];
}

/* f.(P v) of one body, where v are its velocities; pass->v must not be NULL. */
static double times_velocity(const ga_pass *pass, const ga_solid *b, const double *R,
                             const double *f) {
  double own[6], sum = 0;
  to_own_axes(b->kind, R, f, own);
  for (int k = 0; k < b->kind->nv; k++) sum += own[k] * pass->v[b->v_at + k];
  return sum;
}

/* out->R -= multiplier times the row J of one body, 6 numbers in space axes. */
static void add_reaction(const ga_pass *pass, const ga_solid *b, const double *R, const double *J,
                         double multiplier) {
  double own[6];
  to_own_axes(b->kind, R, J, own);
  for (int k = 0; k < b->kind->nv; k++) pass->out->R[b->v_at + k] -= multiplier * own[k];
}

/* Write row i of el (holonomic rows first), as far as pass->out wants it: its value to g or k, J to
 * G or H, and Z, with v held instead of (x', omega), to Z or Y and times v to drift or k_drift.
 * Entries are overwritten, not added to. ga_pass_frames(el) comes first; the ground has no entries;
 * row->Z is read only if Z, Y or a drift is wanted. */
static void absolute_row(ga_pass *pass, const ga_element *el, int i, const ga_row *row) {
  const ga_evaluation *out = pass->out;
  const ga_row_slots *slots = el->row ? &el->row[i] : NULL; /* NULL: rows of a pair that waits */
  const bool holonomic = i < el->nlam;
  const int r = holonomic ? el->lam_at + i : el->psi_at + i - el->nlam;
  double *value = holonomic ? out->g : out->k, *drift = holonomic ? out->drift : out->k_drift;
  ga_csr *first = holonomic ? out->G : out->H, *second = holonomic ? out->Z : out->Y;
  ga_csr *react = holonomic ? out->L : out->P;
  if (value) value[r] = row->value;
  if (drift) drift[r] = 0;
  for (int side = 0; side < 2; side++) {
    if (el->body[side] == 0) continue;
    const ga_solid *b = &pass->m->bodies.item[el->body[side]];
    const ga_frame *f = pass->frame[side];
    const double *J = row->J + 6 * side, *Z = row->Z + 6 * side;
    double held[6]; /* Z with v held: the first line of the table at the head of this file */
    if (first) store_row_entries(b->kind, f->R, slots->own[side], J, first->val + slots->at[side]);
    if (react) store_row_entries(b->kind, f->R, slots->own[side], J, react->val + slots->at[side]);
    if (out->R) add_reaction(pass, b, f->R, J, holonomic ? out->lam[r] : out->psi[r]);
    if (!second && !drift) continue;
    if (b->kind->turn_phi) {
      memcpy(held, Z, sizeof held);
      ga_add_cross3(1, f->w, J + 3, held + 3);
      if (b->kind->turn_x) ga_add_cross3(1, f->xd, J, held + 3);
      Z = held;
    }
    if (second)
      store_row_entries(b->kind, f->R, slots->own[side], Z, second->val + slots->at[side]);
    if (drift) drift[r] += times_velocity(pass, b, f->R, Z);
  }
}

/* c <- s y x e_k, with the unit vector e_k along axis k. */
static void axis_cross(double s, const double *y, int k, double *c) {
  const int i = (k + 1) % 3, j = (k + 2) % 3;
  c[i] = s * y[j], c[j] = -s * y[i], c[k] = 0;
}

/* Write the rotational entries P^T c of one body to val: 3, 1 (planar) or none (point); c is a
 * moment in space axes. */
static void store_phi_entries(const ga_body_kind *kind, const double *R, const double *c,
                              double *val) {
  if (kind->turn_phi) {
    ga_times_t3(R, c, val);
  } else if (kind->nphi > 0) {
    *val = c[kind->phi_at];
  }
}

/* Write holonomic row i of el, g = d_k of the points of p, to g, G, Z and drift as far as they are
 * wanted, without a ga_row. J = s (e_k, r x e_k), s = -1 on A and 1 on B. With the additions at the
 * head of this file, Z = s (0, y x e_k), y = omega x r, on SE(3) plus x': r x (e x omega) +
 * omega x (r x e) = (omega x r) x e. ga_pass_frames(el) comes first. */
static void absolute_point_row(ga_pass *pass, const ga_element *el, int i, int k,
                               const ga_pair *p) {
  const ga_evaluation *out = pass->out;
  const int r = el->lam_at + i;
  double drift = 0;
  if (out->g) out->g[r] = p->d[k];
  for (int side = 0; side < 2; side++) {
    if (el->body[side] == 0) continue;
    const ga_body_kind *kind = pass->m->bodies.item[el->body[side]].kind;
    const ga_frame *f = pass->frame[side];
    const double *arm = side ? p->rb : p->ra, s = side ? 1 : -1;
    /* slots: x has one entry, x_k, but three on SE(3); the rotation follows */
    const int at = el->row[i].at[side], phi = at + (kind->turn_x ? 3 : 1);
    double c[3], y[3];
    for (int also = 0; also < 2; also++) { /* G, and L of a reaction that the model gives */
      const ga_csr *A = also ? out->L : out->G;
      if (!A) continue;
      double *val = A->val;
      if (kind->turn_x) {
        for (int j = 0; j < 3; j++) val[at + j] = s * f->R[3 * k + j];
      } else {
        val[at] = s;
      }
      axis_cross(s, arm, k, c);
      store_phi_entries(kind, f->R, c, val + phi);
    }
    if (out->R) {
      double J[6] = {0};
      J[k] = s;
      axis_cross(s, arm, k, J + 3);
      add_reaction(pass, &pass->m->bodies.item[el->body[side]], f->R, J, out->lam[r]);
    }
    if (!out->Z && !out->drift) continue;
    ga_cross3(f->w, arm, y);
    if (kind->turn_x) ga_plus3(y, 1, f->xd, y);
    axis_cross(s, y, k, c);
    if (out->Z) store_phi_entries(kind, f->R, c, out->Z->val + phi);
    drift += ga_dot3(c, f->w);
  }
  if (out->drift) out->drift[r] = drift;
}

/* out->F += P^T f of both bodies; f: 12 numbers (force, moment of A, then of B) in space axes. F
 * must be wanted, and ga_pass_frames(el) comes first. The ground has no velocities: nothing is
 * added. */
static void absolute_force(ga_pass *pass, const ga_element *el, const double *f) {
  for (int side = 0; side < 2; side++) {
    const ga_solid *b = &pass->m->bodies.item[el->body[side]];
    double own[6], *F = pass->out->F + b->v_at;
    to_own_axes(b->kind, pass->frame[side]->R, f + 6 * side, own);
    for (int k = 0; k < b->kind->nv; k++) F[k] += own[k];
  }
}

/* ---- tangents ------------------------------------------------------------------------------- */

/* t->A(.,phi) -= t->B(.,c) w~ for all 12 rows; phi, c: first columns of the 3-column blocks. */
static void subtract_rate_terms(ga_tangent *t, int phi, int c, const double *w) {
  for (int i = 0; i < GA_PAIR; i++) {
    /* the row b^T w~ is w-crossed: b^T (w x y) = (b x w).y */
    double row[3];
    ga_cross3(t->B[i] + c, w, row);
    for (int j = 0; j < 3; j++) t->A[i][phi + j] -= row[j];
  }
}

/* Add to t->A of one side the terms of P varying with the rotation (see head of the file); shifted: P
 * turns the velocity of x, too. */
void ga_tangent_turn(ga_tangent *t, int side, bool shifted, const ga_frame *frame) {
  const int x = 6 * side, phi = x + 3;
  double S[9];
  ga_skew3(t->f + phi, S);
  ga_add_block(t->A, phi, phi, 1, S);
  if (t->damped) subtract_rate_terms(t, phi, phi, frame->w);
  if (!shifted) return;
  ga_skew3(t->f + x, S);
  ga_add_block(t->A, x, phi, 1, S);
  if (t->damped) subtract_rate_terms(t, phi, x, frame->xd);
}

/* Rotation from the body's own axes to space, of variation number 0 .. 3 (x_a, phi_a, x_b, phi_b):
 * even ones are x, odd ones phi. NULL: the identity. */
static const double *own_rotation(const ga_body_kind *kind, const ga_frame *frame, int variation) {
  return (variation % 2 ? kind->turn_phi : kind->turn_x) ? frame->R : NULL;
}

/* One block: val[at[4 i]..] += row i of Rrow^T M(row, column) Rcolumn, nr x nc entries from
 * (i0, j0) of the 3 x 3 product; NULL rotations are the identity. */
typedef struct {
  int row, column, nr, nc, i0, j0;
  const double *Rrow, *Rcolumn;
  const int *at;
} block_slots;

/* Add block b of the 12 x 12 matrix M, turned to the bodies' own axes, to the matrix values val. */
static void add_rotated_block(const block_slots *b, double (*M)[GA_PAIR], double *val) {
  double X[9], Y[9];
  for (int i = 0; i < 3; i++) ga_copy3(&M[3 * b->row + i][3 * b->column], X + 3 * i);
  if (b->Rcolumn) {
    ga_product3(X, b->Rcolumn, Y);
    memcpy(X, Y, sizeof Y);
  }
  if (b->Rrow) {
    ga_product_t3(b->Rrow, X, Y);
    memcpy(X, Y, sizeof Y);
  }
  for (int i = 0; i < b->nr; i++) {
    double *entry = val + b->at[4 * i];
    for (int j = 0; j < b->nc; j++) entry[j] += X[3 * (b->i0 + i) + b->j0 + j];
  }
}

/* out->Kt += t->A and, if t->damped, out->Ct += t->B, in the velocities of the element's bodies.
 * Changes t->A (adds the terms of varying P). Kt and Ct must be wanted; ga_pass_frames(el) comes
 * first. Only the blocks in el->blocks are added; all others of t are zero (ga_pass_blocks). */
static void absolute_tangent(ga_pass *pass, const ga_element *el, ga_tangent *t) {
  const ga_frame *const *frame = pass->frame;
  const ga_body_kind *kind[2];
  for (int side = 0; side < 2; side++) {
    kind[side] = pass->m->bodies.item[el->body[side]].kind;
    if (kind[side]->turn_phi) ga_tangent_turn(t, side, kind[side]->turn_x, frame[side]);
  }
  for (int block = 0; block < 16; block++) {
    if (!(el->blocks >> block & 1)) continue;
    const int row = block / 4, column = block % 4;
    const ga_body_kind *kr = kind[row / 2], *kc = kind[column / 2];
    /* number of the block's first row among the velocities of A, then B */
    const int first = (row / 2 ? kind[0]->nv : 0) + (row % 2 ? kr->nx : 0);
    const block_slots slots = {.row = row,
                               .column = column,
                               .nr = row % 2 ? kr->nphi : kr->nx,
                               .nc = column % 2 ? kc->nphi : kc->nx,
                               .i0 = row % 2 ? kr->phi_at : 0,
                               .j0 = column % 2 ? kc->phi_at : 0,
                               .Rrow = own_rotation(kr, frame[row / 2], row),
                               .Rcolumn = own_rotation(kc, frame[column / 2], column),
                               .at = el->K_at + 4 * first + column};
    add_rotated_block(&slots, t->A, pass->out->Kt->val);
    if (t->damped) add_rotated_block(&slots, t->B, pass->out->Ct->val);
  }
}

/* out->Kt += the tangent of a constant force phi (space axes) at p_b and -phi at p_a, s = 1 and -1.
 * Its moment is f_phi = s r x phi; with f_phi~ added the block (phi, phi) is s r~ phi~, and on
 * SE(3) the block (x, phi) is s phi~. Kt must be wanted; ga_pass_frames(el) comes first. */
static void absolute_point_tangent(ga_pass *pass, const ga_element *el, const double *phi,
                                   const ga_pair *p) {
  double *val = pass->out->Kt->val, X[9], Y[9];
  const int before[2] = {0, pass->m->bodies.item[el->body[0]].kind->nv};
  for (int side = 0; side < 2; side++) {
    const ga_body_kind *kind = pass->m->bodies.item[el->body[side]].kind;
    const double *arm = side ? p->rb : p->ra, s = side ? 1 : -1, *R = pass->frame[side]->R;
    const int *at = el->K_at + 4 * (before[side] + kind->nx) + 2 * side + 1;
    if (kind->nphi == 1) val[*at] -= s * ga_dot3(arm, phi);
    if (!kind->turn_phi) continue;
    /* R^T r~ phi~ R = (R^T r)~ (R^T phi)~ */
    double arm_own[3], phi_own[3];
    ga_times_t3(R, arm, arm_own);
    ga_times_t3(R, phi, phi_own);
    ga_skew_skew3(arm_own, phi_own, X);
    ga_skew3(phi_own, Y);
    for (int i = 0; i < 3; i++) {
      double *turn = val + at[4 * i];
      for (int j = 0; j < 3; j++) turn[j] += s * X[3 * i + j];
      if (!kind->turn_x) continue;
      double *move = val + at[4 * (i - 3)];
      for (int j = 0; j < 3; j++) move[j] += s * Y[3 * i + j];
    }
  }
}

/* Bits GA_IN_XA .. of the variations that the element's bodies do not have. */
static unsigned missing_variations(const ga_mechanism *m, const ga_element *el) {
  unsigned missing = 0;
  for (int side = 0; side < 2; side++) {
    const ga_body_kind *kind = m->bodies.item[el->body[side]].kind;
    if (kind->nx == 0) missing |= 1u << (2 * side);
    if (kind->nphi == 0) missing |= 2u << (2 * side);
  }
  return missing;
}

/* Bits GA_BLOCK_BIT of all blocks that ga_pass_tangent writes for an element of structure s: its
 * plain derivatives, the terms of varying P, without blocks of variations that a body lacks. */
unsigned ga_pass_blocks(const ga_mechanism *m, const ga_element *el, const ga_structure *s) {
  unsigned blocks = s->blocks, force = s->force;
  const unsigned missing = missing_variations(m, el);
  for (int i = 0; i < el->nlam + el->npsi; i++) force |= s->touches[i];
  for (int side = 0; side < 2; side++) {
    const ga_body_kind *kind = m->bodies.item[el->body[side]].kind;
    const int x = 2 * side, phi = x + 1;
    if (kind->turn_phi && force >> phi & 1) blocks |= GA_BLOCK_BIT(phi, phi);
    if (kind->turn_x && force >> x & 1) blocks |= GA_BLOCK_BIT(x, phi);
    /* SE(3) is one factor of the space: its x and phi columns have entries together */
    for (int row = 0; kind->turn_x && row < 4; row++) {
      const unsigned both = GA_BLOCK_BIT(row, x) | GA_BLOCK_BIT(row, phi);
      if (blocks & both) blocks |= both;
    }
  }
  for (int block = 0; block < 16; block++) {
    if ((missing >> (block / 4) & 1) || (missing >> (block % 4) & 1)) blocks &= ~(1u << block);
  }
  return blocks;
}

/* Kt -= own g.q^T, Ct -= own g.v^T: own is the force for a value 1 of the function in the velocities
 * of the element, g the gradient of the function by its signals. */
static void absolute_reach(ga_pass *pass, const ga_element *el, const ga_gradient *g,
                           const double *f) {
  const ga_reach *reach = el->reach;
  double own[12] = {1};
  int rows = 1;
  if (f) {
    rows = 0;
    for (int side = 0; side < 2; side++) {
      const ga_body_kind *kind = pass->m->bodies.item[el->body[side]].kind;
      to_own_axes(kind, pass->frame[side]->R, f + 6 * side, own + rows);
      rows += kind->nv;
    }
  }
  double *Kt = pass->out->Kt->val, *Ct = pass->out->Ct->val;
  for (int r = 0; r < rows; r++) {
    for (int i = 0; i < reach->count; i++) {
      const ga_reach_block *b = &reach->block[i];
      const int at = reach->K_at[r * reach->count + i];
      for (int k = 0; k < b->n; k++) Kt[at + k] -= own[r] * g->q[b->first + k];
      for (int k = 0; k < b->n; k++) Ct[at + k] -= own[r] * g->v[b->first + k];
    }
  }
}

/* H -= g.v, Y -= g.q in the row of a rate, *drift -= g.q v. */
static void absolute_row_reach(ga_pass *pass, const ga_element *el, const ga_gradient *g,
                               double *drift) {
  const ga_evaluation *out = pass->out;
  for (int i = 0; i < el->reach->count; i++) {
    const ga_reach_block *b = &el->reach->block[i];
    const int at = el->reach->row_at[i];
    for (int k = 0; k < b->n; k++) {
      if (out->H) out->H->val[at + k] -= g->v[b->first + k];
      if (out->Y) out->Y->val[at + k] -= g->q[b->first + k];
      if (out->k_drift) *drift -= g->q[b->first + k] * pass->v[b->v_at + k];
    }
  }
}

/* by_q, by_v <- derivatives of a number in the velocities of one body, from those by its frame
 * (plain) and by its rates; v is held instead of x' and omega. */
static void absolute_gradient(const ga_pass *pass, int body, const ga_frame *frame,
                              const double *plain, const double *rate, double *by_q, double *by_v) {
  const ga_body_kind *kind = pass->m->bodies.item[body].kind;
  double held[6];
  memcpy(held, plain, sizeof held);
  if (kind->turn_phi) ga_add_cross3(1, frame->w, rate + 3, held + 3);
  if (kind->turn_x) ga_add_cross3(1, frame->xd, rate, held + 3);
  to_own_axes(kind, frame->R, held, by_q);
  to_own_axes(kind, frame->R, rate, by_v);
}

/* Mx <- M x of bodies and rotors: m x of positions, J x of rotations in body axes */
static void put_products(ga_pass *pass) {
  const ga_mechanism *m = pass->m;
  const double *x = pass->out->x;
  double *Mx = pass->out->Mx;
  memset(Mx, 0, (size_t)m->nv * sizeof(double));
  for (int i = 1; i < m->bodies.count; i++) {
    const ga_solid *b = &m->bodies.item[i];
    const int nx = b->kind->nx, nv = b->kind->nv;
    if (b->kind->spread) continue;
    for (int k = 0; k < nx; k++) Mx[b->v_at + k] = b->mass * x[b->v_at + k];
    if (nv - nx == 3) ga_times3(b->J, x + b->v_at + nx, Mx + b->v_at + nx);
    if (nv - nx == 1) Mx[b->v_at + nx] = b->J[8] * x[b->v_at + nx];
  }
  for (int c = 0; c < m->coordinates.count; c++) {
    const ga_angle *angle = &m->coordinates.item[c];
    if (angle->M_at >= 0) Mx[angle->v_at] = angle->inertia * x[angle->v_at];
  }
}

/* Mass, weight and gyroscopic terms of bodies, inertias of rotors, as far as they are wanted. */
static void absolute_inertia(ga_pass *pass) {
  const ga_mechanism *m = pass->m;
  const ga_evaluation *out = pass->out;
  if (out->M || out->F || pass->tangents) {
    /* body 0 is the ground, which has no unknowns */
    for (int i = 1; i < m->bodies.count; i++) {
      const ga_solid *b = &m->bodies.item[i];
      b->kind->inertia(pass, b);
    }
  }
  if (out->Mx) put_products(pass);
  for (int c = 0; out->M && c < m->coordinates.count; c++) {
    const ga_angle *angle = &m->coordinates.item[c];
    if (angle->M_at >= 0) out->M->val[angle->M_at] = angle->inertia;
  }
}

/* *frame <- frame of a body; p <- its quaternion (planar bodies: p[0] is the angle); xdd, wd <- its
 * accelerations for v' = vd, NULL: not wanted. */
static void absolute_motion(ga_pass *pass, int body, const double *vd, ga_frame *frame, double *p,
                            double *xdd, double *wd) {
  const ga_solid *b = &pass->m->bodies.item[body];
  const double *q = pass->q + b->q_at;
  ga_pass_frame(pass, body, frame);
  for (int i = b->kind->nx; p && i < b->kind->nq; i++) p[i - b->kind->nx] = q[i];
  if (vd) b->kind->acceleration(frame, vd + b->v_at, xdd, wd);
}

/* A pass has no memory of its own besides the cache of frames, and nothing is left to its end. */
static bool absolute_begin(ga_pass *pass) {
  for (int i = 0; i < GA_FRAME_SLOTS; i++) pass->tag[i] = -1;
  return true;
}
static void absolute_nothing(ga_pass *pass) {
  (void)pass;
}

const ga_carrier ga_carrier_absolute = {.begin = absolute_begin,
                                        .end = absolute_nothing,
                                        .frames = absolute_frames,
                                        .frame = absolute_frame,
                                        .row = absolute_row,
                                        .point_row = absolute_point_row,
                                        .force = absolute_force,
                                        .tangent = absolute_tangent,
                                        .point_tangent = absolute_point_tangent,
                                        .reach = absolute_reach,
                                        .row_reach = absolute_row_reach,
                                        .gradient = absolute_gradient,
                                        .inertia = absolute_inertia,
                                        .finish = absolute_nothing,
                                        .motion = absolute_motion};
