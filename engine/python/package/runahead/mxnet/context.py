"""Contexts of MXNet 1.x, which MXNet 2.0 calls devices: cpu() and gpu(i)."""

import threading

from .. import devices, missing
from ..ops import check_dtype

__getattr__ = missing.names_of("mxnet.context")


class Context:
    """A place for arrays: Context("gpu", 1), or a scope that makes it the default: `with mx.gpu(1): ...`."""

    __slots__ = ("device_type", "device_id")
    _TYPES = ("cpu", "gpu", "cpu_pinned")

    def __init__(self, device_type, device_id=0):
        if isinstance(device_type, Context):
            device_type, device_id = device_type.device_type, device_type.device_id
        if device_type not in self._TYPES:
            raise ValueError(f"context '{device_type}': there are cpu and gpu")
        self.device_type = device_type
        self.device_id = int(device_id)

    def __eq__(self, other):
        return (isinstance(other, Context) and self.device_type == other.device_type
                and self.device_id == other.device_id)

    def __hash__(self):
        return hash((self.device_type, self.device_id))

    def __repr__(self):
        return f"{self.device_type}({self.device_id})"

    def __enter__(self):
        _scopes.stack.append(self)
        return self

    def __exit__(self, *error):
        _scopes.stack.pop()

    def empty_cache(self):
        """Does nothing: the engine's memory pools keep freed memory for later arrays."""


Device = Context


class _Scopes(threading.local):
    def __init__(self):  # runs once in each thread
        self.stack = []


_scopes = _Scopes()


def cpu(device_id=0):
    """The CPU."""
    return Context("cpu", device_id)


def cpu_pinned(device_id=0):
    """The CPU. Arrays are in ordinary memory; copies decide themselves whether they use pinned memory."""
    return Context("cpu_pinned", device_id)


def gpu(device_id=0):
    """GPU `device_id`: simulated, unless runahead.set_gpus() or --device-map names a CUDA device."""
    return Context("gpu", device_id)


def num_gpus():
    """The number of GPUs, simulated ones included."""
    return devices.gpu_count()


def current_context():
    """The default place for new arrays of this thread."""
    return _scopes.stack[-1] if _scopes.stack else _CPU


current_device = current_context

_CPU = Context("cpu", 0)
_known = {}  # _runahead.Device -> Context


def engine_device(context):
    """The engine's device for a Context; None: the current context."""
    if context is None:
        context = current_context()
    if not isinstance(context, Context):
        raise TypeError(f"{context!r} is not a context such as mx.cpu() or mx.gpu(0)")
    return devices.gpu(context.device_id) if context.device_type == "gpu" else devices.cpu()


def place(ctx, device, dtype):
    """The engine's device for a new array. `ctx` (MXNet 1.x) and `device` (2.0) mean the same."""
    check_dtype(dtype)
    return engine_device(ctx if device is None else device)


def context_of(device):
    """The Context that means this device of the engine."""
    context = _known.get(device)
    if context is None:
        context = _known[device] = Context(*devices.place_of(device))
    return context
