"""torch.optim: stochastic gradient descent."""

from .. import _runahead as _engine
from .. import missing as _missing
from .. import tape as _tape
from ..momentum import Velocities as _Velocities
from .nn.module import clear_grad as _clear_grad

__getattr__ = _missing.names_of("torch.optim")


class Optimizer:
    """The base of optimizers."""

    def __init__(self, params, defaults):
        groups = list(params)
        if not groups:
            raise ValueError("the optimizer got no parameters")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        self.param_groups = [{**defaults, **group, "params": list(group["params"])} for group in groups]
        _engine.begin_steps()

    def zero_grad(self, set_to_none=True):
        for group in self.param_groups:
            for parameter in group["params"]:
                _clear_grad(parameter, set_to_none)


class SGD(Optimizer):
    """Stochastic gradient descent with momentum and weight decay.

    step() ends a step of the engine: the barrier applies there.
    """

    def __init__(self, params, lr=1e-3, momentum=0.0, dampening=0.0, weight_decay=0.0, nesterov=False):
        if dampening or nesterov:
            raise _missing.unsupported("SGD with dampening or nesterov")
        super().__init__(params, {"lr": lr, "momentum": momentum, "weight_decay": weight_decay})
        self._velocities = _Velocities()

    def step(self):
        """Enqueues the updates of all parameters that have a gradient."""
        with _tape.Recording(False):
            for group in self.param_groups:
                for parameter in group["params"]:
                    if parameter.grad is not None:
                        self._update(parameter, parameter.grad, group)
        _engine.step(_tape.take_last_head())

    def _update(self, parameter, gradient, group):
        direction = self._velocities.direction(id(parameter), parameter, gradient, group["weight_decay"],
                                               group["momentum"])
        _engine.sgd_update(parameter, direction, float(group["lr"]), 1.0)
