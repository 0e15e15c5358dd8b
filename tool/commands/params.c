/* SPDX-License-Identifier: MIT */
/* genalpha params: the parameters of a method, which conditions hold, the spectral radius. */
#include <math.h>
#include <string.h>

#include "args/args.h"
#include "picture/gnuplot.h"

typedef struct settings {
  const char *plot;
} settings;

/* Does the command take this option of the library? Only those about the parameters of the
 * method. */
static bool takes_option(const char *key) {
  static const char *const keys[] = {"rho", "alpha", "b", "params"};
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
    if (strcmp(key, keys[i]) == 0) return true;
  }
  return false;
}

/* Print the parameters of the method, one in a line, with their meaning. */
static void print_parameters(const ga_params *par, const ga_params_report *report) {
  const struct {
    const char *name, *meaning;
    double value;
  } rows[] = {
      {"alpha_m", "weight of the old acceleration", par->alpha_m},
      {"alpha_f", "weight of the old forces", par->alpha_f},
      {"beta", "Newmark, position", par->beta},
      {"gamma", "Newmark, velocity", par->gamma},
      {"b", "extended HHT only", par->b},
      {"alpha", "alpha_m - alpha_f, the time shift of a_n in steps", par->alpha_m - par->alpha_f},
      {"rho_inf", "spectral radius at infinite frequency", report->rho_inf},
  };
  printf("parameters\n");
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    printf("  %-8s %19.15g  %s\n", rows[i].name, rows[i].value, rows[i].meaning);
  }
}

/* Print which conditions on the parameters hold, by the equation numbers of Arnold and Brüls
 * (2007), and the report's remark, if it has one. */
static void print_conditions(const ga_params_report *report) {
  const struct {
    bool holds;
    const char *condition, *meaning;
  } rows[] = {
      {report->order2, "gamma = 1/2 + alpha_f - alpha_m", "(20) order 2"},
      {report->zero_stable, "alpha_m <= 1/2", "(21) stable as h -> 0"},
      {report->strict_at_inf, "alpha_m < alpha_f < 1/2, beta > 1/4 + (alpha_f - alpha_m)/2",
       "(23) stable with constraints"},
  };
  printf("\nconditions (Arnold, Brüls 2007)\n");
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    printf("  %s  %-30s %s\n", rows[i].holds ? "holds" : "fails", rows[i].meaning,
           rows[i].condition);
  }
  if (report->text[0]) {
    fputs("  ", stdout);
    tool_print_wrapped(stdout, report->text, 2);
  }
}

/* Print a table of the spectral radius of one step over omega h (frequency times step size), 4
 * values a decade from 1e-2 to 1e4, and at 1e8. */
static void print_radius(const ga_params *par) {
  printf(
      "\nspectral radius of one step on q'' + omega^2 q = 0\n"
      "     omega h      radius\n");
  for (int i = -8; i <= 16; i++) {
    double omega_h = pow(10, i / 4.0);
    printf("  %10.4g  %.8f\n", omega_h, ga_params_spectral_radius(par, omega_h));
  }
  printf("  %10.4g  %.8f\n", 1e8, ga_params_spectral_radius(par, 1e8));
}

/* Draw the spectral radius over omega h and, dashed, its limit rho_inf. Returns the exit code. */
static int plot_radius(const char *path, const ga_params *par, double rho_inf) {
  gnuplot plot;
  if (!gnuplot_open(&plot, path, 800, 480 /* pixels */)) return TOOL_FAILED;
  FILE *to = plot.script;
  double largest = 1;
  fputs("$radius << END\n", to);
  for (int i = -200; i <= 400; i++) {
    double omega_h = pow(10, i / 100.0), radius = ga_params_spectral_radius(par, omega_h);
    fprintf(to, "%.6g %.8g\n", omega_h, radius);
    if (radius > largest) largest = radius;
  }
  fprintf(to,
          "END\n"
          "set title 'spectral radius: alpha_m %.4g, alpha_f %.4g, beta %.4g, gamma %.4g'\n"
          "set logscale x\n"
          "set format x '%%g'\n"
          "set xlabel 'omega h'\n"
          "set ylabel 'spectral radius'\n"
          "set xrange [1e-2:1e4]\n"
          "set yrange [0:%g]\n"
          "set grid lt 1 lw 0.5 lc rgb '#dddddd'\n"
          "set key bottom left Left reverse\n"
          "plot $radius using 1:2 with lines lw 2.5 lc rgb '#0060ad' title 'one step', ",
          par->alpha_m, par->alpha_f, par->beta, par->gamma, 1.05 * largest);
  fprintf(to, "%.10g with lines dt 2 lw 1.5 lc rgb '#666666' title 'at infinity: %.4g'\n", rho_inf,
          rho_inf);
  if (!gnuplot_close(&plot)) return TOOL_FAILED;
  printf("\nplot: %s\n", path);
  return TOOL_OK;
}

/* `genalpha params`: the parameters that --rho, --alpha or --params give. Returns the exit code. */
int command_params(int argc, char **argv) {
  static const arg_spec specs[] = {
      {"plot", "FILE.svg|FILE.png", "draw the spectral radius over omega h", gnuplot_read_name,
       offsetof(settings, plot), 0, 0},
      {.key = NULL}};
  static const arg_command command = {
      .name = "params",
      .summary =
          "Print the parameters of the method, which conditions hold, and the spectral\n"
          "radius over omega h. Give --rho, --alpha or --params.",
      .specs = specs,
      .takes_library = takes_option};
  settings s = {NULL};
  ga_options options = ga_options_default();
  args a = {.command = &command, .settings = &s, .options = &options};
  int code = args_parse(&a, argc, argv);
  if (code == ARGS_GO_ON) code = args_check_params(&a);
  if (code != ARGS_GO_ON) return code;

  ga_params_report report = ga_params_check(&options.par);
  print_parameters(&options.par, &report);
  print_conditions(&report);
  print_radius(&options.par);
  return s.plot ? plot_radius(s.plot, &options.par, report.rho_inf) : TOOL_OK;
}
