# Made by engine/python/make_stubs.py. Do not edit.
from collections.abc import Iterator, Sequence
from typing import Any
from typing_extensions import Self
from runahead import _runahead as _engine
_float = float  # torch.Tensor has a method of this name
from runahead.torch._tensor import Tensor as Array
from runahead.torch._tensor import Place

class Optimizer:
    def __init__(self, params: Any, defaults: Any) -> None: ...
    def zero_grad(self, set_to_none: Any = ...) -> None: ...
class SGD(Optimizer):
    def __init__(self, params: Any, lr: _float = ..., momentum: Any = ..., dampening: Any = ..., weight_decay: Any = ..., nesterov: Any = ...) -> None: ...
    def step(self) -> None: ...
