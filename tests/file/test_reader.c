/* SPDX-License-Identifier: MIT */
/* Malformed model files: each is refused with a sentence, its line and its column. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>

#include "support.h"

#define BODY "  b: {mass: 1, inertia: [1, 1, 1]}\n"
#define TWO BODY "  c: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
#define HINGE "joints:\n  j: {type: revolute, between: [ground, b], axis: [0, 0, 1]}\n"

/* All but the first lines; line and column count from the text given here, after the head. */
typedef struct {
  const char *text;
  int line, column;
  const char *message;
} bad_file;

/* after "genalpha: 1\nbodies:\n", with the body b (first list) or b and c (second) where needed */
static const bad_file list[] = {
    /* not YAML, not a model */
    {"", 1, 1, "the file is empty"},
    {"# nothing but a comment\n", 1, 1, "the file is empty"},
    {"genalpha: 1\nbodies:\n  b: {mass: 1}\n\tjoints: {}\n", 4, 1,
     "a tab, @ or ` cannot stand here; indent by blanks"},
    {"genalpha: [1\n", 2, 1, "this is not YAML: did not find expected ',' or ']'"},
    {"genalpha: 1\n\tname: x\n", 2, 1,
     "this is not YAML: found a tab character that violates indentation"},
    {"{genalpha: 1, bodies: {b: {mass: 1}", 2, 1, "this is not YAML"},
    {"genalpha: 1\nname: \"open\n", 3, 1, "this is not YAML: found unexpected end of stream"},
    {"genalpha: 1\nname: \x80\x80\n", 1, 1, "this is not YAML: invalid leading UTF-8 octet"},
    {"- a\n- b\n", 1, 1, "a model file is a map {key: value}"},
    {"just words\n", 1, 1, "a model file is a map {key: value}"},
    {"genalpha: 1\nbodies: {b: {mass: 1, kind: point}}\n---\ngenalpha: 1\n", 3, 1,
     "a second document begins here"},
    {"genalpha: 1\nbodies: &x {b: {mass: 1}}\n", 2, 9, "anchors (&) and aliases (*) are not used"},
    {"genalpha: 1\nname: *x\n", 2, 7, "anchors (&) and aliases (*) are not used"},
    {"genalpha: 1\n? [a, b]\n: c\n", 2, 3, "a key must be a plain word"},
    {"genalpha: 1\nname: a\nname: b\n", 3, 1,
     "the key 'name' stands here twice; it was given in line 2"},
    /* the head */
    {"name: x\n", 1, 1, "'genalpha: 1', the version of the format, is missing"},
    {"genalpha: 2\n", 1, 11, "genalpha: only version 1 of the format is known"},
    {"genalpha: 1\nbodys: {}\n", 2, 1, "unknown key 'bodys'; did you mean 'bodies'?"},
    {"genalpha: 1\nxyzzy: {}\n", 2, 1, "unknown key 'xyzzy'"},
    {"genalpha: 1\nname: [a]\n", 2, 7, "a text is expected here"},
    {"genalpha: 1\ngravity: 9.81\n", 2, 10, "gravity: a list of 3 numbers is expected here"},
    {"genalpha: 1\ngravity: [0, 0]\n", 2, 10, "gravity: the list has 2 entries, 3 are expected"},
    {"genalpha: 1\ngravity: [0, 0, g]\n", 2, 17, "gravity: unknown name 'g'"},
    {"genalpha: 1\nformulation: se4\n", 2, 14,
     "formulation: 'se4' is not one of r3so3|se3; did you mean 'se3'?"},
    /* parameters and expressions */
    {"genalpha: 1\nparameters: [1]\n", 2, 13, "parameters: a map {NAME: value} is expected here"},
    {"genalpha: 1\nparameters: {a: b, b: 1}\n", 2, 17,
     "parameters.a: 'b' is a parameter that is defined below"},
    {"genalpha: 1\nparameters: {pi: 3}\n", 2, 14, "parameters.pi: 'pi' cannot be a name"},
    {"genalpha: 1\nparameters: {a: 2*e, e: 1}\n", 2, 17,
     "parameters.a: 'e' is a parameter that is defined below"},
    {"genalpha: 1\nparameters: {t: 1}\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
     "forces: {f: {type: force, body: b, value: [2*t, 0, 0]}}\n",
     4, 44, "'t' is a variable of this function, and a parameter"},
    {"genalpha: 1\nparameters: {s: 1}\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
     "forces: {f: {type: spring, between: [ground, b], at: {ground: [1, 0, 0]}, law: -s}}\n",
     4, 80, "'s' is a variable of this function, and a parameter"},
    {"genalpha: 1\nparameters: {2a: 1}\n", 2, 14, "'2a' cannot be a name"},
    {"genalpha: 1\nparameters: {a: 1 +}\n", 2, 20, "parameters.a: the text ends too early"},
    {"genalpha: 1\nparameters: {a: \"2*(3 + 1\"}\n", 2, 26,
     "a ')' is missing; an expression with a comma inside a list"},
    {"genalpha: 1\nparameters: {a: sinus(1)}\n", 2, 17, "unknown function 'sinus'"},
    {"genalpha: 1\nparameters: {a: 1/0}\n", 2, 17, "'1/0' is infinite"},
    {"genalpha: 1\nparameters: {a: sqrt(-1)}\n", 2, 17, "'sqrt(-1)' has no value"},
    {"genalpha: 1\nparameters: {a: 1e999}\n", 2, 17, "the number is too large"},
    {"genalpha: 1\nparameters: {a: .nan}\n", 2, 17, "a number, a name or '(' is expected"},
    {"genalpha: 1\nparameters: {a: inf}\n", 2, 17, "unknown name 'inf'"},
    {"genalpha: 1\nparameters: {a: }\n", 2, 17, "a number is missing here"},
    {"genalpha: 1\nparameters: {a: [1]}\n", 2, 17, "a number is expected here"},
    {"genalpha: 1\nparameters: {length: 1, b: 2*lenght}\n", 2, 30,
     "unknown name 'lenght'; did you mean 'length'?"},
    /* bodies */
    {"genalpha: 1\nbodies: 3\n", 2, 9, "bodies: a map {NAME: {..}, ..} is expected here"},
    {"genalpha: 1\nbodies: {b: 3}\n", 2, 13, "bodies.b: a map {key: value, ..} is expected here"},
    {"genalpha: 1\nbodies: {b: {}}\n", 2, 13, "bodies.b: the key 'mass' is missing"},
    {"genalpha: 1\nbodies: {b: {mass: -1}}\n", 2, 13, "bodies.b: body 'b': mass -1 is negative"},
    {"genalpha: 1\nbodies: {b: {mas: 1}}\n", 2, 14,
     "bodies.b: unknown key 'mas'; did you mean 'mass'?"},
    {"genalpha: 1\nbodies: {b: {colour: 1}}\n", 2, 14,
     "unknown key 'colour'; known are kind, formulation, mass"},
    {"genalpha: 1\nbodies: {b: {kind: flat}}\n", 2, 20,
     "bodies.b.kind: 'flat' is not one of rigid|planar|point"},
    {"genalpha: 1\nbodies: {b: {mass: 1, inertia: [1, 1]}}\n", 2, 32,
     "bodies.b.inertia: inertia is [xx, yy, zz]"},
    {"genalpha: 1\nbodies: {b: {mass: 1, inertia: [1, 1, -1]}}\n", 2, 13,
     "the inertia is not positive semidefinite"},
    {"genalpha: 1\nbodies: {b: {mass: 1, inertia: [[1, 2, 0], [0, 1, 0], [0, 0, 1]]}}\n", 2, 32,
     "the inertia is not symmetric"},
    {"genalpha: 1\nbodies: {b: {mass: 1, position: [0, 0, 0, 0]}}\n", 2, 33,
     "bodies.b.position: the list has 4 entries, 3 are expected"},
    {"genalpha: 1\nbodies: {b: {kind: planar, mass: 1, position: [0, 0, 0]}}\n", 2, 47,
     "the list has 3 entries, 2 are expected"},
    {"genalpha: 1\nbodies: {b: {kind: planar, mass: 1, orientation: [0]}}\n", 2, 50,
     "a number is expected here"},
    {"genalpha: 1\nbodies: {b: {mass: 1, orientation: [1, 0, 0]}}\n", 2, 36,
     "the list has 3 entries, 4 are expected"},
    {"genalpha: 1\nbodies: {b: {mass: 1, orientation: [1, 1, 0, 0]}}\n", 2, 36,
     "the quaternion has length 1.41421, not 1"},
    {"genalpha: 1\nbodies: {b: {mass: 1, orientation: {axis: [0, 0, 0], angle: 1}}}\n", 2, 43,
     "the axis is zero"},
    {"genalpha: 1\nbodies: {b: {mass: 1, orientation: {axis: [0, 0, 1]}}}\n", 2, 36,
     "needs {axis: [x, y, z], angle: a}"},
    {"genalpha: 1\nbodies: {b: {mass: 1, orientation: {matrix: [[1, 0, 0], [0, 1, 0], [0, 0, "
     "2]]}}}\n",
     2, 45, "the matrix is not a rotation"},
    {"genalpha: 1\nbodies: {b: {mass: 1, orientation: {matrix: [[1, 0, 0], [0, 1, 0], [0, 0, "
     "-1]]}}}\n",
     2, 45, "the matrix is not a rotation"},
    {"genalpha: 1\nbodies: {b: {mass: 1, orientation: {euler: {sequence: zzx, angles: [1, 2, "
     "3]}}}}\n",
     2, 55, "a sequence is three of x, y, z"},
    {"genalpha: 1\nbodies: {b: {mass: 1, orientation: {angles: 3}}}\n", 2, 37,
     "unknown orientation 'angles'"},
    {"genalpha: 1\nbodies: {b: {mass: 1, shape: {bx: [1, 1, 1]}}}\n", 2, 31,
     "bodies.b.shape: unknown shape 'bx'; did you mean 'box'?"},
    {"genalpha: 1\nbodies: {b: {shape: {box: [1, 1, 1]}}}\n", 2, 21,
     "a mass, or a density beside the shape, is missing"},
    {"genalpha: 1\nbodies: {b: {mass: 1, shape: {box: [1, 1, 1], density: 2}}}\n", 2, 30,
     "both a mass and a density are given"},
    {"genalpha: 1\nbodies: {b: {shape: {rod: {length: 1}, density: 2}}}\n", 2, 21,
     "a density needs a radius"},
    {"genalpha: 1\nbodies: {b: {mass: 1, shape: {box: [1, 0, 1]}}}\n", 2, 36,
     "0: a length must be positive"},
    {"genalpha: 1\nbodies: {b: {mass: 1, shape: {sphere: {}}}}\n", 2, 39,
     "the key 'radius' is missing"},
    {"genalpha: 1\nbodies: {bar: {kind: planar, mass: 1, inertia: 1}}\n"
     "joints: {j: {type: revolute, between: [ground, Bar], at: [0, 0]}}\n",
     3, 48, "joints.j: there is no body 'Bar'; did you mean 'bar'?"},
    {"genalpha: 1\nbodies: {b: {mass: 1}, p: {kind: planar, mass: 1, inertia: 1}}\n"
     "joints: {j: {type: revolute, between: [b, p], axis: [0, 0, 1]}}\n",
     3, 39, "joints.j: 'p' is planar and 'b' is not"},
    {"genalpha: 1\nbodies: {b: {mass: 1, in: a}}\n", 2, 27, "bodies.b: there is no body 'a' above"},
    {"genalpha: 1\nbodies: {ground: {mass: 1}}\n", 2, 18, "the name is reserved"},
    {"genalpha: 1\nbodies: {energy: {mass: 1}}\n", 2, 18,
     "'energy': the name is reserved, it means the columns energy.*; choose another"},
    {"genalpha: 1\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
     "sensors: {t: {type: point, body: b}}\n",
     3, 14, "'t': the name is reserved, it means the time in expressions"},
    {"genalpha: 1\nbodies: {b-1: {mass: 1}}\n", 2, 15, "a name has letters, digits and _"},
    {"genalpha: 1\nbodies: {b: {mass: 1, velocity: [0, 0, nan]}}\n", 2, 40, "unknown name 'nan'"},
    {"genalpha: 1\nname: x\n", 0, 0, "the mechanism has no bodies"},
    /* joints */
    {"genalpha: 1\nbodies:\n" BODY "joints: {j: {between: [ground, b]}}\n", 4, 13,
     "joints.j: the key 'type' is missing"},
    {"genalpha: 1\nbodies:\n" BODY "joints: {j: {type: spherical}}\n", 4, 13,
     "joints.j: the key 'between' is missing"},
    {"genalpha: 1\nbodies:\n" BODY "joints: {j: {type: hinge, between: [ground, b]}}\n", 4, 13,
     "there is no type 'hinge' of joints"},
    {"genalpha: 1\nbodies:\n" BODY "joints: {j: {type: spherical, between: [ground]}}\n", 4, 40,
     "joints.j: a list of two bodies [A, B] is expected here"},
    {"genalpha: 1\nbodies:\n" BODY "joints: {j: {type: spherical, between: [ground, bb]}}\n", 4, 49,
     "there is no body 'bb'; did you mean 'b'?"},
    {"genalpha: 1\nbodies:\n" BODY "joints: {j: {type: spherical, between: [b, b]}}\n", 4, 13,
     "both sides are 'b'"},
    {"genalpha: 1\nbodies:\n" BODY "joints: {b: {type: spherical, between: [ground, b]}}\n", 4, 13,
     "the name is used already"},
    {"genalpha: 1\nbodies:\n" BODY "joints: {j: {type: revolute, between: [ground, b]}}\n", 4, 13,
     "type 'revolute' needs axis"},
    {"genalpha: 1\nbodies:\n" BODY
     "joints: {j: {type: revolute, between: [ground, b], axis: [0, 0, 0]}}\n",
     4, 13, "axis is zero"},
    {"genalpha: 1\nbodies:\n" TWO
     "joints: {j: {type: spherical, between: [b, c], at: {d: [0, 0, 0]}}}\n",
     5, 53, "joints.j.at: 'd' is neither 'b' nor 'c'"},
    {"genalpha: 1\nbodies:\n" TWO "joints: {j: {type: spherical, between: [b, c], at: 3}}\n", 5, 52,
     "a list [x, y, z] in space or {BODY: [x, y, z]} is expected"},
    {"genalpha: 1\nbodies:\n" TWO
     "joints: {j: {type: spherical, between: [b, c], at: {b: [0, 0, 0], c: [0, 0, 0]}}}\n",
     0, 0, "joint 'j' (row 1) is open by 1"},
    {"genalpha: 1\nbodies:\n" TWO
     "joints: {j: {type: universal, between: [b, c], axis: [0, 0, 1], x_axis: [1, 0, 1]}}\n",
     5, 13, "axis and x_axis are not perpendicular"},
    {"genalpha: 1\nbodies:\n" BODY
     "joints: {j: {type: prismatic, between: [ground, b], axis: [1, 0, 0], turns: 2}}\n",
     4, 77, "type 'prismatic' has no angle"},
    {"genalpha: 1\nbodies:\n" BODY
     "joints: {j: {type: revolute, between: [ground, b], axis: [1, 0, 0], turns: 1.5}}\n",
     4, 76, "1.5 is not a whole number"},
    {"genalpha: 1\nbodies:\n" BODY
     "  p: {kind: planar, mass: 1}\njoints: {j: {type: distance, between: [b, p]}}\n",
     5, 39, "'p' is planar and 'b' is not"},
    /* drives, couplers, forces, sensors */
    {"genalpha: 1\nbodies:\n" BODY HINGE "drives: {d: {coordinate: j.angle}}\n", 6, 13,
     "needs either a position or a rate"},
    {"genalpha: 1\nbodies:\n" BODY HINGE "drives: {d: {coordinate: j.agle, position: t}}\n", 6, 13,
     "has no coordinate 'agle', but 'angle'"},
    {"genalpha: 1\nbodies:\n" BODY HINGE "drives: {d: {coordinate: j.angle, position: 2*x}}\n", 6,
     47, "drives.d.position: unknown name 'x'"},
    {"genalpha: 1\nbodies:\n" BODY HINGE "couplers: {c: {sum: 3}}\n", 6, 21,
     "a sum {COORDINATE: coefficient, ..} is expected"},
    {"genalpha: 1\nbodies:\n" BODY HINGE "couplers: {c: {sum: {j.angle: 0}}}\n", 6, 15,
     "the coefficient of 'j.angle' is 0"},
    {"genalpha: 1\nbodies:\n" BODY
     "forces: {f: {type: spring, between: [ground, b], law: \"s*v\"}}\n",
     4, 58, "forces.f.law: unknown name 'v'"},
    {"genalpha: 1\nbodies:\n" BODY "forces: {f: {type: torque, body: b, value: [0, 0]}}\n", 4, 44,
     "a list of 3 numbers or functions of t"},
    {"genalpha: 1\nbodies:\n" BODY "forces: {f: {type: torque, body: b, length: 3}}\n", 4, 37,
     "type 'torque' has no length"},
    {"genalpha: 1\nbodies:\n" BODY "forces: {f: {type: sprung}}\n", 4, 13,
     "did you mean 'spring'?"},
    {"genalpha: 1\nbodies:\n" TWO "forces: {f: {type: bushing, between: [b, c], stiffness: 3}}\n",
     5, 57, "a bushing needs 6 numbers or 6 rows of 6"},
    {"genalpha: 1\nbodies:\n" BODY "forces: {f: {type: force, body: b, frame: world}}\n", 4, 43,
     "'world' is not one of space|body"},
    {"genalpha: 1\nbodies:\n" BODY HINGE "limits: {l: {coordinate: j.angle, stiffness: 1}}\n", 6,
     13, "limits.l: a limit needs lower, upper or both"},
    {"genalpha: 1\nbodies:\n" BODY HINGE
     "limits: {l: {coordinate: j.angle, lower: 0, damping: 1}}\n",
     6, 13, "limits.l: damping belongs to a stiffness"},
    {"genalpha: 1\nbodies:\n" BODY HINGE
     "limits: {l: {coordinate: j.angle, lower: 2, upper: 1, stiffness: 1}}\n",
     6, 13, "lower (2) is above upper (1)"},
    {"genalpha: 1\nbodies:\n" BODY HINGE
     "limits: {l: {coordinate: j.angle, lower: 2, stiffness: 0}}\n",
     6, 13, "stiffness must be positive"},
    {"genalpha: 1\nbodies:\n" BODY HINGE
     "limits: {l: {coordinate: j.agle, lower: 2, stiffness: 1}}\n",
     6, 13, "has no coordinate 'agle', but 'angle'"},
    {"genalpha: 1\nbodies:\n" BODY
     "joints: {j: {type: cylindrical, between: [ground, b], axis: [0, 0, 1], damping: 3}}\n",
     4, 81, "joints.j: type 'cylindrical' has several coordinates: write {NAME: ..}"},
    {"genalpha: 1\nbodies:\n" BODY
     "joints: {j: {type: spherical, between: [ground, b], damping: 3}}\n",
     4, 62, "joints.j: type 'spherical' has no coordinate"},
    {"genalpha: 1\nbodies:\n" BODY
     "joints: {j: {type: revolute, between: [ground, b], axis: [0, 0, 1], damping: {agle: 3}}}\n",
     4, 79, "type 'revolute' has no coordinate 'agle'"},
    {"genalpha: 1\nbodies:\n" BODY
     "joints: {j: {type: revolute, between: [ground, b], axis: [0, 0, 1], free: 3}}\n",
     4, 13, "free belongs to a stiffness"},
    {"genalpha: 1\nbodies:\n" BODY "joints: {j: {type: revolute, between: [ground, b], axis: [0, "
     "0, 1], limits: {stiffness: 3}}}\n",
     4, 77, "a limit needs lower, upper or both"},
    {"genalpha: 1\nbodies:\n" BODY "sensors: {s1: {type: point}}\n", 4, 15, "a body is missing"},
    {"genalpha: 1\nbodies:\n" BODY "sensors: {s1: {type: angle, between: [ground, b]}}\n", 4, 15,
     "needs directions on both sides"},
    {"genalpha: 1\nbodies: {b: {mass: 1, position: [atan2(1, 2), 0, 0]}}\n", 2, 33,
     "4 entries, 3 are expected; an expression with a comma inside a list needs quotes"},
    {"genalpha: 1\nbodies:\n" BODY
     "forces: {f: {type: force, body: b, value: [step(t, 0, 0, 1, 1), 0, 0]}}\n",
     4, 43, "needs quotes"},
    {"genalpha: 1\nbodies:\n" BODY HINGE "initial: {rate: {j.angle: 1}}\n", 6, 11,
     "initial: unknown key 'rate'; known are assemble, fix, coordinates, rates"},
    {"genalpha: 1\nbodies:\n" BODY HINGE "initial: {rates: {j.agle: 1}}\n", 6, 19,
     "initial.rates: start: joint 'j' (revolute) has no coordinate 'agle'"},
    {"genalpha: 1\nbodies:\n" BODY HINGE "initial: {rates: {j.angle: 1}}\n", 0, 0,
     "coordinate 'j.angle' (row 1) moves apart with -1"},
    {"genalpha: 1\nbodies:\n" BODY HINGE "initial: {coordinates: {j.angle: 1}}\n", 0, 0,
     "coordinate 'j.angle' (row 1) is open by -1"},
    {"genalpha: 1\nbodies: {r1: {shape: {rod: {length: 1}}, mass: 1}, b: {mass: 1, inertia: [1, 1, "
     "1], position: [0.5, 0, 0]}}\njoints: {a: {type: spherical, between: [ground, r1], at: [-0.5, "
     "0, 0]}, c: {type: spherical, between: [r1, b], at: [0.5, 0, 0]}}\n",
     0, 0, "velocity r1.Omega1 has neither mass nor a joint that holds it"},
    {"genalpha: 1\nparameters: {energy: 1}\n", 2, 14, "'energy' cannot be a name"},
    /* repetition, run, output, events */
    {"genalpha: 1\nrepeat: {index: i}\n", 2, 9,
     "repeat: a list [{index, from, to, bodies, ..}] is expected"},
    {"genalpha: 1\nrepeat: [{index: i, from: 1}]\n", 2, 10,
     "a repetition needs index, from and to"},
    {"genalpha: 1\nrepeat: [{index: i, from: 1, to: 1.5}]\n", 2, 27, "whole numbers are expected"},
    {"genalpha: 1\nrepeat: [{index: i, from: 1, to: 2, body: {}}]\n", 2, 37,
     "unknown key 'body' of a repetition"},
    {"genalpha: 1\nrepeat: [{index: i, from: 1, to: 2, bodies: {b: {mass: 1, kind: point}}}]\n", 2,
     49, "body 'b': the name is used already"},
    {"genalpha: 1\nrepeat: [{index: i, from: 1, to: 2, bodies: {\"b{i\": {mass: 1}}}]\n", 2, 46,
     "a '}' is missing in 'b{i'"},
    {"genalpha: 1\nrepeat: [{index: i, from: 1, to: 2, bodies: {\"b{i/2}\": {mass: 1}}}]\n", 2, 46,
     "{i/2} is 0.5, not a whole number"},
    {"genalpha: 1\nrepeat: [{index: i, from: 1, to: 1e9, bodies: {\"b{i}\": {mass: 1}}}]\n", 2, 10,
     "from 1 to 1e+09 are too many"},
    {"genalpha: 1\nrepeat: [{index: i, from: 1e16, to: 1e16, bodies: {\"b{i}\": {mass: 1}}}]\n", 2,
     10, "from 1e+16 to 1e+16 are too many for whole numbers: the largest is 2^53"},
    {"genalpha: 1\nbodies:\n" BODY "run: [1]\n", 4, 6,
     "run: a map {OPTION: value} is expected here"},
    {"genalpha: 1\nbodies:\n" BODY "run: {hh: 1}\n", 4, 7,
     "run: unknown option 'hh'; did you mean 'h'?"},
    {"genalpha: 1\nbodies:\n" BODY "run: {size: 3}\n", 4, 7, "run: unknown option 'size'"},
    {"genalpha: 1\nbodies:\n" BODY "run: {h: }\n", 4, 10, "a word or a number is expected here"},
    {"genalpha: 1\nbodies:\n" BODY "run: {h: [1, 2]}\n", 4, 10,
     "a word or a number is expected here"},
    {"genalpha: 1\nbodies:\n" BODY "output: b.x\n", 4, 9,
     "output: a list of columns is expected here"},
    {"genalpha: 1\nbodies:\n" BODY "output: [b.x, b.xx]\n", 4, 15,
     "there is no column 'b.xx'; did you mean 'b.x'?"},
    {"genalpha: 1\nbodies:\n" BODY "output: [b.x, b.body_vx]\n", 4, 15,
     "'b.body_vx' is for functions, it is no column; make it one by a sensor"},
    {"genalpha: 1\nbodies:\n" BODY "events: {e1: {when: b.q}}\n", 4, 21,
     "events.e1.when: 'b.q', column 1: unknown name 'b.q'"},
    {"genalpha: 1\nbodies:\n" BODY "events: {e1: {when: b.z, rising: yes}}\n", 4, 34,
     "'yes' is not one of true|false"},
    {"genalpha: 1\nbodies:\n" BODY "events: {e1: {stop: true}}\n", 4, 14,
     "the key 'when' is missing"},
};
enum { NBAD = (int)(sizeof list / sizeof list[0]) };

