/* SPDX-License-Identifier: MIT */
/* The table of methods and problems in docs/reference/methods.md, walked cell by cell: order 2 of
 * every variable where it says so, else the refusal it tells. */
#include "problems/problems.h"
#include "trajectory.h"

enum { LEVELS = 4, ROWS_MAX = 32 };

/* ---- the table in the text --------------------------------------------------------------- */

typedef struct {
  char problem[48];
  char cell[METHODS][8]; /* in the order of the registry */
  bool given[METHODS];
} table_row;

typedef struct {
  int rows, columns[METHODS + 1], count; /* columns: index into all_methods */
  table_row row[ROWS_MAX];
} table;

/* the next cell of "| a | b |" without blanks and quotes; NULL past the last */
static char *next_cell(char **at) {
  char *begin = *at, *end = strchr(begin, '|');
  if (!end) return NULL;
  *end = '\0';
  *at = end + 1;
  begin += strspn(begin, " `");
  size_t n = strlen(begin);
  while (n > 0 && strchr(" `", begin[n - 1])) begin[--n] = '\0';
  return begin;
}

static int method_of(const char *text) {
  for (int i = 0; i < METHODS; i++) {
    if (strcmp(method_text(all_methods[i]), text) == 0) return i;
  }
  fail_msg("the table has a column '%s', which is no method", text);
  return -1;
}

static void read_head(table *t, char *line) {
  char *cell = next_cell(&line);
  while ((cell = next_cell(&line)) != NULL) t->columns[t->count++] = method_of(cell);
}

static void read_row(table *t, char *line) {
  table_row *row = &t->row[t->rows++];
  assert_true(t->rows < ROWS_MAX);
  snprintf(row->problem, sizeof row->problem, "%s", next_cell(&line));
  for (int c = 0; c < t->count; c++) {
    char *cell = next_cell(&line);
    if (!cell) fail_msg("the row of %s has %d cells of %d", row->problem, c, t->count);
    snprintf(row->cell[t->columns[c]], sizeof row->cell[0], "%.7s", cell);
    row->given[t->columns[c]] = true;
  }
}

static const table *read_table(void) {
  static table t;
  char line[1000];
  bool inside = false;
  memset(&t, 0, sizeof t);
  FILE *file = fopen(GA_DOCS "/reference/methods.md", "r");
  assert_non_null(file);
  while (fgets(line, sizeof line, file)) {
    bool head = strncmp(line, "| problem ", 10) == 0;
    if (head) read_head(&t, line + 1);
    if (inside && line[0] == '|' && line[1] != '-') read_row(&t, line + 1);
    inside = head || (inside && line[0] == '|');
  }
  fclose(file);
  return &t;
}

/* every problem and every method of the registries has its row or column, once */
static void test_complete(void **state) {
  (void)state;
  const table *t = read_table();
  assert_int_equal(t->count, METHODS);
  int problems = 0;
  for (; ga_problem_name(problems); problems++) {
    int found = 0;
    for (int r = 0; r < t->rows; r++) {
      found += strcmp(t->row[r].problem, ga_problem_name(problems)) == 0;
    }
    if (found != 1) fail_msg("%s is %d times in the table", ga_problem_name(problems), found);
  }
  assert_int_equal(t->rows, problems);
  for (int r = 0; r < t->rows; r++) {
    for (int m = 0; m < METHODS; m++) assert_true(t->row[r].given[m]);
  }
}

/* ---- a cell ------------------------------------------------------------------------------ */

/* time span and the largest of LEVELS step sizes: small enough to show the order of all methods,
 * large enough that the rounding of lam (of index3 above all) does not show */
static const struct {
  const char *problem;
  double t_end, h;
} spans[] = {
    {"heavy-top", 0.1, 5e-4},
    {"heavy-top-se3", 0.1, 5e-4},
    {"slider-crank", 0.2, 1e-3},
    {"andrews", 0.005, 6.25e-5},
    {"andrews-absolute", 0.005, 5e-5},
    {"pendulum-spring", 0.5, 2.5e-3},
    {"chain", 0.2, 4e-3},
    {"net", 0.4, 4e-3},
    {"lattice", 0.4, 2e-3},
    {"rolling-disk", 1, 1e-3},
    {"rolling-disk-printed", 1, 1e-3},
    {"jay-nonholonomic", 1, 1e-2},
    {"jay-negrut-hht", 1, 1e-2},
    {"jay-negrut-soi2", 1, 1e-2},
    {"rheonomic", 1, 1. / 60},
    {"oscillator", 1, 1e-2},
};
enum { SPANS = (int)(sizeof spans / sizeof spans[0]) };

/* b is used where it may be anything, so that lunk-simeon is not 3.4 */
static ga_options options_of(const ga_problem *p, const ga_method *m) {
  ga_options o = ga_options_default();
  use_method(&o, m);
  o.par = ga_params_rho(p->rho_inf);
  if (m->b_rule == GA_B_FREE) o.par.b = 0.75;
  o.newton_tol = 1e-13;
  o.multiplier_guess = p->mult0;
  return o;
}

