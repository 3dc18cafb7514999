"""torch.autograd: gradients without .backward()."""

from .. import missing as _missing
from .. import tape as _tape
from ._functions import enable_grad, no_grad

__getattr__ = _missing.names_of("torch.autograd")


def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False):
    """Returns the gradients of `outputs` with respect to `inputs`, and leaves their .grad alone."""
    if create_graph:
        raise _missing.unsupported("grad(create_graph=True), the gradient of a gradient,")
    outputs, inputs = _list(outputs), _list(inputs)
    gradients = [None] * len(outputs) if grad_outputs is None else _list(grad_outputs)
    return tuple(_tape.gradients_of(outputs, gradients, inputs, bool(retain_graph)))


def backward(tensors, grad_tensors=None, retain_graph=None):
    """Enqueues the gradients of `tensors` with respect to the leaves."""
    tensors = _list(tensors)
    _tape.backward(tensors, [None] * len(tensors) if grad_tensors is None else _list(grad_tensors), bool(retain_graph))


def _list(value):
    return list(value) if isinstance(value, (list, tuple)) else [value]
