/* SPDX-License-Identifier: MIT */
/* The saddle-point matrix: its blocks, assembly, factorization, scales of its rows. */
#include "kkt/kkt.h"

#include <string.h>

/* Register the blocks of the matrix and build its pattern; sets all members but numbering and ls.
 * GA_ERR_MEM without memory. Not collective. */
static ga_status register_blocks(ga_kkt *k, const ga_eval *e, const ga_kkt_blocks *from,
                                 ga_arena *arena) {
  int nv = e->nv, psi_at = nv + e->nlam;
  *k = (ga_kkt){.nv = nv, .n = psi_at + e->npsi};
  double *size = ga_arena_doubles(arena, (size_t)k->n); /* 0 for multipliers */
  if (arena->failed) return ga_fail(e->err, GA_ERR_MEM, "no memory for a system of %d rows", k->n);
  memcpy(size, e->root_metric, (size_t)nv * sizeof(double));
  k->layout.size = size;
  /* each block: its first row and column, the matrix, whether it is transposed */
  ga_block_matrix *b = &k->blocks;
  k->W = from->W ? ga_block_matrix_add(b, 0, 0, from->W, false) : -1;
  k->K = from->K ? ga_block_matrix_add(b, 0, 0, from->K, false) : -1;
  k->M = from->M ? ga_block_matrix_add(b, 0, 0, from->M, false) : -1;
  k->rows[0] = ga_block_matrix_add(b, nv, 0, from->G, false);
  k->rows[1] = ga_block_matrix_add(b, 0, nv, from->L ? from->L : from->G, true);
  k->rows[2] = ga_block_matrix_add(b, psi_at, 0, from->H, false);
  k->rows[3] = ga_block_matrix_add(b, 0, psi_at, from->P ? from->P : from->H, true);
  k->E = ga_block_matrix_add(b, nv, nv, from->E, false);
  if (from->split) ga_block_matrix_add(b, nv, nv, from->split, false);
  if (from->slip) ga_block_matrix_add(b, psi_at, nv, from->slip, false);
  if (ga_block_matrix_build(b, k->n, arena) == GA_OK) return GA_OK;
  return ga_fail(e->err, GA_ERR_MEM, "no memory for a system of %d rows", k->n);
}

/* In a team: set k->numbering, the numbers of the unknowns in the matrix of all processes, in the
 * order velocities, multipliers of g, of k, and let k->layout point to it. Collective. */
static ga_status describe_numbering(ga_kkt *k, const ga_eval *e, ga_arena *arena) {
  const ga_numbering_block block[] = {{0, e->nv, .velocities = true},
                                      {e->nv, e->nlam, .velocities = false},
                                      {e->nv + e->nlam, e->npsi, .velocities = false}};
  k->layout.numbering = &k->numbering;
  return ga_numbering_init(&k->numbering, e->team, k->n, 3, block, arena, e->err);
}

/* Where contacts change from matrix to matrix each one gets new pivots, which cost KLU this much more than a
 * matrix with old ones (measured with 10 to 30 rows). */
static const double NEW_PIVOTS = 2.7;

/* Is "auto" asked for, and are dense factors cheaper than those of KLU with new pivots? */
static bool dense_is_best(const ga_options *options, const ga_csr *A) {
  ga_linsol_prediction p;
  if (options->linsol_ops || options->team || strcmp(options->linsol, "auto") != 0) return false;
  if (!ga_linsol_predict(A, &p)) return false;
  p.klu.factor *= NEW_PIVOTS;
  return ga_linsol_total(p.dense) <= ga_linsol_total(p.klu);
}

/* Set up *k, not yet factored; see kkt.h. The blocks must not move as long as *k is used. */
ga_status ga_kkt_init(ga_kkt *k, ga_eval *eval, const ga_kkt_blocks *from,
                      const ga_options *options, bool loose, ga_arena *arena) {
  ga_options own = *options;
  ga_status status = register_blocks(k, eval, from, arena);
  status = ga_team_agree(eval->team, status, eval->err);
  if (status == GA_OK && from->lead) {
    return ga_linsol_open_as(&k->ls, &ga_linsol_bordered, from->lead, &k->blocks.A, eval->err);
  }
  if (status == GA_OK && from->slip && dense_is_best(&own, &k->blocks.A)) {
    own.linsol_ops = &ga_linsol_dense;
  }
  if (status == GA_OK && eval->team) status = describe_numbering(k, eval, arena);
  if (status == GA_OK && loose) {
    status = ga_linsol_choose(&own, &k->blocks.A, &own.linsol_ops, eval->err);
    if (own.linsol_ops == &ga_linsol_klu) own.linsol_ops = &ga_linsol_klu_loose;
  }
  if (status != GA_OK) return status;
  return ga_linsol_open_layout(&k->ls, &own, &k->blocks.A, &k->layout, eval->err);
}

/* Close the linear solver; the arrays belong to the arena. */
void ga_kkt_close(ga_kkt *k) {
  ga_linsol_close(&k->ls);
}

/* k->blocks.A = the matrix with the weights c, from the present values of the blocks. */
void ga_kkt_assemble(ga_kkt *k, const ga_kkt_weights *c) {
  ga_csr_zero(&k->blocks.A);
  if (k->W >= 0) ga_block_matrix_scatter(&k->blocks, k->W, c->w);
  if (k->K >= 0) ga_block_matrix_scatter(&k->blocks, k->K, c->k);
  if (k->M >= 0) ga_block_matrix_scatter(&k->blocks, k->M, c->m);
  for (int i = 0; i < 4 && !c->without_rows; i++) {
    ga_block_matrix_scatter(&k->blocks, k->rows[i], 1);
  }
  ga_block_matrix_scatter(&k->blocks, k->E, c->e);
}

/* Factor the assembled matrix; GA_RETRY_SINGULAR if it is singular, or what the solver says.
 * Collective. */
ga_status ga_kkt_factor(ga_kkt *k) {
  const ga_csr *A = &k->blocks.A;
  if (!k->factored) return k->ls.ops->factor(&k->ls, A);
  const size_t bytes = (size_t)ga_csr_nnz(A) * sizeof(double);
  if (k->valid && memcmp(A->val, k->factored, bytes) == 0) return GA_OK;
  if (k->valid) ga_linsol_repivot(&k->ls);
  const ga_status status = k->ls.ops->factor(&k->ls, A);
  memcpy(k->factored, A->val, bytes);
  k->valid = status == GA_OK;
  return status;
}

/* The next matrix is factored as the first one was. */
void ga_kkt_reset(ga_kkt *k) {
  ga_linsol_reset(&k->ls);
  k->valid = false;
}

/* D (a number for each row of G, then of H): D_i = sum_j G_ij^2/weight_j, 1 for a zero row. */
void ga_kkt_row_scales(const ga_csr *G, const ga_csr *H, const double *weight, double *D) {
  const ga_csr *const gradients[] = {G, H};
  for (int k = 0; k < 2; k++) {
    const ga_csr *A = gradients[k];
    for (int i = 0; i < A->nrow; i++, D++) {
      double sum = 0;
      for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
        sum += A->val[e] * A->val[e] / weight[A->col[e]];
      }
      *D = sum > 0 ? sum : 1;
    }
  }
}
