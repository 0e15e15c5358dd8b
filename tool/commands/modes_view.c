/* SPDX-License-Identifier: MIT */
/* Mode shapes that move: frames q o exp(a Re(shape e^(i phi))), phi from 0 to 2 pi, one mode after the
 * other. The amplitude a makes the largest displacement a tenth of the mechanism's size, and no
 * rotation larger than 0.35 rad; growth and decay are left out. */
#include "commands/modes_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "columns/state_fields.h"
#include "picture/page.h"

static const double TWO_PI = 6.283185307179586;
static const double DISPLACEMENT = 0.1, ROTATION = 0.35; /* largest: of the size, in rad */
static const double PERIOD = 2, PAUSE = 1;               /* s of a mode, s between two */
enum { FRAMES = 48, MODES_MAX = 40 };

typedef struct shape_film {
  const mechanism_state *p;
  film film;
  double *data, *q;   /* of the state */
  double *w;          /* nv: the displacement */
  double *rest, *now; /* all columns at the state, and displaced */
  ga_state state;
} shape_film;

/* Displace the state by a Re(shape e^(i phi)). */
static void displace(shape_film *f, const double *re, const double *im, double a, double phi) {
  const ga_model *model = ga_mechanism_model(f->p->mechanism);
  for (int i = 0; i < f->p->nv; i++) f->w[i] = a * (re[i] * cos(phi) - im[i] * sin(phi));
  ga_space_step(model->space, f->p->q, f->w, f->q);
}

/* The size of the mechanism at its start: the diagonal of the box around bodies and joints. */
static double size_of(const ga_mechanism *m) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  ga_body_info b;
  ga_drawable d;
  for (int i = 0; ga_mechanism_body_at(m, i, &b); i++) {
    for (int k = 0; k < 3; k++) {
      low[k] = fmin(low[k], b.position[k]);
      high[k] = fmax(high[k], b.position[k]);
    }
  }
  for (int i = 0; ga_mechanism_drawable(m, GA_DRAWABLE_JOINT, i, &d); i++) {
    for (int side = 0; side < 2; side++) {
      double R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, x[3] = {0, 0, 0};
      if (ga_mechanism_body_at(m, d.body[side], &b)) {
        ga_so3_matrix(b.orientation, R);
        memcpy(x, b.position, sizeof x);
      }
      for (int k = 0; k < 3; k++) {
        for (int j = 0; j < 3; j++) x[k] += R[3 * k + j] * d.at[side][j];
        low[k] = fmin(low[k], x[k]);
        high[k] = fmax(high[k], x[k]);
      }
    }
  }
  double sum = 0;
  for (int k = 0; k < 3; k++) sum += high[k] > low[k] ? pow(high[k] - low[k], 2) : 0;
  return sqrt(sum);
}

/* The change of the columns NAME+ends[first .. first + n - 1] of a body, as a length. */
static double change(const shape_film *f, const char *body, const char *const *ends, int first,
                     int n) {
  double sum = 0;
  for (int i = first; i < first + n; i++) {
    char name[256];
    snprintf(name, sizeof name, "%s%s", body, ends[i]);
    const int c = ga_mechanism_column_index(f->p->mechanism, name);
    const double d = c >= 0 ? f->now[c] - f->rest[c] : 0;
    sum += isfinite(d) ? d * d : 0;
  }
  return sqrt(sum);
}

/* The amplitude of a mode: from how far bodies move and turn for a small one. */
static double amplitude(shape_film *f, const double *re, const double *im, double size) {
  const ga_mechanism *m = f->p->mechanism;
  const double small = 1e-5;
  double moved = 0, turned = 0;
  for (int quarter = 0; quarter < 2; quarter++) {
    ga_body_info b;
    displace(f, re, im, small, quarter * TWO_PI / 4);
    ga_mechanism_outputs(m, &f->state, f->now);
    for (int i = 0; ga_mechanism_body_at(m, i, &b); i++) {
      const char *const *ends = film_pose_columns(b.type);
      const int nx = b.type == GA_BODY_PLANAR ? 2 : 3;
      const int nturn = b.type == GA_BODY_RIGID ? 4 : b.type == GA_BODY_PLANAR ? 1 : 0;
      const double factor = b.type == GA_BODY_RIGID ? 2 : 1; /* |dp| is half the angle */
      moved = fmax(moved, change(f, b.name, ends, 0, nx) / small);
      turned = fmax(turned, factor * change(f, b.name, ends, nx, nturn) / small);
    }
  }
  const double by_length = moved > 0 && size > 0 ? DISPLACEMENT * size / moved : INFINITY;
  const double by_angle = turned > 0 ? ROTATION / turned : INFINITY;
  const double a = fmin(by_length, by_angle);
  return isfinite(a) ? a : 0;
}

