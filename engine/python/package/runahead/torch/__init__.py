"""PyTorch's names on Runahead's engine: what programs use to train small networks and to overlap copies.

All tensors are float32. Unlike PyTorch, tensors on the CPU are asynchronous too, and the engine orders ops by their
data, so streams need no synchronization. A slice or a reshape is a copy, not a view. A missing name raises an
AttributeError.
"""

from .. import array_file as _array_file
from .. import missing as _missing
from .. import ops as _ops
from .. import tape as _tape
from ._tensor import Tensor, device, engine_device as _engine_device, float32
from ._functions import *
from . import autograd, cuda, jit, nn, optim

__getattr__ = _missing.names_of("torch")
__version__ = "2.0.0+runahead"
float = float32


def is_tensor(obj):
    return isinstance(obj, Tensor)


def manual_seed(seed):
    """The random tensors that are made from now on depend on `seed` only. Before the first call, the seed is 0."""
    _ops.SEEDS.set(seed)


def is_grad_enabled():
    return _tape.is_recording()


def save(obj, f):
    """Writes a dict of tensors, such as a state_dict(), in the format of runahead.array_file."""
    if not isinstance(obj, dict) or not all(isinstance(one, Tensor) for one in obj.values()):
        raise _missing.unsupported("torch.save of anything but a dict of tensors")
    _array_file.save(f, obj)


def load(f, map_location=None):
    """Reads what save() wrote."""
    return _array_file.load(f, Tensor, _engine_device(map_location))[0]
