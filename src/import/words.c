/* SPDX-License-Identifier: MIT */
/* The words of URDF: which elements and attributes there are, which of them a mechanism has no use
 * for, and which are not known. */
#include <string.h>

#include "import/robot.h"

/* What may stand in an element; the lists end with NULL. */
static const struct rule {
  const char *element, *attributes[8], *elements[12];
} rules[] = {
    {"robot",
     {"name", "version"},
     {"link", "joint", "material", "transmission", "gazebo", "sensor", "mujoco"}},
    {"link", {"name", "type"}, {"inertial", "visual", "collision", "sensor"}},
    {"inertial", {NULL}, {"origin", "mass", "inertia"}},
    {"origin", {"xyz", "rpy"}, {NULL}},
    {"mass", {"value"}, {NULL}},
    {"inertia", {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"}, {NULL}},
    {"visual", {"name"}, {"origin", "geometry", "material"}},
    {"geometry", {NULL}, {"box", "cylinder", "sphere", "mesh"}},
    {"box", {"size"}, {NULL}},
    {"cylinder", {"radius", "length"}, {NULL}},
    {"sphere", {"radius"}, {NULL}},
    {"mesh", {"filename", "scale"}, {NULL}},
    {"material", {"name"}, {"color", "texture"}},
    {"color", {"rgba"}, {NULL}},
    {"joint",
     {"name", "type"},
     {"origin", "parent", "child", "axis", "dynamics", "limit", "mimic", "safety_controller",
      "calibration"}},
    {"parent", {"link"}, {NULL}},
    {"child", {"link"}, {NULL}},
    {"axis", {"xyz"}, {NULL}},
    {"dynamics", {"damping", "friction"}, {NULL}},
    {"limit", {"lower", "upper", "effort", "velocity"}, {NULL}},
    {"mimic", {"joint", "multiplier", "offset"}, {NULL}},
};
enum { NRULE = (int)(sizeof rules / sizeof rules[0]) };

/* elements that may stand beside others of their name */
static const char *const several[] = {"link",   "joint",  "material", "transmission", "gazebo",
                                      "sensor", "mujoco", "visual",   "collision",    NULL};

/* Elements without a use; what is inside them is not checked. */
static const struct {
  const char *element;
  ga_unused what;
} unused[] = {{"collision", GA_UNUSED_COLLISION},     {"transmission", GA_UNUSED_TRANSMISSION},
              {"gazebo", GA_UNUSED_GAZEBO},           {"sensor", GA_UNUSED_SENSOR},
              {"mujoco", GA_UNUSED_MUJOCO},           {"safety_controller", GA_UNUSED_SAFETY},
              {"calibration", GA_UNUSED_CALIBRATION}, {"texture", GA_UNUSED_TEXTURE}};
enum { NUNUSED = (int)(sizeof unused / sizeof unused[0]) };

/* Is the word in a list that ends with NULL? */
static bool is_in(const char *const *list, const char *word) {
  while (*list && strcmp(*list, word) != 0) list++;
  return *list != NULL;
}

/* A candidate for ga_nearest_in. */
static const char *word_at(const void *list, int i) {
  return ((const char *const *)list)[i];
}

/* Report a word that is not known, with the nearest one of the list. */
static bool report_unknown(ga_robot *r, const ga_xml *where, const char *what, const char *word,
                           const char *const *list) {
  const char *near = ga_nearest_in(word, word_at, list);
  return ga_robot_report(r, GA_LOG_INFO, where, "unknown %s '%.40s' is left out%s%s%s", what, word,
                         near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* Check an element inside `parent`: is it known there, and the only one of its name? *visit: what is
 * inside it is to be checked, too. */
static bool check_child(ga_robot *r, const ga_xml *child, const struct rule *rule, bool *visit) {
  *visit = false;
  if (strncmp(child->name, "xacro:", 6) == 0) {
    return ga_robot_fail(r, child, "an element of xacro is left in the file: run xacro first");
  }
  for (int i = 0; i < NUNUSED; i++) {
    if (strcmp(unused[i].element, child->name) == 0 && is_in(rule->elements, child->name)) {
      return ga_robot_unused(r, unused[i].what, child);
    }
  }
  if (strncmp(child->name, "drake:", 6) == 0) return ga_robot_unused(r, GA_UNUSED_DRAKE, child);
  if (!is_in(rule->elements, child->name)) {
    return report_unknown(r, child->parent, "element", child->name, rule->elements);
  }
  if (!is_in(several, child->name) && ga_xml_child(child->parent, child->name) != child) {
    return ga_robot_fail(r, child, "a second '%s'; the first is in line %d", child->name,
                         ga_xml_child(child->parent, child->name)->line);
  }
  *visit = true;
  return true;
}

/* Check all words inside an element whose name is known; the depth of the recursion is that of the
 * rules. */
bool ga_robot_check_words(ga_robot *r, const ga_xml *element) {
  int k = 0;
  while (k < NRULE && strcmp(rules[k].element, element->name) != 0) k++;
  if (k == NRULE) return true;
  for (const char *const *a = element->attributes; *a; a += 2) {
    if (is_in(rules[k].attributes, a[0]) || strncmp(a[0], "xmlns", 5) == 0) continue;
    if (strncmp(a[0], "drake:", 6) == 0 || strncmp(a[0], "xml:", 4) == 0) continue;
    if (!report_unknown(r, element, "attribute", a[0], rules[k].attributes)) return false;
  }
  for (const ga_xml *child = element->first; child; child = child->next) {
    bool visit;
    if (!check_child(r, child, &rules[k], &visit)) return false;
    if (visit && !ga_robot_check_words(r, child)) return false;
  }
  return true;
}
