/* SPDX-License-Identifier: MIT */
/* Private: the data of Andrews' squeezing mechanism, shared by its two forms. Its macros bear the
 * short names of the literature: include it after all other headers. */
#ifndef GA_SRC_ANDREWS_H
#define GA_SRC_ANDREWS_H

/* the relative angles */
enum { BETA, THETA, GAMMA, PHI, DELTA, OMEGA, EPSILON, ANDREWS_NQ };

/* Consistent angles at t = 0, at rest, and the reference at t = 0.03. */
void ga_andrews_start(double *q);
extern const double ga_andrews_reference_q[ANDREWS_NQ], ga_andrews_reference_v[ANDREWS_NQ];

/* masses and moments of inertia of the bodies K1 .. K7 */
#define M1 0.04325
#define M2 0.00365
#define M3 0.02373
#define M4 0.00706
#define M5 0.07050
#define M6 0.00706
#define M7 0.05498
#define I1 2.194e-6
#define I2 4.410e-7
#define I3 5.255e-6
#define I4 5.667e-7
#define I5 1.169e-5
#define I6 5.667e-7
#define I7 1.912e-5
/* fixed points A, B, C; spring; driving moment */
#define XA (-0.06934)
#define YA (-0.00227)
#define XB (-0.03635)
#define YB 0.03273
#define XC 0.014
#define YC 0.072
#define C0 4530.0
#define L0 0.07785
#define MOM 0.033
/* lengths */
#define D 0.028
#define DA 0.0115
#define E 0.02
#define EA 0.01421
#define ZF 0.02
#define FA 0.01421
#define RR 0.007
#define RA 0.00092
#define SS 0.035
#define SA 0.01874
#define SB 0.01043
#define SC 0.018
#define SD 0.02
#define TA 0.02308
#define TB 0.00916
#define U 0.04
#define UA 0.01228
#define UB 0.00449
#define ZT 0.04

#endif
