/* SPDX-License-Identifier: MIT */
/* Robots as model files: accelerations against an independent program (body Jacobians of the tree,
 * in Python, which agrees with KDL and MuJoCo on robots of others), and what is written. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>

#include "genalpha/ga_drawable.h"
#include "import/xml.h"
#include "mechanism/mechanism.h"
#include "robots.h"

typedef struct {
  const char *joint;
  double value, rate, acceleration;
} motion;

static int coordinate(const ga_mechanism *m, const char *joint) {
  const size_t n = strlen(joint);
  for (int i = 0; i < m->coordinates.count; i++) {
    const char *name = m->coordinates.item[i].name;
    if (strncmp(name, joint, n) == 0 && name[n] == '.') return m->coordinates.item[i].v_at;
  }
  fail_msg("there is no coordinate of %s", joint);
  return -1;
}

/* Start the robot as the list says, and compare the accelerations, relative to the largest, and the
 * kinetic energy. */
static void compare(const ga_imported *robot, int n, const motion *list, double kinetic) {
  ga_file *file = mechanism_of(robot);
  const ga_mechanism *m = ga_file_mechanism(file);
  const ga_options o = ga_options_default();
  ga_error err = {0};
  ga_integrator *it;
  double largest = 0;
  must(ga_integrator_new(ga_mechanism_model(m), &o, &it, &err), &err);
  must(ga_integrator_start(it, 0, ga_mechanism_q0(m), ga_mechanism_v0(m)), ga_integrator_error(it));
  const ga_state *s = ga_integrator_state(it);
  for (int i = 0; i < n; i++) largest = fmax(largest, fabs(list[i].acceleration));
  for (int i = 0; i < n; i++) {
    const double is = s->vd[coordinate(m, list[i].joint)];
    if (fabs(is - list[i].acceleration) > 1e-11 * largest) {
      fail_msg("%s: %.15g, not %.15g", list[i].joint, is, list[i].acceleration);
    }
  }
  double *columns = calloc((size_t)ga_mechanism_columns(m), sizeof *columns);
  ga_mechanism_outputs(m, s, columns);
  const double energy = columns[ga_mechanism_column_index(m, "energy.kinetic")];
  if (fabs(energy / kinetic - 1) > 1e-11) fail_msg("kinetic energy %.15g", energy);
  free(columns);
  ga_integrator_free(it);
  ga_file_free(file);
}

/* import with the start values of a list */
static ga_imported *start_text(const char *text, int n, const motion *list,
                               ga_import_options options) {
  ga_import_start start[40];
  for (int i = 0; i < n; i++) {
    start[i] = (ga_import_start){list[i].joint, {list[i].value, true}, {list[i].rate, true}};
  }
  options.start = start;
  options.nstart = n;
  return import_text(text, &options);
}

/* ---- accelerations --------------------------------------------------------------------------- */

