/* SPDX-License-Identifier: MIT */
/* Changes of contacts as a CSV file and in a file of results: a row for each contact with an impulse or a new state. */
#ifndef TOOL_OUTPUT_IMPACTS_H
#define TOOL_OUTPUT_IMPACTS_H

#include <genalpha/ga_results.h>
#include <genalpha/genalpha.h>
#include <stdio.h>

typedef struct impacts {
  FILE *to;                   /* CSV, or NULL */
  ga_results_writer *results; /* HDF5, or NULL */
  const char *path;
  const ga_model *model; /* names of the contacts */
} impacts;

/* The lines of the CSV file. */
void impacts_head(FILE *to);
void impacts_line(FILE *to, const ga_results_impact *impact);

/* Open the CSV file and write its head; path NULL: none. results: NULL, or a file that gets the same.
 * False after a message. */
bool impacts_open(impacts *f, const char *path, const ga_model *model, ga_results_writer *results);
/* A ga_contact_observer; context: the impacts. */
void impacts_add(void *context, const ga_contact_change *change);
/* Close the file, if it is open. False after a message. */
bool impacts_close(impacts *f);

#endif
