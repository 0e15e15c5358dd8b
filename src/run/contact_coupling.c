/* SPDX-License-Identifier: MIT */
/* The matrix A = J K^-1 J^T of contacts, K the mass KKT matrix of the rows that are always on.
 *
 * K falls apart into components: velocities that masses or rows connect, a body that no joint holds for
 * itself. X = K^-1 J^T of a row lies in the components of its columns, so that rows without a common
 * component are solved for together, as one right-hand side, and only rows with a common one are coupled
 * in A. Contacts of free bodies take a few solves in place of one for each row. */
#include <stdlib.h>
#include <string.h>

#include "run/integrator.h"

/* Components of K, and the rows of the problem that touch them. */
typedef struct {
  ga_arena scratch;
  int count;
  int *of;           /* nv: component of each velocity */
  int *start, *list; /* velocities of each component, count + 1; nv */
  int *rstart, *row; /* components of each row of the problem, m + 1 */
  int *cstart, *use; /* rows of each component, count + 1 */
} components;

/* The row of the saddle's G or H with this number, as a gradient and its row there. */
static const ga_csr *gradient_of(const ga_integrator *it, int row, int *at) {
  const int nlam = it->eval.nlam;
  *at = row < nlam ? row : row - nlam;
  return row < nlam ? &it->saddle.G : &it->saddle.H;
}

double ga_touching_row_times(const ga_integrator *it, int row, const double *x) {
  int at;
  const ga_csr *D = gradient_of(it, row, &at);
  double sum = 0;
  for (int e = D->ptr[at]; e < D->ptr[at + 1]; e++) sum += D->val[e] * x[D->col[e]];
  return sum;
}

static int root_of(int *of, int i) {
  while (of[i] != i) i = of[i] = of[of[i]];
  return i;
}

/* All columns of a row belong together. */
static void unite_row(const ga_csr *D, int i, int first, int *of) {
  for (int e = D->ptr[i]; e < D->ptr[i + 1]; e++) {
    const int a = root_of(of, first < 0 ? D->col[e] : first);
    if (first < 0) first = a;
    const int b = root_of(of, D->col[e]);
    of[a > b ? a : b] = a < b ? a : b;
  }
}

/* Sets of and count: numbers in the order of the first velocities. */
static void find_components(const ga_integrator *it, components *k) {
  const ga_saddle *s = &it->saddle;
  const ga_contact_rows *rows = &it->contacts.rows;
  const int nv = it->eval.nv, nlam = it->eval.nlam;
  for (int i = 0; i < nv; i++) k->of[i] = s->own.ops ? 0 : i;
  if (s->own.ops) {
    k->count = 1;
    return;
  }
  for (int i = 0; i < nv; i++) unite_row(&s->M, i, i, k->of);
  for (int i = 0; i < nlam; i++) {
    if (it->contacts.mode[i] != GA_ROW_IS_OFF) unite_row(&s->G, i, -1, k->of);
  }
  for (int i = 0; i < rows->npsi; i++) {
    if (it->contacts.mode[nlam + i] != GA_ROW_IS_OFF) unite_row(&s->H, i, -1, k->of);
  }
  for (int i = 0; i < nv; i++) { /* a root is the least of its component */
    const int root = root_of(k->of, i);
    k->start[i] = root == i ? k->count++ : k->start[root];
  }
  memcpy(k->of, k->start, (size_t)nv * sizeof(int));
  memset(k->start, 0, ((size_t)nv + 1) * sizeof(int));
}

/* Turn counts at start[i + 1] into offsets. */
static void add_up(int n, int *start) {
  for (int i = 0; i < n; i++) start[i + 1] += start[i];
}

/* Sets the rows of each component and the components of each row. */
static bool list_uses(const ga_integrator *it, const ga_touching *p, components *k) {
  int *last = ga_arena_ints(&k->scratch, (size_t)k->count);
  k->rstart = ga_arena_ints(&k->scratch, (size_t)p->m + 1);
  k->cstart = ga_arena_ints(&k->scratch, (size_t)k->count + 1);
  if (k->scratch.failed) return false;
  for (int fill = 0; fill < 2; fill++) {
    for (int c = 0; c < k->count; c++) last[c] = -1;
    int n = 0;
    for (int i = 0; i < p->m; i++) {
      int at;
      const ga_csr *D = gradient_of(it, p->row[i], &at);
      for (int e = D->ptr[at]; e < D->ptr[at + 1]; e++) {
        const int c = k->of[D->col[e]];
        if (last[c] == i) continue;
        last[c] = i;
        if (!fill) k->cstart[c + 1]++;
        if (fill) k->row[n] = c, k->use[k->cstart[c]++] = i;
        n++;
      }
      k->rstart[i + 1] = n;
    }
    if (fill) break;
    add_up(k->count, k->cstart);
    k->row = ga_arena_ints(&k->scratch, (size_t)n);
    k->use = ga_arena_ints(&k->scratch, (size_t)n);
    if (k->scratch.failed) return false;
  }
  memmove(k->cstart + 1, k->cstart, (size_t)k->count * sizeof(int)); /* back to beginnings */
  k->cstart[0] = 0;
  return true;
}

