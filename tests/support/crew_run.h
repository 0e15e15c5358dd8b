/* SPDX-License-Identifier: MIT */
/* A system of subdomain_model.h run by a crew: one thread for each process. */
#ifndef CREW_RUN_H
#define CREW_RUN_H

#include "crew.h"
#include "team_run.h"

typedef struct crew_job {
  subdomain_model *subdomain;
  const run_case *run;
  crew *crew;
  int process;
  run_result out;
  void (*instead)(struct crew_job *job); /* of run_subdomain; NULL: that */
  void *context;
} crew_job;

typedef struct {
  int size;
  crew *crew;
  crew_job job[CREW];
  int lam_before[CREW];
} crew_party;

static inline void *crew_work(void *context) {
  crew_job *job = context;
  if (job->instead) {
    job->instead(job);
  } else {
    job->out = run_subdomain(job->subdomain, job->run, &job->crew->team[job->process]);
  }
  crew_leave(job->crew);
  return NULL;
}

/* every second process has its bodies in the opposite order */
static inline void party_make(crew_party *p, const whole_system *s, int size, const run_case *run) {
  int nv[CREW], before = 0;
  long *velocity[CREW];
  *p = (crew_party){.size = size};
  for (int r = 0; r < size; r++) {
    subdomain_model *subdomain = subdomain_new(s, r, size, r % 2);
    p->job[r] = (crew_job){.subdomain = subdomain, .run = run, .process = r};
    p->lam_before[r] = before;
    before += subdomain->model.nlam;
    nv[r] = PER * subdomain->nbody;
    velocity[r] = subdomain->velocity;
  }
  p->crew = crew_new(size, nv, velocity, (long)PER * s->n);
  for (int r = 0; r < size; r++) p->job[r].crew = p->crew;
}

static inline void party_run(crew_party *p) {
  pthread_t thread[CREW];
  for (int r = 0; r < p->size; r++) pthread_create(&thread[r], NULL, crew_work, &p->job[r]);
  for (int r = 0; r < p->size; r++) pthread_join(thread[r], NULL);
}

static inline void party_free(crew_party *p) {
  for (int r = 0; r < p->size; r++) {
    run_free(&p->job[r].out);
    subdomain_free(p->job[r].subdomain);
  }
  crew_free(p->crew);
}

#endif
