"""Headless Chromium by its DevTools protocol: open a file, look at it, read it, take its picture.

Data flow: HTML file, width, colour scheme -> what the page's own script answers
Run: pytest tests/batch/report/test_in_browser.py
"""

import base64
import itertools
import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
SECONDS = 120


class Page:
    """One tab. `said` collects what the page wrote to the console as an error, and what it asked the network for."""

    def __init__(self, wire: ClientConnection) -> None:
        self._wire, self._number = wire, itertools.count(1)
        self.errors: list[str] = []
        self.requests: list[str] = []
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.do(f"{domain}.enable")

    def open(self, file: Path, width: int, dark: bool, height: int = 900) -> None:
        """Load a file at a width in CSS pixels; a narrow one is a phone."""
        self.errors.clear()
        self.requests.clear()
        screen = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.do("Emulation.setDeviceMetricsOverride", **screen)
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.do("Emulation.setEmulatedMedia", features=scheme)
        self.do("Page.navigate", url=file.as_uri())
        self._until("Page.loadEventFired")
        # Two frames later every chart has its width.
        self.ask("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def ask(self, script: str) -> Any:
        """The value of an expression; raises AssertionError with the page's own error."""
        found = self.do("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True, userGesture=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def marks(self, chart: str) -> list[dict[str, str]]:
        """What each mark of a chart stands for, as the page has drawn it."""
        script = f'[...document.querySelectorAll("#{chart} .mark")].map(mark => ({{...mark.dataset}}))'
        found: list[dict[str, str]] = self.ask(script)
        return found

    def press(self, key: str) -> None:
        """One key, as a keyboard sends it."""
        text = {"Enter": "\r", " ": " "}.get(key)
        codes = {"Tab": 9, "Enter": 13, "Escape": 27, "ArrowRight": 39}
        for kind in ("keyDown", "keyUp"):
            more = {"text": text} if text and kind == "keyDown" else {}
            self.do("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=codes[key], **more)

    def picture(self, to: Path) -> None:
        """The whole page as PNG."""
        size = self.do("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        shot = self.do("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
        to.write_bytes(base64.b64decode(shot["data"]))

    def do(self, method: str, **params: Any) -> dict[str, Any]:
        """One command of the protocol, and its answer."""
        number = next(self._number)
        self._wire.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            message = self._heard()
            if message.get("id") == number:
                assert "error" not in message, f"{method}: {message['error']}"
                answer: dict[str, Any] = message["result"]
                return answer

    def _until(self, event: str) -> None:
        while self._heard().get("method") != event:
            pass

    def _heard(self) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(self._wire.recv(timeout=SECONDS))
        of = message.get("params", {})
        if message.get("method") == "Runtime.exceptionThrown":
            self.errors.append(str(of["exceptionDetails"]))
        elif message.get("method") == "Log.entryAdded" and of["entry"]["level"] == "error":
            self.errors.append(str(of["entry"]))
        elif message.get("method") == "Runtime.consoleAPICalled" and of["type"] in ("error", "warning", "assert"):
            self.errors.append(str(of["args"]))
        elif message.get("method") == "Network.requestWillBeSent":
            self.requests.append(of["request"]["url"])
        return message


@contextmanager
def browser(home: Path) -> Iterator[Page]:
    """A Chromium of its own, with its profile in `home`, for as long as the block lasts."""
    assert CHROMIUM, "no Chromium"
    # In a container there is no user namespace to make a sandbox of; the page is our own file.
    options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]
    options += ["--disable-background-networking", "--remote-debugging-port=0", f"--user-data-dir={home}"]
    with (home / "chromium.log").open("w") as log:
        process = subprocess.Popen([CHROMIUM, *options, "about:blank"], stdout=log, stderr=log)
    try:
        with connect(_tab(home, process), max_size=None) as wire:
            yield Page(wire)
    finally:
        process.terminate()
        process.wait(SECONDS)


def _tab(home: Path, process: "subprocess.Popen[bytes]") -> str:
    """The address of its first tab, once it listens."""
    import httpx

    told, give_up = home / "DevToolsActivePort", time.monotonic() + SECONDS
    while time.monotonic() < give_up:
        assert process.poll() is None, (home / "chromium.log").read_text()
        if told.exists() and (lines := told.read_text().splitlines()):
            for tab in httpx.get(f"http://127.0.0.1:{lines[0]}/json/list", trust_env=False).json():
                if tab["type"] == "page":
                    return str(tab["webSocketDebuggerUrl"])
        time.sleep(0.1)
    raise AssertionError(f"Chromium does not listen: {(home / 'chromium.log').read_text()}")
