"""torch.nn: layers, losses and the base class of networks."""

import math as _math

from ... import _runahead as _engine
from ... import missing as _missing
from ... import ops as _ops
from .. import _functions
from .._tensor import Tensor as _Tensor, engine_device as _engine_device
from . import functional, init, parallel
from .module import Module, Parameter

__getattr__ = _missing.names_of("torch.nn")


class Sequential(Module):
    """Modules that run one after the other."""

    def __init__(self, *modules):
        super().__init__()
        named = modules[0].items() if len(modules) == 1 and isinstance(modules[0], dict) else enumerate(modules)
        for name, module in named:
            self.add_module(str(name), module)

    def append(self, module):
        self.add_module(str(len(self)), module)
        return self

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules.values())

    def __getitem__(self, key):
        found = list(self._modules.values())[key]
        return Sequential(*found) if isinstance(key, slice) else found

    def forward(self, input):
        for module in self._modules.values():
            input = module(input)
        return input


class Linear(Module):
    """A layer that computes x @ weight.T + bias, as one op."""

    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None):
        super().__init__()
        _ops.check_dtype(dtype)
        self.in_features, self.out_features = int(in_features), int(out_features)
        bound = 1 / _math.sqrt(self.in_features) if self.in_features else 0.0
        place = _engine_device(device)
        self.weight = Parameter(_ops.uniform(_Tensor, (self.out_features, self.in_features), -bound, bound, place))
        self.bias = None
        if bias:
            self.bias = Parameter(_ops.uniform(_Tensor, (self.out_features,), -bound, bound, place))

    def extra_repr(self):
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"

    def forward(self, input):
        return functional.linear(input, self.weight, self.bias)


class ReLU(Module):
    def __init__(self, inplace=False):
        super().__init__()

    def forward(self, input):
        return _engine.unary("relu", input)


class Sigmoid(Module):
    def forward(self, input):
        return _engine.unary("sigmoid", input)


class Tanh(Module):
    def forward(self, input):
        return _engine.unary("tanh", input)


class Identity(Module):
    def forward(self, input):
        return input


class Flatten(Module):
    """Makes a matrix: the first axis stays, the others become one."""

    def __init__(self, start_dim=1, end_dim=-1):
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def extra_repr(self):
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"

    def forward(self, input):
        return input.flatten(self.start_dim, self.end_dim)


class MSELoss(Module):
    """(input - target)^2; `reduction` is mean, sum or none."""

    def __init__(self, reduction="mean"):
        super().__init__()
        self.reduction = reduction

    def forward(self, input, target):
        return functional.mse_loss(input, target, self.reduction)


class CrossEntropyLoss(Module):
    """-log(softmax(input)[target]) for each row; `reduction` is mean, sum or none."""

    def __init__(self, reduction="mean"):
        super().__init__()
        self.reduction = reduction

    def forward(self, input, target):
        return functional.cross_entropy(input, target, self.reduction)
