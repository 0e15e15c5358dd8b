/* SPDX-License-Identifier: MIT */
/* States of a solution: at the nodes, between them, at events; constraint forces. */
#include <math.h>
#include <string.h>

#include "support.h"

static ga_solution *opened(const ga_problem *p, double accuracy, ga_accuracy_of of) {
  ga_options o = ga_options_default();
  o.accuracy = accuracy;
  o.accuracy_of = of;
  o.multiplier_guess = p->mult0;
  ga_solution *s = NULL;
  ga_error err = {0};
  must(ga_solution_new(&p->model, &o, &s, &err), &err);
  return s;
}

/* At any time the oscillator has the accuracy of its nodes. */
static void test_between_closed(void **state) {
  (void)state;
  ga_problem *p = problem_named("oscillator");
  uint64_t seed = 3;
  for (int digits = 2; digits <= 8; digits++) {
    double A = pow(10, -digits), speed = 0, worst_q = 0, worst_v = 0;
    ga_solution *s = opened(p, A, GA_ACCURACY_OF_QV);
    must(ga_solution_solve(s, p->t0, p->q0, p->v0, p->t_end), ga_solution_error(s));
    for (int i = 0; i < 200; i++) {
      double t = p->t0 + (p->t_end - p->t0) * (next_uniform(&seed) + 1) / 2, q, v;
      assert_true(ga_problem_reference(p, t, &q, &v, NULL, NULL, NULL));
      ga_state at = ga_solution_at(s, t);
      assert_true(at.t == t);
      speed = fmax(speed, fabs(v));
      worst_q = fmax(worst_q, fabs(at.q[0] - q));
      worst_v = fmax(worst_v, fabs(at.v[0] - v));
    }
    if (!(worst_q <= 2 * A && worst_v <= 2 * A * speed)) {
      fail_msg("A = %g: %g, %g", A, worst_q, worst_v / speed);
    }
    assert_true(isnan(ga_solution_at(s, p->t_end + 1).t));
    ga_solution_free(s);
  }
  ga_problem_free(p);
}

/* On SO(3): the state between two nodes is that of a solution which ends there, constraint forces
 * included; and it is on the constraints. */
static void test_between_rotations(void **state) {
  (void)state;
  ga_problem *p = problem_named("heavy-top");
  const double A = 1e-7;
  ga_solution *s = opened(p, A, GA_ACCURACY_OF_QV);
  must(ga_solution_solve(s, p->t0, p->q0, p->v0, p->t_end), ga_solution_error(s));
  for (int i = 1; i <= 5; i++) {
    double t = 0.0917 + 0.1733 * i;
    ga_solution *other = opened(p, A / 10, GA_ACCURACY_OF_QV);
    must(ga_solution_solve(other, p->t0, p->q0, p->v0, t), ga_solution_error(other));
    ga_state a = ga_solution_at(s, t), b = ga_solution_end(other);
    double g[3];
    assert_true(ga_space_distance(p->model.space, a.q, b.q) < 3 * A);
    assert_true(vector_error(6, a.v, b.v) < 3 * A * 300);
    assert_true(vector_error(6, a.vd, b.vd) < 30 * A * ga_max_abs(6, b.vd));
    assert_true(vector_error(3, a.lam, b.lam) < 30 * A * ga_max_abs(3, b.lam));
    assert_int_equal(ga_model_evaluate(&p->model, t, a.q, a.v, &(ga_evaluation){.g = g}), 0);
    assert_true(ga_max_abs(3, g) < 1e-13);
    ga_solution_free(other);
  }
  ga_solution_free(s);
  ga_problem_free(p);
}

