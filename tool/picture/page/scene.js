// The picture: instances of few shapes, so that the number of draw calls does not depend on the
// number of bodies. Scene coordinates are those of space minus model.origin.

function instanceSet(shape, list, material, detail, meshes) {
  const round = detail ? 10 : 28, own = list[0].mesh === undefined ? null : meshes[list[0].mesh];
  const geometry =
    own ? meshGeometry(own)
    : shape === "box" ? new THREE.BoxBufferGeometry(1, 1, 1)
    : shape === "sphere" ? new THREE.SphereBufferGeometry(0.5, round, Math.ceil(round * 0.6))
    : new THREE.CylinderBufferGeometry(0.5, 0.5, 1, round).rotateX(Math.PI / 2);
  const mesh = new THREE.InstancedMesh(geometry, material, list.length);
  const colour = new Float32Array(3 * list.length), c = new THREE.Color();
  list.forEach((p, i) => c.setHex(p.colour).toArray(colour, 3 * i));
  geometry.setAttribute("color", new THREE.InstancedBufferAttribute(colour, 3));
  mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
  mesh.frustumCulled = false;
  mesh.userData = {list, colour: colour.slice(), low: own ? own.low : [-0.5, -0.5, -0.5], high: own ? own.high : [0.5, 0.5, 0.5]};
  return mesh;
}

// one set for each shape, and for each file of a mesh
function instanceSets(list, parent, shadow, many, meshes) {
  const sets = [], groups = new Map();
  for (const p of list) {
    if (!groups.has(p.shape)) groups.set(p.shape, []);
    groups.get(p.shape).push(p);
  }
  for (const [shape, own] of groups) {
    const look = {vertexColors: THREE.VertexColors, side: own[0].mesh === undefined ? THREE.FrontSide : THREE.DoubleSide};
    // many bodies without shadows, as drawn by the processor: light per vertex halves the time of a frame
    const material = many && !shadow.cast ? new THREE.MeshLambertMaterial(look)
                                          : new THREE.MeshStandardMaterial({...look, roughness: 0.55, metalness: 0.1});
    const mesh = instanceSet(shape, own, material, many, meshes);
    mesh.castShadow = shadow.cast;
    mesh.receiveShadow = shadow.receive;
    parent.add(mesh);
    if (shadow.batch) batchOf(mesh);
    sets.push(mesh);
  }
  return sets;
}

// matrix of an instance = frame of its body times its place in it
function placeInstances(mesh, pose) {
  const out = mesh.instanceMatrix.array, list = mesh.userData.list, R = pose.R, x = pose.x;
  for (let n = 0; n < list.length; n++) {
    const {body, m} = list[n], b = body < 0 ? pose.ground : body, o = 16 * n;
    for (let i = 0; i < 3; i++) {
      const r = 9 * b + 3 * i, r0 = R[r], r1 = R[r + 1], r2 = R[r + 2];
      out[o + i] = r0 * m[0] + r1 * m[3] + r2 * m[6];
      out[o + 4 + i] = r0 * m[1] + r1 * m[4] + r2 * m[7];
      out[o + 8 + i] = r0 * m[2] + r1 * m[5] + r2 * m[8];
      out[o + 12 + i] = r0 * m[9] + r1 * m[10] + r2 * m[11] + x[3 * b + i];
    }
    out[o + 15] = 1;
  }
  mesh.instanceMatrix.needsUpdate = true;
  if (mesh.userData.changed) mesh.userData.changed();
}

// an instance that reaches from a point to another: z of its geometry goes from 0 to 1
function stretchInstance(mesh, n, from, to, radius) {
  const out = mesh.instanceMatrix.array, o = 16 * n, d = minus(to, from), l = size(d);
  out.fill(0, o, o + 16);
  out[o + 15] = 1;
  for (let i = 0; i < 3; i++) out[o + 12 + i] = from[i];
  if (!(l > 0)) return;
  const [x, y] = across(d.map(v => v / l));
  for (let i = 0; i < 3; i++) {
    out[o + i] = x[i] * radius;
    out[o + 4 + i] = y[i] * radius;
    out[o + 8 + i] = d[i];
  }
}

function stretchSet(geometry, list, colour, parent, shadow) {
  if (list.length === 0) return null;
  const material = new THREE.MeshStandardMaterial({color: colour, roughness: 0.5, metalness: 0.2, side: THREE.DoubleSide});
  const mesh = new THREE.InstancedMesh(geometry, material, list.length);
  mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
  mesh.frustumCulled = false;
  mesh.castShadow = shadow;
  mesh.userData = {list};
  parent.add(mesh);
  return mesh;
}

