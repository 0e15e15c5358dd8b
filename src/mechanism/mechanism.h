/* SPDX-License-Identifier: MIT */
/* The inside of a mechanism: bodies and elements, and the slots of their numbers in the arrays of a
 * model. The files by rooms:
 *   element.h     types of elements, functions of the model's author
 *   space3.h      vectors and 3 x 3 matrices
 *   body/         kinds of bodies: frames, inertia, names
 *   joint/        joint_types.c: tables over primitives; joint.c, rolling.c, curve.c: rows; coordinate.c:
 *                 coordinates, drives; relation.c: couplers; rope.c, sheave.c: ropes; force/; beam/
 *   tree/         joint coordinates: spanning tree, recursion, the carrier of its unknowns
 *   evaluate/     frame_pair.c: rows and tangents of two frames; pass.c, absolute.c, evaluate.c: the ga_model
 *   build/        calls before the build; layout.c: unknowns, patterns, slots; metric.c; build.c
 *   assembly/     start values that fit, sides of loops, equilibrium and modes; contact/: contacts
 *   report/       columns, units, sensors, drawables, check; live/; partition/ */
#ifndef GA_SRC_MECHANISM_H
#define GA_SRC_MECHANISM_H

#include "base/base.h"
#include "base/csr.h"
#include "genalpha/ga_drawable.h"
#include "mechanism/base_frame.h"
#include "mechanism/element.h"
#include "mechanism/evaluate/carrier.h"
#include "mechanism/joint/elementary.h"

/* ---- coordinates ---------------------------------------------------------------------------- */

/* A coordinate of a joint: an unknown of its own, without mass. A state of a controller
 * is a coordinate without a joint. */
typedef struct ga_angle {
  const char *name;     /* "JOINT.NAME", or the name of a state */
  const char *rate;     /* "JOINT.NAME_rate" */
  const char *asked_by; /* the element or output that made it exist, for messages */
  int joint;            /* number in the list of joints; -1: none, or it is in another subdomain */
  double size;          /* of a state or parameter: a large value of it */
  double inertia;       /* of a rotor on it; 0: none */
  int M_at;             /* slot of the inertia in M */
  int which;            /* of the coordinates of the joint's type */
  double start, start_rate;
  bool held, rate_held; /* the author gave start, start_rate: an assembly leaves them */
  int q_at, v_at;       /* its number in q and v */
  int element;          /* number of its element */
} ga_angle;

/* ---- the mechanism -------------------------------------------------------------------------- */

typedef enum {
  GA_NO_NAME,
  GA_NAMED_BODY,
  GA_NAMED_BEAM, /* index: its first node, which is a body */
  GA_NAMED_JOINT,
  GA_NAMED_OTHER, /* drives, couplers, forces */
  GA_NAMED_SENSOR,
  GA_NAMED_STATE, /* of a controller; index: its coordinate */
  GA_NAMED_INPUT,
  GA_NAMED_PARAMETER,
  GA_NAMED_CONTACT /* or limit; index: its group */
} ga_named;

typedef struct ga_symbol {
  const char *name;
  ga_named kind;
  int index;
  double value;
} ga_symbol;

/* A sampled state: value at t = 0, every, 2 every, .., which becomes an input of the model. */
typedef struct ga_sample {
  int input;
  double every;
  ga_law value;
} ga_sample;
enum { GA_SAMPLES_MAX = 256 };

/* A list that grows. Memory that does not grow is in the arena. */
#define GA_LIST(type) \
  struct {            \
    type *item;       \
    int count, room;  \
  }

typedef struct ga_tree ga_tree;
typedef struct ga_tree_room ga_tree_room;

/* Columns of one body or element. */
typedef struct ga_column_block {
  int body;                  /* number of the body; -1: of an element */
  const ga_element *element; /* NULL: of a body */
  int first, extra, usual; /* its first usual column; its first further one, -1: none; usual ones */
} ga_column_block;

