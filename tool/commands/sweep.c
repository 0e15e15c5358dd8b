/* SPDX-License-Identifier: MIT */
/* genalpha sweep: many runs of a problem with varied parameters, into one table. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args/paths.h"
#include "output/output.h"
#include "parallel/launcher.h"
#include "simulate/interrupt.h"
#include "source/shared_object.h"
#include "sweep/history_claim.h"
#include "sweep/identity.h"
#include "sweep/processes.h"
#include "sweep/table_files.h"

typedef struct settings {
  run_settings run; /* shared by all runs */
  sweep_plan plan;
  const char *out, *history, *columns;
  bool extremes, list, collect;
  int workers;
} settings;

#define FIELD(name) offsetof(settings, name)
static const arg_spec specs[] = {
    {"vary", "NAME=V1,V2,..|A:B:N",
     "values of a parameter of the model file, or of an option of `run` (also run.NAME): a list, "
     "N values from A to B, or A:B:N:log; once for each, all combinations are made",
     sweep_read_vary, FIELD(plan), 0, 0},
    {"random", "NAME=LAW",
     "draw it for every run: normal(mean,sd), uniform(a,b), lognormal(mu,sigma)", sweep_read_random,
     FIELD(plan), 0, 0},
    {"samples", "N", "so many runs for each combination, with numbers drawn anew", arg_read_int,
     FIELD(plan.samples), 1, SWEEP_RUNS_MAX},
    {"seed", "N",
     "of the random numbers (default 1); those of a run depend on it and the run's number alone",
     sweep_read_seed, FIELD(plan), 0, 0},
    {"out", "FILE.h5|FILE.csv",
     "the table: one row for each run, in order. A sweep that was stopped goes on when the same "
     "command is given again",
     arg_read_file, FIELD(out), 0, 0},
    {"columns", "NAME,NAME,..",
     "columns whose values at the end of a run are kept (default those of `output`, or all usual "
     "ones)",
     arg_read_text, FIELD(columns), 0, 0},
    {"extremes", NULL, "also their least and largest values over the run: NAME.min, NAME.max",
     arg_read_flag, FIELD(extremes), 0, 0},
    {"history", "FILE.h5|FILE.csv",
     "also their values over time, of all runs, in a second file; --every, --out-dt: fewer rows",
     arg_read_file, FIELD(history), 0, 0},
    {"workers", "N", "runs made at the same time (default one for each processor)", arg_read_int,
     FIELD(workers), 1, 4096},
    {"list", NULL, "print the runs as commands, one in a line, for job arrays; make none",
     arg_read_flag, FIELD(list), 0, 0},
    {"collect", NULL, "make no runs; write the table of those that a stopped sweep has made",
     arg_read_flag, FIELD(collect), 0, 0},
    RUN_SPECS(settings, run),
    {.key = NULL}};
enum { NSPECS = (int)(sizeof specs / sizeof specs[0]) - 1 };
#undef FIELD

static const arg_command command = {
    .name = "sweep",
    .operand = "PROBLEM",
    .needs_operand = true,
    .summary =
        "Run a problem many times with varied parameters (PROBLEM and options as for `run`), side "
        "by\n"
        "side, and write what came out as one table: docs/guide/scale.md.",
    .specs = specs,
    .takes_library = problem_takes_all,
    .library_default = problem_default};

/* everything that command_sweep releases at its end */
typedef struct resources {
  sweep_words words; /* command line of a run without the varied parameters */
  ga_problem *problem;
  sweep_shape shape;
  sweep_journal journal;
  history_claim claim; /* of the file --history */
  char *about;         /* identity of the sweep, a JSON object */
  sweep_job job;       /* the processes that make the sweep */
} resources;

/* ---- before the runs ------------------------------------------------------------------------ */

/* Set plan.given and plan.ngiven to the options shared by all runs: those of RUN_SPECS, which stand
 * last in `specs` (run_shared of them), and those of the library (own is NULL). The list of
 * `count` options given is compacted in place and borrowed. */
