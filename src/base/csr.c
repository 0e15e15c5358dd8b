/* SPDX-License-Identifier: MIT */
/* Compressed-row matrices: patterns, products with vectors, A B^T. */
#include "base/csr.h"

#include <math.h>
#include <string.h>

/* sets all members of A: its size, and ptr, col, val (zero) for nnz entries in the arena; false
 * without memory */
static bool allocate_csr(ga_csr *A, int nrow, int ncol, size_t nnz, ga_arena *arena) {
  A->nrow = nrow;
  A->ncol = ncol;
  A->ptr = ga_arena_ints(arena, (size_t)nrow + 1);
  A->col = ga_arena_ints(arena, nnz);
  A->val = ga_arena_doubles(arena, nnz);
  return !arena->failed;
}

/* A = nrow x ncol matrix of zeros with a copy of the pattern (full if pattern is NULL), in the
 * arena. GA_OK or GA_ERR_MEM, which arena->failed shows, too. */
ga_status ga_csr_init(ga_csr *A, int nrow, int ncol, const ga_csr *pattern, ga_arena *arena) {
  size_t nnz = pattern ? (size_t)ga_csr_nnz(pattern) : (size_t)nrow * (size_t)ncol;
  if (!allocate_csr(A, nrow, ncol, nnz, arena)) return GA_ERR_MEM;
  if (pattern) {
    memcpy(A->ptr, pattern->ptr, ((size_t)nrow + 1) * sizeof(int));
    if (nnz) memcpy(A->col, pattern->col, nnz * sizeof(int));
    return GA_OK;
  }
  for (int i = 0; i <= nrow; i++) A->ptr[i] = i * ncol;
  for (int i = 0; i < nrow; i++) {
    for (int j = 0; j < ncol; j++) A->col[i * ncol + j] = j;
  }
  return GA_OK;
}

/* A = n x n unit matrix with a diagonal pattern, in the arena */
ga_status ga_csr_init_identity(ga_csr *A, int n, ga_arena *arena) {
  if (!allocate_csr(A, n, n, (size_t)n, arena)) return GA_ERR_MEM;
  for (int i = 0; i < n; i++) {
    A->ptr[i + 1] = i + 1;
    A->col[i] = i;
    A->val[i] = 1;
  }
  return GA_OK;
}

/* GA_ERR_ARG with a sentence unless A is nrow x ncol, ptr does not decrease, and the columns of
 * each row increase and are in range. what: name of the matrix for the message. */
ga_status ga_csr_validate(const ga_csr *A, int nrow, int ncol, const char *what, ga_error *err) {
  if (A->nrow != nrow || A->ncol != ncol) {
    return ga_fail(err, GA_ERR_ARG, "pattern of %s is %d x %d, it must be %d x %d", what, A->nrow,
                   A->ncol, nrow, ncol);
  }
  if (!A->ptr || (!A->col && nrow > 0 && A->ptr[nrow] > 0)) {
    return ga_fail(err, GA_ERR_ARG, "pattern of %s has no ptr or col array", what);
  }
  if (A->ptr[0] != 0) return ga_fail(err, GA_ERR_ARG, "pattern of %s: ptr[0] is not 0", what);
  /* all of ptr first: col has ptr[nrow] entries and must not be read beyond */
  for (int i = 0; i < nrow; i++) {
    if (A->ptr[i + 1] < A->ptr[i]) {
      return ga_fail(err, GA_ERR_ARG, "pattern of %s: ptr decreases at row %d", what, i);
    }
  }
  for (int i = 0; i < nrow; i++) {
    for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
      bool increasing = e == A->ptr[i] || A->col[e] > A->col[e - 1];
      if (A->col[e] < 0 || A->col[e] >= ncol || !increasing) {
        return ga_fail(err, GA_ERR_ARG,
                       "pattern of %s, row %d: column %d is out of range or out of order", what, i,
                       A->col[e]);
      }
    }
  }
  return GA_OK;
}

/* position of entry (i, j) in val by bisection (columns increase in each row), -1 if the pattern
 * lacks it */
int ga_csr_find(const ga_csr *A, int i, int j) {
  int lo = A->ptr[i], hi = A->ptr[i + 1] - 1;
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (A->col[mid] < j) {
      lo = mid + 1;
    } else {
      hi = mid;
    }
  }
  return lo <= hi && A->col[lo] == j ? lo : -1;
}

/* Fills ptr, row, entry of `columns`, lists of A's entries by columns with increasing rows (a
 * counting sort), in the arena; if memory is short arena->failed is set. */
