# Made by engine/python/make_stubs.py. Do not edit.
from collections.abc import Iterator, Sequence
from typing import Any
from typing_extensions import Self
from runahead import _runahead as _engine
_float = float  # torch.Tensor has a method of this name
from runahead.torch._tensor import Tensor as Array
from runahead.torch._tensor import Place

from runahead.torch._tensor import Tensor as Tensor
from runahead.torch._tensor import device as device
float32: Any
from runahead.torch._tensor import Size as Size
def abs(self) -> Any: ...
from runahead.torch._functions import add as add
from runahead.torch._functions import allclose as allclose
from runahead.torch._functions import arange as arange
from runahead.torch._functions import argmax as argmax
from runahead.torch._functions import as_tensor as as_tensor
from runahead.torch._functions import bmm as bmm
from runahead.torch._functions import cat as cat
from runahead.torch._functions import clamp as clamp
def concat(tensors: Sequence[Array], dim: int | Sequence[int] | None = ...) -> Any: ...
def cos(self) -> Any: ...
from runahead.torch._functions import div as div
from runahead.torch._functions import dot as dot
def empty(*sizes: Any, size: int | Sequence[int] | None = ..., dtype: object = ..., device: Place | None = ..., requires_grad: bool = ...) -> Any: ...
from runahead.torch._functions import enable_grad as enable_grad
from runahead.torch._functions import equal as equal
def exp(self) -> Any: ...
from runahead.torch._functions import eye as eye
from runahead.torch._functions import flatten as flatten
from runahead.torch._functions import from_numpy as from_numpy
from runahead.torch._functions import full as full
from runahead.torch._functions import full_like as full_like
from runahead.torch._functions import linspace as linspace
def log(self) -> Any: ...
from runahead.torch._functions import log_softmax as log_softmax
from runahead.torch._functions import matmul as matmul
from runahead.torch._functions import max as max
from runahead.torch._functions import maximum as maximum
def mean(self, dim: int | Sequence[int] | None = ..., keepdim: bool = ...) -> Any: ...
from runahead.torch._functions import min as min
from runahead.torch._functions import minimum as minimum
from runahead.torch._functions import mm as mm
from runahead.torch._functions import mul as mul
from runahead.torch._functions import mv as mv
from runahead.torch._functions import neg as neg
from runahead.torch._functions import no_grad as no_grad
from runahead.torch._functions import norm as norm
from runahead.torch._functions import normal as normal
def ones(*sizes: Any, size: int | Sequence[int] | None = ..., dtype: object = ..., device: Place | None = ..., requires_grad: bool = ...) -> Any: ...
from runahead.torch._functions import ones_like as ones_like
from runahead.torch._functions import permute as permute
from runahead.torch._functions import pow as pow
from runahead.torch._functions import rand as rand
from runahead.torch._functions import rand_like as rand_like
from runahead.torch._functions import randn as randn
from runahead.torch._functions import randn_like as randn_like
def relu(self) -> Any: ...
from runahead.torch._functions import reshape as reshape
from runahead.torch._functions import set_grad_enabled as set_grad_enabled
def sigmoid(self) -> Any: ...
def sign(self) -> Any: ...
def sin(self) -> Any: ...
from runahead.torch._functions import softmax as softmax
from runahead.torch._functions import split as split
def sqrt(self) -> Any: ...
def square(self) -> Any: ...
from runahead.torch._functions import squeeze as squeeze
from runahead.torch._functions import stack as stack
from runahead.torch._functions import sub as sub
def sum(self, dim: int | Sequence[int] | None = ..., keepdim: bool = ...) -> Any: ...
from runahead.torch._functions import t as t
def tanh(self) -> Any: ...
from runahead.torch._functions import tensor as tensor
from runahead.torch._functions import transpose as transpose
from runahead.torch._functions import unsqueeze as unsqueeze
from runahead.torch._functions import where as where
def zeros(*sizes: Any, size: int | Sequence[int] | None = ..., dtype: object = ..., device: Place | None = ..., requires_grad: bool = ...) -> Any: ...
from runahead.torch._functions import zeros_like as zeros_like
from runahead.torch import autograd as autograd
from runahead.torch import cuda as cuda
from runahead.torch import nn as nn
from runahead.torch import jit as jit
from runahead.torch import optim as optim
float: Any
def is_tensor(obj: Any) -> bool: ...
def manual_seed(seed: int) -> Any: ...
def is_grad_enabled() -> Any: ...
def save(obj: Any, f: Any) -> None: ...
def load(f: Any, map_location: Any = ...) -> Any: ...
