"""torch.nn.init: first values of parameters."""

import math as _math

from ... import missing as _missing
from ..autograd import no_grad as _no_grad

__getattr__ = _missing.names_of("torch.nn.init")


def normal_(tensor, mean=0.0, std=1.0):
    with _no_grad():
        return tensor.normal_(mean, std)


def uniform_(tensor, a=0.0, b=1.0):
    with _no_grad():
        return tensor.uniform_(a, b)


def constant_(tensor, val):
    with _no_grad():
        return tensor.fill_(val)


def zeros_(tensor):
    return constant_(tensor, 0.0)


def ones_(tensor):
    return constant_(tensor, 1.0)


def xavier_uniform_(tensor, gain=1.0):
    """Random numbers whose size depends on the number of inputs and outputs of the layer."""
    bound = gain * _math.sqrt(6.0 / sum(tensor.shape))
    return uniform_(tensor, -bound, bound)


def xavier_normal_(tensor, gain=1.0):
    """Random numbers whose size depends on the number of inputs and outputs of the layer."""
    return normal_(tensor, 0.0, gain * _math.sqrt(2.0 / sum(tensor.shape)))
