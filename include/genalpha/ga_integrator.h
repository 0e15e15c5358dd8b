/* SPDX-License-Identifier: MIT */
/* Methods, states and the integrator.
 *
 *     ga_options o = ga_options_default();
 *     ga_integrator *it = NULL;
 *     ga_error err;
 *     o.h = 1e-3;
 *     if (ga_integrator_new(&model, &o, &it, &err) != GA_OK) {
 *       puts(err.text);
 *     } else if (ga_integrator_start(it, 0.0, q0, v0) != GA_OK ||
 *                ga_integrator_run(it, 10.0) != GA_OK) {
 *       puts(ga_integrator_error(it)->text);
 *     } else {
 *       printf("q = %g\n", ga_integrator_state(it)->q[0]);
 *     }
 *     ga_integrator_free(it);
 *
 * An integrator belongs to one thread at a time; any number of them may share one const model. */
#ifndef GA_INTEGRATOR_H
#define GA_INTEGRATOR_H

#include <genalpha/ga_model.h>
#include <genalpha/ga_options.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The last accepted state. Arrays are owned by the integrator and change with the next step.
 * a is the algorithmic acceleration, a_n ~ v'(t_n + alpha h), a memory of the method and never the
 * acceleration v'(t_n), which is vd. */
typedef struct ga_state {
  double t;                /* time */
  double h;                /* the step that led to it (0 after a start) */
  const double *q, *v;     /* configuration and velocity, as the model's space has them */
  const double *vd;        /* acceleration v'(t) */
  const double *a;         /* memory of the method */
  const double *lam, *psi; /* multipliers of the holonomic and the nonholonomic constraints */
  const double *u;         /* inputs of the model; NULL: those that the model names */
  /* of the contacts of the model (ga_contact.h), in their order; NULL: not known */
  const ga_contact_state *contacts;
  double energy_impacts, energy_friction; /* lost at impacts, and by friction, since the start */
} ga_state;

/* Counters and extremes since the last start: one list for the struct, reports and saved states. */
#define GA_STAT_LIST(COUNTER, EXTREME)                                                             \
  COUNTER(steps, "steps accepted")                                                                 \
  COUNTER(failed, "steps tried that did not converge")                                             \
  COUNTER(rejected, "steps whose estimated error was too large")                                   \
  COUNTER(events, "events located")                                                                \
  COUNTER(newton_its, "linear solves with the Newton matrix")                                      \
  COUNTER(residuals, "residual evaluations")                                                       \
  COUNTER(matrices, "Newton matrices evaluated and factored")                                      \
  COUNTER(repivots, "factorizations of a sparse solver that chose pivots anew and allocated")      \
  COUNTER(roundoff, "steps accepted with some row above newton_tol, at the rounding of its terms") \
  COUNTER(dependent, "constraint rows that follow from others and are left out of the steps")      \
  COUNTER(chosen, "times that the rows left out were chosen anew on the way")                      \
  COUNTER(singular, "singular positions stepped over")                                             \
  COUNTER(singular_passages,                                                                       \
          "singular positions passed, where the motion can go on in several ways")                 \
  EXTREME(max_g, "largest |g| after a step")                                                       \
  EXTREME(max_gv, "largest |G v + g_t| after a step")                                              \
  EXTREME(max_k, "largest |k| after a step")                                                       \
  EXTREME(h_least, "smallest step accepted")                                                       \
  EXTREME(h_largest, "largest step accepted")                                                      \
  EXTREME(start_dq, "largest change of q0, as w in q0 o exp(w), by the projection at the start")   \
  EXTREME(start_dv, "largest change of v0 by it")

#define GA_STAT_LONG(name, text) long name;
#define GA_STAT_DOUBLE(name, text) double name;
typedef struct ga_stats {
  GA_STAT_LIST(GA_STAT_LONG, GA_STAT_DOUBLE)
} ga_stats;
#undef GA_STAT_LONG
#undef GA_STAT_DOUBLE

/* Called after the start and after each accepted step; nonzero stops the run with GA_STOPPED. */
typedef int (*ga_observer)(void *context, const ga_state *state, const ga_stats *stats);

typedef struct ga_integrator ga_integrator;

/* Model, its space and callbacks are borrowed; options are copied. On failure *out is NULL and err
 * tells why. Warnings (for example rho_inf = 1) go to options->log. */
GA_API ga_status ga_integrator_new(const ga_model *model, const ga_options *options,
                                   ga_integrator **out, ga_error *err);
GA_API void ga_integrator_free(ga_integrator *it);

/* Begin, or begin anew, at (t0, q0, v0): checks or projects the start values, solves for v', lam
 * and psi, builds the history, clears the statistics. */
GA_API ga_status ga_integrator_start(ga_integrator *it, double t0, const double *q0,
                                     const double *v0);

