"""A headless browser, driven over a pipe: pages are tested as a reader meets them."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

_FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--no-first-run",
    "--remote-debugging-pipe",
)

# The browser reads commands from descriptor 3 and answers on 4.
_LAUNCHER = """
import os, sys
spare = [os.dup(int(number)) for number in sys.argv[1:3] for _ in range(4)]
os.dup2(spare[3], 3)
os.dup2(spare[7], 4)
os.execv(sys.argv[3], sys.argv[3:])
"""


class BrowserError(AssertionError):
    """The browser refused a command or a script failed."""


class Browser:
    """One browser process; ``open`` gives pages."""

    def __init__(self, profile: Path) -> None:
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()
        launch = [sys.executable, "-c", _LAUNCHER, str(to_browser), str(from_browser), CHROMIUM or ""]
        self._process = subprocess.Popen(
            [*launch, *_FLAGS, f"--user-data-dir={profile}", "about:blank"],
            pass_fds=(to_browser, from_browser),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self._rest = b""
        self._number = 0
        self.events: list[dict[str, Any]] = []

    def call(self, method: str, session: str = "", **parameters: Any) -> dict[str, Any]:
        """Send a command and wait for its answer; events that come in between are kept."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") != self._number:
                self.events.append(answer)
            elif "error" in answer:
                raise BrowserError(f"{method}: {answer['error']}")
            else:
                result: dict[str, Any] = answer["result"]
                return result

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            more = os.read(self._in, 1 << 16)
            if not more:
                raise BrowserError("The browser has gone.")
            self._rest += more
        line, _, self._rest = self._rest.partition(b"\0")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def wait_for(self, method: str, session: str) -> None:
        """Wait for an event of a page."""
        while True:
            for i, event in enumerate(self.events):
                if event.get("method") == method and event.get("sessionId") == session:
                    del self.events[i]
                    return
            self.events.append(self._read())

    @contextmanager
    def open(
        self, shown: Path | str, *, width: int = 1200, height: int = 900, dark: bool = False
    ) -> Iterator[Page]:
        """A page that shows a file, or what is at an address."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = Page(self, session)
        for domain in ("Page", "Runtime", "Log"):
            page.call(f"{domain}.enable")
        page.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        page.call("Emulation.setEmulatedMedia", features=[scheme])
        page.go(shown.absolute().as_uri() if isinstance(shown, Path) else shown)
        yield page
        self.call("Target.closeTarget", targetId=target)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._out)
        os.close(self._in)
        self._process.terminate()
        self._process.wait()


class Page:
    """One page in the browser."""

    def __init__(self, browser: Browser, session: str) -> None:
        self._browser = browser
        self._session = session

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """A command of the protocol, for this page."""
        return self._browser.call(method, self._session, **parameters)

    def js(self, expression: str) -> Any:
        """The value of an expression in the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise BrowserError(json.dumps(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def go(self, url: str) -> None:
        """Go to an address and wait until it is loaded."""
        self.call("Page.navigate", url=url)
        self.loaded()

    def loaded(self) -> None:
        """Wait until the page that is on its way is loaded."""
        self._browser.wait_for("Page.loadEventFired", self._session)
        self.settle()

    def until(self, condition: str) -> None:
        """Wait until an expression in the page is true; the test's own timeout ends a vain wait."""
        self.js(
            "new Promise(done => { const look = () => { let is = false; try { is = Boolean("
            f"{condition}"
            "); } catch { } if (is) done(1); else setTimeout(look, 30); }; look(); })"
        )

    def settle(self) -> None:
        """Wait until two frames have been drawn."""
        self.js("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def problems(self) -> list[str]:
        """Exceptions and complaints of the browser, refused requests and scripts included."""
        kinds = {"Runtime.exceptionThrown", "Log.entryAdded"}
        mine = [event for event in self._browser.events if event.get("sessionId") == self._session]
        return [json.dumps(event["params"]) for event in mine if event.get("method") in kinds]

    def click(self, x: float, y: float) -> None:
        """Press and release the left button."""
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            buttons = {} if kind == "mouseMoved" else {"button": "left", "clickCount": 1}
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **buttons)
        self.settle()

    def hover(self, x: float, y: float) -> None:
        """Move the pointer."""
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        self.settle()

    def press(self, key: str, *, shift: bool = False) -> None:
        """Press a key and let it go."""
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, modifiers=8 if shift else 0)
        self.settle()

    def screenshot(self, file: Path) -> None:
        """Save what is seen."""
        data = self.call("Page.captureScreenshot", format="png")["data"]
        file.write_bytes(base64.b64decode(data))
