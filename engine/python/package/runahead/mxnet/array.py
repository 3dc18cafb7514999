"""The array classes of mxnet.nd and mxnet.np, and the functions that both modules share."""

from .. import _runahead as engine
from .. import missing, ops, tape, text
from ..array_methods import ArrayMethods
from ..ops import check_dtype, device_of, shape_of
from .context import Context, context_of, engine_device, place

float32 = ops.DType("float32")


def _reduction(name):
    def method(self, axis=None, keepdims=False, dtype=None):
        check_dtype(dtype)
        return ops.reduce(name, self, axis, keepdims)
    method.__name__ = name
    method.__doc__ = f"Enqueues the {name} over one axis, several axes, or all."
    return method


class NDArray(ArrayMethods, engine.Array):
    """An array of mxnet.nd: float32 values on one device, computed asynchronously.

    Operators and methods enqueue an op and return at once. These methods wait: wait_to_read, asnumpy, asscalar, item,
    tolist, and everything that prints the array.
    """

    __slots__ = ()

    # ---- facts ----

    @property
    def shape(self):
        # MXNet 1.x has no arrays without axes: the sum of all elements has the shape (1,).
        return shape_of(self) or (1,)

    @property
    def ctx(self):
        return context_of(device_of(self))

    context = ctx
    device = ctx

    @property
    def dtype(self):
        return float32

    @property
    def stype(self):
        return "default"

    # ---- waits ----

    def wait_to_read(self):
        """Waits until the values are computed."""
        engine.wait(self, "wait_to_read")

    def wait_to_write(self):
        """Waits until the values are computed. Ops that read them may still run; a later write waits for these."""
        engine.wait(self, "wait_to_write")

    def asnumpy(self):
        """Waits, and returns the values as a numpy array."""
        return _numpy_array(self, "asnumpy")

    def asscalar(self):
        """Waits, and returns the only element as a number."""
        return self._one("asscalar")

    def __repr__(self):
        body = text.numpy_text(_with_shape(engine.values(self, "print"), self.shape))
        return f"\n{body}\n<NDArray {'x'.join(map(str, self.shape))} @{self.ctx}>"

    def __str__(self):
        return repr(self)

    # ---- copies ----

    def copyto(self, other):
        """Copies to another array, whose values it replaces, or to a context, where it makes a new array."""
        if isinstance(other, Context):
            return engine.copy_to(self, engine_device(other))
        if shape_of(other) != shape_of(self):
            raise ValueError(f"copyto: the shapes {self.shape} and {other.shape} differ")
        same = device_of(other) == device_of(self)
        engine.assign(other, self if same else engine.copy_to(self, device_of(other)))
        return other

    def copy(self):
        return engine.copy_to(self, device_of(self))

    def as_in_context(self, context):
        """The array itself if it is there already, otherwise a copy in that context."""
        device = engine_device(context)
        return self if device == device_of(self) else engine.copy_to(self, device)

    as_in_ctx = as_in_context
    as_in_device = as_in_context
    to_device = as_in_context

    def astype(self, dtype, copy=True):
        check_dtype(dtype)
        return self.copy() if copy else self

    def as_np_ndarray(self):
        return engine.alias(self, ndarray)

    def as_nd_ndarray(self):
        return engine.alias(self, NDArray)

    # ---- autograd ----

    def attach_grad(self, grad_req="write", stype=None):
        """Asks backward() for the gradient of this array. It is in .grad, which begins with zeros."""
        if grad_req == "null":
            self.grad = self._node = None
            return
        tape.mark(self, grad_req)
        self.grad = ops.full_like(self, 0.0)

    def detach(self):
        """The same values without their history: changes of one array are seen in both."""
        return engine.alias(self)

    def backward(self, out_grad=None, retain_graph=False, train_mode=True):
        """Enqueues the gradients of this array with respect to the arrays that asked for them."""
        tape.backward([self], [out_grad], retain_graph)

    def zero_grad(self):
        if self.grad is not None:
            engine.assign(self.grad, 0.0)

    # ---- reductions ----

    sum = _reduction("sum")
    mean = _reduction("mean")
    max = _reduction("max")
    min = _reduction("min")
    prod = _reduction("prod")

    def norm(self, ord=2, axis=None, keepdims=False):
        """The Euclidean norm."""
        return norm(self, ord, axis, keepdims)

    def argmax(self, axis=None):
        """The index of the largest element, as float32."""
        return ops.argmax(self, axis)

    def softmax(self, axis=-1):
        return ops.softmax(self, axis)

    def log_softmax(self, axis=-1):
        return ops.log_softmax(self, axis)

    # ---- shapes ----

    def reshape(self, *shape, **keywords):
        """A copy with another shape. A -1 stands for the length that fits, a 0 for the array's own length there."""
        return reshape(self, keywords.pop("shape", shape[0] if len(shape) == 1 else shape), **keywords)

    def flatten(self):
        """A matrix: the first axis stays, the others become one."""
        return ops.flatten_rows(self)

    def transpose(self, *axes, **keywords):
        axes = keywords.get("axes", axes[0] if len(axes) == 1 and axes[0] is not None else axes)
        return ops.transpose(self, axes or None)

    def swapaxes(self, dim1, dim2):
        return ops.swap_axes(self, dim1, dim2)

    def expand_dims(self, axis):
        return ops.expand_dims(self, axis)

    def squeeze(self, axis=None):
        return ops.squeeze(self, axis)

    def broadcast_to(self, shape):
        return ops.broadcast_to(self, shape)

    def broadcast_like(self, other):
        return ops.broadcast_to(self, shape_of(other))

    def clip(self, a_min, a_max):
        return clip(self, a_min, a_max)

    def slice_axis(self, axis, begin, end):
        return slice_axis(self, axis, begin, end)

    def take(self, indices, axis=0, mode="clip"):
        return take(self, indices, axis)

    def pick(self, index, axis=-1):
        return pick(self, index, axis)

    def one_hot(self, depth):
        return engine.one_hot(self, int(depth))


