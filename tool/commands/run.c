/* SPDX-License-Identifier: MIT */
/* genalpha run: a problem with all its settings, from the command line to the files. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "args/paths.h"
#include "args/run_settings.h"
#include "output/impacts.h"
#include "parallel/launcher.h"
#include "picture/chart.h"
#include "picture/page.h"

/* RUN_SPECS expects the run_settings as a member of the command's settings */
typedef struct whole {
  run_settings run;
} whole;

/* An arg_read for --petsc: any text, also an empty one, which means PETSc with its default
 * options. */
static bool read_petsc(const arg_spec *spec, const char *text, void *field) {
  (void)spec;
  *(const char **)field = text;
  return true;
}

#define FIELD(name) offsetof(whole, run.name)
static const arg_spec specs[] = {
    RUN_SPECS(whole, run),
    {"out", "FILE.csv|FILE.h5",
     "write the trajectory: t, q, v, vd, lam, psi, energies; - is stdout; .h5: with names, "
     "units, "
     "model, options and counts in an HDF5 file (docs/guide/results.md)",
     arg_read_file, FIELD(out), 0, 0},
    {"impacts", "FILE.csv",
     "write the changes of contacts: t, kind (hit, stop, slide, lift, jam), contact, velocities of "
     "the "
     "gap, impulses, energy lost",
     arg_read_file, FIELD(impacts), 0, 0},
    {"plot", "FILE.svg|FILE.png", "draw positions, velocities and multipliers over time",
     gnuplot_read_name, FIELD(plot), 0, 0},
    {"view", NULL, "make a page that shows the motion of a model file in any browser",
     arg_read_flag, FIELD(view), 0, 0},
    {"out-page", "PAGE.html",
     "the name of that page (default: the file's, ending in .html, in this directory)",
     arg_read_file, FIELD(page), 0, 0},
    {"columns", NULL, "list the columns of a model file, one in a line, and do nothing else",
     arg_read_flag, FIELD(columns), 0, 0},
    {"final", NULL, "print the end state as one JSON object instead of the summary", arg_read_flag,
     FIELD(final), 0, 0},
    {"save-state", "FILE", "save the end state, to go on from later (also after Ctrl-C)",
     arg_read_text, FIELD(save_state), 0, 0},
    {"checkpoint-every", "SECONDS",
     "save it on the way too, each time so many seconds of simulated time have passed",
     arg_read_real, FIELD(checkpoint_every), 0, 1e300},
    {"from-state", "FILE", "go on from a saved state instead of the problem's start", arg_read_text,
     FIELD(from_state), 0, 0},
    {"petsc", "OPTIONS",
     "under mpirun: solve linear systems by PETSc, with options of its own in quotes, such as "
     "\"-ksp_rtol 1e-10\" or \"\" (default there, where it is built in); off: gather them on one "
     "process (docs/guide/scale.md)",
     read_petsc, FIELD(petsc), 0, 0},
    {.key = NULL}};
#undef FIELD

const int run_shared = sizeof((const arg_spec[]){RUN_SPECS(whole, run)}) / sizeof(arg_spec);

const arg_command run_command = {
    .name = "run",
    .operand = "PROBLEM",
    .needs_operand = true,
    .summary =
        "Simulate a problem ('genalpha list problems'), a mechanism described in a model file,\n"
        "PROBLEM = FILE.yaml (docs/reference/models.md; those of models/ come along), or a model "
        "of your "
        "own\n"
        "in a shared object, PROBLEM = FILE.so (ga_problem.h), and print a summary.",
    .specs = specs,
    .takes_library = problem_takes_all,
    .library_default = problem_default};

/* everything that release_resources closes; empty members are skipped */
typedef struct resources {
  ga_problem *problem;
  team *team;
  solver solver;
  time_plot *time_plot;
  trajectory out;
  gnuplot plot;
  film film;
  run_events events;
  impacts impacts;
} resources;

/* The facts about a run for its result file; it borrows all pointers. code: the exit code so
 * far. */
