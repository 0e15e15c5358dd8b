/* SPDX-License-Identifier: MIT */
/* Joint coordinates: q are the coordinates of the joints of a spanning tree, v their rates, and only
 * joints that close loops have rows.
 *
 *   spanning.c    which joints are in the tree, and its nodes
 *   support.c     can a mechanism run in joint coordinates, should it, and if not why
 *   numbering.c   unknowns, rows, names, metric
 *   slots.c       patterns, and the slot of every value
 *   motion.c      frames and velocities of all nodes, scratch memory of a pass
 *   recursion.c   M, F, Kt, Ct of masses and gravity
 *   spread.c      rows, forces and tangents of elements: the carrier
 *   exchange.c    from absolute coordinates to those of joints, and back
 *   solver.c      the own linear solver of a tree
 *   between.c     what elements between its bodies add to that
 *   reactions.c   accelerations, orientations, forces of joints in the tree
 *
 * Vectors are in space axes. A motion (omega, u) and a wrench (n, f) belong to one origin O of each
 * tree, the joint point of its root where it is now: O is held in every derivative, so that its
 * motion enters nowhere (Featherstone, Rigid Body Dynamics Algorithms, 2008, chapters 2 to 6). */
#ifndef GA_SRC_TREE_H
#define GA_SRC_TREE_H

#include "mechanism/mechanism.h"
#include "mechanism/signal/signal.h"

/* One elementary joint; its frame is that of a body, or stands between two elementary joints. With
 * the joint frames (s, E) in the parent and (s_out, E_out) in the node, and a turn rho(q),
 *
 *     R = R_p E rho E_out^T,   P = x_p + R_p s (+ shift),   x = P - R s_out */
typedef struct ga_node {
  int parent; /* number of a node before it; -1: the ground */
  int body;   /* whose frame it is; -1: of none */
  int joint;  /* in the list of joints; -1: the free joint of a root */
  int root;   /* the first node of its tree */
  int part;   /* of the joint's list of elementary joints, -1: fixed */
  ga_elementary kind;
  int q_at, v_at, n; /* first of its unknowns, number of freedoms */
  int axis;          /* HINGE, SLIDE: of the joint frame */
  double sign;       /* -1: the joint goes from B to A */
  bool inner;        /* its parent stands between elementary joints */
  bool base, origin; /* of a joint on the ground; the last node of it, whose point is O */
  double s[3], E[9], s_out[3], E_out[9];
  double Q[3][9];    /* HINGE: R = R_p (Q0 + sin q Q1 + (1 - cos q) Q2); else Q0 alone */
  double turn[2][4]; /* quaternions of E and of E_out^T */
  double flip;       /* 1 or -1: the sign of the body's quaternion at the start */
} ga_node;

/* What an element does to the unknowns: freedoms of its bodies below their lowest common node. */
typedef struct ga_spread {
  int n;
  int *freedom;
  unsigned char *side;
  int *row_at; /* n slots for each row, in G or H */
  int *K_at;   /* n x n slots of Kt; NULL: K is full */
  /* of the signals of its functions: freedoms (or coordinates) of the blocks of the reach */
  int nreach;
  int *reach_freedom, *reach_block;
  int *reach_at; /* slots: for each freedom of the element, or for its coordinate, nreach of them */
} ga_spread;

/* An element with tangents between bodies, for the tree's own solver. */
typedef struct ga_between {
  int element;
  int node[2], row[2]; /* of its bodies, and the first of six rows of each; -1: the ground */
  size_t at;           /* number of its first column */
} ga_between;

enum { GA_ROOMS_KEPT = 16 };

struct ga_tree {
  int nnode, nfreedom; /* freedoms are the first velocities */
  ga_node *node;
  int *node_of_body, *node_of_joint; /* last node; -1: none, the joint is cut */
  int *up;                           /* of a freedom: the one before it on its path, -1: none */
  int *node_of;                      /* of a freedom */
  int *pair_K, *pair_M; /* slots (i, k), (k, i) for each i and k = i, up[i], .. of K and of M */
  bool full_K, full_M;
  ga_spread *spread;       /* of each element */
  int *last_node;          /* of each element that is a joint of the tree */
  int most_balls, longest; /* on a path: balls, without the free root's; freedoms */
  /* solver.c: elements that act on one freedom alone, and their numbers; those between bodies */
  ga_element *single;
  int *single_of, nsingle;
  ga_between *between;
  int nbetween, nside; /* nside: six rows each */
  bool solves, pays;   /* it has a solver of its own; which is faster than a full matrix */
  double *start_mass;  /* diagonal of M at the start */
  double *rounding;    /* of an entry of G by that freedom, over the row's reach (ga_tree_scales) */
  struct ga_tree_pool *pool;
};

/* ---- scratch memory of a pass (motion.c) ---------------------------------------------------- */

/* of a node; vectors from O. F: sums over the subtree */
typedef struct ga_node_state {
  ga_frame frame;
  double O[3];           /* of a root: the origin of its tree in space */
  double c[3], P[3];     /* the frame's origin, the joint point */
  double V[6], A[6];     /* motion, acceleration */
  double F[6], W[6];     /* inertia; what elements exert, with the sign of the left side */
  double m, mc[3], J[6]; /* inertia about O: xx yy zz xy xz yz */
  double p[3], N[9];     /* derivative of the velocity terms */
  double acc[6], wrench[6], turn[4]; /* for columns */
} ga_node_state;

