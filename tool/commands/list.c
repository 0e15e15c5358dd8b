/* SPDX-License-Identifier: MIT */
/* genalpha list: methods, problems, linear solvers and figures, a line each. */
#include <string.h>

#include "args/args.h"
#include "papers/item.h"
#include "problems/problems.h"

/* The id of the i-th figure or study, NULL past the last one. */
static const char *figure_name(int i) {
  return item_at(i) ? item_at(i)->id : NULL;
}

/* The title of the i-th figure, which must exist. */
static const char *figure_summary(int i) {
  return item_at(i)->title;
}

/* The name of the i-th type of joint, NULL past the last one. */
static const char *joint_name(int i) {
  ga_joint_type_info type;
  return ga_joint_types(i, &type) ? type.name : NULL;
}

/* What the i-th type of joint does, NULL past the last one. */
static const char *joint_summary(int i) {
  ga_joint_type_info type;
  return ga_joint_types(i, &type) ? type.summary : NULL;
}

static const struct {
  const char *kind, *title;
  const char *(*name)(int i);
  const char *(*summary)(int i);
  const char *(*cite)(int i); /* NULL: none */
  bool apart;                 /* shown only when asked for */
} kinds[] = {
    {"methods", "methods (--method NAME)", ga_method_name, ga_method_summary, ga_method_cite,
     false},
    {"problems", "problems (genalpha run NAME)", ga_problem_name, ga_problem_summary, NULL, false},
    {"solvers", "linear solvers (--linsol NAME)", ga_linsol_name, ga_linsol_summary, NULL, false},
    {"joints", "joints of model files (genalpha run FILE.yaml, docs/reference/models.md)",
     joint_name, joint_summary, NULL, true},
    {"figures", "figures and studies (genalpha reproduce NAME)", figure_name, figure_summary, NULL,
     true},
};

enum { NKINDS = (int)(sizeof kinds / sizeof kinds[0]) };

/* A tool_word: the i-th kind of things that can be listed. */
static const char *kind_at(const void *list, int i) {
  (void)list;
  return i < NKINDS ? kinds[i].kind : NULL;
}

/* Print "variants (--variant NAME): a, b, c" of a method, the default first, indented to the column
 * of the summaries; nothing if it has none. The shell completion reads this line. */
static void print_variants(int width, const char *method) {
  const char *variant = ga_method_variant(method, 0);
  if (!variant) return;
  char text[400];
  int used = snprintf(text, sizeof text, "variants (--variant NAME): %s (default)", variant);
  for (int i = 1; (variant = ga_method_variant(method, i)) != NULL; i++) {
    if (used < (int)sizeof text) {
      used += snprintf(text + used, sizeof text - (size_t)used, ", %s", variant);
    }
  }
  printf("  %*s  ", width, "");
  tool_print_wrapped(stdout, text, width + 4);
}

/* Print the names of kind k, padded to `width`, with their summaries and, if wanted, citations. */
static void print_kind(int k, int width, bool with_cite) {
  printf("%s\n", kinds[k].title);
  for (int i = 0; kinds[k].name(i); i++) {
    printf("  %-*s  %s\n", width, kinds[k].name(i), kinds[k].summary(i));
    if (kinds[k].name == ga_method_name) print_variants(width, kinds[k].name(i));
    if (with_cite && kinds[k].cite) printf("  %*s  %s\n", width, "", kinds[k].cite(i));
  }
}

/* `genalpha list [KIND]`: all kinds in short, or one in full. Returns the exit code. */
int command_list(int argc, char **argv) {
  static const arg_spec specs[] = {{.key = NULL}};
  static const arg_command command = {
      .name = "list",
      .operand = "methods|problems|solvers|joints|figures",
      .summary =
          "List methods, problems and linear solvers; one kind alone with more detail. 'joints' "
          "are\n"
          "those of model files, 'figures' those of the papers that `reproduce` computes.",
      .specs = specs};
  args a = {.command = &command};
  int code = args_parse(&a, argc, argv);
  if (code != ARGS_GO_ON) return code;

  int only = -1, width = 0;
  for (int k = 0; k < NKINDS; k++) {
    if (a.operand && strcmp(a.operand, kinds[k].kind) == 0) only = k;
    for (int i = 0; kinds[k].name(i); i++) {
      int length = (int)strlen(kinds[k].name(i));
      if (length > width) width = length;
    }
  }
  if (a.operand && only < 0) return tool_unknown("kind", a.operand, kind_at, NULL);
  for (int k = 0; k < NKINDS; k++) {
    if (only >= 0 && k != only) continue;
    if (only < 0 && k > 0) putchar('\n');
    if (only < 0 && kinds[k].apart) {
      printf("%s: see 'genalpha list %s'\n", kinds[k].title, kinds[k].kind);
    } else {
      print_kind(k, width, only >= 0);
    }
  }
  return TOOL_OK;
}
