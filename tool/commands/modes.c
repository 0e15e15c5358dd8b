/* SPDX-License-Identifier: MIT */
/* genalpha modes: frequencies, damping ratios and shapes about a state. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "commands/modes_view.h"
#include "commands/statics.h"
#include "output/whole_file.h"
#include "picture/page.h"

static const double TWO_PI = 6.283185307179586;

typedef struct results {
  ga_modes modes;
  double *arrays; /* owned: re, im, shape_re, shape_im of modes */
} results;

/* Real components of the shape of mode k, p->nv numbers. */
static double *shape_re(const results *r, const mechanism_state *p, int k) {
  return r->modes.shape_re + (size_t)k * (size_t)p->nv;
}

/* Imaginary components of the shape of mode k, p->nv numbers. */
static double *shape_im(const results *r, const mechanism_state *p, int k) {
  return r->modes.shape_im + (size_t)k * (size_t)p->nv;
}

/* ---- files ---------------------------------------------------------------------------------- */

/* A sparse matrix in the Matrix Market format, rows and columns counted from 1. */
static void print_matrix(FILE *to, const ga_csr *A) {
  fprintf(to, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", A->nrow, A->ncol,
          A->ptr[A->nrow]);
  for (int i = 0; i < A->nrow; i++) {
    for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
      fprintf(to, "%d %d %.17g\n", i + 1, A->col[e] + 1, A->val[e]);
    }
  }
}

/* The name of each velocity, one in a line: what the rows and columns of M stand for. */
static void print_names(FILE *to, const mechanism_state *p) {
  char name[300];
  for (int i = 0; i < p->nv; i++) {
    fprintf(to, "%s\n", ga_mechanism_shape_name(p->mechanism, i, name, sizeof name));
  }
}

/* Write M, C, K, G, H, Y of the linearized equations as DIR/M.mtx .. and the velocity names as
 * DIR/names.txt. Creates the directory. Returns ARGS_GO_ON or the exit code. */
static int write_matrices(const char *directory, const mechanism_state *p,
                          const ga_linearization *lin) {
  static const char letters[] = "MCKGHY";
  if (mkdir(directory, 0777) != 0 && errno != EEXIST) {
    tool_error("cannot make the directory '%s': %s", directory, strerror(errno));
    return TOOL_FAILED;
  }
  for (int k = 0; k < 7; k++) {
    char path[4096];
    snprintf(path, sizeof path, k < 6 ? "%s/%c.mtx" : "%s/names.txt", directory, letters[k]);
    FILE *to = whole_file_open(path);
    if (!to) return TOOL_FAILED;
    if (k < 6) {
      print_matrix(to, ga_linearization_matrix(lin, letters[k]));
    } else {
      print_names(to, p);
    }
    if (!whole_file_close(to, path)) return TOOL_FAILED;
  }
  return ARGS_GO_ON;
}

/* All modes as CSV: eigenvalue re + i im (1/s), frequency im/(2 pi) in Hz, damping ratio -re/|re +
 * i im|, then real and imaginary components of the shape. */
static void print_csv(FILE *to, const mechanism_state *p, const results *r) {
  char name[300];
  fprintf(to, "mode,re,im,frequency,damping_ratio");
  for (int imaginary = 0; imaginary < 2; imaginary++) {
    for (int i = 0; i < p->nv; i++) {
      fprintf(to, ",%s%s", ga_mechanism_shape_name(p->mechanism, i, name, sizeof name),
              imaginary ? "_im" : "");
    }
  }
  fputc('\n', to);
  for (int k = 0; k < r->modes.count; k++) {
    const double re = r->modes.re[k], im = r->modes.im[k], w = hypot(re, im);
    fprintf(to, "%d,%.17g,%.17g,%.17g,%.17g", k + 1, re, im, im / TWO_PI, w > 0 ? -re / w : 0);
    for (int i = 0; i < 2 * p->nv; i++) {
      const double x = i < p->nv ? shape_re(r, p, k)[i] : shape_im(r, p, k)[i - p->nv];
      fprintf(to, ",%.17g", x);
    }
    fputc('\n', to);
  }
}

/* The same to a file, or to standard output for "-". Returns ARGS_GO_ON or the exit code. */
static int write_csv(const char *path, const mechanism_state *p, const results *r) {
  FILE *to = whole_file_open(path);
  if (!to) return TOOL_FAILED;
  print_csv(to, p, r);
  return whole_file_close(to, path) ? ARGS_GO_ON : TOOL_FAILED;
}

