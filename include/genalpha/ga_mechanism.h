/* SPDX-License-Identifier: MIT */
/* Mechanisms: bodies, joints, drives, couplers, forces and sensors, put together by calls.
 *
 *     ga_mechanism *m;
 *     ga_error err;
 *     ga_mechanism_new(&m);
 *     ga_mechanism_set_gravity(m, (double[3]){0, 0, -9.81});
 *     ga_mechanism_add_body(m, &(ga_body){.name = "rod", .mass = 2, .inertia = {0, 1./6, 1./6},
 *                                         .position = {0.5, 0, 0}}, &err);
 *     ga_mechanism_add_joint(m, &(ga_joint){.name = "pin", .type = "revolute",
 *         .between = {"ground", "rod"}, .at = GA_IN_SPACE(0, 0, 0), .axis = GA_IN_SPACE(0, 1, 0)},
 *         &err);
 *     ga_mechanism_build(m, 0, &err);
 *     ga_integrator_new(ga_mechanism_model(m), &options, &it, &err);
 *     ga_integrator_start(it, 0, ga_mechanism_q0(m), ga_mechanism_v0(m));
 *     ga_integrator_run(it, t_end);
 *     ga_integrator_free(it);
 *     ga_mechanism_free(m);  // after the integrator
 *
 * Every call copies its description. A call that fails returns an error and leaves the mechanism as
 * it was. After ga_mechanism_build the mechanism is constant: any number of integrators and threads
 * may use it together. Zero means "not given" in all descriptions; each field has its default beside
 * it. docs/reference/models.md has the mathematics of every element. */
#ifndef GA_MECHANISM_H
#define GA_MECHANISM_H

#include <genalpha/ga_events.h>
#include <genalpha/ga_integrator.h>
#include <genalpha/ga_model.h>
#include <genalpha/ga_statics.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ga_mechanism ga_mechanism;

/* A number that may be left out. */
typedef struct ga_given {
  double value;
  bool given;
} ga_given;
#define GA_VALUE(number) \
  { (number), true }

/* A point or a direction: in space, in the initial configuration, which fixes it on both sides; or
 * in the axes of the bodies themselves, on side A (first of `between`), on side B, or on both. */
typedef enum ga_point_kind {
  GA_NOT_GIVEN = 0,
  GA_SPACE = 1,
  GA_SIDE_A = 2,
  GA_SIDE_B = 4,
  GA_SIDES = 6
} ga_point_kind;
typedef struct ga_point {
  ga_point_kind kind;
  double a[3]; /* in space, or in the axes of A */
  double b[3]; /* in the axes of B */
} ga_point;
typedef ga_point ga_axis; /* a direction */
#define GA_IN_SPACE(x, y, z)     \
  {                              \
    GA_SPACE, {(x), (y), (z)}, { \
      0, 0, 0                    \
    }                            \
  }
#define GA_ON_A(x, y, z)          \
  {                               \
    GA_SIDE_A, {(x), (y), (z)}, { \
      0, 0, 0                     \
    }                             \
  }
#define GA_ON_B(x, y, z)    \
  {                         \
    GA_SIDE_B, {0, 0, 0}, { \
      (x), (y), (z)         \
    }                       \
  }
#define GA_ON_BOTH(ax, ay, az, bx, by, bz) \
  {                                        \
    GA_SIDES, {(ax), (ay), (az)}, {        \
      (bx), (by), (bz)                     \
    }                                      \
  }