// A wire wound around z, from 0 to 1, straight at both ends. It is made as long as a spring of the
// model usually is (in radii) and then squeezed, so that the wire is round when it is drawn.
function coilGeometry(long, many) {
  const turns = Math.round(Math.min(24, Math.max(5, long / 1.7))), points = [new THREE.Vector3(0, 0, 0)];
  for (let i = 0; i <= 12 * turns; i++) {
    const s = i / (12 * turns), a = 2 * Math.PI * turns * s, r = Math.min(1, 20 * s, 20 * (1 - s));
    points.push(new THREE.Vector3(r * Math.cos(a), r * Math.sin(a), long * (0.06 + 0.88 * s)));
  }
  points.push(new THREE.Vector3(0, 0, long));
  const curve = new THREE.CatmullRomCurve3(points, false, "catmullrom", 0.5);
  const wire = Math.min(0.16, 0.22 * long / turns);
  const tube = new THREE.TubeBufferGeometry(curve, (many ? 8 : 14) * turns, wire, many ? 4 : 7);
  const normal = tube.getAttribute("normal").clone();
  // instances multiply normals by their matrix, which stretches z again
  for (let i = 0; i < normal.count; i++) normal.setZ(i, normal.getZ(i) / long);
  return tube.scale(1, 1, 1 / long).setAttribute("normal", normal);
}

const SPRING_RADIUS = 0.02;

function lengthOf(part, pose) {
  const a = pointOf(pose, part.body[0], part.at[0], [0, 0, 0]);
  return size(minus(a, pointOf(pose, part.body[1], part.at[1], [0, 0, 0])));
}

function usualLength(springs, pose) {
  const lengths = springs.map(({part}) => lengthOf(part, pose)).sort((a, b) => a - b);
  return lengths[lengths.length >> 1] || 1;
}

// ---- the scene ---------------------------------------------------------------------------------

// which way is up: against gravity, y for planar models, else z; as the number of an axis
function upAxis(model) {
  const g = model.gravity, most = [0, 1, 2].reduce((k, i) => Math.abs(g[i]) > Math.abs(g[k]) ? i : k, 0);
  if (size(g) > 0) return {axis: most, sign: g[most] > 0 ? -1 : 1};
  return {axis: model.bodies.every(b => b.type === "planar") ? 1 : 2, sign: 1};
}

// Around everything that is seen: a box, and in many directions the farthest point, from which a view is
// fitted more tightly than from the corners of the box.
const DIRECTIONS = [];
for (let i = 0; i < 80; i++) {
  const z = 1 - 2 * (i + 0.5) / 80, r = Math.sqrt(1 - z * z), a = i * Math.PI * (3 - Math.sqrt(5));
  DIRECTIONS.push([r * Math.cos(a), r * Math.sin(a), z]);
}

function newExtent() {
  return {box: new THREE.Box3(), most: new Float64Array(DIRECTIONS.length).fill(-Infinity), far: DIRECTIONS.map(() => null)};
}

function addPoint(extent, x, y, z) {
  if (!isFinite(x + y + z)) return;
  const {min, max} = extent.box;
  min.set(Math.min(min.x, x), Math.min(min.y, y), Math.min(min.z, z));
  max.set(Math.max(max.x, x), Math.max(max.y, y), Math.max(max.z, z));
  for (let k = 0; k < DIRECTIONS.length; k++) {
    const d = DIRECTIONS[k], s = d[0] * x + d[1] * y + d[2] * z;
    if (s <= extent.most[k]) continue;
    extent.most[k] = s;
    extent.far[k] = [x, y, z];
  }
}

// the corners of the instances of a mesh; of spheres as far as they reach
function addInstances(extent, mesh) {
  const a = mesh.instanceMatrix.array, {low, high, list} = mesh.userData;
  for (let o = 0; o < a.length; o += 16) {
    const round = list[o / 16].shape === "sphere" ? Math.hypot(a[o], a[o + 1], a[o + 2]) / 2 : 0;
    for (let c = 0; c < 8; c++) {
      const x = c & 1 ? high[0] : low[0], y = c & 2 ? high[1] : low[1], z = c & 4 ? high[2] : low[2];
      const v = i => round ? a[o + 12 + i] + (c >> 1 === i ? (c & 1 ? round : -round) : 0)
                           : a[o + i] * x + a[o + 4 + i] * y + a[o + 8 + i] * z + a[o + 12 + i];
      addPoint(extent, v(0), v(1), v(2));
    }
  }
}

