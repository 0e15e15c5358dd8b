/* SPDX-License-Identifier: MIT */
/* Reading the tree of a model file: line and column in messages, expressions, tables of fields.
 *
 * A section of the file is a table of fields. The tables are read by ga_read_fields, printed as
 * JSON Schema by schema.c and as text by the documentation; there is no second list. */
#ifndef GA_SRC_READER_H
#define GA_SRC_READER_H

#include "base/expr.h"
#include "file/yaml.h"
#include "genalpha/ga_file.h"
#include "genalpha/ga_placement.h"
#include "mechanism/mechanism.h"

typedef struct ga_parameter {
  const char *name;
  double value;
} ga_parameter;

enum { GA_WHERE_MAX = 24, GA_INDEX_MAX = 8, GA_WORD_ROOM = 200, GA_INCLUDE_MAX = 32 };

/* A spring, damper or limit on a coordinate of a joint, as the joint's keys give it; it is added to
 * the mechanism when the start values are known. Names and texts belong to the file's arena. */
typedef struct ga_joint_force {
  const char *joint; /* for messages */
  const ga_node *node;
  ga_force force;
} ga_joint_force;

/* A function that uses signals, and where it stands: the names are checked when all is read. */
typedef struct ga_reader_use {
  const char *const *names;
  const ga_node *node;
} ga_reader_use;

/* A CSV file that an expression reads. */
typedef struct ga_table_file {
  const char *name, *path;
} ga_table_file;

typedef struct ga_parameter_list {
  ga_parameter *item;
  int count, room;
} ga_parameter_list;

/* A sub-assembly: a tree of its own with parameters, the prefix of its names, and where it stands
 * (assembly.c). Number 0 is the model file itself. */
typedef struct ga_part {
  const char *name, *prefix; /* prefix: "" or NAME_ */
  int parent;                /* -1: none */
  const ga_node *root, *entry;
  ga_parameter_list parameters;
  ga_placement place, base; /* in its parent, or in the body `in`; in space */
  const char *in;           /* NULL: its parent */
  bool placed, moving;      /* base is not that of space; it has a velocity */
} ga_part;

/* A file that has been read as a tree. */
typedef struct ga_file_tree {
  const char *path;
  const ga_node *root;
} ga_file_tree;

typedef struct ga_reader {
  const char *path;
  const char *folder;     /* of files that expressions name; NULL: that of path */
  const ga_node *inputs;  /* the section `inputs`; NULL: none */
  const ga_file_set *set; /* values of the caller for parameters and inputs, nset of them */
  int nset;
  const ga_node *files; /* the section `files`: texts by name, in place of files; NULL: none */
  ga_error *err;
  ga_status status;
  ga_arena *arena; /* of the file: lives as long as the mechanism */
  ga_mechanism *m;
  ga_parameter_list parameters; /* of the part that is read */
  GA_LIST(ga_expr *) functions;
  GA_LIST(ga_table_file) tables;
  GA_LIST(ga_joint_force) joint_forces;
  GA_LIST(ga_reader_use) uses;
  GA_LIST(ga_file_function) libraries; /* of the sections `functions`, with full names */
  GA_LIST(const char *) objects;       /* the paths of their shared objects */
  const ga_file_options *options;
  const ga_node *root; /* of the part that is read */
  GA_LIST(ga_part) parts;
  GA_LIST(ga_file_tree) trees;
  int part;           /* the one that is read, */
  const char *prefix; /* of its names */
  const char *open[GA_INCLUDE_MAX];
  int nopen; /* paths of files that are being included, the last one innermost */
  ga_parameter index[GA_INDEX_MAX]; /* of repetitions, the innermost last */
  int nindex;
  const ga_node *later; /* the map of parameters while it is read; NULL otherwise */
  const char *below;    /* a parameter of it, not yet defined, that an expression mentions */
  long elements;        /* made by repetitions so far */
  /* where in the file: words of the path */
  char where[GA_WHERE_MAX][64];
  int depth;
  /* bodies of the element that is being read */
  const char *between[2];
  bool planar;
} ga_reader;

/* Fail with "PATH:LINE:COLUMN: bodies.crank.mass: ..."; only the first failure is kept. Returns
 * false. ga_reader_enter and ga_reader_leave append a word to this position and remove it. */
bool ga_reader_fail(ga_reader *r, const ga_node *node, const char *format, ...) GA_PRINTF(3, 4);
void ga_reader_enter(ga_reader *r, const char *word);
void ga_reader_leave(ga_reader *r);

/* ---- parts of a model (assembly.c), files (include.c) ---------------------------------------- */

