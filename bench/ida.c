/* SPDX-License-Identifier: MIT */
/* The peer: SUNDIALS IDA, variable-order BDF, on the equations of peer.h. Exact Jacobian, dense LU
 * or KLU; multipliers are left out of the error test. */
#include <ida/ida.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <string.h>
#include <sundials/sundials_version.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>

#include "peer.h"

enum { DENSE_UP_TO = 60 };

/* Weight of mu and lam in Newton's stopping test, which sees them although the error test does not:
 * their increments are rounding errors divided by h, and IDA fails on them if they count. */
static const double UNSEEN = 1e3;

/* Version of SUNDIALS; a static text. */
const char *bench_ida_version(void) {
  static char text[32];
  SUNDIALSGetVersion(text, sizeof text);
  return text;
}

/* Callback of IDA; user is the peer. */
static int residual(realtype t, N_Vector y, N_Vector yd, N_Vector r, void *user) {
  return peer_residual(user, t, N_VGetArrayPointer(y), N_VGetArrayPointer(yd),
                       N_VGetArrayPointer(r));
}

/* Callback of IDA: fills J, which arrives zeroed and, if sparse, without its pattern. */
static int jacobian(realtype t, realtype cj, N_Vector y, N_Vector yd, N_Vector r, SUNMatrix J,
                    void *user, N_Vector w1, N_Vector w2, N_Vector w3) {
  (void)r, (void)w1, (void)w2, (void)w3;
  peer *p = user;
  double *values;
  if (p->col_ptr) {
    memcpy(SUNSparseMatrix_IndexPointers(J), p->col_ptr, ((size_t)p->n + 1) * sizeof(sunindextype));
    memcpy(SUNSparseMatrix_IndexValues(J), p->row, (size_t)p->nnz * sizeof(sunindextype));
    values = SUNSparseMatrix_Data(J);
  } else {
    values = SUNDenseMatrix_Data(J);
  }
  return peer_jacobian(p, t, cj, N_VGetArrayPointer(y), N_VGetArrayPointer(yd), values);
}

typedef struct {
  SUNContext context;
  N_Vector y, yd, id, atol;
  SUNMatrix J;
  SUNLinearSolver ls;
  void *ida;
} session;

/* Frees whatever session_open has created, also after a failure. */
static void session_close(session *s) {
  if (s->ida) IDAFree(&s->ida);
  if (s->ls) SUNLinSolFree(s->ls);
  if (s->J) SUNMatDestroy(s->J);
  N_Vector const vectors[] = {s->y, s->yd, s->id, s->atol};
  for (int i = 0; i < 4; i++) {
    if (vectors[i]) N_VDestroy(vectors[i]);
  }
  if (s->context) SUNContext_Free(&s->context);
}

/* Creates vectors, matrix, solver and IDA, and sets consistent start values. Nonzero on failure;
 * call session_close in either case. */
static int session_open(session *s, peer *p, double rtol, double atol) {
  *s = (session){0};
  if (SUNContext_Create(NULL, &s->context) != 0) return 1;
  N_Vector *const vectors[] = {&s->y, &s->yd, &s->id, &s->atol};
  for (int i = 0; i < 4; i++) {
    *vectors[i] = N_VNew_Serial(p->n, s->context);
    if (!*vectors[i]) return 1;
    N_VConst(0, *vectors[i]);
  }
  s->ida = IDACreate(s->context);
  if (!s->ida || peer_start(p, N_VGetArrayPointer(s->y), N_VGetArrayPointer(s->yd)) != 0) return 1;
  double *id = N_VGetArrayPointer(s->id), *abs = N_VGetArrayPointer(s->atol);
  for (int i = 0; i < p->n; i++) {
    bool differential = i < p->nq + p->nv;
    id[i] = differential;
    abs[i] = differential ? atol : UNSEEN;
  }
  if (p->col_ptr) {
    s->J = SUNSparseMatrix(p->n, p->n, p->nnz, CSC_MAT, s->context);
    s->ls = s->J ? SUNLinSol_KLU(s->y, s->J, s->context) : NULL;
    if (s->ls) SUNLinSol_KLUSetOrdering(s->ls, 0); /* AMD: faster here than COLAMD */
  } else {
    s->J = SUNDenseMatrix(p->n, p->n, s->context);
    s->ls = s->J ? SUNLinSol_Dense(s->y, s->J, s->context) : NULL;
  }
  if (!s->ls) return 1;
  int code = IDAInit(s->ida, residual, p->b->p->t0, s->y, s->yd);
  code |= IDASVtolerances(s->ida, rtol, s->atol);
  code |= IDASetUserData(s->ida, p);
  code |= IDASetId(s->ida, s->id);
  code |= IDASetSuppressAlg(s->ida, SUNTRUE);
  code |= IDASetLinearSolver(s->ida, s->ls, s->J);
  code |= IDASetJacFn(s->ida, jacobian);
  code |= IDASetMaxNumSteps(s->ida, 200000);
  code |= IDASetErrFile(s->ida, NULL); /* failures are reported by the return code */
  code |= IDASetStopTime(s->ida, p->b->p->t_end);
  return code;
}

