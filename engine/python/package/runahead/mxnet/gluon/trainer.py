"""mx.gluon.Trainer: updates the parameters of a network after backward()."""

from ... import _runahead as engine
from ... import missing, tape
from ...momentum import Velocities
from ...ops import device_of


class Trainer:
    """Updates parameters by stochastic gradient descent ("sgd"), with the options learning_rate, momentum, wd,
    rescale_grad.

    step() ends a step of the engine: the barrier applies there, as `runahead run --barrier` describes. If a parameter
    is on several devices, step() first adds up the gradients of all of them.
    """

    def __init__(self, params, optimizer, optimizer_params=None, kvstore="device", compression_params=None,
                 update_on_kvstore=None):
        if optimizer != "sgd":
            raise missing.unsupported(f"Trainer with the optimizer '{optimizer}'")
        options = dict(optimizer_params or {})
        self._rate = float(options.pop("learning_rate", 0.01))
        self._momentum = float(options.pop("momentum", 0.0))
        self._decay = float(options.pop("wd", 0.0))
        self._rescale = float(options.pop("rescale_grad", 1.0))
        if options:
            raise missing.unsupported(f"sgd with the option {sorted(options)[0]}")
        self._params = list(params.values()) if isinstance(params, dict) else list(params)
        self._velocities = Velocities()
        engine.begin_steps()

    @property
    def learning_rate(self):
        return self._rate

    def set_learning_rate(self, lr):
        self._rate = float(lr)

    def step(self, batch_size, ignore_stale_grad=False):
        """Enqueues the updates. Gradients are divided by `batch_size`."""
        self.allreduce_grads()
        self.update(batch_size, ignore_stale_grad)
        engine.step(tape.take_last_head())

    def allreduce_grads(self):
        """Enqueues the sums of the gradients of all devices."""
        for parameter in self._params:
            if parameter.grad_req == "null" or len(parameter.list_data()) < 2:
                continue
            gradients = parameter.list_grad()
            total = gradients[0]
            for gradient in gradients[1:]:
                total = total + engine.copy_to(gradient, device_of(total))
            for gradient in gradients:
                device = device_of(gradient)
                engine.assign(gradient, total if device == device_of(total) else engine.copy_to(total, device))

    def update(self, batch_size, ignore_stale_grad=False):
        """Enqueues the updates alone."""
        for parameter in self._params:
            if parameter.grad_req == "null":
                continue
            for array in parameter.list_data():
                if array._node.fresh:
                    array._node.fresh = False
                    self._update(parameter, array, batch_size / self._rescale)
                elif not ignore_stale_grad:
                    raise UserWarning(f"step: backward() has not computed the gradient of {parameter.name} since the "
                                      "last step; pass ignore_stale_grad=True if this is right")

    def _update(self, parameter, array, batch_size):
        rate, decay = self._rate * parameter.lr_mult, self._decay * parameter.wd_mult
        if decay == 0.0 and self._momentum == 0.0:
            engine.sgd_update(array, array.grad, rate, float(batch_size))
            return
        with tape.Recording(False):
            # Not the id of the array: load_parameters() replaces the arrays, and a new one may get an old id.
            key = id(parameter), device_of(array)
            gradient = array.grad * (1.0 / batch_size)
            direction = self._velocities.direction(key, array, gradient, decay, self._momentum)
            engine.sgd_update(array, direction, rate, 1.0)