/* A number, an expression (text) or a function of one's own. Variables are those that the field
 * names, in that order, then the signals that are used. A function writes f and its first and second
 * derivative by one variable (-1: f alone is wanted) and returns 0, or > 0 if it cannot be evaluated
 * there; it must not change shared data. Text may use the numbers of ga_mechanism_set_parameter.
 *
 * Signals are named like columns: coordinates and rates of joints ("pin.angle", "pin.angle_rate"),
 * positions and velocities of bodies ("car.x", "car.vx", in body axes "car.body_vx"), sensors,
 * lengths, rates and forces of springs, efforts of torsions, forces of bushings, ropes and loads,
 * powers of all of these, states and inputs. Accelerations and forces of constraints cannot be
 * used. Text uses what it mentions, which must have been added before; `uses` of a function may
 * name what is added later, the build finds it. All functions but `position` of a drive may use
 * signals, at most 21. The derivatives of all of it are exact. */
typedef int (*ga_function_fn)(void *context, const double *variables, int along, double f[3]);
typedef struct ga_function {
  double constant;
  const char *text;        /* takes precedence over constant */
  ga_function_fn fn;       /* takes precedence over text */
  void *context;           /* borrowed, must outlive the mechanism */
  const char *const *uses; /* names of the signals of fn; copied */
  int nuses;
  /* Optional, for fn: its first corner after t, where variable number `time` is t. `jumps` is the
   * lowest derivative of f by time that may jump, 0: f itself; `surprise` of ga_model_ops. Texts tell. */
  void (*next_corner)(void *context, int time, double t, ga_corner *corner);
  void (*surprise)(void *context, int time, double since, double t, double way, ga_corner *found);
  /* Optional, for fn: f and its derivatives along a direction, one number for each variable. Texts
   * have it; without it mixed derivatives of couplers and ropes are difference quotients. */
  int (*along)(void *context, const double *variables, const double *direction, double f[3]);
} ga_function;

typedef enum ga_body_type { GA_BODY_RIGID = 0, GA_BODY_PLANAR, GA_BODY_POINT } ga_body_type;
typedef enum ga_formulation {
  GA_FORMULATION_DEFAULT = 0, /* that of ga_mechanism_set_formulation, R^3 x SO(3) at first */
  GA_FORMULATION_R3SO3,       /* v = (x', Omega) */
  GA_FORMULATION_SE3          /* v = (R^T x', Omega) */
} ga_formulation;

/* What the unknowns are: places of bodies, with rows for all joints; or the coordinates of the joints
 * of a spanning tree, with rows for those that close loops. Columns are the same. AUTO takes joints
 * where that is faster. */
typedef enum ga_coordinates {
  GA_COORDINATES_ABSOLUTE,
  GA_COORDINATES_JOINT,
  GA_COORDINATES_AUTO
} ga_coordinates;

/* What pictures show of a body: a box with edges a, b, c along its axes, a cylinder along z, a sphere,
 * a rod along x; it is centred at the centre of mass with the axes of the body, unless it has a pose.
 * Or a mesh, a file in STL or OBJ, whose coordinates are those of the body frame unless it has a pose.
 * The library does not read it. Without a shape pictures show the joints. */
typedef enum ga_shape {
  GA_SHAPE_NONE = 0,
  GA_SHAPE_BOX,
  GA_SHAPE_CYLINDER,
  GA_SHAPE_SPHERE,
  GA_SHAPE_ROD,
  GA_SHAPE_MESH
} ga_shape;
typedef struct ga_body_look {
  ga_shape shape;
  double box[3];
  double radius, length; /* of the round ones */
  bool coloured;
  int colour; /* 0xrrggbb */
  bool has_pose;
  double position[3];    /* of its centre in the body frame */
  double orientation[4]; /* of its axes there, a unit quaternion; zero: those of the body */
  const char *mesh;      /* path of the file of a mesh, copied */
  double scale[3];       /* its coordinates times this are metres; zero: 1 */
  bool hide;             /* it is not drawn; without a shape: nothing of the body is */
} ga_body_look;

/* Position, orientation and velocity are those of the body frame at t = 0. Planar bodies move in
 * the plane z = 0 and use `angle`, the z entries of inertia (zz) and angular_velocity, and x and y
 * of the other vectors; point bodies have mass, position and velocity only. "ground" is a body that
 * is always there, with the axes of space. */
