/* SPDX-License-Identifier: MIT */
/* State files that are refused, and systems that refuse: the integrator stays as it was. */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "checkpoint.h"
#include "problems/problems.h"

/* ---- files that are refused -------------------------------------------------------------- */

/* a heavy top that saved a state and went on, and its twin that will not meet a bad file */
typedef struct {
  ga_problem *p;
  ga_integrator *it, *twin;
  content good;
  view before;
} scene;

static void open_scene(scene *s, const char *solver) {
  s->p = open_subject(&subjects[0]);
  ga_options o = options_of(s->p, &ga_method_stab2, solver);
  s->it = started(s->p, &o);
  s->twin = started(s->p, &o);
  advance(s->it, 10 * s->p->h);
  advance(s->twin, 10 * s->p->h);
  save(s->it, path_of("good"));
  save(s->twin, path_of("good"));
  s->good = read_all(path_of("good"));
  advance(s->it, 5 * s->p->h);
  advance(s->twin, 5 * s->p->h);
  s->before = view_of(s->it, &s->p->model);
}

/* unchanged to the last bit, what cannot be seen (factors, contraction) included: it goes on alike
 */
static void close_scene(scene *s) {
  view mine = go_on(s->it, s->p), twins = go_on(s->twin, s->p);
  assert_same("after refused files", &twins, &mine);
  load(s->it, path_of("good"));
  ga_integrator_free(s->it);
  ga_integrator_free(s->twin);
  close_subject(s->p);
}

static void refuse_file(scene *s, const char *path, ga_status expected, const char *word,
                        const char *second) {
  assert_refused(ga_integrator_load(s->it, path), ga_integrator_error(s->it), expected, word,
                 second);
  view after = view_of(s->it, &s->p->model);
  assert_same(path, &s->before, &after);
}

static void refuse_bytes(scene *s, const void *bytes, size_t n, const char *word) {
  write_all(path_of("bad"), bytes, n);
  refuse_file(s, path_of("bad"), GA_ERR_FILE, word, path_of("bad"));
  const char *same = strcmp(word, "state file") == 0 ? "state" : word;
  assert_refused(ga_integrator_load_memory(s->it, bytes, n), ga_integrator_error(s->it),
                 GA_ERR_FILE, same, "in memory");
  view after = view_of(s->it, &s->p->model);
  assert_same("memory", &s->before, &after);
}

static void test_torn(void **state) {
  scene s;
  open_scene(&s, *state);
  const unsigned char *good = s.good.byte;
  for (size_t n = 0; n < s.good.n; n += n < 160 ? 1 : 37) refuse_bytes(&s, good, n, "torn");
  refuse_bytes(&s, good, s.good.n / 2, "torn");
  refuse_bytes(&s, good, s.good.n - 8, "torn");
  refuse_bytes(&s, good, s.good.n - 1, "torn");
  content longer = s.good;
  for (size_t extra = 1; extra <= 512; extra *= 2) {
    longer.n = s.good.n + extra;
    refuse_bytes(&s, longer.byte, longer.n, "torn or damaged");
    renew_checksum(&longer);
    refuse_bytes(&s, longer.byte, longer.n, "torn or damaged");
  }
  close_scene(&s);
}

static void test_flipped(void **state) {
  scene s;
  open_scene(&s, *state);
  for (size_t i = 0; i < s.good.n; i++) {
    const unsigned char masks[] = {0xff, 1, 0x20};
    for (int k = 0; k < 3; k++) {
      content bad = s.good;
      bad.byte[i] ^= masks[k];
      refuse_bytes(&s, bad.byte, bad.n, "state file");
    }
  }
  close_scene(&s);
}

static void test_foreign(void **state) {
  scene s;
  open_scene(&s, *state);
  static const char text[] = "t,q1,q2\n0,1,2\n";
  static unsigned char zeros[2000];
  refuse_bytes(&s, text, sizeof text, "not a state file");
  refuse_bytes(&s, zeros, sizeof zeros, "not a state file");
  content bad = s.good;
  bad.byte[6] = '!';
  renew_checksum(&bad);
  refuse_bytes(&s, bad.byte, bad.n, "not a state file");

  for (int64_t version = 0; version <= 1000; version += version < VERSION + 1 ? 1 : 993) {
    if (version >= OLDEST && version <= VERSION) continue; /* these can be read */
    bad = s.good;
    memcpy(bad.byte + VERSION_AT, &version, sizeof version);
    renew_checksum(&bad);
    refuse_bytes(&s, bad.byte, bad.n, version > VERSION ? "newer version" : "older version");
  }
  bad = s.good; /* byte order */
  for (int i = 0; i < 8; i++) bad.byte[8 + i] = s.good.byte[15 - i];
  renew_checksum(&bad);
  refuse_bytes(&s, bad.byte, bad.n, "byte order");
  close_scene(&s);
}

