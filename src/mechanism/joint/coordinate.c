/* SPDX-License-Identifier: MIT */
/* Coordinates of joints, and drives, which act on them alone.
 *
 *   coordinate   g = wrap(phi - theta) of an angle, a.d - theta of a position, f(|d|) - theta of a
 *                distance; theta has no mass
 *   drive        g = theta - f(t);  or nonholonomic k = theta' - f(t, signals)
 *
 * wrap(a) = a - 2 pi round(a/2 pi), so that theta counts turns and g is smooth where it vanishes. An
 * angle is one between axes of A and B, or that of d about an axis of A or of B.
 *
 * f(s) = s, but for the spans of ropes over sheaves with the signed radii r_a and r_b (rope.c): with
 * D = r_b - r_a the tangent of both circles has the length sqrt(s^2 - D^2), and
 *
 *   f = sqrt(s^2 - D^2) + D asin(D/s),   f' = sqrt(s^2 - D^2)/s,   f'' = D^2/(s^2 sqrt(s^2 - D^2)) */
#include "mechanism/joint/joint.h"
#include "mechanism/signal/signal.h"

static const double two_pi = 6.28318530717958647693;

/* ---- the coordinate itself ------------------------------------------------------------------ */

/* Sets the two rows behind an angle atan2(u, w): u = a1.b1 and w = a2.b2, with the axes a of A and
 * b of B that spec names; Su, Sw: their matrices b~ a~ (by rows) for tangents, or NULL. */
static void angle_rows(const ga_pair *p, const ga_coordinate_spec *spec, ga_row *u, ga_row *w,
                       double *Su, double *Sw) {
  double a[3], b[3];
  ga_column3(p->Ua, spec->a1, a);
  ga_column3(p->Ub, spec->b1, b);
  ga_row_dot(p, a, b, u);
  if (Su) ga_dot_bend(a, b, Su);
  ga_column3(p->Ua, spec->a2, a);
  ga_column3(p->Ub, spec->b2, b);
  ga_row_dot(p, a, b, w);
  if (Sw) ga_dot_bend(a, b, Sw);
}

/* row <- |d| of the points of p. With s = |d|, n = d/s its derivative is that of (|d|^2 - l^2)/(2 l)
 * at l = s; the second one has n n^T d'/s less, because l does not change there. False where the
 * points meet. */
static bool distance_row(const ga_pair *p, ga_row *row) {
  const double s = ga_norm3(p->d);
  if (!(s * s > ga_pair_meets(p))) return false;
  ga_row_distance(p, s, row);
  row->value = s;
  if (!p->curved) return true;
  double u[3];
  ga_pair_rate(p, u);
  const double turn = ga_dot3(p->d, u) / (s * s);
  for (int i = 0; i < GA_PAIR; i++) row->Z[i] -= turn * row->J[i];
  return true;
}

/* row <- f(|d|) of a span, whose derivatives follow from those of |d| by the chain rule. False where
 * the circles leave no tangent, |d| <= |D|. */
static bool span_row(const ga_pair *p, double D, ga_row *row) {
  if (!distance_row(p, row)) return false;
  const double s = row->value;
  if (D == 0) return true;
  if (!(s > fabs(D))) return false;
  const double tangent = sqrt((s - D) * (s + D)), slope = tangent / s;
  row->value = tangent + D * asin(D / s);
  if (p->curved) {
    double u[3];
    ga_pair_rate(p, u);
    const double bend = D * D / (s * s * tangent) * ga_dot3(p->d, u) / s;
    for (int i = 0; i < GA_PAIR; i++) row->Z[i] = slope * row->Z[i] + bend * row->J[i];
  }
  for (int i = 0; i < GA_PAIR; i++) row->J[i] *= slope;
  return true;
}

/* t <- the tangent of lam |d|: a force lam n with the derivative lam (I - n n^T)/s by d. */
static void distance_tangent(const ga_pair *p, double lam, ga_tangent *t) {
  const double s = ga_norm3(p->d);
  double phi[3], by_d[9];
  for (int i = 0; i < 3; i++) {
    phi[i] = lam * p->d[i] / s;
    for (int k = 0; k < 3; k++) {
      by_d[3 * i + k] = lam * ((i == k) - p->d[i] * p->d[k] / (s * s)) / s;
    }
  }
  ga_tangent_points(p, phi, by_d, NULL, t);
}

