/* SPDX-License-Identifier: MIT */
/* How long a preconditioner is kept.
 *
 * The iteration uses the present matrix, and may use the preconditioner of some steps ago. An old
 * one costs iterations, a new one costs a factorization. It is renewed when the iterations lost so
 * far, compared with its first solve, have cost as much as a factorization. Then the total cost is
 * at most twice that of the best choice, whatever follows. Costs are counted in operations, not in
 * seconds, so that two runs decide alike.
 *
 * If a scaled entry has changed by more than CHANGE, the factors are renewed in any case: rows may
 * have become dependent. */
#include <math.h>
#include <string.h>

#include "private.h"

static const double CHANGE = 0.1; /* of an entry of R A C, whose largest entries are near 1 */
/* Operations of an iteration besides the preconditioner, per entry of A and per row. An operation
 * of a factorization takes half the time of one in a solve (measured). */
static const double ENTRY = 2, ROW = 20, FACTOR = 0.5;

/* P was just factored for the present values: set s->worth (its cost in iterations, 0 if unknown),
 * s->exact (its factors are those of A) and s->made_for, and set s->lost and s->first to 0. The
 * same worth on all processes; collective. */
PetscErrorCode ga_petsc_made(ga_petsc_solver *s) {
  int count;
  PC pc;
  double factor = 0, step = ENTRY * s->nnz + ROW * s->n, unknown = 0;
  GA_TRY(ga_petsc_sub_pc(s, 0, &pc, &count));
  for (int i = 0; i < count; i++) {
    ga_petsc_report report;
    GA_TRY(ga_petsc_sub_pc(s, i, &pc, &count));
    GA_TRY(ga_petsc_klu_report(pc, &report));
    factor += report.factor, step += report.solve;
    if (!report.known) unknown = 1;
  }
  double all[] = {factor, step, unknown};
  ga_petsc_largest(s, 3, all);
  s->worth = all[2] > 0 ? 0 : FACTOR * all[0] / (all[1] + 1);
  s->exact = all[2] == 0 && s->processes == 1 && s->P == s->A;
  s->lost = 0;
  s->first = 0;
  memcpy(s->made_for, s->value, (size_t)s->nnz * sizeof *s->made_for);
  return 0;
}

/* A solve took so many iterations: note those of the first solve with this P in s->first; later,
 * add those beyond s->first to s->lost. */
void ga_petsc_learn(ga_petsc_solver *s, int iterations) {
  if (s->first == 0) {
    s->first = iterations;
  } else if (iterations > s->first) {
    s->lost += iterations - s->first;
  }
}

/* May P be kept for the present values (s->value)? Yes if there is one of known cost, few
 * iterations were lost, and no scaled entry changed by more than CHANGE since it was made. The same
 * answer on all processes; collective. */
bool ga_petsc_still_good(ga_petsc_solver *s) {
  if (!s->opened || s->worth == 0 || s->lost >= s->worth) return false;
  double change = 0;
  for (int e = 0; e < s->nnz; e++) {
    double size = fabs(s->value[e] - s->made_for[e]);
    change = size > change ? size : change;
  }
  ga_petsc_largest(s, 1, &change);
  return change <= CHANGE;
}