/* of a freedom */
typedef struct ga_freedom_state {
  double S[6], psi[6], phi[6], chi[6], U[6], c[6], d[6], w[3];
} ga_freedom_state;

struct ga_tree_room {
  ga_node_state *node;
  ga_freedom_state *freedom;
  double *spare;       /* nv numbers */
  double *by_q, *by_v; /* tangents of an element go there instead of Kt and Ct (between.c) */
  double *state;       /* q, v of the motion that node and freedom have, if it is known; */
  bool known, moves;   /* moves: with velocities v, else with zero */
  bool framed, collects, turned, wrenched;
  const double *accelerated; /* v' of the accelerations that are there */
};

bool ga_tree_take_room(ga_pass *pass);
void ga_tree_return_room(ga_pass *pass);
bool ga_tree_new_pool(ga_mechanism *m);
void ga_tree_free_pool(ga_tree *tree);
/* frames, P, S, and V, psi if the pass has velocities; once in a pass */
void ga_tree_move(ga_pass *pass);

static inline ga_node_state *ga_tree_state(ga_pass *pass, int body) {
  return &pass->room->node[pass->m->tree->node_of_body[body]];
}

/* ---- six numbers ---------------------------------------------------------------------------- */

static inline double ga_dot6(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

/* C += s A, six numbers */
static inline void ga_add6(double s, const double *A, double *restrict C) {
  for (int i = 0; i < 6; i++) C[i] += s * A[i];
}

/* C = V x S = (omega x omega_S, omega x u_S + u x omega_S), of motions */
static inline void ga_cross6(const double *V, const double *S, double *restrict C) {
  ga_cross3(V, S, C);
  ga_cross3(V, S + 3, C + 3);
  ga_add_cross3(1, V + 3, S, C + 3);
}

/* C = S x* F = (omega_S x n + u_S x f, omega_S x f), a wrench */
static inline void ga_cross_wrench6(const double *S, const double *F, double *restrict C) {
  ga_cross3(S, F, C);
  ga_add_cross3(1, S + 3, F + 3, C);
  ga_cross3(S, F + 3, C + 3);
}

/* w = (f_phi + c x f_x, f_x): a covector of a frame at c becomes a wrench about O */
static inline void ga_wrench6(const double *f, const double *c, double *restrict w) {
  ga_copy3(f + 3, w);
  ga_add_cross3(1, c, f, w);
  ga_copy3(f, w + 3);
}

/* ---- inside --------------------------------------------------------------------------------- */

extern const ga_carrier ga_carrier_tree;
extern const ga_element_type ga_element_tree_joint, ga_element_tree_coordinate;

/* spanning.c: m->tree <- nodes, in m's arena */
ga_status ga_tree_span(ga_mechanism *m, ga_error *err);
/* numbering.c: unknowns, space, elements and rows of m by its tree; names; metric and sizes */
ga_status ga_tree_number(ga_mechanism *m, ga_error *err);
void ga_tree_name_unknowns(ga_mechanism *m, const char **q, const char **v);
ga_status ga_tree_scales(ga_mechanism *m, ga_error *err);
void ga_tree_weights(const ga_mechanism *m, double *weight, double *unit);
/* slots.c: patterns and slots of m */
ga_status ga_tree_layout(ga_mechanism *m, ga_error *err);
/* recursion.c: accelerations for v' = x (NULL: 0) with gravity, wrenches of inertia, sums of them over
 * subtrees, with what elements exert if `loaded` */
void ga_tree_accelerate(ga_pass *pass, const double *x, bool gravity);
void ga_tree_sum_wrenches(ga_pass *pass, bool loaded);
void ga_tree_inertia(ga_pass *pass);
void ga_tree_body_inertias(ga_pass *pass);
void ga_tree_sum_inertias(ga_pass *pass, bool all);
void ga_tree_changes(ga_pass *pass);
double ga_tree_own_inertia(const ga_pass *pass, int k);
/* solver.c: the tree's own linear solver; can it be used? */
extern const ga_model_solver ga_tree_solver, ga_tree_solver_if_asked;
bool ga_tree_can_solve(ga_mechanism *m, bool *ok);
/* between.c: elements between bodies, for that solver; work: their numbers */
bool ga_between_list(ga_mechanism *m, bool *ok);
size_t ga_between_room(const ga_mechanism *m);
int ga_between_keep(ga_pass *pass, double *work);
void ga_between_turn(const ga_mechanism *m, const double *w, double *work);
void ga_between_combine(const ga_mechanism *m, double b, double c, double *work);
double *ga_between_column(const ga_mechanism *m, int row, double *work);
void ga_between_size(const ga_mechanism *m, int row, double UY, double *work);
bool ga_between_factor(const ga_mechanism *m, double *work);
void ga_between_correct(const ga_mechanism *m, double *work, double *x);
const double *ga_between_wrenches(const ga_mechanism *m, double b, double c, const double *x,
                                  double *work);
/* exchange.c: q, v of joints from those of bodies (v, va may be NULL), and back */
ga_status ga_tree_read(const ga_mechanism *m, const double *qa, const double *va, double *q,
                       double *v, ga_error *err);
ga_status ga_tree_write(const ga_mechanism *m, const double *q, const double *v, double *qa,
                        double *va);
ga_status ga_tree_assemble(const ga_mechanism *m, double t, double *q, double *v, bool held,
                           double *moved, ga_error *err);
/* reactions.c */
void ga_tree_motion(ga_pass *pass, int body, const double *vd, ga_frame *frame, double *p,
                    double *xdd, double *wd);

#endif
