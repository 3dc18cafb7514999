"""mx.gluon.nn: layers."""

from ... import missing, ops
from ...ops import device_of
from .. import symbol
from ..numpy_extension import activation, fully_connected
from .block import Block, HybridBlock, SymbolBlock, dense_weight_shape
from .parameter import Parameter

__getattr__ = missing.names_of("mxnet.gluon.nn")


class _Chain:
    """What Sequential and HybridSequential share: blocks that run one after the other."""

    def add(self, *blocks):
        for block in blocks:
            self.register_child(block)

    def __len__(self):
        return len(self._children)

    def __getitem__(self, key):
        layers = list(self._children.values())[key]
        if not isinstance(key, slice):
            return layers
        part = type(self)()
        part.add(*layers)
        return part

    def __iter__(self):
        return iter(self._children.values())


class Sequential(_Chain, Block):
    """Blocks that run one after the other."""

    def __init__(self, *layers, prefix=None, params=None):
        super().__init__(prefix, params)
        self.add(*layers)

    def forward(self, x, *args):
        for block in self._children.values():
            x = block(x, *args)
            args = ()
        return x


class HybridSequential(_Chain, HybridBlock):
    """HybridBlocks that run one after the other."""

    def __init__(self, *layers, prefix=None, params=None):
        super().__init__(prefix, params)
        self.add(*layers)

    def hybrid_forward(self, F, x, *args):
        for block in self._children.values():
            x = block(x, *args)
            args = ()
        return x


class Dense(HybridBlock):
    """A layer that computes activation(x @ weight.T + bias).

    in_units  the number of inputs; 0: the first input tells
    flatten   all axes of x but the first count as one
    """

    def __init__(self, units, activation=None, use_bias=True, flatten=True, dtype="float32", weight_initializer=None,
                 bias_initializer="zeros", in_units=0, prefix=None, params=None):
        super().__init__(prefix, params)
        ops.check_dtype(dtype)
        self._units, self._activation, self._flatten = int(units), activation, bool(flatten)
        if activation not in (None, "relu", "sigmoid", "tanh"):
            raise missing.unsupported(f"Dense(activation='{activation}')")
        self.weight = Parameter("weight", shape=(units, in_units), init=weight_initializer, allow_deferred_init=True)
        self.bias = None
        if use_bias:
            self.bias = Parameter("bias", shape=(units,), init=bias_initializer, allow_deferred_init=True)

    def __repr__(self):
        inputs = self.weight.shape[1] or None
        act = f"Activation({self._activation})" if self._activation else "linear"
        return f"Dense({inputs} -> {self._units}, {act})"

    def infer_shape(self, x):
        self.weight.infer_shape(dense_weight_shape(self._units, x, self._flatten))

    def forward(self, x):
        if isinstance(x, symbol.Symbol):
            return self._symbol(x)
        device = device_of(x)
        if not self.weight.is_ready() and self.weight._deferred:
            self.infer_shape(x)
        bias = None if self.bias is None else self.bias.array_on(device)
        y = fully_connected(x, self.weight.array_on(device), bias, self._units, bias is None, self._flatten)
        return y if self._activation is None else activation(y, self._activation)

    def _symbol(self, x):
        bias = None if self.bias is None else self.bias.var()
        y = symbol.npx.fully_connected(x, self.weight.var(), bias, self._units, bias is None, self._flatten,
                                       name=self._prefix + "fwd")
        if self._activation is None:
            return y
        return symbol.npx.activation(y, self._activation, name=f"{self._prefix}{self._activation}_fwd")

    def _is_traceable(self):
        return True

    def __call__(self, x):
        return self.forward(x)  # one layer gains nothing from a graph


class Activation(HybridBlock):
    """relu, sigmoid or tanh of each element."""

    def __init__(self, activation, prefix=None, params=None):
        super().__init__(prefix, params)
        if activation not in ("relu", "sigmoid", "tanh"):
            raise missing.unsupported(f"Activation('{activation}')")
        self._activation = activation

    def __repr__(self):
        return f"Activation({self._activation})"

    def hybrid_forward(self, F, x):
        return F.npx.activation(x, self._activation)


class Flatten(HybridBlock):
    """Makes a matrix: the first axis stays, the others become one."""

    def __repr__(self):
        return "Flatten"

    def hybrid_forward(self, F, x):
        return F.flatten(x)
