/* SPDX-License-Identifier: MIT */
/* Frequencies against closed forms: pendulums, tops, linkages, chains, rolling; what is refused. */
#include "models_all.h"

static ga_file *parsed(const char *text) {
  ga_file *file = NULL;
  ga_error err = {0};
  must(ga_file_parse("text.yaml", text, strlen(text), NULL, &file, &err), &err);
  return file;
}

enum { ROOM = 64 };
typedef struct {
  double re[ROOM], im[ROOM];
  ga_modes found;
} modes_of;

static void find(const ga_model *model, const double *q, const double *v, modes_of *m) {
  ga_linearization *lin = NULL;
  ga_error err = {0};
  must(ga_linearization_new(model, 0, q, v, false, &lin, &err), &err);
  m->found = (ga_modes){.room = ROOM, .re = m->re, .im = m->im};
  must(ga_modes_find(lin, &m->found, &err), &err);
  ga_linearization_free(lin);
}

static void find_start(const ga_mechanism *m, modes_of *out) {
  find(ga_mechanism_model(m), ga_mechanism_q0(m), ga_mechanism_v0(m), out);
}

static void find_equilibrium(const ga_mechanism *m, double *q, modes_of *out) {
  ga_error err = {0};
  double *v = calloc((size_t)m->nv, sizeof(double));
  memcpy(q, m->q0, (size_t)m->nq * sizeof(double));
  must(ga_mechanism_equilibrium(m, 0, q, NULL, &err), &err);
  find(&m->model, q, v, out);
  free(v);
}

/* ---- at rest -------------------------------------------------------------------------------- */

/* Two uniform rods under gravity, hinged, hanging: the roots of det(K - w^2 M) = 0 for
 * M = [(m1/3 + m2) l1^2, m2 l1 l2/2; ., m2 l2^2/3], K = diag((m1/2 + m2) g l1, m2 g l2/2). In the
 * plane and in space; let go where they are not at rest. */
static void double_pendulum(void **state) {
  (void)state;
  static const char planar[] =
      "genalpha: 1\ngravity: [0, -9.81, 0]\nbodies:\n"
      "  a: {kind: planar, mass: 1.3, inertia: 1.3*0.8^2/12, position: [0.4, 0]}\n"
      "  b: {kind: planar, mass: 0.7, inertia: 0.7*0.5^2/12, position: [1.05, 0]}\n"
      "joints:\n"
      "  A: {type: revolute, between: [ground, a], at: [0, 0]}\n"
      "  B: {type: revolute, between: [a, b], at: [0.8, 0]}\n"
      "forces: {twist: {type: torsion, coordinate: B.angle, stiffness: 0}}\n";
  static const char spatial[] =
      "genalpha: 1\nformulation: %s\ngravity: [0, 0, -9.81]\nbodies:\n"
      "  a: {mass: 1.3, inertia: [0.1, 1.3*0.8^2/12, 0.2], position: [0.4, 0, 0]}\n"
      "  b: {mass: 0.7, inertia: [0.2, 0.7*0.5^2/12, 0.1], position: [1.05, 0, 0]}\n"
      "joints:\n"
      "  A: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}\n"
      "  B: {type: revolute, between: [a, b], at: [0.8, 0, 0], axis: [0, 1, 0]}\n";
  const double m1 = 1.3, l1 = 0.8, m2 = 0.7, l2 = 0.5, g = 9.81;
  const double M11 = (m1 / 3 + m2) * l1 * l1, M12 = m2 * l1 * l2 / 2, M22 = m2 * l2 * l2 / 3;
  const double K1 = (m1 / 2 + m2) * g * l1, K2 = m2 * g * l2 / 2;
  const double a = M11 * M22 - M12 * M12, b = K1 * M22 + K2 * M11, c = K1 * K2;
  for (int k = 0; k < 3; k++) {
    char text[1000];
    snprintf(text, sizeof text, spatial, k == 1 ? "r3so3" : "se3");
    ga_file *file = parsed(k == 0 ? planar : text);
    double q[40];
    modes_of m;
    find_equilibrium(ga_file_mechanism(file), q, &m);
    assert_int_equal(m.found.count, 2);
    assert_int_equal(m.found.freedom, 2);
    assert_false(m.found.unstable);
    for (int i = 0; i < 2; i++) {
      const double w2 = (b + (i ? 1 : -1) * sqrt(b * b - 4 * a * c)) / (2 * a);
      assert_near("frequency", m.im[i], sqrt(w2), 1e-9);
      assert_true(m.re[i] == 0);
    }
    ga_file_free(file);
  }
}