/* turned inertias, a chain of welds, axes that are not of length 1, an angle that follows a slide */
static const char crooked[] =
    "<robot name='crooked'>\n"
    "<link name='base'/>\n"
    "<link name='a'><inertial><origin xyz='0.1 -0.2 0.05' rpy='0.3 -0.7 1.1'/><mass value='2'/>\n"
    "<inertia ixx='0.03' ixy='0.004' ixz='-0.003' iyy='0.025' iyz='0.002' izz='0.02'/></inertial>\n"
    "</link>\n"
    "<link name='b'><inertial><origin xyz='0 0.1 0'/><mass value='0.5'/>\n"
    "<inertia ixx='0.002' iyy='0.003' izz='0.004'/></inertial></link>\n"
    "<link name='c'><inertial><origin rpy='0 1 0'/><mass value='0.25'/>\n"
    "<inertia ixx='0.001' ixy='1e-4' iyy='0.0015' izz='0.002'/></inertial></link>\n"
    "<link name='d'><inertial><origin xyz='0.05 0 0.1' rpy='-1 2 0.5'/><mass value='0.8'/>\n"
    "<inertia ixx='0.004' iyy='0.005' izz='0.003'/></inertial></link>\n"
    "<link name='e'><inertial><origin xyz='0 0 0.2'/><mass value='0.3'/>\n"
    "<inertia ixx='0.002' iyy='0.002' izz='0.001'/></inertial></link>\n"
    "<joint name='first' type='revolute'><parent link='base'/><child link='a'/>\n"
    "<origin xyz='0.1 0.2 0.3' rpy='0.2 0.4 -0.6'/><axis xyz='1 2 -2'/><dynamics damping='0.1'/>\n"
    "<limit lower='-1' upper='2' effort='30' velocity='4'/></joint>\n"
    "<joint name='weld' type='fixed'><parent link='a'/><child link='b'/>\n"
    "<origin xyz='0.3 0 0.1' rpy='1 0.5 -0.2'/></joint>\n"
    "<joint name='weld2' type='fixed'><parent link='b'/><child link='c'/>\n"
    "<origin xyz='0 0.2 0' rpy='0 0 0.9'/></joint>\n"
    "<joint name='slide' type='prismatic'><parent link='c'/><child link='d'/>\n"
    "<origin xyz='0.1 0 0' rpy='0 0.3 0'/><axis xyz='0 3 4'/><dynamics damping='2'/></joint>\n"
    "<joint name='follow' type='continuous'><parent link='d'/><child link='e'/>\n"
    "<origin xyz='0 0 0.2'/><mimic joint='slide' multiplier='-2.5' offset='0.4'/></joint>\n"
    "</robot>\n";
static const motion crooked_motion[] = {{"first", 0.7, -1.2, 9.506655308547959},
                                        {"slide", -0.15, 0.6, -2.747621135162215}};
static const double crooked_kinetic = 0.9236207945659738;

static void turned_inertias_and_welds(void **state) {
  (void)state;
  ga_imported *robot = start_text(crooked, 2, crooked_motion, (ga_import_options){0});
  compare(robot, 2, crooked_motion, crooked_kinetic);
  has_line(robot, "    # b, c are part of it\n");
  has_line(robot, "mimic_follow: {sum: {follow.angle: 1, slide.position: 2.5}, equals: 0.4}\n");
  has_line(robot, "damping: 0.1}  # limits: -1 to 2, effort 30, velocity 4\n");
  assert_string_equal(ga_imported_report(robot, 0, NULL),
                      "robot.urdf: 3 bodies, 3 joints, 1 coupler; 2 fixed joints merged; 2 degrees "
                      "of freedom");
  assert_true(reports(robot, "not used: 1 limit (--limits stop)"));
  assert_true(reports(robot, "b, c: part of a"));
  ga_imported_free(robot);
}

/* fixed joints that stay give the same motion */
static void kept_welds(void **state) {
  (void)state;
  ga_imported *robot =
      start_text(crooked, 2, crooked_motion, (ga_import_options){.keep_fixed = true});
  compare(robot, 2, crooked_motion, crooked_kinetic);
  has_line(robot, "  weld2: {type: fixed, between: [b, c], at: {c: [0, 0, 0]}}\n");
  ga_imported_free(robot);
}

