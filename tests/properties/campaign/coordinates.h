/* SPDX-License-Identifier: MIT */
/* The same mechanism in absolute and in joint coordinates: the two runs have other unknowns, but the
 * same columns in the limit h -> 0. */
#ifndef GA_CAMPAIGN_COORDINATES_H
#define GA_CAMPAIGN_COORDINATES_H

#include "model.h"

/* Mechanism number `index` of a seed as a file, allocated: a tree of one to eight bodies over all types of
 * joints, forwards and backwards, some free; loops, springs, bushings, joint keys, laws, drives,
 * couplers, controllers; moving at the start; one in eight is a kilometre away. */
char *hard_coordinates_text(uint64_t seed, int index);

enum { HARD_HALVINGS = 6 };

typedef enum hard_meeting {
  HARD_MEET,      /* they agree in the limit */
  HARD_APART,     /* they do not */
  HARD_ONE_FAILS, /* one of them did not come to its end */
  HARD_NEITHER,   /* neither did */
  HARD_REFUSED    /* the mechanism cannot be built, or has no joint coordinates */
} hard_meeting;

/* What two runs with h, h/2, .. gave. With two sizes each column is extrapolated, T = (4 x(h/2) - x(h))/3.
 * Sizes of columns: see coordinates.c. */
typedef struct hard_comparison {
  hard_meeting meeting;
  int count;                          /* of step sizes */
  double apart[HARD_HALVINGS];        /* largest difference of a column */
  double extrapolated[HARD_HALVINGS]; /* of the extrapolated columns, from the second on */
  char column[HARD_HALVINGS][2][48];  /* where they are */
  bool reactions;                     /* forces of joints are unique, and have been compared */
  char text[200];                     /* message of a run that failed */
} hard_comparison;

/* Run a file in both coordinates from h on for `span`; name: for messages, and its folder. */
hard_comparison hard_compare_coordinates(const char *name, const char *text, const char *method,
                                         double h, double span);
/* The same with another text in joint coordinates. */
hard_comparison hard_compare_texts(const char *name, const char *text, const char *joint,
                                   const char *method, double h, double span);

/* Its step sizes and differences, one line each. */
void hard_print_comparison(const hard_comparison *c);

#endif
