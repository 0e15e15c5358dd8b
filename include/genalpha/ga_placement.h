/* SPDX-License-Identifier: MIT */
/* Where the next bodies and elements of a mechanism stand: the frame of a sub-assembly. */
#ifndef GA_PLACEMENT_H
#define GA_PLACEMENT_H

#include <genalpha/ga_mechanism.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Frame of a sub-assembly in space and its motion as a rigid body at the start. All that descriptions
 * say in space or in the frame of the ground is in this frame: positions and velocities of bodies,
 * points and directions of joints, defaults of axes, values of forces in space axes. Columns and
 * signals stay in space axes. Planar bodies need a frame that is turned about z alone. */
typedef struct ga_placement {
  double position[3];
  double orientation[4]; /* unit quaternion, scalar first; zero: the axes of space */
  double velocity[3];    /* of its origin, space axes */
  double angular_velocity[3];
} ga_placement;

/* For all that is added from now on; NULL: space again. */
GA_API ga_status ga_mechanism_place(ga_mechanism *m, const ga_placement *placement, ga_error *err);

#ifdef __cplusplus
}
#endif
#endif
