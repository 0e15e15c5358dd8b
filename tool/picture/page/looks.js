// What is drawn for bodies and joints: boxes, cylinders (along z) and spheres of size 1, and meshes, each
// with a place in the frame of a body. Bodies without a shape show what joins them.

const PALETTE = [0x3b76c4, 0xe07a1f, 0x3a9d5d, 0x8458b3, 0xd1495b, 0x1f9e9e, 0xb58a1b, 0x8a5a3b];
const GROUND_COLOUR = 0x6b7480, JOINT_COLOUR = 0xd9a520, AXIS_COLOUR = 0xd1495b;

const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const plus = (a, b, s) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
const size = a => Math.hypot(a[0], a[1], a[2]);
const cross = (a, b) =>
  [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const column = (E, k) => [E[k], E[k + 3], E[k + 6]];

// two directions perpendicular to z and to each other
function across(z) {
  const least = [0, 1, 2].reduce((k, i) => Math.abs(z[i]) < Math.abs(z[k]) ? i : k, 0);
  const e = [0, 0, 0];
  e[least] = 1;
  const x = cross(e, z), n = size(x);
  const unit = x.map(v => v / n);
  return [unit, cross(z, unit)];
}

// a primitive with edges along three directions; owner names the part that a pick finds
function primitive(shape, body, at, axes, edges, colour, owner) {
  const m = new Float64Array(12);
  for (let k = 0; k < 3; k++) {
    for (let i = 0; i < 3; i++) m[3 * i + k] = axes[k][i] * edges[k];
    m[9 + k] = at[k];
  }
  return {shape, body, m, colour, owner};
}

const AXES = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];

function along(shape, body, from, to, radius, colour, owner) {
  const d = minus(to, from), l = size(d) || 1e-9, z = d.map(v => v / l), [x, y] = across(z);
  return primitive(shape, body, plus(from, d, 0.5), [x, y, z], [2 * radius, 2 * radius, l], colour, owner);
}

const ball = (body, at, radius, colour, owner) =>
  primitive("sphere", body, at, AXES, [2 * radius, 2 * radius, 2 * radius], colour, owner);

// the box of a mesh in the frame of the body: centre and half of its diagonal
function meshBox(model, l) {
  const {low, high} = model.meshes[l.mesh], axes = l.axes ? [0, 1, 2].map(k => column(l.axes, k)) : AXES;
  const half = low.map((v, i) => (high[i] - v) / 2 * Math.abs(l.scale[i]));
  const c = low.map((v, i) => (v + high[i]) / 2 * l.scale[i]);
  return {centre: axes.reduce((p, e, k) => plus(p, e, c[k]), l.at), reach: size(half)};
}

// looks of meshes get the box of their mesh; a mesh that could not be read is not drawn as one
function measureLooks(model) {
  for (const l of [...model.ground, ...model.bodies.flatMap(b => b.looks || [])]) {
    if (l.shape !== "mesh") continue;
    Object.assign(l, l.mesh >= 0 ? meshBox(model, l) : {centre: l.at, reach: 0});
  }
}

// how far a look reaches from its centre, and where that is
const centreOf = l => l.centre || l.at;
const reachOf = l => l.shape === "mesh" ? l.reach : l.shape === "box" ? size(l.box) / 2 : l.shape === "sphere" ? l.radius : Math.hypot(l.radius, l.length / 2);