/* An upright rod on a hinge falls: s = +- sqrt(3 g / 2 l). Hanging with a damper: the roots of
 * m l^2/3 s^2 + c s + m g l/2. */
static void unstable_and_damped(void **state) {
  (void)state;
  static const char text[] =
      "genalpha: 1\ngravity: [0, -9.81, 0]\n"
      "bodies: {rod: {kind: planar, mass: 2, inertia: 1/6, position: [0, %s]}}\n"
      "joints: {pin: {type: revolute, between: [ground, rod], at: [0, 0]}}\n"
      "forces: {brake: {type: torsion, coordinate: pin.angle, damping: %s}}\n";
  char own[1000];
  modes_of m;
  snprintf(own, sizeof own, text, "0.5", "0");
  ga_file *file = parsed(own);
  find_start(ga_file_mechanism(file), &m);
  assert_true(m.found.unstable);
  assert_int_equal(m.found.count, 2);
  assert_near("falls", m.re[0], sqrt(1.5 * 9.81), 1e-10);
  assert_near("and rises", m.re[1], -sqrt(1.5 * 9.81), 1e-10);
  ga_file_free(file);
  snprintf(own, sizeof own, text, "-0.5", "0.9");
  file = parsed(own);
  find_start(ga_file_mechanism(file), &m);
  const double I = 2.0 / 3, c = 0.9, k = 9.81;
  assert_int_equal(m.found.count, 1);
  assert_near("decay", m.re[0], -c / (2 * I), 1e-9);
  assert_near("vibration", m.im[0], sqrt(k / I - c * c / (4 * I * I)), 1e-9);
  ga_file_free(file);
}

/* ---- a four-bar about its equilibrium ------------------------------------------------------- */

typedef struct {
  double angle, rate; /* of the three bars per that of the crank */
  double x, y, vx, vy;
} bar;

/* crank angle phi with rate 1: coupler and rocker by the law of cosines, rates from the closure */
static void four_bar_at(double phi, bar out[3]) {
  const double a = 0.4, b = 1, c = 0.8, d = 1;
  const double bx = a * cos(phi), by = a * sin(phi), f = hypot(d - bx, by);
  const double be = acos((b * b + f * f - c * c) / (2 * b * f)), th = atan2(-by, d - bx) + be;
  const double cx = bx + b * cos(th), cy = by + b * sin(th), ps = atan2(cy, cx - d);
  /* a e'(phi) + b e'(th) th' = c e'(ps) ps' */
  const double det = -b * c * sin(th - ps);
  const double th1 = a * c * sin(phi - ps) / det, ps1 = a * b * sin(phi - th) / det;
  out[0] = (bar){phi, 1, bx / 2, by / 2, -by / 2, bx / 2};
  out[1] = (bar){th, th1, (bx + cx) / 2, (by + cy) / 2, 0, 0};
  out[1].vx = -by - b / 2 * sin(th) * th1, out[1].vy = bx + b / 2 * cos(th) * th1;
  out[2] = (bar){ps, ps1, (d + cx) / 2, cy / 2, 0, 0};
  out[2].vx = -c / 2 * sin(ps) * ps1, out[2].vy = c / 2 * cos(ps) * ps1;
}

static const double bar_length[3] = {0.4, 1, 0.8};

/* dV/dphi = sum m g y' + k (psi - free) psi' ; the torsion acts on the angle of the bearing, which
 * is that of the rocker less its start */
static double four_bar_slope(double phi, double psi0) {
  bar b[3];
  four_bar_at(phi, b);
  double sum = 0, turn = b[2].angle - psi0;
  for (int i = 0; i < 3; i++) sum += 2 * bar_length[i] * 9.81 * b[i].vy;
  turn -= 2 * pi_ * round(turn / (2 * pi_));
  return sum + 5 * (turn - 0.2) * b[2].rate;
}

