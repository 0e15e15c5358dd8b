/* SPDX-License-Identifier: MIT */
/* Scenes with contacts: points, pendulums, spheres, blocks, columns, a woodpecker, Painleve's rod, a
 * slider-crank with clearance, a box on four corners. */
#ifndef GA_TESTS_CONTACT_SCENES_H
#define GA_TESTS_CONTACT_SCENES_H

#include "contact_models.h"

static const double g = 9.81;

/* ---- models --------------------------------------------------------------------------------- */

static void ball(const scene *s, point *p) {
  (void)s;
  p->M[0][0] = 1, p->F[0] = -g;
  p->g[0] = p->q[0], p->G[0][0] = 1;
}

static void pendulum(const scene *s, point *p) { /* joint row 0, wall row 1 */
  (void)s;
  p->M[0][0] = p->M[1][1] = 1, p->F[1] = -g;
  const double x = p->q[0], y = p->q[1], l = hypot(x, y);
  p->g[0] = l - 1, p->G[0][0] = x / l, p->G[0][1] = y / l;
  const double along = (x * p->v[0] + y * p->v[1]) / l;
  p->drift[0] = (p->v[0] * p->v[0] + p->v[1] * p->v[1] - along * along) / l;
  p->g[1] = x, p->G[1][0] = 1;
}

static void rod(point *p, int row, int a,
                int b) { /* distance 1 of points a and b; a < 0: the origin */
  double d[2], w[2];
  for (int k = 0; k < 2; k++) {
    d[k] = p->q[2 * b + k] - (a < 0 ? 0 : p->q[2 * a + k]);
    w[k] = p->v[2 * b + k] - (a < 0 ? 0 : p->v[2 * a + k]);
  }
  const double l = hypot(d[0], d[1]), along = (d[0] * w[0] + d[1] * w[1]) / l;
  p->g[row] = l - 1;
  for (int k = 0; k < 2; k++) {
    p->G[row][2 * b + k] = d[k] / l;
    if (a >= 0) p->G[row][2 * a + k] = -d[k] / l;
  }
  p->drift[row] = (w[0] * w[0] + w[1] * w[1] - along * along) / l;
}

static void double_pendulum(const scene *s, point *p) {
  (void)s;
  for (int i = 0; i < 4; i++) p->M[i][i] = 1;
  p->F[1] = p->F[3] = -g;
  rod(p, 0, -1, 0);
  rod(p, 1, 0, 1);
  p->g[2] = p->q[0], p->G[2][0] = 1;
  p->g[3] = p->q[2], p->G[3][2] = 1;
}

/* a point on a plane, number: angle, amplitude and frequency of a force, stiffness */
static void slider(const scene *s, point *p) {
  p->M[0][0] = p->M[1][1] = 1;
  p->F[0] = -g * sin(s->number[0]) + s->number[1] * sin(3 * p->t);
  if (s->number[2] > 0) p->F[0] += s->number[2] * (s->number[3] * p->t - p->q[0]);
  p->F[1] = -g * cos(s->number[0]);
  p->g[0] = p->q[1], p->G[0][1] = 1;
  p->k[0] = p->v[0], p->H[0][0] = 1;
}

static void curve(const scene *s, point *p) {
  for (int i = 0; i < 3; i++) p->M[i][i] = 1;
  p->F[0] = -g * sin(s->number[0]), p->F[2] = -g * cos(s->number[0]);
  p->g[0] = p->q[2], p->G[0][2] = 1;
  for (int k = 0; k < 2; k++) p->k[k] = p->v[k], p->H[k][k] = 1;
}

/* homogeneous sphere of radius 0.1, mass 1; velocities in space axes */
static void sphere(const scene *s, point *p) {
  (void)s;
  const double r = 0.1, J = 0.4 * r * r;
  for (int i = 0; i < 6; i++) p->M[i][i] = i < 3 ? 1 : J;
  p->F[2] = -g;
  p->g[0] = p->q[2] - r, p->G[0][2] = 1;
  p->H[0][0] = 1, p->H[0][4] = -r;
  p->H[1][1] = 1, p->H[1][3] = r;
  p->k[0] = p->v[0] - r * p->v[4], p->k[1] = p->v[1] + r * p->v[3];
}

