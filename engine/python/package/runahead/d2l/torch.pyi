# Made by engine/python/make_stubs.py. Do not edit.
from collections.abc import Iterator, Sequence
from typing import Any
from typing_extensions import Self
from runahead import _runahead as _engine
_float = float  # torch.Tensor has a method of this name
from runahead.torch._tensor import Tensor as Array
from runahead.torch._tensor import Place

from runahead import torch as torch
from runahead.torch import nn as nn
from runahead.d2l.common import Benchmark as Benchmark
from runahead.d2l.common import Timer as Timer
from runahead.d2l.common import benchmark as benchmark
from runahead.d2l.common import plot as plot
from runahead.d2l.common import set_axes as set_axes
from runahead.d2l.common import set_figsize as set_figsize
from runahead.d2l.common import use_svg_display as use_svg_display
def cpu() -> Any: ...
def gpu(i: Any = ...) -> Any: ...
def num_gpus() -> int: ...
def try_gpu(i: Any = ...) -> Any: ...
def try_all_gpus() -> list[Any]: ...
def split_batch(X: Any, y: Array, devices: Sequence[Place]) -> Any: ...
def sgd(params: Any, lr: _float, batch_size: _float) -> None: ...
