// Buttons, sheets, keys; the last script: it starts the page.

const SHOWN_NAMES = {bodies: "bodies", joints: "joints", axes: "axes of joints", names: "names", springs: "springs",
                     lines: "ropes, beams, cams", contacts: "contacts", forces: "forces of joints", applied: "applied forces",
                     trails: "trails", ground: "grid and shadow", triad: "axes of space and scale"};

// what this model has
const HAS = {lines: model.lines.length, contacts: model.contacts.length, springs: model.forces.length,
             applied: model.forces.length, joints: model.joints.length, axes: model.joints.length,
             forces: model.joints.length, trails: !still};

const KEYS = {
  " ": ["space", "play or pause", () => setPlaying(!playing)],
  "ArrowRight": ["→", "next frame", () => stepFrame(1)],
  "ArrowLeft": ["←", "frame before", () => stepFrame(-1)],
  "Home": ["Home", "start", () => seek(begin)],
  "End": ["End", "end", () => seek(end)],
  "[": ["[", "slower", () => changeSpeed(-1)],
  "]": ["]", "faster", () => changeSpeed(1)],
  "l": ["L", "loop", () => { $("loop").checked = !$("loop").checked; touch(); }],
  "1": ["1", "oblique view", () => look("home")],
  "2": ["2", "front view", () => look("front")],
  "3": ["3", "side view", () => look("side")],
  "4": ["4", "view from above", () => look("top")],
  "f": ["F", "fit everything", () => look("fit")],
  "c": ["C", "follow the chosen body", () => setFollow(picked && picked.kind === "body" && follow < 0 ? picked.index : -1)],
  "n": ["N", "names", () => toggleShown("names")],
  "j": ["J", "joints", () => toggleShown("joints")],
  "a": ["A", "axes of joints", () => toggleShown("axes")],
  "v": ["V", "forces of joints", () => toggleShown("forces")],
  "b": ["B", "applied forces", () => toggleShown("applied")],
  "g": ["G", "grid", () => toggleShown("ground")],
  "d": ["D", "dark or light", toggleTheme],
  "s": ["S", "save the picture", savePicture],
  "?": ["?", "this list", () => toggleSheet("help")],
  "Escape": ["Esc", "close", () => { closeSheets(); select(null); }],
};

function look(name) {
  if (!eye) return;
  if (name === "fit") setFollow(-1);
  fitEye(eye, name === "fit" ? null : directionOf(eye, name), pointsInSight(name), 0.06, footOf($("stage").clientHeight));
  eye.chosen = true;
  touch();
}

function toggleShown(name) {
  shown[name] = !shown[name];
  fillShow();
  applyShown();
}

addEventListener("keydown", event => {
  const at = event.target;
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(at.tagName) && at.type !== "range" && at.type !== "checkbox";
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === " " && at.tagName === "BUTTON" && at.id !== "play") return;
  const key = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!key) return;
  event.preventDefault();
  key[2]();
});

// ---- sheets ------------------------------------------------------------------------------------

const SHEETS = {parts: fillParts, show: fillShow, help: fillHelp};

function closeSheets() {
  for (const id in SHEETS) {
    $(id).hidden = true;
    $(id + "-button").setAttribute("aria-expanded", "false");
  }
}

function toggleSheet(id) {
  const open = $(id).hidden;
  closeSheets();
  if (!open) return;
  SHEETS[id]();
  $(id).hidden = false;
  $(id + "-button").setAttribute("aria-expanded", "true");
}

function fillParts() {
  const search = element("input", {type: "search", placeholder: "search", ariaLabel: "search for a part"});
  const list = element("div", {});
  const fill = () => {
    const nodes = [];
    for (const kind in LISTS) {
      const found = model[LISTS[kind]].map((p, index) => ({p, index}))
        .filter(({p}) => p.name.toLowerCase().includes(search.value.toLowerCase()));
      if (found.length === 0) continue;
      nodes.push(element("h2", {textContent: `${LISTS[kind]} (${found.length})`}));
      for (const {p, index} of found.slice(0, 200)) {
        const b = element("button", {className: "part"}, p.name + " ", element("small", {textContent: p.type}));
        b.onclick = () => { closeSheets(); select({kind, index}); };
        nodes.push(b);
      }
      if (found.length > 200) nodes.push(element("div", {textContent: `… and ${found.length - 200} more`}));
    }
    list.replaceChildren(...nodes);
  };
  search.oninput = fill;
  fill();
  $("parts").replaceChildren(search, list);
}