// what the bodies' instances sweep, from some of the frames
function sweptExtent(model, data, sets, pose) {
  const extent = newExtent(), n = Math.min(data.frames, model.bodies.length > 300 ? 8 : 40);
  for (let k = 0; k < n; k++) {
    const frame = n > 1 ? Math.round(k * (data.frames - 1) / (n - 1)) : 0;
    poseAll(model, data, {frame, part: 0}, pose);
    for (const mesh of sets) {
      placeInstances(mesh, pose);
      addInstances(extent, mesh);
    }
    addParts(extent, model, pose);
  }
  if (extent.box.isEmpty()) for (const s of [-1, 1]) addPoint(extent, s, s, s);
  return extent;
}

// points of joints, springs, lines and contacts
function addParts(extent, model, pose) {
  const p = [0, 0, 0];
  for (const part of [...model.joints, ...model.forces.filter(f => !f.single)].slice(0, 2000)) {
    for (const side of [0, 1]) addPoint(extent, ...pointOf(pose, part.body[side], part.at[side], p));
  }
  for (const line of model.lines) for (const [body, ...at] of line.points) addPoint(extent, ...pointOf(pose, body, at, p));
}

// The box of the start if the motion leads far away from it, else all that is swept: what a person
// wants to see first.
function startBox(model, sets, pose, swept) {
  const extent = newExtent(), box = extent.box;
  for (const mesh of sets) {
    placeInstances(mesh, pose);
    addInstances(extent, mesh);
  }
  addParts(extent, model, pose);
  if (box.isEmpty()) return swept;
  const far = swept.getSize(new THREE.Vector3()).length() > 4 * box.getSize(new THREE.Vector3()).length();
  return far ? box.expandByScalar(0.4 * box.getSize(new THREE.Vector3()).length()) : swept;
}

function niceStep(x) {
  const p = Math.pow(10, Math.floor(Math.log10(x)));
  return p * (x / p >= 5 ? 5 : x / p >= 2 ? 2 : 1);
}

// lines in the plane y = 0, in short pieces: some drivers lose lines that pass behind the camera
function gridLines(s, count) {
  const points = [], h = s / 2, step = s / count;
  for (let i = 0; i <= count; i++) {
    for (let k = 0; k < count; k++) {
      const across = i * step - h, from = k * step - h;
      points.push(across, 0, from, across, 0, from + step, from, 0, across, from + step, 0, across);
    }
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(points), 3));
  return new THREE.LineSegments(geometry, new THREE.LineBasicMaterial());
}

// grid and shadow catcher below the mechanism; planar ones have it behind them
function groundOf(box, first, up, planar, model, shadow) {
  const normal = planar ? 2 : up.axis, sign = planar ? 1 : up.sign;
  const extent = box.getSize(new THREE.Vector3()).toArray(), centre = box.getCenter(new THREE.Vector3()).toArray();
  const wide = Math.max(...extent.filter((_, i) => i !== normal), 0.3 * Math.max(...extent));
  const near = first === box ? wide : first.getSize(new THREE.Vector3()).length();
  const step = niceStep(near / 6), count = 2 * Math.min(100, Math.ceil(0.95 * wide / step)), s = count * step;
  const at = centre.map((c, i) => Math.round((c + model.origin[i]) / step) * step - model.origin[i]);
  const low = sign > 0 ? box.min.toArray()[normal] : box.max.toArray()[normal];
  at[normal] = low - sign * 0.004 * wide;
  const floor = model.joints.find(j => j.type.startsWith("rolling") && j.body[0] < 0);
  if (floor && !planar) at[normal] = floor.at[0][normal] - model.origin[normal] - sign * 1e-3 * wide;
  const group = new THREE.Group();
  const grid = gridLines(s, count);
  const plane = new THREE.Mesh(new THREE.PlaneBufferGeometry(1.5 * wide, 1.5 * wide),
                               new THREE.ShadowMaterial({opacity: 0.22}));
  plane.rotation.x = -Math.PI / 2;
  plane.position.y = -1e-3 * wide;
  plane.receiveShadow = true;
  plane.visible = shadow;
  group.add(grid, plane);
  const n = new THREE.Vector3(0, 0, 0).setComponent(normal, sign);
  group.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), n);
  group.position.fromArray(at);
  return {group, grid, plane};
}

