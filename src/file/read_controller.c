/* SPDX-License-Identifier: MIT */
/* Inputs, states of controllers and ready controllers in a model file. Functions return false after a
 * failure, which is recorded in r; then nothing is added.
 *
 *   pid     e = target - input,  I' = ki e,  z' = (e - z)/filter
 *           NAME = kp e + I + kd (e - z)/filter, at most `limit` in size, perhaps sampled
 *   servo   e = target - theta,  I' = ki e
 *           effort on theta = kp e + I - kd theta', at most `limit` in size
 *
 * I has the unit of the output, so that its size does not depend on the unit of time.
 *
 * Both are made of sensors (NAME_error, NAME), states (NAME_integral, NAME_filtered) and, for a servo,
 * a torsion NAME. */
#include <stdio.h>
#include <string.h>

#include "file/private.h"

const ga_field ga_input_fields[] = {{"value", "number", "value at first", ga_field_number,
                                     offsetof(ga_input, value), NULL, false, "1"},
                                    {.key = NULL}};

/* True unless a parameter has this name: expressions could mean either. */
static bool check_parameters(ga_reader *r, const char *name, const ga_node *node) {
  for (int i = 0; i < r->parameters.count; i++) {
    if (strcmp(r->parameters.item[i].name, name) != 0) continue;
    return ga_reader_fail(r, node->key, "'%s' is a parameter, too: rename one of them", name);
  }
  return true;
}

/* Read an entry of `inputs`, a number or {value: number}, and add it to r->m; a value of the caller
 * (--set) takes the place of the file's. */
bool ga_read_input(ga_reader *r, const char *name, const ga_node *node) {
  ga_input input = {.name = NULL};
  ga_error err = {GA_OK, ""};
  if (!check_parameters(r, name, node)) return false;
  const ga_node own = ga_replaced_by_set(node, r->set, r->nset, NULL);
  node = &own;
  if (node->kind == GA_NODE_SCALAR ? !ga_read_number(r, node, &input.value)
                                   : !ga_read_fields(r, node, ga_input_fields, &input)) {
    return false;
  }
  input.name = name;
  return ga_reader_accept(r, node, ga_mechanism_add_input(r->m, &input, &err), &err);
}

#define AT(member) offsetof(ga_controller_state, member)
const ga_field ga_state_fields[] = {
    {"rate", "function_t", "its time derivative, function of t and signals, itself among them",
     ga_field_of_time, AT(rate), NULL, false, "1/s"},
    {"value", "function_t", "of a sampled state: its value from a sample on", ga_field_of_time,
     AT(value), NULL, false, "1"},
    {"every", "number", "of a sampled state: time between samples, which begin at t = 0",
     ga_field_number, AT(every), NULL, false, "s"},
    {"start", "number", "value at the start", ga_field_number, AT(start), NULL, false, "1"},
    {"size", "number", "a large value of it, for comparing errors; default: 1", ga_field_number,
     AT(size), NULL, false, "1"},
    {.key = NULL}};
#undef AT

/* Read an entry of `states` and add it to r->m. */
bool ga_read_state(ga_reader *r, const char *name, const ga_node *node) {
  ga_controller_state state = {.name = NULL};
  ga_error err = {GA_OK, ""};
  if (!check_parameters(r, name, node) || !ga_read_fields(r, node, ga_state_fields, &state)) {
    return false;
  }
  state.name = name;
  return ga_reader_accept(r, node, ga_mechanism_add_controller_state(r->m, &state, &err), &err);
}

/* ---- ready controllers ---------------------------------------------------------------------- */

enum { PID, SERVO };

/* Target of the fields of a controller; texts of expressions as they are written. */
typedef struct {
  int type;
  const ga_node *input, *target;
  const char *coordinate;
  double kp, ki, kd;
  ga_given filter, limit, every;
} controller_input;

/* Field reader: keep the node of an expression. */
static bool keep_node(ga_reader *r, const ga_field *f, const ga_node *node, void *out) {
  (void)f;
  *(const ga_node **)out = node;
  if (node->kind == GA_NODE_SCALAR) return true;
  return ga_reader_fail(r, node, "a number or an expression is expected here");
}

