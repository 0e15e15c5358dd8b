/* SPDX-License-Identifier: MIT */
/* The signals that end a run: noted here, acted on between two steps. */
#define _POSIX_C_SOURCE 200809L
#include "simulate/interrupt.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "tool.h"

static volatile sig_atomic_t interrupted;
static volatile time_t interrupted_since;

/* The first signal is only noted: the run ends after its step. A second one more than a second
 * later ends the process at once. (timeout(1) sends the same signal twice, which counts as one.) */
static void on_signal(int number) {
  (void)number;
  if (!interrupted) interrupted_since = time(NULL);
  if (time(NULL) - interrupted_since > 1) _exit(TOOL_INTERRUPTED);
  interrupted = 1;
}

/* Handle SIGINT and SIGTERM by on_signal. Signals that are ignored stay ignored, as in
 * background jobs of scripts. */
void interrupt_catch(void) {
  static const int numbers[] = {SIGINT, SIGTERM};
  for (int i = 0; i < 2; i++) {
    struct sigaction old, action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) {
      sigaction(numbers[i], &action, NULL);
    }
  }
}

/* Has SIGINT or SIGTERM come since interrupt_catch? */
bool interrupt_came(void) {
  return interrupted;
}