/* ---- the table ------------------------------------------------------------------------------ */

/* Print the names of the two largest components of shape k; those below 0.05 are left out (the
 * largest component of a shape is 1). Of components of exactly equal size only the first is
 * named. */
static void print_largest_components(const mechanism_state *p, const results *r, int k) {
  const double *re = shape_re(r, p, k), *im = shape_im(r, p, k);
  double last = INFINITY;
  for (int named = 0; named < 2; named++) {
    int best = -1;
    for (int i = 0; i < p->nv; i++) {
      const double x = hypot(re[i], im[i]);
      if (x < last && (best < 0 || x > hypot(re[best], im[best]))) best = i;
    }
    if (best < 0 || hypot(re[best], im[best]) < 0.05) return;
    char name[300];
    last = hypot(re[best], im[best]);
    printf("%s%s", named ? ", " : "",
           ga_mechanism_shape_name(p->mechanism, best, name, sizeof name));
  }
}

/* The modes for people, the first `most` of them: eigenvalue sigma + i omega, frequency omega/(2 pi)
 * or "free", "grows", "decays", damping ratio, and what moves most. */
static void print_table(const mechanism_state *p, const results *r, int most) {
  const ga_modes *m = &r->modes;
  printf("%s, at t = %.6g: ", p->problem->name, p->t);
  if (m->velocities != m->freedom) {
    printf("%d degrees of freedom in position and %d in velocity, ", m->freedom, m->velocities);
  } else if (!m->few || m->freedom > 0) {
    printf("%d degree%s of freedom, ", m->freedom, m->freedom == 1 ? "" : "s");
  }
  printf("%d mode%s, %s\n", m->all, m->all == 1 ? "" : "s", m->unstable ? "unstable" : "stable");
  if (m->turning) printf("in axes that turn with the bodies\n");
  mechanism_state_print_contacts(p);
  if (m->count == 0) return;
  printf("       sigma [1/s] + i omega [rad/s]   frequency [Hz]   damping ratio   moves most\n");
  for (int k = 0; k < m->count && k < most; k++) {
    const double re = m->re[k], im = m->im[k], w = hypot(re, im);
    printf("%4d%15.8g", k + 1, re);
    if (im == 0) {
      printf("%18s%17s%16s   ", "",
             w == 0   ? "free"
             : re > 0 ? "grows"
                      : "decays",
             re < 0 ? "> 1" : "-");
    } else {
      printf(" + %13.8g i%17.8g%16.4g   ", im, im / TWO_PI, re == 0 ? 0 : -re / w);
    }
    print_largest_components(p, r, k);
    putchar('\n');
  }
  if (m->count > most) printf("  and %d faster ones (--count, --out)\n", m->count - most);
}

/* The modes as one JSON object: eigenvalues, names of the components, shapes. */
static void print_json(const mechanism_state *p, const results *r) {
  const ga_modes *m = &r->modes;
  printf("{\n  \"t\": ");
  json_number(stdout, p->t);
  printf(",\n  \"freedom\": %d, \"velocities\": %d, \"modes\": %d, \"stable\": %s, \"turning\": %s",
         m->freedom, m->velocities, m->all, m->unstable ? "false" : "true",
         m->turning ? "true" : "false");
  json_array(stdout, "re", m->count, m->re);
  json_array(stdout, "im", m->count, m->im);
  mechanism_state_json_contacts(p);
  printf(",\n  \"columns\": [");
  for (int i = 0; i < p->nv; i++) {
    char name[300];
    printf("%s", i ? ", " : "");
    json_string(stdout, ga_mechanism_shape_name(p->mechanism, i, name, sizeof name));
  }
  putchar(']');
  for (int k = 0; k < m->count; k++) {
    char key[40];
    snprintf(key, sizeof key, "shape%d_re", k + 1);
    json_array(stdout, key, p->nv, shape_re(r, p, k));
    snprintf(key, sizeof key, "shape%d_im", k + 1);
    json_array(stdout, key, p->nv, shape_im(r, p, k));
  }
  printf("\n}\n");
}

/* ---- the command ---------------------------------------------------------------------------- */

/* Set r->modes and allocate its arrays in r->arrays: room for set->few modes, or for all of them,
 * at most 2 nv, with shapes of nv components. False after a message; the caller frees r->arrays. */
