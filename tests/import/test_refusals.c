/* SPDX-License-Identifier: MIT */
/* Robots that are wrong or odd: each is refused with a sentence, line, column and the path of its
 * element, or reported. Changed and cut files end with a robot or a sentence, never worse. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <unistd.h>

#include "import/xml.h"
#include "robots.h"

#define ARM LINK("base") LINK("arm")
#define HINGE(more) JOINT("j", "revolute", "base", "arm", more)
#define INERTIAL(mass, inertia)                                                   \
  "<link name=\"base\"/>\n<link name=\"arm\"><inertial>" mass "<inertia " inertia \
  "/></inertial></link>\n" HINGE("")

/* line and column are those of the first character of the element */
static const struct {
  const char *text;
  int line, column;
  const char *message;
} refused[] = {
    /* not XML, not a robot */
    {"", 1, 1, "the file is empty"},
    {"   \n", 2, 1, "this is not XML: no element found"},
    {"genalpha: 1\n", 1, 1, "this is not XML: syntax error"},
    {"<robot>\n<link>\n</robot>\n", 3, 3, "this is not XML: mismatched tag"},
    {"<robot name='a' name='b'/>", 1, 17, "this is not XML: duplicate attribute"},
    {"<robot>&nothing;</robot>", 1, 8, "this is not XML: undefined entity"},
    {"<robot>\x80</robot>", 1, 8, "this is not XML: not well-formed (invalid token)"},
    {"<mujoco/>", 1, 1, "mujoco: MJCF is not read yet, URDF (<robot>) is"},
    {"<sdf/>", 1, 1, "sdf: SDF is not read, URDF (<robot>) is"},
    {"<model/>", 1, 1, "the outermost element of a robot is <robot>"},
    {"<robot/>", 1, 1, "robot: there is no link"},
    /* entities, in whatever form */
    {"<!DOCTYPE r [<!ENTITY a 'b'>]><robot/>", 1, 25, "entities (<!ENTITY ..>) are not allowed"},
    {"<!DOCTYPE r [\n<!ENTITY % a 'b'>]><robot/>", 2, 14,
     "entities (<!ENTITY ..>) are not allowed"},
    {"<!DOCTYPE r [<!ENTITY a SYSTEM '/etc/passwd'>]><robot>&a;</robot>", 1, 45, "entities"},
    {"<!DOCTYPE robot SYSTEM 'http://x/y.dtd'><robot/>", 1, 40,
     "a document type from another file is not read"},
    /* xacro */
    {"<robot xmlns:xacro='x'>\n<xacro:include filename='a'/></robot>", 2, 1,
     "robot/xacro:include: an element of xacro is left in the file: run xacro first"},
    {ROBOT(ARM HINGE("<origin xyz='$(optenv X 0) 0 0'/>")), 4, 73,
     "robot/joint[j]/origin: xyz=\"$(optenv X 0) 0 0\" is not a number: run xacro first"},
    {ROBOT("<link name='${p}_link'/>"), 2, 1, "\"${p}_link\" is not a name: run xacro first"},
    /* numbers */
    {ROBOT(ARM HINGE("<axis xyz='0 0'/>")), 4, 73,
     "robot/joint[j]/axis: xyz=\"0 0\" has 2 numbers, 3 are expected"},
    {ROBOT(ARM HINGE("<axis xyz='0 0 1 0'/>")), 4, 73, "has 4 numbers, 3 are expected"},
    {ROBOT(ARM HINGE("<axis xyz='0 0 one'/>")), 4, 73,
     "xyz=\"0 0 one\": three numbers are expected"},
    {ROBOT(ARM HINGE("<axis xyz='0,0,1'/>")), 4, 73, "three numbers are expected"},
    {ROBOT(ARM HINGE("<axis xyz='nan 0 0'/>")), 4, 73, "three numbers are expected"},
    {ROBOT(ARM HINGE("<axis xyz='0x1 0 0'/>")), 4, 73, "three numbers are expected"},
    {ROBOT(ARM HINGE("<axis xyz='inf 0 0'/>")), 4, 73, "three numbers are expected"},
    {ROBOT(ARM HINGE("<axis xyz='1e999 0 0'/>")), 4, 73, "three numbers are expected"},
    {ROBOT(ARM HINGE("<axis xyz='1e60 0 0'/>")), 4, 73,
     "xyz=\"1e60 0 0\": 1e+60 is larger than anything of a robot (1e+50)"},
    {ROBOT(ARM HINGE("<axis xyz='0 0 0'/>")), 4, 73, "the axis is zero and has no direction"},
    {ROBOT(ARM HINGE("<axis/>")), 4, 73, "the attribute 'xyz' is missing"},
    {ROBOT(ARM HINGE("<limit lower='' upper='1'/>")), 4, 73,
     "lower=\"\" has 0 numbers, 1 is expected"},
    {ROBOT(ARM HINGE("<dynamics damping='-1'/>")), 4, 73, "damping -1 is negative"},
    {ROBOT(ARM HINGE("<dynamics friction='-1'/>")), 4, 73, "friction -1 is negative"},
    /* the tree */
    {ROBOT(LINK("a") LINK("a")), 3, 1, "robot/link[a]: a second link 'a'; the first is in line 2"},
    {ROBOT(ARM HINGE("") HINGE("")), 5, 1, "a second joint 'j'; the first is in line 4"},
    {ROBOT("<link/>"), 2, 1, "robot/link: the attribute 'name' is missing"},
    {ROBOT("<link name=''/>"), 2, 1, "the attribute 'name' is empty"},
    {ROBOT(ARM "<joint name='j' type='revolute'><child link='arm'/></joint>"), 4, 1,
     "the element 'parent' is missing"},
    {ROBOT(ARM JOINT("j", "revolute", "bse", "arm", "")), 4, 33,
     "robot/joint[j]/parent: there is no link 'bse'; did you mean 'base'?"},
    {ROBOT(ARM JOINT("j", "revolute", "base", "world", "")), 4, 54, "there is no link 'world'"},
    {ROBOT(ARM JOINT("j", "revolut", "base", "arm", "")), 4, 1,
     "unknown type 'revolut'; did you mean 'revolute'?"},
    {ROBOT(ARM JOINT("j", "hinge", "base", "arm", "")), 4, 1,
     "unknown type 'hinge'; known are revolute, continuous, prismatic, fixed, floating, planar"},
    {ROBOT(ARM JOINT("j", "revolute", "arm", "arm", "")), 4, 1,
     "it connects the link 'arm' with itself"},
    {ROBOT(ARM LINK("c") JOINT("j", "revolute", "base", "arm", "")
               JOINT("k", "revolute", "c", "arm", "")),
     6, 1, "the link 'arm' has two parents, by the joints 'j' and 'k'"},
    {ROBOT(ARM LINK("c") HINGE("")), 4, 1,
     "two links have no parent, 'base' and 'c'; a robot is a tree with one root"},
    {ROBOT(ARM HINGE("") JOINT("k", "revolute", "arm", "base", "")), 5, 1,
     "the joints are a cycle: the link 'base' is below 'arm' and above it"},
    {ROBOT(ARM LINK("c") LINK("d") HINGE("") JOINT("k", "revolute", "c", "d", "")
               JOINT("l", "revolute", "d", "c", "")),
     8, 1, "the joints are a cycle: the link 'c' is below 'd' and above it"},
    {ROBOT(ARM JOINT("j", "fixed", "base", "arm", "")), 1, 1,
     "nothing moves: all joints are fixed"},
    {ROBOT(LINK("base")), 1, 1, "nothing moves"},
    {ROBOT(ARM HINGE("<axis xyz='1 0 0'/>\n<axis xyz='0 1 0'/>")), 5, 1,
     "a second 'axis'; the first is in line 4"},
    /* what links weigh */
    {ROBOT(INERTIAL("<mass value='-1'/>", "ixx='1' iyy='1' izz='1'")), 3, 28,
     "robot/link[arm]/inertial/mass: the mass -1 is negative"},
    {ROBOT(INERTIAL("<mass/>", "ixx='1' iyy='1' izz='1'")), 3, 28, "'value' is missing"},
    {ROBOT(INERTIAL("<mass value='1'/>", "ixx='1' iyy='1'")), 3, 45, "'izz' is missing"},
    {ROBOT(INERTIAL("<mass value='1'/>", "ixx='1' iyy='1' izz='-3e-7'")), 3, 45,
     "link 'arm': the inertia has the eigenvalue -3e-07, which no body has; --repair-inertia"},
    {ROBOT(INERTIAL("<mass value='1'/>", "ixx='1' ixy='1.5' iyy='1' izz='1'")), 3, 45,
     "the inertia has the eigenvalue -0.5"},
    {ROBOT(INERTIAL("<mass value='1'/>", "ixx='0' ixz='1e-300' iyy='0' izz='0'")), 3, 45,
     "the inertia has the eigenvalue -1e-300"},
    {ROBOT(EMPTY("base") EMPTY("arm") HINGE("")), 4, 1,
     "link 'arm' moves on joint 'j' but has no inertia"},
    {ROBOT(INERTIAL("<mass value='1'/>", "ixx='0' iyy='0' izz='0'")), 4, 1,
     "link 'arm' moves on joint 'j' but has no inertia"},
    {ROBOT(EMPTY("base") EMPTY("arm") EMPTY("hand") HINGE("")
               JOINT("k", "fixed", "arm", "hand", "")),
     5, 1, "link 'arm' moves on joint 'j' but has no inertia"},
    {ROBOT(LINK("base") EMPTY("arm") LINK("c") HINGE("")
               JOINT("k", "revolute", "base", "c", "<mimic joint='j' multiplier='0'/>")),
     5, 1, "link 'arm' moves on joint 'j' but has no inertia"},
    {ROBOT(LINK("base") EMPTY("arm") JOINT("j", "floating", "base", "arm", "")), 3, 1,
     "link 'arm' is free but has no mass"},
    /* mimic */
    {ROBOT(ARM HINGE("<mimic joint='k'/>")), 4, 73, "robot/joint[j]/mimic: there is no joint 'k'"},
    {ROBOT(ARM HINGE("<mimic joint='j'/>")), 4, 73, "a joint cannot mimic itself"},
    {ROBOT(ARM LINK("c") HINGE("<mimic joint='w'/>") JOINT("w", "fixed", "arm", "c", "")), 5, 73,
     "the joint 'w' of type fixed has no value to mimic"},
    {ROBOT(ARM LINK("c") HINGE("<mimic joint='k'/>")
               JOINT("k", "revolute", "arm", "c", "<mimic joint='j'/>")),
     5, 73, "joints 'j' and 'k' mimic each other"},
    {ROBOT(ARM LINK("c") HINGE("") JOINT("k", "revolute", "arm", "c",
                                         "<mimic joint='j' multiplier='1' offset='1e12'/>")),
     6, 70, "is out of reach"},
};

