/* SPDX-License-Identifier: MIT */
/* Rank analysis of many rows: L D L^T of S = A A^T, A with unit rows, one row of L after the other
 * (Davis, Algorithm 849, 2005).
 *
 * D_k is the squared distance of row k from the rows before it. If it is small, the coefficients of
 * the nearest combination of the rows before are computed and refined, and the residual of the row
 * is computed from the rows themselves: S has lost half of the digits, the residual has not. A row
 * with a residual of zero is left out, so that later rows are compared with the kept rows only. For
 * another row the residual gives a better D_k.
 *
 * Rows are taken in the given order, so that later rows depend on earlier ones, unless another
 * order (AMD) fills much less. */
#include <math.h>
#include <string.h>
#include <suitesparse/amd.h>

#include "linsol/rank/rank.h"

static const double SMALL = 1e-6;    /* a pivot below this is computed again from the residual */
static const double NOTHING = 1e-14; /* in a solve, relative to its largest number */
static const double ZERO = 1e-9;     /* coefficients below are rounding errors of zeros */
enum { FILL = 4, REFINEMENTS = 3 };

/* A set of numbers, taken out in increasing or in decreasing order. */
typedef struct {
  int *item, count;
  bool *in; /* for each number: it is in the heap */
  bool descending;
} heap;

/* Does a come out of the heap before b? */
static bool before(const heap *h, int a, int b) {
  return h->descending ? a > b : a < b;
}

/* Add i unless it is in the heap already; item and in must have room for i. */
static void push(heap *h, int i) {
  if (h->in[i]) return;
  h->in[i] = true;
  int at = h->count++;
  while (at > 0 && before(h, i, h->item[(at - 1) / 2])) {
    h->item[at] = h->item[(at - 1) / 2];
    at = (at - 1) / 2;
  }
  h->item[at] = i;
}

/* Remove and return the first number; the heap must not be empty. */
static int pop(heap *h) {
  int top = h->item[0], last = h->item[--h->count], at = 0;
  for (int child; (child = 2 * at + 1) < h->count; at = child) {
    if (child + 1 < h->count && before(h, h->item[child + 1], h->item[child])) child++;
    if (!before(h, h->item[child], last)) break;
    h->item[at] = h->item[child];
  }
  h->item[at] = last;
  h->in[top] = false;
  return top;
}

/* The factorization. A position is a number in `order`; L and D are by positions. */
typedef struct {
  const ga_rank_matrix *a;
  int *order, *position; /* row of A that is taken k-th, and the inverse */
  int *parent, *flag;    /* elimination tree, marks */
  int *lp, *count;       /* L by columns: begin, number of entries so far */
  int *li;               /* their rows */
  double *lx, *D;
  int *rp, *ri; /* L by rows */
  double *rx;
  int *pattern, *stack;
  double *y;              /* m zeros, work of an elimination */
  double *c, *correction; /* m zeros: a combination of rows, and a correction of it */
  double *left;           /* n zeros: a row minus its combination */
  heap heap;
  int *touched, *support; /* positions with correction != 0; with c != 0, nsupport of them */
  int nsupport;
  bool *gone; /* by position: the row depends on others and was left out */
} work;

/* ---- orders ---------------------------------------------------------------------------------- */

/* Rows that share a column with row i, itself included, each once; into out unless that is NULL.
 * Returns their number. flag[row] == stamp marks rows already found. */
static int neighbours(const ga_rank_matrix *a, int i, int stamp, int *flag, int *out) {
  int count = 0;
  for (int e = a->A.ptr[i]; e < a->A.ptr[i + 1]; e++) {
    int j = a->A.col[e];
    for (int k = a->cptr[j]; k < a->cptr[j + 1]; k++) {
      if (flag[a->crow[k]] == stamp) continue;
      flag[a->crow[k]] = stamp;
      if (out) out[count] = a->crow[k];
      count++;
    }
  }
  return count;
}

/* Elimination tree (w->parent) and number of entries of each column of L (w->count) for the present
 * order. Returns the sum; stops when it exceeds `most`, and then neither is complete. */
