"""Operations that both frontends share: they complete the arguments and call the extension.

Axes may be negative here, shapes may have a -1, and a number may stand for a tuple of one. The extension gets
complete arguments. `shape_of`, `size_of` and `device_of` read the array's own attributes; a frontend shows them in
its own spelling.
"""

import math
import threading

from . import _runahead as engine

Array = engine.Array
shape_of = Array.shape.__get__
device_of = Array.device.__get__
size_of = Array.size.__get__


class DType:
    """The type float32, which is the only one. It equals the names that other libraries use for it."""

    __slots__ = ("_text",)

    def __init__(self, text):
        self._text = text

    def __eq__(self, other):
        return is_float32(other)

    def __hash__(self):
        return hash("float32")

    def __repr__(self):
        return self._text


def is_float32(dtype):
    if isinstance(dtype, DType) or dtype is float or dtype == "float32":
        return True
    return getattr(dtype, "__name__", None) == "float32" or getattr(dtype, "name", None) == "float32"


def check_dtype(dtype):
    """Raises an error unless `dtype` is None or float32."""
    if dtype is not None and not is_float32(dtype):
        name = getattr(dtype, "__name__", None) or getattr(dtype, "name", None) or dtype
        raise TypeError(f"dtype {name}: Runahead's arrays are float32")


def as_shape(shape):
    """Returns the shape as a tuple of int."""
    return (int(shape),) if not hasattr(shape, "__iter__") else tuple(int(n) for n in shape)


def as_axis(axis, ndim):
    axis = int(axis)
    if not -ndim <= axis < ndim:
        raise ValueError(f"axis {axis}: the array has {ndim} axes")
    return axis + ndim if axis < 0 else axis


def as_axes(axis, ndim):
    """Returns a tuple of axes, or None for all axes."""
    if axis is None:
        return None
    axes = tuple(as_axis(one, ndim) for one in (axis if hasattr(axis, "__iter__") else (axis,)))
    if len(set(axes)) != len(axes):
        raise ValueError(f"axes {axis}: an axis appears twice")
    return axes


# ---- new arrays ----

def from_data(cls, data, device):
    """Makes an array from a number, a nested sequence of numbers, or anything with the buffer protocol."""
    if isinstance(data, Array):
        return engine.copy_to(data, device)
    if isinstance(data, (int, float)):
        return engine.full(cls, (), float(data), device)
    return engine.from_values(cls, data, None, device)


class _Seeds:
    """The seed of the process, and how many random arrays were made since it was set."""

    def __init__(self):
        self._lock = threading.Lock()  # guards both numbers
        self._seed = 0
        self._count = 0

    def set(self, seed):
        with self._lock:
            self._seed, self._count = int(seed), 0

    def next(self):
        """Returns (seed, stream): each random array has its own stream."""
        with self._lock:
            self._count += 1
            return self._seed, self._count


SEEDS = _Seeds()


def uniform(cls, shape, low, high, device):
    return engine.uniform(cls, as_shape(shape), float(low), float(high), *SEEDS.next(), device)


def normal(cls, shape, mean, deviation, device):
    return engine.normal(cls, as_shape(shape), float(mean), float(deviation), *SEEDS.next(), device)


def full_like(array, value):
    return engine.full(type(array), shape_of(array), value, device_of(array))


# ---- reductions ----

def reduce(name, array, axis=None, keepdims=False):
    return engine.reduce(name, array, as_axes(axis, array.ndim), bool(keepdims))


def argmax(array, axis=None):
    return engine.argmax(array, None if axis is None else as_axis(axis, array.ndim))


def softmax(array, axis=-1):
    return engine.softmax(array, as_axis(axis, array.ndim))


def log_softmax(array, axis=-1):
    return engine.log_softmax(array, as_axis(axis, array.ndim))


def is_close(a, b, rtol, atol):
    """An array with 1 where |a - b| <= atol + rtol * |b|."""
    return engine.unary("abs", a - b) <= engine.unary("abs", b) * rtol + atol


# ---- shapes ----

