"""mx.np: arrays and functions in the spelling of numpy."""

import math as _math
import types as _types

from .. import _runahead as _engine
from .. import missing as _missing
from .. import ops as _ops
from . import array as _array
from .array import clip, float32, ndarray, take
from .context import place as _place

__getattr__ = _missing.names_of("mxnet.np")

pi, e, inf, nan, newaxis = _math.pi, _math.e, _math.inf, _math.nan, None

_creators = _array.creators(ndarray)
zeros, ones, empty, full = (_creators[name] for name in ("zeros", "ones", "empty", "full"))
array, arange, linspace, eye = (_creators[name] for name in ("array", "arange", "linspace", "eye"))

abs, cos, exp, floor, log, negative = map(_array.elementwise, ("abs", "cos", "exp", "floor", "log", "negative"))
reciprocal, sign, sin, sqrt, square, tanh = map(
    _array.elementwise, ("reciprocal", "sign", "sin", "sqrt", "square", "tanh"))
absolute = abs
add, subtract, multiply, divide, power = map(_array.binary, ("add", "subtract", "multiply", "divide", "power"))
maximum, minimum, equal, not_equal = map(_array.binary, ("maximum", "minimum", "equal", "not_equal"))
greater, greater_equal, less, less_equal = map(_array.binary, ("greater", "greater_equal", "less", "less_equal"))
true_divide = divide
sum, mean, max, min, prod = map(_array.reduction, ("sum", "mean", "max", "min", "prod"))
amax, amin = max, min


def var(a, axis=None, keepdims=False):
    """The mean of the squared distances from the mean."""
    return mean(square(a - mean(a, axis, keepdims=True)), axis, keepdims=keepdims)


def dot(a, b):
    """The product of two matrices or vectors."""
    return _ops.dot(a, b)


def matmul(a, b):
    """The product of matrices; leading axes are batches."""
    return _ops.matmul(a, b)


def argmax(a, axis=None):
    """The index of the largest element, as float32."""
    return _ops.argmax(a, axis)


def reshape(a, newshape):
    """A copy with another shape. A -1 stands for the length that fits."""
    return _ops.reshape(a, newshape)


def transpose(a, axes=None):
    return _ops.transpose(a, axes)


def swapaxes(a, axis1, axis2):
    return _ops.swap_axes(a, axis1, axis2)


def expand_dims(a, axis):
    return _ops.expand_dims(a, axis)


def squeeze(a, axis=None):
    return _ops.squeeze(a, axis)


def broadcast_to(array, shape):
    return _ops.broadcast_to(array, shape)


def concatenate(seq, axis=0):
    """Joins arrays along an existing axis."""
    return _ops.concat(seq, axis)


def stack(arrays, axis=0):
    """Joins arrays along a new axis."""
    return _ops.stack(arrays, axis)


def split(ary, indices_or_sections, axis=0):
    """Splits an array into equal parts."""
    if hasattr(indices_or_sections, "__iter__"):
        raise _missing.unsupported("split at given indices")
    return _ops.split(ary, indices_or_sections, axis)


def where(condition, x, y):
    """Where `condition` is not 0, the element of x, elsewhere that of y."""
    return _engine.where(condition, x, y)


def zeros_like(a):
    return _ops.full_like(a, 0.0)


def ones_like(a):
    return _ops.full_like(a, 1.0)


def full_like(a, fill_value):
    return _ops.full_like(a, float(fill_value))


def copy(a):
    return a.copy()


def _uniform(low=0.0, high=1.0, size=None, dtype=None, ctx=None, device=None):
    """Random numbers between `low` and `high`."""
    return _ops.uniform(ndarray, () if size is None else size, low, high, _place(ctx, device, dtype))


def _normal(loc=0.0, scale=1.0, size=None, dtype=None, ctx=None, device=None):
    """Random numbers of a normal distribution with the mean `loc` and the deviation `scale`."""
    return _ops.normal(ndarray, () if size is None else size, loc, scale, _place(ctx, device, dtype))


def _rand(*size):
    """Random numbers between 0 and 1."""
    return _uniform(size=size)


def _randn(*size, dtype=None, ctx=None, device=None):
    """Random numbers of the standard normal distribution."""
    return _normal(0.0, 1.0, size, dtype, ctx, device)


def _norm(x, ord=None, axis=None, keepdims=False):
    """The Euclidean norm."""
    return _array.norm(x, 2 if ord is None else ord, axis, keepdims)


random = _types.ModuleType("runahead.mxnet.numpy.random", "mx.np.random: arrays of random numbers.")
random.uniform, random.normal, random.rand, random.randn, random.seed = _uniform, _normal, _rand, _randn, _ops.SEEDS.set
random.__getattr__ = _missing.names_of("mxnet.np.random")

linalg = _types.ModuleType("runahead.mxnet.numpy.linalg", "mx.np.linalg: norms.")
linalg.norm = _norm
linalg.__getattr__ = _missing.names_of("mxnet.np.linalg")