/* Name of a mode as a list shows it: "2: 1.234 Hz, damping 0.01". */
static void name_mode(const ga_modes *m, int k, size_t room, char *name) {
  const double re = m->re[k], im = m->im[k], w = hypot(re, im);
  if (im != 0) {
    snprintf(name, room, "%d: %.4g Hz, damping ratio %.3g", k + 1, im / TWO_PI,
             re == 0 ? 0 : -re / w);
  } else {
    snprintf(name, room, "%d: %s", k + 1,
             w == 0   ? "free, no vibration"
             : re > 0 ? "grows, no vibration"
                      : "decays, no vibration");
  }
}

/* Record n modes and name them. */
static void record(shape_film *f, const ga_modes *modes, int n, webpage_mode *list,
                   char (*names)[80]) {
  const size_t nv = (size_t)f->p->nv;
  const double size = size_of(f->p->mechanism);
  for (int k = 0; k < n; k++) {
    const double *re = modes->shape_re + (size_t)k * nv, *im = modes->shape_im + (size_t)k * nv;
    const double a = amplitude(f, re, im, size), from = k * (PERIOD + PAUSE);
    name_mode(modes, k, sizeof names[k], names[k]);
    list[k] = (webpage_mode){from, from + PERIOD, names[k]};
    for (int i = 0; i <= FRAMES; i++) {
      displace(f, re, im, a, TWO_PI * i / FRAMES);
      f->state.t = from + PERIOD * i / FRAMES;
      film_add(&f->film, &f->state);
    }
  }
}

/* Allocate a film and a state at p; false after a message. */
static bool open_film(shape_film *f, const mechanism_state *p) {
  const ga_model *model = ga_mechanism_model(p->mechanism);
  const size_t columns = (size_t)ga_mechanism_columns(p->mechanism) + 1;
  *f = (shape_film){.p = p};
  if (!film_open(&f->film, p->problem)) return false;
  f->data = calloc(snapshot_size(model) + 1, sizeof *f->data);
  f->q = calloc((size_t)p->nq + 1, sizeof *f->q);
  f->w = calloc((size_t)p->nv + 1, sizeof *f->w);
  f->rest = calloc(columns, sizeof *f->rest);
  f->now = calloc(columns, sizeof *f->now);
  if (!f->data || !f->q || !f->w || !f->rest || !f->now) {
    tool_error("no memory for the page");
    return false;
  }
  f->state = snapshot_state(model, f->data);
  f->state.t = p->t;
  f->state.q = memcpy(f->q, p->q, (size_t)p->nq * sizeof *p->q);
  ga_mechanism_outputs(p->mechanism, &f->state, f->rest);
  return true;
}

int modes_view(const mechanism_state *p, const ga_modes *modes, int most, const char *path) {
  shape_film f;
  webpage_mode list[MODES_MAX];
  char names[MODES_MAX][80], about[2][200];
  bool ok = open_film(&f, p);
  if (ok) {
    const int room = f.film.rows.room / (FRAMES + 1);
    int n = modes->count < most ? modes->count : most;
    n = n < MODES_MAX ? n : MODES_MAX;
    n = n < room ? n : room > 0 ? room : 1;
    if (n > modes->count) n = modes->count;
    record(&f, modes, n, list, names);
    snprintf(about[0], sizeof about[0], "mode shapes about the state at t = %.6g", p->t);
    snprintf(about[1], sizeof about[1], "amplitudes are chosen for the eye");
    const char *const texts[] = {p->problem->cite, about[0], about[1], "genalpha " GA_VERSION,
                                 NULL};
    const webpage page = {.mechanism = p->mechanism,
                          .film = &f.film,
                          .title = p->problem->name,
                          .description = p->problem->summary,
                          .file = p->file,
                          .about = texts,
                          .mode = list,
                          .nmode = n};
    if (n > 0) {
      ok = webpage_write(&page, path);
    } else {
      tool_error("there is no mode to show");
      ok = false;
    }
  }
  film_close(&f.film);
  free(f.data);
  free(f.q);
  free(f.w);
  free(f.rest);
  free(f.now);
  return ok ? ARGS_GO_ON : TOOL_FAILED;
}