static void share_options(settings *set, arg_given *list, int count) {
  int n = 0;
  for (int i = 0; i < count; i++) {
    if (!list[i].own || list[i].own - specs >= NSPECS - run_shared) list[n++] = list[i];
  }
  set->plan.given = list;
  set->plan.ngiven = n;
}

/* Refuse files of the sweep that would be written over each other or over the model: ARGS_GO_ON, or
 * TOOL_USAGE after a message. A sweep also writes OUT.journal, OUT.part and HISTORY.part. */
static int check_paths(const settings *set) {
  const char *operand = set->plan.operand;
  const path_use use[] = {
      {"the model", problem_is_file(operand) ? operand : NULL, NULL, false},
      {"--input", set->run.input, NULL, false},
      {"--out", set->out, NULL, true},
      {"--history", set->history, NULL, true},
      {"the journal of --out", set->out, ".journal", true},
      {"the temporary file of --out", set->out, ".part", true},
      {"the temporary file of --history", set->history, ".part", true},
      {"the mark of --history", set->history, ".owner", true},
  };
  return paths_check(sizeof use / sizeof use[0], use);
}

/* Check options that exclude or need each other: ARGS_GO_ON, or TOOL_USAGE after a message. */
static int check_settings(const settings *set) {
  const char *wrong = NULL;
  const bool rows = set->run.every > 0 || !isnan(set->run.out_dt);
  if (rows && !set->history) {
    wrong = "--every and --out-dt are about the rows of --history FILE, which is missing";
  }
  if (set->run.every > 0 && !isnan(set->run.out_dt)) {
    wrong = "--out-dt and --every both say which rows to write; give only one of them";
  }
  if (!set->list && !set->out) {
    wrong = "--out FILE.h5 or FILE.csv is missing: where to write the table (or --list)";
  }
  if (set->out && (strcmp(set->out, "-") == 0 || (set->history && !strcmp(set->history, "-")))) {
    wrong = "a sweep goes to files, as it must be able to go on; '-' is none";
  }
  if (set->workers > 0 && launcher_detect().processes > 1) {
    wrong = "--workers is for a sweep in one process; under mpirun every process is a worker";
  }
  if (!wrong) return check_paths(set);
  tool_error("%s", wrong);
  return TOOL_USAGE;
}

/* Open r->problem with the shared options only, nothing varied: names of parameters and columns are
 * looked up in it. Also sets r->shape.accuracy and r->words, which the problem may borrow from. r->shape.want must be
 * set. ARGS_GO_ON, or the exit code after a message. */
static int open_base(const settings *set, resources *r) {
  run_settings base = RUN_SETTINGS_NONE;
  ga_options options = ga_options_default();
  args a = {.command = &run_command, .settings = &base, .options = &options};
  sweep_plan plain = set->plan;
  plain.count = 0;
  if (!sweep_words_make(&r->words, &plain, 0 /* run number, of no meaning here */)) {
    tool_error("no memory for the sweep");
    return TOOL_FAILED;
  }
  int code = args_parse(&a, r->words.count, r->words.word);
  if (code == ARGS_GO_ON) code = args_check_params(&a);
  if (code == ARGS_GO_ON) code = problem_open(&base.problem, &a, r->shape.want, &r->problem);
  r->shape.accuracy = options.accuracy > 0;
  for (int i = 0; i < set->plan.count; i++) {
    if (strcmp(set->plan.variable[i].name, "accuracy") == 0) r->shape.accuracy = true;
  }
  return code;
}

/* Set s->want to the text of --columns and --stop-when: columns that the reader of the model file
 * must provide. It stays NULL if neither is given. False without memory. */
