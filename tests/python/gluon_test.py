"""mxnet.gluon: layers, losses, the trainer, hybridize and files. PYTHONPATH names the folder of the package."""

import contextlib
import io
import json
import os
import tempfile
import unittest

from runahead import mxnet as mx
from runahead.mxnet import autograd, gluon, init, nd, np, npx
from runahead.mxnet.gluon import nn


def mlp(kind=nn.Sequential, **keywords):
    net = kind()
    net.add(nn.Dense(8, activation="relu"), nn.Dense(1))
    net.initialize(init.Normal(0.3), **keywords)
    return net


def near(a, b):
    return abs(a - b).max().item() < 1e-5


class Parameters(unittest.TestCase):
    def setUp(self):
        npx.set_np()
        mx.random.seed(1)

    def test_the_first_input_tells_the_number_of_inputs(self):
        net = mlp()
        self.assertEqual(net[0].weight.shape, (8, 0))
        with self.assertRaisesRegex(RuntimeError, "after the network has seen an input"):
            net[0].weight.data()
        net(np.ones((2, 5)))
        self.assertEqual(net[0].weight.data().shape, (8, 5))
        self.assertEqual([p.shape for p in net.collect_params().values()], [(8, 5), (8,), (1, 8), (1,)])

    def test_parameters_without_initialize(self):
        with self.assertRaisesRegex(RuntimeError, "call initialize"):
            nn.Dense(2, in_units=3)(np.ones((1, 3)))

    def test_initializers(self):
        layer = nn.Dense(100, in_units=100)
        for chosen, bound in ((init.Uniform(0.5), 0.5), (init.Xavier(), 0.1733), (None, 0.0701)):
            layer.initialize(chosen, force_reinit=True)
            largest = abs(layer.weight.data()).max().item()
            self.assertTrue(0.9 * bound < largest <= bound, (chosen, largest))
            self.assertEqual(layer.bias.data().norm().item(), 0)
        layer.initialize(init.Constant(3), force_reinit=True)
        self.assertEqual(layer.weight.data().mean().item(), 3)

    def test_set_data_and_grad(self):
        layer = nn.Dense(1, in_units=2)
        layer.initialize()
        layer.weight.set_data(np.array([[2.0, 3.0]]))
        with autograd.record():
            y = layer(np.array([[1.0, 10.0], [1.0, 1.0]])).sum()
        y.backward()
        self.assertEqual(y.item(), 37)
        self.assertEqual(layer.weight.grad().tolist(), [[2, 11]])
        self.assertEqual(layer.bias.grad().tolist(), [2])

    def test_shared_parameters_are_refused(self):
        with self.assertRaisesRegex(NotImplementedError, "params="):
            nn.Dense(2, params=nn.Dense(2).params)

    def test_names_select_parameters(self):
        net = mlp()
        self.assertEqual(len(net.collect_params(".*weight")), 2)
        net.collect_params().setattr("grad_req", "null")
        net(np.ones((1, 2)))
        self.assertIsNone(net[0].weight.data().grad)

    def test_the_class_of_parameters_follows_set_np(self):
        npx.reset_np()
        layer = nn.Dense(1, in_units=1)
        layer.initialize()
        self.assertIs(type(layer.weight.data()), nd.NDArray)
        npx.set_np()

    def test_parameters_are_saved_and_loaded(self):
        x, net, other = np.random.normal(size=(3, 4)), mlp(), mlp()
        wanted = net(x)
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "mlp.params")
            net.save_parameters(file)
            other.load_parameters(file, ctx=mx.gpu(0))
            with self.assertRaisesRegex(ValueError, "parameter bias is missing"):
                nn.Dense(1).load_parameters(file)
        self.assertTrue(near(other(x.as_in_ctx(mx.gpu(0))).as_in_ctx(mx.cpu()), wanted))

    def test_a_parameter_on_another_device_says_where_it_is(self):
        net = mlp(ctx=[mx.gpu(0), mx.gpu(1)])
        net(np.ones((1, 2), ctx=mx.gpu(1)))
        with self.assertRaisesRegex(RuntimeError, r"not on cpu\(0\).*gpu\(0\), gpu\(1\)"):
            net(np.ones((1, 2)))


