/* SPDX-License-Identifier: MIT */
/* Stiffness and inertia of a section from its shape and material: circle, tube, rectangle. */
#include <math.h>

#include "genalpha/ga_beam.h"
#include "mechanism/beam/beam.h"

static const double PI = 3.14159265358979323846;

/* Torsion constant of a rectangle with edges b1 >= b2 (Saint-Venant):
 *   b2^3 b1 [1/3 - 64/pi^5 (b2/b1) sum over odd k of tanh(k pi b1/(2 b2))/k^5]
 * The term left out is below 1e-16. */
static double rectangle_torsion(double b1, double b2) {
  double sum = 0;
  for (int k = 1201; k >= 1; k -= 2) sum += tanh(0.5 * k * PI * b1 / b2) / pow(k, 5);
  return b2 * b2 * b2 * b1 * (1.0 / 3 - 64 / pow(PI, 5) * b2 / b1 * sum);
}

/* Set *section; GA_ERR_ARG unless all sizes and moduli are positive. */
ga_status ga_beam_section_of(ga_beam_shape shape, double a, double b,
                             const ga_beam_material *material, ga_beam_section *section,
                             ga_error *err) {
  const double E = material->E, G = material->G, rho = material->density;
  const double *k = material->shear;
  double area, Iy, Iz, It, factor, radius = a;
  if (!(a > 0) || !isfinite(a) || (shape == GA_BEAM_RECTANGLE && !(b > 0)) || !isfinite(b)) {
    return ga_fail(err, GA_ERR_ARG, "the sizes of a section must be positive");
  }
  if (shape == GA_BEAM_TUBE && !(b >= 0 && b < a)) {
    return ga_fail(err, GA_ERR_ARG, "the inner radius %g of a tube must be below the outer one, %g",
                   b, a);
  }
  if (!(E > 0 && G > 0 && rho > 0) || !isfinite(E + G + rho)) {
    return ga_fail(err, GA_ERR_ARG, "the moduli and the density of a material must be positive");
  }
  if (!(k[0] >= 0 && k[1] >= 0) || !isfinite(k[0] + k[1])) {
    return ga_fail(err, GA_ERR_ARG, "the shear factors must be positive");
  }
  if (shape == GA_BEAM_RECTANGLE) {
    area = a * b;
    Iy = a * b * b * b / 12;
    Iz = b * a * a * a / 12;
    It = a > b ? rectangle_torsion(a, b) : rectangle_torsion(b, a);
    factor = 5.0 / 6;
    radius = sqrt(area / PI);
  } else {
    const double hole = shape == GA_BEAM_TUBE ? b : 0;
    area = PI * (a * a - hole * hole);
    Iy = Iz = PI / 4 * (pow(a, 4) - pow(hole, 4));
    It = 2 * Iy;
    factor = shape == GA_BEAM_TUBE ? 0.5 : 0.9;
  }
  *section = (ga_beam_section){
      .EA = E * area,
      .GA = {(k[0] > 0 ? k[0] : factor) * G * area, (k[1] > 0 ? k[1] : factor) * G * area},
      .GJ = G * It,
      .EI = {E * Iy, E * Iz},
      .rhoA = rho * area,
      .rhoI = {rho * (Iy + Iz), rho * Iy, rho * Iz},
      .radius = radius};
  return GA_OK;
}
