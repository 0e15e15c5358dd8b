/* SPDX-License-Identifier: MIT */
/* The model as JSON and the motion as base64; tool/picture/page/data.js reads them and says how the
 * numbers are laid out. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "columns/quantity.h"
#include "picture/page.h"

/* With more numbers than this in all, the columns of poses are not offered for plots. */
enum { PLOT_NUMBERS = 2000000 };

/* Unit of a quaternion, and of a position relative to the largest distance from the centre. */
static const double fine = 1.0 / (1 << 24);

/* ---- where the bodies are ------------------------------------------------------------------- */

enum { POSE = 7 };

/* Poses of all bodies, frame by frame. A pose is x, y, z and a quaternion. */
typedef struct poses {
  const film *film; /* NULL: start values of the descriptions */
  /* channels: numbers per frame, 7 for a rigid body, 4 for a planar one, 3 for a point */
  int bodies, frames, channels;
  ga_body_info *body;
  int (*column)[POSE]; /* of the film, in the order of film_pose_columns; -1: none */
  /* centre of all positions, and the unit in which they are written */
  double origin[3], quantum;
} poses;

/* Writes x, y, z and the quaternion (e0 .. e3) of a body at a frame to pose. Without a film they
 * are those of the description, and so is a coordinate without a column. A planar body has (x,
 * y, angle) in the film; its angle becomes a quaternion about z, and z becomes 0. */
static void pose_at(const poses *p, int frame, int body, double pose[POSE]) {
  const ga_body_info *b = &p->body[body];
  memcpy(pose, b->position, 3 * sizeof *pose);
  memcpy(pose + 3, b->orientation, 4 * sizeof *pose);
  if (!p->film) return;
  const double *row = thinned_rows_at(&p->film->rows, frame);
  const int *column = p->column[body];
  const int n = b->type == GA_BODY_RIGID ? 7 : 3;
  for (int i = 0; i < n; i++) pose[i] = column[i] >= 0 ? row[column[i]] : pose[i];
  if (b->type != GA_BODY_PLANAR) return;
  const double angle = pose[2];
  const double turned[5] = {0, cos(0.5 * angle), 0, 0, sin(0.5 * angle)};
  memcpy(pose + 2, turned, sizeof turned);
}

/* Sets p->origin to the centre of the box around all finite positions of all frames and
 * p->quantum to the unit in which they are written, so that |position - origin|/quantum is at
 * most 2^24. Without any finite position: origin 0, quantum 2^-24. */
static void measure_poses(poses *p) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int f = 0; f < p->frames; f++) {
    for (int b = 0; b < p->bodies; b++) {
      double pose[POSE];
      pose_at(p, f, b, pose);
      for (int i = 0; i < 3; i++) {
        if (!isfinite(pose[i])) continue;
        low[i] = fmin(low[i], pose[i]);
        high[i] = fmax(high[i], pose[i]);
      }
    }
  }
  double extent = 0;
  for (int i = 0; i < 3; i++) {
    p->origin[i] = low[i] <= high[i] ? 0.5 * (low[i] + high[i]) : 0;
    if (low[i] <= high[i]) extent = fmax(extent, 0.5 * (high[i] - low[i]));
  }
  p->quantum = (extent > 0 ? extent : 1) * fine;
}

/* Frees the arrays; also after poses_open has failed. */
static void poses_close(poses *p) {
  free(p->body);
  free(p->column);
}

/* Fills *p, which need not be initialized: bodies, frames (1 without a film), channels, columns
 * of the film, then origin and quantum by measure_poses. False if memory is short; poses_close
 * in any case. */
static bool poses_open(poses *p, const webpage *whole) {
  static const int channels[] = {[GA_BODY_RIGID] = 7, [GA_BODY_PLANAR] = 4, [GA_BODY_POINT] = 3};
  ga_body_info info;
  *p = (poses){.film = whole->film, .frames = whole->film ? film_frames(whole->film) : 1};
  while (ga_mechanism_body_at(whole->mechanism, p->bodies, &info)) p->bodies++;
  p->body = calloc((size_t)p->bodies + 1, sizeof *p->body);
  p->column = calloc((size_t)p->bodies + 1, sizeof *p->column);
  if (!p->body || !p->column) return false;
  for (int i = 0; i < p->bodies; i++) {
    ga_mechanism_body_at(whole->mechanism, i, &p->body[i]);
    p->channels += channels[p->body[i].type];
    const char *const *ends = film_pose_columns(p->body[i].type);
    for (int k = 0; k < POSE; k++) {
      char name[256];
      p->column[i][k] = -1;
      if (!p->film || !*ends) continue;
      snprintf(name, sizeof name, "%s%s", p->body[i].name, *ends++);
      const int column = ga_mechanism_column_index(whole->mechanism, name);
      p->column[i][k] = column >= 0 ? p->film->at[column] : -1;
    }
  }
  measure_poses(p);
  return true;
}

/* ---- the model ------------------------------------------------------------------------------ */

/* Is column i of the film offered for plots? All but t (column 0); columns of poses only if the
 * film has at most PLOT_NUMBERS numbers. p->film must not be NULL. */
