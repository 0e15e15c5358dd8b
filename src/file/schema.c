/* SPDX-License-Identifier: MIT */
/* JSON Schema of model files, from the tables of fields. Numbers may be expressions: texts. */
#include <string.h>

#include "file/reader.h"
#include "mechanism/force/force.h"

enum { HELP = 300 };

/* JSON Schema of each value of ga_field.form */
static const struct {
  const char *form, *schema;
} forms[] = {
    {"number", "{\"type\": [\"number\", \"string\"]}"},
    {"vector",
     "{\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/number\"}, \"minItems\": 2, "
     "\"maxItems\": 3}"},
    {"name", "{\"type\": \"string\"}"},
    {"coordinate", "{\"type\": \"string\", \"pattern\": \"^[^.]+[.][^.]+$\"}"},
    {"between",
     "{\"type\": \"array\", \"items\": {\"type\": \"string\"}, \"minItems\": 2, \"maxItems\": 2}"},
    {"point",
     "{\"oneOf\": [{\"$ref\": \"#/$defs/vector\"}, {\"type\": \"object\", "
     "\"additionalProperties\": "
     "{\"$ref\": \"#/$defs/vector\"}}]}"},
    {"direction",
     "{\"oneOf\": [{\"$ref\": \"#/$defs/vector\"}, {\"type\": \"object\", "
     "\"additionalProperties\": "
     "{\"$ref\": \"#/$defs/vector\"}}]}"},
    {"function_t", "{\"type\": [\"number\", \"string\"]}"},
    {"function_s", "{\"type\": [\"number\", \"string\"]}"},
    {"function_t3",
     "{\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/number\"}, \"minItems\": 3, "
     "\"maxItems\": 3}"},
    {"angular_velocity",
     "{\"oneOf\": [{\"$ref\": \"#/$defs/number\"}, {\"$ref\": \"#/$defs/vector\"}]}"},
    {"inertia",
     "{\"oneOf\": [{\"$ref\": \"#/$defs/number\"}, {\"type\": \"array\", \"minItems\": 3, "
     "\"maxItems\": 6}]}"},
    {"orientation",
     "{\"oneOf\": [{\"$ref\": \"#/$defs/number\"}, {\"type\": \"array\", \"minItems\": 4, "
     "\"maxItems\": 4}, {\"type\": \"object\"}]}"},
    {"shape", "{\"type\": \"object\"}"},
    {"look", "{\"type\": \"object\"}"},
    {"turns", "{\"type\": [\"integer\", \"string\", \"object\"]}"},
    {"sum", "{\"type\": \"object\", \"additionalProperties\": {\"$ref\": \"#/$defs/number\"}}"},
    {"stiffness",
     "{\"oneOf\": [{\"$ref\": \"#/$defs/number\"}, {\"type\": \"array\", \"minItems\": 6, "
     "\"maxItems\": 6}]}"},
    {NULL, NULL}};

/* Names of types: the i-th type of joints, forces, sensors; NULL past the end. */
static const char *joint_name(int i) {
  const ga_joint_type *type = ga_joint_type_at(i);
  return type ? type->name : NULL;
}

/* The i-th type of forces. */
static const char *force_name(int i) {
  const ga_force_type *type = ga_force_type_at(i);
  return type ? type->element.name : NULL;
}

/* The i-th type of sensors. */
static const char *sensor_name(int i) {
  const ga_sensor_type *type = ga_sensor_type_at(i);
  return type ? type->element.name : NULL;
}

/* Print the definition of a form whose values are the names name(0), name(1), .. */
static void put_types(FILE *to, const char *form, const char *(*name)(int i)) {
  fprintf(to, "    \"%s\": {\"enum\": [", form);
  for (int i = 0; name(i); i++) fprintf(to, "%s\"%s\"", i ? ", " : "", name(i));
  fprintf(to, "]}");
}

/* Print the definitions of all forms, and of a map of entries for each section; "$defs" stays open,
 * put_entry continues it. */
static void put_forms(FILE *to) {
  fprintf(to, "  \"$defs\": {\n");
  for (int i = 0; forms[i].form; i++) {
    fprintf(to, "    \"%s\": %s,\n", forms[i].form, forms[i].schema);
  }
  put_types(to, "joint_type", joint_name);
  fprintf(to, ",\n");
  put_types(to, "force_type", force_name);
  fprintf(to, ",\n");
  put_types(to, "sensor_type", sensor_name);
  for (const ga_section *s = ga_sections; s->name; s++) {
    fprintf(to,
            ",\n    \"%s_map\": {\"type\": \"object\", \"additionalProperties\": {\"$ref\": "
            "\"#/$defs/%s_entry\"}}",
            s->name, s->name);
  }
}

/* Print "a|b|c" as an enum. */
static void put_choice(FILE *to, const char *words) {
  fprintf(to, "\"enum\": [");
  for (const char *at = words; *at;) {
    const size_t n = strcspn(at, "|");
    fprintf(to, "%s\"%.*s\"", at == words ? "" : ", ", (int)n, at);
    at += n + (at[n] == '|');
  }
  fprintf(to, "]");
}

/* Help of a field of section s: a constant, or text (room bytes) for sections that compose it. */
static const char *help_of(const ga_section *s, const ga_field *f, char *text, size_t room) {
  return s->help_of ? s->help_of(f, text, room) : f->help;
}

/* Print the definition of one entry of a section: its keys, and which are required; it begins with
 * the comma after the definition before it. */
