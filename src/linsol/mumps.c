/* SPDX-License-Identifier: MIT */
/* Multifrontal factorization by MUMPS, for matrices whose graph is not a chain.
 *
 * If rows can be scaled so that D A is symmetric, F = R D A R is factored as L D L^T, else
 * F = R A C as L U; R and C of scaling.h. The first values decide this, and MUMPS uses them for the
 * ordering: it pairs the zeros on the diagonal of constraints with velocities. So the analysis
 * waits for the first values, also after a reset. Several orderings are tried; the one with the
 * fewest predicted operations is kept.
 *
 * Every factorization chooses pivots anew and allocates; they are counted as repivots. Where pivots
 * have to wait for others, MUMPS needs more memory than it predicted: it is then given more. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "linsol/mumps.h"

#include <dlfcn.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "linsol/module.h"
#include "linsol/rank/null_space.h"
#include "linsol/registry.h"
#include "linsol/symmetry.h"

enum { EXTRA_FIRST = 30, EXTRA_MAX = 4000 }; /* room beyond the prediction, in per cent */
/* With fewer operations than this, only the two quick orderings are tried. */
static const double SEARCH = 3e8;
/* Pivots below this count as zero. ZERO: in a factorization, only true zeros, which are replaced.
 * NOISE times n: in the search for null spaces. */
static const double ZERO = 1e-300, NOISE = 64 * DBL_EPSILON;

typedef struct {
  ga_arena arena;
  const ga_mumps_driver *driver;
  void *instance;
  int n, nnz;
  bool decided, symmetric;   /* whether D A is, decided by the first values */
  bool analyzed, transposed; /* the instance is of F, or of its transpose */
  int extra, singular;
  int ordering;
  ga_symmetry_diagonal balance;
  ga_csr S;       /* D A */
  double *scaled; /* entries of F */
  int *from;      /* which of them MUMPS is given */
  ga_mumps_matrix matrix;
  ga_scaling scale;
  ga_null_space_store null;
} mumps;

#ifdef GA_HAVE_MUMPS
static const bool built_in = true;
#else
static const bool built_in = false;
#endif

/* The functions of the module for MUMPS, loaded at the first call; NULL if they cannot be used, and
 * `trouble` says why. */
static const ga_mumps_driver *find_driver(char *trouble, size_t room) {
  if (!built_in) {
    snprintf(trouble, room, "it is not built in");
    return NULL;
  }
  if (dlsym(RTLD_DEFAULT, "MPI_Init")) {
    snprintf(trouble, room, "the sequential MUMPS cannot be used in a process that has MPI");
    return NULL;
  }
  return ga_module_symbol(GA_MUMPS_MODULE, GA_MUMPS_SYMBOL, trouble, room);
}

/* Can MUMPS be used? Loads its module; if not, `trouble` (room characters) says why. */
bool ga_mumps_available(char *trouble, size_t room) {
  return find_driver(trouble, room) != NULL;
}

/* Allocate ls->impl for the pattern of A (borrowed). MUMPS itself analyzes with the first values
 * (open_and_order). GA_ERR_BACKEND with a text in ls->trouble if MUMPS cannot be used. */
static ga_status mumps_analyze(ga_linsol *ls, const ga_csr *A) {
  const ga_mumps_driver *driver = find_driver(ls->trouble, sizeof ls->trouble);
  if (!driver) return GA_ERR_BACKEND;
  mumps *m = ga_calloc(1, sizeof *m);
  if (!m) return GA_ERR_MEM;
  ls->impl = m;
  m->driver = driver;
  m->n = A->nrow;
  m->nnz = ga_csr_nnz(A);
  m->extra = EXTRA_FIRST;
  m->singular = -1;
  size_t nnz = (size_t)m->nnz + 1; /* one more for an empty matrix, see list_entries */
  m->S = *A;
  m->S.val = ga_arena_doubles(&m->arena, nnz);
  m->scaled = ga_arena_doubles(&m->arena, nnz);
  m->from = ga_arena_ints(&m->arena, nnz);
  m->matrix.row = ga_arena_ints(&m->arena, nnz);
  m->matrix.col = ga_arena_ints(&m->arena, nnz);
  m->matrix.val = ga_arena_doubles(&m->arena, nnz);
  ga_symmetry_init(&m->balance, A, &m->arena);
  ga_scaling_init(&m->scale, m->n, m->nnz, ls->layout, &m->arena);
  return m->arena.failed ? GA_ERR_MEM : GA_OK;
}

/* S = D A, and the entries of F = R S C into m->scaled; false if they are not finite */
static bool apply_units(mumps *m, const ga_csr *A) {
  for (int i = 0; i < m->n; i++) {
    for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) m->S.val[e] = m->balance.D[i] * A->val[e];
  }
  return ga_scaling_apply(&m->scale, &m->S, m->scaled);
}

