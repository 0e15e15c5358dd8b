/* SPDX-License-Identifier: MIT */
/* Start values of a mechanism that fit: weights by mass and size, names in the messages, and the
 * side on which joints close. The mathematics is in src/statics/assembly.c. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mechanism/contact/contact.h"
#include "mechanism/mechanism.h"
#include "mechanism/tree/tree.h"

enum { JOINTS_NAMED = 4 }; /* most elements named in a message */

/* ---- calls before the build ----------------------------------------------------------------- */

/* Shall the build correct start values that do not fit? GA_ERR_ARG after the build. */
ga_status ga_mechanism_set_assemble(ga_mechanism *m, bool assemble) {
  if (m->built) return GA_ERR_ARG;
  m->assemble = assemble;
  return GA_OK;
}

/* Marks start values of a body (bits GA_HOLD_..) that the assembly at the build must not change.
 * Marks add up over several calls. GA_ERR_ARG after the build or for an unknown body. */
ga_status ga_mechanism_hold(ga_mechanism *m, const char *body, unsigned what, ga_error *err) {
  int index;
  if (m->built) return ga_fail(err, GA_ERR_ARG, "the mechanism has been built already");
  if (what & ~(unsigned)(GA_HOLD_POSITION | GA_HOLD_VELOCITY | GA_HOLD_SPIN)) {
    return ga_fail(err, GA_ERR_ARG, "%#x is not a sum of GA_HOLD_POSITION, _VELOCITY, _SPIN", what);
  }
  const ga_status status = ga_mechanism_body_named(m, "hold", body, &index, err);
  if (status == GA_OK) m->bodies.item[index].hold |= what;
  return status;
}

/* ---- bodies --------------------------------------------------------------------------------- */

/* number of bodies without the ground */
int ga_mechanism_bodies(const ga_mechanism *m) {
  return m->bodies.count - 1;
}

/* name of body i, ground not counted; NULL if i is out of range */
const char *ga_mechanism_body_name(const ga_mechanism *m, int i) {
  return i >= 0 && i < m->bodies.count - 1 ? m->bodies.item[i + 1].name : NULL;
}

/* moved = distance and angle by which the build's assembly moved body i (ground not counted); zeros
 * for an i out of range */
void ga_mechanism_moved(const ga_mechanism *m, int i, double moved[2]) {
  moved[0] = moved[1] = 0;
  if (i < 0 || i >= m->bodies.count - 1) return;
  memcpy(moved, m->bodies.item[i + 1].moved, 2 * sizeof *moved);
}

/* ---- weights -------------------------------------------------------------------------------- */

/* Is coordinate number c a position, not an angle? */
static bool is_position(const ga_mechanism *m, int c) {
  return ga_kind_of_coordinate(m, c) == GA_COORDINATE_LENGTH;
}

/* true: row `row` of an element measures a length; false: an angle. The rows of drives and couplers
 * measure what their coordinates do; a position among them makes a length. */
bool ga_row_is_length(const ga_mechanism *m, const ga_element *el, int row) {
  ga_structure s = {0};
  el->type->structure(m, el, &s);
  if (s.touches[row]) return s.touches[row] & (GA_IN_XA | GA_IN_XB);
  for (int k = 0; k < el->ncoordinate; k++) {
    if (is_position(m, el->coordinate[k])) return true;
  }
  return false;
}

/* Size of a large residual of this row: the mechanism's length, or 1 rad; of a coupler the largest
 * of these times the coefficients of its coordinates. */
double ga_row_size(const ga_mechanism *m, const ga_element *el, int row) {
  double size = 0;
  if (el->type == &ga_element_state) return m->coordinates.item[el->coordinate[0]].size;
  if (!el->type->relation) return ga_row_is_length(m, el, row) ? m->length : 1;
  const ga_relation *data = el->data;
  for (int k = 0; k < el->ncoordinate; k++) {
    const double unit = is_position(m, el->coordinate[k]) ? m->length : 1;
    size = fmax(size, fabs(data->coefficient[k]) * unit);
  }
  return size;
}