struct ga_mechanism {
  ga_arena arena;
  ga_base base;
  bool built;    /* ga_mechanism_build was called: nothing can be added */
  bool assemble; /* the build corrects start values that do not fit */
  double gravity[3];
  ga_formulation formulation;          /* default of rigid bodies */
  GA_LIST(ga_solid) bodies;            /* number 0 is the ground */
  GA_LIST(ga_element) joints;          /* in order of their calls */
  GA_LIST(ga_element) others;          /* drives, couplers, forces, in order of their calls */
  GA_LIST(ga_element) touches, groups; /* points of contacts, ends of limits; both as a whole */
  GA_LIST(ga_element) sensors;         /* and inputs: what has columns only */
  GA_LIST(ga_input) inputs;
  GA_LIST(ga_sample) samples; /* states that are sampled */
  GA_LIST(ga_angle) coordinates;
  GA_LIST(ga_signal) signals; /* what functions use besides their own variables */
  GA_LIST(ga_uses *) uses;    /* of all functions that use signals */
  GA_LIST(ga_expr *) texts;   /* expressions that it owns */
  GA_LIST(ga_line) lines;     /* for pictures only, as the contact points */
  GA_LIST(ga_contact_point) contact_points;
  GA_LIST(ga_symbol) symbols; /* hash table of nsymbol names (names.c) */
  int nsymbol;
  /* set by the build: */
  GA_LIST(ga_element) elements; /* joints, coordinates, others: order of evaluation and of rows */
  ga_space *space;
  bool spread; /* elements have mass: beams */
  int nq, nv, nlam, npsi;
  int nfree;         /* elements before those of hard contacts, which come last, one gap each */
  int nlaid;         /* elements with rows in the patterns: before the pairs that wait (crowd.c) */
  int *touch_at;     /* of each touch: the number of its element */
  ga_csr M, K, G, H; /* patterns; K is that of Kt and Ct */
  ga_model model;
  const ga_carrier *carrier;
  ga_coordinates coordinates_asked;
  const char *coordinates_text; /* which were taken, and why */
  ga_tree *tree;                /* of joint coordinates; NULL: absolute ones */
  ga_mechanism *absolute;       /* the same in absolute coordinates; NULL: this one is */
  double *q0, *v0;              /* start values */
  const double *anywhere;       /* zeros: q and v of calls in which only time matters */
  GA_LIST(ga_timed) timed;      /* functions that may change unexpectedly in time */
  double length; /* largest distance of points of joints and forces and of centres of mass */
  GA_LIST(ga_column_block) blocks;
  const char **columns;           /* names */
  int ncolumn, ndefault;          /* all columns, usual columns */
  int *column_slot, column_slots; /* hash table of their names, its size */
  char *text;                     /* free memory for names, text_left bytes */
  size_t text_left;
  ga_log_fn log;
  void *log_context;
};

/* Element i: joints first, then drives, couplers and forces, then contacts; their number. */
static inline const ga_element *ga_mechanism_element(const ga_mechanism *m, int i) {
  if (i < m->joints.count) return &m->joints.item[i];
  const int k = i - m->joints.count, n = m->others.count;
  return k < n ? &m->others.item[k] : &m->touches.item[k - n];
}
static inline int ga_mechanism_elements(const ga_mechanism *m) {
  return m->joints.count + m->others.count + m->touches.count;
}
/* after the layout: the element of touch i */
static inline const ga_element *ga_mechanism_touch(const ga_mechanism *m, int i) {
  return &m->elements.item[m->touch_at[i]];
}

/* Room for one more item of a list; false without memory: the list is unchanged then. */
void *ga_grown(void *item, int count, int *room, size_t size);
#define GA_GROW(list)                                                                    \
  ((list).item = ga_grown((list).item, (list).count, &(list).room, sizeof *(list).item), \
   (list).count < (list).room)

/* ---- one evaluation (pass.c) ---------------------------------------------------------------- */

enum { GA_FRAME_SLOTS = 32 };

/* One evaluation. It lives on the caller's stack, because threads share the mechanism. Frames are
 * computed when an element asks for them, and kept in a small cache: the next element of a chain
 * finds the frame of the common body there. */
struct ga_pass {
  const ga_mechanism *m;
  double t;
  const double *q, *v;
  const double *u;          /* inputs */
  const ga_evaluation *out; /* what is wanted, and where it goes */
  bool holonomic;           /* g, G, Z, g_t or drift are wanted */
  bool nonholonomic;        /* k, H, Y or k_drift are wanted */
  bool tangents;            /* Kt and Ct are wanted */
  bool curved;              /* Z, Y or a drift is wanted: second derivatives */
  ga_tree_room *room;       /* of joint coordinates: scratch memory */
  /* of the absolute carrier: */
  int tag[GA_FRAME_SLOTS]; /* cache: the body whose frame is in the slot, -1: none */
  ga_frame slot[GA_FRAME_SLOTS], spare;
  const ga_frame *frame[2]; /* of the element that asked last */
};

