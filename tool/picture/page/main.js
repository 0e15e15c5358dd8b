// The page: time, loop of frames, buttons, keys, and what other scripts may use: window.genalpha.

const $ = id => document.getElementById(id);
const timing = {begin: performance.now()};
const lap = name => { timing[name] = performance.now() - timing.begin; };
const model = JSON.parse($("model").textContent);
lap("model");
const data = readData(model, $("data").textContent);
lap("data");
$("data").remove();
readMeshes(model, $("meshes").textContent);
$("meshes").remove();
measureLooks(model);
const still = data.frames < 2;
const fragment = readFragment();
const shown = {bodies: true, joints: true, axes: still, springs: true, lines: true, contacts: true, forces: false,
               applied: false, trails: true, ground: true, triad: true, names: still && innerWidth > 760};

document.body.classList.toggle("still", still);
document.body.classList.toggle("bare", fragment.bare === "1");
document.body.classList.toggle("modes", model.modes.length > 0);
$("title").textContent = model.title;
$("description").textContent = model.description;
$("messages").hidden = model.messages.length === 0;
$("messages").append(...model.messages.map(text => element("li", {textContent: text})));
$("notes").hidden = model.notes.length === 0;
$("notes").querySelector("ul").append(...model.notes.map(text => element("li", {textContent: text})));
$("notes").addEventListener("toggle", () => dispatchEvent(new Event("resize")));

// ---- light and dark ----------------------------------------------------------------------------

const wish = matchMedia("(prefers-color-scheme: dark)");
let theme = fragment.theme === "dark" || fragment.theme === "light" ? fragment.theme : "";

function setTheme() {
  document.documentElement.dataset.theme = theme || (wish.matches ? "dark" : "light");
  if (view) {
    view.scene.background = new THREE.Color(css("--sky"));
    view.ground.grid.material.color.set(css("--grid"));
  }
  if (plots) plots.restyle();
  touch();
}
wish.addEventListener("change", setTheme);

function toggleTheme() {
  theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  setTheme();
}

// ---- picture -----------------------------------------------------------------------------------

const canvas = $("canvas");
let view = null, eye = null, renderer = null, triad = null, labels = [], plots = null, dirty = true;
let picked = null, follow = -1, ours = 0, drawn = 0, drawCalls = 0;

function touch() {
  dirty = true;
  clearTimeout(touch.timer);
  touch.timer = setTimeout(saveState, 400);
}

// Is WebGL drawn by the processor? Then bodies get no shadows of others, and many bodies none at all,
// and no smooth edges.
function drawnBySoftware() {
  const gl = document.createElement("canvas").getContext("webgl");
  const info = gl && gl.getExtension("WEBGL_debug_renderer_info");
  const name = info ? gl.getParameter(info.UNMASKED_RENDERER_WEBGL) : "";
  if (gl && gl.getExtension("WEBGL_lose_context")) gl.getExtension("WEBGL_lose_context").loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}

function startPicture() {
  const n = model.bodies.length, software = drawnBySoftware(), slow = n > 300 && software;
  try {
    renderer = new THREE.WebGLRenderer({canvas, antialias: !slow});
  } catch (e) {
    $("messages").hidden = false;
    $("messages").append(element("li", {textContent: "This browser has no WebGL: there are plots, but no picture."}));
    return;
  }
  const shadow = n <= 2000 && !slow;
  renderer.shadowMap.enabled = shadow;
  renderer.shadowMap.type = THREE.PCFSoftShadowMap;
  renderer.setPixelRatio(fullRatio);
  lap("renderer");
  view = makeScene(model, data, {cast: shadow, receive: shadow && !software, batch: slow});
  lap("scene");
  eye = makeEye(view, canvas);
  triad = makeTriad();
  labels = makeLabels(view, $("labels"));
  if (view.first !== view.box) follow = heaviest();
  if (follow >= 0) eye.last = new THREE.Vector3().fromArray(view.pose.x, 3 * follow);
  fitPicture();
  eye.controls.addEventListener("change", touch);
  // once a person has chosen a view, a new size of the window leaves it
  eye.controls.addEventListener("start", () => { eye.chosen = true; });
  model.sensors.filter(s => s.type === "point").slice(0, 8)
    .forEach((s, i) => addTrail(view, s.name, s.body[0], s.at[0], PALETTE[i % PALETTE.length]));
}

const heaviest = () => model.bodies.reduce((k, b, i) => b.mass > model.bodies[k].mass ? i : k, 0);

// Playing too slowly? Then with fewer pixels and without shadow, until it pauses.
const fullRatio = Math.min(devicePixelRatio || 1, 2);
const pace = {frames: 0, since: 0};

