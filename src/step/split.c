/* SPDX-License-Identifier: MIT */
/* The double and triple systems of a step, solved block by block (docs/reference/methods.md).
 *
 * Methods with several x blocks enforce position and velocity constraints by two sets of
 * multipliers. In the combinations of blocks that move position and velocity,
 *
 *   y = sum_j p_j x_j,  z = sum_j r_j x_j,  lam_y = sum_j p_j lam_j,  lam_z = sum_j r_j lam_j,
 *
 * the sums of the dynamic rows with the same weights and the constraint rows read, with p, r the
 * weights of the applied force and K, C its tangents,
 *
 *   m M y + phi p (h^2 K y + h C z) + phi L^T lam_y = b_y,   G y         = b_pos
 *   m M z + phi r (h^2 K y + h C z) + phi L^T lam_z = b_z,   G z + h Z y = b_vel
 *
 * (nonholonomic rows likewise). With C z = (r/p) C y in the first line, which is true but for the
 * constraint forces, this is block triangular: one stiff system of KKT size for y, then one with
 * mass and damping for z. What was left out (that difference, masses and gradients at other sites)
 * is O(h) and is put right by repeating the two solves with the defect of the full matrix, which is
 * assembled but not factored. Where this contracts too slowly, the full matrix is factored. */
#include <math.h>
#include <string.h>

#include "step/factors.h"

enum { SWEEPS = 8, PAIR_LEAST = 24, TRIPLE_DENSE = 50 };
static const double ENOUGH = 5e-3; /* of the first correction: Newton then contracts as fast */
static const double SLOW = 0.4;    /* a sweep that gains less: the full matrix is cheaper */

static int constraint_of(const ga_method *method, ga_con_kind kind, bool hat) {
  for (int c = 0; c < method->ncon; c++) {
    if (method->con[c] == kind && method->con_hat[c] == hat) return c;
  }
  return GA_NONE;
}

static void add_multipliers(ga_factors *f, const ga_equations *s, ga_blocks *blocks, int j,
                            int *terms) {
  const ga_tangents *d = &f->matrix.tangents;
  const ga_site *site = &s->site[GA_SITE_NEW];
  bool own = ga_eval_own_reaction(s->eval);
  terms[0] = ga_blocks_add(blocks, 0, s->nv, own ? &d->L[j] : &site->G, true);
  terms[1] = ga_blocks_add(blocks, 0, s->nv + s->nlam, own ? &d->P[j] : &site->H, true);
}

static ga_status open_solver(ga_factors *f, const ga_equations *s, ga_blocks *blocks, int n,
                             ga_linsol *ls, ga_arena *arena) {
  if (ga_blocks_build(blocks, n, arena) != GA_OK) return GA_ERR_MEM;
  return ga_linsol_open(ls, f->options, &blocks->A, s->err);
}

/* Pairs gain unless they are small; triples need more sweeps, which pay only where a large dense
 * matrix would have to be factored (docs/reference/methods.md has the numbers). */
static bool wanted(const ga_factors *f, const ga_equations *s) {
  bool possible = s->method->split != GA_SPLIT_NONE && s->nlam > 0 && !s->eval->team;
  if (!possible || f->options->system == GA_SYSTEM_FULL) return false;
  if (f->options->system == GA_SYSTEM_SPLIT) return true;
  if (s->method->split == GA_SPLIT_PAIR) return s->n >= PAIR_LEAST;
  return f->ls.ops == &ga_linsol_dense && s->n >= TRIPLE_DENSE;
}

/* Matrices of the parts that were built: y and z, of triples the mass, too. */
static size_t count_values(const ga_blocks *part) {
  return part->A.ptr ? (size_t)ga_csr_nnz(&part->A) : 0;
}

static size_t aside_size(const ga_split *sp) {
  return count_values(&sp->y) + count_values(&sp->z) + count_values(&sp->mass);
}

