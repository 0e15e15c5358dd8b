/* SPDX-License-Identifier: MIT */
/* Drawings of the mechanisms, made from the coordinates of our models: AB07 Figs. 1 and 4, JN07
 * Fig. 5.5, ACB15 Fig. 3. What is checked is that the models have the papers' data. */
#include <math.h>
#include <string.h>

#include "papers/ab07.h"
#include "papers/acb15.h"
#include "papers/jn07.h"

static const double PI = 3.14159265358979323846;

/* Writes polylines into columns `column` (x) and column + 1 (y); rows of NaN separate the lines. */
typedef struct pen {
  table *t;
  int column, row;
} pen;

/* Appends the point (x, y) to the current line. */
static void line_to(pen *p, double x, double y) {
  table_set(p->t, p->row, p->column, x);
  table_set(p->t, p->row++, p->column + 1, y);
}

/* Ends the current line. */
static void lift_pen(pen *p) {
  line_to(p, NAN, NAN);
}

/* A line from (x0, y0) to (x1, y1). */
static void segment(pen *p, double x0, double y0, double x1, double y1) {
  line_to(p, x0, y0);
  line_to(p, x1, y1);
  lift_pen(p);
}

/* Arc of an ellipse about at, with half axes u and v (vectors), for angles from .. to
 * in radians. */
static void arc(pen *p, const double *at, const double *u, const double *v, double from,
                double to) {
  enum { PIECES = 48 };
  for (int i = 0; i <= PIECES; i++) {
    double f = from + (to - from) * i / PIECES;
    line_to(p, at[0] + cos(f) * u[0] + sin(f) * v[0], at[1] + cos(f) * u[1] + sin(f) * v[1]);
  }
  lift_pen(p);
}

/* A circle with centre (x, y). */
static void circle(pen *p, double x, double y, double radius) {
  const double at[] = {x, y}, u[] = {radius, 0}, v[] = {0, radius};
  arc(p, at, u, v, 0, 2 * PI);
}

/* A rectangle with centre (x, y). */
static void box(pen *p, double x, double y, double width, double height) {
  double w = width / 2, h = height / 2;
  line_to(p, x - w, y - h), line_to(p, x + w, y - h), line_to(p, x + w, y + h);
  line_to(p, x - w, y + h), line_to(p, x - w, y - h);
  lift_pen(p);
}

/* A zigzag of half width `width` from (x0, y0) to (x1, y1). */
static void spring(pen *p, double x0, double y0, double x1, double y1, double width) {
  enum { TEETH = 12 };
  double dx = x1 - x0, dy = y1 - y0, length = hypot(dx, dy);
  line_to(p, x0, y0);
  for (int i = 1; i < TEETH; i++) {
    double f = (double)i / TEETH, side = i == 1 || i == TEETH - 1 ? 0 : i % 2 ? width : -width;
    line_to(p, x0 + f * dx - side * dy / length, y0 + f * dy + side * dx / length);
  }
  line_to(p, x1, y1);
  lift_pen(p);
}

/* A horizontal line from x0 to x1 at height y, with hatching of the given size below it. */
static void ground(pen *p, double x0, double x1, double y, double size) {
  segment(p, x0, y, x1, y);
  for (double x = x0; x < x1 - size / 2; x += size) segment(p, x, y - size, x + size, y);
}

/* Largest |g| at the problem's start; g is scratch for nlam numbers. NaN if the
 * evaluation failed. */
static double constraint_residual(const ga_problem *p, double *g) {
  double largest = 0;
  const ga_evaluation ask = {.g = g};
  if (ga_model_evaluate(&p->model, p->t0, p->q0, p->v0, &ask) != 0) return NAN;
  for (int i = 0; i < p->model.nlam; i++) largest = fmax(largest, fabs(g[i]));
  return largest;
}

static const chart_curve curves[] = {{"x", "y", "", CHART_BODY},
                                     {"gx", "gy", "", CHART_LINE},
                                     {"px", "py", "", CHART_POINTS},
                                     {.y = NULL}};
