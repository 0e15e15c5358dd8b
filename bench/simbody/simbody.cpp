/* SPDX-License-Identifier: MIT */
/* The mechanisms of models/four-bar.yaml, models/slider-crank-3d.yaml, of bench/solvers and of
 * bench/simbody/arm.yaml in Simbody.
 *
 * A body's frame is its frame of the file. A joint is given by its frame in space at the start,
 * where all joint coordinates are zero. Loops are opened where the fewest equations close them:
 *
 *     four-bar       crank, coupler and rocker on hinges; the end of the rocker stays on a line
 *                    through that of the coupler, 2 equations
 *     slider-crank   crank on a hinge, slider in its guide, the rod on it by a universal joint; the
 *                    ball of the crank is closed, 3 equations
 *     stewart        six legs of a universal joint and a slideway; the plate hangs by a ball on the
 *                    first one, the other five balls are closed, 15 equations */
#include "../multibody.h"

#include <SimTKsimbody.h>

#include <cmath>
#include <cstdio>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

using namespace SimTK;

namespace {

struct mechanism {
  MultibodySystem system;
  SimbodyMatterSubsystem matter{system};
  GeneralForceSubsystem forces{system};
  std::vector<MobilizedBody> bodies;
  std::vector<Transform> poses; /* of the bodies at the start */
  State start;
};

const double degree = Pi / 180;

/* A frame in space with the given z axis, or with given x and y axes, which are perpendicular. */
Transform frame_z(const Vec3 &z, const Vec3 &at) {
  return Transform(Rotation(UnitVec3(z), ZAxis), at);
}

Transform frame_xy(const Vec3 &x, const Vec3 &y, const Vec3 &at) {
  return Transform(Rotation(UnitVec3(x), XAxis, y, YAxis), at);
}

/* Number of the ground among the bodies. */
const int ground = -1;

Transform pose_of(const mechanism &s, int body) {
  return body == ground ? Transform() : s.poses[size_t(body)];
}

MobilizedBody &body_of(mechanism &s, int body) {
  return body == ground ? s.matter.updGround() : s.bodies[size_t(body)];
}

/* Appends a body with its mass centre at `pose`, on a joint of type Joint to `parent`. */
template <class Joint>
void add(mechanism &s, int parent, const Transform &joint, const Transform &pose, double mass,
         const Vec3 &inertia) {
  const Body::Rigid body(MassProperties(mass, Vec3(0), Inertia(inertia)));
  const Transform in_parent = ~pose_of(s, parent) * joint, in_body = ~pose * joint;
  s.bodies.push_back(Joint(body_of(s, parent), in_parent, body, in_body));
  s.poses.push_back(pose);
}

/* Closes a ball at a point in space. */
void close_ball(mechanism &s, int a, int b, const Vec3 &at) {
  Constraint::Ball(body_of(s, a), ~pose_of(s, a) * at, body_of(s, b), ~pose_of(s, b) * at);
}

/* The state at the start, all joint coordinates and rates zero. */
void finish(mechanism &s) {
  s.start = s.system.realizeTopology();
  s.system.realizeModel(s.start);
}

void gravity(mechanism &s, const Vec3 &g) {
  Force::Gravity(s.forces, s.matter, g);
}

void four_bar(mechanism &s) {
  const double a = 0.4, b = 1.0, c = 0.8, d = 1.0, phi = 50 * degree, rho = 2;
  const double bx = a * std::cos(phi), by = a * std::sin(phi), f = std::hypot(d - bx, by);
  const double del = std::atan2(-by, d - bx);
  const double be = std::acos((b * b + f * f - c * c) / (2 * b * f));
  const double cx = bx + b * std::cos(del + be), cy = by + b * std::sin(del + be);
  const Vec3 A(0), B(bx, by, 0), C(cx, cy, 0), D(d, 0, 0), z(0, 0, 1);
  gravity(s, Vec3(0, -9.81, 0));
  const struct {
    Vec3 from, to;
    double length;
    int parent;
  } bars[] = {{A, B, a, ground}, {B, C, b, 0}, {D, C, c, ground}};
  for (const auto &bar : bars) {
    const double mass = rho * bar.length, J = mass * bar.length * bar.length / 12;
    const Transform pose(Rotation(UnitVec3(bar.to - bar.from), XAxis, z, ZAxis),
                         (bar.from + bar.to) / 2);
    add<MobilizedBody::Pin>(s, bar.parent, frame_z(z, bar.from), pose, mass, Vec3(J, J, J));
  }
  Constraint::PointOnLine(s.bodies[1], ~pose_of(s, 1).R() * UnitVec3(z), ~pose_of(s, 1) * C,
                          s.bodies[2], ~pose_of(s, 2) * C);
  Force::MobilityLinearSpring(s.forces, s.bodies[2], MobilizerQIndex(0), 5, 0.2);
  Force::MobilityLinearDamper(s.forces, s.bodies[2], MobilizerUIndex(0), 0.3);
  finish(s);
}

void slider_crank(mechanism &s) {
  const double r = 0.08, l = 0.3, yA = 0.1, zA = 0.12, w0 = 6, h = zA + r;
  const double xs = std::sqrt(l * l - yA * yA - h * h), hh = std::hypot(xs, yA);
  const double vs = yA * w0 * r / xs;
  const Vec3 pin(0, yA, h);
  const double k = h * (w0 * r * xs + vs * yA) / (l * hh * l * hh);
  const Vec3 rod_rate(h * w0 * r / (l * l) - k * xs, -h * vs / (l * l) + k * yA,
                      (xs * w0 * r + yA * vs) / (l * l) + k * h);
  gravity(s, Vec3(0, 0, -9.81));
  add<MobilizedBody::Pin>(s, ground, frame_z(Vec3(1, 0, 0), Vec3(0, yA, zA)),
                          Transform(Vec3(0, yA, zA + r / 2)), 0.12, Vec3(1e-4, 1e-5, 1e-4));
  add<MobilizedBody::Slider>(s, ground, Transform(), Transform(Vec3(xs, 0, 0)), 2, Vec3(1e-4));
  const Rotation R(UnitVec3(Vec3(xs, -yA, -h)), XAxis, Vec3(yA, xs, 0), YAxis);
  add<MobilizedBody::Universal>(s, 1, frame_xy(Vec3(0, 0, 1), Vec3(yA, xs, 0), Vec3(xs, 0, 0)),
                                Transform(R, Vec3(xs, yA, h) / 2), 0.5, Vec3(4e-4, 0.004, 0.004));
  close_ball(s, 0, 2, pin);
  Force::MobilityLinearDamper(s.forces, s.bodies[0], MobilizerUIndex(0), 0.01);
  finish(s);
  s.bodies[0].setOneU(s.start, 0, w0);
  s.bodies[1].setOneU(s.start, 0, vs);
  s.system.realize(s.start, Stage::Position);
  s.bodies[2].setUToFitAngularVelocity(
      s.start, ~frame_xy(Vec3(0, 0, 1), Vec3(yA, xs, 0), Vec3(0)).R() * rod_rate);
  std::swap(s.bodies[1], s.bodies[2]); /* in the order of the file */
}

void stewart(mechanism &s) {
  const double rb = 1, rp = 0.5, H = 0.8, ab = 10 * degree, ap = 50 * degree;
  const double radius = rp, length = 0.05, mass = 20;
  gravity(s, Vec3(0, 0, -9.81));
  Vec3 balls[6];
  for (int i = 1; i <= 6; i++) {
    const double sign = i % 2 ? -1 : 1, at_foot = i * 60 * degree + sign * ab;
    const double at_ball = i * 60 * degree + sign * ap;
    const Vec3 foot(rb * std::cos(at_foot), rb * std::sin(at_foot), 0);
    const Vec3 ball(rp * std::cos(at_ball), rp * std::sin(at_ball), H), leg = ball - foot;
    const Vec3 across(-leg[1], leg[0], 0);
    balls[i - 1] = ball;
    add<MobilizedBody::Universal>(s, ground, frame_xy(across, cross(leg, across), foot),
                                  Transform(foot), 2, Vec3(0.02));
    const int tube = int(s.bodies.size()) - 1;
    const Transform slideway(Rotation(UnitVec3(leg), XAxis), ball);
    add<MobilizedBody::Slider>(s, tube, slideway, Transform(ball), 1, Vec3(0.01));
    Force::TwoPointLinearSpring(s.forces, s.bodies[size_t(tube)], Vec3(0),
                                s.bodies[size_t(tube) + 1], Vec3(0), 5e3 * (1 + i / 10.0),
                                leg.norm());
    Force::TwoPointLinearDamper(s.forces, s.bodies[size_t(tube)], Vec3(0),
                                s.bodies[size_t(tube) + 1], Vec3(0), 20);
  }
  const double J = mass * (3 * radius * radius + length * length) / 12;
  add<MobilizedBody::Ball>(s, 1, Transform(balls[0]), Transform(Vec3(0, 0, H)), mass,
                           Vec3(J, J, mass * radius * radius / 2));
  for (int i = 1; i < 6; i++) close_ball(s, 2 * i + 1, 12, balls[i]);
  finish(s);
}

/* Chains of n bodies along x, l apart, link i on a joint at (i - 1) l. */
void balls(mechanism &s) {
  const double l = 0.5;
  const int n = 10;
  gravity(s, Vec3(0, 0, -9.81));
  for (int i = 1; i <= n; i++) {
    add<MobilizedBody::Ball>(s, i - 2, Transform(Vec3((i - 1) * l, 0, 0)),
                             Transform(Vec3((i - 0.5) * l, 0, 0)), 1, Vec3(0.01, 0.03, 0.03));
  }
  finish(s);
  s.bodies[0].setOneU(s.start, 2, 1 / (n * l));
}

void hinges(mechanism &s) {
  const double l = 0.5;
  gravity(s, Vec3(0, 0, -9.81));
  for (int i = 1; i <= 10; i++) {
    add<MobilizedBody::Pin>(s, i - 2,
                            frame_z(Vec3(0, std::cos(i), std::sin(i)), Vec3((i - 1) * l, 0, 0)),
                            Transform(Vec3((i - 0.5) * l, 0, 0)), 1, Vec3(0.01, 0.03, 0.03));
  }
  finish(s);
}

void arm(mechanism &s) {
  const double l = 0.3;
  gravity(s, Vec3(0, 0, -9.81));
  for (int i = 1; i <= 7; i++) {
    const Vec3 axis = i % 2 ? Vec3(0, 1, 0) : Vec3(1, 0, 0);
    add<MobilizedBody::Pin>(s, i - 2, frame_z(axis, Vec3((i - 1) * l, 0, 0)),
                            Transform(Vec3((i - 0.5) * l, i % 2 ? -0.05 : 0.05, 0.02)), 5.0 / i,
                            Vec3(0.02, 0.05, 0.04) / i);
  }
  finish(s);
}

const struct {
  const char *name;
  void (*build)(mechanism &s);
} mechanisms[] = {{"four-bar", four_bar}, {"slider-crank", slider_crank},
                  {"stewart", stewart},   {"balls", balls},
                  {"hinges", hinges},     {"arm", arm}};

void put(const Vec3 &from, double *to) {
  for (int k = 0; k < 3; k++) to[k] = from[k];
}

double cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

const char *version() {
  static char text[32];
  int major, minor, build;
  SimTK_version_simbody(&major, &minor, &build);
  std::snprintf(text, sizeof text, "%d.%d.%d", major, minor, build);
  return text;
}

void *make(const char *name) try {
  for (const auto &m : mechanisms) {
    if (std::string(m.name) != name) continue;
    std::unique_ptr<mechanism> s(new mechanism);
    m.build(*s);
    return s.release();
  }
  return nullptr;
} catch (const std::exception &e) {
  std::fprintf(stderr, "bench: Simbody, %s: %s\n", name, e.what());
  return nullptr;
}

void discard(void *of) {
  delete static_cast<mechanism *>(of);
}

int bodies(const void *of) {
  return int(static_cast<const mechanism *>(of)->bodies.size());
}

int start(void *of, double *x, double *a) try {
  mechanism *s = static_cast<mechanism *>(of);
  State state = s->start;
  s->system.realize(state, Stage::Acceleration);
  for (const MobilizedBody &body : s->bodies) {
    put(body.getBodyOriginLocation(state), x);
    put(body.getBodyOriginAcceleration(state), a);
    x += 3, a += 3;
  }
  return 0;
} catch (const std::exception &e) {
  std::fprintf(stderr, "bench: Simbody: %s\n", e.what());
  return 1;
}

int run(void *of, double accuracy, double t_end, int n, double *x, double *seconds) try {
  mechanism *s = static_cast<mechanism *>(of);
  *seconds = -cpu_seconds();
  RungeKuttaMersonIntegrator integrator(s->system);
  integrator.setAccuracy(accuracy);
  TimeStepper stepper(s->system, integrator);
  stepper.initialize(s->start);
  for (int i = 1; i <= n; i++) {
    stepper.stepTo(t_end * i / n);
    for (const MobilizedBody &body : s->bodies) {
      put(body.getBodyOriginLocation(stepper.getState()), x);
      x += 3;
    }
  }
  *seconds += cpu_seconds();
  return 0;
} catch (const std::exception &e) {
  std::fprintf(stderr, "bench: Simbody, accuracy %g: %s\n", accuracy, e.what());
  return 1;
}

}  // namespace

const bench_multibody bench_simbody = {
    "Simbody", version, make, discard, bodies, start, run, 0.94868329805051, 0.31622776601684, 21};
