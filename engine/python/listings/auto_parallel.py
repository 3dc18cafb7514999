"""Lesson 8. Two devices get work from one frontend. Without a wait between them, they work at the same time."""
from d2l import mxnet as d2l
from mxnet import np, npx

SIZE, TIMES = 256, 20

x_of = [np.random.uniform(size=(SIZE, SIZE), ctx=device) for device in d2l.try_all_gpus()[:2]]


def run(x):
    return [x.dot(x) for _ in range(TIMES)]


for x in x_of:  # warms up
    run(x)
npx.waitall()

with d2l.Benchmark("one after the other"):
    for x in x_of:
        run(x)
        npx.waitall()

with d2l.Benchmark("both"):
    for x in x_of:
        run(x)
    npx.waitall()
