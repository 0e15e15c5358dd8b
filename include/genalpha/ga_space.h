/* SPDX-License-Identifier: MIT */
/* Configuration spaces: Lie groups and products of them.
 *
 * A configuration q in G is stored as nq numbers, a velocity v as nv numbers. Velocities are
 * left-trivialised (body-fixed): q' = DL_q(e) v~, so that q(t + h) = q o exp(h v~ + ...).
 *
 *   group  nq     nv   stored as
 *   R^n    n      n    n numbers, q o exp(w) = q + w
 *   SO(3)  4      3    unit quaternion, scalar first; v = body-fixed angular velocity
 *   SE(3)  7      6    position x (3), unit quaternion (4); v = (R^T x', Omega), body-fixed
 *
 * R^3 x SO(3) is a product: positions add, rotations compose, v = (x', Omega). */
#ifndef GA_SPACE_H
#define GA_SPACE_H

#include <genalpha/ga_base.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { GA_GROUP_NV_MAX = 6 }; /* largest nv of a group other than R^n */

/* One group: small functions on plain arrays. n is the dimension for R^n and 1 otherwise.
 * Outputs may not overlap inputs unless the comment says so. */
typedef struct ga_group {
  const char *name;
  int nq, nv;       /* for one copy; R^n has n times as many */
  bool commutative; /* exp(a) exp(b) = exp(a + b): then T(w) = I and [a, b] = 0 */
  /* q1 = q o exp(w~); q1 may be q */
  void (*step)(int n, const double *q, const double *w, double *q1);
  /* w with qb = qa o exp(w~), the shortest one */
  void (*diff)(int n, const double *qa, const double *qb, double *w);
  /* qc = qa o qb */
  void (*compose)(int n, const double *qa, const double *qb, double *qc);
  /* T(w), nv x nv by rows: q o exp(w + dw) = q o exp(w) o exp(T(w) dw) + O(dw^2) */
  void (*tangent)(int n, const double *w, double *T);
  /* c = [a, b], the Lie bracket: c~ = a~ b~ - b~ a~ */
  void (*bracket)(int n, const double *a, const double *b, double *c);
  /* largest difference of entries, rotations as matrices: free of the quaternion's sign */
  double (*distance)(int n, const double *qa, const double *qb);
  void (*identity)(int n, double *q);
  /* back to the group after outside changes (unit length of a quaternion); never used in a step */
  void (*clean)(int n, double *q);
  /* how large the entries of an increment w are taken to be in relative errors, n nv numbers: |q_i|
   * or a length |x|, 1 for angles; NULL: 1 */
  void (*size)(int n, const double *q, double *size);
} ga_group;

GA_API extern const ga_group ga_group_rn, ga_group_so3, ga_group_se3;

/* A product of groups. Built once by ga_space_new and ga_space_add, constant afterwards; any number
 * of models and threads may share it. The caller frees it after the last user is gone. */
typedef struct ga_space ga_space;

GA_API ga_status ga_space_new(ga_space **out);
GA_API void ga_space_free(ga_space *space);

/* Append a group; n is the dimension for R^n and the number of copies for the others. The places
 * of the new factor in q and v are returned through q_at, v_at, either of which may be NULL. */
GA_API ga_status ga_space_add(ga_space *space, const ga_group *group, int n, int *q_at, int *v_at);

/* R^n in one call. */
GA_API ga_status ga_space_rn(int n, ga_space **out);

GA_API int ga_space_nq(const ga_space *space);
GA_API int ga_space_nv(const ga_space *space);

GA_API void ga_space_step(const ga_space *space, const double *q, const double *w, double *q1);
GA_API void ga_space_diff(const ga_space *space, const double *qa, const double *qb, double *w);
GA_API void ga_space_bracket(const ga_space *space, const double *a, const double *b, double *c);
GA_API double ga_space_distance(const ga_space *space, const double *qa, const double *qb);
GA_API void ga_space_size(const ga_space *space, const double *q, double *size);
GA_API void ga_space_identity(const ga_space *space, double *q);
GA_API void ga_space_clean(const ga_space *space, double *q);

#ifdef __cplusplus
}
#endif
#endif