static const char COLUMNS_OF_DRAWING[] = "x,y,gx,gy,px,py,lx,ly";
enum { BODIES = 0, GROUND = 2, POINTS = 4, LABELS = 6, PATH = 8 }; /* first columns of the pens */

/* AB07 Fig. 1 */

enum { X1, Y1, X2, Y2, TH1, TH2, X3, X4, X5, Y5, CRANK_NLAM = 8 };
static const double APART =
    0.28; /* drawn between bodies 3 and 4: the spring's length is not given */

/* Draws the slider-crank at q into t: bodies, ground, joints and the positions of the labels. */
static void draw_crank(table *t, const double *q) {
  pen bodies = {t, BODIES, 0}, fixed = {t, GROUND, 0}, points = {t, POINTS, 0};
  pen names = {t, LABELS, 0};
  double slider = q[X3], mass = q[X4] + APART;
  segment(&bodies, 0, 0, q[X5], q[Y5]);
  segment(&bodies, q[X5], q[Y5], slider, 0);
  box(&bodies, slider, 0, 0.08, 0.05);
  box(&bodies, mass, 0, 0.1, 0.07);
  spring(&bodies, slider + 0.04, 0, mass - 0.05, 0, 0.015);
  ground(&fixed, -0.06, 0.06, -0.035, 0.012);
  ground(&fixed, slider - 0.12, mass + 0.15, -0.035, 0.012);
  const double turn[] = {0, 0}, u[] = {0.06, 0}, v[] = {0, 0.06};
  arc(&fixed, turn, u, v, 0, q[TH1]);
  line_to(&points, 0, 0), line_to(&points, q[X5], q[Y5]), line_to(&points, slider, 0);
  line_to(&points, q[X1], q[Y1]), line_to(&points, q[X2], q[Y2]);
  line_to(&names, 0.045, 0.03), line_to(&names, q[X1], q[Y1]), line_to(&names, q[X2], q[Y2]);
  line_to(&names, q[X5], q[Y5]), line_to(&names, slider - 0.04, 0.02);
  line_to(&names, mass - 0.04, 0.03), line_to(&names, slider + 0.12, 0.02);
}

/* Item ab07-fig1, AB07 Fig. 1: drawing of the slider-crank at its start into the table, and
 * claims on sizes, lengths and constraints of our model. */
static void crank(result *r) {
  lab l;
  table_init(&r->data, COLUMNS_OF_DRAWING);
  if (lab_open(&l, r, "slider-crank")) {
    double g[CRANK_NLAM];
    const double *q = l.problem->q0;
    draw_crank(&r->data, q);
    claim_near(r, 10, 0, ga_space_nv(l.problem->model.space), "generalized coordinates");
    claim_near(r, 8, 0, l.problem->model.nlam, "constraints");
    claim_near(r, 0.3, 1e-14, hypot(q[X5], q[Y5]), "length of body 1, in m");
    claim_near(r, 0.6, 1e-14, hypot(q[X3] - q[X5], q[Y5]), "length of body 2, in m");
    claim_near(r, PI / 2, 1e-14, q[TH1], "θ1 at the start, in rad");
    claim_at_most(r, 0, constraint_residual(l.problem, g),
                  "largest residual of the constraints at the start")
        ->tolerance = 1e-14;
  }
  lab_close(&l);
}

static const char *const crank_names[] = {"T, θ1", "1", "2", "(x5, y5)", "3", "4", "k", NULL};
static const chart_panel crank_panels[] = {{.xlabel = "x (m)",
                                            .ylabel = "y (m)",
                                            .equal = true,
                                            .x = {-0.12, 1.05},
                                            .y = {-0.12, 0.38},
                                            .tic = 0.1,
                                            .names_at = {"lx", "ly"},
                                            .names = crank_names,
                                            .curves = curves},
                                           {.curves = NULL}};
static const chart crank_chart = {.panels = crank_panels, .panel_height = 280};

