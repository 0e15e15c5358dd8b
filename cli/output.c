/* SPDX-License-Identifier: MIT */
/* The trajectory as CSV: t, q, v, vd, lam, psi and, where the model has them, the energies. */
#include "output.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "columns.h"

static bool fail(csv *out) {
  if (!out->failed) {
    cli_error("cannot write '%s': %s", out->path, errno ? strerror(errno) : "write error");
  }
  out->failed = true;
  return false;
}

/* the names of a file's columns, or of all parts of a state */
static void put_head(csv *out, const ga_model *model) {
  fputc('t', out->file);
  for (int i = 0; i < out->named.count; i++) {
    fputc(',', out->file);
    csv_name(out->file, named_name(&out->named, i));
  }
  for (int part = 0; out->named.count == 0 && part < PARTS; part++) {
    for (int i = 0; i < part_size(model, part); i++) {
      fputc(',', out->file);
      csv_name(out->file, part_name(model, part, i).text);
    }
  }
  fputs(out->named.count == 0 && model->ops->energy ? ",E_kin,E_pot\n" : "\n", out->file);
}

bool csv_open(csv *out, const char *path, const ga_problem *problem) {
  *out = (csv){.path = path};
  if (!named_open(&out->named, problem)) return false;
  errno = 0;
  out->file = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
  if (!out->file) return fail(out);
  put_head(out, &problem->model);
  /* now, so that a full disk is noticed before a long run */
  if (fflush(out->file) != 0 || ferror(out->file)) {
    fail(out);
    csv_close(out);
    return false;
  }
  return true;
}

static void put_named(csv *out, const ga_state *state) {
  named_update(&out->named, state);
  for (int i = 0; i < out->named.count; i++) {
    fprintf(out->file, ",%.17g", named_value(&out->named, i));
  }
}

static void put_parts(csv *out, const ga_model *model, const ga_state *state) {
  for (int part = 0; part < PARTS; part++) {
    const double *x = part_values(state, part);
    for (int i = 0; i < part_size(model, part); i++) fprintf(out->file, ",%.17g", x[i]);
  }
  if (model->ops->energy) {
    double kin = NAN, pot = NAN;
    if (model->ops->energy(model->user, state->t, state->q, state->v, &kin, &pot) != 0) {
      kin = pot = NAN;
    }
    fprintf(out->file, ",%.17g,%.17g", kin, pot);
  }
}

bool csv_row(csv *out, const ga_model *model, const ga_state *state) {
  errno = 0;
  fprintf(out->file, "%.17g", state->t);
  if (out->named.count > 0) {
    put_named(out, state);
  } else {
    put_parts(out, model, state);
  }
  if (fputc('\n', out->file) == EOF || ferror(out->file)) return fail(out);
  return true;
}

bool csv_close(csv *out) {
  FILE *file = out->file;
  out->file = NULL;
  named_close(&out->named);
  if (!file) return !out->failed;
  errno = 0;
  int status = file == stdout ? fflush(file) : fclose(file);
  return status == 0 && !out->failed ? true : fail(out);
}
