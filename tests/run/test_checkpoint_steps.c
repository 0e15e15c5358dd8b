/* SPDX-License-Identifier: MIT */
/* Saved states with automatic steps, sequences and events: a loaded run goes on bit by bit. */
#define _POSIX_C_SOURCE 200809L
#include "checkpoint.h"

static int told;

static int count(void *context, int event, int sign, const ga_state *s) {
  (void)context, (void)event, (void)sign, (void)s;
  told++;
  return 0;
}

/* changes its sign every few steps, whatever the problem */
static double wave(void *context, const ga_state *s) {
  return cos(*(const double *)context * s->t) + 1e-3 * s->q[0];
}

typedef struct {
  const char *problem, *method, *solver;
} kind;
static const kind kinds[] = {
    {"heavy-top", "stab2", "dense"},      {"heavy-top", "index3", "klu"},
    {"rheonomic", "soi2", "dense"},       {"rolling-disk", "nonhol2", "dense"},
    {"manufactured", "stab2", "klu"},     {"reaction", "soi2", "dense"},
    {"andrews-absolute", "stab2", "klu"}, {"chain", "hht", "dense"}};
enum { KINDS = (int)(sizeof kinds / sizeof kinds[0]), MODES = 4 };

static ga_options options_for(const ga_problem *p, const kind *k, int mode) {
  ga_options o = options_of(p, ga_method_find(k->method, "", NULL), k->solver);
  if (mode == 0) o.rtol = 1e-4;
  if (mode == 1) o.h_seq = "1/3,2/3,1/2,1/7";
  if (mode == 3) o.h_seq = "1/3,1e-7,2/3,1e-8,1e-8,1/2"; /* short steps are carried */
  if (mode == 2) o.rtol = 1e-3, o.atol = 1e-6, o.project_every = 5;
  return o;
}

static ga_integrator *with_event(ga_integrator *it, const double *frequency, bool ends) {
  const ga_event event = {
      .value = wave, .handler = count, .context = (void *)(uintptr_t)frequency, .terminal = ends};
  must(ga_integrator_add_event(it, &event), ga_integrator_error(it));
  return it;
}

/* to t, through events that end a run */
static view run_on(ga_integrator *it, const ga_problem *p, double t) {
  ga_status status;
  while ((status = ga_integrator_run(it, t)) == GA_EVENT) {
  }
  must(status, ga_integrator_error(it));
  return view_of(it, &p->model);
}

static void test_resume(void **state) {
  (void)state;
  for (int k = 0; k < KINDS; k++) {
    ga_problem *p = open_subject(&(subject){kinds[k].problem, 0});
    for (int mode = 0; mode < MODES; mode++) {
      char what[96];
      snprintf(what, sizeof what, "%s, %s, mode %d", p->name, kinds[k].method, mode);
      ga_options o = options_for(p, &kinds[k], mode);
      double frequency = 0.4 / p->h;
      bool ends = mode == 2;
      ga_integrator *it = with_event(started(p, &o), &frequency, ends);
      ga_integrator *other = with_event(fresh(p, &o), &frequency, ends);
      run_on(it, p, p->t0 + 31.7 * p->h);
      assert_true(told > 0);
      save(it, path_of("state"));
      view saved = view_of(it, &p->model);
      told = 0;
      view expected = run_on(it, p, p->t0 + 70.3 * p->h);
      int events = told;
      load(other, path_of("state"));
      view loaded = view_of(other, &p->model);
      assert_same(what, &saved, &loaded);
      told = 0;
      view resumed = run_on(other, p, p->t0 + 70.3 * p->h);
      assert_same(what, &expected, &resumed);
      assert_int_equal(told, events);
      assert_true(events > 0);
      /* the last step's beginning is not in the file */
      load(other, path_of("state"));
      double q[SUPPORT_MAX], t = ga_integrator_state(other)->t;
      must(ga_integrator_dense_output(other, t, q, NULL, NULL, NULL, NULL),
           ga_integrator_error(other));
      assert_int_equal(
          ga_integrator_dense_output(other, t - 1e-3 * p->h, q, NULL, NULL, NULL, NULL),
          GA_ERR_ARG);
      ga_integrator_free(it);
      ga_integrator_free(other);
    }
    close_subject(p);
  }
}

/* one step that is larger than the last by the factor, the first being of size h, or an automatic
 * one */
static void grow(ga_integrator *it, double h, double factor) {
  if (factor > 0) {
    h *= pow(factor, (double)ga_integrator_stats(it)->steps);
    must(ga_integrator_set_step(it, h), ga_integrator_error(it));
  }
  must(ga_integrator_step(it), ga_integrator_error(it));
}

/* Saved while h grows, after every number of steps: how much it has grown decides when the history
 * is built anew, and belongs to the state; so does the time that a_n stands for where gamma is
 * adapted instead. Automatic steps grow from a first one that is too small. */