/* the robots of models/, with 0.4 sin k and 0.5 cos k of joint k, prismatic ones 0.05 of that */
static void robots_of_models(void **state) {
  (void)state;
  static const motion arm[] = {{"swivel", 0, 0, -0.816015262968836},
                               {"shoulder", 0, 0, 26.8673567023222},
                               {"elbow", 0, 0, -25.5429371429678},
                               {"roll", 0, 0, 4.65316319835488},
                               {"grip", 0, 0, -0.469016347552186}};
  static const motion quadruped[] = {{"ceiling_x", 0, 0, -11.6094021621869},
                                     {"ceiling_y", 0, 0, -8.85054810827137},
                                     {"harness", 0, 0, 15.2427845563585},
                                     {"front_left_abduct", 0, 0, 14.7428777137726},
                                     {"front_left_swing", 0, 0, -2.64411014495006},
                                     {"front_left_knee", 0, 0, 11.0156128278074},
                                     {"front_right_abduct", 0, 0, 6.82852934083358},
                                     {"front_right_swing", 0, 0, -36.0881801523497},
                                     {"front_right_knee", 0, 0, 50.0532664135096},
                                     {"rear_left_abduct", 0, 0, -1.21490762322731},
                                     {"rear_left_swing", 0, 0, -3.09496412526399},
                                     {"rear_left_knee", 0, 0, 24.0466489637284},
                                     {"rear_right_abduct", 0, 0, -3.19582075586492},
                                     {"rear_right_swing", 0, 0, -50.9705359073224},
                                     {"rear_right_knee", 0, 0, 73.3942021711662}};
  static const struct {
    const char *path;
    int n;
    const motion *list;
    double kinetic;
  } robots[] = {{GA_MODELS "/arm.urdf", 5, arm, 0.16049908643777613},
                {GA_MODELS "/quadruped.urdf", 15, quadruped, 0.677487682993076}};
  for (int r = 0; r < 2; r++) {
    ga_import_start start[15];
    ga_imported *robot;
    ga_error err = {0};
    for (int k = 0; k < robots[r].n; k++) {
      const double c = strcmp(robots[r].list[k].joint, "grip") == 0 ? 0.05 : 1;
      start[k] = (ga_import_start){
          robots[r].list[k].joint, {c * 0.4 * sin(k + 1), true}, {c * 0.5 * cos(k + 1), true}};
    }
    const ga_import_options o = {.start = start, .nstart = robots[r].n, .ignore_friction = true};
    must(ga_import(robots[r].path, &o, &robot, &err), &err);
    compare(robot, robots[r].n, robots[r].list, robots[r].kinetic);
    ga_imported_free(robot);
  }
}

/* a floating base in free fall: the centre of mass of all falls with g */
static void floating_base(void **state) {
  (void)state;
  static const char text[] = ROBOT(LINK("trunk") LINK("leg") JOINT(
      "hip", "revolute", "trunk", "leg", "<origin xyz='0.5 0 0'/><axis xyz='0 1 0'/>"));
  const ga_import_options o = {.floating = true};
  ga_imported *robot = import_text(text, &o);
  ga_file *file = mechanism_of(robot);
  const ga_mechanism *m = ga_file_mechanism(file);
  ga_body_info b;
  assert_true(reports(robot, "7 degrees of freedom"));
  assert_true(reports(robot, "base: trunk flies (--base fixed makes it the ground)"));
  assert_true(ga_mechanism_body_at(m, 0, &b));
  assert_string_equal(b.name, "trunk");
  has_line(robot, "output: [hip.angle, trunk.x, trunk.y, trunk.z, energy.total]\n");
  const ga_options own = ga_options_default();
  ga_integrator *it;
  ga_error err = {0};
  must(ga_integrator_new(ga_mechanism_model(m), &own, &it, &err), &err);
  must(ga_integrator_start(it, 0, ga_mechanism_q0(m), ga_mechanism_v0(m)), ga_integrator_error(it));
  assert_true(fabs(ga_integrator_state(it)->vd[2] + 9.81) < 1e-12);
  ga_integrator_free(it);
  ga_file_free(file);
  ga_imported_free(robot);
}

/* Three crosses without mass between links, as two hinges in one place are written: their joints are a rounding
 * error from their centres. Rates are those that are given, and the kinetic energy of point masses, 1 kg at
 * 0.3 m on each link of 0.3 m: the first two hinges turn all, in a line, about z and the others by themselves. */
