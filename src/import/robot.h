/* SPDX-License-Identifier: MIT */
/* A robot while it is read: links, joints between them, and what there is to report.
 *
 * The way of a robot: xml.c makes a tree of elements, urdf.c and visual.c read links and joints from
 * it, tree.c finds the root and the order, inertia.c merges what fixed joints hold together, start.c
 * sets the joints, names.c chooses names that a model file can have, write.c writes the model file,
 * import.c calls them. All memory is in the arena of the robot. Functions that return bool return
 * false after a failure, which is recorded in the robot. */
#ifndef GA_SRC_ROBOT_H
#define GA_SRC_ROBOT_H

#include "base/buffer.h"
#include "genalpha/ga_import.h"
#include "import/xml.h"

enum { GA_LINK_GROUND = -1, GA_NO_JOINT = -1 };

/* A frame in another one. rpy are the angles of the file, R = Rz(yaw) Ry(pitch) Rx(roll); the
 * quaternion p is that of R. A pose that is a product has no angles. */
typedef struct ga_pose {
  double x[3], p[4], rpy[3];
  bool product;
} ga_pose;

/* What a picture shows of a link. */
typedef enum ga_look_shape {
  GA_LOOK_BOX,
  GA_LOOK_CYLINDER,
  GA_LOOK_SPHERE,
  GA_LOOK_MESH
} ga_look_shape;
typedef struct ga_robot_look {
  ga_look_shape shape;
  double box[3], radius, length;
  const char *mesh; /* its file, as the robot's file names it */
  double scale[3];  /* of a mesh */
  const ga_xml *node;
  const char *material; /* name, NULL: none */
  bool coloured;
  int colour;   /* 0xrrggbb */
  ga_pose pose; /* in the frame of the link */
  struct ga_robot_look *next;
} ga_robot_look;

typedef struct ga_robot_link {
  const ga_xml *node; /* NULL: the link `world` that nobody defined */
  const char *name;
  double mass, com[3], J[9]; /* J about the centre of mass, axes of the link */
  ga_robot_look *looks;
  /* set by tree.c: */
  int joint; /* to its parent, GA_NO_JOINT: the root */
  int first; /* the first joint to a child, GA_NO_JOINT: none */
  /* set by inertia.c: */
  int kept;        /* the link that it is merged into, itself if it stays, GA_LINK_GROUND */
  ga_pose in_kept; /* its frame in that of `kept` */
  int merged;      /* number of links merged into it */
  double all_mass, all_com[3], all_J[9]; /* with those */
  /* set by names.c: */
  const char *as; /* name in the model file; "ground" */
} ga_robot_link;

typedef enum ga_robot_type {
  GA_ROBOT_REVOLUTE,
  GA_ROBOT_CONTINUOUS,
  GA_ROBOT_PRISMATIC,
  GA_ROBOT_FIXED,
  GA_ROBOT_FLOATING,
  GA_ROBOT_PLANAR
} ga_robot_type;

typedef struct ga_robot_joint {
  const ga_xml *node;
  const char *name;
  ga_robot_type type;
  int parent, child; /* links */
  ga_pose origin;    /* of the child's frame in the parent's, where the variable is 0 */
  double axis[3];    /* of length 1, in the child's frame */
  double damping, friction;
  ga_given lower, upper, effort, velocity;
  const ga_xml *limit; /* NULL: none */
  const ga_xml *mimic; /* NULL: it moves by itself */
  int master;
  double multiplier, offset;
  int next; /* the next joint of the same parent, GA_NO_JOINT: none */
  /* set by start.c: */
  double value[3], rate[3]; /* of its coordinates */
  double turns;
  const char *as; /* name in the model file */
} ga_robot_joint;

/* Things that a mechanism has no use for, counted. */
#define GA_UNUSED_LIST(X)                                        \
  X(GA_UNUSED_MESH, "mesh", "meshes")                            \
  X(GA_UNUSED_COLLISION, "collision", "collisions")              \
  X(GA_UNUSED_LIMIT, "limit", "limits")                          \
  X(GA_UNUSED_FRICTION, "friction", "frictions")                 \
  X(GA_UNUSED_TRANSMISSION, "transmission", "transmissions")     \
  X(GA_UNUSED_GAZEBO, "gazebo element", "gazebo elements")       \
  X(GA_UNUSED_SENSOR, "sensor", "sensors")                       \
  X(GA_UNUSED_MUJOCO, "mujoco element", "mujoco elements")       \
  X(GA_UNUSED_DRAKE, "drake element", "drake elements")          \
  X(GA_UNUSED_SAFETY, "safety_controller", "safety_controllers") \
  X(GA_UNUSED_CALIBRATION, "calibration", "calibrations")        \
  X(GA_UNUSED_TEXTURE, "texture", "textures")
typedef enum ga_unused {
#define GA_UNUSED_ENUM(name, one, many) name,
  GA_UNUSED_LIST(GA_UNUSED_ENUM)
#undef GA_UNUSED_ENUM
      GA_UNUSED_COUNT
} ga_unused;

/* A line of the report; lines of the same text are counted. */
typedef struct ga_report_line {
  ga_log_level level;
  const char *text;
  int line, column; /* of its first element; 0: of none */
  int count;
} ga_report_line;
/* Beyond this no number is of a robot, and mass times length^2 times rate^2 would not be finite. */
extern const double GA_ROBOT_LARGEST;
enum { GA_REPORT_MAX = 60 };

