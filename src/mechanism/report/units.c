/* SPDX-License-Identifier: MIT */
/* Units of the named outputs. Model files are in SI units, so the unit of a column is that of its
 * table (ga_column); an effort on a coordinate depends on whether it is an angle or a length. */
#include <string.h>

#include "mechanism/mechanism.h"

/* Block (body or element, its first columns) of a usual or further column, which must not be t, an
 * energy or a momentum. m->blocks is sorted by `first` and by `extra`. NULL: there is none. */
static const ga_column_block *find_block(const ga_mechanism *m, int column) {
  const ga_column_block *blocks = m->blocks.item;
  if (column >= m->ndefault) {
    for (int i = m->blocks.count - 1; i >= 0; i--) {
      if (blocks[i].extra >= 0 && blocks[i].extra <= column) return &blocks[i];
    }
    return NULL;
  }
  int low = 0, high = m->blocks.count; /* the last block that begins at the column or before */
  while (low < high) {
    const int middle = (low + high) / 2;
    if (blocks[middle].first <= column) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low > 0 ? &blocks[low - 1] : NULL;
}

/* True if the first coordinate of the element is an angle, not a length. */
static bool acts_on_angle(const ga_mechanism *m, const ga_element *el) {
  if (el->ncoordinate == 0) return false;
  return ga_kind_of_coordinate(m, el->coordinate[0]) == GA_COORDINATE_ANGLE;
}

/* Unit of column i in SI, "1" for pure numbers, "" if unknown; NULL: there is no such column. */
const char *ga_mechanism_column_unit(const ga_mechanism *m, int i) {
  if (i < 0 || i >= m->ncolumn) return NULL;
  const ga_column *whole = ga_mechanism_own_column(m, i);
  if (whole) return whole->unit;
  const ga_column_block *block = find_block(m, i);
  const ga_element *el = block->element;
  if (!el) {
    const int k = i < m->ndefault ? i - block->first : i - block->extra;
    return m->bodies.item[block->body].kind->columns[k].unit;
  }
  const int k = i < m->ndefault ? i - block->first : i - block->extra + el->type->ncolumn;
  const ga_column *column = &el->type->columns[k];
  return column->angle_unit && acts_on_angle(m, el) ? column->angle_unit : column->unit;
}