static void massless_crosses(void **state) {
  (void)state;
#define POINT(name)                                                               \
  "<link name='" name                                                             \
  "'><inertial><origin xyz='0.3 0 0'/><mass value='1'/><inertia ixx='0' iyy='0' " \
  "izz='0'/></inertial></link>"
#define HINGES(i, from, at)                                                                \
  JOINT("a" i, "continuous", from, "c" i, "<origin xyz='" at " 0 0'/><axis xyz='0 1 0'/>") \
  JOINT("b" i, "continuous", "c" i, "l" i, "<axis xyz='0 0 1'/>")
  static const char text[] =
      ROBOT(EMPTY("base") EMPTY("c0") EMPTY("c1") EMPTY("c2") POINT("l0") POINT("l1") POINT("l2")
                HINGES("0", "base", "0") HINGES("1", "l0", "0.3") HINGES("2", "l1", "0.3"));
  static const ga_import_start start[] = {{"b0", {0, true}, {1, true}},
                                          {"b2", {0, true}, {2, true}}};
  const ga_import_options o = {.start = start, .nstart = 2};
  ga_imported *robot = import_text(text, &o);
  ga_file *file = mechanism_of(robot);
  const ga_mechanism *m = ga_file_mechanism(file);
  const ga_state s = {.q = ga_mechanism_q0(m), .v = ga_mechanism_v0(m)};
  const double velocity[] = {0.3, 0.6, 0.9 + 0.3 * 2};
  double kinetic = 0;
  for (int i = 0; i < 3; i++) kinetic += velocity[i] * velocity[i] / 2;
  const double x = ga_mechanism_output(m, &s, ga_mechanism_column_index(m, "l2.vy"));
  assert_true(fabs(x - 0.6) < 1e-12); /* of its origin */
  const double energy = ga_mechanism_output(m, &s, ga_mechanism_column_index(m, "energy.kinetic"));
  if (!(fabs(energy - kinetic) < 1e-12)) fail_msg("%.15g J, not %.15g", energy, kinetic);
  ga_file_free(file);
  ga_imported_free(robot);
}

/* ---- what is written -------------------------------------------------------------------------- */

/* the file of a robot and its model file give the same bits */
static void same_bits(void **state) {
  (void)state;
  ga_file *direct, *parsed;
  ga_imported *robot;
  ga_error err = {0};
  must(ga_import(GA_MODELS "/arm.urdf", NULL, &robot, &err), &err);
  must(ga_file_load(GA_MODELS "/arm.urdf", NULL, &direct, &err), &err);
  assert_string_equal(ga_file_text(direct), ga_imported_model(robot));
  parsed = mechanism_of(robot);
  const ga_file *files[] = {direct, parsed};
  double end[2][60] = {{0}};
  for (int k = 0; k < 2; k++) {
    const ga_mechanism *m = ga_file_mechanism(files[k]);
    const ga_options o = ga_options_default();
    ga_integrator *it;
    must(ga_integrator_new(ga_mechanism_model(m), &o, &it, &err), &err);
    must(ga_integrator_start(it, 0, ga_mechanism_q0(m), ga_mechanism_v0(m)),
         ga_integrator_error(it));
    must(ga_integrator_run(it, 0.05), ga_integrator_error(it));
    memcpy(end[k], ga_integrator_state(it)->q,
           (size_t)ga_space_nq(ga_mechanism_model(m)->space) * sizeof(double));
    ga_integrator_free(it);
  }
  assert_memory_equal(end[0], end[1], sizeof end[0]);
  assert_true(end[0][0] != 0 || end[0][1] != 0 || end[0][2] != 0);
  ga_file_free(direct);
  ga_file_free(parsed);
  ga_imported_free(robot);
}

