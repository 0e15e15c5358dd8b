/* SPDX-License-Identifier: MIT */
/* Columns of numbers from a CSV file, such as a measured road or the curve of a damper.
 *
 *     # road of the test track            lines that begin with # and empty lines are skipped
 *     s [m], "z (left)", z_right          names: in quotes or not, a unit in brackets may be left out
 *     0,     0.001,      0.002
 *     0.5,   0.004,      0.003
 *
 * The first line is the head. Fields are separated by tabs, semicolons or commas: by the first of
 * these three that the head has. Numbers have a decimal point. Columns that nobody asks for may
 * hold anything. */
#ifndef GA_CSV_H
#define GA_CSV_H

#include <genalpha/ga_base.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ga_csv ga_csv;

/* Read a file; the same of a text in memory, where name stands for the path. GA_ERR_IO, GA_ERR_FILE
 * or GA_ERR_MEM; messages begin with PATH:LINE:COLUMN. */
GA_API ga_status ga_csv_load(const char *path, ga_csv **out, ga_error *err);
GA_API ga_status ga_csv_parse(const char *name, const char *text, size_t length, ga_csv **out,
                              ga_error *err);
GA_API void ga_csv_free(ga_csv *csv);

/* Rows of numbers, without the head; names of the columns, NULL past the end; the column of a name,
 * with or without its unit, -1: there is none, and err has the nearest one. */
GA_API int ga_csv_rows(const ga_csv *csv);
GA_API const char *ga_csv_name(const ga_csv *csv, int column);
GA_API int ga_csv_column(const ga_csv *csv, const char *name, ga_error *err);

/* values <- a column, a number for each row. rising: they must rise from row to row. GA_ERR_FILE
 * with line and column of what is no finite number, or is missing. */
GA_API ga_status ga_csv_numbers(const ga_csv *csv, int column, bool rising, double *values,
                                ga_error *err);

#ifdef __cplusplus
}
#endif
#endif
