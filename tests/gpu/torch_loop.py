"""A PyTorch training loop of a few steps. `runahead record` runs it.

  torch_loop.py [STEPS] [--count]   --count: prints the number of kernels that PyTorch's own profiler saw
"""
import sys

import torch


def train(steps):
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Linear(512, 512), torch.nn.ReLU(), torch.nn.Linear(512, 1)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = torch.randn(256, 512, device="cuda"), torch.randn(256, 1, device="cuda")
    for _ in range(steps):
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
    torch.cuda.synchronize()
    return loss.item()


def main():
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    steps = int(words[0]) if words else 5
    if "--count" not in sys.argv:
        print(train(steps))
        return
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        train(steps)
    on_gpu = [event for event in profile.events() if event.device_type == torch.autograd.DeviceType.CUDA]
    print(sum(1 for event in on_gpu if not event.name.startswith(("Memcpy", "Memset"))))


main()