/* Prepares a pass at (t, q, v): sets flags from `out`; arrays are borrowed. False: no memory. Each
 * pass that was begun must be ended. */
bool ga_pass_begin(ga_pass *pass, const ga_mechanism *m, double t, const double *q, const double *v,
                   const ga_evaluation *out);
void ga_pass_end(ga_pass *pass);
/* *a, *b = frames of an element's bodies, valid until the next call. To be called before the
 * functions below. */
void ga_pass_frames(ga_pass *pass, const ga_element *el, const ga_frame **a, const ga_frame **b);

/* Writes row i of an element (holonomic ones first) into g, G, Z, drift or k, H, Y, drift, as far
 * as they are wanted. */
void ga_pass_row(ga_pass *pass, const ga_element *el, int i, const ga_row *row);
/* The same for the row d_k of two points, which most joints have; adds the tangent of a force phi
 * between two points. Both are faster than the general functions. */
void ga_pass_point_row(ga_pass *pass, const ga_element *el, int i, int k, const ga_pair *p);
void ga_pass_point_tangent(ga_pass *pass, const ga_element *el, const double *phi,
                           const ga_pair *p);
/* Writes the derivative of row i by the element's k-th coordinate to G or H. */
void ga_pass_row_coordinate(ga_pass *pass, const ga_element *el, int i, int k, double coefficient);
/* Add a covector of forces to F, a tangent to Kt and Ct. */
void ga_pass_force(ga_pass *pass, const ga_element *el, const double *f);
void ga_pass_tangent(ga_pass *pass, const ga_element *el, ga_tangent *t);

/* multipliers of an element's holonomic rows; only where tangents are wanted */
static inline const double *ga_pass_lam(const ga_pass *pass, const ga_element *el) {
  return pass->out->lam + el->lam_at;
}

/* multipliers of an element's nonholonomic rows; only where tangents are wanted */
static inline const double *ga_pass_psi(const ga_pass *pass, const ga_element *el) {
  return pass->out->psi + el->psi_at;
}

/* All blocks that ga_pass_tangent writes for an element of this structure. */
unsigned ga_pass_blocks(const ga_mechanism *m, const ga_element *el, const ga_structure *s);

/* *frame <- frame of a body; frames of an element stay valid. ga_pass_motion: also its quaternion p
 * (of a planar body the angle) and its accelerations x'', omega' in space axes for v' = vd; p, vd
 * NULL: not wanted. */
void ga_pass_frame(ga_pass *pass, int body, ga_frame *frame);
void ga_pass_motion(ga_pass *pass, int body, const double *vd, ga_frame *frame, double *p,
                    double *xdd, double *wd);

/* Set the values of signals in a call whose own variables have values; the same, then f and, if they
 * are wanted, the derivatives c->by. 0, or the code of an author's function (signal/signal.c). */
int ga_pass_fill_call(ga_pass *pass, ga_call *c);
int ga_pass_call(ga_pass *pass, ga_call *c, bool derivatives, double *f);
/* Adds to Kt and Ct how a force f times the function of c changes with its signals, c->by given. f:
 * 12 numbers (force, moment of A, then of B) in space axes; NULL: it acts on the element's
 * coordinate with factor 1. 0, or the code of an author's function. */
int ga_pass_reach(ga_pass *pass, const ga_element *el, const ga_call *c, const double *f);

/* The code of an evaluation without memory: no element has it. */
enum { GA_PASS_MEMORY = -2147483647 };

/* The code > 0 that an element returns if a smaller step may help: 1 + its number, which names it
 * in messages. */
static inline int ga_element_code(const ga_pass *pass, const ga_element *el) {
  return (int)(el - pass->m->elements.item) + 1;
}

/* Turns the code of a user's function, > 0 (retry) or < 0 (failed), into that of the element. */
static inline int ga_function_code(const ga_pass *pass, const ga_element *el, int code) {
  return code > 0 ? ga_element_code(pass, el) : -ga_element_code(pass, el);
}

/* ---- joints --------------------------------------------------------------------------------- */

/* A primitive row: a on side A, b on side B are numbers of joint axes. */
typedef struct ga_primitive ga_primitive;
typedef struct ga_primitive_row {
  const ga_primitive *primitive;
  int a, b;
} ga_primitive_row;
extern const ga_primitive ga_primitive_coincide, ga_primitive_plane, ga_primitive_perpendicular,
    ga_primitive_distance;

