"""mx.init: how the parameters of a network begin."""

import math
import re

from .. import _runahead as engine
from .. import missing, ops

__getattr__ = missing.names_of("mxnet.init")


class Initializer:
    """Makes the first values of parameters. A subclass of a program may define _init_weight(self, name, data)."""

    def make(self, name, cls, shape, device):
        """Returns the first values of the parameter `name`. Biases begin with zeros."""
        if name.endswith("bias"):
            return engine.full(cls, shape, 0.0, device)
        return self._make_weight(name, cls, shape, device)

    def _make_weight(self, name, cls, shape, device):
        array = engine.full(cls, shape, 0.0, device)
        self._init_weight(name, array)
        return array

    def _init_weight(self, name, data):
        raise NotImplementedError(f"{type(self).__name__} has no _init_weight(name, data)")

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{key}={value}' for key, value in vars(self).items())})"


class Constant(Initializer):
    """The same value everywhere, in biases too."""

    def __init__(self, value=0.0):
        self.value = value

    def make(self, name, cls, shape, device):
        if isinstance(self.value, (int, float)):
            return engine.full(cls, shape, float(self.value), device)
        return engine.reshape(ops.from_data(cls, self.value, device), shape)


class Zero(Constant):
    def __init__(self):
        super().__init__(0.0)


class One(Constant):
    def __init__(self):
        super().__init__(1.0)


class Uniform(Initializer):
    """Random numbers between -scale and scale."""

    def __init__(self, scale=0.07):
        self.scale = scale

    def _make_weight(self, name, cls, shape, device):
        return ops.uniform(cls, shape, -self.scale, self.scale, device)


class Normal(Initializer):
    """Random numbers of a normal distribution with the mean 0 and the deviation sigma."""

    def __init__(self, sigma=0.01):
        self.sigma = sigma

    def _make_weight(self, name, cls, shape, device):
        return ops.normal(cls, shape, 0.0, self.sigma, device)


class Xavier(Initializer):
    """Random numbers whose size depends on the number of inputs and outputs of the layer."""

    def __init__(self, rnd_type="uniform", factor_type="avg", magnitude=3):
        if rnd_type not in ("uniform", "gaussian") or factor_type not in ("avg", "in", "out"):
            raise ValueError("Xavier: rnd_type is uniform or gaussian, factor_type is avg, in or out")
        self.rnd_type, self.factor_type, self.magnitude = rnd_type, factor_type, magnitude

    def _make_weight(self, name, cls, shape, device):
        if len(shape) < 2:
            raise ValueError(f"Xavier: the parameter {name} has the shape {shape}, and needs two axes")
        inner = math.prod(shape[2:])
        fan_out, fan_in = shape[0] * inner, shape[1] * inner
        factor = {"avg": (fan_in + fan_out) / 2, "in": fan_in, "out": fan_out}[self.factor_type]
        scale = math.sqrt(self.magnitude / factor)
        if self.rnd_type == "uniform":
            return ops.uniform(cls, shape, -scale, scale, device)
        return ops.normal(cls, shape, 0.0, scale, device)


class MSRAPrelu(Xavier):
    """Xavier for layers that a (leaky) relu follows."""

    def __init__(self, factor_type="avg", slope=0.25):
        super().__init__("gaussian", factor_type, 2.0 / (1 + slope ** 2))


_BY_NAME = {"zeros": Zero, "zero": Zero, "ones": One, "one": One, "uniform": Uniform, "normal": Normal,
            "xavier": Xavier, "msraprelu": MSRAPrelu, "constant": Constant}


def create(initializer):
    """Returns the initializer that a name such as "xavier" means. Passes an initializer through."""
    if initializer is None or isinstance(initializer, Initializer):
        return initializer
    key = re.sub("[^a-z]", "", str(initializer).lower())
    if key not in _BY_NAME:
        raise ValueError(f"initializer '{initializer}': there are {', '.join(_BY_NAME)}")
    return _BY_NAME[key]()
