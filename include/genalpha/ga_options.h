/* SPDX-License-Identifier: MIT */
/* Parameters of the generalized-alpha family, and all options of an integrator in one struct. */
#ifndef GA_OPTIONS_H
#define GA_OPTIONS_H

#include <genalpha/ga_base.h>
#include <genalpha/ga_linsol.h>
#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

/* alpha_m and alpha_f weight the OLD value, as in all papers we follow (PETSc weights the new one).
 * b belongs to the extended HHT method alone. */
typedef struct ga_params {
  double alpha_m, alpha_f; /* weights of the old acceleration and of the old forces */
  double beta, gamma;      /* Newmark's, of position and of velocity */
  double b;                /* weight of the reaction, of `hht` alone */
} ga_params;

/* Chung-Hulbert: spectral radius rho_inf in [0, 1] at infinite frequency, AB07 (24). */
GA_API ga_params ga_params_rho(double rho_inf);
/* Hilber-Hughes-Taylor: alpha in [-1/3, 0]; alpha_m = 0, alpha_f = -alpha. */
GA_API ga_params ga_params_hht(double alpha, double b);
/* "newmark" and "trapezoidal" (beta 1/4, gamma 1/2), "hht" (alpha = -0.1), "chung-hulbert" (rho
 * 0.9). GA_ERR_ARG for another name. */
GA_API ga_status ga_params_named(const char *name, ga_params *out, ga_error *err);
/* i-th name known to ga_params_named, NULL past the end. */
GA_API const char *ga_params_name(int i);

/* What the four numbers imply, AB07 section 2.3. */
typedef struct ga_params_report {
  bool order2;        /* (20): gamma = 1/2 + alpha_f - alpha_m */
  bool zero_stable;   /* roots of rho(zeta), (21): alpha_m <= 1/2 */
  bool strict_at_inf; /* (23): alpha_m < alpha_f < 1/2 and beta > 1/4 + (alpha_f - alpha_m)/2 */
  double rho_inf; /* largest root modulus of sigma(zeta), (22): the radius reached at infinity */
  char text[256]; /* sentences on the conditions that do not hold; empty if all do */
} ga_params_report;

GA_API ga_params_report ga_params_check(const ga_params *par);

/* Amplification matrix of one step on q'' + omega^2 q = 0, by rows, for the scaled state
 * (q, h v, h^2 a), and its spectral radius. omega_h = omega h >= 0. */
GA_API void ga_params_amplification(const ga_params *par, double omega_h, double A[9]);
GA_API double ga_params_spectral_radius(const ga_params *par, double omega_h);

/* Starting values, see docs/reference/notation.md. */
typedef enum ga_start {
  GA_START_BEST,      /* what keeps order 2 from the first step: the method knows */
  GA_START_PLAIN,     /* a_0 = v'_0 */
  GA_START_SHIFTED,   /* a_0 = v'(t_0 + alpha h) + O(h^2) */
  GA_START_PERTURBED, /* shifted, and v_0 moved off the hidden constraint by h^2 G r */
  GA_START_IMPLICIT   /* a_0 = (1 - alpha) v'_0 + alpha v'_1, solved together with the first step */
} ga_start;

/* Where methods with weighted residuals take the old mass: at a predicted point of this step, or
 * from the step before (then the vector M a is kept). */
typedef enum ga_mass_at { GA_MASS_EVALUATED, GA_MASS_PREVIOUS } ga_mass_at;

/* What is corrected when h changes, so that order 2 is kept (docs/reference/notation.md). All but
 * the first are for comparison. */
typedef enum ga_rescale {
  GA_RESCALE_ALL,   /* what the method needs */
  GA_RESCALE_A,     /* the memory a alone */
  GA_RESCALE_V,     /* the residual of the hidden constraint alone, of methods that leave it free */
  GA_RESCALE_GAMMA, /* gamma of the step instead, AB07 section 2.3 */
  GA_RESCALE_NONE
} ga_rescale;

/* Given steps and corners of the model (ga_corner): stay on the grid, or end a step at a corner and the
 * next one at the end of the step that was cut. Automatic steps always end at corners. */
typedef enum ga_cut { GA_CUT_NO, GA_CUT_YES } ga_cut;

/* What to do with start values that violate the constraints. */
typedef enum ga_initial { GA_INITIAL_CHECK, GA_INITIAL_PROJECT } ga_initial;

/* Constraints that follow from others: a start with them is refused, or the run goes on with an
 * independent set of rows. Constraints that contradict each other are refused in any case. */
typedef enum ga_redundant { GA_REDUNDANT_REFUSE, GA_REDUNDANT_ALLOW } ga_redundant;

/* The variables that an accuracy is asked of (ga_accuracy.h); bit 0: v', bit 1: lam and psi. */
typedef enum ga_accuracy_of {
  GA_ACCURACY_OF_QV,
  GA_ACCURACY_OF_QV_VD,
  GA_ACCURACY_OF_QV_LAM,
  GA_ACCURACY_OF_QV_VD_LAM
} ga_accuracy_of;