static bool allocate_modes(results *r, const statics_settings *set, int nv) {
  const int room = set->few > 0 ? set->few : 2 * nv;
  const size_t n = (size_t)room, width = (size_t)nv;
  r->arrays = calloc(2 * n * (1 + width), sizeof(double));
  r->modes = (ga_modes){.room = room, .few = set->few > 0};
  if (!r->arrays) {
    tool_error("no memory for %d modes", room);
    return false;
  }
  r->modes.re = r->arrays;
  r->modes.im = r->arrays + n;
  r->modes.shape_re = r->arrays + 2 * n;
  r->modes.shape_im = r->arrays + 2 * n + n * width;
  return true;
}

/* Linearize the model at the state p and write its matrices to the directory set->matrices.
 * Returns ARGS_GO_ON or the exit code. */
static int write_linearization(const statics_settings *set, const mechanism_state *p) {
  ga_linearization *lin = NULL;
  ga_error err = {GA_OK, ""};
  const ga_status status = ga_linearization_new(ga_mechanism_model(p->mechanism), p->t, p->q, p->v,
                                                set->frozen, &lin, &err);
  if (status != GA_OK) tool_error("%s", err.text);
  const int code = status == GA_OK ? write_matrices(set->matrices, p, lin) : TOOL_FAILED;
  ga_linearization_free(lin);
  return code;
}

/* Move p to the state --at, compute its modes into r, and write (--matrices, --out) and print what
 * was asked for. Returns the exit code, after a message if it is not TOOL_OK; the caller frees
 * r->arrays. */
static int find_modes(const statics_settings *set, const args *a, mechanism_state *p, results *r) {
  ga_error err = {GA_OK, ""};
  int code = mechanism_state_move(p, a, set->at);
  if (code != ARGS_GO_ON) return code;
  if (!allocate_modes(r, set, p->nv)) return TOOL_FAILED;
  r->modes.contacts = calloc((size_t)p->problem->model.ncontacts + 1, sizeof(int));
  if (!r->modes.contacts) return TOOL_FAILED;
  const ga_status status =
      ga_mechanism_modes(p->mechanism, p->t, p->q, p->v, set->frozen, &r->modes, &err);
  if (status == GA_OK) mechanism_state_set_contacts(p, r->modes.contacts);
  if (status != GA_OK) {
    tool_error("%s", err.text);
    if (!set->at && status == GA_ERR_INITIAL) {
      tool_error("try --at equilibrium, which finds one and looks there");
    }
    return TOOL_FAILED;
  }
  if (set->matrices) code = write_linearization(set, p);
  if (code == ARGS_GO_ON && set->out) code = write_csv(set->out, p, r);
  if (code != ARGS_GO_ON) return code;
  if (set->json) print_json(p, r);
  if (!set->json && (!set->out || strcmp(set->out, "-") != 0)) {
    print_table(p, r, set->count > 0 ? set->count : 20 /* default of --count */);
  }
  return TOOL_OK;
}

/* Write the page of --view; it says so unless standard output carries data. Returns the exit code. */
static int write_page(const statics_settings *set, const mechanism_state *p, const results *r) {
  const int code = modes_view(p, &r->modes, set->count > 0 ? set->count : 20, set->page);
  if (code != ARGS_GO_ON) return code;
  const bool data = set->json || (set->out && strcmp(set->out, "-") == 0);
  fprintf(data ? tool_messages() : stdout, "page: %s\n", set->page);
  return TOOL_OK;
}

/* The command itself (statics_command.solve): find, write and print the modes. Returns the exit
 * code. */
static int print_modes(const statics_settings *set, const args *a, mechanism_state *p) {
  results r = {.arrays = NULL};
  const bool view = set->page != NULL; /* the default of --view is set already */
  if (view && !webpage_possible()) return TOOL_FAILED;
  int code = find_modes(set, a, p, &r);
  if (code == TOOL_OK && view) code = write_page(set, p, &r);
  free(r.arrays);
  free(r.modes.contacts);
  return code;
}

/* `genalpha modes`; returns the exit code. */
int command_modes(int argc, char **argv) {
  static const statics_command command = {
      STATICS_MODES, "modes",
      "Linearise a mechanism about a state and print its frequencies, damping ratios and "
      "shapes.\n"
      "The state must be at rest in equilibrium (--at equilibrium finds one), or turn steadily.",
      print_modes};
  return statics_run(&command, argc, argv);
}