static void refused_robots(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
    ga_imported *robot = NULL;
    ga_error err = {0};
    char where[40];
    const char *text = refused[i].text;
    const ga_status status = ga_import_text("r.urdf", text, strlen(text), NULL, &robot, &err);
    if (status != GA_ERR_FILE || robot) fail_msg("not refused: %s", text);
    snprintf(where, sizeof where, "r.urdf:%d:%d: ", refused[i].line, refused[i].column);
    if (strncmp(err.text, where, strlen(where)) != 0 || !strstr(err.text, refused[i].message)) {
      fail_msg("'%s', not '%s%s'", err.text, where, refused[i].message);
    }
  }
}

/* what the options make wrong */
static void refused_options(void **state) {
  (void)state;
  static const char text[] = ROBOT(ARM LINK("c") HINGE("<limit lower='-1' upper='1'/>")
                                       JOINT("k", "revolute", "arm", "c", "<mimic joint='j'/>")
                                           LINK("p") JOINT("plane", "planar", "c", "p", ""));
  static const ga_import_start starts[] = {{"k", {1, true}, {0, false}},
                                           {"jj", {1, true}, {0, false}},
                                           {"plane", {1, true}, {0, false}},
                                           {"j", {1.0 / 0.0, true}, {0, false}}};
  static const struct {
    ga_import_options options;
    const char *message;
  } list[] = {
      {{.start = starts, .nstart = 1}, "joint 'k' follows 'j': give that one a start value"},
      {{.start = starts + 1, .nstart = 1}, "there is no joint 'jj'; did you mean 'j"},
      {{.start = starts + 2, .nstart = 1}, "has several coordinates: write JOINT.x"},
      {{.start = starts + 3, .nstart = 1}, "the start of joint 'j' is not a number"},
      {{.stops = true}, "write --limits stop=K"},
      {{.strict = true}, "a mechanism has no use for this limit (--strict)"},
  };
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    ga_imported *robot = NULL;
    ga_error err = {0};
    const ga_import_options *o = &list[i].options;
    assert_int_equal(ga_import_text("r", text, strlen(text), o, &robot, &err), GA_ERR_FILE);
    if (!strstr(err.text, list[i].message)) fail_msg("'%s', not '%s'", err.text, list[i].message);
  }
  static const char cart[] =
      ROBOT(EMPTY("rail") LINK("cart") JOINT("j", "prismatic", "rail", "cart", ""));
  const ga_import_options flying = {.floating = true};
  ga_imported *robot = NULL;
  ga_error err = {0};
  assert_int_equal(ga_import_text("r", cart, strlen(cart), &flying, &robot, &err), GA_ERR_FILE);
  assert_non_null(strstr(err.text, "--base fixed makes it the ground"));
}

