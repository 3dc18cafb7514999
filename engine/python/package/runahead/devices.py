"""Which device of the engine the frontends mean by "cpu" and by "GPU i".

GPU i is the simulated device virtual:i, unless set_gpus() names another one, such as cuda:0. The frontends report as
many GPUs as set_gpus() says; by default there are two, because programs for several GPUs need two.
"""

import sys

from . import _runahead

_DEFAULT_COUNT = 2

_names = {}       # GPU index -> name of the engine's device, for the GPUs that set_gpus() names
_count = None     # as set_gpus() says
_engine = {}      # ("gpu", index) -> _runahead.Device, for devices in use
_said = set()     # indices of the simulated GPUs that were announced


def set_gpus(count=None, names=None):
    """Sets the number of GPUs and the devices behind them. Call it before the first array is made on a GPU.

    count  how many GPUs the frontends report; None: two, or more if `names` has a larger index
    names  a dict from the index of a GPU to a device of the engine, such as {0: "cuda:0"}
    """
    global _count
    names = {} if names is None else dict(names)
    if any(index < 0 for index in names) or (count is not None and count < 0):
        raise ValueError("set_gpus: the count and the indices are 0 or more")
    for name in names.values():
        _runahead.device(name)  # raises an error for a device that does not exist or is not available
    _names.clear()
    _names.update(names)
    _engine.clear()
    _count = count


def gpu_count():
    """How many GPUs the frontends report."""
    return max(_DEFAULT_COUNT if _count is None else _count, max(_names, default=-1) + 1)


def cpu():
    """The engine's device for the CPU."""
    return _find("cpu", 0, "cpu")


def gpu(index):
    """The engine's device for a GPU. Says once on stderr if it is simulated."""
    if not 0 <= index < gpu_count():
        raise ValueError(f"GPU {index}: there {_count_in_words()}")
    device = _find("gpu", index, _behind(index))
    if device.simulated and index not in _said:
        _said.add(index)
        words = f"runahead: GPU {index} is simulated ({_behind(index)}): "
        if device.holds_values:
            print(f"{words}its values are real, its times come from a model of a slow GPU (--device-map "
                  f"gpu:{index}=virtual:{index},preset=h100: a fast one, without values)", file=sys.stderr)
        else:
            print(f"{words}its times come from a model, its arrays have no values", file=sys.stderr)
    return device


def place_of(device):
    """What a frontend calls this device: ("cpu", 0), or ("gpu", index)."""
    if device.name == "cpu":
        return "cpu", 0
    for index in range(gpu_count()):
        if _behind(index).partition(",")[0] == device.name:
            return "gpu", index
    return "gpu", device.index


def _behind(index):
    """The device behind a GPU as set_gpus() names it, such as "virtual:0" or "virtual:0,preset=h100"."""
    return _names.get(index, f"virtual:{index}")


def _find(kind, index, name):
    device = _engine.get((kind, index))
    if device is None:
        device = _engine[kind, index] = _runahead.device(name)
    return device


def _count_in_words():
    count = gpu_count()
    return "is no GPU" if count == 0 else "is 1 GPU, GPU 0" if count == 1 else f"are {count} GPUs, 0 to {count - 1}"