function setFine(fine) {
  const ratio = fine ? fullRatio : 0.6 * fullRatio;
  if (!view || renderer.getPixelRatio() === ratio) return;
  renderer.setPixelRatio(ratio);
  renderer.shadowMap.autoUpdate = fine;
  view.ground.plane.visible = fine && renderer.shadowMap.enabled;
  dirty = true;
}

function keepPace(now) {
  if (pace.frames++ === 0) pace.since = now;
  if (pace.frames < 5 || (pace.frames < 16 && now - pace.since < 500)) return;
  if (now - pace.since > (pace.frames - 1) * 40) setFine(false);
  pace.frames = 0;
}

// of half the height of the picture, what the buttons of the views cover at its lower edge
const footOf = height => 2 * ($("views").offsetHeight ? $("views").offsetHeight + 14 : 0) / (height || 1);

function fitPicture() {
  const {clientWidth: w, clientHeight: h} = $("stage");
  if (!renderer || w === 0 || h === 0) return;
  renderer.setSize(w, h, false);
  eye.camera.aspect = w / h;
  eye.camera.updateProjectionMatrix();
  if (!eye.chosen) fitEye(eye, directionOf(eye, "home"), pointsInSight("home"), still ? 0.14 : 0.06, footOf(h));
  touch();
}

// what a standard view shows: around the body that is followed, or everything
function pointsInSight(name) {
  if (follow < 0 || name === "fit") return view.extent.far.filter(p => p);
  const box = view.first.clone(), c = box.getCenter(new THREE.Vector3());
  return corners(box.translate(new THREE.Vector3().fromArray(view.pose.x, 3 * follow).sub(c)));
}

function applyShown() {
  for (const name in shown) if (view && view.groups[name]) view.groups[name].visible = shown[name];
  $("labels").hidden = !shown.names;
  $("scale").hidden = !shown.triad;
  touch();
}

function draw() {
  const where = frameAt(data, time), before = performance.now();
  placeAll(view, where);
  if (follow >= 0) {
    const p = new THREE.Vector3().fromArray(view.pose.x, 3 * follow);
    if (eye.last) {
      const moved = p.clone().sub(eye.last);
      eye.camera.position.add(moved);
      eye.controls.target.add(moved);
      eye.camera.lookAt(eye.controls.target);
    }
    eye.last = p;
  }
  ours += performance.now() - before;
  drawn++;
  renderer.render(view.scene, eye.camera);
  const {clientWidth: w, clientHeight: h} = $("stage");
  drawCalls = renderer.info.render.calls;
  if (shown.triad) {
    drawTriad(triad, renderer, eye, w);
    showScale($("scale"), eye, w, h);
  }
  if (shown.names) placeLabels(labels, eye, w, h);
}

// ---- time --------------------------------------------------------------------------------------

// the frames that are played: all, or those of the chosen mode
let begin = data.t[0], end = data.t[data.frames - 1], mode = 0;
const SPEEDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 1000];
let time = begin, playing = false, last = 0, speed = SPEEDS.find(s => (end - begin) / s <= 12) || 1000;
const ICONS = {play: "M3 1 L15 8 L3 15 Z", pause: "M3 1 H7 V15 H3 Z M10 1 H14 V15 H10 Z"};

function showTime() {
  const where = frameAt(data, time);
  $("time").value = time;
  $("clock").textContent = model.modes.length ? "" : time.toFixed(Math.min(6, Math.max(0, 3 - Math.floor(Math.log10(end - begin || 1))))) + " s";
  if (plots) plots.setTime(time, where);
  showPickedValues(where);
}

// A page of `modes`: the frames of one of them, again and again.
function setMode(k) {
  mode = Math.min(model.modes.length - 1, Math.max(0, k));
  ({from: begin, to: end} = model.modes[mode]);
  $("mode").value = mode;
  $("time").min = begin;
  $("time").max = end;
  seek(begin);
}

// ---- marks on the time line: events, impacts ---------------------------------------------------

// times at which the impulse of a contact jumps
function impactMarks() {
  const list = [], names = new Set(model.contacts.map(c => c.name.replace(/\.\d+$/, "")));
  for (const name of names) {
    const c = data.index.get(name + ".impulse");
    for (let i = 1; c !== undefined && i < data.frames; i++) {
      if (data.value(c, i) > data.value(c, i - 1)) list.push({t: data.t[i], name: "impact: " + name, impact: true});
    }
  }
  return list;
}

const MARKS_MAX = 400;

