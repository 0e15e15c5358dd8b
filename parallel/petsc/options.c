/* SPDX-License-Identifier: MIT */
/* Options of PETSc, from three sources: our defaults, the program's options with the prefix ga_,
 * the options of the context. Later ones win.
 *
 * PETSc has one set of options for the whole process. The solver's options are in it only while
 * operators are made, so that two solvers may have different ones. */
#define _POSIX_C_SOURCE 200809L /* strtok_r */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "private.h"

#define PC_TYPE "-ga_pc_type"

static const struct {
  const char *name, *value;
} defaults[] = {
    {"-ga_ksp_type", "fgmres"},
    {"-ga_ksp_rtol", "1e-9"},
    {"-ga_ksp_max_it", "300"},
    {"-ga_ksp_gmres_restart", "60"},
    {PC_TYPE, "asm"},
    {"-ga_pc_factor_mat_solver_type", "mumps"}, /* of -pc_type lu */
    {"-ga_sub_ksp_type", "preonly"},
    {"-ga_sub_pc_type", GA_PETSC_KLU},
    /* memory beyond the prediction, in per cent: pivots of nets are delayed */
    {"-ga_mat_mumps_icntl_14", "200"},
    {"-ga_sub_mat_mumps_icntl_14", "200"},
    /* no messages */
    {"-ga_mat_mumps_icntl_1", "0"},
    {"-ga_sub_mat_mumps_icntl_1", "0"},
};
enum { DEFAULTS = (int)(sizeof defaults / sizeof *defaults) };

/* Write a message about an option to s->trouble (format has one %s, for what); returns the error
 * code PETSC_ERR_USER_INPUT. */
static PetscErrorCode refuse(const ga_petsc_solver *s, const char *format, const char *what) {
  snprintf(s->trouble, GA_PETSC_ROOM, format, what);
  return PETSC_ERR_USER_INPUT;
}

/* Append an option without value to s->option, which has room; -ksp_type and -ga_ksp_type both
 * become -ga_ksp_type. 0, or an error with a message if the name is too long. */
static PetscErrorCode add_name(ga_petsc_solver *s, const char *word) {
  ga_petsc_option *o = &s->option[s->noption++];
  const char *name = strncmp(word, "-ga_", 4) == 0 ? word + 4 : word + 1;
  int length = snprintf(o->name, sizeof o->name, "-ga_%s", name);
  if (length < (int)sizeof o->name) return 0;
  return refuse(s, "option %.60s.. is too long", word);
}

/* Is the word the name of an option? "-3" and "-.5" are values. */
static bool is_name(const char *word) {
  return word[0] == '-' && (word[1] < '0' || word[1] > '9') && word[1] != '.' && word[1] != '\0';
}

/* Split the text into s->option and s->noption: words that begin with - are names, the next word is
 * the value. s->text is a copy that the values point into. 0, or an error with a message;
 * petsc_free frees both arrays. */
static PetscErrorCode split(ga_petsc_solver *s, const char *text) {
  size_t length = strlen(text);
  s->text = malloc(length + 1);
  s->option = calloc(length / 2 + 1, sizeof *s->option);
  if (!s->text || !s->option) return PETSC_ERR_MEM;
  memcpy(s->text, text, length + 1);
  for (char *rest = NULL, *word = strtok_r(s->text, " \t\n", &rest); word;
       word = strtok_r(NULL, " \t\n", &rest)) {
    if (is_name(word)) {
      GA_TRY(add_name(s, word));
    } else if (s->noption == 0 || s->option[s->noption - 1].value) {
      return refuse(s, "'%.40s' among PETSc's options belongs to none; options begin with -", word);
    } else {
      s->option[s->noption - 1].value = word;
    }
  }
  return 0;
}

/* the memory that MUMPS turned out to need replaces the default and the user's option */
static const char *const room[] = {"-ga_mat_mumps_icntl_14", "-ga_sub_mat_mumps_icntl_14"};

/* Put the workspace of MUMPS, s->room per cent, into PETSc's set of options, if it is known. */
static PetscErrorCode put_room(const ga_petsc_solver *s) {
  char percent[16];
  snprintf(percent, sizeof percent, "%d", s->room);
  for (int k = 0; k < 2 && s->room > 0; k++) GA_TRY(PetscOptionsSetValue(NULL, room[k], percent));
  return 0;
}

/* Put defaults (noted in s->defaults_put), MUMPS if s->direct, the user's options and s->room into
 * PETSc's set; ga_petsc_take_options must follow. The order matters: to ask whether an option is
 * set counts as use of it, and unused options of the user must be found later. */