/* Contacts (ga_contact.h): steps are cut at the changes of contacts, or not. */
typedef enum ga_contact_mode { GA_CONTACT_LOCATE, GA_CONTACT_STEP } ga_contact_mode;

/* All options that have a text form: one list gives the struct, the defaults, the checks, the
 * command line switches and the printed form.
 *   NAME(field, default, key, help)                      a name, kept by pointer
 *   TEXT(field, default, argument, key, help)            a text of some form, kept by pointer
 *   REAL(field, default, least, largest, key, help)      least is excluded; 0 is allowed if it is
 *                                                        the default and then means "not used"
 *   INT (field, default, least, largest, key, help)
 *   WORD(field, type, default, words, key, help)         an enum, words in its order
 *
 * newton_tol is a forward error: an accepted iterate differs from a solution of the step's equations
 * by at most newton_tol of the largest acceleration of its coupled subsystem, or by rounding
 * (docs/internals/acceptance.md, src/step/acceptance.c).
 * newton_max counts the iterations from one guess. A step has up to three: the extrapolated
 * unknowns, those of the last step, and these once more with damping. */
#define GA_OPTION_LIST(NAME, TEXT, REAL, INT, WORD)                                                \
  NAME(method, "stab2", "method", "integration method, see `genalpha list`")                       \
  NAME(variant, "", "variant", "variant of the method, see `genalpha list`; default: the first")   \
  NAME(linsol, "auto", "linsol", "linear solver, see `genalpha list`")                             \
  REAL(h, 1e-3, 0, 1e300, "h", "step size; with automatic steps a guess of the first one")         \
  TEXT(h_seq, "1", "F1,F2,...", "h-seq",                                                           \
       "step sizes as fractions of h, repeated: 1/3,2/3 takes h/3, 2h/3, h/3, ...")                \
  REAL(rtol, 0, 1e-16, 1, "rtol",                                                                  \
       "automatic steps: the error of the run is in proportion to it, as a rule some times rtol, " \
       "relative to the largest values so far; if rtol and atol are 0, all steps have size h")     \
  REAL(atol, 0, 0, 1e300, "atol",                                                                  \
       "automatic steps: the same as an absolute error of q and v, added to the relative one")     \
  REAL(accuracy, 0, 1e-16, 1, "accuracy",                                                          \
       "error of the result: steps, order and method are found so that the largest error over "    \
       "the run, relative to the largest value of each component, is at most this; 0: not used")   \
  WORD(accuracy_of, ga_accuracy_of, GA_ACCURACY_OF_QV, "q,v|q,v,vd|q,v,lam|q,v,vd,lam",            \
       "accuracy-of",                                                                              \
       "what accuracy is asked of: positions and velocities; accelerations (vd), constraint "      \
       "forces (lam) besides")                                                                     \
  REAL(accuracy_steps, 1e6, 1, 1e15, "accuracy-steps",                                             \
       "accuracy: at most so many steps in all; a run that needs more says what it has reached")   \
  REAL(h_min, 0, 0, 1e300, "h-min",                                                                \
       "smallest automatic step; the run ends if it needs a smaller one; 0: 16 roundings of t")    \
  REAL(h_max, 0, 0, INFINITY, "h-max",                                                             \
       "largest automatic step; 0: 1/100 of the time from the start to the end of the first run, " \
       "no limit for single steps; inf: no limit")                                                 \
  WORD(                                                                                            \
      cut_at_corners, ga_cut, GA_CUT_NO, "no|yes", "cut-at-corners",                               \
      "steps of given size: end one where a force or drive has a corner in time (a jump, a kink, " \
      "the end of a ramp), the next on the grid again; automatic steps always end there")          \
  WORD(contact, ga_contact_mode, GA_CONTACT_LOCATE, "locate|step", "contact",                      \
       "contacts: cut steps where a contact changes its state (locate), or not (step), for many "  \
       "contacts")                                                                                 \
  REAL(rest_time, 0, 0, 1e300, "rest-time",                                                        \
       "contacts: a bounce whose next flight would be shorter than this ends at rest; 0: h")       \
  WORD(start, ga_start, GA_START_BEST, "best|plain|shifted|perturbed|implicit", "start",           \
       "starting values of the memory a; best: what the method needs for order 2 from t0 on")      \
  WORD(mass_at, ga_mass_at, GA_MASS_EVALUATED, "evaluated|previous", "mass-at",                    \
       "old mass of weighted residuals: evaluated in each step, or kept from the one before")      \
  WORD(rescale, ga_rescale, GA_RESCALE_ALL, "a,v|a|v|gamma|none", "rescale",                       \
       "what is corrected when the step size changes; others than the default for comparison")     \
  WORD(initial, ga_initial, GA_INITIAL_CHECK, "check|project", "initial",                          \
       "q0, v0 that violate a constraint: refuse (check) or move them (project)")                  \
  REAL(initial_tol, 1e-9, 0, 1, "initial-tol", "relative violation of a constraint allowed at t0") \
  WORD(redundant, ga_redundant, GA_REDUNDANT_REFUSE, "refuse|allow", "redundant",                  \
       "constraints that follow from others: refuse them, or go on with an independent set")       \
  REAL(newton_tol, 0, 0, 1e-2, "newton-tol",                                                       \
       "Newton tolerance: error of accelerations relative to the largest of their coupled "        \
       "subsystem; 0: 1e-12; with automatic steps rtol/100, at most 1e-5, where something is "     \
       "stiff or in contact rtol/1000, at most 1e-8")                                              \
  INT(newton_max, 20, 1, 1000, "newton-max", "largest number of Newton iterations from one guess") \
  INT(matrix_every, 0, 0, 1000000, "matrix-every",                                                 \
      "renew the Newton matrix at least every N steps; 0: when that pays")                         \
  INT(project_every, 0, 0, 1000000, "project-every",                                               \
      "project position and velocity onto the constraints after every N steps; 0: never")

