/* SPDX-License-Identifier: MIT */
/* What the page shows, as JSON: bodies with their looks, joints, forces, lines, contacts. */
#include <math.h>
#include <string.h>

#include "picture/page.h"

/* ---- text and numbers ----------------------------------------------------------------------- */

/* Length of the UTF-8 sequence at s in bytes, 0 if it is not valid. */
static int utf8_length(const unsigned char *s) {
  const int n = s[0] < 0x80   ? 1
                : s[0] < 0xc2 ? 0
                : s[0] < 0xe0 ? 2
                : s[0] < 0xf0 ? 3
                : s[0] < 0xf5 ? 4
                              : 0;
  for (int i = 1; i < n; i++) {
    if ((s[i] & 0xc0) != 0x80) return 0;
  }
  if (n == 3 && ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f))) return 0;
  if (n == 4 && ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))) return 0;
  return n;
}

/* Writes a JSON string. Characters with a meaning in HTML or JavaScript become \u00xx, invalid
 * UTF-8 becomes U+FFFD. */
void webpage_put_text(FILE *to, const char *text) {
  fputc('"', to);
  for (const unsigned char *s = (const unsigned char *)text; *s;) {
    const int n = utf8_length(s);
    if (n == 0) {
      fputs("\\ufffd", to);
      s++;
    } else if (n == 1 && (*s < 0x20 || *s == 0x7f || strchr("\"\\<>&'", *s))) {
      fprintf(to, "\\u%04x", *s++);
    } else {
      fwrite(s, 1, (size_t)n, to);
      s += n;
    }
  }
  fputc('"', to);
}

/* Writes `,"key":[..]`; numbers that are not finite become 0, as JSON has none. */
void webpage_put_numbers(FILE *to, const char *key, int n, const double *x) {
  fprintf(to, ",\"%s\":[", key);
  for (int i = 0; i < n; i++) fprintf(to, "%s%.9g", i ? "," : "", isfinite(x[i]) ? x[i] : 0);
  fputc(']', to);
}

/* Writes `,"key":[..]`; the list ends with NULL, and may be NULL. */
void webpage_put_strings(FILE *to, const char *key, const char *const *list) {
  fprintf(to, ",\"%s\":[", key);
  for (int i = 0; list && list[i]; i++) {
    if (i) fputc(',', to);
    webpage_put_text(to, list[i]);
  }
  fputc(']', to);
}

/* ---- looks ---------------------------------------------------------------------------------- */

/* Writes one look as a JSON object: shape with its sizes, centre and axes (columns of 9 numbers) in
 * the body frame, colour if it has one of its own. com: the centre of a look without a pose. */
static void put_look(FILE *to, const ga_body_look *look, const double com[3],
                     const mesh_set *meshes) {
  static const char *const shapes[] = {NULL, "box", "cylinder", "sphere", "rod", "mesh"};
  static const double origin[3] = {0, 0, 0};
  const bool is_mesh = look->shape == GA_SHAPE_MESH;
  fprintf(to, "{\"shape\":\"%s\",\"radius\":%.9g,\"length\":%.9g", shapes[look->shape],
          look->radius, look->length);
  webpage_put_numbers(to, "box", 3, look->box);
  webpage_put_numbers(to, "at", 3, look->has_pose ? look->position : is_mesh ? origin : com);
  const double *p = look->orientation;
  if (p[0] != 0 || p[1] != 0 || p[2] != 0 || p[3] != 0) {
    double R[9];
    ga_so3_matrix(p, R);
    webpage_put_numbers(to, "axes", 9, R);
  }
  if (is_mesh) {
    const double *s = look->scale;
    fprintf(to, ",\"mesh\":%d", mesh_set_find(meshes, look->mesh));
    webpage_put_numbers(to, "scale", 3, s[0] == 0 ? (const double[3]){1, 1, 1} : s);
  }
  if (look->coloured) fprintf(to, ",\"colour\":%d", look->colour);
  fputc('}', to);
}

