/* SPDX-License-Identifier: MIT */
/* genalpha equilibrium: where a mechanism stays at rest, the forces there, and whether it would
 * come back. */
#include <stdlib.h>
#include <string.h>

#include "commands/statics.h"

/* Stability, from the modes about the equilibrium. */
typedef struct stability {
  bool known; /* the modes could be computed, and they decide */
  bool few;   /* a large model: only some of the slowest modes were computed */
  bool unstable;
  int count, free; /* vibrations; directions without any restoring force */
  double slowest;  /* angular frequency of the slowest vibration, rad/s */
  double damping;  /* its damping ratio */
  double grows;    /* largest growth rate, 1/s; 0 if nothing grows */
  int negative;    /* negative eigenvalues of the tangent of a mechanism with beams */
} stability;

/* Stability of the equilibrium at which p stands, from the eigenvalues re + i im of its modes, the
 * slowest first: unstable if one has re > 0. Beyond 1000 velocities only the 3 slowest modes are
 * computed. If they cannot be computed, `known` is false; there is no message. With beams the
 * tangent decides: negative eigenvalues of its symmetric part; -1: modes decide. */
static stability find_stability(const mechanism_state *p, int negative) {
  enum { ALL_MOST = 1000, FEW = 3 };
  stability s = {.few = p->nv > ALL_MOST};
  const int room = s.few ? FEW : 2 * p->nv;
  double *re = calloc((size_t)room, sizeof(double)), *im = calloc((size_t)room, sizeof(double));
  ga_modes modes = {.room = room, .re = re, .im = im, .few = s.few};
  /* frozen: drives may move the mechanism, but stability is that of the drives at rest */
  const bool found =
      re && im && ga_mechanism_modes(p->mechanism, p->t, p->q, p->v, true, &modes, NULL) == GA_OK;
  s.unstable = negative < 0 ? found && modes.unstable : negative > 0;
  /* a few modes that decay do not prove stability, one that grows disproves it */
  s.known = negative >= 0 || (found && (!s.few || s.unstable));
  s.negative = negative > 0 ? negative : 0;
  for (int i = 0; found && i < modes.count; i++) {
    const double w = hypot(re[i], im[i]);
    if (re[i] > s.grows) s.grows = re[i];
    if (w == 0) s.free++;
    if (im[i] == 0) continue;
    if (s.count++ == 0) s.slowest = im[i], s.damping = -re[i] / w;
  }
  free(re);
  free(im);
  return s;
}

/* Print stability in a sentence. s->slowest is in rad/s, s->grows in 1/s. */
static void print_stability(const stability *s) {
  if (!s->known && s->few) {
    if (s->count > 0)
      printf("  its slowest vibration has %.6g Hz;", s->slowest / 6.283185307179586);
    printf("%s it is too large to look at all of them, and to tell whether it is stable\n",
           s->count > 0 ? "" : " ");
    return;
  }
  if (!s->known) return;
  if (s->negative > 0) {
    printf("  unstable: its tangent has %d negative eigenvalue%s\n", s->negative,
           s->negative > 1 ? "s" : "");
  } else if (s->unstable) {
    printf("  unstable: a small push grows by a factor of e in %.3g s\n", 1 / s->grows);
  } else if (s->count > 0) {
    printf("  stable: its slowest vibration has %.6g Hz, damping ratio %.3g\n",
           s->slowest / 6.283185307179586, s->damping == 0 ? 0 : s->damping);
  } else {
    printf("  nothing vibrates about it\n");
  }
  if (s->free > 0) {
    printf("  in %d direction%s nothing holds it: it stays wherever it is put\n", s->free,
           s->free > 1 ? "s" : "");
  }
}

/* Print the equilibrium for people: effort, stability, the chosen columns with units (60 at most).
 * Returns TOOL_OK, or TOOL_FAILED without memory. */
static int print_text(const mechanism_state *p, const ga_equilibrium *e, const stability *s) {
  enum { ROWS = 60 };
  column_set c;
  const ga_state state = mechanism_state_view(p);
  double *value = NULL;
  if (columns_open(&c, p->problem, COLUMNS_CHOSEN)) value = calloc((size_t)c.count, sizeof *value);
  if (!value) {
    columns_close(&c);
    return TOOL_FAILED;
  }
  columns_evaluate(&c, &state, value);
  printf("%s: equilibrium at t = %.6g, after %d steps", p->problem->name, p->t, e->iterations);
  if (e->relaxations > 0) printf(" and %d of dynamic relaxation", e->relaxations);
  printf(", forces balanced to %.1g\n", e->unbalanced);
  print_stability(s);
  mechanism_state_print_contacts(p);
  /* the first column is t, which the first line has printed */
  for (int i = 1; i < c.count && i <= ROWS; i++) {
    printf("  %-24s %.10g%s\n", columns_full_name(&c, i), value[i],
           columns_unit_suffix(&c, i).text);
  }
  if (c.count - 1 > ROWS) printf("  and %d more, all of them with --json\n", c.count - 1 - ROWS);
  free(value);
  columns_close(&c);
  return TOOL_OK;
}

/* The equilibrium as one JSON object; "stable" is null if it is not known. Returns the exit
 * code. */
static int print_json(const mechanism_state *p, const ga_equilibrium *e, const stability *s) {
  const ga_state state = mechanism_state_view(p);
  printf("{\n  \"t\": ");
  json_number(stdout, p->t);
  printf(",\n  \"iterations\": %d, \"relaxations\": %d, \"unbalanced\": ", e->iterations,
         e->relaxations);
  json_number(stdout, e->unbalanced);
  if (e->negative >= 0) printf(",\n  \"negative\": %d", e->negative);
  printf(",\n  \"stable\": %s, \"free\": %d",
         !s->known     ? "null"
         : s->unstable ? "false"
                       : "true",
         s->free);
  json_array(stdout, "q", p->nq, p->q);
  json_array(stdout, "lam", p->nlam, p->lam);
  json_array(stdout, "psi", p->npsi, p->psi);
  mechanism_state_json_contacts(p);
  json_columns(stdout, p->problem, &state);
  printf("\n}\n");
  return TOOL_OK;
}

/* The command itself (statics_command.solve): move p to the state --at, then to the equilibrium
 * found from there; save and print it. Returns the exit code. */
static int find_equilibrium(const statics_settings *set, const args *a, mechanism_state *p) {
  ga_equilibrium e = {0};
  int code = mechanism_state_move(p, a, set->at);
  if (code == ARGS_GO_ON) code = mechanism_state_find_equilibrium(p, &e);
  if (code == ARGS_GO_ON && set->save_state) code = mechanism_state_save(p, set->save_state);
  if (code != ARGS_GO_ON) return code;
  const stability s = find_stability(p, e.negative);
  code = set->json ? print_json(p, &e, &s) : print_text(p, &e, &s);
  if (set->save_state && !set->json) printf("  %-24s %s\n", "state", set->save_state);
  return code;
}

/* `genalpha equilibrium`; returns the exit code. */
int command_equilibrium(int argc, char **argv) {
  static const statics_command command = {
      STATICS_EQUILIBRIUM, "equilibrium",
      "Find where a mechanism stays at rest, downhill from its start; print positions and "
      "forces\n"
      "there, and whether the equilibrium is stable. Drives stay where they are at that time.",
      find_equilibrium};
  return statics_run(&command, argc, argv);
}
