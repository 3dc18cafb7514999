"""What can go wrong in a script: ops that fail, references, threads, fork, the tape, the end of the process.

PYTHONPATH names the folder of the package.
"""

import gc
import os
import subprocess
import sys
import textwrap
import threading
import tracemalloc
import unittest
import weakref

from runahead import _runahead as R

CPU = R.device("cpu")


def full(shape, value):
    return R.full(R.Array, shape, value, CPU)


def script(body, code=0):
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(body)], capture_output=True, text=True, timeout=60)
    if done.returncode != code:
        raise AssertionError(f"exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout, done.stderr


class FailingOps(unittest.TestCase):
    def test_the_wait_names_the_op_and_the_line_that_enqueued_it(self):
        a, index = full((3,), 1), full((1,), 7)
        bad = R.take(a, index, 0)
        line = sys._getframe().f_lineno - 1
        with self.assertRaises(R.EngineError) as caught:
            R.wait(bad, "wait_to_read")
        self.assertIn("take", str(caught.exception))
        self.assertIn(f"failure_test.py:{line}", str(caught.exception))

    def test_the_failure_reaches_ops_that_read_its_result_and_no_others(self):
        a = full((3,), 1)
        bad = R.take(a, full((1,), 7), 0) + 1
        with self.assertRaisesRegex(R.EngineError, "take"):
            R.values(bad, "asnumpy")
        self.assertEqual(R.item(R.reduce("sum", a + 1, None, False), "item"), 6)

    def test_wait_all_reports_a_failure_once(self):
        bad = R.take(full((3,), 1), full((1,), 7), 0)
        with self.assertRaisesRegex(R.EngineError, "take"):
            R.wait_all("waitall")
        R.wait_all("waitall")
        del bad

    def test_misuse_enqueues_nothing(self):
        R.wait_all("waitall")
        before = R.stats()["ops"]
        for call in (lambda: full((2,), 1) + full((3,), 1), lambda: R.unary("no such", full((2,), 1)),
                     lambda: R.reduce("sum", full((2,), 1), (5,), False)):
            self.assertRaises(ValueError, call)
        for call in (lambda: R.unary("exp", 3), lambda: R.wait(3, "wait"), lambda: R.full(int, (1,), 1, CPU),
                     lambda: full("ab", 1), lambda: R.full(R.Array, (1,), 1, "cpu"), lambda: R.concat([1], 0)):
            self.assertRaises(TypeError, call)
        R.wait_all("waitall")
        self.assertEqual(R.stats()["ops"], before + 4, "only the four arrays that the calls were given")


# Each call is made often; neither Python's memory nor the references of the arguments may grow.
def calls():
    a, b, i = full((2, 3), 1), full((2, 3), 2), full((2,), 1)
    w, bias, label = full((4, 3), 1), full((4,), 1), full((2, 3), 3)
    ranges, axes = [(0, 2, 1), (2, -1, -1)], (0,)
    values = [[1.0, 2.0], [3.0, 4.0]]
    return (a, b, i, w, bias, label, ranges, axes, values, CPU), {
        "full": lambda: full((2, 3), 1), "from_values": lambda: R.from_values(R.Array, values, None, CPU),
        "arange": lambda: R.arange(R.Array, 0, 3, 1, CPU), "eye": lambda: R.eye(R.Array, 2, 2, CPU),
        "uniform": lambda: R.uniform(R.Array, (2,), 0, 1, 1, 2, CPU),
        "normal": lambda: R.normal(R.Array, (2,), 0, 1, 1, 2, CPU),
        "alias": lambda: R.alias(a), "add": lambda: a + b, "add number": lambda: 1 + a, "compare": lambda: a < b,
        "binary": lambda: R.binary("maximum", a, 0.5), "unary": lambda: R.unary("exp", a), "negative": lambda: -a,
        "in place": lambda: a.__iadd__(0.0), "matmul": lambda: R.matmul(a, b, False, True),
        "dense": lambda: R.dense(a, w, bias),
        "relu_gradient": lambda: R.relu_gradient(a, b), "clip": lambda: R.clip(a, 0, 1),
        "where": lambda: R.where(a, b, 0.5),
        "reduce": lambda: R.reduce("sum", a, axes, True), "argmax": lambda: R.argmax(a, 1),
        "softmax": lambda: R.softmax(a, 1),
        "log_softmax": lambda: R.log_softmax(a, 1), "one_hot": lambda: R.one_hot(i, 4), "pick": lambda: R.pick(a, i),
        "reshape": lambda: R.reshape(a, (3, 2)), "broadcast_to": lambda: R.broadcast_to(i, (2, 2)),
        "sum_to": lambda: R.sum_to(a, (3,)), "transpose": lambda: R.transpose(a, None),
        "slice": lambda: R.slice(a, ranges),
        "assign_slice": lambda: R.assign_slice(a, ranges, 1.0), "concat": lambda: R.concat([a, b], 0),
        "take": lambda: R.take(a, i, 1), "l2_loss": lambda: R.l2_loss(a, label),
        "l2_loss_gradient": lambda: R.l2_loss_gradient(a, label), "sgd_update": lambda: R.sgd_update(a, b, 0.0, 2),
        "assign": lambda: R.assign(a, b), "copy_to": lambda: R.copy_to(a, CPU),
        "wait": lambda: R.wait(a, "wait_to_read"),
        "values": lambda: R.values(a, "asnumpy"), "memoryview": lambda: memoryview(a).release(),
        "item": lambda: R.item(R.reduce("sum", a, None, False), "item"), "wait_all": lambda: R.wait_all("waitall"),
        "device": lambda: R.device("cpu"), "device_names": R.device_names, "stats": R.stats, "barrier": R.barrier,
        "fields": lambda: (a.shape, a.size, a.ndim, a.device, a.version, a.grad, a._node, a.device.name,
                           repr(a.device)),
        "dlpack": lambda: a.__dlpack__(), "instant": lambda: R.instant("here"),
        "wrong shapes": lambda: refused(ValueError, lambda: a + w),
        "wrong types": lambda: refused(TypeError, lambda: a + "x"),
        "a failing op": lambda: refused(R.EngineError, lambda: R.wait(R.take(a, label, 0), "wait_to_read")),
        "the tape": lambda: taped(a)}


def refused(kind, call):
    try:
        call()
    except kind:
        return
    raise AssertionError(f"no {kind.__name__}")


def taped(a):
    a._node = "of the tape"
    R.set_tape(lambda *arguments: None)
    R.unary("exp", a) + a
    R.set_tape(None)
    a._node = None


class References(unittest.TestCase):
    @staticmethod
    def growth_of_200(call):
        tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(200):
            call()
        gc.collect()
        growth = tracemalloc.get_traced_memory()[0] - before
        tracemalloc.stop()
        return growth

    def test_no_call_keeps_memory_or_references(self):
        kept, functions = calls()
        for name, call in functions.items():
            with self.subTest(name):
                for _ in range(30):  # the first calls at a line add to tables
                    call()
                R.wait_all("waitall")
                gc.collect()
                references = [sys.getrefcount(one) for one in kept]
                none = sys.getrefcount(None)
                # The least of three: a table of Python itself may grow once.
                growth = min(self.growth_of_200(call) for _ in range(3))
                self.assertEqual([sys.getrefcount(one) for one in kept], references)
                self.assertLess(growth, 200 * 8, "bytes in 200 calls")
                self.assertLess(abs(sys.getrefcount(None) - none), 50)

    def test_the_memory_of_arrays_is_released(self):
        R.wait_all("waitall")
        gc.collect()
        before = R.stats()["end_bytes"]
        for _ in range(100):
            a = full((1000,), 1)
            b = a + 1
            b.grad = a
        R.wait(b, "wait_to_read")
        del a, b
        R.wait_all("waitall")
        self.assertLessEqual(R.stats()["end_bytes"], before)

    def test_a_cycle_through_grad_and_a_subclass_is_collected(self):
        class Sub(R.Array):
            pass

        a = R.full(Sub, (2,), 1, CPU)
        a.me = a
        reference = weakref.ref(a)
        del a
        gc.collect()
        self.assertIsNone(reference())


class Threads(unittest.TestCase):
    def test_several_threads_enqueue_and_wait(self):
        shared, wrong = full((4,), 3), []

        def work(number):
            x = full((4,), number)
            for i in range(1000):
                x = x + shared
                if i % 50 == 0:
                    R.wait(x, "wait_to_read")
            if memoryview(R.values(x, "asnumpy"))[0] != number + 3000:
                wrong.append(number)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


class Fork(unittest.TestCase):
    def test_the_child_is_told_in_one_line(self):
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                full((1,), 1)
                os.write(write, b"no error")
            except R.EngineError as error:
                os.write(write, str(error).encode())
            os._exit(0)
        os.close(write)
        os.waitpid(child, 0)
        text = os.read(read, 4096).decode()
        os.close(read)
        self.assertIn("fork()", text)
        self.assertIn("spawn", text)
        self.assertEqual(text.count("\n"), 0)
        self.assertEqual(R.item(full((1,), 4), "item"), 4)


class Tape(unittest.TestCase):
    def tearDown(self):
        R.set_tape(None)

    def test_its_exception_reaches_the_script(self):
        def fails(*_):
            raise LookupError("of the tape")

        a = full((1, 1), 1)
        a._node = 1
        R.set_tape(fails)
        for call in (lambda: a + 1, lambda: R.unary("exp", a), lambda: a @ a, lambda: R.concat([a, a], 0)):
            self.assertRaisesRegex(LookupError, "of the tape", call)
        R.set_tape(None)
        self.assertEqual(R.item(a + 1, "item"), 2)

    def test_it_may_replace_itself(self):
        a = full((1,), 1)
        a._node = 1
        R.set_tape(lambda *_: R.set_tape(None))
        self.assertEqual(R.item(a + 1, "item"), 2)
        self.assertEqual(R.item(a + 2, "item"), 3)


class EndOfProcess(unittest.TestCase):
    def test_arrays_may_live_longer_than_the_engine(self):
        out, err = script("""
            import sys
            from runahead import _runahead as R
            class Late:
                def __del__(self):
                    try:
                        self.array + 1
                    except Exception as error:
                        print(type(error).__name__)
                    self.array = None
                    print("late")
            cpu = R.device("cpu")
            kept = Late()
            kept.array = R.full(R.Array, (100,), 1, cpu)
            sys.modules["kept"] = kept                      # until the interpreter is gone
            for _ in range(1000):
                kept.array = kept.array + 1
            cycle = [kept.array]
            cycle.append(cycle)
            view = memoryview(kept.array)
        """)
        self.assertTrue(out.endswith("late\n"), out)
        self.assertEqual(err, "")

    def test_ops_in_flight_do_not_hold_up_the_end(self):
        script("""
            from runahead import _runahead as R
            cpu = R.device("cpu")
            a = R.uniform(R.Array, (1024, 1024), -1, 1, 1, 2, cpu)
            for _ in range(200):                            # many seconds; they fit into the limit of 1 GiB
                a = R.matmul(a, a)
        """)

    def test_an_uncaught_failure_ends_the_script_with_its_text(self):
        _, err = script("""
            from runahead import _runahead as R
            cpu = R.device("cpu")
            R.item(R.take(R.full(R.Array, (3,), 1, cpu), R.full(R.Array, (1,), 9, cpu), 0), "item")
        """, code=1)
        self.assertIn("EngineError", err)
        self.assertIn("take", err)


class Options(unittest.TestCase):
    def test_configure_refuses_a_number_out_of_range_and_an_unknown_name(self):
        for options in ({"workers": 0}, {"workers": float("nan")}, {"limit_bytes": float("inf")}, {"worker": 1}):
            with self.assertRaisesRegex(ValueError, f"option '{[*options][0]}' is"):
                R.configure(**options)
        with self.assertRaises(UnicodeEncodeError):
            R.configure(**{"\ud800": 1})


if __name__ == "__main__":
    unittest.main(verbosity=2)
