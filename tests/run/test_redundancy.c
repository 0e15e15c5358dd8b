/* SPDX-License-Identifier: MIT */
/* Mechanisms with redundant constraints: what is found and reported, motion, order, multipliers,
 * dense and sparse, saved states. Redundant rows beside rows that are nearly parallel or far from 1
 * in size: the multipliers balance the forces, and the rows that are kept hold. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <unistd.h>

#include "held_bodies.h"
#include "problems/problems.h"
#include "redundant_runs.h"

/* ---- Bricard -------------------------------------------------------------------------------- */

static void bricard(void **state) {
  (void)state;
  ga_file *file = model_loaded_in("absolute", "bricard", NULL, 0);
  const ga_mechanism *m = ga_file_mechanism(file);
  double *values = calloc((size_t)ga_mechanism_columns(m), sizeof *values);
  double end[3][6];
  for (int k = 0; k < 3; k++) {
    ga_options o = allowing("stab2", 4e-3 / (1 << k));
    ga_integrator *it = mechanism_started(m, &o);
    energy_watch w = {.m = m, .first = NAN, .values = values};
    char text[300];
    const ga_dependency found = ga_integrator_dependency(it);
    assert_int_equal(found.rows, 30);
    assert_int_equal(30 - found.rank, 1); /* 30 velocities: one degree of freedom is left */
    assert_int_equal(ga_integrator_stats(it)->dependent, 1);
    assert_true(found.residual[0] < 1e-12);
    assert_true(ga_integrator_dependency_text(it, 0, text, sizeof text));
    assert_string_equal(text,
                        "joint 'hinge5': 1 of its 5 rows follows from 'hinge0', 'hinge1', "
                        "'hinge2', 'hinge3', 'hinge4'");
    assert_false(ga_integrator_dependency_text(it, 1, text, sizeof text));
    if (k == 2) ga_integrator_observe(it, watch_energy, &w);
    run_to(it, 10);
    if (k == 2) assert_true(w.change < 1e-5 * w.kinetic && w.kinetic > 4);
    assert_true(ga_integrator_stats(it)->max_g < 1e-11);
    static const char *const names[] = {"P3.x", "P3.y", "P3.z", "P3.vx", "P3.vy", "P3.vz"};
    for (int i = 0; i < 6; i++) end[k][i] = column_of(m, it, names[i]);
    ga_integrator_free(it);
  }
  for (int i = 1; i < 6; i++) {
    if (i == 3) continue; /* near a turning point in x */
    const double ratio = (end[0][i] - end[1][i]) / (end[1][i] - end[2][i]);
    if (!(ratio > 3.6 && ratio < 4.4)) fail_msg("column %d: ratio %g", i, ratio);
  }
  free(values);
  ga_file_free(file);
}

/* ---- the slider-crank ----------------------------------------------------------------------- */

static const char planar_text[] =
    "genalpha: 1\n"
    "parameters: {r: 0.2, l: 0.5, phi: 45 deg, be: \"-asin(r*sin(phi)/l)\", px: r*cos(phi),\n"
    "             py: r*sin(phi), x: px + l*cos(be), w: 10, rate: -r*cos(phi)*w/(l*cos(be))}\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  crank: {kind: planar, mass: 1, inertia: 3e-3, position: [px/2, py/2], orientation: phi,\n"
    "          velocity: [-py*w/2, px*w/2], angular_velocity: w}\n"
    "  rod: {kind: planar, mass: 1, inertia: 2e-2, position: [(px + x)/2, py/2], orientation: be,\n"
    "        velocity: [-py*w + py*rate/2, px*w/2], angular_velocity: rate}\n"
    "  slider: {kind: planar, mass: 1, inertia: 1e-3, position: [x, 0],\n"
    "           velocity: [-py*w + py*rate, 0]}\n"
    "joints:\n"
    "  bearing: {type: revolute, between: [ground, crank], at: [0, 0]}\n"
    "  pin: {type: revolute, between: [crank, rod], at: [px, py]}\n"
    "  wrist: {type: revolute, between: [rod, slider], at: [x, 0]}\n"
    "  guide: {type: prismatic, between: [ground, slider], at: [x, 0], axis: [1, 0]}\n"
    "forces:\n"
    "  load: {type: spring, between: [ground, slider], at: {ground: [2, 0]}, stiffness: 100,\n"
    "         damping: 1}\n";

