// Many equal shapes in one plain mesh. Renderers of the processor draw the instances of a mesh one after the other,
// each at the price of a draw call (45 ms for 1,000 boxes, whatever the number of pixels): there the copies stand side
// by side in one geometry, and each vertex looks up the matrix and the colour of its copy in textures, which
// share the arrays of the instances.

const BATCH_COPIES = 4096, BATCH_VERTICES = 1 << 21; // rows of a texture; what memory is spent for

// the geometry n times; `part` says which copy a vertex belongs to
function copiesOf(geometry, n) {
  const own = {position: geometry.getAttribute("position"), normal: geometry.getAttribute("normal")};
  const count = own.position.count, all = new THREE.BufferGeometry();
  for (const name in own) {
    const array = new Float32Array(3 * count * n);
    for (let k = 0; k < n; k++) array.set(own[name].array.subarray(0, 3 * count), 3 * count * k);
    all.setAttribute(name, new THREE.BufferAttribute(array, 3));
  }
  const part = new Float32Array(count * n), from = geometry.index ? geometry.index.array : null;
  const length = from ? from.length : count, index = new Uint32Array(length * n);
  for (let k = 0; k < n; k++) {
    part.fill(k, count * k, count * (k + 1));
    for (let i = 0; i < length; i++) index[length * k + i] = (from ? from[i] : i) + count * k;
  }
  all.setAttribute("part", new THREE.BufferAttribute(part, 1));
  all.setIndex(new THREE.BufferAttribute(index, 1));
  return all;
}

// Draws an InstancedMesh as one plain mesh, if it is small enough; picking still asks the instances.
function batchOf(mesh) {
  const n = mesh.userData.list.length, {geometry} = mesh;
  if (n < 8 || n > BATCH_COPIES || n * geometry.getAttribute("position").count > BATCH_VERTICES) return;
  const texture = (array, width, format) => new THREE.DataTexture(array, width, n, format, THREE.FloatType);
  const frames = texture(mesh.instanceMatrix.array, 4, THREE.RGBAFormat);
  const paints = texture(geometry.getAttribute("color").array, 1, THREE.RGBFormat);
  const material = mesh.material.clone();
  material.onBeforeCompile = shader => {
    Object.assign(shader.uniforms, {frames: {value: frames}, paints: {value: paints}, copies: {value: n}});
    const column = k => `texture2D(frames, vec2(${(k + 0.5) / 4}, row))`;
    shader.vertexShader = "attribute float part;\nuniform float copies;\nuniform highp sampler2D frames, paints;\n" + shader.vertexShader
      .replace("#include <color_vertex>", `float row = (part + 0.5) / copies;
        mat4 frame = mat4(${[0, 1, 2, 3].map(column).join(", ")});
        vColor = texture2D(paints, vec2(0.5, row)).rgb;`)
      .replace("#include <beginnormal_vertex>", "vec3 objectNormal = mat3(frame) * normal;")
      .replace("#include <begin_vertex>", "vec3 transformed = (frame * vec4(position, 1.0)).xyz;");
  };
  const all = new THREE.Mesh(copiesOf(geometry, n), material);
  all.frustumCulled = false;
  mesh.add(all);
  mesh.layers.set(1); // the camera does not see it
  mesh.userData.changed = () => { frames.needsUpdate = paints.needsUpdate = true; };
  mesh.userData.changed();
}