/* Sets `arm` of every body (zero before): the distance of its farthest joint point from its centre
 * of mass. */
void ga_mechanism_measure_arms(ga_mechanism *m) {
  for (int i = 0; i < m->joints.count; i++) {
    const ga_element *joint = &m->joints.item[i];
    const ga_joint_data *data = joint->data;
    for (int side = 0; side < 2; side++) {
      double *arm = &m->bodies.item[joint->body[side]].arm;
      *arm = fmax(*arm, ga_norm3(data->side[side].s));
    }
  }
}

/* Shorter arms, in lengths of the mechanism, are rounding errors of places. */
static const double SHORTEST_ARM = 1e-9;

/* Square of a body's radius of gyration, (trace J)/(2 mass), at least arm^2/3; the square of the
 * mechanism's length if both are zero: a rotation without weight would be free where rows with and
 * without it are solved together. */
static double gyration2(const ga_mechanism *m, const ga_solid *b, double mass) {
  const double arm = b->arm > SHORTEST_ARM * m->length ? b->arm : 0;
  const double r2 = fmax((b->J[0] + b->J[4] + b->J[8]) / (2 * mass), arm * arm / 3);
  return r2 > 0 ? r2 : m->length * m->length;
}

/* No mass and no inertia counts less than this fraction of the largest. Violations of rows are compared by the
 * motions that close them, in the weights: beside a dummy link of a millionth of a gram steps would be as short
 * as the places of the others allow, whose joints each step opens by its square. */
static const double LEAST_WEIGHT = 1e-6;

/* Fills weight (m for displacements, m r^2 for rotations) and unit (size of a large change: the
 * mechanism's length or 1 rad), nv numbers each. In a motion (assembly = false) r is the larger of
 * radius of gyration and arm/sqrt(3). In an assembly r is the mechanism's length for all, else
 * small errors of long rods would turn a short crank round. Bodies without mass, or nearly so, get the least mass
 * of the others, coordinates 1e-3 of the least weight. */
static void set_weights(const ga_mechanism *m, bool assembly, double *weight, double *unit) {
  double least = INFINITY, least_turn = INFINITY, most = 0, most_turn = 0;
  for (int i = 1; i < m->bodies.count; i++) {
    const double mass = m->bodies.item[i].mass;
    if (mass > 0) least = fmin(least, mass);
    most = fmax(most, mass);
  }
  least = most > 0 ? fmax(least, LEAST_WEIGHT * most) : 1;
  for (int i = 1; i < m->bodies.count; i++) {
    const ga_solid *b = &m->bodies.item[i];
    const double mass = fmax(b->mass, least);
    const double turn = mass * (assembly ? m->length * m->length : gyration2(m, b, mass));
    for (int k = 0; k < b->kind->nv; k++) {
      weight[b->v_at + k] = k < b->kind->nx ? mass : turn;
      unit[b->v_at + k] = k < b->kind->nx ? m->length : 1;
    }
    least_turn = fmin(least_turn, turn);
    most_turn = fmax(most_turn, turn);
  }
  least_turn = fmax(least_turn, LEAST_WEIGHT * most_turn);
  for (int i = 1; i < m->bodies.count; i++) {
    const ga_solid *b = &m->bodies.item[i];
    for (int k = b->kind->nx; k < b->kind->nv; k++) {
      weight[b->v_at + k] = fmax(weight[b->v_at + k], least_turn);
    }
  }
  for (int c = 0; c < m->coordinates.count; c++) {
    const ga_angle *angle = &m->coordinates.item[c];
    const ga_coordinate_kind kind = ga_kind_of_coordinate(m, c);
    const double size = kind == GA_COORDINATE_STATE ? angle->size : 1;
    weight[angle->v_at] =
        1e-3 * (kind == GA_COORDINATE_LENGTH ? least : least_turn / (size * size));
    unit[angle->v_at] = kind == GA_COORDINATE_LENGTH ? m->length : size;
  }
}