static void messages(void **state) {
  (void)state;
  int wrong = 0;
  assert_true(NBAD >= 80);
  for (int i = 0; i < NBAD; i++) {
    ga_error err = {0};
    ga_file *file = NULL;
    const ga_status status =
        ga_file_parse("m.yaml", list[i].text, strlen(list[i].text), NULL, &file, &err);
    char place[32];
    snprintf(place, sizeof place, "m.yaml:%d:%d: ", list[i].line, list[i].column);
    const bool placed = list[i].line == 0 || strncmp(err.text, place, strlen(place)) == 0;
    if (status < 0 && placed && strstr(err.text, list[i].message) && !file) continue;
    print_message("%s-> %s\n   expected %d:%d %s\n", list[i].text, err.text, list[i].line,
                  list[i].column, list[i].message);
    wrong++;
    ga_file_free(file);
  }
  assert_int_equal(wrong, 0);
}

/* A key that stands twice is found in a long map, too. */
static void long_maps(void **state) {
  (void)state;
  ga_error err = {0};
  ga_file *file = NULL;
  char text[4000] = "genalpha: 1\nparameters:\n";
  for (int i = 0; i < 150; i++) {
    const size_t at = strlen(text);
    snprintf(text + at, sizeof text - at, "  p%d: 1\n", i == 149 ? 100 : i);
  }
  assert_true(ga_file_parse("m.yaml", text, strlen(text), NULL, &file, &err) < 0);
  assert_non_null(strstr(err.text,
                         "m.yaml:152:3: the key 'p100' stands here twice; it was given "
                         "in line 103"));
}