typedef struct ga_body {
  const char *name;
  ga_body_type type;
  ga_formulation formulation;
  double mass;           /* 0: massless */
  double inertia[6];     /* xx yy zz xy xz yz: entries of the matrix, about the centre of mass */
  double com[3];         /* centre of mass in the body frame */
  double position[3];    /* of the origin of the body frame */
  double orientation[4]; /* unit quaternion, scalar first; zero: the axes of space */
  double angle;          /* planar bodies */
  double velocity[3];    /* of the origin of the body frame */
  double angular_velocity[3];     /* in space axes */
  ga_body_look look;              /* for pictures only */
  const ga_body_look *more_looks; /* further ones */
  int nmore;
} ga_body;

/* ga_joint_types lists the types, the fields that each of them uses and needs, and the names of its
 * coordinates. */
typedef struct ga_joint {
  const char *name;
  const char *type;       /* "revolute", .. */
  const char *between[2]; /* bodies A and B */
  ga_point at;            /* joint point; default: the origin of B's frame */
  ga_axis axis;           /* z of the joint frame; of a rolling disk: its axis, on B */
  ga_axis x_axis;         /* x of the joint frame; default: a space axis far from z */
  ga_given length;        /* of a distance; default: the initial one */
  double radius;          /* of a rolling disk or sphere */
  ga_point point;         /* of its plane, on A; default: the origin of A's frame */
  ga_axis normal;         /* of its plane, on A; default: space z */
  ga_point centre;        /* of disk or sphere, on B; default: the origin of B's frame */
  ga_axis direction;      /* of a knife edge, on B */
  ga_function curve[3]; /* of a point on a curve: x, y, z in the joint frame of A, functions of s */
  ga_given start;       /* of s: where the point is sought at the start; default: 0 */
  int turns[3];         /* whole turns added to the start value of its coordinates, in order */
  struct ga_joint_friction { /* by the joint's own force N: mu N against the slip (models.md) */
    double coulomb, static_coulomb, radius, speed; /* mu; near rest; of the pin; 0: 1e-3 m/s */
  } friction;
} ga_joint;

/* A coordinate of a joint is called "JOINT.NAME", for example "bearing.angle". */
typedef struct ga_drive {
  const char *name;
  const char *coordinate;
  ga_function position; /* of t: theta = f(t); or */
  ga_function rate;     /* theta' = f(t, signals); it acts on theta alone */
} ga_drive;

/* sum of coefficient_i coordinate_i = equals, a number or a function: a cam is one coordinate that
 * equals a function of another */
typedef struct ga_coupler {
  const char *name;
  int count;
  const char *const *coordinates;
  const double *coefficients;
  ga_given equals;      /* default: its value in the initial configuration */
  ga_function function; /* in place of equals: function of t and of coordinates, used as signals */
} ga_coupler;

typedef enum ga_force_frame { GA_FORCE_SPACE = 0, GA_FORCE_BODY } ga_force_frame;

/* ga_force_types lists the types ("force", "torque", "spring", "torsion", "friction", "bushing",
 * "backlash") and the fields that each of them uses. */
typedef struct ga_force {
  const char *name;
  const char *type;
  const char *body;       /* on which it acts (force, torque); or */
  const char *between[2]; /* bodies A and B (spring, bushing); or */
  const char *coordinate; /* "JOINT.NAME" (torsion) */
  /* force: its point, GA_ON_A in the body frame; spring: GA_ON_BOTH in body frames, a side not
   * given is the body's origin; bushing: as the point of a joint */
  ga_point at;
  ga_axis axis, x_axis; /* as those of a joint; default: the space axes */
  ga_function value[3]; /* functions of t and signals */
  ga_force_frame frame; /* axes of value */
  double stiffness, damping;
  ga_given length;        /* free length; default: the initial one */
  ga_given free;          /* free value of the coordinate; default: its start value */
  ga_function law;        /* function of s, s_dot, t and signals, added to the tension or effort */
  const double *K, *C;    /* stiffness and damping of a bushing: 6 x 6 by rows; NULL: zero */
  double friction;        /* effort of dry friction while it slides */
  double static_friction; /* near rest; 0: the same */
  double speed;           /* the rate over which friction changes its sign */
  int nsum;               /* backlash: terms of its sum, */
  const char *const *sum; /* their coordinates */
  const double *coefficients;
  double gap; /* and its whole play */
} ga_force;