/* weight, unit = weights and units of the velocities for equilibrium and velocities (not for the
 * assembly of positions), nv numbers each */
void ga_mechanism_weights(const ga_mechanism *m, double *weight, double *unit) {
  if (m->tree) {
    ga_tree_weights(m, weight, unit);
    return;
  }
  set_weights(m, /* assembly: */ false, weight, unit);
}

/* ---- messages ------------------------------------------------------------------------------- */

/* Largest violation |open| among the rows of an element, in units of the mechanism's length or in
 * radians (returned). open: residuals of all rows, holonomic first; velocity: they are those of
 * velocities, nonholonomic rows included. *value: the same without scaling; *length: the row is a
 * length. If no row is violated, returns 0 and leaves both. */
static double worst_row(const ga_mechanism *m, const ga_element *el, const double *open,
                        bool velocity, double *value, bool *length) {
  double most = 0;
  for (int row = 0; row < el->nlam + (velocity ? el->npsi : 0); row++) {
    const bool holonomic = row < el->nlam, is_length = ga_row_is_length(m, el, row);
    const double x =
        fabs(holonomic ? open[el->lam_at + row] : open[m->nlam + el->psi_at + row - el->nlam]);
    const double scaled = x / ga_row_size(m, el, row);
    if (scaled > most) most = scaled, *value = x, *length = is_length;
  }
  return most;
}

/* Writes the elements that are violated most, worst first, into text (room bytes, cut off if that
 * is too little): "joint 'a' (by 0.01), ..". At most JOINTS_NAMED, and none below 1e-3 of the
 * worst. open, velocity: as for worst_row. */
static void name_violated(const ga_mechanism *m, const double *open, bool velocity, char *text,
                          size_t room) {
  double last = INFINITY, largest = 0;
  size_t used = 0;
  text[0] = '\0';
  for (int named = 0; named < JOINTS_NAMED; named++) {
    const ga_element *worst = NULL;
    double most = 0, value = 0, x = 0;
    bool length = false, is_length = false;
    for (int i = 0; i < m->elements.count; i++) {
      const double scaled = worst_row(m, &m->elements.item[i], open, velocity, &x, &is_length);
      if (scaled < last && scaled > most) {
        most = scaled, value = x, length = is_length, worst = &m->elements.item[i];
      }
    }
    if (named == 0) largest = most;
    if (!worst || most < 1e-3 * largest) return;
    const char *unit = velocity ? (length ? "" : " rad/s") : (length ? "" : " rad");
    const int n = snprintf(text + used, room - used, "%s%s '%.60s' (by %.3g%s)", named ? ", " : "",
                           worst->type->what, worst->name, value, unit);
    if (n < 0 || (size_t)n >= room - used) return;
    used += (size_t)n;
    last = most;
  }
}

/* Sets err to GA_ERR_INITIAL, which is returned, with the names of the elements whose rows stay
 * open. open, velocity: as for worst_row. */
static ga_status report_open_joints(const ga_mechanism *m, const double *open, bool velocity,
                                    ga_error *err) {
  char text[330];
  name_violated(m, open, velocity, text, sizeof text);
  return ga_fail(err, GA_ERR_INITIAL,
                 velocity ? "the velocities that were given do not fit together; with the others "
                            "as near as possible these still move apart: %s"
                          : "the joints cannot be closed together; in the nearest position these "
                            "stay open: %s",
                 text);
}

/* ---- assembly ------------------------------------------------------------------------------- */

typedef struct assembling {
  ga_arena arena;
  double *position_weight, *weight; /* of positions and of velocities */
  double *unit, *open, *q, *v;      /* sizes of large changes; residuals of all rows; results */
} assembling;

