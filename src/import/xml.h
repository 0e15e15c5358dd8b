/* SPDX-License-Identifier: MIT */
/* An XML document as a tree of elements with attributes, each with its line and column. */
#ifndef GA_SRC_XML_H
#define GA_SRC_XML_H

#include "base/base.h"

typedef struct ga_xml ga_xml;
struct ga_xml {
  const char *name;
  const char *const
      *attributes;      /* name, value, name, value, .., NULL; values with entities resolved */
  const ga_xml *parent; /* NULL: the root */
  const ga_xml *first, *next; /* elements inside it; the next one beside it */
  int line, column;           /* of its '<', counted from 1 */
};

/* Is the reader built in? Without libexpat ga_xml_parse fails with a sentence that says so. */
bool ga_xml_available(void);

/* *root <- the tree of a text of `length` bytes, in the arena; NULL on failure. name: path for
 * messages, which begin with "PATH:LINE:COLUMN: ". Texts between tags are dropped. Refused are
 * entities of the document's own, types of documents from elsewhere, more than GA_XML_DEPTH nested
 * elements and more than GA_XML_ELEMENTS elements. */
enum { GA_XML_DEPTH = 100, GA_XML_ELEMENTS = 1000000 };
ga_status ga_xml_parse(const char *name, const char *text, size_t length, ga_arena *arena,
                       const ga_xml **root, ga_error *err);

/* The value of an attribute, NULL if the element lacks it; the first element inside of a name, NULL
 * if there is none. */
const char *ga_xml_attribute(const ga_xml *element, const char *name);
const ga_xml *ga_xml_child(const ga_xml *element, const char *name);

#endif