/* Types are "point" (body, at GA_ON_A), "distance" (between, at), "angle" (between, directions),
 * "relative" (between, at: position and velocity of the point on B in the frame of A),
 * "orientation" (between: roll, pitch, yaw of B relative to A), "expression" (value) and "power"
 * (of: what a force, drive or coupler delivers to the mechanism, negative where it takes some). */
typedef struct ga_sensor {
  const char *name;
  const char *type;
  const char *body;
  const char *between[2];
  ga_point at;        /* in body frames; a side not given is the body's origin */
  ga_axis directions; /* in body axes, both sides */
  ga_function value;  /* function of t and signals */
  const char *of;     /* name of a force, drive or coupler */
} ga_sensor;

/* A state of a controller, z' = rate(t, signals): an integrator, a filter, a current. It acts on
 * nothing but the functions that use it. It is an unknown of its own and part of q and v.
 *
 * Or sampled: z = value(t, signals) at t = 0, every, 2 every, .., held between these times, as in a
 * digital controller. All that is due at one time sees the values before it. Sampled states are
 * inputs of the model. */
typedef struct ga_controller_state {
  const char *name;
  ga_function rate;  /* function of t and signals, itself among them; or */
  ga_function value; /* its values at the samples, and */
  double every;      /* the time between them, s */
  double start;      /* value at the start, before the first sample */
  double size;       /* a large value of it, which makes its errors comparable with others; 0: 1 */
} ga_controller_state;

/* A number that is set between steps, or follows a table (ga_integrator_set_input, ga_simulation_set).
 * Its number is that of its call, from 0. */
typedef struct ga_input {
  const char *name;
  double value; /* at first */
} ga_input;

GA_API ga_status ga_mechanism_new(ga_mechanism **out);
GA_API void ga_mechanism_free(ga_mechanism *m);

GA_API ga_status ga_mechanism_set_gravity(ga_mechanism *m, const double gravity[3]);
GA_API ga_status ga_mechanism_set_formulation(ga_mechanism *m, ga_formulation formulation);
/* Which coordinates the build takes; GA_COORDINATES_AUTO at first. */
GA_API ga_status ga_mechanism_set_coordinates(ga_mechanism *m, ga_coordinates coordinates);
/* Those it has taken, JOINT or ABSOLUTE; *text, if not NULL: a line that says why, owned by m. */
GA_API ga_coordinates ga_mechanism_coordinates(const ga_mechanism *m, const char **text);
/* What pictures show of the ground: n looks, copied. */
GA_API ga_status ga_mechanism_set_ground_looks(ga_mechanism *m, int n, const ga_body_look *looks,
                                               ga_error *err);
/* Receives warnings about what is added later. */
GA_API void ga_mechanism_set_log(ga_mechanism *m, ga_log_fn log, void *context);
/* A named number that texts added later may use. It may be called t, s or s_dot, unless a text where
 * this is a variable mentions it; a parameter e takes the place of the constant. */
GA_API ga_status ga_mechanism_set_parameter(ga_mechanism *m, const char *name, double value,
                                            ga_error *err);

/* Names are [A-Za-z_][A-Za-z0-9_]*, unique over everything that has one, but not ground, energy,
 * momentum, angular_momentum; parameters are not pi, and sensors, states and inputs are neither t,
 * pi nor e. What a description refers to must have been added before. */
