"""Parameters of a network: one array for each device, and its gradient."""

from ... import _runahead as engine
from ... import missing, ops
from ...ops import check_dtype, device_of, shape_of
from .. import initializer, symbol
from ..context import Context, context_of, current_context, engine_device
from ..numpy_extension import array_class

__getattr__ = missing.names_of("mxnet.gluon.parameter")


class DeferredInitializationError(RuntimeError):
    """The shape of a parameter is not known yet: the network has not seen an input."""


def _list(ctx):
    return [ctx] if isinstance(ctx, Context) else list(ctx)


class Parameter:
    """A parameter. Its shape may have a 0 for a length that the first input tells.

    grad_req  "write": backward() replaces the gradient; "add": it adds to it; "null": no gradient
    """

    def __init__(self, name="weight", grad_req="write", shape=None, dtype="float32", lr_mult=1.0, wd_mult=1.0,
                 init=None, allow_deferred_init=False, differentiable=True):
        check_dtype(dtype)
        self.name = name
        self.lr_mult, self.wd_mult = lr_mult, wd_mult
        self.init = init
        self.allow_deferred_init = allow_deferred_init
        self._shape = None if shape is None else ops.as_shape(shape)
        self._request = grad_req if differentiable else "null"
        self._arrays = {}       # engine's device -> array
        self._deferred = None   # (initializer, contexts), when initialize() came before the shape

    def __repr__(self):
        return f"Parameter {self.name} (shape={self.shape}, dtype=float32)"

    # ---- shape, requests ----

    @property
    def dtype(self):
        return "float32"

    @property
    def shape(self):
        return self._shape

    @shape.setter
    def shape(self, shape):
        shape = ops.as_shape(shape)
        fits = self._shape is None or (len(shape) == len(self._shape)
                                       and all(old in (0, -1, new) for old, new in zip(self._shape, shape)))
        if not fits:
            raise ValueError(f"parameter {self.name}: the shape {shape} does not fit {self._shape}")
        self._shape = shape

    def _is_complete(self):
        return self._shape is not None and all(n > 0 for n in self._shape)

    @property
    def grad_req(self):
        return self._request

    @grad_req.setter
    def grad_req(self, request):
        self._request = request
        for array in self._arrays.values():
            array.attach_grad(request)

    # ---- first values ----

    def initialize(self, init=None, ctx=None, default_init="uniform", force_reinit=False, device=None):
        """Gives the parameter its first values. If the shape is not known yet, the first input does it."""
        if (self._arrays or self._deferred) and not force_reinit:
            return
        ctx = ctx if device is None else device
        contexts = [current_context()] if ctx is None else _list(ctx)
        chosen = initializer.create(self.init if init is None else init) or initializer.create(default_init)
        self._deferred = (chosen, contexts)
        if self._is_complete():
            self._make_arrays()
        elif not self.allow_deferred_init:
            raise ValueError(f"parameter {self.name}: the shape {self._shape} is not complete")

    def infer_shape(self, shape):
        """Completes the shape, and makes the arrays if initialize() has come before."""
        self.shape = shape
        if self._deferred:
            self._make_arrays()

    def is_ready(self):
        return bool(self._arrays)

    def _make_arrays(self):
        chosen, contexts = self._deferred
        self._deferred = None
        first = chosen.make(self.name, array_class(), self._shape, engine_device(contexts[0]))
        self._set_arrays(first, contexts)

    def _set_arrays(self, array, contexts):
        self._arrays = {}
        for context in contexts:
            device = engine_device(context)
            copy = array if device_of(array) == device else engine.copy_to(array, device)
            copy.attach_grad(self._request)
            self._arrays[device] = copy

    # ---- values ----

    def array_on(self, device):
        """The array on a device of the engine."""
        array = self._arrays.get(device)
        return self._missing_array(context_of(device)) if array is None else array

    def _missing_array(self, context):
        if self._arrays:
            places = ", ".join(str(context_of(device)) for device in self._arrays)
            raise RuntimeError(f"parameter {self.name} is not on {context}: it was initialized on {places}")
        if self._deferred:
            raise DeferredInitializationError(f"parameter {self.name} has no values yet: its shape is known after the "
                                              "network has seen an input")
        raise RuntimeError(f"parameter {self.name} has no values: call initialize() first")

    def data(self, ctx=None):
        """The array in a context; None: in the only one, or the current one."""
        if ctx is None and len(self._arrays) == 1:
            return next(iter(self._arrays.values()))
        return self.array_on(engine_device(ctx))

    def grad(self, ctx=None):
        """The gradient in a context."""
        gradient = self.data(ctx).grad
        if gradient is None:
            raise RuntimeError(f"parameter {self.name} has no gradient, because its grad_req is null")
        return gradient

    def list_data(self):
        return list(self._arrays.values()) or [self._missing_array(current_context())]

    def list_grad(self):
        return [array.grad for array in self.list_data()]

    def list_ctx(self):
        return self._deferred[1] if self._deferred else [context_of(device) for device in self._arrays]

    list_device = list_ctx

    def set_data(self, data):
        """Replaces the values, on every device."""
        if not isinstance(data, engine.Array):
            data = ops.from_data(array_class(), data, engine_device(None))
        self.shape = shape_of(data)
        if self._deferred:
            self._make_arrays()
        for device, array in self._arrays.items():
            engine.assign(array, data if device_of(data) == device else engine.copy_to(data, device))

    def load_array(self, array, ctx=None):
        """Takes the shape and the values of an array. ctx None: stays where it is, or goes to the current context."""
        self.shape = shape_of(array)
        contexts = _list(ctx) if ctx is not None else self.list_ctx() or [current_context()]
        self._deferred = None
        self._set_arrays(array, contexts)

    def zero_grad(self):
        for array in self._arrays.values():
            array.zero_grad()

    def reset_ctx(self, ctx):
        """Moves the parameter to other contexts."""
        contexts = _list(ctx)
        if self._deferred:
            self._deferred = (self._deferred[0], contexts)
        elif self._arrays:
            self._set_arrays(self.list_data()[0].detach(), contexts)

    reset_device = reset_ctx

    def var(self):
        """The variable that stands for the parameter in a Symbol."""
        return symbol.var(self.name)


