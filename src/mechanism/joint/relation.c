/* SPDX-License-Identifier: MIT */
/* Relations of coordinates of joints, and couplers, which make one vanish:
 *
 *   e(t, theta) = sum c_k theta_k - equals - f(t, theta)
 *   de/dtheta_k = c_k - f_k,   e' = sum de/dtheta_k theta_k' - f_t
 *   Z_k         = -sum_j f_kj theta_j' - f_kt
 *   drift       = -f'' along the direction (1, theta')
 *   Kt_jk       = -lam f_jk   of a row e = 0
 *
 * A force with the potential U(e), tau = U', puts -tau de/dtheta_k on every coordinate. With tau a
 * function of e and e', the left side of the equations has
 *
 *   Kt_jk = de/dtheta_j (tau_e de/dtheta_k + tau_e' Z_k) + tau e_jk,   Ct_jk = tau_e' de/dtheta_j de/dtheta_k
 *
 * Mixed derivatives come from second ones along e_j + e_k: f_jk = (f'' - f_jj - f_kk)/2. */
#include "mechanism/joint/relation.h"

#include <math.h>
#include <string.h>

#include "mechanism/signal/signal.h"

/* ---- the relation at a state ---------------------------------------------------------------- */

/* Derivatives of f by its variables (t first, then coordinates) in jet[i] = f, f_i, f_ii; 0 or the
 * code of the author's function. */
static int first_derivatives(const ga_law *law, const double *x, int n, double (*jet)[3]) {
  int code = 0;
  for (int i = 0; i < n && code == 0; i++) code = ga_law_jet(law, x, i, jet[i]);
  return code;
}

/* Second derivatives of -f: H, bend and drift of *at. x: its variables, d: their rates. */
static int second_derivatives(const ga_law *law, const double *x, const double *d, int n,
                              double (*jet)[3], ga_relation_point *at) {
  double direction[GA_VARIABLES_MAX] = {0}, f[3];
  int code = ga_law_jet_along(law, x, d, n, f);
  at->drift = -f[2];
  for (int i = 0; i < n && code == 0; i++) {
    for (int k = 0; k <= i && i > 0 && code == 0; k++) {
      double mixed = jet[i][2];
      if (k < i) {
        direction[i] = direction[k] = 1;
        code = ga_law_jet_along(law, x, direction, n, f);
        direction[i] = direction[k] = 0;
        mixed = 0.5 * (f[2] - jet[i][2] - jet[k][2]);
      }
      at->bend[at->variable[i - 1]] -= mixed * d[k];
      if (k == 0) continue; /* by t and a coordinate */
      if (k < i) at->bend[at->variable[k - 1]] -= mixed * d[i];
      at->H[(i - 1) * at->n + k - 1] = at->H[(k - 1) * at->n + i - 1] = -mixed;
    }
  }
  return code;
}

/* *at <- the relation at the state of the pass, whose velocities may be missing. */
int ga_relation_at(const ga_pass *pass, const ga_element *el, bool second, ga_relation_point *at) {
  const ga_relation *r = el->data;
  const ga_law *law = &r->law;
  double x[GA_VARIABLES_MAX], d[GA_VARIABLES_MAX], jet[GA_VARIABLES_MAX][3] = {{0}};
  at->value = -r->equals;
  at->by_t = at->drift = at->rate = 0;
  at->n = law->uses ? law->uses->count : 0;
  at->variable = r->variable;
  for (int k = 0; k < el->ncoordinate; k++) {
    at->by[k] = r->coefficient[k];
    at->bend[k] = 0;
    if (at->by[k] != 0) {
      at->value += at->by[k] * pass->q[pass->m->coordinates.item[el->coordinate[k]].q_at];
    }
  }
  int code = 0;
  if (!law->zero) {
    x[0] = pass->t, d[0] = 1;
    for (int i = 0; i < at->n; i++) {
      const ga_angle *c = &pass->m->coordinates.item[el->coordinate[r->variable[i]]];
      x[1 + i] = pass->q[c->q_at];
      d[1 + i] = pass->v ? pass->v[c->v_at] : 0;
    }
    code = first_derivatives(law, x, 1 + at->n, jet);
    if (code == 0 && second) code = second_derivatives(law, x, d, 1 + at->n, jet, at);
    if (code != 0) return code;
    at->value -= jet[0][0];
    at->by_t = -jet[0][1];
    for (int i = 0; i < at->n; i++) at->by[r->variable[i]] -= jet[1 + i][1];
  }
  at->rate = at->by_t;
  for (int k = 0; k < el->ncoordinate && pass->v; k++) {
    at->rate += at->by[k] * pass->v[pass->m->coordinates.item[el->coordinate[k]].v_at];
  }
  return code;
}

