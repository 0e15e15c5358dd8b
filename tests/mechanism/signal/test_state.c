/* SPDX-License-Identifier: MIT */
/* Controllers: order 2 in q, v, v', lam, psi with states, with a drive whose rate depends on the state,
 * with sampled states and with inputs that jump; balances of forces and power; saved states. */
#include "mechanisms.h"

enum { FIELDS = 5 };
static const char *const field_name[FIELDS] = {"q", "v", "v'", "lam", "psi"};
enum { ROOM = 64 };

typedef struct {
  double part[FIELDS][ROOM];
} snapshot;

/* A double pendulum in space under control; sampled: the controller is digital. */
static ga_mechanism *controlled(bool sampled) {
  ga_mechanism *m = mechanism_new(down_z);
  ga_mechanism_set_formulation(m, sampled ? GA_FORMULATION_SE3 : GA_FORMULATION_R3SO3);
  add_double_pendulum(m);
  ADD(body, m, .name = "cart", .mass = 2, .inertia = {1, 1, 1}, .position = {0, 0, 1},
      .velocity = {-0.35});
  ADD(joint, m, .name = "rail", .type = "prismatic", .between = {"ground", "cart"},
      .axis = GA_IN_SPACE(1, 0, 0));
  ADD(input, m, .name = "gain", .value = 3);
  ADD(sensor, m, .name = "error", .type = "expression",
      .value = {.text = "0.3*sin(2*t) - hinge.angle"});
  if (sampled) {
    ADD(controller_state, m, .name = "sum", .value = {.text = "sum + 0.04*error"}, .every = 0.04);
    ADD(controller_state, m, .name = "u", .value = {.text = "4*error + gain*sum"}, .every = 0.08);
  } else {
    ADD(controller_state, m, .name = "sum", .rate = {.text = "error"});
    ADD(controller_state, m, .name = "slow", .rate = {.text = "(error - slow)/0.05 + 0.1*upper.wz"},
        .start = 0.2);
    ADD(sensor, m, .name = "u", .type = "expression",
        .value = {.text = "4*error + gain*sum + 0.02*(error - slow)/0.05"});
  }
  ADD(force, m, .name = "motor", .type = "torsion", .coordinate = "hinge.angle",
      .law = {.text = "u - 0.1*s_dot"});
  ADD(drive, m, .name = "follow", .coordinate = "rail.position",
      .rate = {.text = "0.5*lower.vx - 2*rail.position + 0.2*sum"});
  build(m);
  return m;
}

static void take(const ga_mechanism *m, ga_integrator *it, snapshot *shot) {
  const ga_model *model = ga_mechanism_model(m);
  const ga_state *s = ga_integrator_state(it);
  const double *const from[FIELDS] = {s->q, s->v, s->vd, s->lam, s->psi};
  const int nv = ga_space_nv(model->space);
  const int size[FIELDS] = {ga_space_nq(model->space), nv, nv, model->nlam, model->npsi};
  for (int k = 0; k < FIELDS; k++) {
    assert_true(size[k] <= ROOM);
    if (size[k]) memcpy(shot->part[k], from[k], (size_t)size[k] * sizeof(double));
  }
}

/* The state at t = 0.4; jump: the input gain is set at t = 0.2. */
static snapshot run(const ga_mechanism *m, const char *method, double h, bool jump) {
  ga_options o = ga_options_default();
  o.method = method;
  o.par = ga_params_rho(0.8);
  o.h = h;
  ga_integrator *it = mechanism_started(m, &o);
  snapshot shot = {{{0}}};
  must(ga_integrator_run(it, 0.2), ga_integrator_error(it));
  if (jump) assert_int_equal(ga_integrator_set_input(it, 0, 40), GA_OK);
  must(ga_integrator_run(it, 0.4), ga_integrator_error(it));
  take(m, it, &shot);
  ga_integrator_free(it);
  return shot;
}

/* Differences of runs with h, h/2, h/4 fall by 4, field by field. */
static void study(const ga_mechanism *m, const char *method, bool jump) {
  const ga_model *model = ga_mechanism_model(m);
  const int nv = ga_space_nv(model->space);
  const int size[FIELDS] = {0, nv, nv, model->nlam, model->npsi};
  snapshot shot[3];
  for (int i = 0; i < 3; i++) shot[i] = run(m, method, 1e-3 / (1 << i), jump);
  for (int k = 0; k < FIELDS; k++) {
    double e[2];
    if (k > 0 && size[k] == 0) continue; /* no rows in joint coordinates */
    for (int i = 0; i < 2; i++) {
      const double *a = shot[i].part[k], *b = shot[i + 1].part[k];
      e[i] = k == 0 ? ga_space_distance(model->space, a, b) : vector_error(size[k], a, b);
    }
    print_message("%s %-3s %.3e %.3e order %.3f\n", method, field_name[k], e[0], e[1],
                  slope(e[0], e[1]));
    assert_between(field_name[k], slope(e[0], e[1]), 1.95, 2.05);
  }
}