/* atan2(u, w), u = a1.b1, w = a2.b2; or the position along an axis; or the distance of the points,
 * and the angles of the line between them; or the parameter of a curve, by the joint's own rows. */
typedef struct ga_coordinate_spec {
  const char *name;
  bool angle;
  int a1, b1, a2, b2; /* a1: the axis of a position */
  bool distance, parameter;
  int seen_from; /* 1, 2: angle of the line between the points about z, seen from A, B */
} ga_coordinate_spec;

enum { GA_COORDINATES_MAX = 3 };

typedef struct ga_row_list {
  int count; /* -1: there is no such joint */
  ga_primitive_row row[GA_JOINT_ROWS_MAX];
} ga_row_list;

typedef struct ga_joint_friction ga_joint_friction;
/* what slips in a bearing: turns about z, slides along z, turns about a point */
enum { GA_BEARING_TURNS = 1, GA_BEARING_SLIDES = 2, GA_BEARING_BALL = 4 };

typedef struct ga_joint_type {
  const char *name, *summary;
  ga_row_list space, plane;
  ga_tree_list tree;
  ga_coordinate_spec coordinate[GA_COORDINATES_MAX];
  unsigned uses, needs;             /* fields of a description */
  unsigned plane_uses, plane_needs; /* the same between planar bodies */
  bool point_a, point_b;            /* side A, side B may be a point body */
  bool needs_rotation;              /* both sides must be bodies with axes */
  unsigned aligned;                 /* axes k with a_k.b_k > 0 at a start, bits */
  unsigned bearing;                 /* GA_BEARING_..: it may have friction by its own force */
  const ga_element_type *element;
  int npsi;
} ga_joint_type;

/* the i-th joint type, NULL past the end; the one with this name, NULL if there is none */
const ga_joint_type *ga_joint_type_at(int i);
const ga_joint_type *ga_joint_type_named(const char *name);

typedef struct ga_joint_data {
  const ga_joint_type *type;
  const ga_row_list *rows;
  bool axes, points; /* primitives with joint axes are among them, and others */
  ga_joint_frame side[2];
  double length, radius, radii; /* radii: of the sheaves of a span, B less A (coordinate.c) */
  int turns[GA_COORDINATES_MAX];
  int coordinate[GA_COORDINATES_MAX]; /* numbers, -1: does not exist */
  ga_law curve[3];                    /* of a point on a curve: functions of s */
  double near;                        /* value of s from which its start is sought */
  ga_joint_friction friction;         /* of a bearing */
} ga_joint_data;

/* Sets the rows of a joint and its flags axes and points. */
void ga_joint_set_rows(ga_joint_data *joint, const ga_row_list *rows);

extern const ga_element_type ga_element_bearing, ga_element_joint, ga_element_distance,
    ga_element_rolling, ga_element_knife_edge, ga_element_coordinate, ga_element_drive,
    ga_element_rate, ga_element_coupler, ga_element_state, ga_element_span, ga_element_curve,
    ga_element_parameter;
/* geometry of all joints */
void ga_joint_geometry(const ga_mechanism *m, const ga_element *el, ga_geometry *g);

/* Value and rate of a coordinate in the start configuration; false: not defined there. */
bool ga_coordinate_start(const ga_mechanism *m, const ga_element *joint, int which, double *value,
                         double *rate);
/* rows of a coordinate without theta; false where the angle is not defined */
bool ga_coordinate_row(const ga_pair *p, const ga_joint_data *joint, int which, ga_row *row);

/* Wrench of a joint on B in joint axes of A: force, moment about p_a. f is G^T lam + H^T psi. */
void ga_wrench_columns(const ga_pair *p, const double *f, double *values);

/* Kind of a coordinate: its value is an angle, a length, or anything (states). */
typedef enum { GA_COORDINATE_ANGLE, GA_COORDINATE_LENGTH, GA_COORDINATE_STATE } ga_coordinate_kind;
static inline ga_coordinate_kind ga_kind_of_coordinate(const ga_mechanism *m, int coordinate) {
  const ga_angle *c = &m->coordinates.item[coordinate];
  if (c->joint < 0) return GA_COORDINATE_STATE;
  const ga_joint_data *joint = (const ga_joint_data *)m->joints.item[c->joint].data;
  if (joint->type->coordinate[c->which].parameter) return GA_COORDINATE_STATE;
  return joint->type->coordinate[c->which].angle ? GA_COORDINATE_ANGLE : GA_COORDINATE_LENGTH;
}

/* ---- data of other elements ----------------------------------------------------------------- */