GA_API ga_status ga_mechanism_add_body(ga_mechanism *m, const ga_body *body, ga_error *err);
GA_API ga_status ga_mechanism_add_joint(ga_mechanism *m, const ga_joint *joint, ga_error *err);
GA_API ga_status ga_mechanism_add_drive(ga_mechanism *m, const ga_drive *drive, ga_error *err);
GA_API ga_status ga_mechanism_add_coupler(ga_mechanism *m, const ga_coupler *coupler,
                                          ga_error *err);
GA_API ga_status ga_mechanism_add_force(ga_mechanism *m, const ga_force *force, ga_error *err);
GA_API ga_status ga_mechanism_add_sensor(ga_mechanism *m, const ga_sensor *sensor, ga_error *err);
GA_API ga_status ga_mechanism_add_controller_state(ga_mechanism *m,
                                                   const ga_controller_state *state, ga_error *err);
GA_API ga_status ga_mechanism_add_input(ga_mechanism *m, const ga_input *input, ga_error *err);
/* Is input i of the model a sampled state, which the mechanism sets itself? */
GA_API bool ga_mechanism_input_sampled(const ga_mechanism *m, int i);

/* Make a coordinate exist, so that it is a column: it becomes an unknown of its own, without mass,
 * which counts turns. Drives, couplers and torsions ask by themselves. */
GA_API ga_status ga_mechanism_want_coordinate(ga_mechanism *m, const char *coordinate,
                                              ga_error *err);

/* The inertia of a rotor on a coordinate (kg m^2 for an angle, kg for a position), which may be geared:
 * J theta'' and J theta'^2/2 are those of the coordinate. Its spin does not count as angular momentum
 * of the bodies. It makes the coordinate exist; several calls add up. */
GA_API ga_status ga_mechanism_add_inertia(ga_mechanism *m, const char *coordinate, double inertia,
                                          ga_error *err);

/* Start value and rate of a coordinate, in place of what the bodies' positions and velocities say.
 * They must agree with these, but for whole turns of an angle: the build checks it. */
GA_API ga_status ga_mechanism_set_coordinate(ga_mechanism *m, const char *coordinate, double value,
                                             ga_error *err);
GA_API ga_status ga_mechanism_set_rate(ga_mechanism *m, const char *coordinate, double rate,
                                       ga_error *err);

/* The build corrects start values that do not fit: it moves bodies as little as possible (weighted
 * by mass and size) until all joints close, and completes the velocities. Coordinates and rates that
 * were set stay; so do the values that ga_mechanism_hold names. */
GA_API ga_status ga_mechanism_set_assemble(ga_mechanism *m, bool assemble);
enum {
  GA_HOLD_POSITION = 1, /* position and orientation */
  GA_HOLD_VELOCITY = 2, /* velocity of the origin of the body frame */
  GA_HOLD_SPIN = 4      /* angular velocity */
};
GA_API ga_status ga_mechanism_hold(ga_mechanism *m, const char *body, unsigned what, ga_error *err);

/* The mechanism is complete: make the model, check the start values at t0 and correct them to
 * rounding. GA_ERR_INITIAL names a joint that is violated, and by how much. */
GA_API ga_status ga_mechanism_build(ga_mechanism *m, double t0, ga_error *err);

/* After the build; owned by the mechanism. */
GA_API const ga_model *ga_mechanism_model(const ga_mechanism *m);
GA_API const double *ga_mechanism_q0(const ga_mechanism *m);
GA_API const double *ga_mechanism_v0(const ga_mechanism *m);

/* Bodies in the order of their calls, without the ground; NULL past the end. moved, of the assembly
 * of the build: how far the origin of its frame went, and by what angle it turned. */
GA_API int ga_mechanism_bodies(const ga_mechanism *m);
GA_API const char *ga_mechanism_body_name(const ga_mechanism *m, int i);
GA_API void ga_mechanism_moved(const ga_mechanism *m, int i, double moved[2]);

