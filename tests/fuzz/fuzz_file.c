/* SPDX-License-Identifier: MIT */
/* libFuzzer on the reader of model files: whatever the bytes are, it ends with a file or a
 * sentence. What can be read is evaluated once, too. `make check-fuzz` runs it for a minute, from
 * the files of models/. */
#define _GNU_SOURCE
#include <genalpha/genalpha.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* F and g at the start, and all columns */
static void evaluate(const ga_mechanism *m) {
  const ga_model *model = ga_mechanism_model(m);
  const size_t nv = (size_t)ga_space_nv(model->space), nlam = (size_t)model->nlam + 1;
  const size_t npsi = (size_t)model->npsi + 1, n = (size_t)ga_mechanism_columns(m);
  double *F = calloc(nv + 1, sizeof *F), *g = calloc(nlam, sizeof *g),
         *psi = calloc(npsi, sizeof *psi);
  double *columns = calloc(n, sizeof *columns);
  if (F && g && psi && columns) {
    const double *q = ga_mechanism_q0(m), *v = ga_mechanism_v0(m);
    ga_model_evaluate(model, 0, q, v, &(ga_evaluation){.F = F, .g = g});
    const ga_state state = {.q = q, .v = v, .vd = F, .a = F, .lam = g, .psi = psi};
    ga_mechanism_outputs(m, &state, columns);
  }
  free(F), free(g), free(psi), free(columns);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ga_file *file = NULL;
  ga_error err = {GA_OK, ""};
  /* a loop of 1e7 elements is allowed, but not what this looks for */
  if (size > 8192 || memmem(data, size, "repeat", 6)) return 0;
  const ga_status status = ga_file_parse("fuzz.yaml", (const char *)data, size, NULL, &file, &err);
  if ((status == GA_OK) != (file != NULL)) abort();
  if (status != GA_OK && err.text[0] == '\0') abort();
  if (file) evaluate(ga_file_mechanism(file));
  ga_file_free(file);
  return 0;
}
