/* SPDX-License-Identifier: MIT */
/* Functions with removable singularities, from which exp, log and tangent operator are built.
 *
 *   s_m = sum_k (-x)^k / (2k + m)!,  m = 1 .. 4,   x = t^2
 *   s5  = -ds3/dx = sum_k (k + 1) (-x)^k / (2k + 5)!
 *   s6  = -(ds2/dx) / s2
 *   s7  = 2 ds6/dx,  s8 = 2 ds7/dx
 *
 * The closed forms subtract nearly equal numbers: the terms exceed their difference by factors of
 * 6/t^2 (s3), 24/t^4 (s4), 120/t^4 (s5), 12/t^2 (s6) as t -> 0, and the relative error grows alike.
 * The series, summed from its smallest term, has an error of about 1e-16 times the sum of its terms
 * without signs over the sum with signs: good for small t, bad where s1 and s2 approach their zeros
 * pi and 2 pi. Largest errors seen near some t, in 1e-16, series / closed form:
 *
 *   t      1          2          2.5        3          3.5
 *   s1    1.1/1.5    3.0/2.0    7.2/3.2    46 /11     (relative; s1 is zero at pi)
 *   s2    0.8/3.4    1.7/3.2    2.7/2.9    4.0/2.3    6.2/2.3
 *   s3    1.5/14     1.9/3.1    2.2/3.0    2.2/1.9    2.6/2.1
 *   s4    1.5/100    1.8/4.8    2.1/3.8    2.5/3.1    2.5/2.7
 *   s5    1.3/1500   1.1/29     1.5/12     1.8/5.5    2.3/4.1
 *
 * Each switches where the two meet: s1 at t = 2; s2, s3, s4, s6 at t = 2.5; s5 at t = sqrt(12),
 * beyond the longest logarithm. Then the relative error stays near 4e-16 on both sides (absolute
 * for s1). */
#include <math.h>

#include "lie/lie.h"

/* The first term left out is below 1e-18 of the sum: 4^13/27! for s1, 6.25^13/28! for s2, the worst
 * of s2 .. s4, and 15 12^14/33! for s5. */
static const double x_switch1 = 4, x_switch = 6.25, x_switch5 = 12;
enum { TERMS = 13, TERMS5 = 14 };

/* 1/n! */
static const double inverse_factorial[2 * TERMS5 + 4] = {
    1.0,
    1.0,
    1.0 / 2,
    1.0 / 6,
    1.0 / 24,
    1.0 / 120,
    1.0 / 720,
    1.0 / 5040,
    1.0 / 40320,
    1.0 / 362880,
    1.0 / 3628800,
    1.0 / 39916800,
    1.0 / 479001600,
    1.0 / 6227020800.0,
    1.0 / 87178291200.0,
    1.0 / 1307674368000.0,
    1.0 / 20922789888000.0,
    1.0 / 355687428096000.0,
    1.0 / 6402373705728000.0,
    1.0 / 121645100408832000.0,
    1.0 / 2432902008176640000.0,
    1.0 / 51090942171709440000.0,
    1.0 / 1124000727777607680000.0,
    1.0 / 25852016738884976640000.0,
    1.0 / 620448401733239439360000.0,
    1.0 / 15511210043330985984000000.0,
    1.0 / 403291461126605635584000000.0,
    1.0 / 10888869450418352160768000000.0,
    1.0 / 304888344611713860501504000000.0,
    1.0 / 8841761993739701954543616000000.0,
    1.0 / 265252859812191058636308480000000.0,
    1.0 / 8222838654177922817725562880000000.0,
};

/* s_m(x) = sum_k (-x)^k / (2k + m)!, for x below x_switch */
static double series(int m, double x) {
  double sum = 0;
  for (int k = TERMS - 1; k >= 0; k--) sum = inverse_factorial[2 * k + m] - x * sum;
  return sum;
}

/* -ds_m/dx = sum_k (k + 1) (-x)^k / (2k + m + 2)! */
static double series_slope(int m, double x) {
  double sum = 0;
  for (int k = TERMS5 - 1; k >= 0; k--) sum = (k + 1) * inverse_factorial[2 * k + m + 2] - x * sum;
  return sum;
}

/* sin t / t, x = t^2 */
double ga_s1(double x) {
  if (x < x_switch1) return series(1, x);
  double t = sqrt(x);
  return sin(t) / t;
}