/* Nothing ends with the machine's memory: depth, entries, aliases, length. */
static void limits(void **state) {
  (void)state;
  ga_error err = {0};
  ga_file *file = NULL;
  enum { DEEP = 100000 };
  char *text = calloc(DEEP + 64, 1);
  strcpy(text, "genalpha: 1\nname: ");
  memset(text + strlen(text), '[', DEEP);
  assert_true(ga_file_parse("m.yaml", text, strlen(text), NULL, &file, &err) < 0);
  assert_non_null(strstr(err.text, "nested too deeply"));
  free(text);

  const char *bomb = "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: [*c, *c]\n";
  assert_true(ga_file_parse("m.yaml", bomb, strlen(bomb), NULL, &file, &err) < 0);
  assert_non_null(strstr(err.text, "m.yaml:1:4: anchors"));

  char path[] = "ga_large_XXXXXX";
  const int fd = mkstemp(path);
  assert_true(fd >= 0);
  FILE *f = fdopen(fd, "w");
  fseek(f, 100000000, SEEK_SET);
  fputc('x', f);
  fclose(f);
  assert_int_equal(ga_file_load(path, NULL, &file, &err), GA_ERR_FILE);
  assert_non_null(strstr(err.text, "has 100000001 bytes, a model file may have"));
  remove(path);
  assert_int_equal(ga_file_load("/", NULL, &file, &err), GA_ERR_IO);
  assert_non_null(strstr(err.text, "is a directory"));
}

