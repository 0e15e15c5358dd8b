/* SPDX-License-Identifier: MIT */
/* Memory: every allocation fails once, ours and KLU's; and steps allocate nothing. */
#define _POSIX_C_SOURCE 200809L
#include <malloc.h>
#include <suitesparse/SuiteSparse_config.h>

#include "checkpoint.h"
#include "problems/problems.h"

/* ---- requests that fail ------------------------------------------------------------------ */

/* One counter for the library's hook and for SuiteSparse's; only one of them is set at a time. */
static struct {
  long requests, live;
  long fail_at;      /* number of the request that fails, 0: none */
  bool all_after;    /* and all that follow */
  bool failed, mild; /* it happened; all that failed wanted to make a block smaller */
} hook;

static bool refused(bool shrinks) {
  hook.requests++;
  bool now = hook.fail_at > 0 &&
             (hook.all_after ? hook.requests >= hook.fail_at : hook.requests == hook.fail_at);
  if (!now) return false;
  hook.mild = shrinks && (hook.mild || !hook.failed);
  hook.failed = true;
  return true;
}

static void *counted(void *block) {
  hook.live += block != NULL;
  return block;
}

static void *hook_calloc(size_t count, size_t size) {
  return refused(false) ? NULL : counted(calloc(count, size));
}

static void *hook_malloc(size_t size) {
  return refused(false) ? NULL : counted(malloc(size));
}

static void *hook_realloc(void *block, size_t size) {
  if (refused(block && size <= malloc_usable_size(block))) return NULL;
  return block ? realloc(block, size) : counted(malloc(size));
}

static void hook_free(void *block) {
  hook.live -= block != NULL;
  free(block);
}

static void hook_suitesparse_with(void *(*m)(size_t), void *(*c)(size_t, size_t),
                                  void *(*r)(void *, size_t), void (*f)(void *)) {
#if SUITESPARSE_MAIN_VERSION >= 6
  SuiteSparse_config_malloc_func_set(m);
  SuiteSparse_config_calloc_func_set(c);
  SuiteSparse_config_realloc_func_set(r);
  SuiteSparse_config_free_func_set(f);
#else
  SuiteSparse_config.malloc_func = m;
  SuiteSparse_config.calloc_func = c;
  SuiteSparse_config.realloc_func = r;
  SuiteSparse_config.free_func = f;
#endif
}

static void hook_none(void) {
  ga_set_allocator(NULL, NULL);
  hook_suitesparse_with(malloc, calloc, realloc, free);
}

static void hook_library(void) {
  ga_set_allocator(hook_calloc, hook_free);
}

static void hook_suitesparse(void) {
  hook_suitesparse_with(hook_malloc, hook_calloc, hook_realloc, hook_free);
}

/* ---- a life ------------------------------------------------------------------------------ */

typedef struct {
  const subject *subject;
  const ga_method *method;
  const char *solver;
  ga_space *space;
  ga_problem *p;
  ga_integrator *it;
  ga_error err;
  bool silent; /* what failed has no place for a text */
} life;

static ga_status make_space(life *l) {
  l->silent = true;
  ga_status status = ga_space_new(&l->space);
  if (status == GA_OK) status = ga_space_add(l->space, &ga_group_rn, 3, NULL, NULL);
  if (status == GA_OK) status = ga_space_add(l->space, &ga_group_so3, 2, NULL, NULL);
  if (status == GA_OK) status = ga_space_add(l->space, &ga_group_se3, 1, NULL, NULL);
  if (status != GA_OK) return status;
  assert_int_equal(ga_space_nv(l->space), 15);
  ga_space_free(l->space);
  l->space = NULL;
  status = ga_space_rn(7, &l->space);
  if (status != GA_OK) assert_null(l->space);
  return status;
}

static ga_status make_problem(life *l) {
  ga_problem_options size = ga_problem_options_default();
  size.size = l->subject->size;
  ga_status status = ga_problem_new(l->subject->problem, &size, &l->p, &l->err);
  if (status != GA_OK) assert_null(l->p);
  return status;
}

static ga_status check_model(life *l) {
  const ga_problem *p = l->p;
  return ga_model_check_derivatives(&p->model, p->t0, p->q0, p->v0, NULL, &l->err);
}

static ga_status make_integrator(life *l) {
  ga_options o = options_of(l->p, l->method, l->solver);
  ga_status status = ga_integrator_new(&l->p->model, &o, &l->it, &l->err);
  if (status != GA_OK) assert_null(l->it);
  return status;
}