/* ---- rows and forces ------------------------------------------------------------------------ */

/* Slots of the coordinates of el in Kt: row j, column k at j * ncoordinate + k. */
static const int *tangent_slots(const ga_element *el) {
  return el->coordinate_at + (el->nlam + el->npsi) * el->ncoordinate;
}

/* Kt += factor times the second derivatives of e. */
static void add_bend(ga_pass *pass, const ga_element *el, const ga_relation_point *at,
                     double factor) {
  const int *slot = tangent_slots(el), n = el->ncoordinate;
  for (int j = 0; j < at->n; j++) {
    for (int k = 0; k < at->n; k++) {
      pass->out->Kt->val[slot[at->variable[j] * n + at->variable[k]]] +=
          factor * at->H[j * at->n + k];
    }
  }
}

/* Sets the nonzeros: the row or the force depends on coordinates alone. */
void ga_relation_structure(const ga_mechanism *m, const ga_element *el, ga_structure *s) {
  (void)m;
  s->coordinates = el->nlam > 0;
  s->coordinate_block = el->nlam == 0 || ((const ga_relation *)el->data)->law.uses;
}

/* A linear relation of any number of coordinates as a row; its second derivatives are zero. */
static int linear_row(ga_pass *pass, const ga_element *el, const ga_relation *r) {
  const ga_evaluation *out = pass->out;
  double sum = -r->equals;
  for (int k = 0; k < el->ncoordinate; k++) {
    sum += r->coefficient[k] * pass->q[pass->m->coordinates.item[el->coordinate[k]].q_at];
    ga_pass_row_coordinate(pass, el, 0, k, r->coefficient[k]);
  }
  if (out->g) out->g[el->lam_at] = sum;
  if (out->drift) out->drift[el->lam_at] = 0;
  return 0;
}

/* Writes the row e = 0 to g, G, g_t, Z and drift, and adds lam times its second derivatives to Kt.
 * Returns 0, or a code where f cannot be evaluated. */
int ga_relation_row(ga_pass *pass, const ga_element *el) {
  const ga_evaluation *out = pass->out;
  const ga_relation *r = el->data;
  const bool tangents = pass->tangents && r->law.uses;
  if (!pass->holonomic && !tangents) return 0;
  if (r->law.zero) return linear_row(pass, el, r);
  ga_relation_point at;
  const int code = ga_relation_at(pass, el, pass->curved || tangents, &at);
  if (code != 0) return ga_function_code(pass, el, code);
  if (tangents) add_bend(pass, el, &at, *ga_pass_lam(pass, el));
  if (!pass->holonomic) return 0;
  if (out->g) out->g[el->lam_at] = at.value;
  if (out->gt) out->gt[el->lam_at] = at.by_t;
  if (out->drift) out->drift[el->lam_at] = at.drift;
  for (int k = 0; k < el->ncoordinate; k++) {
    ga_pass_row_coordinate(pass, el, 0, k, at.by[k]);
    if (out->Z) out->Z->val[el->coordinate_at[k]] = at.bend[k];
  }
  return 0;
}

/* F_k -= tau de/dtheta_k, and its tangents. */
void ga_relation_force(ga_pass *pass, const ga_element *el, const ga_relation_point *at, double tau,
                       double by_e, double by_rate) {
  const ga_evaluation *out = pass->out;
  const int n = el->ncoordinate, *slot = tangent_slots(el);
  for (int k = 0; k < n && out->F; k++) {
    out->F[pass->m->coordinates.item[el->coordinate[k]].v_at] -= tau * at->by[k];
  }
  if (!pass->tangents) return;
  for (int j = 0; j < n; j++) {
    for (int k = 0; k < n; k++) {
      out->Kt->val[slot[j * n + k]] += at->by[j] * (by_e * at->by[k] + by_rate * at->bend[k]);
      out->Ct->val[slot[j * n + k]] += by_rate * at->by[j] * at->by[k];
    }
  }
  add_bend(pass, el, at, tau);
}