/* Overwrites all of `a`: allocates its arrays in a->arena, fills both weights and the units, and
 * leaves open, q and v zero. `a` may be uninitialized, but must not own an arena. The caller frees
 * a->arena, also on failure. */
static ga_status allocate_assembly(assembling *a, const ga_mechanism *m, ga_error *err) {
  *a = (assembling){.weight = NULL};
  a->weight = ga_arena_doubles(&a->arena, (size_t)m->nv);
  a->position_weight = ga_arena_doubles(&a->arena, (size_t)m->nv);
  a->unit = ga_arena_doubles(&a->arena, (size_t)m->nv);
  a->open = ga_arena_doubles(&a->arena, (size_t)m->nlam + (size_t)m->npsi);
  a->q = ga_arena_doubles(&a->arena, (size_t)m->nq);
  a->v = ga_arena_doubles(&a->arena, (size_t)m->nv);
  if (a->arena.failed) return ga_fail(err, GA_ERR_MEM, "no memory to assemble the mechanism");
  /* assembly or motion; the units are the same in both calls */
  set_weights(m, true, a->position_weight, a->unit);
  set_weights(m, false, a->weight, a->unit);
  return GA_OK;
}

/* ---- positions, velocities ------------------------------------------------------------------- */

/* Sets the frames of a joint's two bodies at q, with zero velocities, and *p, the joint's points
 * and axes on both bodies. p refers to `frames`, which must live as long. */
static void joint_at(const ga_mechanism *m, const ga_element *joint, const double *q,
                     ga_frame frames[2], ga_pair *p) {
  const ga_joint_data *data = joint->data;
  for (int side = 0; side < 2; side++) {
    const ga_solid *b = &m->bodies.item[joint->body[side]];
    b->kind->frame(q + b->q_at, NULL, &frames[side]);
  }
  ga_pair_points(p, false, &frames[0], &frames[1], data->side[0].s, data->side[1].s);
  ga_pair_axes(p, data->side[0].E, data->side[1].E);
}

/* Rows that say "perpendicular" also hold for opposite axes. GA_ERR_INITIAL if axes of a joint that
 * must point in the same direction (bits `aligned` of its type) are opposite at q. */
static ga_status check_aligned(const ga_mechanism *m, const double *q, ga_error *err) {
  for (int i = 0; i < m->joints.count; i++) {
    const ga_element *joint = &m->joints.item[i];
    const unsigned aligned = ((const ga_joint_data *)joint->data)->type->aligned;
    ga_frame frames[2];
    ga_pair p;
    joint_at(m, joint, q, frames, &p);
    for (int k = 0; k < 3; k++) {
      double a[3], b[3];
      ga_column3(p.Ua, k, a);
      ga_column3(p.Ub, k, b);
      if (!(aligned >> k & 1) || ga_dot3(a, b) > 0) continue;
      return ga_fail(err, GA_ERR_INITIAL,
                     "joint '%s' would close with its %c axes opposite to each other: the start "
                     "values of its bodies are too far from fitting; give better ones",
                     joint->name, "xyz"[k]);
    }
  }
  return GA_OK;
}

/* a->q = the configuration nearest to q that closes all joints at time t; q itself is not changed.
 * hold: nv flags of velocities that must not move, or NULL. Overwrites a->open. GA_ERR_INITIAL if
 * joints stay open, axes are opposite or loops are bent to the other side; then a->q is no use. */
static ga_status assemble_position(assembling *a, const ga_mechanism *m, double t, const double *q,
                                   const bool *hold, ga_error *err) {
  ga_assembly how = {.hold = hold, .weight = a->position_weight, .unit = a->unit, .open = a->open};
  ga_error own = {GA_OK, ""};
  memcpy(a->q, q, (size_t)m->nq * sizeof(double));
  ga_status status = ga_assemble_position(&m->model, t, a->q, &how, &own);
  if (status == GA_ERR_INITIAL) return report_open_joints(m, a->open, false, err);
  if (status != GA_OK) return ga_fail(err, status, "assembly: %s", own.text);
  status = check_aligned(m, a->q, err);
  return status == GA_OK ? ga_mechanism_check_sides(m, q, a->q, hold, err) : status;
}