class ndarray(NDArray):
    """An array of mxnet.np. It differs from nd where numpy does: text, arrays without axes, flatten."""

    __slots__ = ()

    @property
    def shape(self):
        return shape_of(self)

    def __str__(self):
        return text.numpy_text(engine.values(self, "print"))

    def __repr__(self):
        body = text.numpy_text(engine.values(self, "print"), separator=", ", indent=6)
        place = "" if self.ctx.device_type == "cpu" else f", ctx={self.ctx}"
        return f"array({body}{place})"

    def flatten(self):
        """A vector."""
        return ops.reshape(self, (-1,))

    ravel = flatten


def _numpy_array(array, name):
    try:
        import numpy
    except ImportError:
        raise ImportError(
            f"{name}() needs numpy, which is not installed (Debian: python3-numpy); tolist() does not") from None
    return numpy.asarray(_with_shape(engine.values(array, name), array.shape))


def _with_shape(values, shape):
    view = memoryview(values)
    return values if view.shape == shape or 0 in shape else view.cast("B").cast(view.format, shape)


# ---- functions of both modules ----

def elementwise(name):
    def function(data, out=None):
        return _into(out, engine.unary(name, data))
    function.__name__ = name
    function.__doc__ = f"Enqueues {name} of each element."
    return function


def binary(name):
    def function(lhs, rhs, out=None):
        return _into(out, engine.binary(name, lhs, rhs))
    function.__name__ = name
    function.__doc__ = f"Enqueues {name} of two arrays, or of an array and a number."
    return function


def reduction(name):
    def function(data, axis=None, keepdims=False):
        return ops.reduce(name, data, axis, keepdims)
    function.__name__ = name
    function.__doc__ = f"Enqueues the {name} over one axis, several axes, or all."
    return function