class Losses(unittest.TestCase):
    def test_l2_is_half_the_mean_square_of_a_row(self):
        loss = gluon.loss.L2Loss()
        pred, label = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[0.0, 2.0], [1.0, 1.0]])
        self.assertEqual(loss(pred, label).tolist(), [0.25, 3.25])
        self.assertEqual(loss(pred, label, np.array([[2.0], [1.0]])).tolist(), [0.5, 3.25])
        self.assertEqual(loss(np.ones((3,)), np.zeros((3, 1))).tolist(), [0.5] * 3)

    def test_both_arguments_of_l2_get_a_gradient(self):
        a, b = np.array([3.0, 1.0]), np.array([[1.0], [2.0]])
        a.attach_grad(), b.attach_grad()
        with autograd.record():
            l = gluon.loss.L2Loss()(a, b)
        l.backward()
        self.assertEqual((a.grad.tolist(), b.grad.tolist()), ([2, -1], [[-2], [1]]))

    def test_cross_entropy_of_labels_and_of_probabilities(self):
        pred = np.array([[0.0, 1.0, 2.0], [3.0, 3.0, 3.0]])
        sparse = gluon.loss.SoftmaxCrossEntropyLoss()(pred, np.array([2.0, 0.0]))
        dense = gluon.loss.SoftmaxCrossEntropyLoss(sparse_label=False)(pred, np.array([[0.0, 0, 1], [1, 0, 0]]))
        self.assertTrue(near(sparse, np.array([0.40760595, 1.0986123])) and near(sparse, dense))

    def test_a_weight_for_each_sample_is_a_vector_or_a_column(self):
        pred, label = np.array([[0.0, 1.0, 2.0], [3.0, 3.0, 3.0]]), np.array([2.0, 0.0])
        loss = gluon.loss.SoftmaxCrossEntropyLoss()
        wanted = loss(pred, label) * np.array([2.0, 0.5])
        for weight in (np.array([2.0, 0.5]), np.array([[2.0], [0.5]])):
            weighted = loss(pred, label, weight)
            self.assertEqual(weighted.shape, (2,))
            self.assertTrue(near(weighted, wanted))

    def test_a_weight_of_zero_is_not_one(self):
        for kind in (gluon.loss.L1Loss, gluon.loss.L2Loss, gluon.loss.SoftmaxCrossEntropyLoss):
            label = np.ones((2,)) if kind is gluon.loss.SoftmaxCrossEntropyLoss else np.ones((2, 3))
            self.assertEqual(kind(weight=0.0)(np.zeros((2, 3)), label).tolist(), [0, 0], kind)


class Training(unittest.TestCase):
    def setUp(self):
        npx.set_np()
        mx.random.seed(1)

    def step(self, net, trainer, x, y):
        with autograd.record():
            l = gluon.loss.L2Loss()(net(x), y)
        l.backward()
        trainer.step(x.shape[0])
        return l.mean().item()

    def test_a_network_learns(self):
        x = np.random.normal(size=(64, 2))
        y = x.dot(np.array([[1.0], [-2.0]]))
        net = mlp()
        trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.2})
        losses = [self.step(net, trainer, x, y) for _ in range(100)]
        self.assertLess(losses[-1], losses[0] / 20)

    def test_one_step_of_sgd_by_hand(self):
        for options, wanted in (({"learning_rate": 0.5}, [1.0, 0.0]),
                                ({"learning_rate": 0.5, "wd": 0.5}, [0.5, -0.625]),
                                ({"learning_rate": 0.5, "momentum": 0.5}, [1.0, -0.5])):
            weight = gluon.Parameter("weight", shape=(1,), init=init.Constant(2.0))
            weight.initialize()
            trainer = gluon.Trainer([weight], "sgd", options)
            for value in wanted:
                with autograd.record():
                    l = weight.data() * np.array([4.0])
                l.backward()
                trainer.step(2)
                self.assertAlmostEqual(weight.data().item(), value, places=5, msg=str(options))

    def test_momentum_belongs_to_the_parameter_not_to_its_array(self):
        weight = gluon.Parameter("weight", shape=(1,), init=init.Constant(2.0))
        weight.initialize()
        trainer = gluon.Trainer([weight], "sgd", {"learning_rate": 0.5, "momentum": 0.5})
        for value in (1.0, -0.5):
            with autograd.record():
                l = weight.data() * np.array([4.0])
            l.backward()
            trainer.step(2)
            self.assertAlmostEqual(weight.data().item(), value, places=5)
            weight.load_array(weight.data().copy())

    def test_a_step_without_backward_is_an_error(self):
        net = mlp()
        trainer = gluon.Trainer(net.collect_params(), "sgd")
        net(np.ones((1, 2)))
        with self.assertRaisesRegex(UserWarning, "ignore_stale_grad"):
            trainer.step(1)
        trainer.step(1, ignore_stale_grad=True)

    def test_two_devices_learn_as_one(self):
        x, y = np.random.normal(size=(8, 3)), np.random.normal(size=(8, 1))
        contexts = [mx.gpu(0), mx.gpu(1)]
        one, two = mlp(), mlp(ctx=contexts)
        one(x), two(x.as_in_ctx(contexts[0]))
        for a, b in zip(one.collect_params().values(), two.collect_params().values()):
            b.set_data(a.data())
        self.step(one, gluon.Trainer(one.collect_params(), "sgd", {"learning_rate": 0.1}), x, y)
        trainer = gluon.Trainer(two.collect_params(), "sgd", {"learning_rate": 0.1})
        parts = zip(gluon.utils.split_and_load(x, contexts), gluon.utils.split_and_load(y, contexts))
        with autograd.record():
            losses = [gluon.loss.L2Loss()(two(a), b) for a, b in parts]
        autograd.backward(losses)
        trainer.step(8)
        for a, b in zip(one.collect_params().values(), two.collect_params().values()):
            for copy in b.list_data():
                self.assertTrue(near(copy.as_in_ctx(mx.cpu()), a.data()), a.name)

    def test_what_the_trainer_lacks_is_named(self):
        with self.assertRaisesRegex(NotImplementedError, "adam"):
            gluon.Trainer([], "adam")
        with self.assertRaisesRegex(NotImplementedError, "clip_gradient"):
            gluon.Trainer([], "sgd", {"clip_gradient": 1})