static json_run describe_run(const run_settings *set, const simulation *s, int code) {
  return (json_run){.problem = s->problem,
                    .options = s->options,
                    .solver = s->solver,
                    .events = s->events,
                    .sets = &set->problem.sets,
                    .t_end = s->t_end,
                    .out_dt = s->out_dt,
                    .every = s->every,
                    .exit_code = code};
}

/* Open the file --out into r->out; result files also get the options of the run. False after a
 * message. */
static bool open_trajectory(const run_settings *set, const simulation *s, resources *r) {
  const json_run run = describe_run(set, s, TOOL_OK);
  char *options = json_text(json_options, &run);
  const trajectory_texts texts = {
      .model_name = file_of(s->problem) ? s->problem->cite : s->problem->name, .options = options};
  const bool ok = trajectory_open(&r->out, set->out, s->problem, &texts);
  free(options);
  return ok;
}

/* Close the file --out; result files also get the statistics and how the run ended (code, the exit
 * code so far). False after a message. */
static bool close_trajectory(const run_settings *set, const simulation *s, resources *r, int code) {
  const json_run run = describe_run(set, s, code);
  char *statistics = r->out.results ? json_text(json_statistics, &run) : NULL;
  const bool ok = trajectory_close(&r->out, statistics);
  free(statistics);
  return ok;
}

/* Let the run tell its changes of contacts to the files --impacts and --out. False after a message. */
static bool open_impacts(const run_settings *set, const simulation *s, resources *r) {
  const ga_model *model = &s->problem->model;
  if (set->impacts && model->ncontacts == 0) {
    tool_error("--impacts: the model has no contacts");
    return false;
  }
  if (set->impacts && !r->solver.it) {
    tool_error("--impacts belongs to a single run, not to --extrapolate or --accuracy");
    return false;
  }
  const bool wanted = r->solver.it && model->ncontacts > 0 && (set->impacts || r->out.results);
  if (!wanted) return true;
  if (!impacts_open(&r->impacts, set->impacts, model, r->out.results)) return false;
  ga_integrator_observe_contacts(r->solver.it, impacts_add, &r->impacts);
  return true;
}

/* Open all output files before the run (r->out, film, time_plot, plot), so that a wrong name does
 * not cost the run. In process 0 only. ARGS_GO_ON, or TOOL_FAILED after a message. */
static int open_files(const run_settings *set, const simulation *s, resources *r) {
  if (set->save_state && !output_place(set->save_state)) return TOOL_FAILED;
  if (set->out && !open_trajectory(set, s, r)) return TOOL_FAILED;
  if (!open_impacts(set, s, r)) return TOOL_FAILED;
  if (set->view && !(webpage_possible() && film_open(&r->film, r->problem))) return TOOL_FAILED;
  if (!set->plot) return ARGS_GO_ON;
  r->time_plot = time_plot_new(r->problem);
  if (!r->time_plot) {
    tool_error("no memory for the plot");
    return TOOL_FAILED;
  }
  bool ok = gnuplot_open(&r->plot, set->plot, CHART_TIME_WIDTH, time_plot_height(r->time_plot));
  return ok ? ARGS_GO_ON : TOOL_FAILED;
}

/* Draw the recorded motion (s->time_plot) with a title and close the plot. False after a
 * message. */
static bool draw_plot(const simulation *s, gnuplot *plot) {
  char title[200];
  const ga_options *o = s->options;
  int n = snprintf(title, sizeof title, "%s: %s, rho_inf = %.3g, %s = %.4g", s->problem->name,
                   problem_method(o).text, ga_params_check(&o->par).rho_inf,
                   o->accuracy > 0 ? "accuracy" : "h", o->accuracy > 0 ? o->accuracy : o->h);
  if (s->solver->x && n > 0 && (size_t)n < sizeof title) {
    snprintf(title + n, sizeof title - (size_t)n, ", extrapolated to order %d",
             2 + s->solver->how.K);
  }
  time_plot_write(s->time_plot, title, plot->script);
  return gnuplot_close(plot);
}

