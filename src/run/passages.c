/* SPDX-License-Identifier: MIT */
/* Passages of singular positions: the rows of G become dependent for a moment. The motion can then
 * go on in two or more ways, and a step of any size takes one of them without a failure.
 *
 * Let G be scaled, rows by their lengths, columns by 1/sqrt(w). Its least singular value sigma with
 * its vectors u and y,
 *
 *     G^T u = sigma y,   G y = sigma u,   |u| = |y| = 1,
 *
 * becomes zero in a singular position. Along a motion that passes it, u and y are continuous, and
 * sigma changes its sign; near a position that is not reached, it does not. That is the test, and
 * it does not depend on h. (A determinant would not do: several singular values may change
 * their signs together.)
 *
 *   a look   u <- (G M^-1 G^T)^-1 u by one solve with the factors of the step, a power iteration
 *            that goes on from look to look; y = G^T u / |G^T u|. If y has turned round,
 *            y . y_old < 0, sigma has changed its sign.
 *   between  where |sigma| is below NEAR of its best value, sigma = u^T G y at the end of each step;
 *            its error is of second order in the change of u and y.
 *
 * If sigma is below NEAR of its best, a look follows every step with new factors, and no other: u of
 * older ones is wrong by more than sigma. Else when the motion since the last look exceeds PACE of the
 * size of q times that fraction, or after RARE steps with new factors. Looks that find sigma unchanged double the motion until the next one, up to
 * PATIENCE times. A position with |sigma| below CLOSE is reported, too, without a change of sign.
 * Each coupled subsystem has its own u and y; a team has one pair. */
#include "run/passages.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kkt/measure.h"
#include "run/integrator.h"

static const double NEAR = 0.2;   /* sigma below this fraction of its best is watched closely */
static const double CLOSE = 1e-4; /* as SINGULAR of redundancy.c: the forces mean nothing */
static const double PACE = 0.1;   /* a turn by 0.1 rad changes sigma by about 0.1 of its best */
static const double SAME = 0.5; /* directions with a smaller |cosine| are of two singular values */
static const double MEMBER = 0.2; /* rows with less of the largest entry of u are not named */
static const double STILL = 0.02; /* sigma has changed by less of its best: it is as it was */
enum {
  PATIENCE = 8, /* a turn by less than one radian between two looks */
  FIRST = 8, /* solves of the first look: sigma^2 of two directions may differ by a factor of 2 */
  RARE = 8,  /* a solve in so many steps costs little */
  REPORTS = 5,
  NAMES = 6 /* joints in a message */
};

/* Allocate the arrays and set the groups; without constraint rows on any process there are none. */
void ga_passages_init(ga_integrator *it) {
  ga_passages *w = &it->passages;
  const ga_equations *eq = &it->step.eq;
  const ga_subsystems *sub = &it->step.newton.acceptance.sub;
  const size_t rows = (size_t)eq->nlam + (size_t)eq->npsi, nv = (size_t)eq->nv;
  ga_channel channel[2];
  if (!eq->constrained || (ga_redundancy_channels(it, channel) == 0 && !it->eval.team)) return;
  w->count = it->eval.team ? 1 : sub->count;
  w->of_v = it->eval.team ? NULL : sub->of;
  w->group = ga_arena_take(&it->system, (size_t)w->count, sizeof *w->group);
  w->of_row = ga_arena_ints(&it->system, rows);
  double **const of_rows[] = {&w->length, &w->u, &w->next}, **const of_v[] = {&w->y, &w->z};
  for (int k = 0; k < 3; k++) *of_rows[k] = ga_arena_doubles(&it->system, rows);
  for (int k = 0; k < 2; k++) *of_v[k] = ga_arena_doubles(&it->system, nv);
  w->b = ga_arena_doubles(&it->system, (size_t)eq->n);
}

/* Forget all directions. */
void ga_passages_reset(ga_integrator *it) {
  it->passages.begun = false;
}

/* The gradient of rows `nonhol`, at the end of the last step, and the number of its first row. */
static const ga_csr *gradient(const ga_integrator *it, int nonhol, int *first) {
  const ga_site *end = &it->step.eq.site[GA_SITE_NEW];
  *first = nonhol ? it->step.eq.nlam : 0;
  return nonhol ? &end->H : &end->G;
}

