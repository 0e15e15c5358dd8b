/* SPDX-License-Identifier: MIT */
/* A run of a sweep is one of `genalpha run` with the same words, made in memory: nothing is printed
 * and no file is written. Several threads make runs at the same time. */
#include "sweep/one_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "args/run_settings.h"

/* a run while it is made */
typedef struct making {
  const sweep_plan *plan;
  const sweep_shape *shape;
  sweep_result *result;
  sweep_words words;
  run_settings set;
  ga_options options;
  args args;
  ga_problem *problem;
  solver solver;
  run_events events;
  column_set columns;
  double *all; /* the values of all columns at a state */
  int *pick;   /* which of them are kept; -1: this run has no such column */
} making;

/* Empties *r and allocates its values (zero); false if memory is short. sweep_result_close in
 * any case. */
bool sweep_result_open(sweep_result *r, const sweep_shape *s) {
  *r = (sweep_result){.value = calloc((size_t)s->values, sizeof *r->value)};
  return r->value != NULL;
}

/* Frees values and rows; the struct is empty then. */
void sweep_result_close(sweep_result *r) {
  free(r->value);
  free(r->row);
  *r = (sweep_result){.value = NULL};
}

/* ---- columns -------------------------------------------------------------------------------- */

/* Opens the columns of this run and sets m->all (scratch) and m->pick, the index of each kept
 * column, -1: this run has none of this name. Columns are found by name, as a varied size may
 * move them; usually they follow each other as in the first run, which is tried first. False
 * after a message; free_run frees all. */
static bool find_columns(making *m) {
  const sweep_shape *s = m->shape;
  if (!columns_open(&m->columns, m->problem, s->chosen ? COLUMNS_ALL : COLUMNS_CHOSEN))
    return false;
  m->all = calloc((size_t)m->columns.count, sizeof *m->all);
  m->pick = calloc((size_t)s->columns + 1, sizeof *m->pick);
  if (!m->all || !m->pick) {
    tool_error("no memory for the columns");
    return false;
  }
  for (int i = 0, next = 1; i < s->columns; i++, next++) {
    const char *name = s->name[i].text;
    if (next >= m->columns.count || strcmp(m->columns.name[next].text, name) != 0) {
      next = columns_find(&m->columns, name);
    }
    m->pick[i] = next;
  }
  return true;
}

/* Value of kept column i at the state evaluated last; NaN if this run has no such column. */
static double kept_value(const making *m, int i) {
  return m->pick[i] < 0 ? NAN : m->all[m->pick[i]];
}

/* Called at every state, from the start on; context is the making: lowers and raises the least
 * and largest value of each kept column in the result (NaN: none yet). Overwrites m->all. */
static void update_extremes(void *context, const ga_state *state) {
  making *m = context;
  const sweep_shape *s = m->shape;
  double *extreme = m->result->value + sweep_shape_end(s) + s->columns;
  columns_evaluate(&m->columns, state, m->all);
  for (int i = 0; i < s->columns; i++) {
    extreme[2 * i] = fmin(extreme[2 * i], kept_value(m, i));
    extreme[2 * i + 1] = fmax(extreme[2 * i + 1], kept_value(m, i));
  }
}

/* Called for each row of the output; context is the making: appends t and the kept columns at
 * this state to the history of the result, whose room grows as needed. False after a message. */
static bool keep_row(void *context, const ga_state *state) {
  making *m = context;
  sweep_result *r = m->result;
  const size_t width = (size_t)(1 + m->shape->columns);
  if (r->rows == r->room) {
    const long room = r->room ? 2 * r->room : 256;
    double *row = realloc(r->row, (size_t)room * width * sizeof *row);
    if (!row) {
      tool_error("no memory for the history");
      return false;
    }
    r->row = row;
    r->room = room;
  }
  double *to = r->row + (size_t)r->rows++ * width;
  columns_evaluate(&m->columns, state, m->all);
  to[0] = state->t;
  for (int i = 0; i < m->shape->columns; i++) to[1 + i] = kept_value(m, i);
  return true;
}

/* ---- numbers -------------------------------------------------------------------------------- */

/* Stores the varied numbers: as written, or as the model file has computed them; NaN for words. */
static void keep_parameters(const making *m) {
  for (int i = 0; i < m->plan->count; i++) {
    const sweep_variable *v = &m->plan->variable[i];
    double value = sweep_plan_number(m->plan, i, m->result->run);
    const ga_file *file = m->problem && v->parameter ? file_of(m->problem) : NULL;
    const char *name;
    double computed;
    for (int k = 0; file && file_number_at(file, k, &name, &computed); k++) {
      if (strcmp(name, v->name) == 0) value = computed;
    }
    m->result->value[i] = v->number ? value : NAN;
  }
}

/* Stores all counts of the solver. */
static void keep_stats(const making *m) {
  const ga_stats *stats = solver_stats(&m->solver);
  double *to = m->result->value + sweep_shape_stats(m->shape);
#define KEEP(name, text) *to++ = (double)stats->name;
  GA_STAT_LIST(KEEP, KEEP)
#undef KEEP
}

/* Stores the kept columns at the end; NaN, also for the extremes, if the run failed.
 * keep_parameters and make_run come first. */
