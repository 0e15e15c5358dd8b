/* SPDX-License-Identifier: MIT */
/* Beams of a mechanism: flexible bodies that may stretch, shear, bend and twist by any amount.
 *
 *     ga_beam_node nodes[9];
 *     ga_beam_line((double[3]){0, 0, 0}, (double[3]){10, 0, 0}, NULL, 8, nodes, &err);
 *     ga_mechanism_beam(m, &(ga_beam){.name = "arm", .elements = 8, .nodes = nodes,
 *         .section = {.EA = 2.8e7, .GA = {1e7, 1e7}, .GJ = 1e4, .EI = {1.4e4, 1.4e4},
 *                     .rhoA = 1.2, .rhoI = {1.2e-3, 6e-4, 6e-4}}}, &err);
 *     ga_mechanism_add_joint(m, &(ga_joint){.name = "clamp", .type = "fixed",
 *         .between = {"ground", "arm.start"}}, &err);
 *
 * A beam of n elements has n + 1 nodes. A node is a body: "arm.start", "arm.end", "arm.n0" .. "arm.n8"
 * stand wherever a body may. Its origin is on the centre line, its axes are the tangent x and the
 * principal axes y, z of the section. docs/guide/beams.md shows how to use beams,
 * docs/reference/models.md has the equations. */
#ifndef GA_BEAM_H
#define GA_BEAM_H

#include <genalpha/ga_mechanism.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Frame of a node: origin, unit quaternion (scalar first; zero: the axes of space). */
typedef struct ga_beam_node {
  double position[3];
  double orientation[4];
} ga_beam_node;

/* A section: stiffnesses in N and N m^2, mass per length in kg/m, rotary inertia in kg m about x, y,
 * z. All are positive. EI[1] belongs to bending in the xy-plane. */
typedef struct ga_beam_section {
  double EA, GA[2], GJ, EI[2];
  const double *K; /* 6 x 6 by rows in place of these, rows N Qy Qz Mx My Mz; NULL: not given */
  double rhoA, rhoI[3];
  double radius; /* for pictures; 0: guessed */
} ga_beam_section;

typedef enum ga_beam_stiffness {
  GA_BEAM_FLEXIBILITY = 0, /* exact flexibility of the undeformed element: order 4 in space */
  GA_BEAM_CONSTANT_STRAIN  /* the published element: order 2 */
} ga_beam_stiffness;
typedef enum ga_beam_inertia_kind {
  GA_BEAM_CONSISTENT = 0, /* along a curved centre line; M depends on the rotations */
  GA_BEAM_LUMPED          /* in the nodes; M is constant and diagonal */
} ga_beam_inertia_kind;

typedef struct ga_beam {
  const char *name;
  int elements;
  const ga_beam_node *nodes;     /* elements + 1 frames in the initial configuration */
  const ga_beam_node *reference; /* where it has no stress; NULL: in the initial configuration */
  ga_beam_section section;
  ga_beam_stiffness stiffness;
  ga_beam_inertia_kind mass;
  ga_formulation formulation;    /* of its nodes; default: SE(3), whatever the mechanism has */
  double damping[6];             /* beta in s for strain rates N Qy Qz Mx My Mz: Kelvin-Voigt */
  double load[3];                /* dead load per length of the reference, N/m, space axes */
  double velocity[3];            /* of the start, and */
  double angular_velocity[3];    /* of all nodes, in space axes: a rigid motion; or */
  const double *node_velocities; /* x', omega of each node, space axes: 6 numbers; NULL: none */
} ga_beam;

/* Adds nodes and elements; "NAME" alone is no body. Element k = 1 .. n has the columns NAME.sk.N .Qy
 * .Qz .Mx .My .Mz: the wrench on its middle section from the side of its second node. */
GA_API ga_status ga_mechanism_beam(ga_mechanism *m, const ga_beam *beam, ga_error *err);

/* Sentences about beams whose waves of this frequency have so few elements that frequencies near it are
 * wrong by about 1 % or more, with the number that is enough. Returns the number of such beams. */
GA_API int ga_mechanism_check_waves(const ga_mechanism *m, double hertz, ga_log_fn say,
                                    void *context);

/* Frames of elements + 1 nodes on a straight line. y_axis: the direction of y, made perpendicular to
 * the line; NULL: the space axis farthest from it. */
GA_API ga_status ga_beam_line(const double from[3], const double to[3], const double *y_axis,
                              int elements, ga_beam_node *nodes, ga_error *err);
/* The same on an arc of a circle: normal points to its centre; angle > 0 in rad. y_axis is that of the
 * start and is carried along; NULL: the normal. */
GA_API ga_status ga_beam_arc(const double from[3], const double tangent[3], const double normal[3],
                             double radius, double angle, const double *y_axis, int elements,
                             ga_beam_node *nodes, ga_error *err);

/* The section of a solid shape. circle: a is the radius; tube: a is the outer, b the inner radius;
 * rectangle: edges a along y and b along z. */
typedef enum ga_beam_shape { GA_BEAM_CIRCLE, GA_BEAM_TUBE, GA_BEAM_RECTANGLE } ga_beam_shape;
/* E, G, density; shear: factors of GA for y and z; 0: 0.9 (circle), 0.5 (tube), 5/6 (rectangle) */
typedef struct ga_beam_material {
  double E, G, density, shear[2];
} ga_beam_material;
GA_API ga_status ga_beam_section_of(ga_beam_shape shape, double a, double b,
                                    const ga_beam_material *material, ga_beam_section *section,
                                    ga_error *err);

#ifdef __cplusplus
}
#endif
#endif