const item ab07_fig1 = {"ab07-fig1",
                        "Fig. 1: slider-crank mechanism",
                        "A crank of 0.3 m, a rod of 0.6 m, a slider and a mass coupled to it by a "
                        "spring: 10 coordinates, 8 "
                        "constraints, θ1 = π/2 at the start.",
                        "Our model at its start. The spring's length is not given; bodies 3 and 4 "
                        "are drawn 0.28 m apart.",
                        crank,
                        &crank_chart,
                        0.1};

/* AB07 Fig. 4 */

enum { CENTRES = 7, X_J1 = 21, X_P = 23, X_H = 25, X_G = 27, X_D = 29, SQUEEZER_NLAM = 30 };
static const double A[] = {-.06934, -.00227}, B[] = {-.03635, .03273}, C[] = {.014, .072},
                    O[] = {0, 0};

/* Draws Andrews' mechanism at q into t: links, spring, fixed points, joints, mass centres, label
 * positions. */
static void draw_squeezer(table *t, const double *q) {
  const double *J = q + X_J1, *P = q + X_P, *H = q + X_H, *G = q + X_G, *D = q + X_D;
  const double *const lines[] = {O, J, P, B, D, P, NULL, P, H, A, NULL, P, G, A, NULL};
  const double *const named[] = {O, A, B, C, J, P, D, H, G};
  pen bodies = {t, BODIES, 0}, fixed = {t, GROUND, 0}, points = {t, POINTS, 0};
  pen names = {t, LABELS, 0};
  for (int i = 0; i < (int)(sizeof lines / sizeof lines[0]); i++) {
    if (lines[i]) line_to(&bodies, lines[i][0], lines[i][1]);
    if (!lines[i]) lift_pen(&bodies);
  }
  spring(&fixed, D[0], D[1], C[0], C[1], 0.002);
  for (int i = 0; i < 4; i++) circle(&fixed, named[i][0], named[i][1], 0.0012);
  /* O, J and the centres of K1 and K2 lie close together: their names go below and above */
  for (int i = 0; i < 9; i++) {
    line_to(&points, named[i][0], named[i][1]);
    line_to(&names, named[i][0] - (i == 0 ? 0.003 : 0), named[i][1] - (i == 0 ? 0.009 : 0));
  }
  for (int k = 0; k < 7; k++) {
    const double *c = q + CENTRES + 2 * k;
    line_to(&points, c[0], c[1]);
    line_to(&names, c[0], c[1] + (k == 0 ? -0.009 : k == 1 ? 0.002 : 0));
  }
}

/* Relative difference of the distance |a - b| from `length`. */
static double length_error(const double *a, const double *b, double length) {
  return fabs(hypot(a[0] - b[0], a[1] - b[1]) / length - 1);
}

/* Item ab07-fig4, AB07 Fig. 4: drawing of Andrews' mechanism at its start into the table, and
 * claims on sizes, link lengths and constraints of our model. */
static void squeezer(result *r) {
  lab l;
  table_init(&r->data, COLUMNS_OF_DRAWING);
  if (lab_open(&l, r, "andrews-absolute")) {
    double g[SQUEEZER_NLAM];
    const double *q = l.problem->q0;
    const double *J = q + X_J1, *P = q + X_P, *H = q + X_H, *G = q + X_G;
    draw_squeezer(&r->data, q);
    claim_near(r, 31, 0, ga_space_nv(l.problem->model.space), "generalized coordinates");
    claim_near(r, 30, 0, l.problem->model.nlam, "constraints");
    double worst = fmax(length_error(O, J, .007), length_error(J, P, .028));
    worst = fmax(worst, fmax(length_error(P, B, .035),
                             fmax(length_error(P, H, .02), length_error(H, A, .04))));
    worst = fmax(worst, fmax(length_error(P, G, .02), length_error(G, A, .04)));
    claim_source(claim_at_most(r, 0, worst,
                               "lengths of the links at the start against the benchmark's data, "
                               "largest relative difference"),
                 "Schiehlen 1990")
        ->tolerance = 1e-12;
    claim_at_most(r, 0, constraint_residual(l.problem, g),
                  "largest residual of the constraints at the start")
        ->tolerance = 1e-14;
  }
  lab_close(&l);
}

