"""What an op costs from Python: 10,000 times y = x + 1 on an array of shape (1, 2).

    PYTHONPATH=build/release/python RUNAHEAD=build/release/runahead python3 tests/python/cost.py [ROUNDS]

Prints the medians of ROUNDS rounds (15). Every round measures every row once, so that a change of the machine's speed
meets all of them. `enqueued` has one wait at the end, which is part of the time. numpy and PyTorch compute at once.
"""

import json
import os
import statistics
import subprocess
import sys
import time

import runahead.torch
from runahead import _runahead as R
from runahead.mxnet import np as runahead_np

COUNT = 10_000
ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 15


def enqueued(x, wait):
    begin = time.perf_counter()
    for _ in range(COUNT):
        y = x + 1
    wait(y)
    return time.perf_counter() - begin


def waited(x, wait):
    begin = time.perf_counter()
    for _ in range(COUNT):
        y = x + 1
        wait(y)
    return time.perf_counter() - begin


def in_cpp():
    """(enqueued, with a wait each) of the workload `increment`, in seconds for COUNT ops."""
    done = subprocess.run([os.environ["RUNAHEAD"], "run", "increment", "--json", "--set=rows=1", "--set=columns=2",
                           "--set=frontend_us=0"], capture_output=True, text=True, check=True)
    result = json.loads(done.stdout)["result"]
    return result["async_us"] * COUNT * 1e-6, result["sync_us"] * COUNT * 1e-6


def main():
    cpu = R.device("cpu")
    rows = {"extension": (R.full(R.Array, (1, 2), 0, cpu), lambda y: R.wait(y, "wait_to_read")),
            "runahead.mxnet.np": (runahead_np.zeros((1, 2)), lambda y: y.wait_to_read()),
            "runahead.torch": (runahead.torch.zeros(1, 2), lambda y: R.wait(y, "wait_to_read"))}
    try:
        import numpy
        rows["numpy"] = (numpy.zeros((1, 2), numpy.float32), lambda y: None)
    except ImportError:
        pass
    try:
        import torch
        rows["PyTorch"] = (torch.zeros(1, 2), lambda y: None)
    except ImportError:
        pass
    times = {name: ([], []) for name in rows}
    if "RUNAHEAD" in os.environ:
        times["C++, increment"] = ([], [])
    for x, wait in rows.values():  # warm-up
        enqueued(x, wait)
        waited(x, wait)
    for _ in range(ROUNDS):
        for name, (x, wait) in rows.items():
            times[name][0].append(enqueued(x, wait))
            times[name][1].append(waited(x, wait))
        if "C++, increment" in times:
            for column, value in zip(times["C++, increment"], in_cpp()):
                column.append(value)
    print(f"{'10,000 x y = x + 1':<20} {'enqueued':>12} {'a wait each':>14}   medians of {ROUNDS}")
    for name, columns in times.items():
        print(f"{name:<20}" + "".join(f"{statistics.median(column) * 1e3:>10.2f} ms" for column in columns))


if __name__ == "__main__":
    main()
