/* SPDX-License-Identifier: MIT */
/* Contacts: what a user can ask for. */
#include "run/contact.h"

#include "run/integrator.h"

/* The word for a kind of change. */
const char *ga_contact_kind_name(ga_contact_kind kind) {
  static const char *const names[] = {"hit", "stop", "slide", "lift", "jam"};
  return (unsigned)kind < sizeof names / sizeof names[0] ? names[kind] : "unknown";
}

/* Contact i at the accepted state; zeros for a wrong number. */
ga_contact_state ga_integrator_contact(const ga_integrator *it, int i) {
  if (i < 0 || i >= it->contacts.n) return (ga_contact_state){0};
  return it->contacts.state[i];
}

/* Are the forces of contact i not unique? */
bool ga_integrator_contact_redundant(const ga_integrator *it, int i) {
  return i >= 0 && i < it->contacts.n && it->contacts.redundant[i];
}

/* Counters and energies since the last start. */
ga_contact_stats ga_integrator_contact_stats(const ga_integrator *it) {
  return it->contacts.stats;
}

/* Who is told of changes; NULL: nobody. */
void ga_integrator_observe_contacts(ga_integrator *it, ga_contact_observer observer,
                                    void *context) {
  it->contacts.observer = observer;
  it->contacts.observer_context = context;
}
