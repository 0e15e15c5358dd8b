/* SPDX-License-Identifier: MIT */
/* Private: a linear solver by PETSc, and which file does what.
 *
 * Local columns are those of the matrix A_p of this process, in its order. A row is named by its
 * partner, the column that belongs to it by the blocks of ga_linsol.h. So rows and columns have one
 * numbering, and a diagonal entry is a pivot, or zero for constraints and their multipliers.
 * PETSc's index of a column is its number among the columns that the processes own, process after
 * process. */
#ifndef GA_PETSC_PRIVATE_H
#define GA_PETSC_PRIVATE_H

#include <petscksp.h>
#include <petscsf.h>

#include "genalpha/ga_petsc.h"

/* return the error of a call of PETSc; the handler of session.c keeps its text */
#define GA_TRY(call)             \
  do {                           \
    PetscErrorCode tried = call; \
    if (tried) return tried;     \
  } while (0)

/* an option of the user, with its prefix */
typedef struct ga_petsc_option {
  char name[64];
  const char *value; /* NULL: none */
  bool used;
} ga_petsc_option;

typedef struct ga_petsc_solver {
  ga_petsc_context *context, fallback; /* fallback: if the user gives none */
  MPI_Comm comm;
  int process, processes;
  char *trouble; /* GA_PETSC_ROOM characters */

  /* numbers.c */
  int n, nnz;             /* of A_p */
  const int *ptr, *col;   /* its pattern */
  int *partner;           /* the column of a row */
  int *row_of;            /* the row of a column */
  PetscInt nown, ntotal;  /* columns that this process owns; all columns */
  int *own;               /* the columns that this process owns, in the order of their indices */
  PetscInt *index;        /* of a column */
  PetscInt begin;         /* the first index that this process owns */
  PetscSF sf;             /* from the owner of a column to all processes that have it */
  double *roots, *leaves; /* buffers of exchanges: nown and n numbers */
  bool *has_diagonal;     /* columns whose diagonal entry is a pivot, on any process */

  /* units.c: A scaled by R and C, so that the largest entry of rows and columns is near 1 */
  bool scaled;
  double *row, *unit; /* scale of the partner's row (R), and of the column (C) */
  double *unit_of;    /* the product of both for every entry */
  double *value;      /* entries of R A_p C */

  /* strong.c: the entries of the preconditioner */
  double weak_wanted, weak; /* entries below are left out: the option, and the present value */
  bool stale;               /* P, and the choice of its entries, may be of earlier values */
  int nkept, *kept;         /* the slots in value of the entries of P */
  double *kept_value;       /* their values */

  /* options.c */
  char *text; /* the user's options, cut into words */
  int noption;
  ga_petsc_option *option;
  unsigned defaults_put; /* the defaults that are in PETSc's set at present */
  double backward;       /* option: |r| <= backward |b| ends the iteration */
  int overlap;           /* option: layers of elements around a subdomain */
  bool may_be_direct; /* the user has chosen no preconditioner: if ours fails, MUMPS replaces it */
  bool direct;        /* MUMPS has replaced it */
  int room; /* memory for MUMPS beyond its prediction, in per cent; 0: as in the options */

  /* krylov.c */
  bool opened; /* A, P, ksp and the vectors exist */
  Mat A, P;    /* P == A if no entry is weak */
  KSP ksp;
  Vec b, x, r, c; /* right side, solution, residual b - A x, correction of x; all scaled */

  /* age.c: how long to keep P */
  double *made_for; /* entries of R A_p C that P was made for */
  double worth;     /* the time for a new one, in iterations; 0: unknown */
  double lost;      /* iterations lost so far by the age of this one */
  int first;        /* iterations of the first solve with it; 0: there was none */
  bool exact;       /* it is the inverse of A */

  /* singular.c */
  bool disturbed;         /* P is A with small random changes of all entries, and a diagonal */
  int singular;           /* column of this process that depends on others, -1: unknown or none */
  bool singular_anywhere; /* some process has such a column */
} ga_petsc_solver;

enum { GA_PETSC_ROOM = 120 };

/* ---- session.c ---- */

/* Initialize PETSc, if that is needed; an error with a sentence if it fails. */
ga_status ga_petsc_open(char *trouble, size_t room);
/* From here to ga_petsc_leave, PETSc's errors are collected instead of printed. */
void ga_petsc_enter(ga_petsc_solver *s);
void ga_petsc_leave(ga_petsc_solver *s);
/* the status for a PETSc error; the sentence is in s->trouble */
ga_status ga_petsc_status(const ga_petsc_solver *s, PetscErrorCode code);
/* The worst status of all processes, with the sentence of the first process that has it. */
ga_status ga_petsc_agree(ga_petsc_solver *s, ga_status status);
/* the largest x[i] of all processes */
void ga_petsc_largest(const ga_petsc_solver *s, int n, double *x);