static double count_entries(work *w, double most) {
  const ga_rank_matrix *a = w->a;
  double total = 0;
  for (int k = 0; k < a->m; k++) w->flag[k] = -1, w->parent[k] = -1, w->count[k] = 0;
  for (int k = 0; k < a->m && total <= most; k++) {
    int row = w->order[k];
    w->flag[k] = k;
    for (int e = a->A.ptr[row]; e < a->A.ptr[row + 1]; e++) {
      int j = a->A.col[e];
      for (int p = a->cptr[j]; p < a->cptr[j + 1]; p++) {
        for (int i = w->position[a->crow[p]]; i < k && w->flag[i] != k; i = w->parent[i]) {
          if (w->parent[i] < 0) w->parent[i] = k;
          w->count[i]++;
          total++;
          w->flag[i] = k;
        }
      }
    }
  }
  return total;
}

/* Take the rows in this order; NULL: as given. */
static void set_order(work *w, const int *order) {
  for (int k = 0; k < w->a->m; k++) {
    w->order[k] = order ? order[k] : k;
    w->position[w->order[k]] = k;
  }
}

/* order (m numbers) = an order of the rows by AMD of the pattern of A A^T. GA_ERR_MEM or
 * GA_ERR_BACKEND, without a message. */
static ga_status minimum_degree(work *w, ga_arena *arena, int *order) {
  const ga_rank_matrix *a = w->a;
  int *ptr = ga_arena_ints(arena, (size_t)a->m + 1), *flag = ga_arena_ints(arena, (size_t)a->m);
  if (arena->failed) return GA_ERR_MEM;
  for (int i = 0; i < a->m; i++) ptr[i + 1] = ptr[i] + neighbours(a, i, i + 1, flag, NULL);
  int *col = ga_arena_ints(arena, (size_t)ptr[a->m]);
  if (arena->failed) return GA_ERR_MEM;
  memset(flag, 0, (size_t)a->m * sizeof(int));
  for (int i = 0; i < a->m; i++) neighbours(a, i, i + 1, flag, col + ptr[i]);
  int status = amd_order(a->m, ptr, col, order, NULL, NULL);
  if (status == AMD_OUT_OF_MEMORY) return GA_ERR_MEM;
  return status == AMD_OK || status == AMD_OK_BUT_JUMBLED ? GA_OK : GA_ERR_BACKEND;
}

/* The given order, unless its L has more than FILL times as many entries as with AMD. Sets order,
 * position, parent and count of w. */
static ga_status choose_order(work *w, ga_arena *arena) {
  int *order = ga_arena_ints(arena, (size_t)w->a->m);
  if (arena->failed) return GA_ERR_MEM;
  ga_status status = minimum_degree(w, arena, order);
  if (status != GA_OK) return status;
  set_order(w, order);
  double least = count_entries(w, INFINITY), most = FILL * least + 10.0 * w->a->m;
  set_order(w, NULL);
  if (count_entries(w, most) <= most) return GA_OK;
  set_order(w, order);
  count_entries(w, INFINITY);
  return GA_OK;
}

/* ---- solves ---------------------------------------------------------------------------------- */

/* x <- (L D L^T)^-1 x for a sparse x whose nonzeros are in the heap (ascending). Numbers below
 * NOTHING times the largest (`largest`: of x at first) are dropped. list gets the positions of the
 * nonzeros of the result, at most m; returns their number. The heap is empty afterwards. */
static int solve_sparse(work *w, double *x, double largest, int *list) {
  heap *h = &w->heap;
  int count = 0;
  double nothing = NOTHING * largest;
  while (h->count > 0) {
    int i = pop(h);
    if (w->gone[i] || fabs(x[i]) <= nothing) {
      x[i] = 0;
      continue;
    }
    list[count++] = i;
    for (int p = w->lp[i]; p < w->lp[i] + w->count[i]; p++) {
      x[w->li[p]] -= w->lx[p] * x[i];
      push(h, w->li[p]);
    }
  }
  h->descending = true;
  nothing = 0;
  for (int k = 0; k < count; k++) {
    x[list[k]] /= w->D[list[k]];
    nothing = ga_max(nothing, NOTHING * fabs(x[list[k]]));
    push(h, list[k]);
  }
  count = 0;
  while (h->count > 0) {
    int i = pop(h);
    if (fabs(x[i]) <= nothing) {
      x[i] = 0;
      continue;
    }
    list[count++] = i;
    for (int p = w->rp[i]; p < w->rp[i + 1]; p++) {
      x[w->ri[p]] -= w->rx[p] * x[i];
      push(h, w->ri[p]);
    }
  }
  return count;
}