/* The error of the constraint forces is estimated where it is asked for, and true. */
static void test_forces(void **state) {
  (void)state;
  ga_problem *p = problem_named("heavy-top");
  truth ref = reference_at(p, p->t_end);
  for (int digits = 2; digits <= 6; digits++) {
    double A = pow(10, -digits);
    ga_solution *s = opened(p, A, GA_ACCURACY_OF_QV_VD_LAM);
    must(ga_solution_solve(s, p->t0, p->q0, p->v0, p->t_end), ga_solution_error(s));
    const ga_accuracy *a = ga_solution_accuracy(s);
    ga_state end = ga_solution_end(s);
    assert_int_equal(a->verdict, GA_VERDICT_REACHED);
    assert_true(a->estimate.lam <= A && a->estimate.vd <= A && a->estimate.lam > 0);
    assert_true(vector_error(3, end.lam, ref.lam) <= 2 * A * ga_max_abs(3, ref.lam));
    ga_solution_free(s);
  }
  ga_problem_free(p);
}

static double first_coordinate(void *context, const ga_state *state) {
  (void)context;
  return state->q[0];
}

typedef struct {
  int count;
  double t[100];
} seen;

static int note(void *context, int event, int sign, const ga_state *state) {
  seen *all = context;
  (void)event;
  assert_true(sign == 1 || sign == -1);
  assert_true(fabs(state->q[0]) < 1e-9);
  all->t[all->count++] = state->t;
  return 0;
}

static double noted_coordinate(void *context, const ga_state *state) {
  return first_coordinate(context, state);
}

/* Zeros of the oscillator: half a period apart, each as exact as the solution; a terminal one ends
 * it. */
static void test_events(void **state) {
  (void)state;
  ga_problem *p = problem_named("oscillator");
  seen all = {0};
  const double A = 1e-8;
  ga_solution *s = opened(p, A, GA_ACCURACY_OF_QV);
  const ga_event zero = {.value = noted_coordinate, .handler = note, .context = &all};
  must(ga_solution_add_event(s, &zero), NULL);
  must(ga_solution_solve(s, p->t0, p->q0, p->v0, p->t_end), ga_solution_error(s));
  assert_true(all.count >= 3);
  for (int i = 0; i < all.count; i++) {
    double q, v, speed = 0;
    assert_true(ga_problem_reference(p, all.t[i], &q, &v, NULL, NULL, NULL));
    speed = fabs(v);
    assert_true(fabs(q) <= 2 * A * (1 + speed));
  }
  ga_solution_free(s);

  s = opened(p, A, GA_ACCURACY_OF_QV);
  const ga_event stop = {.value = first_coordinate, .terminal = true};
  must(ga_solution_add_event(s, &stop), NULL);
  double t = p->t0;
  const double *q = p->q0, *v = p->v0;
  for (int i = 0; i < 3; i++) { /* the next zero starts from the last one */
    assert_int_equal(ga_solution_solve(s, t, q, v, p->t_end), GA_EVENT);
    assert_int_equal(ga_solution_event(s), 0);
    ga_state end = ga_solution_end(s);
    assert_near("zero", end.t, all.t[i], 1e-7);
    assert_true(ga_solution_node(s, ga_solution_nodes(s) - 2).t < end.t);
    t = end.t, q = end.q, v = end.v;
  }
  ga_solution_free(s);
  ga_problem_free(p);
}

/* ---- faster than the nodes ----------------------------------------------------------------------- */

static int unit_mass(void *user, double t, const double *q, ga_csr *M) {
  (void)user, (void)t, (void)q;
  M->val[0] = M->val[3] = 1; /* 2 x 2 */
  return 0;
}

/* A point with the damper *c beside an oscillator. */
static int slowed(void *user, double t, const double *q, const double *v, double *F) {
  const double *c = user;
  (void)t;
  F[0] = -*c * v[0];
  F[1] = -40 * q[1];
  return 0;
}

/* v = exp(-c t) has long decayed at the second node: what is between the nodes is not exact, and the
 * sentence says so; it does not where the nodes resolve the decay. */
