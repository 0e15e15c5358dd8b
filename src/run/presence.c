/* SPDX-License-Identifier: MIT */
/* Which contacts are present: the systems of the run are made anew, between two steps, when contacts
 * come near or leave (presence_look.c), as all sizes and patterns change. */
#include "run/presence.h"

#include <math.h>
#include <string.h>

#include "kkt/measure.h"
#include "run/integrator.h"

const ga_model *ga_presence_whole(const ga_integrator *it) {
  return it->presence.whole ? it->presence.whole : it->model;
}

int ga_presence_number(const ga_integrator *it, int i) {
  const ga_presence *p = &it->presence;
  return p->on && !p->all ? p->rows.contact[i] : i;
}

int ga_presence_place(const ga_integrator *it, int i) {
  const ga_presence *p = &it->presence;
  return p->on && !p->all ? p->rows.place[i] : i;
}

/* Gaps must be functions of q with gradients that the model gives. */
static bool possible(const ga_model *model) {
  if (model->ncontacts == 0 || !(ga_model_gives(model) & GA_GIVES_G)) return false;
  return model->scleronomic || model->still_gaps;
}

ga_status ga_presence_init(ga_integrator *it) {
  ga_presence *p = &it->presence;
  const ga_model *whole = it->model;
  const size_t n = (size_t)whole->ncontacts, nlam = (size_t)whole->nlam, npsi = (size_t)whole->npsi;
  ga_arena *a = &it->arena;
  *p = (ga_presence){.whole = whole,
                     .n = whole->ncontacts,
                     .waiting = ga_model_waiting(whole),
                     .on = possible(whole)};
  if (!p->on) return GA_OK;
  ga_present_rows_init(&p->rows, whole, a);
  p->kept = ga_arena_take(a, n, sizeof *p->kept);
  p->next = ga_arena_take(a, n, sizeof(bool));
  p->listed = ga_arena_take(a, n, sizeof(bool));
  for (int i = 0; p->listed && i < p->n - p->waiting; i++) p->listed[i] = true;
  p->axes = ga_arena_ints(a, n);
  p->state = ga_arena_take(a, n, sizeof *p->state);
  double **const of_lam[] = {&p->lam, &p->lam_at}, **const of_psi[] = {&p->psi, &p->psi_at};
  for (int i = 0; i < 2; i++) *of_lam[i] = ga_arena_doubles(a, nlam);
  for (int i = 0; i < 2; i++) *of_psi[i] = ga_arena_doubles(a, npsi);
  p->room = ga_arena_doubles(a, (size_t)ga_space_nv(whole->space));
  p->moved = ga_arena_doubles(a, (size_t)ga_space_nv(whole->space));
  p->d = ga_arena_doubles(a, npsi);
  p->turn = ga_arena_doubles(a, npsi);
  p->mode = ga_arena_take(a, nlam + npsi, 1);
  if (!a->failed) ga_present_rows_lay_out(&p->rows, &it->system);
  if (a->failed || it->system.failed) {
    return ga_fail(&it->error, GA_ERR_MEM, "no memory for %d contacts", p->n);
  }
  for (int i = 0; i < p->n; i++) p->kept[i].reach = 1, p->kept[i].t_hit = -INFINITY;
  it->model = &p->rows.model;
  return GA_OK;
}

/* ---- what the user sees ----------------------------------------------------------------------- */

void ga_presence_show_to(ga_integrator *it) {
  const ga_presence *p = &it->presence;
  it->state.contacts = p->on ? p->state : it->contacts.n > 0 ? it->contacts.state : NULL;
  if (p->on) it->state.lam = p->lam, it->state.psi = p->psi;
}