static bool is_plotted(const poses *p, int i) {
  const film *f = p->film;
  if (i == 0) return false;
  if ((double)f->rows.width * p->frames <= PLOT_NUMBERS) return true;
  return f->use[i] != FILM_POSE;
}

/* Physical quantity and unit of a column of the film; the mechanism knows the units of its own. */
static quantity column_quantity(const ga_mechanism *m, const char *name) {
  const int i = ga_mechanism_column_index(m, name);
  return quantity_in(name, i < 0 ? NULL : ga_mechanism_column_unit(m, i));
}

/* Writes the list "columns": name, quantity and unit ("" for 1) of each plotted column; an empty
 * list without a film. */
static void put_columns(FILE *to, const ga_mechanism *m, const poses *p) {
  bool first = true;
  fputs(",\"columns\":[", to);
  for (int i = 0; p->film && i < p->film->rows.width; i++) {
    if (!is_plotted(p, i)) continue;
    fputs(first ? "{\"name\":" : ",\n{\"name\":", to);
    webpage_put_text(to, p->film->name[i]);
    fputs(",\"what\":", to);
    const quantity q = column_quantity(m, p->film->name[i]);
    webpage_put_text(to, q.what);
    fputs(",\"unit\":", to);
    webpage_put_text(to, strcmp(q.unit, "1") == 0 ? "" : q.unit);
    fputc('}', to);
    first = false;
  }
  fputc(']', to);
}

/* The list "output": columns of the first plots, those of the section `output` or the energies. */
static void put_output(FILE *to, const webpage *whole) {
  const bool chosen = whole->file && ga_file_output(whole->file, 0) >= 0;
  fputs(",\"output\":[", to);
  for (int i = 0; chosen && ga_file_output(whole->file, i) >= 0; i++) {
    if (i) fputc(',', to);
    webpage_put_text(to,
                     ga_mechanism_column_name(whole->mechanism, ga_file_output(whole->file, i)));
  }
  fputs(chosen ? "]" : "\"energy.kinetic\",\"energy.potential\",\"energy.total\"]", to);
}

/* Writes the whole model as one JSON object; notice is the licence text shown on the page. False
 * if memory is short; then nothing is written. Errors of writing are left in ferror(to). */
bool webpage_put_model(FILE *to, const webpage *whole, const char *notice) {
  poses p;
  const bool ok = poses_open(&p, whole);
  if (ok) {
    double gravity[3];
    ga_mechanism_gravity(whole->mechanism, gravity);
    fputs("{\"title\":", to);
    webpage_put_text(to, whole->title);
    fputs(",\"description\":", to);
    webpage_put_text(to, whole->description);
    fputs(",\"notice\":", to);
    webpage_put_text(to, notice);
    webpage_put_messages(to, whole);
    webpage_put_strings(to, "notes", whole->notes);
    webpage_put_strings(to, "about", whole->about);
    fprintf(to, ",\"frames\":%d,\"quantum\":%.17g,\"origin\":[%.17g,%.17g,%.17g]", p.frames,
            p.quantum, p.origin[0], p.origin[1], p.origin[2]);
    webpage_put_numbers(to, "gravity", 3, gravity);
    fputs(",\n\"bodies\":[", to);
    for (int i = 0; i < p.bodies; i++) {
      if (i) fputs(",\n", to);
      webpage_put_body(to, &p.body[i], whole->meshes);
    }
    fputs("]", to);
    webpage_put_drawables(to, whole->mechanism, whole->meshes);
    webpage_put_marks(to, whole);
    put_columns(to, whole->mechanism, &p);
    put_output(to, whole);
    fputc('}', to);
  }
  poses_close(&p);
  return ok;
}

/* ---- the numbers ---------------------------------------------------------------------------- */

/* a stream of bytes written as base64; bits holds those not written yet */
typedef struct base64 {
  FILE *to;
  unsigned bits;
  int count; /* bytes in bits */
} base64;

/* Adds a byte (0 .. 255) to b; each third one writes the three as four characters of base64.
 * flush_bytes must follow the last byte. */
