#!/usr/bin/env python3
"""Measures what runahead.observe_torch costs: interleaved runs with and without it.

    observe_torch_cost.py [ROUNDS]        RUNAHEAD_LIBRARY is librunahead.so

Prints the fewest ns of processor time of the main thread: of an operator on one number, and of a step of a small and
of a larger network. Processor time, because other programs of a shared machine change the time of day more than the
observer does.
"""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = os.path.normpath(os.path.join(HERE, "..", "..", "engine", "python", "package"))
PYTHON = "/usr/bin/python3"
WORK = r'''
import sys, time, torch
from torch import nn
torch.set_num_threads(1)
def best(run, count, times=5):
    run(count // 10 + 1)
    taken = []
    for _ in range(times):
        begin = time.thread_time_ns()
        run(count)
        taken.append((time.thread_time_ns() - begin) / count)
        time.sleep(0.05)
    return min(taken)
def operators(count):
    x = torch.zeros(1)
    with torch.no_grad():
        for _ in range(count): x.neg_()
def allocating(count):
    x = torch.zeros(1)
    with torch.no_grad():
        for _ in range(count): x.neg()
def steps(width, batch):
    model = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x, y = torch.randn(batch, width), torch.randint(0, 10, (batch,))
    def run(count):
        for _ in range(count):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
    return run
print(best(operators, 20000), best(allocating, 20000), best(steps(32, 8), 100), best(steps(512, 128), 20))
'''


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    names = ["x.neg_(), ns", "x.neg(), ns", "step, width 32, batch 8, ns", "step, width 512, batch 128, ns"]
    results = {"without": [], "with": []}
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, "work.py")
        with open(script, "w") as out:
            out.write(WORK)
        environment = {**os.environ, "PYTHONPATH": PACKAGE, "OMP_NUM_THREADS": "1"}
        for _ in range(rounds):
            for name, words in (("without", []),
                                ("with", ["-m", "runahead.observe_torch", "--record", os.path.join(folder, "o.runahead")])):
                done = subprocess.run([PYTHON, *words, script], env=environment, capture_output=True, text=True, check=True)
                results[name].append([float(word) for word in done.stdout.split()])
    for i, name in enumerate(names):
        plain, observed = (min(row[i] for row in results[key]) for key in ("without", "with"))
        print(f"{name}: {plain:.0f} without, {observed:.0f} with, +{observed - plain:.0f} ({observed / plain:.2f}x)")


main()
