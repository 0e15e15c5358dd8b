// Lines through points of bodies (ropes, beams, cams) as tubes, all in one mesh; points of contact.

const LINE_SIDES = 6, LINE_PIECES = 6, ARC_PIECES = 32;
const LINE_COLOURS = {rope: 0x9c7a4b, beam: 0x3b76c4, cam: 0x8458b3};

// the sheaves of a line by the number of their point: signed radius, axis in the body frame, full turns
function sheavesOf(line) {
  const list = line.points.map(() => null);
  for (const [k, radius, x, y, z, turns] of line.sheaves ?? []) {
    const axis = [x, y, z], l = size(axis) || 1;
    list[k] = {radius, axis: axis.map(v => v / l), turns: Math.min(turns, 20)};
  }
  return list;
}

// how many samples a line has, and of which of its points and how far to the next each one is; over sheaves:
// of which of its points, and how far around it
function lineSamples(line) {
  const n = line.points.length, pieces = line.curved ? LINE_PIECES : 1, list = [];
  if (line.sheaves?.length) {
    sheavesOf(line).forEach((s, k) => {
      const arc = s ? ARC_PIECES * (1 + s.turns) : 0;
      for (let i = 0; i <= arc; i++) list.push([k, arc > 0 ? i / arc : 0]);
    });
    return list;
  }
  for (let k = 0; k < (line.closed ? n : n - 1); k++) {
    for (let i = 0; i < pieces; i++) list.push([k, i / pieces]);
  }
  list.push(line.closed ? [0, 0] : [n - 2, 1]);
  return list;
}

// A point on a curve: the part of the curve that it runs over, fixed on A.
function addCurves(model, data, pose) {
  const step = Math.max(1, Math.floor(data.frames / 400)), p = [0, 0, 0];
  for (const j of model.joints.filter(k => k.type === "point_on_curve").slice(0, 50)) {
    const points = [], a = j.body[0] < 0 ? pose.ground : j.body[0];
    for (let frame = 0; frame < data.frames; frame += step) {
      poseAll(model, data, {frame, part: 0}, pose);
      const d = minus(pointOf(pose, j.body[1], j.at[1], p), [...pose.x.slice(3 * a, 3 * a + 3)]), R = pose.R;
      points.push([j.body[0], ...[0, 1, 2].map(i => R[9 * a + i] * d[0] + R[9 * a + 3 + i] * d[1] + R[9 * a + 6 + i] * d[2])]);
    }
    if (points.length > 1) model.lines.push({name: j.name, type: "cam", radius: 0, closed: false, curved: false, points});
  }
}

function makeLines(model, scale, parent, shadow) {
  if (model.lines.length === 0) return null;
  const lines = model.lines.map((line, index) => ({line, index, samples: lineSamples(line), first: 0,
                                                   radius: line.radius || 0.004 * scale}));
  let count = 0;
  const index = [], faceOwner = [];
  for (const l of lines) {
    l.first = count;
    for (let s = 0; s + 1 < l.samples.length; s++) {
      for (let k = 0; k < LINE_SIDES; k++) {
        const a = count + s * LINE_SIDES + k, b = count + s * LINE_SIDES + (k + 1) % LINE_SIDES;
        index.push(a, b, a + LINE_SIDES, b, b + LINE_SIDES, a + LINE_SIDES);
        faceOwner.push(l.index, l.index);
      }
    }
    count += l.samples.length * LINE_SIDES;
  }
  const geometry = new THREE.BufferGeometry(), colour = new Float32Array(3 * count), c = new THREE.Color();
  for (const l of lines) {
    c.setHex(l.line.colour ?? LINE_COLOURS[l.line.type] ?? 0x7f8ea3);
    for (let i = 0; i < l.samples.length * LINE_SIDES; i++) c.toArray(colour, 3 * (l.first + i));
  }
  for (const name of ["position", "normal"]) {
    geometry.setAttribute(name, new THREE.BufferAttribute(new Float32Array(3 * count), 3).setUsage(THREE.DynamicDrawUsage));
  }
  geometry.setAttribute("color", new THREE.BufferAttribute(colour, 3));
  geometry.setIndex(index);
  const mesh = new THREE.Mesh(geometry, new THREE.MeshStandardMaterial(
    {vertexColors: THREE.VertexColors, roughness: 0.6, metalness: 0.1, side: THREE.DoubleSide}));
  mesh.frustumCulled = false;
  mesh.castShadow = shadow;
  mesh.userData = {lines, colour: colour.slice(), ownerOf: hit => ({kind: "line", index: faceOwner[hit.faceIndex]})};
  parent.add(mesh);
  return mesh;
}

