/* SPDX-License-Identifier: MIT */
/* Beams: chains of two-node elements, geometrically exact on SE(3).
 *
 *   strain.c      strain, wrench and their derivatives; stiffness of an element
 *   inertia.c     mass, inertia forces and gravity of an element
 *   element.c     the element type: evaluation, energies, momenta, columns
 *   section.c     stiffness and inertia of a section from its shape and material
 *   line.c        frames of nodes on a line or an arc
 *   add_beam.c    ga_mechanism_beam: nodes and elements
 *
 * A node is a body whose inertia belongs to the elements (ga_body_kind.spread). */
#ifndef GA_SRC_BEAM_H
#define GA_SRC_BEAM_H

#include "genalpha/ga_beam.h"
#include "mechanism/mechanism.h"

enum { GA_BEAM_NV = 12 }; /* velocities of an element: (u, Omega) of A, then of B */

/* One element. Matrices 6 x 6 by rows. */
typedef struct ga_beam_data {
  const char *beam;     /* name */
  double h;             /* length |u0| of the reference */
  double d0[6];         /* strain of the reference times its length: u0, w0 */
  double K[36];         /* K^ / h */
  double C[36];         /* C^ / h */
  bool damped;          /* C is not zero */
  bool lumped;          /* mass and inertia in the nodes */
  bool constant_strain; /* K^ is K of the section */
  double mass, J[3];    /* rhoA h; rotary inertia of each node, rhoI h/2 */
  double load[3];       /* acceleration that stands for the dead load: load per length / rhoA */
  double EI[2], GJ, EA; /* of the section, for the check */
  double radius;        /* for pictures */
} ga_beam_data;

/* ---- add_beam.c ----------------------------------------------------------------------------- */

/* K (6 x 6) <- stiffness of the section; fails, naming the beam, unless it is symmetric and positive
 * definite and mass and rotary inertia are positive. */
ga_status ga_beam_section_stiffness(const char *beam, const ga_beam_section *s, double *K,
                                    ga_error *err);

/* ---- strain.c ------------------------------------------------------------------------------- */

/* Largest rotation of the ends of an element against each other, rad: 0.95 pi. */
extern const double GA_BEAM_TURN_MOST;

/* The strain of an element and what follows from it; vectors in the axes of the nodes. */
typedef struct ga_strain {
  double d[6];             /* log(H_A^-1 H_B) = (u, w) */
  double sigma[6];         /* K (d - d0) + C P v, with K and C over h */
  ga_log_coefficients log; /* at w */
  double P[6][GA_BEAM_NV]; /* d d = P (delta_A, delta_B) */
} ga_strain;

/* *s <- the strain at two frames q = (x, p); v: velocities (u, Omega) of each node, NULL: at rest.
 * False if the ends are turned too far; then only d is set. */
bool ga_beam_strain(const ga_beam_data *e, const double *qa, const double *qb, const double (*v)[6],
                    ga_strain *s);
/* f <- P^T sigma: 12 numbers, on the left side of the equations of motion */
void ga_beam_force(const ga_strain *s, double *f);
/* K, C <- derivatives of f by the frames, and by the velocities v (C only if the beam is damped) */
void ga_beam_tangents(const ga_beam_data *e, const ga_strain *s, const double (*v)[6],
                      double (*K)[GA_BEAM_NV], double (*C)[GA_BEAM_NV]);
/* w <- wrench on the middle section from the side of B, section axes */
void ga_beam_section_wrench(const ga_strain *s, double *w);
/* strain energy */
double ga_beam_energy(const ga_beam_data *e, const ga_strain *s);
/* Khat <- the stiffness with the exact flexibility of the undeformed element; false: K is not
 * positive definite */
bool ga_beam_flexibility(const double *K, const double *d0, double *Khat);
/* A (6 x 6 by rows) <- A^-1 for a symmetric positive definite A; false: it is not */
bool ga_invert_spd6(double *A);

/* ---- inertia.c ------------------------------------------------------------------------------ */

/* Motion of both nodes in their own axes. */
typedef struct ga_beam_motion {
  double Q[9];     /* R_A^T R_B */
  double v[2][6];  /* u, Omega */
  double vd[2][6]; /* u', Omega' */
  double g[2][3];  /* R_i^T (gravity + load) */
} ga_beam_motion;

/* f <- M v' - F of inertia, gravity and load, 12 numbers */
void ga_beam_inertia(const ga_beam_data *e, const ga_beam_motion *x, double *f);
/* M <- the mass matrix */
void ga_beam_mass_matrix(const ga_beam_data *e, const double *Q, double (*M)[GA_BEAM_NV]);
/* K, C += derivatives of f by the rotations and by the velocities */
void ga_beam_inertia_tangents(const ga_beam_data *e, const ga_beam_motion *x,
                              double (*K)[GA_BEAM_NV], double (*C)[GA_BEAM_NV]);

/* ---- element.c ------------------------------------------------------------------------------ */

extern const ga_element_type ga_element_beam;

#endif
