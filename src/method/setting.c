/* SPDX-License-Identifier: MIT */
/* Checks that method, model and options go together. Settings that cannot work fail with the
 * reason; settings that work worse than they could cause a warning. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "genalpha/ga_integrator.h"
#include "linsol/registry.h"
#include "method/method.h"

/* Send a formatted warning to the log of the options, if there is one. */
static void GA_PRINTF(2, 3) warn(const ga_options *options, const char *format, ...) {
  if (!options->log) return;
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  options->log(options->log_context, GA_LOG_WARNING, text);
}

/* Name for messages, written to text (an array of size room), which is returned: "'hht'" or "'hht',
 * variant mid". */
static const char *full_name(const ga_method *method, char *text, size_t room) {
  bool variant = method->variant != NULL;
  snprintf(text, room, "'%s'%s%s", method->name, variant ? ", variant " : "",
           variant ? method->variant : "");
  return text;
}

/* GA_ERR_METHOD unless the method has rows for every kind of constraint of the model. */
static ga_status check_rows(const ga_method *method, const ga_model *model, ga_error *err) {
  bool holonomic = model->nlam > 0 && !ga_method_holonomic(method);
  bool nonholonomic = model->npsi > 0 && !ga_method_nonholonomic(method);
  if (!holonomic && !nonholonomic) return GA_OK;
  char name[64], able[200] = "";
  ga_method_list_able(model->nlam > 0, model->npsi > 0, able, sizeof able);
  const char *const *names = holonomic ? model->lam_names : model->psi_names;
  int count = holonomic ? model->nlam : model->npsi;
  return ga_fail(err, GA_ERR_METHOD,
                 "method %s has no rows for %s constraints, and the model has %d of them%s%s%s; "
                 "take one of: %s",
                 full_name(method, name, sizeof name), holonomic ? "holonomic" : "nonholonomic",
                 count, names ? " (first: '" : "", names ? names[0] : "", names ? "')" : "", able);
}

/* GA_ERR_ARG if there are more constraints than velocities, which cannot be independent, unless
 * redundant = allow. */
static ga_status check_count(const ga_model *model, const ga_options *o, ga_error *err) {
  int nv = ga_space_nv(model->space), rows = model->nlam + model->npsi;
  for (int i = 0; i < model->ncontacts; i++) rows -= 1 + model->contacts[i].nslip;
  if (rows <= nv || o->redundant == GA_REDUNDANT_ALLOW) return GA_OK;
  return ga_fail(err, GA_ERR_ARG,
                 "%d holonomic and %d nonholonomic constraints for %d velocities: at most %d can "
                 "be independent (option redundant = allow goes on if the others follow from them)",
                 model->nlam, model->npsi, nv, nv);
}

/* GA_ERR_ARG if the model's own solver is asked for and it has none. */
static ga_status check_solver(const ga_model *model, const ga_options *o, ga_error *err) {
  if (!ga_linsol_is_own(o->linsol) || model->ops->solver) return GA_OK;
  return ga_fail(err, GA_ERR_ARG,
                 "linsol = %s: the model brings no linear solver of its own; take auto", o->linsol);
}

/* GA_ERR_ARG if parameter b is not allowed by the rule of the method. */
static ga_status check_b(const ga_method *method, double b, ga_error *err) {
  char name[64];
  full_name(method, name, sizeof name);
  if (method->b_rule != GA_B_UNUSED && fabs(b) > 10) {
    return ga_fail(err, GA_ERR_ARG, "b = %g: method %s needs -10 <= b <= 10 (0 is the default)", b,
                   name);
  }
  switch (method->b_rule) {
    case GA_B_NOT_HALF:
      if (fabs(1 - 2 * b) >= 1e-3) return GA_OK; /* i.e. |b - 1/2| >= 5e-4 */
      return ga_fail(err, GA_ERR_ARG,
                     "b = %g: method %s needs b < 1/2 or b > 1/2, apart by 5e-4 or more (errors "
                     "grow like 1/|1 - 2b|; b = 0 is the default)",
                     b, name);
    case GA_B_ZERO:
      if (b == 0) return GA_OK;
      return ga_fail(err, GA_ERR_ARG, "b = %g: method %s allows b = 0 alone", b, name);
    case GA_B_UNUSED:
    case GA_B_FREE:
      break;
  }
  return GA_OK;
}