static const char *const squeezer_names[] = {"O",  "A",  "B",  "C",  "J",  "P",  "D",  "H", "G",
                                             "K1", "K2", "K3", "K4", "K5", "K6", "K7", NULL};
static const chart_panel squeezer_panels[] = {{.xlabel = "x (m)",
                                               .ylabel = "y (m)",
                                               .equal = true,
                                               .x = {-0.08, 0.03},
                                               .y = {-0.025, 0.085},
                                               .tic = 0.02,
                                               .names_at = {"lx", "ly"},
                                               .names = squeezer_names,
                                               .curves = curves},
                                              {.curves = NULL}};
static const chart squeezer_chart = {.panels = squeezer_panels, .panel_height = 480};

const item ab07_fig4 = {"ab07-fig4",
                        "Fig. 4: Andrews' squeezing mechanism",
                        "Seven articulated rigid bodies in a plane, 31 absolute coordinates, 30 "
                        "constraints, a torque at O.",
                        "Our model at its start: joints, points of the ground, mass centres of the "
                        "bodies K1 to K7, the spring between C and D.",
                        squeezer,
                        &squeezer_chart,
                        0.1};

/* JN07 Fig. 5.5 */

/* Draws the pendulum at q = (x, y, theta) of its mass centre into t, with its spring and the
 * ground. */
static void draw_pendulum(table *t, const double *q) {
  pen bodies = {t, BODIES, 0}, fixed = {t, GROUND, 0}, points = {t, POINTS, 0};
  pen names = {t, LABELS, 0};
  const double zero[] = {0, 0}, u[] = {0.9, 0}, v[] = {0, 0.9};
  segment(&bodies, 0, 0, 2 * q[0], 2 * q[1]);
  arc(&fixed, zero, u, v, 0, q[2]);
  segment(&fixed, 0, 0, 1.6, 0);
  for (int turn = 0; turn < 96; turn++) { /* the rotational spring */
    double angle = 4 * PI * turn / 96, radius = 0.15 + 0.35 * turn / 96;
    line_to(&fixed, radius * cos(angle), radius * sin(angle));
  }
  lift_pen(&fixed);
  ground(&fixed, -0.5, 0.5, 0.7, 0.12);
  line_to(&points, 0, 0), line_to(&points, q[0], q[1]), line_to(&points, 2 * q[0], 2 * q[1]);
  line_to(&names, 0.05, -0.7), line_to(&names, q[0], q[1]), line_to(&names, 0.6, 0.6);
  line_to(&names, 2 * q[0], 2 * q[1]);
}

/* Item jn07-fig5.5, JN07 Fig. 5.5: drawing at theta = 4.4 into the table, and claims on the data
 * of our model: L, start values, and the inertia 4 m L^2/3 along the motion. */
static void pendulum(result *r) {
  lab l;
  table_init(&r->data, COLUMNS_OF_DRAWING);
  if (lab_open(&l, r, "pendulum-spring")) {
    double M[9] = {0}, turned[3] = {2 * cos(4.4), 2 * sin(4.4), 4.4}, inertia = 0;
    const double *q = l.problem->q0;
    draw_pendulum(&r->data, turned);
    /* along the motion (x, y)' = L (-sin, cos) theta' */
    const double along[] = {-2 * sin(q[2]), 2 * cos(q[2]), 1};
    if (!lab_mass(&l.problem->model, 0, q, M)) {
      result_fail(r, "the mass matrix of the pendulum could not be evaluated");
    }
    for (int i = 0; i < 9; i++) inertia += along[i / 3] * M[i] * along[i % 3];
    claim_near(r, 2, 1e-14, hypot(q[0], q[1]), "distance L of the mass centre from the pin, in m");
    claim_near(r, 3 * PI / 2, 1e-14, q[2], "θ at the start, in rad");
    claim_near(r, 10, 1e-14, l.problem->v0[2], "θ' at the start, in rad/s");
    claim_near(r, 4 * 5 * 4 / 3.0, 1e-12, inertia,
               "4 m L²/3 of the underlying equation: our mass matrix along the motion, in kg m²");
  }
  lab_close(&l);
}

