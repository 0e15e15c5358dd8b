/* SPDX-License-Identifier: MIT */
/* The cone problem of contacts: impulses of an impact, forces after a change.
 *
 * Blocks of one normal and nt tangential rows, u = A r + b:
 *
 *     0 <= r_N,  u_N >= 0,  r_N u_N = 0,     |r_T| <= mu r_N,  r_T = -mu r_N u_T/|u_T| where u_T != 0
 *
 * Solved island by island, large ones as cone_large.c says, others by active sets (cone_sets.c); where A is symmetric by the convex
 * iteration of De Saxce, Acary and Cadoux, else by Gauss-Seidel sweeps (cone_sweeps.c), both
 * polished by the equations of the sets. Accepted are equations to 1e-9 and signs to 1e-11, or,
 * coarse, 1e-6. */
#ifndef GA_SRC_CONE_H
#define GA_SRC_CONE_H

#include "base/base.h"
#include "base/csr.h"

/* Islands of more rows have sparse matrices (cone_large.c): dense equations cost the cube of the rows. */
enum { GA_CONE_LARGE = 48 };

/* The problem, in the units of the caller. Arrays are borrowed. */
typedef struct ga_cone {
  int n;            /* blocks */
  const int *nt;    /* n: tangential rows, 0, 1 or 2 */
  const double *mu; /* n */
  const ga_csr *A;  /* m x m, m = sum of 1 + nt; no entries where blocks are not coupled */
  const double *b;  /* m */
  /* n x n: A of the normals alone, symmetric, for dependent normals; NULL: of A */
  const ga_csr *normal;
  bool symmetric;  /* A is symmetric and positive semidefinite */
  ga_arena *arena; /* two, of the work arrays, whose memory stays; NULL: none is kept */
} ga_cone;

typedef enum { GA_CONE_OPEN, GA_CONE_SLIP, GA_CONE_STICK } ga_cone_status;

/* The solution; arrays of the caller. */
typedef struct ga_cone_solution {
  double *r, *u; /* m */
  int *status;   /* n: ga_cone_status */
  int *island;   /* n: number of the island of each block */
  long sweeps;   /* iterations of the second and third way */
  long lists;    /* lists of statuses tried by the first way */
  bool coarse;   /* some island is solved to 1e-6 only */
  int unsolved;  /* an island without solution, -1: none */
} ga_cone_solution;

/* GA_OK, GA_RETRY_CONTACT if an island has no solution (`unsolved`), GA_ERR_MEM. */
ga_status ga_cone_solve(const ga_cone *problem, ga_cone_solution *solution, ga_error *err);

/* island[i] = the number of the island of block i: blocks that act on each other, numbered by their first
 * ones; returns how many. nt: n tangential rows. work: m and n ints. */
int ga_cone_islands(const ga_csr *A, int n, const int *nt, int *island, int *block, int *of);

/* Dependencies of the rows `of` (count numbers) of a symmetric, positive semidefinite matrix N
 * (size x size by rows): vectors n of count numbers with n^T N n = 0. Of the first `before` rows as
 * many as possible are kept, then of the others. basis: count x count, one vector after the other,
 * in which the row that depends, which[d], has the coefficient 1; work: count x count. Returns
 * their number. */
int ga_cone_dependencies(const double *N, int size, int count, int before, const int *of,
                         double *basis, double *work, int *which);

/* ---- one island, scaled so that max |b| = 1 and min A_ii = 1 ------------------------------------- */

typedef struct ga_island {
  int n, m;
  int *nt, *at;   /* n: tangential rows; first row of each block */
  double *mu;     /* n */
  double *A, *b;  /* m x m, m */
  double *normal; /* n x n */
  bool large;     /* S, m x m, in place of A and normal */
  ga_csr S;
  bool symmetric;
  double *r, *u;      /* m */
  int *status;        /* n */
  double (*d)[2];     /* n: directions of slip of sets */
  double (*stiff)[2]; /* n: of sweeps, A_NN and |A_TT| */
  long sweeps, lists;
  ga_arena *arena; /* of the work arrays */
} ga_island;

/* u = A r + b. */
void ga_island_velocities(const ga_island *s, const double *r, double *u);
/* Solve the equations of the statuses, from r: r, u. split: with n^T r_N = 0 for dependent normals,
 * else the solution next to r. False if that fails. */
bool ga_island_equations(ga_island *s, bool split);
/* Do r, u satisfy the laws: equations to `equal`, signs to `sign`? */
bool ga_island_holds(const ga_island *s, double equal, double sign);
/* The largest |min(r_N, u_N)|, |proj(r_T - u_T) - r_T| of all blocks. */
double ga_island_misfit(const ga_island *s);
/* The three ways; true if r, u and status are the solution. */
bool ga_island_sets(ga_island *s);
/* Is A symmetric and some u_i = 0 a consequence of the others: forces at rest are then not unique?
 * Can it then rest, u = 0, with some forces, though not those of sets? */
bool ga_island_forces_are_free(ga_island *s);
bool ga_island_rest(ga_island *s);
bool ga_island_convex(ga_island *s, bool *coarse);
bool ga_island_sweeps(ga_island *s, bool *coarse);
/* cone_large.c: an island with a sparse matrix. */
bool ga_island_large(ga_island *s, bool *coarse);
/* One sweep over the blocks, relaxed; the largest change of r. Statuses from r, u; all that do not fit
 * changed, true if one has; a number for the present list. */
void ga_island_measure(ga_island *s); /* before the first sweep */
double ga_island_sweep(ga_island *s, double relax);
void ga_island_read_statuses(ga_island *s);
bool ga_island_change_statuses(ga_island *s);
unsigned long ga_island_list_number(const ga_island *s);
/* Statuses read from r, then their equations, from r; true if they hold. On failure r is unchanged. */
bool ga_island_polish(ga_island *s);

#endif
