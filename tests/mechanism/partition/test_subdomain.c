/* SPDX-License-Identifier: MIT */
/* Mechanisms cut into parts: whatever the cut, the parts' contributions add up to the whole, at
 * random states. Every model of models/, a mechanism with every type of joint, a frame of bushings.
 */
#include "genalpha/ga_partition.h"
#include "models_all.h"

/* ---- an evaluation, all of it --------------------------------------------------------------- */

enum { VECTORS = 7, MATRICES = 7 };
typedef enum { IN_V, IN_LAM, IN_PSI } kind;
static const struct {
  const char *name;
  kind rows;
} vector_list[VECTORS] = {{"F", IN_V},   {"g", IN_LAM}, {"gt", IN_LAM},     {"drift", IN_LAM},
                          {"k", IN_PSI}, {"M v", IN_V}, {"k drift", IN_PSI}},
  matrix_list[MATRICES] = {{"M", IN_V},   {"Kt", IN_V},  {"Ct", IN_V}, {"G", IN_LAM},
                           {"Z", IN_LAM}, {"H", IN_PSI}, {"Y", IN_PSI}};

typedef struct {
  int nv, n[3];
  double *vector[VECTORS];
  ga_csr matrix[MATRICES];
  double energy[2];
  ga_arena arena;
} values;

static const ga_csr *pattern_of(const ga_model *m, int i) {
  const ga_csr *const of[MATRICES] = {m->pat_M, m->pat_K, m->pat_K, m->pat_G,
                                      m->pat_G, m->pat_H, m->pat_H};
  return of[i];
}

static void evaluate(const ga_model *m, double t, const double *q, const double *v,
                     const double *lam, const double *psi, values *out) {
  *out = (values){.nv = ga_space_nv(m->space), .n = {ga_space_nv(m->space), m->nlam, m->npsi}};
  for (int i = 0; i < VECTORS; i++) {
    out->vector[i] = ga_arena_doubles(&out->arena, (size_t)out->n[vector_list[i].rows] + 1);
  }
  for (int i = 0; i < MATRICES; i++) {
    assert_int_equal(ga_csr_init(&out->matrix[i], out->n[matrix_list[i].rows], out->nv,
                                 pattern_of(m, i), &out->arena),
                     GA_OK);
  }
  double *zero = ga_arena_doubles(&out->arena, (size_t)out->nv + 1);
  ga_csr *A = out->matrix;
  double **x = out->vector;
  const ga_evaluation all = {.M = &A[0],
                             .F = x[0],
                             .g = x[1],
                             .G = &A[3],
                             .k = x[4],
                             .H = &A[5],
                             .x = zero,
                             .lam = lam,
                             .psi = psi,
                             .Kt = &A[1],
                             .Ct = &A[2],
                             .Z = &A[4],
                             .Y = &A[6],
                             .gt = x[2],
                             .drift = x[3],
                             .k_drift = x[6]};
  const int code = m->ops->evaluate(m->user, t, q, v, &all);
  assert_int_equal(code, 0);
  ga_csr_mul_add(&A[0], 1, v, x[5]);
  assert_int_equal(m->ops->energy(m->user, t, q, v, &out->energy[0], &out->energy[1]), 0);
}

/* ---- a part added to the sum ---------------------------------------------------------------- */

static const long *numbers_of(const ga_subdomain_info *p, kind k) {
  return k == IN_V ? p->v : k == IN_LAM ? p->lam : p->psi;
}

static void gather(int n, const long *at, const double *x, double *own) {
  for (int i = 0; i < n; i++) own[i] = x[at[i]];
}

static void add_part(const ga_subdomain_info *p, const values *own, values *sum) {
  for (int i = 0; i < VECTORS; i++) {
    const long *at = numbers_of(p, vector_list[i].rows);
    for (int k = 0; k < own->n[vector_list[i].rows]; k++)
      sum->vector[i][at[k]] += own->vector[i][k];
  }
  for (int i = 0; i < MATRICES; i++) {
    const long *at = numbers_of(p, matrix_list[i].rows);
    const ga_csr *A = &own->matrix[i];
    for (int r = 0; r < A->nrow; r++) {
      for (int e = A->ptr[r]; e < A->ptr[r + 1]; e++) {
        const int place = ga_csr_find(&sum->matrix[i], (int)at[r], (int)p->v[A->col[e]]);
        if (place < 0) {
          fail_msg("%s(%ld,%ld) is not in the whole", matrix_list[i].name, at[r], p->v[A->col[e]]);
        }
        sum->matrix[i].val[place] += A->val[e];
      }
    }
  }
  for (int i = 0; i < 2; i++) sum->energy[i] += own->energy[i];
}

