"""Lesson 4. Each of these waits for b. Only waitall() also waits for the work that b does not need."""
from d2l import mxnet as d2l
from mxnet import np, npx

SIZE = 800

a, row, column = np.ones((SIZE, SIZE)), np.ones((1, SIZE)), np.ones((SIZE, 1))
npx.waitall()

BARRIERS = {
    "wait_to_read": lambda b: b.wait_to_read(),
    "waitall": lambda b: npx.waitall(),
    "item": lambda b: b.item(),
    "tolist": lambda b: b.tolist(),
    "print": lambda b: print(b),
}

for name, wait in BARRIERS.items():
    b = np.dot(row, column)  # one value
    others = [np.dot(a, a) for _ in range(4)]  # work that b does not need
    with d2l.Benchmark(name):
        wait(b)
    npx.waitall()