ga_status ga_split_init(ga_factors *f, ga_equations *s, ga_arena *arena) {
  ga_split *sp = &f->split;
  const ga_tangents *d = &f->matrix.tangents;
  const ga_method *method = s->method;
  const ga_site *site = &s->site[GA_SITE_NEW];
  sp->on = wanted(f, s);
  if (!sp->on) return GA_OK;
  bool pair = method->split == GA_SPLIT_PAIR;
  int n = s->nv + s->nlam + s->npsi, psi_at = s->nv + s->nlam;
  sp->n = n;
  sp->row_y = 0;
  sp->row_z = pair ? 1 : 0;
  sp->pos = constraint_of(method, GA_ROW_POS, false);
  sp->vel = constraint_of(method, GA_ROW_VEL, false);
  sp->hat = constraint_of(method, GA_ROW_NONHOL, true);
  sp->non = constraint_of(method, GA_ROW_NONHOL, false);
  int ry = sp->row_y, rz = sp->row_z, multiplier_row = method->nx - 1;
  if (!pair) multiplier_row = 2;
  ga_blocks *y = &sp->y, *z = &sp->z;
  sp->y_term[0] = ga_blocks_add(y, 0, 0, &site->M, false);
  sp->y_term[1] = ga_blocks_add(y, 0, 0, &d->Kt[ry], false);
  sp->y_term[2] = ga_blocks_add(y, 0, 0, &d->Ct[ry], false);
  sp->y_term[3] = ga_blocks_add(y, s->nv, 0, f->matrix.con[sp->pos].Aq, false);
  add_multipliers(f, s, y, pair ? ry : multiplier_row, &sp->y_term[4]);
  sp->z_term[0] = ga_blocks_add(z, 0, 0, &site->M, false);
  sp->z_term[1] = ga_blocks_add(z, 0, 0, &d->Ct[rz], false);
  sp->z_term[2] = ga_blocks_add(z, s->nv, 0, &site->G, false);
  add_multipliers(f, s, z, multiplier_row, &sp->z_term[3]);
  if (sp->hat != GA_NONE) {
    sp->y_term[6] = ga_blocks_add(y, psi_at, 0, &d->Hh, false);
    sp->y_term[7] = ga_blocks_add(y, psi_at, 0, &d->Yh, false);
    sp->z_term[5] = ga_blocks_add(z, psi_at, 0, &site->H, false);
  }
  for (int k = 0; k < 2 && s->may_drop; k++) {
    ga_blocks_add(k ? z : y, s->nv, s->nv, &f->matrix.E_lam, false);
    ga_blocks_add(k ? z : y, psi_at, psi_at, &f->matrix.E_psi, false);
  }
  sp->by = ga_arena_doubles(arena, (size_t)n), sp->bz = ga_arena_doubles(arena, (size_t)n);
  sp->b = ga_arena_doubles(arena, (size_t)s->n), sp->c = ga_arena_doubles(arena, (size_t)s->n);
  sp->kept = ga_arena_doubles(arena, (size_t)s->n);
  sp->mass_term = ga_blocks_add(&sp->mass, 0, 0, &site->M, false);
  if (arena->failed) return ga_fail(s->err, GA_ERR_MEM, "no memory for the parts of a step");
  ga_status status = open_solver(f, s, y, n, &sp->ls_y, arena);
  if (status == GA_OK) status = open_solver(f, s, z, n, &sp->ls_z, arena);
  if (status == GA_OK && !pair) status = open_solver(f, s, &sp->mass, s->nv, &sp->ls_mass, arena);
  if (status == GA_OK && s->may_drop) {
    ga_unit_init(&sp->unit_y, &y->A, s->nv, arena);
    ga_unit_init(&sp->unit_z, &z->A, s->nv, arena);
  }
  sp->aside = ga_arena_doubles(arena, aside_size(sp));
  if (status == GA_OK && arena->failed) status = GA_ERR_MEM;
  if (status == GA_ERR_MEM) ga_fail(s->err, GA_ERR_MEM, "no memory for the parts of a step");
  return status;
}

