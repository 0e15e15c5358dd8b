/* SPDX-License-Identifier: MIT */
/* Kinds of bodies, one table each: R^3 x SO(3), SE(3), planar, point, ground.
 *
 *   r3so3   q = (x, p), v = (x', Omega)        m x'' = m g,  J Omega' + Omega x J Omega = 0
 *   se3     q = (x, p), v = (R^T x', Omega)    m u' + m Omega x u = m R^T g,  likewise
 *   planar  q = (x, y, theta)                  m x'' = m g,  J theta'' = 0
 *   point   q = x                              m x'' = m g
 *
 * x is the centre of mass, p a unit quaternion. Forces and constraints come from elements. */
#include <string.h>

#include "mechanism/mechanism.h"

/* ---- frames --------------------------------------------------------------------------------- */

/* Functions frame_.. of the kinds set all of f (place, rotation, velocities in space axes) from a
 * body's own q and v; v = NULL: the velocities are zero. */

/* f->xd = xd and f->w = w, space axes; NULL: zero */
static void set_velocities(const double *xd, const double *w, ga_frame *f) {
  if (xd) {
    ga_copy3(xd, f->xd);
  } else {
    ga_zero3(f->xd);
  }
  if (w) {
    ga_copy3(w, f->w);
  } else {
    ga_zero3(f->w);
  }
}

/* the ground has x = 0, R = I and does not move */
static void frame_ground(const double *q, const double *v, ga_frame *f) {
  (void)q, (void)v;
  ga_zero3(f->x);
  ga_identity3(f->R);
  set_velocities(NULL, NULL, f);
}

/* q = (x, p), v = (x', Omega in body axes) */
static void frame_r3so3(const double *q, const double *v, ga_frame *f) {
  ga_copy3(q, f->x);
  ga_rotation3(q + 3, f->R);
  set_velocities(v, NULL, f);
  if (v) ga_times3(f->R, v + 3, f->w);
}

/* q = (x, p), v = (R^T x', Omega), both in body axes */
static void frame_se3(const double *q, const double *v, ga_frame *f) {
  ga_copy3(q, f->x);
  ga_rotation3(q + 3, f->R);
  set_velocities(NULL, NULL, f);
  if (!v) return;
  ga_times3(f->R, v, f->xd);
  ga_times3(f->R, v + 3, f->w);
}

/* q = (x, y, theta), v = q' */
static void frame_planar(const double *q, const double *v, ga_frame *f) {
  const double c = cos(q[2]), s = sin(q[2]);
  const double R[9] = {c, -s, 0, s, c, 0, 0, 0, 1};
  memcpy(f->R, R, sizeof R);
  f->x[0] = q[0], f->x[1] = q[1], f->x[2] = 0;
  set_velocities(NULL, NULL, f);
  if (v) f->xd[0] = v[0], f->xd[1] = v[1], f->w[2] = v[2];
}

/* q = x, v = x'; R = I */
static void frame_point(const double *q, const double *v, ga_frame *f) {
  ga_copy3(q, f->x);
  ga_identity3(f->R);
  set_velocities(v, NULL, f);
}

/* ---- accelerations -------------------------------------------------------------------------- */

/* Functions acceleration_.. set xdd = x'' and wd = omega', space axes, from v' of the body (vd) and
 * its frame with velocities. This one: zero. */
static void acceleration_ground(const ga_frame *f, const double *vd, double *xdd, double *wd) {
  (void)f, (void)vd;
  ga_zero3(xdd);
  ga_zero3(wd);
}

/* omega' = R Omega', because omega x omega = 0 */
static void acceleration_r3so3(const ga_frame *f, const double *vd, double *xdd, double *wd) {
  ga_copy3(vd, xdd);
  ga_times3(f->R, vd + 3, wd);
}

/* x'' = R u' + omega x x' */
static void acceleration_se3(const ga_frame *f, const double *vd, double *xdd, double *wd) {
  ga_times3(f->R, vd, xdd);
  ga_add_cross3(1, f->w, f->xd, xdd);
  ga_times3(f->R, vd + 3, wd);
}

/* x'' = (vd_0, vd_1, 0), omega' = (0, 0, vd_2) */
static void acceleration_planar(const ga_frame *f, const double *vd, double *xdd, double *wd) {
  (void)f;
  xdd[0] = vd[0], xdd[1] = vd[1], xdd[2] = 0;
  wd[0] = wd[1] = 0, wd[2] = vd[2];
}

/* x'' = vd, omega' = 0 */
static void acceleration_point(const ga_frame *f, const double *vd, double *xdd, double *wd) {
  (void)f;
  ga_copy3(vd, xdd);
  ga_zero3(wd);
}