static void test_faster_than_nodes(void **state) {
  (void)state;
  const ga_model_ops ops = {.mass = unit_mass, .force = slowed};
  const double q0[2] = {0, 0}, v0[2] = {1, 1}, damping[] = {3, 200};
  ga_space *space;
  must(ga_space_rn(2, &space), NULL);
  for (int i = 0; i < 2; i++) {
    double c = damping[i], worst = 0;
    const ga_model model = {.ops = &ops, .user = &c, .space = space};
    const ga_problem p = {.model = model};
    ga_solution *s = opened(&p, 1e-5, GA_ACCURACY_OF_QV);
    must(ga_solution_solve(s, 0, q0, v0, 5), ga_solution_error(s));
    const ga_accuracy *a = ga_solution_accuracy(s);
    assert_int_equal(a->verdict, GA_VERDICT_REACHED);
    for (int k = 1; k < 1000; k++) {
      const double t = 0.005 * k;
      worst = fmax(worst, fabs(ga_solution_at(s, t).v[0] - exp(-c * t)));
    }
    print_message("c = %g: %.2g between the nodes. %s\n", c, worst, a->text);
    assert_true((worst > 2e-5) == (strstr(a->text, "between the") != NULL));
    assert_true((worst > 2e-5) == (i == 1));
    ga_solution_free(s);
  }
  ga_space_free(space);
}

/* An oscillator, and a point that a stiff spring with a damper lets follow it. */
static int pulled(void *user, double t, const double *q, const double *v, double *F) {
  const double *k = user;
  (void)t;
  F[0] = -4 * q[0];
  F[1] = -*k * (q[1] - q[0]) - 30 * (v[1] - v[0]);
  return 0;
}

/* q_0 = sin 2t, and the other one the same, but for 4/k. A hundredth of q between them is an acceleration of
 * a hundredth of k: v between the nodes is then the polynomial of v at six of them. That of 2 cos 2t is off by
 * 2 (2H)^6/6! max |x (x - 1) .. (x - 5)| in its first interval, where this maximum is 16.9; where v'
 * count in spite of their errors, these are at most four times that. */
static void test_stiff_between_nodes(void **state) {
  (void)state;
  const ga_model_ops ops = {.mass = unit_mass, .force = pulled};
  const double q0[2] = {0, 0}, v0[2] = {2, 2}, stiffness[] = {1, 1e5, 1e8};
  ga_space *space;
  must(ga_space_rn(2, &space), NULL);
  for (int i = 0; i < 3; i++) {
    double k = stiffness[i];
    const ga_model model = {.ops = &ops, .user = &k, .space = space};
    const ga_problem p = {.model = model};
    for (double A = 0.3; A > 0.9e-4; A /= sqrt(10)) {
      const int follows = k > 1; /* else the other one has another motion */
      double worst = 0;
      ga_solution *s = opened(&p, A, GA_ACCURACY_OF_QV);
      must(ga_solution_solve(s, 0, q0, v0, 5), ga_solution_error(s));
      assert_int_equal(ga_solution_accuracy(s)->verdict, GA_VERDICT_REACHED);
      for (int j = 1; j < 1000; j++) {
        const double t = 0.005 * j;
        const ga_state at = ga_solution_at(s, t);
        for (int n = 0; n <= follows; n++) {
          worst = fmax(worst, fabs(at.v[n] - 2 * cos(2 * t)) / 2);
          worst = fmax(worst, fabs(at.q[n] - sin(2 * t)));
        }
      }
      const double H = 5.0 / (double)(ga_solution_nodes(s) - 1);
      const double of_six = follows ? pow(2 * H, 6) / 720 * 16.9 : 0;
      print_message("k = %g, A = %.2g: %.2g\n", k, A, worst);
      if (!(worst <= 2 * A + 4 * of_six + 8 / k * follows))
        fail_msg("k = %g, A = %g: %g", k, A, worst);
      ga_solution_free(s);
    }
  }
  ga_space_free(space);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_faster_than_nodes),
      cmocka_unit_test(test_stiff_between_nodes),
      cmocka_unit_test(test_between_closed),
      cmocka_unit_test(test_between_rotations),
      cmocka_unit_test(test_forces),
      cmocka_unit_test(test_events),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
