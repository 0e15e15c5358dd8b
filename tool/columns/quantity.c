/* SPDX-License-Identifier: MIT */
/* Names of columns and the quantities they stand for. */
#include "columns/quantity.h"

#include <ctype.h>
#include <string.h>

enum { ORDERS = 3 };

/* a coordinate, its velocity, its acceleration */
static const quantity along[ORDERS] = {
    {"position", "m"}, {"velocity", "m/s"}, {"acceleration", "m/s²"}};
static const quantity around[ORDERS] = {
    {"angle", "rad"}, {"angular velocity", "rad/s"}, {"angular acceleration", "rad/s²"}};

/* Is the word of n letters among the words of the list, which are separated by blanks? */
static bool word_in_list(const char *word, size_t n, const char *list) {
  for (const char *at = list; *at;) {
    size_t length = strcspn(at, " ");
    if (length == n && strncmp(at, word, n) == 0) return true;
    at += length + (at[length] == ' ');
  }
  return false;
}

/* Quantity of a column ELEMENT.END of a model file, by END; energies and momenta by their
 * beginning. The unit is "" if it is unknown. */
static quantity of_model_file(const char *name, const char *end) {
  static const struct {
    const char *ends;
    quantity q;
  } list[] = {{"x y z position length", {"position", "m"}},
              {"e0 e1 e2 e3", {"quaternion", "1"}},
              {"vx vy vz position_rate x_rate y_rate", {"velocity", "m/s"}},
              {"wx wy wz rate angle_rate angle_a_rate angle_b_rate", {"angular velocity", "rad/s"}},
              {"ax ay az", {"acceleration", "m/s²"}},
              {"alx aly alz al", {"angular acceleration", "rad/s²"}},
              {"angle angle_a angle_b", {"angle", "rad"}},
              {"fx fy fz Fx Fy Fz force tension f N Qy Qz", {"force", "N"}},
              {"mx my mz Mx My Mz", {"moment", "N m"}},
              {"effort", {"effort", "N or N m"}}};
  if (strncmp(name, "energy.", 7) == 0) return (quantity){"energy", "J"};
  if (strstr(name, "momentum.")) {
    bool linear = strncmp(name, "momentum.", 9) == 0;
    return linear ? (quantity){"momentum", "kg m/s"} : (quantity){"ang. momentum", "kg m²/s"};
  }
  for (int i = 0; i < (int)(sizeof list / sizeof list[0]); i++) {
    if (word_in_list(end, strlen(end), list[i].ends)) return list[i].q;
  }
  return (quantity){name, ""};
}

/* Quantity of a column of a library problem: a stem, digits or a point's name, and "_dot" for each
 * derivative: x2, theta1_dot. Order 0, 1, 2: position, velocity, acceleration. */
static quantity of_problem(const char *name) {
  size_t length = strlen(name), stem = 0;
  int order = 0;
  while (length > 4 && strncmp(name + length - 4, "_dot", 4) == 0) length -= 4, order++;
  while (stem < length && isalpha((unsigned char)name[stem])) stem++;
  bool numbered = stem < length && isdigit((unsigned char)name[stem]);
  if (word_in_list(name, stem, "u U v") || (numbered && word_in_list(name, stem, "Omega"))) order++;
  const quantity unknown = {name, ""};
  if (word_in_list(name, length, "E_kin E_pot")) return (quantity){"energy", "J"};
  if (word_in_list(name, stem, "lam psi")) return (quantity){"constraint force", "N"};
  if (numbered && word_in_list(name, stem, "e")) return (quantity){"quaternion", "1"};
  if (order >= ORDERS) return unknown;
  if (word_in_list(name, stem, "x y z u U q v")) return along[order];
  if (word_in_list(name, stem,
                   "theta beta Theta gamma Phi delta Omega epsilon p phi tilt heading spin")) {
    return around[order];
  }
  return unknown;
}

/* What a column measures, by its name alone; q.what is the name itself if it says nothing. */
quantity quantity_of(const char *name) {
  const char *dot = strrchr(name, '.');
  if (strcmp(name, "t") == 0) return (quantity){"t", "s"};
  return dot ? of_model_file(name, dot + 1) : of_problem(name);
}

/* The same where the unit is known and decides: the rate of a spring is a velocity, that of a body
 * an angular velocity. unit NULL or "": not known. */
quantity quantity_in(const char *name, const char *unit) {
  static const quantity by_unit[] = {{"position", "m"}, {"velocity", "m/s"},
                                     {"angle", "rad"},  {"angular velocity", "rad/s"},
                                     {"force", "N"},    {"moment", "N m"}};
  quantity q = quantity_of(name);
  if (!unit || !*unit || strcmp(unit, q.unit) == 0) return q;
  if (strcmp(q.what, "effort") == 0) return (quantity){q.what, unit};
  for (int i = 0; i < (int)(sizeof by_unit / sizeof by_unit[0]); i++) {
    if (strcmp(unit, by_unit[i].unit) == 0) return by_unit[i];
  }
  return q;
}

/* Are kind and unit of two quantities the same texts? */
bool quantity_same(quantity a, quantity b) {
  return strcmp(a.what, b.what) == 0 && strcmp(a.unit, b.unit) == 0;
}

/* Label of an axis: "angular velocity (rad/s)", without the brackets if the unit is "". */
column_name quantity_label(quantity q) {
  column_name label;
  snprintf(label.text, sizeof label.text, *q.unit ? "%.40s (%s)" : "%.40s%s", q.what, q.unit);
  return label;
}

/* Is it a test problem of Jay and Negrut, with velocities z1, z2? These are mathematical, without
 * units. */
bool quantity_unitless_model(const ga_model *model) {
  const char *const *names = model->v_names;
  return names && ga_space_nv(model->space) == 2 && strcmp(names[0], "z1") == 0;
}

/* The same by the names of columns: z1_dot, and none that begins with x. */
bool quantity_unitless(const char *const *names, int n) {
  bool z = false, x = false;
  for (int i = 0; i < n; i++) {
    z = z || strcmp(names[i], "z1_dot") == 0;
    x = x || strncmp(names[i], "x", 1) == 0;
  }
  return z && !x;
}