static void four_bar(void **state) {
  (void)state;
  ga_file *file = model_loaded("four-bar", NULL, 0);
  const ga_mechanism *m = ga_file_mechanism(file);
  double q[40];
  modes_of found;
  bar b[3];
  find_equilibrium(m, q, &found);
  const double phi = q[2];
  four_bar_at(50 * pi_ / 180, b);
  const double psi0 = b[2].angle;
  assert_true(fabs(four_bar_slope(phi, psi0)) < 1e-9);
  double mass = 0, h = 2e-3;
  four_bar_at(phi, b);
  for (int i = 0; i < 3; i++) {
    const double mi = 2 * bar_length[i];
    mass += mi * (b[i].vx * b[i].vx + b[i].vy * b[i].vy) +
            mi * bar_length[i] * bar_length[i] / 12 * b[i].rate * b[i].rate;
  }
  /* sixth order */
  double stiff = 0;
  static const double weight[3] = {3.0 / 4, -3.0 / 20, 1.0 / 60};
  for (int i = 0; i < 3; i++) {
    const double step = (i + 1) * h;
    stiff += weight[i] * (four_bar_slope(phi + step, psi0) - four_bar_slope(phi - step, psi0)) / h;
  }
  const double damp = 0.3 * b[2].rate * b[2].rate, re = -damp / (2 * mass);
  assert_int_equal(found.found.count, 1);
  assert_near("decay", found.re[0], re, 1e-8);
  assert_near("vibration", found.im[0], sqrt(stiff / mass - re * re), 1e-8);
  ga_file_free(file);
}

/* ---- steady motions ------------------------------------------------------------------------- */

/* A sleeping top, A about the pin, C about its axis: A s^2 - i C n s - m g l = 0 in the complex
 * tilt; s = i (C n +- sqrt(C^2 n^2 - 4 A m g l))/2A. Slower than that it is unstable. Its rotation
 * is free: zero. */
static void sleeping_top(void **state) {
  (void)state;
  for (int k = 0; k < 4; k++) {
    const double mass = 2, l = 0.4, J = 0.05, C = 0.03, A = J + mass * l * l;
    const double spin = k < 2 ? 150 : 20;
    ga_mechanism *m = mechanism_new(down_z);
    ADD(body, m, .name = "top", .mass = mass, .inertia = {J, J, C}, .position = {0, 0, l},
        .orientation = TURN_Z(0.3), .angular_velocity = {0, 0, spin},
        .formulation = k % 2 ? GA_FORMULATION_SE3 : GA_FORMULATION_R3SO3);
    ADD(joint, m, .name = "pin", .type = "spherical", .between = {"ground", "top"},
        .at = GA_IN_SPACE(0, 0, 0));
    build(m);
    modes_of found;
    find_start(m, &found);
    const double under = C * C * spin * spin - 4 * A * mass * 9.81 * l;
    assert_int_equal(found.found.count, 3);
    assert_true(found.re[0] == 0 && found.im[0] == 0);
    if (k < 2) {
      assert_false(found.found.unstable);
      assert_near("precession", found.im[1], (C * spin - sqrt(under)) / (2 * A), 1e-8);
      assert_near("nutation", found.im[2], (C * spin + sqrt(under)) / (2 * A), 1e-8);
      assert_true(fabs(found.re[1]) < 1e-8 * found.im[2]);
    } else {
      assert_true(found.found.unstable);
      for (int i = 1; i < 3; i++) {
        assert_near("falls or rises", fabs(found.re[i]), sqrt(-under) / (2 * A), 1e-8);
        assert_near("turning", found.im[i], C * spin / (2 * A), 1e-8);
      }
      assert_true(found.re[1] * found.re[2] < 0);
    }
    ga_mechanism_free(m);
  }
}

/* A thin disk rolls straight ahead, upright: w^2 = ((C + m r^2) C/J n^2 - m g r)/(J + m r^2), J
 * about a diameter, C about its axis; stable above n^2 = g/3r. */