void ga_presence_show(ga_integrator *it) {
  ga_presence *p = &it->presence;
  const ga_present_rows *rows = &p->rows;
  const ga_contacts *c = &it->contacts;
  if (!p->on) return;
  if (p->all) {
    memcpy(p->lam, it->mem.lam, (size_t)it->eval.nlam * sizeof(double));
    if (it->eval.npsi) memcpy(p->psi, it->mem.psi, (size_t)it->eval.npsi * sizeof(double));
    memcpy(p->state, c->state, (size_t)p->n * sizeof *p->state);
    return;
  }
  ga_present_rows_spread(it->eval.nlam, rows->lam, it->mem.lam, p->lam);
  ga_present_rows_spread(it->eval.npsi, rows->psi, it->mem.psi, p->psi);
  for (int i = 0; i < c->n; i++) p->state[rows->contact[i]] = c->state[i];
}

void ga_presence_spread_lam(const ga_integrator *it, const double *lam, double *whole) {
  const ga_presence *p = &it->presence;
  memset(whole, 0, (size_t)p->whole->nlam * sizeof(double));
  if (p->all) {
    memcpy(whole, lam, (size_t)p->whole->nlam * sizeof(double));
  } else {
    ga_present_rows_spread(it->eval.nlam, p->rows.lam, lam, whole);
  }
}

void ga_presence_spread_psi(const ga_integrator *it, const double *psi, double *whole) {
  const ga_presence *p = &it->presence;
  if (p->whole->npsi == 0) return;
  memset(whole, 0, (size_t)p->whole->npsi * sizeof(double));
  if (p->all) {
    memcpy(whole, psi, (size_t)p->whole->npsi * sizeof(double));
  } else {
    ga_present_rows_spread(it->eval.npsi, p->rows.psi, psi, whole);
  }
}

void ga_presence_forget(ga_integrator *it) {
  ga_presence *p = &it->presence;
  for (int i = 0; p->on && i < p->n; i++) {
    p->kept[i] = (ga_kept_contact){.reach = 1, .found = GA_CONTACT_NOTHING, .t_hit = -INFINITY};
    p->state[i] = (ga_contact_state){0};
  }
}

/* ---- a change --------------------------------------------------------------------------------- */

/* The numbers of a present contact and its rows go to those of the whole model. */
static void keep_contacts(ga_integrator *it) {
  ga_presence *p = &it->presence;
  const ga_contacts *c = &it->contacts;
  const ga_contact_rows *rows = &c->rows;
  const int nlam = p->whole->nlam, npsi = p->whole->npsi;
  for (int i = 0; i < nlam + npsi; i++) p->mode[i] = GA_ROW_IS_ON;
  for (int i = 0; i < p->n; i++) {
    const ga_contact *of = &p->whole->contacts[i];
    p->mode[of->gap] = GA_ROW_IS_OFF;
    for (int k = 0; k < of->nslip; k++) p->mode[nlam + of->slip + k] = GA_ROW_IS_OFF;
  }
  if (npsi > 0) memset(p->d, 0, (size_t)npsi * sizeof(double));
  if (npsi > 0) memset(p->turn, 0, (size_t)npsi * sizeof(double));
  for (int i = 0; i < c->n; i++) {
    p->kept[ga_presence_number(it, i)] = (ga_kept_contact){.state = c->state[i],
                                                           .found = c->found[i],
                                                           .count = c->count[i],
                                                           .reach = c->reach[i],
                                                           .redundant = c->redundant[i],
                                                           .needed = c->needed[i],
                                                           .kept = c->kept[i],
                                                           .looked = c->looked[i],
                                                           .t_hit = c->t_hit[i],
                                                           .held = rows->held[i]};
  }
  for (int i = 0; c->n > 0 && i < rows->nlam; i++) {
    p->mode[p->all ? i : p->rows.lam[i]] = rows->mode[i];
  }
  for (int i = 0; c->n > 0 && i < rows->npsi; i++) {
    const int row = p->all ? i : p->rows.psi[i];
    p->mode[nlam + row] = rows->mode[rows->nlam + i];
    p->d[row] = rows->d[i];
    p->turn[row] = c->turn[i];
  }
}

