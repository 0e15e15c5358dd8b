/* SPDX-License-Identifier: MIT */
/* The table behind an evaluation: which unknowns there are is known to it alone. */
#ifndef GA_SRC_CARRIER_H
#define GA_SRC_CARRIER_H

#include "mechanism/element.h"

typedef struct ga_gradient ga_gradient;

/* How the numbers of elements, which know frames only, reach the arrays of the model: what the
 * functions ga_pass_.. below do, by what the unknowns are. */
typedef struct ga_carrier {
  bool (*begin)(ga_pass *pass); /* false: no memory */
  void (*end)(ga_pass *pass);
  void (*frames)(ga_pass *pass, const ga_element *el, const ga_frame **a, const ga_frame **b);
  void (*frame)(ga_pass *pass, int body, ga_frame *frame);
  void (*row)(ga_pass *pass, const ga_element *el, int i, const ga_row *row);
  void (*point_row)(ga_pass *pass, const ga_element *el, int i, int k, const ga_pair *p);
  void (*force)(ga_pass *pass, const ga_element *el, const double *f);
  void (*tangent)(ga_pass *pass, const ga_element *el, ga_tangent *t);
  void (*point_tangent)(ga_pass *pass, const ga_element *el, const double *phi, const ga_pair *p);
  /* ga_pass_reach with the gradient of the function; the row of a rate: H -= g.v, Y -= g.q, *drift -=
   * g.q v */
  void (*reach)(ga_pass *pass, const ga_element *el, const ga_gradient *g, const double *f);
  void (*row_reach)(ga_pass *pass, const ga_element *el, const ga_gradient *g, double *drift);
  /* derivatives by the block of one body in a gradient, from those by its frame and its rates */
  void (*gradient)(const ga_pass *pass, int body, const ga_frame *frame, const double *plain,
                   const double *rate, double *by_q, double *by_v);
  void (*inertia)(ga_pass *pass); /* M, F, Kt, Ct of masses and gravity; before the elements, */
  void (*finish)(ga_pass *pass);  /* after them */
  void (*motion)(ga_pass *pass, int body, const double *vd, ga_frame *frame, double *p, double *xdd,
                 double *wd);
} ga_carrier;
extern const ga_carrier ga_carrier_absolute;
/* absolute.c: adds to t->A of one side what body-fixed velocities change, of x if shifted */
void ga_tangent_turn(ga_tangent *t, int side, bool shifted, const ga_frame *frame);

#endif
