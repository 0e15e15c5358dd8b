/* SPDX-License-Identifier: MIT */
/* What stands between Python and the library: callbacks of a model that go to Python or to compiled
 * functions, the observer of a run, columns of a whole run. No line of Python is executed in a run,
 * but for callbacks written in it and for a tick now and then. */
#include <genalpha/genalpha.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Python sees: */
/* The callbacks of a model, in the order of ga_py_call's `which`. */
enum {
  GA_PY_MASS,
  GA_PY_FORCE,
  GA_PY_HOLONOMIC,
  GA_PY_NONHOLONOMIC,
  GA_PY_HOLONOMIC_JAC,
  GA_PY_HOLONOMIC_T,
  GA_PY_HOLONOMIC_CURV,
  GA_PY_HOLONOMIC_DRIFT,
  GA_PY_NONHOLONOMIC_JAC,
  GA_PY_NONHOLONOMIC_DQ,
  GA_PY_NONHOLONOMIC_DRIFT,
  GA_PY_FORCE_TANGENTS,
  GA_PY_OPS
};

/* A model whose callbacks are Python's or compiled. Arguments for Python go through arrays of its
 * own, results come back the same way; a compiled callback gets the library's arrays, matrices as
 * the array of their values. */
typedef struct ga_py_model {
  ga_model model;
  ga_model_ops ops;
  void *handle;       /* the Python object */
  void *user;         /* first argument of compiled callbacks */
  void *compiled[12]; /* by `which`; NULL: Python's */
  double *q, *v, *x, *lam, *psi;
  double *out[12], *out2; /* results by `which`; out2: Ct */
} ga_py_model;

/* Set the library's callbacks for what `has` names. */
void ga_py_model_connect(ga_py_model *m, const int *has);

/* The observer of a run and its context. */
typedef struct ga_py_watch {
  ga_recorder *recorder;
  void *handle;    /* the Python object that is ticked, NULL: none */
  double interval; /* seconds between ticks */
  double next;
  int stop; /* set from anywhere: the run ends after the step */
} ga_py_watch;
int ga_py_observe(void *context, const ga_state *state, const ga_stats *stats);

/* Events whose value Python or a watch of the library gives, reported to Python. */
typedef struct ga_py_event_link {
  void *handle;
  int which;
  ga_event inner; /* of a watch; inner.value NULL: Python's */
} ga_py_event_link;
ga_status ga_py_add_event(ga_integrator *it, ga_py_event_link *link, int direction, int terminal,
                          double tol);
ga_status ga_py_add_solution_event(ga_solution *s, ga_py_event_link *link, int direction,
                                   int terminal, double tol);

/* Does a solution end its search? Its context is a ga_py_watch, which is ticked. */
int ga_py_stop(void *context);

/* The columns `column` of all rows, each into an array of its own. */
ga_status ga_py_columns(const ga_mechanism *m, const ga_recorder *recorder, const int *column,
                        int count, double **out);

/* *left steps (counted down; < 0: any number) or until t_end is met; GA_STOPPED after so many
 * seconds, to go on with the next call. */
ga_status ga_py_advance(ga_integrator *it, long *left, double t_end, double interval);

/* Texts that the library prints, to be released by ga_py_free. */
char *ga_py_schema(void);
char *ga_py_json(const char *path, ga_error *err);
void ga_py_free(void *block);

/* The interpreter goes: all runs end after their step, and nobody calls Python any more. */
void ga_py_end(void);
const char *ga_py_prefix(void);
/* A group by its letters: "R", "SO", "SE". */
const ga_group *ga_py_group(const char *letters);
/* Python sees no more. */

static int ga_py_call(void *handle, int which, double t);
static int ga_py_tick(void *handle, double t, long steps);
static double ga_py_event(void *handle, int which, const ga_state *state);
static int ga_py_event_found(void *handle, int which, int sign, const ga_state *state);

static volatile int ended;

void ga_py_end(void) {
  ended = 1;
}

const char *ga_py_prefix(void) {
  return GA_PY_PREFIX;
}

const ga_group *ga_py_group(const char *letters) {
  if (letters[0] == 'R') return &ga_group_rn;
  return strcmp(letters, "SO") == 0 ? &ga_group_so3 : &ga_group_se3;
}

/* ---- callbacks ------------------------------------------------------------------------------ */

static void give(double *to, const double *from, int n) {
  if (from && n > 0) memcpy(to, from, (size_t)n * sizeof *to);
}

static void give_qv(ga_py_model *m, const double *q, const double *v) {
  give(m->q, q, ga_space_nq(m->model.space));
  give(m->v, v, ga_space_nv(m->model.space));
}

