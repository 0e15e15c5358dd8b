/* SPDX-License-Identifier: MIT */
/* What is asked of a model before it is run: start values that fit, equilibrium, frequencies.
 *
 * All functions take a model (ga_model.h) and arrays of the caller; nothing is kept. Redundant rows
 * are allowed as long as they do not contradict each other. For mechanisms there are the same
 * functions with names in their messages, in ga_mechanism.h. */
#ifndef GA_STATICS_H
#define GA_STATICS_H

#include <genalpha/ga_model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- start values --------------------------------------------------------------------------- */

/* How a configuration or a velocity is moved onto the constraints. Zero is fine. All arrays belong
 * to the caller; NULL means the default, or not wanted. */
typedef struct ga_assembly {
  /* given, nv numbers each */
  const bool *hold; /* velocity coordinates that are not changed; default: none */
  const double
      *weight; /* resistance of a velocity coordinate to change, > 0; default: the diagonal of
                           M, and its least positive entry where there is no mass */
  const double *unit; /* the size of a large change; default: the largest |q| for lengths, 1 for
                           angles */
  bool any; /* stop at the first configuration that satisfies the constraints; default: find the
               nearest */
  /* found */
  double *change;  /* nv: w with q_new = q_old o exp(w), or v_new - v_old */
  double *open;    /* nlam, for velocities nlam + npsi: remaining residuals of the constraints */
  int worst;       /* the most violated row, -1 without rows */
  double openness; /* its residual, relative to the effect of a change by one unit */
  int iterations;
} ga_assembly;

/* The configuration nearest to q with g(t, q) = 0: the sum of weight_i change_i^2 is least. Damped
 * Gauss-Newton steps, bounded by a fraction of `unit`, so that they do not jump to a mirror image.
 * First the constraints are satisfied, then the iteration goes along them to the nearest point. If
 * that does not converge (q far from the constraints), the result is the point where they were
 * satisfied first. GA_ERR_INITIAL if the rows cannot be satisfied together: q is then unchanged,
 * `open` has the remaining residuals, and err names the most violated rows. */
GA_API ga_status ga_assemble_position(const ga_model *model, double t, double *q,
                                      ga_assembly *assembly, ga_error *err);
/* The velocity nearest to v with G v + g_t = 0 and k(t, q, v) = 0, likewise. A crank whose speed is
 * held keeps it exactly. */
GA_API ga_status ga_assemble_velocity(const ga_model *model, double t, const double *q, double *v,
                                      ga_assembly *assembly, ga_error *err);

/* ---- equilibrium ---------------------------------------------------------------------------- */

/* How an equilibrium is sought, and what was found. Zero is fine; arrays as above. */
typedef struct ga_equilibrium {
  /* given */
  const double *weight, *unit; /* nv, as in ga_assembly: they shape the way, not the result */
  /* nv flags, or NULL: velocities of states of controllers, whose forces are rates that vanish at
   * rest. Forces of controllers have no potential that goes down, so that Newton's method from q is
   * tried first then, and its steps are not bounded in these. */
  const bool *states;
  int steps;       /* most damped Newton steps; 0: 4000, < 0: none */
  int relax_steps; /* most steps of dynamic relaxation; 0: 4000, < 0: none */
  /* found */
  double *lam, *psi; /* the reactions there; least norm where they are not unique */
  double unbalanced; /* largest force that is left, relative to the forces that act */
  int worst;         /* the velocity on which it acts */
  int iterations;    /* damped Newton steps */
  int relaxations;   /* steps of dynamic relaxation */
  /* Of mechanisms with beams (ga_mechanism_equilibrium) with at most 1500 velocities, else -1: how
   * many eigenvalues of the symmetric part of the tangent on the constraints are negative. It is
   * stable if none is. */
  int negative;
  /* States of the contacts there (GA_CONTACT_..), an array of the caller for all of them, or NULL; and
   * how many are closed. */
  int *contacts;
  int closed;
} ga_equilibrium;

/* *negative <- how many eigenvalues of the symmetric part of N^T K N are below zero, where the columns
 * of N span the motions that the constraints allow, at rest at (t, q) with the reactions lam, psi: 0 is
 * stable; where a load makes one more negative, the structure buckles. Dense matrices. */
GA_API ga_status ga_tangent_negatives(const ga_model *model, double t, const double *q,
                                      const double *lam, const double *psi, int *negative,
                                      ga_error *err);

