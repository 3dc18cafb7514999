# Made by engine/python/make_stubs.py. Do not edit.
from collections.abc import Iterator, Sequence
from typing import Any
from typing_extensions import Self
from runahead import _runahead as _engine
_float = float  # torch.Tensor has a method of this name
from runahead.mxnet.array import NDArray as Array
from runahead.mxnet.context import Context as Place

from runahead.mxnet.context import engine_device as engine_device
from runahead.mxnet.numpy_extension import array_class as array_class
def split_data(data: Array, num_slice: Any, batch_axis: Any = ..., even_split: Any = ...) -> Any: ...
def split_and_load(data: Array, ctx_list: Any = ..., batch_axis: Any = ..., even_split: Any = ..., device_list: Any = ...) -> Any: ...
