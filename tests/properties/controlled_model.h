/* SPDX-License-Identifier: MIT */
/* A model file with everything that controllers need. */
#ifndef GA_TESTS_CONTROLLED_MODEL_H
#define GA_TESTS_CONTROLLED_MODEL_H

/* Joint keys, functions of all kinds of signals, tables, continuous and sampled states, an input. */
static const char controlled[] =
    "genalpha: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "parameters: {k: 30}\n"
    "bodies:\n"
    "  arm: {mass: 2, inertia: [0.1, 0.2, 0.3], position: [0.5, 0, 0], velocity: [0, 0, -0.15],\n"
    "    angular_velocity: [0, 0.3, 0], formulation: se3}\n"
    "  cart: {mass: 1, inertia: [1, 1, 1], position: [0, 1, 0], velocity: [0.2, 0, 0]}\n"
    "joints:\n"
    "  pin: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 1, 0], stiffness: "
    "4,\n"
    "    damping: 0.3, inertia: 0.2, friction: {friction: 0.3, static_friction: 0.4, speed: "
    "0.05},\n"
    "    limits: {lower: -1, upper: 0.05, stiffness: 200, damping: 3}}\n"
    "  rail: {type: cylindrical, between: [ground, cart], axis: [1, 0, 0], inertia: {position: "
    "0.5},\n"
    "    friction: {position: {friction: 0.2, speed: 0.02}}, damping: {angle: 0.2, position: "
    "0.4}}\n"
    "inputs: {wind: 3}\n"
    "states:\n"
    "  z: {rate: \"tip.vz - 2*z + arm.body_wy\", start: 0.1}\n"
    "  u: {value: \"k*c_error + 0.5*gap_rate - cart.vx\", every: 4 ms}\n"
    "controllers: {c: {type: pid, target: \"0.2*sin(3*t)\", input: pin.angle, kp: 5, ki: 2, kd: "
    "0.4,"
    " filter: 20 ms}}\n"
    "sensors:\n"
    "  tip: {type: point, body: arm, at: [0.5, 0, 0]}\n"
    "  gap: {type: distance, between: [arm, cart]}\n"
    "  push: {type: expression, value: \"c + u + rope.force*z\"}\n"
    "forces:\n"
    "  motor: {type: torsion, coordinate: pin.angle, law: push}\n"
    "  rope: {type: spring, between: [arm, cart], stiffness: 20, damping: 1,\n"
    "    law: \"table(cart.x, [-1, 0, 0.5, 2], [0, 1, 0.5, 3])*s_dot + wind*arm.z\"}\n"
    "  drag: {type: force, body: cart, value: [\"-0.4*cart.vx*abs(cart.vx) + wind\", 0, 0]}\n"
    "  jet: {type: torque, body: arm, frame: body, value: [0, \"0.1*cart.wx - "
    "arm.body_wy*rail.position\", 0]}\n";

#endif
