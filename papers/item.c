/* SPDX-License-Identifier: MIT */
/* The list of papers, claims and their verdicts. */
#include "papers/item.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

static const paper *const papers[] = {&paper_ab07, &paper_jn07, &paper_jn08, &paper_j11,
                                      &paper_acb15};

enum { NPAPERS = (int)(sizeof papers / sizeof papers[0]) };

/* Paper i in the order of the list, NULL past the end. */
const paper *paper_at(int i) {
  return i >= 0 && i < NPAPERS ? papers[i] : NULL;
}

/* i-th item, counted through all papers; NULL past the end. */
const item *item_at(int i) {
  for (int p = 0; p < NPAPERS; p++) {
    for (const item *const *it = papers[p]->items; *it; it++) {
      if (i-- == 0) return *it;
    }
  }
  return NULL;
}

/* The paper that has this item; NULL if none has. */
const paper *item_paper(const item *of) {
  for (int p = 0; p < NPAPERS; p++) {
    for (const item *const *it = papers[p]->items; *it; it++) {
      if (*it == of) return papers[p];
    }
  }
  return NULL;
}

/* Stores the reason if it is the first one; returns false. Line ends become blanks, because a
 * record keeps one field per line. */
bool result_fail(result *r, const char *format, ...) {
  if (r->failure[0]) return false;
  va_list args;
  va_start(args, format);
  vsnprintf(r->failure, sizeof r->failure, format, args);
  va_end(args);
  for (char *c = r->failure; *c; c++) {
    if (*c == '\n') *c = ' ';
  }
  return false;
}

/* Appends a copy of *c with the formatted text, source "paper" and no correction; returns it. If
 * the list is full the result fails and the last claim is returned. */
static claim *add_claim(result *r, const claim *c, const char *format, va_list args) {
  if (r->claims == CLAIMS_MAX) {
    result_fail(r, "more than %d claims", CLAIMS_MAX);
    return &r->claim[CLAIMS_MAX - 1];
  }
  claim *own = &r->claim[r->claims++];
  *own = *c;
  own->corrected = NAN;
  vsnprintf(own->text, sizeof own->text, format, args);
  snprintf(own->source, sizeof own->source, "paper");
  return own;
}

#define ADD(...)                                 \
  const claim given = {__VA_ARGS__};             \
  va_list args;                                  \
  va_start(args, format);                        \
  claim *c = add_claim(r, &given, format, args); \
  va_end(args);                                  \
  return c

/* Appends the claim |ours - expected| <= tolerance and returns it; text as for printf. */
claim *claim_near(result *r, double expected, double tolerance, double ours, const char *format,
                  ...) {
  ADD(.relation = CLAIM_NEAR, .paper = expected, .tolerance = tolerance, .ours = ours);
}

/* Appends the claim ours <= expected (tolerance 0) and returns it; text as for printf. */
claim *claim_at_most(result *r, double expected, double ours, const char *format, ...) {
  ADD(.relation = CLAIM_AT_MOST, .paper = expected, .ours = ours);
}

/* Appends the claim ours >= expected (tolerance 0) and returns it; text as for printf. */
claim *claim_at_least(result *r, double expected, double ours, const char *format, ...) {
  ADD(.relation = CLAIM_AT_LEAST, .paper = expected, .ours = ours);
}

/* Replaces the source of the expected number ("paper" unless set); returns c. */
claim *claim_source(claim *c, const char *source) {
  snprintf(c->source, sizeof c->source, "%s", source);
  return c;
}

/* Marks a number that the paper gives in words only: the threshold is ours. */
claim *claim_threshold(claim *c) {
  return claim_source(c, "threshold of ours");
}

/* Marks a claim that the paper does not make; its source is then ours unless another was named. */
claim *claim_addition(claim *c) {
  c->addition = true;
  return strcmp(c->source, "paper") == 0 ? claim_source(c, "our addition") : c;
}

/* Stores the right number where the paper errs, and the reason; the verdict can then be
 * "differs". */
void claim_corrected(claim *c, double corrected, const char *because) {
  c->corrected = corrected;
  snprintf(c->because, sizeof c->because, "%s", because);
}

/* True if our number stands in c's relation to `expected`; always false for NaN. */
static bool holds(const claim *c, double expected) {
  switch (c->relation) {
    case CLAIM_AT_MOST:
      return c->ours <= expected + c->tolerance;
    case CLAIM_AT_LEAST:
      return c->ours >= expected - c->tolerance;
    default:
      return fabs(c->ours - expected) <= c->tolerance;
  }
}

/* Reproduced if our number fits the paper's; differs if it fits the correction instead;
 * else open. */
verdict claim_verdict(const claim *c) {
  if (holds(c, c->paper)) return VERDICT_REPRODUCED;
  return holds(c, c->corrected) ? VERDICT_DIFFERS : VERDICT_OPEN;
}

/* "reproduced", "differs" or "open"; also used as a class of the page's style sheet. */
const char *verdict_word(verdict v) {
  static const char *const words[VERDICTS] = {"reproduced", "differs", "open"};
  return words[v];
}

/* The verdict of a claim as a word; an addition of ours "holds" where a paper's is "reproduced". */
const char *claim_word(const claim *c) {
  verdict v = claim_verdict(c);
  return c->addition && v == VERDICT_REPRODUCED ? "holds" : verdict_word(v);
}

/* Adds one to the count of the verdict of c, of the papers or of our additions. */
void tally_add(tally *t, const claim *c) {
  (c->addition ? t->addition : t->paper)[claim_verdict(c)]++;
}

/* Number of open claims, additions included. */
int tally_open(const tally *t) {
  return t->paper[VERDICT_OPEN] + t->addition[VERDICT_OPEN];
}
