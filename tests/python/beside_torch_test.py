"""Each operator of runahead.torch gives the values and the gradients of the installed torch, on random shapes.

Each case is one function. It runs twice: with the module runahead.torch, and with the installed torch. PYTHONPATH names
the folder of the package. RUNAHEAD_TEST_SEED repeats a run; the seed is printed.
"""

import os
import random
import sys
import time
import unittest

try:
    import numpy as np
    import torch
except ImportError:
    sys.exit(77)

import runahead.torch as ours

SEED = int(os.environ.get("RUNAHEAD_TEST_SEED", time.time_ns() % 1_000_000))
REPEATS = 15


class Shapes:
    """Random shapes and choices of one repetition. Both modules get the same."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.numpy = np.random.default_rng(self.random.getrandbits(32))
        self.any = tuple(self.extent() for _ in range(self.random.randint(0, 4)))
        self.full = tuple(self.extent() for _ in range(self.random.randint(1, 4)))  # at least one axis
        self.axis = self.random.randrange(-len(self.full), len(self.full))
        self.keep = self.random.random() < 0.5
        self.m, self.k, self.n = self.extent(), self.extent(), self.extent()

    def extent(self):
        return self.random.choice([1, 2, 3, 4, 5, 7])

    def broadcastable(self, shape):
        shape = shape[self.random.randint(0, len(shape)):]
        return tuple(1 if self.random.random() < 0.3 else extent for extent in shape)

    def values(self, shape, low, high):
        return self.numpy.uniform(low, high, shape).astype(np.float32)

    def permutation(self):
        return self.random.sample(range(len(self.full)), len(self.full))

    def slices(self):
        """Ranges with positive steps: torch has no others."""
        return tuple(slice(self.random.choice([None, 0, -1, 1]), self.random.choice([None, extent, -1, extent + 2]),
                           self.random.choice([None, 1, 2])) for extent in self.full)

    def indices(self, count, below):
        return self.numpy.integers(0, below, count).astype(np.float32)


def both(shapes):
    return [shapes.any, shapes.broadcastable(shapes.any)]


def one(shapes):
    return [shapes.any]


def with_axis(shapes):
    return [shapes.full]


def integers(t, values):
    """torch takes indices as integers. Ours are float32, as all values."""
    return t.tensor(values).long() if t is torch else t.tensor(values)


# name -> (function of the module, of the choices and of the tensors; shapes of the tensors). Values are from 0.5 to 1.5.
DIFFERENTIABLE = {
    "add": (lambda t, s, a, b: a + b, both),
    "add with alpha": (lambda t, s, a, b: t.add(a, b, alpha=0.5), both),
    "subtract": (lambda t, s, a, b: b - a, both),
    "multiply": (lambda t, s, a, b: a * b, both),
    "divide": (lambda t, s, a, b: a / b, both),
    "numbers": (lambda t, s, a: (2 - a) / 4 + 3 * a - 1 / a, one),
    "pow": (lambda t, s, a, b: a ** b, both),
    "pow of a number": (lambda t, s, a: t.pow(a, 3) + a ** 0.5, one),
    "maximum": (lambda t, s, a, b: t.maximum(a, b * 1.1), both),
    "minimum": (lambda t, s, a, b: t.minimum(a, b * 1.1), both),
    "neg": (lambda t, s, a: t.neg(a), one),
    "abs": (lambda t, s, a: t.abs(a - 1), one),
    "exp": (lambda t, s, a: t.exp(a), one),
    "log": (lambda t, s, a: t.log(a), one),
    "sqrt": (lambda t, s, a: t.sqrt(a), one),
    "square": (lambda t, s, a: t.square(a), one),
    "sin": (lambda t, s, a: t.sin(a), one),
    "cos": (lambda t, s, a: t.cos(a), one),
    "tanh": (lambda t, s, a: t.tanh(a), one),
    "sigmoid": (lambda t, s, a: t.sigmoid(a), one),
    "relu": (lambda t, s, a: t.relu(a - 1), one),
    "clamp": (lambda t, s, a: t.clamp(a, 0.7, 1.3) + t.clamp(a, min=0.9), one),
    "sum": (lambda t, s, a: t.sum(a), one),
    "mean": (lambda t, s, a: t.mean(a), one),
    "sum of an axis": (lambda t, s, a: a.sum(s.axis, keepdim=s.keep), with_axis),
    "mean of an axis": (lambda t, s, a: a.mean(dim=s.axis, keepdim=s.keep), with_axis),
    "prod of an axis": (lambda t, s, a: a.prod(s.axis, s.keep), with_axis),
    "max of an axis": (lambda t, s, a: a.max(s.axis, s.keep)[0], with_axis),
    "min of an axis": (lambda t, s, a: a.min(s.axis, s.keep)[0], with_axis),
    "amax": (lambda t, s, a: a.amax(s.axis, s.keep), with_axis),
    "amin": (lambda t, s, a: a.amin(s.axis, s.keep), with_axis),
    "norm": (lambda t, s, a: t.norm(a) + a.norm(dim=s.axis, keepdim=s.keep), with_axis),
    "softmax": (lambda t, s, a: t.softmax(a, s.axis), with_axis),
    "log_softmax": (lambda t, s, a: t.log_softmax(a, s.axis), with_axis),
    "reshape": (lambda t, s, a: a.reshape(-1) * 2, one),
    "flatten": (lambda t, s, a: t.flatten(a), with_axis),
    "transpose": (lambda t, s, a: t.transpose(a, s.axis, 0), with_axis),
    "permute": (lambda t, s, a: a.permute(*s.permutation()), with_axis),
    "unsqueeze": (lambda t, s, a: a.unsqueeze(s.axis), with_axis),
    "squeeze": (lambda t, s, a: t.squeeze(a), with_axis),
    "expand": (lambda t, s, a: t.unsqueeze(a, 0).expand(3, *s.full), with_axis),
    "slices": (lambda t, s, a: a[s.slices()], with_axis),
    "an index": (lambda t, s, a: a[0] + a[-1], with_axis),
    "cat": (lambda t, s, a, b: t.cat([a, b, a], s.axis), lambda s: [s.full, s.full]),
    "stack": (lambda t, s, a, b: t.stack([a, b], s.axis), lambda s: [s.full, s.full]),
    "split": (lambda t, s, a: sum(p.sum() * i for i, p in enumerate(t.split(a, 2, s.axis), 1)), with_axis),
    "where": (lambda t, s, a, b: t.where(a > b, a, b), lambda s: [s.full, s.full]),
    "mm": (lambda t, s, a, b: t.mm(a, b), lambda s: [(s.m, s.k), (s.k, s.n)]),
    "matmul of transposed": (lambda t, s, a, b: a.t() @ b.t(), lambda s: [(s.k, s.m), (s.n, s.k)]),
    "bmm": (lambda t, s, a, b: t.bmm(a, b), lambda s: [(3, s.m, s.k), (3, s.k, s.n)]),
    "mv": (lambda t, s, a, b: t.mv(a, b), lambda s: [(s.m, s.k), (s.k,)]),
    "dot": (lambda t, s, a, b: t.dot(a, b), lambda s: [(s.k,), (s.k,)]),
    "linear": (lambda t, s, a, w, b: t.nn.functional.linear(a, w, b), lambda s: [(s.m, s.k), (s.n, s.k), (s.n,)]),
    "mse_loss": (lambda t, s, a, b: t.nn.functional.mse_loss(a, b), lambda s: [s.full, s.full]),
    "cross_entropy": (lambda t, s, a: t.nn.functional.cross_entropy(a, integers(t, s.indices(s.m, s.n))),
                      lambda s: [(s.m, s.n)]),
}
# These also take values from -3 to 3.
WIDE = {"exp", "tanh", "sigmoid", "relu", "sin", "cos", "log_softmax", "softmax", "linear", "square", "abs"}
# Sums in another order differ more than single values do.
SUMS = {"sum", "mean", "norm", "prod", "mm", "matmul", "bmm", "mv", "dot", "linear", "split", "mse_loss", "cross_entropy"}
# Functions without a gradient.
OTHERS = {
    "comparisons": (lambda t, s, a, b: [float_of(c) for c in (a < b, a <= b, a > b, a >= b, a == b, a != b)],
                    lambda s: [s.full, s.full]),
    "sign": (lambda t, s, a: t.sign(a - 1), one),
    "argmax": (lambda t, s, a: [float_of(t.argmax(a)), float_of(a.argmax(s.axis, s.keep))], with_axis),
    "indices of max": (lambda t, s, a: float_of(a.max(s.axis)[1]), with_axis),
    "in place": (lambda t, s, a, b: a.add_(b).mul_(2).sub_(b, alpha=0.5).div_(b), lambda s: [s.full, s.full]),
    "assigned slices": (lambda t, s, a: assigned(a, s.slices(), 0.25), with_axis),
    "fill_": (lambda t, s, a: a.fill_(2.5), one),
    "full_like": (lambda t, s, a: [t.full_like(a, 7), t.zeros_like(a), t.ones_like(a)], one),
    "creation": (lambda t, s, a: [t.arange(s.m, s.m + s.n, 0.5), t.linspace(-1, s.k, s.m + 1), t.eye(s.m, s.n)], one),
}


def float_of(tensor):
    return tensor.float()


def assigned(tensor, slices, value):
    tensor[slices] = value
    return tensor


def as_list(result):
    return list(result) if isinstance(result, (list, tuple)) else [result]


class BesideTorch(unittest.TestCase):
    def check(self, got, wanted, what, bound=1e-5):
        got = np.asarray(got.detach().numpy())
        wanted = wanted.detach().numpy()
        self.assertEqual(got.shape, wanted.shape, f"{what}, seed {SEED}")
        np.testing.assert_allclose(got, wanted, rtol=bound, atol=bound, err_msg=f"{what}, seed {SEED}")

    def run_both(self, name, number, with_gradient):
        function, shapes_of = (DIFFERENTIABLE if with_gradient else OTHERS)[name]
        seed = f"{SEED} {name} {number}"
        low, high = (-3, 3) if name in WIDE and number % 2 else (0.5, 1.5)
        values = [Shapes(seed + " values").values(shape, low, high) for shape in shapes_of(Shapes(seed))]
        what = f"{name} {[v.shape for v in values]}"
        results, tensors = [], []
        for module in (ours, torch):
            made = [module.tensor(v, requires_grad=with_gradient) for v in values]
            # The shapes first: then the choices of the function are those that fit the shapes.
            shapes = Shapes(seed)
            shapes_of(shapes)
            results.append(as_list(function(module, shapes, *made)))
            tensors.append(made)
        self.assertEqual(len(results[0]), len(results[1]), what)
        bound = 1e-5 if name.split()[0] in SUMS else 4e-6 if name == "log_softmax" else 2e-6
        for got, wanted in zip(*results):
            self.check(got, wanted, what, bound)
        if with_gradient:
            self.check_gradients(results, tensors, seed, what)

    def check_gradients(self, results, tensors, seed, what):
        """Each element of the result has another weight: then no two gradients are equal by chance."""
        weights = Shapes(seed + " weights").values(results[1][0].shape, -1, 1)
        for module, (result,) in zip((ours, torch), results):
            (result * module.tensor(weights)).sum().backward()
        for i, (got, wanted) in enumerate(zip(*tensors)):
            self.check(got.grad, wanted.grad, f"gradient {i} of {what}")

    def test_values_and_gradients(self):
        for name in DIFFERENTIABLE:
            with self.subTest(name):
                for number in range(REPEATS):
                    self.run_both(name, number, True)

    def test_functions_without_gradient(self):
        for name in OTHERS:
            with self.subTest(name):
                for number in range(REPEATS):
                    self.run_both(name, number, False)

    def test_optimizer(self):
        for number in range(REPEATS):
            shapes = Shapes(f"{SEED} optimizer {number}")
            start, gradients = shapes.values((3, shapes.n), -1, 1), shapes.values((3, 3, shapes.n), -1, 1)
            keywords = {"lr": 0.1, "momentum": shapes.random.choice([0, 0.9]),
                        "weight_decay": shapes.random.choice([0, 0.01])}
            ends = []
            for module in (ours, torch):
                parameter = module.nn.Parameter(module.tensor(start))
                optimizer = module.optim.SGD([parameter], **keywords)
                for gradient in gradients:
                    optimizer.zero_grad()
                    (parameter * module.tensor(gradient)).sum().backward()
                    optimizer.step()
                ends.append(parameter)
            self.check(*ends, f"SGD {keywords}")


if __name__ == "__main__":
    print(f"RUNAHEAD_TEST_SEED={SEED}", file=sys.stderr)
    unittest.main(verbosity=2)
