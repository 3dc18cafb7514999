"""Arrays of mxnet.nd and mxnet.np: operators, shapes, indices, devices, text.

PYTHONPATH names the folder of the package.
"""

import threading
import unittest

import runahead
from runahead import mxnet as mx
from runahead.mxnet import autograd, nd, np, npx


class Values(unittest.TestCase):
    def test_operators_broadcast(self):
        a, b = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([10.0, 20.0])
        self.assertEqual((a + b).tolist(), [[11, 22], [13, 24]])
        self.assertEqual((1 - a).tolist(), [[0, -1], [-2, -3]])
        self.assertEqual((a / 2 ** a).tolist(), [[0.5, 0.5], [0.375, 0.25]])
        self.assertEqual((a @ a).tolist(), [[7, 10], [15, 22]])
        self.assertEqual((-a > -2.5).tolist(), [[1, 1], [0, 0]])
        self.assertEqual((a == 3).tolist(), [[0, 0], [1, 0]])

    def test_operations_in_place_keep_the_array(self):
        a = np.ones((2,))
        same = a
        a += 2
        a *= np.array([1.0, 2.0])
        self.assertIs(a, same)
        self.assertEqual(a.tolist(), [3, 6])

    def test_the_result_has_the_class_of_the_array(self):
        self.assertIs(type(nd.ones((1,)) + 1), nd.NDArray)
        self.assertIs(type(np.ones((1,)).sum()), np.ndarray)

    def test_reductions(self):
        a = np.array([[1.0, 5.0, 3.0], [4.0, 2.0, 6.0]])
        self.assertEqual(a.sum().item(), 21)
        self.assertEqual(a.mean(axis=0).tolist(), [2.5, 3.5, 4.5])
        self.assertEqual(a.max(axis=-1, keepdims=True).tolist(), [[5], [6]])
        self.assertEqual(np.min(a, axis=(0, 1)).item(), 1)
        self.assertEqual(a.argmax(axis=1).tolist(), [1, 2])
        self.assertEqual(np.var(np.array([[1.0, 3.0], [2.0, 8.0]]), axis=1).tolist(), [1, 9])
        self.assertAlmostEqual(a.norm().item(), 91 ** 0.5, places=5)
        with self.assertRaisesRegex(ValueError, "axis 2"):
            a.sum(axis=2)

    def test_a_sum_of_nd_has_one_axis_and_one_of_np_none(self):
        self.assertEqual(nd.ones((2, 2)).sum().shape, (1,))
        self.assertEqual(nd.ones((2, 2)).sum()[0].asscalar(), 4)
        self.assertEqual(np.ones((2, 2)).sum().shape, ())

    def test_products(self):
        a, v = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, 10.0])
        self.assertEqual(np.dot(a, v).tolist(), [21, 43])
        self.assertEqual(v.dot(v).item(), 101)
        self.assertEqual(nd.dot(a, a, transpose_a=True).tolist(), [[10, 14], [14, 20]])
        self.assertEqual(np.matmul(np.ones((3, 2, 2)), a)[2].tolist(), [[4, 6], [4, 6]])

    def test_random_arrays_depend_on_the_seed_only(self):
        def draw():
            mx.random.seed(5)
            return [nd.random.uniform(shape=(3,)).tolist(), np.random.normal(size=(3,)).tolist()]
        first = draw()
        self.assertEqual(first, draw())
        mx.random.seed(6)
        self.assertNotEqual(nd.random.uniform(shape=(3,)).tolist(), first[0])
        self.assertTrue(all(2 <= x < 3 for x in np.random.uniform(2, 3, size=(100,)).tolist()))

    def test_two_random_arrays_differ(self):
        self.assertNotEqual(np.random.normal(size=(3,)).tolist(), np.random.normal(size=(3,)).tolist())

    def test_numpy_arrays_come_and_go(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("numpy is not installed")
        a = np.array(numpy.arange(6.0).reshape(2, 3))
        back = (a + 1).asnumpy()
        self.assertEqual(back.dtype, numpy.float32)
        self.assertEqual(back.tolist(), [[1, 2, 3], [4, 5, 6]])
        self.assertIs(type(numpy.float64(2) * a), np.ndarray)
        self.assertEqual(nd.array([[7.0]]).sum().asnumpy().shape, (1,))

    def test_other_types_are_refused(self):
        with self.assertRaisesRegex(TypeError, "int32.*float32"):
            np.zeros((2,), dtype="int32")
        self.assertEqual(np.zeros((2,), dtype="float32").dtype, np.float32)
        self.assertEqual(np.ones((1,)).dtype, "float32")


class FrontendInCpp(unittest.TestCase):
    def test_it_runs_beside_the_script(self):
        x, y, results = np.zeros((2, 3)), np.zeros((2, 3)), []
        thread = threading.Thread(target=lambda: results.append(runahead.increment_in_cpp(x, 2000)))
        thread.start()
        for _ in range(1000):
            y = y + 1
        thread.join()
        self.assertEqual((results[0].tolist(), y.tolist()), ([[2000] * 3] * 2, [[1000] * 3] * 2))
        self.assertEqual((type(results[0]), x.tolist()), (type(x), [[0] * 3] * 2))

    def test_it_refuses_what_it_cannot_do(self):
        x = np.zeros(1)
        for times in (0, -1, 10**8):
            with self.assertRaises(ValueError):
                runahead.increment_in_cpp(x, times)
        with self.assertRaises(TypeError):
            runahead.increment_in_cpp(3, 1)
        x.attach_grad()
        with autograd.record(), self.assertRaises(ValueError):
            runahead.increment_in_cpp(x, 1)


class Shapes(unittest.TestCase):
    def test_reshape_completes_the_shape(self):
        a = np.arange(12)
        self.assertEqual(a.reshape(3, -1).shape, (3, 4))
        self.assertEqual(a.reshape((2, 2, -1)).shape, (2, 2, 3))
        self.assertEqual(nd.arange(12).reshape((4, 3)).reshape((0, -1, 1)).shape, (4, 3, 1))
        with self.assertRaisesRegex(ValueError, "12 elements"):
            a.reshape(5, -1)

    def test_axes_come_and_go(self):
        a = np.ones((2, 3))
        self.assertEqual(a.T.shape, (3, 2))
        self.assertEqual(np.expand_dims(a, -1).shape, (2, 3, 1))
        self.assertEqual(np.ones((2, 1, 3, 1)).squeeze().shape, (2, 3))
        self.assertEqual(np.stack([a, a, a], axis=1).shape, (2, 3, 3))
        self.assertEqual(nd.concat(a, a, dim=1).shape, (2, 6))
        self.assertEqual([one.shape for one in np.split(a, 3, axis=1)], [(2, 1)] * 3)
        self.assertEqual(np.ones((2, 3, 4)).flatten().shape, (24,))
        self.assertEqual(nd.ones((2, 3, 4)).flatten().shape, (2, 12))


class Indices(unittest.TestCase):
    def setUp(self):
        self.a = np.arange(12).reshape(3, 4)

    def test_reading(self):
        a = self.a
        self.assertEqual(a[1].tolist(), [4, 5, 6, 7])
        self.assertEqual(a[-1, -2].item(), 10)
        self.assertEqual(a[:, 1:3].tolist(), [[1, 2], [5, 6], [9, 10]])
        self.assertEqual(a[::-1, ::2].tolist(), [[8, 10], [4, 6], [0, 2]])
        self.assertEqual(a[..., 0].tolist(), [0, 4, 8])
        self.assertEqual(a[None, 0].shape, (1, 4))
        self.assertEqual(a[[2, 0]].tolist(), [[8, 9, 10, 11], [0, 1, 2, 3]])
        self.assertEqual(a[5:].shape, (0, 4))
        self.assertIs(a[:], a)
        self.assertEqual([row.sum().item() for row in a], [6, 22, 38])

    def test_writing(self):
        a = self.a
        a[0] = 7
        a[1:, 0] = np.array([1.0, 2.0])
        a[2, 1:] += 100
        self.assertEqual(a.tolist(), [[7, 7, 7, 7], [1, 5, 6, 7], [2, 109, 110, 111]])
        a[:] = [[0, 1, 2, 3]] * 3
        self.assertEqual(a[2].tolist(), [0, 1, 2, 3])
        a[:] = np.array([9.0, 8.0, 7.0, 6.0])
        self.assertEqual(a[1].tolist(), [9, 8, 7, 6])

    def test_an_array_on_another_device_is_copied_into_it(self):
        self.a[0] = np.ones((4,), ctx=mx.gpu(0))
        self.assertEqual(self.a[0].tolist(), [1, 1, 1, 1])

    def test_wrong_indices(self):
        with self.assertRaisesRegex(IndexError, "3 is out of range for axis 0"):
            self.a[3]
        with self.assertRaisesRegex(IndexError, "too many"):
            self.a[0, 0, 0]
        with self.assertRaisesRegex(IndexError, "boolean masks"):
            self.a[[True, False, True]]

    def test_a_condition_needs_one_element(self):
        self.assertTrue(self.a[1, 1])
        with self.assertRaisesRegex(ValueError, "12 elements"):
            bool(self.a)


class Devices(unittest.TestCase):
    def test_spellings_of_a_place(self):
        a = nd.ones((2,), ctx=mx.gpu(1))
        self.assertEqual((a.ctx, a.context, str(a.device)), (mx.gpu(1), npx.gpu(1), "gpu(1)"))
        self.assertEqual(a.as_in_ctx(mx.cpu()).ctx, mx.cpu())
        self.assertIs(a.as_in_context(mx.gpu(1)), a)
        self.assertEqual(np.ones((1,), device=npx.gpu(0)).ctx, mx.gpu(0))
        with mx.gpu(1):
            self.assertEqual(nd.zeros((1,)).ctx, mx.gpu(1))
        self.assertEqual(nd.zeros((1,)).ctx, mx.cpu())

    def test_copyto_makes_or_fills(self):
        a, b = np.array([1.0, 2.0], ctx=mx.gpu(0)), np.zeros((2,), ctx=mx.gpu(1))
        copy = a.copyto(mx.cpu())
        a.copyto(b)
        a += 5
        self.assertEqual((copy.tolist(), b.tolist(), b.ctx), ([1, 2], [1, 2], mx.gpu(1)))

    def test_arrays_on_two_devices_do_not_add(self):
        with self.assertRaises(ValueError):
            np.ones((1,)) + np.ones((1,), ctx=mx.gpu(0))

    def test_a_gpu_that_does_not_exist(self):
        self.assertEqual(npx.num_gpus(), 2)
        with self.assertRaisesRegex(ValueError, "GPU 2: there are 2 GPUs"):
            np.ones((1,), ctx=mx.gpu(2))


class Text(unittest.TestCase):
    def test_text_of_nd(self):
        self.assertEqual(repr(nd.array([[1, 2.5], [0, 3]])), "\n[[1.  2.5]\n [0.  3. ]]\n<NDArray 2x2 @cpu(0)>")
        self.assertEqual(str(nd.ones((2, 2)).sum()), "\n[4.]\n<NDArray 1 @cpu(0)>")

    def test_text_of_np(self):
        a = np.array([[1, -2.5], [0, 3]], ctx=mx.gpu(0))
        self.assertEqual(str(a), "[[ 1.  -2.5]\n [ 0.   3. ]]")
        self.assertEqual(repr(a), "array([[ 1. , -2.5],\n       [ 0. ,  3. ]], ctx=gpu(0))")
        self.assertEqual(str(np.array([0.1, 1e-7])), "[1.e-01 1.e-07]")
        self.assertEqual(str(np.array(2.0)), "2.0")
        self.assertEqual(str(np.array([float("nan"), float("inf"), 1.0])), "[nan inf  1.]")

    def test_a_long_array_is_abbreviated(self):
        self.assertEqual(str(np.arange(2000)), "[0.000e+00 1.000e+00 2.000e+00 ... 1.997e+03 1.998e+03 1.999e+03]")
        self.assertEqual(str(np.ones((40, 40))).count("..."), 7)

    def test_long_rows_are_broken(self):
        lines = str(np.ones((40,))).split("\n")
        self.assertEqual(len(lines), 2)
        self.assertTrue(all(len(line) <= 75 for line in lines))


class Waits(unittest.TestCase):
    def test_a_failed_shape_is_reported_at_once(self):
        with self.assertRaises(ValueError):
            np.ones((2,)) + np.ones((3,))

    def test_each_blocker_returns_what_it_promises(self):
        a = nd.array([3.0])
        self.assertIsNone(a.wait_to_read())
        self.assertIsNone(nd.waitall())
        self.assertIsNone(npx.waitall())
        self.assertIsNone(mx.nd.waitall())
        self.assertEqual((a.asscalar(), a.item(), float(a), int(a), a.tolist()), (3.0, 3.0, 3.0, 3, [3.0]))


if __name__ == "__main__":
    unittest.main()
