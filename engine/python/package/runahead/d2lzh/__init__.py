"""The helpers of the book's Chinese first edition (MXNet 1.x) that its chapters on asynchronous computation use."""

from .. import missing as _missing
from ..d2l.common import Timer, _Measured, set_figsize, use_svg_display
from ..d2l.mxnet import sgd, try_all_gpus
from ..d2l.mxnet import try_gpu as _try_gpu

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
    return _try_gpu(0)


def linreg(X, w, b):
    """The linear model X w + b."""
    return X.dot(w) + b


def squared_loss(y_hat, y):
    """(y_hat - y)^2 / 2"""
    return (y_hat - y.reshape(y_hat.shape)) ** 2 / 2