/* A configuration where the model stays at rest at time t: g = 0, F(t, q, 0) = G^T lam + H^T psi.
 * It is sought downhill from q, which need not satisfy the constraints, so that a stable one is
 * found where there is one; a start exactly at an unstable one stays there (ga_modes shows it).
 * First damped Newton steps, in which a pseudo-time step takes the place of load steps; if these do
 * not end, dynamic relaxation: the motion with rho_inf = 0, stopped whenever the kinetic energy
 * begins to fall. GA_ERR_INITIAL if the constraints cannot be satisfied or no equilibrium was
 * found; q is then the last configuration, and err says which force is left.
 *
 * Contacts (ga_contact.h) that are met on the way close, those that would pull open again. With
 * friction there are many equilibria: a contact sticks where it closed if its friction can hold it
 * there, else it slides to where it needs none. */
GA_API ga_status ga_equilibrium_find(const ga_model *model, double t, double *q,
                                     ga_equilibrium *equilibrium, ga_error *err);

/* ---- frequencies ---------------------------------------------------------------------------- */

/* The equations of motion linearised about a state: with a small change y of the configuration,
 *
 *     M y'' + C y' + K y + G^T dlam + H^T dpsi = 0,   G y = 0,   H y' + Y y = 0
 *
 * Rotations are varied in space axes (y is a rotation vector in the axes of space), displacements
 * too. The matrices are those of body axes at a state of rest: M, C, K, G, H, Y of the model;
 * otherwise they are turned into space axes, where those of a rotor that is the same from all sides are
 * constant. Those of a structure that turns steadily as a whole, as a blade on a hub, are constant in
 * axes that turn with its bodies, and are given in these (ga_modes.turning). */
typedef struct ga_linearization ga_linearization;

/* The state must be one whose linearization is constant in time: at rest in equilibrium, or moving
 * steadily, as a rotor or a turning blade does. GA_ERR_INITIAL says what changes otherwise, unless `frozen` is set:
 * the state is then taken as it stands, for what this is worth. Constraints must be satisfied. */
GA_API ga_status ga_linearization_new(const ga_model *model, double t, const double *q,
                                      const double *v, bool frozen, ga_linearization **out,
                                      ga_error *err);
GA_API void ga_linearization_free(ga_linearization *lin);
/* Contacts (ga_contact.h) have fixed states: those that touch and press are closed, and stick if they
 * have friction; rows of the others are zero. GA_ERR_INITIAL if one slides, or would. State of
 * contact i (GA_CONTACT_..). */
GA_API int ga_linearization_contact(const ga_linearization *lin, int i);
/* The matrix of that name, one of M C K G H Y; NULL for another. Owned by the linearization. */
GA_API const ga_csr *ga_linearization_matrix(const ga_linearization *lin, char name);

/* Eigenvalues s of y = Re(shape e^(s t)), the slowest first. Of a pair of conjugates the one with
 * im > 0 stands for both; a vibration has re = -zeta |s|, a mode without vibration im = 0. Zero
 * eigenvalues are found by the rank of the matrix, not by their size: there is one mode s = 0 for
 * each independent change of the configuration at which the model stays as it is. */
typedef struct ga_modes {
  /* given: arrays of the caller */
  int room;                    /* how many modes fit */
  double *re, *im;             /* room numbers each */
  double *shape_re, *shape_im; /* room x nv by rows, or NULL */
  bool few;                    /* only the slowest, by shift and inversion: for large models at rest
                                  without damping; needs ARPACK */
  /* found */
  int count;      /* modes in the arrays */
  int all;        /* modes there are; few: count */
  int freedom;    /* independent changes of the configuration that the constraints allow */
  bool unstable;  /* some have re > 0 */
  int velocities; /* independent velocities: fewer than freedom with nonholonomic constraints */
  int *contacts;  /* states of the contacts, an array of the caller, or NULL */
  bool turning;   /* frequencies are those seen from axes that turn with the bodies */
} ga_modes;

/* By LAPACK, up to some thousand velocities; with `few` by ARPACK, unless nv is so small beside
 * `room` that LAPACK is as good. Each shape is scaled so that its
 * largest component is 1. */
GA_API ga_status ga_modes_find(const ga_linearization *lin, ga_modes *modes, ga_error *err);

#ifdef __cplusplus
}
#endif
#endif
