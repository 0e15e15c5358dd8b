/* SPDX-License-Identifier: MIT */
/* Names, sizes and values of the fields of a state; states in one array. */
#include "columns/state_fields.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

static const struct {
  const char *title;   /* also the stem of names, if the model gives none */
  const char *suffix;  /* appended to the model's own name */
  size_t names, value; /* offsets in ga_model and ga_state */
} fields[FIELDS] = {
    {"q", "", offsetof(ga_model, q_names), offsetof(ga_state, q)},
    {"v", "", offsetof(ga_model, v_names), offsetof(ga_state, v)},
    {"a", "_dot", offsetof(ga_model, v_names), offsetof(ga_state, a)},
    {"vd", "_dot", offsetof(ga_model, v_names), offsetof(ga_state, vd)},
    {"lam", "", offsetof(ga_model, lam_names), offsetof(ga_state, lam)},
    {"psi", "", offsetof(ga_model, psi_names), offsetof(ga_state, psi)},
};

/* Name of a field: "q", "v", "a", "vd", "lam" or "psi". */
const char *field_title(int field) {
  return fields[field].title;
}

/* Number of entries of a field: nq, nv, nv, nv, nlam or npsi. */
int field_size(const ga_model *model, int field) {
  const int nv = ga_space_nv(model->space);
  const int sizes[FIELDS] = {ga_space_nq(model->space), nv, nv, nv, model->nlam, model->npsi};
  return sizes[field];
}

/* Number of columns of a field in a trajectory: its size, but 0 for a. */
int field_columns(const ga_model *model, int field) {
  return field == FIELD_A ? 0 : field_size(model, field);
}

/* The array of a field in a state. */
const double *field_values(const ga_state *state, int field) {
  return *(const double *const *)(const void *)((const char *)state + fields[field].value);
}

/* Name of entry i of a field: the model's own ("x2", "x2_dot" for its acceleration), else "q1",
 * "q2", .. */
column_name field_name(const ga_model *model, int field, int i) {
  const char *const *names =
      *(const char *const *const *)(const void *)((const char *)model + fields[field].names);
  column_name name;
  /* The model calls the velocity of a joint's coordinate "pin.angle, which ... asked for", for its
   * messages. As a column it is "pin.angle_rate". */
  const bool velocity = field == FIELD_V || field == FIELD_VD;
  const char *remark = velocity && names && names[i] ? strchr(names[i], ',') : NULL;
  if (remark) {
    snprintf(name.text, sizeof name.text, "%.*s_rate%s", (int)(remark - names[i]), names[i],
             fields[field].suffix);
  } else if (names && names[i]) {
    snprintf(name.text, sizeof name.text, "%s%s", names[i], fields[field].suffix);
  } else {
    snprintf(name.text, sizeof name.text, "%s%d", fields[field].title, i + 1);
  }
  return name;
}

/* The errors of a ga_errors by field; a has none there: NaN. */
field_errors field_errors_of(const ga_errors *e) {
  return (field_errors){{[FIELD_Q] = e->q,
                         [FIELD_V] = e->v,
                         [FIELD_A] = NAN,
                         [FIELD_VD] = e->vd,
                         [FIELD_LAM] = e->lam,
                         [FIELD_PSI] = e->psi}};
}

/* Are two names equal except for digits: x1 and x2, x1_dot and x12_dot? */
bool name_family(const char *a, const char *b) {
  for (;; a++, b++) {
    while (isdigit((unsigned char)*a)) a++;
    while (isdigit((unsigned char)*b)) b++;
    if (*a != *b) return false;
    if (!*a) return true;
  }
}

/* ---- snapshots ------------------------------------------------------------------------------ */

/* Where a field begins in the array of a snapshot. */
double *snapshot_field(const ga_model *model, double *data, int field) {
  for (int f = 0; f < field; f++) data += field_columns(model, f);
  return data;
}

/* Length of a snapshot: q, v, vd, lam, psi one after the other. */
size_t snapshot_size(const ga_model *model) {
  size_t size = 0;
  for (int f = 0; f < FIELDS; f++) size += (size_t)field_columns(model, f);
  return size;
}

/* Copy a state to a snapshot, snapshot_size(model) numbers. */
void snapshot_copy(const ga_model *model, const ga_state *state, double *data) {
  for (int f = 0; f < FIELDS; f++) {
    const size_t n = (size_t)field_columns(model, f);
    if (n > 0) memcpy(data, field_values(state, f), n * sizeof *data);
    data += n;
  }
}

/* The state in a snapshot; it borrows data. t is 0 and a is NULL. */
ga_state snapshot_state(const ga_model *model, const double *data) {
  const double *field[FIELDS];
  for (int f = 0; f < FIELDS; f++) {
    field[f] = data;
    data += field_columns(model, f);
  }
  return (ga_state){.q = field[FIELD_Q],
                    .v = field[FIELD_V],
                    .vd = field[FIELD_VD],
                    .lam = field[FIELD_LAM],
                    .psi = field[FIELD_PSI]};
}