static const struct {
  const char *space, *plane;
} pairs[] = {{"slider.x", "slider.x"},     {"slider.vx", "slider.vx"},   {"crank.wz", "crank.rate"},
             {"bearing.fx", "bearing.fx"}, {"bearing.fy", "bearing.fy"}, {"wrist.fx", "wrist.fx"},
             {"load.force", "load.force"}};
enum { PAIRS = sizeof pairs / sizeof pairs[0], MOTION = 3 };

/* The motion and the unique forces of the planar one, by every method, dense and sparse. The
 * three rows across the plane are named. */
static void as_in_the_plane(void **state) {
  (void)state;
  static const char *const methods[] = {"stab2", "index3", "soi2", "hht", "index2", "index1"};
  static const char *const solvers[] = {"dense", "klu"};
  ga_file *space = model_loaded_in("absolute", "slider-crank-hinged", NULL, 0),
          *plane = text_parsed(planar_text);
  const ga_mechanism *ms = ga_file_mechanism(space), *mp = ga_file_mechanism(plane);
  for (int k = 0; k < 6; k++) {
    ga_options o = allowing(methods[k], 1e-3);
    ga_integrator *flat = mechanism_started(mp, &o);
    run_to(flat, 0.5);
    assert_int_equal(ga_integrator_stats(flat)->dependent, 0);
    for (int s = 0; s < 2; s++) {
      char text[300];
      o.linsol = solvers[s];
      ga_integrator *it = mechanism_started(ms, &o);
      assert_int_equal(ga_integrator_stats(it)->dependent, 3);
      assert_true(ga_integrator_dependency_text(it, 0, text, sizeof text));
      assert_string_equal(text,
                          "joint 'guide': 3 of its 5 rows follow from 'bearing', 'pin', 'wrist'");
      run_to(it, 0.5);
      for (int i = 0; i < PAIRS; i++) {
        const double a = column_of(ms, it, pairs[i].space), b = column_of(mp, flat, pairs[i].plane);
        const double allowed = i < MOTION ? 1e-8 : 1e-6;
        if (!(fabs(a - b) <= allowed * (1 + fabs(b)))) {
          fail_msg("%s, %s: %s is %.12g in space, %.12g in the plane", methods[k], o.linsol,
                   pairs[i].space, a, b);
        }
      }
      ga_integrator_free(it);
    }
    ga_integrator_free(flat);
  }
  ga_file_free(space);
  ga_file_free(plane);
}

/* order 2 in q, v and the forces that are unique */
static void order(void **state) {
  (void)state;
  static const char *const methods[] = {"stab2", "index3"};
  ga_file *file = model_loaded_in("absolute", "slider-crank-hinged", NULL, 0);
  const ga_mechanism *m = ga_file_mechanism(file);
  for (int k = 0; k < 2; k++) {
    double end[3][PAIRS];
    for (int j = 0; j < 3; j++) {
      ga_options o = allowing(methods[k], 5e-4 / (1 << j));
      ga_integrator *it = mechanism_started(m, &o);
      run_to(it, 0.3);
      for (int i = 0; i < PAIRS; i++) end[j][i] = column_of(m, it, pairs[i].space);
      ga_integrator_free(it);
    }
    for (int i = 0; i < PAIRS; i++) {
      const double ratio = (end[0][i] - end[1][i]) / (end[1][i] - end[2][i]);
      if (!(ratio > 3.5 && ratio < 4.5)) {
        fail_msg("%s, %s: ratio %g", methods[k], pairs[i].space, ratio);
      }
    }
  }
  ga_file_free(file);
}

/* ---- multipliers ---------------------------------------------------------------------------- */

/* Three hinges share the weight of a door equally: that is least. */
static void door(void **state) {
  (void)state;
  static const char *const names[] = {"low.fz", "middle.fz", "high.fz"};
  ga_file *file = model_loaded_in("absolute", "door", NULL, 0);
  const ga_mechanism *m = ga_file_mechanism(file);
  static const char *const methods[] = {"stab2", "index3", "soi2", "index2", "index1"};
  for (int k = 0; k < 5; k++) {
    ga_options o = allowing(methods[k], 2e-3);
    ga_integrator *it = mechanism_started(m, &o);
    assert_int_equal(ga_integrator_stats(it)->dependent, 10);
    for (int part = 0; part < 2; part++) {
      for (int i = 0; i < 3; i++) {
        const double weight = 25 * 9.81 * cos(3 * pi_ / 180);
        assert_near(names[i], column_of(m, it, names[i]), weight / 3, 1e-6);
      }
      run_to(it, 0.5);
    }
    ga_integrator_free(it);
  }
  ga_file_free(file);
}