function lights(scene, box, up, planar, shadow) {
  const r = 0.75 * box.getSize(new THREE.Vector3()).length(), c = box.getCenter(new THREE.Vector3());
  const from = new THREE.Vector3(0.55, -0.45, 0.5).setComponent(up.axis, 1.5 * up.sign);
  if (planar) from.set(-0.5, 0.9, 1.6);
  const sun = new THREE.DirectionalLight(0xffffff, 0.75);
  sun.position.copy(c).addScaledVector(from.normalize(), 3 * r);
  sun.target.position.copy(c);
  sun.castShadow = shadow;
  sun.shadow.mapSize.set(1024, 1024);
  const eye = sun.shadow.camera;
  eye.left = eye.bottom = -1.6 * r;
  eye.right = eye.top = 1.6 * r;
  eye.near = 0.5 * r;
  eye.far = 7 * r;
  sun.shadow.radius = 2.5;
  sun.shadow.bias = -0.0008;
  const sky = new THREE.HemisphereLight(0xffffff, 0x8a8f98, 0.55);
  sky.position.set(0, 0, 0).setComponent(up.axis, up.sign);
  scene.add(sun, sun.target, sky);
}

// A spring with a law that pushes or pulls at some times only acts as a contact: no coil, but a thin rod
// while its force acts.
function actsAsContact(part, data) {
  const c = part.law ? data.index.get(part.name + ".force") : undefined;
  if (c === undefined) return false;
  for (let i = 0; i < data.frames; i++) if (data.value(c, i) === 0) return true;
  return false;
}

// Joints that should hold their points together but do not (a model as it is described), and the longest
// parts that are stretched between two points.
function stretchedParts(model, data, pose, scale) {
  const all = (list, kind) => list.map((part, index) => ({part, owner: {kind, index}}));
  const near = ({part}) => lengthOf(part, pose) < 5 * scale;
  const springs = all(model.forces, "force").filter(s => ["spring", "bushing"].includes(s.part.type) && near(s));
  const joints = all(model.joints, "joint");
  return {
    springs: springs.filter(s => !actsAsContact(s.part, data)),
    laws: springs.filter(s => actsAsContact(s.part, data)),
    rods: joints.filter(s => s.part.type === "distance"),
    gaps: joints.filter(s => HOLDING.includes(s.part.type) && s.part.type !== "distance" && lengthOf(s.part, pose) > 1e-4 * scale),
  };
}

// Contacts are at the surfaces of bodies, and their forces point into them: they are drawn over all.
function overAll(mesh) {
  if (!mesh) return mesh;
  mesh.material.depthTest = false;
  mesh.material.transparent = true; // after everything that is not
  if (!mesh.material.vertexColors) mesh.material.emissive.copy(mesh.material.color).multiplyScalar(0.5);
  mesh.renderOrder = 10;
  return mesh;
}

function contactSet(sources, parent) {
  if (sources.length === 0) return null;
  const list = sources.map(s => ({...s, shape: "sphere", colour: STATE_COLOURS[0]}));
  return instanceSets(list, parent, {cast: false, receive: false}, true, [])[0];
}