/* a planar body with corners (number: half sizes, or the ends of a rod), unit mass */
static void corners(const scene *s, point *p) {
  const double a = s->number[0], b = s->number[1], J = s->number[2];
  const double c = cos(p->q[2]), d = sin(p->q[2]), w = p->v[2];
  p->M[0][0] = p->M[1][1] = 1, p->M[2][2] = J;
  p->F[1] = -g;
  for (int i = 0; i < s->ncontacts; i++) {
    const double x = i == 0 ? -a : a, y = -b;
    const double rx = c * x - d * y, ry = d * x + c * y; /* from the centre */
    p->g[i] = p->q[1] + ry;
    p->G[i][1] = 1, p->G[i][2] = rx;
    p->drift[i] = -ry * w * w;
    p->k[i] = p->v[0] - ry * w;
    p->H[i][0] = 1, p->H[i][2] = -ry;
    p->k_drift[i] = -rx * w * w;
  }
}

static void limit(const scene *s, point *p) {
  p->M[0][0] = 1.0 / 3;
  p->F[0] = -g / 2 * sin(p->q[0]) + s->number[0] * sin(2 * p->t);
  p->g[0] = p->q[0] + 0.5, p->G[0][0] = 1;
  p->g[1] = 1.0 - p->q[0], p->G[1][0] = -1;
}

/* balls of radius 0.05 above each other on a floor, unit mass */
static void column(const scene *s, point *p) {
  for (int i = 0; i < s->n; i++) {
    p->M[i][i] = 1, p->F[i] = -g;
    p->g[i] = p->q[i] - (i ? p->q[i - 1] : 0) - (i ? 0.1 : 0.05);
    p->G[i][i] = 1;
    if (i) p->G[i][i - 1] = -1;
  }
}

static void woodpecker(const scene *s, point *p) {
  (void)s;
  const double mM = 3e-4, JM = 5e-9, mS = 4.5e-3, JS = 7e-7, c = 5.6e-3, r0 = 2.5e-3, rM = 3.1e-3;
  const double hM = 5.8e-3, lM = 0.01, lG = 0.015, hS = 0.02, lS = 0.0201;
  const double M[3][3] = {{mS + mM, mS * lM, mS * lG},
                          {mS * lM, JM + mS * lM * lM, mS * lM * lG},
                          {mS * lG, mS * lM * lG, JS + mS * lG * lG}};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) p->M[i][j] = M[i][j];
  }
  const double fM = p->q[1], fS = p->q[2], *v = p->v;
  p->F[0] = -(mS + mM) * g;
  p->F[1] = -c * (fM - fS) - mS * lM * g;
  p->F[2] = -c * (fS - fM) - mS * lG * g;
  p->g[0] = lM + lG - lS - r0 - hS * fS, p->G[0][2] = -hS;
  p->g[1] = rM - r0 + hM * fM, p->G[1][1] = hM;
  p->g[2] = rM - r0 - hM * fM, p->G[2][1] = -hM;
  p->H[0][0] = 1, p->H[0][1] = lM, p->H[0][2] = lG - lS;
  p->H[1][0] = p->H[2][0] = 1, p->H[1][1] = p->H[2][1] = rM;
  p->k[0] = v[0] + lM * v[1] + (lG - lS) * v[2];
  p->k[1] = p->k[2] = v[0] + rM * v[1];
}

/* q: angles of crank, rod and slider; four corners of the slider, contacts in the order (-,-),
 * (+,-), (-,+), (+,+) */
