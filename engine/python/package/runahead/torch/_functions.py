"""The functions of the module torch."""

import functools as _functools

from .. import _runahead as _engine
from .. import missing as _missing
from .. import ops as _ops
from .. import tape as _tape
from ._tensor import Size, Tensor, engine_device as _engine_device

__all__ = """
    Size abs add allclose arange argmax as_tensor bmm cat clamp concat cos div dot empty enable_grad equal exp eye
    flatten from_numpy full full_like linspace log log_softmax matmul max maximum mean min minimum mm mul mv neg
    no_grad norm normal ones ones_like permute pow rand rand_like randn randn_like relu reshape set_grad_enabled
    sigmoid sign sin softmax split sqrt square squeeze stack sub sum t tanh tensor transpose unsqueeze where zeros
    zeros_like
""".split()


# ---- new tensors ----

def _new(tensor, requires_grad):
    return tensor.requires_grad_() if requires_grad else tensor


def _shape(size, keyword):
    """Takes a shape as one argument, as several, or as the keyword size."""
    if keyword is not None:
        return _ops.as_shape(keyword)
    return _ops.as_shape(size[0] if len(size) == 1 else size)


def _place(device, dtype):
    _ops.check_dtype(dtype)
    return _engine_device(device)


def _filled(value, name):
    def function(*sizes, size=None, dtype=None, device=None, requires_grad=False):
        return _new(_engine.full(Tensor, _shape(sizes, size), value, _place(device, dtype)), requires_grad)
    function.__name__ = name
    function.__doc__ = f"A new tensor of {'zeros' if value == 0 else 'ones'}."
    return function


zeros, ones, empty = _filled(0.0, "zeros"), _filled(1.0, "ones"), _filled(0.0, "empty")


def full(size, fill_value, dtype=None, device=None, requires_grad=False):
    """A new tensor with the same value everywhere."""
    return _new(_engine.full(Tensor, _ops.as_shape(size), float(fill_value), _place(device, dtype)), requires_grad)


def tensor(data, dtype=None, device=None, requires_grad=False):
    """A new tensor with the values of a number, nested sequences or a numpy array. It is float32, also for integers."""
    return _new(_ops.from_data(Tensor, data, _place(device, dtype)).detach(), requires_grad)


def as_tensor(data, dtype=None, device=None):
    """A tensor with these values. A tensor that is on the device already is not copied."""
    if isinstance(data, Tensor):
        return data if device is None else data.to(device)
    return tensor(data, dtype, device)


def from_numpy(ndarray):
    """A new tensor with the values of a numpy array. Unlike PyTorch's, it is a copy."""
    return tensor(ndarray)


def arange(start, end=None, step=1, dtype=None, device=None, requires_grad=False):
    """The numbers from `start` to before `end`, as float32."""
    start, end = (0, start) if end is None else (start, end)
    made = _engine.arange(Tensor, float(start), float(end), float(step), _place(device, dtype))
    return _new(made, requires_grad)


def linspace(start, end, steps, dtype=None, device=None, requires_grad=False):
    """`steps` numbers at equal distances from `start` to `end`."""
    step = (end - start) / (steps - 1 if steps > 1 else 1)
    return _new(_ops.from_data(Tensor, [start + i * step for i in range(steps)], _place(device, dtype)), requires_grad)


def eye(n, m=None, dtype=None, device=None):
    """A matrix with ones on the diagonal."""
    return _engine.eye(Tensor, int(n), int(n if m is None else m), _place(device, dtype))


def randn(*sizes, size=None, dtype=None, device=None, requires_grad=False):
    """Random numbers of the standard normal distribution."""
    return _new(_ops.normal(Tensor, _shape(sizes, size), 0.0, 1.0, _place(device, dtype)), requires_grad)


def rand(*sizes, size=None, dtype=None, device=None, requires_grad=False):
    """Random numbers between 0 and 1."""
    return _new(_ops.uniform(Tensor, _shape(sizes, size), 0.0, 1.0, _place(device, dtype)), requires_grad)


def normal(mean, std, size, dtype=None, device=None, requires_grad=False):
    """Random numbers of a normal distribution; `mean` and `std` are numbers."""
    return _new(_ops.normal(Tensor, size, mean, std, _place(device, dtype)), requires_grad)