/* (1 - cos t) / t^2, x = t^2; 1 - cos t = 2 sin^2(t/2) keeps its digits near 2 pi */
double ga_s2(double x) {
  if (x < x_switch) return series(2, x);
  double s = sin(0.5 * sqrt(x));
  return 2 * s * s / x;
}

/* (t - sin t) / t^3, x = t^2 */
double ga_s3(double x) {
  if (x < x_switch) return series(3, x);
  double t = sqrt(x);
  return (1 - sin(t) / t) / x;
}

/* (t^2/2 - 1 + cos t) / t^4, x = t^2 */
double ga_s4(double x) {
  if (x < x_switch) return series(4, x);
  return (0.5 * x - 1 + cos(sqrt(x))) / (x * x);
}

/* (3 s3 - s2) / (2 t^2) = (2 + cos t - 3 sin t / t) / (2 t^4), x = t^2 */
double ga_s5(double x) {
  if (x < x_switch5) return series_slope(3, x);
  double t = sqrt(x);
  return (2 + cos(t) - 3 * sin(t) / t) / (2 * x * x);
}

/* (1 - t/2 cot(t/2)) / t^2 = (1 - s1/(2 s2)) / x, x = t^2 < 4 pi^2. For small x, s1 = 1 - x s3 and
 * s2 = 1/2 - x s4 cancel the x: (s3 - 2 s4) / (2 s2) = -s2'/s2. Near pi the cotangent goes through
 * zero, and the closed form loses no digits. */
double ga_s6(double x) {
  if (x < x_switch) return series_slope(2, x) / series(2, x);
  double half = 0.5 * sqrt(x);
  return (1 - half / tan(half)) / x;
}

/* The series of s6 = sum c_k x^k has Bernoulli numbers in 1/c_k; beyond the table c_k = 2 zeta(2k +
 * 2)/(2 pi)^(2k+2), with zeta nearly 1: ratios are known. Its derivatives, for tangents only, need
 * it below t = 1.5, where their closed forms lose digits: 16 terms are good to 2e-16.
 * sum_k 2k c_k x^(k-1) (derivative 1) or sum_k 2k (2k - 2) c_k x^(k-2) (derivative 2). */
static double cotangent_series(int derivative, double x) {
  static const double inverse[] = {1.0 / 12,
                                   1.0 / 720,
                                   1.0 / 30240,
                                   1.0 / 1209600,
                                   1.0 / 47900160,
                                   691.0 / 1307674368000.0,
                                   1.0 / 74724249600.0,
                                   3617.0 / 10670622842880000.0,
                                   43867.0 / 5109094217170944000.0,
                                   174611.0 / 802857662698291200000.0};
  enum { KNOWN = (int)(sizeof inverse / sizeof inverse[0]), TERMS7 = 16 };
  double last = inverse[KNOWN - 1], sum = 0, power = 1;
  const double ratio = 1 / 39.478417604357434;
  for (int k = derivative; k < TERMS7 + derivative - 1; k++) {
    if (k >= KNOWN) last *= ratio;
    const double factor = derivative == 1 ? 2 * k : 2 * k * (2 * k - 2);
    sum += factor * (k < KNOWN ? inverse[k] : last) * power;
    power *= x;
  }
  return sum;
}

static const double x_switch7 = 2.25;

/* 2 ds6/dx = (c^2 + c + x/4 - 2)/x^2 with c = t/2 cot(t/2), x = t^2 < 4 pi^2; for tangents only */
double ga_s7(double x) {
  if (x < x_switch7) return cotangent_series(1, x);
  const double half = 0.5 * sqrt(x), c = half / tan(half);
  return (c * c + c + 0.25 * x - 2) / (x * x);
}

/* 2 ds7/dx = ((2c + 1)(c - c^2 - x/4) + x/2 - 4 x^2 s7)/x^3, likewise; second derivatives need it to
 * 1e-11 only */
double ga_s8(double x) {
  if (x < x_switch7) return cotangent_series(2, x);
  const double half = 0.5 * sqrt(x), c = half / tan(half);
  const double s7 = (c * c + c + 0.25 * x - 2) / (x * x);
  return ((2 * c + 1) * (c - c * c - 0.25 * x) + 0.5 * x - 4 * x * x * s7) / (x * x * x);
}