/* The group of velocity j. */
static ga_passage_group *group_of(const ga_passages *w, int j) {
  return w->group + (w->of_v ? w->of_v[j] : 0);
}

/* Does this process count velocity j? */
static bool counts(const ga_integrator *it, int j) {
  return !it->eval.team || it->eval.team->owned[j];
}

/* Add up the numbers of a group over all processes. Collective. */
static void sum_over_team(ga_team *team, double *number) {
  *number = ga_team_sum(team, *number);
}

/* Begin to watch: lengths and groups of the rows, u of random signs, no group known. */
static void begin(ga_integrator *it) {
  ga_passages *w = &it->passages;
  for (int nonhol = 0; nonhol < 2; nonhol++) {
    int first;
    const ga_csr *D = gradient(it, nonhol, &first);
    for (int i = 0; i < D->nrow; i++) {
      const double length = ga_measure_length(&it->eval, D, i);
      const bool empty = D->ptr[i] == D->ptr[i + 1];
      w->length[first + i] = length > 0 ? length : 1;
      w->of_row[first + i] = w->of_v && !empty ? w->of_v[D->col[D->ptr[i]]] : 0;
      w->u[first + i] = ga_redundancy_random((unsigned)(first + i), 11) > 0 ? 1 : -1;
    }
  }
  memset(w->group, 0, (size_t)w->count * sizeof *w->group);
  memset(w->y, 0, (size_t)it->eval.nv * sizeof(double));
  w->begun = true;
  w->path = 0;
  w->made = 0;
  w->patience = 1;
}

/* w->u <- (G M^-1 G^T)^-1 u by one solve with the factors of the step, then of length 1 in each
 * group and with the direction of the old u, u_o >= 0. Rows that are left out stay zero. A group
 * without a finite answer keeps its old u. Collective. */
static ga_status improve_u(ga_integrator *it) {
  ga_passages *w = &it->passages;
  const ga_equations *eq = &it->step.eq;
  ga_channel ch[2];
  const int count = ga_redundancy_channels(it, ch), rows = eq->nlam + eq->npsi;
  memset(w->b, 0, (size_t)eq->n * sizeof(double));
  memset(w->next, 0, (size_t)rows * sizeof(double));
  for (int k = 0; k < count; k++) {
    for (int i = 0; i < ch[k].n; i++) {
      const int row = ch[k].first + i;
      w->b[ch[k].rows + i] = ga_channel_leaves_out(ch + k, i) ? 0 : w->length[row] * w->u[row];
    }
  }
  ga_status status = ga_factors_solve(&it->step.factors, eq, w->b);
  if (status != GA_OK) return status;
  for (int k = 0; k < count; k++) {
    for (int i = 0; i < ch[k].n; i++) {
      const int row = ch[k].first + i;
      w->next[row] = ga_channel_leaves_out(ch + k, i) ? 0 : w->length[row] * w->b[ch[k].mult + i];
    }
  }
  for (int g = 0; g < w->count; g++) w->group[g].u_u = w->group[g].u_o = 0;
  for (int row = 0; row < rows; row++) {
    ga_passage_group *group = w->group + w->of_row[row];
    group->u_u += w->next[row] * w->next[row];
    group->u_o += w->next[row] * w->u[row];
  }
  for (int g = 0; g < w->count; g++) {
    ga_passage_group *group = w->group + g;
    sum_over_team(it->eval.team, &group->u_u);
    sum_over_team(it->eval.team, &group->u_o);
    const bool fine = isfinite(group->u_u) && group->u_u > 0;
    group->u_u = fine ? copysign(1 / sqrt(group->u_u), group->u_o) : 0;
    group->u_o = fabs(group->u_o * group->u_u);
  }
  for (int row = 0; row < rows; row++) {
    const double factor = w->group[w->of_row[row]].u_u;
    if (factor != 0) w->u[row] = factor * w->next[row];
  }
  return GA_OK;
}

/* w->z = G^T u in the scaled sense, at the end of the step; z_z = |z|^2 and z_o = z . y of each
 * group. z_o is also u^T G y. Collective. */