// the shape of a look, where it is in the frame of its body
function lookPrimitives(body, l, colour, owner, scale) {
  const axes = l.axes ? [0, 1, 2].map(k => column(l.axes, k)) : AXES;
  if (l.shape === "mesh" && l.mesh < 0) return [primitive("box", body, l.at, axes, [0.03 * scale, 0.03 * scale, 0.03 * scale], colour, owner)];
  if (l.shape === "mesh") return [{...primitive("mesh" + l.mesh, body, l.at, axes, l.scale, colour, owner), mesh: l.mesh}];
  if (l.shape === "box") return [primitive("box", body, l.at, axes, l.box, colour, owner)];
  if (l.shape === "sphere") return [ball(body, l.at, l.radius, colour, owner)];
  const d = 2 * Math.max(l.radius, 0.008 * scale), [x, y, z] = axes;
  if (l.shape === "rod") return [primitive("cylinder", body, l.at, [y, z, x], [d, d, l.length], colour, owner)];
  // a bar across both ends, so that one sees it turn
  return [primitive("cylinder", body, l.at, axes, [d, d, l.length], colour, owner),
          primitive("box", body, l.at, axes, [1.7 * l.radius, 0.16 * l.radius, 1.02 * l.length], 0xf2f2f2, owner)];
}

// the looks, and thin rods to joints that none of them reaches
function shapesOf(body, b, {points}, colour, owner, scale) {
  const away = (p, l) => size(minus(p, centreOf(l))) - 1.05 * reachOf(l);
  const list = points.filter(p => b.looks.every(l => away(p, l) > 0)).map(p => {
    const near = b.looks.reduce((l, m) => away(p, m) < away(p, l) ? m : l);
    return along("cylinder", body, centreOf(near), p, 0.008 * scale, near.colour ?? colour, owner);
  });
  return [...b.looks.flatMap(l => lookPrimitives(body, l, l.colour ?? colour, owner, scale)), ...list];
}

// The solid that has the body's inertia, neither tiny nor huge in the picture: a sphere if all
// moments are equal, a cylinder if two are, else a box.
function inertiaSolid(body, b, scale, colour, owner) {
  const limit = (a, most) => Math.min(most * scale, Math.max(0.03 * scale, a || 0));
  const [xx, yy, zz] = b.inertia, m = b.mass, alike = (p, q) => Math.abs(p - q) <= 1e-6 * (p + q);
  if (b.type === "planar") {
    const a = limit(Math.sqrt(6 * zz / m), 0.16);
    return primitive("box", body, b.com, AXES, [a, 0.7 * a, 0.5 * a], colour, owner);
  }
  if (!(m > 0) || (alike(xx, yy) && alike(yy, zz))) {
    return ball(body, b.com, limit(Math.sqrt(2.5 * xx / m), 0.08), colour, owner);
  }
  const axis = alike(xx, yy) ? 2 : alike(yy, zz) ? 0 : alike(zz, xx) ? 1 : -1;
  if (axis >= 0) {
    const J = b.inertia[axis], I = b.inertia[(axis + 1) % 3];
    const r = limit(Math.sqrt(2 * J / m), 0.1), l = limit(Math.sqrt(Math.max(0, 12 * (I - J / 2) / m)), 0.25);
    return along("cylinder", body, plus(b.com, AXES[axis], -l / 2), plus(b.com, AXES[axis], l / 2), r, colour, owner);
  }
  const edge = t => limit(Math.sqrt(Math.max(0, 6 * t / m)), 0.2);
  return primitive("box", body, b.com, AXES, [edge(yy + zz - xx), edge(zz + xx - yy), edge(xx + yy - zz)], colour, owner);
}

const HOLDING = ["fixed", "revolute", "spherical", "universal", "distance"];

// for every body the points where joints hold it, without repetitions, the ends of springs, and the
// joint it rolls by
function attachments(model, scale) {
  const of = model.bodies.map(() => ({points: [], ends: [], rolling: null}));
  const add = (body, s, list) => {
    if (body < 0 || of[body][list].length >= 12) return;
    const known = of[body][list].some(p => size(minus(p, s)) < 1e-3 * scale);
    if (!known) of[body][list].push(s);
  };
  for (const j of model.joints) {
    const rolls = j.type.startsWith("rolling");
    if (rolls && j.body[1] >= 0) of[j.body[1]].rolling = j;
    // where something slides, the point of B is anywhere along the way
    if (!rolls && j.type !== "knife_edge") add(j.body[0], j.at[0], "points");
    if (HOLDING.includes(j.type)) add(j.body[1], j.at[1], "points");
  }
  for (const f of model.forces) {
    if (f.type === "spring") for (const k of [0, 1]) add(f.body[k], f.at[k], "ends");
  }
  return of;
}