/* ---- start values --------------------------------------------------------------------------- */

/* Functions start_.. write a body's own q and v from its start values. This one has none. */
static void start_ground(const ga_solid *b, double *q, double *v) {
  (void)b, (void)q, (void)v;
}

/* q = (x0, p0), v = (x0', R0^T omega0) */
static void start_r3so3(const ga_solid *b, double *q, double *v) {
  ga_copy3(b->x0, q);
  memcpy(q + 3, b->p0, sizeof b->p0);
  ga_copy3(b->xd0, v);
  ga_times_t3(b->R0, b->w0, v + 3);
}

/* q = (x0, p0), v = (R0^T x0', R0^T omega0) */
static void start_se3(const ga_solid *b, double *q, double *v) {
  start_r3so3(b, q, v);
  ga_times_t3(b->R0, b->xd0, v);
}

/* q = (x, y, angle0), v = their rates */
static void start_planar(const ga_solid *b, double *q, double *v) {
  q[0] = b->x0[0], q[1] = b->x0[1], q[2] = b->angle0;
  v[0] = b->xd0[0], v[1] = b->xd0[1], v[2] = b->w0[2];
}

/* q = x0, v = x0' */
static void start_point(const ga_solid *b, double *q, double *v) {
  ga_copy3(b->x0, q);
  ga_copy3(b->xd0, v);
}

/* f = frame of the body in its start configuration, with velocities */
void ga_solid_frame(const ga_solid *b, ga_frame *f) {
  double q[7], v[6];
  b->kind->start(b, q, v);
  b->kind->frame(q, v, f);
}

/* ---- inertia -------------------------------------------------------------------------------- */

/* Functions inertia_.. write a body's entries of M and add to F, Kt and Ct, as far as the pass asks
 * for them. M_at, K_at: where these entries are, see body.h. */

/* writes the mass into the diagonal of M for the first n velocities of the body */
static void put_mass(const ga_pass *pass, const ga_solid *b, int n) {
  double *val = pass->out->M->val;
  for (int i = 0; i < n && b->mass != 0; i++) val[b->M_at[i]] = b->mass;
}

/* writes J into the rotational block of M; a diagonal J has slots for its diagonal only */
static void put_inertia(const ga_pass *pass, const ga_solid *b) {
  double *val = pass->out->M->val;
  for (int i = 0; i < 3; i++) {
    for (int j = 0, at = b->M_at[3 + i]; j < 3; j++) {
      if (b->diagonal && i != j) continue;
      if (at >= 0) val[at++] = b->J[3 * i + j];
    }
  }
}

/* F += m g for the first n velocities, which must be in space axes */
static void put_weight(const ga_pass *pass, const ga_solid *b, int n) {
  double *F = pass->out->F + b->v_at;
  for (int i = 0; i < n; i++) F[i] += b->mass * pass->m->gravity[i];
}

/* Adds s X (3 x 3) to A (Kt or Ct) at velocities row .. row + 2 of the body, in the columns of its
 * x (block 0) or phi (block 1). */
static void add_own(ga_csr *A, const ga_solid *b, int row, int block, double s, const double *X) {
  for (int i = 0; i < 3; i++) {
    double *val = A->val + b->K_at[2 * (row + i) + block];
    for (int j = 0; j < 3; j++) val[j] += s * X[3 * i + j];
  }
}

/* F -= Omega x J Omega; Ct += Omega~ J - (J Omega)~, as far as they are wanted; nothing for J = c I
 */
static void gyroscopic(const ga_pass *pass, const ga_solid *b) {
  double JOmega[3], X[9], Y[9];
  if (b->round || (!pass->out->F && !pass->tangents)) return;
  const double *Omega = pass->v + b->v_at + 3;
  ga_times3(b->J, Omega, JOmega);
  if (pass->out->F) ga_add_cross3(-1, Omega, JOmega, pass->out->F + b->v_at + 3);
  if (!pass->tangents) return;
  ga_skew3(Omega, X);
  ga_product3(X, b->J, Y);
  /* row, block, factor */
  add_own(pass->out->Ct, b, 3, 1, 1, Y);
  ga_skew3(JOmega, X);
  add_own(pass->out->Ct, b, 3, 1, -1, X);
}

/* M = diag(m I, J); F += (m g, -Omega x J Omega) */
static void inertia_r3so3(ga_pass *pass, const ga_solid *b) {
  if (pass->out->M) {
    put_mass(pass, b, 3);
    put_inertia(pass, b);
  }
  if (pass->out->F) put_weight(pass, b, 3);
  gyroscopic(pass, b);
}