/* w->left += scale * (row of A) */
static void add_row(work *w, int row, double scale) {
  const ga_csr *A = &w->a->A;
  for (int e = A->ptr[row]; e < A->ptr[row + 1]; e++) w->left[A->col[e]] += scale * A->val[e];
}

/* Scalar products of w->left with the kept rows before k that share a column with row k or with a
 * row in list (positions): into w->correction, their positions into the heap, which must be empty.
 * Returns the largest size. Overwrites w->touched. */
static double scalar_products(work *w, int k, const int *list, int count) {
  const ga_rank_matrix *a = w->a;
  double largest = 0;
  int found = 0;
  w->heap.descending = false;
  for (int t = -1; t < count; t++) {
    int row = w->order[t < 0 ? k : list[t]];
    for (int e = a->A.ptr[row]; e < a->A.ptr[row + 1]; e++) {
      int j = a->A.col[e];
      if (w->left[j] == 0) continue;
      for (int p = a->cptr[j]; p < a->cptr[j + 1]; p++) {
        int i = w->position[a->crow[p]];
        if (i >= k || w->gone[i] || w->heap.in[i]) continue;
        push(&w->heap, i);
        w->touched[found++] = i;
      }
    }
  }
  for (int f = 0; f < found; f++) {
    int i = w->touched[f], row = w->order[i];
    double sum = 0;
    for (int e = a->A.ptr[row]; e < a->A.ptr[row + 1]; e++) {
      sum += a->A.val[e] * w->left[a->A.col[e]];
    }
    w->correction[i] = sum;
    largest = ga_max(largest, fabs(sum));
  }
  return largest;
}

/* The combination sum_i c_i row_i of kept rows nearest to row k: coefficients in w->c (zero before;
 * the caller clears them), their positions in w->support, nsupport of them. Returns the distance;
 * w->left is zero again afterwards. The refinement ends when the rest is far below GA_RANK_TOL or
 * is not halved any more. */
static double combine(work *w, int k) {
  const ga_csr *A = &w->a->A;
  double size = 0, last = INFINITY;
  w->nsupport = 0;
  add_row(w, w->order[k], 1);
  for (int round = 0; round <= REFINEMENTS; round++) {
    double largest = scalar_products(w, k, w->support, w->nsupport);
    int count = solve_sparse(w, w->correction, largest, w->touched);
    for (int t = 0; t < count; t++) {
      int i = w->touched[t];
      if (w->c[i] == 0) w->support[w->nsupport++] = i;
      w->c[i] += w->correction[i];
      add_row(w, w->order[i], -w->correction[i]);
      w->correction[i] = 0;
    }
    size = 0;
    for (int t = -1; t < w->nsupport; t++) {
      int row = w->order[t < 0 ? k : w->support[t]];
      for (int e = A->ptr[row]; e < A->ptr[row + 1]; e++) {
        size = ga_max(size, fabs(w->left[A->col[e]]));
      }
    }
    /* far below the limit, or not halved any more */
    if (size <= 1e-3 * GA_RANK_TOL || size > 0.5 * last) break;
    last = size;
  }
  double sum = 0;
  for (int t = -1; t < w->nsupport; t++) {
    int row = w->order[t < 0 ? k : w->support[t]];
    for (int e = A->ptr[row]; e < A->ptr[row + 1]; e++) {
      sum += w->left[A->col[e]] * w->left[A->col[e]];
      w->left[A->col[e]] = 0;
    }
  }
  return sqrt(sum);
}

/* ---- the elimination ------------------------------------------------------------------------- */

/* Row k of L times D: pattern from the elimination tree into pattern[*top..m-1], numbers into w->y
 * (zero before; keep_row or drop_row clears it) by a solve with the rows before. Returns the pivot
 * D_k. */
