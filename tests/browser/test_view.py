# SPDX-License-Identifier: MIT
"""Pages of `genalpha view` and `run --view` in a real browser.
usage: test_view.py TOOL DIRECTORY_FOR_PAGES"""
import base64
import csv
import glob
import math
import os
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import Browser, Checks, skip  # noqa: E402

tool, work = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
here = os.path.dirname(os.path.abspath(__file__))
models = os.path.join(here, "..", "..", "models")
shutil.rmtree(work, ignore_errors=True)
os.makedirs(work)
check = Checks()


def genalpha(*arguments):
    r = subprocess.run([tool, *arguments], capture_output=True, text=True)
    if "libjs-three" in r.stderr:
        skip("libjs-three and libjs-dygraphs are not installed")
    if r.returncode != 0:
        raise SystemExit(f"genalpha {' '.join(arguments)}: {r.stderr}")


def table(path):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    return [{k: float(v) for k, v in row.items()} for row in rows]


def model_page(name, text):
    """Run a model twice: as page, and as CSV with all columns."""
    source, page = os.path.join(work, name + ".yaml"), os.path.join(work, name + ".html")
    with open(source, "w") as file:
        file.write(text)
    everything = os.path.join(work, name + "-all.yaml")
    with open(everything, "w") as file:
        file.write("\n".join(line for line in text.split("\n") if not line.startswith("output:")))
    genalpha("run", source, "--view", "--out-page", page)
    genalpha("run", everything, "--out", os.path.join(work, name + ".csv"))
    return page, table(os.path.join(work, name + ".csv"))


def rotation(e):
    w, x, y, z = e
    return [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
            2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
            2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]


# where an instance stands in the scene: place in space, and directions of its edges
INSTANCE = """
const [body, shape] = arguments, g = genalpha;
for (const mesh of g.view.moving) {
  const n = mesh.userData.list.findIndex(p => p.owner && p.owner.kind === "body" && g.model.bodies[p.owner.index].name === body &&
                                              p.shape === shape);
  if (n < 0) continue;
  const m = Array.from(mesh.instanceMatrix.array.slice(16 * n, 16 * n + 16)), o = g.model.origin;
  const edge = k => { const v = m.slice(4 * k, 4 * k + 3), l = Math.hypot(...v); return v.map(x => x / l); };
  return {at: [m[12] + o[0], m[13] + o[1], m[14] + o[2]], edges: [edge(0), edge(1), edge(2)]};
}
return null;"""

# pixel of a point of a body, in the window
PIXEL = """
const [name, at] = arguments, g = genalpha, r = g.renderer.domElement.getBoundingClientRect();
const b = g.model.bodies.findIndex(p => p.name === name), R = g.view.pose.R.slice(9 * b, 9 * b + 9);
const x = [0, 1, 2].map(i => g.view.pose.x[3 * b + i] + R[3*i]*at[0] + R[3*i+1]*at[1] + R[3*i+2]*at[2]);
g.eye.camera.updateMatrixWorld();
const v = new THREE.Vector3(...x).project(g.eye.camera);
return [r.left + (v.x + 1) / 2 * r.width, r.top + (1 - v.y) / 2 * r.height];"""

MIDDLE = "const r = arguments[0].getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]"


def by_id(b, name):
    return b.js("return document.getElementById(arguments[0])", name)


def press(b, name):
    b.js("document.getElementById(arguments[0]).click()", name)
    b.settle()


def seek(b, t):
    b.js("genalpha.play(false); genalpha.seek(arguments[0])", t)
    b.settle()


def scenery(b, rows):
    """Bodies, springs and arrows stand where the data say."""
    com = [0.05, 0, 0]
    for k in (0, 1, 37, 250, len(rows) - 1):
        row = rows[k]
        seek(b, row["t"])
        ball, box, bob = (b.js(INSTANCE, n, s) for n, s in (("ball", "sphere"), ("box", "box"), ("bob", "sphere")))
        check.near(f"ball at row {k}", ball["at"], [row["ball.x"], row["ball.y"], row["ball.z"]], 1e-6)
        check.near(f"point at row {k}", bob["at"], [row["bob.x"], row["bob.y"], row["bob.z"]], 1e-6)
        R = rotation([row[f"box.e{i}"] for i in range(4)])
        centre = [row["box." + "xyz"[i]] + sum(R[3 * i + j] * com[j] for j in range(3)) for i in range(3)]
        check.near(f"box at row {k}", box["at"], centre, 1e-6)
        check.near(f"axes of the box at row {k}", sum(box["edges"], []), [R[3 * i + j] for j in range(3) for i in range(3)],
                   1e-6)
        long = b.js("const a = genalpha.view.springs.instanceMatrix.array; return Math.hypot(a[8], a[9], a[10])")
        check.near(f"spring at row {k}", [long], [row["coil.length"]], 1e-6)
    a, c = rows[40], rows[41]
    seek(b, 0.5 * (a["t"] + c["t"]))
    check.near("half way between two frames", b.js(INSTANCE, "ball", "sphere")["at"],
               [0.5 * (a["ball." + x] + c["ball." + x]) for x in "xyz"], 1e-6)