/* Least multipliers are perpendicular, with the weights D = diag(G M^-1 G^T), to all multipliers
 * without force. The bob, the first body, has the mass 2, all points have 1. The tension of the
 * pendulum is unique.
 */
static void truss(void **state) {
  (void)state;
  ga_file *file = model_loaded_in("absolute", "truss", NULL, 0);
  const ga_mechanism *m = ga_file_mechanism(file);
  const ga_model *model = ga_mechanism_model(m);
  ga_options o = allowing("stab2", 1e-3);
  ga_integrator *it = mechanism_started(m, &o);
  const ga_dependency d = ga_integrator_dependency(it);
  assert_int_equal(d.ndependent, 4);
  const int nv = ga_space_nv(model->space);
  ga_arena arena = {0};
  ga_csr G;
  must(ga_csr_init(&G, model->nlam, nv, model->pat_G, &arena), NULL);
  const ga_evaluation ask = {.G = &G};
  const double *v = ga_integrator_state(it)->v;
  assert_int_equal(ga_model_evaluate(model, d.t, d.q, v, &ask), 0);
  for (int k = 0; k < d.ndependent; k++) {
    const double *lam = ga_integrator_state(it)->lam;
    double sum = 0, terms = 0;
    for (int e = d.start[k] - 1; e < d.start[k + 1]; e++) {
      const int row = e < d.start[k] ? d.dependent[k] : d.from[e];
      const double null = e < d.start[k] ? 1 : -d.coef[e];
      double weight = 0;
      for (int i = G.ptr[row]; i < G.ptr[row + 1]; i++) {
        weight += G.val[i] * G.val[i] / (G.col[i] < 3 ? 2 : 1);
      }
      sum += null * weight * lam[row];
      terms += fabs(null * weight * lam[row]);
    }
    assert_true(fabs(sum) < 1e-7 * terms);
  }
  int shared = 0;
  for (int i = 0; i < d.rows; i++) shared += !d.unique[i];
  assert_int_equal(shared, 5 + 4 * 4); /* posts, and floor, roof and both diagonals of each bay */
  ga_arena_free(&arena);
  run_to(it, 1);
  ga_integrator_free(it);
  ga_file_free(file);
}

/* ---- saved states --------------------------------------------------------------------------- */

/* The rows that are left out belong to the state: saved before and after they were chosen anew, and
 * loaded into another integrator, the run goes on bit by bit. */
static void resumed(void **state) {
  (void)state;
  static const char *const methods[] = {"stab2", "index3", "hht"};
  ga_file *file = model_loaded_in("absolute", "bricard", NULL, 0);
  const ga_mechanism *m = ga_file_mechanism(file);
  const ga_model *model = ga_mechanism_model(m);
  char path[] = "redundancy_XXXXXX";
  const int descriptor = mkstemp(path);
  assert_true(descriptor >= 0);
  close(descriptor);
  for (int k = 0; k < 3; k++) {
    ga_options o = allowing(methods[k], 2e-3);
    ga_integrator *a = mechanism_started(m, &o), *b = NULL;
    for (double t = 0.5; t < 2.7; t += 0.7) {
      run_to(a, t);
      must(ga_integrator_save(a, path), ga_integrator_error(a));
      must(ga_integrator_new(model, &o, &b, NULL), NULL);
      must(ga_integrator_load(b, path), ga_integrator_error(b));
      assert_int_equal(ga_integrator_dependency(b).ndependent, 1);
      run_to(a, t + 0.7);
      run_to(b, t + 0.7);
      const ga_state *sa = ga_integrator_state(a), *sb = ga_integrator_state(b);
      assert_memory_equal(sa->q, sb->q, (size_t)ga_space_nq(model->space) * sizeof(double));
      assert_memory_equal(sa->v, sb->v, (size_t)ga_space_nv(model->space) * sizeof(double));
      assert_memory_equal(sa->lam, sb->lam, (size_t)model->nlam * sizeof(double));
      assert_memory_equal(ga_integrator_stats(a), ga_integrator_stats(b), sizeof(ga_stats));
      ga_integrator_free(b);
    }
    assert_true(ga_integrator_stats(a)->chosen > 0);
    /* a run that refuses redundant rows cannot go on with it */
    ga_options other = o;
    other.redundant = GA_REDUNDANT_REFUSE;
    ga_problem *problem = problem_named("oscillator");
    must(ga_integrator_new(&problem->model, &other, &b, NULL), NULL);
    assert_int_equal(ga_integrator_load(b, path), GA_ERR_FILE);
    ga_integrator_free(b);
    ga_problem_free(problem);
    ga_integrator_free(a);
  }
  remove(path);
  ga_file_free(file);
}

