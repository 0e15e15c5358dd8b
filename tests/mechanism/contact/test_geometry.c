/* SPDX-License-Identifier: MIT */
/* Gaps and slips of all pairs of surfaces between all kinds of bodies: G, H, Z, Y, drifts and tangents
 * against difference quotients at random states; soft contacts, too. */
#include <genalpha/ga_mechanism_contact.h>

#include "element_settings.h"

static const double corners[][3] = {{0.2, 0.1, -0.3}, {-0.1, 0.4, 0.2}};
static const double corners_planar[][3] = {{0.2, 0.1, 0}, {-0.1, 0.4, 0}};

/* A contact of these surfaces, open at the start of the settings; a soft one is pressed. */
static ga_mechanism_contact contact_of(ga_surfaces surfaces, const setting *s, double friction,
                                       bool soft) {
  const bool planar = is_planar(s), mass_point = s->type[1] == GA_BODY_POINT;
  ga_mechanism_contact c = {.name = "touch",
                            .between = {s->between[0], s->between[1]},
                            .surfaces = surfaces,
                            .friction = friction,
                            .stiffness = soft ? 3 : 0,
                            .damping = soft ? 0.2 : 0,
                            .slip_speed = !soft            ? 0
                                          : friction > 0.5 ? 50
                                                           : 0.03};
  const bool round = !mass_point;
  switch (surfaces) {
    case GA_SURFACES_PLANE:
    case GA_SURFACES_DISK:
      c.point = (ga_point)GA_IN_SPACE(-4, -5, planar ? 0 : -6);
      c.normal = (ga_axis)GA_IN_SPACE(0.3, 0.5, planar ? 0 : 0.8);
      c.radius = round || surfaces == GA_SURFACES_DISK ? 0.3 : 0;
      if (surfaces == GA_SURFACES_DISK) {
        c.axis = (ga_axis)GA_IN_SPACE(0.8, 0.3, -0.2);
        break;
      }
      if (mass_point) break;
      c.npoints = 2;
      c.points = planar ? corners_planar[0] : corners[0];
      break;
    case GA_SURFACES_SPHERES:
    case GA_SURFACES_INSIDE:
      c.radius_a = surfaces == GA_SURFACES_INSIDE ? 9 : round ? 0.1 : 0.05;
      c.radius = round ? 0.2 : 0;
      if (!round && friction > 0 && s->type[0] == GA_BODY_POINT) c.friction = 0;
      if (round) c.centres = (ga_point)GA_ON_BOTH(0.1, -0.2, 0, 0.3, 0.1, 0);
      break;
    case GA_SURFACES_BLOCK:
      for (int i = 0; i < 3; i++) c.block[i] = 0.2 + 0.1 * i;
      c.radius = round ? 0.1 : 0;
      break;
  }
  if (soft) { /* in the other half space, or overlapping */
    c.point = (ga_point)GA_IN_SPACE(1, 2, planar ? 0 : 2);
    if (surfaces == GA_SURFACES_SPHERES) c.radius_a = 3;
    if (surfaces == GA_SURFACES_INSIDE) c.radius_a = 0.21;
  }
  return c;
}

/* whether the bodies may have it; which may not is tested elsewhere */
static bool add(ga_mechanism *m, const ga_mechanism_contact *c) {
  ga_error err = {0};
  const ga_status status = ga_mechanism_add_contact(m, c, &err);
  if (status == GA_OK) return true;
  const bool expected = strstr(err.text, "is a point") || strstr(err.text, "planar bodies have");
  if (!expected) fail_msg("%s", err.text);
  return false;
}

static void all_pairs(bool soft, int expected) {
  int checked = 0;
  for (int kind = GA_SURFACES_PLANE; kind <= GA_SURFACES_BLOCK; kind++) {
    for (int k = 0; k < NSETTING; k++) {
      for (int friction = 0; friction < (soft ? 3 : 2); friction++) {
        const setting *s = &settings[k];
        ga_mechanism *m = bodies_of(s);
        const ga_mechanism_contact c = contact_of((ga_surfaces)kind, s, 0.4 * friction, soft);
        if (!add(m, &c)) {
          ga_mechanism_free(m);
          continue;
        }
        char text[128];
        snprintf(text, sizeof text, "%s surfaces %d, %s, friction %d", soft ? "soft" : "hard", kind,
                 s->text, friction);
        check(m, text);
        checked++;
      }
    }
  }
  assert_int_equal(checked, expected);
}

static void hard(void **state) {
  (void)state;
  all_pairs(false, 74);
}

static void soft(void **state) {
  (void)state;
  all_pairs(true, 111);
}

static void limits(void **state) {
  (void)state;
  ga_mechanism *m = bodies_of(&settings[0]);
  ADD(joint, m, .name = "j", .type = "cylindrical", .between = {"one", "two"},
      .at = GA_IN_SPACE(0.5, 0.2, 0.4), .axis = GA_IN_SPACE(0.3, -0.5, 0.8));
  ga_error err = {0};
  must(ga_mechanism_add_limit(m,
                              &(ga_mechanism_limit){.name = "stop",
                                                    .coordinate = "j.angle",
                                                    .lower = GA_VALUE(-0.5),
                                                    .upper = GA_VALUE(1)},
                              &err),
       &err);
  check(m, "limits");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(hard), cmocka_unit_test(soft),
                                     cmocka_unit_test(limits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