static bool join_wants(const settings *set, sweep_shape *s) {
  const char *columns = set->columns ? set->columns : "";
  const char *when = set->run.stop_when ? set->run.stop_when : "";
  const size_t size = strlen(columns) + strlen(when) + 2;
  if (size == 2) return true;
  s->want = malloc(size);
  if (s->want) snprintf(s->want, size, "%s %s", columns, when);
  return s->want != NULL;
}

/* Open the problem (r->problem), resolve the varied names in set->plan, fix the columns of the
 * table (r->shape), and write the identity of the sweep, r->about, by which a stopped sweep is
 * recognized. ARGS_GO_ON or the exit code; the caller releases r in any case. */
static int prepare_sweep(settings *set, resources *r) {
  if (!join_wants(set, &r->shape)) return TOOL_FAILED;
  int code = open_base(set, r);
  if (code == ARGS_GO_ON) code = sweep_plan_resolve(&set->plan, r->problem);
  if (code != ARGS_GO_ON) return code;
  r->shape.extremes = set->extremes;
  r->shape.history = set->history != NULL;
  code = sweep_shape_open(&r->shape, &set->plan, r->problem, set->columns);
  if (code != ARGS_GO_ON) return code;
  const sweep_identity about = {&set->plan, &r->shape,
                                file_of(r->problem) || object_named(set->plan.operand)};
  r->about = json_text(sweep_identity_write, &about);
  if (!r->about) tool_error("no memory for the sweep");
  return r->about ? ARGS_GO_ON : TOOL_FAILED;
}

/* ---- files ---------------------------------------------------------------------------------- */

/* Can a file of this name be written by this build? HDF5 may not be built in. NULL: no file, true.
 * False after a message. */
static bool can_write(const char *path) {
  ga_error err = {GA_OK, ""};
  ga_results *none = NULL;
  if (!path || !results_named(path) || ga_results_available()) return true;
  ga_results_open(path, &none, &err); /* it says what is missing */
  tool_error("%s", err.text);
  return false;
}

/* Never overwrite. ARGS_GO_ON if no output file exists; TOOL_OK after a line on stdout if the table
 * is the finished HDF5 table of this very sweep (a CSV file does not say which sweep wrote it);
 * else TOOL_FAILED after a message. */
static int check_existing_outputs(const sweep_tables *f) {
  if (access(f->out, F_OK) == 0 && sweep_tables_complete(f)) {
    printf("  %-13s%s has all runs of this sweep already\n", "table", f->out);
    return TOOL_OK;
  }
  const char *const paths[] = {f->out, f->history};
  for (int i = 0; i < 2; i++) {
    if (!paths[i] || access(paths[i], F_OK) != 0) continue;
    tool_error("'%s' exists%s; remove it, or choose another name", paths[i],
               results_named(paths[i]) ? " and is not the table of this sweep" : " already");
    return TOOL_FAILED;
  }
  return ARGS_GO_ON;
}

/* Check before the runs that both files can be written. With a journal of a stopped sweep the
 * files may exist. ARGS_GO_ON, TOOL_OK if the sweep is complete already, or TOOL_FAILED. */
static int check_output_files(const sweep_tables *f) {
  if (!can_write(f->out) || !can_write(f->history)) return TOOL_FAILED;
  if (f->history && !output_place(f->history)) return TOOL_FAILED;
  return sweep_journal_exists(f->out) ? ARGS_GO_ON : check_existing_outputs(f);
}

/* Number of threads that make runs in this process: --workers or one per core, at most one per
 * run; 1 if several processes share the sweep. */
static int worker_count(const settings *set, const sweep_job *job) {
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  long n = job->ops ? 1 : set->workers > 0 ? set->workers : cores;
  if (n > set->plan.runs) n = set->plan.runs;
  return n < 1 ? 1 : (int)n;
}

/* ---- after the runs ------------------------------------------------------------------------- */

/* Print each range and distribution with the number of its values and the distance between them, so
 * that A:B:N is not taken for A:B:DISTANCE. Lists show their values on the command line. */
