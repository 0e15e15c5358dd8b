/* SPDX-License-Identifier: MIT */
/* Drawables: what a picture of a mechanism shows, its bodies with their looks, joints, forces and
 * sensors.
 *
 * All points and axes are given in the frames of the bodies, whose motion the columns NAME.x ..
 * NAME.e3 report. Texts are owned by the mechanism. */
#ifndef GA_DRAWABLE_H
#define GA_DRAWABLE_H

#include <genalpha/ga_mechanism.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ga_body_info {
  const char *name;
  ga_body_type type;
  double mass, com[3];
  double inertia[6];     /* as in ga_body */
  double position[3];    /* of the body frame at the start, as it was described: the build may */
  double orientation[4]; /* move it by a little; a unit quaternion, for planar bodies too */
  ga_body_look look;
  const ga_body_look *more_looks; /* further ones, owned by the mechanism */
  int nmore;
} ga_body_info;

/* The i-th body from 0 on, in the order of the calls, without the ground; false past the end. */
GA_API bool ga_mechanism_body_at(const ga_mechanism *m, int i, ga_body_info *info);

/* The i-th look of the ground, which has a pose; false past the end. */
GA_API bool ga_mechanism_ground_look(const ga_mechanism *m, int i, ga_body_look *look);

typedef enum ga_drawable_kind {
  GA_DRAWABLE_JOINT,
  GA_DRAWABLE_FORCE,
  GA_DRAWABLE_SENSOR
} ga_drawable_kind;

/* Something between two bodies A and B, or on body A alone. */
typedef struct ga_drawable {
  const char *name;
  const char *type;  /* "revolute", "spring", "point" .. as in the descriptions */
  int body[2];       /* numbers of ga_mechanism_body_at; -1: the ground */
  bool single;       /* it is on body A alone */
  double at[2][3];   /* its points */
  double axes[2][9]; /* columns: joint axes x, y, z; the identity for what has none */
  double length;     /* of a distance, free length of a spring; 0 elsewhere */
  double radius;     /* of a rolling disk or sphere; 0 elsewhere */
} ga_drawable;

/* The i-th drawable of a kind, in the order of the calls; false past the end. Torsions, drives and
 * couplers have no position in space and are left out. */
GA_API bool ga_mechanism_drawable(const ga_mechanism *m, ga_drawable_kind kind, int i,
                                  ga_drawable *drawable);

/* The gravity that acts on every mass. */
GA_API void ga_mechanism_gravity(const ga_mechanism *m, double gravity[3]);

#ifdef __cplusplus
}
#endif
#endif