/* Assemble any start values of a mechanism that has been built: q, and v unless it is NULL, are
 * moved as ga_mechanism_set_assemble says. `hold_q`, `hold_v`: nv flags of what stays (NULL:
 * nothing); `moved`: two numbers for each body, as above (NULL: not wanted). GA_ERR_INITIAL names
 * the joints in conflict and by how much they stay open; q and v are then unchanged. It is also
 * the answer where a joint would close on another side than the one the start values are on. */
GA_API ga_status ga_mechanism_assemble(const ga_mechanism *m, double t, double *q, double *v,
                                       const bool *hold_q, const bool *hold_v, double *moved,
                                       ga_error *err);

/* ga_equilibrium_find with weights by mass and size; `equilibrium` may be NULL. */
GA_API ga_status ga_mechanism_equilibrium(const ga_mechanism *m, double t, double *q,
                                          ga_equilibrium *equilibrium, ga_error *err);

/* Frequencies and shapes about a state (ga_linearization_new, ga_modes_find). Component i of a
 * shape is called ga_mechanism_shape_name: BODY.x .y .z of the origin of the body frame, .rx .ry
 * .rz, a rotation in space axes; planar bodies .x .y .angle; coordinates by their names. */
GA_API ga_status ga_mechanism_modes(const ga_mechanism *m, double t, const double *q,
                                    const double *v, bool frozen, ga_modes *modes, ga_error *err);
GA_API const char *ga_mechanism_shape_name(const ga_mechanism *m, int i, char *text, size_t room);

/* Results of the check of a model before its first run. `say` (NULL: not wanted) receives sentences
 * for people, warnings among them; the numbers are for programs. The state must satisfy the
 * constraints. */
typedef struct ga_check {
  int bodies, joints, coordinates;
  int velocities, rows; /* unknowns and equations of joints, drives and couplers */
  int gruebler;         /* velocities - rows: the degrees of freedom by counting */
  int freedom;          /* the true ones, of velocities: velocities - rank */
  int positions;        /* of positions: more where nonholonomic rows bind velocities only */
  int redundant;        /* rows that follow from others */
  int loose;            /* bodies that no joint and no force connects to anything */
  double length;        /* the largest distance of joint points: the size of the mechanism */
  double gap, slip;     /* largest residual of positions (over length) and velocities (per s) */
  double lightest, heaviest; /* masses, without zeros */
  double condition; /* of the matrix of masses and independent constraints, in natural units */
  double slowest, fastest; /* angular frequencies about this state as it stands, rad/s; 0: none; the
                              slowest is not sought in models with more than 300 velocities */
  double h;                /* a step that resolves the fastest motion; 0: no suggestion */
  bool derivatives_ok;
  int warnings;
} ga_check;
GA_API ga_status ga_mechanism_check(const ga_mechanism *m, double t, const double *q,
                                    const double *v, ga_log_fn say, void *context, ga_check *check,
                                    ga_error *err);
/* Sentences about the corners in time of forces and drives (ga_corner) between t and t_end, and a
 * warning for each drive whose position or rate jumps, which a run refuses. Returns the number of
 * warnings. */
GA_API int ga_mechanism_check_corners(const ga_mechanism *m, double t, double t_end, ga_log_fn say,
                                      void *context);

/* The element whose evaluation returned this code (> 0: a smaller step may help, < 0: it failed)
 * and why, as a sentence; "" for another code. Callbacks of the model return such codes. */
GA_API const char *ga_mechanism_explain(const ga_mechanism *m, int code, char *text, size_t room);

/* Named outputs: t, bodies, joints, coordinates, drives, couplers, forces, sensors, energy,
 * momentum. Columns below ga_mechanism_default_columns are the usual ones; those above are known by
 * name only (forces of joints in space axes, JOINT.Fx ..). The index of a name is -1 if there is
 * none. */