static void keep_end(making *m) {
  const sweep_shape *s = m->shape;
  double *end = m->result->value + sweep_shape_end(s);
  if (m->result->status == SWEEP_FAILED) { /* what it had reached is not the result of the run */
    for (int i = 0; i < s->columns * (s->extremes ? 3 : 1); i++) end[i] = NAN;
    return;
  }
  columns_evaluate(&m->columns, solver_state(&m->solver), m->all);
  for (int i = 0; i < s->columns; i++) end[i] = kept_value(m, i);
}

/* Makes the message one line; if it was cut at SWEEP_MESSAGE, removes its last UTF-8 character,
 * which may be incomplete. */
static void tidy_message(char *message) {
  size_t n = strlen(message);
  for (size_t i = 0; i < n; i++) {
    if ((unsigned char)message[i] < ' ') message[i] = ' ';
  }
  if (n < SWEEP_MESSAGE - 1) return;
  while (n > 0 && ((unsigned char)message[n - 1] & 0xc0) == 0x80) n--;
  if (n > 0 && (unsigned char)message[n - 1] >= 0xc0) n--;
  message[n] = '\0';
}

/* ---- the run -------------------------------------------------------------------------------- */

/* Parses the command line of the run as `run` does and opens the problem: sets m->words, args,
 * set, options, problem. Options that write files are ignored; each run takes one thread unless
 * told otherwise, because runs are made side by side. ARGS_GO_ON or an exit code. */
static int read_words(making *m) {
  m->args = (args){.command = &run_command, .settings = &m->set, .options = &m->options};
  if (!sweep_words_make(&m->words, m->plan, m->result->run)) {
    tool_error("no memory for the run");
    return TOOL_FAILED;
  }
  m->set.out = "history"; /* rows are wanted */
  int code = args_parse(&m->args, m->words.count, m->words.word);
  if (code == ARGS_GO_ON) code = args_check_params(&m->args);
  if (code == ARGS_GO_ON) code = run_open(&m->set, &m->args, m->shape->want, &m->problem);
  if (m->set.problem.how.threads == 0) m->set.problem.how.threads = 1;
  m->set.save_state = NULL;
  m->set.checkpoint_every = NAN;
  return code;
}

/* Makes the run and stores status, end time, steps and counts in m->result; a failed one keeps
 * the status that the caller has set. TOOL_OK, or the exit code after a message. */
static int make_run(making *m) {
  const sweep_shape *s = m->shape;
  simulation sim;
  trajectory rows = {.take = keep_row, .take_context = m};
  int code = read_words(m);
  if (code == ARGS_GO_ON) {
    code = run_simulation(&m->set, &m->args, m->problem, &m->solver, &m->events, &sim);
  }
  if (code == ARGS_GO_ON && !find_columns(m)) code = TOOL_FAILED;
  if (code != ARGS_GO_ON) return code;
  sim.quiet = true;
  sim.out = s->history ? &rows : NULL;
  if (s->extremes) sim.seen = update_extremes, sim.seen_context = m;
  code = simulate(&sim);
  if (code == TOOL_OK) {
    m->result->status = sim.status == GA_EVENT ? SWEEP_EVENT : SWEEP_COMPLETE;
  }
  m->result->value[s->parameters + SWEEP_T] = solver_state(&m->solver)->t;
  const ga_accuracy *accuracy =
      m->solver.solution ? ga_solution_accuracy(m->solver.solution) : NULL;
  const long steps = accuracy ? accuracy->steps : solver_steps(&m->solver);
  m->result->value[s->parameters + SWEEP_STEPS] = (double)steps;
  if (s->accuracy) m->result->value[s->parameters + SWEEP_ERROR] = accuracy ? accuracy->error : NAN;
  if (code == TOOL_OK) simulate_accuracy(&sim); /* what it says becomes the message */
  keep_stats(m);
  return code;
}

/* Frees all that was opened, also after a failure on the way. */
static void free_run(making *m) {
  solver_close(&m->solver);
  events_close(&m->events);
  columns_close(&m->columns);
  problem_close(m->problem);
  sweep_words_free(&m->words);
  free(m->all);
  free(m->pick);
}

/* Makes run number r->run and fills *r, which sweep_result_open has made: status, values, rows,
 * seconds; messages go to r->message. A failed run is a result, too; false if it was
 * interrupted, and there is none. */
bool sweep_run(const sweep_plan *p, const sweep_shape *s, sweep_result *r) {
  making m = {.plan = p,
              .shape = s,
              .result = r,
              .set = RUN_SETTINGS_NONE,
              .options = ga_options_default()};
  progress clock;
  progress_begin(&clock, 0, 1);
  r->status = SWEEP_FAILED;
  r->rows = 0;
  for (int i = 0; i < s->values; i++) r->value[i] = NAN;
  tool_collect_messages(r->message, sizeof r->message);
  const int code = make_run(&m);
  keep_parameters(&m);
  keep_end(&m);
  tool_collect_messages(NULL, 0);
  tidy_message(r->message);
  free_run(&m);
  r->seconds = progress_seconds(&clock);
  return code != TOOL_INTERRUPTED;
}
