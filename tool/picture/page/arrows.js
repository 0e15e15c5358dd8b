// Arrows of forces: of joints (red), applied ones (blue), of contacts (by their state).

function arrowGeometry() {
  const profile = [[0, 0], [0.5, 0], [0.5, 0.76], [1.3, 0.76], [0, 1]];
  return new THREE.LatheBufferGeometry(profile.map(p => new THREE.Vector2(p[0], p[1])), 12)
    .rotateX(Math.PI / 2);
}

const ARROW_COLOURS = {forces: 0xd1495b, applied: 0x2f7fd6, contacts: 0xe07a1f};

// Joints with columns .fx .fy .fz (force of A on B, joint axes of A) or .tension: the force on B.
function jointSources(model, data) {
  const list = [];
  model.joints.forEach((j, index) => {
    const get = name => data.index.get(j.name + "." + name);
    const f = ["fx", "fy", "fz"].map(get), tension = get("tension"), owner = {kind: "joint", index};
    if (f[0] !== undefined) list.push({j, owner, f: f.filter(c => c !== undefined)});
    else if (tension !== undefined) list.push({j, owner, tension});
  });
  return list;
}

// Springs, whose .force is a tension; bushings, whose force is given as that of joints; forces, which
// are given in space axes.
function appliedSources(model, data) {
  const list = [];
  model.forces.forEach((j, index) => {
    const get = name => data.index.get(j.name + "." + name), owner = {kind: "force", index};
    const f = ["fx", "fy", "fz"].map(get), tension = get("force");
    if (j.type === "force" && f[0] !== undefined) list.push({j, owner, f, space: true});
    else if (f[0] !== undefined && !j.single) list.push({j, owner, f});
    else if (tension !== undefined && !j.single) list.push({j, owner, tension});
  });
  return list;
}

// the columns of a source, and the largest force of all sources in all frames
const columnsOf = s => s.f || [s.tension ?? s.n].filter(c => c !== undefined);

function largestForce(lists, data) {
  const step = Math.max(1, Math.floor(data.frames / 500));
  let largest = 0;
  for (const s of lists.flat()) {
    for (let i = 0; i < data.frames; i += step) {
      const v = columnsOf(s).map(c => data.value(c, i));
      if (v.every(isFinite)) largest = Math.max(largest, Math.hypot(...v));
    }
  }
  return largest;
}

// the force of a source in space axes; its point goes to `from`
function forceOn(data, pose, where, s, from) {
  const j = s.j, values = columnsOf(s).map(c => valueAt(data, c, where));
  if (s.part) {
    const {at, n} = contactAt(pose, s.part);
    at.forEach((v, i) => { from[i] = v; });
    return s.f ? [...values, 0].slice(0, 3) : n.map(v => v * (values[0] ?? 0));
  }
  pointOf(pose, j.body[s.space ? 0 : 1], j.at[s.space ? 0 : 1], from);
  if (s.space) return values;
  if (!s.f) {
    const a = pointOf(pose, j.body[0], j.at[0], [0, 0, 0]), d = minus(a, from), l = size(d) || 1;
    return d.map(v => v / l * values[0]);
  }
  const body = [0, 0, 0], own = [...values, 0, 0], E = j.axes ? j.axes[0] : [1, 0, 0, 0, 1, 0, 0, 0, 1];
  for (let i = 0; i < 3; i++) for (let k = 0; k < 3; k++) body[i] += E[3 * i + k] * own[k];
  return turned(pose, j.body[0], body);
}

// an applied force points at where it acts, a force of a joint away from it
function placeArrows(mesh, view, where, unit) {
  const {data, pose, scale} = view, a = [0, 0, 0];
  mesh.userData.list.forEach((s, n) => {
    const F = forceOn(data, pose, where, s, a);
    const long = F.every(isFinite) && size(F) * unit > 0.004 * scale, from = s.space ? plus(a, F, -unit) : a;
    stretchInstance(mesh, n, long ? from : a, long ? plus(from, F, unit) : a, 0.009 * scale);
  });
  mesh.instanceMatrix.needsUpdate = true;
}