static double eliminate_row(work *w, int k, int *top) {
  const ga_rank_matrix *a = w->a;
  int row = w->order[k], m = a->m, *pattern = w->pattern, *stack = w->stack;
  double d = 0;
  *top = m;
  w->flag[k] = k;
  for (int e = a->A.ptr[row]; e < a->A.ptr[row + 1]; e++) {
    int j = a->A.col[e];
    d += a->A.val[e] * a->A.val[e];
    for (int p = a->cptr[j]; p < a->cptr[j + 1]; p++) {
      int i = w->position[a->crow[p]], depth = 0;
      if (i >= k) continue;
      w->y[i] += a->A.val[e] * a->cval[p];
      for (; w->flag[i] != k; i = w->parent[i]) {
        stack[depth++] = i;
        w->flag[i] = k;
      }
      while (depth > 0) pattern[--*top] = stack[--depth];
    }
  }
  for (int t = *top; t < m; t++) {
    int i = pattern[t];
    double yi = w->y[i];
    if (w->gone[i] || yi == 0) continue;
    for (int p = w->lp[i]; p < w->lp[i] + w->count[i]; p++) w->y[w->li[p]] -= w->lx[p] * yi;
    d -= yi * yi / w->D[i];
  }
  return d;
}

/* Keep row k, whose D_k is known: store its entries y_i/D_i in L by columns and by rows, and clear
 * y. top: of eliminate_row. */
static void keep_row(work *w, int k, int top) {
  int at = w->rp[k];
  for (int t = top; t < w->a->m; t++) {
    int i = w->pattern[t];
    double l = w->gone[i] || w->y[i] == 0 ? 0 : w->y[i] / w->D[i];
    w->y[i] = 0;
    if (l == 0) continue;
    int p = w->lp[i] + w->count[i]++;
    w->li[p] = k;
    w->lx[p] = l;
    w->ri[at] = i;
    w->rx[at++] = l;
  }
  w->rp[k + 1] = at;
}

/* Row k depends on others: clear y, mark it as gone and leave row k of L empty. top: of
 * eliminate_row. */
static void drop_row(work *w, int k, int top) {
  for (int t = top; t < w->a->m; t++) w->y[w->pattern[t]] = 0;
  w->gone[k] = true;
  w->rp[k + 1] = w->rp[k];
}

/* Dependent rows as they are found, with residuals and combinations; the number of coefficients is
 * not known before. */
typedef struct {
  int count, ncoef, room;
  int *row, *start; /* m and m + 1 */
  double *residual; /* m */
  int *from;
  double *coef;
} findings;

/* Enlarge from and coef to at least `need` coefficients; false, with both unchanged, if memory runs
 * out. */
static bool make_room(findings *f, int need) {
  if (need <= f->room) return true;
  size_t room = 2 * (size_t)need + 64, used = (size_t)f->ncoef;
  int *from = ga_calloc(room, sizeof *from);
  double *coef = ga_calloc(room, sizeof *coef);
  if (from && coef) {
    if (used > 0) memcpy(from, f->from, used * sizeof *from);
    if (used > 0) memcpy(coef, f->coef, used * sizeof *coef);
    ga_free(f->from), ga_free(f->coef);
    f->from = from, f->coef = coef, f->room = (int)room;
    return true;
  }
  ga_free(from), ga_free(coef);
  return false;
}

/* Append row k with its residual and the combination in w->c; coefficients below ZERO are left out.
 * False if memory runs out. */
static bool record_dependent(work *w, findings *f, int k, double residual) {
  if (!make_room(f, f->ncoef + w->nsupport)) return false;
  for (int t = 0; t < w->nsupport; t++) {
    int i = w->support[t];
    if (fabs(w->c[i]) <= ZERO) continue;
    f->from[f->ncoef] = w->order[i];
    f->coef[f->ncoef++] = w->c[i];
  }
  f->row[f->count] = w->order[k];
  f->residual[f->count++] = residual;
  f->start[f->count] = f->ncoef;
  return true;
}

/* Factor row by row into w; dependent rows go to f. A row with a small pivot is compared with the
 * kept rows by combine, and dropped or kept. Lowers rank->least to the least distance of a kept row
 * from those before it; false if memory runs out. */
