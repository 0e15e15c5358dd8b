/* SPDX-License-Identifier: MIT */
/* The report in DIR: index.html, whole in one file, and claims.csv. */
#ifndef PAPERS_PAGE_H
#define PAPERS_PAGE_H

#include "papers/record.h"

/* Writes both from the records in DIR; counts receives the number of claims by verdict. False after
 * a message. */
bool page_write(const char *dir, tally *counts);

#endif
