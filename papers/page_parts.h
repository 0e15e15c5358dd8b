/* SPDX-License-Identifier: MIT */
/* The fixed parts of the page: head with style sheet, introduction. */
#ifndef PAPERS_PAGE_PARTS_H
#define PAPERS_PAGE_PARTS_H

extern const char page_head[], page_intro[];

#endif