static void put_entry(FILE *to, const ga_section *s) {
  char text[HELP];
  fprintf(to,
          ",\n    \"%s_entry\": {\"type\": \"object\", \"additionalProperties\": false,\n"
          "      \"properties\": {",
          s->name);
  for (const ga_field *f = s->fields; f->key; f++) {
    fprintf(to, "%s\n        \"%s\": {\"description\": \"%s\", ", f == s->fields ? "" : ",", f->key,
            help_of(s, f, text, sizeof text));
    if (f->words) {
      put_choice(to, f->words);
    } else {
      fprintf(to, "\"allOf\": [{\"$ref\": \"#/$defs/%s\"}]", f->form);
    }
    fprintf(to, "}");
  }
  fprintf(to, "\n      },\n      \"required\": [");
  bool first = true;
  for (const ga_field *f = s->fields; f->key; f++) {
    if (!f->required) continue;
    fprintf(to, "%s\"%s\"", first ? "" : ", ", f->key);
    first = false;
  }
  fprintf(to, "]}");
}

/* Print the JSON Schema of model files to `to`: definitions, then the top-level keys. */
void ga_file_schema(FILE *to) {
  fprintf(to,
          "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
          "  \"title\": \"genalpha model file\",\n  \"type\": \"object\",\n"
          "  \"required\": [\"genalpha\", \"bodies\"],\n  \"additionalProperties\": false,\n");
  put_forms(to);
  for (const ga_section *s = ga_sections; s->name; s++) put_entry(to, s);
  fprintf(to,
          "\n  },\n  \"properties\": {\n"
          "    \"genalpha\": {\"const\": 1, \"description\": \"version of the format\"},\n"
          "    \"name\": {\"type\": \"string\"},\n    \"description\": {\"type\": \"string\"},\n"
          "    \"parameters\": {\"type\": \"object\", \"additionalProperties\": {\"$ref\": "
          "\"#/$defs/number\"}},\n"
          "    \"gravity\": {\"$ref\": \"#/$defs/vector\"},\n"
          "    \"formulation\": {\"enum\": [\"r3so3\", \"se3\"]},\n"
          "    \"repeat\": {\"type\": \"array\"},\n    \"run\": {\"type\": \"object\"},\n"
          "    \"output\": {\"type\": \"array\", \"items\": {\"type\": \"string\"}}");
  for (const ga_section *s = ga_sections; s->name; s++) {
    fprintf(to,
            ",\n    \"%s\": {\"description\": \"%s\", \"allOf\": [{\"$ref\": \"#/$defs/%s_map\"}]}",
            s->name, s->help, s->name);
  }
  fprintf(to, "\n  }\n}\n");
}

/* ---- the same tables as text ---------------------------------------------------------------- */

/* Print all types of joints as a Markdown table. */
static void put_joint_rows(FILE *to) {
  ga_joint_type_info type;
  fprintf(to, "| type | rows | planar | coordinates | |\n|---|---|---|---|---|\n");
  for (int i = 0; ga_joint_types(i, &type); i++) {
    fprintf(to, "| `%s` | %d", type.name, type.rows);
    if (type.nonholonomic > 0) fprintf(to, " + %d", type.nonholonomic);
    if (type.planar_rows >= 0) {
      fprintf(to, " | %d | ", type.planar_rows);
    } else {
      fprintf(to, " | – | ");
    }
    for (int k = 0; k < 3 && type.coordinates[k]; k++) {
      fprintf(to, "%s`%s`", k ? ", " : "", type.coordinates[k]);
    }
    fprintf(to, " | %s |\n", type.summary);
  }
}

/* Print the fields of a mask (bits GA_FORCE_HAS_..) as a list of code words. */
static void put_force_fields(FILE *to, unsigned fields) {
  for (int k = 0, n = 0; ga_force_field_name(k); k++) {
    if (fields >> k & 1) fprintf(to, "%s`%s`", n++ ? ", " : "", ga_force_field_name(k));
  }
}

/* Print all types of forces as a Markdown table. */
static void put_force_rows(FILE *to) {
  const ga_force_type *type;
  fprintf(to, "| type | needs | may have | |\n|---|---|---|---|\n");
  for (int i = 0; (type = ga_force_type_at(i)); i++) {
    fprintf(to, "| `%s` | ", type->element.name);
    put_force_fields(to, type->needs);
    fprintf(to, " | ");
    put_force_fields(to, type->uses & ~type->needs);
    fprintf(to, " | %s |\n", type->summary);
  }
}

/* Print types of joints and forces, and the keys of every section, as Markdown tables to `to`, for
 * the documentation. */
void ga_file_tables(FILE *to) {
  char text[HELP];
  put_joint_rows(to);
  fprintf(to, "\n");
  put_force_rows(to);
  for (const ga_section *s = ga_sections; s->name; s++) {
    fprintf(to, "\n`%s`: %s\n\n| key | | |\n|---|---|---|\n", s->name, s->help);
    for (const ga_field *f = s->fields; f->key; f++) {
      fprintf(to, "| `%s` | ", f->key);
      /* a bar would end the cell of the table: print a comma instead */
      for (const char *c = f->words ? f->words : f->form; *c; c++) {
        fputs(*c == '|' ? ", " : (char[2]){*c, 0}, to);
      }
      fprintf(to, " | %s%s |\n", help_of(s, f, text, sizeof text),
              f->required ? " (required)" : "");
    }
  }
}
