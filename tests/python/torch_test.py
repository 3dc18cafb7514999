"""runahead.torch. PYTHONPATH names the folder of the package."""

import copy
import os
import tempfile
import unittest

from runahead import torch
from runahead.torch import nn
from runahead.torch.nn import functional as F


class Tensors(unittest.TestCase):
    def test_shapes_in_every_spelling(self):
        for tensor in (torch.zeros(2, 3), torch.zeros((2, 3)), torch.randn(size=(2, 3)), torch.rand([2, 3])):
            self.assertEqual(tensor.shape, (2, 3))
        self.assertEqual((torch.ones(4).size(), torch.ones(2, 3).size(1), torch.ones(2, 3).numel()), ((4,), 3, 6))
        self.assertEqual(repr(torch.ones(2, 3).shape), "torch.Size([2, 3])")

    def test_operations(self):
        a = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        self.assertEqual(torch.mm(a, a).tolist(), (a @ a).tolist())
        self.assertEqual((a * 2 - 1).sum(dim=0).tolist(), [6, 10])
        self.assertEqual(a.mean(dim=1, keepdim=True).tolist(), [[1.5], [3.5]])
        self.assertEqual(a.t().reshape(-1).tolist(), [1, 3, 2, 4])
        values, indices = a.max(dim=1)
        self.assertEqual((values.tolist(), indices.tolist(), a.max().item()), ([2, 4], [1, 1], 4))
        self.assertEqual([part.tolist() for part in torch.split(torch.arange(5), 2)], [[0, 1], [2, 3], [4]])
        self.assertEqual([part.tolist() for part in torch.split(torch.arange(5), [1, 4])], [[0], [1, 2, 3, 4]])
        with self.assertRaisesRegex(ValueError, r"\[1, 1\] do not add up to 5"):
            torch.split(torch.arange(5), [1, 1])
        self.assertTrue(torch.allclose(a, a + 1e-9) and not torch.allclose(a, a + 1))
        self.assertEqual(a.flatten().clamp(min=2, max=3).tolist(), [2, 2, 3, 3])
        self.assertEqual(torch.cat([a, a], dim=-1).shape, (2, 4))

    def test_changes_in_place(self):
        a = torch.zeros(2, 2)
        a[0] += 3
        a.add_(1).mul_(2)
        self.assertEqual(a.tolist(), [[8, 8], [2, 2]])
        self.assertEqual(a.zero_().sum().item(), 0)

    def test_text(self):
        self.assertEqual(repr(torch.tensor([[1.0, 2.0]])), "tensor([[1., 2.]])")
        self.assertEqual(repr(torch.tensor([0.5, -1.0], device="cuda:0")),
                         "tensor([ 0.5000, -1.0000], device='cuda:0')")
        self.assertEqual(repr(torch.tensor(2.5, requires_grad=True)), "tensor(2.5000, requires_grad=True)")

    def test_numpy(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("numpy is not installed")
        self.assertEqual(torch.ones(2, 1).numpy().tolist(), [[1], [1]])
        self.assertEqual(torch.from_numpy(numpy.eye(2)).tolist(), [[1, 0], [0, 1]])
        with self.assertRaisesRegex(RuntimeError, "detach"):
            torch.ones(1, requires_grad=True).numpy()
        with self.assertRaisesRegex(TypeError, "cpu()"):
            torch.ones(1, device="cuda").numpy()

    def test_other_types_are_refused(self):
        with self.assertRaisesRegex(TypeError, "float32"):
            torch.zeros(1, dtype="int64")
        self.assertIs(torch.ones(1).to(torch.float32).dtype, torch.float32)


class Devices(unittest.TestCase):
    def test_to_in_every_spelling(self):
        a = torch.ones(2)
        for there in (a.to("cuda:1"), a.to(torch.device("cuda", 1)), a.cuda(1),
                      a.to(device="cuda:1", non_blocking=True), a.to(1), a.to(torch.ones(1, device="cuda:1"))):
            self.assertEqual((str(there.device), there.cpu().tolist()), ("cuda:1", [1, 1]))
        self.assertIs(a.to("cpu"), a)
        self.assertIsNot(a.to("cpu", copy=True), a)

    def test_the_current_gpu(self):
        with torch.cuda.device(1):
            self.assertEqual(torch.ones(1, device="cuda").device, torch.device("cuda:1"))
        self.assertEqual(torch.ones(1, device="cuda").device, torch.device("cuda:0"))

    def test_names_of_cuda(self):
        self.assertEqual((torch.cuda.device_count(), torch.cuda.is_available()), (2, True))
        with torch.cuda.stream(torch.cuda.Stream()) as stream:
            a = torch.ones(2, device="cuda") * 2
            event = stream.record_event()
        event.synchronize()
        torch.cuda.synchronize()
        torch.cuda.synchronize("cuda:1")
        self.assertEqual(a.sum().item(), 4)
        with self.assertRaisesRegex(NotImplementedError, "elapsed_time"):
            event.elapsed_time(event)

    def test_a_wrong_device(self):
        with self.assertRaisesRegex(RuntimeError, "tpu"):
            torch.device("tpu")

    def test_scatter(self):
        parts = nn.parallel.scatter(torch.arange(5), ["cuda:0", "cuda:1"])
        self.assertEqual([(str(p.device), p.tolist()) for p in parts], [("cuda:0", [0, 1, 2]), ("cuda:1", [3, 4])])


class Autograd(unittest.TestCase):
    def test_gradients_accumulate(self):
        x = torch.tensor([2.0], requires_grad=True)
        self.assertIsNone(x.grad)
        for _ in range(2):
            (x * x).backward()
        self.assertEqual(x.grad.item(), 8)

    def test_only_a_single_element_needs_no_gradient(self):
        x = torch.ones(2, requires_grad=True)
        with self.assertRaisesRegex(RuntimeError, "more than one element"):
            (x * 2).backward()
        (x * 2).backward(torch.tensor([1.0, 3.0]))
        self.assertEqual(x.grad.tolist(), [2, 6])

    def test_no_grad_records_nothing(self):
        x = torch.ones(1, requires_grad=True)
        with torch.no_grad():
            self.assertFalse((x * 2).requires_grad)
            with torch.enable_grad():
                self.assertTrue((x * 2).requires_grad)

        @torch.no_grad()
        def double(x):
            return x * 2
        self.assertFalse(double(x).requires_grad)
        self.assertTrue((x * 2).requires_grad and not (x * 2).is_leaf and not x.detach().requires_grad)

    def test_grad_of_two_inputs(self):
        a, b = torch.tensor(2.0, requires_grad=True), torch.tensor(5.0, requires_grad=True)
        by_a, by_b = torch.autograd.grad(a * b, [a, b])
        self.assertEqual((by_a.item(), by_b.item(), a.grad), (5, 2, None))


class Networks(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(3)
        self.net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))

    def test_a_network_learns(self):
        x = torch.randn(64, 3)
        y = x @ torch.tensor([[1.0], [-2.0], [0.5]])
        optimizer, loss = torch.optim.SGD(self.net.parameters(), lr=0.05, momentum=0.9), nn.MSELoss()
        losses = []
        for _ in range(100):
            l = loss(self.net(x), y)
            optimizer.zero_grad()
            l.backward()
            optimizer.step()
            losses.append(l.item())
        self.assertLess(losses[-1], losses[0] / 20)

    def test_one_step_of_sgd_by_hand(self):
        for keywords, wanted in (({}, [0.0, -2.0]), ({"momentum": 0.5}, [0.0, -3.0]),
                                 ({"weight_decay": 0.5}, [-0.5, -2.375])):
            weight = torch.tensor([2.0], requires_grad=True)
            optimizer = torch.optim.SGD([weight], lr=0.5, **keywords)
            for value in wanted:
                optimizer.zero_grad()
                (weight * 4).backward()
                optimizer.step()
                self.assertAlmostEqual(weight.item(), value, places=5, msg=str(keywords))

    def test_a_module_of_a_program(self):
        class Own(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(2, 2, bias=False)
                self.scale = nn.Parameter(torch.ones(1))

            def forward(self, x):
                return F.relu(self.layer(x)) * self.scale
        net = Own()
        self.assertEqual([name for name, _ in net.named_parameters()], ["scale", "layer.weight"])
        net(torch.ones(1, 2)).sum().backward()
        self.assertIsNotNone(net.scale.grad)
        net.zero_grad()
        self.assertIsNone(net.scale.grad)

    def test_to_moves_parameters(self):
        self.net.to("cuda:1")
        self.assertEqual({str(p.device) for p in self.net.parameters()}, {"cuda:1"})
        self.assertEqual(str(self.net(torch.ones(1, 3, device="cuda:1")).device), "cuda:1")

    def test_a_copy_has_its_own_parameters(self):
        twin = copy.deepcopy(self.net)
        with torch.no_grad():
            twin[0].weight.zero_()
        self.assertNotEqual(self.net[0].weight.norm().item(), 0)
        self.assertTrue(twin[0].weight.requires_grad)

    def test_losses(self):
        a, b = torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0, 2.0]])
        self.assertEqual([nn.MSELoss(reduction=r)(a, b).tolist() for r in ("mean", "sum", "none")], [2, 4, [[4, 0]]])
        logits = torch.tensor([[0.0, 1.0, 2.0]])
        self.assertAlmostEqual(F.cross_entropy(logits, torch.tensor([2.0])).item(), 0.4076, places=4)
        self.assertAlmostEqual(nn.CrossEntropyLoss()(logits, torch.tensor([[0.0, 0, 1]])).item(), 0.4076, places=4)

    def test_a_scripted_network_is_saved_and_loaded(self):
        scripted, x = torch.jit.script(self.net), torch.randn(2, 3)
        self.assertTrue(torch.equal(scripted(x), self.net(x)))
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "mlp")
            scripted.save(file)
            loaded = torch.jit.load(file)
            on_gpu = torch.jit.load(file, map_location="cuda:0")
        self.assertTrue(torch.equal(loaded(x), self.net(x)))
        self.assertTrue(torch.equal(on_gpu(x.to("cuda:0")).cpu(), self.net(x)))

    def test_what_script_lacks_is_named(self):
        class Own(nn.Module):
            pass
        with self.assertRaisesRegex(NotImplementedError, "script of Own"):
            torch.jit.script(Own())

    def test_state_is_saved_and_loaded(self):
        other = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
        with tempfile.TemporaryDirectory() as folder:
            torch.save(self.net.state_dict(), os.path.join(folder, "state"))
            other.load_state_dict(torch.load(os.path.join(folder, "state")))
        self.assertTrue(torch.equal(other(torch.ones(1, 3)), self.net(torch.ones(1, 3))))
        with self.assertRaisesRegex(RuntimeError, "0.bias is not part"):
            nn.Linear(3, 8).load_state_dict(self.net.state_dict())

    def test_text_of_a_network(self):
        self.assertIn("(0): Linear(in_features=3, out_features=8, bias=True)\n  (1): ReLU()", repr(self.net))


if __name__ == "__main__":
    unittest.main()