static bool eliminate_all(work *w, findings *f, ga_rank *rank) {
  bool good = true;
  for (int k = 0; k < w->a->m; k++) w->flag[k] = -1, w->count[k] = 0;
  for (int k = 0; k < w->a->m && good; k++) {
    int top;
    double d = eliminate_row(w, k, &top);
    if (d < SMALL) {
      double left = combine(w, k);
      bool dependent = w->a->weight[w->order[k]] * left <= GA_RANK_TOL;
      if (dependent) good = record_dependent(w, f, k, left);
      for (int t = 0; t < w->nsupport; t++) w->c[w->support[t]] = 0;
      if (dependent) {
        drop_row(w, k, top);
        continue;
      }
      d = left * left;
    }
    w->D[k] = d;
    rank->least = fmin(rank->least, sqrt(d));
    keep_row(w, k, top);
  }
  return good;
}

/* Copy the dependent rows into the result, sorted by row (dropped, dependent, residual, start,
 * from, coef); position is scratch of m numbers. False if memory runs out. */
static bool fill_result(ga_rank *rank, const findings *f, int *position) {
  if (!ga_rank_reserve(rank, f->count, f->ncoef)) return false;
  for (int d = 0; d < f->count; d++) {
    rank->dropped[f->row[d]] = true;
    position[f->row[d]] = d;
  }
  for (int row = 0, d = 0, at = 0; row < rank->rows; row++) {
    if (!rank->dropped[row]) continue;
    int k = position[row];
    rank->dependent[d] = row;
    rank->residual[d] = f->residual[k];
    for (int p = f->start[k]; p < f->start[k + 1]; p++) {
      rank->from[at] = f->from[p];
      rank->coef[at++] = f->coef[p];
    }
    rank->start[++d] = at;
  }
  return true;
}

/* All arrays of *w except those for L; false if memory runs out. */
static bool allocate_work(work *w, ga_arena *arena) {
  size_t m = (size_t)w->a->m;
  int **const ints[] = {&w->order, &w->position, &w->parent,  &w->flag,    &w->count,
                        &w->stack, &w->pattern,  &w->touched, &w->support, &w->heap.item};
  double **const doubles[] = {&w->D, &w->y, &w->c, &w->correction};
  for (int i = 0; i < 10; i++) *ints[i] = ga_arena_ints(arena, m + 1);
  for (int i = 0; i < 4; i++) *doubles[i] = ga_arena_doubles(arena, m);
  w->lp = ga_arena_ints(arena, m + 1);
  w->rp = ga_arena_ints(arena, m + 1);
  w->left = ga_arena_doubles(arena, (size_t)w->a->n);
  w->heap.in = ga_arena_take(arena, m, sizeof(bool));
  w->gone = ga_arena_take(arena, m, sizeof(bool));
  return !arena->failed;
}

/* Arrays for L, from the numbers of entries w->count that count_entries has found; sets w->lp.
 * False if memory runs out. */
static bool allocate_factor(work *w, ga_arena *arena) {
  for (int k = 0; k < w->a->m; k++) w->lp[k + 1] = w->lp[k] + w->count[k];
  size_t nnz = (size_t)w->lp[w->a->m];
  w->li = ga_arena_ints(arena, nnz), w->ri = ga_arena_ints(arena, nnz);
  w->lx = ga_arena_doubles(arena, nnz), w->rx = ga_arena_doubles(arena, nnz);
  return !arena->failed;
}

/* Dependent rows of a by the L D L^T of this file; fills rank (after init_result of rank.c) except
 * for what finish_result adds. On failure a message in err. */
ga_status ga_rank_sparse(ga_rank *rank, const ga_rank_matrix *a, ga_error *err) {
  ga_arena scratch = {0};
  work w = {.a = a};
  size_t m = (size_t)a->m;
  findings f = {.row = ga_arena_ints(&scratch, m),
                .start = ga_arena_ints(&scratch, m + 1),
                .residual = ga_arena_doubles(&scratch, m)};
  ga_status status = allocate_work(&w, &scratch) ? choose_order(&w, &scratch) : GA_ERR_MEM;
  if (status == GA_OK) {
    bool good = allocate_factor(&w, &scratch) && eliminate_all(&w, &f, rank) &&
                fill_result(rank, &f, w.position);
    if (!good) status = GA_ERR_MEM;
  }
  ga_arena_free(&scratch);
  ga_free(f.from), ga_free(f.coef);
  if (status == GA_OK) return GA_OK;
  return ga_fail(
      err, status,
      status == GA_ERR_MEM ? "no memory for the rank of %d rows" : "AMD found no order of %d rows",
      a->m);
}