void ga_columns_init(ga_columns *columns, const ga_csr *A, ga_arena *arena) {
  int *ptr = columns->ptr = ga_arena_ints(arena, (size_t)A->ncol + 2);
  columns->row = ga_arena_ints(arena, (size_t)ga_csr_nnz(A));
  columns->entry = ga_arena_ints(arena, (size_t)ga_csr_nnz(A));
  if (arena->failed) return;
  /* ptr[k + 2] counts column k, then ptr[k + 1] is where its next entry goes */
  for (int e = 0; e < ga_csr_nnz(A); e++) ptr[A->col[e] + 2]++;
  for (int k = 0; k < A->ncol; k++) ptr[k + 2] += ptr[k + 1];
  for (int i = 0; i < A->nrow; i++) {
    for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
      int slot = ptr[A->col[e] + 1]++;
      columns->row[slot] = i;
      columns->entry[slot] = e;
    }
  }
}

/* sets all entries to zero; the pattern stays */
void ga_csr_zero(ga_csr *A) {
  int nnz = ga_csr_nnz(A);
  if (nnz > 0) memset(A->val, 0, (size_t)nnz * sizeof(double));
}

/* y = c A x; y must not overlap x */
void ga_csr_mul(const ga_csr *A, double c, const double *x, double *y) {
  const int *col = A->col;
  const double *val = A->val;
  for (int i = 0, e = 0; i < A->nrow; i++) {
    double sum = 0;
    for (int end = A->ptr[i + 1]; e < end; e++) sum += val[e] * x[col[e]];
    y[i] = c * sum;
  }
}

/* y += c A x */
void ga_csr_mul_add(const ga_csr *A, double c, const double *x, double *y) {
  const int *col = A->col;
  const double *val = A->val;
  for (int i = 0, e = 0; i < A->nrow; i++) {
    double sum = 0;
    for (int end = A->ptr[i + 1]; e < end; e++) sum += val[e] * x[col[e]];
    y[i] += c * sum;
  }
}

/* y += c A^T x */
void ga_csr_mul_t_add(const ga_csr *A, double c, const double *x, double *y) {
  const int *col = A->col;
  const double *val = A->val;
  for (int i = 0, e = 0; i < A->nrow; i++) {
    double factor = c * x[i];
    for (int end = A->ptr[i + 1]; e < end; e++) y[col[e]] += val[e] * factor;
  }
}

/* Inserts value into an increasing list of n numbers, which needs room for n + 1; rows are short,
 * so insertion is fast enough. */
static void insert_sorted(int *list, int n, int value) {
  int at = n;
  for (; at > 0 && list[at - 1] > value; at--) list[at] = list[at - 1];
  list[at] = value;
}

/* P = pattern of A B^T with values zero, in the arena; GA_OK or GA_ERR_MEM. Entry (i, j) exists if
 * row i of A and row j of B share a column: row i of P is the union, over the columns of row i of
 * A, of the rows of B that have this column. */
static ga_status product_pattern(ga_csr *P, const ga_csr *A, const ga_csr *B, ga_arena *arena) {
  ga_arena scratch = {0};
  int nb = B->nrow, *seen = ga_arena_ints(&scratch, (size_t)nb);
  ga_columns columns;
  ga_columns_init(&columns, B, &scratch);
  if (scratch.failed) {
    ga_arena_free(&scratch);
    return GA_ERR_MEM;
  }
  const int *start = columns.ptr, *rows = columns.row;
  /* two passes: count, then fill; seen[j] == i + 1 marks the rows of B met by row i */
  for (int pass = 0; pass < 2; pass++) {
    int nnz = 0;
    memset(seen, 0, (size_t)nb * sizeof(int));
    for (int i = 0; i < A->nrow; i++) {
      int first = nnz;
      for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
        for (int s = start[A->col[e]]; s < start[A->col[e] + 1]; s++) {
          if (seen[rows[s]] == i + 1) continue;
          seen[rows[s]] = i + 1;
          if (pass == 1) insert_sorted(P->col + first, nnz - first, rows[s]);
          nnz++;
        }
      }
      if (pass == 1) P->ptr[i + 1] = nnz;
    }
    if (pass == 0 && !allocate_csr(P, A->nrow, nb, (size_t)nnz, arena)) break;
  }
  ga_arena_free(&scratch);
  return arena->failed ? GA_ERR_MEM : GA_OK;
}

/* Number of columns that row i of A and row j of B share; their positions in val go to of_A and
 * of_B unless these are NULL (both or none). Columns of a row must increase. */
static int common_columns(const ga_csr *A, int i, const ga_csr *B, int j, int *of_A, int *of_B) {
  int count = 0;
  for (int a = A->ptr[i], b = B->ptr[j]; a < A->ptr[i + 1] && b < B->ptr[j + 1];) {
    int difference = A->col[a] - B->col[b];
    if (difference == 0 && of_A) of_A[count] = a, of_B[count] = b;
    count += difference == 0;
    a += difference <= 0;
    b += difference >= 0;
  }
  return count;
}

