# SPDX-License-Identifier: MIT
"""Pages with many bodies: size, time to open, time of our script per frame, frames a second, draw
calls; in headless chromium, drawn by the processor.
usage: view.py TOOL DIRECTORY"""
import json
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "browser"))
from browser import Browser, skip  # noqa: E402

MODEL = """genalpha: 1
name: %(n)d bodies in free flight
gravity: [0, 0, -9.81]
repeat:
  - index: i
    from: 1
    to: %(n)d
    bodies: {"b{i}": {shape: {box: [0.5, 0.3, 0.2]}, mass: 1, position: [sqrt(i)*cos(2.4*i), sqrt(i)*sin(2.4*i), 0],
                      velocity: [0, 0, 5 + 3*sin(i)], angular_velocity: [5*sin(i), 4*cos(3*i), 2]}}
run: {method: stab2, rho: 0.9, h: %(h)g, t_end: 1}
output: [energy.total]
"""
PLAY = 5  # seconds


def page_of(tool, directory, n, frames):
    """Writes a model of n bodies, runs it and returns the path of its page with that many frames."""
    source, page = (os.path.join(directory, f"view-{n}.{end}") for end in ("yaml", "html"))
    with open(source, "w") as file:
        file.write(MODEL % {"n": n, "h": 1 / frames})
    r = subprocess.run([tool, "run", source, "--out-page", page], capture_output=True, text=True)
    if "libjs-three" in r.stderr:
        skip("libjs-three and libjs-dygraphs are not installed")
    if r.returncode != 0:
        sys.exit(r.stderr)
    return page


def measure(browser, page):
    """Opens the page, plays it for PLAY seconds and returns sizes, times and rates as a dictionary."""
    browser.driver.get("about:blank")
    begin = time.time()
    browser.driver.get("file://" + os.path.abspath(page))
    opened = time.time() - begin
    timing = browser.js("return genalpha.timing")
    browser.js("document.getElementById('loop').checked = true; genalpha.play(true)")
    time.sleep(1)
    first = browser.js("return genalpha.effort()")
    time.sleep(PLAY)
    last = browser.js("return genalpha.effort()")
    frames = last["frames"] - first["frames"]
    return {"bytes": os.path.getsize(page), "open_seconds": round(opened, 3),
            "our_start_ms": round(timing["picture"], 1), "decode_ms": round(timing["data"], 1),
            "script_ms_per_frame": round((last["script"] - first["script"]) / max(1, frames), 3),
            "frames_per_second": round(frames / PLAY, 1),
            "draw_calls": browser.js("return genalpha.renderer.info.render.calls")}


def main():
    tool, directory = sys.argv[1:3]
    os.makedirs(directory, exist_ok=True)
    browser, found = Browser(directory), []
    try:
        for n, frames in ((10, 1000), (1000, 1000), (10000, 200)):
            row = {"bodies": n, "frames": frames, **measure(browser, page_of(tool, directory, n, frames))}
            found.append(row)
            print("view: {bodies:6d} bodies x {frames:4d} frames: {bytes:9d} bytes, open {open_seconds:.2f} s, "
                  "script {script_ms_per_frame:.2f} ms a frame, {frames_per_second:.1f} frames a second, "
                  "{draw_calls} draw calls".format(**row))
    finally:
        browser.close()
    with open(os.path.join(directory, "view.json"), "w") as file:
        json.dump(found, file, indent=1)


main()