static ga_status do_start(life *l) {
  return ga_integrator_start(l->it, l->p->t0, l->p->q0, l->p->v0);
}
static ga_status do_step(life *l) {
  return ga_integrator_step(l->it);
}
static ga_status do_smaller(life *l) {
  return ga_integrator_set_step(l->it, 0.6 * l->p->h);
}
static ga_status do_larger(life *l) {
  return ga_integrator_set_step(l->it, 3 * l->p->h);
}
static ga_status do_position(life *l) {
  return ga_integrator_project_position(l->it, NULL);
}
static ga_status do_velocity(life *l) {
  return ga_integrator_project_velocity(l->it, GA_PROJECT_PLAIN, NULL);
}
static ga_status do_velocity_order(life *l) {
  return ga_integrator_project_velocity(l->it, GA_PROJECT_KEEP_ORDER, NULL);
}
static ga_status do_save(life *l) {
  return ga_integrator_save(l->it, path_of("state"));
}
static ga_status do_load(life *l) {
  return ga_integrator_load(l->it, path_of("state"));
}

typedef ga_status (*deed)(life *l);
static const deed creation[] = {make_space, make_problem, check_model, make_integrator};
static const deed deeds[] = {do_start,  do_step,     do_step,           do_smaller, do_step,
                             do_larger, do_step,     do_velocity_order, do_step,    do_position,
                             do_step,   do_velocity, do_step,           do_save,    do_step,
                             do_load,   do_step,     do_start,          do_step};
enum {
  CREATION = (int)(sizeof creation / sizeof creation[0]),
  DEEDS = (int)(sizeof deeds / sizeof deeds[0])
};

/* A deed that fails for want of memory changes nothing, and succeeds when there is memory again. */
static ga_status attempt(life *l, deed act) {
  view before = view_of(l->it, &l->p->model);
  ga_status status = act(l);
  l->err = *ga_integrator_error(l->it);
  if (status == GA_OK) return GA_OK;
  view after = view_of(l->it, &l->p->model);
  assert_memory_equal(before.number, after.number, sizeof before.number);
  hook.fail_at = 0;
  must(act(l), ga_integrator_error(l->it));
  must(ga_integrator_step(l->it), ga_integrator_error(l->it));
  return status;
}

/* from birth to the first failure, or to the end */
static ga_status live(life *l) {
  ga_status status = GA_OK;
  for (int i = 0; i < CREATION && status == GA_OK; i++) {
    l->silent = false;
    status = creation[i](l);
  }
  for (int i = 0; i < DEEDS && status == GA_OK; i++) status = attempt(l, deeds[i]);
  hook.fail_at = 0;
  ga_integrator_free(l->it);
  ga_problem_free(l->p);
  ga_space_free(l->space);
  return status;
}

/* request k fails, for k = 1, 2, .. until a life passes without reaching it */
static long fail_all(const subject *s, const ga_method *method, const char *solver,
                     bool all_after) {
  char what[128];
  for (long k = 1;; k++) {
    memset(&hook, 0, sizeof hook);
    hook.fail_at = k;
    hook.all_after = all_after;
    life l = {.subject = s, .method = method, .solver = solver};
    ga_status status = live(&l);
    snprintf(what, sizeof what, "%s, %s, %s, request %ld", s->problem, method_text(method), solver,
             k);
    if (hook.live != 0) fail_msg("%s: %ld blocks are lost", what, hook.live);
    if (!hook.failed) {
      assert_int_equal(status, GA_OK);
      return k - 1;
    }
    if (hook.mild && status == GA_OK) continue; /* a block stayed larger than it need be */
    if (status != GA_ERR_MEM) {
      fail_msg("%s: %s '%s'", what, ga_status_name(status), l.err.text);
    }
    if (l.silent) continue;
    if (l.err.code != GA_ERR_MEM || !l.err.text[0]) fail_msg("%s: no text", what);
  }
}

static const subject lives[] = {
    {"heavy-top", 0}, {"andrews-absolute", 0}, {"chain", 5}, {"rolling-disk", 0}};
enum { LIVES = (int)(sizeof lives / sizeof lives[0]) };

/* methods that suit the subject, and of each name the first alone: variants ask for as much */
static const ga_method *next_of_life(const ga_method *m, const subject *s) {
  ga_problem *p = open_subject(s);
  const ga_method *next = next_method(m, &p->model, p->q0);
  while (next && is_variant(next)) next = next_method(next, &p->model, p->q0);
  close_subject(p);
  return next;
}

