/* SPDX-License-Identifier: MIT */
/* The fixed texts of the page: head with style sheet, introduction. */
#ifndef PAPERS_PAGE_TEXTS_H
#define PAPERS_PAGE_TEXTS_H

extern const char page_head[], page_intro[];

#endif