void ga_split_close(ga_split *sp) {
  ga_linsol_close(&sp->ls_y);
  ga_linsol_close(&sp->ls_z);
  ga_linsol_close(&sp->ls_mass);
}

void ga_split_reset(ga_split *sp) {
  if (sp->on) {
    ga_linsol_reset(&sp->ls_y);
    ga_linsol_reset(&sp->ls_z);
    if (sp->ls_mass.ops) ga_linsol_reset(&sp->ls_mass);
  }
  sp->in_use = false;
}

long ga_split_repivots(const ga_split *sp) {
  return sp->ls_y.repivots + sp->ls_z.repivots + sp->ls_mass.repivots;
}

static ga_status factor_part(ga_blocks *blocks, ga_linsol *ls) {
  return ls->ops->factor(ls, &blocks->A);
}

static ga_status factor_parts(ga_split *sp) {
  ga_status status = factor_part(&sp->y, &sp->ls_y);
  if (status == GA_OK) status = factor_part(&sp->z, &sp->ls_z);
  if (status != GA_OK || !sp->ls_mass.ops) return status;
  return factor_part(&sp->mass, &sp->ls_mass);
}

/* The parts, from what the full matrix was just assembled of. */
ga_status ga_split_factor(ga_factors *f, const ga_equations *s) {
  ga_split *sp = &f->split;
  const ga_tableau *tab = &s->tab;
  double h = s->h, phi = tab->phi, p = tab->p[sp->row_y], r = tab->r[sp->row_z];
  ga_blocks *y = &sp->y, *z = &sp->z;
  ga_csr_zero(&y->A);
  ga_csr_zero(&z->A);
  ga_blocks_scatter(y, sp->y_term[0], tab->m);
  ga_blocks_scatter(y, sp->y_term[1], phi * p * h * h);
  if (p != 0) ga_blocks_scatter(y, sp->y_term[2], phi * r * h);
  ga_blocks_scatter(y, sp->y_term[3], 1);
  ga_blocks_scatter(z, sp->z_term[0], tab->m);
  ga_blocks_scatter(z, sp->z_term[1], phi * r * h);
  ga_blocks_scatter(z, sp->z_term[2], 1);
  for (int k = 0; k < 2; k++) {
    ga_blocks_scatter(y, sp->y_term[4 + k], phi);
    ga_blocks_scatter(z, sp->z_term[3 + k], phi);
  }
  if (sp->hat != GA_NONE) {
    ga_blocks_scatter(y, sp->y_term[6], tab->rh[sp->row_y] / p);
    ga_blocks_scatter(y, sp->y_term[7], h);
    ga_blocks_scatter(z, sp->z_term[5], 1);
  }
  if (s->ndropped > 0) {
    ga_unit_apply_all(&sp->unit_y, &y->A, s->nv, s->nlam + s->npsi, s->dropped);
    ga_unit_apply_all(&sp->unit_z, &z->A, s->nv, s->nlam + s->npsi, s->dropped);
  }
  if (sp->ls_mass.ops) {
    ga_csr_zero(&sp->mass.A);
    ga_blocks_scatter(&sp->mass, sp->mass_term, 1);
  }
  return factor_parts(sp);
}

void ga_split_set_aside(ga_split *sp) {
  const ga_blocks *const parts[] = {&sp->y, &sp->z, &sp->mass};
  double *to = sp->aside;
  for (int k = 0; k < 3; to += count_values(parts[k++])) {
    size_t bytes = count_values(parts[k]) * sizeof(double);
    if (bytes > 0) memcpy(to, parts[k]->A.val, bytes);
  }
}

ga_status ga_split_factor_aside(ga_split *sp) {
  ga_blocks *const parts[] = {&sp->y, &sp->z, &sp->mass};
  const double *from = sp->aside;
  for (int k = 0; k < 3; from += count_values(parts[k++])) {
    size_t bytes = count_values(parts[k]) * sizeof(double);
    if (bytes > 0) memcpy(parts[k]->A.val, from, bytes);
  }
  return factor_parts(sp);
}