static void print_variables(const sweep_plan *p) {
  for (int i = 0; i < p->count; i++) {
    const sweep_variable *v = &p->variable[i];
    if (v->word) continue;
    printf("  %-13s%s: ", "varied", v->name);
    if (v->law.kind) {
      printf("drawn for each of %ld runs\n", p->runs);
    } else if (v->logarithmic) {
      printf("%ld values from %g to %g%s, with equal ratios\n", v->count, v->from, v->to, v->unit);
    } else {
      const double apart = v->count > 1 ? (v->to - v->from) / (double)(v->count - 1) : 0;
      printf("%ld values from %g to %g%s, %.6g apart\n", v->count, v->from, v->to, v->unit, apart);
    }
  }
}

/* Print how many runs ended how, the effort, the first failure and the names of the files. tally:
 * the runs made now; ends: all runs of the table. */
static void print_summary(const settings *set, const resources *r, const sweep_tally *tally,
                          const sweep_ends *ends) {
  const long *n = ends->count;
  printf("  %-13s%ld runs of %s: %ld complete", "sweep", set->plan.runs, r->problem->name, n[0]);
  if (n[SWEEP_EVENT]) printf(", %ld ended by an event", n[SWEEP_EVENT]);
  printf(", %ld failed", n[SWEEP_FAILED]);
  if (n[SWEEP_MISSING]) printf(", %ld not made", n[SWEEP_MISSING]);
  if (tally->made > 0) {
    const int workers = r->job.processes * worker_count(set, &r->job);
    printf("\n  %-13s%ld runs in %.4g s by %d %s%s, sum of the times of the runs %.4g s", "effort",
           tally->made, tally->elapsed, workers, r->job.ops ? "process" : "worker",
           workers == 1 ? ""
           : r->job.ops ? "es"
                        : "s",
           tally->seconds);
  }
  putchar('\n');
  print_variables(&set->plan);
  if (ends->first_failed >= 0) {
    printf("  %-13srun %ld: ", "failed", ends->first_failed);
    tool_print_wrapped(stdout, ends->message, 15);
  }
  printf("  %-13s%s\n", "table", set->out);
  if (set->history) printf("  %-13s%s\n", "history", set->history);
}

/* Check the output files and open r->journal, the file of the runs that are done. ARGS_GO_ON if
 * there are runs to make or, with --collect, to write; else the exit code, TOOL_OK if the table is
 * complete already. */
static int open_journal(const settings *set, const sweep_tables *files, resources *r) {
  int code = check_output_files(files);
  if (code != ARGS_GO_ON) return code;
  if (set->collect && !sweep_journal_exists(set->out)) {
    tool_error("--collect: there is no '%s.journal' of a stopped sweep", set->out);
    return TOOL_FAILED;
  }
  if (!sweep_journal_open(&r->journal, set->out, r->about, &r->shape, set->plan.runs)) {
    return TOOL_FAILED;
  }
  if (!history_claim_open(&r->claim, set->history, set->out)) {
    sweep_journal_close(&r->journal, !r->journal.found);
    return TOOL_FAILED;
  }
  /* another sweep may have ended between that check and the lock of the journal */
  if (!r->journal.found) code = check_existing_outputs(files);
  if (code != ARGS_GO_ON) {
    sweep_journal_close(&r->journal, true /* remove it */);
    history_claim_close(&r->claim, true);
    return code;
  }
  if (r->journal.done > 0 && !set->collect) {
    tool_error("%ld of %ld runs are done already", r->journal.done, r->journal.runs);
  }
  return ARGS_GO_ON;
}

/* Make all runs that the journal does not have yet, in this process's threads and the other
 * processes; they go into r->journal, *tally counts them. ARGS_GO_ON if all are done, else the exit
 * code after a message that says how to continue. */
