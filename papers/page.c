/* SPDX-License-Identifier: MIT */
/* index.html from the records of the items, pictures embedded, and the same numbers as CSV. */
#include "papers/page.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "papers/page_texts.h"

/* the page being written: records from dir, hash of this program, claims counted so far */
typedef struct page {
  const char *dir;
  FILE *to;
  uint64_t program;
  tally *counts;
} page;

/* Writes text with &, <, > and " replaced by HTML entities. */
static void write_escaped(FILE *to, const char *text) {
  for (; *text; text++) {
    switch (*text) {
      case '&':
        fputs("&amp;", to);
        break;
      case '<':
        fputs("&lt;", to);
        break;
      case '>':
        fputs("&gt;", to);
        break;
      case '"':
        fputs("&quot;", to);
        break;
      default:
        fputc(*text, to);
    }
  }
}

/* Writes <TAG>text</TAG>; tag may have attributes: "p class=note". */
static void write_element(FILE *to, const char *tag, const char *text) {
  fprintf(to, "<%s>", tag);
  write_escaped(to, text);
  fprintf(to, "</%.*s>", (int)strcspn(tag, " "), tag);
}

/* Writes the SVG file at path as an <img> with base64 data, or a note if there is no file. */
static void embed_picture(FILE *to, const char *path, const char *title) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  FILE *file = fopen(path, "rb");
  if (!file) {
    write_element(to, "p class=note",
                  "No picture: gnuplot was not there. The numbers are in the table.");
    return;
  }
  fputs("<img alt=\"", to);
  write_escaped(to, title);
  fputs("\" src=\"data:image/svg+xml;base64,", to);
  unsigned char c[3];
  for (size_t n; (n = fread(c, 1, 3, file)) > 0;) {
    for (size_t i = n; i < 3; i++) c[i] = 0;
    unsigned bits = (unsigned)c[0] << 16 | (unsigned)c[1] << 8 | c[2];
    for (size_t i = 0; i < 4; i++) {
      fputc(i <= n ? digits[bits >> (18 - 6 * i) & 63] : '=', to);
    }
  }
  fclose(file);
  fputs("\">\n", to);
}

/* numbers */

/* x with four digits and short exponents: 2, 0.998, 7.9e-4. */
static void format_number(char text[32], double x) {
  if (isnan(x)) {
    snprintf(text, 32, "not a number");
    return;
  }
  snprintf(text, 32, "%.4g", x);
  char *e = strchr(text, 'e');
  if (!e) return;
  int exponent = 0;
  sscanf(e + 1, "%d", &exponent);
  snprintf(e, (size_t)(32 - (e - text)), "e%d", exponent);
}

/* Writes the expected number with its tolerance: "2 ± 0.1", "≤ 0.5 + 0.01", "0 within 1e-12". */
static void put_expected(FILE *to, const claim *c, double expected) {
  static const char *const signs[CLAIM_RELATIONS] = {"", "≤ ", "≥ "};
  char text[32], tolerance[32];
  bool zero = !(fabs(expected) > 0) && c->tolerance > 0;
  format_number(text, expected);
  format_number(tolerance, c->tolerance);
  fprintf(to, "<span class=num>%s%s", zero ? "" : signs[c->relation], text);
  if (zero) {
    fprintf(to, " <span class=tol>within %s</span>", tolerance);
  } else if (c->tolerance > 0) {
    const char *sign = c->relation == CLAIM_AT_MOST    ? "+"
                       : c->relation == CLAIM_AT_LEAST ? "−"
                                                       : "±";
    fprintf(to, " <span class=tol>%s %s</span>", sign, tolerance);
  }
  fputs("</span>", to);
}

/* Writes one table row and adds the claim to p->counts. */
static void put_claim(page *p, const claim *c) {
  FILE *to = p->to;
  verdict v = claim_verdict(c);
  char ours[32];
  format_number(ours, c->ours);
  tally_add(p->counts, c);
  fprintf(to, "<tr%s><td>", c->addition ? " class=addition" : "");
  write_escaped(to, c->text);
  fputs("<td data-name=expected>", to);
  put_expected(to, c, c->paper);
  if (strcmp(c->source, "paper") != 0) {
    fputs(" ", to);
    write_element(to, "span class=tol", c->source);
  }
  fprintf(to, "<td data-name=ours>%s<td data-name=verdict><b class=%s>%s</b>", ours,
          verdict_word(v), claim_word(c));
  if (v == VERDICT_DIFFERS) {
    fputs(", because ", to);
    write_escaped(to, c->because);
    fputs(" Correct: ", to);
    put_expected(to, c, c->corrected);
  }
  fputs("\n", to);
}

