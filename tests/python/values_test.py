"""The operators of the extension against numpy in double precision, on random shapes.

PYTHONPATH names the folder of the package. RUNAHEAD_TEST_SEED repeats a run; the seed is printed.
"""

import os
import random
import sys
import time
import unittest

try:
    import numpy as np
except ImportError:
    sys.exit(77)

from runahead import _runahead as R

SEED = int(os.environ.get("RUNAHEAD_TEST_SEED", time.time_ns() % 1_000_000))
CPU = R.device("cpu")
REPEATS = 60

BINARY = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide, "maximum": np.maximum,
          "minimum": np.minimum, "equal": np.equal, "not_equal": np.not_equal, "less": np.less,
          "less_equal": np.less_equal, "greater": np.greater, "greater_equal": np.greater_equal}
UNARY = {"negative": np.negative, "abs": np.abs, "exp": np.exp, "square": np.square, "tanh": np.tanh,
         "sigmoid": lambda a: 1 / (1 + np.exp(-a)), "relu": lambda a: np.maximum(a, 0), "sign": np.sign, "sin": np.sin,
         "cos": np.cos, "floor": np.floor}
POSITIVE = {"log": np.log, "sqrt": np.sqrt, "reciprocal": lambda a: 1 / a}
REDUCE = {"sum": np.sum, "mean": np.mean, "max": np.max, "min": np.min, "prod": np.prod,
          "norm": lambda a, axis, keepdims: np.sqrt(np.sum(a * a, axis=axis, keepdims=keepdims))}


class Case(unittest.TestCase):
    def setUp(self):
        self.random = random.Random(f"{SEED} {self.id()}")
        self.numpy = np.random.default_rng(self.random.getrandbits(32))

    def shape(self, least=0, most=4, empty=True):
        extents = [1, 2, 3, 4, 5, 7] + ([0] if empty and self.random.random() < 0.15 else [])
        return tuple(self.random.choice(extents) for _ in range(self.random.randint(least, most)))

    def values(self, shape, low=-3.0, high=3.0):
        return self.numpy.uniform(low, high, shape).astype(np.float32)

    def array(self, values):
        return R.from_values(R.Array, np.ascontiguousarray(values), tuple(values.shape), CPU)

    def broadcastable(self, shape):
        """A shape that fits to `shape`: axes dropped in front, extents replaced by 1."""
        shape = shape[self.random.randint(0, len(shape)):]
        return tuple(1 if self.random.random() < 0.3 else extent for extent in shape)

    def axes(self, rank):
        if rank == 0 or self.random.random() < 0.25:
            return None
        chosen = self.random.sample(range(rank), self.random.randint(1, rank))
        return tuple(axis - rank if self.random.random() < 0.3 else axis for axis in chosen)

    def check(self, array, expected, what, relative=2e-6, absolute=2e-6):
        expected = np.asarray(expected, dtype=np.float64)
        self.assertEqual(array.shape, expected.shape, what)
        got = np.asarray(memoryview(R.values(array, "asnumpy")))
        np.testing.assert_allclose(got, expected, rtol=relative, atol=absolute, err_msg=f"{what}, seed {SEED}")