static void orders(void **state) {
  (void)state;
  for (int sampled = 0; sampled < 2; sampled++) {
    ga_mechanism *m = controlled(sampled);
    for (int jump = 0; jump < 2; jump++) {
      study(m, "stab2", jump);
      study(m, "index3", jump);
    }
    ga_mechanism_free(m);
  }
}

/* A controller that samples at every step: the guess after a restart knows what the one before missed,
 * so that Newton's iteration is as short as without samples, and factors serve several steps. */
static void samples_every_step(void **state) {
  (void)state;
  ga_stats stats[2];
  for (int sampled = 0; sampled < 2; sampled++) {
    ga_mechanism *m = mechanism_new(down_z);
    add_pendulum(m);
    ADD(controller_state, m, .name = "u", .value = {.text = "5*tip.vx - 20*pin.angle"},
        .every = sampled ? 1e-3 : 1e3);
    ADD(force, m, .name = "motor", .type = "torsion", .coordinate = "pin.angle",
        .law = {.text = sampled ? "u" : "5*tip.vx - 20*pin.angle"});
    build(m);
    ga_options o = ga_options_default();
    o.h = 1e-3;
    ga_integrator *it = mechanism_started(m, &o);
    must(ga_integrator_run(it, 0.2), ga_integrator_error(it));
    stats[sampled] = *ga_integrator_stats(it);
    print_message("%ld steps, %ld iterations, %ld matrices\n", stats[sampled].steps,
                  stats[sampled].newton_its, stats[sampled].matrices);
    ga_integrator_free(it);
    ga_mechanism_free(m);
  }
  assert_true(stats[1].newton_its <= stats[0].newton_its);
  assert_in_range(stats[1].matrices, 1, 100);
}

/* The rate of a drive that follows others reacts on its own coordinate: the pendulum, whose velocity it
 * uses, moves as without it. The rows of states have no multipliers. */
static void reacts_on_itself(void **state) {
  (void)state;
  ga_mechanism *with = mechanism_new(down_z), *without = mechanism_new(down_z);
  add_pendulum(with);
  add_pendulum(without);
  ADD(body, with, .name = "cart", .mass = 2, .inertia = {1, 1, 1}, .position = {0, 0, 1});
  ADD(joint, with, .name = "rail", .type = "prismatic", .between = {"ground", "cart"},
      .axis = GA_IN_SPACE(1, 0, 0));
  ADD(drive, with, .name = "follow", .coordinate = "rail.position",
      .rate = {.text = "tip.vx + 0.1*pin.angle"});
  ADD(controller_state, with, .name = "z", .rate = {.text = "tip.vz - z"});
  build(with);
  build(without);
  ga_options o = ga_options_default();
  o.h = 1e-3;
  ga_integrator *a = mechanism_started(with, &o), *b = mechanism_started(without, &o);
  must(ga_integrator_run(a, 1), ga_integrator_error(a));
  must(ga_integrator_run(b, 1), ga_integrator_error(b));
  const ga_state *s = ga_integrator_state(a), *r = ga_integrator_state(b);
  double x[200], y[200];
  assert_int_equal(ga_mechanism_outputs(with, s, x), GA_OK);
  assert_int_equal(ga_mechanism_outputs(without, r, y), GA_OK);
  static const char *const same[] = {"pin.angle", "pin.angle_rate", "rod.ax", "pin.fx", "pin.fz"};
  for (int i = 0; i < 5; i++) {
    const double p = x[ga_mechanism_column_index(with, same[i])];
    const double q = y[ga_mechanism_column_index(without, same[i])];
    assert_true(fabs(p - q) <= 1e-10 * (1 + fabs(q)));
  }
  const double rate = x[ga_mechanism_column_index(with, "rail.position_rate")];
  const double wanted = x[ga_mechanism_column_index(with, "tip.vx")] +
                        0.1 * x[ga_mechanism_column_index(with, "pin.angle")];
  assert_true(fabs(rate - wanted) <= 1e-12);
  const double effort = x[ga_mechanism_column_index(with, "follow.effort")];
  assert_true(fabs(effort - 2 * x[ga_mechanism_column_index(with, "cart.ax")]) <= 1e-9);
  assert_true(fabs(s->psi[1]) <= 1e-12);
  ga_integrator_free(a);
  ga_integrator_free(b);
  ga_mechanism_free(with);
  ga_mechanism_free(without);
}