static void rolling_disk(void **state) {
  (void)state;
  for (int k = 0; k < 4; k++) {
    const double mass = 2, r = 0.5, J = mass * r * r / 4, C = 2 * J, spin = k < 2 ? 6 : 2;
    ga_mechanism *m = mechanism_new(down_z);
    ADD(body, m, .name = "disk", .mass = mass, .inertia = {J, C, J}, .position = {0, 0, r},
        .velocity = {r * spin, 0, 0}, .angular_velocity = {0, spin, 0},
        .formulation = k % 2 ? GA_FORMULATION_SE3 : GA_FORMULATION_R3SO3);
    ADD(joint, m, .name = "floor", .type = "rolling_disk", .between = {"ground", "disk"},
        .normal = GA_IN_SPACE(0, 0, 1), .axis = GA_IN_SPACE(0, 1, 0), .radius = r);
    build(m);
    modes_of found;
    find_start(m, &found);
    const double w2 =
        ((C + mass * r * r) * C / J * spin * spin - mass * 9.81 * r) / (J + mass * r * r);
    const int last = found.found.count - 1;
    assert_int_equal(found.found.freedom, 5);
    assert_int_equal(found.found.unstable, w2 < 0);
    if (w2 > 0) assert_near("wobble", found.im[last], sqrt(w2), 1e-8);
    if (w2 < 0) assert_near("falls", fabs(found.re[last]), sqrt(-w2), 1e-8);
    ga_mechanism_free(m);
  }
}

/* ---- many masses ---------------------------------------------------------------------------- */

enum { MASSES = 1000 };
static const double chain_m = 0.3, chain_k = 70;

static int chain_mass(void *user, double t, const double *q, ga_csr *M) {
  (void)user, (void)t, (void)q;
  for (int i = 0; i < MASSES; i++) M->val[i] = chain_m;
  return 0;
}

static int chain_force(void *user, double t, const double *q, const double *v, double *F) {
  (void)user, (void)t, (void)v;
  for (int i = 0; i < MASSES; i++) {
    const double left = i ? q[i - 1] : 0, right = i < MASSES - 1 ? q[i + 1] : 0;
    F[i] = chain_k * (left - 2 * q[i] + right);
  }
  return 0;
}

static int chain_tangents(void *user, double t, const double *q, const double *v, const double *x,
                          const double *lam, const double *psi, ga_csr *Kt, ga_csr *Ct) {
  (void)user, (void)t, (void)q, (void)v, (void)x, (void)lam, (void)psi, (void)Ct;
  for (int i = 0; i < MASSES; i++) {
    for (int e = Kt->ptr[i]; e < Kt->ptr[i + 1]; e++) {
      Kt->val[e] = Kt->col[e] == i ? 2 * chain_k : -chain_k;
    }
  }
  return 0;
}

static const ga_model_ops chain_ops = {
    .mass = chain_mass, .force = chain_force, .force_tangents = chain_tangents};

/* tridiagonal and diagonal patterns */
static void chain_patterns(ga_csr *M, ga_csr *K) {
  static int m_ptr[MASSES + 1], m_col[MASSES], k_ptr[MASSES + 1], k_col[3 * MASSES];
  int n = 0;
  for (int i = 0; i < MASSES; i++) {
    m_ptr[i] = m_col[i] = i;
    k_ptr[i] = n;
    for (int j = i - 1; j <= i + 1; j++) {
      if (j >= 0 && j < MASSES) k_col[n++] = j;
    }
  }
  m_ptr[MASSES] = MASSES;
  k_ptr[MASSES] = n;
  *M = (ga_csr){MASSES, MASSES, m_ptr, m_col, NULL};
  *K = (ga_csr){MASSES, MASSES, k_ptr, k_col, NULL};
}

static double chain_frequency(int k) {
  return 2 * sqrt(chain_k / chain_m) * sin((k + 1) * pi_ / (2 * (MASSES + 1)));
}

