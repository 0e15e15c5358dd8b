/* SPDX-License-Identifier: MIT */
/* Changes of contacts as a CSV file (--impacts). */
#include "output/impacts.h"

#include <errno.h>
#include <string.h>

#include "output/output.h"

/* Open `path` and write the head. */
bool impacts_open(impacts *f, const char *path, const ga_model *model) {
  *f = (impacts){.to = fopen(path, "w"), .path = path, .model = model};
  if (f->to) {
    fprintf(f->to, "t,kind,contact,un_before,un_after,impulse_n,impulse_t1,impulse_t2,energy\n");
    return true;
  }
  tool_error("--impacts: '%s' cannot be written: %s", path, strerror(errno));
  return false;
}

/* Write one contact of a change. */
void impacts_add(void *context, const ga_contact_change *c) {
  impacts *f = context;
  fprintf(f->to, "%.17g,%s,%s,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", c->t,
          ga_contact_kind_name(c->kind), f->model->contacts[c->contact].name, c->un_before,
          c->un_after, c->impulse_n, c->impulse_t1, c->impulse_t2, c->energy);
}

/* Close the file; a disk that is full shows here. */
bool impacts_close(impacts *f) {
  if (!f->to) return true;
  const bool bad = ferror(f->to) != 0;
  const bool closed = fclose(f->to) == 0;
  f->to = NULL;
  if (closed && !bad) return true;
  tool_error("--impacts: '%s' could not be written", f->path);
  return false;
}