/* Writes the list "looks" of a body: those that are drawn. */
static void put_looks(FILE *to, const ga_body_info *b, const mesh_set *meshes) {
  const char *before = ",\"looks\":[";
  for (int i = -1; i < b->nmore; i++) {
    const ga_body_look *look = i < 0 ? &b->look : &b->more_looks[i];
    if (look->hide) continue;
    fputs(before, to);
    put_look(to, look, b->com, meshes);
    before = ",";
  }
  fputs(strcmp(before, ",") == 0 ? "]" : ",\"looks\":[],\"hide\":true", to);
}

/* Writes the list "ground" of the ground's looks. */
static void put_ground(FILE *to, const ga_mechanism *m, const mesh_set *meshes) {
  static const double origin[3] = {0, 0, 0};
  const char *before = "";
  ga_body_look look;
  fputs(",\n\"ground\":[", to);
  for (int i = 0; ga_mechanism_ground_look(m, i, &look); i++) {
    if (look.hide) continue;
    fputs(before, to);
    put_look(to, &look, origin, meshes);
    before = ",";
  }
  fputc(']', to);
}

/* Writes one body as a JSON object: name, type, mass, mass centre, colour if it has one, looks; and
 * its inertia, from which the page makes a solid where there is no look. */
void webpage_put_body(FILE *to, const ga_body_info *b, const mesh_set *meshes) {
  static const char *const types[] = {"rigid", "planar", "point"};
  fputs("{\"name\":", to);
  webpage_put_text(to, b->name);
  fprintf(to, ",\"type\":\"%s\",\"mass\":%.9g", types[b->type], b->mass);
  webpage_put_numbers(to, "com", 3, b->com);
  if (b->look.coloured) fprintf(to, ",\"colour\":%d", b->look.colour);
  webpage_put_numbers(to, "inertia", 3, b->inertia);
  if (b->look.shape != GA_SHAPE_NONE || b->look.hide) put_looks(to, b, meshes);
  fputc('}', to);
}

/* Writes all joints, forces or sensors as a JSON list `key`: name, type, bodies (their indices),
 * `single` (it has one body only), radius, the points on both bodies, for joints also the axes
 * on both (9 numbers each). */
static void put_drawables(FILE *to, const ga_mechanism *m, ga_drawable_kind kind, const char *key) {
  ga_drawable drawable;
  fprintf(to, ",\"%s\":[", key);
  for (int i = 0; ga_mechanism_drawable(m, kind, i, &drawable); i++) {
    fputs(i ? ",\n{\"name\":" : "{\"name\":", to);
    webpage_put_text(to, drawable.name);
    fprintf(to, ",\"type\":\"%s\",\"body\":[%d,%d],\"single\":%s,\"law\":%s,\"radius\":%.9g",
            drawable.type, drawable.body[0], drawable.body[1], drawable.single ? "true" : "false",
            drawable.law ? "true" : "false", drawable.radius);
    for (int side = 0; side < 2; side++) {
      fputs(side ? "" : ",\"at\":[", to);
      fprintf(to, "%s[%.9g,%.9g,%.9g]", side ? "," : "", drawable.at[side][0], drawable.at[side][1],
              drawable.at[side][2]);
    }
    fputc(']', to);
    for (int side = 0; kind == GA_DRAWABLE_JOINT && side < 2; side++) {
      fputs(side ? ",[" : ",\"axes\":[[", to);
      for (int k = 0; k < 9; k++) fprintf(to, "%s%.9g", k ? "," : "", drawable.axes[side][k]);
      fputc(']', to);
    }
    fputs(kind == GA_DRAWABLE_JOINT ? "]}" : "}", to);
  }
  fputc(']', to);
}

/* ---- lines, contacts, marks in time --------------------------------------------------------- */

/* Writes the list "sheaves" of a line: lists of the number of the point, signed radius, axis, turns. */
static void put_sheaves(FILE *to, const ga_line *line) {
  fputs(",\"sheaves\":[", to);
  for (int k = 0, n = 0; k < line->count; k++) {
    const ga_line_point *p = &line->point[k];
    if (p->radius == 0) continue;
    fprintf(to, "%s[%d,%.9g,%.9g,%.9g,%.9g,%d]", n++ ? "," : "", k, p->radius, p->axis[0],
            p->axis[1], p->axis[2], p->turns);
  }
  fputc(']', to);
}

