/* SPDX-License-Identifier: MIT */
/* Bodies and their kinds.
 *
 * A kind is a row of the table in body_kinds.c: rigid on R^3 x SO(3), rigid on SE(3), planar,
 * point, ground. All other files ask its members and functions; only body_kinds.c knows which kinds
 * exist.
 */
#ifndef GA_SRC_BODY_H
#define GA_SRC_BODY_H

#include "genalpha/ga_mechanism.h"
#include "mechanism/evaluate/frame_pair.h"
#include "mechanism/report/column.h"

typedef struct ga_pass ga_pass;
typedef struct ga_solid ga_solid;

/* How the numbers q, v of a body give its frame (x, R), and how rows and forces in space axes
 * become its own. The first nx velocities move x, the other nphi turn R. */
typedef struct ga_body_kind {
  const char *name;
  ga_body_type type; /* the type in a description; GA_BODY_RIGID for the ground */
  bool fixed;        /* the ground: no unknowns */
  bool planar;       /* moves in the plane z = 0 */
  bool point;        /* has no orientation */
  bool spread;       /* a node of a beam: its inertia belongs to elements; mass, J are nominal */

  int nq, nv, nx, nphi;
  int phi_at;               /* 0 x, 1 y, 2 z: the axis of its first rotational velocity */
  bool turn_x, turn_phi;    /* velocities of x, of R are in body axes: R^T times those in space */
  const ga_group *group[2]; /* factors of the space; NULL: none */
  int copies[2];            /* how many of each factor */

  /* frame at (q, v); v NULL: all velocities are zero */
  void (*frame)(const double *q, const double *v, ga_frame *f);
  /* v' becomes x'' and omega' in space axes; f is the frame at the same state */
  void (*acceleration)(const ga_frame *f, const double *vd, double *xdd, double *wd);
  /* q and v of the start configuration, from x0, p0, angle0, xd0, w0 of the body */
  void (*start)(const ga_solid *b, double *q, double *v);
  /* adds mass, weight and gyroscopic terms to what the pass asks for */
  void (*inertia)(ga_pass *pass, const ga_solid *b);

  unsigned M_mask[6]; /* row i of M has entries in these velocities, if the inertia is full */
  /* blocks (x, x), (x, phi), (phi, x), (phi, phi) of Kt and Ct that inertia and gravity fill, as
   * bits 0 to 3; the second one if the inertia is a multiple of the identity */
  unsigned K_mask, K_mask_round;

  const char *const *q_names, *const *v_names; /* ends of the names of its unknowns */
  const char *const *shape_names;              /* ends of the names of its velocities in modes */
  const ga_column *columns;
  int ncolumn;
} ga_body_kind;

/* Said about an inertia that no body has, by mechanisms and by the import of robots. */
#define GA_TRIANGLE_TEXT                                                                          \
  "a moment of inertia is larger than the sum of the other two, which no distribution of masses " \
  "has"

extern const ga_body_kind ga_kind_ground;
/* The kind of a description; a formulation of GA_FORMULATION_DEFAULT is not allowed. */
const ga_body_kind *ga_body_kind_of(ga_body_type type, ga_formulation formulation);

/* The kind of a node of a beam. */
const ga_body_kind *ga_body_kind_of_node(ga_formulation formulation);

/* A body. Number 0 of a mechanism is the ground. */
struct ga_solid {
  const char *name;
  const char
      *node_name; /* of a node of a beam: "BEAM.nK", which names further columns; NULL: none */
  bool quiet;     /* it has no usual columns */
  const ga_body_kind *kind;
  double mass, J[9], com[3]; /* J about the centre of mass, com in the body frame, body axes */
  ga_body_look look;
  const ga_body_look *more_looks; /* nmore further ones */
  int nmore;
  bool round, diagonal; /* J = c I; J is diagonal */
  /* start configuration: centre of mass, orientation as quaternion, matrix and (planar) angle,
   * velocity of the centre of mass, omega in space axes */
  double x0[3], p0[4], R0[9], angle0, xd0[3], w0[3];
  int q_at, v_at;  /* first of its unknowns in q and v */
  int *M_at;       /* slot of the first entry of each row of M; nv numbers, -1: the row is empty */
  int *K_at;       /* slots of the blocks (row, x), (row, phi) of Kt: 2 nv numbers, -1: none */
  double arm;      /* distance of its farthest joint point from the centre of mass */
  unsigned hold;   /* GA_HOLD_..: an assembly leaves these start values */
  double moved[2]; /* distance and angle by which the assembly of the build moved it */
};

/* Frame in the start configuration. */
void ga_solid_frame(const ga_solid *b, ga_frame *f);

#endif
