/* SPDX-License-Identifier: MIT */
/* What is said about a robot: failures with the path of the element, and the report. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "import/robot.h"

/* Write "robot/joint[elbow]/axis: " into text, of `room` bytes; what does not fit is cut. */
static void put_path(const ga_xml *element, bool names, size_t room, char *text) {
  const ga_xml *way[GA_XML_DEPTH];
  int n = 0;
  for (const ga_xml *e = element; e && n < GA_XML_DEPTH; e = e->parent) way[n++] = e;
  size_t used = 0;
  text[0] = '\0';
  while (n-- > 0 && used < room) {
    const char *name = way[n]->parent && names ? ga_xml_attribute(way[n], "name") : NULL;
    const int more = snprintf(text + used, room - used, "%.40s%s%.60s%s%s", way[n]->name,
                              name ? "[" : "", name ? name : "", name ? "]" : "", n ? "/" : "");
    used += more > 0 ? (size_t)more : 0;
  }
}

/* Fail with the position and the path of the element before the text. Returns false. */
bool ga_robot_fail(ga_robot *r, const ga_xml *element, const char *format, ...) {
  if (r->status != GA_OK) return false;
  char path[200] = "", text[360];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  if (element) {
    put_path(element, true, sizeof path, path);
    r->status = ga_fail(r->err, GA_ERR_FILE, "%s:%d:%d: %s: %s", r->path, element->line,
                        element->column, path, text);
  } else {
    r->status = ga_fail(r->err, GA_ERR_FILE, "%s: %s", r->path, text);
  }
  return false;
}

/* Fail: no memory. Returns false. */
bool ga_robot_no_memory(ga_robot *r) {
  if (r->status == GA_OK) r->status = ga_fail(r->err, GA_ERR_MEM, "%s: no memory", r->path);
  return false;
}

/* A copy of a text in the arena, in which control characters, a line break too, become '?'. */
const char *ga_robot_text(ga_robot *r, const char *text) {
  const size_t n = strlen(text);
  char *copy = ga_arena_take(r->arena, n + 1, 1);
  if (!copy) {
    ga_robot_no_memory(r);
    return "";
  }
  for (size_t i = 0; i < n; i++) {
    copy[i] = (unsigned char)text[i] < 0x20 || text[i] == 0x7f ? '?' : text[i];
  }
  return copy;
}

/* Append a line to the report, or count it if it is there. With --strict and `loss` it is a
 * failure. */
static bool add_line(ga_robot *r, ga_log_level level, const ga_xml *element, bool loss,
                     const char *format, va_list list) {
  char text[360];
  size_t used = 0;
  if (element) {
    put_path(element, level == GA_LOG_WARNING, sizeof text / 2, text);
    used = strlen(text);
    used += (size_t)snprintf(text + used, sizeof text - used, ": ");
  }
  vsnprintf(text + used, sizeof text - used, format, list);
  if (loss && r->options->strict) return ga_robot_fail(r, element, "%s (--strict)", text + used);
  for (int i = 0; i < r->nreport; i++) {
    if (strcmp(r->report[i].text, text) != 0) continue;
    r->report[i].count++;
    return true;
  }
  if (r->nreport == GA_REPORT_MAX) {
    r->unreported++;
    return true;
  }
  r->report[r->nreport++] = (ga_report_line){.level = level,
                                             .text = ga_robot_text(r, text),
                                             .line = element ? element->line : 0,
                                             .column = element ? element->column : 0,
                                             .count = 1};
  return r->status == GA_OK;
}

/* Report something that is odd or left out. */
bool ga_robot_report(ga_robot *r, ga_log_level level, const ga_xml *element, const char *format,
                     ...) {
  va_list list;
  va_start(list, format);
  const bool ok = add_line(r, level, element, true, format, list);
  va_end(list);
  return ok;
}

/* Report a decision, by which nothing is lost. */
bool ga_robot_note(ga_robot *r, const ga_xml *element, const char *format, ...) {
  va_list list;
  va_start(list, format);
  const bool ok = add_line(r, GA_LOG_INFO, element, false, format, list);
  va_end(list);
  return ok;
}

static const char *const unused_words[][2] = {
#define GA_UNUSED_WORDS(name, one, many) {one, many},
    GA_UNUSED_LIST(GA_UNUSED_WORDS)
#undef GA_UNUSED_WORDS
};

/* Count something without a use. */
bool ga_robot_unused(ga_robot *r, ga_unused what, const ga_xml *element) {
  r->unused[what]++;
  if (!r->options->strict) return true;
  return ga_robot_fail(r, element, "a mechanism has no use for this %s (--strict)",
                       unused_words[what][0]);
}

/* ---- the lines ------------------------------------------------------------------------------- */

/* "1 joint", "2 joints" */
static void add_count(ga_buffer *b, int n, const char *one, const char *many) {
  ga_buffer_add(b, "%d %s", n, n == 1 ? one : many);
}