function fillShow() {
  const rows = Object.keys(SHOWN_NAMES).filter(n => HAS[n] ?? true).map(name => {
    const box = element("input", {type: "checkbox", checked: shown[name]});
    box.onchange = () => { shown[name] = box.checked; applyShown(); };
    return element("label", {}, box, SHOWN_NAMES[name]);
  });
  const long = element("input", {type: "range", min: 0.05, max: 1.5, step: "any", value: view ? view.arrowLength : 0.3});
  long.oninput = () => { view.arrowLength = Number(long.value); touch(); };
  $("show").replaceChildren(...rows, element("label", {}, "length of forces", long));
}

function fillHelp() {
  const rows = Object.values(KEYS).map(([key, text]) =>
    element("tr", {}, element("td", {}, element("kbd", {textContent: key})), element("td", {textContent: text})));
  const about = model.about.map(text => element("div", {textContent: text}));
  const notice = element("details", {}, element("summary", {textContent: "licences"}),
                         element("pre", {textContent: model.notice}));
  $("help").replaceChildren(
    element("h2", {textContent: "Picture"}),
    element("div", {textContent: "Drag to turn, drag with the right button or two fingers to move, wheel or pinch to zoom; click a part to see its values."}),
    element("h2", {textContent: "Plots"}),
    element("div", {textContent: "Click or drag the line to choose a time, drag across to zoom, double-click for the whole time."}),
    element("h2", {textContent: "Keys"}), element("table", {}, ...rows),
    element("h2", {textContent: "About"}), ...about, notice);
}

// ---- start -------------------------------------------------------------------------------------

for (const id in SHEETS) $(id + "-button").onclick = () => toggleSheet(id);
for (const b of document.querySelectorAll("#views button")) b.onclick = () => look(b.dataset.view);
$("picture-button").onclick = savePicture;
$("video-button").onclick = toggleVideo;
$("video-button").hidden = still || !window.MediaRecorder;
$("theme-button").onclick = toggleTheme;
$("play").onclick = () => setPlaying(!playing);
$("time").min = begin;
$("time").max = end;
$("time").oninput = () => { setPlaying(false); seek(Number($("time").value)); };
$("speed").append(...SPEEDS.map(s => element("option", {value: s, textContent: s + "×"})));
$("speed").onchange = () => { speed = Number($("speed").value); touch(); };
$("loop").onchange = touch;
$("column-names").append(...model.columns.slice(0, 5000).map(c => element("option", {value: c.name})));
const energy = ["kinetic", "potential", "total"].map(n => "energy." + n).filter(n => data.index.has(n));
const residual = model.columns.filter(c => c.name.startsWith("residual.")).map(c => c.name);
$("energy-button").onclick = () => plots.add(energy);
$("energy-button").disabled = energy.length === 0;
$("residual-button").onclick = () => plots.add(residual);
$("residual-button").disabled = residual.length === 0;
$("panel-button").onclick = () => plots.add([]);
$("reset-button").onclick = () => plots.reset();
addEventListener("resize", () => { fitPicture(); plots.resize(); });

$("mode").append(...model.modes.map((m, i) => element("option", {value: i, textContent: m.name})));
$("mode").onchange = () => { setMode(Number($("mode").value)); if (!playing) setPlaying(true); };
$("mode-label").hidden = model.modes.length === 0;

setTheme();
plots = makePlots(model, data, t => { setPlaying(false); seek(t); }, touch);
startPicture();
loadState();
setTheme();
applyShown();
$("speed").value = speed;
fillMarks();
setPlaying(model.modes.length > 0 && fragment.t === undefined && !matchMedia("(prefers-reduced-motion: reduce)").matches);
lap("page");
if (renderer) draw();
lap("picture");
ready = true;
requestAnimationFrame(frame);

window.genalpha = {
  model, data, view, eye, renderer, plots, seek, pick, select, look, play: setPlaying,
  time: () => time, playing: () => playing, picked: () => picked && partOf(picked).name,
  timing, effort: () => ({frames: drawn, script: ours}), frameAt: t => frameAt(data, t), draw, calls: () => drawCalls,
  span: () => [begin, end], setMode,
};
