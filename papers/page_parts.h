/* SPDX-License-Identifier: MIT */
/* The fixed parts of the page: head with style sheet, introduction. */
#ifndef CLI_REPRODUCE_PAGE_PARTS_H
#define CLI_REPRODUCE_PAGE_PARTS_H

extern const char page_head[], page_intro[];

#endif