static void find_z(ga_integrator *it) {
  ga_passages *w = &it->passages;
  const int nv = it->eval.nv;
  memset(w->z, 0, (size_t)nv * sizeof(double));
  for (int nonhol = 0; nonhol < 2; nonhol++) {
    int first;
    const ga_csr *D = gradient(it, nonhol, &first);
    for (int i = 0; i < D->nrow; i++) {
      const double part = w->u[first + i] / w->length[first + i];
      if (it->contacts.n > 0 && it->step.eq.dropped[first + i]) continue; /* an open contact */
      for (int k = D->ptr[i]; k < D->ptr[i + 1]; k++) w->z[D->col[k]] += part * D->val[k];
    }
  }
  ga_team_sum_shared(it->eval.team, 1, w->z);
  for (int g = 0; g < w->count; g++) w->group[g].z_z = w->group[g].z_o = 0;
  for (int j = 0; j < nv; j++) {
    w->z[j] /= it->eval.root_metric[j];
    if (!counts(it, j)) continue;
    ga_passage_group *group = group_of(w, j);
    group->z_z += w->z[j] * w->z[j];
    group->z_o += w->z[j] * w->y[j];
  }
  for (int g = 0; g < w->count; g++) {
    sum_over_team(it->eval.team, &w->group[g].z_z);
    sum_over_team(it->eval.team, &w->group[g].z_o);
  }
}

/* A look (head of this file): new u and y; group.now = sigma, with the sign that continues that of
 * the old one, or a positive one where directions are new. Collective. */
static void look(ga_integrator *it) {
  ga_passages *w = &it->passages;
  const bool first = !w->group[0].known;
  ga_status status = GA_OK;
  for (int k = 0; k < (first ? FIRST : 1) && status == GA_OK; k++) status = improve_u(it);
  if (status != GA_OK) {
    ga_error_clear(&it->error);
    return;
  }
  find_z(it);
  bool still = true;
  for (int g = 0; g < w->count; g++) {
    ga_passage_group *group = w->group + g;
    const double size = sqrt(group->z_z), cosine = size > 0 ? group->z_o / size : 0;
    const bool same = group->known && fabs(cosine) >= SAME && group->u_o >= SAME;
    group->now = same ? copysign(size, group->z_o) : size;
    still &= same && fabs(group->now - group->sigma) < STILL * group->best;
    /* other directions: their sign cannot be compared with the last one */
    if (!same) group->sigma = size;
    group->known = true;
    group->u_u = size > 0 ? copysign(1 / size, group->now) : 0;
  }
  for (int j = 0; j < it->eval.nv; j++) {
    const double factor = group_of(w, j)->u_u;
    if (factor != 0) w->y[j] = factor * w->z[j];
  }
  w->patience = still && w->patience < PATIENCE ? 2 * w->patience : still ? PATIENCE : 1;
  w->path = 0;
  w->made = 0;
}

/* group.now = u^T G y at the end of the step, with the u and y of the last look. Collective. */
static void follow(ga_integrator *it) {
  find_z(it);
  for (int g = 0; g < it->passages.count; g++)
    it->passages.group[g].now = it->passages.group[g].z_o;
}

/* The least |sigma| / best of all groups. */
static double least_fraction(const ga_passages *w) {
  double least = 1;
  for (int g = 0; g < w->count; g++) {
    const ga_passage_group *group = w->group + g;
    if (group->best > 0) least = fmin(least, fabs(group->sigma) / group->best);
  }
  return least;
}

/* Add h |v| / |q| of the last step to w->path, in the metric W. Collective. */
static void add_path(ga_integrator *it) {
  const ga_equations *eq = &it->step.eq;
  const double size = ga_measure(&it->eval, it->step.newton.acceptance.size_q);
  if (size > 0) it->passages.path += eq->h * ga_measure(&it->eval, it->mem.v) / size;
}

/* The change of the energy of the model in the last step: false if the model has none. */
static bool energy_change(const ga_integrator *it, double *change) {
  const ga_model *m = it->model;
  const ga_memory *from = &it->last.mem, *to = &it->mem;
  double kinetic[2], potential[2];
  if (!m->ops->energy || it->eval.team || !it->last.valid) return false;
  if (m->ops->energy(m->user, from->t, from->q, from->v, kinetic, potential) != 0) return false;
  if (m->ops->energy(m->user, to->t, to->q, to->v, kinetic + 1, potential + 1) != 0) return false;
  *change = kinetic[1] + potential[1] - kinetic[0] - potential[0];
  return isfinite(*change);
}

/* Names of the owners of the rows of group g that depend on each other, those with a large entry in
 * u: "joint A, joint B". Returns text. */