def forces(b, rows):
    b.key("v", "v")
    for k in (100, 400):
        row = rows[k]
        seek(b, row["t"])
        arrow = b.js("""const v = genalpha.view, n = v.sources.list.findIndex(s => s.j.name === arguments[0]);
          const a = v.arrows.instanceMatrix.array, u = v.arrowLength * v.scale / v.sources.largest;
          return [8, 9, 10].map(i => a[16 * n + i] / u)""", "pin")
        # the axes of the ground are those of space
        check.near(f"arrow at row {k}", arrow, [row["pin.fx"], row["pin.fy"], row["pin.fz"]], 1e-3)
        pull = b.js("""const v = genalpha.view, n = v.sources.list.findIndex(s => s.j.name === arguments[0]);
          const a = v.arrows.instanceMatrix.array, u = v.arrowLength * v.scale / v.sources.largest;
          return [8, 9, 10].map(i => a[16 * n + i] / u)""", "rod")
        size = math.sqrt(sum(row["bob." + x] ** 2 for x in "xyz"))
        expected = [-row["rod.tension"] * row["bob." + x] / size for x in "xyz"]
        if math.hypot(*expected) > 0.5:
            check.near(f"tension at row {k}", pull, expected, 1e-3)
    b.key("v", "v")


def hostile(b):
    with open(os.path.join(here, "model.yaml")) as file:
        lines = file.read().split("\n")
    name = "</script><script>window.hacked = 1</script><b>Überlagerung</b> & \"quotes\" 'single' 🚀"
    check.ok("the model still has its hostile name", any("window.hacked = 1" in line for line in lines))
    check.ok("the title is shown as it is", b.js("return document.getElementById('title').textContent") == name,
             b.js("return document.getElementById('title').textContent"))
    check.ok("the window's title too", b.js("return document.title") == name, b.js("return document.title"))
    text = b.js("return document.getElementById('description').textContent")
    check.ok("the description too", text.startswith("<img src=x onerror=") and text.endswith("<!-- --> ☃"), text)
    check.ok("nothing of it was executed", b.js("return window.hacked === undefined"))
    check.ok("nor became an element", b.js("return document.querySelectorAll('header b, header img').length === 0"))


def playing(b):
    seek(b, 0)
    before = b.js("return genalpha.time()")
    press(b, "play")
    check.ok("time advances", b.wait("return genalpha.time() > arguments[0] + 0.02", before))
    check.ok("it plays", b.js("return genalpha.playing()"))
    b.key(" ", " ")
    check.ok("the space bar pauses", b.js("return !genalpha.playing()"))
    now = b.js("return genalpha.time()")
    time.sleep(0.15)
    check.ok("time stands still then", b.js("return genalpha.time()") == now)
    b.key("Home")
    check.ok("Home: the start", b.js("return genalpha.time()") == 0)
    b.key("ArrowRight")
    b.key("ArrowRight")
    b.key("ArrowLeft")
    check.ok("arrows: frames", b.js("return genalpha.time() === genalpha.data.t[1]"), b.js("return genalpha.time()"))
    b.key("End")
    check.near("End: the end", [b.js("return genalpha.time()")], [1.2], 1e-12)
    b.js("document.getElementById('loop').checked = true; genalpha.play(true)")
    check.ok("it begins again at the end", b.wait("return genalpha.time() < 1.0"))
    b.js("genalpha.play(false); document.getElementById('loop').checked = false")
    b.js("const s = document.getElementById('time'); s.value = 0.5; s.dispatchEvent(new Event('input'))")
    check.near("the slider sets the time", [b.js("return genalpha.time()")], [0.5], 1e-3)
    slow = b.js("return document.getElementById('speed').value")
    b.key("]", "]")
    check.ok("] is faster", float(b.js("return document.getElementById('speed').value")) > float(slow))


def picking(b):
    seek(b, 0.2)
    for name, at in (("ball", [0, 0, 0]), ("box", [0.05, 0, 0])):
        b.click(*b.js(PIXEL, name, at))
        check.ok(f"a click finds the {name}", b.js("return genalpha.picked()") == name, b.js("return genalpha.picked()"))
        check.ok(f"and says so: {name}", name in b.js("return document.getElementById('picked').textContent"))
    shown = b.js("return document.querySelector('#picked td[data-column=\"box.x\"]').textContent")
    value = b.js("return genalpha.data.value(genalpha.data.index.get('box.x'), genalpha.frameAt(genalpha.time()).frame)")
    check.near("with its values", [float(shown)], [value], 1e-4)
    b.key("Escape")
    check.ok("Esc lets it go", b.js("return genalpha.picked()") is None)


