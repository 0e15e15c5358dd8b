/* SPDX-License-Identifier: MIT */
/* Pairs of `all`, whose rows wait until they are near: nobody sees it. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include <math.h>
#include <stdlib.h>

#include "model/crowd.h"
#include "support.h"

/* n spheres of different sizes on a lattice with `gap` between the cells, thrown at random; every fourth
 * one off its centre of mass. each: a contact for every pair, in place of `all`. */
#define OFF "[0.03, 0, 0.02]"
static ga_file *scatter(int n, double cell, double speed, bool each, const char *laws) {
  uint64_t seed = 7;
  char *text = NULL;
  size_t length = 0;
  ga_error err = {0};
  ga_file *file = NULL;
  double *radius = calloc((size_t)n, sizeof *radius);
  FILE *to = open_memstream(&text, &length);
  assert_true(to && radius);
  fprintf(to, "genalpha: 1\ngravity: [0, 0, 0]\nbodies:\n");
  const int side = (int)ceil(cbrt(n));
  for (int i = 0; i < n; i++) {
    const int at[3] = {i % side, i / side % side, i / side / side};
    radius[i] = 0.1 + 0.05 * next_uniform(&seed);
    fprintf(to, "  b%d: {mass: 1, position: [%.9f, %.9f, %.9f], ", i, cell * at[0], cell * at[1],
            cell * at[2]);
    fprintf(to, "velocity: [");
    for (int k = 0; k < 3; k++) { /* towards the middle */
      const double inwards = (side - 1) / 2.0 - at[k];
      fprintf(to, "%.9f%s", speed * (inwards + next_uniform(&seed)), k < 2 ? ", " : "], ");
    }
    fprintf(to, "angular_velocity: [%.9f, 1, -1], ", next_uniform(&seed));
    if (i % 4) fprintf(to, "shape: {sphere: {radius: %.9f}}}\n", radius[i]);
    if (i % 4) continue;
    fprintf(to, "inertia: [0.01, 0.01, 0.01], look: {sphere: {radius: %.9f}, position: %s}}\n",
            radius[i], OFF);
  }
  fprintf(to, "contacts:\n");
  if (!each) fprintf(to, "  s: {%s, all: [", laws);
  for (int i = 0; i < n && !each; i++) fprintf(to, "%sb%d", i ? ", " : "", i);
  if (!each) fprintf(to, "]}\n");
  for (int i = 0; i < n && each; i++) {
    for (int k = i + 1; k < n; k++) {
      fprintf(to, "  b%d_b%d: {%s, between: [b%d, b%d], spheres: [%.9f, %.9f], ", i, k, laws, i, k,
              radius[i], radius[k]);
      fprintf(to, "centres: {b%d: %s, b%d: %s}}\n", i, i % 4 ? "[0, 0, 0]" : OFF, k,
              k % 4 ? "[0, 0, 0]" : OFF);
    }
  }
  fclose(to);
  if (ga_file_parse("s.yaml", text, length, NULL, &file, &err) != GA_OK) fail_msg("%s", err.text);
  free(text);
  free(radius);
  return file;
}

/* The list of near pairs is that of all pairs with their gaps. */
static void near_pairs_are_found(void **state) {
  (void)state;
  ga_file *file = scatter(60, 0.37, 1, false, "friction: 0.3");
  const ga_mechanism *m = ga_file_mechanism(file);
  const ga_model *model = ga_mechanism_model(m);
  const int n = model->ncontacts, nv = ga_space_nv(model->space);
  uint64_t seed = 3;
  ga_near_list list = {0};
  double *q = calloc((size_t)nv * 2, sizeof *q), *g = calloc((size_t)n, sizeof *g);
  const double *v = ga_mechanism_v0(m);
  double *move = calloc((size_t)nv, sizeof *move), *moved = calloc((size_t)nv * 2, sizeof *moved);
  double *room = calloc((size_t)nv, sizeof *room);
  assert_int_equal(ga_model_waiting(model), n);
  for (int trial = 0; trial < 20; trial++) {
    for (int i = 0; i < nv; i++) room[i] = 0.002 * (1 + trial % 5) * (1.1 + next_uniform(&seed));
    for (int i = 0; i < nv; i++) move[i] = 0.2 * next_uniform(&seed);
    ga_space_step(model->space, ga_mechanism_q0(m), move, q);
    assert_true(model->ops->crowd->near(model->user, q, 1, room, &list));
    for (int i = 0; i < nv; i++) { /* as far as they may move, to the corners */
      move[i] = copysign(room[i], next_uniform(&seed));
    }
    ga_space_step(model->space, q, move, moved);
    assert_int_equal(ga_model_evaluate(model, 0, moved, v, &(ga_evaluation){.g = g}), 0);
    int at = 0;
    for (int i = 0; i < n; i++) {
      double gap, rate;
      const bool listed = at < list.count && list.item[at].contact == i;
      model->ops->crowd->gap(model->user, i, q, ga_mechanism_v0(m), &gap, &rate);
      if (listed) assert_true(fabs(list.item[at].gap - gap) <= 1e-12);
      if (!listed) assert_true(g[i] > 0);
      at += listed;
    }
    assert_int_equal(at, list.count);
    assert_true(at < n / 2);
  }
  ga_free(list.item);
  free(q), free(g), free(move), free(moved), free(room);
  ga_file_free(file);
}