static void test_growing(void **state) {
  (void)state;
  static const struct {
    double factor;
    ga_rescale rescale;
  } ways[] = {
      {1.3, GA_RESCALE_ALL}, {1.7, GA_RESCALE_ALL}, {0, GA_RESCALE_ALL}, {1.3, GA_RESCALE_GAMMA}};
  enum { WAYS = 4, STEPS = 9, MORE = 6 };
  for (int k = 0; k < KINDS * WAYS; k++) {
    ga_problem *p = open_subject(&(subject){kinds[k / WAYS].problem, 0});
    double factor = ways[k % WAYS].factor;
    char what[96];
    ga_options o =
        options_of(p, ga_method_find(kinds[k / WAYS].method, "", NULL), kinds[k / WAYS].solver);
    o.par = ga_params_rho(0.6);
    o.rescale = ways[k % WAYS].rescale;
    if (o.rescale == GA_RESCALE_GAMMA && strcmp(o.method, "stab2") != 0) {
      close_subject(p);
      continue;
    }
    o.h = factor > 0 ? p->h * pow(factor, -STEPS - MORE) : 0.02 * p->h;
    if (factor == 0) o.rtol = 1e-3, o.atol = 1e-4;
    for (int saved_at = 0; saved_at <= STEPS; saved_at++) {
      snprintf(what, sizeof what, "%s, %s, factor %g, saved after %d steps", p->name,
               kinds[k / WAYS].method, factor, saved_at);
      ga_integrator *it = started(p, &o), *other = fresh(p, &o);
      if (factor == 0) must(ga_integrator_set_step(it, o.h), ga_integrator_error(it));
      for (int n = 0; n < saved_at; n++) grow(it, o.h, factor);
      save(it, path_of("state"));
      load(other, path_of("state"));
      for (int n = 0; n < MORE; n++) {
        grow(it, o.h, factor);
        grow(other, o.h, factor);
        view expected = view_of(it, &p->model), resumed = view_of(other, &p->model);
        assert_same(what, &expected, &resumed);
      }
      ga_integrator_free(it);
      ga_integrator_free(other);
    }
    close_subject(p);
  }
}

/* a state of one kind of steps, or with events, is not one of another */
static void test_refused(void **state) {
  (void)state;
  ga_problem *p = open_subject(&(subject){"rheonomic", 0});
  const double frequency = 1;
  ga_options fixed = options_of(p, ga_method_find("stab2", "", NULL), "dense"), automatic = fixed,
             sequence = fixed;
  automatic.rtol = 1e-3;
  sequence.h_seq = "1/3,2/3";
  const ga_options *all[] = {&fixed, &automatic, &sequence};
  for (int i = 0; i < 3; i++) {
    ga_integrator *it = started(p, all[i]);
    save(it, path_of("state"));
    for (int j = 0; j < 3; j++) {
      ga_integrator *other = started(p, all[j]);
      ga_status status = ga_integrator_load(other, path_of("state"));
      const ga_error *err = ga_integrator_error(other);
      if (i == j) {
        must(status, err);
        with_event(other, &frequency, false);
        status = ga_integrator_load(other, path_of("state"));
        assert_refused(status, err, GA_ERR_FILE, "0 events", "this run 1");
        /* and the other way round */
        save(other, path_of("with event"));
        status = ga_integrator_load(it, path_of("with event"));
        assert_refused(status, ga_integrator_error(it), GA_ERR_FILE, "1 events", "this run 0");
      } else {
        assert_refused(status, err, GA_ERR_FILE, "steps", i == 1 ? "automatic steps" : NULL);
      }
      ga_integrator_free(other);
    }
    ga_integrator_free(it);
  }
  close_subject(p);
}

/* Files of format 5 differ only for automatic steps, where the last number is missing, and for those of
 * index3, where nv numbers before it are missing, too: these are refused with the reason; the others
 * go on bit by bit. So are automatic steps of format 4. */
static void test_older_formats(void **state) {
  (void)state;
  ga_problem *p = open_subject(&(subject){"heavy-top", 0});
  for (int k = 0; k < 4; k++) {
    const bool index3 = k % 2 == 1, automatic = k >= 2;
    ga_options o = options_of(p, ga_method_find(index3 ? "index3" : "stab2", "", NULL), "dense");
    if (automatic) o.rtol = 1e-4;
    ga_integrator *it = started(p, &o), *other = fresh(p, &o);
    run_on(it, p, p->t0 + 10 * p->h);
    save(it, path_of("state"));
    content old = read_all(path_of("state"));
    const int64_t versions[] = {5, 4};
    memcpy(old.byte + VERSION_AT, &versions[0], sizeof versions[0]);
    if (automatic) old.n -= sizeof(double);
    if (index3 && automatic) old.n -= (size_t)ga_space_nv(p->model.space) * sizeof(double);
    renew_checksum(&old);
    ga_status status = ga_integrator_load_memory(other, old.byte, old.n);
    if (index3 && automatic) {
      assert_refused(status, ga_integrator_error(other), GA_ERR_FILE, "automatic steps",
                     "older version");
    } else {
      must(status, ga_integrator_error(other));
      const view expected = run_on(it, p, p->t0 + 20 * p->h),
                 resumed = run_on(other, p, p->t0 + 20 * p->h);
      assert_same("format 5", &expected, &resumed);
    }
    memcpy(old.byte + VERSION_AT, &versions[1], sizeof versions[1]);
    renew_checksum(&old);
    write_all(path_of("old"), old.byte, old.n);
    if (automatic) {
      status = ga_integrator_load(other, path_of("old"));
      assert_refused(status, ga_integrator_error(other), GA_ERR_FILE, "automatic steps",
                     "older version");
      assert_null(strstr(ga_integrator_error(other)->text, "''")); /* the name stands in it once */
    }
    ga_integrator_free(it);
    ga_integrator_free(other);
  }
  close_subject(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_resume),
      cmocka_unit_test(test_growing),
      cmocka_unit_test(test_refused),
      cmocka_unit_test(test_older_formats),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