def views(b):
    def position():
        return b.js("return genalpha.eye.camera.position.toArray()")
    b.key("2", "2")
    front = position()
    check.ok("front: the camera looks along y", abs(front[1]) > 10 * abs(front[0] - b.js(
        "return genalpha.eye.controls.target.x")), front)
    b.key("4", "4")
    check.ok("top: it is above", position()[2] > front[2], position())
    b.key("1", "1")
    home = position()
    x, y = b.js(MIDDLE, by_id(b, "canvas"))
    b.mouse("mousePressed", x, y)
    for i in range(1, 6):
        b.mouse("mouseMoved", x + 20 * i, y + 5 * i)
    b.mouse("mouseReleased", x + 100, y + 25, 0)
    b.settle()
    check.ok("dragging turns the view", math.dist(home, position()) > 0.1, position())
    b.key("f", "f")
    b.js("genalpha.select({kind: 'body', index: 0})")
    b.key("c", "c")
    seek(b, 0.1)
    first = b.js("return genalpha.eye.controls.target.toArray()")
    seek(b, 0.7)
    moved = b.js("return genalpha.eye.controls.target.toArray()")
    check.ok("a body is followed", math.dist(first, moved) > 0.1, [first, moved])
    b.key("c", "c")
    b.key("1", "1")


def plots(b, rows):
    count = b.js("return genalpha.plots.panels.length")
    press(b, "panel-button")
    b.js("""const p = genalpha.plots.panels, input = p[p.length - 1].head.querySelector('input');
      input.value = 'coil.length'; input.dispatchEvent(new Event('change'))""")
    b.settle()
    check.ok("a panel more", b.js("return genalpha.plots.panels.length") == count + 1)
    labels = b.js("const p = genalpha.plots.panels; return p[p.length - 1].graph.getLabels()")
    # every value has its unit, the axis of time seconds, and the cross to close a panel stays right of all else
    shown = b.js("""return genalpha.plots.panels.flatMap(p => p.names.map((n, i) => [n, p.values[i].textContent]))""")
    units = {"ball.x": "m", "ball.z": "m", "coil.force": "N", "energy.total": "J"}
    check.ok("units", all(text.endswith("\u00a0" + units[name]) for name, text in shown if name in units), shown)
    axis = b.js("return genalpha.plots.panels[0].area.textContent")
    check.ok("seconds", "0.5\u00a0s" in axis or "1\u00a0s" in axis, axis)
    check.ok("the cross is at the right", b.js("""return genalpha.plots.panels.every(p => {
      const r = p.root.getBoundingClientRect(), c = p.head.querySelector('.panel-tools button').getBoundingClientRect();
      return c.right > r.right - 30;})"""))
    check.ok("the chosen column is drawn", labels == ["t", "coil.length"], labels)
    drawn = b.js("""const g = genalpha.plots.panels.at(-1).graph;
      return [0, 100, 599].map(i => [g.getValue(i, 0), g.getValue(i, 1)]).flat()""")
    check.near("with its values", drawn, sum(([rows[i]["t"], rows[i]["coil.length"]] for i in (0, 100, 599)), []), 1e-6)
    b.js("genalpha.plots.panels.at(-1).root.scrollIntoView()")
    seek(b, 0.9)
    line = b.js("const p = genalpha.plots.panels.at(-1); return [parseFloat(p.cursor.style.left), p.graph.toDomXCoord(0.9)]")
    check.near("the line stands at the time", [line[0]], [line[1]], 0.5)
    # a click in the plot sets the time
    at = b.js("""const p = genalpha.plots.panels.at(-1), r = p.area.getBoundingClientRect(), a = p.graph.getArea();
      return [r.left + a.x + 0.25 * a.w, r.top + a.y + a.h / 2, p.graph.toDataXCoord(a.x + 0.25 * a.w)]""")
    b.click(at[0], at[1])
    check.near("a click sets the time", [b.js("return genalpha.time()")], [at[2]], 0.01)
    # dragging the line does, too
    x, y = b.js(MIDDLE, b.js("return genalpha.plots.panels.at(-1).cursor"))
    b.mouse("mousePressed", x, y)
    b.mouse("mouseMoved", x + 60, y)
    b.mouse("mouseReleased", x + 60, y, 0)
    b.settle()
    t = b.js("""const p = genalpha.plots.panels.at(-1);
      return p.graph.toDataXCoord(arguments[0] - p.area.getBoundingClientRect().left)""", x + 60)
    check.near("dragging the line moves the time", [b.js("return genalpha.time()")], [t], 0.01)
    # dragging across zooms all panels
    b.mouse("mousePressed", at[0], at[1])
    for i in range(1, 5):
        b.mouse("mouseMoved", at[0] + 30 * i, at[1])
    b.mouse("mouseReleased", at[0] + 120, at[1], 0)
    b.settle()
    spans = b.js("return genalpha.plots.panels.filter(p => p.graph).map(p => p.graph.xAxisRange())")
    check.ok("zoom: all panels", all(s == spans[0] for s in spans) and spans[0][1] - spans[0][0] < 1, spans)
    press(b, "reset-button")
    check.near("whole time again", b.js("return genalpha.plots.panels[0].graph.xAxisRange()"), [0, 1.2], 1e-9)
    press(b, "energy-button")
    check.ok("energy", b.js("return genalpha.plots.panels.at(-1).names") ==
             ["energy.kinetic", "energy.potential", "energy.total"])
    press(b, "residual-button")
    names = b.js("return genalpha.plots.panels.at(-1).names")
    check.ok("residuals", names == ["residual.position", "residual.velocity"], names)
    most = b.js("const g = genalpha.plots.panels.at(-1).graph; return g.yAxisExtremes ? Math.max(...g.yAxisExtremes()[0]) : 0")
    check.ok("residuals are small", most < 1e-8, most)