// does it have the inertia of a slender rod that reaches as far beyond its centre of mass?
function isSlender(b, half) {
  const J = b.type === "planar" ? [0, b.inertia[2]] : b.inertia.slice(0, 3).sort((p, q) => p - q);
  const most = J[J.length - 1], rod = b.mass * half * half / 3;
  return J[0] < 0.1 * most && most > 0.8 * rod && most < 1.25 * rod;
}

function jointedLook(body, b, {points, ends, rolling}, colour, owner, scale) {
  const thin = 0.016 * scale, list = [];
  if (rolling && rolling.type === "rolling_disk") {
    const z = column(rolling.axes[1], 2), c = rolling.at[1], w = 0.04 * rolling.radius;
    list.push(along("cylinder", body, plus(c, z, -w), plus(c, z, w), rolling.radius, colour, owner));
    const spoke = across(z)[0];
    list.push(along("box", body, plus(c, spoke, -0.9 * rolling.radius),
                    plus(c, spoke, 0.9 * rolling.radius), 1.4 * w, 0xf2f2f2, owner));
    return list;
  }
  if (rolling) list.push(ball(body, rolling.at[1], rolling.radius, colour, owner));
  if (b.type === "point") return [ball(body, [0, 0, 0], 2.2 * thin, colour, owner)];
  const isFar = p => size(minus(p, b.com)) > 0.02 * scale, far = points.filter(isFar);
  if (far.length === 0) {
    if (!rolling) list.push(inertiaSolid(body, b, scale, colour, owner));
    for (const p of ends.filter(isFar)) list.push(along("cylinder", body, b.com, p, 0.4 * thin, colour, owner));
    return list;
  }
  if (far.length === 2 && points.length === 2) {
    // the centre of mass between its two joints: a plain rod
    const d = minus(far[1], far[0]), c = minus(b.com, far[0]), l = size(d);
    const off = size(cross(c, d)) / l, part = (c[0] * d[0] + c[1] * d[1] + c[2] * d[2]) / (l * l);
    if (off < 0.05 * l && part > 0 && part < 1) {
      return [along("cylinder", body, far[0], far[1], thin, colour, owner)];
    }
  }
  if (far.length === 1 && isSlender(b, size(minus(far[0], b.com)))) {
    return [along("cylinder", body, far[0], plus(b.com, minus(b.com, far[0]), 1), thin, colour, owner)];
  }
  for (const p of far) list.push(along("cylinder", body, b.com, p, thin, colour, owner));
  list.push(far.length === 1 ? inertiaSolid(body, b, scale, colour, owner)
                             : ball(body, b.com, 1.5 * thin, colour, owner));
  return list;
}

function bodyPrimitives(model, scale) {
  const list = [], of = attachments(model, scale);
  model.bodies.forEach((b, i) => {
    const owner = {kind: "body", index: i};
    const colour = b.colour ?? PALETTE[i % PALETTE.length];
    if (b.hide) return;
    // meshes that could not be read: as if there were no look
    const shapes = b.looks && b.looks.some(l => l.shape !== "mesh" || l.mesh >= 0);
    list.push(...(shapes ? shapesOf : jointedLook)(i, b, of[i], colour, owner, scale));
  });
  return list;
}

// looks of the ground that are no larger than the mechanism (`near`), or the others; nothing picks them
function groundPrimitives(model, scale, near) {
  return model.ground.filter(l => (2 * reachOf(l) <= scale) === near)
    .flatMap(l => lookPrimitives(-1, l, l.colour ?? GROUND_COLOUR, null, scale));
}

// ---- joints ------------------------------------------------------------------------------------