/* Is D A, scaled, symmetric for these values? m->scaled gets its entries. */
static bool symmetric_now(mumps *m, const ga_csr *A) {
  return apply_units(m, A) && ga_symmetry_holds(&m->balance, A, m->scaled);
}

/* Close the instance of MUMPS with its ordering and factors. */
static void forget_analysis(mumps *m) {
  if (m->instance) m->driver->close(m->instance);
  m->instance = NULL;
  m->analyzed = false;
}

/* Find D such that D A is symmetric, if there is one, from the entries of R A C, which do not depend
 * on units: E R A C is symmetric for D = E R C^-1. False if A is not finite. */
static bool find_balance(mumps *m, const ga_csr *A) {
  ga_csr F = *A;
  ga_symmetry_none(&m->balance);
  m->scale.known = false;
  if (!apply_units(m, A)) return false;
  F.val = m->scaled;
  ga_symmetry_find(&m->balance, &F);
  for (int i = 0; i < m->n; i++) m->balance.D[i] *= m->scale.row[i] / m->scale.col[i];
  return true;
}

/* Entries of F into m->scaled; false if they are not finite. The first values decide whether F is
 * treated as symmetric (m->decided, symmetric, balance). If later values are not symmetric, F is
 * factored as L U from then on, and the old analysis is closed. */
static bool scale_entries(mumps *m, const ga_linsol_layout *layout, const ga_csr *A) {
  if (m->decided && m->symmetric && symmetric_now(m, A)) return true;
  if (m->decided && !m->symmetric) return apply_units(m, A);
  bool wanted = !layout || layout->symmetry != GA_SYMMETRY_NONE;
  if (wanted && !find_balance(m, A)) return false;
  m->scale.known = false;
  bool symmetric = wanted && symmetric_now(m, A);
  if (m->decided && symmetric != m->symmetric) forget_analysis(m);
  m->decided = true;
  m->symmetric = symmetric;
  if (symmetric) return true;
  ga_symmetry_none(&m->balance);
  m->scale.known = false;
  return apply_units(m, A);
}

/* Rows and columns of the entries for MUMPS in m->matrix, counted from 1; for a symmetric F only
 * the lower triangle. MUMPS refuses a matrix without entries, so an empty one gets a zero. */
static void list_entries(mumps *m) {
  ga_mumps_matrix *matrix = &m->matrix;
  matrix->symmetric = m->symmetric;
  matrix->n = m->n;
  matrix->nnz = 0;
  for (int i = 0; i < m->n; i++) {
    for (int e = m->S.ptr[i]; e < m->S.ptr[i + 1]; e++) {
      if (m->symmetric && m->S.col[e] > i) continue;
      m->from[matrix->nnz] = e;
      matrix->row[matrix->nnz] = (m->transposed ? m->S.col[e] : i) + 1;
      matrix->col[matrix->nnz] = (m->transposed ? i : m->S.col[e]) + 1;
      matrix->nnz++;
    }
  }
  if (matrix->nnz > 0) return;
  m->from[0] = m->nnz;
  m->scaled[m->nnz] = 0;
  matrix->row[0] = matrix->col[0] = 1;
  matrix->nnz = 1;
}

/* Copy the entries of F that MUMPS gets to m->matrix.val. */
static void copy_values(mumps *m) {
  for (int k = 0; k < m->matrix.nnz; k++) m->matrix.val[k] = m->scaled[m->from[k]];
}

/* The status for an error code of MUMPS; its message goes to ls->trouble. */
static ga_status status_of_error(ga_linsol *ls, const ga_mumps_report *report) {
  static const int memory[] = {-5, -7, -8, -9, -11, -13, -14, -15, -17, -18, -19, -20};
  for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) {
    if (report->code != memory[i]) continue;
    snprintf(ls->trouble, sizeof ls->trouble, "MUMPS lacks memory (its error %d)", report->code);
    return GA_ERR_MEM;
  }
  if (report->code == GA_MUMPS_SINGULAR) return GA_RETRY_SINGULAR;
  snprintf(ls->trouble, sizeof ls->trouble, "MUMPS failed with its error %d (%d)", report->code,
           report->detail);
  return GA_ERR_BACKEND;
}

/* Analyze with one ordering, which becomes m->ordering; *report tells the result. A structurally
 * singular matrix has no matching: then without one (second call, false). The factorization will
 * find that it is singular. */
static void analyze_ordering(mumps *m, int ordering, ga_mumps_report *report) {
  m->driver->analyze(m->instance, ordering, true, report);
  if (report->code == GA_MUMPS_STRUCTURE) {
    m->driver->analyze(m->instance, ordering, false, report);
  }
  m->ordering = ordering;
}

/* Analyze with two quick orderings, and with two slower ones if the factorization is large; keep
 * the one with the fewest predicted operations, which is analyzed last. */