def _into(out, result):
    if out is None:
        return result
    engine.assign(out, result)
    return out


def reshape(data, shape, reverse=False):
    """A copy with another shape. A -1 stands for the length that fits, a 0 for the array's own length there."""
    if reverse:
        raise missing.unsupported("reshape(reverse=True)")
    shape = ops.as_shape(shape)
    own = shape_of(data)
    if data.size:
        shape = tuple(own[i] if n == 0 and i < len(own) else n for i, n in enumerate(shape))
    return ops.reshape(data, shape)


def norm(data, ord=2, axis=None, keepdims=False):
    """The Euclidean norm."""
    if ord != 2:
        raise missing.unsupported(f"norm(ord={ord})")
    return ops.reduce("norm", data, axis, keepdims)


def clip(data, a_min, a_max):
    """Each element, but at least a_min and at most a_max."""
    return engine.clip(data, float(a_min), float(a_max))


def slice_axis(data, axis, begin, end):
    """The elements from `begin` to before `end` along one axis. `end` None: to the end."""
    axis = ops.as_axis(axis, data.ndim)
    begin, end, _ = slice(begin, end).indices(shape_of(data)[axis])
    return ops.slice_along(data, axis, begin, end)


def take(a, indices, axis=0, mode="clip"):
    """The slices of `a` at the given indices along an axis."""
    if not isinstance(indices, engine.Array):
        indices = ops.from_data(type(a), indices, device_of(a))
    return engine.take(a, indices, ops.as_axis(axis, a.ndim))


def pick(data, index, axis=-1):
    """From row i of a matrix the element index[i]."""
    if data.ndim != 2 or ops.as_axis(axis, 2) != 1:
        raise missing.unsupported("pick from anything but the rows of a matrix")
    return engine.pick(data, index)


def waitall():
    """Waits until all ops of the process have ended."""
    engine.wait_all("waitall")


def creators(cls):
    """Returns the functions that make arrays of this class."""

    def filled(value, name):
        def function(shape, dtype=None, order="C", ctx=None, device=None):
            return engine.full(cls, ops.as_shape(shape), value, place(ctx, device, dtype))
        function.__name__ = name
        function.__doc__ = f"A new array of {'zeros' if value == 0 else 'ones'}."
        return function

    def full(shape, fill_value=None, dtype=None, order="C", ctx=None, device=None, val=None):
        """A new array with the same value everywhere."""
        value = fill_value if val is None else val
        return engine.full(cls, ops.as_shape(shape), float(value), place(ctx, device, dtype))

    def array(object, dtype=None, ctx=None, device=None):
        """A new array with the values of a number, nested sequences, a numpy array or another array."""
        if isinstance(object, engine.Array) and ctx is None and device is None:
            check_dtype(dtype)
            return engine.copy_to(object, device_of(object))
        return ops.from_data(cls, object, place(ctx, device, dtype))

    def arange(start, stop=None, step=1.0, dtype=None, ctx=None, device=None):
        """The numbers from `start` to before `stop`."""
        start, stop = (0, start) if stop is None else (start, stop)
        return engine.arange(cls, float(start), float(stop), float(step), place(ctx, device, dtype))

    def linspace(start, stop, num=50, endpoint=True, dtype=None, ctx=None, device=None):
        """`num` numbers at equal distances from `start` to `stop`."""
        step = (stop - start) / max(1, num - 1 if endpoint else num)
        return ops.from_data(cls, [start + i * step for i in range(num)], place(ctx, device, dtype))

    def eye(N, M=None, dtype=None, ctx=None, device=None):
        """A matrix with ones on the diagonal."""
        return engine.eye(cls, int(N), int(M or N), place(ctx, device, dtype))

    return {"zeros": filled(0.0, "zeros"), "ones": filled(1.0, "ones"), "empty": filled(0.0, "empty"), "full": full,
            "array": array, "arange": arange, "linspace": linspace, "eye": eye}
