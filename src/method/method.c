/* SPDX-License-Identifier: MIT */
/* The list of methods, and the coefficients they share. */
#include "method/method.h"

#include <string.h>

#include "base/base.h"
#include "genalpha/ga_integrator.h"

#define GA_METHOD_POINTER(name) &ga_method_##name,
static const ga_method *const registry[] = {GA_METHOD_LIST(GA_METHOD_POINTER)};
#undef GA_METHOD_POINTER

enum { COUNT = (int)(sizeof registry / sizeof registry[0]) };

/* The i-th method, counting variants of the same name once; NULL if there is none. */
static const ga_method *first_of_name(int i) {
  for (int k = 0; k < COUNT; k++) {
    bool first = k == 0 || strcmp(registry[k]->name, registry[k - 1]->name) != 0;
    if (first && i-- == 0) return registry[k];
  }
  return NULL;
}

/* Name of the i-th method (variants count once), in the order of GA_METHOD_LIST; NULL if i is not
 * less than their number. */
const char *ga_method_name(int i) {
  const ga_method *method = first_of_name(i);
  return method ? method->name : NULL;
}

/* One line on the i-th method (of its first variant), counted as in ga_method_name; NULL if there
 * is none. The text is constant. */
const char *ga_method_summary(int i) {
  const ga_method *method = first_of_name(i);
  return method ? method->summary : NULL;
}

/* The paper of the i-th method, counted as in ga_method_name; NULL if there is none. */
const char *ga_method_cite(int i) {
  const ga_method *method = first_of_name(i);
  return method ? method->cite : NULL;
}

/* Name of the i-th variant of the named method, the first being its default; NULL if there are no
 * more, or if the method has no variants or is unknown. */
const char *ga_method_variant(const char *name, int i) {
  for (int k = 0; k < COUNT; k++) {
    if (strcmp(registry[k]->name, name) == 0 && i-- == 0) return registry[k]->variant;
  }
  return NULL;
}

/* Has the method any row for holonomic constraints g: positions, velocities or accelerations? */
bool ga_method_holonomic(const ga_method *method) {
  for (int c = 0; c < method->ncon; c++) {
    if (method->con[c] != GA_ROW_NONHOL) return true;
  }
  return false;
}

/* Has the method a row for nonholonomic constraints k? */
bool ga_method_nonholonomic(const ga_method *method) {
  for (int c = 0; c < method->ncon; c++) {
    if (method->con[c] == GA_ROW_NONHOL) return true;
  }
  return false;
}

/* Append a word, after ", " unless it is the first, to the string in list; cut off if it does not
 * fit. room: size of the array list. */
static void add_word(char *list, size_t room, const char *word) {
  if (list[0]) strncat(list, ", ", room - strlen(list) - 1);
  strncat(list, word, room - strlen(list) - 1);
}

/* Append the names of methods with rows for these kinds of constraints to the string in text, which
 * must be terminated; room: size of the array. true: the kind is needed. A variant is named only if
 * the default one is not able. */
void ga_method_list_able(bool holonomic, bool nonholonomic, char *text, size_t room) {
  for (int i = 0; i < COUNT; i++) {
    const ga_method *method = registry[i];
    bool able = (!holonomic || ga_method_holonomic(method)) &&
                (!nonholonomic || ga_method_nonholonomic(method));
    bool first = i == 0 || strcmp(method->name, registry[i - 1]->name) != 0;
    /* of variants, the first that is able */
    bool listed = !first && strstr(text, method->name) != NULL;
    if (!able || listed) continue;
    add_word(text, room, method->name);
    if (first) continue;
    strncat(text, " --variant ", room - strlen(text) - 1);
    strncat(text, method->variant, room - strlen(text) - 1);
  }
}

/* Fail with GA_ERR_METHOD and a message in *err that lists the variants of the method; always
 * returns NULL. */
static const ga_method *unknown_variant(const char *name, const char *variant, ga_error *err) {
  char known[200] = "";
  const char *word;
  for (int i = 0; (word = ga_method_variant(name, i)) != NULL; i++) {
    add_word(known, sizeof known, word);
  }
  if (known[0]) {
    ga_fail(err, GA_ERR_METHOD, "method '%s' has no variant '%.40s'; allowed: %s", name, variant,
            known);
  } else {
    ga_fail(err, GA_ERR_METHOD, "method '%s' has no variants; leave out variant = '%.40s'", name,
            variant);
  }
  return NULL;
}

/* The table of that name and variant ("": the first of that name), or NULL and GA_ERR_METHOD in
 * *err; the message then suggests the nearest name and lists all. */
const ga_method *ga_method_find(const char *name, const char *variant, ga_error *err) {
  bool named = false;
  for (int i = 0; i < COUNT; i++) {
    if (strcmp(registry[i]->name, name) != 0) continue;
    named = true;
    bool same = registry[i]->variant && strcmp(registry[i]->variant, variant) == 0;
    if (variant[0] == '\0' || same) return registry[i];
  }
  if (named) return unknown_variant(name, variant, err);
  const char *near = ga_nearest_word(name, ga_method_name);
  char known[200] = "";
  const char *word;
  for (int i = 0; (word = ga_method_name(i)) != NULL; i++) add_word(known, sizeof known, word);
  ga_fail(err, GA_ERR_METHOD, "unknown method '%s'%s%s%s (known: %s)", name,
          near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "", known);
  return NULL;
}

/* Set *tab (all members) for x_0 = v'_1, where x stands for x_0 here: a_1 = [(1 - alpha_f) x +
 * alpha_f w - alpha_m a]/(1 - alpha_m), inserted in w_q = h v + h^2 [(1/2 - beta) a + beta a_1] and
 * v_1 = v + h [(1 - gamma) a + gamma a_1], AB07 (3)-(5). alpha_m must not be 1. */
void ga_coef_newmark(const ga_params *par, ga_tableau *tab) {
  double scale = 1 / (1 - par->alpha_m);
  *tab = (ga_tableau){0};
  tab->aa = -par->alpha_m * scale;
  tab->aw = par->alpha_f * scale;
  tab->ax[0] = (1 - par->alpha_f) * scale;
  tab->pa = 0.5 - par->beta + par->beta * tab->aa;
  tab->pw = par->beta * tab->aw;
  tab->p[0] = par->beta * tab->ax[0];
  tab->ra = 1 - par->gamma + par->gamma * tab->aa;
  tab->rw = par->gamma * tab->aw;
  tab->r[0] = par->gamma * tab->ax[0];
  tab->m = tab->phi = 1;
}

/* Set *tab (all members) for x_0 = a^, x_1 = a_1 = a: the position uses a^, the velocity a
 * (soi2.c); masses at t_n + (1 + alpha) h and t_n + alpha h. */
void ga_coef_weighted(const ga_params *par, ga_tableau *tab) {
  double alpha = par->alpha_m - par->alpha_f;
  *tab = (ga_tableau){.pa = 0.5 - par->beta,
                      .p = {par->beta, 0},
                      .ra = 1 - par->gamma,
                      .r = {0, par->gamma},
                      .rh = {par->gamma, 0},
                      .ax = {0, 1},
                      .m = 1 - par->alpha_m,
                      .phi = 1 - par->alpha_f,
                      .hm = par->alpha_m,
                      .hf = par->alpha_f,
                      .shift_new = 1 + alpha,
                      .shift_old = alpha};
}