/* t <- the tangent of lam f(|d|) of a span */
static void span_tangent(const ga_pair *p, double D, double lam, ga_tangent *t) {
  const double s = ga_norm3(p->d), tangent = sqrt((s - D) * (s + D));
  ga_row row;
  distance_tangent(p, D == 0 ? lam : lam * tangent / s, t);
  if (D == 0 || !distance_row(p, &row)) return;
  ga_tangent_outer(lam * D * D / (s * s * tangent), row.J, row.J, t);
}

/* Sets row to value and derivatives of a coordinate at p, without theta. False where an angle is
 * not defined (u = w = 0), or a distance is 0: then row is of no use. */
bool ga_coordinate_row(const ga_pair *p, const ga_joint_data *joint, int which, ga_row *row) {
  const ga_coordinate_spec *spec = &joint->type->coordinate[which];
  if (spec->distance) return span_row(p, joint->radii, row);
  if (spec->seen_from) return ga_row_bearing(p, spec->seen_from - 1, row);
  if (!spec->angle) {
    double a[3];
    ga_column3(p->Ua, spec->a1, a);
    ga_row_plane(p, a, row);
    return true;
  }
  ga_row u, w;
  angle_rows(p, spec, &u, &w, NULL, NULL);
  return ga_row_angle(&u, &w, p, row);
}

/* Sets the nonzeros of a coordinate: one row that depends on both frames and on theta, and its
 * blocks of Kt. */
static void coordinate_structure(const ga_mechanism *m, const ga_element *el, ga_structure *s) {
  (void)m;
  const ga_coordinate_spec *spec = ((const ga_coordinate_data *)el->data)->spec;
  const bool points = spec->distance || spec->seen_from;
  s->touches[0] = spec->angle && !points ? GA_DOT_VARIATIONS : GA_ALL_VARIATIONS;
  s->blocks = points ? GA_ALL_BLOCKS : spec->angle ? GA_DOT_BLOCKS : GA_PLANE_BLOCKS;
  s->coordinates = true;
}

/* Adds the tangent of lam times the coordinate's row to Kt; theta enters linearly and needs none.
 */
static void put_tangent(ga_pass *pass, const ga_element *el, const ga_coordinate_data *data,
                        const ga_pair *p) {
  const ga_coordinate_spec *spec = data->spec;
  const double lam = *ga_pass_lam(pass, el);
  ga_tangent t;
  ga_tangent_clear(&t, /* by velocities: */ false);
  if (spec->seen_from) {
    ga_tangent_bearing(p, spec->seen_from - 1, lam, &t);
  } else if (spec->angle) {
    ga_row u, w;
    double Su[9], Sw[9];
    angle_rows(p, spec, &u, &w, Su, Sw);
    ga_tangent_angle(&u, &w, Su, Sw, lam, &t);
  } else if (spec->distance) {
    span_tangent(p, data->joint->radii, lam, &t);
  } else {
    double a[3];
    ga_column3(p->Ua, spec->a1, a);
    for (int i = 0; i < 3; i++) a[i] *= lam;
    ga_tangent_plane(p, a, &t);
  }
  ga_pass_tangent(pass, el, &t);
}

/* Writes the row g = wrap(phi - theta) of an angle or g = a.d - theta of a position, and adds its
 * tangent to Kt. Returns 0, or a code > 0 where the angle is not defined. */
static int coordinate_evaluate(ga_pass *pass, const ga_element *el) {
  const ga_coordinate_data *data = el->data;
  const bool tangents = pass->tangents && el->blocks;
  if (!pass->holonomic && !tangents) return 0;
  ga_pair p;
  ga_row row;
  ga_joint_pair(pass, el, data->joint, &p);
  const int which = (int)(data->spec - data->joint->type->coordinate);
  if (!ga_coordinate_row(&p, data->joint, which, &row)) return ga_element_code(pass, el);
  if (pass->holonomic) {
    row.value -= pass->q[pass->m->coordinates.item[el->coordinate[0]].q_at];
    if (data->spec->angle) row.value -= two_pi * round(row.value / two_pi);
    ga_pass_row(pass, el, 0, &row);
    ga_pass_row_coordinate(pass, el, 0, 0, -1);
  }
  if (tangents) put_tangent(pass, el, data, &p);
  return 0;
}

/* writes theta and theta' */
static void coordinate_output(ga_pass *pass, const ga_state *state, const ga_element *el,
                              double *values) {
  const ga_angle *c = &pass->m->coordinates.item[el->coordinate[0]];
  values[0] = state->q[c->q_at];
  values[1] = state->v[c->v_at];
}