/* links keep their names, joints step aside, every change is reported with its line */
static void names(void **state) {
  (void)state;
  static const char text[] = ROBOT(
      LINK("base") LINK("a-b") LINK("a_b") LINK("ground") LINK("7up") LINK("a\xc3\xa9z")
          LINK("j_angle") JOINT("a_b", "revolute", "base", "a-b", "") JOINT(
              "j2", "revolute", "base", "a_b", "") JOINT("energy", "revolute", "base", "ground", "")
              JOINT("a/b", "revolute", "base", "7up", "<dynamics damping='1'/>")
                  JOINT("j", "revolute", "base", "a\xc3\xa9z", "<dynamics damping='1'/>")
                      JOINT("x y", "revolute", "base", "j_angle", ""));
  ga_imported *robot = import_text(text, NULL);
  has_line(robot, "\n  a_b:\n");
  has_line(robot, "\n  a_b_2:\n");
  has_line(robot, "\n  ground_:\n");
  has_line(robot, "\n  _7up:\n");
  has_line(robot, "\n  a_z:\n");
  has_line(robot, "\n  a_b_3: {type: revolute, between: [ground, a_b_2]");
  has_line(robot, "\n  energy_: {type: revolute, between: [ground, ground_]");
  has_line(robot, "\n  a_b_4: {type: revolute, between: [ground, _7up]");
  has_line(robot, "\n  j_2: {type: revolute, between: [ground, a_z]"); /* j_angle is a link */
  has_line(robot, "\n  x_y: {type: revolute, between: [ground, j_angle]");
  assert_true(reports(robot, "3:1: robot/link: link 'a-b' is called a_b_2 in the model file"));
  assert_true(reports(robot, "9:1: robot/joint: joint 'a_b' is called a_b_3 in the model file"));
  ga_file_free(mechanism_of(robot));
  ga_imported_free(robot);
}

/* stops and friction, by the options */
static void limits_and_friction(void **state) {
  (void)state;
  static const char text[] = ROBOT(LINK("base") LINK("a") JOINT(
      "j", "revolute", "base", "a",
      "<limit lower='-1' upper='3' effort='20'/><dynamics damping='0.5' friction='0.25'/>"));
  ga_imported *robot = import_text(text, NULL);
  has_line(
      robot,
      "damping: 0.5, friction: {friction: 0.25, speed: 0.01}}  # limits: -1 to 3, effort 20\n");
  assert_true(reports(robot, "not used: 1 limit (--limits stop)"));
  ga_file_free(mechanism_of(robot));
  ga_imported_free(robot);
  const ga_import_options stops = {.stops = true, .ignore_friction = true};
  robot = import_text(text, &stops);
  /* 20 N m press it in by 1 % of 4 rad */
  has_line(robot, "damping: 0.5, limits: {lower: -1, upper: 3, stiffness: 500}}");
  assert_true(reports(robot, "not used: 1 friction"));
  ga_file_free(mechanism_of(robot));
  ga_imported_free(robot);
  const ga_import_options own = {.stops = true, .stop_stiffness = 1e4, .friction_rate = 0.1};
  robot = import_text(text, &own);
  has_line(robot, "stiffness: 10000}}");
  has_line(robot, "friction: {friction: 0.25, speed: 0.1}");
  ga_imported_free(robot);
}

/* a joint that must start beyond half a turn because it follows another one */
static void turns_of_mimics(void **state) {
  (void)state;
  static const char text[] = ROBOT(
      LINK("base") LINK("a") LINK("b") LINK("c") JOINT("j", "continuous", "base", "a", "")
          JOINT("k", "continuous", "base", "b", "<mimic joint='j' multiplier='4' offset='0.5'/>")
              JOINT("l", "continuous", "base", "c", "<mimic joint='k' multiplier='-1'/>"));
  const ga_import_start start = {"j", {2, true}, {1, true}};
  const ga_import_options o = {.start = &start, .nstart = 1};
  ga_imported *robot = import_text(text, &o);
  has_line(robot, "turns: 1}\n"); /* 8.5 - 2 pi = 2.2 */
  has_line(robot, "turns: -1}\n");
  ga_file *file = mechanism_of(robot);
  const ga_mechanism *m = ga_file_mechanism(file);
  for (int i = 0; i < 3; i++) {
    const ga_angle *c = &m->coordinates.item[i];
    const char which = c->name[0];
    const double value = which == 'j' ? 2 : which == 'k' ? 8.5 : -8.5;
    const double rate = which == 'j' ? 1 : which == 'k' ? 4 : -4;
    assert_true(fabs(ga_mechanism_q0(m)[c->q_at] - value) < 1e-12);
    assert_true(fabs(ga_mechanism_v0(m)[c->v_at] - rate) < 1e-12);
  }
  ga_file_free(file);
  ga_imported_free(robot);
}

