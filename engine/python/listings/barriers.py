"""Lesson 4. Each of these waits for b. waitall() also waits for the work that b does not need."""
from d2l import mxnet as d2l
from mxnet import np, npx

SIZE = 800


def product():
    return np.dot(np.ones((SIZE, SIZE)), np.ones((SIZE, SIZE)))


BARRIERS = {
    "wait_to_read": lambda b: b.wait_to_read(),
    "waitall": lambda b: npx.waitall(),
    "item": lambda b: b[0, 0].item(),
    "asnumpy": lambda b: b.tolist(),
    "print": lambda b: print(b.sum()),
}

for name, wait in BARRIERS.items():
    b = product()
    others = [product() for _ in range(4)]  # work that b does not need
    with d2l.Benchmark(name):
        wait(b)
    npx.waitall()