/* a state of another method, other parameters, another model */
static void test_other(void **state) {
  scene s;
  open_scene(&s, *state);
  const struct {
    const char *problem;
    const ga_method *method;
    double rho;
    const char *word, *second;
  } others[] = {
      {"heavy-top", &ga_method_index3, 0.8, "'index3'", "'stab2'"},
      {"heavy-top", &ga_method_stab2, 0.79, "parameters", "alpha_m"},
      {"andrews", &ga_method_stab2, 0.8, "another model", "7 coordinates"},
      {"rheonomic", &ga_method_stab2, 0.8, "another model", "velocities"},
  };
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    ga_problem *p = problem_named(others[i].problem);
    ga_options o = options_of(p, others[i].method, *state);
    o.par = ga_params_rho(others[i].rho);
    ga_integrator *it = started(p, &o);
    advance(it, 3 * p->h);
    save(it, path_of("bad"));
    refuse_file(&s, path_of("bad"), GA_ERR_FILE, others[i].word, others[i].second);
    ga_integrator_free(it);
    ga_problem_free(p);
  }
  close_scene(&s);
}

/* ---- what the system refuses ------------------------------------------------------------- */

static void refuse_save(scene *s, const char *path, const char *word) {
  assert_refused(ga_integrator_save(s->it, path), ga_integrator_error(s->it), GA_ERR_IO, word,
                 path);
  view after = view_of(s->it, &s->p->model);
  assert_same(path, &s->before, &after);
}

static void test_io(void **state) {
  scene s;
  struct stat there;
  open_scene(&s, *state);
  refuse_file(&s, path_of("missing"), GA_ERR_IO, "No such file", "missing");
  refuse_file(&s, folder, GA_ERR_IO, "directory", folder);
  refuse_save(&s, path_of("no/such/state"), "No such file");
  refuse_save(&s, folder, "directory");
  assert_int_equal(mkdir(path_of("locked"), 0500), 0);
  if (access(path_of("locked"), W_OK) != 0) {
    refuse_save(&s, path_of("locked/state"), "Permission denied");
  }
  assert_int_equal(rmdir(path_of("locked")), 0);
  if (access("/dev/full", W_OK) == 0) {
    /* through a link: what is put in its place by mistake is not put in place of the device */
    assert_int_equal(symlink("/dev/full", path_of("full")), 0);
    refuse_save(&s, path_of("full"), "No space left");
    assert_int_equal(stat(path_of("full"), &there), 0);
    assert_true(S_ISCHR(there.st_mode));
    refuse_file(&s, path_of("full"), GA_ERR_FILE, "not a state file", NULL);
    assert_int_equal(unlink(path_of("full")), 0);
    assert_int_equal(stat("/dev/full", &there), 0);
    assert_true(S_ISCHR(there.st_mode));
  }
  assert_int_equal(files_in_folder(".tmp", false), 0);
  close_scene(&s);
}

/* a disk that is full in the middle of a file: the old file stays, nothing is left beside it */
static void test_full_disk(void **state) {
  scene s;
  struct rlimit usual, tight;
  struct sigaction old, ignore = {.sa_handler = SIG_IGN};
  open_scene(&s, *state);
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &usual), 0);
  tight = usual;
  for (rlim_t n = 0; n < s.good.n; n += 97) {
    assert_int_equal(sigaction(SIGXFSZ, &ignore, &old), 0);
    tight.rlim_cur = n;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
    ga_status status = ga_integrator_save(s.it, path_of("good"));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &usual), 0);
    assert_int_equal(sigaction(SIGXFSZ, &old, NULL), 0);
    assert_refused(status, ga_integrator_error(s.it), GA_ERR_IO, "cannot be written", "good");
    content now = read_all(path_of("good"));
    assert_int_equal(now.n, s.good.n);
    assert_memory_equal(now.byte, s.good.byte, now.n);
    assert_int_equal(files_in_folder(".tmp", false), 0);
  }
  close_scene(&s);
}

/* what an interrupted save left beside the file does not matter, a save before a start is refused
 */
static void test_edges(void **state) {
  ga_problem *p = open_subject(&subjects[0]);
  ga_options o = options_of(p, &ga_method_stab2, *state);
  ga_integrator *it = fresh(p, &o);
  assert_refused(ga_integrator_save(it, path_of("early")), ga_integrator_error(it), GA_ERR_ARG,
                 "ga_integrator_start", NULL);
  assert_true(access(path_of("early"), F_OK) != 0);
  must(ga_integrator_start(it, p->t0, p->q0, p->v0), ga_integrator_error(it));
  write_all(path_of("state.tmp"), "torn", 4);
  save(it, path_of("state"));
  assert_int_equal(files_in_folder(".tmp", false), 0);
  load(it, path_of("state"));
  ga_integrator_free(it);
  ga_problem_free(p);
}

int main(void) {
  static const struct {
    const char *name;
    CMUnitTestFunction test;
  } all[] = {{"torn", test_torn},   {"flipped", test_flipped}, {"foreign", test_foreign},
             {"other", test_other}, {"io", test_io},           {"full disk", test_full_disk},
             {"edges", test_edges}};
  enum { COUNT = 2 * (int)(sizeof all / sizeof all[0]) };
  struct CMUnitTest tests[COUNT];
  char names[COUNT][48];
  for (int i = 0; i < COUNT; i++) {
    snprintf(names[i], sizeof names[i], "%s, %s", all[i / 2].name, solvers[i % 2]);
    tests[i] = (struct CMUnitTest){.name = names[i],
                                   .test_func = all[i / 2].test,
                                   .initial_state = (void *)(uintptr_t)solvers[i % 2]};
  }
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
