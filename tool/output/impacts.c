/* SPDX-License-Identifier: MIT */
/* Changes of contacts as a CSV file (--impacts). */
#include "output/impacts.h"

#include <errno.h>
#include <string.h>

#include "output/output.h"

/* Write the head of a CSV file of impacts. */
void impacts_head(FILE *to) {
  fprintf(to, "t,kind,contact,un_before,un_after,impulse_n,impulse_t1,impulse_t2,energy\n");
}

/* Write one contact of a change as a line. */
void impacts_line(FILE *to, const ga_results_impact *i) {
  fprintf(to, "%.17g,%s,%s,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", i->t, i->kind, i->contact,
          i->un_before, i->un_after, i->impulse_n, i->impulse_t1, i->impulse_t2, i->energy);
}

/* Open `path`, unless it is NULL, and write the head; results, if not NULL, gets the changes, too. */
bool impacts_open(impacts *f, const char *path, const ga_model *model, ga_results_writer *results) {
  *f = (impacts){.path = path, .model = model, .results = results};
  if (!path) return true;
  f->to = fopen(path, "w");
  if (f->to) {
    impacts_head(f->to);
    return true;
  }
  tool_error("--impacts: '%s' cannot be written: %s", path, strerror(errno));
  return false;
}

/* Write one contact of a change. A result file that fails says so at its next row. */
void impacts_add(void *context, const ga_contact_change *c) {
  impacts *f = context;
  const ga_results_impact one = {.t = c->t,
                                 .kind = ga_contact_kind_name(c->kind),
                                 .contact = f->model->contacts[c->contact].name,
                                 .un_before = c->un_before,
                                 .un_after = c->un_after,
                                 .impulse_n = c->impulse_n,
                                 .impulse_t1 = c->impulse_t1,
                                 .impulse_t2 = c->impulse_t2,
                                 .energy = c->energy};
  if (f->to) impacts_line(f->to, &one);
  if (f->results) ga_results_append_impact(f->results, &one);
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