static inline void slider_crank(const scene *s, point *p) {
  (void)s;
  const double l1 = 0.153, l2 = 0.306, a = 0.05, b = 0.025, half = 0.026;
  const double m1 = 0.038, m2 = 0.038, m3 = 0.076, J1 = 7.4e-5, J2 = 5.9e-4, J3 = 2.7e-6;
  const double c1 = cos(p->q[0]), s1 = sin(p->q[0]), c2 = cos(p->q[1]), s2 = sin(p->q[1]);
  const double c3 = cos(p->q[2]), s3 = sin(p->q[2]), *w = p->v;
  const double both = (m2 / 2 + m3) * l1 * l2, c12 = c1 * c2 + s1 * s2, s12 = s1 * c2 - c1 * s2;
  p->M[0][0] = J1 + (m1 / 4 + m2 + m3) * l1 * l1;
  p->M[1][1] = J2 + (m2 / 4 + m3) * l2 * l2;
  p->M[2][2] = J3;
  p->M[0][1] = p->M[1][0] = both * c12;
  p->F[0] = -both * s12 * w[1] * w[1] - (m1 / 2 + m2 + m3) * g * l1 * c1;
  p->F[1] = both * s12 * w[0] * w[0] - (m2 / 2 + m3) * g * l2 * c2;
  for (int i = 0; i < 4; i++) {
    const double x = i & 1 ? a : -a, y = i & 2 ? b : -b, up = i & 2 ? -1 : 1;
    const double rx = c3 * x - s3 * y, ry = s3 * x + c3 * y; /* from the centre of the slider */
    p->g[i] = half + up * (l1 * s1 + l2 * s2 + ry);
    p->G[i][0] = up * l1 * c1, p->G[i][1] = up * l2 * c2, p->G[i][2] = up * rx;
    p->drift[i] = -up * (l1 * s1 * w[0] * w[0] + l2 * s2 * w[1] * w[1] + ry * w[2] * w[2]);
    p->H[i][0] = -l1 * s1, p->H[i][1] = -l2 * s2, p->H[i][2] = -ry;
    p->k[i] = p->H[i][0] * w[0] + p->H[i][1] * w[1] + p->H[i][2] * w[2];
    p->k_drift[i] = -(l1 * c1 * w[0] * w[0] + l2 * c2 * w[1] * w[1] + rx * w[2] * w[2]);
  }
}

/* ---- scenes --------------------------------------------------------------------------------- */

#define RUBS(mu)                                    \
  {                                                 \
    { .name = "floor", .nslip = 1, .friction = mu } \
  }

static const scene ball_scene = {
    "ball", 1, 1, 0, 1, {{.name = "floor", .restitution = 0.8}}, ball, true, 2, 0.1, {1}, {0}, {0}};
static const scene rest_scene = {
    "ball to rest", 1,   1,   0,  1, {{.name = "floor", .restitution = 0.5}}, ball, true, 2,
    0.01,           {1}, {0}, {0}};
static const scene pendulum_scene = {"pendulum and stop",
                                     2,
                                     2,
                                     0,
                                     1,
                                     {{.name = "wall", .gap = 1, .restitution = 0.8}},
                                     pendulum,
                                     false,
                                     2,
                                     0.01,
                                     {0.84147098480789651, -0.54030230586813972},
                                     {0},
                                     {0}};
static const scene double_scene = {
    "double pendulum and wall",
    4,
    4,
    0,
    2,
    {{.name = "wall 1", .gap = 2, .restitution = 0.8},
     {.name = "wall 2", .gap = 3, .restitution = 0.8}},
    double_pendulum,
    false,
    1.5,
    0.01,
    {0.70710678118654752, -0.70710678118654752, 1.4142135623730950, -1.4142135623730950},
    {0},
    {0}};
static const scene up_scene = {
    "incline 20",         2, 1, 1, 1, RUBS(0.5), slider, true, 0.6, 0.01, {0}, {2, 0},
    {0.34906585039886592}};
static const scene down_scene = {
    "incline 30", 2, 1, 1, 1, RUBS(0.3), slider, true, 1, 0.01, {0}, {2, 0}, {0.52359877559829887}};
static const scene push_scene = {"push", 2, 1,    1,   1,   RUBS(0.4), slider,
                                 true,   3, 0.01, {0}, {0}, {0, 10}};
static const scene jerk_scene = {
    "stick-slip",
    2,
    1,
    1,
    1,
    {{.name = "floor", .nslip = 1, .friction = 0.3, .static_friction = 0.5}},
    slider,
    true,
    3,
    0.01,
    {0},
    {0},
    {0, 0, 50, 0.5}};
