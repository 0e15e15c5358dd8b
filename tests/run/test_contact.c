/* SPDX-License-Identifier: MIT */
/* Contacts of a model: wrong descriptions are refused with a sentence; words of changes. */
#include <math.h>
#include <string.h>

#include "genalpha/genalpha.h"
#include "support.h"

static int mass(void *user, double t, const double *q, ga_csr *M) {
  (void)user, (void)t, (void)q;
  M->val[0] = 1;
  return 0;
}

static int force(void *user, double t, const double *q, const double *v, double *F) {
  (void)user, (void)t, (void)q, (void)v;
  F[0] = -9.81;
  return 0;
}

static int gap(void *user, double t, const double *q, double *g) {
  (void)user, (void)t;
  g[0] = q[0];
  return 0;
}

static void wrong_contacts_are_refused(void **state) {
  (void)state;
  const struct {
    ga_contact contact;
    const char *text;
  } wrong[] = {
      {{.name = "a", .gap = 1}, "contact 'a': its gap is not a row of g"},
      {{.name = "a", .slip = 0, .nslip = 1}, "contact 'a': its slip velocities are not rows of k"},
      {{.name = "a", .restitution = 1.5}, "contact 'a': restitution must be 0 to 1"},
      {{.name = "a", .friction = 0.5}, "contact 'a': friction needs slip velocities"},
      {{.name = "a", .static_friction = NAN}, "contact 'a': static_friction must be at least"},
      {{.gap = 0}, "contacts[0] has no name"},
  };
  const ga_model_ops ops = {.mass = mass, .force = force, .holonomic = gap};
  ga_space *space = NULL;
  assert_int_equal(ga_space_rn(1, &space), GA_OK);
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    ga_model model = {
        .ops = &ops, .space = space, .nlam = 1, .contacts = &wrong[i].contact, .ncontacts = 1};
    ga_error err;
    assert_int_equal(ga_model_validate(&model, &err), GA_ERR_ARG);
    assert_memory_equal(err.text, wrong[i].text, strlen(wrong[i].text));
  }
  const ga_contact twice[] = {{.name = "a"}, {.name = "b"}};
  ga_model model = {.ops = &ops, .space = space, .nlam = 1, .contacts = twice, .ncontacts = 2};
  ga_error err;
  assert_int_equal(ga_model_validate(&model, &err), GA_ERR_ARG);
  assert_string_equal(err.text, "contacts 'a' and 'b' share a row");
  ga_space_free(space);
}

static void kinds_have_words(void **state) {
  (void)state;
  assert_string_equal(ga_contact_kind_name(GA_CONTACT_HIT), "hit");
  assert_string_equal(ga_contact_kind_name(GA_CONTACT_JAM), "jam");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(wrong_contacts_are_refused),
                                     cmocka_unit_test(kinds_have_words)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
