/* SPDX-License-Identifier: MIT */
/* Whole states of the solution at its nodes, with v', lam, psi by the equations of motion there, and
 * the distances of these between the last two rows of the tableau. */
#include <string.h>

#include "accuracy/solution.h"
#include "kkt/measure.h"

/* The piece of a node. */
const ga_piece *ga_solution_piece(const ga_solution *s, long node) {
  int low = 0, high = s->pieces - 1;
  while (low < high) {
    int middle = (low + high + 1) / 2;
    if (s->piece[middle].first <= node) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return &s->piece[low];
}

/* The time of a node. */
double ga_solution_time(const ga_solution *s, long node) {
  const ga_piece *p = ga_solution_piece(s, node);
  long i = node - p->first;
  if (i == p->steps) return p->to;
  return p->from + (p->to - p->from) * (double)i / (double)p->steps;
}

/* The time at which the model is asked about a node. */
double ga_solution_model_time(const ga_solution *s, long node) {
  const ga_piece *p = ga_solution_piece(s, node);
  return node == p->first + p->steps ? p->before : ga_solution_time(s, node);
}

/* Let the first integrator make runs again. */
void ga_solution_leave_nodes(ga_solution *s) {
  ga_integrator *it = s->runner[0];
  it->options.start = s->options.start;
  it->projector.near_enough = false;
  s->at_nodes = false;
}

/* Let the first integrator solve the equations of motion at single states, without steps. It starts
 * at the first node, so that pivots do not depend on the order in which nodes are asked for; if it
 * cannot be solved there, each node has its own message. */
static void enter_nodes(ga_solution *s) {
  ga_integrator *it = s->runner[0];
  it->options.start = GA_START_PLAIN;
  it->projector.near_enough = true;
  s->at_nodes = true;
  ga_status status = ga_integrator_set_step(it, s->t_end - s->t0);
  if (status == GA_OK) ga_integrator_start(it, s->t0, s->q0, s->v0);
}

/* Memory for the whole states. */
ga_status ga_solution_prepare_states(ga_solution *s) {
  if (!s->state) {
    s->whole = ga_layout_of(s->model);
    size_t n = (size_t)s->whole.at[GA_VARIABLES];
    s->state = ga_arena_doubles(&s->work, ((size_t)s->nodes + 2) * n);
    s->ready = ga_arena_take(&s->work, (size_t)s->nodes, sizeof *s->ready);
    ga_between_init(s);
    if (s->work.failed) {
      s->state = NULL;
      return ga_fail(&s->error, GA_ERR_MEM, "no memory for the states at %ld nodes", s->nodes);
    }
  }
  return GA_OK;
}

/* The consistent state at t near q, v; it belongs to the first integrator. */
static ga_status make_consistent(ga_solution *s, double t, const double *q, const double *v) {
  ga_integrator *it = s->runner[0];
  const ga_beginning from = {
      .t = t, .q = q, .v = v, .start = GA_START_PLAIN, .initial = GA_INITIAL_PROJECT};
  ga_memory *mem = &it->mem;
  if (!s->at_nodes) enter_nodes(s);
  if (it->started && !it->saddle.soft) { /* all rows are independent */
    memcpy(mem->q, q, (size_t)it->eval.nq * sizeof *q);
    memcpy(mem->v, v, (size_t)it->eval.nv * sizeof *v);
    memset(mem->lam, 0, (size_t)it->eval.nlam * sizeof *v);
    memset(mem->psi, 0, (size_t)it->eval.npsi * sizeof *v);
    if (ga_start_consistent(it, t, mem->q, mem->v, mem->vd, mem->lam, mem->psi) == GA_OK) {
      return GA_OK;
    }
  }
  ga_error_clear(&it->error);
  ga_status status = ga_start_at(it, &from);
  if (status != GA_OK) s->error = *ga_integrator_error(it);
  return status;
}

/* The whole state at t near q, v; v', lam, psi are NaN if the equations of motion fail. */
ga_status ga_solution_complete(ga_solution *s, double t, const double *q, const double *v,
                               double *x) {
  const int *at = s->whole.at;
  ga_status status = make_consistent(s, t, q, v);
  if (status == GA_OK) {
    ga_layout_pack(&s->whole, ga_integrator_state(s->runner[0]), x);
    return GA_OK;
  }
  memcpy(x, q, (size_t)at[1] * sizeof *x);
  memcpy(x + at[1], v, (size_t)(at[2] - at[1]) * sizeof *x);
  for (int k = at[2]; k < at[GA_VARIABLES]; k++) x[k] = NAN;
  return status;
}

/* Number of nodes, 0 without a solution; at a terminal event they end, and it is one more. */
long ga_solution_nodes(const ga_solution *s) {
  if (s->accuracy.verdict == GA_VERDICT_NONE) return 0;
  return s->shown + (s->stopped_by >= 0);
}

/* The whole state of a node. */
ga_state ga_solution_node(ga_solution *s, long i) {
  ga_state out = {.t = NAN};
  if (i < 0 || i >= ga_solution_nodes(s)) return out;
  double before = i > 0 ? ga_solution_time(s, i - 1) : s->t0;
  if (i >= s->shown) {
    out = ga_solution_at(s, s->t_stop);
    out.h = out.t - before;
    return out;
  }
  if (ga_solution_prepare_states(s) != GA_OK) return out;
  double *x = s->state + i * s->whole.at[GA_VARIABLES];
  double t = ga_solution_time(s, i);
  const double *from = ga_solution_column(s, 0, s->K, i);
  if (!s->ready[i])
    ga_solution_complete(s, ga_solution_model_time(s, i), from, from + s->layout.at[1], x);
  s->ready[i] = true;
  ga_layout_unpack(&s->whole, x, &out);
  out.t = t;
  out.h = t - before;
  return out;
}

/* The last node. */
ga_state ga_solution_end(ga_solution *s) {
  return ga_solution_node(s, ga_solution_nodes(s) - 1);
}

/* y += A^T x */
static void add_transposed(const ga_csr *A, const double *x, double *y) {
  for (int i = 0; i < A->nrow; i++) {
    for (int k = A->ptr[i]; k < A->ptr[i + 1]; k++) y[A->col[k]] += A->val[k] * x[i];
  }
}

/* The constraint forces at the state of the first integrator, in the metric. Where all rows are independent,
 * each multiplier by the length of its row (nlam + npsi numbers): its force. Where rows are
 * redundant, multipliers are not unique, but their sum G^T lam + H^T psi is (nv numbers). Returns how
 * many numbers. */
static int forces_in_metric(const ga_solution *s, double *f) {
  const ga_integrator *it = s->runner[0];
  const ga_eval *e = &it->eval;
  const ga_state *state = ga_integrator_state(it);
  int n = 0;
  if (ga_integrator_dependency(it).ndependent == 0) {
    for (int i = 0; i < e->nlam; i++) {
      f[n++] = state->lam[i] * ga_measure_length(e, &it->saddle.G, i);
    }
    for (int i = 0; i < e->npsi; i++) {
      f[n++] = state->psi[i] * ga_measure_length(e, &it->saddle.H, i);
    }
    return n;
  }
  memset(f, 0, (size_t)e->nv * sizeof *f);
  if (e->nlam > 0) add_transposed(&it->saddle.G, state->lam, f);
  if (e->npsi > 0) add_transposed(&it->saddle.H, state->psi, f);
  for (int i = 0; i < e->nv; i++) f[i] /= s->root_metric[i];
  return e->nv;
}

/* A vector in the last row and in the one before, its largest distance, its largest values. */
typedef struct {
  int n;
  double *now, *then, *size, *apart;
} pair;

/* Note the distance of now and then, and their sizes, component by component. */
static void compare(pair *p) {
  for (int i = 0; i < p->n; i++) {
    p->apart[i] = ga_larger(p->apart[i], fabs(p->now[i] - p->then[i]));
    p->size[i] = ga_larger(p->size[i], fabs(p->now[i]));
  }
}

/* Largest distance relative to the largest value; each component relative to its own, at least to
 * `floor` of the largest. */
static double relative_distance(const pair *p, double floor) {
  double largest = ga_max_abs(p->n, p->size), distance = 0;
  for (int i = 0; i < p->n; i++) {
    double size = fmax(p->size[i], floor * largest);
    if (p->apart[i] > 0) distance = ga_larger(distance, p->apart[i] / size);
  }
  return distance;
}

/* v' in the metric and the forces, in column K of both rows, over all nodes. Nodes at which the
 * equations of motion cannot be solved (singular positions) are left out. */
ga_status ga_solution_force_distance(ga_solution *s, int K, double *vd, double *lam) {
  ga_status status = ga_solution_prepare_states(s);
  if (status != GA_OK) return status;
  int nv = ga_space_nv(s->model->space), rows = s->model->nlam + s->model->npsi;
  size_t room = (size_t)(rows > nv ? rows : nv);
  double *work = ga_calloc(8 * room, sizeof *work);
  if (!work) return ga_fail(&s->error, GA_ERR_MEM, "no memory for the constraint forces");
  pair a = {nv, work, work + room, work + 2 * room, work + 3 * room};
  pair f = {0, work + 4 * room, work + 5 * room, work + 6 * room, work + 7 * room};
  for (long i = 0; i < s->nodes; i++) {
    int n[2] = {-1, -2};
    for (int which = 0; which < 2; which++) {
      const double *x = ga_solution_column(s, which, K, i);
      if (make_consistent(s, ga_solution_model_time(s, i), x, x + s->layout.at[1]) != GA_OK) break;
      n[which] = forces_in_metric(s, which ? f.then : f.now);
      const double *of = ga_integrator_state(s->runner[0])->vd;
      for (int k = 0; k < nv; k++) (which ? a.then : a.now)[k] = of[k] * s->root_metric[k];
    }
    if (n[0] != n[1]) continue;
    f.n = n[0];
    compare(&a);
    compare(&f);
  }
  *vd = relative_distance(&a, 1e-3);
  *lam = relative_distance(&f, 1);
  ga_free(work);
  ga_error_clear(&s->error);
  return GA_OK;
}