static ga_status find_ordering(ga_linsol *ls) {
  static const int orderings[] = {GA_MUMPS_AMF, GA_MUMPS_QAMD, GA_MUMPS_PORD, GA_MUMPS_SCOTCH};
  mumps *m = ls->impl;
  ga_mumps_report report;
  double least = INFINITY;
  int best = orderings[0];
  for (int i = 0; i < 4 && (i < 2 || least > SEARCH); i++) {
    analyze_ordering(m, orderings[i], &report);
    if (report.code < 0) return status_of_error(ls, &report);
    if (report.flops < least) least = report.flops, best = orderings[i];
  }
  if (best != m->ordering) analyze_ordering(m, best, &report);
  return report.code < 0 ? status_of_error(ls, &report) : GA_OK;
}

/* A new instance of MUMPS for the present entries of F, ordered; sets m->matrix and m->analyzed. An
 * old instance is closed. */
static ga_status open_and_order(ga_linsol *ls) {
  mumps *m = ls->impl;
  forget_analysis(m);
  list_entries(m);
  copy_values(m);
  m->instance = m->driver->open(&m->matrix);
  if (!m->instance) return GA_ERR_MEM;
  ga_status status = find_ordering(ls);
  m->analyzed = status == GA_OK;
  return status;
}

/* Factor the values last copied; *report tells the result. If MUMPS runs out of its workspace,
 * double m->extra and try again. null: pivots below it count as zero; instead: what replaces them
 * (0: they are left out); see ga_mumps_driver. */
static ga_status factor_with_room(ga_linsol *ls, double null, double instead,
                                  ga_mumps_report *report) {
  mumps *m = ls->impl;
  for (;;) {
    ls->repivots++;
    m->driver->factor(m->instance, m->extra, null, instead, report);
    bool short_of_room = report->code == GA_MUMPS_NO_SPACE || report->code == GA_MUMPS_NO_INTEGERS;
    if (!short_of_room || m->extra > EXTRA_MAX) break;
    m->extra *= 2;
  }
  return report->code < 0 ? status_of_error(ls, report) : GA_OK;
}

/* b <- F^-1 b */
static void solve_scaled(const void *context, double *b) {
  const mumps *m = context;
  ga_mumps_report report;
  m->driver->solve(m->instance, false, 1, b, &report);
}

/* Factor F for the values of A. If a pivot is small, inverse iteration decides whether A is
 * singular; m->singular gets the dependent column. Sets the cost in ls. */
static ga_status factor_in_units(ga_linsol *ls, const ga_csr *A) {
  mumps *m = ls->impl;
  ga_mumps_report report;
  m->singular = -1;
  if (!scale_entries(m, ls->layout, A)) return GA_RETRY_NONFINITE;
  ga_status status = m->analyzed ? GA_OK : open_and_order(ls);
  if (status != GA_OK) return status;
  copy_values(m);
  status = factor_with_room(ls, ZERO, DBL_EPSILON, &report);
  if (status != GA_OK) return status;
  /* measured: a solve costs as much as 8 operations for an entry, and so much for the rest */
  ls->cost.factor = 4 + report.flops / (8 * report.entries);
  ls->cost.solve = 4 * report.entries / ga_csr_nnz(A);
  bool sound = report.null_pivots == 0 && report.least > GA_SCALING_SOUND * report.largest;
  if (sound) return GA_OK;
  m->singular = ga_scaling_singular(&m->scale, &m->S, solve_scaled, m, report.null_at);
  return m->singular < 0 ? GA_OK : GA_RETRY_SINGULAR;
}

/* Factor A; GA_RETRY_SINGULAR only if it is singular with new R and C, too. */
static ga_status mumps_factor(ga_linsol *ls, const ga_csr *A) {
  mumps *m = ls->impl;
  return ga_scaling_factor(&m->scale, factor_in_units, ls, A);
}

/* Multiply every column of B by the diagonal `first`, and by `second` unless that is NULL. */
static void multiply(const mumps *m, int nrhs, const double *first, const double *second,
                     double *B) {
  for (int c = 0; c < nrhs; c++, B += m->n) {
    for (int i = 0; i < m->n; i++) B[i] *= first[i] * (second ? second[i] : 1);
  }
}

/* B <- A^-1 B or A^-T B for nrhs columns: A = D^-1 R^-1 F C^-1, so x = C F^-1 R D b, and for the
 * transpose x = D R F^-T C b. GA_ERR_BACKEND before the first factorization. */