/* Power on all coordinates; NaN where f cannot be evaluated. */
double ga_relation_power(ga_pass *pass, const ga_element *el, double multiplier) {
  ga_relation_point at;
  if (ga_relation_at(pass, el, false, &at) != 0) return NAN;
  return -multiplier * (at.rate - at.by_t);
}

/* f as function 0, of which two time derivatives are used in a row, none in a force */
bool ga_relation_function(ga_pass *pass, const ga_element *el, const char *field, int i,
                          ga_call *call) {
  const ga_relation *r = el->data;
  if (i > 0 || r->law.zero) return false;
  ga_call_begin(call, &r->law, field, ga_of_time, el->nlam > 0 ? 2 : 0);
  call->value[GA_OF_TIME_T] = pass->t;
  return true;
}

/* Columns of a force on a relation as signals. The power is that on the coordinates: where f is not
 * constant it is not that of e', and cannot be used. */
bool ga_relation_effort_signal(ga_mechanism *m, const ga_element *el, ga_function_fn effort,
                               double sign, int column, ga_signal *signal) {
  const int own[2] = {ga_mechanism_relation_signal(m, el, 0),
                      ga_mechanism_relation_signal(m, el, 1)};
  ga_law *law = ga_arena_take(&m->arena, 1, sizeof *law);
  if (!law || own[0] < 0 || own[1] < 0 || column > 2) return false;
  *law = (ga_law){.fn = effort, .context = (void *)el->data};
  *signal = m->signals.item[own[column == 1]];
  if (column == 0 || column == 1) return true;
  *signal = (ga_signal){
      .kind = GA_SIGNAL_FUNCTION, .law = law, .variables = ga_of_state, .own = {own[0], own[1]}};
  if (column != GA_POWER) return true;
  const ga_signal of_power = *signal;
  const ga_law *f = &((const ga_relation *)el->data)->law;
  return !f->expr && !f->fn && ga_signal_power(m, sign, &of_power, own[1], signal);
}

/* k p + d, |d| <= k p, for p > 0 */
double ga_push_back(double k, double c, double p, double rate, double *by_p, double *by_rate) {
  const double elastic = k * p, damping = c * rate;
  *by_p = *by_rate = 0;
  if (!(p > 0) || damping <= -elastic) return 0;
  const bool full = damping < elastic;
  *by_p = full ? k : 2 * k;
  *by_rate = full ? c : 0;
  return full ? elastic + damping : 2 * elastic;
}

/* ---- description ---------------------------------------------------------------------------- */

/* number[k] <- coordinates of the sum, which are created; its coefficients are finite, not zero, and
 * no coordinate appears twice. */
static ga_status sum_terms(ga_mechanism *m, const char *owner, const ga_relation_terms *terms,
                           int *number, double *factor, ga_error *err) {
  for (int k = 0; k < terms->count; k++) {
    const char *name = terms->coordinates[k];
    const ga_status status = ga_mechanism_coordinate_named(m, owner, name, &number[k], err);
    if (status != GA_OK) return status;
    factor[k] = terms->coefficients[k];
    if (!isfinite(factor[k]) || factor[k] == 0) {
      return ga_fail(err, GA_ERR_ARG, "%s: the coefficient of '%s' is %g", owner, name, factor[k]);
    }
    for (int i = 0; i < k; i++) {
      if (number[i] != number[k]) continue;
      return ga_fail(err, GA_ERR_ARG, "%s: '%s' stands in the sum twice", owner, name);
    }
  }
  return GA_OK;
}

/* Does the name end like a rate? */
static bool is_rate(const char *name) {
  const size_t n = strlen(name);
  return n > 5 && strcmp(name + n - 5, "_rate") == 0;
}

/* Appends the coordinates that f uses to number[0 .. *n - 1] unless they are there, and sets
 * variable[i], the position of each. */
