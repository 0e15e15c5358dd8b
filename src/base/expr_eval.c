/* SPDX-License-Identifier: MIT */
/* Evaluation of expressions: jets (f, f', f'') on a small stack, one rule per operation.
 *
 *   h(f):      (h, h' f', h'' f'^2 + h' f'')
 *   h(f, g):   (h, h_f f' + h_g g', h_ff f'^2 + 2 h_fg f' g' + h_gg g'^2 + h_f f'' + h_g g'') */
#include <math.h>

#include "base/expr_code.h"

/* a value with its first and second derivative along one variable */
typedef struct {
  double f, d, dd;
} jet;

/* Jet of h(a) for given h, h', h'' at a.f. Terms with a.d = 0 or a.dd = 0 are left out, so that an
 * infinite slope of h does not make 0 * infinity. */
static jet chain(jet a, double h, double h1, double h2) {
  jet r = {h, 0, 0};
  if (a.d != 0 || a.dd != 0) {
    r.d = h1 * a.d;
    r.dd = (a.d != 0 ? h2 * a.d * a.d : 0) + (a.dd != 0 ? h1 * a.dd : 0);
  }
  return r;
}

/* a + b */
static jet add(jet a, jet b) {
  return (jet){a.f + b.f, a.d + b.d, a.dd + b.dd};
}

/* a - b */
static jet subtract(jet a, jet b) {
  return (jet){a.f - b.f, a.d - b.d, a.dd - b.dd};
}

/* a b, with (a b)'' = a'' b + 2 a' b' + a b'' */
static jet multiply(jet a, jet b) {
  return (jet){a.f * b.f, a.d * b.f + a.f * b.d, a.dd * b.f + 2 * a.d * b.d + a.f * b.dd};
}

/* a/b, with (a/b)'' = (a'' - 2 (a/b)' b' - (a/b) b'')/b */
static jet divide(jet a, jet b) {
  jet r = {a.f / b.f, 0, 0};
  r.d = (a.d - r.f * b.d) / b.f;
  r.dd = (a.dd - 2 * r.d * b.d - r.f * b.dd) / b.f;
  return r;
}

enum { WHOLE = 16 }; /* exponents up to this are products */

/* a^exponent. Small whole exponents are products, which a power of two in a leaves as they are, bit
 * by bit; pow rounds differently. */
static double raise(double a, double exponent) {
  if (!(fabs(exponent) <= WHOLE && exponent == floor(exponent))) return pow(a, exponent);
  double product = 1, square = a;
  for (int n = (int)fabs(exponent); n > 0; n /= 2, square *= square) {
    if (n % 2 == 1) product *= square;
  }
  return exponent < 0 ? 1 / product : product;
}

/* p a^exponent, but 0 where p = 0, so that 0 times infinity does not arise */
static double power_slope(double p, double a, double exponent) {
  return p == 0 ? 0 : p * raise(a, exponent);
}

/* a^b: constant exponents by the power rule (also for a <= 0), others as exp(b log a) */
static jet power(jet a, jet b) {
  if (b.d == 0 && b.dd == 0) {
    const double p = b.f;
    return chain(a, raise(a.f, p), power_slope(p, a.f, p - 1),
                 power_slope(p * (p - 1), a.f, p - 2));
  }
  const double la = log(a.f);
  const jet log_a = chain(a, la, 1 / a.f, -1 / (a.f * a.f));
  const jet exponent = multiply(b, log_a);
  const double h = pow(a.f, b.f);
  return chain(exponent, h, h, h);
}

/* atan2(y, x): h_y = x/r2, h_x = -y/r2 */
static jet arc_tangent(jet y, jet x) {
  const double r2 = x.f * x.f + y.f * y.f, r4 = r2 * r2;
  const double hy = x.f / r2, hx = -y.f / r2;
  const double hyy = -2 * x.f * y.f / r4, hxy = (y.f * y.f - x.f * x.f) / r4;
  return (jet){atan2(y.f, x.f), hy * y.d + hx * x.d,
               hyy * (y.d * y.d - x.d * x.d) + 2 * hxy * x.d * y.d + hy * y.dd + hx * x.dd};
}

/* step(t, t0, y0, t1, y1), arguments a[0] .. a[4]: y0 + (y1 - y0) p(x) with x = (t - t0)/(t1 - t0)
 * limited to [0, 1] and p = x^3 (10 - 15 x + 6 x^2) */
