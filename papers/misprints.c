/* SPDX-License-Identifier: MIT */
/* Misprints and slips of the papers, and errors of the text copies that we read. */
#include "papers/item.h"

const misprint misprints[] = {
    {"ACB15 (8)", "B v_n/h + h B r in the first component of E_n", "B v_n/h − h B r", "acb15-sign",
     "B v_n settles at + h² B r; starting values perturbed by the printed sign are of order 1 "
     "(acb15-starts)."},
    {"J11 (7.2), f4", "no term in I2 z3 z5 cos(y3)", "− I2 z3 z5 cos(y3) added to f4", "j11-energy",
     "With the term, which follows from the Lagrangian given, the energy is constant; without, it "
     "grows."},
    {"J11, Theorem 6.1", "errors of a: O(h² + r_γⁿ δ0)", "O(h² + (r_γⁿ + r_αmⁿ) δ0)",
     "j11-theorem6.1", "Rates measured on the test problem (7.1)."},
    {"J11, Theorem 6.1", "the condition r_γ ≠ r_αf", "not needed", "j11-equal-rates",
     "Order 2 at ρ∞ = 3 − 2√2, where they are equal."},
    {"JN08, Theorem 1", "layers in a, λ, ψ fall like |α_m/(1−α_m)|ⁿ",
     "like the larger of r_αm and r_γ in a, of r_γ and r_αf in λ, ψ", "jn08-theorem1",
     "Rates measured on the test problem of section 8, where the constraints determine z, and on "
     "the "
     "pendulum of JN07, which is left one freedom: there the layer of a falls like r_αm at "
     "ρ∞ = 0.2."},
    {"JN08, Theorem 1", "a, λ, ψ are O(h²) if α_m = 0, also with a_α = a0",
     "if also the part of a_α − a(t0 + αh) normal to the constraints is O(h²)", "jn08-alpham",
     "Order 1 over all steps in general, order 2 where that part vanishes; at a fixed time the "
     "layer "
     "is gone."},
    {"JN08, section 7", "(15), (16) are not necessary for the order of y and z",
     "true only where the constraints determine z fully", "jn08-remark",
     "Order 1 of y and z on the heavy top without them."},
    {.where = NULL}};

/* Errors of our text copies of the papers; the papers themselves may be right. */
const misprint garbled[] = {
    {"J11, section 2", "f = f0 − k_yᵀ ψ", "f = f0 − k_zᵀ ψ", NULL,
     "The multipliers of a constraint k(t,y,z) = 0 act along k_z, as in the paper's own (7.2) and "
     "its Lagrangian system; k_z f_ψ must be invertible."},
    {"AB07 (42)", "Φ_q(q(t_n)) e_{n+k−1} on the left", "Φ_q(q(t_n)) e'_{n+k−1}", "ab07-lemma2",
     "The prime of the difference quotient is missing; only with it is the remainder of third "
     "order."},
    {"AB07 (46), (47)", "∂/∂q (Φ(q) e)", "∂/∂q (Φ_q(q) e)", "ab07-lemma2",
     "The index q is missing; the curvature term of (42), computed with Φ_q, balances."},
    {"AB07 (41)", "O(1)(‖E^v_0‖, ‖E^λ_0‖) as the first term of both rows",
     "O(1)‖E^v_0‖ + (O(h) + O(1)ρⁿ)‖E^λ_0‖ + O(h²)", "acb15-fig2",
     "As it stands an error of λ would not be damped, against the sentence after it; it is damped, "
     "here after a projection."},
    {.where = NULL}};