/* GA_ERR_ARG for options start, mass-at, rescale that this method does not have. */
static ga_status check_options(const ga_method *method, const ga_options *o, ga_error *err) {
  if (o->start == GA_START_PERTURBED && !method->hidden_free) {
    return ga_fail(err, GA_ERR_ARG,
                   "start = perturbed moves v0 off the hidden velocity constraint, which method "
                   "'%s' enforces; use best, shifted, implicit or plain",
                   method->name);
  }
  if (o->mass_at == GA_MASS_PREVIOUS && !method->weighted) {
    return ga_fail(err, GA_ERR_ARG,
                   "mass-at = previous: method '%s' takes its mass at the end of the step; only "
                   "methods with weighted residuals (soi2, nonhol2) have this choice",
                   method->name);
  }
  if (o->rescale == GA_RESCALE_GAMMA && method->weighted) {
    return ga_fail(err, GA_ERR_ARG,
                   "rescale = gamma: method '%s' has weighted residuals, for which no such update "
                   "is known; use a,v",
                   method->name);
  }
  return GA_OK;
}

/* Can g(t_1, q_1) = 0 be met? True if an unknown that a multiplier moves enters q_1, or if the
 * method has no position rows. */
static bool position_can_be_corrected(const ga_method *method, const ga_params *par) {
  ga_tableau tab;
  method->coef(par, &tab);
  bool rows = false, moved = false;
  for (int c = 0; c < method->ncon; c++) {
    rows |= method->con[c] == GA_ROW_POS;
    moved |= method->mult[c] == GA_BLOCK_ETA;
  }
  for (int j = 0; j < method->nx; j++) {
    moved |= method->dyn[j].lam != GA_NONE && tab.p[j] != 0;
  }
  return moved || !rows;
}

/* Do the multipliers pass through the recursion of generalized-alpha, and grow if its roots at
 * infinity do? Not if the reaction has weights of its own. */
static bool multipliers_recur(const ga_method *method) {
  return method->dyn[0].forces == GA_FORCES_ALL;
}

/* Spectral radius of that recursion for a prescribed velocity; its roots are (gamma - 1)/gamma and
 * alpha_f/(alpha_f - 1). */
static double velocity_radius(const ga_params *par) {
  double by_gamma = par->gamma != 0 ? fabs((par->gamma - 1) / par->gamma) : INFINITY;
  return fmax(by_gamma, fabs(par->alpha_f / (par->alpha_f - 1)));
}

/* GA_ERR_ARG for parameters that are unstable with this method and model; warnings for those that
 * are of order 1 or do not damp. */
static ga_status check_parameters(const ga_method *method, const ga_model *model,
                                  const ga_options *options, ga_error *err) {
  const ga_params *par = &options->par;
  if (par->alpha_m == 1 || par->alpha_f == 1) {
    return ga_fail(err, GA_ERR_ARG, "alpha_m = %g, alpha_f = %g: neither may be 1", par->alpha_m,
                   par->alpha_f);
  }
  ga_params_report rep = ga_params_check(par);
  bool constrained = model->nlam > 0, recur = multipliers_recur(method);
  if (!rep.zero_stable) return ga_fail(err, GA_ERR_ARG, "parameters are unstable: %s", rep.text);
  if (constrained && !position_can_be_corrected(method, par)) {
    return ga_fail(
        err, GA_ERR_ARG,
        "beta = %g (Störmer): the new position does not depend on the new acceleration, "
        "so method '%s' has no multiplier that could enforce g(q) = 0; take beta > 0, or "
        "hht, whose reaction has a weight of its own",
        par->beta, method->name);
  }
  if (constrained && recur && rep.rho_inf > 1 + 1e-6) {
    return ga_fail(err, GA_ERR_ARG, "parameters are unstable for constrained systems: %s",
                   rep.text);
  }
  if (model->npsi > 0 && recur && velocity_radius(par) > 1 + 1e-6) {
    return ga_fail(
        err, GA_ERR_ARG,
        "gamma = %g, alpha_f = %g: multipliers of nonholonomic constraints would grow by "
        "%.3g in a step; gamma >= 1/2 and alpha_f <= 1/2 are needed",
        par->gamma, par->alpha_f, velocity_radius(par));
  }
  if (rep.text[0]) warn(options, "%s", rep.text);
  if (constrained && recur && rep.rho_inf > 1 - 1e-6) {
    warn(options,
         method->hidden_free
             ? "rho_inf = 1 with method '%s': errors of the multipliers grow; take rho_inf < 1 "
               "or a method that enforces the velocity constraint"
             : "rho_inf = 1 with method '%s': errors of start and iteration are not damped",
         method->name);
  }
  return GA_OK;
}

