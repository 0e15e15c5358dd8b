/* SPDX-License-Identifier: MIT */
/* genalpha: generalized-alpha time integration of constrained mechanical systems.
 * This header includes all others but ga_results.h, which belongs to a library of its own;
 * docs/reference/notation.md explains the symbols. */
#ifndef GENALPHA_H
#define GENALPHA_H

#include <genalpha/ga_accuracy.h>
#include <genalpha/ga_base.h>
#include <genalpha/ga_beam.h>
#include <genalpha/ga_contact.h>
#include <genalpha/ga_csr.h>
#include <genalpha/ga_csv.h>
#include <genalpha/ga_drawable.h>
#include <genalpha/ga_events.h>
#include <genalpha/ga_extrapolate.h>
#include <genalpha/ga_file.h>
#include <genalpha/ga_helpers.h>
#include <genalpha/ga_import.h>
#include <genalpha/ga_integrator.h>
#include <genalpha/ga_linsol.h>
#include <genalpha/ga_mechanism.h>
#include <genalpha/ga_mechanism_contact.h>
#include <genalpha/ga_options.h>
#include <genalpha/ga_partition.h>
#include <genalpha/ga_placement.h>
#include <genalpha/ga_problem.h>
#include <genalpha/ga_recorder.h>
#include <genalpha/ga_rope.h>
#include <genalpha/ga_simulation.h>
#include <genalpha/ga_space.h>
#include <genalpha/ga_statics.h>
#include <genalpha/ga_team.h>

#define GA_VERSION_MAJOR 0
#define GA_VERSION_MINOR 1
#define GA_VERSION_PATCH 0
#define GA_VERSION "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library linked, "0.1.0", and what was built into it, one line. */
GA_API const char *ga_version(void);
GA_API const char *ga_capabilities(void);

#ifdef __cplusplus
}
#endif
#endif