static void thousand_masses(void **state) {
  (void)state;
  static double q[MASSES], v[MASSES], re[MASSES + 1], im[MASSES + 1];
  ga_csr M, K;
  ga_space *space;
  ga_linearization *lin = NULL;
  ga_error err = {0};
  chain_patterns(&M, &K);
  assert_int_equal(ga_space_rn(MASSES, &space), GA_OK);
  const ga_model model = {
      .ops = &chain_ops, .space = space, .pat_M = &M, .pat_K = &K, .const_mass = true};
  must(ga_linearization_new(&model, 0, q, v, false, &lin, &err), &err);
  ga_modes modes = {.room = MASSES + 1, .re = re, .im = im};
  must(ga_modes_find(lin, &modes, &err), &err);
  assert_int_equal(modes.count, MASSES);
  for (int k = 0; k < MASSES; k++) assert_near("frequency", im[k], chain_frequency(k), 1e-8);
  /* the same by shift and inversion, if ARPACK is built in */
  ga_modes few = {.room = 12, .re = re, .im = im, .few = true};
  const ga_status status = ga_modes_find(lin, &few, &err);
  if (status == GA_ERR_BACKEND) {
    assert_non_null(strstr(err.text, "need ARPACK"));
  } else {
    must(status, &err);
    assert_int_equal(few.count, 12);
    for (int k = 0; k < 12; k++) assert_near("few", im[k], chain_frequency(k), 1e-8);
  }
  ga_linearization_free(lin);
  ga_space_free(space);
}

/* More modes asked for than a chain of N links, 3 N velocities, has: all N of them come, and
 * nothing else, by shift and inversion (room for 79 of 60) and by LAPACK (79 of 10). */
static void more_than_there_are(void **state) {
  (void)state;
  const ga_file_set sets[] = {{"N", "60"}, {"N", "10"}};
  for (int i = 0; i < 2; i++) {
    enum { MOST = 79 };
    const int links = i == 0 ? 60 : 10;
    ga_file *file = model_loaded("chain", &sets[i], 1);
    const ga_mechanism *m = ga_file_mechanism(file);
    double *q = calloc((size_t)m->nq, 8), *v = calloc((size_t)m->nv, 8);
    double re[MOST], im[MOST], re2[MOST], im2[MOST];
    ga_linearization *lin = NULL;
    ga_error err = {0};
    memcpy(q, m->q0, (size_t)m->nq * sizeof(double));
    must(ga_mechanism_equilibrium(m, 0, q, NULL, &err), &err);
    must(ga_linearization_new(&m->model, 0, q, v, false, &lin, &err), &err);
    ga_modes all = {.room = MOST, .re = re, .im = im};
    ga_modes few = {.room = MOST, .re = re2, .im = im2, .few = true};
    must(ga_modes_find(lin, &all, &err), &err);
    assert_int_equal(all.count, links);
    if (ga_modes_find(lin, &few, &err) == GA_OK) {
      assert_int_equal(few.count, links);
      assert_false(few.unstable);
      for (int k = 0; k < links; k++) assert_near("frequency", im2[k], im[k], 1e-8);
    } else {
      assert_int_equal(links, 60); /* LAPACK needs no ARPACK */
    }
    ga_linearization_free(lin);
    free(q);
    free(v);
    ga_file_free(file);
  }
}

/* A hanging chain of 60 links by shift and inversion: as by LAPACK, shapes too. */
static void few_of_a_chain(void **state) {
  (void)state;
  const ga_file_set set[] = {{"N", "60"}};
  ga_file *file = model_loaded("chain", set, 1);
  const ga_mechanism *m = ga_file_mechanism(file);
  const int nv = m->nv;
  double *q = calloc((size_t)m->nq, 8), *v = calloc((size_t)nv, 8), re[5], im[5], re2[5], im2[5];
  double *a = calloc(10 * (size_t)nv, 8), *b = calloc(10 * (size_t)nv, 8);
  ga_linearization *lin = NULL;
  ga_error err = {0};
  memcpy(q, m->q0, (size_t)m->nq * sizeof(double));
  must(ga_mechanism_equilibrium(m, 0, q, NULL, &err), &err);
  must(ga_linearization_new(&m->model, 0, q, v, false, &lin, &err), &err);
  ga_modes all = {.room = 5, .re = re, .im = im, .shape_re = a, .shape_im = a + 5 * nv};
  ga_modes few = {
      .room = 5, .re = re2, .im = im2, .shape_re = b, .shape_im = b + 5 * nv, .few = true};
  must(ga_modes_find(lin, &all, &err), &err);
  if (ga_modes_find(lin, &few, &err) == GA_OK) {
    for (int k = 0; k < 5; k++) {
      assert_near("frequency", im2[k], im[k], 1e-9);
      assert_true(vector_error(nv, a + k * nv, b + k * nv) < 1e-6);
    }
  }
  ga_linearization_free(lin);
  free(q);
  free(v);
  free(a);
  free(b);
  ga_file_free(file);
}