static void put_byte(base64 *b, unsigned byte) {
  static const char sign[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  b->bits = b->bits << 8 | byte;
  if (++b->count < 3) return;
  for (int shift = 18; shift >= 0; shift -= 6) putc(sign[b->bits >> shift & 63], b->to);
  b->bits = 0;
  b->count = 0;
}

/* Writes the last group, filled with zero bytes; the reader knows how many numbers there are. */
static void flush_bytes(base64 *b) {
  while (b->count > 0) put_byte(b, 0);
}

/* Writes the n low bytes of bits, lowest first, whatever the byte order of the machine. */
static void put_bytes(base64 *b, uint64_t bits, int n) {
  for (int i = 0; i < n; i++) put_byte(b, (unsigned)(bits >> (8 * i) & 255));
}

/* Writes the 8 bytes of x. */
static void put_double(base64 *b, double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  put_bytes(b, bits, 8);
}

/* Writes x rounded to a float, 4 bytes. */
static void put_float(base64 *b, double x) {
  const float narrow = (float)x;
  uint32_t bits;
  memcpy(&bits, &narrow, sizeof bits);
  put_bytes(b, bits, 4);
}

/* Writes an integer of any size: 0, -1, 1, -2, .. become 0, 1, 2, 3, .., seven bits to a byte,
 * lowest first; all bytes but the last have the high bit set. */
static void put_integer(base64 *b, int64_t x) {
  uint64_t z = x < 0 ? 2 * (uint64_t)(-(x + 1)) + 1 : 2 * (uint64_t)x;
  for (; z > 127; z >>= 7) put_byte(b, (unsigned)(z & 127) | 128);
  put_byte(b, (unsigned)z);
}

/* Writes the plotted columns of p->film, which must not be NULL: the first value of each as a
 * double, then column by column all values minus the first as floats. */
static void put_plots(base64 *out, const poses *p) {
  const thinned_rows *rows = &p->film->rows;
  for (int i = 0; i < rows->width; i++) {
    if (is_plotted(p, i)) put_double(out, thinned_rows_at(rows, 0)[i]);
  }
  for (int i = 0; i < rows->width; i++) {
    if (!is_plotted(p, i)) continue;
    const double first = thinned_rows_at(rows, 0)[i];
    for (int f = 0; f < p->frames; f++) put_float(out, thinned_rows_at(rows, f)[i] - first);
  }
}

/* Writes one body's pose as integers to now, and returns how many: 7 (rigid), 4 (planar), 3
 * (point). Positions are in units of p->quantum from p->origin, quaternion numbers in units of
 * 2^-24. before: the integers of this body in the last frame (0 in the first), kept where a
 * value is not finite; of a quaternion and its negative the one nearer to them is taken. */
static int quantise(const poses *p, int body, const double *pose, const int64_t *before,
                    int64_t *now) {
  const ga_body_type type = p->body[body].type;
  double x[POSE], dot = 0;
  int n = 0;
  for (int i = 0; i < (type == GA_BODY_PLANAR ? 2 : 3); i++) {
    x[n++] = (pose[i] - p->origin[i]) / p->quantum;
  }
  const int turn = n;
  for (int i = 0; i < 4 && type != GA_BODY_POINT; i++) {
    if (type == GA_BODY_RIGID || i == 0 || i == 3) x[n++] = pose[3 + i] / fine;
  }
  for (int i = turn; i < n; i++) dot += x[i] * (double)before[i];
  for (int i = 0; i < n; i++) {
    const double sign = i >= turn && dot < 0 ? -1 : 1;
    now[i] = isfinite(x[i]) ? llround(sign * x[i]) : before[i];
  }
  return n;
}

/* Writes the poses of all frames, frame by frame and body by body, as second differences in time
 * of the integers of quantise(), x_f - (2 x_f-1 - x_f-2), which are small for smooth motion;
 * frame 0 as it is, frame 1 as a first difference. q holds three frames (now, last, older),
 * which change places. False if memory is short; then nothing is written. */
static bool put_poses(base64 *out, const poses *p) {
  const size_t n = (size_t)p->channels + POSE;
  int64_t *q = calloc(3 * n, sizeof *q), *now = q, *last = q + n, *older = q + 2 * n;
  if (!q) return false;
  for (int f = 0; f < p->frames; f++) {
    for (int b = 0, c = 0; b < p->bodies; b++) {
      double pose[POSE];
      pose_at(p, f, b, pose);
      c += quantise(p, b, pose, last + c, now + c);
    }
    for (int c = 0; c < p->channels; c++) {
      put_integer(out, now[c] - (f == 0 ? 0 : f == 1 ? last[c] : 2 * last[c] - older[c]));
    }
    int64_t *spare = older;
    older = last;
    last = now;
    now = spare;
  }
  free(q);
  return true;
}

/* Writes the meshes in base64: of each its vertices as floats, then its triangles as 4 bytes for each
 * vertex. Always true. */
bool webpage_put_meshes(FILE *to, const webpage *whole) {
  base64 out = {.to = to};
  for (int i = 0; whole->meshes && i < whole->meshes->count; i++) {
    const mesh *m = &whole->meshes->item[i].mesh;
    for (int k = 0; k < 3 * m->nvertex; k++) put_float(&out, m->vertex[k]);
    for (int k = 0; k < 3 * m->ntriangle; k++) put_bytes(&out, (uint64_t)m->triangle[k], 4);
  }
  flush_bytes(&out);
  return true;
}

/* Writes times, plotted columns (only with a film) and poses in base64; the layout is described
 * in page/data.js. False if memory is short; part of it may then be written. */
bool webpage_put_data(FILE *to, const webpage *whole) {
  poses p;
  base64 out = {.to = to};
  bool ok = poses_open(&p, whole);
  if (ok) {
    for (int f = 0; f < p.frames; f++) {
      put_double(&out, p.film ? thinned_rows_at(&p.film->rows, f)[0] : 0);
    }
    if (p.film) put_plots(&out, &p);
    ok = put_poses(&out, &p);
    flush_bytes(&out);
  }
  poses_close(&p);
  return ok;
}
