/* SPDX-License-Identifier: MIT */
/* Whether the accuracy was reached, why not, and how to say it. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "accuracy/solution.h"

static const double between_allowed = 2; /* times the accuracy asked, as at the nodes */

/* One word for a verdict, for files. */
const char *ga_verdict_word(ga_verdict verdict) {
#define WORD(name, word) word,
  static const char *const words[] = {GA_VERDICT_LIST(WORD)};
#undef WORD
  return verdict >= 0 && verdict <= GA_VERDICT_STOPPED ? words[verdict] : "";
}

/* Append to the sentence of the accuracy. */
static void GA_PRINTF(2, 3) say(ga_accuracy *a, const char *format, ...) {
  size_t used = strlen(a->text);
  va_list args;
  va_start(args, format);
  vsnprintf(a->text + used, sizeof a->text - used, format, args);
  va_end(args);
}

/* Growth of the distances between the last two runs, from the first tenth of the nodes to the last
 * one. Distances below 1e-13 are rounding. */
double ga_solution_growth(const ga_solution *s) {
  double early = 1e-13, late = 0;
  for (long n = 0; n < s->nodes; n++) {
    if (n <= s->nodes / 10) early = fmax(early, s->apart[n]);
    if (n >= s->nodes - 1 - s->nodes / 10) late = fmax(late, s->apart[n]);
  }
  return late / early;
}

/* About where the motion is not smooth: the first of three nodes in a row at which the differences
 * of the runs do not fall by about 4 where steps are halved. NaN: not found. */
static double time_of_kink(const ga_solution *s) {
  double largest = 0;
  int in_a_row = 0;
  if (s->rows < 5) return NAN;
  double scale = ga_solution_fall_scale(s);
  for (long n = 0; n < s->nodes; n++) largest = fmax(largest, s->twice[0][n]);
  for (long n = 0; n < s->nodes; n++) {
    double now = s->twice[0][n], then = s->twice[2][n] / scale;
    bool odd = now > 1e-3 * largest && !(then / now > 2.6 && then / now < 6);
    in_a_row = odd ? in_a_row + 1 : 0;
    if (in_a_row == 3) return ga_solution_time(s, n - 2);
  }
  return NAN;
}

/* "q 2.3e-07, v 1.8e-06" */
static void say_errors(ga_accuracy *a) {
  const struct {
    const char *name;
    double error;
  } of[] = {{"q", a->estimate.q},
            {"v", a->estimate.v},
            {"vd", a->estimate.vd},
            {"constraint forces", a->estimate.lam}};
  const char *comma = "";
  for (int i = 0; i < 4; i++) {
    if (isnan(of[i].error)) continue;
    say(a, "%s%s %.2g", comma, of[i].name, of[i].error);
    comma = ", ";
  }
}

/* "order 5 from 6 runs of 128 .. 1024 steps (index3), 2690 steps" */
static void say_how(ga_accuracy *a) {
  say(a, "order %d from %d run%s of %ld .. %ld steps (%s), %ld steps in all", a->order, a->runs,
      a->runs == 1 ? "" : "s", a->least, a->largest, a->method, a->steps);
}

/* Why the accuracy was not reached, and what to do. */
static void say_reason(ga_solution *s) {
  ga_accuracy *a = &s->accuracy;
  const ga_estimate *e = &s->made[s->rows - 1];
  switch (a->verdict) {
    case GA_VERDICT_KINK:
      if (e->fall < 3) {
        say(a, "Differences fall by %.2g where steps are halved (4 is smooth)", e->fall);
      } else {
        say(a, "Differences fall irregularly where steps are halved (by 4 if all is smooth)");
      }
      say(a, ": something has a kink, or vibrates faster than the steps");
      if (!isnan(a->t_kink)) say(a, ", near t = %.4g", a->t_kink);
      say(a, "; use events, a smoother law, or damping");
      break;
    case GA_VERDICT_SENSITIVE:
      say(a,
          "Errors grow %.0e-fold over the run: the motion itself is that sensitive; shorter "
          "runs, or statistics",
          a->growth);
      break;
    case GA_VERDICT_ROUNDING:
      say(a, "The differences between the runs are rounding errors; no steps can do better");
      break;
    case GA_VERDICT_BUDGET:
      if (!isnan(s->passed_over)) {
        say(a,
            "Near t = %.9g a function of time begins to change, and no run has steps that are "
            "short enough to see how; a larger accuracy_steps allows more, a corner there (step, "
            "if) "
            "or automatic steps (rtol) need fewer",
            s->passed_over);
        break;
      }
      say(a, "It would take more than %.3g steps in all; a larger accuracy_steps allows them",
          s->options.accuracy_steps);
      break;
    case GA_VERDICT_BRANCH:
      say(a,
          "A run with automatic steps ends elsewhere: the motion can go on in several ways, or "
          "something happens that some runs step over");
      break;
    case GA_VERDICT_STOPPED:
      say(a, "It was stopped on the way");
      break;
    case GA_VERDICT_NONE:
    case GA_VERDICT_REACHED:
      break;
  }
}

/* The accuracy holds at the nodes; where it does not hold between them, too. */
static void say_between(ga_solution *s) {
  ga_accuracy *a = &s->accuracy;
  double t, allowed = between_allowed * a->asked;
  const double miss = ga_solution_miss(s, allowed, &t);
  if (!(miss > allowed)) return;
  say(a,
      ". But between the %ld common times, which are %.2g apart, the error may be %.2g, near t = "
      "%.4g: something is faster than that; a smaller accuracy or rtol helps for rows there",
      s->nodes, (s->t_end - s->t0) / (double)(s->nodes - 1), miss, t);
}

/* Set the verdict with its facts and its text. The estimates are there. */
void ga_solution_judge(ga_solution *s, ga_verdict verdict) {
  ga_accuracy *a = &s->accuracy;
  a->verdict = verdict;
  a->growth = s->rows > 1 ? ga_solution_growth(s) : NAN;
  a->t_kink = verdict == GA_VERDICT_KINK ? time_of_kink(s) : NAN;
  a->text[0] = '\0';
  if (verdict == GA_VERDICT_REACHED) {
    say(a, "accuracy %.3g asked: ", a->asked);
    say_errors(a);
    say(a, " (largest over the run, relative to the largest value of each component), ");
    say_how(a);
    say_between(s);
    return;
  }
  if (isnan(a->error)) {
    say(a, "accuracy %.3g NOT reached, the error is not known. ", a->asked);
  } else {
    say(a, "accuracy %.3g NOT reached: about %.2g (", a->asked, a->error);
    say_errors(a);
    say(a, "). ");
  }
  say_reason(s);
  say(a, ". ");
  if (a->order > 0) say_how(a);
}
