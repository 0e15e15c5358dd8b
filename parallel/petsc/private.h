/* SPDX-License-Identifier: MIT */
/* Private: the parts of a linear solver on PETSc.
 *
 * Local columns are those of a rank's part A_r, in its order. A row is named by its partner, the
 * column that it shares a block with (ga_linsol.h); so rows and columns have one numbering, and a
 * pivot is expected on the diagonal, or is zero there for constraints and their multipliers.
 * PETSc's index of a column is its number among the columns that the ranks own, rank after rank. */
#ifndef GA_PETSC_PRIVATE_H
#define GA_PETSC_PRIVATE_H

#include <petscksp.h>
#include <petscsf.h>

#include "genalpha/ga_petsc.h"

/* leave with the error of a call of PETSc; its text is kept by the handler of session.c */
#define GA_TRY(call)             \
  do {                           \
    PetscErrorCode tried = call; \
    if (tried) return tried;     \
  } while (0)

/* an option of the user's, with its prefix */
typedef struct ga_petsc_option {
  char name[64];
  const char *value; /* NULL: none */
  bool used;
} ga_petsc_option;

typedef struct ga_petsc_solver {
  ga_petsc_context *context, fallback; /* fallback: where the user gives none */
  MPI_Comm comm;
  int rank, size;
  char *trouble; /* room for GA_PETSC_ROOM characters */

  /* numbers.c */
  int n, nnz;             /* of A_r */
  const int *ptr, *col;   /* its pattern */
  int *partner;           /* the column of a row */
  int *row_of;            /* the row of a column */
  PetscInt nown, ntotal;  /* columns that this rank owns, all columns */
  int *own;               /* the columns that this rank owns, in the order of their indices */
  PetscInt *index;        /* of a column */
  PetscInt begin;         /* the first index that this rank owns */
  PetscSF sf;             /* from the owners to all ranks that have a column */
  double *roots, *leaves; /* room for exchanges: nown and n numbers */
  bool *has_diagonal;     /* columns with a pivot where they meet their row, on any rank */

  /* units.c: A in good units */
  bool scaled;
  double *row, *unit; /* of the partner's row, and of the column */
  double *unit_of;    /* both for every entry */
  double *value;      /* entries of R A_r C */

  /* strong.c: what the preconditioner has of them */
  double weak_wanted, weak; /* the user's, and what holds at present */
  bool stale;               /* they were chosen for earlier values */
  int nkept, *kept;
  double *kept_value;

  /* options.c */
  char *text; /* of the user, cut to words */
  int noption;
  ga_petsc_option *option;
  unsigned defaults_put; /* the defaults that are in PETSc's set at present */
  double backward;
  int overlap;
  bool may_be_direct; /* the preconditioner is our choice: where it fails, MUMPS takes its place */
  bool direct;        /* and has done so */
  int room;           /* of MUMPS beyond its prediction, in per cent; 0: what the options say */

  /* krylov.c */
  bool opened; /* the operators are there */
  Mat A, P;    /* P is A where no entry is weak */
  KSP ksp;
  Vec b, x, r, c;

  /* age.c: how long P is worth keeping */
  double *made_for; /* entries of R A_r C that P was made for */
  double worth;     /* the time for a new one, in iterations; 0: unknown */
  double lost;      /* iterations lost so far by the age of this one */
  int first;        /* iterations of the first solve with it; 0: there was none */
  bool exact;       /* it is the inverse of A */

  /* singular.c */
  bool disturbed;         /* P is A with roundings in all entries, and a diagonal */
  int singular;           /* column of this rank that depends on others, -1: unknown or none */
  bool singular_anywhere; /* a rank knows one */
} ga_petsc_solver;

enum { GA_PETSC_ROOM = 120 };

/* ---- session.c ---- */

/* PETSc is there, or an error with a sentence. */
ga_status ga_petsc_open(char *trouble, size_t room);
/* From here to ga_petsc_leave, PETSc's errors are collected instead of printed. */
void ga_petsc_enter(ga_petsc_solver *s);
void ga_petsc_leave(ga_petsc_solver *s);
/* status of a PETSc error; the sentence is in s->trouble */
ga_status ga_petsc_status(const ga_petsc_solver *s, PetscErrorCode code);
/* The gravest status of all ranks, with the sentence of the first rank that has it. */
ga_status ga_petsc_agree(ga_petsc_solver *s, ga_status status);
/* the largest x[i] of all ranks */
void ga_petsc_largest(const ga_petsc_solver *s, int n, double *x);

/* ---- numbers.c ---- */