/* ---- numbers.c ---- */

PetscErrorCode ga_petsc_number(ga_petsc_solver *s, const ga_linsol_layout *layout);
/* slot of an entry, -1 if it is not in the pattern */
int ga_petsc_find(const ga_petsc_solver *s, int row, int col);
/* x has a number for each local column; that of a shared column becomes the largest of all
 * processes that have the column */
PetscErrorCode ga_petsc_max_shared(ga_petsc_solver *s, double *x);
/* a matrix with the pattern of the entries which[0], ..; NULL: of all entries. diagonal: the
 * diagonal entries of the columns that this process owns follow. */
PetscErrorCode ga_petsc_matrix(ga_petsc_solver *s, int count, const int *which, bool diagonal,
                               Mat *out);
/* b of all local rows to a scaled vector; x back to all local columns, also of those of others */
PetscErrorCode ga_petsc_to_vector(ga_petsc_solver *s, const double *b, Vec out);
PetscErrorCode ga_petsc_from_vector(ga_petsc_solver *s, Vec x, double *out);

/* ---- units.c ---- */

/* R A C into s->value. *not_finite: an entry of A is not finite, the same on all processes. */
PetscErrorCode ga_petsc_units(ga_petsc_solver *s, const double *value, bool *not_finite);

/* ---- strong.c ---- */

/* A scaled diagonal entry above this is a pivot. (Zeros of constraints may be in the pattern.) */
#define GA_PETSC_PIVOT 1e-6
PetscErrorCode ga_petsc_find_diagonals(ga_petsc_solver *s);
/* Choose the entries of P for the present values. */
void ga_petsc_choose(ga_petsc_solver *s);
/* The subdomain of this process: all its indices with the overlap, and those that it owns. */
PetscErrorCode ga_petsc_subdomain(ga_petsc_solver *s, IS *all, IS *own);

/* ---- ordering.c ---- */

/* the order in which KLU shall eliminate; false: no memory */
bool ga_petsc_order(int n, const int *ptr, const int *col, const double *value, int *out);

/* ---- klu.c ---- */

/* the preconditioner's name among PETSc's types, and its registration */
#define GA_PETSC_KLU "ga_klu"
PetscErrorCode ga_petsc_register_klu(void);
/* numbers of such a preconditioner; known is false for others */
typedef struct ga_petsc_report {
  bool known;
  double ratio;         /* of the extreme pivots */
  double factor, solve; /* operations */
} ga_petsc_report;
PetscErrorCode ga_petsc_klu_report(PC pc, ga_petsc_report *out);

/* ---- options.c ---- */

PetscErrorCode ga_petsc_read_options(ga_petsc_solver *s);
/* Put them into PETSc's set of options, take them out again. check: an unused option is an
 * error. */
PetscErrorCode ga_petsc_put_options(ga_petsc_solver *s);
PetscErrorCode ga_petsc_take_options(ga_petsc_solver *s, bool check);

/* ---- age.c ---- */

/* P is new. */
PetscErrorCode ga_petsc_made(ga_petsc_solver *s);
/* May P be kept for the present values? The same answer on all processes. */
bool ga_petsc_still_good(ga_petsc_solver *s);
/* A solve has taken so many iterations. */
void ga_petsc_learn(ga_petsc_solver *s, int iterations);

/* ---- krylov.c ---- */

/* P and its factors for the present values; *status is GA_OK if that succeeded. */
PetscErrorCode ga_petsc_prepare(ga_petsc_solver *s, ga_status *status);
/* New values of A alone, P stays as it is. */
PetscErrorCode ga_petsc_keep(ga_petsc_solver *s);
void ga_petsc_close_operators(ga_petsc_solver *s);
/* preconditioner i of the *count subdomains of this process, or the one for the whole matrix */
PetscErrorCode ga_petsc_sub_pc(ga_petsc_solver *s, int i, PC *pc, int *count);
/* Solve A x = b for s->x; *status is GA_RETRY_NEWTON if the iteration does not converge. */
PetscErrorCode ga_petsc_iterate(ga_petsc_solver *s, ga_status *status);

/* ---- singular.c ---- */

/* A may be singular if |x|/|b| of a solution exceeds this times 1/(n eps) */
#define GA_PETSC_GROWTH 0.05
/* no two of these are equal; about 1/2 to 1 */
double ga_petsc_weight(int i);
/* After the factorization: *status is GA_RETRY_SINGULAR if A is singular to working precision. */
PetscErrorCode ga_petsc_check_singular(ga_petsc_solver *s, ga_status *status);
/* Find a column that depends on others, of a matrix that cannot be factored. */
PetscErrorCode ga_petsc_find_column(ga_petsc_solver *s);
/* Does the residual of an iteration that stagnates prove A singular, by r^T A = 0? */
PetscErrorCode ga_petsc_residual_proves(ga_petsc_solver *s, bool *singular);

#endif
