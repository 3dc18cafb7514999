"""A case that drives the real window: opens the program on a display, with helpers that all cases share."""
import json
import os
import shutil

from display import Window

# Few bytes may be in flight: then a run touches little memory before its first step, and stops quickly.
RUN = ["--workload", "training_memory", "--device", "virtual:0", "--barrier", "none", "--limit", "bytes:128M"]
WORKLOAD = [*RUN, "--size", "1280x720"]


def live(report):
    return report["run"] is not None and report["run"]["live"]


def length(report):
    return report["view_ns"][1] - report["view_ns"][0]


class Case:
    def __init__(self, display, program, folder):
        self.display, self.program, self.folder = display, program, folder
        self.config = os.path.join(folder, "config")
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        # Motion (the animation between two views) is off, so that views change immediately. Cases about
        # motion turn it on.
        self.settings(motion=False)
        self.windows = []

    def settings(self, **values):
        os.makedirs(os.path.join(self.config, "runahead"), exist_ok=True)
        with open(os.path.join(self.config, "runahead", "settings.json"), "w") as file:
            json.dump(values, file)

    def open(self, *words, cwd=None, path=""):
        """path: a folder that comes first in the program's PATH."""
        window = Window(self.display, self.program, self.folder, list(words), self.config, cwd, path)
        self.windows.append(window)
        window.wait("the window has drawn", lambda r: r["frames"]["count"] >= 2 and "run" in r["widgets"])
        window.move(640, 300)
        return window

    def running(self):
        window = self.open(*WORKLOAD, "--autostart")
        window.wait("the workload has taken steps", lambda r: live(r) and r["run"]["steps"] > 5)
        return window

    def paused(self):
        """A paused run, with slices wide enough to click."""
        window = self.running()
        window.wait("there is something to see", lambda r: r["trace"]["slices"] > 200)
        window.key("space")
        report = window.wait("it is paused, and nothing is in flight",
                             lambda r: r["run"]["state"] == "paused" and r["run"]["ops_in_flight"] == 0)
        # Runahead samples the memory during a pause too. After two more memory samples, the collector has drained the
        # events of all threads.
        for _ in range(2):
            end = report["trace"]["extent_ns"][1]
            report = window.wait("the collector has delivered the rows from before the pause",
                                 lambda r: r["trace"]["extent_ns"][1] > end)
        self.zoom_to_work(window)
        self.over_plot(window)
        return window

    def zoom_to_work(self, window):
        """Zooms to the last work of a paused run; returns the slices that can be clicked."""
        # The live view is much longer than a short run, so most of it is empty. Therefore the complete run is shown
        # first, and the wheel turns at the time of the work. Where the last ops are short, work is a little earlier.
        at_ns = window.report()["trace"]["work_end_ns"] - 20_000_000
        of_work = lambda slice: slice["track"] not in ("main", "")
        for earlier_ns in (0, 100_000_000, 250_000_000, 500_000_000):
            window.key("Home")
            window.wait("the complete run is shown", lambda r: r["view_ns"][0] < 0 < at_ns < r["view_ns"][1])
            begin, end = window.still("the view stands", lambda r: r["view_ns"])
            # At its very edge the plot does not get the wheel.
            self.over_plot(window, x=min((at_ns - earlier_ns - begin) / (end - begin), 0.98))
            slices = self.zoom_if_slices(window, 4, 25, of_work)
            if slices:
                return slices
        raise AssertionError("there is no work near that time")

    def zoom_to_slices(self, window, wheel):
        """Turns the wheel (4 in, 5 out) until some slices can be clicked; returns them."""
        slices = self.zoom_if_slices(window, wheel, 40)
        assert slices, "no zoom shows slices wide enough to click"
        return slices

    def zoom_if_slices(self, window, wheel, notches, wanted=lambda slice: True):
        """Works like zoom_to_slices(), but returns None if no slices can be clicked after so many notches. At least one
        of the slices is `wanted`."""
        for _ in range(notches):
            slices = window.still("slices stand where they are", lambda r: r["slices"])
            if len(slices) >= 5 and any(map(wanted, slices)):
                return slices
            before = length(window.report())
            window.display.do("click", wheel)
            window.wait("the view is another", lambda r: length(r) != before)
        return None

    def over_plot(self, window, x=0.8, y=0.4):
        x0, y0, x1, y1 = window.wait("there is a plot", lambda r: r["plot"][2] > r["plot"][0])["plot"]
        at = x0 + (x1 - x0) * x, y0 + (y1 - y0) * y
        window.move(*at)
        return at

    def picture(self, name):
        self.display.picture(os.path.join(self.folder, name + ".png"))

    def quit(self, window):
        window.key("ctrl+q")
        assert window.wait_for_end() == 0, "the program ends with 0"


def middle_of(rect):
    return (rect[0] + rect[2]) / 2, (rect[1] + rect[3]) / 2


def lesson(report):
    return report["lesson"] or {}


class Skipped(Exception):
    """The reason why a case cannot run on this machine."""
