/* SPDX-License-Identifier: MIT */
/* Changes of contacts as a CSV file: a row for each contact with an impulse or a new state. */
#ifndef TOOL_OUTPUT_IMPACTS_H
#define TOOL_OUTPUT_IMPACTS_H

#include <genalpha/genalpha.h>
#include <stdio.h>

typedef struct impacts {
  FILE *to;
  const char *path;
  const ga_model *model; /* names of the contacts */
} impacts;

/* Open the file and write its head. False after a message. */
bool impacts_open(impacts *f, const char *path, const ga_model *model);
/* A ga_contact_observer; context: the impacts. */
void impacts_add(void *context, const ga_contact_change *change);
/* Close the file, if it is open. False after a message. */
bool impacts_close(impacts *f);

#endif