static jet smooth_step(const jet *a) {
  const jet x = divide(subtract(a[0], a[1]), subtract(a[3], a[1]));
  if (x.f <= 0) return a[2];
  if (x.f >= 1) return a[4];
  const double s = x.f, r = 1 - s;
  const jet p =
      chain(x, s * s * s * (10 - 15 * s + 6 * s * s), 30 * s * s * r * r, 60 * s * r * (1 - 2 * s));
  return add(a[2], multiply(subtract(a[4], a[2]), p));
}

/* sqrt(a^2 + b^2): h' = (a a' + b b')/h, h'' = (a'^2 + a a'' + b'^2 + b b'' - h'^2)/h; derivatives
 * are 0 at the kink h = 0 */
static jet hypotenuse(jet a, jet b) {
  jet r = {hypot(a.f, b.f), 0, 0};
  if (r.f == 0) return r;
  r.d = (a.f * a.d + b.f * b.d) / r.f;
  r.dd = (a.d * a.d + a.f * a.dd + b.d * b.d + b.f * b.dd - r.d * r.d) / r.f;
  return r;
}

/* impact(gap, rate, k, e, c, d), arguments a[0] .. a[5]: the force of a contact with penetration p =
 * -gap > 0: k p^e - c rate p(p/d), never negative, where the damping grows with the polynomial of
 * `step` over the depth d; 0 where the gap is open */
static jet contact_force(const jet *a) {
  const jet none = {0, 0, 0}, one = {1, 0, 0};
  const jet p = {-a[0].f, -a[0].d, -a[0].dd};
  if (p.f <= 0) return none;
  const jet grow[5] = {p, none, none, a[5], one};
  const jet share = a[5].f > 0 ? smooth_step(grow) : one;
  const jet spring = multiply(a[2], power(p, a[3]));
  const jet force = subtract(spring, multiply(multiply(a[4], a[1]), share));
  return force.f > 0 ? force : none;
}

/* a table at x */
static jet table_value(const ga_table *t, jet x) {
  double value[3];
  ga_table_value(t, x.f, value);
  return chain(x, value[0], value[1], value[2]);
}

/* jet of a function or sign with one argument, by its h, h', h'' */
static jet function_of_one(ga_expr_op op, jet a) {
  const double x = a.f;
  double h, c;
  switch (op) {
    case GA_EXPR_sin:
      return chain(a, sin(x), cos(x), -sin(x));
    case GA_EXPR_cos:
      return chain(a, cos(x), -sin(x), -cos(x));
    case GA_EXPR_tan:
      h = tan(x), c = 1 + h * h;
      return chain(a, h, c, 2 * h * c);
    case GA_EXPR_asin:
      c = 1 / sqrt(1 - x * x);
      return chain(a, asin(x), c, x * c * c * c);
    case GA_EXPR_acos:
      c = 1 / sqrt(1 - x * x);
      return chain(a, acos(x), -c, -x * c * c * c);
    case GA_EXPR_atan:
      c = 1 / (1 + x * x);
      return chain(a, atan(x), c, -2 * x * c * c);
    case GA_EXPR_sinh:
      return chain(a, sinh(x), cosh(x), sinh(x));
    case GA_EXPR_cosh:
      return chain(a, cosh(x), sinh(x), cosh(x));
    case GA_EXPR_tanh:
      h = tanh(x), c = 1 - h * h;
      return chain(a, h, c, -2 * h * c);
    case GA_EXPR_exp:
      h = exp(x);
      return chain(a, h, h, h);
    case GA_EXPR_log:
      return chain(a, log(x), 1 / x, -1 / (x * x));
    case GA_EXPR_sqrt:
      h = sqrt(x);
      return chain(a, h, 0.5 / h, -0.25 / (h * x));
    case GA_EXPR_abs:
      return x < 0 ? (jet){-x, -a.d, -a.dd} : a;
    case GA_EXPR_sign:
      return (jet){(x > 0) - (x < 0), 0, 0};
    case GA_EXPR_floor:
      return (jet){floor(x), 0, 0};
    default:
      return (jet){-x, -a.d, -a.dd}; /* negate */
  }
}