/* a massless link that follows a heavy one is held, and the other way round */
static void massless_mimics(void **state) {
  (void)state;
  static const char *const texts[] = {
      ROBOT(LINK("base") LINK("a") EMPTY("b") JOINT("j", "continuous", "base", "a", "")
                JOINT("k", "continuous", "base", "b", "<mimic joint='j' multiplier='2'/>")),
      ROBOT(LINK("base") EMPTY("a") LINK("b") JOINT("j", "continuous", "base", "a", "")
                JOINT("k", "continuous", "base", "b", "<mimic joint='j' multiplier='2'/>"))};
  for (int i = 0; i < 2; i++) {
    ga_imported *robot = import_text(texts[i], NULL);
    ga_file *file = mechanism_of(robot);
    const ga_mechanism *m = ga_file_mechanism(file);
    const ga_options o = ga_options_default();
    ga_integrator *it;
    ga_error err = {0};
    must(ga_integrator_new(ga_mechanism_model(m), &o, &it, &err), &err);
    must(ga_integrator_start(it, 0, ga_mechanism_q0(m), ga_mechanism_v0(m)),
         ga_integrator_error(it));
    ga_integrator_free(it);
    ga_file_free(file);
    ga_imported_free(robot);
  }
}

/* shapes with colours and poses, of merged links, too; a mesh is named */
static void looks(void **state) {
  (void)state;
  static const char text[] = ROBOT(
      "<material name='red'><color rgba='1 0 0 1'/></material>"
      "<link name='base'><visual><geometry><box size='1 2 3'/></geometry></visual></link>"
      "<link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"
      "<visual><origin xyz='0 0 1'/><geometry><sphere radius='0.5'/></geometry>"
      "<material name='red'/></visual>"
      "<visual><geometry><mesh filename='package://p/m.stl' scale='0.001 "
      "-1 1'/></geometry></visual></link>"
      "<link name='b'><visual><origin xyz='1 0 0' rpy='0 0 1.5707963267948966'/><geometry>"
      "<cylinder radius='0.1' length='2'/></geometry><material name='own'>"
      "<color rgba='0 0.5 1 0.5'/></material></visual></link>" JOINT("j", "revolute", "base", "a",
                                                                     "")
          JOINT("w", "fixed", "a", "b", "<origin xyz='0 5 0' rpy='0 0 1.5707963267948966'/>"));
  const ga_import_package package = {"p", "/robots/p"};
  const ga_import_options o = {.package = &package, .npackage = 1};
  ga_imported *robot = import_text(text, &o);
  has_line(robot, "ground:\n  look:\n    - {box: [1, 2, 3], position: [0, 0, 0]}\n");
  has_line(robot, "      - {sphere: {radius: 0.5}, position: [0, 0, 1], colour: \"#ff0000\"}\n");
  has_line(robot,
           "      - {mesh: \"/robots/p/m.stl\", scale: [0.001, -1, 1], position: [0, 0, 0]}\n");
  ga_file *file = mechanism_of(robot);
  ga_body_info b;
  assert_true(ga_mechanism_body_at(ga_file_mechanism(file), 0, &b));
  assert_int_equal(b.nmore, 2);
  assert_int_equal(b.more_looks[0].shape, GA_SHAPE_MESH);
  assert_string_equal(b.more_looks[0].mesh, "/robots/p/m.stl");
  assert_true(b.more_looks[0].scale[0] == 0.001 && b.more_looks[0].scale[1] == -1);
  const ga_body_look *l = &b.more_looks[1];
  assert_int_equal(l->colour, 0x0080ff);
  assert_true(fabs(l->position[0]) < 1e-15 && fabs(l->position[1] - 6) < 1e-15);
  assert_true(fabs(fabs(l->orientation[3]) - 1) < 1e-15); /* two quarter turns about z */
  ga_file_free(file);
  ga_imported_free(robot);
}

