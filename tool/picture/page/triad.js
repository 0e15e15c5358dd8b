// The axes of space in a corner of the picture, and a bar that shows a length.

const TRIAD_SIZE = 76; // pixels
const TRIAD_COLOURS = [0xd1495b, 0x3a9d5d, 0x3b76c4];

// the letter of an axis as a small picture that faces the camera
function letter(text, colour) {
  const canvas = document.createElement("canvas"), c = canvas.getContext("2d");
  canvas.width = canvas.height = 64;
  c.font = "bold 46px sans-serif";
  c.textAlign = "center";
  c.textBaseline = "middle";
  c.fillStyle = "#" + new THREE.Color(colour).getHexString();
  c.fillText(text, 32, 32);
  const sprite = new THREE.Sprite(new THREE.SpriteMaterial({map: new THREE.CanvasTexture(canvas), depthTest: false, transparent: true}));
  sprite.scale.set(0.62, 0.62, 1);
  return sprite;
}

function makeTriad() {
  const scene = new THREE.Scene(), camera = new THREE.OrthographicCamera(-1.5, 1.5, 1.5, -1.5, 0.1, 10);
  const arrow = new THREE.InstancedMesh(arrowGeometry(), new THREE.MeshBasicMaterial({vertexColors: THREE.VertexColors}), 3);
  const colour = new Float32Array(9);
  TRIAD_COLOURS.forEach((hex, i) => new THREE.Color(hex).toArray(colour, 3 * i));
  arrow.geometry.setAttribute("color", new THREE.InstancedBufferAttribute(colour, 3));
  arrow.frustumCulled = false;
  AXES.forEach((e, i) => {
    stretchInstance(arrow, i, [0, 0, 0], e, 0.07);
    const name = letter("xyz"[i], TRIAD_COLOURS[i]);
    name.position.fromArray(e).multiplyScalar(1.24);
    scene.add(name);
  });
  scene.add(arrow);
  return {scene, camera};
}

// drawn after the picture, into its lower right corner
function drawTriad(triad, renderer, eye, width) {
  const d = eye.camera.position.clone().sub(eye.controls.target).normalize();
  triad.camera.position.copy(d).multiplyScalar(4);
  triad.camera.up.copy(eye.camera.up);
  triad.camera.lookAt(0, 0, 0);
  const at = Math.max(0, width - TRIAD_SIZE - 6);
  renderer.autoClear = false;
  renderer.clearDepth();
  renderer.setViewport(at, 4, TRIAD_SIZE, TRIAD_SIZE);
  renderer.render(triad.scene, triad.camera);
  renderer.setViewport(0, 0, width, renderer.getSize(new THREE.Vector2()).y);
  renderer.autoClear = true;
}

// a length as a person writes it
function lengthText(x) {
  if (x >= 1000) return shortNumber(x / 1000) + "\u00a0km";
  if (x >= 0.1) return shortNumber(x) + "\u00a0m";
  return x >= 1e-4 ? shortNumber(1000 * x) + "\u00a0mm" : shortNumber(1e6 * x) + "\u00a0µm";
}

// the bar is as long as a length at the target of the camera
function showScale(bar, eye, width, height) {
  const away = eye.camera.position.distanceTo(eye.controls.target);
  const pixels = height / (2 * away * Math.tan(eye.camera.fov * Math.PI / 360)), length = niceStep(Math.min(110, 0.22 * width) / pixels);
  const text = lengthText(length);
  bar.style.width = Math.round(length * pixels) + "px";
  if (bar.textContent !== text) bar.textContent = text;
  bar.dataset.metres = length;
}