def zeros_like(input):
    return _ops.full_like(input, 0.0)


def ones_like(input):
    return _ops.full_like(input, 1.0)


def full_like(input, fill_value):
    return _ops.full_like(input, float(fill_value))


def rand_like(input):
    return rand(_ops.shape_of(input), device=input.device)


def randn_like(input):
    return randn(_ops.shape_of(input), device=input.device)


# ---- functions that a Tensor has as a method ----

def _method(name):
    method = getattr(Tensor, name)

    @_functools.wraps(method)
    def function(input, *arguments, **keywords):
        return method(input, *arguments, **keywords)
    return function


abs, cos, exp, log, neg, relu, sigmoid = map(_method, ("abs", "cos", "exp", "log", "neg", "relu", "sigmoid"))
sign, sin, sqrt, square, tanh = map(_method, ("sign", "sin", "sqrt", "square", "tanh"))
add, sub, mul, div, pow, clamp = map(_method, ("add", "sub", "mul", "div", "pow", "clamp"))
sum, mean, max, min, norm, argmax = map(_method, ("sum", "mean", "max", "min", "norm", "argmax"))
softmax, log_softmax, mm, bmm, mv, matmul = map(_method, ("softmax", "log_softmax", "mm", "bmm", "mv", "matmul"))
reshape, flatten, t, transpose, permute = map(_method, ("reshape", "flatten", "t", "transpose", "permute"))
unsqueeze, squeeze = map(_method, ("unsqueeze", "squeeze"))


# ---- other functions ----

def dot(input, tensor):
    """The product of two vectors."""
    return _ops.dot(input, tensor)


def maximum(input, other):
    return _engine.binary("maximum", input, other)


def minimum(input, other):
    return _engine.binary("minimum", input, other)


def where(condition, input, other):
    """Where `condition` is not 0, the element of `input`, elsewhere that of `other`."""
    return _engine.where(condition, input, other)


def cat(tensors, dim=0):
    """Joins tensors along an existing axis."""
    return _ops.concat(tensors, dim)


concat = cat


def stack(tensors, dim=0):
    """Joins tensors along a new axis."""
    return _ops.stack(tensors, dim)


def split(tensor, split_size_or_sections, dim=0):
    """Splits into parts of the given length, or of the given lengths."""
    axis = _ops.as_axis(dim, tensor.ndim)
    length = _ops.shape_of(tensor)[axis]
    if hasattr(split_size_or_sections, "__iter__"):
        lengths = list(split_size_or_sections)
    else:
        step = split_size_or_sections
        lengths = [step] * (length // step) + ([length % step] if length % step else [])
    parts, begin = [], 0
    for n in lengths:
        parts.append(_ops.slice_along(tensor, axis, begin, begin + n))
        begin += n
    if begin != length:
        raise ValueError(f"split: the lengths {lengths} do not add up to {length}")
    return tuple(parts)


def allclose(input, other, rtol=1e-05, atol=1e-08):
    """Waits, and says whether all elements are nearly equal."""
    return _ops.reduce("min", _ops.is_close(input, other, rtol, atol)).item() == 1.0


def equal(input, other):
    """Waits, and says whether shapes and elements are equal."""
    if _ops.shape_of(input) != _ops.shape_of(other):
        return False
    return _ops.reduce("min", input == other).item() == 1.0


# ---- autograd ----

class _GradMode(_tape.Recording):
    """A scope, or a decorator, in which ops are recorded or not."""

    def __call__(self, function):
        @_functools.wraps(function)
        def wrapped(*arguments, **keywords):
            with type(self)():
                return function(*arguments, **keywords)
        return wrapped


class no_grad(_GradMode):
    """A scope in which ops are not recorded. Also a decorator: @torch.no_grad()."""

    def __init__(self):
        super().__init__(False)


class enable_grad(_GradMode):
    """A scope in which ops are recorded, inside no_grad()."""

    def __init__(self):
        super().__init__(True)


def set_grad_enabled(mode):
    """A scope in which ops are recorded or not."""
    return enable_grad() if mode else no_grad()