static const char *const pendulum_names[] = {"k, c", "mass centre, L from the pin", "θ",
                                             "end, 2L from the pin", NULL};
static const chart_panel pendulum_panels[] = {{.xlabel = "x (m)",
                                               .ylabel = "y (m)",
                                               .equal = true,
                                               .x = {-3, 3},
                                               .y = {-4.3, 1.2},
                                               .tic = 1,
                                               .names_at = {"lx", "ly"},
                                               .names = pendulum_names,
                                               .curves = curves},
                                              {.curves = NULL}};
static const chart pendulum_chart = {.panels = pendulum_panels, .panel_height = 420};

const item jn07_fig55 = {
    "jn07-fig5.5",
    "Fig. 5.5: pendulum with spring and damper",
    "A pendulum of mass m = 5 and length parameter L = 2, a spring and a damper at its pin.",
    "Our model, drawn at θ = 4.4. With the inertia m L²/3 about its centre the pendulum is a "
    "uniform rod "
    "of length 2L.",
    pendulum,
    &pendulum_chart,
    0.1};

/* ACB15 Fig. 3, seen obliquely: x2 to the right, x3 up, x1 towards the reader */

/* Oblique projection of the point x in space to flat (2 numbers): x2 to the right, x3 up. */
static void oblique(const double *x, double *flat) {
  flat[0] = x[1] - 0.45 * x[0];
  flat[1] = x[2] - 0.3 * x[0];
}

/* A line in space from a to b, projected. */
static void segment3(pen *p, const double *a, const double *b) {
  double u[2], v[2];
  oblique(a, u);
  oblique(b, v);
  segment(p, u[0], u[1], v[0], v[1]);
}

/* The rim of a disk in space with centre x, unit normal n, projected obliquely. u, v: two
 * orthogonal radii. */
static void disk(pen *p, const double *x, const double *n, double radius) {
  double e[3] = {0, 0, 1}, u[3], v[3], at[2], fu[2], fv[2];
  if (fabs(n[2]) > 0.9) e[0] = 1, e[2] = 0;
  double dot = e[0] * n[0] + e[1] * n[1] + e[2] * n[2], size = 0;
  for (int i = 0; i < 3; i++) u[i] = e[i] - dot * n[i];
  size = lab_norm(3, u, NULL);
  for (int i = 0; i < 3; i++) u[i] *= radius / size;
  v[0] = n[1] * u[2] - n[2] * u[1], v[1] = n[2] * u[0] - n[0] * u[2];
  v[2] = n[0] * u[1] - n[1] * u[0];
  oblique(x, at), oblique(u, fu), oblique(v, fv);
  arc(p, at, fu, fv, 0, 2 * PI);
}

/* context of watch_top */
typedef struct film {
  pen path;
  double x[3]; /* centre at t = 0.22 */
} film;

/* A lab_watch: appends every 4th position, projected, to the path and keeps that of step 220 (t
 * = 0.22 s) in f->x. */
static void watch_top(void *context, const ga_state *s, long n) {
  film *f = context;
  double flat[2];
  oblique(s->q, flat);
  if (n % 4 == 0) line_to(&f->path, flat[0], flat[1]);
  if (n == 220) memcpy(f->x, s->q, sizeof f->x);
}

/* Draws the top at the kept position f->x into t, with axes, the direction of gravity and label
 * positions. */