/* A run, and how often each contact hit. */
typedef struct {
  const ga_model *model;
  int count;
  double sum; /* of times */
  char first[40];
} hits;

static void note(void *context, const ga_contact_change *change) {
  hits *h = context;
  const char *name = h->model->contacts[change->contact].name;
  const char *pair = strchr(name, '.');
  if (h->count == 0) snprintf(h->first, sizeof h->first, "%s", pair ? pair + 1 : name);
  h->count++;
  h->sum += change->t;
}

static ga_integrator *play(ga_file *file, hits *h, double t_end) {
  ga_integrator *it;
  ga_error err;
  ga_options o = ga_options_default();
  const ga_mechanism *m = ga_file_mechanism(file);
  o.h = 0.01;
  *h = (hits){.model = ga_mechanism_model(m)};
  must(ga_integrator_new(h->model, &o, &it, &err), &err);
  ga_integrator_observe_contacts(it, note, h);
  must(ga_integrator_start(it, 0, ga_mechanism_q0(m), ga_mechanism_v0(m)), ga_integrator_error(it));
  must(ga_integrator_run(it, t_end), ga_integrator_error(it));
  return it;
}

/* Spheres that collide: the same hits and the same motion as with a contact for each pair. */
static void same_as_each_pair(void **state) {
  (void)state;
  const char *const laws[] = {"restitution: 1", "restitution: 0.5, friction: 0.3"};
  for (int k = 0; k < 2; k++) {
    ga_file *all = scatter(18, 0.4, 1, false, laws[k]), *each = scatter(18, 0.4, 1, true, laws[k]);
    hits a, b;
    ga_integrator *x = play(all, &a, 0.5), *y = play(each, &b, 0.5);
    const int nv = ga_space_nv(a.model->space);
    assert_true(a.count > 8);
    assert_int_equal(a.count, b.count);
    assert_string_equal(a.first, b.first);
    assert_true(fabs(a.sum - b.sum) <= 1e-9 * a.sum);
    const ga_state *s = ga_integrator_state(x), *other = ga_integrator_state(y);
    for (int i = 0; i < nv; i++) assert_true(fabs(s->v[i] - other->v[i]) <= 1e-7);
    ga_integrator_free(x);
    ga_integrator_free(y);
    ga_file_free(all);
    ga_file_free(each);
  }
}

/* Far bodies: patterns and systems are those of the bodies alone, and so are the bits of a run. */
static void far_pairs_have_no_rows(void **state) {
  (void)state;
  ga_file *all = scatter(64, 5, 0.1, false, "friction: 0.3");
  const ga_model *model = ga_mechanism_model(ga_file_mechanism(all));
  const int nv = ga_space_nv(model->space);
  assert_int_equal(model->ncontacts, 64 * 63 / 2);
  assert_int_equal(ga_csr_nnz(model->pat_G), 0);
  assert_int_equal(ga_csr_nnz(model->pat_H), 0);
  assert_true(ga_csr_nnz(model->pat_K) <= 6 * nv);
  hits h;
  ga_integrator *it = play(all, &h, 0.3);
  ga_model bodies = *model;
  bodies.contacts = NULL, bodies.ncontacts = bodies.nlam = bodies.npsi = 0;
  bodies.pat_G = bodies.pat_H = NULL;
  ga_integrator *alone;
  ga_error err;
  ga_options o = ga_options_default();
  o.h = 0.01;
  must(ga_integrator_new(&bodies, &o, &alone, &err), &err);
  const ga_mechanism *m = ga_file_mechanism(all);
  must(ga_integrator_start(alone, 0, ga_mechanism_q0(m), ga_mechanism_v0(m)),
       ga_integrator_error(alone));
  must(ga_integrator_run(alone, 0.3), ga_integrator_error(alone));
  assert_memory_equal(ga_integrator_state(it)->v, ga_integrator_state(alone)->v,
                      (size_t)nv * sizeof(double));
  assert_int_equal(h.count, 0);
  const ga_contact_state c = ga_integrator_contact(it, 17);
  assert_true(c.gap > 4 && fabs(c.rate) < 1);
  ga_integrator_free(it);
  ga_integrator_free(alone);
  ga_file_free(all);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(near_pairs_are_found),
                                     cmocka_unit_test(same_as_each_pair),
                                     cmocka_unit_test(far_pairs_have_no_rows)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