/* A restart that fails leaves no trace: neither in the rows that are left out nor in the mass KKT
 * system. The run goes on as one that did not try it. */
static void after_a_failed_restart(void **state) {
  (void)state;
  static const char *const methods[] = {"stab2", "soi2"};
  ga_file *file = model_loaded_in("absolute", "bricard", NULL, 0);
  const ga_mechanism *m = ga_file_mechanism(file);
  const ga_model *model = ga_mechanism_model(m);
  const size_t nq = (size_t)ga_space_nq(model->space), nv = (size_t)ga_space_nv(model->space);
  double *q = calloc(nq, sizeof(double));
  assert_non_null(q);
  for (int k = 0; k < 2; k++) {
    ga_options o = allowing(methods[k], 2e-3);
    ga_integrator *a = mechanism_started(m, &o), *b = mechanism_started(m, &o);
    run_to(a, 0.5);
    run_to(b, 0.5);
    memcpy(q, ga_integrator_state(a)->q, nq * sizeof(double));
    q[0] += 0.1;
    assert_int_equal(ga_integrator_restart(a, q, NULL), GA_ERR_INITIAL);
    must(ga_integrator_project_position(a, NULL), ga_integrator_error(a));
    must(ga_integrator_project_position(b, NULL), ga_integrator_error(b));
    must(ga_integrator_project_velocity(a, GA_PROJECT_PLAIN, NULL), ga_integrator_error(a));
    must(ga_integrator_project_velocity(b, GA_PROJECT_PLAIN, NULL), ga_integrator_error(b));
    run_to(a, 0.6);
    run_to(b, 0.6);
    const ga_state *sa = ga_integrator_state(a), *sb = ga_integrator_state(b);
    assert_memory_equal(sa->q, sb->q, nq * sizeof(double));
    assert_memory_equal(sa->v, sb->v, nv * sizeof(double));
    assert_memory_equal(sa->lam, sb->lam, (size_t)model->nlam * sizeof(double));
    ga_integrator_free(a);
    ga_integrator_free(b);
  }
  free(q);
  ga_file_free(file);
}

/* ---- rest beside nearly parallel rows
 * ------------------------------------------------------------------------------------ */

/* What is known of v' is the rounding errors of the rows divided by the angle a between rows 0 and
 * 1. This is so without the copy as well. */
static void at_rest(const held *p, const ga_state *x, const char *method) {
  const double a = p->G[0][0], lam0 = 1 / a, allowed = 1e-13 / a;
  for (int i = 0; i < p->nv; i++) {
    if (!(fabs(x->vd[i]) <= allowed)) {
      fail_msg("%s, angle %g, t = %g: v'[%d] = %g", method, a, x->t, i, x->vd[i]);
    }
  }
  if (!(imbalance(p, x) <= allowed)) {
    fail_msg("%s, angle %g, t = %g: forces out of balance by %g of them", method, a, x->t,
             imbalance(p, x));
  }
  const double shared = p->rows == 3 ? x->lam[2] : 0; /* a copy of row 0 shares its force */
  assert_near("the force of row 0", x->lam[0] + shared, lam0, 1e-7);
  assert_near("the force of row 1", x->lam[1], 1 - lam0, 1e-7);
}

/* Bodies 1 and 2 are held by nearly parallel rows, body 3, which is connected with nothing, by one
 * and by its copy. */
static void beside_a_copy(void **state) {
  (void)state;
  for (double a = 1e-2; a > 5e-7; a /= 10) {
    const held p = {3, 4, {1, 1, 1}, {1, 1, 1}, {{a, 1, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 1}}};
    run_all_ways(&p, at_rest);
  }
}

static void halves(const held *p, const ga_state *x, const char *method) {
  at_rest(p, x, method);
  assert_near("the copy's share", x->lam[2], x->lam[0], 1e-6);
}

/* One of the nearly parallel rows is there twice. Both carry the same, as far as least multipliers
 * can be told from others. */