/* Continue at the current time after anything that breaks the history: a force or an input that
 * jumps, an impact, a model whose data changed. q, v: other values, NULL for those of the current
 * state. v', lam, psi and the memory of the method become those of the motion from now on, and the
 * order 2 of all variables is kept; nothing is evaluated before the current time (but with
 * automatic sizes). The statistics go on.
 *
 * Current values are accepted as they are: only constraints that the method solves for are checked.
 * Other values are checked or projected as at a start; v may violate G v + g_t by twice as much as
 * the current v, if the method leaves this constraint free ("index3").
 *
 * Cost, where q is NULL and sizes are given: one factorization of the mass KKT matrix, three or four
 * solves with it ("hht": two of M besides) and three evaluations of the model, together about one
 * to two steps; the factors of the steps are kept. If nothing has jumped, the memory stays and the
 * run goes on as without the call, but v', lam and psi are those of the equations of motion. With a
 * q, with automatic sizes after a jump, and with redundant constraints the cost is that of a
 * start. */
GA_API ga_status ga_integrator_restart(ga_integrator *it, const double *q, const double *v);

/* One accepted step: of the current size (options.h, or what ga_integrator_set_step said last)
 * times the next fraction of options.h_seq; of the size options.step_size gives; or of automatic
 * size. After a failure the last accepted state is intact. GA_RETRY_NEWTON: no guess led to a
 * solution, or only to one far from the last state that the damped iteration did not confirm.
 *
 * Automatic steps, options.rtol or atol > 0: the local errors of q and v are estimated, a step
 * whose error is too large or whose Newton iteration fails is taken back and tried with a smaller
 * size; GA_ERR_STEP when that falls below options.h_min. See docs/guide/variable-steps.md. */
GA_API ga_status ga_integrator_step(ga_integrator *it);

/* Steps until t_end is met exactly; where they do not meet it, the last two share what is left.
 * t_n of given sizes is t0 + n h (whole periods of a sequence), not a sum. GA_EVENT: the run ended
 * at an event (ga_events.h), GA_STOPPED: the observer ended it; it may go on in both cases. */
GA_API ga_status ga_integrator_run(ga_integrator *it, double t_end);

/* A new size h for the following steps, also after another start; the history is corrected so that
 * order 2 is kept. Automatic: the size tried next. */
GA_API ga_status ga_integrator_set_step(ga_integrator *it, double h);

/* Inputs of the model (ga_model.ninput) by number (ga_model_input): numbers that a program sets, or
 * that follow a table. They may be set before the start, too.
 *
 * set_input: a constant from now on. The next step begins with ga_integrator_restart(it, NULL, NULL)
 * if a value has changed, so that order 2 is kept, at the cost of one to two steps. Until then v',
 * lam and psi are those of the old values. A value that is set again costs nothing.
 *
 * set_input_table: n values at rising times, n >= 2; before the first time the first value, after the
 * last time the last one. GA_INPUT_HOLD: each value until the next time. Steps end where it jumps,
 * and the run restarts there; the accepted state at a jump is the one before it. GA_INPUT_LINEAR:
 * straight lines; q and v keep order 2, and v', lam and psi have it again some steps after a kink.
 * GA_INPUT_SMOOTH: cubic polynomials by Akima, once continuously differentiable. The arrays are
 * copied; set_input ends a table.
 *
 * apply_inputs: if an input was set, restart now, not at the next step, for whoever wants to see v',
 * lam and psi with the new values.
 *
 * In a team all processes make the same calls. GA_ERR_ARG for a wrong number or a value that is not
 * finite, GA_ERR_MEM. ga_integrator_inputs: the values at a time t of the last step, ninput
 * numbers. */
typedef enum ga_input_kind { GA_INPUT_HOLD, GA_INPUT_LINEAR, GA_INPUT_SMOOTH } ga_input_kind;
GA_API ga_status ga_integrator_set_input(ga_integrator *it, int input, double value);
GA_API ga_status ga_integrator_set_input_table(ga_integrator *it, int input, ga_input_kind kind,
                                               int n, const double *t, const double *values);
GA_API ga_status ga_integrator_apply_inputs(ga_integrator *it);
GA_API void ga_integrator_inputs(const ga_integrator *it, double t, double *values);

/* Projections of the current state. Option project_every makes both, plain, at the end of every
 * N-th step, which fails and is taken back if they fail; v', lam and psi of that step are those of
 * the projected q and v, but for lam and psi of "soi2" and "nonhol2". The calls below change q and
 * v alone; a failure leaves them as they are. position: q <- q o exp(d~), least d in the M-norm
 * with g(t, q o exp(d~)) = 0 (ACB15 (6)); from very far off the constraints a near d, not always
 * the least. velocity, plain: v <- v + dv, least dv in the M-norm with G v + g_t = 0, H dv = 0
 * (ACB15 (7)); this costs methods that leave the hidden constraint free ("index3") the order 2 in
 * lam. velocity, keep-order: onto the hidden residual the method itself would have, h^2 G r. moved,
 * if not NULL, receives the largest change of a component. */
