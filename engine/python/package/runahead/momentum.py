"""Weight decay and momentum of stochastic gradient descent. The optimizers of both frontends share them."""

from .ops import full_like


class Velocities:
    """The momentum of each array that an optimizer updates."""

    def __init__(self):
        self._of = {}  # key -> array

    def direction(self, key, array, gradient, decay, momentum):
        """Returns what the learning rate multiplies. The key names the array for as long as the optimizer lives."""
        if decay:
            gradient = gradient + array * decay
        if not momentum:
            return gradient
        velocity = self._of.get(key)
        if velocity is None:
            velocity = self._of[key] = full_like(array, 0.0)
        velocity *= momentum
        velocity += gradient
        return velocity