/* A sampled run that is saved and loaded between two samples, and at one, goes on bit by bit. */
static void resumes(void **state) {
  (void)state;
  ga_mechanism *m = controlled(true);
  for (int at = 0; at < 2; at++) {
    ga_options o = ga_options_default();
    o.h = 2e-3;
    ga_integrator *a = mechanism_started(m, &o), *b = mechanism_started(m, &o);
    snapshot x = {{{0}}}, y = {{{0}}};
    char bytes[20000];
    size_t size = sizeof bytes;
    must(ga_integrator_run(a, at ? 0.16 : 0.17), ga_integrator_error(a));
    must(ga_integrator_save_memory(a, bytes, &size), ga_integrator_error(a));
    must(ga_integrator_load_memory(b, bytes, size), ga_integrator_error(b));
    must(ga_integrator_run(a, 0.4), ga_integrator_error(a));
    must(ga_integrator_run(b, 0.4), ga_integrator_error(b));
    take(m, a, &x);
    take(m, b, &y);
    for (int k = 0; k < FIELDS; k++) assert_memory_equal(x.part[k], y.part[k], sizeof x.part[k]);
    ga_integrator_free(a);
    ga_integrator_free(b);
  }
  ga_mechanism_free(m);
}

/* A rotor on the coordinate of a pendulum: it moves like one whose inertia about the pin is larger by
 * J. Energy is kept, and the power of friction is what it loses. */
static void rotor_and_friction(void **state) {
  (void)state;
  const double J = 0.4;
  ga_mechanism *m = mechanism_new(down_z), *n = mechanism_new(down_z);
  ga_error err = {0};
  add_pendulum(m);
  must(ga_mechanism_add_inertia(m, "pin.angle", J, &err), &err);
  ADD(force, m, .name = "rub", .type = "friction", .coordinate = "pin.angle", .friction = 0.5,
      .static_friction = 0.7, .speed = 0.05);
  ADD(sensor, m, .name = "loss", .type = "power", .of = "rub");
  ADD(controller_state, m, .name = "work", .rate = {.text = "rub.effort*pin.angle_rate"});
  add_pendulum(n);
  ADD(body, n, .name = "wheel", .mass = 1, .inertia = {1, J, 1});
  ADD(joint, n, .name = "pin2", .type = "revolute", .between = {"ground", "wheel"},
      .axis = GA_IN_SPACE(0, 1, 0));
  ADD(joint, n, .name = "along", .type = "parallel", .between = {"rod", "wheel"},
      .axis = GA_IN_SPACE(1, 0, 0));
  ADD(force, n, .name = "rub", .type = "torsion", .coordinate = "pin.angle",
      .law = {.text = "-tanh(s_dot/0.05)*(0.5 + 0.2*exp(-0.01*(s_dot/0.05)^2))"});
  build(m);
  build(n);
  ga_options o = ga_options_default();
  o.h = 5e-4;
  o.redundant = GA_REDUNDANT_ALLOW;
  ga_integrator *a = mechanism_started(m, &o), *b = mechanism_started(n, &o);
  double x[200], y[200], before[200];
  assert_int_equal(ga_mechanism_outputs(m, ga_integrator_state(a), before), GA_OK);
  must(ga_integrator_run(a, 1), ga_integrator_error(a));
  must(ga_integrator_run(b, 1), ga_integrator_error(b));
  assert_int_equal(ga_mechanism_outputs(m, ga_integrator_state(a), x), GA_OK);
  assert_int_equal(ga_mechanism_outputs(n, ga_integrator_state(b), y), GA_OK);
  const int angle = ga_mechanism_column_index(m, "pin.angle");
  const int same = ga_mechanism_column_index(n, "pin.angle");
  assert_true(fabs(x[angle] - y[same]) <= 1e-7);
  const int energy = ga_mechanism_column_index(m, "energy.total");
  const int work = ga_mechanism_column_index(m, "work");
  assert_true(fabs(x[energy] - before[energy] - x[work]) <= 1e-6);
  assert_true(x[work] < -0.3);
  const double rate = x[ga_mechanism_column_index(m, "pin.angle_rate")];
  const double effort = x[ga_mechanism_column_index(m, "rub.effort")];
  assert_true(fabs(x[ga_mechanism_column_index(m, "loss")] - rate * effort) <= 1e-14);
  ga_integrator_free(a);
  ga_integrator_free(b);
  ga_mechanism_free(m);
  ga_mechanism_free(n);
}

