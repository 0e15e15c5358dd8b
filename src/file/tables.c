/* SPDX-License-Identifier: MIT */
/* Types and fields of model files as Markdown tables, for the documentation. */
#include <string.h>

#include "file/private.h"
#include "mechanism/force/force.h"

/* Help of a field of section s: a constant, or text (room bytes) for sections that compose it. */
const char *ga_field_help(const ga_section *s, const ga_field *f, char *text, size_t room) {
  return s->help_of ? s->help_of(f, text, room) : f->help;
}

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
  char text[GA_HELP_ROOM];
  put_joint_rows(to);
  fprintf(to, "\n");
  put_force_rows(to);
  for (const ga_section *s = ga_sections; s->name; s++) {
    fprintf(to, "\n`%s`: %s\n\n| key | | unit | |\n|---|---|---|---|\n", s->name, s->help);
    for (const ga_field *f = s->fields; f->key; f++) {
      fprintf(to, "| `%s` | ", f->key);
      /* a bar would end the cell of the table: print a comma instead */
      for (const char *c = f->words ? f->words : f->form; *c; c++) {
        fputs(*c == '|' ? ", " : (char[2]){*c, 0}, to);
      }
      fprintf(to, " | %s | %s%s |\n", f->unit ? f->unit : "",
              ga_field_help(s, f, text, sizeof text), f->required ? " (required)" : "");
    }
  }
}
