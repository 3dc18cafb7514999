"""torch.Tensor and torch.device."""

import math

from .. import _runahead as engine
from .. import devices, missing, ops, tape, text
from ..array_methods import ArrayMethods
from ..ops import device_of, shape_of, size_of

float32 = ops.DType("torch.float32")


class device:
    """A place for tensors: device("cpu"), device("cuda", 1), device("cuda:1"). "cuda" is the current GPU."""

    __slots__ = ("type", "index")

    def __init__(self, type, index=None):
        if isinstance(type, device):
            type, index = type.type, type.index
        if isinstance(type, int):
            type, index = "cuda", type
        kind, _, number = str(type).partition(":")
        if kind not in ("cpu", "cuda") or (number and not number.isdigit()):
            raise RuntimeError(f"device '{type}': there are cpu, cuda and cuda:N")
        self.type = kind
        self.index = int(number) if number else index

    def __eq__(self, other):
        return isinstance(other, device) and self.type == other.type and self.index == other.index

    def __hash__(self):
        return hash((self.type, self.index))

    def __str__(self):
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __repr__(self):
        index = "" if self.index is None else f", index={self.index}"
        return f"device(type='{self.type}'{index})"


current_gpu = [0]
_known = {}  # _runahead.Device -> device


def engine_device(place):
    """The engine's device for a torch.device, a name or a number of a GPU; None: the CPU."""
    if place is None:
        return devices.cpu()
    place = device(place)
    if place.type == "cpu":
        return devices.cpu()
    return devices.gpu(current_gpu[0] if place.index is None else place.index)


def place_of(engine_device):
    """The torch.device that means this device of the engine."""
    place = _known.get(engine_device)
    if place is None:
        kind, index = devices.place_of(engine_device)
        place = _known[engine_device] = device("cpu") if kind == "cpu" else device("cuda", index)
    return place


class Size(tuple):
    """A shape. torch.Size([2, 3]) is also the tuple (2, 3)."""

    __slots__ = ()

    def __repr__(self):
        return f"torch.Size({list(self)})"

    def numel(self):
        return math.prod(self)


def _reduction(name):
    def method(self, dim=None, keepdim=False):
        return ops.reduce(name, self, dim, keepdim)
    method.__name__ = name
    method.__doc__ = f"Enqueues the {name} over one axis, several axes, or all."
    return method


def _dims(dims):
    return dims[0] if len(dims) == 1 and hasattr(dims[0], "__iter__") else dims


