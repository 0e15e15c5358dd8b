/* SPDX-License-Identifier: MIT */
/* genalpha reproduce: the figures and claims of the five papers, computed, drawn and judged. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args/args.h"
#include "papers/page.h"
#include "papers/runner.h"
#include "picture/gnuplot.h"

typedef struct settings {
  const char *out;
  bool quick, again;
  int jobs;
} settings;

#define FIELD(name) offsetof(settings, name)
static const arg_spec specs[] = {
    {"out", "DIR", "directory for index.html, pictures and tables (default reproduction)",
     arg_read_text, FIELD(out), 0, 0},
    {"quick", NULL, "smaller sizes: seconds in place of minutes", arg_read_flag, FIELD(quick), 0,
     0},
    {"again", NULL, "compute anew what is up to date, too", arg_read_flag, FIELD(again), 0, 0},
    {"jobs", "N", "figures computed at the same time (default: one for each core)", arg_read_int,
     FIELD(jobs), 1, 256},
    {.key = NULL}};
#undef FIELD

static const arg_command command = {
    .name = "reproduce",
    .operand = "FIGURE",
    .many_operands = true,
    .summary =
        "Compute the figures and numerical claims of the five papers ('genalpha list figures'):\n"
        "all, those named, or all of the papers named (ab07, jn07, jn08, j11, acb15). Each gives\n"
        "a table (CSV) and a picture (SVG); index.html puts the papers' claims beside the numbers\n"
        "found. What is up to date is not computed again.",
    .specs = specs};

/* A tool_word: the keys of the papers, then the names of the items. */
static const char *word_at(const void *list, int i) {
  (void)list;
  int papers = 0;
  while (paper_at(papers)) papers++;
  if (i < papers) return paper_at(i)->key;
  return item_at(i - papers) ? item_at(i - papers)->id : NULL;
}

/* Mark in `selected`, one flag per item, those that a word names: one item, or all of a paper.
 * Earlier marks stay. False if it names nothing. */
static bool select_items(const char *word, bool *selected) {
  bool found = false;
  for (int i = 0; item_at(i); i++) {
    bool named =
        strcmp(word, item_at(i)->id) == 0 || strcmp(word, item_paper(item_at(i))->key) == 0;
    selected[i] = selected[i] || named;
    found = found || named;
  }
  return found;
}

/* Write the items that the operands name to `items` and their number to *count, which is 0 before;
 * all of them if there are no operands. items has room for all; selected is scratch, zeroed.
 * ARGS_GO_ON, or TOOL_USAGE after a message. */
static int choose_items(const args *a, const item **items, bool *selected, int *count) {
  for (int i = 0; i < a->noperands; i++) {
    if (!select_items(a->operands[i], selected)) {
      const char *nearest = ga_nearest_in(a->operands[i], word_at, NULL);
      tool_error(nearest ? "unknown figure '%s'; did you mean '%s'?" : "unknown figure '%s'%s",
                 a->operands[i], nearest ? nearest : "");
      fprintf(tool_messages(), "Try 'genalpha list figures'.\n");
      return TOOL_USAGE;
    }
  }
  for (int i = 0; item_at(i); i++) {
    if (a->noperands == 0 || selected[i]) items[(*count)++] = item_at(i);
  }
  return ARGS_GO_ON;
}

/* Delete the stored records of the chosen items, so that they are computed again (--again). */
static void delete_records(const runner *r) {
  char path[PATH_LENGTH];
  for (int i = 0; i < r->count; i++) {
    if (record_path(path, r->dir, r->items[i]->id, NULL)) unlink(path);
  }
}

/* Compute and draw the items of r in the directory r->dir, write its index.html and print the
 * tally; sets r->draw and the counts of r. Returns TOOL_OK only if everything was computed and
 * drawn and no claim is open. */
static int reproduce(const settings *set, runner *r) {
  if (!record_prepare(r->dir)) return TOOL_FAILED;
  if (set->again) delete_records(r);
  r->draw = gnuplot_found();
  tally counts;
  int code = runner_run(r);
  if (!page_write(r->dir, &counts)) return TOOL_FAILED;
  printf("\n%d computed, %d drawn anew, %d up to date, %d failed\n", r->computed, r->redrawn,
         r->kept, r->failed);
  printf("claims in %s/index.html: %d reproduced, %d differ for a reason given, %d open\n", r->dir,
         counts.paper[VERDICT_REPRODUCED], counts.paper[VERDICT_DIFFERS],
         counts.paper[VERDICT_OPEN]);
  printf("beside them additions of ours: %d hold, %d open\n", counts.addition[VERDICT_REPRODUCED],
         counts.addition[VERDICT_OPEN]);
  if (code != TOOL_OK) return code;
  return r->draw && tally_open(&counts) == 0 ? TOOL_OK : TOOL_FAILED;
}

/* `genalpha reproduce [FIGURE..]`; by default as many jobs as processors. Returns the exit code. */
int command_reproduce(int argc, char **argv) {
  settings set = {.out = "reproduction"};
  args a = {.command = &command, .settings = &set};
  int code = args_parse(&a, argc, argv);
  if (code != ARGS_GO_ON) return code;
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  int all = 0;
  while (item_at(all)) all++;
  const item **items = calloc((size_t)all, sizeof *items);
  bool *selected = calloc((size_t)all, sizeof *selected);
  runner r = {.dir = set.out, .items = items, .quick = set.quick};
  r.jobs = set.jobs ? set.jobs : cores > 0 && cores < 256 ? (int)cores : 1;
  code = items && selected ? choose_items(&a, items, selected, &r.count) : TOOL_FAILED;
  if (code == ARGS_GO_ON) code = reproduce(&set, &r);
  free(items);
  free(selected);
  return code;
}
