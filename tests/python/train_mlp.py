"""A small training script, as anybody would write it. It knows nothing of Runahead.

    train_mlp.py [--steps N] [--workers N] [--profile FILE] [--end raise|exit|interrupt|message]
"""
import argparse
import collections
import json
import os
import signal
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Points(Dataset):
    def __init__(self, size):
        generator = torch.Generator().manual_seed(1)
        self.x = torch.randn(size, 16, generator=generator)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, index):
        x = self.x[index]
        return x, (x.sum() > 0).long()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(16, 32)
        self.second = nn.Linear(32, 2)

    def forward(self, x):
        hidden = torch.relu(self.first(x))  # line: relu
        return self.second(hidden)


def train(steps, workers):
    torch.manual_seed(0)
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(Points(steps * 8), batch_size=8, num_workers=workers)
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)  # line: loss
        loss.backward()  # line: backward
        optimizer.step()
    return loss.item()


def counts_of(profiler):
    """All events of the profiler. key_averages() leaves out an operator that its only caller calls by the same
    name, such as the aten::sum in aten::sum."""
    return collections.Counter(event.name() for event in profiler.profiler.kineto_results.events())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--profile")
    parser.add_argument("--end", default="")
    words = parser.parse_args()
    if words.profile:
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profiler:
            train(words.steps, words.workers)
        with open(words.profile, "w") as out:
            json.dump(counts_of(profiler), out)
    else:
        print(f"loss {train(words.steps, words.workers):.6f}")
    if words.end == "raise":
        raise ValueError("as asked")
    if words.end == "exit":
        sys.exit(7)
    if words.end == "message":
        sys.exit("as asked")
    if words.end == "interrupt":
        os.kill(os.getpid(), signal.SIGINT)


if __name__ == "__main__":
    main()