function fillMarks() {
  const all = [...model.marks, ...impactMarks()].filter(m => m.t >= begin && m.t <= end).sort((a, b) => a.t - b.t);
  const step = Math.max(1, Math.ceil(all.length / MARKS_MAX));
  $("marks").replaceChildren(...all.filter((_, i) => i % step === 0).map(m => {
    const b = element("button", {title: `${m.name}, t = ${shortNumber(m.t)} s`, ariaLabel: `go to ${m.name}`});
    b.style.left = 100 * (m.t - begin) / (end - begin || 1) + "%";
    b.classList.toggle("impact", !!m.impact);
    b.onclick = () => { setPlaying(false); seek(m.t); };
    return b;
  }));
}

function seek(t) {
  time = Math.min(end, Math.max(begin, t));
  showTime();
  touch();
}

function setPlaying(on) {
  if (still) return;
  playing = on;
  pace.frames = 0;
  if (!on) setFine(true);
  if (on && time >= end) time = begin;
  last = performance.now();
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  svg.setAttribute("viewBox", "0 0 16 16");
  path.setAttribute("d", on ? ICONS.pause : ICONS.play);
  svg.append(path);
  $("play").replaceChildren(svg);
  $("play").setAttribute("aria-pressed", on);
}

function stepFrame(by) {
  const {frame, part} = frameAt(data, time);
  const to = by > 0 ? frame + by : part > 0 ? frame + by + 1 : frame + by;
  setPlaying(false);
  seek(data.t[Math.min(data.frames - 1, Math.max(0, to))]);
}

function changeSpeed(by) {
  const at = SPEEDS.indexOf(speed) + by;
  speed = SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, at))];
  $("speed").value = speed;
}

function frame(now) {
  requestAnimationFrame(frame);
  if (playing) {
    time += (now - last) / 1000 * speed;
    if (time >= end) {
      if ($("loop").checked && !stopVideo) time = begin + (time - begin) % (end - begin || 1);
      else { time = end; setPlaying(false); finishVideo(); }
    }
    time = Math.max(begin, time);
    dirty = true;
    if (!stopVideo) keepPace(now);
    showTime();
  }
  last = now;
  if (!dirty || !renderer) return;
  dirty = false;
  draw();
}

// ---- picking -----------------------------------------------------------------------------------

const LISTS = {body: "bodies", joint: "joints", force: "forces", line: "lines", contact: "contacts"};
const partOf = owner => model[LISTS[owner.kind]][owner.index];

function select(owner) {
  picked = owner;
  if (view) paintOwner(view, owner, css("--accent"));
  $("picked").hidden = !owner;
  if (owner) fillPicked(owner);
  touch();
}

function fillPicked(owner) {
  const part = partOf(owner), body = owner.kind === "body";
  const close = element("button", {className: "close", textContent: "×", ariaLabel: "close"});
  close.onclick = () => select(null);
  const nameOf = b => b < 0 ? "ground" : model.bodies[b].name;
  const line = body ? `${part.type} body, mass ${shortNumber(part.mass)}`
    : owner.kind === "line" ? part.type
    : part.single ? `${part.type} on ${nameOf(part.body[0])}`
    : `${part.type} between ${nameOf(part.body[0])} and ${nameOf(part.body[1])}`;
  const acts = element("div", {className: "acts"});
  if (body && !still) {
    const f = element("button", {textContent: follow === owner.index ? "Unfollow" : "Follow"});
    f.onclick = () => { setFollow(follow === owner.index ? -1 : owner.index); fillPicked(owner); };
    const trail = element("button", {textContent: view.trails.has(part.name) ? "No trail" : "Trail"});
    trail.onclick = () => { toggleTrail(owner.index); fillPicked(owner); };
    acts.append(f, trail);
  }
  const table = element("table", {});
  const own = model.columns.filter(c => c.name === part.name || c.name.startsWith(part.name + ".") ||
                                        c.name === part.name + "_rate");
  for (const c of own) {
    const add = element("button", {textContent: c.name.slice(part.name.length).replace(/^\./, "") || c.name,
                                   title: "plot " + c.name});
    add.onclick = () => plots && plots.add([c.name]);
    const value = element("td", {});
    value.dataset.column = c.name;
    table.append(element("tr", {}, element("td", {}, still ? add.textContent : add), value));
  }
  $("picked").replaceChildren(close, element("h2", {textContent: part.name}), element("div", {textContent: line}), acts, table);
  showPickedValues(frameAt(data, time));
}

function showPickedValues(where) {
  if (!picked) return;
  for (const td of $("picked").querySelectorAll("td[data-column]")) {
    td.textContent = shortNumber(shownAt(data, data.index.get(td.dataset.column), where));
  }
}

function setFollow(body) {
  follow = body;
  if (eye) eye.last = null;
  touch();
}