/* right side of y: sum_j p_j b_j with its constraints; of z likewise, and less what y makes of it
 */
static ga_status solve_y(ga_factors *f, const ga_equations *s, const double *b) {
  ga_split *sp = &f->split;
  memset(sp->by, 0, (size_t)sp->n * sizeof(double));
  for (int j = 0; j < s->method->nx; j++) ga_axpy(s->nv, s->tab.p[j], b + j * s->nv, sp->by);
  memcpy(sp->by + s->nv, b + s->con_at[sp->pos], (size_t)s->nlam * sizeof(double));
  if (sp->hat != GA_NONE) {
    memcpy(sp->by + s->nv + s->nlam, b + s->con_at[sp->hat], (size_t)s->npsi * sizeof(double));
  }
  return sp->ls_y.ops->solve(&sp->ls_y, sp->by);
}

static ga_status solve_z(ga_factors *f, const ga_equations *s, const double *b) {
  ga_split *sp = &f->split;
  const ga_tangents *d = &f->matrix.tangents;
  const double h = s->h, *y = sp->by;
  double *bz = sp->bz, *vel = bz + s->nv, *non = vel + s->nlam;
  double stiff = s->tab.phi * s->tab.r[sp->row_z] * h * h;
  memset(bz, 0, (size_t)sp->n * sizeof(double));
  for (int j = 0; j < s->method->nx; j++) ga_axpy(s->nv, s->tab.r[j], b + j * s->nv, bz);
  ga_csr_mul_add(&d->Kt[sp->row_z], -stiff, y, bz);
  memcpy(vel, b + s->con_at[sp->vel], (size_t)s->nlam * sizeof(double));
  ga_csr_mul_add(&d->Z, -h, y, vel);
  if (sp->non != GA_NONE) {
    memcpy(non, b + s->con_at[sp->non], (size_t)s->npsi * sizeof(double));
    ga_csr_mul_add(&d->Y, -h, y, non);
  }
  return sp->ls_z.ops->solve(&sp->ls_z, bz);
}

/* y and z are one block each: x_0 = y/p, x_1 = z/r, and their multipliers */
static void recover_pair(const ga_split *sp, const ga_equations *s, double *c) {
  double p = s->tab.p[0], r = s->tab.r[1];
  const double *part[2] = {sp->by, sp->bz};
  double weight[2] = {1 / p, 1 / r};
  for (int j = 0; j < 2; j++) {
    const ga_dyn_row *row = &s->method->dyn[j];
    const double *mu = part[j] + s->nv, *nu = mu + s->nlam;
    for (int i = 0; i < s->nv; i++) c[j * s->nv + i] = weight[j] * part[j][i];
    for (int i = 0; i < s->nlam; i++) c[s->mult_at[row->lam] + i] = weight[j] * mu[i];
    for (int i = 0; i < s->npsi; i++) c[s->mult_at[row->psi] + i] = weight[j] * nu[i];
  }
}

/* [a b; c d] (u, v) = (e, f) */
static void two_by_two(const double A[4], double e, double f, double *u, double *v) {
  double det = A[0] * A[3] - A[1] * A[2];
  *u = (A[3] * e - A[1] * f) / det;
  *v = (A[0] * f - A[2] * e) / det;
}

/* x_j = M^-1 (b_j - L^T lam) */
static ga_status recover_reaction(ga_factors *f, const ga_equations *s, const double *b, int j,
                                  double *c) {
  const ga_tangents *d = &f->matrix.tangents;
  ga_linsol *mass = &f->split.ls_mass;
  const ga_csr *L = ga_eval_own_reaction(s->eval) ? &d->L[j] : &s->site[s->method->dyn[j].site].G;
  double *x = c + j * s->nv;
  memcpy(x, b + j * s->nv, (size_t)s->nv * sizeof(double));
  ga_csr_mul_t_add(L, -1, c + s->mult_at[s->method->dyn[j].lam], x);
  return mass->ops->solve(mass, x);
}

