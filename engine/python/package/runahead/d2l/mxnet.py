"""d2l for MXNet: `from d2l import mxnet as d2l`."""

from .. import _runahead as _engine
from .. import missing as _missing
from ..mxnet import autograd, gluon, init, np, npx
from ..mxnet.gluon import nn
from ..mxnet.gluon.utils import split_and_load as _split_and_load
from .common import Benchmark, Timer, benchmark, plot, set_axes, set_figsize, use_svg_display

__getattr__ = _missing.names_of("d2l.mxnet")


def cpu():
    """The CPU."""
    return npx.cpu()


def gpu(i=0):
    """GPU i."""
    return npx.gpu(i)


def num_gpus():
    """The number of GPUs, simulated ones included."""
    return npx.num_gpus()


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
    return _split_and_load(X, devices), _split_and_load(y, devices)


def sgd(params, lr, batch_size):
    """Enqueues one step of gradient descent for arrays that have a gradient, one op for each."""
    for param in params:
        _engine.sgd_update(param, param.grad, float(lr), float(batch_size))