/* items */

/* Worst verdict of all claims; open if the item failed. */
static verdict worst_verdict(const record *rec) {
  verdict v = VERDICT_REPRODUCED;
  for (int i = 0; i < rec->claims; i++) {
    verdict of = claim_verdict(&rec->claim[i]);
    if (of > v) v = of;
  }
  return rec->failure[0] ? VERDICT_OPEN : v;
}

/* Writes notes on failure, another build or small sizes, and the link to the data. */
static void put_notes(page *p, const item *it, const record *rec) {
  FILE *to = p->to;
  if (rec->failure[0]) {
    fputs("<p class=note>Not computed: ", to);
    write_escaped(to, rec->failure);
    fputs("</p>\n", to);
  }
  if (rec->program != p->program) {
    write_element(to, "p class=note", "These numbers are from another build of the program.");
  }
  if (rec->quick) write_element(to, "p class=note", "Small sizes (--quick).");
  if (rec->csv) {
    fprintf(to, "<p class=files>Data: <a href=\"%s.csv\">%s.csv</a>, computed in %.1f s.</p>\n",
            it->id, it->id, rec->seconds);
  }
}

/* Writes the section of an item: picture, texts, claims, which are added to p->counts; nothing
 * if it has no record. */
static void put_item(page *p, const item *it) {
  static record rec;
  char path[PATH_LENGTH];
  FILE *to = p->to;
  if (!record_load(p->dir, it, &rec)) return;
  fprintf(to, "<section id=%s>\n", it->id);
  write_element(to, "h3", it->title);
  fputs("<div class=item><figure>\n", to);
  if (it->chart && rec.csv && record_path(path, p->dir, it->id, ".svg")) {
    embed_picture(to, path, it->title);
  }
  fputs("</figure><div class=words>\n<p><i>The paper:</i> ", to);
  write_escaped(to, it->says);
  fputs("</p>\n<p><i>Here:</i> ", to);
  write_escaped(to, it->how);
  fputs("</p>\n", to);
  if (rec.claims > 0) {
    fputs("<table class=claims><tr><th>claim<th>expected<th>ours<th>verdict\n", to);
    for (int i = 0; i < rec.claims; i++) put_claim(p, &rec.claim[i]);
    fputs("</table>\n", to);
  }
  put_notes(p, it, &rec);
  fputs("</div></div></section>\n", to);
}

/* Writes the list of links to all items, coloured by their worst verdict; items without a record
 * have no link. */
static void put_contents(page *p) {
  static record rec;
  FILE *to = p->to;
  fputs("<nav>\n", to);
  for (int i = 0; paper_at(i); i++) {
    fprintf(to, "<div><a class=key href=#%s>%s</a> ", paper_at(i)->key, paper_at(i)->key);
    for (const item *const *at = paper_at(i)->items; *at; at++) {
      const item *it = *at;
      const char *short_id = strchr(it->id, '-') ? strchr(it->id, '-') + 1 : it->id;
      if (!record_load(p->dir, it, &rec)) {
        fprintf(to, "<span class=absent>%s</span> ", short_id);
      } else {
        fprintf(to, "<a class=%s href=#%s>%s</a> ", verdict_word(worst_verdict(&rec)), it->id,
                short_id);
      }
    }
    fputs("</div>\n", to);
  }
  fputs(
      "<div><a class=key href=#misprints>misprints</a> <a class=key href=#garbled>lost "
      "text</a></div>"
      "</nav>\n",
      to);
}

/* Writes a list of misprints as a table; printed: head of its second column. */
static void put_slips(FILE *to, const misprint *list, const char *printed) {
  fprintf(to, "<table class=claims><tr><th>where<th>%s<th>correct<th>evidence\n", printed);
  for (const misprint *m = list; m->where; m++) {
    fputs("<tr>", to);
    write_element(to, "td", m->where);
    fprintf(to, "<td data-name=\"%s\">", printed);
    write_escaped(to, m->printed);
    write_element(to, "td data-name=correct", m->correct);
    fputs("<td data-name=evidence>", to);
    write_escaped(to, m->text);
    if (m->evidence) fprintf(to, " <a href=#%s>%s</a>", m->evidence, m->evidence);
    fputs("\n", to);
  }
  fputs("</table>\n", to);
}