typedef struct ga_robot {
  const char *path;
  const ga_import_options *options;
  ga_arena *arena;
  ga_error *err;
  ga_status status;
  const ga_xml *root_element;
  const char *name;
  ga_robot_link *links;
  ga_robot_joint *joints;
  int nlink, njoint, root;
  int *order; /* links, each behind its parent, the branches one after the other */
  int unused[GA_UNUSED_COUNT];
  ga_report_line report[GA_REPORT_MAX];
  int nreport, unreported;
} ga_robot;

/* ---- messages (report.c) -------------------------------------------------------------------- */

/* Fail with "PATH:LINE:COLUMN: robot/joint[elbow]/axis: ..", only the first failure is kept.
 * element NULL: without a position. Returns false. */
bool ga_robot_fail(ga_robot *r, const ga_xml *element, const char *format, ...) GA_PRINTF(3, 4);
bool ga_robot_no_memory(ga_robot *r);
/* Report what is odd or left out about an element (NULL: about none). With --strict it is a failure. */
bool ga_robot_report(ga_robot *r, ga_log_level level, const ga_xml *element, const char *format,
                     ...) GA_PRINTF(4, 5);
/* Report a decision, by which nothing is lost. */
bool ga_robot_note(ga_robot *r, const ga_xml *element, const char *format, ...) GA_PRINTF(3, 4);
/* Count something that is not used, with its element. With --strict it is a failure. */
bool ga_robot_unused(ga_robot *r, ga_unused what, const ga_xml *element);
/* A copy of a text in the arena with control characters replaced; "" without memory. */
const char *ga_robot_text(ga_robot *r, const char *text);

/* ---- reading -------------------------------------------------------------------------------- */

/* numbers.c: the attribute of an element as n numbers. Not given: x stays, *given (NULL allowed) is
 * false, and it fails if it is required. */
bool ga_robot_numbers(ga_robot *r, const ga_xml *element, const char *attribute, int n, double *x,
                      bool required, bool *given);
bool ga_robot_number(ga_robot *r, const ga_xml *element, const char *attribute, ga_given *x);
/* the `origin` inside an element; the identity if there is none */
bool ga_robot_origin(ga_robot *r, const ga_xml *element, ga_pose *pose);
/* a name, which must be there, not be empty and have no xacro left in it; NULL after a failure */
const char *ga_robot_name(ga_robot *r, const ga_xml *element, const char *attribute);

/* words.c: report elements and attributes that are not known, count those without a use */
bool ga_robot_check_words(ga_robot *r, const ga_xml *element);
/* urdf.c, visual.c: links and joints of r->root_element */
bool ga_robot_read_urdf(ga_robot *r);
bool ga_robot_read_looks(ga_robot *r, ga_robot_link *link);
bool ga_robot_colour_looks(ga_robot *r);

/* tree.c: parents and children; root and order; false unless it is one tree */
bool ga_robot_find_tree(ga_robot *r);

/* inertia.c: check what links weigh, merge those on fixed joints, refuse what moves without inertia */
bool ga_robot_merge(ga_robot *r);
/* start.c: start values of the options, mimic joints, turns */
bool ga_robot_set_start(ga_robot *r);
/* names.c: link->as, joint->as */
bool ga_robot_choose_names(ga_robot *r);
/* write.c: the model file */
void ga_robot_write(ga_robot *r, ga_buffer *to);
/* report.c: the lines as texts, the first one with the counts. Returns their number. */
int ga_robot_report_lines(ga_robot *r, const char **lines, ga_log_level *levels, int room);

/* ---- small things --------------------------------------------------------------------------- */

/* pose = identity; c = a b, the pose b in the frame a; the quaternion of angles rpy */
void ga_pose_identity(ga_pose *pose);
void ga_pose_product(const ga_pose *a, const ga_pose *b, ga_pose *c);
void ga_pose_turn(const double rpy[3], double p[4]);
bool ga_pose_is_identity(const ga_pose *pose);

/* Does the joint move (it is not merged)? Number of its coordinates and their names. */
static inline bool ga_robot_moves(const ga_robot_joint *j) {
  return j->type != GA_ROBOT_FIXED;
}
int ga_robot_coordinates(const ga_robot_joint *j);
const char *ga_robot_coordinate(const ga_robot_joint *j, int k);
/* Is a link a free body: the root that floats, or the child of a floating joint? */
bool ga_robot_is_free(const ga_robot *r, int link);
/* The root link is a body: it floats. */
bool ga_robot_floats(const ga_robot *r);

/* names.c: a table of names with numbers. Begins by ga_name_table_new. */
typedef struct ga_name_table {
  const char **name;
  int *number;
  size_t room; /* a power of two, more than twice the names */
} ga_name_table;
bool ga_name_table_new(ga_robot *r, size_t most, ga_name_table *table);
/* the number of a name, where it may be changed; NULL: it is not there */
int *ga_name_table_find(const ga_name_table *table, const char *name);
/* name is borrowed */
void ga_name_table_add(ga_name_table *table, const char *name, int number);

#endif
