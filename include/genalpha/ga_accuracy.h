/* SPDX-License-Identifier: MIT */
/* One number, the error of the result.
 *
 *     ga_options o = ga_options_default();
 *     ga_solution *s = NULL;
 *     o.accuracy = 1e-6;
 *     if (ga_solution_new(&model, &o, &s, &err) != GA_OK) {
 *       puts(err.text);
 *     } else if (ga_solution_solve(s, 0.0, q0, v0, 10.0) != GA_OK) {
 *       puts(ga_solution_error(s)->text);
 *     } else {
 *       ga_state end = ga_solution_end(s);
 *       printf("q = %g, %s\n", end.q[0], ga_solution_accuracy(s)->text);
 *     }
 *     ga_solution_free(s);
 *
 * A pilot run with automatic steps, at least 16, and up to 100 if forces or constraints depend on time,
 * tells how many steps the motion needs. Then runs with N, 2 N, 3 N, 4 N, 6 N, 8 N, .. equal steps
 * follow. After each of them the states at the N + 1 common times
 * (nodes) are extrapolated over the step size to the orders 2 to 6, and the order with the least
 * estimated error counts. The runs end when it is at most options.accuracy, or when more steps do
 * not help, or at options.accuracy_steps steps in all. So the result comes with an estimate of its
 * error in every case, and with the reason where the accuracy was not reached.
 *
 * Where the model tells corners (ga_corner), the time is cut into pieces, each with equal steps, and
 * each run begins anew there.
 *
 * The error is the largest over the nodes and components. A component of q or v counts relative to
 * its largest value over the run, at least 1e-3 of the largest component (lengths and angles are
 * compared in ga_model.metric); rotations count absolute, in radians. The error of the constraint
 * forces counts relative to the largest of them.
 *
 * Method: "index3", or "stab2" where there are no holonomic constraints or rho_inf = 1, or the one
 * that was chosen (options.method_chosen). options.h is not used. Refused, with a sentence: rtol,
 * atol, h_seq, step_size, project_every, start = plain, a team.
 *
 * Memory: 11 + threads numbers for each node and each number of q and v, and its whole state where
 * it was asked for. More than 4 GB are refused. */
#ifndef GA_ACCURACY_H
#define GA_ACCURACY_H

#include <genalpha/ga_events.h>
#include <genalpha/ga_extrapolate.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether the accuracy was reached, and if not, why.
 *   kink       the differences between the runs fall slower than those of a smooth motion
 *   sensitive  errors grow by a large factor over the run: the motion itself is that sensitive
 *   rounding   the differences are rounding errors, no steps can do better
 *   budget     more than accuracy_steps steps would be needed
 *   branch     a run with automatic steps, or the runs among each other, take another way: the
 *              motion can go on in several ways
 *   stopped    the function of ga_solution_stop_when said so */
#define GA_VERDICT_LIST(X)             \
  X(GA_VERDICT_NONE, "none")           \
  X(GA_VERDICT_REACHED, "reached")     \
  X(GA_VERDICT_KINK, "kink")           \
  X(GA_VERDICT_SENSITIVE, "sensitive") \
  X(GA_VERDICT_ROUNDING, "rounding")   \
  X(GA_VERDICT_BUDGET, "budget")       \
  X(GA_VERDICT_BRANCH, "branch")       \
  X(GA_VERDICT_STOPPED, "stopped")

typedef enum ga_verdict {
#define GA_VERDICT_ENUM(name, word) name,
  GA_VERDICT_LIST(GA_VERDICT_ENUM)
#undef GA_VERDICT_ENUM
} ga_verdict;
GA_API const char *ga_verdict_word(ga_verdict verdict);

/* What is known about the error of a solution. */
typedef struct ga_accuracy {
  double asked;        /* options.accuracy */
  ga_verdict verdict;  /* none before ga_solution_solve */
  double error;        /* estimated: the largest of the variables asked for */
  ga_errors estimate;  /* of each variable, relative; NaN where it was not asked for. lam is that of
                           all constraint forces, psi is NaN */
  int order;           /* of the result, 2 to 6 */
  int runs;            /* with which the errors were estimated */
  long least, largest; /* steps of the first and of the last of them */
  long steps;          /* in all, those of the pilot and of runs that failed included */
  const char *method;  /* of the runs */
  double t_kink;       /* verdict kink: about where it is; NaN: not found */
  double growth;       /* of the differences between the runs, from the first tenth to the last */
  char text[512];      /* the same in a sentence */
} ga_accuracy;

typedef struct ga_solution ga_solution;

/* Model, its space and callbacks are borrowed; options are copied. On failure *out is NULL and err
 * tells why. Callbacks of the model are called from several threads at once, log from the caller's. */
GA_API ga_status ga_solution_new(const ga_model *model, const ga_options *options,
                                 ga_solution **out, ga_error *err);
GA_API void ga_solution_free(ga_solution *s);

/* How many threads, the caller's included; 0, the default: one for each processor, at most 4. The
 * result does not depend on it. */
GA_API void ga_solution_set_threads(ga_solution *s, int threads);

/* Called after every step of every run, from any thread: nonzero ends the search. The result is then
 * made of the runs that are complete. NULL: never. */
GA_API void ga_solution_stop_when(ga_solution *s, int (*stop)(void *context), void *context);

/* Solve from (t0, q0, v0) to t_end. GA_OK also where the accuracy was not reached: the verdict of
 * ga_solution_accuracy tells. A failure (no start, all runs fail) leaves no nodes. */
GA_API ga_status ga_solution_solve(ga_solution *s, double t0, const double *q0, const double *v0,
                                   double t_end);

/* Never NULL. */
GA_API const ga_accuracy *ga_solution_accuracy(const ga_solution *s);
GA_API const ga_stats *ga_solution_stats(const ga_solution *s); /* sums and extremes of all runs */
GA_API const ga_error *ga_solution_error(const ga_solution *s);

/* The nodes in order of time; the first is the start, the last the end. q and v are those of the
 * result put onto the constraints, v', lam, psi those of the equations of motion there. Where these
 * cannot be solved, they are NaN, and ga_solution_error tells. a is NULL, h the distance to the
 * node before. The arrays live as long as the solution is not solved anew. */
GA_API long ga_solution_nodes(const ga_solution *s);
GA_API ga_state ga_solution_node(ga_solution *s, long i);
GA_API ga_state ga_solution_end(ga_solution *s);

/* The state at any time from the start to the end. v is the polynomial of degree 11 through v and v'
 * of the six nodes nearby, q its integral along the group; both are put onto the constraints, and v',
 * lam, psi are those of the equations of motion. The error between the nodes is far below that of the
 * nodes themselves, unless the motion is not smooth. The arrays change with the next call; t outside:
 * state.t is NaN. */
GA_API ga_state ga_solution_at(ga_solution *s, double t);

/* Events (ga_events.h) of the next solves, numbered 0, 1, .. as they are added; copied. They are
 * located on the solution, so their times are as good as it is. A terminal one ends the solution
 * there, and ga_solution_solve returns GA_EVENT. An impact is another solve from there with another
 * velocity; its error is that of its own time, to which the error of its start comes. A function
 * that goes through zero and back between two quarters of the distance of nodes is not seen. */
GA_API ga_status ga_solution_add_event(ga_solution *s, const ga_event *event);
/* The terminal event the last solve ended at, -1 if none. */
GA_API int ga_solution_event(const ga_solution *s);

#ifdef __cplusplus
}
#endif
#endif