typedef enum ga_projection { GA_PROJECT_PLAIN, GA_PROJECT_KEEP_ORDER } ga_projection;
GA_API ga_status ga_integrator_project_position(ga_integrator *it, double *moved);
GA_API ga_status ga_integrator_project_velocity(ga_integrator *it, ga_projection kind,
                                                double *moved);

/* Save the accepted state with all that influences later steps, and load it into an integrator made
 * for the same model, method and parameters (the model's own data are not in the file, the step
 * size is). A loaded run equals, bit by bit, the run that saved the file and went on: both renew
 * their factors; both differ by rounding from a run that is never saved. The file is written aside
 * and renamed. GA_ERR_IO if the system refuses, GA_ERR_FILE for a torn, foreign or newer file; the
 * integrator is then unchanged. */
GA_API ga_status ga_integrator_save(ga_integrator *it, const char *path);
GA_API ga_status ga_integrator_load(ga_integrator *it, const char *path);

/* The same without a file: the bytes of the file in memory. size: on entry the room of `bytes`, on
 * return the length of the state; bytes = NULL asks for the length alone, which stays the same
 * during a run. Saving allocates nothing.
 *
 *     size_t size;
 *     ga_integrator_save_memory(it, NULL, &size);
 *     void *state = malloc(size);
 *     ga_integrator_save_memory(it, state, &size);
 *     ga_integrator_run(it, 1.0);                   // look ahead
 *     ga_integrator_load_memory(it, state, size);   // and back
 */
GA_API ga_status ga_integrator_save_memory(ga_integrator *it, void *bytes, size_t *size);
GA_API ga_status ga_integrator_load_memory(ga_integrator *it, const void *bytes, size_t size);

/* Save t, q (nq numbers of the model) and v (nv) as start values: a state that no run has reached,
 * such as an equilibrium. ga_integrator_load of such a file starts a run there, whatever its
 * method, its steps and its events are. GA_ERR_IO if the system refuses, GA_ERR_MEM. */
GA_API ga_status ga_start_save(const char *path, const ga_model *model, double t, const double *q,
                               const double *v, ga_error *err);

GA_API void ga_integrator_observe(ga_integrator *it, ga_observer observer, void *context);

/* Never NULL for a live integrator; state is all zero before the first start. The h of the options
 * is the one in use, also after ga_integrator_set_step and ga_integrator_load; automatic: the guess
 * of a first step. */
GA_API const ga_state *ga_integrator_state(const ga_integrator *it);
GA_API const ga_stats *ga_integrator_stats(const ga_integrator *it);
GA_API const ga_error *ga_integrator_error(const ga_integrator *it);
GA_API const ga_options *ga_integrator_options(const ga_integrator *it);

/* Constraints that follow from others, as found at the start with redundant = allow; none without.
 * Rows of g come first, then those of k, numbered through. Row dependent[d] of G or H is the sum of
 * coef[k] times row from[k], start[d] <= k < start[d + 1], and what is left of it, relative to its
 * length, is residual[d]. A multiplier is unique if no force on a dependent row can change it;
 * those that are not are reported least: lam^T D lam is least for the given forces, D the diagonal
 * of G M^-1 G^T. */
typedef struct ga_dependency {
  double t; /* where this was found */
  const double *q;
  int rows, rank, ndependent;
  const int *dependent, *start, *from;
  const double *coef, *residual;
  const bool *unique; /* rows */
} ga_dependency;
GA_API ga_dependency ga_integrator_dependency(const ga_integrator *it);
/* The same in sentences, "joint 'door_2': 3 of its 5 rows follow from 'door_1'": the i-th into
 * text, false past the last. */
GA_API bool ga_integrator_dependency_text(const ga_integrator *it, int i, char *text, size_t room);

/* Name of the linear solver of the steps; why "auto" chose it, or what it says of its own choices;
 * may be empty. */
GA_API const char *ga_integrator_linsol(const ga_integrator *it);
GA_API const char *ga_integrator_linsol_why(const ga_integrator *it);

/* Names, summaries and citations of the methods; NULL past the end. */
GA_API const char *ga_method_name(int i);
GA_API const char *ga_method_summary(int i);
GA_API const char *ga_method_cite(int i);
/* Variants of a method, the default first; NULL past the end, or if there are none. */
GA_API const char *ga_method_variant(const char *name, int i);

#ifdef __cplusplus
}
#endif
#endif
