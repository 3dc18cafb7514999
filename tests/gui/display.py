"""A private display (Xvfb) with a mouse and a keyboard (xdotool), pictures of it, and a program that runs on it."""
import ctypes
import json
import os
import signal
import struct
import subprocess
import time
import zlib


class Display:
    """Starts on a free display number; ends the server by its process id."""

    def __init__(self, folder, width=1920, height=1080):
        self.folder = folder
        read_end, write_end = os.pipe()
        self.process = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write_end), "-screen", "0", f"{width}x{height}x24", "-fbdir", folder,
             "-nolisten", "tcp", "-noreset"],
            pass_fds=[write_end], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(write_end)
        with os.fdopen(read_end) as answer:
            number = answer.readline().strip()  # printed when the display accepts connections
        if not number:
            raise RuntimeError("Xvfb did not start")
        self.name = ":" + number

    def close(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=20)

    def environment(self):
        return {**os.environ, "DISPLAY": self.name}

    def do(self, *words):
        subprocess.run(["xdotool", *map(str, words)], env=self.environment(), check=True, timeout=20)

    def mouse(self):
        words = subprocess.run(["xdotool", "getmouselocation", "--shell"], env=self.environment(), check=True, timeout=20,
                               capture_output=True, text=True).stdout
        place = dict(line.split("=") for line in words.split())
        return int(place["X"]), int(place["Y"])

    def picture(self, path):
        """The whole screen as a PNG, from Xvfb's frame buffer (an xwd file: header, colours, rows)."""
        with open(os.path.join(self.folder, "Xvfb_screen0"), "rb") as file:
            data = file.read()
        header = struct.unpack(">25I", data[:100])
        header_size, width, height, row_bytes, colours = header[0], header[4], header[5], header[12], header[19]
        begin = header_size + colours * 12
        rows = bytearray()
        for y in range(height):
            row = data[begin + y * row_bytes:begin + y * row_bytes + width * 4]
            rgb = bytearray(width * 3)
            rgb[0::3], rgb[1::3], rgb[2::3] = row[2::4], row[1::4], row[0::4]
            rows += b"\0" + rgb
        chunk = lambda kind, body: (struct.pack(">I", len(body)) + kind + body +
                                    struct.pack(">I", zlib.crc32(kind + body)))
        with open(path, "wb") as file:
            file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">2I5B", width, height, 8, 2, 0, 0, 0)) +
                       chunk(b"IDAT", zlib.compress(bytes(rows), 1)) + chunk(b"IEND", b""))


class Window:
    """The program on a display. Its state comes from the report that it writes."""

    def __init__(self, display, program, folder, words, config, cwd=None, path=""):
        self.display = display
        self.report_path = os.path.join(folder, "report.json")
        if os.path.exists(self.report_path):
            os.remove(self.report_path)
        self.log = open(os.path.join(folder, "program.log"), "a")
        # The language is English wherever the test runs, unless the test asks for another.
        environment = {**display.environment(), "XDG_CONFIG_HOME": config, "XDG_RUNTIME_DIR": folder, "LC_ALL": "C.UTF-8"}
        if path:
            environment["PATH"] = path + os.pathsep + environment["PATH"]
        self.process = subprocess.Popen([program, "gui", *words, "--report", self.report_path], env=environment, cwd=cwd,
                                        stdout=self.log, stderr=self.log)

    def report(self):
        try:
            with open(self.report_path) as file:
                return json.load(file)
        except FileNotFoundError:
            return None

    def wait(self, what, condition, seconds=60):
        """Waits until condition(report) is true; returns that report. The deadline only guards against a hang."""
        deadline = time.monotonic() + seconds
        report = None
        while time.monotonic() < deadline:
            report = self.report()
            if report is not None and condition(report):
                return report
            if self.process.poll() is not None:
                raise AssertionError(f"the program ended ({self.process.returncode}) while waiting until {what}")
            time.sleep(0.03)  # between two checks of the condition
        brief = {k: v for k, v in (report or {}).items() if k not in ("widgets", "slices")}
        raise AssertionError(f"waited {seconds} s until {what}; the report says {json.dumps(brief)}")

    def move(self, x, y):
        at = round(x), round(y)
        # if the mouse is already at this place, xdotool waits 15 s for it to move
        if self.display.mouse() != at:
            self.display.do("mousemove", "--sync", *at)

    def still(self, what, read, seconds=30):
        """Returns read(report) once it is the same two frames later. The frame after a change has the new layout."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            first = self.wait(what, lambda r: read(r) is not None)
            later = first
            nudged = 0
            while later["frames"]["count"] < first["frames"]["count"] + 2 and time.monotonic() < deadline:
                # An idle window draws only after an event: then it draws several frames.
                if time.monotonic() > nudged + 0.5:
                    self.display.do("mousemove_relative", 1, 0, "mousemove_relative", "--", -1, 0)
                    nudged = time.monotonic()
                time.sleep(0.02)  # between two checks of the condition
                later = self.report() or first
            if read(later) == read(first):
                return read(later)
        raise AssertionError(f"for {seconds} s it kept moving: {what}")

    def middle_of(self, widget):
        x0, y0, x1, y1 = self.still(f"'{widget}' is on the screen", lambda r: r["widgets"].get(widget))
        return (x0 + x1) / 2, (y0 + y1) / 2

    def click(self, widget):
        x, y = self.middle_of(widget)
        self.display.do("mousemove", round(x), round(y), "click", 1)

    def key(self, *keys):
        self.display.do("key", *keys)

    def type(self, words):
        self.display.do("type", "--delay", "5", words)

    def id(self):
        """The X server's id of the window."""
        found = subprocess.run(["xdotool", "search", "--pid", str(self.process.pid), "--name", "Runahead"],
                               env=self.display.environment(), capture_output=True, text=True, timeout=20)
        ids = found.stdout.split()
        assert ids, "the window was not found on the display"
        return int(ids[0])

    def ask_to_close(self):
        """Sends WM_DELETE_WINDOW, as a desktop does when the close button is clicked."""
        send_delete(self.display.name, self.id())

    def wait_for_end(self, seconds=60):
        code = self.process.wait(timeout=seconds)
        self.log.close()
        return code

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


class _ClientMessage(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int),
                ("display", ctypes.c_void_p), ("window", ctypes.c_ulong), ("message_type", ctypes.c_ulong),
                ("format", ctypes.c_int), ("data", ctypes.c_long * 5), ("room", ctypes.c_long * 24)]


def send_delete(display_name, window):
    x11 = ctypes.CDLL("libX11.so.6")
    x11.XOpenDisplay.restype = ctypes.c_void_p
    x11.XInternAtom.restype = ctypes.c_ulong
    display = ctypes.c_void_p(x11.XOpenDisplay(display_name.encode()))
    protocols = x11.XInternAtom(display, b"WM_PROTOCOLS", 0)
    delete = x11.XInternAtom(display, b"WM_DELETE_WINDOW", 0)
    kClientMessage = 33
    event = _ClientMessage(type=kClientMessage, window=window, message_type=protocols, format=32)
    event.data[0] = delete
    x11.XSendEvent(display, ctypes.c_ulong(window), 0, ctypes.c_long(0), ctypes.byref(event))
    x11.XSync(display, 0)
    x11.XCloseDisplay(display)