// Each glyph is a list of [shape, edges along the joint's x, y, z] in units of its size.
const GLYPHS = {
  fixed: [["box", 1.3, 1.3, 1.3]],
  revolute: [["cylinder", 1.5, 1.5, 2.6]],
  prismatic: [["box", 1, 1, 5]],
  cylindrical: [["cylinder", 1.2, 1.2, 5]],
  spherical: [["sphere", 1.9, 1.9, 1.9]],
  universal: [["box", 3.2, 0.8, 0.8], ["box", 0.8, 0.8, 3.2]],
  planar: [["box", 6, 6, 0.3]],
  orientation: [["box", 2, 0.5, 0.5], ["box", 0.5, 2, 0.5], ["box", 0.5, 0.5, 2]],
  parallel: [["box", 0.6, 0.6, 3], ["sphere", 1.2, 1.2, 1.2]],
  point_on_line: [["sphere", 1.6, 1.6, 1.6], ["cylinder", 0.4, 0.4, 10]],
  point_on_plane: [["sphere", 1.6, 1.6, 1.6], ["box", 6, 6, 0.2]],
  point_on_curve: [["sphere", 1.6, 1.6, 1.6]],
  distance: [["sphere", 1.2, 1.2, 1.2]],
  span: [],
  rolling_disk: [],
  rolling_sphere: [],
  knife_edge: [["box", 0.3, 1.2, 4]],
};

function jointPrimitives(model, scale) {
  const list = [], unit = 0.02 * scale;
  model.joints.forEach((j, index) => {
    const owner = {kind: "joint", index};
    const colour = j.body[0] < 0 || j.body[1] < 0 ? GROUND_COLOUR : JOINT_COLOUR;
    const side = j.type === "knife_edge" || j.type.startsWith("point_on") ? 1 : 0;
    const sides = j.type === "distance" ? [0, 1] : [side];
    for (const k of sides) {
      const axes = [0, 1, 2].map(i => column(j.axes[k], i));
      for (const [shape, ...edges] of GLYPHS[j.type] || GLYPHS.fixed) {
        list.push(primitive(shape, j.body[k], j.at[k], axes, edges.map(e => e * unit), colour, owner));
      }
    }
  });
  return list;
}

// the axis z of every joint that has one, as a thin line through its point
function axisPrimitives(model, scale) {
  const none = ["spherical", "fixed", "orientation", "distance", "span", "point_on_curve", "rolling_sphere"];
  const list = [];
  model.joints.forEach((j, index) => {
    if (none.includes(j.type)) return;
    const k = j.type === "rolling_disk" ? 1 : 0, z = column(j.axes[k], 2), l = 0.11 * scale;
    list.push(along("cylinder", j.body[k], plus(j.at[k], z, -l), plus(j.at[k], z, l), 0.0028 * scale,
                    AXIS_COLOUR, {kind: "joint", index}));
  });
  return list;
}

// the longest distance between points of bodies and joints at the start
function modelScale(model, pose) {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity], p = [0, 0, 0];
  const add = (body, s, r) => {
    pointOf(pose, body, s, p);
    for (let i = 0; i < 3; i++) {
      low[i] = Math.min(low[i], p[i] - r);
      high[i] = Math.max(high[i], p[i] + r);
    }
  };
  model.bodies.forEach((b, i) => {
    if (!b.looks) add(i, b.com, 0);
    for (const l of b.looks || []) {
      add(i, centreOf(l), l.shape === "mesh" ? l.reach / Math.sqrt(3) : l.shape === "box" ? Math.max(...l.box) / 2 : Math.max(l.radius, l.length / 2));
    }
  });
  for (const j of model.joints) {
    add(j.body[0], j.at[0], 0);
    add(j.body[1], j.at[1], j.radius);
  }
  for (const line of model.lines) for (const [body, ...at] of line.points) add(body, at, line.radius);
  for (const c of model.contacts) add(c.body[1], c.at[1], c.radius[1]);
  const l = size(minus(high, low));
  return l > 0 && isFinite(l) ? l : 1;
}