GA_API int ga_mechanism_columns(const ga_mechanism *m);
GA_API int ga_mechanism_default_columns(const ga_mechanism *m);
GA_API const char *ga_mechanism_column_name(const ga_mechanism *m, int i);
GA_API int ga_mechanism_column_index(const ga_mechanism *m, const char *name);
/* "m/s", "N m", "1" for a pure number, "" where it is not known (a coupler may add metres and
 * radians); NULL outside. Files and calls are in SI units and radians. */
GA_API const char *ga_mechanism_column_unit(const ga_mechanism *m, int i);
/* All of them at a state, into `values` (as many as there are columns). */
GA_API ga_status ga_mechanism_outputs(const ga_mechanism *m, const ga_state *state, double *values);
/* One of them; NaN if there is no such column. The columns of one body or element are computed, not
 * all. */
GA_API double ga_mechanism_output(const ga_mechanism *m, const ga_state *state, int column);

/* An event of an integrator (ga_events.h) where an expression of columns goes through zero, rising,
 * falling or both; "a > b" and "a < b" are events where they begin to hold, if rising. A watch has
 * memory of its own and belongs to one integrator; it must outlive it. */
typedef struct ga_watch ga_watch;
GA_API ga_status ga_watch_new(const ga_mechanism *m, const char *when, ga_direction direction,
                              bool stop, ga_watch **out, ga_error *err);
GA_API void ga_watch_free(ga_watch *watch);
GA_API ga_event ga_watch_event(ga_watch *watch);

/* The registry of joints, for readers, completion and documentation. */
typedef struct ga_joint_type_info {
  const char *name, *summary;
  int rows, nonholonomic, planar_rows; /* planar_rows: between planar bodies, -1: not there */
  const char *coordinates[3];          /* names, NULL past the last */
  unsigned uses, needs;                /* bits GA_JOINT_AT .. */
} ga_joint_type_info;
enum {
  GA_JOINT_AT = 1,
  GA_JOINT_AXIS = 2,
  GA_JOINT_X_AXIS = 4,
  GA_JOINT_LENGTH = 8,
  GA_JOINT_RADIUS = 16,
  GA_JOINT_POINT = 32,
  GA_JOINT_NORMAL = 64,
  GA_JOINT_CENTRE = 128,
  GA_JOINT_DIRECTION = 256,
  GA_JOINT_CURVE = 512,
  GA_JOINT_START = 1024
};
/* The i-th type; false past the end. */
GA_API bool ga_joint_types(int i, ga_joint_type_info *info);

/* The registry of forces. */
typedef struct ga_force_type_info {
  const char *name, *summary;
  unsigned uses, needs; /* fields of ga_force: bits GA_FORCE_HAS_BODY .. */
} ga_force_type_info;
enum {
  GA_FORCE_HAS_BODY = 1,
  GA_FORCE_HAS_BETWEEN = 2,
  GA_FORCE_HAS_COORDINATE = 4,
  GA_FORCE_HAS_AT = 8,
  GA_FORCE_HAS_AXIS = 16,
  GA_FORCE_HAS_X_AXIS = 32,
  GA_FORCE_HAS_VALUE = 64,
  GA_FORCE_HAS_FRAME = 128,
  GA_FORCE_HAS_STIFFNESS = 256, /* or K */
  GA_FORCE_HAS_DAMPING = 512,   /* or C */
  GA_FORCE_HAS_LENGTH = 1024,
  GA_FORCE_HAS_FREE = 2048,
  GA_FORCE_HAS_LAW = 4096,
  GA_FORCE_HAS_FRICTION = 8192,
  GA_FORCE_HAS_STATIC_FRICTION = 16384,
  GA_FORCE_HAS_SPEED = 32768,
  GA_FORCE_HAS_SUM = 65536,
  GA_FORCE_HAS_GAP = 131072
};
/* The i-th type; false past the end. */
GA_API bool ga_force_types(int i, ga_force_type_info *info);

#ifdef __cplusplus
}
#endif
#endif
