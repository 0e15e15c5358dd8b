/* SPDX-License-Identifier: MIT */
/* Elements: joints, coordinates, drives, couplers, forces, sensors. Each has a type, which is a
 * table of functions. Other files ask the table and never compare types.
 *
 * Functions that the author of a model gives (laws of springs, values of forces, motions of drives)
 * are called through ga_call with a list of variables. */
#ifndef GA_SRC_ELEMENT_H
#define GA_SRC_ELEMENT_H

#include "base/expr.h"
#include "genalpha/ga_mechanism.h"
#include "mechanism/body/body.h"
#include "mechanism/report/column.h"

typedef struct ga_element ga_element;
typedef struct ga_signal ga_signal;
typedef struct ga_reach ga_reach;

/* ---- functions of the model's author (force/law.c) ------------------------------------------ */

/* Names of the signals (signal/signal.h) that a function uses besides its own variables, and their
 * numbers, which are found when all elements are there. Copies of a law share it. */
typedef struct ga_uses {
  int count;
  const char *const *name;
  int *signal;               /* numbers in the list of signals; NULL: not resolved yet */
  const char *owner, *field; /* for messages */
  const void *source;        /* the names as the author gave them, to find them again */
  int mark;                  /* of the search for cycles */
} ga_uses;

/* A number, an expression or a C function. */
typedef struct ga_law {
  double constant;
  ga_expr *expr;
  ga_function_fn fn;
  void *context;
  void (*next_corner)(void *context, int time, double t,
                      ga_corner *corner); /* of fn; may be NULL */
  void (*surprise)(void *context, int time, double since, double t, double way,
                   ga_corner *surprise); /* likewise */
  int (*along)(void *context, const double *variables, const double *direction,
               double f[3]); /* of fn; may be NULL */
  bool zero;                 /* the constant 0: needs no call */
  const ga_uses *uses;       /* NULL: it has its own variables only */
} ga_law;

/* A variable of its own that a function has by the place where it stands. */
typedef struct ga_variable {
  const char *name; /* in expressions and messages */
  bool time;        /* it is t: no frame moves it */
} ga_variable;

/* The variables of a function of t, and of a law: s, s_dot, t. Each list ends with a NULL name. */
extern const ga_variable ga_of_time[], ga_of_state[];
enum { GA_OF_TIME_T = 0, GA_LAW_S = 0, GA_LAW_RATE, GA_LAW_T, GA_OWN_MAX };
enum { GA_USES_MAX = 21, GA_VARIABLES_MAX = GA_OWN_MAX + GA_USES_MAX };

/* A function and the point where it is called: values of its own variables, then of the signals it
 * uses. The derivatives go to `by`: the element multiplies by[i] of its own variables by their
 * derivatives with respect to its frames, ga_pass_reach does so for the signals. */
typedef struct ga_call {
  const ga_law *law;
  const char *field;            /* of the description, for messages: "law", "value", .. */
  const ga_variable *variables; /* ga_of_time or ga_of_state */
  int time_derivatives;         /* how many derivatives by t the element uses: 0, 1 or 2 */
  double value[GA_VARIABLES_MAX], by[GA_VARIABLES_MAX];
} ga_call;

/* *c <- a call of this function; values of variables follow. Arrays are not cleared: they are long. */
static inline void ga_call_begin(ga_call *c, const ga_law *law, const char *field,
                                 const ga_variable *variables, int time_derivatives) {
  c->law = law;
  c->field = field;
  c->variables = variables;
  c->time_derivatives = time_derivatives;
  for (int i = 0; i < GA_OWN_MAX; i++) c->by[i] = 0;
}

/* number of variables of its own; of all variables */
int ga_call_own(const ga_call *c);
int ga_call_variables(const ga_call *c);
/* name of variable i */
const char *ga_call_variable(const ga_call *c, int i);
/* f at c->value and, if they are wanted, c->by of all variables but the time of its own (0). 0, or
 * what the author's C function returned. */
int ga_call_law(ga_call *c, bool derivatives, double *f);
/* f and its first and second derivative along one variable (-1: f alone); the same codes */
int ga_law_jet(const ga_law *law, const double *variables, int along, double f[3]);

/* f and its two derivatives along a direction; n: number of variables */
int ga_law_jet_along(const ga_law *law, const double *variables, const double *direction, int n,
                     double f[3]);

/* Its first corner after t, where variable number `time` is t; jumps counts derivatives of f. */
ga_corner ga_law_next_corner(const ga_law *law, int time, double t);
/* As `surprise` of ga_model_ops; jumps counts derivatives of f. May there be one? */
ga_corner ga_law_surprise(const ga_law *law, int time, double since, double t, double way);
bool ga_law_may_surprise(const ga_law *law, int time);

/* A function, which of its variables is the time, and which derivative of a position it lets jump. */
typedef struct ga_timed {
  const ga_law *law;
  int time, jumps;
  const char *what, *name; /* of its element, for messages */
} ga_timed;

/* e = sum c_k theta_k - equals - f(t, theta), of the coordinates of an element (joint/relation.c) */
typedef struct ga_relation {
  double equals;
  const double *coefficient; /* of each coordinate; 0: it is a variable of f only */
  ga_law law;                /* f, function of t and coordinates; zero: none */
  const int *variable;       /* which coordinate of the element each name is that f uses */
} ga_relation;
enum { GA_RELATION_MAX = 64 }; /* coordinates of an element with f or with a force */

/* ---- types ---------------------------------------------------------------------------------- */

enum { GA_JOINT_ROWS_MAX = 6 };