static void compare(const char *what, int n, const double *a, const double *b) {
  const double size = 1 + ga_max_abs(n, b);
  for (int i = 0; i < n; i++) {
    if (!(fabs(a[i] - b[i]) <= 1e-13 * size)) {
      fail_msg("%s[%d]: parts %.17g, whole %.17g", what, i, a[i], b[i]);
    }
  }
}

/* ---- one cut -------------------------------------------------------------------------------- */

typedef struct {
  double t, *q, *v, *lam, *psi;
} place;

static place random_place(const ga_mechanism *m, uint64_t seed, ga_arena *arena) {
  place s = {.t = 0.37,
             .q = ga_arena_doubles(arena, (size_t)m->nq),
             .v = ga_arena_doubles(arena, (size_t)m->nv),
             .lam = ga_arena_doubles(arena, (size_t)m->nlam + 1),
             .psi = ga_arena_doubles(arena, (size_t)m->npsi + 1)};
  perturbed(m, m->q0, 0.05, seed, s.q);
  for (int i = 0; i < m->nv; i++) s.v[i] = next_uniform(&seed);
  for (int i = 0; i < m->nlam; i++) s.lam[i] = next_uniform(&seed);
  for (int i = 0; i < m->npsi; i++) s.psi[i] = next_uniform(&seed);
  return s;
}

/* counted over all parts: rows once, every body owned once */
typedef struct {
  long nlam, npsi, elements, owned, shared;
} totals;

static void add_one(const ga_mechanism *m, const ga_partition *sharing, int part, const place *s,
                    values *sum, totals *count) {
  ga_subdomain *portion;
  ga_error err = {0};
  ga_arena arena = {0};
  values own;
  must(ga_mechanism_subdomain(m, sharing, part, &portion, &err), &err);
  const ga_subdomain_info p = ga_subdomain_view(portion);
  double *q = ga_arena_doubles(&arena, (size_t)p.nq), *v = ga_arena_doubles(&arena, (size_t)p.nv);
  double *lam = ga_arena_doubles(&arena, (size_t)p.nlam + 1);
  double *psi = ga_arena_doubles(&arena, (size_t)p.npsi + 1);
  gather(p.nq, p.q, m->q0, q);
  gather(p.nv, p.v, m->v0, v);
  assert_memory_equal(q, p.q0, (size_t)p.nq * sizeof *q);
  assert_memory_equal(v, p.v0, (size_t)p.nv * sizeof *v);
  gather(p.nq, p.q, s->q, q);
  gather(p.nv, p.v, s->v, v);
  gather(p.nlam, p.lam, s->lam, lam);
  gather(p.npsi, p.psi, s->psi, psi);
  evaluate(p.model, s->t, q, v, lam, psi, &own);
  add_part(&p, &own, sum);
  count->nlam += p.nlam, count->npsi += p.npsi;
  count->elements += p.elements, count->owned += p.owned, count->shared += p.shared;
  assert_int_equal(p.nv_all, m->nv);
  assert_int_equal(p.model->scleronomic, m->model.scleronomic);
  ga_arena_free(&own.arena);
  ga_arena_free(&arena);
  ga_subdomain_free(portion);
}

static void check_cut(const ga_mechanism *m, const ga_partition *sharing, uint64_t seed,
                      totals *count) {
  ga_arena arena = {0};
  const place s = random_place(m, seed, &arena);
  values whole, sum;
  evaluate(&m->model, s.t, s.q, s.v, s.lam, s.psi, &whole);
  evaluate(&m->model, s.t, s.q, s.v, s.lam, s.psi, &sum);
  for (int i = 0; i < VECTORS; i++) {
    memset(sum.vector[i], 0, (size_t)sum.n[vector_list[i].rows] * sizeof(double));
  }
  for (int i = 0; i < MATRICES; i++) ga_csr_zero(&sum.matrix[i]);
  sum.energy[0] = sum.energy[1] = 0;
  *count = (totals){0};
  for (int part = 0; part < sharing->subdomains; part++) add_one(m, sharing, part, &s, &sum, count);
  for (int i = 0; i < VECTORS; i++) {
    const int n = sum.n[vector_list[i].rows];
    compare(vector_list[i].name, n, sum.vector[i], whole.vector[i]);
  }
  for (int i = 0; i < MATRICES; i++) {
    const ga_csr *A = &whole.matrix[i];
    compare(matrix_list[i].name, ga_csr_nnz(A), sum.matrix[i].val, A->val);
  }
  compare("energy", 2, sum.energy, whole.energy);
  assert_int_equal(count->nlam, m->nlam);
  assert_int_equal(count->npsi, m->npsi);
  assert_int_equal(count->elements, m->joints.count + m->others.count);
  assert_int_equal(count->owned, m->bodies.count - 1);
  ga_arena_free(&whole.arena);
  ga_arena_free(&sum.arena);
  ga_arena_free(&arena);
}