/* x_0 = M^-1 (b_0 - h^2 K y - h C z); the multipliers from lam_y, lam_z; the reactions from their
 * own rows (from y and z they would inherit the differences of the sites' masses and gradients) */
static ga_status recover_triple(ga_factors *f, const ga_equations *s, const double *b, double *c) {
  ga_split *sp = &f->split;
  const ga_tangents *d = &f->matrix.tangents;
  const ga_tableau *tab = &s->tab;
  const double *y = sp->by, *z = sp->bz;
  int nv = s->nv, nx = s->method->nx;
  memcpy(c, b, (size_t)nv * sizeof(double));
  ga_csr_mul_add(&d->Kt[0], -s->h * s->h, y, c);
  ga_csr_mul_add(&d->Ct[0], -s->h, z, c);
  ga_status status = sp->ls_mass.ops->solve(&sp->ls_mass, c);
  const double shared = nx == 4 ? tab->p[3] : 0;
  const double A[4] = {tab->p[1] + shared, tab->p[2], tab->r[1], tab->r[2]};
  double *old = c + s->mult_at[0], *new = c + s->mult_at[1];
  for (int i = 0; i < s->nlam; i++) two_by_two(A, y[nv + i], z[nv + i], &old[i], &new[i]);
  for (int j = 1; j < nx && status == GA_OK; j++) status = recover_reaction(f, s, b, j, c);
  return status;
}

/* c = P^-1 b */
static ga_status sweep(ga_factors *f, const ga_equations *s, const double *b, double *c) {
  ga_status status = solve_y(f, s, b);
  if (status == GA_OK) status = solve_z(f, s, b);
  if (status != GA_OK) return status;
  if (s->method->split == GA_SPLIT_TRIPLE) return recover_triple(f, s, b, c);
  recover_pair(&f->split, s, c);
  return GA_OK;
}

/* the larger of the relative sizes of accelerations and multipliers */
static double relative(const ga_equations *s, const double *c, const double *x) {
  int nx = s->nx, nm = s->n - nx;
  double by_x = ga_max_abs(nx, c), of_x = ga_max_abs(nx, x);
  double by_m = ga_max_abs(nm, c + nx), of_m = ga_max_abs(nm, x + nx);
  return fmax(by_x > 0 ? by_x / of_x : 0, by_m > 0 ? by_m / of_m : 0);
}

/* x = A^-1 b by sweeps; false if they do not contract */
static bool solve_by_sweeps(ga_factors *f, const ga_equations *s, double *x) {
  ga_split *sp = &f->split;
  size_t bytes = (size_t)s->n * sizeof(double);
  double last = 1;
  memcpy(sp->b, x, bytes);
  memset(x, 0, bytes);
  for (int k = 0; k < SWEEPS; k++) {
    if (sweep(f, s, sp->b, sp->c) != GA_OK) return false;
    ga_axpy(s->n, 1, sp->c, x);
    double size = relative(s, sp->c, x);
    if (!isfinite(size) || (k > 0 && size > SLOW * last)) return false;
    /* what is left is the next correction */
    if (k > 0) f->past.rate = size / last;
    if (size * f->past.rate <= ENOUGH) return true;
    last = size;
    ga_csr_mul_add(&f->matrix.blocks.A, -1, sp->c, sp->b);
  }
  return false;
}

bool ga_split_solve(ga_factors *f, const ga_equations *s, double *x) {
  ga_split *sp = &f->split;
  size_t bytes = (size_t)s->n * sizeof(double);
  memcpy(sp->kept, x, bytes);
  if (solve_by_sweeps(f, s, x)) return true;
  memcpy(x, sp->kept, bytes);
  return false;
}
