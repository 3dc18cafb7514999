"""Lesson 1. numpy computes at once. mxnet.np and torch only enqueue: the time is in the wait that follows."""
from d2l import mxnet as d2l
from mxnet import np, npx
from runahead import torch

SIZE, TIMES = 500, 10

try:
    import numpy
except ImportError:
    print("numpy is not installed, so its part is left out")
else:
    with d2l.Benchmark("numpy"):
        for _ in range(TIMES):
            a = numpy.random.normal(size=(SIZE, SIZE)).astype("float32")
            b = numpy.dot(a, a)

with d2l.Benchmark("mxnet.np: enqueue"):
    for _ in range(TIMES):
        a = np.random.normal(size=(SIZE, SIZE))
        b = np.dot(a, a)
with d2l.Benchmark("mxnet.np: wait"):
    npx.waitall()

with d2l.Benchmark("torch: enqueue"):
    for _ in range(TIMES):
        a = torch.randn(size=(SIZE, SIZE), device="cuda:0")
        b = torch.mm(a, a)
with d2l.Benchmark("torch: wait"):
    torch.cuda.synchronize()
