/* SPDX-License-Identifier: MIT */
/* Names, sizes and values of the parts of a state. */
#include "columns/state_fields.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

static const struct {
  const char *title, *stem;
  const char *suffix;  /* to the model's own name */
  size_t names, value; /* places in ga_model and ga_state */
} parts[FIELDS] = {
    {"q", "q", "", offsetof(ga_model, q_names), offsetof(ga_state, q)},
    {"v", "v", "", offsetof(ga_model, v_names), offsetof(ga_state, v)},
    {"vd", "vd", "_dot", offsetof(ga_model, v_names), offsetof(ga_state, vd)},
    {"lam", "lam", "", offsetof(ga_model, lam_names), offsetof(ga_state, lam)},
    {"psi", "psi", "", offsetof(ga_model, psi_names), offsetof(ga_state, psi)},
};

const char *field_title(int part) {
  return parts[part].title;
}

int field_size(const ga_model *model, int part) {
  const int sizes[FIELDS] = {ga_space_nq(model->space), ga_space_nv(model->space),
                             ga_space_nv(model->space), model->nlam, model->npsi};
  return sizes[part];
}

const double *field_values(const ga_state *state, int part) {
  return *(const double *const *)(const void *)((const char *)state + parts[part].value);
}

column_name field_name(const ga_model *model, int part, int i) {
  const char *const *names =
      *(const char *const *const *)(const void *)((const char *)model + parts[part].names);
  column_name name;
  /* The velocity of a joint's coordinate is called "pin.angle, which ... asked for", for messages.
   */
  const bool velocity = part == FIELD_V || part == FIELD_VD;
  const char *remark = velocity && names && names[i] ? strchr(names[i], ',') : NULL;
  if (remark) {
    snprintf(name.text, sizeof name.text, "%.*s_rate%s", (int)(remark - names[i]), names[i],
             parts[part].suffix);
  } else if (names && names[i]) {
    snprintf(name.text, sizeof name.text, "%s%s", names[i], parts[part].suffix);
  } else {
    snprintf(name.text, sizeof name.text, "%s%d", parts[part].stem, i + 1);
  }
  return name;
}

void csv_name(FILE *to, const char *name) {
  if (!strpbrk(name, ",\"\n")) {
    fputs(name, to);
    return;
  }
  fputc('"', to);
  for (; *name; name++) {
    if (*name == '"') fputc('"', to);
    fputc(*name, to);
  }
  fputc('"', to);
}

void csv_head(FILE *to, int column, const char *name) {
  if (column > 0) fputc(',', to);
  csv_name(to, name);
}

bool csv_row(FILE *to, int n, const double *values) {
  return csv_row_texts(to, n, values, 0, NULL);
}

bool csv_row_texts(FILE *to, int n, const double *values, int m, const char *const *text) {
  for (int i = 0; i < n; i++) fprintf(to, i ? ",%.17g" : "%.17g", values[i]);
  for (int i = 0; i < m; i++) csv_head(to, n + i, text[i]);
  return fputc('\n', to) != EOF && !ferror(to);
}

bool name_family(const char *a, const char *b) {
  for (;; a++, b++) {
    while (isdigit((unsigned char)*a)) a++;
    while (isdigit((unsigned char)*b)) b++;
    if (*a != *b) return false;
    if (!*a) return true;
  }
}