/* *tree <- the tree of a file that a node names, relative to the node's file, with what it includes */
bool ga_read_tree(ga_reader *r, const ga_node *node, const char *name, const ga_node **tree);
/* the tree with the files of its key `include`; false after a failure */
bool ga_read_includes(ga_reader *r, const ga_node *root, const ga_node **merged);
/* keeps name and path of a file in r->tables, once; GA_ERR_MEM without memory */
ga_status ga_keep_table(ga_reader *r, const char *name, const char *path, ga_error *err);
/* Version and keys of a tree; a template needs no version. */
bool ga_check_head(ga_reader *r, const ga_node *root, bool version);
bool ga_read_assembly(ga_reader *r, const char *name, const ga_node *node);
/* Finds all parts of the model, part 0 given. */
bool ga_read_parts(ga_reader *r);
/* Makes part i the one that is read, and leaves it again. Its place holds from ga_place_part on. */
void ga_enter_part(ga_reader *r, int i);
void ga_leave_part(ga_reader *r);
bool ga_place_part(ga_reader *r, bool first);
/* the name of an element of the part that is read, in `full` (room bytes) if it has a prefix */
const char *ga_full_name(const ga_reader *r, const char *name, char *full, size_t room);
/* parameters.c: those of the part that is read, a map or NULL; set: values in place of its own */
bool ga_read_part_parameters(ga_reader *r, const ga_node *node, const ga_file_set *set, int nset,
                             bool *used);

/* ---- values; each returns false after a failure --------------------------------------------- */

bool ga_read_number(ga_reader *r, const ga_node *node, double *x);
/* hint for the message about a list that is too long because of a function's commas, or "" */
const char *ga_comma_hint(const ga_node *list);
bool ga_read_numbers(ga_reader *r, const ga_node *node, int n, double *x);
/* a vector of 3, or of 2 for planar bodies, with z = 0 */
bool ga_read_vector(ga_reader *r, const ga_node *node, double x[3]);
/* a text as it is; a name, with {expressions} filled in */
bool ga_read_text(ga_reader *r, const ga_node *node, const char **text);
bool ga_read_name(ga_reader *r, const ga_node *node, const char **name);
/* a copy in the file's arena; "" without memory, which is a name that nobody accepts */
const char *ga_reader_text(ga_reader *r, const char *text);
bool ga_read_flag(ga_reader *r, const ga_node *node, bool *flag);
/* one of "a|b|c": its number */
bool ga_read_word(ga_reader *r, const ga_node *node, const char *words, int *which);
/* an expression of the variables and of signals, kept as a function; signals are found by
 * ga_read_signals, when all is read */
bool ga_read_function(ga_reader *r, const ga_node *node, const ga_variable *variables,
                      ga_function *f);
bool ga_read_signals(ga_reader *r);
/* the same of a map {function: NAME, uses: [..]}, a function of the caller (read_function.c) */
bool ga_read_own_function(ga_reader *r, const ga_node *map, const ga_variable *variables,
                          ga_function *f);

/* ---- fields --------------------------------------------------------------------------------- */

typedef struct ga_field ga_field;
typedef bool (*ga_field_reader)(ga_reader *r, const ga_field *field, const ga_node *node,
                                void *out);
struct ga_field {
  const char *key;
  const char *form; /* form of its value: a name of schema.c */
  const char *help;
  ga_field_reader read;
  size_t at;         /* offset in the target */
  const char *words; /* of a choice, "a|b" */
  bool required;
  /* SI unit of its numbers, NULL: none (a name, a direction, an angle). q stands for the unit of the
   * coordinate: m or rad; m for a spring; m, m, m, rad, rad, rad for the directions of a bushing */
  const char *unit;
};

/* readers for tables; the target's type in the comment */
bool ga_field_number(ga_reader *r, const ga_field *f, const ga_node *node, void *out); /* double */
bool ga_field_given(ga_reader *r, const ga_field *f, const ga_node *node, void *out); /* ga_given */
bool ga_field_name(ga_reader *r, const ga_field *f, const ga_node *node,
                   void *out); /* const char * */
bool ga_field_text(ga_reader *r, const ga_field *f, const ga_node *node,
                   void *out); /* const char * */
bool ga_field_flag(ga_reader *r, const ga_field *f, const ga_node *node, void *out); /* bool */
bool ga_field_vector(ga_reader *r, const ga_field *f, const ga_node *node,
                     void *out); /* double[3] */
bool ga_field_choice(ga_reader *r, const ga_field *f, const ga_node *node, void *out); /* int */
bool ga_field_between(ga_reader *r, const ga_field *f, const ga_node *node,
                      void *out);                                                     /* names, 2 */
bool ga_field_point(ga_reader *r, const ga_field *f, const ga_node *node, void *out); /* ga_point */
bool ga_field_own_point(ga_reader *r, const ga_field *f, const ga_node *node, void *out); /* on A */
bool ga_field_of_time(ga_reader *r, const ga_field *f, const ga_node *node,
                      void *out); /* ga_function */
bool ga_field_of_time3(ga_reader *r, const ga_field *f, const ga_node *node, void *out); /* three */
bool ga_field_of_state(ga_reader *r, const ga_field *f, const ga_node *node,
                       void *out); /* ga_function */

bool ga_field_curve(ga_reader *r, const ga_field *f, const ga_node *node,
                    void *out); /* ga_function[3] */
