# Made by engine/python/make_stubs.py. Do not edit.
from collections.abc import Iterator, Sequence
from typing import Any
from typing_extensions import Self
from runahead import _runahead as _engine
_float = float  # torch.Tensor has a method of this name
from runahead.torch._tensor import Tensor as Array
from runahead.torch._tensor import Place

def scatter(inputs: Any, target_gpus: Any, dim: int | Sequence[int] | None = ...) -> Any: ...