function toggleTrail(body) {
  const b = model.bodies[body];
  if (view.trails.has(b.name)) removeTrail(view, b.name);
  else addTrail(view, b.name, body, b.com, b.colour ?? PALETTE[body % PALETTE.length]);
  placeAll(view, frameAt(data, time));
  touch();
}

function pick(x, y) {
  if (!view) return null;
  draw();
  const owner = pickAt(eye, x, y, canvas.clientWidth, canvas.clientHeight);
  select(owner);
  return owner ? partOf(owner).name : null;
}

let down = null;
canvas.addEventListener("pointerdown", e => { down = e.isPrimary ? {x: e.clientX, y: e.clientY} : null; });
canvas.addEventListener("pointerup", e => {
  const near = down && Math.hypot(e.clientX - down.x, e.clientY - down.y) < 5;
  const r = canvas.getBoundingClientRect();
  if (near && e.button === 0) pick(e.clientX - r.left, e.clientY - r.top);
  down = null;
});

// ---- saving ------------------------------------------------------------------------------------

const fileName = ending => (model.title.replace(/[^\p{L}\p{N}._-]+/gu, "-").replace(/^-+|-+$/g, "") || "picture") + ending;
let stopVideo = null;

function savePicture() {
  if (!renderer) return;
  draw();
  canvas.toBlob(blob => download(blob, fileName(".png")), "image/png");
}

function finishVideo() {
  if (!stopVideo) return;
  const stop = stopVideo;
  stopVideo = null;
  setTimeout(stop, 200);
  $("video-button").textContent = "Video";
}

function toggleVideo() {
  if (stopVideo) {
    setPlaying(false);
    finishVideo();
    return;
  }
  if (!renderer || still || !window.MediaRecorder) return;
  seek(begin);
  stopVideo = recorder(canvas, blob => download(blob, fileName(".webm")));
  $("video-button").textContent = "Stop";
  setPlaying(true);
}

// paper is light
addEventListener("beforeprint", () => {
  if (!renderer) return;
  const screen = theme;
  theme = "light";
  setTheme();
  draw();
  $("print-picture").src = canvas.toDataURL("image/png");
  addEventListener("afterprint", () => { theme = screen; setTheme(); }, {once: true});
});

// ---- state in the address ----------------------------------------------------------------------

const short = x => Number(x.toPrecision(6));

function saveState() {
  if (!ready) return;
  const all = Object.keys(shown).filter(n => shown[n]).join(",");
  writeFragment({
    bare: fragment.bare, t: still ? "" : short(time), theme, show: all, speed: still ? "" : speed, loop: $("loop").checked ? 1 : "",
    cam: eye ? [...eye.camera.position.toArray(), ...eye.controls.target.toArray()].map(short).join(",") : "",
    follow: follow >= 0 ? model.bodies[follow].name : "-",
    pick: picked ? partOf(picked).name : "",
    mode: model.modes.length ? mode + 1 : "",
    plots: plots.panels.map(p => p.names.join(",")).join(";"),
    span: plots.span() ? plots.span().map(short).join(",") : "",
  });
}

function loadState() {
  // at first the slowest vibration; a mode that is free does not move in a way worth a look
  const vibrates = Math.max(0, model.modes.findIndex(m => !m.name.includes("no vibration")));
  if (model.modes.length) setMode(Math.round(Number(fragment.mode) || vibrates + 1) - 1);
  const s = fragment, cam = numbersOf(s.cam, 6), span = numbersOf(s.span, 2);
  if (s.show !== undefined) for (const n in shown) shown[n] = s.show.split(",").includes(n);
  const lists = s.plots !== undefined ? s.plots.split(";").map(p => p.split(",")) : firstPanels(model, data);
  for (const names of still || model.modes.length ? [] : lists) if (names.some(n => data.index.has(n))) plots.add(names);
  if (span) plots.setSpan(span);
  if (SPEEDS.includes(Number(s.speed))) speed = Number(s.speed);
  $("loop").checked = s.loop === "1" || model.modes.length > 0;
  if (cam && eye) {
    eye.camera.position.fromArray(cam);
    eye.controls.target.fromArray(cam, 3);
    eye.controls.update();
    eye.last = null;
    eye.chosen = true;
  }
  if (s.pick) selectName(s.pick);
  if (s.follow !== undefined) setFollow(model.bodies.findIndex(b => b.name === s.follow));
  const t = parseFloat(s.t), whole = (s.t || "").endsWith("%");
  seek(!isFinite(t) ? begin : whole ? begin + t / 100 * (end - begin) : t);
}

function selectName(name) {
  for (const kind in LISTS) {
    const index = model[LISTS[kind]].findIndex(p => p.name === name);
    if (index >= 0) return select({kind, index});
  }
}
let ready = false;