/* *marks <- the events that happened, for the time line of the page; returns how many. The caller frees
 * them. Without memory there are none. */
static int list_marks(const run_events *e, webpage_mark **marks) {
  const int n = !e || !e->seen ? 0 : e->happened < EVENTS_KEPT ? (int)e->happened : EVENTS_KEPT;
  *marks = n > 0 ? calloc((size_t)n, sizeof **marks) : NULL;
  if (!*marks) return 0;
  for (int i = 0; i < n; i++) {
    (*marks)[i] = (webpage_mark){e->seen[i].t, e->event[e->seen[i].event].name};
  }
  return n;
}

/* Write the page of --view, from the recorded film. False after a message. */
static bool write_page(const run_settings *set, const simulation *s) {
  char how[600];
  webpage_mark *marks;
  const ga_options *o = s->options;
  if (s->solver->solution) {
    snprintf(how, sizeof how, "%s", ga_solution_accuracy(s->solver->solution)->text);
  } else {
    snprintf(how, sizeof how, "%s, rho_inf = %.3g, h = %.4g, %ld steps", problem_method(o).text,
             ga_params_check(&o->par).rho_inf, o->h, solver_steps(s->solver));
  }
  const int nmark = list_marks(s->events, &marks);
  const char *const about[] = {s->problem->cite, how, "genalpha " GA_VERSION, NULL};
  const webpage p = {.mechanism = s->film->mechanism,
                     .film = s->film,
                     .title = s->problem->name,
                     .description = s->problem->summary,
                     .file = file_of(s->problem),
                     .about = about,
                     .mark = marks,
                     .nmark = nmark};
  const bool ok = webpage_write(&p, set->page);
  free(marks);
  return ok;
}

/* Where the summary goes: stdout; stderr if stdout carries data or the run failed. */
static FILE *report_stream(const run_settings *set, int code) {
  bool data = set->final || (set->out && strcmp(set->out, "-") == 0);
  return data || code != TOOL_OK ? tool_messages() : stdout;
}

/* After the run, which ended with the exit code `code`: finish all files and print the names of
 * those that are good. Returns the exit code: `code`, or TOOL_FAILED if the run succeeded but a
 * file did not. */
static int close_files(const run_settings *set, const simulation *s, resources *r, int code) {
  const struct {
    const char *label, *path;
    bool ok;
  } files[] = {
      {"trajectory", set->out, close_trajectory(set, s, r, code)},
      {"impacts", set->impacts, impacts_close(&r->impacts)},
      {"state", set->save_state, code == TOOL_OK || code == TOOL_INTERRUPTED},
      {"plot", set->plot, set->plot && solver_steps(&r->solver) > 0 && draw_plot(s, &r->plot)},
      {"page", set->page, set->page && film_frames(&r->film) > 0 && write_page(set, s)},
  };
  FILE *to = report_stream(set, code);
  for (int i = 0; i < 5; i++) {
    if (!files[i].path) continue;
    if (!files[i].ok && code == TOOL_OK) code = TOOL_FAILED;
    if (files[i].ok && !set->final) fprintf(to, "  %-13s%s\n", files[i].label, files[i].path);
  }
  return code;
}

/* Close everything in r; members that were never opened are skipped. */
static void release_resources(resources *r) {
  trajectory_close(&r->out, NULL);
  impacts_close(&r->impacts);
  if (r->plot.script) gnuplot_discard(&r->plot);
  time_plot_free(r->time_plot);
  film_close(&r->film);
  solver_close(&r->solver);
  events_close(&r->events);
  team_close(r->team);
  problem_close(r->problem);
}

/* Join the other processes (r->team), set up the simulation s and r->solver, open the files in
 * process 0. All processes agree after each of these steps, because the next one needs all of them.
 * ARGS_GO_ON, or the exit code after a message. All processes call it. */