/* Links on fixed joints move together, also where they stay bodies (--keep-fixed): a tip of no mass does not
 * make the hand before it resist its joint, and a base of no mass may fly with what is fixed to it. */
static void fixed_links_weigh_together(void **state) {
  (void)state;
#define POINT(name) "<link name=\"" name "\"><inertial><mass value=\"1\"/></inertial></link>\n"
  static const char hand[] =
      ROBOT(LINK("base") POINT("arm") EMPTY("tip") HINGE("") JOINT("t", "fixed", "arm", "tip", ""));
  static const char bird[] = ROBOT(EMPTY("foot") LINK("base") LINK("arm")
                                       JOINT("f", "fixed", "foot", "base", "") HINGE(""));
  for (int keep = 0; keep < 2; keep++) {
    const ga_import_options options = {.keep_fixed = keep, .floating = true},
                            held = {.keep_fixed = keep};
    ga_imported *robot = NULL;
    ga_error err = {0};
    assert_int_equal(ga_import_text("r", hand, strlen(hand), &held, &robot, &err), GA_ERR_FILE);
    if (!strstr(err.text, "link 'arm' moves on joint 'j' but has no inertia"))
      fail_msg("%s", err.text);
    robot = import_text(bird, &options);
    ga_file *file = mechanism_of(robot);
    ga_file_free(file);
    ga_imported_free(robot);
  }
}