/* M = diag(m I, J); F += m (R^T g - Omega x u) and the gyroscopic torque; Kt -= m (R^T g)~ by the
 * rotation; Ct += m (Omega~, -u~) */
static void inertia_se3(ga_pass *pass, const ga_solid *b) {
  if (pass->out->M) {
    put_mass(pass, b, 3);
    put_inertia(pass, b);
  }
  gyroscopic(pass, b);
  if (b->mass == 0 || (!pass->out->F && !pass->tangents)) return;
  const double *u = pass->v + b->v_at, *Omega = u + 3;
  double g[3], X[9];
  ga_quat_unrotate(pass->q + b->q_at + 3, pass->m->gravity, g);
  if (pass->out->F) {
    double *F = pass->out->F + b->v_at;
    ga_plus3(F, b->mass, g, F);
    ga_add_cross3(-b->mass, Omega, u, F);
  }
  if (!pass->tangents) return;
  ga_skew3(g, X);
  add_own(pass->out->Kt, b, 0, 1, -b->mass, X);
  ga_skew3(Omega, X);
  add_own(pass->out->Ct, b, 0, 0, b->mass, X);
  ga_skew3(u, X);
  add_own(pass->out->Ct, b, 0, 1, -b->mass, X);
}

/* M = diag(m, m, J_zz); F += m g */
static void inertia_planar(ga_pass *pass, const ga_solid *b) {
  if (pass->out->M) {
    put_mass(pass, b, 2);
    if (b->M_at[2] >= 0) pass->out->M->val[b->M_at[2]] = b->J[8];
  }
  if (pass->out->F) put_weight(pass, b, 2);
}

/* M = m I; F += m g */
static void inertia_point(ga_pass *pass, const ga_solid *b) {
  if (pass->out->M) put_mass(pass, b, 3);
  if (pass->out->F) put_weight(pass, b, 3);
}

/* the ground has no unknowns, and a node of a beam has its inertia in elements */
static void inertia_ground(ga_pass *pass, const ga_solid *b) {
  (void)pass, (void)b;
}

/* ---- tables --------------------------------------------------------------------------------- */

static const ga_column rigid_columns[] = {
    {".x", "m", NULL},        {".y", "m", NULL},         {".z", "m", NULL},
    {".e0", "1", NULL},       {".e1", "1", NULL},        {".e2", "1", NULL},
    {".e3", "1", NULL},       {".vx", "m/s", NULL},      {".vy", "m/s", NULL},
    {".vz", "m/s", NULL},     {".wx", "rad/s", NULL},    {".wy", "rad/s", NULL},
    {".wz", "rad/s", NULL},   {".ax", "m/s^2", NULL},    {".ay", "m/s^2", NULL},
    {".az", "m/s^2", NULL},   {".alx", "rad/s^2", NULL}, {".aly", "rad/s^2", NULL},
    {".alz", "rad/s^2", NULL}};
static const ga_column planar_columns[] = {
    {".x", "m", NULL},      {".y", "m", NULL},      {".angle", "rad", NULL},
    {".vx", "m/s", NULL},   {".vy", "m/s", NULL},   {".rate", "rad/s", NULL},
    {".ax", "m/s^2", NULL}, {".ay", "m/s^2", NULL}, {".al", "rad/s^2", NULL}};
static const ga_column point_columns[] = {
    {".x", "m", NULL},      {".y", "m", NULL},      {".z", "m", NULL},
    {".vx", "m/s", NULL},   {".vy", "m/s", NULL},   {".vz", "m/s", NULL},
    {".ax", "m/s^2", NULL}, {".ay", "m/s^2", NULL}, {".az", "m/s^2", NULL}};

static const char *const rigid_q[] = {".x", ".y", ".z", ".e0", ".e1", ".e2", ".e3"};
static const char *const rigid_v[] = {".vx", ".vy", ".vz", ".Omega1", ".Omega2", ".Omega3"};
static const char *const se3_v[] = {".u1", ".u2", ".u3", ".Omega1", ".Omega2", ".Omega3"};
static const char *const rigid_shape[] = {".x", ".y", ".z", ".rx", ".ry", ".rz"};
static const char *const planar_q[] = {".x", ".y", ".angle"};
static const char *const planar_v[] = {".vx", ".vy", ".rate"};
static const char *const planar_shape[] = {".x", ".y", ".angle"};

const ga_body_kind ga_kind_ground = {.name = "ground",
                                     .fixed = true,
                                     .frame = frame_ground,
                                     .acceleration = acceleration_ground,
                                     .start = start_ground,
                                     .inertia = inertia_ground};