/* a->v = the velocities nearest to v that satisfy all rows at (t, a->q), which must be assembled; v
 * itself is not changed. hold: nv flags of velocities that must keep their value, or NULL.
 * Overwrites a->open. GA_ERR_INITIAL if rows stay violated. */
static ga_status assemble_velocity(assembling *a, const ga_mechanism *m, double t, const double *v,
                                   const bool *hold, ga_error *err) {
  ga_assembly how = {.hold = hold, .weight = a->weight, .unit = a->unit, .open = a->open};
  ga_error own = {GA_OK, ""};
  memcpy(a->v, v, (size_t)m->nv * sizeof(double));
  const ga_status status = ga_assemble_velocity(&m->model, t, a->q, a->v, &how, &own);
  if (status == GA_ERR_INITIAL) return report_open_joints(m, a->open, true, err);
  return status == GA_OK ? GA_OK : ga_fail(err, status, "assembly: %s", own.text);
}

/* moved = distance of the origins of the body's frame (m) and angle between its axes (rad) at q0
 * and q1 */
static void measure_move(const ga_solid *b, const double *q0, const double *q1, double moved[2]) {
  ga_frame f0, f1;
  double o0[3], o1[3], R[9];
  b->kind->frame(q0 + b->q_at, NULL, &f0);
  b->kind->frame(q1 + b->q_at, NULL, &f1);
  ga_times3(f0.R, b->com, o0);
  ga_plus3(f0.x, -1, o0, o0);
  ga_times3(f1.R, b->com, o1);
  ga_plus3(f1.x, -1, o1, o1);
  ga_plus3(o1, -1, o0, o1);
  ga_product_t3(f0.R, f1.R, R);
  const double s[3] = {R[7] - R[5], R[2] - R[6], R[3] - R[1]};
  moved[0] = ga_norm3(o1);
  moved[1] = atan2(0.5 * ga_norm3(s), 0.5 * (R[0] + R[4] + R[8] - 1));
}

/* Replaces q and v (v may be NULL) by the nearest consistent values; on failure both are unchanged.
 * hold_q, hold_v: nv flags of what must not change, or NULL. moved (NULL: not wanted; written only
 * with GA_OK): distance and angle of each body without the ground, two numbers each. */
ga_status ga_mechanism_assemble(const ga_mechanism *m, double t, double *q, double *v,
                                const bool *hold_q, const bool *hold_v, double *moved,
                                ga_error *err) {
  assembling a;
  ga_mechanism joints;
  if (!m->built) return ga_fail(err, GA_ERR_ARG, "the mechanism has not been built");
  if (m->tree) return ga_tree_assemble(m, t, q, v, hold_q || hold_v, moved, err);
  m = ga_mechanism_without_contacts(m, &joints);
  ga_status status = allocate_assembly(&a, m, err);
  if (status == GA_OK) status = assemble_position(&a, m, t, q, hold_q, err);
  if (status == GA_OK && v) status = assemble_velocity(&a, m, t, v, hold_v, err);
  if (status == GA_OK) {
    for (int i = 1; moved && i < m->bodies.count; i++) {
      measure_move(&m->bodies.item[i], q, a.q, moved + 2 * (i - 1));
    }
    memcpy(q, a.q, (size_t)m->nq * sizeof(double));
    if (v) memcpy(v, a.v, (size_t)m->nv * sizeof(double));
  }
  ga_arena_free(&a.arena);
  return status;
}

/* ---- at the build --------------------------------------------------------------------------- */