#define AT(member) offsetof(controller_input, member)
const ga_field ga_controller_fields[] = {
    {"type", "choice", "type of controller", ga_field_choice, AT(type), "pid|servo", true, NULL},
    {"target", "expression", "wanted value, function of t and signals", keep_node, AT(target), NULL,
     true, "1"},
    {"input", "expression", "pid: measured value, function of t and signals", keep_node, AT(input),
     NULL, false, "1"},
    {"coordinate", "coordinate", "servo: JOINT.NAME", ga_field_name, AT(coordinate), NULL, false,
     NULL},
    {"kp", "number", "factor of the error", ga_field_number, AT(kp), NULL, false, "1"},
    {"ki", "number", "factor of its integral", ga_field_number, AT(ki), NULL, false, "1/s"},
    {"kd", "number", "factor of its filtered rate; servo: of minus the rate of the coordinate",
     ga_field_number, AT(kd), NULL, false, "s"},
    {"filter", "number", "pid: time constant of that filter, needed with kd", ga_field_given,
     AT(filter), NULL, false, "s"},
    {"limit", "number", "largest size of the output", ga_field_given, AT(limit), NULL, false, "1"},
    {"every", "number", "pid: time between samples of the output; default: it is continuous",
     ga_field_given, AT(every), NULL, false, "s"},
    {.key = NULL}};
#undef AT

enum { ROOM = 1000 };

/* A node with this text in place of the node's own, for messages at the same line; NULL without
 * memory. */
static const ga_node *node_with(ga_reader *r, const ga_node *node, const char *text) {
  ga_node *copy = ga_arena_take(r->arena, 1, sizeof *copy);
  char *own = ga_arena_take(r->arena, strlen(text) + 1, 1);
  if (!copy || !own) {
    ga_reader_accept(r, node, GA_ERR_MEM, &(ga_error){GA_ERR_MEM, "no memory"});
    return NULL;
  }
  *copy = *node;
  copy->text = strcpy(own, text);
  copy->kind = GA_NODE_SCALAR;
  return copy;
}

/* The name as expressions of the sub-assembly that is read have it: without the prefix of this assembly,
 * which all names of its elements begin with. */
static const char *name_inside(const ga_reader *r, const char *name) {
  return r->prefix ? name + strlen(r->prefix) : name;
}

/* Add a sensor, the expression `text`, and a state with a rate, or sampled (every > 0). */
static bool add_expression(ga_reader *r, const ga_node *node, const char *name, const char *text) {
  ga_sensor sensor = {.name = name, .type = "expression"};
  ga_error err = {GA_OK, ""};
  const ga_node *own = node_with(r, node, text);
  if (!own || !ga_read_function(r, own, ga_of_time, &sensor.value)) return false;
  return ga_reader_accept(r, node, ga_mechanism_add_sensor(r->m, &sensor, &err), &err);
}
static bool add_state(ga_reader *r, const ga_node *node, const char *name, const char *text,
                      double every) {
  ga_controller_state state = {.name = name, .every = every};
  ga_error err = {GA_OK, ""};
  const ga_node *own = node_with(r, node, text);
  if (!own || !ga_read_function(r, own, ga_of_time, every > 0 ? &state.value : &state.rate)) {
    return false;
  }
  const ga_status status = ga_mechanism_add_controller_state(r->m, &state, &err);
  return ga_reader_accept(r, node, status, &err);
}

/* GA_ERR_ARG-like failures of a controller's keys. */
static bool check_controller(ga_reader *r, const ga_node *node, const controller_input *in) {
  if (in->type == PID && (!in->input || in->coordinate)) {
    return ga_reader_fail(r, node, "a pid needs input, and has no coordinate");
  }
  if (in->type == SERVO && (in->input || !in->coordinate || in->filter.given || in->every.given)) {
    return ga_reader_fail(r, node, "a servo needs coordinate, and has no input, filter or every");
  }
  if (in->type == PID && in->kd != 0 && !(in->filter.given && in->filter.value > 0)) {
    return ga_reader_fail(r, node, "kd needs filter, the time constant of the rate, positive");
  }
  if (in->limit.given && !(in->limit.value > 0)) {
    return ga_reader_fail(r, node, "limit must be positive");
  }
  if (in->every.given && !(in->every.value > 0)) {
    return ga_reader_fail(r, node, "every must be positive");
  }
  return true;
}