/* the pattern contains all entries */
static bool is_full(const ga_csr *A) {
  return (size_t)ga_csr_nnz(A) == (size_t)A->nrow * (size_t)A->ncol;
}

enum { WIDE = 4 }; /* columns of a full product that are summed side by side */

/* n rounded up to a multiple of WIDE */
static int padded(int n) {
  return (n + WIDE - 1) / WIDE * WIDE;
}

/* Fills `product` in the arena: the pattern of P = A B^T and, unless both are full, the lists of
 * products behind each entry (start, of_A, of_B); if both are, room for B^T (turned). Values:
 * ga_product_values. GA_OK or GA_ERR_MEM. */
ga_status ga_product_init(ga_product *product, const ga_csr *A, const ga_csr *B, ga_arena *arena) {
  ga_csr *P = &product->P;
  *product = (ga_product){0};
  if (product_pattern(P, A, B, arena) != GA_OK) return GA_ERR_MEM;
  if (is_full(A) && is_full(B)) {
    product->turned = ga_arena_doubles(arena, (size_t)A->ncol * (size_t)padded(B->nrow));
    return arena->failed ? GA_ERR_MEM : GA_OK;
  }
  int *start = product->start = ga_arena_ints(arena, (size_t)ga_csr_nnz(P) + 1);
  /* two passes: count the products of each entry, then list them */
  for (int pass = 0; pass < 2 && !arena->failed; pass++) {
    int *of_A = product->of_A, *of_B = product->of_B;
    for (int i = 0; i < P->nrow; i++) {
      for (int e = P->ptr[i]; e < P->ptr[i + 1]; e++) {
        int at = start[e];
        start[e + 1] = at + common_columns(A, i, B, P->col[e], of_A ? of_A + at : NULL,
                                           of_B ? of_B + at : NULL);
      }
    }
    if (pass == 1) break;
    product->of_A = ga_arena_ints(arena, (size_t)start[ga_csr_nnz(P)]);
    product->of_B = ga_arena_ints(arena, (size_t)start[ga_csr_nnz(P)]);
  }
  return arena->failed ? GA_ERR_MEM : GA_OK;
}

/* P for full A and B: B^T is copied into `turned`, then each row of P is computed, WIDE columns at
 * once. */
static void full_values(ga_product *product, const ga_csr *A, const ga_csr *B) {
  const int n = A->ncol, nb = B->nrow, stride = padded(nb);
  double *restrict turned = product->turned, *restrict value = product->P.val;
  for (int j = 0; j < nb; j++) {
    for (int k = 0; k < n; k++) turned[k * stride + j] = B->val[j * n + k];
  }
  for (int i = 0; i < A->nrow; i++) {
    const double *restrict a = A->val + i * n;
    for (int j = 0; j < nb; j += WIDE) {
      double sum[WIDE] = {0};
      for (int k = 0; k < n; k++) {
        for (int c = 0; c < WIDE; c++) sum[c] += a[k] * turned[k * stride + j + c];
      }
      for (int c = 0; c < WIDE && j + c < nb; c++) value[i * nb + j + c] = sum[c];
    }
  }
}

/* P = A B^T for the present values of A and B, whose patterns must be those of ga_product_init */
void ga_product_values(ga_product *product, const ga_csr *A, const ga_csr *B) {
  const int *start = product->start, *of_A = product->of_A, *of_B = product->of_B;
  const double *restrict a = A->val, *restrict b = B->val;
  double *restrict value = product->P.val;
  if (product->turned) {
    full_values(product, A, B);
    return;
  }
  for (int e = 0, n = ga_csr_nnz(&product->P); e < n; e++) {
    double sum = 0;
    for (int k = start[e]; k < start[e + 1]; k++) sum += a[of_A[k]] * b[of_B[k]];
    value[e] = sum;
  }
}

/* out += |A| |x|, or |A|^T |x| if transposed; |.| entry by entry */
void ga_csr_add_sizes(const ga_csr *A, bool transposed, const double *x, double *out) {
  const int *restrict col = A->col;
  const double *restrict val = A->val;
  for (int i = 0; i < A->nrow; i++) {
    const int end = A->ptr[i + 1];
    double sum = 0;
    if (transposed) {
      for (int e = A->ptr[i]; e < end; e++) out[col[e]] += fabs(val[e] * x[i]);
    } else {
      for (int e = A->ptr[i]; e < end; e++) sum += fabs(val[e] * x[col[e]]);
      out[i] += sum;
    }
  }
}

/* out_i += |A_ii| */
void ga_csr_add_diagonal_sizes(const ga_csr *A, double *out) {
  for (int i = 0; i < A->nrow; i++) {
    for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
      if (A->col[e] == i) out[i] += fabs(A->val[e]);
    }
  }
}
