"""Every gradient rule agrees with finite differences.

PYTHONPATH names the folder of the package. The differences are those of float32, so the bounds are wide.
"""

import unittest

from runahead import _runahead as engine
from runahead import gradients, ops
from runahead.mxnet import autograd, np

_STEP, _BOUND = 2e-2, 3e-2

# name of the rule -> (function of arrays, shapes of its arrays). Values are between 0.5 and 1.5, no two of them close.
_CASES = {
    "add": (lambda a, b: a + b, [(2, 3), (3,)]),
    "subtract": (lambda a, b: a - b, [(2, 3), (2, 1)]),
    "multiply": (lambda a, b: a * b, [(2, 3), (3,)]),
    "divide": (lambda a, b: a / b, [(2, 3), (1, 3)]),
    "power": (lambda a, b: a ** b, [(2, 3), (3,)]),
    "maximum": (lambda a, b: np.maximum(a, 2.0 - b), [(2, 3), (2, 3)]),
    "minimum": (lambda a, b: np.minimum(a, 2.0 - b), [(2, 3), (2, 3)]),
    "negative": (lambda a: -a, [(2, 3)]),
    "abs": (lambda a: abs(a - 1.0), [(2, 3)]),
    "exp": (np.exp, [(2, 3)]),
    "log": (np.log, [(2, 3)]),
    "sqrt": (np.sqrt, [(2, 3)]),
    "square": (np.square, [(2, 3)]),
    "tanh": (np.tanh, [(2, 3)]),
    "sigmoid": (lambda a: a.sigmoid(), [(2, 3)]),
    "relu": (lambda a: (a - 1.0).relu(), [(2, 3)]),
    "sin": (np.sin, [(2, 3)]),
    "cos": (np.cos, [(2, 3)]),
    "reciprocal": (np.reciprocal, [(2, 3)]),
    "clip": (lambda a: np.clip(a, 0.8, 1.2), [(2, 3)]),
    "where": (lambda a, b: np.where(np.array([[1.0, 0, 3], [0, 1, 0]]), a, b), [(2, 3), (2, 3)]),
    "reduce:sum": (lambda a: a.sum(axis=1), [(2, 3)]),
    "reduce:mean": (lambda a: a.mean(axis=0, keepdims=True), [(2, 3)]),
    "reduce:max": (lambda a: a.max(axis=1), [(2, 3)]),
    "reduce:min": (lambda a: a.min(axis=-2), [(2, 3)]),
    "reduce:prod": (lambda a: a.prod(axis=1), [(2, 3)]),
    "reduce:norm": (lambda a: a.norm(), [(2, 3)]),
    "softmax": (lambda a: a.softmax(axis=1), [(2, 3)]),
    "log_softmax": (lambda a: a.log_softmax(axis=0), [(2, 3)]),
    "pick": (lambda a: a.pick(np.array([2.0, 0.0])), [(2, 3)]),
    "reshape": (lambda a: a.reshape(3, -1), [(2, 3)]),
    "transpose": (lambda a: np.transpose(a, (1, 2, 0)), [(2, 3, 2)]),
    "broadcast_to": (lambda a: a.broadcast_to((4, 2, 3)), [(2, 1)]),
    "sum_to": (lambda a: engine.sum_to(a, (1, 3)), [(2, 3)]),
    "slice": (lambda a: a[:, ::-2], [(2, 3)]),
    "concat": (lambda a, b: np.concatenate([a, b], axis=1), [(2, 3), (2, 1)]),
    "take": (lambda a: a[[1, 0, 1]], [(2, 3)]),
    "copy_to": (lambda a: a.copy(), [(2, 3)]),
    "matmul": (lambda a, b: a @ b, [(2, 3), (3, 2)]),
    "dense": (lambda x, w, b: engine.dense(x, w, b), [(2, 3), (4, 3), (4,)]),
    "l2_loss": (lambda a, b: engine.l2_loss(a, b), [(3, 2), (3, 2)]),
}


def values_of(shape, salt):
    """Different values between 0.5 and 1.5, far from 0.8, 1.0 and 1.2, where some functions have a corner."""
    count = 1
    for n in shape:
        count *= n
    return [0.55 + ((i * 7 + salt * 3) % 13) * 0.07 for i in range(count)]


class Gradient(unittest.TestCase):
    def check(self, function, shapes):
        flat = [values_of(shape, salt) for salt, shape in enumerate(shapes)]

        def output(values):
            arrays = [np.array(one).reshape(shape) for one, shape in zip(values, shapes)]
            return arrays, function(*arrays)

        weights = None

        def total(values):
            _, result = output(values)
            return sum(w * y for w, y in zip(weights, result.reshape(-1).tolist()))

        arrays, result = output(flat)
        weights = [1.0 + 0.5 * (i % 3) for i in range(ops.size_of(result))]
        for array in arrays:
            array.attach_grad()
        with autograd.record():
            result = function(*arrays)
        result.backward(np.array(weights).reshape(result.shape))
        for which, array in enumerate(arrays):
            got = array.grad.reshape(-1).tolist()
            for i in range(len(flat[which])):
                up, down = [list(one) for one in flat], [list(one) for one in flat]
                up[which][i] += _STEP
                down[which][i] -= _STEP
                wanted = (total(up) - total(down)) / (2 * _STEP)
                self.assertAlmostEqual(got[i], wanted, delta=_BOUND * max(1.0, abs(wanted)),
                                       msg=f"input {which}, element {i}")

    def test_every_rule_agrees_with_finite_differences(self):
        for name, (function, shapes) in _CASES.items():
            with self.subTest(name):
                self.check(function, shapes)

    def test_every_rule_has_a_case(self):
        self.assertEqual(set(_CASES), set(gradients.RULES))

    def test_numbers_take_the_place_of_an_array(self):
        for name, function in {"1 - a": lambda a: 1.0 - a, "2 / a": lambda a: 2.0 / a, "a ** 2": lambda a: a ** 2,
                               "a ** 3": lambda a: a ** 3.0, "2 ** a": lambda a: 2.0 ** a, "a * 3": lambda a: a * 3,
                               "maximum": lambda a: np.maximum(a, 0.9)}.items():
            with self.subTest(name):
                self.check(function, [(2, 3)])

    def test_all_transpositions_of_a_product(self):
        for ta in (False, True):
            for tb in (False, True):
                with self.subTest(transpose_a=ta, transpose_b=tb):
                    self.check(lambda a, b: engine.matmul(a, b, ta, tb),
                               [(3, 2) if ta else (2, 3), (4, 3) if tb else (3, 4)])

    def test_products_of_batches_and_vectors(self):
        self.check(np.matmul, [(2, 2, 3), (2, 3, 2)])
        self.check(np.dot, [(3,), (3,)])
        self.check(np.dot, [(2, 3), (3,)])

    def test_reductions_over_all_axes(self):
        for name in ("sum", "mean", "max", "prod"):
            with self.subTest(name):
                self.check(lambda a: getattr(a, name)(), [(2, 3)])

    def test_dense_without_bias(self):
        self.check(lambda x, w: engine.dense(x, w, None), [(2, 3), (4, 3)])

    def test_an_array_that_is_used_twice_gets_the_sum(self):
        self.check(lambda a: a * a + a, [(2, 3)])

    def test_an_op_without_a_rule_says_so(self):
        a = np.ones((2,))
        a.attach_grad()
        with autograd.record():
            b = a * 2
        b._node.name = "convolution"
        with self.assertRaisesRegex(NotImplementedError, "no gradient for the op convolution"):
            b.backward()


if __name__ == "__main__":
    unittest.main()
