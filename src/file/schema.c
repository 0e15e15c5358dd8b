/* SPDX-License-Identifier: MIT */
/* JSON Schema of model files, from the tables of fields. Numbers may be expressions: texts. */
#include <string.h>

#include "file/reader.h"

/* what a form of ga_field looks like */
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
    {"place",
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
    {"force_type", "{\"enum\": [\"force\", \"torque\", \"spring\", \"torsion\", \"bushing\"]}"},
    {"sensor_type", "{\"enum\": [\"point\", \"distance\", \"angle\"]}"},
    {NULL, NULL}};

static void put_forms(FILE *to) {
  fprintf(to, "  \"$defs\": {\n");
  for (int i = 0; forms[i].form; i++) {
    fprintf(to, "    \"%s\": %s,\n", forms[i].form, forms[i].schema);
  }
  fprintf(to, "    \"joint_type\": {\"enum\": [");
  ga_joint_type_info type;
  for (int i = 0; ga_joint_types(i, &type); i++) {
    fprintf(to, "%s\"%s\"", i ? ", " : "", type.name);
  }
  fprintf(to, "]}");
  for (const ga_section *s = ga_sections; s->name; s++) {
    fprintf(to,
            ",\n    \"%s_map\": {\"type\": \"object\", \"additionalProperties\": {\"$ref\": "
            "\"#/$defs/%s_entry\"}}",
            s->name, s->name);
  }
}

static void put_choice(FILE *to, const char *words) {
  fprintf(to, "\"enum\": [");
  for (const char *at = words; *at;) {
    const size_t n = strcspn(at, "|");
    fprintf(to, "%s\"%.*s\"", at == words ? "" : ", ", (int)n, at);
    at += n + (at[n] == '|');
  }
  fprintf(to, "]");
}

static void put_entry(FILE *to, const ga_section *s) {
  fprintf(to,
          ",\n    \"%s_entry\": {\"type\": \"object\", \"additionalProperties\": false,\n"
          "      \"properties\": {",
          s->name);
  for (const ga_field *f = s->fields; f->key; f++) {
    fprintf(to, "%s\n        \"%s\": {\"description\": \"%s\", ", f == s->fields ? "" : ",", f->key,
            f->help);
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

void ga_file_tables(FILE *to) {
  put_joint_rows(to);
  for (const ga_section *s = ga_sections; s->name; s++) {
    fprintf(to, "\n`%s`: %s\n\n| key | | |\n|---|---|---|\n", s->name, s->help);
    for (const ga_field *f = s->fields; f->key; f++) {
      fprintf(to, "| `%s` | ", f->key);
      /* the bar of a choice would end the cell */
      for (const char *c = f->words ? f->words : f->form; *c; c++) {
        fputs(*c == '|' ? ", " : (char[2]){*c, 0}, to);
      }
      fprintf(to, " | %s%s |\n", f->help, f->required ? " (required)" : "");
    }
  }
}