function makeScene(model, data, shadow) {
  const pose = newPose(model), many = model.bodies.length > 300;
  addCurves(model, data, pose);
  poseAll(model, data, {frame: 0, part: 0}, pose);
  const scale = modelScale(model, pose), scene = new THREE.Scene(), plain = {cast: false, receive: false, batch: shadow.batch};
  const groups = {};
  for (const name of ["bodies", "joints", "axes", "springs", "lines", "forces", "applied", "contacts", "trails", "ground"]) {
    scene.add(groups[name] = new THREE.Group());
  }
  const parts = stretchedParts(model, data, pose, scale);
  const coil = coilGeometry(usualLength(parts.springs, pose) / (SPRING_RADIUS * scale), parts.springs.length > 50);
  const shapes = [...bodyPrimitives(model, scale), ...groundPrimitives(model, scale, true)];
  const bodies = instanceSets(shapes, groups.bodies, shadow, many, model.meshes);
  const vast = instanceSets(groundPrimitives(model, scale, false), groups.bodies, shadow, many, model.meshes);
  const extent = sweptExtent(model, data, bodies, pose), box = extent.box, planar = model.bodies.every(b => b.type === "planar");
  const moving = [...bodies, ...vast, ...instanceSets(jointPrimitives(model, scale), groups.joints, plain, many, []),
                  ...instanceSets(axisPrimitives(model, scale), groups.axes, plain, true, [])];
  const touching = contactSources(model, data), list = jointSources(model, data), applied = appliedSources(model, data);
  const rod = new THREE.CylinderBufferGeometry(1, 1, 1, 10).rotateX(Math.PI / 2).translate(0, 0, 0.5), arrow = arrowGeometry();
  const view = {
    model, data, pose, scene, groups, box, scale, moving, extent, up: upAxis(model), planar,
    sources: {list, largest: largestForce([list, applied, touching], data)},
    springs: stretchSet(coil, parts.springs, 0x7f8ea3, groups.springs, shadow.cast),
    laws: stretchSet(rod, parts.laws, 0xd9a520, groups.springs, false),
    rods: stretchSet(rod, parts.rods, 0x9aa3ad, groups.joints, shadow.cast),
    lines: makeLines(model, scale, groups.lines, shadow.cast),
    contacts: overAll(contactSet(touching, groups.contacts)),
    arrows: stretchSet(arrow, list, ARROW_COLOURS.forces, groups.forces, false),
    appliedArrows: stretchSet(arrow, applied, ARROW_COLOURS.applied, groups.applied, false),
    contactArrows: overAll(stretchSet(arrow, touching, ARROW_COLOURS.contacts, groups.contacts, false)),
    arrowLength: 0.3, trails: new Map(),
    gaps: stretchSet(rod, parts.gaps, 0xe02030, groups.bodies, false),
  };
  poseAll(model, data, {frame: 0, part: 0}, pose);
  view.first = startBox(model, bodies, pose, box);
  view.ground = groundOf(box, view.first, view.up, planar, model, shadow.cast);
  groups.ground.add(view.ground.group);
  lights(scene, box, view.up, planar, shadow.cast);
  return view;
}

const STRETCHED = {springs: SPRING_RADIUS, rods: 0.006, gaps: 0.004, laws: 0.006};

function placeAll(view, where) {
  const {model, data, pose, scale} = view, a = [0, 0, 0], b = [0, 0, 0];
  poseAll(model, data, where, pose);
  for (const mesh of view.moving) if (mesh.parent.visible) placeInstances(mesh, pose);
  for (const name in STRETCHED) {
    const mesh = view[name];
    if (!mesh) continue;
    mesh.userData.list.forEach(({part}, n) => {
      pointOf(pose, part.body[0], part.at[0], a);
      pointOf(pose, part.body[1], part.at[1], b);
      const acts = name !== "laws" || valueAt(data, data.index.get(part.name + ".force"), where) !== 0;
      stretchInstance(mesh, n, a, acts ? b : a, STRETCHED[name] * scale);
    });
    mesh.instanceMatrix.needsUpdate = true;
  }
  if (view.lines && view.groups.lines.visible) placeLines(view.lines, pose);
  if (view.contacts && view.groups.contacts.visible) placeContacts(view.contacts, pose, data, where, scale);
  const unit = view.sources.largest > 0 ? view.arrowLength * scale / view.sources.largest : 0;
  for (const mesh of [view.arrows, view.appliedArrows, view.contactArrows]) {
    if (mesh && mesh.parent.visible) placeArrows(mesh, view, where, unit);
  }
  for (const trail of view.trails.values()) trail.line.geometry.setDrawRange(0, where.frame + 1);
}

// ---- trails ------------------------------------------------------------------------------------

function addTrail(view, name, body, s, colour) {
  const {model, data, pose} = view, points = new Float32Array(3 * data.frames), p = [0, 0, 0];
  for (let frame = 0; frame < data.frames; frame++) {
    if (body >= 0) poseBody(model, data, {frame, part: 0}, body, pose);
    points.set(pointOf(pose, body, s, p), 3 * frame);
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(points, 3));
  const line = new THREE.Line(geometry, new THREE.LineBasicMaterial({color: colour}));
  line.frustumCulled = false;
  view.groups.trails.add(line);
  view.trails.set(name, {line, body});
}

function removeTrail(view, name) {
  const trail = view.trails.get(name);
  view.groups.trails.remove(trail.line);
  trail.line.geometry.dispose();
  view.trails.delete(name);
}
