"""torch.nn.functional: layers and losses as functions."""

from ... import _runahead as _engine
from ... import missing as _missing
from ... import ops as _ops
from .._functions import relu, sigmoid, tanh, softmax, log_softmax

__getattr__ = _missing.names_of("torch.nn.functional")


def linear(input, weight, bias=None):
    """input @ weight.T + bias, as one op."""
    return _ops.dense(input, weight, bias)


def mse_loss(input, target, reduction="mean"):
    """(input - target)^2; `reduction` is mean, sum or none."""
    return _reduced(_engine.unary("square", input - target), reduction)


def nll_loss(input, target, reduction="mean"):
    """-input[target] for each row; target has indices."""
    return _reduced(-_engine.pick(input, target), reduction)


def cross_entropy(input, target, reduction="mean"):
    """-log(softmax(input)[target]) for each row; target has indices, or rows of probabilities."""
    log = _ops.log_softmax(input, 1)
    if target.ndim == 1:
        return nll_loss(log, target, reduction)
    return _reduced(-_ops.reduce("sum", log * target, 1), reduction)


def _reduced(loss, reduction):
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"reduction '{reduction}': there are mean, sum and none")
    return loss if reduction == "none" else _ops.reduce(reduction, loss)