static const scene curve_scene = {"curve",
                                  3,
                                  1,
                                  2,
                                  1,
                                  {{.name = "floor", .nslip = 2, .friction = 0.3}},
                                  curve,
                                  true,
                                  0.6,
                                  0.01,
                                  {0},
                                  {0.5, 1},
                                  {0.34906585039886592}};
static const scene stop_scene = {"curve that stops",
                                 3,
                                 1,
                                 2,
                                 1,
                                 {{.name = "floor", .nslip = 2, .friction = 0.5}},
                                 curve,
                                 true,
                                 0.6,
                                 0.01,
                                 {0},
                                 {0.5, 1},
                                 {0.34906585039886592}};
static const scene roll_scene = {"sphere that rolls",
                                 6,
                                 1,
                                 2,
                                 1,
                                 {{.name = "floor", .nslip = 2, .friction = 0.2}},
                                 sphere,
                                 true,
                                 0.8,
                                 0.01,
                                 {0, 0, 0.1},
                                 {2, 0, 0, 0, -30, 0},
                                 {0}};
static const scene turn_scene = {"sphere that turns",
                                 6,
                                 1,
                                 2,
                                 1,
                                 {{.name = "floor", .nslip = 2, .friction = 0.2}},
                                 sphere,
                                 true,
                                 1.2,
                                 0.01,
                                 {0, 0, 0.1},
                                 {2, 1, 0, 25, -30, 7},
                                 {0}};
static const scene spin_scene = {
    "bounce with spin",
    6,
    1,
    2,
    1,
    {{.name = "floor", .nslip = 2, .friction = 0.2, .restitution = 0.7}},
    sphere,
    true,
    1,
    0.01,
    {0, 0, 0.6},
    {1, 0, 0, 0, -40, 0},
    {0}};
static const scene block_scene = {
    "rocking block",
    3,
    2,
    2,
    2,
    {{.name = "left", .gap = 0, .slip = 0, .nslip = 1, .friction = 2},
     {.name = "right", .gap = 1, .slip = 1, .nslip = 1, .friction = 2}},
    corners,
    false,
    1.2,
    0.01,
    /* turned by -0.15 about the right corner at (0.2, 0) */
    {0.2 - (0.2 * 0.98877107793604228 - 0.6 * 0.14943813247359922),
     0.2 * 0.14943813247359922 + 0.6 * 0.98877107793604228, -0.15},
    {0},
    {0.2, 0.6, 0.4 / 3}};
static const scene limit_scene = {"joint limit",
                                  1,
                                  2,
                                  0,
                                  2,
                                  {{.name = "lower", .gap = 0, .restitution = 0.6},
                                   {.name = "upper", .gap = 1, .restitution = 0.6}},
                                  limit,
                                  true,
                                  3,
                                  0.01,
                                  {0.9},
                                  {0},
                                  {0}};
static const scene driven_scene = {"driven limit",
                                   1,
                                   2,
                                   0,
                                   2,
                                   {{.name = "lower", .gap = 0, .restitution = 0.6},
                                    {.name = "upper", .gap = 1, .restitution = 0.6}},
                                   limit,
                                   true,
                                   4,
                                   0.01,
                                   {0},
                                   {0},
                                   {6}};
static const scene two_scene = {
    "two balls",
    2,
    2,
    0,
    2,
    {{.name = "floor", .gap = 0, .restitution = 0.8}, {.name = "2", .gap = 1, .restitution = 0.8}},
    column,
    true,
    0.4,
    0.01,
    {0.1, 0.3},
    {0},
    {0}};
static const scene three_scene = {"three balls",
                                  3,
                                  3,
                                  0,
                                  3,
                                  {{.name = "floor", .gap = 0, .restitution = 0.5},
                                   {.name = "2", .gap = 1, .restitution = 0.5},
                                   {.name = "3", .gap = 2, .restitution = 0.5}},
                                  column,
                                  true,
                                  0.5,
                                  1e-3,
                                  {0.1, 0.25, 0.45},
                                  {0},
                                  {0}};
