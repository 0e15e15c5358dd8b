/* SPDX-License-Identifier: MIT */
/* State files of a whole mechanism, without a team: one subdomain that has everything, in any
 * numbering. Numbers land where the numbering says, files are those of a run without a team,
 * and redundant = allow or refuse does not matter as long as no row is left out. */
#include <stdlib.h>
#include <unistd.h>

#include "genalpha/ga_partition.h"
#include "mechanisms.h"

/* ---- a whole of one subdomain ---------------------------------------------------------------- */

typedef struct {
  ga_collector whole;
  long *number[GA_ENTRIES];
  int gathered, spread;
  ga_status fails; /* what gather answers */
} fake;

static ga_status gather(void *context, ga_entry kind, const double *own, double *whole) {
  fake *f = context;
  f->gathered++;
  for (long i = 0; i < f->whole.n[kind]; i++) whole[f->number[kind][i]] = own[i];
  return f->fails;
}

static ga_status spread(void *context, void *bytes, size_t count) {
  (void)bytes, (void)count;
  ((fake *)context)->spread++;
  return GA_OK;
}

/* numbers in order, or from the last to the first */
static void fake_open(fake *f, const ga_model *m, bool backwards) {
  const long n[GA_ENTRIES] = {ga_space_nq(m->space), ga_space_nv(m->space), m->nlam, m->npsi};
  *f = (fake){.whole = {.root = true, .gather = gather, .spread = spread, .context = f}};
  for (int k = 0; k < GA_ENTRIES; k++) {
    f->whole.n[k] = n[k];
    f->number[k] = calloc((size_t)n[k] + 1, sizeof **f->number);
    for (long i = 0; i < n[k]; i++) f->number[k][i] = backwards ? n[k] - 1 - i : i;
    f->whole.number[k] = f->number[k];
  }
}

static void fake_close(fake *f) {
  for (int k = 0; k < GA_ENTRIES; k++) free(f->number[k]);
}

/* ---- runs ----------------------------------------------------------------------------------- */

static ga_integrator *made(const ga_file *file, const char *method, bool automatic,
                           ga_redundant redundant) {
  ga_options o = ga_options_default();
  ga_integrator *it = NULL;
  ga_error err = {0};
  o.h = 1e-3;
  o.method = method;
  if (automatic) o.rtol = o.atol = 1e-5;
  o.redundant = redundant;
  must(ga_integrator_new(ga_mechanism_model(ga_file_mechanism(file)), &o, &it, &err), &err);
  return it;
}

static void begin(ga_integrator *it, const ga_file *file) {
  const ga_mechanism *m = ga_file_mechanism(file);
  must(ga_integrator_start(it, 0, ga_mechanism_q0(m), ga_mechanism_v0(m)), ga_integrator_error(it));
}

static void run(ga_integrator *it, double t) {
  must(ga_integrator_run(it, t), ga_integrator_error(it));
}

static unsigned char *content(const char *path, size_t *n) {
  FILE *f = fopen(path, "rb");
  assert_non_null(f);
  fseek(f, 0, SEEK_END);
  *n = (size_t)ftell(f);
  rewind(f);
  unsigned char *bytes = malloc(*n);
  assert_int_equal(fread(bytes, 1, *n, f), *n);
  fclose(f);
  return bytes;
}

static void same_files(const char *a, const char *b) {
  size_t na, nb;
  unsigned char *x = content(a, &na), *y = content(b, &nb);
  assert_int_equal(na, nb);
  assert_memory_equal(x, y, na);
  free(x);
  free(y);
}

static void same_states(const ga_integrator *a, const ga_integrator *b, const ga_model *m) {
  const ga_state *x = ga_integrator_state(a), *y = ga_integrator_state(b);
  assert_memory_equal(x->q, y->q, (size_t)ga_space_nq(m->space) * sizeof(double));
  assert_memory_equal(x->v, y->v, (size_t)ga_space_nv(m->space) * sizeof(double));
  assert_memory_equal(x->a, y->a, (size_t)ga_space_nv(m->space) * sizeof(double));
  assert_memory_equal(x->lam, y->lam, (size_t)m->nlam * sizeof(double));
  assert_memory_equal(x->psi, y->psi, (size_t)m->npsi * sizeof(double));
}

static char own_path[64], other_path[64];

static int paths(void **state) {
  (void)state;
  snprintf(own_path, sizeof own_path, "whole_%ld.state", (long)getpid());
  snprintf(other_path, sizeof other_path, "other_%ld.state", (long)getpid());
  return 0;
}

static int clean(void **state) {
  (void)state;
  remove(own_path);
  remove(other_path);
  return 0;
}

/* ---- tests ---------------------------------------------------------------------------------- */

static const char *const methods[] = {"stab2", "index3", "index2", "index1"};
enum { NMETHOD = 4 };

/* numbered in order, the file is that of ga_integrator_save, byte by byte */
static void the_usual_file(void **state) {
  (void)state;
  ga_file *file = model_loaded("../tests/support/models/every-joint", NULL, 0);
  const ga_model *m = ga_mechanism_model(ga_file_mechanism(file));
  for (int k = 0; k < 2 * NMETHOD; k++) {
    fake f;
    ga_integrator *it = made(file, methods[k / 2], k % 2 == 1, GA_REDUNDANT_REFUSE);
    fake_open(&f, m, false);
    begin(it, file);
    run(it, 5e-3);
    must(ga_integrator_save(it, own_path), ga_integrator_error(it));
    must(ga_integrator_save_whole(it, other_path, &f.whole), ga_integrator_error(it));
    same_files(own_path, other_path);
    assert_true(f.gathered >= 10);
    fake_close(&f);
    ga_integrator_free(it);
  }
  ga_file_free(file);
}

