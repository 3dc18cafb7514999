"""Ctrl-C during a wait raises KeyboardInterrupt soon, and the ops go on.

PYTHONPATH names the folder of the package. Each case runs a script in a process of its own, because an engine cannot be
configured twice.
"""

import subprocess
import sys
import textwrap
import unittest

# work() enqueues a product that takes 1.7 s on the simulated device, and little time of a processor.
# raised_in() sends SIGINT, as Ctrl-C does, after 0.2 s.
HEAD = """
import os, signal, sys, threading, time
from runahead import _runahead as R
virtual = R.device("virtual:0")
cpu = R.device("cpu")
def work():
    a = R.full(R.Array, (2048, 2048), 0.5, virtual)
    R.wait(a, "first")
    return R.copy_to(R.matmul(a, a), cpu)
def raised_in(wait):
    threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    begin = time.monotonic()
    try:
        wait()
    except KeyboardInterrupt:
        return time.monotonic() - begin
    raise SystemExit("the wait ended without KeyboardInterrupt after %.2f s" % (time.monotonic() - begin))
def check_soon(took, ops_took):
    # Compared with the ops, not with a clock: a busy machine delays both.
    assert took < 0.7 * ops_took and took < ops_took - 0.3, (took, ops_took)
"""


def run(body, first=""):
    done = subprocess.run([sys.executable, "-c", first + HEAD + textwrap.dedent(body)], capture_output=True, text=True,
                          timeout=100)
    if done.returncode != 0:
        raise AssertionError(done.stdout + done.stderr)
    return done.stdout


class Interrupts(unittest.TestCase):
    def assert_wait_is_interrupted(self, wait):
        run(f"""
            b = work()
            before = time.monotonic()
            took = raised_in(lambda: {wait})
            R.wait(b, "again")                      # nothing is lost: the same wait succeeds
            check_soon(took, time.monotonic() - before)
            assert len(memoryview(R.values(b, "asnumpy")).tobytes()) == 2048 * 2048 * 4
            R.wait_all("waitall")
        """)

    def test_wait_to_read(self):
        self.assert_wait_is_interrupted("R.wait(b, 'wait_to_read')")

    def test_values(self):
        self.assert_wait_is_interrupted("R.values(b, 'asnumpy')")

    def test_buffer(self):
        self.assert_wait_is_interrupted("memoryview(b)")

    def test_wait_all(self):
        self.assert_wait_is_interrupted("R.wait_all('waitall')")

    def test_the_wait_at_the_end_of_a_step(self):
        run("""
            R.begin_steps()
            R.set_barrier("wait_to_read")
            b = work()
            before = time.monotonic()
            took = raised_in(lambda: R.step(b))
            R.step(b)
            check_soon(took, time.monotonic() - before)
        """)

    def test_a_held_enqueue(self):
        # The second enqueue is held until the first product ends.
        for option in ('limit_ops=1', 'barrier="ops:1"'):
            with self.subTest(option):
                run("""
                    a = R.full(R.Array, (2048, 2048), 1, virtual)
                    R.wait(a, "first")
                    before = time.monotonic()
                    took = raised_in(lambda: [R.matmul(a, a) for _ in range(2)])
                    R.wait_all("waitall")
                    check_soon(took, time.monotonic() - before)
                """, "from runahead import _runahead\n_runahead.configure(" + option + ")\n")

    def test_a_handler_that_returns_does_not_end_the_wait(self):
        run("""
            calls = []
            signal.signal(signal.SIGINT, lambda *_: calls.append(time.monotonic()))
            b = work()
            threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
            R.wait(b, "wait_to_read")
            end = time.monotonic()
            assert len(calls) == 1 and end - calls[0] > 0.2, (calls, end)
        """)

    def test_a_handler_may_wait_for_an_array_but_not_for_everything_during_waitall(self):
        run("""
            seen = []
            def handler(*_):
                other = R.full(R.Array, (1,), 2, virtual)
                seen.append(R.item(other, "item"))
                try:
                    R.wait_all("waitall")
                except R.EngineError as error:
                    seen.append(str(error))
            signal.signal(signal.SIGINT, handler)
            b = work()
            threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
            R.wait_all("waitall")
            assert seen[0] == 2 and "refused" in seen[1], seen
        """)

    def test_another_thread_waits_on(self):
        run("""
            b = work()
            answers = []
            thread = threading.Thread(target=lambda: answers.append(len(memoryview(R.values(b, "asnumpy")).tobytes())))
            before = time.monotonic()
            thread.start()
            took = raised_in(lambda: R.wait(b, "wait_to_read"))
            thread.join()
            check_soon(took, time.monotonic() - before)
            assert answers == [2048 * 2048 * 4], answers
        """)

    def test_an_interrupt_during_many_short_waits_loses_no_result(self):
        run("""
            x = R.full(R.Array, (1, 2), 0, cpu)
            interrupts, done, armed = 0, 0, False
            def raises(*_):
                global armed
                if armed:
                    armed = False
                    raise KeyboardInterrupt
            signal.signal(signal.SIGALRM, raises)
            signal.setitimer(signal.ITIMER_REAL, 0.002, 0.002)
            while interrupts < 400:
                try:
                    armed = True
                    x += 1
                    done += 1
                    R.wait(x, "wait_to_read")
                    armed = False
                except KeyboardInterrupt:
                    interrupts += 1
            signal.setitimer(signal.ITIMER_REAL, 0)
            value = memoryview(R.values(x, "asnumpy"))[0, 0]
            # An interrupt may come after the op was enqueued and before it was counted.
            assert done <= value <= done + interrupts, (done, value, interrupts)
        """)


if __name__ == "__main__":
    unittest.main(verbosity=2)
