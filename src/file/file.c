/* SPDX-License-Identifier: MIT */
/* A model file as a whole: parameters, sections, repetition, run options, output. */
#include <string.h>

#include "file/private.h"

const ga_section ga_sections[] = {
    {"bodies", "rigid, planar and point bodies", ga_read_body, ga_body_fields, NULL, false},
    {"beams", "flexible bodies; nodes BEAM.start, .end, .n0, .. are bodies", ga_read_beam,
     ga_beam_fields, NULL, false},
    {"joints", "joints between bodies", ga_read_joint, ga_joint_fields, NULL, false},
    {"drives", "coordinates given as functions of time", ga_read_drive, ga_drive_fields, NULL,
     false},
    {"couplers", "relations of coordinates: gears, screws, cams", ga_read_coupler,
     ga_coupler_fields, NULL, false},
    {"ropes", "ropes over points of bodies", ga_read_rope, ga_rope_fields, NULL, false},
    {"forces", "forces on bodies and coordinates", ga_read_force, ga_force_fields, ga_force_help,
     false},
    {"contacts", "bodies that touch each other", ga_read_contact, ga_contact_fields, NULL, false},
    {"limits", "stops of coordinates, hard or soft", ga_read_limit, ga_limit_fields, NULL, false},
    {"inputs", "numbers that are set between steps", ga_read_input, ga_input_fields, NULL, true},
    {"states", "states of controllers", ga_read_state, ga_state_fields, NULL, false},
    {"controllers", "ready controllers", ga_read_controller, ga_controller_fields, NULL, false},
    {"sensors", "further columns", ga_read_sensor, ga_sensor_fields, NULL, false},
    {"assemblies", "sub-assemblies, placed and with parameters", ga_read_assembly,
     ga_assembly_fields, NULL, false},
    {"functions", "functions of shared objects, for {function: NAME, uses: [..]}",
     ga_read_library_function, ga_function_fields, NULL, false},
    {NULL, NULL, NULL, NULL, NULL, false}};

/* top-level keys that are not sections, in the order in which they are read */
static const char *const other_keys[] = {
    "genalpha",    "name",   "description", "parameters", "gravity", "formulation",
    "coordinates", "ground", "repeat",      "initial",    "run",     "output",
    "events",      "files",  "include",     "templates",  NULL};

/* All keys of a file: sections first, then other_keys; NULL past the end. */
static const char *section_name(int i) {
  enum { NSECTION = (int)(sizeof ga_sections / sizeof ga_sections[0]) - 1 };
  return i < NSECTION ? ga_sections[i].name : other_keys[i - NSECTION];
}

/* Check the version and all top-level keys of a tree, which is a map; a template has no version.
 * False: a failure is recorded in r. */