/* Files cut off or changed at every place are refused or read, never worse (sanitizers look on). */
static void mutations(void **state) {
  (void)state;
  char path[300];
  snprintf(path, sizeof path, "%s/slider-crank-3d.yaml", GA_MODELS);
  FILE *f = fopen(path, "r");
  assert_non_null(f);
  char text[8192];
  const size_t n = fread(text, 1, sizeof text - 1, f);
  fclose(f);
  uint64_t seed = 7;
  for (int i = 0; i < 1500; i++) {
    char changed[8192];
    memcpy(changed, text, n);
    size_t length = n;
    if (i % 3 == 0) length = (size_t)(0.5 * (next_uniform(&seed) + 1) * (double)n);
    for (int k = 0; k < i % 5; k++) {
      const size_t at = (size_t)(0.5 * (next_uniform(&seed) + 1) * (double)(n - 1));
      changed[at] = "[]{}:,-#'\"&*!|>%@`0e.+ \n\t\x7f"[(int)(12.5 * (next_uniform(&seed) + 1))];
    }
    ga_error err = {0};
    ga_file *file = NULL;
    const ga_status status = ga_file_parse("m.yaml", changed, length, NULL, &file, &err);
    if (status != GA_OK) assert_true(strlen(err.text) > 10 && !file);
    ga_file_free(file);
  }
}

/* Write the malformed files to the directory as 0.yaml, 1.yaml, .., for the test of the schema. */
static int write_files(const char *directory) {
  for (int i = 0; i < NBAD; i++) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%d.yaml", directory, i);
    FILE *to = fopen(path, "w");
    if (!to || fputs(list[i].text, to) < 0 || fclose(to) != 0) return 1;
  }
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 2) return write_files(argv[1]);
  const struct CMUnitTest tests[] = {cmocka_unit_test(messages), cmocka_unit_test(long_maps),
                                     cmocka_unit_test(limits), cmocka_unit_test(mutations)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