PetscErrorCode ga_petsc_put_options(ga_petsc_solver *s) {
  s->defaults_put = 0;
  for (int k = 0; k < DEFAULTS; k++) {
    PetscBool there;
    GA_TRY(PetscOptionsHasName(NULL, NULL, defaults[k].name, &there));
    if (there) continue;
    GA_TRY(PetscOptionsSetValue(NULL, defaults[k].name, defaults[k].value));
    s->defaults_put |= 1u << k;
  }
  if (s->direct) GA_TRY(PetscOptionsSetValue(NULL, PC_TYPE, "lu"));
  for (int k = 0; k < s->noption; k++) {
    GA_TRY(PetscOptionsSetValue(NULL, s->option[k].name, s->option[k].value));
  }
  return put_room(s);
}

/* The first option of the user that PETSc has never used is an error, with a message; notes the
 * used ones in s->option. The options must be in PETSc's set. */
static PetscErrorCode check_used(ga_petsc_solver *s) {
  if (s->direct) return 0; /* they were checked before, with another preconditioner */
  for (int k = 0; k < s->noption; k++) {
    PetscBool used;
    GA_TRY(PetscOptionsUsed(NULL, s->option[k].name + 1, &used)); /* without its - */
    s->option[k].used |= used == PETSC_TRUE;
    if (s->option[k].used) continue;
    return refuse(s, "option -%s: PETSc has no use for it here; is the name right?",
                  s->option[k].name + 4);
  }
  return 0;
}

/* Remove the solver's options from PETSc's set. check: an option that PETSc has not used is an
 * error; they are removed in that case, too. */
PetscErrorCode ga_petsc_take_options(ga_petsc_solver *s, bool check) {
  PetscErrorCode code = check ? check_used(s) : 0;
  for (int k = 0; k < s->noption; k++) {
    GA_TRY(PetscOptionsClearValue(NULL, s->option[k].name));
  }
  for (int k = 0; k < DEFAULTS; k++) {
    if (s->defaults_put & 1u << k) GA_TRY(PetscOptionsClearValue(NULL, defaults[k].name));
  }
  for (int k = 0; k < 2 && s->room > 0; k++) GA_TRY(PetscOptionsClearValue(NULL, room[k]));
  return code;
}

/* the index of the preconditioner's type in the defaults */
enum { PC_TYPE_AT = 4 };
enum { SMALL = 500 }; /* rows up to which subdomains are factored whole */

/* Read the options of this solver (-weak, -backward, -overlap) and the preconditioner's type: sets
 * weak_wanted, weak, backward, overlap, may_be_direct, and marks these options as used. Choices
 * that cannot work are an error with a message. The options must be in PETSc's set, s->ntotal
 * must be known. */
static PetscErrorCode read_own(ga_petsc_solver *s) {
  char pc[64] = "", by[64] = "";
  PetscReal weak = s->ntotal < SMALL ? 0 : 0.1, backward = 1e-8; /* the defaults */
  PetscInt overlap = 1;
  GA_TRY(PetscOptionsGetString(NULL, NULL, PC_TYPE, pc, sizeof pc, NULL));
  s->may_be_direct = (s->defaults_put & 1u << PC_TYPE_AT) && strcmp(pc, "asm") == 0;
  for (int k = 0; k < s->noption; k++) {
    if (strcmp(s->option[k].name, PC_TYPE) == 0) s->may_be_direct = false;
  }
  if (strcmp(pc, "lu") == 0) weak = 0;
  if (strcmp(pc, "cholesky") == 0) {
    return refuse(s, "option -pc_type %s: the matrices are not symmetric; use lu", pc);
  }
  GA_TRY(PetscOptionsGetString(NULL, "ga_", "-pc_factor_mat_solver_type", by, sizeof by, NULL));
  if (strcmp(by, "superlu_dist") == 0) {
    return refuse(
        s, "%s ends the process at a zero on the diagonal, which constraints have; use mumps", by);
  }
  GA_TRY(PetscOptionsGetReal(NULL, "ga_", "-weak", &weak, NULL));
  GA_TRY(PetscOptionsGetReal(NULL, "ga_", "-backward", &backward, NULL));
  GA_TRY(PetscOptionsGetInt(NULL, "ga_", "-overlap", &overlap, NULL));
  s->weak_wanted = s->weak = weak, s->backward = backward, s->overlap = overlap;
  for (int k = 0; k < s->noption; k++) {
    const char *name = s->option[k].name;
    s->option[k].used = strcmp(name, "-ga_weak") == 0 || strcmp(name, "-ga_overlap") == 0 ||
                        strcmp(name, "-ga_backward") == 0;
  }
  return 0;
}

/* Split the text of the context into s->option, and set the solver's own numbers (read_own). 0, or
 * an error with a message in s->trouble. PETSc's set of options is left as it was. */
PetscErrorCode ga_petsc_read_options(ga_petsc_solver *s) {
  if (s->context->options) GA_TRY(split(s, s->context->options));
  GA_TRY(ga_petsc_put_options(s));
  PetscErrorCode code = read_own(s);
  GA_TRY(ga_petsc_take_options(s, false /* nothing was used yet */));
  return code;
}
