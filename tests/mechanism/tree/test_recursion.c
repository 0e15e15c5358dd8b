/* SPDX-License-Identifier: MIT */
/* All derivatives of mechanisms in joint coordinates against difference quotients at random states:
 * every type of joint, forwards and backwards, ball joints, free roots, elements between branches, joints
 * that close loops, functions of signals, far from the origin. */
#include "mechanism/mechanism.h"
#include "random_tree.h"

/* the model at random states */
static void check_tree(ga_mechanism *m, const char *what) {
  ga_error built = {0};
  must(ga_mechanism_build(m, 0, &built), &built);
  assert_int_equal(ga_mechanism_coordinates(m, NULL), GA_COORDINATES_JOINT);
  const ga_model *model = ga_mechanism_model(m);
  const int nq = ga_space_nq(model->space), nv = ga_space_nv(model->space);
  double q[NMAX], v[NMAX], step[NMAX];
  unsigned seed = 11;
  for (int k = 0; k < 3; k++) {
    ga_error err = {0};
    random_vector(&seed, nv, 1.5, v);
    random_vector(&seed, nv, k, step);
    ga_space_step(model->space, ga_mechanism_q0(m), step, q);
    if (ga_model_check_derivatives(model, 0.3, q, v, NULL, &err) != GA_OK) {
      fail_msg("%s, %d unknowns: %s", what, nq, err.text);
    }
  }
  ga_mechanism_free(m);
}

static void every_joint(void **state) {
  (void)state;
  for (int i = 0; i < NTREE_TYPE; i++) {
    for (unsigned seed = 1; seed < 4; seed++) {
      const random_tree t = {.seed = 100 * seed + (unsigned)i,
                             .first = tree_types[i],
                             .signals = seed == 2,
                             .loop = seed == 3,
                             .coordinates = GA_COORDINATES_JOINT};
      check_tree(tree_new(&t), tree_types[i]);
    }
  }
}

static void far_away(void **state) {
  (void)state;
  for (unsigned seed = 1; seed < 6; seed++) {
    const random_tree t = {
        .seed = 7 * seed, .far = 1000, .loop = true, .coordinates = GA_COORDINATES_JOINT};
    check_tree(tree_new(&t), "far");
  }
}

/* A free body with legs, and a second tree that a spring ties to it. */
static void free_roots(void **state) {
  (void)state;
  ga_mechanism *m = mechanism_new(down_z);
  static const char *const names[] = {"trunk", "leg1", "leg2", "leg3", "leg4"};
  unsigned seed = 5;
  for (int i = 0; i < 5; i++) {
    ADD(body, m, .name = names[i], .mass = i ? 0.5 : 8, .com = {0.01 * i, 0, 0.02},
        .inertia = {0.1, 0.2, 0.15, 0.01, 0, 0.02}, .position = {0.3 * i, 0.2 * (i % 2), 0.1});
  }
  for (int i = 1; i < 5; i++) {
    tree_joint(m, &seed, 0,
               i == 1   ? "a"
               : i == 2 ? "b"
               : i == 3 ? "c"
                        : "d",
               i % 2 ? "revolute" : "spherical", names[i % 2 ? i : 0], names[i % 2 ? 0 : i]);
  }
  ADD(body, m, .name = "kite", .mass = 0.3, .inertia = {0.1, 0.2, 0.15}, .position = {1, 2, 3});
  ADD(force, m, .name = "line", .type = "spring", .between = {"kite", "leg3"},
      .at = GA_ON_BOTH(0.3, -0.2, 0.5, 0.1, 0.6, -0.3), .stiffness = 20, .damping = 7);
  ADD(joint, m, .name = "wheel", .type = "knife_edge", .between = {"ground", "leg4"},
      .at = GA_IN_SPACE(0.1, 0.2, 0.3), .direction = GA_IN_SPACE(1, 0, 0.2));
  ga_mechanism_set_coordinates(m, GA_COORDINATES_JOINT);
  check_tree(m, "free roots");
}

