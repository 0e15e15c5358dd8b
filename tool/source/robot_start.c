/* SPDX-License-Identifier: MIT */
/* Start values of a robot's joints, from options and from a CSV file. */
#define _POSIX_C_SOURCE 200809L
#include "source/robot_start.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Append the start of a joint whose name has n bytes. False after a message. */
static bool add_start(robot_start *s, const char *name, size_t n, ga_given value, ga_given rate) {
  if (s->count == s->room) {
    const int room = 2 * s->room + 16;
    ga_import_start *list = realloc(s->list, (size_t)room * sizeof *list);
    if (list) s->list = list;
    char **names = list ? realloc(s->name, (size_t)room * sizeof *names) : NULL;
    if (names) s->name = names;
    if (names) s->room = room;
  }
  char *copy = s->count < s->room ? strndup(name, n) : NULL;
  if (!copy) {
    tool_error("no memory for start values");
    return false;
  }
  s->name[s->count] = copy;
  s->list[s->count++] = (ga_import_start){copy, value, rate};
  return true;
}

/* *x <- a finite number that ends at `end` (a comma, a line end or nothing). */
static bool read_number(const char *text, char **end, double *x) {
  *x = strtod(text, end);
  return *end != text && isfinite(*x);
}

/* An option JOINT=X. */
static bool read_option(const arg_spec *spec, const char *text, bool rate, robot_start *s) {
  const char *equals = strrchr(text, '=');
  char *end;
  double x;
  if (!equals || equals == text || !read_number(equals + 1, &end, &x) || *end) {
    tool_error("--%s '%s': write JOINT=NUMBER", spec->key, text);
    return false;
  }
  const ga_given given = {x, true}, none = {0, false};
  return add_start(s, text, (size_t)(equals - text), rate ? none : given, rate ? given : none);
}

/* --coordinate JOINT=X */
bool robot_read_value(const arg_spec *spec, const char *text, void *field) {
  return read_option(spec, text, false, field);
}

/* --rate JOINT=X */
bool robot_read_rate(const arg_spec *spec, const char *text, void *field) {
  return read_option(spec, text, true, field);
}

/* A line JOINT,VALUE,RATE. False after a message. */
static bool read_line(const char *path, long number, char *line, robot_start *s) {
  ga_given value = {0, true}, rate = {0, true};
  char *comma = strchr(line, ','), *end = NULL;
  line[strcspn(line, "\r\n")] = '\0';
  bool ok = comma && comma > line && read_number(comma + 1, &end, &value.value) && *end == ',';
  ok = ok && read_number(end + 1, &end, &rate.value) && *end == '\0';
  if (ok) return add_start(s, line, (size_t)(comma - line), value, rate);
  tool_error("%s:%ld: a line is JOINT,VALUE,RATE with two numbers", path, number);
  return false;
}

/* --start FILE.csv, whose first line is joint,value,rate */
bool robot_read_file(const arg_spec *spec, const char *path, void *field) {
  const char *name;
  char *line = NULL;
  size_t room = 0;
  bool ok = true;
  if (!arg_read_file(spec, path, &name)) return false;
  ((robot_start *)field)->file = path;
  FILE *file = fopen(path, "r");
  if (!file) {
    tool_error("cannot read '%s': %s", path, strerror(errno));
    return false;
  }
  for (long number = 1; ok && getline(&line, &room, file) > 0; number++) {
    if (number == 1 && strncmp(line, "joint,value,rate", 16) == 0) continue;
    if (line[strspn(line, " \r\n")] != '\0') ok = read_line(path, number, line, field);
  }
  free(line);
  fclose(file);
  return ok;
}

/* Free the names and the list. */
void robot_start_close(robot_start *start) {
  for (int i = 0; i < start->count; i++) free(start->name[i]);
  free(start->name);
  free(start->list);
  *start = (robot_start){.count = 0};
}