static int open_all(const run_settings *set, args *a, resources *r, simulation *s) {
  int code = team_open(r->problem, set->petsc, &r->team);
  if (code != ARGS_GO_ON) return code;
  r->solver.team = r->team;
  code = team_code(r->team, run_simulation(set, a, r->problem, &r->solver, &r->events, s));
  if (code != ARGS_GO_ON) return code;
  return team_code(r->team, team_writes(r->team) ? open_files(set, s, r) : ARGS_GO_ON);
}

/* After the run, which returned `code`: process 0 prints the summary (if it succeeded) or, with
 * --final, the end state, and finishes the files. Returns the exit code; the other processes only
 * return `code`. */
static int write_results(const run_settings *set, const simulation *s, resources *r, int code) {
  if (!team_writes(r->team)) return code;
  if (code == TOOL_OK && !set->final) summary_print(report_stream(set, code), s);
  code = close_files(set, s, r, code);
  if (code == TOOL_OK && set->final) {
    json_final(stdout, r->problem, s->options, &r->solver, &r->events);
  }
  return code == TOOL_OK ? simulate_accuracy(s) : code;
}

/* Refuse files of this run that would be written over each other or over its input: ARGS_GO_ON, or
 * TOOL_USAGE after a message. A run may go on in its own state file, --from-state S --save-state S:
 * the new state replaces the old one as a whole, so that a run that is killed can go on again. */
static int check_paths(const run_settings *set, const char *operand) {
  const bool same =
      set->from_state && set->save_state && paths_same(set->from_state, set->save_state);
  const path_use use[] = {
      {"the model", problem_is_file(operand) ? operand : NULL, NULL, false},
      {"--input", set->input, NULL, false},
      {"--from-state", same ? NULL : set->from_state, NULL, false},
      {"--out", set->out, NULL, true},
      {"--impacts", set->impacts, NULL, true},
      {"--plot", set->plot, NULL, true},
      {"--out-page", set->page, NULL, true},
      {"--save-state", set->save_state, NULL, true},
      {"the temporary file of --save-state", set->save_state, ".tmp", true},
  };
  return paths_check(sizeof use / sizeof use[0], use);
}

/* `genalpha run` after its options are parsed. Everything opened goes to r, which the caller
 * releases also after a failure. Returns the exit code. */
static int run_problem(run_settings *set, args *a, resources *r) {
  if (set->columns) {
    const int code = problem_open(&set->problem, a, set->stop_when, &r->problem);
    return code == ARGS_GO_ON ? file_print_columns(r->problem) : code;
  }
  int code = run_open(set, a, set->stop_when, &r->problem);
  if (code != ARGS_GO_ON) return code;
  char page_name[256];
  if (set->view && !set->page) {
    webpage_default_name(a->operand, sizeof page_name, page_name);
    set->page = page_name;
  }
  code = check_paths(set, a->operand);
  if (code == ARGS_GO_ON) code = file_check_parts(file_of(r->problem));
  simulation s;
  if (code == ARGS_GO_ON) code = open_all(set, a, r, &s);
  if (code != ARGS_GO_ON) return code;
  s.out = set->out ? &r->out : NULL;
  s.time_plot = r->time_plot;
  s.film = set->view && team_writes(r->team) ? &r->film : NULL;
  s.shows = set->view || set->plot;
  return write_results(set, &s, r, simulate(&s));
}

/* `genalpha run`; returns the exit code. */
int command_run(int argc, char **argv) {
  run_settings set = RUN_SETTINGS_NONE;
  ga_options options = ga_options_default();
  args a = {.command = &run_command, .settings = &set, .options = &options};
  int code = args_parse(&a, argc, argv);
  if (code == ARGS_GO_ON) code = args_check_params(&a);
  /* redundant rows cannot be left out over several processes: the default is to refuse them */
  set.problem.sets.divided = launcher_detect().processes > 1;
  if (code == ARGS_GO_ON && set.problem.sets.divided) code = args_apply(&a, "redundant", "refuse");
  if (code != ARGS_GO_ON) return code;
  resources r = {.plot = {.fd = -1}};
  code = run_problem(&set, &a, &r);
  release_resources(&r);
  return code;
}
