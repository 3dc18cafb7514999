"""mx.nd: arrays and functions of MXNet 1.x."""

import types as _types

from .. import _runahead as _engine
from .. import array_file as _array_file
from .. import missing as _missing
from .. import ops as _ops
from . import array as _array
from . import numpy as np
from . import numpy_extension as npx
from .array import NDArray, clip, norm, pick, reshape, slice_axis, take, waitall
from .context import engine_device as _engine_device, place as _place

__getattr__ = _missing.names_of("mxnet.nd")

_creators = _array.creators(NDArray)
zeros, ones, empty, full = (_creators[name] for name in ("zeros", "ones", "empty", "full"))
array, arange, linspace, eye = (_creators[name] for name in ("array", "arange", "linspace", "eye"))

abs, cos, exp, floor, log, negative = map(_array.elementwise, ("abs", "cos", "exp", "floor", "log", "negative"))
reciprocal, relu, sigmoid, sign, sin = map(_array.elementwise, ("reciprocal", "relu", "sigmoid", "sign", "sin"))
sqrt, square, tanh = map(_array.elementwise, ("sqrt", "square", "tanh"))
add, subtract, multiply, divide, power = map(_array.binary, ("add", "subtract", "multiply", "divide", "power"))
maximum, minimum, equal, not_equal = map(_array.binary, ("maximum", "minimum", "equal", "not_equal"))
greater, greater_equal, lesser, lesser_equal = map(_array.binary, ("greater", "greater_equal", "less", "less_equal"))
elemwise_add, elemwise_sub, elemwise_mul, elemwise_div = add, subtract, multiply, divide
broadcast_add, broadcast_sub, broadcast_mul, broadcast_div = add, subtract, multiply, divide
broadcast_maximum, broadcast_minimum, broadcast_power = maximum, minimum, power
sum, mean, max, min, prod = map(_array.reduction, ("sum", "mean", "max", "min", "prod"))


def dot(lhs, rhs, transpose_a=False, transpose_b=False):
    """The product of two matrices or vectors."""
    if lhs.ndim == 2 and rhs.ndim == 2:
        return _engine.matmul(lhs, rhs, bool(transpose_a), bool(transpose_b))
    return _ops.dot(_ops.transpose(lhs) if transpose_a else lhs, _ops.transpose(rhs) if transpose_b else rhs)


def batch_dot(lhs, rhs, transpose_a=False, transpose_b=False):
    """The products of the matrices of two batches."""
    return _engine.matmul(lhs, rhs, bool(transpose_a), bool(transpose_b))


def argmax(data, axis=None):
    """The index of the largest element, as float32."""
    return _ops.argmax(data, axis)


def softmax(data, axis=-1):
    return _ops.softmax(data, axis)


def log_softmax(data, axis=-1):
    return _ops.log_softmax(data, axis)


def transpose(data, axes=None):
    return _ops.transpose(data, axes)


def expand_dims(data, axis):
    return _ops.expand_dims(data, axis)


def squeeze(data, axis=None):
    return _ops.squeeze(data, axis)


def flatten(data):
    """A matrix: the first axis stays, the others become one."""
    return _ops.flatten_rows(data)


Flatten = flatten


def broadcast_to(data, shape):
    return _ops.broadcast_to(data, shape)


def concat(*data, dim=1):
    """Joins arrays along an existing axis."""
    return _ops.concat(data, dim)


def stack(*data, axis=0):
    """Joins arrays along a new axis."""
    return _ops.stack(data, axis)


def split(data, num_outputs, axis=1):
    """Splits an array into equal parts."""
    return _ops.split(data, num_outputs, axis)


def add_n(*args):
    """The sum of arrays."""
    total = args[0]
    for one in args[1:]:
        total = total + one
    return total


def where(condition, x, y):
    """Where `condition` is not 0, the element of x, elsewhere that of y."""
    return _engine.where(condition, x, y)


def one_hot(indices, depth):
    return _engine.one_hot(indices, int(depth))


def zeros_like(data):
    return _ops.full_like(data, 0.0)


def ones_like(data):
    return _ops.full_like(data, 1.0)


def FullyConnected(data, weight, bias=None, num_hidden=None, no_bias=False, flatten=True):
    """data @ weight.T + bias. With `flatten`, all axes but the first count as one."""
    return npx.fully_connected(data, weight, bias, num_hidden, no_bias, flatten)


def Activation(data, act_type):
    """Applies relu, sigmoid or tanh to each element."""
    return npx.activation(data, act_type)


def save(fname, data):
    """Writes an array, a list or a dict of arrays, in the format of runahead.array_file."""
    if isinstance(data, NDArray):
        data = [data]
    named = data if isinstance(data, dict) else {str(i): one for i, one in enumerate(data)}
    _array_file.save(fname, named, None if isinstance(data, dict) else "list")


def load(fname):
    """Reads what save() wrote."""
    arrays, model = _array_file.load(fname, NDArray, _engine_device(None))
    return list(arrays.values()) if model == "list" else arrays


def _uniform(low=0.0, high=1.0, shape=(1,), dtype=None, ctx=None, device=None):
    """Random numbers between `low` and `high`."""
    return _ops.uniform(NDArray, shape, low, high, _place(ctx, device, dtype))


def _normal(loc=0.0, scale=1.0, shape=(1,), dtype=None, ctx=None, device=None):
    """Random numbers of a normal distribution with the mean `loc` and the deviation `scale`."""
    return _ops.normal(NDArray, shape, loc, scale, _place(ctx, device, dtype))


def _randn(*shape, loc=0.0, scale=1.0, dtype=None, ctx=None, device=None):
    return _normal(loc, scale, shape or (1,), dtype, ctx, device)


random = _types.ModuleType("runahead.mxnet.ndarray.random", "mx.nd.random: arrays of random numbers.")
random.uniform, random.normal, random.randn, random.seed = _uniform, _normal, _randn, _ops.SEEDS.set
random.__getattr__ = _missing.names_of("mxnet.nd.random")
random_uniform, random_normal = _uniform, _normal
