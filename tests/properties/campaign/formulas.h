/* SPDX-License-Identifier: MIT */
/* The formulas of model.h in the precision REAL. The file is included once with REAL double and
 * once with REAL long double and has no include guard. NOISE(x) is a number between -1 and 1.
 *
 * A law returns f, its derivatives, and for the checker: size, the sum of the magnitudes of its
 * summands; jump, by how much f jumps within one rounding (dx, du, dt) of its arguments; noise, an
 * error that f has on purpose. At a kink the steeper one-sided derivative within one rounding is
 * returned. Without the checker dx = du = dt = 0. */

typedef struct law_point {
  REAL t, x, u, dt, dx, du;
} law_point;

typedef struct law_value {
  REAL f, fx, fu, size, jump, noise;
  bool bad; /* f does not exist here */
} law_value;

/* -k (x - x0) - c u;  p = k, x0, c */
static inline void law_spring(const double *p, law_point a, law_value *r) {
  REAL elastic = -p[0] * (a.x - p[1]), viscous = -p[2] * a.u;
  *r = (law_value){.f = elastic + viscous, .fx = -p[0], .fu = -p[2]};
  r->size = fabs(elastic) + fabs(viscous);
}

/* -k x - c x^3;  p = k, c. A negative k snaps through. */
static inline void law_cubic(const double *p, law_point a, law_value *r) {
  REAL linear = -p[0] * a.x, cube = -p[1] * a.x * a.x * a.x;
  *r = (law_value){.f = linear + cube, .fx = -p[0] - 3 * p[1] * a.x * a.x};
  r->size = fabs(linear) + fabs(cube);
}

/* A wall that a coordinate above x0 hits: 0, or -k (x - x0) - c u;  p = k, x0, c */
static inline void law_contact(const double *p, law_point a, law_value *r) {
  REAL depth = a.x - p[1];
  *r = (law_value){0};
  if (depth > -a.dx) law_spring(p, a, r);
  if (!(depth > 0)) r->f = 0;
  if (fabs(depth) <= a.dx) r->jump = fabs(p[2] * a.u);
}

/* Walls at both sides, x0 and -x0, without damping;  p = k, x0 */
static inline void law_stop(const double *p, law_point a, law_value *r) {
  REAL depth = fabs(a.x) - p[1];
  *r = (law_value){0};
  if (depth > -a.dx) r->fx = -p[0];
  if (depth > 0) r->f = a.x > 0 ? -p[0] * (a.x - p[1]) : -p[0] * (a.x + p[1]);
  r->size = fabs(r->f);
}

/* Hertz and Hunt, Crossley: -k d^(3/2) (1 + c u), d = x - x0 > 0;  p = k, x0, c */
static inline void law_hertz(const double *p, law_point a, law_value *r) {
  REAL depth = a.x - p[1];
  *r = (law_value){0};
  if (!(depth > -a.dx)) return;
  REAL d = depth > 0 ? depth : 0, root = sqrt(d), factor = 1 + p[2] * a.u;
  r->f = -p[0] * d * root * factor;
  r->fx = -1.5 * p[0] * sqrt(d > a.dx ? d : a.dx) * factor;
  r->fu = -p[0] * d * root * p[2];
  r->size = p[0] * d * root * (1 + fabs(p[2] * a.u));
}

/* -m tanh((u - w)/e);  p = m, e, w */
static inline void law_friction(const double *p, law_point a, law_value *r) {
  REAL bend = tanh((a.u - p[2]) / p[1]);
  *r = (law_value){.f = -p[0] * bend, .fu = -p[0] / p[1] * (1 - bend * bend)};
  r->size = fabs(r->f);
}

/* -(m + d exp(-(s/v)^2)) tanh(s/e), s = u - w;  p = m, e, w, d, v */
static inline void law_stribeck(const double *p, law_point a, law_value *r) {
  REAL s = a.u - p[2], bend = tanh(s / p[1]), bell = p[3] * exp(-(s / p[4]) * (s / p[4]));
  *r = (law_value){.f = -(p[0] + bell) * bend};
  r->fu = 2 * s / (p[4] * p[4]) * bell * bend - (p[0] + bell) / p[1] * (1 - bend * bend);
  r->size = fabs(r->f);
}

/* -m sign(u - w);  p = m, w */
static inline void law_dry(const double *p, law_point a, law_value *r) {
  REAL s = a.u - p[1];
  *r = (law_value){.f = s > 0 ? -p[0] : s < 0 ? p[0] : 0};
  r->size = fabs(r->f);
  if (fabs(s) <= a.du) r->jump = 2 * fabs(p[0]);
}