def address(b, page):
    seek(b, 0.35)
    b.js("genalpha.look('side')")
    b.wait("""const s = new URLSearchParams(location.hash.slice(1)), x = genalpha.eye.camera.position.x;
      return s.get('t') === '0.35' && Math.abs(parseFloat(s.get('cam')) - x) < 1e-4""")
    kept = b.js("return [genalpha.eye.camera.position.toArray(), genalpha.plots.panels.map(p => p.names)]")
    fragment = b.js("return location.hash")
    b.open(page, fragment)
    check.near("the address keeps the time", [b.js("return genalpha.time()")], [0.35], 1e-9)
    again = b.js("return [genalpha.eye.camera.position.toArray(), genalpha.plots.panels.map(p => p.names)]")
    check.near("and the camera", again[0], kept[0], 1e-4)
    check.ok("and the plots", again[1] == kept[1], [again[1], kept[1]])
    b.open(page, "#t=nonsense&cam=1,2&show=%zz&plots=<b>,none;;&pick=nobody&follow=nobody&span=a,b")
    check.ok("an address with nonsense does no harm", b.js("return genalpha.time()") == 0)


def arrives(pattern, seconds=30):
    end = time.time() + seconds
    while time.time() < end:
        found = [f for f in glob.glob(os.path.join(work, pattern)) if os.path.getsize(f) > 0]
        if found and not glob.glob(os.path.join(work, "*.crdownload")):
            return found[0]
        time.sleep(0.1)
    return None


def saving(b):
    press(b, "picture-button")
    png = arrives("*.png")
    check.ok("a picture is saved", png and open(png, "rb").read(4) == b"\x89PNG")
    b.js("const s = document.getElementById('speed'); s.value = 2; s.dispatchEvent(new Event('change'))")
    press(b, "video-button")
    webm = arrives("*.webm")
    check.ok("a video is saved", webm and open(webm, "rb").read(4) == b"\x1aE\xdf\xa3")
    pdf = base64.b64decode(b.cdp("Page.printToPDF", printBackground=True)["data"])
    with open(os.path.join(work, "print.pdf"), "wb") as file:
        file.write(pdf)
    check.ok("it prints", pdf[:5] == b"%PDF-" and len(pdf) > 20000)


def looks(b, page):
    """Four pictures: narrow and wide, dark and light; nothing sticks out."""
    sky = set()
    b.open(page, "#t=0.4")
    for width, height in ((390, 844), (1280, 800)):
        for dark in (False, True):
            b.look(width, height, dark)
            b.settle()
            b.js("scrollTo(0, 0)")
            inside = b.js("return document.documentElement.scrollWidth <= innerWidth")
            check.ok(f"{width} px: nothing sticks out", inside, b.js("return document.documentElement.scrollWidth"))
            size = b.js("const c = document.getElementById('canvas'); return [c.clientWidth, c.clientHeight]")
            check.ok(f"{width} px: the picture has room", size[0] > 0.4 * width and size[1] > 250, size)
            back = b.js("return getComputedStyle(document.body).backgroundColor")
            sky.add((dark, back, b.js("return genalpha.view.scene.background.getHexString()")))
            b.picture(os.path.join(work, f"look-{width}-{'dark' if dark else 'light'}.png"))
    check.ok("dark and light differ, at both widths alike", len(sky) == 2, list(sky))
    press(b, "theme-button")
    check.ok("the button changes it", b.js("return document.documentElement.dataset.theme") == "light")


def touching(b, page):
    b.look(390, 844)
    b.open(page, "#t=0.2")
    b.js("scrollTo(0, 0)")
    b.touch(tuple(b.js(PIXEL, "ball", [0, 0, 0])))
    check.ok("a tap finds the ball", b.js("return genalpha.picked()") == "ball", b.js("return genalpha.picked()"))
    b.js("genalpha.select(null)")
    before = b.js("return genalpha.eye.camera.position.toArray()")
    x, y = b.js(MIDDLE, by_id(b, "canvas"))
    b.touch((x, y), (x + 30, y), (x + 60, y + 10), (x + 90, y + 20))
    after = b.js("return genalpha.eye.camera.position.toArray()")
    check.ok("a finger turns the view", math.dist(before, after) > 0.05, [before, after])
    reach = "return genalpha.eye.camera.position.distanceTo(genalpha.eye.controls.target)"
    before = b.js(reach)
    b.touch([(x - 20, y), (x + 20, y)], [(x - 40, y), (x + 40, y)], [(x - 70, y), (x + 70, y)])
    check.ok("two fingers zoom", b.js(reach) < 0.8 * before, b.js(reach))
    b.js("document.getElementById('play').scrollIntoView()")
    b.touch(tuple(b.js(MIDDLE, by_id(b, "play"))))
    check.ok("a tap plays", b.wait("return genalpha.playing() || genalpha.time() > 0.21"))
    b.js("genalpha.play(false)")
    b.look()


