/* SPDX-License-Identifier: MIT */
/* The meshes of a mechanism: each file is read once, however many looks name it. */
#ifndef TOOL_PICTURE_MESH_SET_H
#define TOOL_PICTURE_MESH_SET_H

#include <genalpha/ga_drawable.h>

#include "picture/mesh.h"

/* Most triangles of a page, most sentences about meshes. */
enum { MESH_SET_TRIANGLES = 1000000, MESH_MESSAGES = 5 };

typedef struct mesh_item {
  const char *path; /* borrowed */
  mesh mesh;        /* empty: it could not be read */
} mesh_item;

typedef struct mesh_set {
  mesh_item *item;
  int count, room;
  long triangles; /* of all of them */
  int nmessage;   /* sentences; each stands for all files with the same reason */
  char message[MESH_MESSAGES][1200];
  struct {
    int files; /* with this reason */
    char first[500], why[400];
  } reason[MESH_MESSAGES];
} mesh_set;

/* Read all meshes that looks of m name, but hidden ones. What is wrong becomes a message; false: no
 * memory. mesh_set_close in any case. */
bool mesh_set_open(mesh_set *s, const ga_mechanism *m);
void mesh_set_close(mesh_set *s);
/* The number of a mesh; -1: it is not there, or could not be read. s may be NULL. */
int mesh_set_find(const mesh_set *s, const char *path);

#endif