static const scene woodpecker_scene = {
    "woodpecker",
    3,
    3,
    3,
    3,
    {{.name = "1", .gap = 0, .slip = 0, .nslip = 1, .friction = 0.3, .restitution = 0.5},
     {.name = "2", .gap = 1, .slip = 1, .nslip = 1, .friction = 0.3},
     {.name = "3", .gap = 2, .slip = 2, .nslip = 1, .friction = 0.3}},
    woodpecker,
    true,
    0.15,
    1.25e-4,
    {0, -0.1036, -0.2788},
    {-0.3411, 0, -7.4583},
    {0}};
static const scene rod_scene = {"Painleve's rod",
                                3,
                                1,
                                1,
                                1,
                                {{.name = "rod", .nslip = 1, .friction = 2}},
                                corners,
                                false,
                                0.2,
                                0.01,
                                {0.5 * 0.69670670934716542, 0.5 * 0.71735609089952276, 0.8},
                                {-2, 0, 0},
                                {0.5, 0, 1.0 / 12}};

static inline scene crank_scene(double t_end) {
  scene s = {.name = "slider-crank",
             .n = 3,
             .nlam = 4,
             .npsi = 4,
             .ncontacts = 4,
             .at = slider_crank,
             .t_end = t_end,
             .h = 1e-5,
             .v0 = {150, -75, 0}};
  static const char *const names[] = {"--", "+-", "-+", "++"};
  for (int i = 0; i < 4; i++) {
    s.contact[i] = (ga_contact){
        .name = names[i], .gap = i, .slip = i, .nslip = 1, .restitution = 0.4, .friction = 0.01};
  }
  return s;
}

/* A box, half sizes 0.1 x 0.15 x 0.05, that slides and spins flat on its four lower corners: q = x, y, z, angle
 * about z and small turns about x and y, which stay 0 but decide how the corners share the weight. */
static inline void spin4(const scene *s, point *p) {
  const double a[3] = {0.1, 0.15, 0.05}, c = cos(p->q[3]), d = sin(p->q[3]), w = p->v[3];
  (void)s;
  for (int k = 0; k < 3; k++) p->M[k][k] = 1;
  p->M[3][3] = (a[0] * a[0] + a[1] * a[1]) / 3;
  p->M[4][4] = p->M[5][5] = 0.01;
  p->F[2] = -g;
  for (int i = 0; i < 4; i++) {
    const double x = i & 2 ? a[0] : -a[0], y = i & 1 ? a[1] : -a[1];
    const double rx = c * x - d * y, ry = d * x + c * y;
    p->g[i] = p->q[2] - a[2] + ry * p->q[4] - rx * p->q[5];
    p->G[i][2] = 1, p->G[i][4] = ry, p->G[i][5] = -rx;
    p->G[i][3] = rx * p->q[4] + ry * p->q[5];
    p->drift[i] = 2 * w * (rx * p->v[4] + ry * p->v[5]);
    const double H[2][6] = {{1, 0, 0, -ry, 0, -a[2]}, {0, 1, 0, rx, a[2], 0}};
    for (int t = 0; t < 2; t++) {
      for (int k = 0; k < 6; k++) {
        p->H[2 * i + t][k] = H[t][k];
        p->k[2 * i + t] += H[t][k] * p->v[k];
      }
      p->k_drift[2 * i + t] = -(t ? ry : rx) * w * w;
    }
  }
}

static inline scene spin4_scene(void) {
  static const char *const names[] = {"--", "-+", "+-", "++"};
  scene s = {.name = "box that spins",
             .n = 6,
             .nlam = 4,
             .npsi = 8,
             .ncontacts = 4,
             .at = spin4,
             .t_end = 0.25,
             .h = 0.01,
             .q0 = {0, 0, 0.05},
             .v0 = {1, 0.5, 0, 8}};
  for (int i = 0; i < 4; i++) {
    s.contact[i] =
        (ga_contact){.name = names[i], .gap = i, .slip = 2 * i, .nslip = 2, .friction = 0.3};
  }
  return s;
}

#endif