static ga_status function_terms(ga_mechanism *m, const char *owner, const char *field,
                                const ga_uses *uses, int *number, int *n, int *variable,
                                ga_error *err) {
  for (int i = 0; uses && i < uses->count; i++) {
    int coordinate, k = 0;
    const char *name = uses->name[i];
    ga_error why = {GA_OK, ""};
    const ga_status status = is_rate(name)
                                 ? GA_ERR_ARG
                                 : ga_mechanism_coordinate_named(m, owner, name, &coordinate, &why);
    if (status == GA_ERR_ARG) {
      return ga_fail(
          err, GA_ERR_ARG,
          "%s: %s is a function of t and of coordinates of joints (JOINT.NAME), it cannot "
          "use '%s'",
          owner, field, name);
    }
    if (status != GA_OK) return ga_fail(err, status, "%s", why.text);
    while (k < *n && number[k] != coordinate) k++;
    if (k == *n) number[(*n)++] = coordinate;
    variable[i] = k;
  }
  return GA_OK;
}

/* Fills relation, and coordinates of el. */
ga_status ga_relation_describe(ga_mechanism *m, const char *owner, const ga_relation_terms *terms,
                               ga_element *el, ga_relation *relation, ga_error *err) {
  const int before = m->coordinates.count;
  ga_law law = {.zero = true};
  ga_status status = GA_OK;
  if (terms->function && ga_function_given(terms->function)) {
    status = ga_mechanism_law(m, owner, terms->field, terms->function, ga_of_time, &law, err);
    if (status != GA_OK) return status;
  }
  const int uses = law.uses ? law.uses->count : 0;
  int *number = ga_arena_ints(&m->arena, (size_t)(terms->count + uses));
  int *variable = ga_arena_ints(&m->arena, (size_t)uses + 1);
  double *factor = ga_arena_doubles(&m->arena, (size_t)(terms->count + uses));
  if (m->arena.failed) return ga_fail(err, GA_ERR_MEM, "no memory for %s", owner);
  int n = terms->count;
  status = sum_terms(m, owner, terms, number, factor, err);
  if (status == GA_OK) {
    status = function_terms(m, owner, terms->field, law.uses, number, &n, variable, err);
  }
  if (status == GA_OK && !law.zero && n > GA_RELATION_MAX) {
    status = ga_fail(err, GA_ERR_ARG, "%s: more than %d coordinates", owner, GA_RELATION_MAX);
  }
  if (status != GA_OK) {
    ga_mechanism_forget_coordinates(m, before);
    return status;
  }
  *relation = (ga_relation){.coefficient = factor, .law = law, .variable = variable};
  for (int k = 0; k < terms->count && law.zero; k++) {
    relation->equals += factor[k] * m->coordinates.item[number[k]].start;
  }
  el->ncoordinate = n;
  el->coordinate = number;
  return GA_OK;
}

/* ---- couplers ------------------------------------------------------------------------------- */

/* f is called equals */
static bool coupler_function(ga_pass *pass, const ga_element *el, int i, ga_call *call) {
  return ga_relation_function(pass, el, "equals", i, call);
}

/* writes the effort that acts in the direction of +sum: -lam */
static void coupler_output(ga_pass *pass, const ga_state *state, const ga_element *el,
                           double *values) {
  (void)pass;
  values[0] = -state->lam[el->lam_at];
}

/* -lam times the rate of the sum without time; any number of coordinates if it is linear */
static double coupler_power(ga_pass *pass, const ga_state *state, const ga_element *el) {
  const ga_relation *r = el->data;
  const double lam = state->lam[el->lam_at];
  if (!r->law.zero) return ga_relation_power(pass, el, lam);
  double sum = 0;
  for (int k = 0; k < el->ncoordinate; k++) {
    sum -= r->coefficient[k] * state->v[pass->m->coordinates.item[el->coordinate[k]].v_at];
  }
  return lam * sum;
}

/* a coupler may add metres and radians */
static const ga_column coupler_column[] = {{".effort", "", NULL}};

const ga_element_type ga_element_coupler = {.what = "coupler",
                                            .order = GA_ORDER_COUPLERS,
                                            .trouble = "its function cannot be evaluated here",
                                            .rheonomic = true,
                                            .relation = true,
                                            .structure = ga_relation_structure,
                                            .evaluate = ga_relation_row,
                                            .function = coupler_function,
                                            GA_COLUMNS(coupler_column),
                                            .output = coupler_output,
                                            .power = coupler_power};
