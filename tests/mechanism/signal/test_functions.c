/* SPDX-License-Identifier: MIT */
/* Every function, sign and table of the language of expressions in functions of the state: its
 * derivatives in Kt, Ct, H, Y and the drifts at random states against difference quotients. A new
 * function without a case here fails. */
#include "base/expr_code.h"
#include "element_settings.h"

enum { NCASE = 8 };

/* Texts over signals of the state: a in [0.1, 0.5], b in [1, 3], r in [-1, 1]. Each text mentions the
 * function in the range where it is smooth; kinks are between the cases. */
static const char *const cases[GA_EXPR_COUNT][NCASE] = {
    [GA_EXPR_sin] = {"sin(b)"},
    [GA_EXPR_cos] = {"cos(b)"},
    [GA_EXPR_tan] = {"tan(2*a)"},
    [GA_EXPR_asin] = {"asin(a)", "asin(-1.5*a)"},
    [GA_EXPR_acos] = {"acos(a)", "acos(-1.5*a)"},
    [GA_EXPR_atan] = {"atan(2*r)"},
    [GA_EXPR_sinh] = {"sinh(r)"},
    [GA_EXPR_cosh] = {"cosh(r + a)"},
    [GA_EXPR_tanh] = {"tanh(2*r)"},
    [GA_EXPR_exp] = {"exp(r - a)"},
    [GA_EXPR_log] = {"log(b)"},
    [GA_EXPR_sqrt] = {"sqrt(b)"},
    [GA_EXPR_abs] = {"abs(a*r + 2)", "abs(a*r - 2)"},
    [GA_EXPR_sign] = {"r*sign(b) + a*sign(-b)"},
    [GA_EXPR_floor] = {"a*r + floor(0.9 + a/6)", "a*r*floor(-b/4)"},
    [GA_EXPR_atan2] = {"atan2(r, b)", "atan2(b, r)", "atan2(a - 1, -b)"},
    [GA_EXPR_min] = {"min(a*r, b)", "min(b, a*r)"},
    [GA_EXPR_max] = {"max(a*r, b)", "max(b, a*r)"},
    [GA_EXPR_mod] = {"mod(a*r + 7, 2)", "mod(a*r - 7, 1 + b)"},
    [GA_EXPR_hypot] = {"hypot(r, b)", "hypot(b, -r)"},
    [GA_EXPR_clamp] = {"clamp(r, -b - 1, 2*b)", "clamp(r - 5, -b, b)", "clamp(r + 5, -b, b)"},
    /* deep with the full damping; while the damping grows; without d; with e = 3/2; far away; pulled
     * faster than the spring pushes */
    [GA_EXPR_impact] = {"impact(-a, r, 50, 2.2, 0.1, 0.05)", "impact(-a, r, 50*b, 2.2, 0.1, 0.6)",
                        "impact(-a, r, 50, 1 + b, 0, 0)", "impact(-2*b, r, 5, 1.5, b, 0.7*b)",
                        "a*r + impact(b, r, 50, 2.2, 0.1, 0.05)",
                        "a*r + impact(-a, 4 + r, 1, 1.5, 2, 0.01)"},
    [GA_EXPR_if] = {"if(b > 0, a*r, a + r)", "if(b < 0, a*r, a + r)"},
    [GA_EXPR_step] = {"step(a, 0, -1, 0.6, 2)", "step(r, -3, b, 4, -a)", "r*step(b, 0, 1, 0.5, 3)",
                      "step(a, -b, r, 1, 2)"},
    [GA_EXPR_table] = {"table(2*r, [-3, -1.1, 0.2, 0.9, 2.5], [2, 0, 1, -1, 3])",
                       "table(2*r, [-3, -1.1, 0.2, 0.9, 2.5], [2, 0, 1, -1, 3], linear)",
                       "table(2*r, [-3, -1.1, 0.2, 0.9, 2.5], [2, 0, 1, -1, 3], cubic)",
                       "a*r + table(2*r, [-3, -1.1, 0.2, 0.9, 2.5], [2, 0, 1, -1, 3], hold)",
                       "table(3*r + b, [0, 0.4, 1.3, 2], [1, 3, -2, 1], akima, periodic)",
                       "table(3*r + b, [0, 0.4, 1.3, 2], [1, 3, -2, 1], linear, periodic)",
                       "a*r + table(3*r + b, [0, 0.4, 1.3, 2], [1, 3, -2, 1], hold, periodic)",
                       "table(b, [-0.5, 0.1, 0.4], [1, 3, 2]) + table(-b, [0.1, 1], [1, 3])"},
    [GA_EXPR_negate] = {"-r*a", "-(b - r)"},
    [GA_EXPR_add] = {"a + b + r"},
    [GA_EXPR_subtract] = {"a - b - r"},
    [GA_EXPR_multiply] = {"a*b*r"},
    [GA_EXPR_divide] = {"r/b", "1/b", "b/(a + 1)/(r + 2)"},
    [GA_EXPR_power] = {"r^3", "b^r", "b^-2.5", "(-b)^2", "a^(b*r + 1)", "r^1 + a^0"},
    [GA_EXPR_less] = {"if(a < b, r*r, b)", "if(b < a, r*r, b)"},
    [GA_EXPR_less_equal] = {"if(a <= b, r*r, b)", "if(b <= a, r*r, b)"},
    [GA_EXPR_greater] = {"if(a > b, r*r, b)", "if(b > a, r*r, b)"},
    [GA_EXPR_greater_equal] = {"if(a >= b, r*r, b)", "if(b >= a, r*r, b)"},
    [GA_EXPR_equal] = {"if(a == b, r*r, b)", "if(a == a, r*r, b)"},
    [GA_EXPR_not_equal] = {"if(a != b, r*r, b)", "if(a != a, r*r, b)"},
    [GA_EXPR_number] = {"3.5 + r"},
    [GA_EXPR_variable] = {"r", "t*r"},
};

