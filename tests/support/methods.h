/* SPDX-License-Identifier: MIT */
/* Loops over all methods and variants of the registry, and which of them suit a model. */
#ifndef GA_TESTS_METHODS_H
#define GA_TESTS_METHODS_H

#include "method/method.h"
#include "support.h"

#define POINTER_TO(name) &ga_method_##name,
static const ga_method *const all_methods[] = {GA_METHOD_LIST(POINTER_TO)};
#undef POINTER_TO
enum { METHODS = (int)(sizeof all_methods / sizeof all_methods[0]) };

static inline void use_method(ga_options *o, const ga_method *m) {
  o->method = m->name;
  o->variant = m->variant ? m->variant : "";
}

/* "soi2", "hht mid"; a call of its own, or the compiler warns that it might fill a whole message */
__attribute__((noinline, unused)) static const char *method_text(const ga_method *m) {
  static char text[METHODS][32];
  int i = 0;
  while (all_methods[i] != m) i++;
  snprintf(text[i], sizeof text[i], "%s%s%s", m->name, m->variant ? " " : "",
           m->variant ? m->variant : "");
  return text[i];
}

/* a variant other than the first of its name */
static inline bool is_variant(const ga_method *m) {
  return ga_method_find(m->name, "", NULL) != m;
}

static inline bool has_rows(const ga_method *m, ga_con_kind kind) {
  for (int c = 0; c < m->ncon; c++) {
    if (m->con[c] == kind) return true;
  }
  return false;
}

/* M^-1 is needed where the reaction is computed apart */
static inline bool needs_inverse_mass(const ga_method *m) {
  return m->dyn[0].forces != GA_FORCES_ALL;
}

/* The first coordinate whose row of M is, after elimination of those before it, zero but for
 * rounding; -1 if M is regular. M at (t, q), symmetric and not indefinite. */
static inline int massless_coordinate(const ga_model *model, double t, const double *q) {
  ga_arena arena = {0};
  ga_csr M;
  int n = ga_space_nv(model->space), found = -1;
  double *A = ga_arena_doubles(&arena, (size_t)(n * n));
  ga_csr_init(&M, n, n, model->pat_M, &arena);
  assert_false(arena.failed);
  assert_int_equal(ga_model_evaluate(model, t, q, NULL, &(ga_evaluation){.M = &M}), 0);
  dense_of(&M, A);
  for (int k = 0; k < n && found < 0; k++) {
    int e = ga_csr_find(&M, k, k);
    if (!(A[k * n + k] > 1e-12 * (e < 0 ? 0 : M.val[e]))) found = k;
    for (int i = k + 1; i < n && found < 0; i++) {
      double factor = A[i * n + k] / A[k * n + k];
      for (int j = k; j < n && factor != 0; j++) A[i * n + j] -= factor * A[k * n + j];
    }
  }
  ga_arena_free(&arena);
  return found;
}

/* does the method have all the model needs: rows for its constraints, and a use for its M? */
static inline bool suits(const ga_method *m, const ga_model *model, const double *q) {
  if (model->nlam > 0 && !ga_method_holonomic(m)) return false;
  if (model->npsi > 0 && !ga_method_nonholonomic(m)) return false;
  return !needs_inverse_mass(m) || massless_coordinate(model, 0, q) < 0;
}

/* The method after m in the registry (NULL: before the first) that suits the model, NULL past the
 * last. M is judged at (0, q). */
static inline const ga_method *next_method(const ga_method *m, const ga_model *model,
                                           const double *q) {
  int i = 0;
  while (m && all_methods[i] != m) i++;
  for (i += m != NULL; i < METHODS; i++) {
    if (suits(all_methods[i], model, q)) return all_methods[i];
  }
  return NULL;
}

/* The mass on a circle of driven radius ("rheonomic"): lam = theta'^2 - r''/r. Where the reaction
 * of a step is taken at its ends (hht 3.4) it points to the centre there and keeps the angular
 * momentum r^2 theta' = 1, and with it lam; where the end is a predicted one (3.5) lam is of
 * order 3. */
typedef enum { LAM_EXACT, LAM_ORDER_3, LAM_ORDER_2 } lam_kind;
static inline lam_kind rheonomic_lam(const ga_method *m) {
  if (m == &ga_method_hht || m == &ga_method_hht_lunk_simeon) return LAM_EXACT;
  return m == &ga_method_hht_predicted ? LAM_ORDER_3 : LAM_ORDER_2;
}

/* What a of a method means at t along the motion through (q, v): v', or the acceleration by the
 * applied forces alone. A plain start there has it; the twin is an integrator that starts so. */
static inline ga_integrator *plain_twin(const ga_model *model, const ga_options *o) {
  ga_options plain = *o;
  ga_integrator *twin = NULL;
  ga_error err = {0};
  plain.start = GA_START_PLAIN;
  must(ga_integrator_new(model, &plain, &twin, &err), &err);
  return twin;
}

static inline const double *meaning_of_a(ga_integrator *twin, double t, const double *q,
                                         const double *v) {
  must(ga_integrator_start(twin, t, q, v), ga_integrator_error(twin));
  return ga_integrator_state(twin)->a;
}

#endif
