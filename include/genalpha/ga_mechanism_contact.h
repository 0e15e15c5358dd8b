/* SPDX-License-Identifier: MIT */
/* Contacts and hard limits of mechanisms (ga_mechanism.h): descriptions and the calls that add them.
 *
 *     ga_mechanism_add_contact(m, &(ga_mechanism_contact){.name = "floor",
 *         .between = {"ground", "ball"}, .radius = 0.1, .restitution = 0.8, .friction = 0.3}, &err);
 *
 * What a run does with them is in ga_contact.h. */
#ifndef GA_MECHANISM_CONTACT_H
#define GA_MECHANISM_CONTACT_H

#include <genalpha/ga_mechanism.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A contact: two surfaces that touch and press, but do not penetrate and do not pull. It holds rows
 * that a run turns on and off (ga_contact.h); with a stiffness it is a force. Surfaces of side A
 * are planes, spheres and boxes, those of B points, spheres and disks. */
typedef enum ga_surfaces {
  GA_SURFACES_PLANE = 0, /* a plane of A and points of B, or spheres of `radius` about them */
  GA_SURFACES_SPHERES,   /* two spheres */
  GA_SURFACES_INSIDE,    /* the sphere of B inside the sphere of A: a joint with clearance */
  GA_SURFACES_DISK,      /* a plane of A and the rim of a disk of B */
  GA_SURFACES_BLOCK      /* a box of A and a sphere of B */
} ga_surfaces;
typedef struct ga_mechanism_contact {
  const char *name;
  const char *between[2]; /* bodies A and B; or */
  const char *const
      *all; /* nall bodies, each with each, by their shapes: spheres and boxes, but not two
                             boxes. It has surfaces of its own then: no other field of these is read */
  int nall;
  ga_surfaces surfaces;
  ga_point point;            /* of the plane, on A; default: the origin of A's frame */
  ga_axis normal;            /* of the plane, on A, towards B; default: space z, in the plane y */
  int npoints;               /* 0: one, the origin of B's frame */
  const double *points;      /* of B, in the body frame: x, y, z of each */
  double radius;             /* of the sphere or disk of B, of spheres about points; 0: points */
  double radius_a;           /* of the sphere of A */
  ga_point centres;          /* of spheres, disk and box, in the frames of the bodies; a side not
                                given is the origin */
  ga_axis axis;              /* of the disk, on B */
  double block[3];           /* edges of the box of A, along its axes */
  double restitution;        /* Newton's law: 0 to 1 */
  double friction;           /* Coulomb's law */
  double static_friction;    /* at rest; 0: friction */
  double stiffness, damping; /* soft: normal force -(k g + c g') for a gap g < 0, at least 0 */
  double slip_speed;         /* soft: friction grows up to this speed; 0: 1e-3 */
} ga_mechanism_contact;

/* Hard stops of a coordinate; one end at least is given. For soft ones see torsions. */
typedef struct ga_mechanism_limit {
  const char *name;
  const char *coordinate; /* "JOINT.NAME" */
  ga_given lower, upper;
  double restitution; /* 0 to 1 */
} ga_mechanism_limit;

/* Of `all` the pair of bodies b and c is the point NAME.b_c. Pairs that are apart by more than
 * their size cost a distance only.
 *
 * Columns NAME.gap .n .fx .fy .fz .slip .state .impulse, those of point 3 NAME.3.gap ..; of limits
 * NAME.gap .n .impulse .state, of one end NAME.lower.n .. */
GA_API ga_status ga_mechanism_add_contact(ga_mechanism *m, const ga_mechanism_contact *contact,
                                          ga_error *err);
GA_API ga_status ga_mechanism_add_limit(ga_mechanism *m, const ga_mechanism_limit *limit,
                                        ga_error *err);

#ifdef __cplusplus
}
#endif
#endif
