# Made by engine/python/make_stubs.py. Do not edit.
from collections.abc import Iterator, Sequence
from typing import Any
from typing_extensions import Self
from runahead import _runahead as _engine
_float = float  # torch.Tensor has a method of this name
from runahead.mxnet.array import NDArray as Array
from runahead.mxnet.context import Context as Place

from runahead.d2l.common import Timer as Timer
from runahead.d2l.common import set_figsize as set_figsize
from runahead.d2l.common import use_svg_display as use_svg_display
from runahead.d2l.mxnet import sgd as sgd
from runahead.d2l.mxnet import try_all_gpus as try_all_gpus
class Benchmark:
    def __init__(self, prefix: Any = ...) -> None: ...
    def __enter__(self) -> Any: ...
    def __exit__(self, *error: Any) -> None: ...
def try_gpu() -> Any: ...
def linreg(X: Any, w: Any, b: Array) -> Any: ...
def squared_loss(y_hat: Any, y: Array) -> Any: ...
