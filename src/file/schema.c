/* SPDX-License-Identifier: MIT */
/* JSON Schema of model files, from the tables of fields. Numbers may be expressions: texts. */
#include <string.h>

#include "file/private.h"
#include "file/schema.h"
#include "mechanism/force/force.h"

static const ga_section events_section = {
    "events", "times at which an expression is zero", NULL, ga_event_fields, NULL, false};

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
  for (const ga_schema_text *form = ga_schema_forms; form->name; form++) {
    fprintf(to, "    \"%s\": %s,\n", form->name, form->schema);
  }
  put_types(to, "joint_type", joint_name);
  fprintf(to, ",\n");
  put_types(to, "force_type", force_name);
  fprintf(to, ",\n");
  put_types(to, "sensor_type", sensor_name);
  for (const ga_section *s = ga_sections; s->name; s++) {
    fprintf(to,
            ",\n    \"%s_map\": {\"type\": \"object\", \"propertyNames\": {\"allOf\": [" REF(
                "element_name") "%s]}, \"additionalProperties\": " REF("%s_entry") "}",
            s->name,
            /* a sensor may be a column by its name alone */
            s->read == ga_read_sensor ? ", {\"not\": {\"enum\": [\"t\", \"pi\", \"e\"]}}" : "",
            s->name);
  }
}

/* Print the definitions of names. A name of an element may hold {expressions}; no name may be a
 * word that expressions or columns use. */
