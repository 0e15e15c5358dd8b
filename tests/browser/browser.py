# SPDX-License-Identifier: MIT
"""A headless chromium for the tests of pages, and checks that are counted."""
import json
import os
import shutil
import sys
import time

SKIPPED = 77


def skip(reason):
    print("skipped:", reason)
    sys.exit(SKIPPED)


try:
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
except ImportError:
    skip("python3-selenium is not installed")

# three.js on a processor without graphics; nothing may be looked up in a network
FLAGS = ["--headless=new", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox",
         "--disable-dev-shm-usage", "--hide-scrollbars", "--host-resolver-rules=MAP * ~NOTFOUND",
         "--window-size=1280,800"]


class Browser:
    def __init__(self, downloads):
        driver, chromium = shutil.which("chromedriver"), shutil.which("chromium")
        if not driver or not chromium:
            skip("chromium and chromium-driver are not installed")
        options = Options()
        options.binary_location = chromium
        for flag in FLAGS:
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(service=Service(driver), options=options)
        self.cdp("Browser.setDownloadBehavior", behavior="allow", downloadPath=downloads)
        self.look()

    def cdp(self, command, **arguments):
        return self.driver.execute_cdp_cmd(command, arguments)

    def look(self, width=1280, height=800, dark=False):
        """Size of the window and the wish of the system for light or dark."""
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                 mobile=width < 500)
        self.cdp("Emulation.setTouchEmulationEnabled", enabled=width < 500)
        self.cdp("Emulation.setEmulatedMedia",
                 features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def open(self, path, fragment=""):
        self.driver.get("about:blank")
        self.driver.get("file://" + os.path.abspath(path) + fragment)
        self.wait("return typeof genalpha === 'object'")

    def js(self, code, *arguments):
        return self.driver.execute_script(code, *arguments)

    def wait(self, code, *arguments, seconds=20):
        end = time.time() + seconds
        while time.time() < end:
            if self.js(code, *arguments):
                return True
            time.sleep(0.03)
        return False

    def settle(self):
        """Two frames later everything that was asked for has been drawn."""
        self.driver.execute_async_script(
            "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()))")

    def key(self, key, text=None):
        fields = {"key": key}
        if text:
            fields["text"] = text
        self.cdp("Input.dispatchKeyEvent", type="keyDown", **fields)
        self.cdp("Input.dispatchKeyEvent", type="keyUp", key=key)
        self.settle()

    def mouse(self, kind, x, y, buttons=1):
        self.cdp("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=buttons, clickCount=1)

    def click(self, x, y):
        self.mouse("mousePressed", x, y)
        self.mouse("mouseReleased", x, y, 0)
        self.settle()

    def touch(self, *places):
        """A finger (or several: lists of places) that goes down, along and up."""
        fingers = [p if isinstance(p, list) else [p] for p in places]
        for i, at in enumerate(fingers):
            points = [{"x": x, "y": y, "id": k} for k, (x, y) in enumerate(at)]
            self.cdp("Input.dispatchTouchEvent", type="touchMove" if i else "touchStart", touchPoints=points)
        self.cdp("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        self.settle()

    def errors(self):
        return [e["message"] for e in self.driver.get_log("browser")]

    def picture(self, path):
        self.settle()
        self.driver.save_screenshot(path)

    def close(self):
        self.driver.quit()


class Checks:
    def __init__(self):
        self.made = self.failed = 0

    def ok(self, what, holds, seen=""):
        self.made += 1
        if not holds:
            self.failed += 1
            print("FAILED:", what, json.dumps(seen, default=str)[:400] if seen != "" else "")

    def near(self, what, a, b, tolerance):
        worst = max(abs(x - y) for x, y in zip(a, b)) if len(a) == len(b) else float("inf")
        self.ok(f"{what}: off by {worst:.2e}, at most {tolerance:.0e}", worst <= tolerance, [a, b])

    def finish(self):
        print(f"{self.made} checks, {self.failed} failed")
        sys.exit(1 if self.failed else 0)
