// Panels of curves over time, drawn by dygraphs. Names are set as text, never as HTML.

const CURVE_COLOURS = ["#3b76c4", "#e07a1f", "#3a9d5d", "#8458b3", "#d1495b", "#1f9e9e", "#b58a1b", "#8a5a3b"];

function shortNumber(x) {
  if (!isFinite(x)) return "–";
  const a = Math.abs(x);
  if (a !== 0 && (a < 1e-3 || a >= 1e5)) return x.toExponential(3).replace("e+", "e");
  return String(Number(x.toPrecision(5)));
}

const withUnit = (number, unit) => unit ? number + "\u00a0" + unit : number;

// a number at the axis of values; where they hardly differ, by how much from the first
function axisNumber(x, low, high, first) {
  const most = Math.max(Math.abs(low), Math.abs(high)), span = high - low;
  if (!(span > 0) || span > 1e-3 * most) return shortNumber(x);
  const d = x - first;
  return Math.abs(d) < 1e-6 * span ? shortNumber(first) : (d > 0 ? "+" : "−") + shortNumber(Math.abs(d)).replace("000e", "e");
}

function element(tag, properties, ...children) {
  const e = Object.assign(document.createElement(tag), properties);
  e.append(...children);
  return e;
}

const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function plotStyle() {
  return {gridLineColor: css("--line"), axisLineColor: css("--line")};
}