/* fail at the node unless the body has been added or is the ground */
bool ga_check_body(ga_reader *r, const ga_node *node, const char *body);

/* Read every key of a map into target by its table, which ends with key NULL. */
bool ga_read_fields(ga_reader *r, const ga_node *map, const ga_field *fields, void *target);

/* The same of a map inside an element, whose bodies (r->between) are known. */
bool ga_read_inner_fields(ga_reader *r, const ga_node *map, const ga_field *fields, void *target);

/* ---- sections ------------------------------------------------------------------------------- */

/* Read one entry of a section, its name and its node, and add it to r->m. */
typedef bool (*ga_item_reader)(ga_reader *r, const char *name, const ga_node *node);
typedef struct ga_section {
  const char *name, *help;
  ga_item_reader read;
  const ga_field *fields; /* of an entry */
  /* help of a field, composed in text; NULL: its own */
  const char *(*help_of)(const ga_field *field, char *text, size_t room);
  bool number; /* an entry may be the number of its first field alone */
} ga_section;
extern const ga_section ga_sections[]; /* bodies, joints, .. ; ends with name NULL */
bool ga_read_section(ga_reader *r, const ga_section *section, const ga_node *node);
/* read the entries of one section in the repetitions of a list */
bool ga_read_repeat(ga_reader *r, const ga_node *list, const ga_section *section);

/* p <- the quaternion of an orientation in any of its forms */
bool ga_read_orientation(ga_reader *r, const ga_node *node, double *p);

/* path <- where a file that the model names is; false: it does not fit */
bool ga_reader_path(const ga_reader *r, const char *from, const char *name, size_t room,
                    char *path);

/* Shapes (read_shape.c): the look, the volume, and moments of inertia J for mass 1. */
typedef struct ga_shape_input {
  ga_body_look look;
  ga_given density;
  double volume, J[3];
} ga_shape_input;
bool ga_read_shape(ga_reader *r, const ga_node *node, ga_shape_input *out);
/* Looks (read_look.c): one, or a list, into body->look and body->more_looks. The first may give a
 * colour only; then it keeps the shape that is there. ga_read_ground: those of the ground. */
bool ga_read_looks(ga_reader *r, const ga_node *node, ga_body *body);
bool ga_read_ground(ga_reader *r, const ga_node *node);
/* one entry box: .., cylinder: .., of a shape or look; `look`: which keys a message suggests */
bool ga_read_shape_entry(ga_reader *r, const ga_node *item, bool look, ga_shape_input *out);

bool ga_read_body(ga_reader *r, const char *name, const ga_node *node);
bool ga_read_beam(ga_reader *r, const char *name, const ga_node *node);
bool ga_read_joint(ga_reader *r, const char *name, const ga_node *node);
bool ga_read_drive(ga_reader *r, const char *name, const ga_node *node);
bool ga_read_coupler(ga_reader *r, const char *name, const ga_node *node);
bool ga_read_rope(ga_reader *r, const char *name, const ga_node *node);
/* a map {COORDINATE: coefficient}: its terms, in the file's arena (read_relation.c) */
bool ga_read_sum(ga_reader *r, const ga_node *map, int *n, const char *const **names,
                 const double **factors);
const char *ga_force_help(const ga_field *field, char *text, size_t room);
bool ga_read_force(ga_reader *r, const char *name, const ga_node *node);
bool ga_read_limit(ga_reader *r, const char *name, const ga_node *node);
bool ga_read_contact(ga_reader *r, const char *name, const ga_node *node);

/* Keys of a joint that act on its coordinates: nodes, NULL: not given. ga_read_on_coordinates keeps
 * their forces in r->joint_forces; ga_add_joint_forces adds them to r->m, after `initial`. */
typedef struct ga_on_coordinates {
  const ga_node *stiffness, *damping, *free, *inertia, *friction, *limits;
} ga_on_coordinates;
bool ga_read_on_coordinates(ga_reader *r, const char *joint, const char *type, const ga_node *node,
                            const ga_on_coordinates *on);
bool ga_add_joint_forces(ga_reader *r);
bool ga_read_sensor(ga_reader *r, const char *name, const ga_node *node);
bool ga_read_input(ga_reader *r, const char *name, const ga_node *node);
bool ga_read_state(ga_reader *r, const char *name, const ga_node *node);
bool ga_read_controller(ga_reader *r, const char *name, const ga_node *node);
bool ga_read_library_function(ga_reader *r, const char *name, const ga_node *node);
extern const ga_field ga_function_fields[], ga_assembly_fields[], ga_input_fields[],
    ga_state_fields[], ga_controller_fields[], ga_body_fields[], ga_beam_fields[],
    ga_joint_fields[], ga_drive_fields[], ga_coupler_fields[], ga_rope_fields[], ga_force_fields[],
    ga_contact_fields[], ga_limit_fields[], ga_sensor_fields[];

/* the status of a call of the mechanism; a failure gets the line and column of the node */
bool ga_reader_accept(ga_reader *r, const ga_node *node, ga_status status, const ga_error *err);

#endif