def planar(b):
    page = os.path.join(work, "crank.html")
    genalpha("run", os.path.join(models, "slider-crank.yaml"), "--view", "--out-page", page, "--out",
             os.path.join(work, "crank.csv"))
    rows = table(os.path.join(work, "crank.csv"))
    b.open(page)
    for k in (0, 400, 1000):
        seek(b, rows[k]["t"])
        at = b.js(INSTANCE, "slider", "box")["at"]
        check.near(f"slider at row {k}", at[:2], [rows[k]["slider.x"], 0], 1e-6)
        rod = b.js(INSTANCE, "crank", "cylinder")["edges"][2]
        angle = rows[k]["crank.angle"]
        check.near(f"crank at row {k}", rod, [math.cos(angle), math.sin(angle), 0], 1e-6)
    b.picture(os.path.join(work, "crank.png"))


def start(b):
    page = os.path.join(work, "governor.html")
    genalpha("view", os.path.join(models, "governor.yaml"), "--out", page)
    b.open(page)
    seen = b.js("""return [...document.querySelectorAll('#labels span')].filter(s => s.style.visibility !== 'hidden')
      .map(s => s.textContent)""")
    for name in ("spindle", "armL", "bearing"):
        check.ok(f"the start shows the name {name}", name in seen, seen)
    check.ok("and axes of joints", b.js("return genalpha.view.groups.axes.visible"))
    check.ok("what check says", "degree" in b.js("return document.getElementById('notes').textContent"))
    check.ok("no time, no plots", b.js("return getComputedStyle(document.getElementById('bar')).display") == "none")
    b.picture(os.path.join(work, "start.png"))


def mistaken(b):
    """A model that does not fit together is drawn as described, and says why."""
    with open(os.path.join(models, "slider-crank.yaml")) as file:
        text = file.read().replace("at: {rod: [l2/2, 0], slider: [0, 0]}", "at: {rod: [l2, 0], slider: [0, 0]}")
    source, page = os.path.join(work, "open.yaml"), os.path.join(work, "open.html")
    with open(source, "w") as file:
        file.write(text)
    subprocess.run([tool, "view", source, "--out", page], capture_output=True)
    b.open(page)
    check.ok("the reason is on the page", "wrist" in b.js("return document.getElementById('messages').textContent"))
    seen = b.js(INSTANCE, "crank", "cylinder")
    check.near("the crank as described", seen["edges"][2], [0, 1, 0], 1e-6)
    gap = b.js("const a = genalpha.view.gaps.instanceMatrix.array; return Math.hypot(a[8], a[9], a[10])")
    check.near("a line across the gap", [gap], [0.3], 1e-6)
    b.picture(os.path.join(work, "open.png"))


def results(b):
    """Files of results are shown with the parameters of their run."""
    file, page = os.path.join(work, "run.h5"), os.path.join(work, "run.html")
    source = os.path.join(models, "pendulum.yaml")
    r = subprocess.run([tool, "run", source, "--set", "l=2", "--out", file], capture_output=True, text=True)
    if "HDF5" in r.stderr:
        return
    genalpha("view", file, "--out", page)
    b.open(page)
    seek(b, 0)
    rod = b.js(INSTANCE, "rod", "cylinder")
    check.near("the rod of twice the length", rod["at"], [math.sin(math.pi / 3), 0, -0.5], 1e-6)
    genalpha("export", file, os.path.join(work, "run.csv"))
    row = table(os.path.join(work, "run.csv"))[-1]
    seek(b, row["t"])
    check.near("at the end", b.js(INSTANCE, "rod", "cylinder")["at"], [row["rod.x"], 0, row["rod.z"]], 1e-6)


def robot(b):
    """A robot in URDF: looks where they are in their links, the base on the ground, on wide and narrow windows."""
    arm = os.path.join(os.path.dirname(os.path.dirname(here)), "models", "arm.urdf")
    page = os.path.join(work, "arm.html")
    try:
        genalpha("run", arm, "--t-end", "0.2", "--out-page", page)
    except Exception:
        return  # built without libexpat
    b.open(page)
    seek(b, 0)
    c, s = math.cos(0.6), math.sin(0.6)
    elbow = [0.4 * c, 0, 0.32 + 0.4 * s]
    upper = b.js(INSTANCE, "upper_arm", "box")
    check.near("the box of the upper arm", upper["at"], [0.2 * c, 0, 0.32 + 0.2 * s], 1e-6)
    check.near("its long edge", upper["edges"][0], [c, 0, s], 1e-6)
    pin = b.js(INSTANCE, "upper_arm", "cylinder")
    check.near("the pin at its end", pin["at"], elbow, 1e-6)
    check.near("along -y, turned by a quarter", pin["edges"][2], [0, -1, 0], 1e-6)
    ground = b.js("""
      for (const mesh of genalpha.view.moving) {
        const n = mesh.userData.list.findIndex(p => p.owner === null && p.shape === "box");
        const m = mesh.instanceMatrix.array.slice(16 * n, 16 * n + 16), o = genalpha.model.origin;
        if (n >= 0) return [m[12] + o[0], m[13] + o[1], m[14] + o[2]];
      }""")
    check.near("the plate of the base", ground, [0, 0, 0.02], 1e-6)
    for width, height in ((1280, 800), (390, 844)):
        b.look(width, height)
        b.open(page)
        seek(b, 0)
        b.picture(os.path.join(work, f"arm-{width}.png"))
        check.ok(f"no errors at {width}", b.errors() == [], b.errors())
    b.look()