static inline void law_step(const double *p, REAL distance, REAL rounding, law_value *r) {
  *r = (law_value){.f = distance > 0 ? p[1] : p[0]};
  r->size = fabs(r->f);
  if (fabs(distance) <= rounding) r->jump = fabs((REAL)p[1] - p[0]);
}

/* p0 below p2, p1 above it: in x, in u, in t */
static inline void law_step_x(const double *p, law_point a, law_value *r) {
  law_step(p, a.x - p[2], a.dx, r);
}

static inline void law_step_u(const double *p, law_point a, law_value *r) {
  law_step(p, a.u - p[2], a.du, r);
}

static inline void law_step_t(const double *p, law_point a, law_value *r) {
  law_step(p, a.t - p[2], a.dt, r);
}

/* A sin(w t + s);  p = A, w, s */
static inline void law_sine(const double *p, law_point a, law_value *r) {
  *r = (law_value){.f = p[0] * sin(p[1] * a.t + p[2])};
  r->size = fabs(p[0] * (1 + p[1] * a.t)); /* the angle is rounded, too */
}

static inline void law_constant(const double *p, law_point a, law_value *r) {
  (void)a;
  *r = (law_value){.f = p[0], .size = fabs((REAL)p[0])};
}

/* -c u |u|;  p = c */
static inline void law_drag(const double *p, law_point a, law_value *r) {
  *r = (law_value){.f = -p[0] * a.u * fabs(a.u), .fu = -2 * p[0] * fabs(a.u)};
  r->size = fabs(r->f);
}

/* -f0 (exp(x/x0) - 1);  p = f0, x0 */
static inline void law_exponential(const double *p, law_point a, law_value *r) {
  REAL e = exp(a.x / p[1]);
  *r = (law_value){.f = -p[0] * (e - 1), .fx = -p[0] / p[1] * e, .size = fabs(p[0] * (e + 1))};
}

/* f0 (x0/x)^7 for x > 0, nothing else exists;  p = f0, x0 */
static inline void law_barrier(const double *p, law_point a, law_value *r) {
  REAL s = p[1] / a.x, s2 = s * s;
  *r = (law_value){.f = p[0] * s2 * s2 * s2 * s, .bad = !(a.x > 0)};
  r->fx = -7 * r->f / a.x;
  r->size = fabs(r->f);
}

/* -m sin(x/x0): a bounded force with many roots;  p = m, x0 */
static inline void law_ripple(const double *p, law_point a, law_value *r) {
  *r = (law_value){.f = -p[0] * sin(a.x / p[1]), .fx = -p[0] / p[1] * cos(a.x / p[1])};
  r->size = fabs(r->f);
}

/* A spring in steps of width w: -k w floor(x/w);  p = k, w */
static inline void law_stair(const double *p, law_point a, law_value *r) {
  REAL s = a.x / p[1], n = floor(s);
  *r = (law_value){.f = -p[0] * p[1] * n, .size = fabs(p[0] * p[1] * n)};
  if (fabs(s - floor(s + 0.5)) <= 2 * a.dx / fabs((REAL)p[1])) r->jump = fabs(p[0] * (REAL)p[1]);
}

/* A exp(-((x - x0)/w)^2): a narrow hill;  p = A, x0, w */
static inline void law_spike(const double *p, law_point a, law_value *r) {
  REAL s = (a.x - p[1]) / p[2], f = p[0] * exp(-s * s);
  *r = (law_value){.f = f, .fx = -2 * s / p[2] * f, .size = fabs(f)};
}

/* -k (x - x0) (1 + n noise(x)): the last digits are wrong, differently at each x;  p = k, x0, n */
static inline void law_noisy(const double *p, law_point a, law_value *r) {
  REAL f = -p[0] * (a.x - p[1]);
  *r = (law_value){.f = f * (1 + p[2] * NOISE(a.x)), .fx = -p[0], .size = fabs(f)};
  r->noise = fabs(f) * p[2];
}

typedef void (*law_function)(const double *p, law_point at, law_value *value);

static const law_function laws[LAW_COUNT] = {
#define LAW_ENTRY(name) law_##name,
    HARD_LAWS(LAW_ENTRY)
#undef LAW_ENTRY
};

/* The forces at a point, and what the checker wants to know of them. Matrices are by rows, nv x nv:
 * K = D_q F, C = dF/dv. */
typedef struct force_sum {
  REAL F[HARD_NV], size[HARD_NV], jump[HARD_NV], noise[HARD_NV];
  REAL K[HARD_NV * HARD_NV], C[HARD_NV * HARD_NV];
  bool bad;
} force_sum;