/* Entries of M that an element has between its bodies. */
typedef enum ga_mass_structure {
  GA_MASS_NONE,
  GA_MASS_DIAGONAL, /* constant */
  GA_MASS_FULL      /* all, depending on q */
} ga_mass_structure;

/* Nonzeros of an element: which of dx_a, dphi_a, dx_b, dphi_b its rows and forces depend on. */
typedef struct ga_structure {
  unsigned touches[GA_JOINT_ROWS_MAX]; /* bits GA_IN_XA .. of each row, holonomic rows first */
  int axis[GA_JOINT_ROWS_MAX];         /* 1 + k: the row has component k of x only; 0: all */
  bool coordinates;                    /* the rows depend on the element's coordinates, too */
  unsigned force;                      /* bits GA_IN_XA .. of a force; rows count by themselves */
  unsigned blocks;                     /* GA_BLOCK_BIT of the plain derivatives, of Kt and Ct */
  bool coordinate_block;               /* Kt and Ct have entries (theta_i, theta_k) */
  ga_mass_structure mass;              /* of bodies whose kind is `spread` */
} ga_structure;

/* Points of an element for pictures and for the sizes of coordinates. */
typedef struct ga_geometry {
  const char *type;      /* word for pictures; preset: the type's name */
  bool has[2];           /* there is a point on side A, on side B */
  bool only_drawn;       /* no force or row depends on the points */
  double s[2][3];        /* points from the centres of mass, body axes */
  const double *E[2];    /* joint axes as columns, body axes; NULL: the body's own */
  double length, radius; /* of a rod or a spring, of a wheel; 0: none */
  bool law;              /* of a spring: its force follows a law alone */
} ga_geometry;

/* Order of columns: all joints first, then all coordinates, .. */
typedef enum ga_column_order {
  GA_ORDER_JOINTS,
  GA_ORDER_COORDINATES,
  GA_ORDER_DRIVES,
  GA_ORDER_COUPLERS,
  GA_ORDER_FORCES,
  GA_ORDER_BEAMS,
  GA_ORDERS
} ga_column_order;

enum { GA_POWER = -1 }; /* in the place of a column: the power of an element */

/* Functions may be NULL where a comment says so. Functions that return int return 0, a code > 0 (a
 * smaller step may help) or < 0 (failed); ga_element_code makes both. */
typedef struct ga_element_type {
  const char *name;    /* of forces and sensors: the word for `type` in a description */
  const char *what;    /* in messages: "joint", "spring", "sensor" */
  const char *trouble; /* why an evaluation may ask for a smaller step, for messages */
  bool rheonomic;      /* its holonomic rows depend on t, of a relation: if it has a function */
  bool relation;       /* its data begin with a ga_relation */
  bool absolute_only;  /* it needs absolute coordinates (tree/support.c) */
  void (*structure)(const ga_mechanism *m, const ga_element *el, ga_structure *s);
  /* adds to everything that pass->out asks for */
  int (*evaluate)(ga_pass *pass, const ga_element *el);
  double (*energy)(ga_pass *pass, const ga_element *el); /* potential energy; NULL: 0 */
  /* adds its kinetic energy, momentum and angular momentum about the origin; NULL: it has no mass */
  void (*motion)(ga_pass *pass, const ga_element *el, double *kinetic, double *p, double *L);
  /* the i-th function that the author gave, with the values of its variables, NaN where they are not
   * defined; false past the last one; NULL: none */
  bool (*function)(ga_pass *pass, const ga_element *el, int i, ga_call *call);
  void (*geometry)(const ga_mechanism *m, const ga_element *el, ga_geometry *g); /* NULL: none */
  ga_column_order order;
  const ga_column *columns; /* ncolumn usual ones, then nextra that are known by name only */
  int ncolumn, nextra;
  void (*output)(ga_pass *pass, const ga_state *state, const ga_element *el, double *values);
  /* power that it delivers to the mechanism; NULL: it has none that could be told */
  double (*power)(ga_pass *pass, const ga_state *state, const ga_element *el);
  /* the i-th function of the author, NULL past the last one; NULL: none */
  const ga_law *(*law)(const ga_element *el, int i);
  /* Sets the signal that functions see as its column, or as its power (GA_POWER); false: functions
   * cannot use it. NULL: none of them. */
  bool (*signal)(ga_mechanism *m, const ga_element *el, int column, ga_signal *signal);
} ga_element_type;

/* Slots of one row in G (and Z) or H (and Y). */
typedef struct ga_row_slots {
  int at[2];            /* of each body: slot of the first entry */
  unsigned char own[2]; /* of each body: bit k is set if velocity k has an entry */
} ga_row_slots;

struct ga_element {
  const ga_element_type *type;
  const char *name;
  int body[2];        /* sides A and B; 0: the ground */
  int nlam, npsi;     /* numbers of holonomic and nonholonomic rows */
  int lam_at, psi_at; /* its first multipliers */
  int ncoordinate;
  const int *coordinate; /* numbers of the coordinates it acts on */
  const void *data;      /* of the type */
  /* set by layout.c: */
  unsigned blocks;    /* blocks of Kt and Ct that it fills, bits GA_BLOCK_BIT */
  ga_row_slots *row;  /* nlam + npsi */
  int *coordinate_at; /* slots of the coordinates: ncoordinate per row, then those of Kt, by rows */
  int *K_at; /* for each velocity of A, then of B: slots of the blocks x_a, phi_a, x_b, phi_b
                in its row of Kt; -1: none */
  int *M_at; /* for each velocity of A, then of B: slots of A and of B in its row of M */
  const ga_reach *reach; /* what the signals of its functions depend on; NULL: no signals */
};

#endif
