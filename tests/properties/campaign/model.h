/* SPDX-License-Identifier: MIT */
/* Models that are hard to integrate, as data: masses, a list of force elements, a list of constraint
 * rows, and the settings of one run.
 *
 * The formulas of the elements stand in formulas.h. They are compiled twice: in double, for the
 * callbacks that an integrator sees (callbacks.c), and in long double, for the checker that judges
 * its steps (checker.c). Nothing here knows the inside of the library. */
#ifndef GA_CAMPAIGN_MODEL_H
#define GA_CAMPAIGN_MODEL_H

#include <genalpha/genalpha.h>
#include <stdint.h>

enum { HARD_NV = 32, HARD_NQ = 40, HARD_ELEMENTS = 96, HARD_ROWS = 16 };

/* Force laws f(t, x, u): x is a coordinate, the difference of two, or a distance; u is its
 * derivative. Their formulas and parameters are in formulas.h. */
#define HARD_LAWS(X) \
  X(spring)          \
  X(cubic)           \
  X(contact)         \
  X(stop)            \
  X(hertz)           \
  X(friction)        \
  X(stribeck)        \
  X(dry)             \
  X(step_x)          \
  X(step_u)          \
  X(step_t)          \
  X(sine)            \
  X(constant)        \
  X(drag)            \
  X(exponential)     \
  X(barrier)         \
  X(ripple)          \
  X(stair)           \
  X(spike)           \
  X(noisy)

typedef enum hard_law {
#define HARD_LAW_ENUM(name) LAW_##name,
  HARD_LAWS(HARD_LAW_ENUM)
#undef HARD_LAW_ENUM
      LAW_COUNT
} hard_law;

/* How an element acts on the coordinates; j < 0 means the ground. */
typedef enum hard_shape {
  SHAPE_LINE,        /* law of x = q_i - q_j, along the coordinates i and j */
  SHAPE_PLANE,       /* law of the distance of the points (q_i, q_i+1) and (q_j, q_j+1) or anchor */
  SHAPE_GYRO,        /* F_i = p0 v_j, F_j = -p0 v_i */
  SHAPE_COSINE_MASS, /* kinetic energy p0 cos(q_i - q_j) v_i v_j */
  SHAPE_POLAR_MASS,  /* kinetic energy p0 q_i^2 v_j^2 / 2 */
  SHAPE_TORSION,     /* rotation i: spring p0 towards the identity, damper p1, both of body 3 x 3 */
  SHAPE_COUNT
} hard_shape;

typedef struct hard_element {
  hard_shape shape;
  hard_law law;
  int i, j;
  double anchor[2];
  double p[5];
} hard_element;

typedef enum hard_row_kind {
  ROW_DISTANCE, /* p0 (|P_i - P_j|^2 - p1) / 2, with the anchor (p2, p3) for j < 0 */
  ROW_LINEAR,   /* p0 (q_i - p1 q_j - p2) */
  ROW_DRIVEN,   /* p0 (q_i - p1 sin(p2 t) - p3) */
  ROW_CRANK_X,  /* q_i - p0 cos(q_j) - p1 */
  ROW_CRANK_Y,  /* q_i - p0 sin(q_j) - p1 */
  ROW_BALL,     /* component k of x - R X: x from q_i on, R rotation j, X = (p0, p1, p2) */
  ROW_SKATE,    /* nonholonomic: v_j cos(q_k) - v_i sin(q_k) */
  ROW_COUNT
} hard_row_kind;

typedef struct hard_row {
  hard_row_kind kind;
  int i, j, k;
  double p[4];
} hard_row;

/* The tangents the model gives: none (then the library takes differences), right ones, wrong ones.
 */
typedef enum hard_tangents {
  TANGENTS_EXACT,
  TANGENTS_NONE,
  TANGENTS_STIFF, /* far too stiff */
  TANGENTS_SOFT,  /* far too soft */
  TANGENTS_SIGN,  /* of the wrong sign */
  TANGENTS_ZERO,
  TANGENTS_COUNT
} hard_tangents;

/* Coordinates: n_flat plain ones, then n_rot rotations. Holonomic rows first, then skates. */
typedef struct hard_model {
  char name[64];
  int n_flat, n_rot;
  double mass[HARD_NV];
  int n_element, n_lam, n_psi;
  hard_element element[HARD_ELEMENTS];
  hard_row row[HARD_ROWS];
  double q0[HARD_NQ], v0[HARD_NV];
  /* settings of the run */
  const char *method;
  double t0, h, rho, rtol, atol, wrong_by;
  int steps, newton_max, matrix_every;
  hard_tangents tangents;
  bool give_jacobian, one_pass, project;
  bool patterns;      /* the model names the patterns of M, K, G, H */
  const char *linsol; /* NULL: auto */
  const char *h_seq;
  double energy_limit; /* how much energy the model may gain; 0: not asked for */
} hard_model;

static inline int hard_nv(const hard_model *m) {
  return m->n_flat + 3 * m->n_rot;
}

static inline int hard_nq(const hard_model *m) {
  return m->n_flat + 4 * m->n_rot;
}

/* What the callbacks are given: the model, and how many calls are left before they give up. */
typedef struct hard_user {
  const hard_model *model;
  long calls_left;
} hard_user;

/* The callbacks of a model, with those that it does not give left out. */
ga_model_ops hard_ops(const hard_model *m);

/* Add to a model; the result is the new entry, zero but for what is given. */
hard_element *hard_add(hard_model *m, hard_shape shape, hard_law law, int i, int j);
hard_row *hard_constrain(hard_model *m, hard_row_kind kind, int i, int j);

/* Random numbers, splitmix64. */
double hard_uniform(uint64_t *seed, double low, double high);
double hard_log_uniform(uint64_t *seed, double low, double high);
int hard_pick(uint64_t *seed, int count);

/* Model number `index` of the campaign with that seed. */
void hard_random(hard_model *m, uint64_t seed, int index);
/* Run number `index` of the friction campaign: fixed steps, regularised friction. */
void hard_friction(hard_model *m, uint64_t seed, int index);
/* A spring pendulum in the plane, mass 1, length 1, gravity 9.81, k = 1e11, h = 0.0125, at rest at
 * first: starts, rho and tangents vary with the index; false past the end. It has no energy to
 * gain, so that a step to the other side of the circle shows. */
bool hard_pendulum(hard_model *m, int index);
/* The grid: a mass between two stiff stops; false past the end. */
bool hard_grid(hard_model *m, int index);

#endif
