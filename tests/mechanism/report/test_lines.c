/* SPDX-License-Identifier: MIT */
/* Lines and contact points of pictures: copied, given back, refused when they cannot be drawn. */
#include <genalpha/genalpha.h>
#include <math.h>
#include <string.h>

#include "support.h"

static ga_mechanism *two_bodies(void) {
  ga_error err = {GA_OK, ""};
  ga_mechanism *m = NULL;
  assert_int_equal(ga_mechanism_new(&m), GA_OK);
  must(ga_mechanism_add_body(
           m, &(ga_body){.name = "a", .type = GA_BODY_POINT, .mass = 1, .position = {1, 0, 0}},
           &err),
       &err);
  must(ga_mechanism_add_body(m, &(ga_body){.name = "b", .type = GA_BODY_POINT, .mass = 1}, &err),
       &err);
  return m;
}

static void lines(void **state) {
  (void)state;
  ga_mechanism *m = two_bodies();
  ga_error err = {GA_OK, ""};
  char name[] = "rope";
  ga_line_point points[] = {
      {.body = -1, .at = {0, 0, 1}}, {.body = 0}, {.body = 1, .at = {0.5, 0, 0}}};
  const ga_line rope = {.name = name, .type = "rope", .count = 3, .point = points, .radius = 0.01};
  must(ga_mechanism_add_line(m, &rope, &err), &err);
  /* everything is copied */
  name[0] = 'x';
  points[2].at[0] = 7;
  ga_line seen;
  assert_true(ga_mechanism_line(m, 0, &seen));
  assert_string_equal(seen.name, "rope");
  assert_true(seen.count == 3 && seen.point[2].at[0] == 0.5 && seen.point[0].body == -1);
  assert_false(ga_mechanism_line(m, 1, &seen));
  assert_false(ga_mechanism_line(m, -1, &seen));
  ga_line wrong = rope;
  wrong.count = 1;
  assert_int_equal(ga_mechanism_add_line(m, &wrong, &err), GA_ERR_ARG);
  wrong = rope;
  points[1].body = 2;
  assert_int_equal(ga_mechanism_add_line(m, &wrong, &err), GA_ERR_ARG);
  assert_non_null(strstr(err.text, "no body number 2"));
  points[1] = (ga_line_point){.body = 0, .at = {NAN, 0, 0}};
  assert_int_equal(ga_mechanism_add_line(m, &wrong, &err), GA_ERR_ARG);
  assert_false(ga_mechanism_line(m, 1, &seen));
  ga_mechanism_free(m);
}

static void contacts(void **state) {
  (void)state;
  ga_mechanism *m = two_bodies();
  ga_error err = {GA_OK, ""};
  char name[] = "feet.3";
  ga_contact_point c = {.name = name,
                        .body = {-1, 1},
                        .normal = {0, 0, 1},
                        .radius = {0, 0.1},
                        .at = {{0}, {1, 2, 3}}};
  must(ga_mechanism_add_contact_point(m, &c, &err), &err);
  name[0] = 'x';
  ga_contact_point seen;
  assert_true(ga_mechanism_contact_point(m, 0, &seen));
  assert_string_equal(seen.name, "feet.3");
  assert_true(seen.radius[1] == 0.1 && seen.at[1][2] == 3 && seen.normal[2] == 1);
  assert_false(ga_mechanism_contact_point(m, 1, &seen));
  c.body[0] = -2;
  assert_int_equal(ga_mechanism_add_contact_point(m, &c, &err), GA_ERR_ARG);
  c.body[0] = 0;
  c.at[1][2] = INFINITY;
  assert_int_equal(ga_mechanism_add_contact_point(m, &c, &err), GA_ERR_ARG);
  ga_mechanism_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(lines), cmocka_unit_test(contacts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
