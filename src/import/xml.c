/* SPDX-License-Identifier: MIT */
/* The one file that knows libexpat: events of its parser become a tree. */
#include "import/xml.h"

#include <string.h>

/* The value of an attribute, NULL if the element lacks it. */
const char *ga_xml_attribute(const ga_xml *element, const char *name) {
  for (const char *const *a = element->attributes; *a; a += 2) {
    if (strcmp(a[0], name) == 0) return a[1];
  }
  return NULL;
}

/* The first element of this name inside, NULL if there is none. */
const ga_xml *ga_xml_child(const ga_xml *element, const char *name) {
  const ga_xml *child = element->first;
  while (child && strcmp(child->name, name) != 0) child = child->next;
  return child;
}

#ifndef GA_HAVE_EXPAT

/* No reader of XML is built in. */
bool ga_xml_available(void) {
  return false;
}

/* Fails: the reader is not built in. */
ga_status ga_xml_parse(const char *name, const char *text, size_t length, ga_arena *arena,
                       const ga_xml **root, ga_error *err) {
  (void)text, (void)length, (void)arena;
  *root = NULL;
  return ga_fail(err, GA_ERR_BACKEND,
                 "%s: robots are read by libexpat, which this build of genalpha lacks; install it "
                 "(Debian: libexpat1-dev) and build again",
                 name);
}

#else

#include <expat.h>

/* Progress of one parser: the elements that are open, the last child of each, for the next one. */
typedef struct {
  XML_Parser parser;
  const char *path;
  ga_arena *arena;
  ga_error *err;
  ga_status status;
  ga_xml *open[GA_XML_DEPTH], *last[GA_XML_DEPTH];
  int depth, count;
  ga_xml *root;
} reader;

/* The reader is built in. */
bool ga_xml_available(void) {
  return true;
}

/* Record a failure at the present position, unless there is one, and stop the parser. */
static void fail(reader *r, ga_status status, const char *what) {
  if (r->status != GA_OK) return;
  r->status = ga_fail(r->err, status, "%s:%lu:%lu: %s", r->path,
                      (unsigned long)XML_GetCurrentLineNumber(r->parser),
                      (unsigned long)XML_GetCurrentColumnNumber(r->parser) + 1, what);
  XML_StopParser(r->parser, XML_FALSE);
}

/* An element with copies of its name and attributes, in one block of the arena; NULL without
 * memory. */
static ga_xml *new_element(reader *r, const char *name, const char **attributes) {
  size_t n = 0, bytes = strlen(name) + 1;
  for (; attributes[n]; n++) bytes += strlen(attributes[n]) + 1;
  const size_t head = sizeof(ga_xml) + (n + 1) * sizeof(char *);
  char *block = ga_arena_take(r->arena, head + bytes, 1);
  if (!block) return NULL;
  ga_xml *e = (ga_xml *)(void *)block;
  const char **list = (const char **)(void *)(block + sizeof(ga_xml));
  char *text = block + head;
  e->attributes = list;
  e->name = text;
  for (size_t i = 0; i <= n; i++) {
    const char *from = i == 0 ? name : attributes[i - 1];
    const size_t length = strlen(from) + 1;
    if (i > 0) list[i - 1] = text;
    memcpy(text, from, length);
    text += length;
  }
  e->line = (int)XML_GetCurrentLineNumber(r->parser);
  e->column = (int)XML_GetCurrentColumnNumber(r->parser) + 1;
  return e;
}

/* An element begins: hang it below the innermost one that is open. */
static void XMLCALL begin_element(void *context, const char *name, const char **attributes) {
  reader *r = context;
  if (r->status != GA_OK) return;
  if (r->depth == GA_XML_DEPTH) {
    fail(r, GA_ERR_FILE, "elements are nested too deeply");
    return;
  }
  if (r->count++ == GA_XML_ELEMENTS) {
    fail(r, GA_ERR_FILE, "there are too many elements");
    return;
  }
  ga_xml *e = new_element(r, name, attributes);
  if (!e) {
    fail(r, GA_ERR_MEM, "no memory");
    return;
  }
  if (r->depth > 0) {
    ga_xml *parent = r->open[r->depth - 1], *last = r->last[r->depth - 1];
    e->parent = parent;
    if (last) {
      last->next = e;
    } else {
      parent->first = e;
    }
    r->last[r->depth - 1] = e;
  } else {
    r->root = e;
  }
  r->open[r->depth] = e;
  r->last[r->depth++] = NULL;
}

/* The innermost element ends. */
static void XMLCALL end_element(void *context, const char *name) {
  reader *r = context;
  (void)name;
  if (r->status == GA_OK) r->depth--;
}

/* A type of document may stand at the head, but not in a file elsewhere. */
static void XMLCALL begin_doctype(void *context, const char *name, const char *system_id,
                                  const char *public_id, int has_internal) {
  (void)name, (void)has_internal;
  if (system_id || public_id) {
    fail(context, GA_ERR_FILE, "a document type from another file is not read; remove it");
  }
}

/* Entities of the document's own could make a short file endless: none is allowed. */
static void XMLCALL declare_entity(void *context, const char *name, int is_parameter,
                                   const char *value, int length, const char *base,
                                   const char *system_id, const char *public_id,
                                   const char *notation) {
  (void)name, (void)is_parameter, (void)value, (void)length, (void)base, (void)system_id;
  (void)public_id, (void)notation;
  fail(context, GA_ERR_FILE, "entities (<!ENTITY ..>) are not allowed in the file of a robot");
}

/* *root <- the tree of a text in the arena; NULL on failure. */
ga_status ga_xml_parse(const char *name, const char *text, size_t length, ga_arena *arena,
                       const ga_xml **root, ga_error *err) {
  reader r = {.path = name, .arena = arena, .err = err};
  *root = NULL;
  if (length == 0) return ga_fail(err, GA_ERR_FILE, "%s:1:1: the file is empty", name);
  if (length > 1000000000) return ga_fail(err, GA_ERR_FILE, "%s: the text is too long", name);
  r.parser = XML_ParserCreate(NULL);
  if (!r.parser) return ga_fail(err, GA_ERR_MEM, "%s: no memory", name);
  XML_SetUserData(r.parser, &r);
  XML_SetElementHandler(r.parser, begin_element, end_element);
  XML_SetStartDoctypeDeclHandler(r.parser, begin_doctype);
  XML_SetEntityDeclHandler(r.parser, declare_entity);
  if (XML_Parse(r.parser, text, (int)length, XML_TRUE) != XML_STATUS_OK && r.status == GA_OK) {
    const enum XML_Error code = XML_GetErrorCode(r.parser);
    const bool memory = code == XML_ERROR_NO_MEMORY;
    char what[120] = "this is not XML: ";
    strncat(what, XML_ErrorString(code), sizeof what - strlen(what) - 1);
    fail(&r, memory ? GA_ERR_MEM : GA_ERR_FILE, memory ? "no memory" : what);
  }
  XML_ParserFree(r.parser);
  if (r.status == GA_OK) *root = r.root;
  return r.status;
}

#endif
