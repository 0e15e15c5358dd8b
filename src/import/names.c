/* SPDX-License-Identifier: MIT */
/* Names: URDF allows any text, and the same one for a link and a joint; a model file has
 * letters, digits and _, and one name for one thing. */
#include <stdio.h>
#include <string.h>

#include "import/robot.h"

/* ---- tables ---------------------------------------------------------------------------------- */

/* An empty table for at most `most` names. */
bool ga_name_table_new(ga_robot *r, size_t most, ga_name_table *table) {
  table->room = 16;
  while (table->room < 2 * most + 2) table->room *= 2;
  table->name = ga_arena_take(r->arena, table->room, sizeof *table->name);
  table->number = ga_arena_take(r->arena, table->room, sizeof *table->number);
  return table->name && table->number;
}

/* Slot of a name, or the free one where it belongs; FNV-1a. */
static size_t slot_of(const ga_name_table *table, const char *name) {
  size_t h = 2166136261u;
  for (const char *c = name; *c; c++) h = (h ^ (unsigned char)*c) * 16777619u;
  size_t i = (h ^ h >> 15) & (table->room - 1);
  while (table->name[i] && strcmp(table->name[i], name) != 0) i = (i + 1) & (table->room - 1);
  return i;
}

/* The number of a name; NULL if it is not there. */
int *ga_name_table_find(const ga_name_table *table, const char *name) {
  const size_t i = slot_of(table, name);
  return table->name[i] ? &table->number[i] : NULL;
}

/* Enter a name, or replace its number. */
void ga_name_table_add(ga_name_table *table, const char *name, int number) {
  const size_t i = slot_of(table, name);
  table->name[i] = name;
  table->number[i] = number;
}

/* ---- names of a model file ------------------------------------------------------------------- */

enum { NAME_MAX_LENGTH = 120, NAME_ROOM = NAME_MAX_LENGTH + 16 };

/* Write the form of a name that a model file can have: each character other than a letter, a digit
 * or _ becomes _, a digit at the beginning gets _ before it, a reserved word _ behind it. */
static void clean_name(const char *name, char *to) {
  static const char *const reserved[] = {"ground", "energy", "momentum", "angular_momentum"};
  int n = 0;
  if (name[0] >= '0' && name[0] <= '9') to[n++] = '_';
  for (; *name && n < NAME_MAX_LENGTH; name++) {
    const char c = *name;
    if (((unsigned char)c & 0xc0) == 0x80) continue; /* inside a character of UTF-8 */
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    to[n++] = plain ? c : '_';
  }
  to[n] = '\0';
  for (int i = 0; i < 4; i++) {
    if (strcmp(to, reserved[i]) == 0) strcat(to, "_");
  }
}

/* Write the i-th name that a joint of this name brings along, for its coupler and for the forces of
 * its keys; false past the last. */
static bool other_name(const ga_robot_joint *j, const char *name, int i, char *to, size_t room) {
  static const char *const ends[] = {"", "_limit", "_friction"};
  const int n = j ? ga_robot_coordinates(j) : 0;
  if (n == 0 || i > 3 * n) return false;
  if (i == 0) {
    snprintf(to, room, "mimic_%s", name);
  } else {
    snprintf(to, room, "%s_%s%s", name, ga_robot_coordinate(j, (i - 1) / 3), ends[(i - 1) % 3]);
  }
  return true;
}

/* Is the name free, and those that the joint j (NULL: it is a link) brings along? */
static bool is_free(const ga_name_table *used, const char *name, const ga_robot_joint *j) {
  char other[NAME_ROOM + 60];
  if (ga_name_table_find(used, name)) return false;
  for (int i = 0; other_name(j, name, i, other, sizeof other); i++) {
    if (ga_name_table_find(used, other)) return false;
  }
  return true;
}

/* A copy in the arena, entered into the table with the number 2: the next end _2 to try for it. */
static const char *enter(ga_robot *r, ga_name_table *used, const char *name) {
  const char *copy = ga_robot_text(r, name);
  ga_name_table_add(used, copy, 2);
  return copy;
}

/* *as <- the name of a link, or of the joint j, in the model file: its own, or with _2, _3, ..
 * behind it. `plain`: only if it can keep its own name; else the others. */
static bool choose(ga_robot *r, ga_name_table *used, const ga_xml *node, const char *name,
                   const ga_robot_joint *j, bool plain, const char **as) {
  char clean[NAME_ROOM], tried[NAME_ROOM + 16], other[NAME_ROOM + 60];
  if (*as) return true;
  clean_name(name, clean);
  snprintf(tried, sizeof tried, "%s", clean);
  if (plain && (strcmp(clean, name) != 0 || !is_free(used, clean, j))) return true;
  int *next = ga_name_table_find(used, clean), own = 2;
  if (!next) next = &own;
  while (!is_free(used, tried, j)) {
    snprintf(tried, sizeof tried, "%s_%d", clean, (*next)++);
  }
  *as = enter(r, used, tried);
  for (int i = 0; other_name(j, tried, i, other, sizeof other); i++) enter(r, used, other);
  if (r->status != GA_OK) return false;
  return strcmp(*as, name) == 0 ||
         ga_robot_note(r, node, "%s '%.60s' is called %.60s in the model file",
                       j ? "joint" : "link", name, *as);
}

/* Choose the names of all bodies, then of all joints. Who can keep his name comes first. */
bool ga_robot_choose_names(ga_robot *r) {
  ga_name_table used;
  if (!ga_name_table_new(r, (size_t)r->nlink + 11 * (size_t)r->njoint, &used)) {
    return ga_robot_no_memory(r);
  }
  for (int plain = 1; plain >= 0; plain--) {
    for (int i = 0; i < r->nlink; i++) {
      ga_robot_link *link = &r->links[i];
      if (link->kept == i && !choose(r, &used, link->node, link->name, NULL, plain, &link->as)) {
        return false;
      }
    }
  }
  for (int plain = 1; plain >= 0; plain--) {
    for (int i = 0; i < r->njoint; i++) {
      ga_robot_joint *j = &r->joints[i];
      const bool merged = j->type == GA_ROBOT_FIXED && !r->options->keep_fixed;
      if (merged || j->type == GA_ROBOT_FLOATING) continue;
      if (!choose(r, &used, j->node, j->name, j, plain, &j->as)) return false;
    }
  }
  for (int i = 0; i < r->nlink; i++) {
    const int kept = r->links[i].kept;
    if (kept != i) r->links[i].as = kept == GA_LINK_GROUND ? "ground" : r->links[kept].as;
  }
  return true;
}
