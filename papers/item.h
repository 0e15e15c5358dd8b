/* SPDX-License-Identifier: MIT */
/* The figures and numerical claims of the papers: what they say, how it is computed, what comes
 * out. A verdict is computed from numbers, never written down. */
#ifndef PAPERS_ITEM_H
#define PAPERS_ITEM_H

#include "picture/chart.h"

typedef enum claim_relation {
  CLAIM_NEAR,     /* |ours - paper| <= tolerance */
  CLAIM_AT_MOST,  /* ours <= paper + tolerance */
  CLAIM_AT_LEAST, /* ours >= paper - tolerance */
  CLAIM_RELATIONS
} claim_relation;

typedef enum verdict {
  VERDICT_REPRODUCED,
  VERDICT_DIFFERS, /* from the paper, and agrees with the correction, whose reason is given */
  VERDICT_OPEN,    /* neither: to be investigated */
  VERDICTS
} verdict;

typedef struct claim {
  char text[240];
  char source[48]; /* where the expected number comes from: "paper", or what else */
  bool addition;   /* not said in the paper: ours, counted apart */
  claim_relation relation;
  double paper, tolerance, ours;
  double corrected;  /* the right number where the paper errs; NaN: no correction known */
  char because[400]; /* reason of the correction */
} claim;

enum { CLAIMS_MAX = 24 };

typedef struct result {
  bool quick; /* input: small sizes, seconds instead of minutes */
  table data; /* the curves of the figure, column by column */
  int claims;
  claim claim[CLAIMS_MAX];
  char failure[500]; /* reason why it could not be computed; empty: success */
} result;

typedef struct item {
  const char *id, *title;
  const char *says; /* what the paper says or shows */
  const char *how;  /* what is computed here */
  void (*compute)(result *r);
  const chart *chart; /* NULL: numbers only */
  double seconds;     /* rough CPU time on one core, for the estimate of the time left */
} item;

typedef struct paper {
  const char *key, *cite;
  const item *const *items; /* NULL ends the list */
} paper;

/* A misprint or slip of a paper, and the item whose numbers are the evidence. */
typedef struct misprint {
  const char *where, *printed, *correct;
  const char *evidence; /* id of an item; NULL: text says why */
  const char *text;
} misprint;

/* Number of claims by verdict, counted separately for the papers and for our additions. */
typedef struct tally {
  int paper[VERDICTS], addition[VERDICTS];
} tally;

extern const paper paper_ab07, paper_jn07, paper_jn08, paper_j11, paper_acb15;
extern const misprint misprints[]; /* where NULL ends the list */
extern const misprint garbled[];   /* errors of our text copies, probably not of the papers */

/* i-th paper, and i-th item of all papers; NULL past the end. */
const paper *paper_at(int i);
const item *item_at(int i);
/* The paper that has this item; NULL if none has. */
const paper *item_paper(const item *of);

/* Each adds a claim to r and returns it, so that it can be refined below; text as for printf. A
 * bound has tolerance 0; set c->tolerance afterwards if it needs one. */
claim *claim_near(result *r, double expected, double tolerance, double ours, const char *format,
                  ...) GA_PRINTF(5, 6);
claim *claim_at_most(result *r, double expected, double ours, const char *format, ...)
    GA_PRINTF(4, 5);
claim *claim_at_least(result *r, double expected, double ours, const char *format, ...)
    GA_PRINTF(4, 5);
/* Names the source of an expected number that is not the paper's. Both return c. */
claim *claim_source(claim *c, const char *source);
claim *claim_threshold(claim *c); /* the paper says it in words, the number is our threshold */
/* Marks a claim that the paper does not make; returns c. */
claim *claim_addition(claim *c);
/* The paper's number is wrong: gives the right one and the reason. */
void claim_corrected(claim *c, double corrected, const char *because);

verdict claim_verdict(const claim *c);
const char *verdict_word(verdict v);    /* "reproduced", "differs", "open" */
const char *claim_word(const claim *c); /* the same; of an addition "holds" for "reproduced" */
void tally_add(tally *t, const claim *c);
int tally_open(const tally *t);

/* Marks the result as failed; keeps the first reason. Always returns false. */
bool result_fail(result *r, const char *format, ...) GA_PRINTF(2, 3);

#endif
