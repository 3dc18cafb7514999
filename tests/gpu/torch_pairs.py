"""Pairs of PyTorch training loops that differ in one point, such as a loss.item() in each step. Each loop is measured
without a profiler, and recorded with PyTorch's own profiler. `tests/gpu/run` predicts the second loop of a pair from the
trace of the first.

  torch_pairs.py FOLDER [--steps 40] [--device cuda]

Writes FOLDER/SIZE-LOOP.json.gz, and prints one JSON object: loops: {SIZE-LOOP: {steps_per_s, spread, trace}}, or {failed}
with the reason, and pairs: [{name, from, to}]. The spread is (largest - least) / median of the rounds.
"""
import argparse
import json
import pathlib
import statistics
import time

import torch

WARM_UP = 10
# rows of a batch, width of the layers, number of layers
SIZES = {"small": (256, 512, 4), "large": (4096, 2048, 4)}
# what differs, the loop with it, the loop without it
PAIRS = [("item", "item", "plain"), ("synchronize", "synchronize", "plain"), ("pinned", "pageable", "pinned"),
         ("item at the end", "item", "late_item"), ("graph", "plain", "graph"), ("loading", "loading", "loading_ahead")]


class Loop:
    """A training loop. step() is one step; each subclass changes one part of it."""

    def __init__(self, device, rows, width, layers):
        torch.manual_seed(1)
        self.device = device
        parts = []
        for _ in range(layers):
            parts += [torch.nn.Linear(width, width), torch.nn.ReLU()]
        self.model = torch.nn.Sequential(*parts, torch.nn.Linear(width, 1)).to(device)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.01)
        self.host_x, self.host_y = torch.randn(rows, width), torch.randn(rows, 1)
        self.x, self.y = self.host_x.to(device), self.host_y.to(device)

    def train(self, x, y):
        self.optimizer.zero_grad(set_to_none=False)
        loss = torch.nn.functional.mse_loss(self.model(x), y)
        loss.backward()
        self.optimizer.step()
        return loss

    def step(self):
        self.train(self.x, self.y)

    def wait(self):
        if self.device != "cpu":
            torch.cuda.synchronize()


class Item(Loop):
    def step(self):
        self.train(self.x, self.y).item()


class LateItem(Loop):
    """Reads the loss of the step before: the device has work meanwhile."""

    loss = None

    def step(self):
        before, self.loss = self.loss, self.train(self.x, self.y)
        if before is not None:
            before.item()


class Synchronize(Loop):
    def step(self):
        self.train(self.x, self.y)
        self.wait()


class Pageable(Loop):
    def step(self):
        self.train(self.host_x.to(self.device), self.host_y.to(self.device))


class Pinned(Loop):
    def __init__(self, device, *sizes):
        super().__init__(device, *sizes)
        if device != "cpu":
            self.host_x, self.host_y = self.host_x.pin_memory(), self.host_y.pin_memory()

    def step(self):
        self.train(self.host_x.to(self.device, non_blocking=True), self.host_y.to(self.device, non_blocking=True))


class Graph(Loop):
    """The whole step is one CUDA graph."""

    graph = None

    def step(self):
        if self.device == "cpu":
            return super().step()
        if self.graph is None:
            side = torch.cuda.Stream()
            with torch.cuda.stream(side):
                for _ in range(3):
                    self.train(self.x, self.y)
            torch.cuda.current_stream().wait_stream(side)
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph):
                self.train(self.x, self.y)
        self.graph.replay()
        return None


class Data(torch.utils.data.IterableDataset):
    """Batches that take a few hundred microseconds to make, and more with their size."""

    def __init__(self, like):
        self.like = like

    def __iter__(self):
        while True:
            yield self.like[:256, :512] * 2 + torch.rand(256, 512)


class Loading(Loop):
    workers = 0

    def __init__(self, device, *sizes):
        super().__init__(device, *sizes)
        loader = torch.utils.data.DataLoader(Data(self.host_x), batch_size=None, num_workers=self.workers)
        self.batches = iter(loader)

    def step(self):
        batch = next(self.batches).to(self.device)
        self.x[:batch.shape[0], :batch.shape[1]] = batch
        self.train(self.x, self.y)


class LoadingAhead(Loading):
    workers = 1


LOOPS = {"plain": Loop, "item": Item, "late_item": LateItem, "synchronize": Synchronize, "pageable": Pageable, "pinned": Pinned,
         "graph": Graph, "loading": Loading, "loading_ahead": LoadingAhead}


def measure(loop, steps, rounds=5):
    """Steps per second in each round."""
    rates = []
    for _ in range(rounds):
        loop.wait()
        begin = time.perf_counter()
        for _ in range(steps):
            loop.step()
        loop.wait()
        rates.append(steps / (time.perf_counter() - begin))
    return rates


def with_waits():
    """Asks the profiler to record synchronisations too, if it can."""
    try:
        return torch._C._profiler._ExperimentalConfig(enable_cuda_sync_events=True)
    except TypeError:
        return None


def record(loop, steps, path):
    """Writes a trace of `steps` steps. The profiler's own warm-up is not in it."""
    activities = [torch.profiler.ProfilerActivity.CPU]
    if loop.device != "cpu":
        activities.append(torch.profiler.ProfilerActivity.CUDA)
    schedule = torch.profiler.schedule(wait=0, warmup=5, active=steps, repeat=1)
    with torch.profiler.profile(activities=activities, schedule=schedule, experimental_config=with_waits(),
                                on_trace_ready=lambda profile: profile.export_chrome_trace(str(path))) as profile:
        for _ in range(5 + steps):
            loop.step()
            profile.step()
        loop.wait()


def measure_and_record(loop, steps, trace):
    for _ in range(WARM_UP):
        loop.step()
    rates = measure(loop, steps)
    record(loop, steps, trace)
    median = statistics.median(rates)
    return {"steps_per_s": median, "spread": (max(rates) - min(rates)) / median, "trace": str(trace)}


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("folder", type=pathlib.Path)
    words.add_argument("--steps", type=int, default=40)
    words.add_argument("--device", default="cuda")
    chosen = words.parse_args()
    loops = {}
    measure(Loop(chosen.device, *SIZES["small"]), chosen.steps)  # the first loop must not be the one that meets a cold machine
    for size, extents in SIZES.items():
        for name, kind in LOOPS.items():
            trace = chosen.folder / f"{size}-{name}.json.gz"
            try:
                loops[f"{size}-{name}"] = measure_and_record(kind(chosen.device, *extents), chosen.steps, trace)
            except RuntimeError as why:
                loops[f"{size}-{name}"] = {"failed": str(why).splitlines()[0]}
    pairs = [{"name": f"{what}, {size}", "from": f"{size}-{a}", "to": f"{size}-{b}"} for size in SIZES for what, a, b in PAIRS]
    print(json.dumps({"loops": loops, "pairs": pairs}))


if __name__ == "__main__":
    main()
