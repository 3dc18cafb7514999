"""Lesson 5. Ten thousand small ops: with a wait after each, the frontend and the backend take turns.

The last part has two frontends over one backend: this script, and a loop in C++ on another thread.
"""
import threading

from d2l import mxnet as d2l
from mxnet import np, npx

import runahead

TIMES = 10_000

y = np.zeros((1, 2))
npx.waitall()

with d2l.Benchmark("a wait after each"):
    for _ in range(TIMES):
        y = y + 1
        y.wait_to_read()

with d2l.Benchmark("one wait at the end"):
    for _ in range(TIMES):
        y = y + 1
    npx.waitall()

x = np.zeros((1, 2))
in_cpp = threading.Thread(target=runahead.increment_in_cpp, args=(x, TIMES))
with d2l.Benchmark("Python and C++ at the same time"):
    in_cpp.start()
    for _ in range(TIMES):
        y = y + 1
    in_cpp.join()
    npx.waitall()

print(y)