bool ga_check_head(ga_reader *r, const ga_node *root, bool version) {
  if (root->kind != GA_NODE_MAP) {
    return ga_reader_fail(r, root, "a model file is a map {key: value}");
  }
  const ga_node *number = ga_node_find(root, "genalpha");
  if (!number && version) {
    return ga_reader_fail(r, root, "'genalpha: 1', the version of the format, is missing");
  }
  if (number && (number->kind != GA_NODE_SCALAR || strcmp(number->text, "1") != 0)) {
    return ga_reader_fail(r, number, "genalpha: only version 1 of the format is known");
  }
  for (const ga_node *item = root->first; item; item = item->next) {
    int i = 0;
    while (section_name(i) && strcmp(section_name(i), item->key->text) != 0) i++;
    if (section_name(i)) continue;
    const char *near = ga_nearest_word(item->key->text, section_name);
    return ga_reader_fail(r, item->key, "unknown key '%.60s'%s%s%s", item->key->text,
                          near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
  }
  return true;
}

/* Check the head, and set file->name and file->description where the file gives them. */
static bool read_head(ga_reader *r, const ga_node *root, ga_file *file) {
  const ga_node *name = ga_node_find(root, "name"), *text = ga_node_find(root, "description");
  if (!ga_check_head(r, root, true)) return false;
  if (name && !ga_read_text(r, name, &file->name)) return false;
  return text ? ga_read_text(r, text, &file->description) : true;
}

static const char coordinate_words[] = "absolute|joint|auto"; /* as in ga_coordinates */

/* Set which coordinates the mechanism takes: those that the caller asks for, or those of the file;
 * `auto` is absolute for a mechanism that will be divided.
 * False: a failure is recorded in r. */
static bool read_coordinates(ga_reader *r, const ga_node *root) {
  static const char *const words[] = {"absolute", "joint", "auto"};
  const ga_node *node = ga_node_find(root, "coordinates"), *run = ga_node_find(root, "run");
  int which = -1;
  if (run && run->kind == GA_NODE_MAP && ga_node_find(run, "coordinates")) {
    node = ga_node_find(run, "coordinates"); /* an option of `run` may stand there, too */
  }
  ga_reader_enter(r, "coordinates");
  if (node && !ga_read_word(r, node, coordinate_words, &which)) return false;
  ga_reader_leave(r);
  const char *asked = r->options->coordinates;
  for (int i = 0; asked && i < 3; i++) {
    if (strcmp(asked, words[i]) == 0) which = i, asked = NULL;
  }
  if (asked) {
    return ga_reader_fail(r, root, "coordinates '%.40s': must be absolute, joint or auto", asked);
  }
  const bool free = which < 0 || which == GA_COORDINATES_AUTO;
  if (r->options->divided && free) which = GA_COORDINATES_ABSOLUTE;
  if (which >= 0) ga_mechanism_set_coordinates(r->m, (ga_coordinates)which);
  return true;
}

/* Set gravity (m/s^2), the default formulation and the looks of the ground of r->m where the file
 * gives them. False: a failure is recorded in r. */
static bool read_world(ga_reader *r, const ga_node *root) {
  const ga_node *gravity = ga_node_find(root, "gravity"), *form = ga_node_find(root, "formulation");
  const ga_node *ground = ga_node_find(root, "ground");
  double g[3];
  int which;
  ga_reader_enter(r, "gravity");
  if (gravity && !ga_read_numbers(r, gravity, 3, g)) return false;
  if (gravity) ga_mechanism_set_gravity(r->m, g);
  ga_reader_leave(r);
  ga_reader_enter(r, "formulation");
  if (form && !ga_read_word(r, form, "r3so3|se3", &which)) return false;
  if (form) {
    ga_mechanism_set_formulation(r->m, which ? GA_FORMULATION_SE3 : GA_FORMULATION_R3SO3);
  }
  ga_reader_leave(r);
  if (!read_coordinates(r, root)) return false;
  return ground ? ga_read_ground(r, ground) : true;
}

/* Read one section of the part that is entered, and its entries in repetitions. */
static bool read_part_section(ga_reader *r, const ga_section *s) {
  const ga_node *section = ga_node_find(r->root, s->name);
  const ga_node *repeat = ga_node_find(r->root, "repeat");
  const ga_node *initial = ga_node_find(r->root, "initial");
  if (!ga_place_part(r, s == ga_sections)) return false;
  if (section && !ga_read_section(r, s, section)) return false;
  if (repeat && !ga_read_repeat(r, repeat, s)) return false;
  /* before couplers and torsions, whose defaults are start values of coordinates */
  return initial && s->read == ga_read_joint ? ga_read_initial(r, initial) : true;
}

/* The functions of all parts, which every other section may use. */
static bool read_functions(ga_reader *r) {
  const ga_section *s = ga_sections;
  while (s->read != ga_read_library_function) s++;
  for (int i = 0; i < r->parts.count; i++) {
    ga_enter_part(r, i);
    const ga_node *section = ga_node_find(r->root, s->name);
    const ga_node *repeat = ga_node_find(r->root, "repeat");
    if (section && !ga_read_section(r, s, section)) return false;
    if (repeat && !ga_read_repeat(r, repeat, s)) return false;
    ga_leave_part(r);
  }
  return true;
}

/* Read section by section, of all parts of the model, so that bodies exist before joints, and so on;
 * everything is added to r->m. False: a failure is recorded in r. */
static bool read_sections(ga_reader *r) {
  if (!ga_read_parts(r) || !read_functions(r)) return false;
  for (const ga_section *s = ga_sections; s->name; s++) {
    if (s->read == ga_read_assembly || s->read == ga_read_library_function) continue;
    for (int i = 0; i < r->parts.count; i++) {
      ga_enter_part(r, i);
      if (!read_part_section(r, s)) return false;
      ga_leave_part(r);
    }
    if (s->read == ga_read_joint && !ga_add_joint_forces(r)) return false;
  }
  ga_mechanism_place(r->m, NULL, NULL);
  return true;
}

/* The section `files` is a map of texts; false: a failure is recorded. */
static bool check_files(ga_reader *r) {
  ga_reader_enter(r, "files");
  if (r->files->kind != GA_NODE_MAP) {
    return ga_reader_fail(r, r->files, "a map {FILE.csv: text} is expected here");
  }
  for (const ga_node *item = r->files->first; item; item = item->next) {
    if (item->kind != GA_NODE_SCALAR) return ga_reader_fail(r, item, "a text is expected here");
  }
  ga_reader_leave(r);
  return true;
}

/* Read all that comes before the build: parameters to r, sections to the mechanism r->m, run
 * options and events to *file; create the coordinates that outputs, events or the caller
 * (options->want, an expression of columns) need. False: a failure is recorded in r. */
static bool read_before_build(ga_reader *r, const ga_node *root, const ga_file_options *options,
                              ga_file *file) {
  const ga_node *parameters = ga_node_find(root, "parameters"), *run = ga_node_find(root, "run");
  const ga_node *output = ga_node_find(root, "output"), *events = ga_node_find(root, "events");
  if (r->files && !check_files(r)) return false;
  if (!ga_read_parameters(r, parameters, options)) return false;
  if (!read_world(r, root) || !read_sections(r)) return false;
  if (!ga_read_signals(r)) return false;
  if (run && !ga_read_run(r, run, file)) return false;
  if (output && !ga_want_outputs(r, output)) return false;
  if (events && !ga_read_events(r, events, file)) return false;
  return options->want ? ga_want_words(r, root, options->want) : true;
}

/* Read the whole tree into r->m and *file, build the mechanism at t = 0 (unless options->no_build),
 * then find the columns of outputs and check events. False: r->status and r->err say why; what was
 * read so far stays in *file, for the caller to free. */
static bool read_all(ga_reader *r, const ga_node *root, const ga_file_options *options,
                     ga_file *file) {
  ga_error err = {GA_OK, ""};
  if (root->kind != GA_NODE_MAP) {
    return ga_reader_fail(r, root, "a model file is a map {key: value}");
  }
  if (!ga_read_includes(r, root, &root)) return false;
  r->root = root;
  r->files = ga_node_find(root, "files");
  r->inputs = ga_node_find(root, "inputs");
  if (!read_head(r, root, file) || !read_before_build(r, root, options, file)) return false;
  if (options->no_build) return true;
  const ga_status status = ga_mechanism_build(r->m, 0, &err);
  if (status != GA_OK) {
    r->status =
        ga_fail(r->err, status == GA_ERR_ARG ? GA_ERR_FILE : status, "%s: %s", r->path, err.text);
    return false;
  }
  const ga_node *output = ga_node_find(root, "output"), *events = ga_node_find(root, "events");
  if (output && !ga_take_outputs(r, output, file)) return false;
  return events ? ga_check_events(r, events, file) : true;
}

/* *out <- the model in `text` (length bytes) or, if that is NULL, in the file at path, freed by
 * ga_file_free; NULL on failure. options may be NULL: defaults. The file owns the mechanism, its
 * functions and its parameters; path also stands in messages and is the default name. */
static ga_status load_file(const char *path, const char *text, size_t length,
                           const ga_file_options *options, ga_file **out, ga_error *err) {
  const ga_file_options none = {0};
  if (!options) options = &none;
  *out = NULL;
  ga_file *file = ga_calloc(1, sizeof *file);
  if (!file) return ga_fail(err, GA_ERR_MEM, "%s: no memory", path);
  const char *slash = strrchr(path, '/');
  char *own = ga_arena_take(&file->arena, strlen(path) + 1, 1);
  file->name = own ? strcpy(own, slash ? slash + 1 : path) : "";
  file->description = "";
  const ga_node *root = NULL;
  ga_source *source = &file->source;
  *source = (ga_source){path, text, length};
  ga_status status = text ? GA_OK : ga_read_source(path, options, &file->arena, source, err);
  if (status == GA_OK) {
    status = ga_yaml_parse(source->name, source->text, source->length, &file->arena, &root, err);
  }
  if (text) source->text = ""; /* it is the caller's */
  if (status == GA_OK) status = ga_mechanism_new(&file->mechanism);
  if (status == GA_OK) {
    ga_reader r = {.path = source->name,
                   .folder = options->folder,
                   .files = root->kind == GA_NODE_MAP ? ga_node_find(root, "files") : NULL,
                   .root = root,
                   .options = options,
                   .inputs = root->kind == GA_NODE_MAP ? ga_node_find(root, "inputs") : NULL,
                   .err = err,
                   .arena = &file->arena,
                   .m = file->mechanism};
    ga_mechanism_set_log(file->mechanism, options->log, options->log_context);
    read_all(&r, root, options, file);
    status = r.status;
    ga_free(r.joint_forces.item);
    ga_free(r.uses.item);
    ga_free(r.libraries.item); /* functions in use have their own copies */
    for (int i = 1; i < r.parts.count; i++) ga_free(r.parts.item[i].parameters.item);
    ga_free(r.parts.item);
    /* the file takes over the lists of the reader, and frees them */
    file->functions.item = r.functions.item, file->functions.count = r.functions.count;
    file->tables.item = r.tables.item, file->tables.count = r.tables.count;
    file->trees.item = r.trees.item, file->trees.count = r.trees.count;
    file->objects.item = r.objects.item, file->objects.count = r.objects.count;
    file->parameters.item = r.parameters.item, file->parameters.count = r.parameters.count;
  }
  if (status != GA_OK) {
    ga_file_free(file);
    return status;
  }
  *out = file;
  return GA_OK;
}

/* *out <- the model in the file at path, freed by ga_file_free; NULL on failure. */
ga_status ga_file_load(const char *path, const ga_file_options *options, ga_file **out,
                       ga_error *err) {
  return load_file(path, NULL, 0, options, out, err);
}

/* *out <- the model in a text of `length` bytes; NULL on failure. name stands for the path. */
ga_status ga_file_parse(const char *name, const char *text, size_t length,
                        const ga_file_options *options, ga_file **out, ga_error *err) {
  return load_file(name, text, length, options, out, err);
}

/* *event <- the i-th event, its texts owned by file; false past the end. */
bool ga_file_event_at(const ga_file *file, int i, ga_file_event *event) {
  if (i < 0 || i >= file->events.count) return false;
  *event = file->events.item[i];
  return true;
}

/* Free the file and its mechanism; file may be NULL. */
void ga_file_free(ga_file *file) {
  if (!file) return;
  ga_mechanism_free(file->mechanism);
  for (int i = 0; i < file->functions.count; i++) ga_expr_free(file->functions.item[i]);
  ga_free(file->functions.item);
  ga_free(file->parameters.item);
  ga_free(file->tables.item);
  ga_free(file->trees.item);
  ga_free(file->objects.item);
  ga_free(file->options.item);
  ga_free(file->output.item);
  ga_free(file->events.item);
  ga_arena_free(&file->arena);
  ga_free(file);
}

/* The mechanism, owned by file; built, unless it was read with no_build. */
const ga_mechanism *ga_file_mechanism(const ga_file *file) {
  return file->mechanism;
}

/* The text of the model file that was loaded; "" if it was parsed. */
const char *ga_file_text(const ga_file *file) {
  return file->source.text;
}

/* The key `name`; default: the name of the file without its folder. */
const char *ga_file_name(const ga_file *file) {
  return file->name;
}

/* The key `description`, "" if there is none. */
const char *ga_file_description(const ga_file *file) {
  return file->description;
}

/* *key, *value, *line <- the i-th option of `run` as texts owned by file, with its line in the
 * file; false past the end. */
bool ga_file_option(const ga_file *file, int i, const char **key, const char **value, int *line) {
  if (i < 0 || i >= file->options.count) return false;
  *key = file->options.item[i].key;
  *value = file->options.item[i].value;
  *line = file->options.item[i].line;
  return true;
}

/* *name, *path <- the i-th CSV file that expressions read, as they name it, and where it is; false
 * past the end. */
bool ga_file_table(const ga_file *file, int i, const char **name, const char **path) {
  if (i < 0 || i >= file->tables.count) return false;
  *name = file->tables.item[i].name;
  *path = file->tables.item[i].path;
  return true;
}

/* The path of the i-th other model file or, behind them, shared object; NULL past the end. */
const char *ga_file_part(const ga_file *file, int i) {
  const int k = i - file->trees.count;
  if (i >= 0 && k < 0) return file->trees.item[i].path;
  return k >= 0 && k < file->objects.count ? file->objects.item[k] : NULL;
}

/* Column number of the i-th entry of `output`; -1 past the end. */
int ga_file_output(const ga_file *file, int i) {
  return i >= 0 && i < file->output.count ? file->output.item[i] : -1;
}

/* *name, *value <- the i-th parameter, in the order of the file; false past the end. */
bool ga_file_parameter(const ga_file *file, int i, const char **name, double *value) {
  if (i < 0 || i >= file->parameters.count) return false;
  *name = file->parameters.item[i].name;
  *value = file->parameters.item[i].value;
  return true;
}