/* Writes the tables of misprints and of errors in our text copies. */
static void put_misprints(page *p) {
  FILE *to = p->to;
  fputs("<h2 id=misprints>Misprints and slips, with the correction and the evidence</h2>\n", to);
  put_slips(to, misprints, "printed");
  fputs("<h2 id=garbled>Lost in the text we have</h2>\n", to);
  write_element(
      to, "p",
      "The papers are read from text made of their pages. What follows may have been lost on the "
      "way and is no misprint of a paper; it is not counted as a difference.");
  put_slips(to, garbled, "in the text we have");
}

/* Writes how many items are computed and how many claims have which verdict. */
static void put_summary(page *p) {
  static record rec;
  tally t = {{0}, {0}};
  int items = 0, all = 0;
  for (const item *it; (it = item_at(all)) != NULL; all++) {
    if (!record_load(p->dir, it, &rec)) continue;
    items++;
    for (int i = 0; i < rec.claims; i++) tally_add(&t, &rec.claim[i]);
  }
  fprintf(
      p->to,
      "<p class=sum>%d of %d figures and studies computed by genalpha %s. Of the papers' claims "
      "<b class=reproduced>%d reproduced</b>, <b class=differs>%d differ</b> for a reason "
      "given, <b class=open>%d open</b>. Beside them stand additions of ours: "
      "<b class=reproduced>%d hold</b>, <b class=open>%d open</b>.</p>\n",
      items, all, ga_version(), t.paper[VERDICT_REPRODUCED], t.paper[VERDICT_DIFFERS],
      t.paper[VERDICT_OPEN], t.addition[VERDICT_REPRODUCED], t.addition[VERDICT_OPEN]);
}

/* Writes index.html to p->to: summary, contents, the sections of all items, misprints; counts
 * the claims in p->counts. */
static void put_page(page *p) {
  FILE *to = p->to;
  fputs(page_head, to);
  put_summary(p);
  fputs(page_intro, to);
  put_contents(p);
  for (int i = 0; paper_at(i); i++) {
    fprintf(to, "<h2 id=%s><span class=key>%s</span>. ", paper_at(i)->key, paper_at(i)->key);
    write_escaped(to, paper_at(i)->cite);
    fputs("</h2>\n", to);
    for (const item *const *it = paper_at(i)->items; *it; it++) put_item(p, *it);
  }
  put_misprints(p);
  fputs("<p class=files>All numbers of this page: <a href=claims.csv>claims.csv</a></p>\n", to);
}

/* claims.csv */

/* Writes a CSV field in quotes, quotes inside doubled. */
static void write_quoted(FILE *to, const char *text) {
  fputc('"', to);
  for (; *text; text++) {
    if (*text == '"') fputc('"', to);
    fputc(*text, to);
  }
  fputc('"', to);
}

/* Writes claims.csv: one row per claim of each item that has a record. */
static void put_rows(page *p) {
  static const char *const relations[CLAIM_RELATIONS] = {"near", "at most", "at least"};
  static record rec;
  FILE *to = p->to;
  fputs("item,verdict,ours,relation,expected,tolerance,corrected,of,source,claim\n", to);
  for (int i = 0; item_at(i); i++) {
    if (!record_load(p->dir, item_at(i), &rec)) continue;
    for (int k = 0; k < rec.claims; k++) {
      const claim *c = &rec.claim[k];
      fprintf(to, "%s,%s,%.17g,%s,%.17g,%.17g,", item_at(i)->id, claim_word(c), c->ours,
              relations[c->relation], c->paper, c->tolerance);
      if (!isnan(c->corrected)) fprintf(to, "%.17g", c->corrected);
      fputs(c->addition ? ",addition," : ",paper,", to);
      write_quoted(to, c->source);
      fputc(',', to);
      write_quoted(to, c->text);
      fputc('\n', to);
    }
  }
}

/* Opens DIR/name, fills it by write(p), which writes to p->to, and closes it; false after a
 * message (none if the path is too long). */
static bool write_file(page *p, const char *name, void (*write)(page *p)) {
  char path[PATH_LENGTH];
  errno = 0;
  if (!record_path(path, p->dir, name, "")) return false;
  p->to = fopen(path, "w");
  bool good = p->to != NULL;
  if (good) {
    write(p);
    good = !ferror(p->to);
    if (fclose(p->to) != 0) good = false;
  }
  if (!good) tool_error("cannot write '%s': %s", path, errno ? strerror(errno) : "write error");
  return good;
}

/* Writes DIR/index.html, then DIR/claims.csv, from the records in DIR; counts receives the
 * number of claims by verdict. False after a message. */
bool page_write(const char *dir, tally *counts) {
  page p = {.dir = dir, .program = record_program(), .counts = counts};
  *counts = (tally){{0}, {0}};
  return write_file(&p, "index.html", put_page) && write_file(&p, "claims.csv", put_rows);
}