/* Add a force along the direction e of some coordinates at[], and its derivatives. */
static inline void add_along(int nv, int n, const int *at, const REAL *e, const law_value *r,
                             force_sum *out) {
  for (int a = 0; a < n; a++) {
    int row = at[a];
    out->F[row] += e[a] * r->f;
    out->size[row] += fabs(e[a]) * r->size;
    out->jump[row] += fabs(e[a]) * r->jump;
    out->noise[row] += fabs(e[a]) * r->noise;
    for (int b = 0; b < n; b++) {
      out->K[row * nv + at[b]] += e[a] * e[b] * r->fx;
      out->C[row * nv + at[b]] += e[a] * e[b] * r->fu;
    }
  }
  out->bad |= r->bad;
}

static inline void force_line(const hard_element *element, int nv, REAL t, REAL eps, const REAL *q,
                              const REAL *v, force_sum *out) {
  const int at[2] = {element->i, element->j};
  const REAL e[2] = {1, -1};
  int n = element->j < 0 ? 1 : 2;
  law_point p = {.t = t, .dt = eps * fabs(t)};
  for (int a = 0; a < n; a++) {
    p.x += e[a] * q[at[a]];
    p.u += e[a] * v[at[a]];
    p.dx += eps * fabs(q[at[a]]);
    p.du += eps * fabs(v[at[a]]);
  }
  law_value r;
  laws[element->law](element->p, p, &r);
  add_along(nv, n, at, e, &r, out);
}

/* With d = P_i - P_j, x = |d|, n = d/x, u = n.d': the force f n on P_i and -f n on P_j,
 *   D(f n) = fx n n^T + f/x (I - n n^T) + fu n (d' - u n)^T / x. */
static inline void force_plane(const hard_element *element, int nv, REAL t, REAL eps, const REAL *q,
                               const REAL *v, force_sum *out) {
  const int at[4] = {element->i, element->i + 1, element->j, element->j + 1};
  int n = element->j < 0 ? 2 : 4;
  REAL d[2], dd[2], e[4];
  law_point p = {.t = t, .dt = eps * fabs(t)};
  for (int a = 0; a < 2; a++) {
    d[a] = q[at[a]] - (n == 4 ? q[at[2 + a]] : (REAL)element->anchor[a]);
    dd[a] = v[at[a]] - (n == 4 ? v[at[2 + a]] : 0);
    p.dx += eps * (fabs(q[at[a]]) + (n == 4 ? fabs(q[at[2 + a]]) : 0));
    p.du += eps * (fabs(v[at[a]]) + (n == 4 ? fabs(v[at[2 + a]]) : 0));
  }
  p.x = sqrt(d[0] * d[0] + d[1] * d[1]);
  for (int a = 0; a < 4; a++) e[a] = (a < 2 ? d[a] : -d[a - 2]) / p.x;
  p.u = e[0] * dd[0] + e[1] * dd[1];
  law_value r;
  laws[element->law](element->p, p, &r);
  r.bad |= !(p.x > 0);
  add_along(nv, n, at, e, &r, out);
  for (int a = 0; a < n; a++) {
    for (int b = 0; b < n; b++) {
      REAL side = (a < 2) == (b < 2) ? 1 : -1;
      REAL turn = (a % 2 == b % 2 ? side : 0) - e[a] * e[b];
      REAL swing = (b < 2 ? dd[b] : -dd[b - 2]) - p.u * e[b];
      out->K[at[a] * nv + at[b]] += (r.f * turn + r.fu * e[a] * swing) / p.x;
    }
  }
}

static inline void add_force(force_sum *out, int row, REAL f) {
  out->F[row] += f;
  out->size[row] += fabs(f);
}

static inline void force_gyro(const hard_element *element, int nv, const REAL *v, force_sum *out) {
  int i = element->i, j = element->j;
  add_force(out, i, element->p[0] * v[j]);
  add_force(out, j, -element->p[0] * v[i]);
  out->C[i * nv + j] += element->p[0];
  out->C[j * nv + i] -= element->p[0];
}

/* Lagrange's equations of c cos(q_i - q_j) v_i v_j: F_i = -c sin(q_i - q_j) v_j^2, F_j = +c ...
 * v_i^2
 */
static inline void force_cosine(const hard_element *element, int nv, const REAL *q, const REAL *v,
                                force_sum *out) {
  int at[2] = {element->i, element->j};
  for (int a = 0; a < 2; a++) {
    int i = at[a], j = at[1 - a];
    REAL s = element->p[0] * sin(q[i] - q[j]), c = element->p[0] * cos(q[i] - q[j]);
    add_force(out, i, -s * v[j] * v[j]);
    out->K[i * nv + i] -= c * v[j] * v[j];
    out->K[i * nv + j] += c * v[j] * v[j];
    out->C[i * nv + j] -= 2 * s * v[j];
  }
}