/* Sets the flags of a body's velocities in hold_q and hold_v (nv each) from its bits GA_HOLD_.. */
static void hold_body(const ga_solid *b, bool *hold_q, bool *hold_v) {
  for (int k = 0; k < b->kind->nv; k++) {
    const unsigned velocity = k < b->kind->nx ? GA_HOLD_VELOCITY : GA_HOLD_SPIN;
    hold_q[b->v_at + k] = b->hold & GA_HOLD_POSITION;
    hold_v[b->v_at + k] = b->hold & velocity;
  }
}

/* The velocity of an origin beside the centre of mass can be held only together with the rotation:
 * GA_ERR_ARG otherwise. */
static ga_status check_holds(const ga_mechanism *m, ga_error *err) {
  for (int i = 1; i < m->bodies.count; i++) {
    const ga_solid *b = &m->bodies.item[i];
    if (!(b->hold & GA_HOLD_VELOCITY) || b->hold & GA_HOLD_SPIN || ga_norm3(b->com) == 0) continue;
    return ga_fail(err, GA_ERR_ARG,
                   "body '%s': its velocity is given, its angular velocity is not, and its centre "
                   "of mass is not at its origin; give both, or neither",
                   b->name);
  }
  return GA_OK;
}

/* Writes v (nv numbers) after the assembly has turned the bodies to q: the author gave velocity and
 * angular velocity in space axes, so the components in body axes and the velocity of the centre of
 * mass change. v of coordinates is left. */
static void turn_velocities(const ga_mechanism *m, const double *q, double *v) {
  for (int i = 1; i < m->bodies.count; i++) {
    ga_solid b = m->bodies.item[i];
    double arm[3], ignored[7];
    ga_frame f;
    b.kind->frame(q + b.q_at, NULL, &f);
    ga_times3(b.R0, b.com, arm);
    ga_add_cross3(-1, b.w0, arm, b.xd0);
    ga_times3(f.R, b.com, arm);
    ga_add_cross3(1, b.w0, arm, b.xd0);
    memcpy(b.R0, f.R, sizeof f.R);
    b.kind->start(&b, ignored, v + b.v_at);
  }
}

/* Assembles m->q0 and m->v0 at the build, with what the author holds, and records in `moved` of
 * each body how far it moved. On failure q0 stays as it was; v0 may be turned already. */
ga_status ga_mechanism_assemble_start(ga_mechanism *m, double t0, ga_error *err) {
  assembling a = {.weight = NULL};
  ga_status status = check_holds(m, err);
  if (status == GA_OK) status = allocate_assembly(&a, m, err);
  bool *hold_q = ga_arena_take(&a.arena, (size_t)m->nv, sizeof *hold_q);
  bool *hold_v = ga_arena_take(&a.arena, (size_t)m->nv, sizeof *hold_v);
  if (status == GA_OK && a.arena.failed) {
    status = ga_fail(err, GA_ERR_MEM, "no memory to assemble the mechanism");
  }
  if (status == GA_OK) {
    for (int i = 1; i < m->bodies.count; i++) hold_body(&m->bodies.item[i], hold_q, hold_v);
    for (int c = 0; c < m->coordinates.count; c++) {
      hold_q[m->coordinates.item[c].v_at] = m->coordinates.item[c].held;
      hold_v[m->coordinates.item[c].v_at] = m->coordinates.item[c].rate_held;
    }
    status = assemble_position(&a, m, t0, m->q0, hold_q, err);
  }
  if (status == GA_OK) {
    turn_velocities(m, a.q, m->v0);
    status = assemble_velocity(&a, m, t0, m->v0, hold_v, err);
  }
  if (status == GA_OK) {
    for (int i = 1; i < m->bodies.count; i++) {
      measure_move(&m->bodies.item[i], m->q0, a.q, m->bodies.item[i].moved);
    }
    memcpy(m->q0, a.q, (size_t)m->nq * sizeof(double));
    memcpy(m->v0, a.v, (size_t)m->nv * sizeof(double));
  }
  ga_arena_free(&a.arena);
  return status;
}
