/* SPDX-License-Identifier: MIT */
/* Primitives of joints: what a row is, and how its multiplier enters a tangent. */
#ifndef GA_SRC_JOINT_H
#define GA_SRC_JOINT_H

#include "mechanism/mechanism.h"

/* Multipliers of a joint gathered before its tangent is formed, as tangents are linear in them:
 * sum lam a of planes, sum lam b~a~ and sum lam a x b of perpendiculars; the force phi of rows in
 * space axes and of distances lam d/l, and its derivative by_d I by d. */
typedef struct ga_weights {
  double plane[3], S[9], n[3], phi[3], by_d;
} ga_weights;

struct ga_primitive {
  const char *name;
  unsigned touches, blocks; /* as in ga_structure */
  bool axes;                /* uses the axes of the joint */
  bool component;           /* touches one component of x, row.a */
  /* sets row: value and derivatives of g at p */
  void (*row)(const ga_pair *p, const ga_joint_data *joint, const ga_primitive_row *spec,
              ga_row *row);
  /* adds the contribution of the multiplier lam to sum */
  void (*weigh)(const ga_pair *p, const ga_joint_data *joint, const ga_primitive_row *spec,
                double lam, ga_weights *sum);
};

/* columns of coordinates */
extern const ga_column ga_coordinate_columns[2];

/* points and axes of a joint at its frames */
void ga_joint_pair(ga_pass *pass, const ga_element *el, const ga_joint_data *joint, ga_pair *p);

/* what rows a.b depend on; blocks of the tangents of rows a.b and a.d, 0 .. 3 are x_a, phi_a, x_b,
 * phi_b */
enum {
  GA_DOT_VARIATIONS = GA_IN_PA | GA_IN_PB,
  GA_DOT_BLOCKS = GA_BLOCK_BIT(1, 1) | GA_BLOCK_BIT(1, 3) | GA_BLOCK_BIT(3, 1) | GA_BLOCK_BIT(3, 3),
  GA_PLANE_BLOCKS = GA_DOT_BLOCKS | GA_BLOCK_BIT(0, 1) | GA_BLOCK_BIT(1, 0) | GA_BLOCK_BIT(1, 2) |
                    GA_BLOCK_BIT(2, 1)
};

/* Holonomic rows of primitives and their tangent; always 0. */
int ga_joint_evaluate(ga_pass *pass, const ga_element *el);
void ga_joint_structure(const ga_mechanism *m, const ga_element *el, ga_structure *s);
void ga_joint_output(ga_pass *pass, const ga_state *state, const ga_element *el, double *values);
extern const ga_column ga_joint_columns[]; /* 6 usual ones, 3 known by name */

/* bearing.c: checks the friction of a joint and sets its default. */
ga_status ga_bearing_check(const ga_sides *sides, const ga_joint_type *type, ga_joint_friction *law,
                           ga_error *err);

/* curve.c: *s, *rate <- parameter of the nearest point of the curve, sought from joint->near, and its
 * rate; false where the curve cannot be evaluated. Functions of s: */
bool ga_curve_start(const ga_joint_data *joint, const ga_pair *p, double *s, double *rate);
extern const ga_variable ga_of_curve[];

/* S = b~ a~ of a row a.b */
void ga_dot_bend(const double *a, const double *b, double *S);

#endif
