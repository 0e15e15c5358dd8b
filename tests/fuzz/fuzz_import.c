/* SPDX-License-Identifier: MIT */
/* libFuzzer on the reader of robots: whatever the bytes are, it ends with a model file that can be
 * read or with a sentence. `make check-fuzz` runs it after the reader of model files, from the
 * robots of models/. */
#include <genalpha/genalpha.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ga_imported *robot = NULL;
  ga_file *file = NULL;
  ga_error err = {GA_OK, ""};
  if (size < 1 || size > 16384) return 0;
  /* the first byte chooses the options */
  const ga_import_options options = {.floating = data[0] & 1,
                                     .keep_fixed = data[0] & 2,
                                     .stops = data[0] & 4,
                                     .stop_stiffness = data[0] & 8 ? 1000 : 0,
                                     .repair_inertia = data[0] & 16,
                                     .ignore_friction = data[0] & 32};
  const ga_status status =
      ga_import_text("fuzz.urdf", (const char *)data + 1, size - 1, &options, &robot, &err);
  if ((status == GA_OK) != (robot != NULL)) abort();
  if (status != GA_OK && err.text[0] == '\0') abort();
  if (!robot) return 0;
  const char *model = ga_imported_model(robot);
  const ga_file_options read = {.no_build = true};
  if (ga_file_parse("fuzz", model, strlen(model), &read, &file, &err) != GA_OK) abort();
  ga_file_free(file);
  ga_imported_free(robot);
  return 0;
}
