/* SPDX-License-Identifier: MIT */
/* The side to which a loop is bent: an assembly must not turn a linkage over.
 *
 * Corners (corners.c) are straight or folded at an angle of 0 or 180 degrees; between these they
 * are bent to one side or the other. The start values have errors, and the assembly shows how large
 * they are:
 *
 *     s^2 = sum (|dx|^2/L^2 + |dphi|^2)/r
 *
 * with the changes of the bodies in units of the mechanism's length L and in radians, and the
 * number r of equations that ask for them. That is the variance of one start value, as in a fit by
 * least squares. The angle of a corner depends on how its two edges are turned. It has the variance
 * s^2 for each body that is free to move, and s^2 (L/l)^2 for each free end of a rod of length l.
 *
 * A corner's side is clear if its angle after the assembly is farther from straight than ERRORS
 * standard errors, and farther than the assembly has turned it. A corner that is turned over is
 * never clear. Any other corner is refused, but for those that are straight before and after: they
 * have no side. */
#include <math.h>
#include <string.h>

#include "mechanism/assembly/corners.h"

/* Standard errors that a clear corner keeps from straight; the angle below which a corner is
 * straight, five degrees in rad. */
static const double ERRORS = 1.5, STRAIGHT = 5 * 3.14159265358979323846 / 180;

/* ---- what the start values say -------------------------------------------------------------- */

/* Moves the free body of a coordinate's joint in the start configuration (s->frame[0]) so that the
 * coordinate has `value`: it is held or driven, so the given positions of the bodies do not count.
 * Marks the joint as known and the body as settled (its place is decided; one flag per body); a
 * settled body is not moved. Side B moves, or side A if B is settled. */
static void impose_value(ga_corners *s, const ga_angle *c, double value, bool *settled) {
  const ga_element *joint = &s->m->joints.item[c->joint];
  const ga_joint_data *data = joint->data;
  const ga_coordinate_spec *spec = &data->type->coordinate[c->which];
  const int moves = settled[joint->body[1]] ? 0 : 1, b = joint->body[moves];
  ga_frame *f = &s->frame[0][b];
  double axis[3], turned[9], R[9];
  ga_pair p;
  ga_row row;
  s->known[c->joint] = true;
  if (settled[b]) return;
  ga_pair_points(&p, false, &s->frame[0][joint->body[0]], &s->frame[0][joint->body[1]],
                 data->side[0].s, data->side[1].s);
  ga_pair_axes(&p, data->side[0].E, data->side[1].E);
  if (!ga_coordinate_row(&p, data, c->which, &row)) return;
  const double change = (moves == 1 ? 1 : -1) * (value - row.value);
  settled[b] = true;
  ga_column3(p.Ua, spec->angle ? 2 : spec->a1, axis);
  if (!spec->angle) {
    ga_plus3(f->x, change, axis, f->x);
    return;
  }
  const double sine = sin(change / 2);
  const double quaternion[4] = {cos(change / 2), sine * axis[0], sine * axis[1], sine * axis[2]};
  ga_rotation3(quaternion, R);
  ga_product3(R, f->R, turned);
  memcpy(f->R, turned, sizeof turned);
}

/* Does a drive prescribe this coordinate as a function of time? */
static bool is_driven(const ga_mechanism *m, int coordinate) {
  for (int i = 0; i < m->others.count; i++) {
    const ga_element *el = &m->others.item[i];
    if (el->type == &ga_element_drive && el->coordinate[0] == coordinate) return true;
  }
  return false;
}

/* Imposes all held and driven coordinates, with their values after the assembly, on the start
 * configuration (s->frame[0]), and marks their joints in s->known. after: q after the assembly;
 * hold: nv flags or NULL. settled: scratch, one flag per body. */
static void impose_coordinates(ga_corners *s, const double *after, const bool *hold,
                               bool *settled) {
  const ga_mechanism *m = s->m;
  memcpy(settled, s->sure, (size_t)m->bodies.count * sizeof *settled);
  for (int c = 0; c < m->coordinates.count; c++) {
    const ga_angle *angle = &m->coordinates.item[c];
    if (angle->joint < 0) continue;
    const ga_joint_data *joint = m->joints.item[angle->joint].data;
    const ga_coordinate_spec *spec = &joint->type->coordinate[angle->which];
    /* these do not say where the body is */
    if (spec->distance || spec->seen_from || spec->parameter) continue;
    const bool given = (hold && hold[angle->v_at]) || is_driven(m, c);
    if (given) impose_value(s, angle, after[angle->q_at], settled);
  }
}

/* Sets s->error = standard error of a start value, sqrt(sum (|dx|^2/L^2 + |dphi|^2)/r), from the
 * changes dx, dphi of all free bodies; r = number of rows, at most the number of free velocities */
