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

const char *ga_method_name(int i) {
  return i >= 0 && i < COUNT ? registry[i]->name : NULL;
}
const char *ga_method_summary(int i) {
  return i >= 0 && i < COUNT ? registry[i]->summary : NULL;
}
const char *ga_method_cite(int i) {
  return i >= 0 && i < COUNT ? registry[i]->cite : NULL;
}

const ga_method *ga_method_find(const char *name, ga_error *err) {
  for (int i = 0; i < COUNT; i++) {
    if (strcmp(registry[i]->name, name) == 0) return registry[i];
  }
  const char *near = ga_nearest_word(name, ga_method_name);
  char known[200] = "";
  for (int i = 0; i < COUNT; i++) {
    if (i) strncat(known, ", ", sizeof known - strlen(known) - 1);
    strncat(known, registry[i]->name, sizeof known - strlen(known) - 1);
  }
  ga_fail(err, GA_ERR_METHOD, "unknown method '%s'%s%s%s (known: %s)", name,
          near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "", known);
  return NULL;
}

/* a_1 = [(1 - alpha_f) x + alpha_f w - alpha_m a]/(1 - alpha_m), then
 * w_q = h v + h^2 [(1/2 - beta) a + beta a_1] and v_1 = v + h [(1 - gamma) a + gamma a_1], AB07
 * (3)-(5) */
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