/* ask Python for n numbers; q and v are in their arrays */
static int ask(ga_py_model *m, int which, double t, double *result, int n) {
  if (ended) return -1;
  const int code = ga_py_call(m->handle, which, t);
  if (code == 0) give(result, m->out[which], n);
  return code;
}

static int entries(const ga_csr *A) {
  return A->ptr[A->nrow];
}

/* Two forms of callbacks: of (t, q) and of (t, q, v), for a vector or a matrix. RESULT is its type,
 * VALUES its numbers, COUNT how many there are. */
#define OF_TQ(name, WHICH, RESULT, VALUES, COUNT)                                   \
  static int name(void *user, double t, const double *q, RESULT *r) {               \
    ga_py_model *m = user;                                                          \
    typedef int (*fn)(void *, double, const double *, double *);                    \
    if (m->compiled[WHICH]) return ((fn)m->compiled[WHICH])(m->user, t, q, VALUES); \
    give_qv(m, q, NULL);                                                            \
    return ask(m, WHICH, t, VALUES, COUNT);                                         \
  }
#define OF_TQV(name, WHICH, RESULT, VALUES, COUNT)                                     \
  static int name(void *user, double t, const double *q, const double *v, RESULT *r) { \
    ga_py_model *m = user;                                                             \
    typedef int (*fn)(void *, double, const double *, const double *, double *);       \
    if (m->compiled[WHICH]) return ((fn)m->compiled[WHICH])(m->user, t, q, v, VALUES); \
    give_qv(m, q, v);                                                                  \
    return ask(m, WHICH, t, VALUES, COUNT);                                            \
  }
#define NV ga_space_nv(m->model.space)

OF_TQ(mass, GA_PY_MASS, ga_csr, r->val, entries(r))
OF_TQV(force, GA_PY_FORCE, double, r, NV)
OF_TQ(holonomic, GA_PY_HOLONOMIC, double, r, m->model.nlam)
OF_TQV(nonholonomic, GA_PY_NONHOLONOMIC, double, r, m->model.npsi)
OF_TQ(holonomic_jac, GA_PY_HOLONOMIC_JAC, ga_csr, r->val, entries(r))
OF_TQ(holonomic_t, GA_PY_HOLONOMIC_T, double, r, m->model.nlam)
OF_TQV(holonomic_curv, GA_PY_HOLONOMIC_CURV, ga_csr, r->val, entries(r))
OF_TQV(holonomic_drift, GA_PY_HOLONOMIC_DRIFT, double, r, m->model.nlam)
OF_TQV(nonholonomic_jac, GA_PY_NONHOLONOMIC_JAC, ga_csr, r->val, entries(r))
OF_TQV(nonholonomic_dq, GA_PY_NONHOLONOMIC_DQ, ga_csr, r->val, entries(r))
OF_TQV(nonholonomic_drift, GA_PY_NONHOLONOMIC_DRIFT, double, r, m->model.npsi)

static int force_tangents(void *user, double t, const double *q, const double *v, const double *x,
                          const double *lam, const double *psi, ga_csr *Kt, ga_csr *Ct) {
  ga_py_model *m = user;
  typedef int (*fn)(void *, double, const double *, const double *, const double *, const double *,
                    const double *, double *, double *);
  const fn compiled = (fn)m->compiled[GA_PY_FORCE_TANGENTS];
  if (compiled) return compiled(m->user, t, q, v, x, lam, psi, Kt->val, Ct->val);
  give_qv(m, q, v);
  give(m->x, x, NV);
  give(m->lam, lam, m->model.nlam);
  give(m->psi, psi, m->model.npsi);
  const int code = ask(m, GA_PY_FORCE_TANGENTS, t, Kt->val, entries(Kt));
  if (code == 0) give(Ct->val, m->out2, entries(Ct));
  return code;
}

void ga_py_model_connect(ga_py_model *m, const int *has) {
  ga_model_ops *o = &m->ops;
  memset(o, 0, sizeof *o);
  m->model.ops = o;
  m->model.user = m;
#define CONNECT(name, WHICH) \
  if (has[WHICH]) o->name = name
  CONNECT(mass, GA_PY_MASS);
  CONNECT(force, GA_PY_FORCE);
  CONNECT(holonomic, GA_PY_HOLONOMIC);
  CONNECT(nonholonomic, GA_PY_NONHOLONOMIC);
  CONNECT(holonomic_jac, GA_PY_HOLONOMIC_JAC);
  CONNECT(holonomic_t, GA_PY_HOLONOMIC_T);
  CONNECT(holonomic_curv, GA_PY_HOLONOMIC_CURV);
  CONNECT(holonomic_drift, GA_PY_HOLONOMIC_DRIFT);
  CONNECT(nonholonomic_jac, GA_PY_NONHOLONOMIC_JAC);
  CONNECT(nonholonomic_dq, GA_PY_NONHOLONOMIC_DQ);
  CONNECT(nonholonomic_drift, GA_PY_NONHOLONOMIC_DRIFT);
  CONNECT(force_tangents, GA_PY_FORCE_TANGENTS);
}

