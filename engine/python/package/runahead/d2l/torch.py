"""d2l for PyTorch: `from d2l import torch as d2l`. It belongs to runahead.torch."""

from .. import _runahead as _engine
from .. import missing as _missing
from .. import torch
from ..torch import nn
from .common import Benchmark, Timer, benchmark, plot, set_axes, set_figsize, use_svg_display

__getattr__ = _missing.names_of("d2l.torch")


def cpu():
    """The CPU."""
    return torch.device("cpu")


def gpu(i=0):
    """GPU i."""
    return torch.device(f"cuda:{i}")


def num_gpus():
    """The number of GPUs, simulated ones included."""
    return torch.cuda.device_count()


def try_gpu(i=0):
    """GPU i if there is one, otherwise the CPU."""
    return gpu(i) if num_gpus() > i else cpu()


def try_all_gpus():
    """All GPUs, or the CPU if there is none."""
    return [gpu(i) for i in range(num_gpus())] or [cpu()]


def split_batch(X, y, devices):
    """Splits data and labels, and copies part i to device i."""
    if X.shape[0] != y.shape[0]:
        raise ValueError(f"split_batch: {X.shape[0]} rows of data and {y.shape[0]} labels")
    return nn.parallel.scatter(X, devices), nn.parallel.scatter(y, devices)


def sgd(params, lr, batch_size):
    """Enqueues one step of gradient descent, one op for each tensor, and removes the gradients."""
    for param in params:
        _engine.sgd_update(param, param.grad, float(lr), float(batch_size))
        param.grad = None