static void draw_top(table *t, film *f) {
  static const double zero[] = {0, 0, 0}, e1[] = {0.8, 0, 0}, e2[] = {0, 0.9, 0},
                      e3[] = {0, 0, 0.6}, from[] = {0, -0.6, 0.4}, to[] = {0, -0.6, 0.1};
  pen bodies = {t, BODIES, 0}, names = {t, LABELS, 0}, points = {t, POINTS, 0};
  pen axes = {t, GROUND, 0};
  double flat[2];
  segment3(&bodies, zero, f->x);
  disk(&bodies, f->x, f->x, 0.25);
  segment3(&axes, zero, e1), segment3(&axes, zero, e2), segment3(&axes, zero, e3);
  segment3(&axes, from, to);
  line_to(&points, 0, 0);
  oblique(f->x, flat), line_to(&points, flat[0], flat[1]);
  const double *const at[] = {e1, e2, e3, f->x, to};
  for (int i = 0; i < 5; i++) oblique(at[i], flat), line_to(&names, flat[0], flat[1]);
}

/* Item acb15-fig3, ACB15 Fig. 3: a run of the heavy top to 1 s for the path (columns 8, 9) and
 * the drawing (0..7), and claims on mass, inertia and start velocity of our model. A failed run
 * leaves its reason in r and no claims. */
static void top(result *r) {
  lab l;
  table_init(&r->data, "x,y,gx,gy,px,py,lx,ly,dx,dy");
  if (lab_open(&l, r, "heavy-top")) {
    const ga_problem *p = l.problem;
    film f = {.path = {&r->data, PATH, 0}};
    const lab_plan plan = {.t_end = 1};
    double M[36] = {0}, Bv[3];
    const ga_state start = {.t = p->t0, .q = p->q0, .v = p->v0};
    l.o.method = "stab2";
    l.o.h = 1e-3;
    bool good = lab_mass(&p->model, 0, p->q0, M) && lab_hidden(&p->model, &start, Bv);
    if (!good) result_fail(r, "the heavy top could not be evaluated");
    if (good && lab_run(&l, &plan, watch_top, &f)) {
      draw_top(&r->data, &f);
      claim_near(r, 15, 1e-14, M[0], "mass, in kg");
      claim_near(r, 0.46875, 1e-14, M[4 * 7], "moment of inertia about the axis, in kg m²");
      claim_near(r, 0.234375, 1e-14, M[3 * 7], "moment of inertia across it, in kg m²");
      claim_near(r, 0, 1e-12, lab_norm(3, Bv, NULL),
                 "residual of the hidden constraints at the start: u(0) = −X̃ Ω(0)");
      claim_addition(claim_near(r, 1, 1e-12, lab_norm(3, f.x, NULL),
                                "distance of the mass centre from the tip at t = 0.22 s, in m"));
    }
  }
  lab_close(&l);
}

static const char *const top_names[] = {"x1", "x2", "x3", "mass centre", "g", NULL};
static const chart_curve top_curves[] = {{"x", "y", "", CHART_BODY},
                                         {"gx", "gy", "", CHART_LINE},
                                         {"px", "py", "", CHART_POINTS},
                                         {"dx", "dy", "path of the mass centre", CHART_DASHED},
                                         {.y = NULL}};
static const chart_panel top_panels[] = {{.xlabel = "across the view (m)",
                                          .ylabel = "up in the view (m)",
                                          .equal = true,
                                          .x = {-1.4, 1.4},
                                          .y = {-1.3, 0.9},
                                          .tic = 0.5,
                                          .names_at = {"lx", "ly"},
                                          .names = top_names,
                                          .curves = top_curves},
                                         {.curves = NULL}};
static const chart top_chart = {.panels = top_panels, .panel_height = 430};

const item acb15_fig3 = {
    "acb15-fig3",
    "Fig. 3: heavy top",
    "A top that rotates about a fixed point, with mass m = 15 and J = diag(0.234375, 0.46875, "
    "0.234375).",
    "Our model in an oblique view at t = 0.22 s, with the path of its mass centre over one second. "
    "By its "
    "moments of inertia the top is a thin disk of radius 0.25 m, 1 m from the tip.",
    top,
    &top_chart,
    0.2};