static bool open_components(ga_integrator *it, const ga_touching *p, components *k) {
  const size_t nv = (size_t)it->eval.nv;
  k->of = ga_arena_ints(&k->scratch, nv);
  k->start = ga_arena_ints(&k->scratch, nv + 1);
  k->list = ga_arena_ints(&k->scratch, nv);
  if (k->scratch.failed) return false;
  find_components(it, k);
  for (int i = 0; i < it->eval.nv; i++) k->start[k->of[i] + 1]++;
  add_up(k->count, k->start);
  for (int i = 0; i < it->eval.nv; i++) k->list[k->start[k->of[i]]++] = i;
  memmove(k->start + 1, k->start, (size_t)k->count * sizeof(int));
  k->start[0] = 0;
  return list_uses(it, p, k);
}

/* The pattern of X: all velocities of the components of each row. */
static bool lay_out_solutions(ga_touching *p, const components *k, int nv) {
  int *ptr = ga_arena_ints(p->arena, (size_t)p->m + 1);
  if (!ptr) return false;
  for (int i = 0; i < p->m; i++) {
    ptr[i + 1] = ptr[i];
    for (int c = k->rstart[i]; c < k->rstart[i + 1]; c++) {
      ptr[i + 1] += k->start[k->row[c] + 1] - k->start[k->row[c]];
    }
  }
  int *col = ga_arena_ints(p->arena, (size_t)ptr[p->m]), n = 0;
  double *val = ga_arena_doubles(p->arena, (size_t)ptr[p->m]);
  if (p->arena->failed) return false;
  for (int i = 0; i < p->m; i++) {
    for (int c = k->rstart[i]; c < k->rstart[i + 1]; c++) {
      const int own = k->row[c];
      for (int e = k->start[own]; e < k->start[own + 1]; e++) col[n++] = k->list[e];
    }
  }
  p->X = (ga_csr){.nrow = p->m, .ncol = nv, .ptr = ptr, .col = col, .val = val};
  return true;
}

static int compare_ints(const void *a, const void *b) {
  return *(const int *)a - *(const int *)b;
}

/* The pattern of A: rows with a common component. */
static bool lay_out_matrix(ga_touching *p, components *k) {
  int *ptr = ga_arena_ints(p->arena, (size_t)p->m + 1);
  int *seen = ga_arena_ints(&k->scratch, (size_t)p->m), *col = NULL;
  if (!ptr || !seen) return false;
  for (int fill = 0; fill < 2; fill++) {
    for (int i = 0; i < p->m; i++) seen[i] = -1;
    for (int i = 0; i < p->m; i++) {
      int n = 0;
      for (int c = k->rstart[i]; c < k->rstart[i + 1]; c++) {
        for (int e = k->cstart[k->row[c]]; e < k->cstart[k->row[c] + 1]; e++) {
          const int j = k->use[e];
          if (seen[j] == i) continue;
          seen[j] = i;
          if (fill) col[ptr[i] + n] = j;
          n++;
        }
      }
      if (seen[i] != i) { /* a row without entries */
        if (fill) col[ptr[i] + n] = i;
        n++;
      }
      if (!fill) ptr[i + 1] = ptr[i] + n;
      if (fill) qsort(col + ptr[i], (size_t)n, sizeof *col, compare_ints);
    }
    if (fill) break;
    col = ga_arena_ints(p->arena, (size_t)ptr[p->m]);
    if (p->arena->failed) return false;
  }
  double *val = ga_arena_doubles(p->arena, (size_t)ptr[p->m]);
  p->A = (ga_csr){.nrow = p->m, .ncol = p->m, .ptr = ptr, .col = col, .val = val};
  return val != NULL;
}

