/* SPDX-License-Identifier: MIT */
/* Collecting the meshes of a mechanism. */
#include "picture/mesh_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The item of this path, or NULL. */
static mesh_item *find_item(const mesh_set *s, const char *path) {
  for (int i = 0; s && i < s->count; i++) {
    if (strcmp(s->item[i].path, path) == 0) return &s->item[i];
  }
  return NULL;
}

int mesh_set_find(const mesh_set *s, const char *path) {
  const mesh_item *found = find_item(s, path);
  return found && found->mesh.ntriangle > 0 ? (int)(found - s->item) : -1;
}

/* Keep a sentence, or count the file where the same has been said; the last one is for all others. */
static void add_message(mesh_set *s, const char *body, const char *path, const char *why) {
  int i = 0;
  while (i < s->nmessage && i < MESH_MESSAGES - 1 && strcmp(s->reason[i].why, why) != 0) i++;
  if (i == s->nmessage) {
    snprintf(s->reason[i].why, sizeof s->reason[i].why, "%s", why);
    snprintf(s->reason[i].first, sizeof s->reason[i].first, "mesh '%.300s' of '%.100s'", path,
             body);
    s->nmessage++;
  }
  const int more = s->reason[i].files++;
  char others[40] = "";
  if (more > 0) snprintf(others, sizeof others, " (and %d more)", more);
  char text[sizeof s->message[0]]; /* apart from *s, as the compiler fears an overlap */
  snprintf(text, sizeof text, "%s%s: %s; a placeholder is drawn", s->reason[i].first, others,
           s->reason[i].why);
  memcpy(s->message[i], text, sizeof text);
}

/* Read the mesh of a look, if it has one that is not known yet; false: no memory. */
static bool add_look(mesh_set *s, const char *body, const ga_body_look *look) {
  char why[400];
  if (look->shape != GA_SHAPE_MESH || look->hide || find_item(s, look->mesh)) return true;
  if (s->count == s->room) {
    const int room = s->room ? 2 * s->room : 16;
    mesh_item *moved = realloc(s->item, (size_t)room * sizeof *moved);
    if (!moved) return false;
    s->item = moved;
    s->room = room;
  }
  mesh_item *item = &s->item[s->count++];
  *item = (mesh_item){.path = look->mesh};
  if (!mesh_read(look->mesh, &item->mesh, sizeof why, why)) {
    add_message(s, body, look->mesh, why);
    return true;
  }
  s->triangles += item->mesh.ntriangle;
  if (s->triangles > MESH_SET_TRIANGLES) {
    s->triangles -= item->mesh.ntriangle;
    mesh_free(&item->mesh);
    snprintf(why, sizeof why, "with it the page would have more than %d triangles",
             MESH_SET_TRIANGLES);
    add_message(s, body, look->mesh, why);
  }
  return true;
}

bool mesh_set_open(mesh_set *s, const ga_mechanism *m) {
  ga_body_info b;
  ga_body_look look;
  *s = (mesh_set){.count = 0};
  for (int i = 0; ga_mechanism_body_at(m, i, &b); i++) {
    if (!add_look(s, b.name, &b.look)) return false;
    for (int k = 0; k < b.nmore; k++) {
      if (!add_look(s, b.name, &b.more_looks[k])) return false;
    }
  }
  for (int i = 0; ga_mechanism_ground_look(m, i, &look); i++) {
    if (!add_look(s, "ground", &look)) return false;
  }
  return true;
}

void mesh_set_close(mesh_set *s) {
  for (int i = 0; i < s->count; i++) mesh_free(&s->item[i].mesh);
  free(s->item);
  *s = (mesh_set){.count = 0};
}