/* On rheonomic lam may be better than of order 2 (methods.h), and no force is applied. */
static lam_kind kind_of(const ga_problem *p, const ga_method *m, int var) {
  if (strcmp(p->name, "rheonomic") != 0) return LAM_ORDER_2;
  if (var == VAR_A && needs_inverse_mass(m)) return LAM_EXACT;
  return var == VAR_LAM ? rheonomic_lam(m) : LAM_ORDER_2;
}

static void check_slope(const char *what, lam_kind kind, double coarse, double fine) {
  switch (kind) {
    case LAM_EXACT:
      assert_between(what, fine, 0, 1e-11);
      break;
    case LAM_ORDER_3:
      assert_between(what, slope(coarse, fine), 2.9, 3.1);
      break;
    case LAM_ORDER_2:
      assert_between(what, slope(coarse, fine), 1.9, 2.1);
      break;
  }
}

/* max norms over all steps from the start on, three halvings */
static void check_order(const trajectory *tr, const ga_method *m, double t_end, double h) {
  const ga_problem *p = tr->p;
  double e[LEVELS][VARS];
  for (int l = 0; l < LEVELS; l++) {
    ga_options o = options_of(p, m);
    o.h = ldexp(h, -l);
    trajectory_errors(tr, &o, p->t0, t_end, e[l]);
    for (int k = 0; k < VARS && l > 0; k++) {
      char what[128];
      if (!trajectory_has(tr, k)) continue;
      snprintf(what, sizeof what, "%s, %s: slope of %s at h = %g", p->name, method_text(m),
               var_name[k], o.h);
      check_slope(what, kind_of(p, m, k), e[l - 1][k], e[l][k]);
    }
  }
}

/* h, n: no rows for holonomic, nonholonomic constraints, and the first of them named; M: the mass
 * is singular, and the coordinate named */
static void check_refusal(const ga_problem *p, const ga_method *m, const char *cell) {
  ga_options o = options_of(p, m);
  ga_integrator *it = NULL;
  ga_error err = {0};
  ga_status status = ga_integrator_new(&p->model, &o, &it, &err);
  bool mass = strcmp(cell, "M") == 0, holonomic = strcmp(cell, "h") == 0;
  if (!mass && !holonomic && strcmp(cell, "n") != 0) {
    fail_msg("%s, %s: '%s' is no mark of the table", p->name, method_text(m), cell);
  }
  if (!mass) {
    const char *const *names = holonomic ? p->model.lam_names : p->model.psi_names;
    assert_refused(
        status, &err, GA_ERR_METHOD,
        holonomic ? "no rows for holonomic constraints" : "no rows for nonholonomic constraints",
        names[0]);
    assert_non_null(strstr(err.text, m->name));
    return;
  }
  must(status, &err);
  char name[96];
  int i = massless_coordinate(&p->model, p->t0, p->q0);
  assert_true(i >= 0);
  snprintf(name, sizeof name, "v[%d] ('%s')", i, p->model.v_names[i]);
  assert_refused(ga_integrator_start(it, p->t0, p->q0, p->v0), ga_integrator_error(it),
                 GA_ERR_SINGULAR, "mass matrix is singular", name);
  ga_integrator_free(it);
}

/* a row of the table */
static void test_row(void **state) {
  const table_row *row = *state;
  ga_problem_options size = ga_problem_options_default();
  ga_problem *p = NULL;
  ga_error err = {0};
  if (strcmp(row->problem, "chain") == 0) size.size = 3;
  must(ga_problem_new(row->problem, &size, &p, &err), &err);
  int s = 0;
  while (s < SPANS && strcmp(spans[s].problem, row->problem) != 0) s++;
  assert_true(s < SPANS);
  trajectory tr = trajectory_new(p, ldexp(spans[s].h, 1 - LEVELS), spans[s].t_end, 4);
  int orders = 0;
  for (int m = 0; m < METHODS; m++) {
    if (strcmp(row->cell[m], "2") == 0) {
      check_order(&tr, all_methods[m], spans[s].t_end, spans[s].h);
      orders++;
    } else {
      check_refusal(p, all_methods[m], row->cell[m]);
    }
  }
  assert_true(orders >= 5);
  trajectory_free(&tr);
  ga_problem_free(p);
}

int main(void) {
  static char names[ROWS_MAX][64];
  struct CMUnitTest tests[ROWS_MAX + 1] = {cmocka_unit_test(test_complete)};
  const table *t = read_table();
  for (int r = 0; r < t->rows; r++) {
    snprintf(names[r], sizeof names[r], "row of %s", t->row[r].problem);
    tests[r + 1] = (struct CMUnitTest){
        .name = names[r], .test_func = test_row, .initial_state = (void *)(uintptr_t)&t->row[r]};
  }
  return _cmocka_run_group_tests("table", tests, (size_t)t->rows + 1, NULL, NULL);
}