/* A run to t_end with rtol = `setting`, atol = part_atol rtol; time includes the set-up of IDA, not
 * that of p. Nonzero if it failed. */
int bench_ida_run(const bench_problem *b, const bench_variant *variant, double setting,
                  bench_run *out, double *q, double *lam) {
  session s;
  peer *p = peer_new(b, b->nq + b->nv + 2 * b->nlam > DENSE_UP_TO);
  double t = 0, start = bench_clock();
  *out = (bench_run){0};
  int failed = session_open(&s, p, setting, variant->part_atol * setting);
  if (!failed) failed = IDASolve(s.ida, b->p->t_end, &t, s.y, s.yd, IDA_NORMAL) < 0;
  out->seconds = bench_clock() - start;
  if (!failed) {
    const double *y = N_VGetArrayPointer(s.y), *multipliers = y + b->nq + b->nv + b->nlam;
    IDAGetNumSteps(s.ida, &out->steps);
    IDAGetNumResEvals(s.ida, &out->residuals);
    IDAGetNumNonlinSolvIters(s.ida, &out->iterations);
    IDAGetNumJacEvals(s.ida, &out->matrices);
    out->error_q = bench_error_q(b, y);
    out->error_lam = bench_error_lam(b, multipliers);
    if (q) memcpy(q, y, (size_t)b->nq * sizeof(double));
    if (lam) memcpy(lam, multipliers, (size_t)b->nlam * sizeof(double));
  }
  session_close(&s);
  peer_free(p);
  return failed;
}

/* Largest |J d - (r(y + s d, y' + s cj d) - r(y - s d, y' - s cj d))/(2 s)| over the largest |J d|,
 * for a direction d that keeps mu = 0 and the length of a quaternion. */
double bench_ida_jacobian_error(const bench_problem *b) {
  peer *p = peer_new(b, false);
  int n = p->n;
  double *work = bench_doubles(6 * n + n * n), cj = 37, s = 1e-5, worst = 0, size = 0;
  double *y = work, *yd = y + n, *d = yd + n, *hi = d + n, *lo = hi + n, *Jd = lo + n, *J = Jd + n;
  double t = b->p->t0;
  if (peer_start(p, y, yd) != 0) worst = INFINITY;
  for (int i = 0; i < n; i++) d[i] = sin(1.0 + i);
  memset(d + b->nq + b->nv, 0, (size_t)b->nlam * sizeof(double));
  if (b->quaternion) d[b->quaternion] = 0; /* the quaternion is (1, 0, 0, 0) at the start */
  peer_jacobian(p, t, cj, y, yd, J);
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++) Jd[i] += J[j * n + i] * d[j];
  }
  for (int sign = 1; sign >= -1; sign -= 2) {
    for (int i = 0; i < n; i++) {
      y[i] += sign * s * d[i];
      yd[i] += sign * s * cj * d[i];
    }
    peer_residual(p, t, y, yd, sign > 0 ? hi : lo);
    for (int i = 0; i < n; i++) {
      y[i] -= sign * s * d[i];
      yd[i] -= sign * s * cj * d[i];
    }
  }
  for (int i = 0; i < n; i++) {
    worst = fmax(worst, fabs((hi[i] - lo[i]) / (2 * s) - Jd[i]));
    size = fmax(size, fabs(Jd[i]));
  }
  free(work);
  peer_free(p);
  return worst / size;
}