// onTime(t) is called when a person points at a time, onChange() when the choice of columns changes
function makePlots(model, data, onTime, onChange) {
  const root = document.getElementById("panels"), panels = [];
  let span = null, where = {frame: 0, part: 0}, time = data.t[0];

  const unitOf = name => model.columns[data.index.get(name)].unit;

  const rowsOf = names => {
    const c = names.map(n => data.index.get(n)), rows = new Array(data.frames);
    for (let i = 0; i < data.frames; i++) rows[i] = [data.t[i], ...c.map(k => data.value(k, i))];
    return rows;
  };

  function setSpan(range) {
    span = range;
    for (const p of panels) {
      if (p.graph) p.graph.updateOptions({dateWindow: span});
    }
    showCursor();
  }

  function showCursor() {
    for (const p of panels) {
      if (!p.graph) continue;
      const area = p.graph.getArea(), x = p.graph.toDomXCoord(time);
      p.cursor.style.left = x + "px";
      p.cursor.hidden = !(x >= area.x - 1 && x <= area.x + area.w + 1);
      p.names.forEach((n, i) => {
        p.values[i].textContent = withUnit(shortNumber(shownAt(data, data.index.get(n), where)), unitOf(n));
      });
    }
  }

  function draw(p) {
    if (p.graph) p.graph.destroy();
    p.graph = null;
    if (p.names.length === 0) return;
    p.graph = new Dygraph(p.area, rowsOf(p.names), {
      labels: ["t", ...p.names], legend: "never", colors: CURVE_COLOURS.slice(0, p.names.length),
      strokeWidth: 1.6, dateWindow: span, highlightCircleSize: 0, animatedZooms: false,
      xRangePad: 0, yRangePad: 6, labelsKMB: false, ...plotStyle(),
      axes: {
        x: {valueFormatter: shortNumber, axisLabelFormatter: t => withUnit(shortNumber(t), "s"), ticker: Dygraph.numericTicks,
            pixelsPerLabel: 70, axisLabelWidth: 60},
        y: {valueFormatter: shortNumber, axisLabelFormatter: (v, _, __, g) =>
              axisNumber(v, ...g.yAxisRange(), data.value(data.index.get(p.names[0]), 0)), axisLabelWidth: 62, pixelsPerLabel: 26},
      },
      zoomCallback: (low, high) => {
        const [a, b] = p.graph.xAxisExtremes();
        setSpan(low <= a && high >= b ? null : [low, high]);
      },
    });
  }

  function fillHead(p) {
    p.values = p.names.map(() => element("output", {}));
    const chips = p.names.map((name, i) => {
      const mark = element("i", {});
      mark.style.background = CURVE_COLOURS[i % CURVE_COLOURS.length];
      const away = element("button", {textContent: "×", title: "remove " + name, ariaLabel: "remove " + name});
      away.onclick = () => change(p, p.names.filter(n => n !== name));
      return element("span", {className: "chip"}, mark, element("b", {textContent: name}), p.values[i], away);
    });
    const add = element("input", {type: "text", placeholder: "add a column", ariaLabel: "add a column"});
    add.setAttribute("list", "column-names");
    add.onchange = () => {
      if (data.index.has(add.value) && !p.names.includes(add.value)) change(p, [...p.names, add.value]);
    };
    const close = element("button", {textContent: "✕", title: "close this panel", ariaLabel: "close this panel"});
    close.onclick = () => remove(p);
    p.head.replaceChildren(...chips, element("span", {className: "panel-tools"}, add, close));
  }

  function change(p, names) {
    p.names = names.slice(0, CURVE_COLOURS.length);
    fillHead(p);
    draw(p);
    showCursor();
    onChange();
  }

  function remove(p) {
    if (p.graph) p.graph.destroy();
    p.watch.disconnect();
    p.root.remove();
    panels.splice(panels.indexOf(p), 1);
    resize();
    onChange();
  }

  // a click or a tap sets the time; dygraphs itself wants the mouse to have moved before
  function clickArea(p) {
    let from = null;
    p.area.addEventListener("pointerdown", e => { from = [e.clientX, e.clientY]; });
    p.area.addEventListener("pointerup", e => {
      if (from && p.graph && Math.hypot(e.clientX - from[0], e.clientY - from[1]) < 4) {
        onTime(p.graph.toDataXCoord(e.clientX - p.area.getBoundingClientRect().left));
      }
      from = null;
    });
  }

  function dragCursor(p) {
    p.cursor.onpointerdown = event => {
      event.preventDefault();
      p.cursor.setPointerCapture(event.pointerId);
      p.cursor.onpointermove = e => {
        onTime(p.graph.toDataXCoord(e.clientX - p.area.getBoundingClientRect().left));
      };
    };
    p.cursor.onpointerup = p.cursor.onpointercancel = () => { p.cursor.onpointermove = null; };
  }

  function add(names) {
    const p = {names: [], graph: null, area: element("div", {}), cursor: element("div", {className: "cursor"}),
               head: element("div", {className: "panel-head"})};
    const plot = element("div", {className: "plot"}, p.area);
    p.area.style.overflow = "visible";
    p.root = element("div", {className: "panel"}, p.head, plot);
    root.append(p.root);
    panels.push(p);
    p.names = names.filter(n => data.index.has(n)).slice(0, CURVE_COLOURS.length);
    fillHead(p);
    resize();
    draw(p);
    plot.append(p.cursor);
    // numbers that grow may take another line of the head, and leave the curves less room
    p.watch = new ResizeObserver(() => {
      if (!p.graph) return;
      p.graph.resize();
      showCursor();
    });
    p.watch.observe(plot);
    dragCursor(p);
    clickArea(p);
    showCursor();
    onChange();
    return p;
  }

  function resize() {
    for (const p of panels) if (p.graph) p.graph.resize();
    showCursor();
  }

  return {
    panels, add, resize, reset: () => setSpan(null), span: () => span, setSpan,
    clear: () => [...panels].forEach(remove),
    restyle: () => panels.forEach(p => p.graph && p.graph.updateOptions(plotStyle())),
    setTime: (t, at) => { time = t; where = at; showCursor(); },
  };
}

// the panels at the beginning: the model's own choice of output, quantities alike together
function firstPanels(model, data) {
  const groups = new Map();
  for (const name of model.output) {
    if (!data.index.has(name)) continue;
    const what = model.columns[data.index.get(name)].what;
    if (!groups.has(what)) groups.set(what, []);
    if (groups.get(what).length < 4) groups.get(what).push(name);
  }
  return [...groups.values()].slice(0, 3);
}