static void put_names(FILE *to) {
  static const char *const kinds[][2] = {
      {"element_name", "([A-Za-z_]|[{][^{}]+[}])([A-Za-z0-9_]|[{][^{}]+[}])*"},
      {"parameter_name", "[A-Za-z_][A-Za-z0-9_]*"}};
  for (int k = 0; k < 2; k++) {
    fprintf(to, ",\n    \"%s\": {\"pattern\": \"^%s$\", \"not\": {\"enum\": [", kinds[k][0],
            kinds[k][1]);
    for (int i = 0; ga_reserved_word(i); i++) {
      if (k == 0 && strcmp(ga_reserved_word(i), "pi") == 0) continue; /* an element may be pi */
      fprintf(to, "%s\"%s\"", i ? ", " : "", ga_reserved_word(i));
    }
    fprintf(to, "]}}");
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

/* Print a text as a JSON string. */
static void put_text(FILE *to, const char *text) {
  fputc('"', to);
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') fputc('\\', to);
    fputc(*text, to);
  }
  fputc('"', to);
}

/* Print the rule of a type: the keys that it needs (bits of the mask `needs`), and those that it
 * does not use. name(i): the key of bit i. more: further properties, or "". */
static void put_type_rule(FILE *to, bool first, const char *type, unsigned uses, unsigned needs,
                          const char *(*name)(int i), const char *more) {
  fprintf(to,
          "%s\n        {\"if\": {\"properties\": {\"type\": {\"const\": \"%s\"}}}, \"then\": "
          "{\"required\": [\"type\"",
          first ? "" : ",", type);
  for (int i = 0; name(i); i++) {
    if (needs >> i & 1) fprintf(to, ", \"%s\"", name(i));
  }
  fprintf(to, "], \"properties\": {\"type\": true");
  for (int i = 0; name(i); i++) {
    if (!(uses >> i & 1)) fprintf(to, ", \"%s\": false", name(i));
  }
  fprintf(to, "%s}}}", more);
}

/* The key of bit i of the masks of a joint type; NULL past the end. */
static const char *joint_key(int i) {
  static const char *const keys[] = {"at",    "axis",   "x_axis", "length",    "radius",
                                     "point", "normal", "centre", "direction", NULL};
  return keys[i];
}

/* Has this type of joint a coordinate that is an angle? */
static bool has_angle(const ga_joint_type *type) {
  for (int k = 0; k < GA_COORDINATES_MAX; k++) {
    if (type->coordinate[k].name && type->coordinate[k].angle) return true;
  }
  return false;
}

/* Print the rules of all types of joints. The bodies, and so whether the joint is planar, are not
 * known to the schema: it allows what either allows, and requires what both require. */
static void put_joint_rules(FILE *to) {
  ga_joint_type_info info;
  fprintf(to, ",\n      \"allOf\": [");
  for (int i = 0; ga_joint_types(i, &info); i++) {
    const ga_joint_type *type = ga_joint_type_at(i);
    const bool plane = info.planar_rows >= 0;
    put_type_rule(to, i == 0, type->name, type->uses | (plane ? type->plane_uses : 0),
                  plane ? type->needs & type->plane_needs : type->needs, joint_key,
                  has_angle(type) ? "" : ", \"turns\": {\"type\": \"object\"}");
  }
  fprintf(to, "]");
}

/* Print the rules of all types of forces. */
static void put_force_rules(FILE *to) {
  static const char matrices[] =
      ", \"stiffness\": {\"type\": \"array\"}, \"damping\": {\"type\": \"array\"}";
  static const char numbers[] = ", \"stiffness\": " REF("number") ", \"damping\": " REF("number");
  const ga_force_type *type;
  fprintf(to, ",\n      \"allOf\": [");
  for (int i = 0; (type = ga_force_type_at(i)); i++) {
    const bool elastic = type->uses & (GA_FORCE_HAS_STIFFNESS | GA_FORCE_HAS_DAMPING);
    put_type_rule(to, i == 0, type->element.name, type->uses, type->needs, ga_force_field_name,
                  !elastic         ? ""
                  : type->matrices ? matrices
                                   : numbers);
  }
  fprintf(to, "]");
}

/* Print the definition of one entry of a section: its keys, which are required, and its rules; it
 * begins with the comma after the definition before it. */
static void put_entry(FILE *to, const ga_section *s) {
  char text[GA_HELP_ROOM];
  fprintf(to,
          ",\n    \"%s_entry\": {%s\"type\": \"object\", \"additionalProperties\": false,\n"
          "      \"properties\": {",
          s->name, s->number ? "\"oneOf\": [" REF("number") ", {" : "");
  for (const ga_field *f = s->fields; f->key; f++) {
    fprintf(to, "%s\n        \"%s\": {\"description\": ", f == s->fields ? "" : ",", f->key);
    put_text(to, ga_field_help(s, f, text, sizeof text));
    fprintf(to, ", ");
    if (f->words) {
      put_choice(to, f->words);
    } else {
      fprintf(to, "\"allOf\": [" REF("%s") "]", f->form);
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
  fprintf(to, "]");
  for (const ga_schema_text *rule = ga_schema_rules; rule->name; rule++) {
    if (strcmp(rule->name, s->name) == 0) fprintf(to, ",\n      %s", rule->schema);
  }
  if (s->read == ga_read_joint) put_joint_rules(to);
  if (s->read == ga_read_force) put_force_rules(to);
  fprintf(to, s->number ? "}]}" : "}");
}

/* Print the definition of a repetition: index, from, to, sections, inner repetitions. */
static void put_repetition(FILE *to) {
  fprintf(to,
          ",\n    \"repetition\": {\"type\": \"object\", \"additionalProperties\": false,\n"
          "      \"required\": [\"index\", \"from\", \"to\"],\n"
          "      \"properties\": {\"index\": " REF("parameter_name") ", \"from\": " REF("whole")
          ", \"to\": " REF("whole") ",\n"
          "        \"repeat\": {\"type\": \"array\", \"items\": " REF("repetition") "}");
  for (const ga_section *s = ga_sections; s->name; s++) {
    fprintf(to, ",\n        \"%s\": " REF("%s_map"), s->name, s->name);
  }
  fprintf(to, "}}");
}

/* Print the definition of a template: what a sub-assembly may have; keys that do not count in one are
 * allowed, as in a file. */
static void put_template(FILE *to) {
  static const char *const other[] = {"genalpha", "name",        "description", "gravity",
                                      "ground",   "formulation", "run",         "output",
                                      "events",   "files",       "initial",     NULL};
  fprintf(to,
          ",\n    \"template\": {\"type\": \"object\", \"additionalProperties\": false,\n"
          "      \"properties\": {\"parameters\": " REF("numbers") ", \"include\": "
          REF("include") ",\n        \"templates\": " REF("template_map") ",\n"
          "        \"repeat\": {\"type\": \"array\", \"items\": " REF("repetition") "}");
  for (const ga_section *s = ga_sections; s->name; s++) {
    fprintf(to, ",\n        \"%s\": " REF("%s_map"), s->name, s->name);
  }
  for (int i = 0; other[i]; i++) fprintf(to, ", \"%s\": true", other[i]);
  fprintf(to, "}},\n    \"template_map\": {\"type\": \"object\", \"additionalProperties\": " REF(
                  "template") "}");
}

/* Print the section `run`: its keys with _ , and the same keys with -. */
static void put_run(FILE *to) {
  ga_run_key key;
  fprintf(to,
          "    \"run\": {\"type\": \"object\", \"description\": \"options of `genalpha run`\", "
          "\"additionalProperties\": false,\n      \"patternProperties\": {\"^(");
  for (int i = 0; ga_run_key_at(i, &key); i++) {
    if (!strchr(key.text, '_')) continue;
    for (char *c = key.text; *c; c++) *c = *c == '_' ? '-' : *c;
    fprintf(to, "%s|", key.text);
  }
  fprintf(to, "system)$\": " REF("text") "},\n      \"properties\": {");
  for (int i = 0; ga_run_key_at(i, &key); i++) {
    fprintf(to, "%s\n        \"%s\": {\"description\": ", i ? "," : "", key.text);
    put_text(to, key.help);
    fprintf(to, ", \"allOf\": [" REF("text") "]}");
  }
  fprintf(to, "}},\n");
}

/* Print the sections of start values, output and events. */
static void put_other_sections(FILE *to) {
  fprintf(to,
          "    \"initial\": {\"type\": \"object\", \"description\": \"start values\", "
          "\"additionalProperties\": false, \"properties\": {\n"
          "      \"assemble\": {\"description\": \"make the start values fit\", \"allOf\": ["
          REF("flag") "]},\n"
          "      \"fix\": {\"description\": \"bodies that keep their place\", \"type\": \"array\", "
          "\"items\": " REF("name") "},\n"
          "      \"coordinates\": {\"description\": \"JOINT.COORDINATE: value\", \"type\": "
          "\"object\", \"additionalProperties\": " REF("number") "},\n"
          "      \"rates\": {\"description\": \"JOINT.COORDINATE: rate\", \"type\": \"object\", "
          "\"additionalProperties\": " REF("number") "}}},\n"
          "    \"output\": {\"type\": \"array\", \"description\": \"columns\", \"items\": "
          REF("name") "},\n"
          "    \"events\": {\"type\": \"object\", \"description\": \"%s\", "
          "\"additionalProperties\": " REF("events_entry") "}",
          events_section.help);
}

/* Print the JSON Schema of model files to `to`: definitions, then the top-level keys. */
void ga_file_schema(FILE *to) {
  fprintf(
      to,
      "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
      "  \"title\": \"genalpha model file\",\n  \"type\": \"object\",\n"
      "  \"required\": [\"genalpha\"], \"anyOf\": [{\"required\": [\"bodies\"]}, {\"required\": "
      "[\"beams\"]}, {\"required\": [\"repeat\"]}, {\"required\": [\"assemblies\"]}, "
      "{\"required\": [\"include\"]}, {\"required\": [\"templates\"]}, {\"required\": "
      "[\"parameters\"]}],\n  \"additionalProperties\": false,\n");
  put_forms(to);
  put_names(to);
  for (const ga_section *s = ga_sections; s->name; s++) put_entry(to, s);
  put_entry(to, &events_section);
  put_repetition(to);
  put_template(to);
  fprintf(to,
          "\n  },\n  \"properties\": {\n"
          "    \"genalpha\": {\"enum\": [1, \"1\"], \"description\": \"version of the format\"},\n"
          "    \"name\": " REF("scalar") ",\n    \"description\": " REF("scalar") ",\n"
          "    \"parameters\": {\"type\": \"object\", \"propertyNames\": " REF("parameter_name")
          ", \"additionalProperties\": " REF("number") "},\n"
          "    \"gravity\": " REF("vector3") ",\n"
          "    \"formulation\": {\"enum\": [\"r3so3\", \"se3\"]},\n"
          "    \"coordinates\": {\"enum\": [\"absolute\", \"joint\", \"auto\"], \"description\": "
          "\"unknowns: places of bodies, or coordinates of the joints of a spanning tree\"},\n"
          "    \"ground\": {\"type\": \"object\", \"description\": \"what pictures show of it\", "
          "\"properties\": {\"look\": " REF("look") "}, \"required\": [\"look\"], "
          "\"additionalProperties\": false},\n"
          "    \"files\": {\"type\": \"object\", \"description\": \"texts of CSV files by name\", "
          "\"additionalProperties\": " REF("scalar") "},\n"
          "    \"include\": {\"description\": \"model files that are read before this one\", "
          "\"allOf\": [" REF("include") "]},\n"
          "    \"templates\": {\"description\": \"sub-assemblies for the section assemblies\", "
          "\"allOf\": [" REF("template_map") "]},\n"
          "    \"repeat\": {\"type\": \"array\", \"items\": " REF("repetition") "},\n");
  put_run(to);
  put_other_sections(to);
  for (const ga_section *s = ga_sections; s->name; s++) {
    fprintf(to, ",\n    \"%s\": {\"description\": \"%s\", \"allOf\": [" REF("%s_map") "]}", s->name,
            s->help, s->name);
  }
  fprintf(to, "\n  }\n}\n");
}
