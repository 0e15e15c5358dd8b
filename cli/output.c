/* SPDX-License-Identifier: MIT */
/* The trajectory as CSV: t, q, v, vd, lambda, psi and, where the model has them, the energies. */
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

bool csv_open(csv *out, const char *path, const ga_model *model) {
  *out = (csv){.path = path};
  errno = 0;
  out->file = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
  if (!out->file) return fail(out);
  fputc('t', out->file);
  for (int part = 0; part < PARTS; part++) {
    for (int i = 0; i < part_size(model, part); i++) {
      fputc(',', out->file);
      csv_name(out->file, part_name(model, part, i).text);
    }
  }
  fputs(model->ops->energy ? ",E_kin,E_pot\n" : "\n", out->file);
  /* now, so that a full disk is noticed before a long run */
  if (fflush(out->file) != 0 || ferror(out->file)) {
    fail(out);
    csv_close(out);
    return false;
  }
  return true;
}

bool csv_row(csv *out, const ga_model *model, const ga_state *state) {
  errno = 0;
  fprintf(out->file, "%.17g", state->t);
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
  if (fputc('\n', out->file) == EOF || ferror(out->file)) return fail(out);
  return true;
}

bool csv_close(csv *out) {
  FILE *file = out->file;
  out->file = NULL;
  if (!file) return !out->failed;
  errno = 0;
  int status = file == stdout ? fflush(file) : fclose(file);
  return status == 0 && !out->failed ? true : fail(out);
}