# corners of the box of a mesh look of a body, in space
MESH_BOX = """
const [body] = arguments, g = genalpha, o = g.model.origin;
for (const mesh of g.view.moving) {
  const n = mesh.userData.list.findIndex(p => p.mesh !== undefined && (body === "ground" ? p.owner === null
    : p.owner && g.model.bodies[p.owner.index].name === body));
  if (n < 0) continue;
  const m = new THREE.Matrix4().fromArray(mesh.instanceMatrix.array.slice(16 * n, 16 * n + 16));
  const p = mesh.geometry.getAttribute("position"), real = new THREE.Box3();
  for (let i = 0; i < p.count; i++) real.expandByPoint(new THREE.Vector3().fromBufferAttribute(p, i).applyMatrix4(m));
  return {low: real.min.toArray().map((x, i) => x + o[i]), high: real.max.toArray().map((x, i) => x + o[i]), corners: p.count};
}
return null;"""


def meshes(b):
    """An STL and an OBJ of our own: scaled, placed, moved; picked; wide and narrow, dark and light."""
    page = os.path.join(work, "fan.html")
    genalpha("run", os.path.join(models, "fan.yaml"), "--t-end", "2", "--out-page", page, "--out",
             os.path.join(work, "fan.csv"))
    b.open(page)
    stand = b.js(MESH_BOX, "ground")
    check.near("the stand in metres", stand["low"] + stand["high"], [-0.12, -0.12, 0, 0.12, 0.12, 0.3], 1e-5)
    row = table(os.path.join(work, "fan.csv"))[-1]
    seek(b, row["t"])
    turned = b.js(MESH_BOX, "blades")
    middle = [(x + y) / 2 for x, y in zip(turned["low"], turned["high"])]
    a = row["sway.angle"]
    check.near("the blades sway with the head", middle, [0.12 * math.cos(a), 0.12 * math.sin(a), 0.34], 0.02)
    check.ok("no errors", b.errors() == [], b.errors())
    b.key("2", "2")
    b.click(*b.js(PIXEL, "blades", [0, 0, 0.08]))
    for width, height in ((390, 844), (1280, 800)):
        for dark in (False, True):
            b.look(width, height, dark)
            b.open(page, "#t=1")
            b.picture(os.path.join(work, f"fan-{width}-{'dark' if dark else 'light'}.png"))
            if width == 390:
                top = b.js("return document.querySelector('.plot').getBoundingClientRect()")
                bar = b.js("return document.getElementById('bar').getBoundingClientRect().top")
                check.ok("a phone: the first plot is above the fold", top["bottom"] <= bar, [top, bar])
    b.look()


def absent(b):
    """Meshes that are not there: a sentence, and bodies drawn as if they had no look."""
    source, page = os.path.join(work, "absent.yaml"), os.path.join(work, "absent.html")
    with open(source, "w") as file:
        file.write("""genalpha: 1
ground: {look: {mesh: base.stl}}
bodies:
  a: {mass: 1, inertia: [0.1, 0.1, 0.1], com: [0.5, 0, 0], look: {mesh: a.stl, colour: red}}
  b: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [1, 0, 0], look: {hide: true}}
joints:
  pin: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}
  two: {type: revolute, between: [a, b], at: [1, 0, 0], axis: [0, 1, 0]}
""")
    subprocess.run([tool, "view", source, "--out", page], capture_output=True)
    b.open(page)
    text = b.js("return document.getElementById('messages').textContent")
    check.ok("the page says what is missing", "a.stl" in text and "no such file; a placeholder is drawn" in text, text)
    check.ok("a rod in place of the mesh", b.js(INSTANCE, "a", "cylinder") is not None)
    count = b.js("return genalpha.view.moving.flatMap(m => m.userData.list).filter(p => p.owner && p.owner.kind === 'body' &&"
                 " genalpha.model.bodies[p.owner.index].name === 'b').length")
    check.ok("nothing of the hidden body", count == 0, count)
    b.picture(os.path.join(work, "absent.png"))


def filled(b):
    """The first view: the mechanism touches two opposite edges of the picture, but for a rim."""
    for width, height in ((390, 844), (1280, 800)):
        b.look(width, height)
        b.open(os.path.join(work, "fan.html"))
        reach = b.js("""const c = genalpha.eye.camera; c.updateMatrixWorld();
          const p = genalpha.view.extent.far.filter(q => q).map(q => new THREE.Vector3(...q).project(c));
          return [Math.max(...p.map(v => Math.abs(v.x))), Math.max(...p.map(v => Math.abs(v.y)))]""")
        check.ok(f"filled at {width}", 0.85 < max(reach) <= 1, reach)
    b.look()


