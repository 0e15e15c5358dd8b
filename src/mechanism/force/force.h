/* SPDX-License-Identifier: MIT */
/* Types of forces: a table of its own for each, in a file of its own.
 *
 * A new type is one file in this directory that defines ga_force_NAME, and one line of
 * GA_FORCE_TYPE_LIST. The calls of ga_mechanism.h, the reader of model files, the schema, the
 * tables of the documentation, columns, units and pictures follow from the table. */
#ifndef GA_SRC_FORCE_H
#define GA_SRC_FORCE_H

#include "mechanism/mechanism.h"

/* in the order of the documentation */
#define GA_FORCE_TYPE_LIST(TYPE) \
  TYPE(force)                    \
  TYPE(torque)                   \
  TYPE(spring)                   \
  TYPE(torsion)                  \
  TYPE(friction)                 \
  TYPE(bushing)                  \
  TYPE(backlash)

typedef struct ga_force_type {
  ga_element_type element; /* its name is the type's name */
  const char *summary;     /* one line of the documentation */
  unsigned uses, needs;    /* fields of a description, bits GA_FORCE_HAS_.. */
  const char *at_help;     /* meaning of the field `at`; NULL: not used */
  bool own_point;          /* a plain list in `at` is in the axes of the body, not of space */
  bool matrices;           /* stiffness and damping are 6 x 6: K and C */
  size_t size;             /* of its data */
  /* Fills bodies or coordinates of el, and its data (zero before), from the description. Fields
   * have been compared with uses and needs. `owner` begins messages. */
  ga_status (*describe)(ga_mechanism *m, const char *owner, const ga_force *force, ga_element *el,
                        void *data, ga_error *err);
} ga_force_type;

#define GA_FORCE_DECLARE(name) extern const ga_force_type ga_force_##name;
GA_FORCE_TYPE_LIST(GA_FORCE_DECLARE)
#undef GA_FORCE_DECLARE

/* The i-th type, NULL past the end; the type of that name, NULL: none. */
const ga_force_type *ga_force_type_at(int i);
const ga_force_type *ga_force_type_named(const char *name);
/* Name of field i (bit 1 << i) as in model files, NULL past the end. */
const char *ga_force_field_name(int i);
/* Fields that are not used or missing: GA_ERR_ARG with a sentence. */
ga_status ga_force_check_fields(const char *owner, const ga_force_type *type, const ga_force *force,
                                ga_error *err);

/* For `describe` of several types: stiffness, damping and law, checked. */
typedef struct ga_elastic {
  double stiffness, damping;
  double free; /* free length or coordinate */
  ga_law law;  /* of s, s_dot, t */
} ga_elastic;
ga_status ga_elastic_describe(ga_mechanism *m, const char *owner, const ga_force *force,
                              ga_elastic *e, ga_error *err);

#endif