typedef struct ga_coordinate_data {
  const ga_coordinate_spec *spec;
  const ga_joint_data *joint;
} ga_coordinate_data;

/* ---- sensors (report/sensor.c) -------------------------------------------------------------- */

typedef struct ga_sensor_data {
  double s[2][3]; /* points from the centres of mass, or directions; body axes */
  ga_law value;   /* of an expression */
  int of;         /* number in the list of others */
} ga_sensor_data;

typedef struct ga_sensor_type {
  ga_element_type element; /* its name is the type's name */
  /* fills the bodies of el and the data from the description; owner begins messages */
  ga_status (*describe)(ga_mechanism *m, const char *owner, const ga_sensor *sensor, ga_element *el,
                        ga_sensor_data *data, ga_error *err);
} ga_sensor_type;
/* The i-th type, NULL past the end. */
const ga_sensor_type *ga_sensor_type_at(int i);

/* ---- columns -------------------------------------------------------------------------------- */

/* position, velocity and acceleration of a point, s from the centre of mass in body axes */
void ga_point_motion(const ga_frame *f, const double *xdd, const double *wd, const double *s,
                     double *x, double *xd, double *a);
/* column i if it belongs to the whole mechanism (t, energies, momenta), NULL: to a body or
 * element */
const ga_column *ga_mechanism_own_column(const ga_mechanism *m, int i);
void ga_body_columns(ga_pass *pass, const ga_state *state, const ga_solid *b, double *values);

/* ---- calls inside --------------------------------------------------------------------------- */

/* tree/support.c: why it cannot run in joint coordinates, as the end of a sentence in text, NULL: it
 * can; the choice at the end of the build; what it owns of joint coordinates */
const char *ga_mechanism_joint_refusal(const ga_mechanism *m, char *text, size_t room);
ga_status ga_mechanism_choose_coordinates(ga_mechanism *m, double t0, ga_error *err);
void ga_mechanism_free_tree(ga_mechanism *m);

/* Orders the unknowns and rows; sets space, patterns and slots. */
ga_status ga_mechanism_layout(ga_mechanism *m, ga_error *err);
/* Sets the names of all columns and their hash table; needs the layout. */
ga_status ga_mechanism_name_columns(ga_mechanism *m, ga_error *err);
/* Sets m->model; needs the layout. */
ga_status ga_mechanism_make_model(ga_mechanism *m, ga_error *err);
/* Computes what `out` asks for at (t, q, v). 0, or the code of the element that could not be
 * evaluated: > 0 if a smaller step may help, < 0 if not. */
int ga_mechanism_evaluate(const ga_mechanism *m, double t, const double *q, const double *v,
                          const ga_evaluation *out);
/* The function of an element that is not finite at (t, q, v), as a sentence; "": none is. */
const char *ga_mechanism_explain_nonfinite(const ga_mechanism *m, double t, const double *q,
                                           const double *v, const double *u, char *text,
                                           size_t room);
/* callbacks of a model; reacting: a row reacts on its own coordinate only; of joint coordinates */
extern const ga_model_ops ga_mechanism_ops, ga_mechanism_ops_reacting, ga_mechanism_ops_tree,
    ga_mechanism_ops_tree_reacting, ga_mechanism_ops_tree_solving;
const ga_model_ops *ga_mechanism_ops_of(const ga_mechanism *m, bool reacts);

/* signal/state.c: sets the inputs of m->model, false: no memory; sets v of all states to their rates
 * at t, q and the other v */
bool ga_mechanism_set_inputs(ga_mechanism *m);
double ga_mechanism_next_sample(const ga_mechanism *m, double t);
int ga_mechanism_sample(const ga_mechanism *m, double t, const double *q, const double *v,
                        bool first, double *u);
ga_status ga_mechanism_settle(const ga_mechanism *m, double t, const double *q, double *v,
                              ga_error *err);
/* assemble.c: assembles q0 and v0 at the build */
ga_status ga_mechanism_assemble_start(ga_mechanism *m, double t0, ga_error *err);
/* metric.c: sets m->model.metric; false: no memory */
bool ga_mechanism_set_metric(ga_mechanism *m);
/* sets `arm` of all bodies */
void ga_mechanism_measure_arms(ga_mechanism *m);
/* sides.c: GA_ERR_INITIAL if the assembly bent a loop to its other side. before, after: q; hold: nv
 * flags of velocities that could not move, or NULL */
ga_status ga_mechanism_check_sides(const ga_mechanism *m, const double *before, const double *after,
                                   const bool *hold, ga_error *err);
