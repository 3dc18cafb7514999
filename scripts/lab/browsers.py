"""Browsers that check-pages drives: a headless Chromium and a headless Firefox, with the same functions.

Chromium is spoken to through the pipe of its DevTools protocol, Firefox through WebDriver BiDi, which is JSON on a
WebSocket. Both need only Python's standard library. A failed call ends the program with one line.
"""
import base64
import fcntl
import json
import os
import re
import select
import shutil
import socket
import struct
import subprocess
import sys
import time


class Broken(Exception):
    """The browser refused a call, or a script threw."""


class Browser:
    """What both browsers do. Coordinates are CSS pixels of the page. `value` returns what an expression gives, once its
    promise is fulfilled."""

    name = ""

    def evaluate(self, expression):
        raise NotImplementedError

    def value(self, expression):
        try:
            return self.evaluate(expression)
        except Broken as error:
            sys.exit(f"check-pages: {self.name}: {expression}: {error}")

    def wait(self, what, expression, seconds=60):
        end = time.monotonic() + seconds
        while True:
            try:
                if self.evaluate(expression):
                    return
            except Broken:
                pass  # the page is not there yet
            if time.monotonic() > end:
                sys.exit(f"check-pages: {self.name}: after {seconds} s not yet: {what}")
            time.sleep(0.01)

    def click(self, x, y):
        self.move(x, y)
        self.press(x, y)
        self.release(x, y)


class Chromium(Browser):
    name = "Chromium"
    program = "chromium"

    def __init__(self, size, folder):
        to_read, self.out = os.pipe()
        self.into, to_write = os.pipe()
        width, height = size.split("x")

        # Descriptors 3 and 4 are those of the protocol. The copies keep them from being overwritten before they are used.
        def connect():
            copies = [fcntl.fcntl(one, fcntl.F_DUPFD, 10) for one in (to_read, to_write)]
            os.dup2(copies[0], 3)
            os.dup2(copies[1], 4)

        self.process = subprocess.Popen(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run",
             f"--user-data-dir={folder}/chromium", f"--window-size={width},{height}", "about:blank"],
            preexec_fn=connect, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.number, self.buffer, self.events, self.session = 0, b"", [], None
        target = self.call("Target.getTargets")["targetInfos"]
        page = next(one["targetId"] for one in target if one["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")
        self.resize(size)

    def resize(self, size):
        width, height = size.split("x")
        self.call("Emulation.setDeviceMetricsOverride", width=int(width), height=int(height), deviceScaleFactor=1,
                  mobile=False)

    def message(self):
        while b"\0" not in self.buffer:
            more = os.read(self.into, 1 << 20)
            if not more:
                sys.exit("check-pages: Chromium ended")
            self.buffer += more
        text, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(text)

    def call(self, method, **parameters):
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.out, json.dumps(request).encode() + b"\0")
        while True:
            answer = self.message()
            if answer.get("id") == self.number:
                if "error" in answer:
                    sys.exit(f"check-pages: {method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, url):
        self.events.clear()
        self.call("Page.navigate", url=url)

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise Broken(answer["exceptionDetails"]["exception"].get("description"))
        return answer["result"].get("value")

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def move(self, x, y, down=False):
        self.mouse("mouseMoved", x, y, **({"button": "left", "buttons": 1} if down else {}))

    def press(self, x, y):
        self.mouse("mousePressed", x, y, button="left", clickCount=1)

    def release(self, x, y):
        self.mouse("mouseReleased", x, y, button="left", clickCount=1)

    def wheel(self, x, y, down):
        self.mouse("mouseWheel", x, y, deltaX=0, deltaY=down)

    def key(self, code, key, shift=False):
        # Chromium performs Tab and Enter only with the number of the key.
        number = {"Tab": 9, "Enter": 13, "Escape": 27, "Home": 36, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39,
                  "ArrowDown": 40}.get(key, 0)
        text = {"text": "\r"} if key == "Enter" else {}
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, code=code, key=key, windowsVirtualKeyCode=number,
                      modifiers=8 if shift else 0, **(text if kind == "keyDown" else {}))

    def touch(self, fingers):
        """Each finger is a list of points: it goes down at the first, moves to the others and goes up at the last."""
        self.call("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=5)

        def points(step):
            return [{"x": path[step][0], "y": path[step][1], "id": number} for number, path in enumerate(fingers)]

        self.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=points(0))
        for step in range(1, len(fingers[0])):
            self.call("Input.dispatchTouchEvent", type="touchMove", touchPoints=points(step))
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        self.call("Emulation.setTouchEmulationEnabled", enabled=False)

    def picture(self, path):
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot")["data"]))

    def pdf(self):
        return base64.b64decode(self.call("Page.printToPDF", printBackground=False)["data"])

    def requests(self):
        """The addresses of all requests since the page was opened."""
        return [one["params"]["request"]["url"] for one in self.events if one.get("method") == "Network.requestWillBeSent"]

    def said(self):
        """Messages, errors and dialogs since the page was opened."""
        return [one for one in self.events if one.get("method") in (
            "Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled", "Page.javascriptDialogOpening")]

    def accessible(self):
        """What a screen reader is told: a list of {role, name, description, and the states that are set}."""
        nodes = []
        for node in self.call("Accessibility.getFullAXTree")["nodes"]:
            if node.get("ignored"):
                continue
            told = {one["name"]: one["value"].get("value") for one in node.get("properties", [])}
            for field in ("role", "name", "description"):
                told[field] = node.get(field, {}).get("value", "")
            nodes.append(told)
        return nodes

    def peak_bytes(self):
        """The most memory that one process of the browser had, in bytes."""
        return most_memory(self.process.pid)

    def close(self):
        self.session = None
        self.call("Browser.close")
        self.process.wait()