/* FILE: bodies, joints, couplers; merged joints; degrees of freedom */
static void put_counts(const ga_robot *r, ga_buffer *b) {
  int bodies = 0, joints = 0, couplers = 0, merged = 0, freedom = 0;
  for (int i = 0; i < r->nlink; i++) {
    bodies += r->links[i].kept == i;
    if (r->links[i].kept == i && ga_robot_is_free(r, i)) freedom += 6;
  }
  for (int i = 0; i < r->njoint; i++) {
    const ga_robot_joint *j = &r->joints[i];
    const bool fixed = j->type == GA_ROBOT_FIXED;
    if (fixed && !r->options->keep_fixed) merged++;
    joints += !(fixed && !r->options->keep_fixed) && j->type != GA_ROBOT_FLOATING;
    couplers += j->mimic != NULL;
    freedom += ga_robot_coordinates(j) - (j->mimic != NULL);
  }
  const char *slash = strrchr(r->path, '/');
  ga_buffer_add(b, "%s: ", slash ? slash + 1 : r->path);
  add_count(b, bodies, "body, ", "bodies, ");
  add_count(b, joints, "joint", "joints");
  if (couplers) ga_buffer_add(b, ", ");
  if (couplers) add_count(b, couplers, "coupler", "couplers");
  if (merged) ga_buffer_add(b, "; ");
  if (merged) add_count(b, merged, "fixed joint merged", "fixed joints merged");
  ga_buffer_add(b, "; ");
  add_count(b, freedom, "degree of freedom", "degrees of freedom");
}

/* What stands still, or flies. */
static void put_base(const ga_robot *r, ga_buffer *b) {
  const char *name = r->links[r->root].name;
  if (ga_robot_floats(r)) {
    ga_buffer_add(b, "base: %s flies (--base fixed makes it the ground)", name);
  } else if (strcmp(name, "world") == 0) {
    ga_buffer_add(b, "base: world is the ground, as a root of this name always is");
  } else {
    ga_buffer_add(b, "base: %s is the ground (--base floating lets it fly)", name);
  }
}

/* "not used: 11 meshes, 9 limits (--limits stop)"; nothing if all was used */
static void put_unused(const ga_robot *r, ga_buffer *b) {
  bool first = true;
  for (int i = 0; i < GA_UNUSED_COUNT; i++) {
    if (r->unused[i] == 0) continue;
    ga_buffer_add(b, first ? "not used: " : ", ");
    add_count(b, r->unused[i], unused_words[i][0], unused_words[i][1]);
    if (i == GA_UNUSED_LIMIT) ga_buffer_add(b, " (--limits stop)");
    first = false;
  }
}

/* The links that are part of link k, "a, b: part of c"; nothing if there are none. */
static void put_merged(const ga_robot *r, int k, ga_buffer *b) {
  bool first = true;
  for (int i = 0; i < r->nlink; i++) {
    const int link = r->order[i];
    if (r->links[link].kept != k || link == k || link == r->root) continue;
    ga_buffer_add(b, "%s%s", first ? "" : ", ", r->links[link].name);
    first = false;
  }
  if (!first) ga_buffer_add(b, ": part of %s", k == GA_LINK_GROUND ? "the ground" : r->links[k].as);
}

/* Move the text of the buffer to line *n, unless it is empty or there is no room. */
static void end_line(ga_robot *r, ga_buffer *b, ga_log_level level, int *n, int room,
                     const char **lines, ga_log_level *levels) {
  if (b->failed) ga_robot_no_memory(r);
  if (b->length > 0 && *n < room) {
    levels[*n] = level;
    lines[(*n)++] = ga_robot_text(r, b->text);
  }
  ga_buffer_free(b);
}

/* All lines of the report: counts, base, what is not used, what was merged, then the rest. */
int ga_robot_report_lines(ga_robot *r, const char **lines, ga_log_level *levels, int room) {
  ga_buffer b = {.text = NULL};
  int n = 0;
  put_counts(r, &b);
  end_line(r, &b, GA_LOG_INFO, &n, room, lines, levels);
  put_base(r, &b);
  end_line(r, &b, GA_LOG_INFO, &n, room, lines, levels);
  put_unused(r, &b);
  end_line(r, &b, GA_LOG_INFO, &n, room, lines, levels);
  for (int k = GA_LINK_GROUND; k < r->nlink && n < room - GA_REPORT_MAX - 1; k++) {
    if (k >= 0 && r->links[k].merged == 0) continue;
    put_merged(r, k, &b);
    end_line(r, &b, GA_LOG_INFO, &n, room, lines, levels);
  }
  for (int i = 0; i < r->nreport; i++) {
    const ga_report_line *l = &r->report[i];
    if (l->line > 0) ga_buffer_add(&b, "%d:%d: ", l->line, l->column);
    ga_buffer_add(&b, "%s", l->text);
    if (l->count > 1) ga_buffer_add(&b, " (%d times)", l->count);
    end_line(r, &b, l->level, &n, room, lines, levels);
  }
  if (r->unreported > 0) ga_buffer_add(&b, "and %d more lines like these", r->unreported);
  end_line(r, &b, GA_LOG_INFO, &n, room, lines, levels);
  return n;
}