class Loud(nn.HybridBlock):
    """A block that says how often Python runs it."""

    def __init__(self, **keywords):
        super().__init__(**keywords)
        self.hidden = nn.Dense(4)
        self.calls = []

    def hybrid_forward(self, F, x):
        self.calls.append(F)
        return F.npx.relu(self.hidden(x)) + F.np.sum(x[:, 0:1] * 2, axis=1, keepdims=True)


class Hybridized(unittest.TestCase):
    def setUp(self):
        npx.set_np()
        mx.random.seed(1)

    def test_python_runs_once_with_symbols(self):
        net, x = Loud(), np.random.normal(size=(2, 3))
        net.initialize()
        wanted = net(x)
        net.hybridize()
        self.assertTrue(near(net(x), wanted) and near(net(x + 1), net.forward(x + 1)))
        self.assertEqual([F.__name__.rpartition(".")[2] for F in net.calls], ["ndarray", "symbol", "ndarray"])

    def test_the_first_call_may_be_hybridized(self):
        net = mlp(nn.HybridSequential)
        net.hybridize()
        self.assertEqual(net(np.ones((2, 3))).shape, (2, 1))
        self.assertEqual(net[0].weight.shape, (8, 3))

    def test_a_hybridized_network_has_the_same_gradients(self):
        net, x = mlp(nn.HybridSequential), np.random.normal(size=(4, 3))
        found = []
        for active in (False, True):
            net.hybridize(active)
            with autograd.record():
                y = net(x)
            y.backward()
            found.append(net[0].weight.grad().copy())
        self.assertTrue(near(*found))
        self.assertGreater(found[0].norm().item(), 0)

    def test_symbols_have_no_values(self):
        with self.assertRaisesRegex(AttributeError, "asnumpy.*no values"):
            mx.sym.var("x").asnumpy()
        with self.assertRaises(TypeError):
            bool(mx.sym.var("x") > 1)

    def test_a_symbol_goes_through_a_network(self):
        net = mlp(nn.HybridSequential)
        y = net(mx.sym.var("data"))
        self.assertEqual(y.list_arguments()[0], "data")
        self.assertEqual(len(y.list_arguments()), 5)

    def test_export_and_import(self):
        net, x = Loud(), np.random.normal(size=(2, 3))
        net.initialize()
        with self.assertRaisesRegex(RuntimeError, "hybridize"):
            net.export("nothing")
        net.hybridize()
        wanted = net(x)
        with tempfile.TemporaryDirectory() as folder:
            names = net.export(os.path.join(folder, "loud"))
            self.assertEqual([os.path.basename(name) for name in names], ["loud-symbol.json", "loud-0000.params"])
            with open(names[0]) as file:
                self.assertEqual(json.load(file)["format"], "runahead-symbol 1")
            again = gluon.SymbolBlock.imports(names[0], ["data"], names[1])
        self.assertTrue(near(again(x), wanted))

    def test_a_plain_block_cannot_be_traced(self):
        with self.assertRaisesRegex(ValueError, "Sequential is no HybridBlock"):
            nn.HybridSequential().add(nn.Sequential())

    def test_a_block_with_forward_runs_op_by_op(self):
        class Plain(nn.HybridBlock):
            calls = 0

            def forward(self, x):
                Plain.calls += 1
                return x * 2
        net = Plain()
        net.hybridize()
        self.assertEqual([net(np.ones((1,))).item() for _ in range(2)], [2, 2])
        self.assertEqual(Plain.calls, 2)

    def test_text_of_a_network(self):
        net = mlp(nn.HybridSequential)
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            print(net)
        self.assertEqual(out.getvalue(), "HybridSequential(\n  (0): Dense(None -> 8, Activation(relu))\n"
                                         "  (1): Dense(None -> 1, linear)\n)\n")


class Splitting(unittest.TestCase):
    def test_split_and_load(self):
        parts = gluon.utils.split_and_load(np.arange(12).reshape(4, 3), [mx.gpu(0), mx.gpu(1)])
        self.assertEqual([(str(part.ctx), part.shape) for part in parts], [("gpu(0)", (2, 3)), ("gpu(1)", (2, 3))])
        self.assertEqual(parts[1].tolist(), [[6, 7, 8], [9, 10, 11]])
        with self.assertRaisesRegex(ValueError, "3 equal parts"):
            gluon.utils.split_data(np.ones((4, 1)), 3)
        self.assertEqual([p.shape[0] for p in gluon.utils.split_data(np.ones((4, 1)), 3, even_split=False)], [1, 1, 2])


if __name__ == "__main__":
    unittest.main()