class WebSocket:
    """A client's end of a WebSocket (RFC 6455) that carries texts."""

    def __init__(self, host, port, path):
        self.socket = socket.create_connection((host, port))
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                             f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n").encode())
        self.file = self.socket.makefile("rb")
        if b" 101 " not in self.file.readline():
            sys.exit("check-pages: Firefox refused the connection")
        while self.file.readline().strip():
            pass

    def frame(self, kind, data):
        mask = os.urandom(4)
        size = len(data)
        length = bytes([0x80 | size]) if size < 126 else struct.pack(">BH", 0xFE, size) if size < 65536 \
            else struct.pack(">BQ", 0xFF, size)
        repeated = (mask * (size // 4 + 1))[:size]
        masked = (int.from_bytes(data, "big") ^ int.from_bytes(repeated, "big")).to_bytes(size, "big")
        self.socket.sendall(bytes([0x80 | kind]) + length + mask + masked)

    def send(self, text):
        self.frame(1, text.encode())

    def receive(self):
        text = b""
        while True:
            head = self.file.read(2)
            if len(head) < 2:
                sys.exit("check-pages: Firefox ended")
            size = head[1] & 0x7F
            if size >= 126:
                size = int.from_bytes(self.file.read(2 if size == 126 else 8), "big")
            data = self.file.read(size)
            kind = head[0] & 0x0F
            if kind == 9:
                self.frame(10, data)
            elif kind < 8:
                text += data
                if head[0] & 0x80:
                    return text.decode()


def plain(told):
    """The value that a BiDi value describes."""
    kind, value = told["type"], told.get("value")
    if kind in ("array", "set"):
        return [plain(one) for one in value]
    if kind == "object":
        return {name if isinstance(name, str) else plain(name): plain(one) for name, one in value}
    if kind in ("undefined", "null"):
        return None
    return float(value) if kind == "number" and isinstance(value, str) else value


class Firefox(Browser):
    name = "Firefox"
    program = "firefox-esr"
    KEYS = {"Tab": "\ue004", "Enter": "\ue006", "Escape": "\ue00c", "Home": "\ue011", "ArrowLeft": "\ue012",
            "ArrowUp": "\ue013", "ArrowRight": "\ue014", "ArrowDown": "\ue015"}

    def __init__(self, size, folder):
        profile = os.path.join(folder, "firefox")
        os.mkdir(profile)
        self.process = subprocess.Popen(
            ["firefox-esr", "--headless", "--remote-debugging-port", "0", "--profile", profile, "--no-remote", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        host, port = self.address()
        self.web = WebSocket(host, port, "/session")
        self.number, self.events = 0, []
        self.call("session.new", capabilities={"alwaysMatch": {"unhandledPromptBehavior": {"default": "ignore"}}})
        self.call("session.subscribe", events=["network.beforeRequestSent", "log.entryAdded", "browsingContext.userPromptOpened"])
        self.context = self.call("browsingContext.getTree")["contexts"][0]["context"]
        self.resize(size)

    def resize(self, size):
        width, height = size.split("x")
        self.call("browsingContext.setViewport", context=self.context, viewport={"width": int(width), "height": int(height)})

    def address(self):
        """Where Firefox listens: it says so on stderr."""
        said, end = b"", time.monotonic() + 60
        while time.monotonic() < end:
            if select.select([self.process.stderr], [], [], 1)[0]:
                more = os.read(self.process.stderr.fileno(), 1 << 16)
                said += more
                found = re.search(rb"BiDi listening on ws://([^:\s]+):(\d+)", said)
                if found:
                    return found[1].decode(), int(found[2])
                if not more:
                    break
        sys.exit(f"check-pages: Firefox did not start: {said[-400:].decode(errors='replace')}")

    def call(self, method, **parameters):
        self.number += 1
        self.web.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self.web.receive())
            if answer.get("id") == self.number:
                if answer["type"] == "error":
                    raise Broken(f"{method}: {answer['message']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, url):
        self.events.clear()
        self.call("browsingContext.navigate", context=self.context, url=url, wait="none")
        self.wait("the page is loaded", f"location.href.split('#')[0] === {json.dumps(url.split('#')[0])}")

    def evaluate(self, expression):
        answer = self.call("script.evaluate", expression=expression, target={"context": self.context}, awaitPromise=True,
                           userActivation=True)
        if answer["type"] == "exception":
            raise Broken(answer["exceptionDetails"]["text"])
        return plain(answer["result"])

    def act(self, *sources):
        self.call("input.performActions", context=self.context, actions=list(sources))

    def mouse(self, *actions):
        self.act({"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": list(actions)})

    def move(self, x, y, down=False):
        self.mouse({"type": "pointerMove", "x": round(x), "y": round(y)})

    def press(self, x, y):
        self.mouse({"type": "pointerDown", "button": 0})

    def release(self, x, y):
        self.mouse({"type": "pointerMove", "x": round(x), "y": round(y)}, {"type": "pointerUp", "button": 0})

    def wheel(self, x, y, down):
        self.act({"type": "wheel", "id": "wheel", "actions": [
            {"type": "scroll", "x": round(x), "y": round(y), "deltaX": 0, "deltaY": down}]})

    def key(self, code, key, shift=False):
        value = self.KEYS.get(key, key)
        held = [("keyDown", "\ue008")] if shift else []
        let = [("keyUp", "\ue008")] if shift else []
        self.act({"type": "key", "id": "keys", "actions": [
            {"type": kind, "value": one} for kind, one in held + [("keyDown", value), ("keyUp", value)] + let]})

    def touch(self, fingers):
        def moves(path):
            points = [{"type": "pointerMove", "x": round(x), "y": round(y), "duration": 20} for x, y in path]
            return [points[0], {"type": "pointerDown", "button": 0}, *points[1:], {"type": "pointerUp", "button": 0}]

        self.act(*({"type": "pointer", "id": f"finger {number}", "parameters": {"pointerType": "touch"}, "actions": moves(path)}
                   for number, path in enumerate(fingers)))
        self.call("input.releaseActions", context=self.context)

    def picture(self, path):
        path.write_bytes(base64.b64decode(self.call("browsingContext.captureScreenshot", context=self.context)["data"]))

    def pdf(self):
        return base64.b64decode(self.call("browsingContext.print", context=self.context)["data"])

    def requests(self):
        return [one["params"]["request"]["url"] for one in self.events if one.get("method") == "network.beforeRequestSent"]

    def said(self):
        return [one for one in self.events if one.get("method") in ("log.entryAdded", "browsingContext.userPromptOpened")]

    def accessible(self):
        return None  # BiDi does not show the whole tree

    def finds(self, role, name):
        """True if a screen reader finds an element with this role and name."""
        return bool(self.call("browsingContext.locateNodes", context=self.context, maxNodeCount=1, locator={
            "type": "accessibility", "value": {"role": role, "name": name}})["nodes"])

    def peak_bytes(self):
        return most_memory(self.process.pid)

    def close(self):
        try:
            self.call("browser.close")
        except Broken:
            self.process.terminate()
        self.process.wait()


def most_memory(root):
    """The largest resident set that a process below `root` ever had, in bytes."""
    parents, peaks = {}, {}
    for entry in os.listdir("/proc"):
        try:
            with open(f"/proc/{entry}/status", encoding="utf-8", errors="replace") as file:
                fields = dict(line.split(":", 1) for line in file if ":" in line)
            parents[int(entry)] = int(fields["PPid"])
            peaks[int(entry)] = int(fields.get("VmHWM", "0 kB").split()[0]) * 1024
        except (OSError, ValueError):
            continue

    def below(process):
        while process in parents and process != root:
            process = parents[process]
        return process == root

    return max((peak for process, peak in peaks.items() if below(process)), default=0)


BROWSERS = {"chromium": Chromium, "firefox": Firefox}


def installed(name):
    return shutil.which(BROWSERS[name].program) is not None
