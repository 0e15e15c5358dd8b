/* SPDX-License-Identifier: MIT */
/* Geometry of contacts: gap, normal, tangents and contact point of two surfaces, with derivatives.
 *
 * A is the first body, B the second; n points from A to B; d = p_b - p_a. B's surface is a sphere of
 * radius r about p_b (r = 0: a point), so that the contact point is y = p_b - r n, or the rim of a
 * disk.
 *
 *   plane    g = n.d - r                  n, t_1, t_2 fixed on A
 *   spheres  g = |d| - r_a - r            n = d/|d|
 *   inside   g = r_a - r - |d|            n = -d/|d|; the sphere B is inside A
 *   disk     g = n.d - r sigma            sigma = |n x a|, a the axis of the disk on B
 *   block    g = |z - z*| - r             z: p_b in the axes of A's box, z* the box's nearest point
 *
 * Tangents of normals that move: with orthonormal (b_1, b_2, a), fixed on A,
 *   t_i = b_i - (b_i.n)/(1 + a.n) (a + n),
 * the turn that takes a to n along the shortest way. They turn with both bodies, so that slips depend on the
 * motion of the bodies against each other alone. The derivative grows near n = -a: there -a takes
 * the place of a. Only the plane of t_1 and t_2 matters for friction, which is isotropic. In the plane
 * t = (n_y, -n_x). */
#ifndef GA_SRC_CONTACT_GEOMETRY_H
#define GA_SRC_CONTACT_GEOMETRY_H

#include "genalpha/ga_mechanism_contact.h"
#include "mechanism/contact/touch.h"

/* Two surfaces, constant. */
typedef struct ga_contact_shape {
  ga_surfaces kind;
  bool planar; /* in the plane z = 0: one tangent */
  ga_joint_frame
      side[2]; /* A: point and axes t_1, t_2, n of a plane; centre of a sphere; centre and
                             axes of a box. B: centre; axis z of a disk */
  double radius[2], half[3];
  double turn[9]; /* columns b_1, b_2, a, in the axes of A's side */
} ga_contact_shape;

/* The contact at two frames. t: n, t_1, t_2; c: from p_b to the contact point. */
typedef struct ga_touch_point {
  ga_pair pair;
  double g;
  ga_moving t[3], c;
} ga_touch_point;

/* Sets *at; false where a disk lies flat on its plane: then nothing of *at is to be used. */
bool ga_contact_at(const ga_contact_shape *s, const ga_frame *a, const ga_frame *b,
                   ga_touch_point *at);
/* Are the surfaces of two spheres, or of a box and a sphere, farther apart than their sizes
 * together? *gap: a lower bound of their gap, which is constant there. */
bool ga_contact_far(const ga_contact_shape *s, const ga_frame *a, const ga_frame *b, double *gap);
/* row i of the contact: the gap, then the slips */
void ga_contact_row(const ga_touch_point *at, int i, ga_row *row);

/* c <- from the centre of a disk of radius r and axis a (fixed on B) to its lowest point over a plane
 * with normal n (fixed on A); *sigma = |n x a|. False if sigma <= flat: the disk lies flat. */
bool ga_disk_contact(const double *n, const double *a, double r, double flat, double *sigma,
                     ga_moving *c);

#endif