/* backwards and back again: the run goes on as if nothing had happened; and the file does hold the
 * numbers backwards */
static void numbered_backwards(void **state) {
  (void)state;
  ga_file *file = model_loaded("../tests/support/models/every-joint", NULL, 0);
  const ga_model *m = ga_mechanism_model(ga_file_mechanism(file));
  const int nv = ga_space_nv(m->space);
  for (int k = 0; k < 2 * NMETHOD; k++) {
    fake f;
    ga_integrator *a = made(file, methods[k / 2], k % 2 == 1, GA_REDUNDANT_REFUSE);
    ga_integrator *b = made(file, methods[k / 2], k % 2 == 1, GA_REDUNDANT_REFUSE);
    ga_integrator *c = made(file, methods[k / 2], k % 2 == 1, GA_REDUNDANT_REFUSE);
    fake_open(&f, m, true);
    begin(a, file);
    run(a, 5e-3);
    must(ga_integrator_save_whole(a, own_path, &f.whole), ga_integrator_error(a));
    must(ga_integrator_load_whole(b, own_path, &f.whole), ga_integrator_error(b));
    must(ga_integrator_load(c, own_path), ga_integrator_error(c));
    for (int i = 0; i < nv; i++) {
      assert_true(ga_integrator_state(c)->v[i] == ga_integrator_state(a)->v[nv - 1 - i]);
    }
    same_states(a, b, m);
    run(a, 1e-2);
    run(b, 1e-2);
    same_states(a, b, m);
    assert_memory_equal(ga_integrator_stats(a), ga_integrator_stats(b), sizeof(ga_stats));
    fake_close(&f);
    ga_integrator_free(a);
    ga_integrator_free(b);
    ga_integrator_free(c);
  }
  ga_file_free(file);
}

/* a run of a team refuses redundant rows; one without goes on from it with allow, and back */
static void redundant_or_not(void **state) {
  (void)state;
  ga_file *file = model_loaded("slider-crank", NULL, 0);
  const ga_model *m = ga_mechanism_model(ga_file_mechanism(file));
  for (int allow = 0; allow < 2; allow++) {
    ga_integrator *a = made(file, "stab2", false, (ga_redundant)allow);
    ga_integrator *b = made(file, "stab2", false, (ga_redundant)!allow);
    begin(a, file);
    run(a, 0.05);
    must(ga_integrator_save(a, own_path), ga_integrator_error(a));
    must(ga_integrator_load(b, own_path), ga_integrator_error(b));
    run(a, 0.1);
    run(b, 0.1);
    same_states(a, b, m);
    ga_integrator_free(a);
    ga_integrator_free(b);
  }
  ga_file_free(file);
}

static void left_out_rows_need_allow(void **state) {
  (void)state;
  ga_file *file = model_loaded("truss", NULL, 0);
  const ga_model *m = ga_mechanism_model(ga_file_mechanism(file));
  ga_integrator *a = made(file, "stab2", false, GA_REDUNDANT_ALLOW);
  begin(a, file);
  must(ga_integrator_save(a, own_path), ga_integrator_error(a));
  ga_options o = ga_options_default();
  ga_integrator *b = NULL;
  ga_error err = {0};
  if (ga_integrator_new(m, &o, &b, &err) == GA_OK) {
    assert_int_equal(ga_integrator_load(b, own_path), GA_ERR_FILE);
    assert_non_null(strstr(ga_integrator_error(b)->text, "redundant = allow"));
  }
  ga_integrator_free(a);
  ga_integrator_free(b);
  ga_file_free(file);
}

/* a file that cannot be written, processes that do not answer */
static void failures(void **state) {
  (void)state;
  ga_file *file = model_loaded("pendulum", NULL, 0);
  const ga_model *m = ga_mechanism_model(ga_file_mechanism(file));
  fake f;
  ga_integrator *it = made(file, "stab2", false, GA_REDUNDANT_REFUSE);
  fake_open(&f, m, false);
  begin(it, file);
  assert_int_equal(ga_integrator_save_whole(it, "no/such/directory", &f.whole), GA_ERR_IO);
  assert_int_equal(ga_integrator_load_whole(it, "no/such/file", &f.whole), GA_ERR_IO);
  assert_non_null(strstr(ga_integrator_error(it)->text, "no/such/file"));
  f.fails = GA_ERR_IO;
  remove(own_path);
  assert_int_equal(ga_integrator_save_whole(it, own_path, &f.whole), GA_ERR_IO);
  assert_int_not_equal(access(own_path, F_OK), 0);
  /* a file of another model */
  f.fails = GA_OK;
  must(ga_integrator_save_whole(it, own_path, &f.whole), ga_integrator_error(it));
  f.whole.n[GA_ENTRY_LAM]++;
  assert_int_equal(ga_integrator_load_whole(it, own_path, &f.whole), GA_ERR_FILE);
  assert_non_null(strstr(ga_integrator_error(it)->text, "another model"));
  fake_close(&f);
  ga_integrator_free(it);
  ga_file_free(file);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_usual_file),   cmocka_unit_test(numbered_backwards),
      cmocka_unit_test(redundant_or_not), cmocka_unit_test(left_out_rows_need_allow),
      cmocka_unit_test(failures),
  };
  return cmocka_run_group_tests(tests, paths, clean);
}