/* ---- shapes, refusals ----------------------------------------------------------------------- */

/* Two equal masses on three equal springs: in phase with sqrt(k/m), out of phase with sqrt(3k/m);
 * every body moves along the guide alone. */
static void shapes(void **state) {
  (void)state;
  static const char text[] =
      "genalpha: 1\nformulation: se3\ncoordinates: absolute\nbodies:\n"
      "  a: {mass: 2, inertia: [1, 1, 1], position: [1, 0, 0], orientation: {axis: [0, 0, 1], "
      "angle: 1}}\n"
      "  b: {mass: 2, inertia: [1, 1, 1], position: [2, 0, 0]}\n"
      "joints:\n"
      "  ga: {type: prismatic, between: [ground, a], axis: [1, 0, 0]}\n"
      "  gb: {type: prismatic, between: [ground, b], axis: [1, 0, 0]}\n"
      "forces:\n"
      "  s1: {type: spring, between: [ground, a], stiffness: 50}\n"
      "  s2: {type: spring, between: [a, b], stiffness: 50}\n"
      "  s3: {type: spring, between: [ground, b], at: {ground: [3, 0, 0]}, stiffness: 50}\n";
  ga_file *file = parsed(text);
  const ga_mechanism *m = ga_file_mechanism(file);
  double re[4], im[4], sr[4 * 12], si[4 * 12];
  ga_linearization *lin = NULL;
  ga_error err = {0};
  must(ga_linearization_new(&m->model, 0, m->q0, m->v0, false, &lin, &err), &err);
  ga_modes modes = {.room = 4, .re = re, .im = im, .shape_re = sr, .shape_im = si};
  must(ga_modes_find(lin, &modes, &err), &err);
  assert_int_equal(modes.count, 2);
  for (int k = 0; k < 2; k++) {
    assert_near("frequency", im[k], sqrt((k ? 3 : 1) * 25.0), 1e-10);
    for (int i = 0; i < 12; i++) {
      const double expected = i == 0 ? 1 : i == 6 ? (k ? -1 : 1) : 0;
      const double sign = sr[12 * k] < 0 ? -1 : 1;
      assert_true(fabs(sign * sr[12 * k + i] - expected) < 1e-9 && si[12 * k + i] == 0);
    }
  }
  ga_linearization_free(lin);
  ga_file_free(file);
}

static void refused_states(void **state) {
  (void)state;
  static const struct {
    const char *model, *word;
  } list[] = {{"pendulum", "not an equilibrium"},
              {"gyroscope", "not constant in time"},
              {"double-pendulum", "not constant in time"},
              {"universal-shaft", "not constant in time"}};
  for (int i = 0; i < 4; i++) {
    ga_file *file = model_loaded(list[i].model, NULL, 0);
    const ga_mechanism *m = ga_file_mechanism(file);
    ga_linearization *lin = NULL;
    ga_error err = {0};
    assert_int_equal(ga_linearization_new(&m->model, 0, m->q0, m->v0, false, &lin, &err),
                     GA_ERR_INITIAL);
    assert_null(lin);
    if (!strstr(err.text, list[i].word)) fail_msg("%s: %s", list[i].model, err.text);
    must(ga_linearization_new(&m->model, 0, m->q0, m->v0, true, &lin, &err), &err);
    ga_linearization_free(lin);
    ga_file_free(file);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(double_pendulum), cmocka_unit_test(unstable_and_damped),
      cmocka_unit_test(four_bar),        cmocka_unit_test(sleeping_top),
      cmocka_unit_test(rolling_disk),    cmocka_unit_test(thousand_masses),
      cmocka_unit_test(few_of_a_chain),  cmocka_unit_test(more_than_there_are),
      cmocka_unit_test(shapes),          cmocka_unit_test(refused_states),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
