/* SPDX-License-Identifier: MIT */
/* One column of a body or an element: the end of its name and its unit. */
#ifndef GA_SRC_COLUMN_H
#define GA_SRC_COLUMN_H

typedef struct ga_column {
  const char *end;        /* follows the name of the body or element; "": that name alone */
  const char *unit;       /* SI; "1": a pure number, "": not known */
  const char *angle_unit; /* unit where the element acts on an angle; NULL: the same */
} ga_column;

/* the members columns and ncolumn of a table */
#define GA_COLUMNS(list) .columns = list, .ncolumn = (int)(sizeof list / sizeof list[0])

#endif