/* Lagrange's equations of m q_i^2 v_j^2 / 2: F_i = m q_i v_j^2, F_j = -2 m q_i v_i v_j */
static inline void force_polar(const hard_element *element, int nv, const REAL *q, const REAL *v,
                               force_sum *out) {
  int i = element->i, j = element->j;
  REAL m = element->p[0];
  add_force(out, i, m * q[i] * v[j] * v[j]);
  add_force(out, j, -2 * m * q[i] * v[i] * v[j]);
  out->K[i * nv + i] += m * v[j] * v[j];
  out->K[j * nv + i] -= 2 * m * v[i] * v[j];
  out->C[i * nv + j] += 2 * m * q[i] * v[j];
  out->C[j * nv + i] -= 2 * m * q[i] * v[j];
  out->C[j * nv + j] -= 2 * m * q[i] * v[i];
}

/* Rotation with the quaternion (w, x), body rates O: -O x J O - 2 k w x - c O,
 *   D(2 w x) d = (w^2 I - x x^T + w x~) d. */
static inline void force_torsion(const hard_element *element, const hard_model *m, const REAL *q,
                                 const REAL *v, force_sum *out) {
  int nv = hard_nv(m), at = m->n_flat + 3 * element->i;
  const REAL *w = q + m->n_flat + 4 * element->i, *x = w + 1, *O = v + at;
  const double *J = m->mass + at;
  for (int a = 0; a < 3; a++) {
    int b = (a + 1) % 3, c = (a + 2) % 3;
    add_force(out, at + a, (J[b] - J[c]) * O[b] * O[c]);
    add_force(out, at + a, -2 * element->p[0] * w[0] * x[a]);
    add_force(out, at + a, -element->p[1] * O[a]);
    out->C[(at + a) * nv + at + b] += (J[b] - J[c]) * O[c];
    out->C[(at + a) * nv + at + c] += (J[b] - J[c]) * O[b];
    out->C[(at + a) * nv + at + a] -= element->p[1];
    for (int d = 0; d < 3; d++) out->K[(at + a) * nv + at + d] += element->p[0] * x[a] * x[d];
    out->K[(at + a) * nv + at + a] -= element->p[0] * w[0] * w[0];
    out->K[(at + a) * nv + at + b] += element->p[0] * w[0] * x[c];
    out->K[(at + a) * nv + at + c] -= element->p[0] * w[0] * x[b];
  }
}

/* All elements together; eps is the relative rounding within which kinks and jumps are looked for. */
static inline void sum_forces(const hard_model *m, REAL t, REAL eps, const REAL *q, const REAL *v,
                              force_sum *out) {
  int nv = hard_nv(m);
  memset(out, 0, sizeof *out);
  for (int n = 0; n < m->n_element; n++) {
    const hard_element *element = &m->element[n];
    if (element->shape == SHAPE_LINE) force_line(element, nv, t, eps, q, v, out);
    if (element->shape == SHAPE_PLANE) force_plane(element, nv, t, eps, q, v, out);
    if (element->shape == SHAPE_GYRO) force_gyro(element, nv, v, out);
    if (element->shape == SHAPE_COSINE_MASS) force_cosine(element, nv, q, v, out);
    if (element->shape == SHAPE_POLAR_MASS) force_polar(element, nv, q, v, out);
    if (element->shape == SHAPE_TORSION) force_torsion(element, m, q, v, out);
  }
}

/* M by rows, and K += D_q(M x) */
static inline void sum_mass(const hard_model *m, const REAL *q, REAL *M) {
  int nv = hard_nv(m);
  memset(M, 0, sizeof *M * (size_t)(nv * nv));
  for (int i = 0; i < nv; i++) M[i * nv + i] = m->mass[i];
  for (int n = 0; n < m->n_element; n++) {
    const hard_element *element = &m->element[n];
    int i = element->i, j = element->j;
    if (element->shape == SHAPE_COSINE_MASS) {
      M[i * nv + j] = M[j * nv + i] = element->p[0] * cos(q[i] - q[j]);
    }
    if (element->shape == SHAPE_POLAR_MASS) M[j * nv + j] += element->p[0] * q[i] * q[i];
  }
}

static inline void add_mass_tangent(const hard_model *m, const REAL *q, const REAL *x, REAL *K) {
  int nv = hard_nv(m);
  for (int n = 0; n < m->n_element; n++) {
    const hard_element *element = &m->element[n];
    int i = element->i, j = element->j;
    if (element->shape == SHAPE_COSINE_MASS) {
      REAL s = element->p[0] * sin(q[i] - q[j]);
      K[i * nv + i] -= s * x[j];
      K[i * nv + j] += s * x[j];
      K[j * nv + i] -= s * x[i];
      K[j * nv + j] += s * x[i];
    }
    if (element->shape == SHAPE_POLAR_MASS) K[j * nv + i] += 2 * element->p[0] * q[i] * x[j];
  }
}
