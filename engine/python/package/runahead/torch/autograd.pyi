# Made by engine/python/make_stubs.py. Do not edit.
from collections.abc import Iterator, Sequence
from typing import Any
from typing_extensions import Self
from runahead import _runahead as _engine
_float = float  # torch.Tensor has a method of this name
from runahead.torch._tensor import Tensor as Array
from runahead.torch._tensor import Place

from runahead.torch._functions import enable_grad as enable_grad
from runahead.torch._functions import no_grad as no_grad
def grad(outputs: Any, inputs: Any, grad_outputs: Any = ..., retain_graph: bool | None = ..., create_graph: bool = ...) -> Any: ...
def backward(tensors: Sequence[Array], grad_tensors: Any = ..., retain_graph: bool | None = ...) -> None: ...
