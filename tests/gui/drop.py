"""Drops files onto a window as a file manager does: the source's side of XDND 5 (freedesktop.org's drag and drop protocol),
spoken through Xlib.
"""
import ctypes
import select
import time
import urllib.request

PROPERTY_NEW_VALUE, SELECTION_REQUEST, SELECTION_NOTIFY, CLIENT_MESSAGE = 0, 30, 31, 33
VERSION = 5


class Message(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int),
                ("display", ctypes.c_void_p), ("window", ctypes.c_ulong), ("message_type", ctypes.c_ulong),
                ("format", ctypes.c_int), ("data", ctypes.c_long * 5)]


class SelectionRequest(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int),
                ("display", ctypes.c_void_p), ("owner", ctypes.c_ulong), ("requestor", ctypes.c_ulong),
                ("selection", ctypes.c_ulong), ("target", ctypes.c_ulong), ("property", ctypes.c_ulong),
                ("time", ctypes.c_ulong)]


class SelectionNotify(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int),
                ("display", ctypes.c_void_p), ("requestor", ctypes.c_ulong), ("selection", ctypes.c_ulong),
                ("target", ctypes.c_ulong), ("property", ctypes.c_ulong), ("time", ctypes.c_ulong)]


class Event(ctypes.Union):
    _fields_ = [("type", ctypes.c_int), ("message", Message), ("request", SelectionRequest), ("notify", SelectionNotify),
                ("room", ctypes.c_long * 24)]


class Source:
    def __init__(self, display_name, target):
        self.x11 = x11 = ctypes.CDLL("libX11.so.6")
        for name in ("XOpenDisplay",):
            getattr(x11, name).restype = ctypes.c_void_p
        for name in ("XInternAtom", "XDefaultRootWindow", "XCreateSimpleWindow"):
            getattr(x11, name).restype = ctypes.c_ulong
        self.display = ctypes.c_void_p(x11.XOpenDisplay(display_name.encode()))
        root = ctypes.c_ulong(x11.XDefaultRootWindow(self.display))
        self.target = ctypes.c_ulong(target)
        self.window = ctypes.c_ulong(x11.XCreateSimpleWindow(self.display, root, 0, 0, 1, 1, 0, ctypes.c_ulong(0),
                                                             ctypes.c_ulong(0)))

    def atom(self, name):
        return self.x11.XInternAtom(self.display, name.encode(), 0)

    def tell(self, message, *data):
        event = Event()
        event.message = Message(type=CLIENT_MESSAGE, window=self.target.value, message_type=self.atom(message), format=32)
        event.message.data[0] = self.window.value
        for index, word in enumerate(data, 1):
            event.message.data[index] = word
        self.x11.XSendEvent(self.display, self.target, 0, ctypes.c_long(0), ctypes.byref(event))
        self.x11.XFlush(self.display)

    def hear(self, message, deadline, uris):
        """Waits for this message from the target. Until then answers the target's requests for the dropped data."""
        event = Event()
        while True:
            while self.x11.XPending(self.display):
                self.x11.XNextEvent(self.display, ctypes.byref(event))
                if event.type == CLIENT_MESSAGE and event.message.message_type == self.atom(message):
                    return list(event.message.data)
                if event.type == SELECTION_REQUEST:
                    self.hand_over(event.request, uris)
            left = deadline - time.monotonic()
            if left <= 0:
                raise AssertionError(f"the window has not said {message}")
            select.select([self.x11.XConnectionNumber(self.display)], [], [], left)

    def hand_over(self, request, uris):
        self.x11.XChangeProperty(self.display, ctypes.c_ulong(request.requestor), ctypes.c_ulong(request.property),
                                 ctypes.c_ulong(request.target), 8, PROPERTY_NEW_VALUE, uris, len(uris))
        event = Event()
        event.notify = SelectionNotify(type=SELECTION_NOTIFY, requestor=request.requestor, selection=request.selection,
                                       target=request.target, property=request.property, time=request.time)
        self.x11.XSendEvent(self.display, ctypes.c_ulong(request.requestor), 0, ctypes.c_long(0), ctypes.byref(event))
        self.x11.XFlush(self.display)

    def close(self):
        self.x11.XCloseDisplay(self.display)


def drop_files(display_name, target, paths, x, y, seconds=30):
    """Drops these files at (x, y) of the screen; returns whether the window accepted them."""
    uris = "".join("file://" + urllib.request.pathname2url(path) + "\r\n" for path in paths).encode()
    deadline = time.monotonic() + seconds
    source = Source(display_name, target)
    try:
        selection, kind = source.atom("XdndSelection"), source.atom("text/uri-list")
        source.x11.XSetSelectionOwner(source.display, ctypes.c_ulong(selection), source.window, ctypes.c_ulong(0))
        source.tell("XdndEnter", VERSION << 24, kind)
        source.tell("XdndPosition", 0, x << 16 | y, 0, source.atom("XdndActionCopy"))
        accepts = source.hear("XdndStatus", deadline, uris)[1] & 1
        if not accepts:
            source.tell("XdndLeave")
            return False
        source.tell("XdndDrop", 0, 0)
        # In the protocol, this field is one bit: 1 means accepted. GLFW sends the number of bytes instead, so
        # any value except 0 means accepted.
        return source.hear("XdndFinished", deadline, uris)[1] != 0
    finally:
        source.close()