class Tensor(ArrayMethods, engine.Array):
    """A tensor: float32 values on one device, computed asynchronously.

    Operators and methods enqueue an op and return at once. These wait: item, numpy, tolist, copies to another device
    without non_blocking=True, and everything that prints the tensor.
    """

    __slots__ = ()

    # ---- facts ----

    @property
    def shape(self):
        return Size(shape_of(self))

    def size(self, dim=None):
        return self.shape if dim is None else self.shape[dim]

    def dim(self):
        return self.ndim

    def numel(self):
        return size_of(self)

    @property
    def device(self):
        return place_of(device_of(self))

    @property
    def is_cuda(self):
        return self.device.type == "cuda"

    @property
    def dtype(self):
        return float32

    # ---- waits ----

    def _one(self, name):
        if self.numel() != 1:
            raise ValueError(f"{name}: the tensor has {self.numel()} elements, not 1")
        return engine.item(self, name)

    def numpy(self):
        """Waits, and returns the values as a numpy array."""
        if self.requires_grad:
            raise RuntimeError("numpy() of a tensor that requires a gradient: call detach() first")
        if self.is_cuda:
            raise TypeError("numpy() of a tensor on a GPU: call cpu() first")
        try:
            import numpy
        except ImportError:
            raise ImportError(
                "numpy() needs numpy, which is not installed (Debian: python3-numpy); tolist() does not") from None
        return numpy.asarray(engine.values(self, "numpy"))

    def __repr__(self):
        body = text.torch_text(engine.values(self, "print"), indent=7)
        place = f", device='{self.device}'" if self.is_cuda else ""
        history = ", requires_grad=True" if self.is_leaf else f", grad_fn=<{self._node.name}>"
        return f"tensor({body}{place}{history if self.requires_grad else ''})"

    def __str__(self):
        return repr(self)

    # ---- copies ----

    def to(self, *place, device=None, dtype=None, non_blocking=False, copy=False):
        """The tensor on a device: itself if it is there already, otherwise a copy.

        Waits for the copy, unless non_blocking. A copy with non_blocking uses pinned memory, a copy without it does
        not.
        """
        for one in place:
            if isinstance(one, Tensor):
                device = one.device
            elif isinstance(one, bool):
                non_blocking = one
            elif ops.is_float32(one):
                dtype = one
            elif isinstance(one, ops.DType) or (not isinstance(one, (str, int)) and hasattr(one, "name")):
                dtype = one
            else:
                device = one
        ops.check_dtype(dtype)
        target = device_of(self) if device is None else engine_device(device)
        if target == device_of(self):
            return engine.copy_to(self, target) if copy else self
        moved = engine.copy_to(self, target, bool(non_blocking))
        if not non_blocking:
            engine.wait(moved, "to")
        return moved

    def cpu(self):
        """The tensor on the CPU. Waits for the copy."""
        return self.to("cpu")

    def cuda(self, device=None, non_blocking=False):
        """The tensor on a GPU. Waits for the copy, unless non_blocking."""
        return self.to("cuda" if device is None else device, non_blocking=non_blocking)

    def clone(self):
        return engine.copy_to(self, device_of(self))

    def contiguous(self):
        return self

    def pin_memory(self):
        return self

    def float(self):
        return self

    def copy_(self, src, non_blocking=False):
        """Replaces the values by those of `src`. Waits if `src` is on another device, unless non_blocking."""
        if device_of(src) != device_of(self):
            src = src.to(self.device, non_blocking=non_blocking)
        self[...] = src
        return self

    def __deepcopy__(self, memo):
        twin = engine.copy_to(self.detach(), device_of(self))
        return twin.requires_grad_() if self.requires_grad else twin

    # ---- autograd ----

    @property
    def requires_grad(self):
        return self._node is not None

    @requires_grad.setter
    def requires_grad(self, wanted):
        self.requires_grad_(wanted)

    @property
    def is_leaf(self):
        return self._node is None or isinstance(self._node, tape.Leaf)

    @property
    def grad_fn(self):
        return None if self.is_leaf else self._node

    def requires_grad_(self, requires_grad=True):
        """Asks backward() for the gradient of this tensor."""
        if not self.is_leaf:
            raise RuntimeError("requires_grad_: the tensor is the result of a recorded op")
        if not requires_grad:
            self._node = None
        elif self._node is None:
            tape.record_by_default()
            tape.mark(self, "add")
        return self

    def detach(self):
        """The same values without their history: changes of one tensor are seen in both."""
        return engine.alias(self)

    data = property(detach, lambda self, values: self.detach().copy_(values))

    def backward(self, gradient=None, retain_graph=None, create_graph=False):
        """Enqueues the gradients of this tensor with respect to the leaves, and adds them to .grad."""
        if create_graph:
            raise missing.unsupported("backward(create_graph=True)")
        if gradient is None and self.numel() != 1:
            raise RuntimeError(
                "backward: the tensor has more than one element, so it needs a gradient, such as that of sum()")
        tape.backward([self], [gradient], bool(retain_graph))

    # ---- in place ----

    def zero_(self):
        engine.assign(self, 0.0)
        return self

    def fill_(self, value):
        engine.assign(self, float(value))
        return self

    def add_(self, other, alpha=1):
        self += other if alpha == 1 else other * alpha
        return self

    def sub_(self, other, alpha=1):
        self -= other if alpha == 1 else other * alpha
        return self

    def mul_(self, other):
        self *= other
        return self

    def div_(self, other):
        self /= other
        return self

    def normal_(self, mean=0.0, std=1.0):
        engine.assign(self, ops.normal(Tensor, shape_of(self), mean, std, device_of(self)))
        return self

    def uniform_(self, a=0.0, b=1.0):
        engine.assign(self, ops.uniform(Tensor, shape_of(self), a, b, device_of(self)))
        return self

    # ---- products, reductions ----

    def mm(self, mat2):
        """The product of two matrices."""
        return engine.matmul(self, mat2, False, False)

    def matmul(self, other):
        return ops.matmul(self, other)

    bmm = mm

    def mv(self, vec):
        return ops.matmul(self, vec)

    sum = _reduction("sum")
    mean = _reduction("mean")

    def prod(self, dim=None, keepdim=False):
        return ops.reduce("prod", self, dim, keepdim)

    def max(self, dim=None, keepdim=False):
        """The largest element; with `dim`, the pair (values, indices)."""
        return _extreme(self, "max", dim, keepdim)

    def min(self, dim=None, keepdim=False):
        """The smallest element; with `dim`, the pair (values, indices)."""
        return _extreme(self, "min", dim, keepdim)

    def amax(self, dim=None, keepdim=False):
        return ops.reduce("max", self, dim, keepdim)

    def amin(self, dim=None, keepdim=False):
        return ops.reduce("min", self, dim, keepdim)

    def norm(self, p=2, dim=None, keepdim=False):
        """The Euclidean norm."""
        if p not in (2, "fro"):
            raise missing.unsupported(f"norm(p={p})")
        return ops.reduce("norm", self, dim, keepdim)

    def argmax(self, dim=None, keepdim=False):
        """The index of the largest element, as float32."""
        found = ops.argmax(self, dim)
        return ops.expand_dims(found, dim) if keepdim and dim is not None else found

    def softmax(self, dim):
        return ops.softmax(self, dim)

    def log_softmax(self, dim):
        return ops.log_softmax(self, dim)

    def pow(self, exponent):
        return self ** exponent

    def add(self, other, alpha=1):
        return self + (other if alpha == 1 else other * alpha)

    def sub(self, other, alpha=1):
        return self - (other if alpha == 1 else other * alpha)

    def mul(self, other):
        return self * other

    def div(self, other):
        return self / other

    def eq(self, other):
        return self == other

    def neg(self):
        return -self

    def clamp(self, min=None, max=None):
        """Each element, but at least `min` and at most `max`."""
        low, high = -math.inf if min is None else min, math.inf if max is None else max
        return engine.clip(self, float(low), float(high))

    # ---- shapes ----

    def reshape(self, *shape):
        """A copy with another shape. A -1 stands for the length that fits."""
        return ops.reshape(self, _dims(shape))

    view = reshape

    def flatten(self, start_dim=0, end_dim=-1):
        own = shape_of(self)
        first, last = ops.as_axis(start_dim, len(own)), ops.as_axis(end_dim, len(own))
        return ops.reshape(self, own[:first] + (-1,) + own[last + 1:])

    def t(self):
        return ops.transpose(self)

    def transpose(self, dim0, dim1):
        return ops.swap_axes(self, dim0, dim1)

    def permute(self, *dims):
        return ops.transpose(self, _dims(dims))

    def unsqueeze(self, dim):
        return ops.expand_dims(self, dim)

    def squeeze(self, dim=None):
        return ops.squeeze(self, dim)

    def expand(self, *sizes):
        sizes, own = _dims(sizes), shape_of(self)
        lead = len(sizes) - len(own)
        return ops.broadcast_to(self, tuple(own[i - lead] if n == -1 else n for i, n in enumerate(sizes)))

    def type(self, dtype=None):
        if dtype is None:
            return "torch.FloatTensor"
        ops.check_dtype(dtype)
        return self


def _extreme(tensor, name, dim, keepdim):
    values = ops.reduce(name, tensor, dim, keepdim)
    if dim is None:
        return values
    indices = ops.argmax(tensor if name == "max" else -tensor, dim)
    return values, ops.expand_dims(indices, dim) if keepdim else indices