/* And back, into new arrays. Contacts that were absent are open. */
static void restore_contacts(ga_integrator *it) {
  ga_presence *p = &it->presence;
  ga_contacts *c = &it->contacts;
  ga_contact_rows *rows = &c->rows;
  for (int i = 0; i < c->n; i++) {
    const ga_kept_contact *kept = &p->kept[ga_presence_number(it, i)];
    c->state[i] = kept->state;
    c->found[i] = kept->found;
    c->count[i] = kept->count;
    c->reach[i] = kept->reach;
    c->redundant[i] = kept->redundant;
    c->needed[i] = kept->needed;
    c->kept[i] = kept->kept;
    c->looked[i] = kept->looked;
    c->t_hit[i] = kept->t_hit;
    rows->held[i] = kept->held;
  }
  for (int i = 0; c->n > 0 && i < rows->nlam; i++) {
    rows->mode[i] = p->mode[p->all ? i : p->rows.lam[i]];
  }
  for (int i = 0; c->n > 0 && i < rows->npsi; i++) {
    const int row = p->all ? i : p->rows.psi[i];
    rows->mode[rows->nlam + i] = p->mode[p->whole->nlam + row];
    rows->d[i] = p->d[row];
    c->turn[i] = p->turn[row];
  }
}

/* Rows of multipliers that were present: their numbers in the whole model. */
typedef struct {
  ga_arena arena;
  int nlam, npsi;
  int *lam, *psi; /* nlam, npsi */
  int *at;        /* nlam of the whole: number among these, -1: absent */
} row_list;

/* The rows present now. */
static bool list_rows(const ga_integrator *it, row_list *list) {
  const ga_presence *p = &it->presence;
  *list = (row_list){.nlam = it->eval.nlam, .npsi = it->eval.npsi};
  list->lam = ga_arena_ints(&list->arena, (size_t)list->nlam);
  list->psi = ga_arena_ints(&list->arena, (size_t)list->npsi);
  list->at = ga_arena_ints(&list->arena, (size_t)p->whole->nlam);
  if (list->arena.failed) return false;
  for (int i = 0; i < p->whole->nlam; i++) list->at[i] = -1;
  for (int i = 0; i < list->nlam; i++) {
    list->lam[i] = p->all ? i : p->rows.lam[i];
    list->at[list->lam[i]] = i;
  }
  for (int i = 0; i < list->npsi; i++) list->psi[i] = p->all ? i : p->rows.psi[i];
  return true;
}

/* Numbers of the old rows become those of the new ones, 0 where there were none. May be in place. */
static void carry_lam(ga_integrator *it, const row_list *old, const row_list *new, const double *x,
                      double *y) {
  double *all = it->presence.lam_at;
  if (it->presence.whole->nlam == 0) return;
  memset(all, 0, (size_t)it->presence.whole->nlam * sizeof(double));
  ga_present_rows_spread(old->nlam, old->lam, x, all);
  ga_present_rows_gather(new->nlam, new->lam, all, y);
}

static void carry_psi(ga_integrator *it, const row_list *old, const row_list *new, const double *x,
                      double *y) {
  double *all = it->presence.psi_at;
  if (it->presence.whole->npsi == 0) return;
  memset(all, 0, (size_t)it->presence.whole->npsi * sizeof(double));
  ga_present_rows_spread(old->npsi, old->psi, x, all);
  ga_present_rows_gather(new->npsi, new->psi, all, y);
}

/* Values of split rows in the new pattern: the contacts of a dependency are closed, so present. */
static void carry_splits(ga_integrator *it, const ga_contact_rows *from, const row_list *old,
                         const row_list *new) {
  ga_contact_rows *rows = &it->contacts.rows;
  for (int i = 0; rows->n > 0 && from->n > 0 && i < rows->nlam; i++) {
    if (rows->mode[i] != GA_ROW_SPLITS) continue;
    const int k = old->at[new->lam[i]];
    for (int e = from->split.ptr[k]; e < from->split.ptr[k + 1]; e++) {
      const int column = new->at[old->lam[from->split.col[e]]];
      const int to = column < 0 ? -1 : ga_csr_find(&rows->split, i, column);
      if (to >= 0) rows->split.val[to] = from->split.val[e];
    }
  }
}