const ga_column ga_coordinate_columns[2] = {{"", "m", "rad"}, {"_rate", "m/s", "rad/s"}};

const ga_element_type ga_element_coordinate = {
    .what = "coordinate",
    .order = GA_ORDER_COORDINATES,
    .trouble =
        "the angle is not defined, its axes are perpendicular to each other; or the points of "
        "a distance meet, or the sheaves of a rope",
    .structure = coordinate_structure,
    .evaluate = coordinate_evaluate,
    GA_COLUMNS(ga_coordinate_columns),
    .output = coordinate_output};

/* *value, *rate = those of coordinate `which` of a joint in the start configuration, an angle in
 * (-pi, pi] with the author's number of full turns added. At half a turn rounding errors decide
 * between -pi and pi: it is pi. False where the angle is not defined. */
bool ga_coordinate_start(const ga_mechanism *m, const ga_element *joint, int which, double *value,
                         double *rate) {
  const ga_joint_data *data = joint->data;
  ga_frame a, b;
  ga_pair p;
  ga_row row;
  ga_solid_frame(&m->bodies.item[joint->body[0]], &a);
  ga_solid_frame(&m->bodies.item[joint->body[1]], &b);
  ga_pair_points(&p, false, &a, &b, data->side[0].s, data->side[1].s);
  ga_pair_axes(&p, data->side[0].E, data->side[1].E);
  if (data->type->coordinate[which].parameter) return ga_curve_start(data, &p, value, rate);
  if (!ga_coordinate_row(&p, data, which, &row)) return false;
  static const double ROUNDING = 1e-12; /* rad: errors of a start configuration */
  *value = row.value;
  if (data->type->coordinate[which].angle) {
    if (*value <= -0.5 * two_pi + ROUNDING) *value += two_pi;
    *value += two_pi * data->turns[which];
  }
  *rate = ga_dot3(row.J + GA_XA, a.xd) + ga_dot3(row.J + GA_PA, a.w) +
          ga_dot3(row.J + GA_XB, b.xd) + ga_dot3(row.J + GA_PB, b.w);
  return true;
}

/* ---- drives --------------------------------------------------------------------------------- */

/* Sets the nonzeros of drives: their row depends on coordinates alone. */
static void line_structure(const ga_mechanism *m, const ga_element *el, ga_structure *s) {
  (void)m, (void)el;
  s->coordinates = true;
}

/* The author's function f(t) of a drive, ready to be called at pass->t. field: its name in model
 * files; time_derivatives: how many of them are used. */
static void drive_call(const ga_pass *pass, const ga_element *el, const char *field,
                       int time_derivatives, ga_call *call) {
  ga_call_begin(call, el->data, field, ga_of_time, time_derivatives);
  call->value[GA_OF_TIME_T] = pass->t;
}

/* f(t) of a drive as function 0 of the element; two time derivatives are used */
static bool position_function(ga_pass *pass, const ga_element *el, int i, ga_call *call) {
  if (i == 0) drive_call(pass, el, "position", 2, call);
  return i == 0;
}

/* f(t) of a rate drive as function 0 of the element; one time derivative is used */
static bool rate_function(ga_pass *pass, const ga_element *el, int i, ga_call *call) {
  if (i == 0) drive_call(pass, el, "rate", 1, call);
  return i == 0;
}

/* Writes the row g = theta - f(t), g_t = -f' and the drift -f''. Returns 0, or a code where f
 * cannot be evaluated. */
static int drive_evaluate(ga_pass *pass, const ga_element *el) {
  if (!pass->holonomic) return 0;
  const ga_evaluation *out = pass->out;
  const int r = el->lam_at;
  double f[3];
  const int code = ga_law_jet(el->data, &pass->t, GA_OF_TIME_T, f);
  if (code != 0) return ga_function_code(pass, el, code);
  if (out->g) out->g[r] = pass->q[pass->m->coordinates.item[el->coordinate[0]].q_at] - f[0];
  if (out->gt) out->gt[r] = -f[1];
  if (out->drift) out->drift[r] = -f[2];
  ga_pass_row_coordinate(pass, el, 0, 0, 1);
  return 0;
}

/* H -= g.v, Y -= g.q in the row of a rate, drift = -g.t - g.q v: the derivatives of -f. */
static void put_gradient(ga_pass *pass, const ga_element *el, const ga_gradient *g) {
  const ga_evaluation *out = pass->out;
  double drift = -g->t;
  if (el->reach) pass->m->carrier->row_reach(pass, el, g, &drift);
  if (out->k_drift) out->k_drift[el->psi_at] = drift;
}