// out <- the point at s (0 .. 1) of the helicoid H_A exp(s d), d = log(H_A^-1 H_B) = (u, w), along which a beam
// element has one strain: x_A + s R_A V(s w) u, u = V(w)^-1 R_A^T (x_B - x_A), where V(w) y = y + a w x y + b w x (w x y),
// a = (1 - cos |w|)/|w|^2, b = (|w| - sin |w|)/|w|^3. R: rotations, from 9 a and 9 b on; A, B: points.
function helicoidPoint(R, a, b, A, B, s, out) {
  const at = (i, j) => R[9 * a + i] * R[9 * b + j] + R[9 * a + 3 + i] * R[9 * b + 3 + j] + R[9 * a + 6 + i] * R[9 * b + 6 + j];
  const e = [at(2, 1) - at(1, 2), at(0, 2) - at(2, 0), at(1, 0) - at(0, 1)]; // 2 sin |w| times its direction
  const sine = size(e) / 2, angle = Math.atan2(sine, (at(0, 0) + at(1, 1) + at(2, 2) - 1) / 2);
  const w = e.map(v => v * (sine > 1e-9 ? angle / (2 * sine) : 0.5)), y = minus(B, A);
  const local = [0, 1, 2].map(i => R[9 * a + i] * y[0] + R[9 * a + 3 + i] * y[1] + R[9 * a + 6 + i] * y[2]);
  const twice = (r, v, f, g) => plus(plus(v, cross(r, v), f), cross(r, cross(r, v)), g);
  const c = angle > 1e-3 ? (1 - angle / 2 / Math.tan(angle / 2)) / (angle * angle) : 1 / 12;
  const u = twice(w, local, -0.5, c), t = s * angle;
  const p = t > 1e-3 ? [(1 - Math.cos(t)) / (t * t), (t - Math.sin(t)) / (t * t * t)] : [0.5, 1 / 6];
  const r = twice(w.map(v => s * v), u, p[0], p[1]);
  for (let i = 0; i < 3; i++) {
    out[i] = A[i] + s * (R[9 * a + 3 * i] * r[0] + R[9 * a + 3 * i + 1] * r[1] + R[9 * a + 3 * i + 2] * r[2]);
  }
  return out;
}

// a point of a line between its points k and k + 1: straight, or as a beam is bent
function linePoint(pose, line, [k, s], out) {
  const p = line.points, a = p[k], b = p[(k + 1) % p.length], A = [0, 0, 0], B = [0, 0, 0];
  pointOf(pose, a[0], a.slice(1), A);
  pointOf(pose, b[0], b.slice(1), B);
  const number = q => q[0] < 0 ? pose.ground : q[0];
  if (line.curved) return helicoidPoint(pose.R, number(a), number(b), A, B, s, out);
  for (let i = 0; i < 3; i++) out[i] = A[i] + s * (B[i] - A[i]);
  return out;
}

// Where a line leaves and reaches its sheaves, as src/mechanism/joint/sheave.c has it: a sheave of the signed radius
// rho is touched at c + rho t x n by a line of the direction t, which is turned from the line of centres by
// -asin(D/s). Returns for each point its centre and, of a sheave, axis, arm where the line comes, and angle.
function laidRope(pose, line) {
  const list = sheavesOf(line).map((s, k) => {
    const [body, ...at] = line.points[k], c = pointOf(pose, body, at, [0, 0, 0]);
    return s ? {...s, c, n: turned(pose, body, s.axis), way: []} : {c};
  });
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  for (let k = 0; k + 1 < list.length; k++) {
    const a = list[k], b = list[k + 1], d = minus(b.c, a.c), s = size(d) || 1;
    const same = a.n && b.n && dot(a.n, b.n) < 0 ? -1 : 1, D = same * (b.radius ?? 0) - (a.radius ?? 0);
    for (const [end, own, side] of [[a, D, 1], [b, same * D, 0]]) {
      if (!end.n) continue;
      const flat = plus(d, end.n, -dot(d, end.n)), l = size(flat) || 1, x = flat.map(v => v / l), y = cross(end.n, x);
      const sine = Math.max(-1, Math.min(1, own / s)), cosine = Math.sqrt(1 - sine * sine);
      end.way[side] = plus(x.map(v => v * cosine), y, -sine);
    }
  }
  list.forEach((p, k) => {
    if (!p.n) return;
    const [comes, goes] = p.way, sense = Math.sign(p.radius);
    if (comes && goes) {
      const angle = sense * Math.atan2(dot(p.n, cross(comes, goes)), dot(comes, goes));
      p.angle = sense * (angle - 2 * Math.PI * Math.ceil((angle - 1.5 * Math.PI) / (2 * Math.PI)) + 2 * Math.PI * p.turns);
    } else {
      p.angle = sense * 2 * Math.PI; // of a drum one turn is drawn
    }
    p.arm = cross(comes ?? goes, p.n).map(v => v * p.radius);
  });
  return list;
}