static const char *name_rows(const ga_integrator *it, int g, char *text, size_t room) {
  const ga_passages *w = &it->passages;
  const int nlam = it->eval.nlam, rows = nlam + it->eval.npsi;
  double largest = 0;
  size_t at = 0;
  int named = 0;
  char last[200] = "";
  for (int i = 0; i < rows; i++) {
    if (w->of_row[i] == g) largest = fmax(largest, fabs(w->u[i]));
  }
  text[0] = '\0';
  for (int i = 0; i < rows && at < room; i++) {
    if (w->of_row[i] != g || !(fabs(w->u[i]) > MEMBER * largest)) continue;
    const char *const *names = i < nlam ? it->model->lam_names : it->model->psi_names;
    const char *name = names ? names[i < nlam ? i : i - nlam] : NULL;
    char own[200];
    if (name) {
      const char *end = strstr(name, ", row ");
      snprintf(own, sizeof own, "%.*s", end ? (int)(end - name) : (int)strlen(name), name);
    } else {
      snprintf(own, sizeof own, i < nlam ? "g[%d]" : "k[%d]", i < nlam ? i : i - nlam);
    }
    if (strcmp(own, last) == 0) continue;
    strcpy(last, own);
    if (named++ == NAMES) {
      snprintf(text + at, room - at, " and others");
      break;
    }
    at += (size_t)snprintf(text + at, room - at, "%s%s", at ? ", " : "", own);
  }
  return text;
}

/* Count the passage of group g in the last step, and write a warning to the log for the first
 * REPORTS of a run. crossed: sigma has changed its sign. */
static void report(ga_integrator *it, int g, bool crossed) {
  char names[800], energy[64] = "", text[1400];
  double change;
  it->stats.singular_passages++;
  if (!it->options.log || it->stats.singular_passages > REPORTS) return;
  if (energy_change(it, &change)) {
    snprintf(energy, sizeof energy, "; the energy has changed by %.2g in this step", change);
  }
  snprintf(text, sizeof text,
           "t = %.9g to %.9g: the run has %s a singular position, where constraints depend on each "
           "other (%s). The motion can go on in two or more ways there, and the step has taken one "
           "of them%s. Another step size may take another%s",
           it->step.eq.t, it->mem.t, crossed ? "passed" : "come very near to",
           name_rows(it, g, names, sizeof names), energy,
           it->stats.singular_passages == REPORTS ? "; further passages are only counted" : "");
  it->options.log(it->options.log_context, GA_LOG_WARNING, text);
}

/* Compare now with sigma in each group, report passages, and take now as the new sigma. */
static void judge(ga_integrator *it) {
  ga_passages *w = &it->passages;
  for (int g = 0; g < w->count; g++) {
    ga_passage_group *group = w->group + g;
    /* z = 0 with contacts: all rows of the group are open */
    if (!group->known || (it->contacts.n > 0 && group->z_z == 0)) continue;
    const double before = fabs(group->sigma), after = fabs(group->now);
    group->best = ga_max(group->best, after);
    const bool crossed = group->now * group->sigma < 0 && fmin(before, after) < NEAR * group->best;
    const bool close = after < CLOSE * group->best && !group->close;
    if (crossed ? !group->announced : close) report(it, g, crossed);
    group->announced = (group->announced || close) && !crossed;
    group->close |= close || crossed;
    if (after > NEAR * group->best) group->close = group->announced = false;
    group->sigma = group->now;
  }
}

/* After an accepted step (passages.h). Nothing but w, statistics and log changes. */
void ga_passages_watch(ga_integrator *it) {
  ga_passages *w = &it->passages;
  const ga_factors *f = &it->step.factors;
  if (w->count == 0 || !f->valid) return;
  /* contacts that have opened or closed: other rows, other directions */
  if (it->contacts.n > 0 && w->left_out != it->step.eq.ndropped) w->begun = false;
  w->left_out = it->step.eq.ndropped;
  if (!w->begun) begin(it);
  add_path(it);
  w->made += f->made;
  const bool first = !w->group[0].known, soft = it->step.eq.soften > 0;
  const double fraction = least_fraction(w);
  const bool near = fraction < NEAR;
  const bool far_on = w->path > PACE * fraction * w->patience || w->made >= RARE;
  const bool due = first || (near ? f->made : far_on);
  if (due && !soft) {
    look(it);
  } else if (near) {
    follow(it);
  } else {
    return;
  }
  judge(it);
}
