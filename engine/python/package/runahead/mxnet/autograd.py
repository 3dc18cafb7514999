"""mx.autograd: records ops, and enqueues their gradients."""

from .. import missing as _missing
from .. import ops as _ops
from .. import tape as _tape

__getattr__ = _missing.names_of("mxnet.autograd")

is_recording = _tape.is_recording
is_training = _tape.is_training


def record(train_mode=True):
    """A scope in which ops are recorded for backward()."""
    return _tape.Recording(True, train_mode)


def pause(train_mode=False):
    """A scope in which ops are not recorded."""
    return _tape.Recording(False, train_mode)


def train_mode():
    return _tape.Recording(None, True)


def predict_mode():
    return _tape.Recording(None, False)


def mark_variables(variables, gradients, grad_reqs="write"):
    """Asks for the gradients of arrays. backward() puts them into `gradients`."""
    variables, gradients = _list(variables), _list(gradients)
    requests = [grad_reqs] * len(variables) if isinstance(grad_reqs, str) else grad_reqs
    for variable, gradient, request in zip(variables, gradients, requests):
        _tape.mark(variable, request)
        variable.grad = gradient


def backward(heads, head_grads=None, retain_graph=False, train_mode=True):
    """Enqueues the gradients of `heads` with respect to the arrays that asked for them."""
    heads = _list(heads)
    _tape.backward(heads, [None] * len(heads) if head_grads is None else _list(head_grads), retain_graph)


def grad(heads, variables, head_grads=None, retain_graph=None, create_graph=False, train_mode=True):
    """Returns the gradients of `heads` with respect to `variables`, and leaves their .grad alone."""
    if create_graph:
        raise _missing.unsupported("grad(create_graph=True), the gradient of a gradient,")
    heads = _list(heads)
    gradients = [None] * len(heads) if head_grads is None else _list(head_grads)
    found = _tape.gradients_of(heads, gradients, _list(variables), bool(retain_graph))
    return found if isinstance(variables, (list, tuple)) else found[0]


def _list(value):
    return [value] if isinstance(value, _ops.Array) else list(value)
