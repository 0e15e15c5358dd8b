/* SPDX-License-Identifier: MIT */
/* Tables on standard output, all of them in DIRECTORY/bench.json, one row a line. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "bench.h"

enum { RATIOS = 64 };

struct bench_report {
  FILE *json;
  char path[1024];
  char table[64]; /* of the last row */
  int rows, nratio;
  struct {
    char key[48];
    double value, target;
  } ratio[RATIOS];
};

/* text = model name of the processor from /proc/cpuinfo, "unknown" if it is not there. */
static void cpu_model(char *text, size_t room) {
  FILE *file = fopen("/proc/cpuinfo", "r");
  char line[512];
  snprintf(text, room, "unknown");
  while (file && fgets(line, sizeof line, file)) {
    char *colon = strchr(line, ':');
    if (strncmp(line, "model name", 10) != 0 || !colon) continue;
    line[strcspn(line, "\n")] = 0;
    snprintf(text, room, "%s", colon + 2);
    break;
  }
  if (file) fclose(file);
}

#ifndef BENCH_FLAGS
#define BENCH_FLAGS "unknown"
#endif
#ifdef __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

/* Creates DIRECTORY/bench.json and writes and prints the machine's data. NULL after a message. */
bench_report *bench_report_open(const char *directory) {
  bench_report *r = bench_take(1, sizeof *r);
  char cpu[256];
  snprintf(r->path, sizeof r->path, "%s/bench.json", directory);
  r->json = fopen(r->path, "w");
  if (!r->json) {
    fprintf(stderr, "bench: cannot write %s\n", r->path);
    free(r);
    return NULL;
  }
  cpu_model(cpu, sizeof cpu);
  const char *ida = bench_ida_version();
  struct utsname system = {.sysname = "unknown"};
  uname(&system);
  fprintf(r->json,
          "{\n\"machine\": {\"cpu\": \"%s\", \"system\": \"%s %s\", \"compiler\": \"%s\", "
          "\"flags\": \"%s\", \"genalpha\": \"%s\", \"ida\": %s%s%s},\n\"rows\": [",
          cpu, system.sysname, system.machine, COMPILER, BENCH_FLAGS, ga_version(), ida ? "\"" : "",
          ida ? ida : "null", ida ? "\"" : "");
  printf(
      "%s, %s %s; genalpha %s, SUNDIALS IDA %s; one thread, process CPU time, least of several "
      "repeats\n",
      cpu, COMPILER, BENCH_FLAGS, ga_version(), ida ? ida : "not built in");
  return r;
}

/* Writes x with about three digits into text, "-" if it is not finite; returns text. */
static const char *short_number(double x, char *text, size_t room) {
  double size = fabs(x);
  if (!isfinite(x)) {
    snprintf(text, room, "-");
  } else if (x == floor(x) && size < 1e7) {
    snprintf(text, room, "%.0f", x);
  } else if (size >= 1e5 || size < 1e-2) {
    snprintf(text, room, "%.2e", x);
  } else {
    snprintf(text, room, "%.*f", size >= 100 ? 1 : size >= 10 ? 2 : 3, x);
  }
  return text;
}

/* Prints the row (before the first of a table its head) and appends it to the JSON file. */
void bench_report_row(bench_report *r, const char *table, const bench_field *fields) {
  char text[64];
  if (strcmp(r->table, table) != 0) {
    printf("\n%s\n", table);
    for (const bench_field *f = fields; f->name; f++) printf("%-*s ", f->text ? 12 : 11, f->name);
    printf("\n");
    snprintf(r->table, sizeof r->table, "%s", table);
  }
  fprintf(r->json, "%s\n{\"table\": \"%s\"", r->rows++ ? "," : "", table);
  for (const bench_field *f = fields; f->name; f++) {
    if (f->text) {
      printf("%-12s ", f->text);
      fprintf(r->json, ", \"%s\": \"%s\"", f->name, f->text);
      continue;
    }
    printf("%-11s ", short_number(f->number, text, sizeof text));
    if (isfinite(f->number)) {
      fprintf(r->json, ", \"%s\": %.4g", f->name, f->number);
    } else {
      fprintf(r->json, ", \"%s\": null", f->name);
    }
  }
  fprintf(r->json, "}");
  printf("\n");
  fflush(NULL);
}

/* Notes a ratio for the end of the report; at most RATIOS are kept. */
void bench_report_ratio(bench_report *r, const char *key, double value, double target) {
  if (r->nratio == RATIOS) return;
  snprintf(r->ratio[r->nratio].key, sizeof r->ratio[0].key, "%s", key);
  r->ratio[r->nratio].value = value;
  r->ratio[r->nratio++].target = target;
}

/* Prints the ratios with their targets, completes the JSON file and frees r. Nonzero if writing
 * failed. */
int bench_report_close(bench_report *r) {
  printf("\n%-28s %9s  %s\n", "ratios", "value", "target");
  for (int pass = 0; pass < 2; pass++) {
    fprintf(r->json, "%s\"%s\": {", pass ? ",\n" : "\n],\n", pass ? "targets" : "ratios");
    for (int i = 0; i < r->nratio; i++) {
      double value = pass ? r->ratio[i].target : r->ratio[i].value;
      fprintf(r->json, "%s\n\"%s\": ", i ? "," : "", r->ratio[i].key);
      fprintf(r->json, isfinite(value) ? "%.4g" : "null", value);
    }
    fprintf(r->json, "\n}");
  }
  fprintf(r->json, "\n}\n");
  for (int i = 0; i < r->nratio; i++) {
    double value = r->ratio[i].value, target = r->ratio[i].target;
    printf("%-28s %9.3f  at most %.3g%s\n", r->ratio[i].key, value, target,
           value <= target ? "" : "  MISSED");
  }
  int failed = ferror(r->json) != 0;
  failed |= fclose(r->json) != 0;
  if (failed) fprintf(stderr, "bench: %s could not be written\n", r->path);
  if (!failed) printf("\n%s\n", r->path);
  free(r);
  return failed;
}