static void test_library_requests(void **state) {
  (void)state;
  hook_none();
  hook_library();
  for (int s = 0; s < LIVES; s++) {
    for (const ga_method *m = NULL; (m = next_of_life(m, &lives[s])) != NULL;) {
      for (int k = 0; k < 4; k++) {
        long count = fail_all(&lives[s], m, solvers[k % 2], k / 2);
        assert_in_range(count, 12, 500);
      }
    }
  }
  hook_none();
}

static void test_suitesparse_requests(void **state) {
  (void)state;
  hook_none();
  hook_suitesparse();
  for (int s = 0; s < LIVES; s++) {
    for (const ga_method *m = NULL; (m = next_of_life(m, &lives[s])) != NULL;) {
      for (int k = 0; k < 2; k++) {
        long count = fail_all(&lives[s], m, "klu", k);
        assert_in_range(count, 40, 2000);
      }
    }
  }
  hook_none();
}

/* ---- no requests at all ------------------------------------------------------------------ */

/* Every malloc of the process passes here, unless a sanitizer has its own. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define OTHER_MALLOC
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define OTHER_MALLOC
#endif

static volatile long heap_requests;

#ifndef OTHER_MALLOC
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

void *malloc(size_t size) {
  heap_requests++;
  return __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
  heap_requests++;
  return __libc_calloc(count, size);
}
void *realloc(void *block, size_t size) {
  heap_requests++;
  return __libc_realloc(block, size);
}
void *aligned_alloc(size_t alignment, size_t size) {
  heap_requests++;
  return __libc_memalign(alignment, size);
}
void *memalign(size_t alignment, size_t size) {
  heap_requests++;
  return __libc_memalign(alignment, size);
}
int posix_memalign(void **out, size_t alignment, size_t size) {
  heap_requests++;
  *out = __libc_memalign(alignment, size);
  return *out ? 0 : 12; /* ENOMEM */
}
void free(void *block) {
  __libc_free(block);
}
#endif

/* does the counter see what the library asks for? Not under valgrind. */
static bool requests_counted(void) {
  long before = heap_requests;
  ga_space *space = NULL;
  must(ga_space_rn(1, &space), NULL);
  ga_space_free(space);
  return heap_requests > before;
}

/* one step, after the first: no request, unless KLU chose pivots anew */
static void quiet_step(ga_integrator *it, const char *what) {
  long requests = heap_requests, repivots = ga_integrator_stats(it)->repivots;
  ga_status status = ga_integrator_step(it);
  requests = heap_requests - requests;
  must(status, ga_integrator_error(it));
  if (requests == 0 || ga_integrator_stats(it)->repivots > repivots) return;
  fail_msg("%s, step %ld: %ld requests for memory", what, ga_integrator_stats(it)->steps, requests);
}

/* sizes of steps that make the history be corrected, and built anew */
static void quiet_run(const ga_problem *p, const ga_options *o) {
  static const double sizes[] = {1, 0.5, 1, 0.2, 1};
  char what[96];
  snprintf(what, sizeof what, "%s, %s %s, %s", p->name, o->method, o->variant, o->linsol);
  ga_integrator *it = started(p, o);
  must(ga_integrator_step(it), ga_integrator_error(it));
  for (int k = 0; k < 5; k++) {
    must(ga_integrator_set_step(it, sizes[k] * o->h), ga_integrator_error(it));
    for (int n = 0; n < 40; n++) quiet_step(it, what);
  }
  const ga_stats *stats = ga_integrator_stats(it);
  assert_int_equal(stats->steps, 201);
  if (strcmp(o->linsol, "dense") == 0) assert_int_equal(stats->repivots, 0);
  ga_integrator_free(it);
}

static void test_quiet_steps(void **state) {
  (void)state;
  if (!requests_counted()) skip();
  for (int s = 0; s < SUBJECTS; s++) {
    ga_problem *p = open_subject(&subjects[s]);
    for (const ga_method *m = NULL; (m = next_method(m, &p->model, p->q0)) != NULL;) {
      for (int l = 0; l < 2; l++) {
        ga_options o = options_of(p, m, solvers[l]);
        quiet_run(p, &o);
      }
    }
    close_subject(p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_library_requests),
      cmocka_unit_test(test_suitesparse_requests),
      cmocka_unit_test(test_quiet_steps),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