/* X, as many rows at a time as have no common component. */
static ga_status solve_rows(ga_integrator *it, ga_touching *p, const components *k, int *round_of,
                            int *stamp) {
  ga_saddle *s = &it->saddle;
  ga_status status = GA_OK;
  int left = p->m;
  for (int i = 0; i < p->m; i++) round_of[i] = -1;
  for (int c = 0; c < k->count; c++) stamp[c] = -1;
  for (int round = 0; left > 0 && status == GA_OK; round++) {
    memset(s->rhs, 0, (size_t)s->n * sizeof(double));
    for (int i = 0; i < p->m; i++) {
      bool free = round_of[i] < 0;
      for (int c = k->rstart[i]; c < k->rstart[i + 1]; c++) free &= stamp[k->row[c]] != round;
      if (!free) continue;
      int at;
      const ga_csr *D = gradient_of(it, p->row[i], &at);
      for (int e = D->ptr[at]; e < D->ptr[at + 1]; e++) s->rhs[D->col[e]] = D->val[e];
      for (int c = k->rstart[i]; c < k->rstart[i + 1]; c++) stamp[k->row[c]] = round;
      round_of[i] = round;
      left--;
    }
    status = ga_saddle_solve(s);
    for (int i = 0; i < p->m; i++) {
      if (round_of[i] != round) continue;
      for (int e = p->X.ptr[i]; e < p->X.ptr[i + 1]; e++) p->X.val[e] = s->rhs[p->X.col[e]];
    }
  }
  return status;
}

/* A = J X^T, exactly symmetric. x: nv zeros. */
static void multiply(const ga_integrator *it, ga_touching *p, double *x) {
  ga_csr *A = &p->A;
  for (int j = 0; j < p->m; j++) {
    for (int e = p->X.ptr[j]; e < p->X.ptr[j + 1]; e++) x[p->X.col[e]] = p->X.val[e];
    for (int e = A->ptr[j]; e < A->ptr[j + 1]; e++) { /* the pattern is symmetric: column j */
      const int i = A->col[e];
      A->val[ga_csr_find(A, i, j)] = ga_touching_row_times(it, p->row[i], x);
    }
    for (int e = p->X.ptr[j]; e < p->X.ptr[j + 1]; e++) x[p->X.col[e]] = 0;
  }
  for (int i = 0; i < p->m; i++) {
    for (int e = A->ptr[i]; e < A->ptr[i + 1] && A->col[e] < i; e++) {
      double *other = &A->val[ga_csr_find(A, A->col[e], i)];
      A->val[e] = *other = (A->val[e] + *other) / 2;
    }
  }
}

/* p->normal: A of the first rows of the contacts. */
static bool take_normals(ga_touching *p, int *block) {
  const ga_csr *A = &p->A;
  int *ptr = ga_arena_ints(p->arena, (size_t)p->n + 1), n = 0;
  for (int i = 0; i < p->m; i++) block[i] = -1;
  for (int i = 0; i < p->n; i++) block[p->at[i]] = i;
  for (int i = 0; i < p->n; i++) {
    for (int e = A->ptr[p->at[i]]; e < A->ptr[p->at[i] + 1]; e++) n += block[A->col[e]] >= 0;
  }
  int *col = ga_arena_ints(p->arena, (size_t)n);
  double *val = ga_arena_doubles(p->arena, (size_t)n);
  if (p->arena->failed) return false;
  n = 0;
  for (int i = 0; i < p->n; i++) {
    for (int e = A->ptr[p->at[i]]; e < A->ptr[p->at[i] + 1]; e++) {
      if (block[A->col[e]] < 0) continue;
      col[n] = block[A->col[e]];
      val[n++] = A->val[e];
    }
    ptr[i + 1] = n;
  }
  p->normal = (ga_csr){.nrow = p->n, .ncol = p->n, .ptr = ptr, .col = col, .val = val};
  return true;
}

ga_status ga_touching_couple(ga_integrator *it, ga_touching *p) {
  components k = {.scratch = it->contacts.of_coupling};
  const int nv = it->eval.nv;
  bool ok = open_components(it, p, &k) && lay_out_solutions(p, &k, nv) && lay_out_matrix(p, &k);
  const size_t most = (size_t)(p->m > k.count ? p->m : k.count);
  int *round_of = ga_arena_ints(&k.scratch, most), *stamp = ga_arena_ints(&k.scratch, most);
  double *x = ga_arena_doubles(&k.scratch, (size_t)nv);
  ga_status status = GA_OK;
  ok = ok && !k.scratch.failed;
  if (ok) status = solve_rows(it, p, &k, round_of, stamp);
  if (ok && status == GA_OK) {
    multiply(it, p, x);
    ok = take_normals(p, round_of);
  }
  ga_arena_rewind(&k.scratch);
  it->contacts.of_coupling = k.scratch;
  return ok ? status : ga_fail(&it->error, GA_ERR_MEM, "no memory for %d contacts", p->n);
}

double ga_touching_gain(const ga_touching *p, int i) {
  double sum = 0;
  for (int e = p->A.ptr[i]; e < p->A.ptr[i + 1]; e++) sum += p->A.val[e] * p->r[p->A.col[e]];
  return sum;
}
