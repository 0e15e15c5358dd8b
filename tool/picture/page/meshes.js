// Meshes of looks: decoded, with normals that are smooth unless an edge is sharp.

const CREASE = Math.cos(35 * Math.PI / 180);

// model.meshes becomes a list of {position, triangle, low, high}; base64 of floats and of indices
function readMeshes(model, text) {
  const bytes = bytesOf(text);
  let at = bytes.byteOffset;
  model.meshes = model.meshes.map(([vertices, triangles]) => {
    const position = new Float32Array(bytes.buffer, at, 3 * vertices);
    const triangle = new Uint32Array(bytes.buffer, at + 12 * vertices, 3 * triangles);
    at += 12 * (vertices + triangles);
    const low = [0, 0, 0], high = [0, 0, 0];
    for (let i = 0; i < 3; i++) {
      low[i] = Infinity;
      high[i] = -Infinity;
      for (let k = i; k < position.length; k += 3) {
        low[i] = Math.min(low[i], position[k]);
        high[i] = Math.max(high[i], position[k]);
      }
      if (!(low[i] <= high[i])) low[i] = high[i] = 0;
    }
    return {position, triangle, low, high};
  });
}

// normals of the triangles, not normalized: as long as twice their area
function triangleNormals({position: p, triangle: t}) {
  const normal = new Float32Array(t.length);
  for (let k = 0; k < t.length; k += 3) {
    const [a, b, c] = [3 * t[k], 3 * t[k + 1], 3 * t[k + 2]];
    const u = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]];
    const v = [p[c] - p[a], p[c + 1] - p[a + 1], p[c + 2] - p[a + 2]];
    normal.set(cross(u, v), k);
  }
  return normal;
}

// Three vertices for each triangle. The normal of a corner is the mean of those triangles at its vertex
// that are not turned away by more than the crease angle.
function meshGeometry(mesh) {
  const {position: p, triangle: t} = mesh, face = triangleNormals(mesh), n = p.length / 3;
  const start = new Uint32Array(n + 1), around = new Uint32Array(t.length);
  for (const v of t) start[v + 1]++;
  for (let v = 0; v < n; v++) start[v + 1] += start[v];
  const next = start.slice();
  t.forEach((v, k) => { around[next[v]++] = k - k % 3; });
  const length = new Float32Array(t.length / 3);
  for (let k = 0; k < t.length; k += 3) length[k / 3] = Math.hypot(face[k], face[k + 1], face[k + 2]);
  const place = new Float32Array(3 * t.length), normal = new Float32Array(3 * t.length);
  for (let c = 0; c < t.length; c++) {
    const v = t[c], own = c - c % 3, sum = [0, 0, 0];
    for (let i = start[v]; i < start[v + 1] && i < start[v] + 64; i++) {
      const f = around[i], dot = face[f] * face[own] + face[f + 1] * face[own + 1] + face[f + 2] * face[own + 2];
      if (f !== own && dot < CREASE * length[f / 3] * length[own / 3]) continue;
      for (let j = 0; j < 3; j++) sum[j] += face[f + j];
    }
    const l = size(sum);
    for (let j = 0; j < 3; j++) {
      place[3 * c + j] = p[3 * v + j];
      normal[3 * c + j] = l > 0 ? sum[j] / l : face[own + j] / (length[own / 3] || 1);
    }
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(place, 3));
  geometry.setAttribute("normal", new THREE.BufferAttribute(normal, 3));
  return geometry;
}