/* planar and floating joints, drake's world that nobody defines, gravity */
static void other_joints(void **state) {
  (void)state;
  static const char text[] =
      ROBOT(LINK("cart") LINK("ball") JOINT("p", "planar", "world", "cart", "<axis xyz='0 0 1'/>")
                JOINT("f", "floating", "cart", "ball", "<origin xyz='0 0 1'/>"));
  const ga_import_start start = {"p.y", {0.25, true}, {0, false}};
  const ga_import_options o = {.gravity = {{0, true}, {0, true}, {-1, true}},
                               .start = &start,
                               .nstart = 1,
                               .floating = true};
  ga_imported *robot = import_text(text, &o);
  has_line(robot, "gravity: [0, 0, -1]\n");
  has_line(robot, "  p: {type: planar, between: [ground, cart]");
  has_line(robot, "  fix: [ball]\n  coordinates: {p.x: 0, p.y: 0.25, p.angle: 0}\n");
  assert_true(reports(robot, "2 bodies, 1 joint; 9 degrees of freedom"));
  assert_true(reports(robot, "base: world is the ground"));
  ga_file_free(mechanism_of(robot));
  ga_imported_free(robot);
}

/* negative principal moments become zero, if that is asked for */
static void repaired_inertia(void **state) {
  (void)state;
  static const char text[] = ROBOT(EMPTY(
      "base") "<link name='a'><inertial><origin xyz='1 0 0'/>"
              "<mass value='1'/><inertia ixx='1' iyy='1' "
              "izz='1' ixy='1.5'/></inertial></link>" JOINT("j", "revolute", "base", "a", ""));
  const ga_import_options o = {.repair_inertia = true};
  ga_imported *robot = import_text(text, &o);
  assert_true(reports(robot, "the eigenvalue -0.5 of the inertia has become 0"));
  ga_file *file = mechanism_of(robot);
  ga_body_info b;
  assert_true(ga_mechanism_body_at(ga_file_mechanism(file), 0, &b));
  /* 2.5 along (1, 1)/sqrt 2, 0 across, 1 along z */
  const double expected[6] = {1.25, 1.25, 1, 1.25, 0, 0};
  for (int i = 0; i < 6; i++) assert_true(fabs(b.inertia[i] - expected[i]) < 1e-14);
  ga_file_free(file);
  ga_imported_free(robot);
}

int main(void) {
  if (!ga_xml_available()) return 0;
  const struct CMUnitTest tests[] = {cmocka_unit_test(turned_inertias_and_welds),
                                     cmocka_unit_test(kept_welds),
                                     cmocka_unit_test(robots_of_models),
                                     cmocka_unit_test(floating_base),
                                     cmocka_unit_test(massless_crosses),
                                     cmocka_unit_test(same_bits),
                                     cmocka_unit_test(names),
                                     cmocka_unit_test(limits_and_friction),
                                     cmocka_unit_test(turns_of_mimics),
                                     cmocka_unit_test(looks),
                                     cmocka_unit_test(other_joints),
                                     cmocka_unit_test(repaired_inertia),
                                     cmocka_unit_test(massless_mimics)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