static const ga_body_kind r3so3 = {.name = "rigid",
                                   .nq = 7,
                                   .nv = 6,
                                   .nx = 3,
                                   .nphi = 3,
                                   .turn_phi = true,
                                   .group = {&ga_group_rn, &ga_group_so3},
                                   .copies = {3, 1},
                                   .frame = frame_r3so3,
                                   .acceleration = acceleration_r3so3,
                                   .start = start_r3so3,
                                   .inertia = inertia_r3so3,
                                   .M_mask = {1, 2, 4, 070, 070, 070},
                                   .K_mask = 8,
                                   .q_names = rigid_q,
                                   .v_names = rigid_v,
                                   .shape_names = rigid_shape,
                                   GA_COLUMNS(rigid_columns)};

static const ga_body_kind se3 = {.name = "rigid",
                                 .nq = 7,
                                 .nv = 6,
                                 .nx = 3,
                                 .nphi = 3,
                                 .turn_x = true,
                                 .turn_phi = true,
                                 .group = {&ga_group_se3, NULL},
                                 .copies = {1, 0},
                                 .frame = frame_se3,
                                 .acceleration = acceleration_se3,
                                 .start = start_se3,
                                 .inertia = inertia_se3,
                                 .M_mask = {1, 2, 4, 070, 070, 070},
                                 .K_mask = 15,
                                 .K_mask_round = 15,
                                 .q_names = rigid_q,
                                 .v_names = se3_v,
                                 .shape_names = rigid_shape,
                                 GA_COLUMNS(rigid_columns)};

/* Nodes of beams: as rigid bodies, but elements have the inertia. */
#define NODE(more)                                                                        \
  .name = "node", .nq = 7, .nv = 6, .nx = 3, .nphi = 3, .turn_phi = true, .spread = true, \
  .inertia = inertia_ground, .q_names = rigid_q, .shape_names = rigid_shape,              \
  GA_COLUMNS(rigid_columns), more
static const ga_body_kind node_se3 = {
    NODE(.turn_x = true), .group = {&ga_group_se3, NULL},   .copies = {1, 0},
    .frame = frame_se3,   .acceleration = acceleration_se3, .start = start_se3,
    .v_names = se3_v};
static const ga_body_kind node_r3so3 = {
    NODE(.turn_x = false), .group = {&ga_group_rn, &ga_group_so3}, .copies = {3, 1},
    .frame = frame_r3so3,  .acceleration = acceleration_r3so3,     .start = start_r3so3,
    .v_names = rigid_v};

static const ga_body_kind planar = {.name = "planar",
                                    .type = GA_BODY_PLANAR,
                                    .planar = true,
                                    .nq = 3,
                                    .nv = 3,
                                    .nx = 2,
                                    .nphi = 1,
                                    .phi_at = 2,
                                    .group = {&ga_group_rn, NULL},
                                    .copies = {3, 0},
                                    .frame = frame_planar,
                                    .acceleration = acceleration_planar,
                                    .start = start_planar,
                                    .inertia = inertia_planar,
                                    .M_mask = {1, 2, 4},
                                    .q_names = planar_q,
                                    .v_names = planar_v,
                                    .shape_names = planar_shape,
                                    GA_COLUMNS(planar_columns)};

static const ga_body_kind point = {.name = "point",
                                   .type = GA_BODY_POINT,
                                   .point = true,
                                   .nq = 3,
                                   .nv = 3,
                                   .nx = 3,
                                   .group = {&ga_group_rn, NULL},
                                   .copies = {3, 0},
                                   .frame = frame_point,
                                   .acceleration = acceleration_point,
                                   .start = start_point,
                                   .inertia = inertia_point,
                                   .M_mask = {1, 2, 4},
                                   .q_names = rigid_q,
                                   .v_names = rigid_v,
                                   .shape_names = rigid_shape,
                                   GA_COLUMNS(point_columns)};

/* the table of functions for a type of body, static; the formulation matters for rigid bodies
 * only */
const ga_body_kind *ga_body_kind_of(ga_body_type type, ga_formulation formulation) {
  if (type == GA_BODY_PLANAR) return &planar;
  if (type == GA_BODY_POINT) return &point;
  return formulation == GA_FORMULATION_SE3 ? &se3 : &r3so3;
}

/* The kind of a node; GA_FORMULATION_DEFAULT: SE(3) */
const ga_body_kind *ga_body_kind_of_node(ga_formulation formulation) {
  return formulation == GA_FORMULATION_R3SO3 ? &node_r3so3 : &node_se3;
}
