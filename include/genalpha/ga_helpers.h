/* SPDX-License-Identifier: MIT */
/* For people who write models: patterns entry by entry, adding into a matrix by slot, rotations.
 *
 *     ga_pattern *p;
 *     ga_pattern_new(nlam, nv, &p);
 *     ga_pattern_add(p, 0, 4);              // one entry; any order, twice does no harm
 *     ga_pattern_add_block(p, 1, 0, 2, 3);  // rows 1, 2, columns 0, 1, 2
 *     ga_pattern_close(p, space);           // rows that touch a rotation list all its columns
 *     ga_pattern_finish(p, &model.pat_G, &err);
 *     ...
 *     ga_pattern_free(p);                   // after the last use of the model
 *
 * and in the callback ga_csr_add(G, 0, 4, value). */
#ifndef GA_HELPERS_H
#define GA_HELPERS_H

#include <genalpha/ga_csr.h>
#include <genalpha/ga_space.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A pattern under construction, and the finished one, which lives until ga_pattern_free. A mistake,
 * or a lack of memory, is reported by ga_pattern_finish. */
typedef struct ga_pattern ga_pattern;

GA_API ga_status ga_pattern_new(int nrow, int ncol, ga_pattern **out);
GA_API void ga_pattern_free(ga_pattern *pattern);
GA_API void ga_pattern_add(ga_pattern *pattern, int row, int col);
GA_API void ga_pattern_add_block(ga_pattern *pattern, int row, int col, int rows, int cols);
/* Entries so far: a row that has one column of an SO(3) or SE(3) factor gets all of them. */
GA_API void ga_pattern_close(ga_pattern *pattern, const ga_space *space);
/* Columns in order, each once. out is borrowed from the pattern; its val is NULL. */
GA_API ga_status ga_pattern_finish(ga_pattern *pattern, const ga_csr **out, ga_error *err);

/* The slot of entry (row, col) in val, -1 if the pattern lacks it; it is the same for all matrices
 * of one pattern, so that it need be looked up only once. A matrix without ptr is full. */
GA_API int ga_csr_slot(const ga_csr *A, int row, int col);
/* Add to an entry, or the rows x cols matrix B by rows to a block; false if the pattern lacks an
 * entry, which then is left out. */
GA_API bool ga_csr_add(ga_csr *A, int row, int col, double value);
GA_API bool ga_csr_add_block(ga_csr *A, int row, int col, int rows, int cols, const double *B);

/* c = a x b; A = a~, 3 x 3 by rows, so that a~ b = a x b. c may be a or b. */
GA_API void ga_cross(const double a[3], const double b[3], double c[3]);
GA_API void ga_tilde(const double a[3], double A[9]);

/* Unit quaternions p, scalar first, as SO(3) stores them. R(p) by rows; y = R(p) x and
 * y = R(p)^T x, y may be x; r with R(r) = R(p) R(q), r may be either. */
GA_API void ga_so3_matrix(const double p[4], double R[9]);
GA_API void ga_so3_rotate(const double p[4], const double x[3], double y[3]);
GA_API void ga_so3_unrotate(const double p[4], const double x[3], double y[3]);
GA_API void ga_so3_compose(const double p[4], const double q[4], double r[4]);
/* The rotation by an angle in radians about an axis of any length but zero; exp(w~), by |w| about
 * w; the shortest such w; the rotation that a matrix is; p/|p|. */
GA_API void ga_so3_from_axis_angle(const double axis[3], double angle, double p[4]);
GA_API void ga_so3_exp(const double w[3], double p[4]);
GA_API void ga_so3_log(const double p[4], double w[3]);
GA_API void ga_so3_from_matrix(const double R[9], double p[4]);
GA_API void ga_so3_clean(double p[4]);

#ifdef __cplusplus
}
#endif
#endif
