"""Helpers that are the same for both frontends: timers and plots."""

import itertools
import sys
import time

from .. import _runahead as engine


class Timer:
    """Measures several durations."""

    def __init__(self):
        self.times = []
        self.start()

    def start(self):
        self.tik = time.time()

    def stop(self):
        """Ends the duration that start() began, and returns it in seconds."""
        self.times.append(time.time() - self.tik)
        return self.times[-1]

    def avg(self):
        return sum(self.times) / len(self.times)

    def sum(self):
        return sum(self.times)

    def cumsum(self):
        return list(itertools.accumulate(self.times))


class _Measured:
    """A scope that prints its duration, and is a slice on the timeline."""

    def __init__(self, zone_name):
        self._zone_name = zone_name

    def __enter__(self):
        self._zone = engine.zone(self._zone_name)
        self._zone.__enter__()
        self.timer = Timer()
        return self

    def __exit__(self, *error):
        seconds = self.timer.stop()
        self._zone.__exit__(*error)
        print(self._line(seconds))


class Benchmark(_Measured):
    """with Benchmark("name"): ... prints how long the scope took. The scope is also a slice on the timeline."""

    def __init__(self, description="Done"):
        super().__init__(description)
        self.description = description

    def _line(self, seconds):
        return f"{self.description}: {seconds:.4f} sec"


class benchmark(_Measured):
    """The Benchmark of early editions: `description` has a place for the seconds, such as %.4f."""

    def __init__(self, description="Done in %.4f sec"):
        super().__init__(description.partition("%")[0].strip(" :") or "benchmark")
        self.description = description

    def _line(self, seconds):
        return self.description % seconds


# ---- plots ----

def pyplot():
    """matplotlib.pyplot, or None if matplotlib is not installed. Says once on stderr that plots are missing."""
    try:
        import matplotlib.pyplot
        return matplotlib.pyplot
    except ImportError:
        if not _said:
            _said.append(True)
            print("runahead: matplotlib is not installed, so nothing is plotted", file=sys.stderr)
        return None


_said = []


def use_svg_display():
    """Does nothing outside of a notebook."""


def set_figsize(figsize=(3.5, 2.5)):
    """Sets the size of the next figures, in inches."""
    plt = pyplot()
    if plt is not None:
        plt.rcParams["figure.figsize"] = figsize


def set_axes(axes, xlabel, ylabel, xlim, ylim, xscale, yscale, legend):
    """Sets labels, limits and scales of a plot."""
    for set_one, value in ((axes.set_xlabel, xlabel), (axes.set_ylabel, ylabel), (axes.set_xscale, xscale),
                           (axes.set_yscale, yscale), (axes.set_xlim, xlim), (axes.set_ylim, ylim)):
        if value is not None:
            set_one(value)
    if legend:
        axes.legend(legend)
    axes.grid()


def plot(X, Y=None, xlabel=None, ylabel=None, legend=(), xlim=None, ylim=None, xscale="linear", yscale="linear",
         fmts=("-", "m--", "g-.", "r:"), figsize=(3.5, 2.5), axes=None):
    """Draws one curve or several. X alone is the values of the curves."""
    plt = pyplot()
    if plt is None:
        return
    curves = _curves(X if Y is None else Y)
    places = [list(range(len(curve))) for curve in curves] if Y is None else _curves(X)
    places = places * len(curves) if len(places) < len(curves) else places
    set_figsize(figsize)
    axes = plt.gca() if axes is None else axes
    axes.cla()
    for place, curve, style in zip(places, curves, itertools.cycle(fmts)):
        axes.plot(place, curve, style)
    set_axes(axes, xlabel, ylabel, xlim, ylim, xscale, yscale, legend)


def _curves(values):
    """A list of lists of numbers, from one curve or several, of any kind of array."""
    values = values.tolist() if hasattr(values, "tolist") else list(values)
    if values and hasattr(values[0], "__len__"):
        return [one.tolist() if hasattr(one, "tolist") else list(one) for one in values]
    return [values]