/* ---- random cuts ---------------------------------------------------------------------------- */

static void shuffle(ga_partition *s, uint64_t *seed) {
  for (int i = 0; i < s->bodies; i++) {
    s->body[i] = (int)(s->subdomains * (0.5 + 0.499 * next_uniform(seed)));
  }
  for (int i = 0; i < s->subdomains; i++) s->body[i] = i; /* every part has a body */
  for (int i = 0; i < s->elements; i++) {
    s->element[i] = (int)(s->subdomains * (0.5 + 0.499 * next_uniform(seed)));
  }
}

static int divided;

static void check_model(const char *name, const ga_file *file) {
  const ga_mechanism *m = ga_file_mechanism(file);
  const int bodies = m->bodies.count - 1;
  ga_partition *two;
  ga_error refused = {0};
  if (bodies > 1 && ga_partition_new(m, 2, GA_PARTITION_GRAPH, &two, &refused) != GA_OK) {
    /* functions of the state, ropes and beams need one process */
    assert_non_null(strstr(refused.text, "one process"));
    return;
  }
  if (bodies > 1) ga_partition_free(two);
  divided++;
  uint64_t seed = 4242;
  totals count;
  print_message("%s\n", name);
  for (int parts = 1; parts <= 5 && parts <= bodies; parts++) {
    for (int how = GA_PARTITION_GRAPH; how <= GA_PARTITION_RANGES; how++) {
      ga_partition *s;
      ga_error err = {0};
      must(ga_partition_new(m, parts, (ga_partition_method)how, &s, &err), &err);
      check_cut(m, s, seed, &count);
      if (parts == 1) assert_int_equal(count.shared, 0);
      ga_partition_free(s);
    }
    for (int k = 0; k < 4; k++) {
      ga_partition *s;
      ga_error err = {0};
      must(ga_partition_new(m, parts, GA_PARTITION_RANGES, &s, &err), &err);
      shuffle(s, &seed);
      check_cut(m, s, seed, &count);
      ga_partition_free(s);
    }
  }
}

static void models(void **state) {
  (void)state;
  assert_true(each_model_in("absolute", check_model) >= 22);
  assert_true(divided >= 22);
}

static void test_models(void **state) {
  (void)state;
  static const char *const names[] = {"../tests/support/models/every-joint",
                                      "../tests/support/models/frame"};
  for (int i = 0; i < 2; i++) {
    ga_file *file = model_loaded_in("absolute", names[i], NULL, 0);
    check_model(names[i], file);
    ga_file_free(file);
  }
}

/* every type of joint is in the mechanism that claims so */
static void every_joint(void **state) {
  (void)state;
  ga_file *file = model_loaded_in("absolute", "../tests/support/models/every-joint", NULL, 0);
  const ga_mechanism *m = ga_file_mechanism(file);
  ga_joint_type_info type;
  for (int i = 0; ga_joint_types(i, &type); i++) {
    int found = 0;
    for (int k = 0; k < m->joints.count; k++) {
      found += strcmp(((const ga_joint_data *)m->joints.item[k].data)->type->name, type.name) == 0;
    }
    if (found == 0) fail_msg("there is no joint of type %s", type.name);
  }
  ga_file_free(file);
}

/* ---- what a cut is worth -------------------------------------------------------------------- */

/* A chain of 100 rods in 4 parts: three bodies are shared by two parts each, parts are of nearly
 * equal size; whoever cuts. */
static void chain_is_cut_three_times(void **state) {
  (void)state;
  ga_file *file = model_loaded_in("absolute", "chain", &(ga_file_set){"N", "100"}, 1);
  const ga_mechanism *m = ga_file_mechanism(file);
  for (int how = GA_PARTITION_GRAPH; how <= GA_PARTITION_RANGES; how++) {
    ga_partition *s;
    totals count;
    ga_error err = {0};
    must(ga_partition_new(m, 4, (ga_partition_method)how, &s, &err), &err);
    check_cut(m, s, 7, &count);
    assert_int_equal(count.shared, 6);
    for (int part = 0; part < 4; part++) {
      ga_subdomain *p;
      must(ga_mechanism_subdomain(m, s, part, &p, &err), &err);
      assert_in_range(ga_subdomain_view(p).owned, 23, 27);
      ga_subdomain_free(p);
    }
    ga_partition_free(s);
  }
  ga_file_free(file);
}

