/* SPDX-License-Identifier: MIT */
/* Whole systems as lists of elements, for subdomain_model.h. */
#ifndef SUBDOMAIN_SYSTEMS_H
#define SUBDOMAIN_SYSTEMS_H

#include <stdlib.h>

enum { PER = 3 };
typedef enum { BODY, BAR, SPRING, HOLD, JOINT, KNIFE } element_kind;

typedef struct {
  element_kind kind;
  int a, b; /* bodies, -1: the origin */
} element;

/* a whole system */
typedef struct {
  int n, count;
  element *list;
  double mass[PER];
  int down; /* the coordinate that gravity acts on */
  double *q0;
} whole_system;

static inline void whole_add(whole_system *s, element_kind kind, int a, int b) {
  s->list[s->count++] = (element){kind, a, b};
}

static inline whole_system whole_chain(int n) {
  whole_system s = {.n = n, .mass = {1, 1, 1. / 12}, .down = 1};
  s.list = malloc(2 * (size_t)n * sizeof *s.list);
  s.q0 = calloc((size_t)(PER * n), sizeof(double));
  for (int i = 0; i < n; i++) {
    whole_add(&s, BODY, i, i);
    whole_add(&s, JOINT, i - 1, i);
    s.q0[PER * i] = i + 0.5;
  }
  return s;
}

/* a chain whose rod `edge` has an edge */
static inline whole_system whole_edged_chain(int n, int edge) {
  whole_system s = whole_chain(n);
  s.list = realloc(s.list, (2 * (size_t)n + 1) * sizeof *s.list);
  whole_add(&s, KNIFE, edge, edge);
  return s;
}

/* size^2 points in each of the layers */
static inline whole_system whole_net(int size, int layers) {
  int n = size * size * layers;
  whole_system s = {.n = n, .mass = {1, 1, 1}, .down = 2};
  s.list = malloc((4 * (size_t)n + 1) * sizeof *s.list);
  s.q0 = calloc((size_t)(PER * n), sizeof(double));
  for (int a = 0; a < n; a++) {
    int i = a % size, j = a / size % size, k = a / (size * size);
    whole_add(&s, BODY, a, a);
    if (i + 1 < size) whole_add(&s, BAR, a, a + 1);
    if (j + 1 < size) whole_add(&s, BAR, a, a + size);
    if (k + 1 < layers) whole_add(&s, SPRING, a, a + size * size);
    s.q0[PER * a] = i, s.q0[PER * a + 1] = j, s.q0[PER * a + 2] = -k;
  }
  whole_add(&s, HOLD, 0, 0);
  return s;
}

static inline void whole_system_free(whole_system *s) {
  free(s->list);
  free(s->q0);
}

#endif
