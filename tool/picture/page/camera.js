// Camera, standard views, picking and names over the picture.

function makeEye(view, canvas) {
  const r = Math.max(0.5 * view.box.getSize(new THREE.Vector3()).length(), 1e-9);
  const camera = new THREE.PerspectiveCamera(32, 1, 0.01 * r, 200 * r);
  camera.up.set(0, 0, 0).setComponent(view.up.axis, view.up.sign);
  const controls = new THREE.OrbitControls(camera, canvas);
  controls.enableKeys = false;
  controls.screenSpacePanning = true;
  controls.minDistance = 0.05 * r;
  controls.maxDistance = 60 * r;
  return {view, camera, controls, radius: r};
}

// directions from the target to the camera, as axes of space: up is the view's own
function directionOf(eye, name) {
  const {axis, sign} = eye.view.up, d = new THREE.Vector3();
  const depth = eye.view.planar || axis === 1 ? 2 : axis === 2 ? 1 : 2, towards = depth === 1 ? -1 : 1;
  const across = 3 - axis - depth;
  if (name === "top") return d.setComponent(axis, sign).setComponent(depth, 1e-4 * towards);
  if (name === "side") return d.setComponent(across, 1);
  d.setComponent(depth, towards);
  if (name === "front") return d;
  const planar = eye.view.planar;
  d.setComponent(across, planar ? -0.22 : 0.65).setComponent(axis, sign * (planar ? 0.28 : 0.5));
  return d.normalize();
}

const corners = box => [0, 1, 2, 3, 4, 5, 6, 7].map(k =>
  [k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y, k & 4 ? box.max.z : box.min.z]);

// Points in sight, seen from a direction (null: from where the camera is), as near as they allow. `rim`: of
// the picture's half height and width, what stays free at its edges; `foot`: of the half height, below.
function fitEye(eye, direction, points, rim = 0.06, foot = 0) {
  const {camera, controls} = eye, c = new THREE.Vector3();
  const d = direction ? direction.clone().normalize()
                      : camera.position.clone().sub(controls.target).normalize();
  points.forEach(p => c.add(new THREE.Vector3(...p).divideScalar(points.length)));
  camera.position.copy(c).add(d);
  camera.lookAt(c);
  camera.updateMatrixWorld();
  // the points in the camera's axes, from c; they fit if |x| <= wide (away - z), y <= tall (away - z) and
  // -y <= deep (away - z), x and y counted from the middle m of the picture
  const right = new THREE.Vector3(), above = new THREE.Vector3();
  camera.matrixWorld.extractBasis(right, above, new THREE.Vector3());
  const half = Math.tan(camera.fov * Math.PI / 360), tall = half * (1 - rim), wide = tall * camera.aspect;
  const deep = Math.min(tall, half * (1 - foot));
  const seen = points.map(p => new THREE.Vector3(...p).sub(c)).map(v => [v.dot(right), v.dot(above), v.dot(d)]);
  // x + up z <= up away + m, -x + down z <= down away - m: the smallest sum, and the middle of what m may be
  const reach = (axis, up, down) => {
    const high = Math.max(...seen.map(v => v[axis] + up * v[2])), low = Math.max(...seen.map(v => -v[axis] + down * v[2]));
    return {away: (low + high) / (up + down), middle: away => (high - low - (up - down) * away) / 2};
  };
  const x = reach(0, wide, wide), y = reach(1, tall, deep);
  const away = Math.max(0.02 * eye.radius, x.away, y.away);
  c.addScaledVector(right, x.middle(away)).addScaledVector(above, y.middle(away));
  controls.target.copy(c);
  camera.position.copy(c).addScaledVector(d, away);
  controls.update();
}

// the nearest part under a place of the canvas, in pixels; null: none
function pickAt(eye, x, y, width, height) {
  const ray = new THREE.Raycaster(), view = eye.view;
  ray.setFromCamera(new THREE.Vector2(2 * x / width - 1, 1 - 2 * y / height), eye.camera);
  const meshes = [...view.moving, view.springs, view.laws, view.rods, view.gaps, view.lines, view.contacts]
    .filter(m => m && m.parent.visible);
  if (view.lines) view.lines.geometry.computeBoundingSphere();
  const hits = ray.intersectObjects(meshes);
  if (hits.length === 0) return null;
  const {object} = hits[0];
  return object.userData.ownerOf ? object.userData.ownerOf(hits[0]) : object.userData.list[hits[0].instanceId].owner;
}

function paintOwner(view, owner, hex) {
  const same = o => owner && o && o.kind === owner.kind && o.index === owner.index;
  const paint = new THREE.Color(hex);
  for (const mesh of view.moving) {
    const attribute = mesh.geometry.getAttribute("color"), list = mesh.userData.list;
    attribute.array.set(mesh.userData.colour);
    if (owner) list.forEach((p, i) => { if (same(p.owner)) paint.toArray(attribute.array, 3 * i); });
    attribute.needsUpdate = true;
  }
}

// ---- names over the picture --------------------------------------------------------------------

const LABELS_MAX = 120;

function labelAnchors(view) {
  const {model} = view, list = [];
  model.bodies.forEach((b, i) => list.push({text: b.name, body: i, at: b.com, kind: "body"}));
  model.joints.forEach(j => {
    const side = j.type.startsWith("rolling") ? 1 : 0;
    list.push({text: j.name, body: j.body[side], at: j.at[side], kind: "joint"});
  });
  model.sensors.filter(s => s.type === "point")
    .forEach(s => list.push({text: s.name, body: s.body[0], at: s.at[0], kind: "joint"}));
  return list.slice(0, LABELS_MAX);
}

function makeLabels(view, root) {
  const list = labelAnchors(view);
  for (const l of list) {
    l.span = element("span", {className: l.kind, textContent: l.text});
    root.append(l.span);
    l.width = 0;
  }
  return list;
}

// each at its point, moved down while it would cover one that is there already
function placeLabels(labels, eye, width, height) {
  const v = new THREE.Vector3(), p = [0, 0, 0], taken = [];
  for (const l of labels) {
    l.width = l.width || l.span.offsetWidth;
    v.fromArray(pointOf(eye.view.pose, l.body, l.at, p)).project(eye.camera);
    const x = (v.x + 1) / 2 * width + 8;
    let y = (1 - v.y) / 2 * height - 7;
    const covers = t => Math.abs(t.y - y) < 15 && x < t.x + t.w && t.x < x + l.width;
    for (let n = 0; n < 6 && taken.some(covers); n++) y += 15;
    const seen = v.z < 1 && !taken.some(covers);
    l.span.style.visibility = seen ? "visible" : "hidden";
    l.span.style.transform = `translate(${Math.round(x)}px, ${Math.round(y)}px)`;
    if (seen) taken.push({x, y, w: l.width});
  }
}
