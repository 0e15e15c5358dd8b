/* SPDX-License-Identifier: MIT */
/* The mechanisms of models/ one after the other, and random changes of their configurations. */
#ifndef GA_TESTS_MODELS_ALL_H
#define GA_TESTS_MODELS_ALL_H

#include <dirent.h>

#include "mechanism/mechanism.h"
#include "mechanisms.h"

/* q changed in every component by up to a fraction of the mechanism's length, or of a radian */
static inline void perturbed(const ga_mechanism *m, const double *q, double fraction, uint64_t seed,
                             double *out) {
  double *weight = calloc((size_t)m->nv, sizeof(double)),
         *w = calloc((size_t)m->nv, sizeof(double));
  ga_mechanism_weights(m, weight, w);
  for (int i = 0; i < m->nv; i++) w[i] *= fraction * next_uniform(&seed);
  ga_space_step(m->space, q, w, out);
  free(weight);
  free(w);
}

/* Every file of models/ in these coordinates (NULL: its own), without those with contacts: their rows
 * are not always on. */
static inline int each_model_in(const char *coordinates,
                                void (*check)(const char *name, const ga_file *file)) {
  DIR *directory = opendir(GA_MODELS);
  int count = 0;
  assert_non_null(directory);
  for (const struct dirent *entry; (entry = readdir(directory));) {
    char name[100];
    snprintf(name, sizeof name, "%.90s", entry->d_name);
    char *dot = strstr(name, ".yaml");
    if (!dot) continue;
    *dot = '\0';
    ga_file *file = model_loaded_in(coordinates, name, NULL, 0);
    if (ga_mechanism_model(ga_file_mechanism(file))->ncontacts == 0) {
      check(name, file);
      count++;
    }
    ga_file_free(file);
  }
  closedir(directory);
  return count;
}

static inline int each_model(void (*check)(const char *name, const ga_file *file)) {
  return each_model_in(NULL, check);
}

#endif