class AgainstNumpy(Case):
    def test_binary_with_broadcasting_and_numbers(self):
        for name, reference in BINARY.items():
            for _ in range(REPEATS):
                shape = self.shape()
                a, b = self.values(shape), self.values(self.broadcastable(shape), 0.5, 3)
                if self.random.random() < 0.3:  # comparisons need equal values
                    a, b = np.round(a), np.round(b)
                if name != "divide" and self.random.random() < 0.5:
                    a, b = b, a
                what = f"{name} {a.shape} {b.shape}"
                self.check(R.binary(name, self.array(a), self.array(b)), reference(a.astype(float), b), what)
                number = self.random.choice([0.5, 2, 1.25])
                self.check(R.binary(name, self.array(a), number), reference(a.astype(float), number), what + " number")
                self.check(R.binary(name, number, self.array(b)), reference(number, b.astype(float)), "number " + what)

    def test_power(self):
        for _ in range(REPEATS):
            shape = self.shape()
            a, b = self.values(shape, 0.2, 3), self.values(self.broadcastable(shape), -2, 2)
            self.check(R.binary("power", self.array(a), self.array(b)), a.astype(float) ** b,
                       f"power {a.shape} {b.shape}")
            self.check(R.binary("power", self.array(a), 2), a.astype(float) ** 2, f"power {a.shape} 2")

    def test_in_place(self):
        for _ in range(REPEATS):
            shape = self.shape()
            a, b = self.values(shape), self.values(self.broadcastable(shape), 0.5, 3)
            array, expected = self.array(a), a.astype(float)
            array += self.array(b)
            expected += b
            array *= 3
            expected *= 3
            array -= self.array(b)
            expected -= b
            array /= self.array(b)
            expected /= b
            self.check(array, expected, f"in place {a.shape} {b.shape}", 4e-6, 1e-5)

    def test_unary(self):
        for names, low in ((UNARY, -3), (POSITIVE, 0.1)):
            for name, reference in names.items():
                for _ in range(REPEATS // 3):
                    a = self.values(self.shape(), low)
                    self.check(R.unary(name, self.array(a)), reference(a.astype(float)), f"{name} {a.shape}")

    def test_clip_where_and_relu_gradient(self):
        for _ in range(REPEATS):
            shape = self.shape()
            a, b = self.values(shape), self.values(shape)
            condition = np.round(self.values(self.broadcastable(shape), 0, 1))
            self.check(R.clip(self.array(a), -1, 2), np.clip(a, -1, 2), f"clip {shape}")
            self.check(R.where(self.array(condition), self.array(a), self.array(b)), np.where(condition != 0, a, b),
                       f"where {condition.shape} {shape}")
            self.check(R.relu_gradient(self.array(a), self.array(b)), np.where(b > 0, a, 0), f"relu_gradient {shape}")

    def test_reductions_over_axes(self):
        for name, reference in REDUCE.items():
            for _ in range(REPEATS):
                a = self.values(self.shape(empty=name in ("sum", "prod", "norm")))
                a = a / 10 + 1 if name == "prod" else a  # a product of 1000 values stays in the range of a float
                axes, keep = self.axes(a.ndim), self.random.random() < 0.5
                self.check(R.reduce(name, self.array(a), axes, keep),
                           reference(a.astype(float), axis=axes, keepdims=keep),
                           f"{name} {a.shape} {axes} {keep}", 2e-6, 1e-5)

    def test_argmax_and_softmax(self):
        for _ in range(REPEATS):
            a = self.values(self.shape(1, 4, empty=False))
            axis = self.random.randrange(-a.ndim, a.ndim)
            what = f"{a.shape} {axis}"
            self.check(R.argmax(self.array(a), axis), np.argmax(a, axis), "argmax " + what)
            self.check(R.argmax(self.array(a), None), np.argmax(a), "argmax " + what)
            wide = a.astype(float)
            shifted = np.exp(wide - wide.max(axis, keepdims=True))
            total = shifted.sum(axis, keepdims=True)
            self.check(R.softmax(self.array(a), axis), shifted / total, "softmax " + what)
            self.check(R.log_softmax(self.array(a), axis), wide - wide.max(axis, keepdims=True) - np.log(total),
                       "log_softmax " + what, 2e-6, 4e-6)

    def test_shapes(self):
        for _ in range(REPEATS):
            a = self.values(self.shape())
            self.check(R.reshape(self.array(a), (a.size,)), a.reshape(-1), f"reshape {a.shape}")
            order = self.random.sample(range(a.ndim), a.ndim)
            self.check(R.transpose(self.array(a), tuple(order)), a.transpose(order), f"transpose {a.shape} {order}")
            self.check(R.transpose(self.array(a), None), a.T, f"transpose {a.shape}")
            small = self.values(self.broadcastable(a.shape))
            self.check(R.broadcast_to(self.array(small), a.shape), np.broadcast_to(small, a.shape),
                       f"broadcast_to {small.shape} {a.shape}")
            total = a.astype(float).sum(tuple(range(a.ndim - small.ndim)))
            ones = tuple(i for i, extent in enumerate(small.shape) if extent == 1)
            self.check(R.sum_to(self.array(a), small.shape), total.sum(ones, keepdims=True) if ones else total,
                       f"sum_to {a.shape} {small.shape}", 2e-6, 1e-5)

    def ranges(self, shape):
        """Ranges as slice.indices() gives them, and the slices that mean the same."""
        slices = []
        for extent in shape:
            bounds = [None] + list(range(-extent - 1, extent + 2))
            slices.append(slice(self.random.choice(bounds), self.random.choice(bounds),
                                self.random.choice([None, 1, 2, 3, -1, -2, -3])))
        return [s.indices(extent) for s, extent in zip(slices, shape)], tuple(slices)

    def test_slices_with_negative_steps(self):
        for _ in range(4 * REPEATS):
            a = self.values(self.shape())
            ranges, slices = self.ranges(a.shape)
            self.check(R.slice(self.array(a), ranges), a[slices], f"slice {a.shape} {slices}")
            array, expected = self.array(a), a.copy()
            value = self.values(self.broadcastable(a[slices].shape))
            expected[slices] = value
            R.assign_slice(array, ranges, self.array(value))
            self.check(array, expected, f"assign_slice {a.shape} {slices} {value.shape}")
            expected[slices] = 0.25
            R.assign_slice(array, ranges, 0.25)
            self.check(array, expected, f"assign_slice {a.shape} {slices} number")

    def test_concat_take_pick_and_one_hot(self):
        for _ in range(REPEATS):
            a = self.values(self.shape(1, 4, empty=False))
            axis = self.random.randrange(-a.ndim, a.ndim)
            other = list(a.shape)
            other[axis] = self.random.randint(1, 3)
            b = self.values(tuple(other))
            self.check(R.concat([self.array(a), self.array(b), self.array(a)], axis), np.concatenate([a, b, a], axis),
                       f"concat {a.shape} {b.shape} {axis}")
            indices = self.numpy.integers(0, a.shape[axis], self.shape(0, 2))
            self.check(R.take(self.array(a), self.array(indices.astype(np.float32)), axis), np.take(a, indices, axis),
                       f"take {a.shape} {indices.shape} {axis}")
            rows = self.values((self.random.randint(1, 5), self.random.randint(1, 5)))
            chosen = self.numpy.integers(0, rows.shape[1], rows.shape[0])
            self.check(R.pick(self.array(rows), self.array(chosen.astype(np.float32))),
                       rows[np.arange(len(chosen)), chosen], f"pick {rows.shape}")
            self.check(R.one_hot(self.array(chosen.astype(np.float32)), 6), np.eye(6)[chosen],
                       f"one_hot {chosen.shape}")

    def test_products_and_training(self):
        for _ in range(REPEATS):
            m, k, n = (self.random.randint(1, 9) for _ in range(3))
            a, b = self.values((m, k)), self.values((k, n))
            for turn_a in (False, True):
                for turn_b in (False, True):
                    left, right = self.array(a.T if turn_a else a), self.array(b.T if turn_b else b)
                    self.check(R.matmul(left, right, turn_a, turn_b), a.astype(float) @ b, f"matmul {m} {k} {n}", 1e-5,
                               1e-5)
            bias = self.values((n,))
            self.check(R.dense(self.array(a), self.array(b.T), self.array(bias)), a.astype(float) @ b + bias,
                       f"dense {m} {k} {n}", 1e-5, 1e-5)
            rate, batch = 0.25, self.random.randint(1, 5)
            parameter, gradient = self.array(bias), self.values((n,))
            R.sgd_update(parameter, self.array(gradient), rate, batch)
            self.check(parameter, bias - rate / batch * gradient.astype(float), f"sgd_update {n}")
            label = self.values((m,))
            prediction = self.values((m,))
            self.check(R.l2_loss(self.array(prediction), self.array(label)),
                       (prediction.astype(float) - label) ** 2 / 2,
                       f"l2_loss {m}")
            self.check(R.l2_loss_gradient(self.array(prediction), self.array(label)), prediction.astype(float) - label,
                       f"l2_loss_gradient {m}")

    def test_creation(self):
        for _ in range(REPEATS):
            shape = self.shape()
            self.check(R.full(R.Array, shape, 0.5, CPU), np.full(shape, 0.5), f"full {shape}")
            start, step = self.random.randint(-5, 5), self.random.choice([-2, -0.5, 0.5, 1, 3])
            stop = start + self.random.randint(-6, 6)
            self.check(R.arange(R.Array, start, stop, step, CPU), np.arange(start, stop, step),
                       f"arange {start} {stop} {step}")
            n, m = self.random.randint(1, 5), self.random.randint(1, 5)
            self.check(R.eye(R.Array, n, m, CPU), np.eye(n, m), f"eye {n} {m}")


if __name__ == "__main__":
    print(f"RUNAHEAD_TEST_SEED={SEED}", file=sys.stderr)
    unittest.main(verbosity=2)