/* The extrapolation of the unknowns goes on. */
static void carry_predictor(ga_integrator *it, const ga_predictor *from, const ga_equations *old_eq,
                            const row_list *old, const row_list *new) {
  const ga_equations *eq = &it->step.eq;
  ga_predictor *to = &it->predictor;
  const int at = old_eq->nx;
  to->count = from->count, to->order = from->order, to->bent = from->bent;
  memcpy(to->t, from->t, sizeof to->t);
  memcpy(to->size, from->size, sizeof to->size);
  for (int k = 0; k < from->count; k++) {
    memcpy(to->phi[k], from->phi[k], (size_t)at * sizeof(double));
    for (int c = 0; c < it->method->ncon; c++) {
      const double *x = from->phi[k] + old_eq->mult_at[c];
      double *y = to->phi[k] + eq->mult_at[c];
      if (it->method->mult[c] == GA_BLOCK_PSI) {
        carry_psi(it, old, new, x, y);
      } else {
        carry_lam(it, old, new, x, y);
      }
    }
  }
}

/* Lengths of rows for the predictor; the directions of contacts that enter; their gaps and rates. */
static ga_status complete(ga_integrator *it, const row_list *old) {
  ga_presence *p = &it->presence;
  ga_contacts *c = &it->contacts;
  const ga_memory *mem = &it->mem;
  const ga_evaluation rows = {.G = &it->saddle.G, .H = &it->saddle.H};
  for (int i = 0; i < c->n && it->model->ops->contact_axis; i++) {
    const int number = ga_presence_number(it, i);
    if (old->at[p->whole->contacts[number].gap] >= 0) continue;
    p->axes[number] =
        it->model->ops->contact_axis(it->model->user, mem->t, mem->q, number, /* anew: */ -1);
  }
  ga_status status = GA_OK;
  if (it->started && it->redundancy.on) {
    status = ga_redundancy_start(it, mem->t, mem->q, mem->v);
  } else if (it->started && c->n > 0 && old->nlam + old->npsi > 0) {
    /* of joints; contacts that are closed were present before */
    bool any = false;
    for (int i = 0; i < c->n; i++) any |= c->state[i].state != GA_CONTACT_OPEN;
    if (!any) status = ga_contacts_drop_joints(it, mem->t, mem->q, mem->v);
  }
  if (status == GA_OK && it->started && it->predictor.weight) {
    status = ga_eval_all(&it->eval, mem->t, mem->q, mem->v, &rows);
    if (status == GA_OK) ga_start_weigh(it, it->predictor.weight);
  }
  if (status != GA_OK || c->n == 0) return status;
  ga_contacts_tell_step(it);
  return it->started ? ga_contacts_refresh(it) : GA_OK;
}

