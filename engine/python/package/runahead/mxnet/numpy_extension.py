"""mx.npx: what numpy has not: contexts, waits, and functions for neural networks."""

import types as _types

from .. import _runahead as _engine
from .. import missing as _missing
from .. import ops as _ops
from . import array as _array
from .array import pick, waitall
from .context import Context, Device, cpu, cpu_pinned, current_context, current_device, gpu, num_gpus

__getattr__ = _missing.names_of("mxnet.npx")

relu, sigmoid = map(_array.elementwise, ("relu", "sigmoid"))
seed = _ops.SEEDS.set
random = _types.ModuleType("runahead.mxnet.numpy_extension.random", "mx.npx.random: the seed.")
random.seed = seed
random.__getattr__ = _missing.names_of("mxnet.npx.random")

_np_mode = [False]


def set_np(shape=True, array=True, dtype=False):
    """From now on gluon makes parameters of the class mx.np.ndarray."""
    _np_mode[0] = bool(array)


def reset_np():
    """From now on gluon makes parameters of the class mx.nd.NDArray."""
    _np_mode[0] = False


def is_np_array():
    return _np_mode[0]


def array_class():
    """The class of arrays that gluon makes."""
    return _array.ndarray if _np_mode[0] else _array.NDArray


def softmax(data, axis=-1):
    return _ops.softmax(data, axis)


def log_softmax(data, axis=-1):
    return _ops.log_softmax(data, axis)


def one_hot(data, depth):
    return _engine.one_hot(data, int(depth))


def reshape_like(lhs, rhs):
    """A copy of `lhs` with the shape of `rhs`."""
    shape = _ops.shape_of(rhs)
    return lhs if _ops.shape_of(lhs) == shape else _ops.reshape(lhs, shape)


def fully_connected(x, weight, bias=None, num_hidden=None, no_bias=False, flatten=True):
    """x @ weight.T + bias. With `flatten`, all axes of x but the first count as one."""
    return _ops.dense(_ops.flatten_rows(x) if flatten else x, weight, None if no_bias else bias)


def activation(data, act_type="relu"):
    """Applies relu, sigmoid or tanh to each element."""
    if act_type not in ("relu", "sigmoid", "tanh"):
        raise _missing.unsupported(f"activation '{act_type}'")
    return _engine.unary(act_type, data)


def save(file, arr):
    """Writes arrays in the format of runahead.array_file."""
    from . import ndarray
    ndarray.save(file, arr)


def load(file):
    """Reads what save() wrote."""
    from . import ndarray
    return ndarray.load(file)
