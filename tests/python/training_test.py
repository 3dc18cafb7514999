"""The workload training_memory as a Python script: the same losses as in C++, bit for bit, and torch's within 1e-4.

PYTHONPATH names the folder of the package, RUNAHEAD the program.
"""

import json
import os
import subprocess
import unittest

from runahead import _runahead as R

CPU = R.device("cpu")
STEPS, BATCH, FEATURES, HIDDEN = 12, 64, 24, (16, 8)
RATE = 0.05


def full(shape, value):
    return R.full(R.Array, shape, value, CPU)


def make_parameters(seed):
    """Pairs of weight and bias. The random number streams 0 to 2 make the weights, those from 16 on the batches."""
    units = (FEATURES, *HIDDEN, 1)
    return [[R.uniform(R.Array, (units[i + 1], units[i]), -0.07, 0.07, seed, i, CPU), full((units[i + 1],), 0)]
            for i in range(3)]


def batch_of(seed, step):
    return R.normal(R.Array, (BATCH, FEATURES), 0, 1, seed, 16 + step, CPU)


def gradients_of(g, a):
    return R.matmul(g, a, True, False), R.reduce("sum", g, (0,), False)


def train(seed):
    """The losses of all steps: means over a batch."""
    layers = make_parameters(seed)
    losses = []
    for step in range(STEPS):
        x, y = batch_of(seed, step), full((BATCH,), 1)
        z1 = R.dense(x, *layers[0])
        h1 = R.unary("relu", z1)
        z2 = R.dense(h1, *layers[1])
        h2 = R.unary("relu", z2)
        prediction = R.dense(h2, *layers[2])
        losses.append(R.reduce("mean", R.l2_loss(prediction, y), None, False))
        g = R.l2_loss_gradient(prediction, y)
        gradients = [None, None, gradients_of(g, h2)]
        g = R.relu_gradient(R.matmul(g, layers[2][0]), z2)
        gradients[1] = gradients_of(g, h1)
        g = R.relu_gradient(R.matmul(g, layers[1][0]), z1)
        gradients[0] = gradients_of(g, x)
        for (weight, bias), (of_weight, of_bias) in reversed(list(zip(layers, gradients))):
            R.sgd_update(bias, of_bias, RATE, BATCH)
            R.sgd_update(weight, of_weight, RATE, BATCH)
    return [R.item(loss, "item") for loss in losses]


def train_with_torch(seed, torch):
    def tensor(array):
        return torch.tensor(memoryview(R.values(array, "asnumpy")).tolist(), dtype=torch.float32)

    parameters = [tensor(one).requires_grad_() for layer in make_parameters(seed) for one in layer]
    losses = []
    for step in range(STEPS):
        h = tensor(batch_of(seed, step))
        for i in range(3):
            h = torch.nn.functional.linear(h, parameters[2 * i], parameters[2 * i + 1])
            h = torch.relu(h) if i < 2 else h
        loss = ((h.reshape(-1) - 1) ** 2 / 2).mean()
        losses.append(loss.item())
        for one in parameters:
            one.grad = None
        loss.backward()
        with torch.no_grad():
            for one in parameters:
                one -= RATE * one.grad
    return losses


class Training(unittest.TestCase):
    @unittest.skipUnless("RUNAHEAD" in os.environ, "RUNAHEAD does not name the program")
    def test_losses_equal_the_workload_in_cpp_bit_for_bit(self):
        for seed in (1, 7):
            settings = {"steps": STEPS, "batch": BATCH, "features": FEATURES, "hidden1": HIDDEN[0],
                        "hidden2": HIDDEN[1],
                        "rate": RATE, "seed": seed, "loader_us": 0, "frontend_us": 0}
            done = subprocess.run([os.environ["RUNAHEAD"], "run", "training_memory", "--device", "cpu", "--json"]
                                  + [f"--set={key}={value}" for key, value in settings.items()],
                                  capture_output=True, text=True, timeout=100, check=True)
            report = json.loads(done.stdout)
            result = report.get("result", report)
            losses = train(seed)
            self.assertGreater(losses[0], losses[-1])
            self.assertEqual((losses[0], losses[-1]), (result["first_loss"], result["final_loss"]))

    def test_losses_are_close_to_torch(self):
        try:
            import torch
        except ImportError:
            self.skipTest("torch is not installed")
        for ours, theirs in zip(train(3), train_with_torch(3, torch)):
            self.assertAlmostEqual(ours, theirs, delta=1e-4)


if __name__ == "__main__":
    unittest.main(verbosity=2)