/* what is odd is reported, and an error only where the caller is strict */
static void reported(void **state) {
  (void)state;
  static const struct {
    const char *text, *line;
    ga_log_level level;
  } list[] = {
      {ROBOT(ARM HINGE("<axsi xyz='1 0 0'/>")),
       "4:1: robot/joint: unknown element 'axsi' is left out; did you mean 'axis'?", GA_LOG_INFO},
      {ROBOT(ARM HINGE("<dynamics dampng='1'/>")),
       "4:73: robot/joint/dynamics: unknown attribute 'dampng' is left out; did you mean "
       "'damping'?",
       GA_LOG_INFO},
      {ROBOT(ARM HINGE("<limit lower='1' upper='-1'/>")),
       "4:73: robot/joint[j]/limit: the limit lower = 1 is above upper = -1", GA_LOG_WARNING},
      {ROBOT(INERTIAL("<mass value='1'/>", "ixx='1' iyy='1' izz='3'")),
       "3:45: robot/link[arm]/inertial/inertia: a moment of inertia is larger than the sum of the "
       "other two, which no distribution of masses has",
       GA_LOG_WARNING},
      {ROBOT("<link name='base'><visual><geometry><capsule radius='1' length='2'/></geometry>"
             "</visual></link>" LINK("arm") HINGE("")),
       "2:27: robot/link/visual/geometry: unknown element 'capsule' is left out", GA_LOG_INFO},
      {ROBOT("<link name='base'><visual><geometry><sphere radius='0'/></geometry>"
             "</visual></link>" LINK("arm") HINGE("")),
       "2:37: robot/link[base]/visual/geometry/sphere: a length is not positive: it is not drawn",
       GA_LOG_WARNING},
      {ROBOT(ARM HINGE("") "<transmission name='t'/><gazebo/><gazebo/>"),
       "not used: 1 transmission, 2 gazebo elements", GA_LOG_INFO},
  };
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    ga_imported *robot = import_text(list[i].text, NULL);
    ga_log_level level = GA_LOG_INFO;
    bool found = false;
    for (int k = 0; !found && ga_imported_report(robot, k, &level); k++) {
      found = strcmp(ga_imported_report(robot, k, NULL), list[i].line) == 0;
    }
    if (!found || level != list[i].level) {
      fail_msg("no '%s' in\n%s", list[i].line, ga_imported_model(robot));
    }
    ga_imported_free(robot);
    const ga_import_options strict = {.strict = true};
    ga_error err = {0};
    robot = NULL;
    assert_int_equal(ga_import_text("r", list[i].text, strlen(list[i].text), &strict, &robot, &err),
                     GA_ERR_FILE);
    assert_non_null(strstr(err.text, "(--strict)"));
  }
}