/* ---- runs ----------------------------------------------------------------------------------- */

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int ga_py_observe(void *context, const ga_state *state, const ga_stats *stats) {
  ga_py_watch *w = context;
  if (ga_recorder_observe(w->recorder, state, stats) || w->stop || ended) return 1;
  if (!w->handle) return 0;
  const double now = seconds();
  if (w->next == 0) w->next = now + w->interval;
  if (now < w->next) return 0;
  w->next = now + w->interval;
  return ga_py_tick(w->handle, state->t, stats->steps);
}

int ga_py_stop(void *context) {
  ga_py_watch *w = context;
  if (w->stop || ended) return 1;
  const double now = seconds();
  if (w->next == 0) w->next = now + w->interval;
  if (now < w->next) return 0;
  w->next = now + w->interval;
  w->stop = ga_py_tick(w->handle, 0, 0) != 0;
  return w->stop;
}

/* An observer that ends a run when the interval of the watch is over. */
static int ga_py_pause(void *context, const ga_state *state, const ga_stats *stats) {
  ga_py_watch *w = context;
  (void)state, (void)stats;
  const double now = seconds();
  if (w->next == 0) w->next = now + w->interval;
  return ended || now >= w->next;
}

static double event_value(void *context, const ga_state *state) {
  const ga_py_event_link *link = context;
  if (link->inner.value) return link->inner.value(link->inner.context, state);
  return ended ? 0 : ga_py_event(link->handle, link->which, state);
}

static int event_told(void *context, int event, int sign, const ga_state *state) {
  const ga_py_event_link *link = context;
  (void)event;
  return ended || ga_py_event_found(link->handle, link->which, sign, state);
}

static ga_event event_of(ga_py_event_link *link, int direction, int terminal, double tol) {
  return (ga_event){.value = event_value,
                    .handler = event_told,
                    .context = link,
                    .direction = (ga_direction)direction,
                    .terminal = terminal != 0,
                    .tol = tol};
}

ga_status ga_py_add_event(ga_integrator *it, ga_py_event_link *link, int direction, int terminal,
                          double tol) {
  const ga_event event = event_of(link, direction, terminal, tol);
  return ga_integrator_add_event(it, &event);
}

ga_status ga_py_add_solution_event(ga_solution *s, ga_py_event_link *link, int direction,
                                   int terminal, double tol) {
  const ga_event event = event_of(link, direction, terminal, tol);
  return ga_solution_add_event(s, &event);
}

ga_status ga_py_columns(const ga_mechanism *m, const ga_recorder *recorder, const int *column,
                        int count, double **out) {
  const long rows = ga_recorder_rows(recorder);
  double *all = malloc(((size_t)ga_mechanism_columns(m) + 1) * sizeof *all);
  if (!all) return GA_ERR_MEM;
  ga_status status = GA_OK;
  for (long i = 0; i < rows && status == GA_OK; i++) {
    const ga_state state = ga_recorder_state(recorder, i);
    status = ga_mechanism_outputs(m, &state, all);
    for (int k = 0; k < count; k++) out[k][i] = all[column[k]];
  }
  free(all);
  return status;
}

ga_status ga_py_advance(ga_integrator *it, long *left, double t_end, double interval) {
  ga_py_watch watch = {.interval = interval};
  ga_status status = GA_OK;
  if (*left < 0) { /* the observer ends the run when the time is over */
    ga_integrator_observe(it, ga_py_pause, &watch);
    status = ga_integrator_run(it, t_end);
    ga_integrator_observe(it, NULL, NULL);
    return status;
  }
  for (; *left > 0 && status == GA_OK; --*left) {
    if (ga_py_pause(&watch, NULL, NULL)) return GA_STOPPED;
    status = ga_integrator_step(it);
  }
  return status;
}

/* ---- texts ---------------------------------------------------------------------------------- */

char *ga_py_schema(void) {
  char *text = NULL;
  size_t length = 0;
  FILE *to = open_memstream(&text, &length);
  if (!to) return NULL;
  ga_file_schema(to);
  fclose(to);
  return text;
}

char *ga_py_json(const char *path, ga_error *err) {
  char *text = NULL;
  size_t length = 0;
  FILE *to = open_memstream(&text, &length);
  if (!to) return NULL;
  const ga_status status = ga_file_json(path, to, err);
  fclose(to);
  if (status == GA_OK) return text;
  free(text);
  return NULL;
}

void ga_py_free(void *block) {
  free(block);
}
