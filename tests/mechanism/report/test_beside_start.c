/* SPDX-License-Identifier: MIT */
/* Beside the start: a contact that just touches has its frequency on the stiff side, a kink is no
 * wrong derivative, and a derivative that is wrong is found. */
#include "mechanism/report/beside_start.h"

#include "mechanisms.h"

/* A mass of 2 kg on a guide with a law of its position. */
static ga_file *mass_with(const char *law) {
  char text[600];
  snprintf(text, sizeof text,
           "genalpha: 1\nbodies: {m: {mass: 2, inertia: [1, 1, 1]}}\n"
           "joints: {g: {type: prismatic, between: [ground, m], axis: [0, 0, 1]}}\n"
           "forces: {f: {type: torsion, coordinate: g.position, law: \"%s\"}}\n",
           law);
  ga_file *file = NULL;
  ga_error err = {0};
  must(ga_file_parse("m.yaml", text, strlen(text), NULL, &file, &err), &err);
  return file;
}

static ga_beside_start start_of(const ga_file *file, double *unit) {
  const ga_mechanism *m = ga_file_mechanism(file);
  for (int i = 0; i < m->nv; i++) unit[i] = 1;
  return (ga_beside_start){m, 0, m->q0, m->v0, unit};
}

static void stiff_side(void **state) {
  (void)state;
  const struct {
    const char *law;
    double fastest, moved;
  } cases[] = {{"if(s < 0, -2e6*s, 0)", 1e3, 1e-4},              /* sqrt(2e6/2) */
               {"if(s > 0, -8e6*s, 0)", 2e3, 1e-4},              /* the other side */
               {"if(s < -1e-3, -2e6*(s + 1e-3), 0)", 1e3, 1e-2}, /* beyond a gap of 1 mm */
               {"-50*s", 5, 1e-4}};                              /* the same everywhere */
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double unit[20], fastest, moved;
    ga_file *file = mass_with(cases[i].law);
    const ga_beside_start n = start_of(file, unit);
    must(ga_beside_start_fastest(&n, &fastest, &moved), NULL);
    assert_true(fabs(fastest - cases[i].fastest) <= 1e-3 * cases[i].fastest);
    assert_true(moved == cases[i].moved);
    ga_file_free(file);
  }
}

static void kinks(void **state) {
  (void)state;
  double unit[20];
  ga_error err = {0};
  ga_file *file = mass_with("if(s < 0, -2e6*s, 0)");
  ga_beside_start n = start_of(file, unit);
  assert_false(ga_beside_start_derivatives(&n, 0, &err));
  assert_true(ga_beside_start_derivatives(&n, 1e-3, &err));
  ga_file_free(file);
  file = mass_with("-20*s - s^3");
  n = start_of(file, unit);
  assert_true(ga_beside_start_derivatives(&n, 0, &err) &&
              ga_beside_start_derivatives(&n, 1e-3, &err));
  ga_file_free(file);
}

/* A law in C with a wrong derivative: found at the start and beside it. */
static int wrong_law(void *context, const double *variables, int along, double f[3]) {
  (void)context;
  f[0] = -20 * variables[0], f[1] = along == 0 ? -21 : 0, f[2] = 0;
  return 0;
}

static void wrong_derivative(void **state) {
  (void)state;
  double unit[20];
  ga_error err = {0};
  ga_mechanism *m = NULL;
  must(ga_mechanism_new(&m), NULL);
  must(ga_mechanism_add_body(m, &(ga_body){.name = "m", .mass = 2, .inertia = {1, 1, 1}}, &err),
       &err);
  must(ga_mechanism_add_joint(m,
                              &(ga_joint){.name = "g",
                                          .type = "prismatic",
                                          .between = {"ground", "m"},
                                          .axis = {.kind = GA_SPACE, .a = {0, 0, 1}}},
                              &err),
       &err);
  must(
      ga_mechanism_add_force(
          m,
          &(ga_force){
              .name = "f", .type = "torsion", .coordinate = "g.position", .law = {.fn = wrong_law}},
          &err),
      &err);
  must(ga_mechanism_build(m, 0, &err), &err);
  for (int i = 0; i < m->nv; i++) unit[i] = 1;
  const ga_beside_start n = {m, 0, m->q0, m->v0, unit};
  assert_false(ga_beside_start_derivatives(&n, 0, &err));
  assert_false(ga_beside_start_derivatives(&n, 1e-3, &err));
  ga_mechanism_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(stiff_side), cmocka_unit_test(kinks),
                                     cmocka_unit_test(wrong_derivative)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