static ga_name lookup(const void *context, const char *name) {
  (void)context;
  const char *at = strchr("abrt", name[0]);
  return name[1] || !at ? (ga_name){0} : (ga_name){GA_NAME_VARIABLE, 0, (int)(at - "abrt")};
}

/* Does the code of the text contain the operation? */
static bool contains(const char *text, ga_expr_op op) {
  const ga_scope scope = {.lookup = lookup};
  ga_expr *expr = NULL;
  ga_error err = {0};
  must(ga_expr_parse(text, &scope, &expr, NULL, &err), &err);
  bool found = false;
  for (int i = 0; i < expr->length; i++) found = found || expr->code[i].op == op;
  ga_expr_free(expr);
  return found;
}

/* All derivatives of the mechanism at two random states, with random x, lam and psi. "soft": the
 * smaller step of the quotients. The mechanism is freed. */
static void check_at_random(ga_mechanism *m) {
  build(m);
  const ga_model *model = ga_mechanism_model(m);
  double q0[NMAX], v0[NMAX];
  memcpy(q0, ga_mechanism_q0(m), (size_t)ga_space_nq(model->space) * sizeof *q0);
  memcpy(v0, ga_mechanism_v0(m), (size_t)ga_space_nv(model->space) * sizeof *v0);
  const ga_problem p = {.name = "soft", .model = *model, .q0 = q0, .v0 = v0};
  for (int which = 1; which < NSTATE; which++) {
    point s = point_state(&p, which);
    unsigned seed = 4711u + (unsigned)which;
    check_nonholonomic(&s);
    random_vector(&seed, s.nv, 3, s.x);
    random_vector(&seed, s.nlam, 5, s.lam);
    random_vector(&seed, s.npsi, 5, s.psi);
    check_tangents(&s);
    check_reaction(&s);
  }
  ga_mechanism_free(m);
}

/* The text as a force, in a law, as rate of a state and of a drive: two bodies in the plane. */
static void check_text(const char *text) {
  const setting planar = {"planar", {GA_BODY_PLANAR, GA_BODY_PLANAR}, {0}, {"one", "two"}};
  ga_mechanism *m = bodies_of(&planar);
  char law[200], rate[200]; /* at t = 0 the drive stands still, as the bodies do */
  snprintf(law, sizeof law, "s_dot*(%s) - 0.3*s", text);
  snprintf(rate, sizeof rate, "sin(2*t)*(%s)", text);
  ADD(joint, m, .name = "pin", .type = "revolute", .between = {"ground", "one"},
      .at = GA_IN_SPACE(0.5, 0.2, 0));
  ADD(controller_state, m, .name = "z", .rate = {.text = "-z*two.y"}, .start = 0.3);
  ADD(sensor, m, .name = "a", .type = "expression",
      .value = {.text = "0.3 + 0.2*sin(0.6*two.x - 0.4*two.vy + 0.5*z)"});
  ADD(sensor, m, .name = "b", .type = "expression",
      .value = {.text = "2 + cos(0.7*two.y + 0.3*two.vx + 0.5*pin.angle + t)"});
  ADD(sensor, m, .name = "r", .type = "expression",
      .value = {.text = "sin(0.6*two.angle - 0.5*two.x + 0.2*two.vx)"});
  ADD(controller_state, m, .name = "y", .rate = {.text = text});
  ADD(force, m, .name = "push", .type = "force", .body = "two", .value = {{.text = text}});
  ADD(force, m, .name = "motor", .type = "torsion", .coordinate = "pin.angle",
      .law = {.text = law});
  ADD(drive, m, .name = "turn", .coordinate = "pin.angle", .rate = {.text = rate});
  print_message("%s\n", text);
  check_at_random(m);
}

static void every_function(void **state) {
  (void)state;
  for (int op = 0; op < GA_EXPR_COUNT; op++) {
    if (!cases[op][0]) fail_msg("operation number %d of GA_EXPR_LIST has no case", op);
    for (int i = 0; i < NCASE && cases[op][i]; i++) {
      if (!contains(cases[op][i], (ga_expr_op)op))
        fail_msg("'%s' has no operation %d", cases[op][i], op);
      check_text(cases[op][i]);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_function)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