/* jet of an operation with two arguments; comparisons give 1 or 0 with zero derivatives */
static jet function_of_two(ga_expr_op op, jet a, jet b) {
  switch (op) {
    case GA_EXPR_add:
      return add(a, b);
    case GA_EXPR_subtract:
      return subtract(a, b);
    case GA_EXPR_multiply:
      return multiply(a, b);
    case GA_EXPR_divide:
      return divide(a, b);
    case GA_EXPR_power:
      return power(a, b);
    case GA_EXPR_atan2:
      return arc_tangent(a, b);
    case GA_EXPR_min:
      return b.f < a.f ? b : a;
    case GA_EXPR_max:
      return b.f > a.f ? b : a;
    case GA_EXPR_mod:
      return subtract(a, multiply(b, (jet){floor(a.f / b.f), 0, 0}));
    case GA_EXPR_hypot:
      return hypotenuse(a, b);
    case GA_EXPR_less:
      return (jet){a.f < b.f, 0, 0};
    case GA_EXPR_less_equal:
      return (jet){a.f <= b.f, 0, 0};
    case GA_EXPR_greater:
      return (jet){a.f > b.f, 0, 0};
    case GA_EXPR_greater_equal:
      return (jet){a.f >= b.f, 0, 0};
    case GA_EXPR_equal:
      return (jet){a.f == b.f, 0, 0};
    default:
      return (jet){a.f != b.f, 0, 0}; /* not_equal */
  }
}

/* number of arguments of each operation */
const int ga_expr_arguments[GA_EXPR_COUNT] = {
#define GA_EXPR_ARGUMENTS(name, count) count,
    GA_EXPR_LIST(GA_EXPR_ARGUMENTS, GA_EXPR_ARGUMENTS)
#undef GA_EXPR_ARGUMENTS
};

/* result = (f, f', f'') along a direction, or along variable `along` (-1: derivatives are zero) if it
 * is NULL: runs the code on a stack of jets. An operation replaces its arguments on top of the stack
 * by its result. The parser has made sure that GA_EXPR_STACK jets suffice. variables may be NULL if
 * none occurs. */
static void run_code(const ga_expr *expr, const double *variables, const double *direction,
                     int along, double result[3]) {
  jet stack[GA_EXPR_STACK];
  jet *top = stack; /* the first free slot */
  for (const ga_instruction *i = expr->code; i < expr->code + expr->length; i++) {
    jet *a = top -= ga_expr_arguments[i->op];
    if (i->op == GA_EXPR_number) {
      *a = (jet){i->number, 0, 0};
    } else if (i->op == GA_EXPR_variable) {
      *a = (jet){variables[i->index], direction ? direction[i->index] : i->index == along, 0};
    } else if (i->op == GA_EXPR_if) {
      *a = a[0].f != 0 ? a[1] : a[2];
    } else if (i->op == GA_EXPR_step) {
      *a = smooth_step(a);
    } else if (i->op == GA_EXPR_table) {
      *a = table_value(&expr->table[i->index], a[0]);
    } else if (i->op == GA_EXPR_clamp) {
      *a = a[0].f < a[1].f ? a[1] : a[0].f > a[2].f ? a[2] : a[0];
    } else if (i->op == GA_EXPR_impact) {
      *a = contact_force(a);
    } else {
      *a = ga_expr_arguments[i->op] == 1 ? function_of_one(i->op, a[0])
                                         : function_of_two(i->op, a[0], a[1]);
    }
    top++;
  }
  result[0] = stack[0].f, result[1] = stack[0].d, result[2] = stack[0].dd;
}

/* (f, f', f'') along variable `along`, -1: derivatives are zero */
void ga_expr_jet(const ga_expr *expr, const double *variables, int along, double result[3]) {
  run_code(expr, variables, NULL, along, result);
}

/* (f, f', f'') of f(variables + x direction) by x, at x = 0 */
void ga_expr_jet_along(const ga_expr *expr, const double *variables, const double *direction,
                       double result[3]) {
  run_code(expr, variables, direction, -1, result);
}

/* value without derivatives */
double ga_expr_value(const ga_expr *expr, const double *variables) {
  double jet3[3];
  ga_expr_jet(expr, variables, -1, jet3);
  return jet3[0];
}

/* Does the expression contain variable number `variable`, or any variable if that is < 0? */
bool ga_expr_mentions(const ga_expr *expr, int variable) {
  for (int i = 0; i < expr->length; i++) {
    const ga_instruction *c = &expr->code[i];
    if (c->op == GA_EXPR_variable && (variable < 0 || c->index == variable)) return true;
  }
  return false;
}

/* Does the expression contain no variable? */
bool ga_expr_constant(const ga_expr *expr) {
  return !ga_expr_mentions(expr, -1);
}
