"""torch.cuda: the GPUs, simulated ones included.

The engine itself chooses streams and orders ops by their data. So a Stream here is only a name: ops inside
`with torch.cuda.stream(s)` run as they would outside, and wait_stream() and wait_event() have nothing to do.
"""

from .. import _runahead as _engine
from .. import devices as _devices
from .. import missing as _missing
from ._tensor import current_gpu as _current, device as _device, engine_device as _engine_device

__getattr__ = _missing.names_of("torch.cuda")


def device_count():
    """The number of GPUs, simulated ones included."""
    return _devices.gpu_count()


def is_available():
    return device_count() > 0


def current_device():
    """The index of the GPU that "cuda" means."""
    return _current[0]


def _index(place):
    if isinstance(place, int):
        return place
    index = _device(place).index
    return _current[0] if index is None else index


def _index_or_current(place):
    return _current[0] if place is None else _index(place)


def set_device(device):
    """Sets the GPU that "cuda" means."""
    _current[0] = _index(device)


class device:
    """A scope in which "cuda" means this GPU."""

    def __init__(self, device):
        self._wanted = _index(device)

    def __enter__(self):
        self._before, _current[0] = _current[0], self._wanted

    def __exit__(self, *error):
        _current[0] = self._before


def get_device_name(device=None):
    place = _engine_device(_device("cuda", _index_or_current(device)))
    return f"{place.name} (simulated)" if place.simulated else place.name


def synchronize(device=None):
    """Waits until all ops of one GPU have ended; None: of the current GPU."""
    _engine.wait_device(_engine_device(_device("cuda", _index_or_current(device))), "synchronize")


def empty_cache():
    """Does nothing: the engine's memory pools keep freed memory for later tensors."""


class Stream:
    """A name for a stream of a GPU. It does not change where or when ops run; see the module."""

    def __init__(self, device=None, priority=0):
        self.device = _device("cuda", _index_or_current(device))

    def synchronize(self):
        """Waits until all ops of the stream's GPU have ended: at least those of the stream."""
        synchronize(self.device)

    def wait_stream(self, stream):
        """Does nothing: ops wait for their inputs by themselves."""

    def wait_event(self, event):
        """Does nothing: ops wait for their inputs by themselves."""

    def record_event(self, event=None):
        event = Event() if event is None else event
        event.record(self)
        return event

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass


def stream(stream):
    """A scope for ops of a stream. It has no effect; see the module."""
    return stream if stream is not None else Stream()


def current_stream(device=None):
    return Stream(device)


default_stream = current_stream


class Event:
    """A point in the work of a GPU. It can be waited for, but it measures no time: see the timeline for this."""

    def __init__(self, enable_timing=False, blocking=False, interprocess=False):
        self._device = None

    def record(self, stream=None):
        self._device = (Stream() if stream is None else stream).device

    def synchronize(self):
        """Waits until all ops of the GPU have ended: at least those enqueued before record()."""
        if self._device is not None:
            synchronize(self._device)

    def wait(self, stream=None):
        """Does nothing: ops wait for their inputs by themselves."""

    def query(self):
        raise _missing.unsupported("Event.query()")

    def elapsed_time(self, end_event):
        raise _missing.unsupported("Event.elapsed_time(); the timeline of a recording has the times of all ops:")