/* Writes the nonholonomic row k = theta' - f(t, signals), its derivatives and drift. It reacts on
 * theta alone (L, P, R of ga_pass_row_coordinate), so that it has no tangents. Returns 0, or a code
 * where f cannot be evaluated. */
static int rate_evaluate(ga_pass *pass, const ga_element *el) {
  if (!pass->nonholonomic) return 0;
  const ga_evaluation *out = pass->out;
  const bool derivatives = out->H || out->Y || out->k_drift;
  ga_call call;
  double f = 0;
  drive_call(pass, el, "rate", 1, &call);
  int code = ga_pass_call(pass, &call, derivatives, &f);
  if (code != 0) return ga_function_code(pass, el, code);
  if (out->k) out->k[el->psi_at] = pass->v[pass->m->coordinates.item[el->coordinate[0]].v_at] - f;
  ga_pass_row_coordinate(pass, el, 0, 0, 1);
  if (!derivatives) return 0;
  ga_gradient g;
  code = ga_call_gradient(pass, &call, el->reach, &g);
  if (code != 0) return ga_function_code(pass, el, code);
  put_gradient(pass, el, &g);
  return 0;
}

/* the motion is function 0 of a drive */
static const ga_law *drive_law(const ga_element *el, int i) {
  return i == 0 ? el->data : NULL;
}

/* writes the effort that acts in the direction of +theta: -lam */
static void drive_output(ga_pass *pass, const ga_state *state, const ga_element *el,
                         double *values) {
  (void)pass;
  values[0] = -state->lam[el->lam_at];
}

/* writes the effort that acts in the direction of +theta: -psi */
static void rate_output(ga_pass *pass, const ga_state *state, const ga_element *el,
                        double *values) {
  (void)pass;
  values[0] = -state->psi[el->psi_at];
}

/* effort times rate of a drive */
static double drive_power(ga_pass *pass, const ga_state *state, const ga_element *el) {
  const double *v = state->v + pass->m->coordinates.item[el->coordinate[0]].v_at;
  return -state->lam[el->lam_at] * *v;
}
static double rate_power(ga_pass *pass, const ga_state *state, const ga_element *el) {
  const double *v = state->v + pass->m->coordinates.item[el->coordinate[0]].v_at;
  return -state->psi[el->psi_at] * *v;
}
static const ga_column effort_column[] = {{".effort", "N", "N m"}};
static const char *const function_trouble = "its function cannot be evaluated here";

const ga_element_type ga_element_drive = {.what = "drive",
                                          .order = GA_ORDER_DRIVES,
                                          .trouble = function_trouble,
                                          .structure = line_structure,
                                          .rheonomic = true,
                                          .evaluate = drive_evaluate,
                                          .function = position_function,
                                          GA_COLUMNS(effort_column),
                                          .output = drive_output,
                                          .power = drive_power};
const ga_element_type ga_element_rate = {.what = "drive",
                                         .order = GA_ORDER_DRIVES,
                                         .trouble = function_trouble,
                                         .structure = line_structure,
                                         .evaluate = rate_evaluate,
                                         .function = rate_function,
                                         .law = drive_law,
                                         GA_COLUMNS(effort_column),
                                         .output = rate_output,
                                         .power = rate_power};

/* ---- states and inputs ---------------------------------------------------------------------- */

/* writes the state z and its rate */
static void state_output(ga_pass *pass, const ga_state *state, const ga_element *el,
                         double *values) {
  const ga_angle *c = &pass->m->coordinates.item[el->coordinate[0]];
  values[0] = state->q[c->q_at];
  values[1] = state->v[c->v_at];
}

static const ga_column state_columns[] = {{"", "", NULL}, {"_rate", "", NULL}};

/* k = z' - f(t, signals), on a coordinate that has no joint. z has no mass and no force acts on it:
 * psi = 0 by its own balance, and the row does not react on anything. */
const ga_element_type ga_element_state = {.what = "state",
                                          .order = GA_ORDER_COORDINATES,
                                          .trouble = function_trouble,
                                          .structure = line_structure,
                                          .evaluate = rate_evaluate,
                                          .function = rate_function,
                                          .law = drive_law,
                                          .columns = state_columns,
                                          .ncolumn = 1,
                                          .nextra = 1,
                                          .output = state_output};