static ga_status mumps_solve_many(ga_linsol *ls, bool transposed, int nrhs, double *B) {
  const mumps *m = ls->impl;
  ga_mumps_report report;
  if (!m->analyzed) return GA_ERR_BACKEND;
  const double *row = m->scale.row, *col = m->scale.col, *D = m->balance.D;
  multiply(m, nrhs, transposed ? col : row, transposed ? NULL : D, B);
  m->driver->solve(m->instance, transposed, nrhs, B, &report);
  if (report.code < 0) return status_of_error(ls, &report);
  multiply(m, nrhs, transposed ? row : col, transposed ? D : NULL, B);
  return GA_OK;
}

/* b <- A^-1 b. */
static ga_status mumps_solve(ga_linsol *ls, double *b) {
  return mumps_solve_many(ls, false, 1, b);
}

/* Factor F with pivots below rounding noise left out; *count is their number, the dimension of the
 * null space. */
static ga_status factor_without_noise(ga_linsol *ls, int *count) {
  mumps *m = ls->impl;
  ga_mumps_report report;
  ga_status status = m->analyzed ? GA_OK : open_and_order(ls);
  if (status != GA_OK) return status;
  copy_values(m);
  status = factor_with_room(ls, NOISE * m->n, 0, &report);
  *count = report.null_pivots;
  return status;
}

/* A basis of the null space of F^T into m->null.left, count columns; m->null.right must be set. If
 * F is not symmetric, its transpose is factored for this, and the analysis of F is lost.
 * GA_ERR_BACKEND if both sides have different dimensions. */
static ga_status left_basis(ga_linsol *ls, int count) {
  mumps *m = ls->impl;
  ga_mumps_report report = {0};
  int again = 0;
  if (m->symmetric) {
    memcpy(m->null.left, m->null.right, (size_t)m->n * (size_t)count * sizeof(double));
    return GA_OK;
  }
  forget_analysis(m);
  m->transposed = true;
  ga_status status = factor_without_noise(ls, &again);
  if (status == GA_OK && again != count) {
    snprintf(ls->trouble, sizeof ls->trouble, "MUMPS finds %d dependent columns but %d rows", count,
             again);
    status = GA_ERR_BACKEND;
  }
  if (status == GA_OK) m->driver->null_vectors(m->instance, count, m->null.left, &report);
  m->transposed = false;
  forget_analysis(m);
  return report.code < 0 ? status_of_error(ls, &report) : status;
}

/* All dependencies of A into *out (arrays in m->null): bases of the null spaces of F and F^T from
 * MUMPS, changed to the units of A. The factors of A are lost. */
static ga_status mumps_null_space(ga_linsol *ls, const ga_csr *A, ga_null_space *out) {
  mumps *m = ls->impl;
  ga_mumps_report report = {0};
  int count = 0;
  if (!scale_entries(m, ls->layout, A)) return GA_RETRY_NONFINITE;
  ga_status status = factor_without_noise(ls, &count);
  if (status == GA_OK) status = ga_null_space_room(&m->null, m->n, count);
  if (status == GA_OK && count > 0) {
    m->driver->null_vectors(m->instance, count, m->null.right, &report);
    status = report.code < 0 ? status_of_error(ls, &report) : left_basis(ls, count);
  }
  if (status != GA_OK) return status;
  ga_null_space_from_bases(&m->null, &m->scale, count, out);
  /* left belongs to D A, and left^T D to A */
  for (int c = 0; c < count; c++) {
    double *left = m->null.left + (size_t)c * (size_t)m->n, unit = m->balance.D[m->null.rows[c]];
    for (int i = 0; i < m->n; i++) left[i] *= m->balance.D[i] / unit;
  }
  return GA_OK;
}

/* The dependent column that the last factorization found; -1 if none. */
static int mumps_singular_column(const ga_linsol *ls) {
  const mumps *m = ls->impl;
  return m->singular;
}

/* Forget scaling, symmetry, ordering and extra memory; the next values decide anew. */
static void mumps_reset(ga_linsol *ls) {
  mumps *m = ls->impl;
  m->scale.known = m->decided = false;
  m->extra = EXTRA_FIRST;
  forget_analysis(m);
  ls->cost = (ga_linsol_cost){0};
}

/* Free ls->impl with everything it holds and set it to NULL; allowed if it is NULL. */
static void mumps_free(ga_linsol *ls) {
  mumps *m = ls->impl;
  if (!m) return;
  forget_analysis(m);
  ga_null_space_free(&m->null);
  ga_arena_free(&m->arena);
  ga_free(m);
  ls->impl = NULL;
}

const ga_linsol_ops ga_linsol_mumps = {
    .name = "mumps",
    .summary = "sparse LDL^T or LU (MUMPS): multifrontal, for graphs that are not chains",
    .analyze = mumps_analyze,
    .factor = mumps_factor,
    .solve = mumps_solve,
    .singular_column = mumps_singular_column,
    .reset = mumps_reset,
    .free = mumps_free,
    .solve_many = mumps_solve_many,
    .null_space = mumps_null_space,
};