/* With stops: a joint that starts beyond them is warned of; limits that are the largest numbers are none. */
static void stops(void **state) {
  (void)state;
  static const char beyond[] =
      ROBOT(ARM HINGE("<limit lower='1' upper='2' effort='3' velocity='1'/>"));
  static const char endless[] =
      ROBOT(ARM HINGE("<limit lower='-1e308' upper='1.79e308' effort='1e308' velocity='1e308'/>"));
  const ga_import_options o = {.stops = true};
  ga_log_level level;
  ga_imported *robot = import_text(beyond, &o);
  assert_string_equal(
      ga_imported_report(robot, 2, &level),
      "4:73: robot/joint[j]/limit: joint 'j' starts at 0, outside its limits 1 to 2: the "
      "stop pushes it");
  assert_int_equal(level, GA_LOG_WARNING);
  assert_non_null(strstr(ga_imported_model(robot), "limits: {lower: 1, upper: 2, stiffness: 300}"));
  ga_imported_free(robot);
  robot = import_text(endless, &o);
  assert_null(strstr(ga_imported_model(robot), "limits: {"));
  ga_imported_free(robot);
}

/* ---- files that nobody wrote by hand ---------------------------------------------------------- */

/* What is not the file of a robot: a directory, nothing, 100 MB (with a hole, so that they take no room). */
static void unreadable_files(void **state) {
  (void)state;
  char large[] = "/tmp/large-XXXXXX", none[40];
  const int file = mkstemp(large);
  assert_true(file >= 0 && ftruncate(file, 100000000) == 0);
  close(file);
  snprintf(none, sizeof none, "%s.urdf", large);
  const struct {
    const char *path, *message;
  } list[] = {{GA_MODELS, "is a directory"},
              {none, "No such file"},
              {large, "has 100000000 bytes, the file of a robot may have 50000000"}};
  for (int i = 0; i < 3; i++) {
    ga_imported *robot = NULL;
    ga_error err = {0};
    assert_true(ga_import(list[i].path, NULL, &robot, &err) < 0);
    assert_null(robot);
    if (strncmp(err.text, list[i].path, strlen(list[i].path)) != 0 ||
        !strstr(err.text, list[i].message)) {
      fail_msg("'%s', not '%s'", err.text, list[i].message);
    }
  }
  unlink(large);
}

/* elements too deep, too many */
static void huge_files(void **state) {
  (void)state;
  char text[4000] = "";
  ga_imported *robot = NULL;
  ga_error err = {0};
  for (int i = 0; i < 101; i++) strcat(text, "<robot>");
  assert_int_equal(ga_import_text("r", text, strlen(text), NULL, &robot, &err), GA_ERR_FILE);
  assert_non_null(strstr(err.text, "r:1:701: elements are nested too deeply"));
  const size_t many = GA_XML_ELEMENTS + 10;
  char *more = malloc(4 * many + 20);
  strcpy(more, "<robot>");
  for (size_t i = 0; i < many; i++) memcpy(more + 7 + 4 * i, "<a/>", 5);
  assert_int_equal(ga_import_text("r", more, strlen(more), NULL, &robot, &err), GA_ERR_FILE);
  assert_non_null(strstr(err.text, "there are too many elements"));
  free(more);
}

/* a chain of 2000 links whose names all become the same one is a matter of moments */
static void long_chain(void **state) {
  (void)state;
  enum { N = 2000, ROOM = 400 };
  static const char signs[] = "-+./:;,=~!@#%";
  char *text = malloc((size_t)N * ROOM), name[N][4];
  size_t n = (size_t)sprintf(text, "<robot name='chain'>");
  for (int i = 0; i < N; i++) {
    snprintf(name[i], 4, "%c%c%c", signs[i % 13], signs[i / 13 % 13], signs[i / 169]);
    n += (size_t)sprintf(text + n,
                         "<link name='%s'><inertial><mass value='1'/><inertia ixx='1' iyy='1' "
                         "izz='1'/></inertial></link>",
                         name[i]);
    if (i == 0) continue;
    n += (size_t)sprintf(text + n,
                         "<joint name='%s' type='continuous'><parent link='%s'/><child "
                         "link='%s'/></joint>",
                         name[i], name[i - 1], name[i]);
  }
  n += (size_t)sprintf(text + n, "</robot>");
  ga_imported *robot = import_text(text, NULL);
  has_line(robot, "\n  ____1999:\n");
  has_line(robot, "\n  ____3998: {type: revolute");
  assert_true(reports(robot, "1999 degrees of freedom"));
  assert_true(reports(robot, "more lines like these"));
  ga_imported_free(robot);
  free(text);
}