def moving_modes(b):
    source, page = os.path.join(work, "modes.yaml"), os.path.join(work, "modes.html")
    with open(source, "w") as file:
        file.write("""genalpha: 1
gravity: [0, -9.81, 0]
bodies:
  a: {kind: planar, mass: 1, inertia: 0.1, position: [0, -0.5]}
  b: {kind: planar, mass: 1, inertia: 0.1, position: [0, -1.5]}
joints:
  pin: {type: revolute, between: [ground, a], at: [0, 0]}
  two: {type: revolute, between: [a, b], at: [0, -1]}
""")
    genalpha("modes", source, "--out-page", page)
    b.open(page)
    check.ok("it plays by itself", b.wait("return genalpha.playing() && genalpha.time() > 0.1"))
    b.js("genalpha.play(false)")
    count = b.js("return genalpha.model.modes.length")
    check.ok("all modes", count == 2, count)
    turns = []
    for k in range(count):
        b.js("genalpha.setMode(arguments[0])", k)
        span = b.js("return genalpha.span()")
        seek(b, span[0])
        first = b.js("return [...genalpha.view.pose.R]")
        seek(b, 0.5 * (span[0] + span[1]))
        second = b.js("return [...genalpha.view.pose.R]")
        turns.append([math.atan2(R[9 * i + 3], R[9 * i]) for R in (first, second) for i in range(2)])
        check.near(f"mode {k + 1}: opposite after half a period", turns[k][:2], [-x for x in turns[k][2:]], 1e-3)
    signs = [t[0] * t[1] > 0 for t in turns]
    check.ok("both rods with each other, then against each other", signs == [True, False], turns)
    b.picture(os.path.join(work, "modes.png"))


def arrows_and_marks(b, page):
    """Applied forces as arrows, axes, scale, marks of events."""
    b.open(page, "#t=0.4")
    b.key("b", "b")
    pull = b.js("""const v = genalpha.view, a = v.appliedArrows.instanceMatrix.array, u = v.arrowLength * v.scale / v.sources.largest;
      return Math.hypot(a[8], a[9], a[10]) / u""")
    force = b.js("const d = genalpha.data; return d.value(d.index.get('coil.force'), genalpha.frameAt(genalpha.time()).frame)")
    check.near("arrow of the spring", [pull], [abs(force)], 1e-2 * abs(force))
    scale = b.js("""const s = document.getElementById('scale'), e = genalpha.eye, h = document.getElementById('stage').clientHeight;
      const v = new THREE.Vector3().setFromMatrixColumn(e.camera.matrixWorld, 0).multiplyScalar(Number(s.dataset.metres)).add(e.controls.target).project(e.camera);
      return [s.getBoundingClientRect().width, v.x / 2 * document.getElementById('stage').clientWidth]""")
    check.near("the bar is as long as its length at the middle", [scale[0]], [scale[1]], 2)
    marked = os.path.join(work, "marked.html")
    genalpha("run", os.path.join(here, "model.yaml"), "--stop-when", "ball.z < -0.3", "--out-page", marked)
    b.open(marked)
    t = b.js("return genalpha.model.marks.map(m => m.t)")
    b.js("document.querySelector('#marks button').click()")
    check.near("a click on a mark leads to its time", [b.js("return genalpha.time()")], t, 1e-9)