static void a_copy_of_them(void **state) {
  (void)state;
  for (double a = 1e-2; a > 5e-7; a /= 10) {
    const held p = {2, 3, {1, 1}, {1, 1}, {{a, 1}, {0, 1}, {a, 1}}};
    run_all_ways(&p, a > 5e-6 ? halves : at_rest);
  }
}

static void at_rest_in_other_units(const held *p, const ga_state *x, const char *method) {
  (void)method;
  assert_true(imbalance(p, x) <= 1e-12);
  assert_true(fabs(x->vd[0]) <= 1e-6 && fabs(x->vd[1]) <= 1e-6);
  assert_near("row 0 and its copy", x->lam[0] + x->lam[2], -3000, 1e-7);
}

/* Masses and rows in other units. */
static void other_units(void **state) {
  (void)state;
  static const held p = {
      2, 3, {1e-3, 2e-3}, {0.015, 0.007}, {{-5e-6, -3}, {0, -2e-3}, {-5e-6, -3}}};
  static const char *const methods[] = {"stab2", "hht"};
  for (int k = 0; k < 2; k++) run_held(&p, methods[k], "auto", at_rest_in_other_units);
}

/* ---- rows that count as dependent ------------------------------------------------------------ */

static void balanced(const held *p, const ga_state *x, const char *method) {
  if (!(imbalance(p, x) <= 1e-6)) {
    fail_msg("%s, t = %g: forces out of balance by %g of them", method, x->t, imbalance(p, x));
  }
}

/* One of two rows counts as dependent, but a light body feels which of them carries a large force:
 * the multipliers of the step stand. */
static void hardly_independent(void **state) {
  (void)state;
  const held p = {2, 2, {0.05, 3e4}, {-1e-5, -2.7e8}, {{2.5e-12, 1}, {0, 1}}};
  static const char *const methods[] = {"stab2", "index3"};
  for (int k = 0; k < 2; k++) run_held(&p, methods[k], "auto", balanced);
}

/* ---- small rows ------------------------------------------------------------------------------ */

/* Every method runs it, however small the rows are beside the masses: a quarter of a swing, to the
 * speed of the fall. */
static void small_rows(void **state) {
  (void)state;
  static const ga_model_ops ops = {.mass = twice_mass,
                                   .force = twice_force,
                                   .holonomic = twice_rows,
                                   .holonomic_jac = twice_jac,
                                   .holonomic_drift = twice_drift};
  static const char *const methods[] = {"stab2", "index3", "soi2", "hht", "index2", "index1"};
  static const twice sizes[] = {{1e-3, 1}, {1e-2, 1e3}, {1, 1}, {1e-5, 1e3}};
  ga_space *space = NULL;
  must(ga_space_rn(2, &space), NULL);
  for (int k = 0; k < 24; k++) {
    const twice *p = &sizes[k % 4];
    ga_model model = {
        .ops = &ops, .space = space, .nlam = 2, .user = (void *)p, .scleronomic = true};
    ga_options o = ga_options_default();
    o.method = methods[k / 4];
    o.h = 0.01 * sqrt(p->r / 9.81);
    o.redundant = GA_REDUNDANT_ALLOW;
    if (strcmp(o.method, "hht") == 0) o.par = ga_params_hht(-0.05, 0);
    const double q[2] = {0.6 * p->r, -0.8 * p->r}, v[2] = {0, 0};
    ga_integrator *it = NULL;
    must(ga_integrator_new(&model, &o, &it, NULL), NULL);
    must(ga_integrator_start(it, 0, q, v), ga_integrator_error(it));
    for (int step = 0; step < 100; step++) {
      must(ga_integrator_step(it), ga_integrator_error(it));
    }
    const ga_state *x = ga_integrator_state(it);
    const double speed = (x->v[0] * x->v[0] + x->v[1] * x->v[1]) / 2;
    assert_near(o.method, speed, -9.81 * (x->q[1] - q[1]), 1e-3);
    assert_near("the force of the second row", SECOND * x->lam[1], x->lam[0], 1e-6);
    ga_integrator_free(it);
  }
  ga_space_free(space);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bricard),       cmocka_unit_test(as_in_the_plane),
      cmocka_unit_test(order),         cmocka_unit_test(door),
      cmocka_unit_test(truss),         cmocka_unit_test(resumed),
      cmocka_unit_test(beside_a_copy), cmocka_unit_test(a_copy_of_them),
      cmocka_unit_test(other_units),   cmocka_unit_test(hardly_independent),
      cmocka_unit_test(small_rows),    cmocka_unit_test(after_a_failed_restart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
