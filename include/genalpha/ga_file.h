/* SPDX-License-Identifier: MIT */
/* Model files: a mechanism described in YAML (or JSON), docs/reference/models.md. */
#ifndef GA_FILE_H
#define GA_FILE_H

#include <genalpha/ga_mechanism.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A file that has been read: owns its mechanism and all texts. */
typedef struct ga_file ga_file;

/* Replace parameters of the file: `value` is an expression, which may use parameters above it. */
typedef struct ga_file_set {
  const char *name, *value;
} ga_file_set;

/* A function of the program that a file calls by its name, {function: NAME, uses: [signals]}, at every
 * place where an expression may stand. fn gives derivatives (ga_mechanism.h); or value alone, which is
 * then differentiated by central differences. Variables are those of the place, then the signals. Both
 * must not change shared data: runs in several threads call them at once. */
typedef struct ga_file_function {
  const char *name;
  ga_function_fn fn;
  double (*value)(void *context, int n, const double *variables);
  void *context; /* borrowed, must outlive the file */
} ga_file_function;

/* How a file is read; zero is fine. */
typedef struct ga_file_options {
  const ga_file_set *set;
  int nset;
  const char *want;        /* an expression of columns: coordinates it names will exist; or NULL */
  const char *folder;      /* of files that expressions name; NULL: that of the model file */
  const char *coordinates; /* "absolute", "joint", "auto" instead of the key of the file; or NULL */
  bool divided;            /* it is for ga_partition_new: coordinates: auto takes absolute ones */
  bool no_build; /* stop before the build: the mechanism can be drawn (ga_drawable.h), not run */
  ga_log_fn log; /* receives warnings */
  void *log_context;
  const ga_file_function *functions; /* copied */
  int nfunctions;
  bool libraries; /* the section `functions` may load shared objects, which may do anything */
} ga_file_options;

/* Read a file and build its mechanism at t = 0. The file of a robot (ga_import_named) is imported
 * with the options that are zero; log receives one line about it, and warnings. Messages begin with
 * PATH:LINE:COLUMN and the path inside the file, and say what was expected. options may be NULL. */
GA_API ga_status ga_file_load(const char *path, const ga_file_options *options, ga_file **out,
                              ga_error *err);
/* The same of a text in memory; name stands for the path. */
GA_API ga_status ga_file_parse(const char *name, const char *text, size_t length,
                               const ga_file_options *options, ga_file **out, ga_error *err);
GA_API void ga_file_free(ga_file *file);

GA_API const ga_mechanism *ga_file_mechanism(const ga_file *file);
GA_API const char *ga_file_name(const ga_file *file);        /* name, or the file's own */
GA_API const char *ga_file_description(const ga_file *file); /* "" if there is none */
/* The text of the model file that was loaded, of a robot what it became; "" if it was parsed. */
GA_API const char *ga_file_text(const ga_file *file);

/* The section `run`: the i-th option as `genalpha run` knows it, and where it stands; false past
 * the end. */
GA_API bool ga_file_option(const ga_file *file, int i, const char **key, const char **value,
                           int *line);
/* The section `output`: the i-th column chosen, -1 past the end. Without it all usual ones. */
GA_API int ga_file_output(const ga_file *file, int i);
/* The section `parameters`, in order; false past the end. */
GA_API bool ga_file_parameter(const ga_file *file, int i, const char **name, double *value);

/* The CSV files that expressions read, table(x, "FILE.csv", "column"): the i-th as it is named, and
 * its path; false past the end. Texts of the section `files` are not among them. */
GA_API bool ga_file_table(const ga_file *file, int i, const char **name, const char **path);
/* The path of the i-th file that it needs besides: model files that it includes or has as an
 * assembly, shared objects of `functions`; NULL past the end. */
GA_API const char *ga_file_part(const ga_file *file, int i);

/* The section `events`: the i-th, false past the end. ga_watch_new makes events of an integrator of
 * them; `when` has been checked. */
typedef struct ga_file_event {
  const char *name, *when;
  ga_direction direction;
  bool stop;
} ga_file_event;
GA_API bool ga_file_event_at(const ga_file *file, int i, ga_file_event *event);

/* The file as it stands, as JSON; all scalars are texts, as nothing in a model file has another
 * type. Only the YAML is checked. */
GA_API ga_status ga_file_json(const char *path, FILE *to, ga_error *err);

/* JSON Schema of the format, made from the tables that the reader uses. */
GA_API void ga_file_schema(FILE *to);
/* Joints and fields as Markdown tables, from the same source. */
GA_API void ga_file_tables(FILE *to);

#ifdef __cplusplus
}
#endif
#endif