#define GA_OPT_NAME(field, def, key, help) const char *field;
#define GA_OPT_TEXT(field, def, argument, key, help) const char *field;
#define GA_OPT_REAL(field, def, least, largest, key, help) double field;
#define GA_OPT_INT(field, def, least, largest, key, help) int field;
#define GA_OPT_WORD(field, type, def, words, key, help) type field;

/* Get one from ga_options_default() and assign fields; ga_integrator_new copies it. Strings and the
 * solver's functions are borrowed and must outlive the integrator. */
typedef struct ga_options {
  ga_params par; /* default ga_params_rho(0.9) */
  GA_OPTION_LIST(GA_OPT_NAME, GA_OPT_TEXT, GA_OPT_REAL, GA_OPT_INT, GA_OPT_WORD)
  /* `method` was chosen: an accuracy (ga_accuracy.h) uses it, too, in place of its own choice.
   * ga_options_set sets it with the key "method", unless the text is the default. */
  bool method_chosen;
  /* nlam + npsi numbers near which the multipliers at the start are sought, where the reaction is
   * nonlinear in them and has several branches; NULL: zeros. Borrowed. */
  const double *multiplier_guess;
  /* The fractions of h_seq as numbers, instead of the text; NULL: the text. Copied. */
  const double *h_fractions;
  int h_fractions_n;
  /* Step sizes from a function instead of h and h_seq: the size of step n (0, 1, .. since the
   * start), which begins at t. It may be called twice for a step and must return the same size. It
   * is never called for a step that would begin at the end of a run or later. A size that is not
   * positive ends the run. NULL: none. */
  double (*step_size)(void *context, long n, double t);
  void *step_context;
  /* nv factors each, for the errors of q (as increments of v's kind) and v in automatic steps: 2
   * makes a component count twice, 0 leaves it out. NULL: ones. Borrowed. */
  const double *weight_q, *weight_v;
  const ga_linsol_ops *linsol_ops; /* a solver of your own; NULL: the one named linsol */
  void *linsol_context;            /* handed to it as ls->context */
  ga_log_fn log;                   /* receives warnings; NULL drops them */
  void *log_context;
  /* The processes that integrate the model together (ga_team.h); NULL: one process. Borrowed. */
  struct ga_team *team;
} ga_options;

#undef GA_OPT_NAME
#undef GA_OPT_TEXT
#undef GA_OPT_REAL
#undef GA_OPT_INT
#undef GA_OPT_WORD

GA_API ga_options ga_options_default(void);

/* Set one option from text, by its key ("newton-tol", "1e-12"). Keys of the parameters: "rho",
 * "alpha", "b", "params" (a name, or alpha_m,alpha_f,beta,gamma). The text is copied for numbers
 * and words, borrowed for names. GA_ERR_ARG with what is wrong and what is allowed.
 * An option that earlier versions had is ignored: GA_OK, with the sentence of ga_option_removed in
 * err->text and as a warning to options->log. */
GA_API ga_status ga_options_set(ga_options *options, const char *key, const char *text,
                                ga_error *err);

/* The fractions of an h-seq text ("1/3,2/3", "0.5,1,1.5"), each greater than 0 and at most 1000:
 * how many there are, and the first `room` of them. -1 with a message if the text is none. */
GA_API int ga_options_sequence(const char *text, double *fraction, int room, ga_error *err);

/* One row per key, for help texts and completion; NULL past the end. */
typedef struct ga_option_info {
  const char *key, *argument, *help, *default_text;
} ga_option_info;
GA_API const ga_option_info *ga_option_at(int i);
/* If `key` is an option that earlier versions had: a sentence that says why it is ignored, as text
 * for a warning. NULL for all other keys. */
GA_API const char *ga_option_removed(const char *key);

/* Range of every number, known words. Names of methods and solvers are checked by
 * ga_integrator_new. */
GA_API ga_status ga_options_validate(const ga_options *options, ga_error *err);

#ifdef __cplusplus
}
#endif
#endif
