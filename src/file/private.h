/* SPDX-License-Identifier: MIT */
/* A file that has been read, and the functions of its reader. */
#ifndef GA_SRC_FILE_H
#define GA_SRC_FILE_H

#include "file/reader.h"

enum { GA_SET_MAX = 64 };

/* An option of `run`: texts, and its line in the file. */
typedef struct {
  const char *key, *value;
  int line;
} run_option;

/* The text of a model: that of a model file, or what a robot becomes. */
typedef struct ga_source {
  const char *name; /* for messages about lines of the text */
  const char *text;
  size_t length;
} ga_source;
/* source.c: *source <- the text behind a path, in the arena. options (NULL allowed): log receives
 * warnings about a robot. */
ga_status ga_read_source(const char *path, const ga_file_options *options, ga_arena *arena,
                         ga_source *source, ga_error *err);

struct ga_file {
  ga_arena arena;
  ga_source source;
  ga_mechanism *mechanism;
  const char *name, *description;
  GA_LIST(ga_expr *) functions;
  GA_LIST(ga_parameter) parameters;
  GA_LIST(ga_table_file) tables;
  GA_LIST(ga_file_tree) trees;
  GA_LIST(const char *) objects; /* paths of shared objects */
  GA_LIST(run_option) options;
  GA_LIST(int) output;
  GA_LIST(ga_file_event) events;
};

/* Help of a field of a section: a constant, or text (room bytes) for sections that compose it. */
enum { GA_HELP_ROOM = 300 };
const char *ga_field_help(const ga_section *s, const ga_field *f, char *text, size_t room);

/* parameters.c: those of the file, replaced by those of the caller */
bool ga_read_parameters(ga_reader *r, const ga_node *node, const ga_file_options *options);

/* a copy of the node, with the caller's value if there is one for its key; used may be NULL */
ga_node ga_replaced_by_set(const ga_node *node, const ga_file_set *set, int nset, bool *used);

/* section initial: assembly, fixed bodies, start values of coordinates */
bool ga_read_initial(ga_reader *r, const ga_node *node);

/* outputs.c: run options, columns and events. ga_take_outputs and ga_check_events come after the
 * build, which names the columns; the others before it. */
/* The i-th key of `run`, written with _; false past the end. */
typedef struct ga_run_key {
  char text[40];
  const char *help;
} ga_run_key;
bool ga_run_key_at(int i, ga_run_key *key);
extern const ga_field ga_event_fields[];
bool ga_read_run(ga_reader *r, const ga_node *node, ga_file *file);
bool ga_want_words(ga_reader *r, const ga_node *node, const char *text);
bool ga_want_outputs(ga_reader *r, const ga_node *node);
bool ga_take_outputs(ga_reader *r, const ga_node *node, ga_file *file);
bool ga_read_events(ga_reader *r, const ga_node *node, ga_file *file);
bool ga_check_events(ga_reader *r, const ga_node *node, const ga_file *file);
/* parameters.c: false, with a failure, unless the key can name a parameter or an index */
bool ga_valid_name(ga_reader *r, const ga_node *key);
/* the i-th word that cannot be a name of a parameter; NULL past the end */
const char *ga_reserved_word(int i);

#endif
