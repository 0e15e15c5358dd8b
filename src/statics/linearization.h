/* SPDX-License-Identifier: MIT */
/* Private side of linearizations: the matrices, and dense linear algebra by LAPACK. */
#ifndef GA_SRC_LINEARIZATION_H
#define GA_SRC_LINEARIZATION_H

#include "statics/statics.h"

struct ga_linearization {
  ga_arena arena;
  const ga_model *model;
  int nv, nlam, npsi;
  double *q;               /* the configuration */
  int *contact;            /* states of the contacts */
  double load;             /* of contacts: see ga_fixed_contacts */
  bool moving;             /* v is not zero: the matrices are in space axes */
  bool turning;            /* they are in axes that turn with the bodies instead */
  ga_csr M, C, K, G, H, Y; /* full matrices if moving, else in the patterns of the model */
  double *weight;          /* nv positive numbers: the metric of the null space */
};

/* Transform y, a variation in body axes as the model has it, to space axes. */
void ga_linearization_to_space_axes(const ga_space *space, const double *q, double *y);

/* The lowest modes by ARPACK. Its iteration needs more vectors than modes; if the model has fewer
 * velocities than that, ga_arpack_fits is false, and LAPACK is as fast. */
bool ga_arpack_fits(int nv, int room);
ga_status ga_arpack_modes(const ga_linearization *lin, ga_modes *modes, ga_error *err);

/* Null space of the m rows of A (dense by rows of n, destroyed): r = rank, N its orthonormal basis,
 * n x (n - r) by columns. */
ga_status ga_tangent_space_basis(int m, int n, double *A, int *rank, double *N, ga_arena *arena,
                                 ga_error *err);

/* Eigenvalues and right eigenvectors of A x = s B x, matrices by columns, destroyed; vectors as
 * LAPACK leaves them, a pair of conjugates in two columns.
 *   symmetric   A symmetric, B symmetric positive definite: real s, increasing
 *   general     B = NULL: the unit matrix; infinite ones have beta = 0 */
ga_status ga_lapack_eigen_symmetric(int n, double *A, double *B, double *s, ga_arena *arena,
                                    ga_error *err);
ga_status ga_lapack_eigen_general(int n, double *A, double *B, double *re, double *im,
                                  double *vectors, ga_arena *arena, ga_error *err);
/* Eigenvalues of A x = s M x with zeros found by ranks (zero_eigenvalues.c). */
typedef struct ga_pencil {
  /* given; A and M are destroyed */
  int n;
  double *A, *M; /* n x n by columns */
  double *noise; /* n positive numbers: a bound of the rounding errors of each row of A */
  bool regular;  /* M is regular; else some eigenvalues are infinite */
  /* found; arrays of the arena */
  int count;          /* eigenvalues that are not zero */
  double *re, *im;    /* those, infinite ones with re = INFINITY */
  double *vectors;    /* n x count, a pair of conjugates in two columns */
  int zeros, kernel;  /* zero eigenvalues with multiplicity; dimension of A x = 0 */
  const double *null; /* n x kernel: basis of A x = 0; NULL: kernel is 0 */
} ga_pencil;
ga_status ga_pencil_eigenvalues(ga_pencil *p, ga_arena *arena, ga_error *err);

/* X <- A^-1 X for a symmetric positive definite A, destroyed; false if it is not */
bool ga_lapack_solve_positive(int n, double *A, int columns, double *X, int ldx);
/* C = A B or A^T B, all by columns: A rows x inner (as it is used), B inner x columns */
void ga_lapack_multiply(bool transpose, int rows, int columns, int inner, const double *A, int lda,
                        const double *B, int ldb, double *C, int ldc);
/* X (n x columns) of least norm with A X nearest to B (m x columns); A is destroyed */
ga_status ga_lapack_least_squares(int m, int n, double *A, int columns, const double *B, double *X,
                                  ga_arena *arena, ga_error *err);

#endif
