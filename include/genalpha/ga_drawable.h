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
  bool law;          /* its force follows a law alone, which may be one-sided */
} ga_drawable;

/* The i-th drawable of a kind, in the order of the calls; false past the end. Torsions, drives and
 * couplers have no position in space and are left out. */
GA_API bool ga_mechanism_drawable(const ga_mechanism *m, ga_drawable_kind kind, int i,
                                  ga_drawable *drawable);

/* A line through points of bodies, such as a rope, a beam or the profile of a cam. */
typedef struct ga_line_point {
  int body;       /* number of ga_mechanism_body_at; -1: the ground */
  double at[3];   /* in the body frame */
  double radius;  /* of a sheave around which the line lies, signed as that of a rope; 0: none */
  double axis[3]; /* of the sheave, in the body frame */
  int turns;
} ga_line_point;
typedef struct ga_line {
  const char *name, *type; /* of the element, and a word for it: "rope", "beam", "cam" */
  int count;               /* points, 2 or more */
  const ga_line_point *point;
  double radius; /* of the tube that is drawn; 0: thin */
  bool closed;   /* the last point is joined to the first */
  bool curved;   /* between two points it follows the helicoid of their bodies; else straight */
  bool coloured;
  int colour; /* 0xrrggbb */
} ga_line;

/* Add a line to the picture; everything is copied. Call it before the build, after the bodies. */
GA_API ga_status ga_mechanism_add_line(ga_mechanism *m, const ga_line *line, ga_error *err);
/* The i-th line, in the order of the calls; false past the end. */
GA_API bool ga_mechanism_line(const ga_mechanism *m, int i, ga_line *line);

/* A point of contact between surfaces of A and B. With the normal n, from A to B, and the centre x of
 * B's sphere or disk in space, the point is x - r n; of a disk with an axis a, x - r e with e along n -
 * (n.a) a. Columns NAME.state (0 open, 1 slip, 2 stick), NAME.Fx .Fy .Fz (force of A on B, space axes)
 * or NAME.n (along n) give its colour and its arrow, where the mechanism has them. */
typedef struct ga_contact_point {
  const char *name; /* before the columns: "wall", "feet.3" */
  int body[2];      /* A and B, numbers as above */
  double at[2][3];  /* A: a point of the plane, or the centre of the sphere; B: centre or point */
  double normal[3]; /* of A's plane, in its body frame; zero: along the line of centres */
  double axis[3];   /* of B's disk, in its body frame; zero: a sphere or a point */
  double radius[2]; /* of A's sphere, of B's sphere or disk; 0: a point */
  bool inside;      /* B is inside of A's sphere */
} ga_contact_point;

/* Add a contact to the picture, everything is copied; read the i-th back, as for lines. */
GA_API ga_status ga_mechanism_add_contact_point(ga_mechanism *m, const ga_contact_point *contact,
                                                ga_error *err);
GA_API bool ga_mechanism_contact_point(const ga_mechanism *m, int i, ga_contact_point *contact);

/* The gravity that acts on every mass. */
GA_API void ga_mechanism_gravity(const ga_mechanism *m, double gravity[3]);

#ifdef __cplusplus
}
#endif
#endif
