/* SPDX-License-Identifier: MIT */
/* Pieces of the JSON Schema of model files. */
#ifndef GA_SRC_FILE_SCHEMA_H
#define GA_SRC_FILE_SCHEMA_H

/* The form of this name. */
#define REF(name) "{\"$ref\": \"#/$defs/" name "\"}"

typedef struct ga_schema_text {
  const char *name, *schema;
} ga_schema_text;

/* JSON Schema of each value of ga_field.form, and of pieces that several of them use. The meaning
 * of expressions and names is not known to a schema. The last name is NULL. */
extern const ga_schema_text ga_schema_forms[];

/* Rules for the entries of the section `name` beyond its table of fields, as further members of the
 * schema of an entry. The last name is NULL. */
extern const ga_schema_text ga_schema_rules[];

#endif
