/* SPDX-License-Identifier: MIT */
/* Meshes of looks: triangles from STL (text or binary) and OBJ files, whoever wrote them. */
#ifndef TOOL_PICTURE_MESH_H
#define TOOL_PICTURE_MESH_H

#include <stdbool.h>
#include <stddef.h>

/* Most triangles of one file, and bytes of it; a page with more would be slow to open. */
enum { MESH_TRIANGLES = 200000, MESH_BYTES = 100000000 };

/* Equal points are one vertex. All coordinates are finite, all indices less than nvertex. */
typedef struct mesh {
  int nvertex, ntriangle;
  float *vertex; /* x, y, z of each */
  int *triangle; /* three vertices of each */
} mesh;

/* Read the bytes of a file; its kind is told by the end of its name, .stl or .obj. False: it is none,
 * is damaged or too large; `why` (room bytes) says so, *m is empty. mesh_free in any case. */
bool mesh_parse(const char *name, const char *bytes, size_t size, mesh *m, size_t room, char *why);
/* The same of a file. */
bool mesh_read(const char *path, mesh *m, size_t room, char *why);
void mesh_free(mesh *m);

#endif