static void measure_error(ga_corners *s) {
  const ga_mechanism *m = s->m;
  double sum = 0;
  int free = 0, rows = m->nlam - m->coordinates.count;
  for (int i = 1; i < m->bodies.count; i++) {
    const ga_frame *f = &s->frame[0][i], *g = &s->frame[1][i];
    double d[3], R[9];
    if (s->sure[i]) continue;
    ga_plus3(g->x, -1, f->x, d);
    ga_product_t3(f->R, g->R, R);
    const double turn[3] = {R[7] - R[5], R[2] - R[6], R[3] - R[1]};
    const double angle = atan2(ga_norm3(turn), R[0] + R[4] + R[8] - 1);
    sum += ga_dot3(d, d) / (m->length * m->length) + angle * angle;
    free += m->bodies.item[i].kind->nv;
  }
  if (rows > free) rows = free;
  s->error = rows > 0 ? sqrt(sum / rows) : 0;
}

/* Fills s (zero but for s->m) for the configurations q[0] before and q[1] after the assembly:
 * frames, bodies that cannot move (sure), loops, known joints, standard error. The caller frees
 * s->arena, also on failure; false without memory. */
static bool prepare_corners(ga_corners *s, const double *const q[2], const bool *hold) {
  const ga_mechanism *m = s->m;
  const size_t bodies = (size_t)m->bodies.count;
  bool *settled = ga_arena_take(&s->arena, bodies, sizeof *settled);
  s->sure = ga_arena_take(&s->arena, bodies, sizeof *s->sure);
  for (int k = 0; k < 2; k++) {
    s->frame[k] = ga_arena_take(&s->arena, bodies, sizeof *s->frame[k]);
    for (int i = 0; i < m->bodies.count && !s->arena.failed; i++) {
      const ga_solid *b = &m->bodies.item[i];
      b->kind->frame(q[k] + b->q_at, NULL, &s->frame[k][i]);
      s->sure[i] = i == 0 || (hold && hold[b->v_at]);
    }
  }
  if (!ga_corners_open(s)) return false;
  impose_coordinates(s, q[1], hold, settled);
  measure_error(s);
  return true;
}

/* ---- the verdict ---------------------------------------------------------------------------- */

/* distance of an angle from the nearest multiple of pi, in rad */
static double from_straight(double angle) {
  return fabs(asin(sin(angle)));
}

/* |angle[1] - angle[0]| modulo a full turn */
static double change_of_angle(const double angle[2]) {
  return fabs(remainder(angle[1] - angle[0], 2 * acos(-1)));
}

/* Records the corner in s (name, angle, doubt) if the side to which it is bent is not clear. Does
 * nothing after the first such corner. doubt: variance of the angle in units of s->error^2. */
void ga_corners_judge(ga_corners *s, const double angle[2], double doubt, int joint, int before,
                      int after) {
  /* margin: how far from straight afterwards; turned: by how much the assembly changed it */
  const double margin = from_straight(angle[1]), turned = change_of_angle(angle);
  const double error = ERRORS * sqrt(doubt) * s->error;
  if (s->name[0] || (margin > error && margin > turned)) return;
  /* straight: by chance, or because the joints allow nothing else */
  if (fmax(fmax(margin, error), turned) < STRAIGHT || margin < 1e-6) return;
  const ga_element *item = s->m->joints.item;
  s->name[0] = item[joint].name;
  s->name[1] = item[before].name;
  s->name[2] = item[after].name;
  memcpy(s->angle, angle, sizeof s->angle);
  s->doubt = fmax(sqrt(doubt) * s->error, turned);
}

/* Sets err to GA_ERR_INITIAL, which is returned, with a sentence about the corner recorded in s. */
static ga_status report_unclear_corner(const ga_corners *s, ga_error *err) {
  const double degree = acos(-1) / 180;
  if (sin(s->angle[0]) * sin(s->angle[1]) < 0) {
    return ga_fail(
        err, GA_ERR_INITIAL,
        "joint '%.60s' would close bent to the other side: at %.3g degrees against "
        "'%.60s' and '%.60s' where the start values have %.3g. They are too far from "
        "fitting (off by about %.2g %%); give better ones, or fix a body or a coordinate",
        s->name[0], s->angle[1] / degree, s->name[1], s->name[2], s->angle[0] / degree,
        100 * s->error);
  }
  return ga_fail(
      err, GA_ERR_INITIAL,
      "it cannot be told to which side joint '%.60s' is bent: it would close %.3g degrees "
      "from straight against '%.60s' and '%.60s', and this angle is off by about %.2g "
      "degrees. The start values are too far from fitting (off by about %.2g %%); give "
      "better ones, or fix a body or a coordinate",
      s->name[0], from_straight(s->angle[1]) / degree, s->name[1], s->name[2], s->doubt / degree,
      100 * s->error);
}

/* GA_ERR_INITIAL if a corner of a loop is bent to the other side in `after` than in `before`, or if
 * its side is in doubt. before, after: q of the mechanism; hold: nv flags of velocities that the
 * assembly could not move, or NULL. */
ga_status ga_mechanism_check_sides(const ga_mechanism *m, const double *before, const double *after,
                                   const bool *hold, ga_error *err) {
  ga_corners s = {.m = m};
  ga_status status = GA_OK;
  if (prepare_corners(&s, (const double *const[]){before, after}, hold)) {
    ga_corners_check(&s);
    if (s.name[0]) status = report_unclear_corner(&s, err);
  } else {
    status = ga_fail(err, GA_ERR_MEM, "no memory to assemble");
  }
  ga_arena_free(&s.arena);
  return status;
}
