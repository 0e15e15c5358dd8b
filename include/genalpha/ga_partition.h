/* SPDX-License-Identifier: MIT */
/* A mechanism cut into subdomains, one for each process of a team (ga_team.h). It must have been
 * built in absolute coordinates: ga_mechanism_set_coordinates(m, GA_COORDINATES_ABSOLUTE) before
 * the build.
 *
 *     ga_partition *partition;
 *     ga_subdomain *own;
 *     ga_partition_new(m, processes, GA_PARTITION_GRAPH, &partition, &err);
 *     ga_mechanism_subdomain(m, partition, process, &own, &err);
 *     ga_partition_free(partition);
 *     const ga_subdomain_info view = ga_subdomain_view(own);
 *     options.team = team;  // ga_mpi.h makes one
 *     ga_integrator_new(view.model, &options, &it, &err);
 *     ga_integrator_start(it, 0, view.q0, view.v0);
 *     ga_integrator_run(it, t_end);
 *     ga_integrator_free(it);
 *     ga_subdomain_free(own);
 *
 * Every element (joint, drive, coupler or force) belongs to one subdomain. A subdomain has all
 * bodies and coordinates that its elements touch, so some bodies are in several subdomains: they
 * are shared. One subdomain, the owner of a body, gives its mass and weight; M of the others is
 * singular. The model of a subdomain gives contributions to the force balances: M, F, G^T lam, H^T
 * psi and their tangents, added over the subdomains, are those of the whole. Each row of g and k
 * belongs to one subdomain. */
#ifndef GA_PARTITION_H
#define GA_PARTITION_H

#include <genalpha/ga_mechanism.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How bodies are given to subdomains. GA_PARTITION_GRAPH: such that few bodies are shared, by METIS
 * if the library was built with it, else as GA_PARTITION_WALK. GA_PARTITION_WALK: ranges of equal
 * size in the order of a breadth-first walk. GA_PARTITION_RANGES: ranges in the order in which the
 * bodies were added. An element between bodies of two subdomains belongs to the lower one, an
 * element of joint coordinates to the subdomain of the joint. The same mechanism gives the same
 * partition. */
typedef enum ga_partition_method {
  GA_PARTITION_GRAPH,
  GA_PARTITION_WALK,
  GA_PARTITION_RANGES
} ga_partition_method;

/* Which subdomain owns a body, and which has an element. The elements are joints in the order in
 * which they were added, then drives, couplers and forces in the order in which they were added.
 * You may change the numbers before you make subdomains: any number from 0 to subdomains - 1 is
 * allowed, as long as every subdomain owns a body. */
typedef struct ga_partition {
  int subdomains, bodies, elements;
  int *body;    /* the subdomain that owns each body */
  int *element; /* the subdomain that has each element */
} ga_partition;

/* m has been built. GA_ERR_ARG for more subdomains than bodies. */
GA_API ga_status ga_partition_new(const ga_mechanism *m, int subdomains, ga_partition_method how,
                                  ga_partition **out, ga_error *err);
GA_API void ga_partition_free(ga_partition *partition);

/* One subdomain as a model. Entry i of its q is entry q[i] of the whole; v, lam and psi
 * likewise. */
typedef struct ga_subdomain ga_subdomain;
typedef struct ga_subdomain_info {
  const ga_model *model;
  const double *q0, *v0;
  int nq, nv, nlam, npsi;
  const long *q, *v, *lam, *psi;
  long nq_all, nv_all, nlam_all, npsi_all;
  int bodies, elements;
  int shared; /* bodies that other subdomains have as well */
  int owned;  /* bodies whose mass and weight this subdomain gives */
  int lent;   /* bodies that it owns and other subdomains have as well */
} ga_subdomain_info;

/* Make subdomain `number`. The mechanism is borrowed and must outlive the subdomain; the partition
 * is not needed after the call. */
GA_API ga_status ga_mechanism_subdomain(const ga_mechanism *m, const ga_partition *partition,
                                        int number, ga_subdomain **out, ga_error *err);
GA_API void ga_subdomain_free(ga_subdomain *subdomain);
GA_API ga_subdomain_info ga_subdomain_view(const ga_subdomain *subdomain);

/* The state of the whole in one file, in the format of ga_integrator_save: any number of processes,
 * or one without a team, can load a file that any number has saved. All processes call these
 * functions together, with the same path. */
typedef enum ga_entry { GA_ENTRY_Q, GA_ENTRY_V, GA_ENTRY_LAM, GA_ENTRY_PSI } ga_entry;
enum { GA_ENTRIES = 4 };
typedef struct ga_collector {
  long n[GA_ENTRIES];             /* entries of the whole */
  const long *number[GA_ENTRIES]; /* which of them the entries of this subdomain are */
  bool root;                      /* true in one process, which reads and writes the file */
  /* On the root: whole[number[i]] = own[i] for all processes; on the others whole is NULL. */
  ga_status (*gather)(void *context, ga_entry kind, const double *own, double *whole);
  /* Send bytes of the root to all processes. */
  ga_status (*spread)(void *context, void *bytes, size_t count);
  void *context;
} ga_collector;
GA_API ga_status ga_integrator_save_whole(ga_integrator *it, const char *path,
                                          const ga_collector *whole);
GA_API ga_status ga_integrator_load_whole(ga_integrator *it, const char *path,
                                          const ga_collector *whole);

/* The partitioner of GA_PARTITION_GRAPH: "METIS" or "breadth-first ranges". */
GA_API const char *ga_partitioner_name(void);

#ifdef __cplusplus
}
#endif
#endif