/* Make the systems anew for the contacts in p->next. */
static ga_status lay_out(ga_integrator *it) {
  ga_presence *p = &it->presence;
  ga_arena old_arena = it->system;
  ga_step old_step = it->step;
  ga_saddle old_saddle = it->saddle;
  ga_redundancy old_redundancy = it->redundancy;
  const ga_predictor predictor = it->predictor;
  const ga_contact_rows rows = it->contacts.rows;
  const ga_inputs inputs = it->eval.inputs;
  const double time_step = it->eval.time_step;
  const long repivots = ga_integrator_repivots(it);
  row_list old, new = {0};
  p->change = false;
  keep_contacts(it);
  if (!list_rows(it, &old)) {
    ga_arena_free(&old.arena);
    return ga_fail(&it->error, GA_ERR_MEM, "no memory for %d contacts", p->n);
  }
  ga_contacts_free(it);
  it->system = (ga_arena){0};
  it->step = (ga_step){0};
  it->saddle = (ga_saddle){0};
  it->redundancy = (ga_redundancy){0};
  it->passages = (ga_passages){0};
  it->predictor = (ga_predictor){0};
  it->projector = (ga_projector){0};
  it->contacts.rows = (ga_contact_rows){0};
  it->contacts.n = 0;
  it->restart.line_known = it->last.valid = it->corners.known = false;
  p->all = p->waiting == 0;
  for (int i = 0; i < p->n; i++) p->all &= p->rows.on[i] = p->next[i];
  ga_present_rows_lay_out(&p->rows, &it->system);
  it->model = p->all ? p->whole : &p->rows.model;
  ga_status status = it->system.failed
                         ? ga_fail(&it->error, GA_ERR_MEM, "no memory for %d contacts", p->n)
                         : ga_integrator_make_system(it);
  if (status == GA_OK && !list_rows(it, &new)) {
    status = ga_fail(&it->error, GA_ERR_MEM, "no memory for %d contacts", p->n);
  }
  if (status == GA_OK) {
    carry_lam(it, &old, &new, it->mem.lam, it->mem.lam);
    carry_psi(it, &old, &new, it->mem.psi, it->mem.psi);
    carry_predictor(it, &predictor, &old_step.eq, &old, &new);
    restore_contacts(it);
    carry_splits(it, &rows, &old, &new);
    it->step.eq.tab = old_step.eq.tab;
    it->eval.time_step = time_step;
    memset(p->lam, 0, (size_t)p->whole->nlam * sizeof(double));
    if (p->whole->npsi) memset(p->psi, 0, (size_t)p->whole->npsi * sizeof(double));
    for (int i = 0; i < p->n; i++) p->state[i] = p->kept[i].state;
  }
  /* the values and tables of inputs, whoever owns them */
  if (it->eval.inputs.n > 0 && it->eval.inputs.table) {
    const size_t n = (size_t)inputs.n;
    memcpy(it->eval.inputs.value, inputs.value, n * sizeof(double));
    memcpy(it->eval.inputs.table, inputs.table, n * sizeof *inputs.table);
    it->eval.inputs.moving = inputs.moving;
  }
  it->repivots_base += ga_integrator_repivots(it) - repivots;
  ga_step_close(&old_step);
  ga_saddle_close(&old_saddle);
  ga_rank_free(&old_redundancy.found);
  ga_rank_free(&old_redundancy.chosen);
  ga_arena_free(&old_arena);
  if (status == GA_OK) status = complete(it, &old);
  ga_arena_free(&old.arena);
  ga_arena_free(&new.arena);
  if (status == GA_OK) ga_presence_show(it);
  return status;
}

/* ---- when ---------------------------------------------------------------------------------- */

ga_status ga_presence_prepare(ga_integrator *it) {
  return it->presence.change ? lay_out(it) : GA_OK;
}

ga_status ga_presence_start(ga_integrator *it, double t, const double *q, const double *v) {
  ga_presence *p = &it->presence;
  bool late;
  if (!p->on) return GA_OK;
  for (int i = 0; i < it->contacts.n; i++) it->contacts.state[i].state = GA_CONTACT_OPEN;
  const double size = ga_measure_position(&it->eval, q, it->saddle.rhs);
  it->contacts.size = fmax(it->contacts.size, size);
  p->h = it->h;
  const ga_status status = ga_presence_look(it, t, q, v, NULL, &late);
  return status == GA_OK ? ga_presence_prepare(it) : status;
}

ga_status ga_presence_all(ga_integrator *it) {
  ga_presence *p = &it->presence;
  if (!p->on || p->all) return GA_OK;
  for (int i = 0; i < p->n; i++) p->next[i] = true;
  return lay_out(it);
}