def beams(b):
    """The tube of a beam of one element, a quarter of a circle, follows the circle, as thick as the section."""
    source, page = os.path.join(work, "arc.yaml"), os.path.join(work, "arc.html")
    with open(source, "w") as file:
        file.write("genalpha: 1\nbeams: {arm: {arc: {from: [0, 0, 0], tangent: [1, 0, 0], normal: [0, 0, 1], radius: 1, "
                   "angle: pi/2, elements: 1}, shape: {circle: {radius: 0.05}}, "
                   "material: {E: 1e9, nu: 0.3, density: 1000}}}\nrun: {h: 1e-3, t_end: 2e-3}\noutput: [arm.end.x]\n")
    genalpha("run", source, "--out-page", page)
    b.open(page)
    b.settle()
    p = b.js("return Array.from(genalpha.view.lines.geometry.getAttribute('position').array)")
    o = b.js("return genalpha.model.origin")
    p = [[p[3 * i + k] + o[k] for k in range(3)] for i in range(len(p) // 3)]
    across = [math.hypot(math.hypot(x, z - 1) - 1, y) for x, y, z in p]
    check.ok("seven rings of six points", len(p) == 42, len(p))
    # the directions of the rings at the ends come from chords: a twelfth of the angle off
    check.near("points of the tube", across, [0.05] * len(across), 0.05 * 0.02)
    middle = [[sum(q[k] for q in p[6 * i:6 * i + 6]) / 6 for k in range(3)] for i in range(len(p) // 6)]
    for i, m in enumerate(middle):
        a = math.pi / 12 * i
        check.near(f"its centre line {i}", m, [math.sin(a), 0, 1 - math.cos(a)], 1e-6)


def sheaves(b):
    """A rope over a sheave: straight down on both sides, half a circle above, 0.2 m from the axis."""
    source, page = os.path.join(work, "atwood.yaml"), os.path.join(work, "atwood.html")
    with open(source, "w") as file:
        file.write("genalpha: 1\nbodies: {one: {kind: point, mass: 1, position: [-0.2, 0, -1]}, "
                   "two: {kind: point, mass: 2, position: [0.2, 0, -1]}}\nropes: {rope: {over: [one, "
                   "{ground: [0, 0, 0], radius: 0.2, axis: [0, 1, 0]}, two]}}\nrun: {h: 1e-3, t_end: 2e-3}\n"
                   "output: [rope.tension]\n")
    genalpha("run", source, "--out-page", page)
    b.open(page)
    b.settle()
    p = b.js("return Array.from(genalpha.view.lines.geometry.getAttribute('position').array)")
    o = b.js("return genalpha.model.origin")
    p = [[p[3 * i + k] + o[k] for k in range(3)] for i in range(len(p) // 3)]
    middle = [[sum(q[k] for q in p[6 * i:6 * i + 6]) / 6 for k in range(3)] for i in range(len(p) // 6)]
    check.ok("two ends and 33 rings on the sheave", len(middle) == 35, len(middle))
    check.near("one end", middle[0], [-0.2, 0, -1], 1e-6)
    check.near("the other end", middle[-1], [0.2, 0, -1], 1e-6)
    for i, m in enumerate(middle[1:-1]):
        a = math.pi * (1 - i / 32)
        check.near(f"on the sheave {i}", m, [0.2 * math.cos(a), 0, 0.2 * math.sin(a)], 1e-6)


def one_mesh(b):
    """Drawn by the processor, many bodies are one plain mesh that shows what their instances show."""
    if not b.js("return genalpha.view.moving[0].children.length"):
        return  # a graphics card draws
    pixels = """const gl = genalpha.renderer.getContext(), w = gl.drawingBufferWidth, h = gl.drawingBufferHeight;
                const p = new Uint8Array(4 * w * h); genalpha.draw(); gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, p);"""
    wrong = b.js(pixels + """const one = p.slice();
      for (const m of genalpha.view.moving) { m.layers.set(0); for (const c of m.children) c.visible = false; }
      genalpha.draw(); gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, p);
      const none = p.slice();
      for (const m of genalpha.view.moving) { m.layers.set(1); }
      genalpha.draw(); gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, p);
      for (const m of genalpha.view.moving) for (const c of m.children) c.visible = true;
      let differ = 0, bodies = 0;
      for (let i = 0; i < p.length; i += 4) {
        const far = (a, c) => Math.abs(a[i] - c[i]) + Math.abs(a[i + 1] - c[i + 1]) + Math.abs(a[i + 2] - c[i + 2]) > 12;
        if (far(one, none)) differ++;
        if (far(one, p)) bodies++;
      }
      return [differ, bodies];""")
    check.ok("one mesh shows what instances show", wrong[1] > 1000 and wrong[0] < 0.01 * wrong[1], wrong)


def many(b):
    """Draw calls do not depend on the number of bodies."""
    calls = {}
    with open(os.path.join(work, "wedge.obj"), "w") as file:
        file.write("v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0 0 0.1\nf 3 2 1\nf 1 2 4\nf 2 3 4\nf 3 1 4\n")
    for n in (4, 400):
        text = ("genalpha: 1\nparameters: {N: %d}\ngravity: [0, 0, -9.81]\nrepeat:\n  - {index: i, from: 1, to: N, bodies: "
                "{\"b{i}\": {shape: {box: [0.2, 0.1, 0.05]}, mass: 1, look: [{box: [0.2, 0.1, 0.05]}, {mesh: wedge.obj}], position: [\"i - 10*floor(i/10)\", i/10, 0]}}}\n"
                "run: {h: 1e-2, t_end: 0.1}\noutput: [energy.total]\n") % n
        text = text.replace('"i - 10*floor(i/10)"', "sin(i)")
        page = os.path.join(work, f"many{n}.html")
        source = os.path.join(work, f"many{n}.yaml")
        with open(source, "w") as file:
            file.write(text)
        genalpha("run", source, "--view", "--out-page", page)
        b.open(page)
        seek(b, 0.05)
        calls[n] = b.js("return genalpha.calls()")
    one_mesh(b)
    check.ok("no more draw calls for 400 bodies than for 4", calls[400] <= calls[4] < 12, calls)


def main():
    browser = Browser(work)
    try:
        with open(os.path.join(here, "model.yaml")) as file:
            page, rows = model_page("model", file.read())
        browser.open(page)
        hostile(browser)
        scenery(browser, rows)
        forces(browser, rows)
        playing(browser)
        picking(browser)
        views(browser)
        plots(browser, rows)
        browser.picture(os.path.join(work, "plots.png"))
        address(browser, page)
        saving(browser)
        looks(browser, page)
        touching(browser, page)
        planar(browser)
        start(browser)
        mistaken(browser)
        results(browser)
        robot(browser)
        meshes(browser)
        absent(browser)
        filled(browser)
        moving_modes(browser)
        arrows_and_marks(browser, page)
        beams(browser)
        sheaves(browser)
        many(browser)
        requests = browser.js("return performance.getEntriesByType('resource').map(e => e.name)")
        check.ok("nothing was fetched", requests == [], requests)
        check.ok("no errors in the console", browser.errors() == [], browser.errors())
    finally:
        browser.close()
    check.finish()


main()