PetscErrorCode ga_petsc_number(ga_petsc_solver *s, const ga_linsol_layout *layout);
/* place of an entry, -1 if it is not in the pattern */
int ga_petsc_find(const ga_petsc_solver *s, int row, int col);
/* x, one number for each local column: of shared ones the largest of all ranks that have it */
PetscErrorCode ga_petsc_max_shared(ga_petsc_solver *s, double *x);
/* a matrix with the pattern of entries e = which[0], ..; NULL: all entries. diagonal: with a place
 * there for each column that this rank owns, after the others. */
PetscErrorCode ga_petsc_matrix(ga_petsc_solver *s, int count, const int *which, bool diagonal,
                               Mat *out);
/* local columns in units of the matrix to a vector, and back with the exchange */
PetscErrorCode ga_petsc_to_vector(ga_petsc_solver *s, const double *b, Vec out);
PetscErrorCode ga_petsc_from_vector(ga_petsc_solver *s, Vec x, double *out);

/* ---- units.c ---- */

/* R A C into s->value; not_finite where it is not so. Both are the same on all ranks. */
PetscErrorCode ga_petsc_units(ga_petsc_solver *s, const double *value, bool *not_finite);

/* ---- strong.c ---- */

/* An entry on the diagonal that is a pivot, where rows and columns are scaled to 1; the zeros of
 * constraints may have a place in the pattern. */
#define GA_PETSC_PIVOT 1e-6
PetscErrorCode ga_petsc_find_diagonals(ga_petsc_solver *s);
/* Choose the entries of P for the present values. */
void ga_petsc_choose(ga_petsc_solver *s);
/* The subdomain of this rank: what it owns, and what it has in its overlap. */
PetscErrorCode ga_petsc_subdomain(ga_petsc_solver *s, IS *all, IS *own);

/* ---- ordering.c ---- */

/* the order in which KLU shall eliminate; false: no memory */
bool ga_petsc_order(int n, const int *ptr, const int *col, const double *value, int *out);

/* ---- klu.c ---- */

/* the preconditioner's name among PETSc's types, and its registration */
#define GA_PETSC_KLU "ga_klu"
PetscErrorCode ga_petsc_register_klu(void);
/* what is known of such a preconditioner, nothing of others */
typedef struct ga_petsc_report {
  bool known;
  double ratio;         /* of the extreme pivots */
  double factor, solve; /* operations */
} ga_petsc_report;
PetscErrorCode ga_petsc_klu_report(PC pc, ga_petsc_report *out);

/* ---- options.c ---- */

PetscErrorCode ga_petsc_read_options(ga_petsc_solver *s);
/* Into PETSc's set of options, and out again; check: those that nothing asked for are an error. */
PetscErrorCode ga_petsc_put_options(ga_petsc_solver *s);
PetscErrorCode ga_petsc_take_options(ga_petsc_solver *s, bool check);

/* ---- age.c ---- */

/* P is new. */
PetscErrorCode ga_petsc_made(ga_petsc_solver *s);
/* Whether P may stay for the present values; the same on all ranks. */
bool ga_petsc_still_good(ga_petsc_solver *s);
/* A solve has taken so many iterations. */
void ga_petsc_learn(ga_petsc_solver *s, int iterations);

/* ---- krylov.c ---- */

/* P and its factors for the present values; *status says whether they are there. */
PetscErrorCode ga_petsc_prepare(ga_petsc_solver *s, ga_status *status);
/* New values of A alone, P stays as it is. */
PetscErrorCode ga_petsc_keep(ga_petsc_solver *s);
void ga_petsc_close_operators(ga_petsc_solver *s);
/* the preconditioners of the subdomains of this rank: *count of them, or the whole one */
PetscErrorCode ga_petsc_sub_pc(ga_petsc_solver *s, int i, PC *pc, int *count);
/* x of A x = b, both of the solver; *status GA_RETRY_NEWTON where it does not converge */
PetscErrorCode ga_petsc_iterate(ga_petsc_solver *s, ga_status *status);

/* ---- singular.c ---- */

/* growth |x|/|b| of a solution that makes A suspect, in units of 1/(n eps) */
#define GA_PETSC_GROWTH 0.05
/* no two of these are equal; about 1/2 to 1 */
double ga_petsc_weight(int i);
/* After the factors are made: *status GA_RETRY_SINGULAR if A is singular to working precision. */
PetscErrorCode ga_petsc_look(ga_petsc_solver *s, ga_status *status);
/* A column that depends on others, of a matrix that has no factors. */
PetscErrorCode ga_petsc_find_column(ga_petsc_solver *s);
/* Whether the residual of an iteration that stands still proves A singular: r^T A = 0. */
PetscErrorCode ga_petsc_residual_proves(ga_petsc_solver *s, bool *singular);

#endif
