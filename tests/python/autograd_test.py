"""The tape: what is recorded, where gradients go, and which arrays it keeps.

PYTHONPATH names the folder of the package.
"""

import gc
import threading
import unittest
import weakref

from runahead import _runahead as engine
from runahead import tape
from runahead.mxnet import autograd, gpu, nd, np


class Watched(np.ndarray):
    """An array that can have weak references. Ops on it make arrays of this class too."""


def leaf(values, grad_req="write"):
    array = engine.from_values(Watched, values, None, engine.device("cpu"))
    array.attach_grad(grad_req)
    return array


class Recording(unittest.TestCase):
    def test_only_ops_inside_record_are_recorded(self):
        x = leaf([1.0, 2.0])
        self.assertIsNone((x * 2)._node)
        with autograd.record():
            self.assertTrue(autograd.is_recording() and autograd.is_training())
            self.assertIsNotNone((x * 2)._node)
            with autograd.pause():
                self.assertIsNone((x * 2)._node)
        self.assertFalse(autograd.is_recording())

    def test_ops_on_arrays_that_want_no_gradient_are_not_recorded(self):
        with autograd.record():
            self.assertIsNone((np.ones((2,)) * 2)._node)

    def test_backward_records_nothing(self):
        x = leaf([3.0])
        with autograd.record():
            y = x * x
            y.backward()
        self.assertIsNone(x.grad._node)

    def test_another_thread_does_not_record(self):
        x, nodes = leaf([1.0]), []
        with autograd.record():
            thread = threading.Thread(target=lambda: nodes.append((x * 2)._node))
            thread.start()
            thread.join()
        self.assertEqual(nodes, [None])

    def test_detach_cuts_the_history(self):
        x = leaf([2.0])
        with autograd.record():
            y = x * x
            z = y.detach() * x
        z.backward()
        self.assertEqual(x.grad.tolist(), [4.0])

    def test_backward_without_record_says_so(self):
        with self.assertRaisesRegex(ValueError, "not part of a recorded computation"):
            (leaf([1.0]) * 2).backward()


class Backward(unittest.TestCase):
    def test_the_gradient_begins_with_zeros(self):
        self.assertEqual(leaf([1.0, 2.0]).grad.tolist(), [0.0, 0.0])

    def test_write_replaces_and_add_adds(self):
        for request, wanted in (("write", 3.0), ("add", 6.0)):
            x = leaf([1.0], request)
            for _ in range(2):
                with autograd.record():
                    y = x * 3
                y.backward()
            self.assertEqual(x.grad.item(), wanted, request)

    def test_a_gradient_array_that_the_program_keeps_gets_the_new_values(self):
        x = leaf([1.0])
        kept = x.grad
        with autograd.record():
            y = x * 3
        y.backward()
        self.assertIs(x.grad, kept)
        self.assertEqual(kept.item(), 3.0)

    def test_two_arrays_never_share_a_gradient(self):
        a, b = leaf([1.0]), leaf([1.0])
        with autograd.record():
            c = a + b
        head = np.array([5.0])
        c.backward(head)
        a.grad += 1
        self.assertEqual((a.grad.item(), b.grad.item(), head.item()), (6.0, 5.0, 5.0))

    def test_a_second_backward_needs_retain_graph(self):
        x = leaf([2.0])
        with autograd.record():
            y = x * x
        y.backward(retain_graph=True)
        y.backward()
        with self.assertRaisesRegex(RuntimeError, "retain_graph"):
            y.backward()

    def test_a_freed_part_of_another_graph_is_an_error(self):
        x = leaf([2.0])
        with autograd.record():
            shared = x * x
            first, second = shared * 2, shared * 3
        first.backward()
        with self.assertRaisesRegex(RuntimeError, "multiply"):
            second.backward()

    def test_an_array_that_was_changed_since_is_an_error_if_its_values_are_needed(self):
        for change in ("x += 1", "x *= 2", "x[:] = 3", "x[0] = 3"):
            x = np.array([1.0, 2.0])
            x.attach_grad()
            with autograd.record():
                product, sum_ = x * x, x + x
            exec(change)
            sum_.backward()  # needs no values
            self.assertEqual(x.grad.tolist(), [2, 2], change)
            with self.assertRaisesRegex(RuntimeError, "gradient of multiply needs .* changed in place", msg=change):
                product.backward()

    def test_several_heads(self):
        x = leaf([2.0])
        with autograd.record():
            heads = [x * 2, x * 3]
        autograd.backward(heads)
        self.assertEqual(x.grad.item(), 5.0)

    def test_a_gradient_of_the_wrong_shape_is_an_error(self):
        x = leaf([2.0, 1.0])
        with autograd.record():
            y = x * 2
        with self.assertRaisesRegex(ValueError, r"\(1,\)"):
            y.backward(np.ones((1,)))

    def test_grad_returns_and_leaves_grad_alone(self):
        x = leaf([2.0])
        with autograd.record():
            y = x * x
            z = y * 5
        by_x, by_y = autograd.grad(z, [x, y], retain_graph=True)
        self.assertEqual((by_x.item(), by_y.item(), x.grad.item()), (20.0, 5.0, 0.0))
        with self.assertRaisesRegex(ValueError, "takes no part"):
            autograd.grad(z, leaf([1.0]))

    def test_a_copy_to_another_device_sends_its_gradient_back(self):
        x = leaf([2.0])
        with autograd.record():
            y = x.as_in_ctx(gpu(1)) * 3
        y.backward()
        self.assertEqual((x.grad.ctx, x.grad.item()), (x.ctx, 3.0))

    def test_a_long_chain_needs_no_recursion(self):
        x = leaf([1.0])
        with autograd.record():
            y = x
            for _ in range(3000):
                y = y + 1
        y.backward()
        self.assertEqual(x.grad.item(), 1.0)

    def test_sum_of_nd_has_a_gradient_too(self):
        x = nd.array([[1.0, 2.0], [3.0, 4.0]])
        x.attach_grad()
        with autograd.record():
            y = (x * x).sum()
        self.assertEqual(y.shape, (1,))
        y.backward()
        self.assertEqual(x.grad.tolist(), [[2.0, 4.0], [6.0, 8.0]])


class Kept(unittest.TestCase):
    """Which arrays the tape keeps."""

    def setUp(self):
        gc.collect()
        gc.disable()
        self.addCleanup(gc.enable)

    def test_an_input_that_no_gradient_needs_is_freed_at_once(self):
        x = leaf([1.0, -1.0])
        with autograd.record():
            before = x + 1
            freed = weakref.ref(before)
            after = before.relu()
            del before
        self.assertIsNone(freed())
        after.backward()
        self.assertEqual(x.grad.tolist(), [1.0, 0.0])

    def test_a_recorded_computation_has_no_reference_cycle(self):
        x = leaf([1.0])
        with autograd.record():
            y = (x.exp() * x.sigmoid()).sum()
        output = weakref.ref(y)
        y.backward(retain_graph=True)
        tape.take_last_head()
        del y
        self.assertIsNone(output())

    def test_backward_frees_the_saved_arrays(self):
        x = leaf([1.0])
        with autograd.record():
            middle = x * 2
            saved = weakref.ref(middle)
            y = middle * middle
            del middle
        self.assertIsNotNone(saved())
        y.backward()
        self.assertIsNone(saved())


if __name__ == "__main__":
    unittest.main()