/* text <- "error ki integral" part of the output that both have; name: inside of the assembly */
static int put_terms(const controller_input *in, const char *name, char *text) {
  int n = snprintf(text, ROOM, "%.17g*%s_error", in->kp, name);
  if (in->ki != 0) n += snprintf(text + n, (size_t)(ROOM - n), " + %s_integral", name);
  return n;
}

/* output <- text, limited if the controller has a limit */
static void put_limit(const controller_input *in, const char *text, char *output, size_t room) {
  if (in->limit.given) {
    snprintf(output, room, "clamp(%s, %.17g, %.17g)", text, -in->limit.value, in->limit.value);
  } else {
    snprintf(output, room, "%s", text);
  }
}

/* The output of a pid as a sensor, or sampled. */
static bool add_pid_output(ga_reader *r, const char *name, const ga_node *node,
                           const controller_input *in) {
  char text[ROOM], output[ROOM + 100], filtered[300], rate[ROOM];
  const char *inside = name_inside(r, name);
  int n = put_terms(in, inside, text);
  if (in->kd != 0) {
    snprintf(filtered, sizeof filtered, "%.150s_filtered", name);
    snprintf(rate, sizeof rate, "(%s_error - %s)/%.17g", inside, name_inside(r, filtered),
             in->filter.value);
    if (!add_state(r, node, ga_reader_text(r, filtered), rate, 0)) return false;
    snprintf(text + n, (size_t)(ROOM - n), " + %.17g*%s", in->kd, rate);
  }
  put_limit(in, text, output, sizeof output);
  return in->every.given ? add_state(r, node, name, output, in->every.value)
                         : add_expression(r, node, name, output);
}

/* The effort of a servo on its coordinate. */
static bool add_servo_effort(ga_reader *r, const char *name, const ga_node *node,
                             const controller_input *in) {
  char text[ROOM], output[ROOM + 100];
  ga_error err = {GA_OK, ""};
  ga_force force = {.name = name,
                    .type = "torsion",
                    .coordinate = in->coordinate,
                    .free = {.given = true, .value = 0}};
  const int n = put_terms(in, name_inside(r, name), text);
  snprintf(text + n, (size_t)(ROOM - n), " - %.17g*s_dot", in->kd);
  put_limit(in, text, output, sizeof output);
  const ga_node *own = node_with(r, node, output);
  if (!own || !ga_read_function(r, own, ga_of_state, &force.law)) return false;
  return ga_reader_accept(r, node, ga_mechanism_add_force(r->m, &force, &err), &err);
}

/* Read an entry of `controllers` and add its sensors, states and forces to r->m. */
bool ga_read_controller(ga_reader *r, const char *name, const ga_node *node) {
  controller_input in = {.type = PID};
  char text[ROOM], other[300];
  if (!check_parameters(r, name, node) || !ga_read_fields(r, node, ga_controller_fields, &in) ||
      !check_controller(r, node, &in)) {
    return false;
  }
  const int n = snprintf(text, sizeof text, "(%s) - (%s)", in.target->text,
                         in.type == PID ? in.input->text : name_inside(r, in.coordinate));
  if (n >= ROOM) return ga_reader_fail(r, node, "target and input are too long");
  snprintf(other, sizeof other, "%.150s_error", name);
  if (!add_expression(r, in.target, ga_reader_text(r, other), text)) return false;
  snprintf(text, sizeof text, "%.17g*%.150s_error", in.ki, name_inside(r, name));
  snprintf(other, sizeof other, "%.150s_integral", name);
  if (in.ki != 0 && !add_state(r, node, ga_reader_text(r, other), text, 0)) return false;
  return in.type == PID ? add_pid_output(r, name, node, &in) : add_servo_effort(r, name, node, &in);
}