/* Writes the list "lines": points as lists of body, x, y, z. */
static void put_lines(FILE *to, const ga_mechanism *m) {
  ga_line line;
  fputs(",\"lines\":[", to);
  for (int i = 0; ga_mechanism_line(m, i, &line); i++) {
    fputs(i ? ",\n{\"name\":" : "{\"name\":", to);
    webpage_put_text(to, line.name);
    fputs(",\"type\":", to);
    webpage_put_text(to, line.type);
    fprintf(to, ",\"radius\":%.9g,\"closed\":%s,\"curved\":%s", line.radius,
            line.closed ? "true" : "false", line.curved ? "true" : "false");
    if (line.coloured) fprintf(to, ",\"colour\":%d", line.colour);
    put_sheaves(to, &line);
    for (int k = 0; k < line.count; k++) {
      const ga_line_point *p = &line.point[k];
      fprintf(to, "%s[%d,%.9g,%.9g,%.9g]", k ? "," : ",\"points\":[", p->body, p->at[0], p->at[1],
              p->at[2]);
    }
    fputs("]}", to);
  }
  fputc(']', to);
}

/* Writes the list "contacts" of contact points. */
static void put_contacts(FILE *to, const ga_mechanism *m) {
  ga_contact_point c;
  fputs(",\"contacts\":[", to);
  for (int i = 0; ga_mechanism_contact_point(m, i, &c); i++) {
    fputs(i ? ",\n{\"name\":" : "{\"name\":", to);
    webpage_put_text(to, c.name);
    fprintf(to, ",\"type\":\"contact\",\"inside\":%s,\"body\":[%d,%d]", c.inside ? "true" : "false",
            c.body[0], c.body[1]);
    fprintf(to, ",\"at\":[[%.9g,%.9g,%.9g],[%.9g,%.9g,%.9g]]", c.at[0][0], c.at[0][1], c.at[0][2],
            c.at[1][0], c.at[1][1], c.at[1][2]);
    webpage_put_numbers(to, "normal", 3, c.normal);
    webpage_put_numbers(to, "axis", 3, c.axis);
    webpage_put_numbers(to, "radius", 2, c.radius);
    fputc('}', to);
  }
  fputc(']', to);
}

/* Writes everything but the bodies that a picture shows, and the sizes of the meshes. */
void webpage_put_drawables(FILE *to, const ga_mechanism *m, const mesh_set *meshes) {
  put_ground(to, m, meshes);
  put_drawables(to, m, GA_DRAWABLE_JOINT, "joints");
  put_drawables(to, m, GA_DRAWABLE_FORCE, "forces");
  put_drawables(to, m, GA_DRAWABLE_SENSOR, "sensors");
  put_lines(to, m);
  put_contacts(to, m);
  fputs(",\"meshes\":[", to);
  for (int i = 0; meshes && i < meshes->count; i++) {
    fprintf(to, "%s[%d,%d]", i ? "," : "", meshes->item[i].mesh.nvertex,
            meshes->item[i].mesh.ntriangle);
  }
  fputc(']', to);
}

/* Writes the lists "marks", times on the time line, and "modes", what one page shows of `modes`. */
void webpage_put_marks(FILE *to, const webpage *p) {
  fputs(",\"marks\":[", to);
  for (int i = 0; i < p->nmark; i++) {
    fprintf(to, "%s{\"t\":%.17g,\"name\":", i ? "," : "", p->mark[i].t);
    webpage_put_text(to, p->mark[i].name);
    fputc('}', to);
  }
  fputs("],\"modes\":[", to);
  for (int i = 0; i < p->nmode; i++) {
    fprintf(to, "%s{\"from\":%.17g,\"to\":%.17g,\"name\":", i ? "," : "", p->mode[i].from,
            p->mode[i].to);
    webpage_put_text(to, p->mode[i].name);
    fputc('}', to);
  }
  fputc(']', to);
}

/* Writes the list "messages": those of the page, then what is wrong with meshes. */
void webpage_put_messages(FILE *to, const webpage *p) {
  const char *all[MESH_MESSAGES + 100];
  int n = 0;
  for (int i = 0; p->messages && p->messages[i] && n < 99; i++) all[n++] = p->messages[i];
  for (int i = 0; p->meshes && i < p->meshes->nmessage; i++) all[n++] = p->meshes->message[i];
  all[n] = NULL;
  webpage_put_strings(to, "messages", all);
}
