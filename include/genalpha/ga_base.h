/* SPDX-License-Identifier: MIT */
/* Status codes, error text, log messages: what every other header builds on. */
#ifndef GA_BASE_H
#define GA_BASE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Symbols marked GA_API are the library's interface; all others stay hidden. */
#if defined(__GNUC__)
#define GA_API __attribute__((visibility("default")))
#define GA_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
/* Rarely called. The compiler puts code that leads to such a call apart from the rest, so that the
 * code of a step that succeeds stays in the nearest cache. */
#define GA_RARE __attribute__((cold))
#else
#define GA_API
#define GA_PRINTF(fmt, args)
#define GA_RARE
#endif

/* Every function that can fail returns a ga_status.
 *   0   success
 *  > 0  recoverable: the last accepted state is intact, a smaller step may help
 *  < 0  an error: wrong argument, no memory, a callback that gave up
 * User callbacks return int with the same meaning (0 ok, > 0 retry, < 0 fatal). */
#define GA_STATUS_LIST(X)                                                 \
  X(GA_OK, 0, "success")                                                  \
  X(GA_RETRY_NEWTON, 1, "Newton iteration did not converge")              \
  X(GA_RETRY_SINGULAR, 2, "iteration matrix is singular")                 \
  X(GA_RETRY_MODEL, 3, "model asked for a smaller step")                  \
  X(GA_RETRY_NONFINITE, 5, "model callback returned NaN or infinity")     \
  X(GA_STOPPED, 4, "stopped by an observer")                              \
  X(GA_RETRY_CONTACT, 7, "forces or impulses of contacts were not found") \
  X(GA_EVENT, 6, "stopped at an event")                                   \
  X(GA_ERR_ARG, -1, "invalid argument")                                   \
  X(GA_ERR_MEM, -2, "out of memory")                                      \
  X(GA_ERR_MODEL, -3, "model callback failed")                            \
  X(GA_ERR_STEP, -4, "step size too small")                               \
  X(GA_ERR_INITIAL, -5, "initial values are not consistent")              \
  X(GA_ERR_BACKEND, -6, "linear solver failed or is not built in")        \
  X(GA_ERR_IO, -8, "file cannot be read or written")                      \
  X(GA_ERR_FILE, -9, "state file is torn, foreign or newer")              \
  X(GA_ERR_METHOD, -10, "unknown method")                                 \
  X(GA_ERR_CONTACT, -11, "no forces or impulses of contacts fit")         \
  X(GA_ERR_SINGULAR, -7, "constraint and mass matrix together are singular")

typedef enum ga_status {
#define GA_STATUS_ENUM(name, value, text) name = value,
  GA_STATUS_LIST(GA_STATUS_ENUM)
#undef GA_STATUS_ENUM
} ga_status;

/* The sentence and the identifier of a status; "unknown status" for anything else. */
GA_API const char *ga_status_text(ga_status status);
GA_API const char *ga_status_name(ga_status status);

/* A code for programs and a sentence for people. The caller owns the struct; functions that take a
 * ga_error pointer accept NULL and then drop the text. */
typedef struct ga_error {
  ga_status code; /* for programs */
  char text[512]; /* what, where, what to do; empty if nothing is wrong */
} ga_error;

/* Fill err (NULL allowed) and return the status, so that a failure is one line:
 *   return ga_fail(err, GA_ERR_ARG, "h = %g must be positive", h); */
GA_API ga_status ga_fail(ga_error *err, ga_status status, const char *format, ...)
    GA_PRINTF(3, 4) GA_RARE;

/* Every heap request of the library goes through these two functions, calloc and free unless set
 * otherwise; NULL restores them. The one process-wide setting: make it before anything is created,
 * from one thread. (KLU allocates through SuiteSparse's own hooks.) */
GA_API void ga_set_allocator(void *(*allocate)(size_t count, size_t size),
                             void (*release)(void *block));

typedef enum ga_log_level { GA_LOG_INFO, GA_LOG_WARNING } ga_log_level;

/* Receives what the library would otherwise print. The text is valid during the call only. */
typedef void (*ga_log_fn)(void *context, ga_log_level level, const char *text);

/* The word of a list that is nearest to a mistyped one, for "did you mean ..?"; NULL if none is
 * near. candidate(context, i) returns the i-th word of the list, NULL past the last. */
GA_API const char *ga_nearest_in(const char *word,
                                 const char *(*candidate)(const void *context, int i),
                                 const void *context);

#ifdef __cplusplus
}
#endif
#endif
