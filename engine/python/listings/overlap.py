"""Lesson 9. Each result is copied to the host while the next one is computed, if nothing waits in between."""
from runahead import torch
from runahead.d2l import torch as d2l

SIZE, DEPTH, TIMES = 512, 32, 50  # with this depth, a product takes about as long as its copy

x = torch.rand(size=(SIZE, DEPTH), device="cuda:0")
w = torch.rand(size=(DEPTH, SIZE), device="cuda:0")
torch.mm(x, w)
torch.cuda.synchronize()


def compute():
    return [torch.mm(x, w) for _ in range(TIMES)]


def copy(results, non_blocking):
    return [y.to("cpu", non_blocking=non_blocking) for y in results]


with d2l.Benchmark("compute, then copy"):
    results = compute()
    torch.cuda.synchronize()
    copied = copy(results, non_blocking=False)
    torch.cuda.synchronize()

with d2l.Benchmark("compute and copy together"):
    copied = copy(compute(), non_blocking=True)
    torch.cuda.synchronize()
    for y in copied:
        y.sum().item()
