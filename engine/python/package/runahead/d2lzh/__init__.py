"""The helpers of the book's Chinese first edition (MXNet 1.x) that its chapters on asynchronous computation use."""

from .. import _runahead as _engine
from .. import missing as _missing
from ..d2l.common import Timer, _Measured, set_figsize, use_svg_display
from ..mxnet import context as _context
from ..mxnet.gluon.utils import split_and_load as _split_and_load

__getattr__ = _missing.names_of("d2lzh")


class Benchmark(_Measured):
    """with Benchmark("name"): ... prints how long the scope took. The scope is also a slice on the timeline."""

    def __init__(self, prefix=None):
        super().__init__(prefix or "benchmark")
        self.prefix = prefix + " " if prefix else ""

    def _line(self, seconds):
        return f"{self.prefix}time: {seconds:.4f} sec"


def try_gpu():
    """GPU 0 if there is one, otherwise the CPU."""
    return _context.gpu(0) if _context.num_gpus() > 0 else _context.cpu()


def try_all_gpus():
    """All GPUs, or the CPU if there is none."""
    return [_context.gpu(i) for i in range(_context.num_gpus())] or [_context.cpu()]


def sgd(params, lr, batch_size):
    """Enqueues one step of gradient descent for arrays that have a gradient, one op for each."""
    for param in params:
        _engine.sgd_update(param, param.grad, float(lr), float(batch_size))


def linreg(X, w, b):
    """The linear model X w + b."""
    return X.dot(w) + b


def squared_loss(y_hat, y):
    """(y_hat - y)^2 / 2"""
    return (y_hat - y.reshape(y_hat.shape)) ** 2 / 2