def complete_shape(shape, size):
    """Replaces a -1 in `shape`, for an array of `size` elements."""
    shape = as_shape(shape)
    if shape.count(-1) > 1 or any(n < -1 for n in shape):
        raise ValueError(f"reshape: {shape} has more than one unknown length")
    known = math.prod(n for n in shape if n != -1)
    if -1 in shape and known != 0 and size % known == 0:
        shape = tuple(size // known if n == -1 else n for n in shape)
    if math.prod(shape) != size:
        raise ValueError(f"reshape: {size} elements do not fill the shape {shape}")
    return shape


def reshape(array, shape):
    return engine.reshape(array, complete_shape(shape, size_of(array)))


def transpose(array, axes=None):
    return engine.transpose(array, None if axes is None else as_axes(axes, array.ndim))


def swap_axes(array, a, b):
    axes = list(range(array.ndim))
    a, b = as_axis(a, array.ndim), as_axis(b, array.ndim)
    axes[a], axes[b] = b, a
    return engine.transpose(array, tuple(axes))


def expand_dims(array, axis):
    shape = list(shape_of(array))
    shape.insert(as_axis(axis, len(shape) + 1), 1)
    return engine.reshape(array, tuple(shape))


def squeeze(array, axis=None):
    shape = shape_of(array)
    axes = range(len(shape)) if axis is None else as_axes(axis, len(shape))
    if axis is not None and any(shape[one] != 1 for one in axes):
        raise ValueError(f"squeeze: the shape {shape} has not length 1 along axis {axis}")
    return engine.reshape(array, tuple(n for i, n in enumerate(shape) if n != 1 or i not in axes))


def flatten_rows(array):
    """Makes a matrix: the first axis stays, the others become one."""
    shape = shape_of(array)
    return array if len(shape) == 2 else engine.reshape(array, (shape[0], math.prod(shape[1:])))


def broadcast_to(array, shape):
    return engine.broadcast_to(array, as_shape(shape))


def concat(arrays, axis):
    arrays = tuple(arrays)
    return engine.concat(arrays, as_axis(axis, arrays[0].ndim))


def stack(arrays, axis=0):
    return concat([expand_dims(array, axis) for array in arrays], axis)


def split(array, count, axis=0):
    """Splits into `count` parts of equal length."""
    shape = shape_of(array)
    axis = as_axis(axis, len(shape))
    if count < 1 or shape[axis] % count != 0:
        raise ValueError(f"split: {count} equal parts of an axis of length {shape[axis]} do not exist")
    length = shape[axis] // count
    return [slice_along(array, axis, i * length, (i + 1) * length) for i in range(count)]


def slice_along(array, axis, begin, end):
    ranges = [(0, n, 1) for n in shape_of(array)]
    ranges[axis] = (begin, end, 1)
    return engine.slice(array, tuple(ranges))


# ---- products ----

def dot(a, b):
    """The product of vectors and matrices, as numpy.dot defines it for up to two axes."""
    if a.ndim == 0 or b.ndim == 0:
        return a * b
    if a.ndim > 2 or b.ndim > 2:
        raise ValueError(f"dot: Runahead multiplies arrays of at most 2 axes, not {a.ndim} and {b.ndim}")
    return matmul(a, b)


def matmul(a, b):
    """The product of matrices. A vector is a row on the left and a column on the right. Leading axes are batches."""
    if a.ndim >= 2 and a.ndim == b.ndim:
        return engine.matmul(a, b, False, False)
    if a.ndim == 0 or b.ndim == 0:
        raise ValueError("matmul: an array without axes is no matrix")
    left = engine.reshape(a, (1,) + shape_of(a)) if a.ndim == 1 else a
    right = engine.reshape(b, shape_of(b) + (1,)) if b.ndim == 1 else b
    if left.ndim != right.ndim:
        batch = max(shape_of(left)[:-2], shape_of(right)[:-2], key=len)
        left = left if left.ndim > right.ndim else engine.broadcast_to(left, batch + shape_of(left))
        right = right if right.ndim == left.ndim else engine.broadcast_to(right, batch + shape_of(right))
    product = engine.matmul(left, right, False, False)
    shape = list(shape_of(product))
    if a.ndim == 1:
        del shape[-2]
    if b.ndim == 1:
        del shape[-1]
    return product if len(shape) == product.ndim else engine.reshape(product, tuple(shape))


def dense(x, weight, bias):
    """x @ weight.T + bias, for x of two axes or more: the last axis is multiplied."""
    if x.ndim == 2:
        return engine.dense(x, weight, bias)
    shape = shape_of(x)
    rows = engine.reshape(x, (math.prod(shape[:-1]), shape[-1]))
    return engine.reshape(engine.dense(rows, weight, bias), shape[:-1] + shape_of(weight)[:1])