/* What cannot be a state. */
static void messages(void **state) {
  (void)state;
  ga_error err = {0};
  ga_mechanism *m = mechanism_new(NULL);
  add_pendulum(m);
  assert_int_equal(ga_mechanism_add_controller_state(m, &(ga_controller_state){.name = "z"}, &err),
                   GA_OK); /* a constant: the rate is 0 */
  const ga_controller_state both = {
      .name = "y", .rate = {.constant = 1}, .value = {.constant = 1}, .every = 1};
  assert_int_equal(ga_mechanism_add_controller_state(m, &both, &err), GA_ERR_ARG);
  assert_non_null(strstr(err.text, "needs a rate, or a value and every"));
  const ga_controller_state unknown = {.name = "y", .rate = {.text = "nothing.x"}};
  assert_int_equal(ga_mechanism_add_controller_state(m, &unknown, &err), GA_ERR_ARG);
  assert_non_null(strstr(err.text, "unknown name 'nothing.x'"));
  const ga_drive drive = {.name = "d", .coordinate = "pin.angle", .position = {.text = "z + t"}};
  assert_int_equal(ga_mechanism_add_drive(m, &drive, &err), GA_ERR_ARG);
  assert_non_null(strstr(err.text, "position is a function of t alone"));
  /* the refused state left nothing behind */
  ADD(controller_state, m, .name = "y", .rate = {.text = "-y"}, .start = 2);
  build(m);
  ga_partition *partition;
  assert_int_equal(ga_partition_new(m, 1, GA_PARTITION_GRAPH, &partition, &err), GA_ERR_ARG);
  assert_non_null(strstr(err.text, "need one process"));
  ga_mechanism_free(m);
}

/* z' = 0, from t = 0.5 on 1, by itself or by a sensor; z pulls a mass of 1: at t = 1 z = 1/2,
 * v = 1/8. Steps of a given size are exact if one ends at 0.5. */
static void rates_jump(void **state) {
  (void)state;
  for (int k = 0; k < 6; k++) {
    const bool sensor = k % 2;
    ga_mechanism *m = mechanism_new((double[]){0, 0, 0});
    ADD(body, m, .name = "b", .mass = 1, .inertia = {1, 1, 1});
    ADD(sensor, m, .name = "on", .type = "expression", .value = {.text = "if(t < 0.5, 0, 1)"});
    ADD(controller_state, m, .name = "z", .rate = {.text = sensor ? "on" : "if(t < 0.5, 0, 1)"});
    ADD(force, m, .name = "f", .type = "force", .body = "b", .value = {[0] = {.text = "z"}});
    build(m);
    ga_options o = ga_options_default();
    o.h = k < 2 ? 0.05 : 0.03;
    o.rtol = k < 4 ? 0 : 1e-4;
    o.cut_at_corners = GA_CUT_YES;
    ga_integrator *it = mechanism_started(m, &o);
    must(ga_integrator_run(it, 1), ga_integrator_error(it));
    const ga_state *end = ga_integrator_state(it);
    const double z = ga_mechanism_output(m, end, ga_mechanism_column_index(m, "z"));
    const double vx = ga_mechanism_output(m, end, ga_mechanism_column_index(m, "b.vx"));
    assert_between("z", z, 0.5 - 1e-12, 0.5 + 1e-12);
    /* changes of an automatic h by less than 1e-4 leave a = v'(t + alpha h) as it is */
    const double h = ga_integrator_stats(it)->h_largest, off = k < 4 ? 0 : 1e-4 * h * h / 2;
    assert_between("vx", vx, 0.125 - 1e-12 - off, 0.125 + 1e-12 + off);
    ga_integrator_free(it);
    ga_mechanism_free(m);
  }
}

/* A sampled state remembers its run: --accuracy is refused with a sentence. */
static void no_accuracy_with_samples(void **state) {
  (void)state;
  ga_mechanism *m = controlled(true);
  ga_options o = ga_options_default();
  o.accuracy = 1e-3;
  ga_solution *s = NULL;
  ga_error err;
  assert_int_equal(ga_solution_new(ga_mechanism_model(m), &o, &s, &err), GA_OK);
  const double *q = ga_mechanism_q0(m), *v = ga_mechanism_v0(m);
  assert_int_equal(ga_solution_solve(s, 0, q, v, 1), GA_ERR_ARG);
  assert_non_null(strstr(ga_solution_error(s)->text, "sampled states"));
  ga_solution_free(s);
  ga_mechanism_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(orders),
                                     cmocka_unit_test(samples_every_step),
                                     cmocka_unit_test(reacts_on_itself),
                                     cmocka_unit_test(resumes),
                                     cmocka_unit_test(rates_jump),
                                     cmocka_unit_test(no_accuracy_with_samples),
                                     cmocka_unit_test(rotor_and_friction),
                                     cmocka_unit_test(messages)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