static void frame_shares_few(void **state) {
  (void)state;
  const ga_file_set set[] = {{"NX", "20"}, {"NZ", "5"}};
  ga_file *file = model_loaded_in("absolute", "../tests/support/models/frame", set, 2);
  const ga_mechanism *m = ga_file_mechanism(file);
  for (int how = GA_PARTITION_GRAPH; how <= GA_PARTITION_WALK; how++) {
    ga_partition *s, *again;
    totals count;
    ga_error err = {0};
    must(ga_partition_new(m, 4, (ga_partition_method)how, &s, &err), &err);
    must(ga_partition_new(m, 4, (ga_partition_method)how, &again, &err), &err);
    assert_memory_equal(s->body, again->body, (size_t)s->bodies * sizeof *s->body);
    check_cut(m, s, 7, &count);
    /* three cuts across five beams; each shared beam counts in both parts */
    assert_in_range(count.shared, 3 * 2 * 5 - 4, 3 * 2 * 8);
    ga_partition_free(s);
    ga_partition_free(again);
  }
  ga_file_free(file);
}

/* ---- memory --------------------------------------------------------------------------------- */

static struct { long requests, fail_at, live; } hook;

static void *hook_calloc(size_t count, size_t size) {
  if (++hook.requests == hook.fail_at) return NULL;
  void *block = calloc(count, size);
  hook.live += block != NULL;
  return block;
}

static void hook_free(void *block) {
  hook.live -= block != NULL;
  free(block);
}

/* Each request fails once: the call says so and leaves nothing behind. */
static void every_request_fails(void **state) {
  (void)state;
  ga_file *file = model_loaded_in("absolute", "../tests/support/models/every-joint", NULL, 0);
  const ga_mechanism *m = ga_file_mechanism(file);
  ga_status status = GA_ERR_MEM;
  long failed = 0;
  ga_set_allocator(hook_calloc, hook_free);
  for (long at = 1; status != GA_OK; at++) {
    ga_partition *s = NULL;
    ga_subdomain *p = NULL;
    ga_error err = {0};
    hook.requests = 0, hook.fail_at = at, hook.live = 0;
    status = ga_partition_new(m, 3, GA_PARTITION_WALK, &s, &err);
    if (status == GA_OK) status = ga_mechanism_subdomain(m, s, 1, &p, &err);
    if (status != GA_OK) {
      failed++;
      assert_int_equal(status, GA_ERR_MEM);
      assert_non_null(strstr(err.text, "no memory"));
      assert_null(p);
    }
    ga_subdomain_free(p);
    ga_partition_free(s);
    assert_int_equal(hook.live, 0);
  }
  ga_set_allocator(NULL, NULL);
  assert_true(failed >= 10);
  ga_file_free(file);
}

/* ---- mistakes ------------------------------------------------------------------------------- */

static void mistakes(void **state) {
  (void)state;
  ga_file *file = model_loaded_in("absolute", "four-bar", NULL, 0);
  const ga_mechanism *m = ga_file_mechanism(file);
  ga_partition *s;
  ga_subdomain *p;
  ga_error err = {0};
  assert_int_equal(ga_partition_new(m, 4, GA_PARTITION_GRAPH, &s, &err), GA_ERR_ARG);
  assert_string_equal(err.text, "3 bodies cannot be divided into 4 subdomains: each needs one");
  assert_int_equal(ga_partition_new(m, 0, GA_PARTITION_GRAPH, &s, &err), GA_ERR_ARG);
  must(ga_partition_new(m, 3, GA_PARTITION_GRAPH, &s, &err), &err);
  assert_int_equal(ga_mechanism_subdomain(m, s, 3, &p, &err), GA_ERR_ARG);
  assert_string_equal(err.text, "there is no subdomain 3 of 3");
  assert_null(p);
  s->body[1] = 3;
  assert_int_equal(ga_mechanism_subdomain(m, s, 0, &p, &err), GA_ERR_ARG);
  assert_string_equal(err.text, "body 1 is given to subdomain 3 of 3");
  for (int i = 0; i < s->bodies; i++) s->body[i] = 0;
  for (int i = 0; i < s->elements; i++) s->element[i] = 0;
  assert_int_equal(ga_mechanism_subdomain(m, s, 1, &p, &err), GA_ERR_ARG);
  assert_string_equal(err.text, "subdomain 1 of 3 has no bodies");
  ga_partition_free(s);
  ga_file_free(file);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(models),           cmocka_unit_test(test_models),
      cmocka_unit_test(every_joint),      cmocka_unit_test(chain_is_cut_three_times),
      cmocka_unit_test(frame_shares_few), cmocka_unit_test(every_request_fails),
      cmocka_unit_test(mistakes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