static int make_runs(const settings *set, resources *r, sweep_tally *tally) {
  sweep_job_server others = {&r->job, &set->plan, &r->shape};
  const sweep_server server = {sweep_job_serve, &others};
  if (sweep_threads(&set->plan, &r->shape, &r->journal, worker_count(set, &r->job),
                    r->job.ops ? &server : NULL, tally)) {
    return ARGS_GO_ON;
  }
  tool_error("%ld of %ld runs are done; the same command makes the others, --collect writes these",
             r->journal.done, r->journal.runs);
  return interrupt_came() ? TOOL_INTERRUPTED : TOOL_FAILED;
}

/* The whole sweep, in process 0, which owns the files: journal, runs, tables, summary. code: result
 * of the preparation; if it is not ARGS_GO_ON nothing is done but to tell the other processes
 * (sweep_job_announce). Returns the exit code: TOOL_FAILED only if something went wrong or all
 * runs failed. */
static int lead_sweep(const settings *set, resources *r, int code) {
  const sweep_tables files = {set->out, set->history, r->about, r->problem};
  sweep_tally tally = {.made = 0};
  sweep_ends ends;
  if (code == ARGS_GO_ON) code = open_journal(set, &files, r);
  const bool more = code == ARGS_GO_ON && !set->collect;
  sweep_job_announce(&r->job, code == ARGS_GO_ON && set->collect ? TOOL_OK : code, r->about);
  if (more) code = make_runs(set, r, &tally);
  if (code != ARGS_GO_ON) return code;
  const bool all = r->journal.done == r->journal.runs;
  if (!sweep_tables_write(&files, &set->plan, &r->shape, &r->journal, &ends)) return TOOL_FAILED;
  history_claim_close(&r->claim, all);
  sweep_journal_close(&r->journal, all);
  print_summary(set, r, &tally, &ends);
  return ends.count[SWEEP_FAILED] < set->plan.runs ? TOOL_OK : TOOL_FAILED;
}

/* `genalpha sweep` after its options are parsed: process 0 leads, the other processes make runs
 * for it. Returns the exit code; the caller releases set and r. */
static int run_sweep(settings *set, args *a, resources *r) {
  set->plan.operand = a->operand;
  share_options(set, a->list, a->nlist);
  int code = sweep_plan_count(&set->plan);
  if (code == ARGS_GO_ON) code = check_settings(set);
  if (code != ARGS_GO_ON) return code;
  code = prepare_sweep(set, r);
  if (code == ARGS_GO_ON && set->list) code = sweep_plan_list(&set->plan, stdout);
  if (r->job.process == 0) return lead_sweep(set, r, code);
  return sweep_job_work(&r->job, &set->plan, &r->shape, code == ARGS_GO_ON ? r->about : NULL);
}

/* `genalpha sweep`: join the other processes, parse, run, release everything. Returns the exit
 * code. */
int command_sweep(int argc, char **argv) {
  settings *set = calloc(1, sizeof *set);
  arg_given *list = calloc((size_t)argc, sizeof *list);
  resources r = {.journal = {.fd = -1}, .claim = {.fd = -1}};
  int code = TOOL_FAILED;
  if (!set || !list) {
    tool_error("no memory for the sweep");
  } else if (sweep_job_join(&r.job)) {
    *set = (settings){.run = RUN_SETTINGS_NONE, .plan = {.seed = 1}};
    ga_options options = ga_options_default();
    args a = {.command = &command, .settings = set, .options = &options, .list = list};
    code = args_parse(&a, argc, argv);
    if (code == ARGS_GO_ON) code = args_check_params(&a);
    if (code == ARGS_GO_ON) code = run_sweep(set, &a, &r);
    sweep_plan_close(&set->plan);
  }
  history_claim_close(&r.claim, false /* keep it */);
  sweep_journal_close(&r.journal, false);
  sweep_shape_close(&r.shape);
  problem_close(r.problem);
  sweep_words_free(&r.words);
  free(r.about);
  free(set);
  free(list);
  sweep_job_leave(&r.job);
  return code;
}