/* A good robot (GA_MUTATED, or an arm) with one piece changed, cut or doubled, GA_MUTATIONS times: a robot whose model file is read,
 * or a sentence. (The sanitizers look on.) */
static void mutated_files(void **state) {
  (void)state;
  static const char *const pieces[] = {
      "<",    ">",        "/>",    "\"",       "'",      "&",
      "&#0;", "&lt;",     "-",     "1e9999",   "nan",    "0",
      "link", "joint",    "fixed", "floating", "planar", "<mimic joint='elbow'/>",
      "\xff", "\xc3\xa9", " ",     "\n",       "<!--",   "]]>",
      "base", "name=",    "world", "ground"};
  enum { NPIECE = (int)(sizeof pieces / sizeof pieces[0]) };
  static char whole[100000], text[101000];
  const char *path = getenv("GA_MUTATED");
  FILE *file = fopen(path ? path : GA_MODELS "/arm.urdf", "r");
  const size_t length = fread(whole, 1, sizeof whole, file);
  const char *count = getenv("GA_MUTATIONS");
  const int runs = count ? atoi(count) : 400;
  unsigned seed = 12345;
  int good = 0;
  fclose(file);
  assert_true(length > 1000 && length < sizeof whole);
  for (int i = 0; i < runs; i++) {
    size_t n = length;
    memcpy(text, whole, n);
    for (int k = 0; k < 1 + i % 3; k++) {
      seed = seed * 1664525u + 1013904223u;
      if (i % 2 == 0) { /* a digit becomes another sign of numbers */
        size_t digit = (seed >> 8) % n;
        while (digit < n && (text[digit] < '0' || text[digit] > '9')) digit++;
        if (digit < n) text[digit] = "0123456789.-e "[(seed >> 4) % 14];
        continue;
      }
      const size_t at = (seed >> 8) % n, cut = (seed >> 4) % 40;
      const char *piece = pieces[(seed >> 16) % NPIECE];
      const size_t drop = seed >> 30 == 0 ? 0 : cut < n - at ? cut : n - at;
      const size_t put = seed >> 30 == 1 ? 0 : strlen(piece);
      memmove(text + at + put, text + at + drop, n - at - drop);
      memcpy(text + at, piece, put);
      n = n - drop + put;
    }
    ga_imported *robot = NULL;
    ga_error err = {0};
    const ga_import_options o = {
        .floating = i % 2 == 1, .stops = i % 4 == 0, .keep_fixed = i % 5 == 0};
    const ga_status status = ga_import_text("m", text, n, &o, &robot, &err);
    assert_true((status == GA_OK) == (robot != NULL));
    assert_true((status == GA_OK) == (err.text[0] == '\0'));
    if (!robot) continue;
    /* a mutant may be stiff or heavy beyond what can be assembled; its text must be readable */
    ga_file *made = NULL;
    const char *model = ga_imported_model(robot);
    const ga_file_options read = {.no_build = true};
    must(ga_file_parse("m", model, strlen(model), &read, &made, &err), &err);
    ga_file_free(made);
    ga_imported_free(robot);
    good++;
  }
  print_message("%d of %d mutants are robots\n", good, runs);
  assert_true(good > runs / 20 && good < runs);
}

int main(void) {
  if (!ga_xml_available()) return 0;
  const struct CMUnitTest tests[] = {cmocka_unit_test(refused_robots),
                                     cmocka_unit_test(refused_options),
                                     cmocka_unit_test(fixed_links_weigh_together),
                                     cmocka_unit_test(reported),
                                     cmocka_unit_test(stops),
                                     cmocka_unit_test(huge_files),
                                     cmocka_unit_test(unreadable_files),
                                     cmocka_unit_test(long_chain),
                                     cmocka_unit_test(mutated_files)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