/* GA_ERR_METHOD or GA_ERR_ARG if contacts do not go together with method and options. */
static ga_status check_contacts(const ga_method *method, const ga_model *model,
                                const ga_options *options, ga_error *err) {
  const ga_contact *friction = NULL;
  if (model->ncontacts == 0) return GA_OK;
  for (int i = 0; i < model->ncontacts && !friction; i++) {
    if (model->contacts[i].friction > 0) friction = &model->contacts[i];
  }
  if (friction && !ga_method_nonholonomic(method)) {
    return ga_fail(
        err, GA_ERR_METHOD,
        "method '%s' has no rows for friction: contact '%s' has friction %g; take stab2, "
        "or friction: 0",
        method->name, friction->name, friction->friction);
  }
  if (strcmp(method->name, "stab2") != 0 && strcmp(method->name, "index3") != 0) {
    return ga_fail(err, GA_ERR_METHOD,
                   "method '%s' has no contacts: rows that are on or off are made for stab2 and "
                   "index3; contact '%s' needs one of them",
                   method->name, model->contacts[0].name);
  }
  if (options->team) {
    return ga_fail(
        err, GA_ERR_ARG,
        "contacts are not possible with several processes: contact '%s' would have to be "
        "solved over all of them; take one process",
        model->contacts[0].name);
  }
  if (options->contact == GA_CONTACT_STEP && (options->rtol > 0 || options->atol > 0)) {
    return ga_fail(err, GA_ERR_ARG,
                   "contact = step needs steps of given size: with rtol or atol take contact = "
                   "locate");
  }
  if (model->ops->reaction) {
    return ga_fail(err, GA_ERR_ARG,
                   "contact '%s': a model with a reaction of its own has no contacts",
                   model->contacts[0].name);
  }
  return GA_OK;
}

/* GA_OK if method, model and options go together; otherwise GA_ERR_METHOD or GA_ERR_ARG with the
 * reason in *err. Warnings go to options->log. Model and options were validated before. */
ga_status ga_check_setting(const ga_method *method, const ga_model *model,
                           const ga_options *options, ga_error *err) {
  ga_status status = check_count(model, options, err);
  if (status == GA_OK) status = check_contacts(method, model, options, err);
  if (status == GA_OK) status = check_rows(method, model, err);
  if (status == GA_OK) status = check_solver(model, options, err);
  if (status == GA_OK) status = check_b(method, options->par.b, err);
  if (status == GA_OK) status = check_options(method, options, err);
  return status != GA_OK ? status : check_parameters(method, model, options, err);
}

/* GA_ERR_ARG if the model has contacts: a combination of runs has no states of contacts. */
ga_status ga_refuse_contacts(const ga_model *model, const char *what, ga_error *err) {
  if (!model || model->ncontacts == 0) return GA_OK;
  return ga_fail(err, GA_ERR_ARG,
                 "%s is not possible with contacts: motions that are combined must be smooth, and "
                 "contact '%s' makes them jump; take steps of given size, or rtol",
                 what, model->contacts[0].name);
}
