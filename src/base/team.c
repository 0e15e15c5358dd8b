/* SPDX-License-Identifier: MIT */
/* Agreements of a team, made of its reductions: numbers, and a status with its message. */
#include "base/team.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* max or sum (op) of x over all processes; collective: all processes call it. NaN if the
 * communication failed */
double ga_team_reduce_one(ga_team *team, ga_team_op op, double x) {
  return team->ops->reduce(team, op, 1, &x) == GA_OK ? x : NAN;
}

/* Have all processes the same n <= GA_TEAM_SAME numbers (collective: all processes call it, with
 * the same n)? True without a team (NULL). False also for NaN or a
 * failed communication. max x = -max(-x) means that all are equal. */
bool ga_team_same(ga_team *team, int n, const double *x) {
  double both[2 * GA_TEAM_SAME]; /* the largest x and the largest -x */
  if (!team) return true;
  for (int i = 0; i < n; i++) {
    both[2 * i] = x[i];
    both[2 * i + 1] = -x[i];
  }
  if (team->ops->reduce(team, GA_TEAM_MAX, 2 * n, both) != GA_OK) return false;
  for (int i = 0; i < n; i++) {
    if (!(both[2 * i] == -both[2 * i + 1])) return false;
  }
  return true;
}

/* ---- a message from one process to all ------------------------------------------------------- */

/* Six bytes of the text make an integer below 2^48, which a double holds exactly. The speaker
 * reduces these numbers with the zeros of all others by GA_TEAM_MAX. */
enum { BYTES = 6, WORDS = (int)((sizeof(((ga_error *)0)->text) + BYTES - 1) / BYTES) };
enum { SHIFT = 1000 }; /* makes every status positive */

/* Packs status and text into doubles for a reduction; word, 1 + WORDS numbers, must be zero
 * before. */
static void pack(ga_status status, const char *text, double *word) {
  size_t length = strlen(text);
  word[0] = (double)((int)status + SHIFT);
  for (size_t i = 0; i < length; i++) {
    size_t k = i / BYTES;
    word[1 + k] += ldexp((unsigned char)text[i], 8 * (int)(i % BYTES));
  }
}

/* The inverse of pack: writes the text (room bytes, at most BYTES * WORDS) and returns the
 * status. */
static ga_status unpack(const double *word, char *text, size_t room) {
  for (size_t i = 0; i < room; i++) {
    uint64_t bits = (uint64_t)word[1 + i / BYTES];
    text[i] = (char)(unsigned char)(bits >> 8 * (i % BYTES) & 255);
  }
  text[room - 1] = '\0';
  return (ga_status)((int)word[0] - SHIFT);
}

/* Does the text contain "process 3 failed: .."? Then it came from another process in an earlier
 * agreement. */
static bool is_report(const char *text) {
  for (const char *at = text; (at = strstr(at, "process ")) != NULL; at++) {
    int process, end = 0;
    if (sscanf(at, "process %d failed: %n", &process, &end) == 1 && end > 0) return true;
  }
  return false;
}

/* Collective: all processes call it and return the same status, and err (may be NULL) gets its
 * message. GA_OK only if all have GA_OK. knows: this process knows the reason. The process with the
 * largest key speaks; the key orders by kind of status (errors first), then by knowledge of the
 * reason, then by number of the process (lowest first). */
ga_status ga_team_agree_on(ga_team *team, ga_status status, bool knows, ga_error *err) {
  double word[1 + WORDS] = {0}, key = -1;
  const char *own = err ? err->text : "";
  if (status != GA_OK) {
    int kind = (status < 0 ? 2 : 0) + (knows && !is_report(own) ? 1 : 0);
    key = (double)kind * team->processes + (team->processes - 1 - team->process);
  }
  ga_status broken = team->ops->reduce(team, GA_TEAM_MAX, 1, &key);
  if (broken != GA_OK) return ga_fail(err, broken, "the processes of the team cannot communicate");
  if (key < 0) return GA_OK;
  int speaker = team->processes - 1 - (int)fmod(key, team->processes);
  if (speaker == team->process) pack(status, own, word);
  broken = team->ops->reduce(team, GA_TEAM_MAX, 1 + WORDS, word);
  if (broken != GA_OK) return ga_fail(err, broken, "the processes of the team cannot communicate");
  if (speaker == team->process) return status;
  char text[sizeof(((ga_error *)0)->text)];
  status = unpack(word, text, sizeof text);
  if (is_report(text)) return ga_fail(err, status, "%s", text);
  return ga_fail(err, status, "process %d failed: %s", speaker, text);
}