function ropePoint(p, s) {
  if (!p.n) return p.c;
  const a = s * p.angle, y = cross(p.n, p.arm);
  return plus(plus(p.c, p.arm, Math.cos(a)), y, Math.sin(a));
}

// tubes around the lines; the directions across are carried along each line without twist
function placeLines(mesh, pose) {
  const position = mesh.geometry.getAttribute("position"), normal = mesh.geometry.getAttribute("normal");
  for (const {line, samples, first, radius} of mesh.userData.lines) {
    const laid = line.sheaves?.length ? laidRope(pose, line) : null;
    const points = samples.map(s => laid ? ropePoint(laid[s[0]], s[1]) : linePoint(pose, line, s, [0, 0, 0]));
    let x = null;
    points.forEach((at, n) => {
      const d = minus(points[Math.min(n + 1, points.length - 1)], points[Math.max(n - 1, 0)]), l = size(d);
      const z = l > 0 ? d.map(v => v / l) : [0, 0, 1];
      if (x) x = plus(x, z, -(x[0] * z[0] + x[1] * z[1] + x[2] * z[2]));
      const long = x ? size(x) : 0;
      x = long > 1e-6 ? x.map(v => v / long) : across(z)[0];
      const y = cross(z, x);
      for (let k = 0; k < LINE_SIDES; k++) {
        const a = 2 * Math.PI * k / LINE_SIDES, c = Math.cos(a), s = Math.sin(a), to = first + n * LINE_SIDES + k;
        const e = [0, 1, 2].map(i => c * x[i] + s * y[i]);
        normal.setXYZ(to, ...e);
        position.setXYZ(to, at[0] + radius * e[0], at[1] + radius * e[1], at[2] + radius * e[2]);
      }
    });
  }
  position.needsUpdate = normal.needsUpdate = true;
}

// ---- contacts ----------------------------------------------------------------------------------

const STATE_COLOURS = [0x98a2b3, 0xe07a1f, 0x3a9d5d]; // open, slip, stick

const turned = (pose, body, v) => {
  const b = body < 0 ? pose.ground : body;
  return [0, 1, 2].map(i => pose.R[9 * b + 3 * i] * v[0] + pose.R[9 * b + 3 * i + 1] * v[1] + pose.R[9 * b + 3 * i + 2] * v[2]);
};

// where a contact is, and its normal from A to B (ga_drawable.h)
function contactAt(pose, c) {
  const centre = pointOf(pose, c.body[1], c.at[1], [0, 0, 0]);
  let n = turned(pose, c.body[0], c.normal), l = size(n);
  if (!(l > 0)) {
    const d = minus(centre, pointOf(pose, c.body[0], c.at[0], [0, 0, 0]));
    n = c.inside ? d.map(v => -v) : d;
    l = size(n) || 1;
  }
  n = n.map(v => v / l);
  let e = n;
  if (size(c.axis) > 0) {
    const a = turned(pose, c.body[1], c.axis), dot = n[0] * a[0] + n[1] * a[1] + n[2] * a[2];
    e = plus(n, a, -dot);
    const long = size(e);
    e = long > 1e-9 ? e.map(v => v / long) : n;
  }
  return {at: plus(centre, e, -c.radius[1]), n};
}

// for each contact the columns that say how it is: {contact, state, force: [Fx, Fy, Fz] or n}
function contactSources(model, data) {
  return model.contacts.map((part, index) => {
    const get = name => data.index.get(part.name + "." + name);
    const f = ["Fx", "Fy", "Fz"].map(get);
    return {part, owner: {kind: "contact", index}, state: get("state"), f: f[0] !== undefined ? f.filter(k => k !== undefined) : null, n: get("n")};
  });
}

// 0 open, 1 slip, 2 stick; -1: nothing is known
function contactState(data, where, c) {
  const value = k => data.value(k, where.frame);
  if (c.state !== undefined) return Math.min(2, Math.max(0, Math.round(value(c.state))));
  return c.n === undefined ? -1 : value(c.n) > 0 ? 2 : 0;
}

function placeContacts(mesh, pose, data, where, scale) {
  const attribute = mesh.geometry.getAttribute("color"), colour = new THREE.Color();
  mesh.userData.list.forEach((c, n) => {
    const state = contactState(data, where, c), {at} = contactAt(pose, c.part), r = (state === 0 ? 0.006 : 0.011) * scale;
    const out = mesh.instanceMatrix.array;
    out.fill(0, 16 * n, 16 * n + 16);
    for (let i = 0; i < 3; i++) {
      out[16 * n + 5 * i] = 2 * r;
      out[16 * n + 12 + i] = at[i];
    }
    out[16 * n + 15] = 1;
    colour.setHex(STATE_COLOURS[Math.max(0, state)]).toArray(attribute.array, 3 * n);
  });
  attribute.needsUpdate = true;
  mesh.instanceMatrix.needsUpdate = true;
}