class Constant(Parameter):
    """A parameter that does not change and has no gradient."""

    def __init__(self, value, name="const"):
        if not isinstance(value, engine.Array):
            value = ops.from_data(array_class(), value, engine_device(None))
        super().__init__(name, "null", shape_of(value), init=initializer.Zero())
        self.value = value

    def _make_arrays(self):
        contexts = self._deferred[1]
        self._deferred = None
        self._set_arrays(self.value, contexts)


class ParameterDict(dict):
    """Parameters by name, in the order in which the network has them."""

    def __init__(self, prefix="", parameters=()):
        super().__init__(parameters)
        self.prefix = prefix

    def __repr__(self):
        return f"{self.prefix} (\n" + "".join(f"  {parameter!r}\n" for parameter in self.values()) + ")"

    def get(self, name, default=None, **keywords):
        """As dict.get() for a full name; with keywords, or for a new name, it makes a parameter (MXNet 1.x)."""
        full = name if name in self or not self.prefix else self.prefix + name
        if full not in self and (keywords or default is None):
            self[full] = Parameter(full, **keywords)
        return super().get(full, default)

    def initialize(self, init=None, ctx=None, verbose=False, force_reinit=False, device=None):
        for parameter in self.values():
            parameter.initialize(None, ctx, default_init=init or "uniform", force_reinit=force_reinit, device=device)

    def zero_grad(self):
        for parameter in self.values():
            parameter.zero_grad()

    def reset_ctx(self, ctx):
        for parameter in self.values():
            parameter.reset_ctx(ctx)

    def setattr(self, name, value):
        """Sets an attribute of every parameter, such as grad_req."""
        for parameter in self.values():
            setattr(parameter, name, value)