/* Drives, couplers, torsions, rotors and states on joints of the tree and on cut ones. */
static void coordinates(void **state) {
  (void)state;
  for (int cut = 0; cut < 2; cut++) {
    const random_tree t = {.seed = 21, .first = "revolute", .coordinates = GA_COORDINATES_JOINT};
    ga_mechanism *m = tree_new(&t);
    unsigned seed = 9;
    ga_error err = {0};
    if (cut) tree_joint(m, &seed, 0, "c", "cylindrical", "b3", "b4");
    const char *angle = cut ? "c.angle" : "j0.angle";
    ADD(force, m, .name = "wind", .type = "torsion", .coordinate = angle, .stiffness = 3,
        .damping = 0.5, .law = {.text = "-2*s^3*s_dot + t*s + 0.1*b2.vx"});
    ADD(drive, m, .name = "motor", .coordinate = cut ? "c.position" : "j0.angle",
        .rate = {.text = "0.2*b1.x + cos(t)"});
    static const char *const terms[] = {"j0.angle", "c.angle"};
    static const double factors[] = {1, -2.5};
    if (cut) {
      ADD(coupler, m, .name = "gear", .count = 2, .coordinates = terms, .coefficients = factors);
    }
    const ga_controller_state z = {.name = "z", .rate = {.text = "j0.angle_rate - z + b4.y"}};
    must(ga_mechanism_add_controller_state(m, &z, &err), &err);
    ga_mechanism_set_assemble(m, true);
    check_tree(m, cut ? "coordinates of cut joints" : "coordinates of the tree");
  }
}

/* A pass may find the motion of an earlier one: F, M v' and M at a state are the same bits, whatever was
 * evaluated before, with velocities or without. */
static void any_order(void **state) {
  (void)state;
  enum { ROUNDS = 8 };
  const random_tree t = {.seed = 5, .first = "spherical", .coordinates = GA_COORDINATES_JOINT};
  ga_mechanism *m = tree_new(&t);
  ga_error err = {0};
  must(ga_mechanism_build(m, 0, &err), &err);
  const ga_model *model = ga_mechanism_model(m);
  const int nv = ga_space_nv(model->space);
  double q[2][NMAX], v[2][NMAX], x[NMAX], step[NMAX], M[NMAX * NMAX];
  double kept[2][2 * NMAX + NMAX * NMAX];
  unsigned seed = 3;
  random_vector(&seed, nv, 1, x);
  for (int k = 0; k < 2; k++) {
    random_vector(&seed, nv, 1, v[k]);
    random_vector(&seed, nv, 1, step);
    ga_space_step(model->space, ga_mechanism_q0(m), step, q[k]);
  }
  const size_t entries = model->pat_M ? (size_t)model->pat_M->ptr[nv] : (size_t)nv * (size_t)nv;
  for (int round = 0; round < ROUNDS; round++) {
    const int k = (round & 1) ^ (round >> 2 & 1); /* 0 1 0 1 1 0 1 0 */
    double now[2 * NMAX + NMAX * NMAX] = {0};
    ga_csr mass = {.nrow = nv, .ncol = nv, .val = M};
    memset(M, 0, sizeof M);
    const ga_evaluation alone = {.M = &mass}, all = {.F = now, .Mx = now + nv, .x = x};
    assert_int_equal(ga_mechanism_evaluate(m, 0, q[k], NULL, &alone), 0);
    assert_int_equal(ga_mechanism_evaluate(m, 0, q[k], v[k], &all), 0);
    memcpy(now + 2 * nv, M, entries * sizeof *M);
    if (round < 2) memcpy(kept[k], now, sizeof now);
    assert_memory_equal(kept[k], now, sizeof now);
  }
  assert_memory_not_equal(kept[0], kept[1], (size_t)nv * sizeof(double));
  ga_mechanism_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_joint), cmocka_unit_test(far_away),
                                     cmocka_unit_test(free_roots), cmocka_unit_test(coordinates),
                                     cmocka_unit_test(any_order)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
