/* SPDX-License-Identifier: MIT */
/* A mechanism cut into parts, one for each rank of a team (ga_team.h).
 *
 *     ga_partition *sharing;
 *     ga_subdomain *own;
 *     ga_partition_new(m, parts, GA_PARTITION_GRAPH, &sharing, &err);
 *     ga_mechanism_subdomain(m, sharing, rank, &own, &err);
 *     ... ga_subdomain_view(own).model, .q0, .v0 for ga_integrator_new, with a team ...
 *
 * Every joint, drive, coupler and force is in one part. A part has all bodies and coordinates that
 * its elements touch, so some bodies are in several parts: they are shared. Mass and weight of a
 * body come from one part alone, its owner; M of another part is singular. The model of a part
 * gives contributions to the force balances: M, F, G^T lam, H^T psi and their tangents, added over
 * the parts, are those of the whole; g and k are rows of one part each. */
#ifndef GA_PARTITION_H
#define GA_PARTITION_H

#include <genalpha/ga_mechanism.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How bodies are dealt out. GA_PARTITION_GRAPH: few bodies are shared, by METIS where the library
 * has it, else by ranges after a breadth-first walk; GA_PARTITION_WALK: the latter in any case;
 * GA_PARTITION_RANGES: by ranges in the order of the calls. Elements between bodies of two parts go
 * to the lower one, those of coordinates go with the joint. The same mechanism gives the same
 * parts.
 */
typedef enum ga_partition_method {
  GA_PARTITION_GRAPH,
  GA_PARTITION_WALK,
  GA_PARTITION_RANGES
} ga_partition_method;

/* Which part owns a body, and which has an element. Elements: joints in the order of their calls,
 * then drives, couplers and forces in the order of theirs. Numbers may be changed before parts are
 * made: any part from 0 to parts - 1 is allowed, as long as every part has a body. */
typedef struct ga_partition {
  int parts, bodies, elements;
  int *body, *element;
} ga_partition;

/* m has been built. GA_ERR_ARG for more parts than bodies. */
GA_API ga_status ga_partition_new(const ga_mechanism *m, int parts, ga_partition_method how,
                                  ga_partition **out, ga_error *err);
GA_API void ga_partition_free(ga_partition *sharing);

/* One part as a model. Entry i of its q is entry q[i] of the whole, and so on. */
typedef struct ga_subdomain ga_subdomain;
typedef struct ga_subdomain_info {
  const ga_model *model;
  const double *q0, *v0;
  int nq, nv, nlam, npsi;
  const long *q, *v, *lam, *psi;
  long nq_all, nv_all, nlam_all, npsi_all;
  int bodies, elements;
  int shared; /* bodies that other parts have, too */
  int owned;  /* bodies whose mass is here */
  int lent;   /* of these: bodies that other parts have, too */
} ga_subdomain_info;

/* The mechanism is borrowed and must outlive the part; the sharing is not needed any more. */
GA_API ga_status ga_mechanism_subdomain(const ga_mechanism *m, const ga_partition *sharing,
                                        int part, ga_subdomain **out, ga_error *err);
GA_API void ga_subdomain_free(ga_subdomain *portion);
GA_API ga_subdomain_info ga_subdomain_view(const ga_subdomain *portion);

/* The state of the whole on disk, in the usual format: a file that P ranks wrote can be loaded by
 * Q ranks, or by one without a team. All ranks call these together, with the same path. */
typedef enum ga_entry { GA_ENTRY_Q, GA_ENTRY_V, GA_ENTRY_LAM, GA_ENTRY_PSI } ga_entry;
enum { GA_ENTRIES = 4 };
typedef struct ga_collector {
  long n[GA_ENTRIES];             /* entries of the whole */
  const long *number[GA_ENTRIES]; /* those of this part in the whole */
  bool root;                      /* this rank reads and writes; one does */
  /* The root gets whole[number[i]] = own[i] of all ranks; on others whole is NULL. */
  ga_status (*gather)(void *context, ga_entry kind, const double *own, double *whole);
  /* Bytes of the root to all ranks. */
  ga_status (*spread)(void *context, void *bytes, size_t count);
  void *context;
} ga_collector;
GA_API ga_status ga_integrator_save_whole(ga_integrator *it, const char *path,
                                          const ga_collector *whole);
GA_API ga_status ga_integrator_load_whole(ga_integrator *it, const char *path,
                                          const ga_collector *whole);

/* The partitioner GA_PARTITION_GRAPH uses: "METIS", or "breadth-first ranges". */
GA_API const char *ga_partitioner_name(void);

#ifdef __cplusplus
}
#endif
#endif