/* row `row` of an element is a length, not an angle */
bool ga_row_is_length(const ga_mechanism *m, const ga_element *el, int row);
/* size of a large residual of that row: the mechanism's length, or 1 rad */
double ga_row_size(const ga_mechanism *m, const ga_element *el, int row);
/* resistance of velocities to change and their units, nv numbers each (see ga_assembly) */
void ga_mechanism_weights(const ga_mechanism *m, double *weight, double *unit);

/* add_element.c: appends *el to m->others, its coordinates and `size` bytes of data copied; its name
 * is free, only memory can fail */
ga_status ga_mechanism_add_other(ga_mechanism *m, const char *name, ga_element *el, size_t size,
                                 ga_error *err);

/* names.c */
/* a copy of text followed by more, owned by m; NULL without memory */
const char *ga_mechanism_text(ga_mechanism *m, const char *text, const char *more);
/* GA_ERR_ARG unless the name can be used for something new; what: its kind, for messages */
ga_status ga_mechanism_claim(ga_mechanism *m, const char *what, const char *name, ga_error *err);
/* Enters a new name into the table. index: number in the list of its kind; value: of a parameter */
ga_status ga_mechanism_define(ga_mechanism *m, const char *name, ga_named kind, int index,
                              double value, ga_error *err);
/* Takes a name out of the table. */
void ga_mechanism_undefine(ga_mechanism *m, const char *name);
/* the symbol of this name, NULL if there is none */
const ga_symbol *ga_mechanism_find(const ga_mechanism *m, const char *name);
/* *index = number of the body, 0 for "ground"; GA_ERR_ARG for an unknown name. owner begins
 * messages. */
ga_status ga_mechanism_body_named(const ga_mechanism *m, const char *owner, const char *name,
                                  int *index, ga_error *err);
/* *index = number of the coordinate "JOINT.NAME", which is created if it does not exist yet */
ga_status ga_mechanism_coordinate_named(ga_mechanism *m, const char *owner, const char *name,
                                        int *index, ga_error *err);
/* removes all coordinates but the first `count`: undoes what a failed call created */
void ga_mechanism_forget_coordinates(ga_mechanism *m, int count);
/* *law = a function of the author; an expression is parsed here and owned by m. owner and field
 * begin messages. */
ga_status ga_mechanism_law(ga_mechanism *m, const char *owner, const char *field,
                           const ga_function *function, const ga_variable *variables, ga_law *law,
                           ga_error *err);
/* Names of signals that an expression mentions, while it is parsed; ga_used_name: number of a name,
 * entered as `copy` if it is new; -1: too many */
typedef struct ga_used_names {
  int count;
  const char *name[GA_USES_MAX];
} ga_used_names;
int ga_used_name(ga_used_names *used, const char *name, const char *copy);
unsigned ga_hash(const char *text); /* FNV-1a */
/* points.c: points and directions of both sides */
typedef struct ga_sides {
  const char *owner;
  const ga_solid *body[2];
  const ga_base *base; /* frame of the description; NULL: that of space */
} ga_sides;
/* number and sides->body = the two bodies of `between`; they must differ, and must not be one
 * planar and one spatial (add_joint.c) */
ga_status ga_sides_of(const ga_mechanism *m, const char *const between[2], int number[2],
                      ga_sides *sides, ga_error *err);
/* s[side] = one point as an offset from the centre of mass of each body, body axes; default: the
 * origin of B */
ga_status ga_locate_point(const ga_sides *sides, const char *field, const ga_point *point,
                          double s[2][3], ga_error *err);
void ga_side_point(const ga_sides *sides, int side, const double *given, double *x); /* points.c */
/* the same for a point of each body, which may be apart; default: the body's origin */
ga_status ga_locate_origins(const ga_sides *sides, const char *field, const ga_point *point,
                            double s[2][3], ga_error *err);
/* a[side] = unit vector of a direction in the axes of each body */
ga_status ga_locate_direction(const ga_sides *sides, const char *field, const ga_point *point,
                              double a[2][3], ga_error *err);
/* E[side] = joint axes of each side as columns, body axes. planar: z in the plane if it is given,
 * then x is e_z cross z */
ga_status ga_locate_axes(const ga_sides *sides, bool planar, const ga_point *axis,
                         const ga_point *x_axis, double E[2][9], ga_error *err);
/* all n numbers are finite */
bool ga_finite(int n, const double *x);

#endif
