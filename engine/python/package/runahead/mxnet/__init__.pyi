# Made by engine/python/make_stubs.py. Do not edit.
from collections.abc import Iterator, Sequence
from typing import Any
from typing_extensions import Self
from runahead import _runahead as _engine
_float = float  # torch.Tensor has a method of this name
from runahead.mxnet.array import NDArray as Array
from runahead.mxnet.context import Context as Place

from runahead.mxnet import context as context
from runahead.mxnet import array as array
from runahead.mxnet import numpy as numpy
from runahead.mxnet import numpy_extension as numpy_extension
from runahead.mxnet import ndarray as ndarray
from runahead.mxnet import symbol as symbol
from runahead.mxnet import autograd as autograd
from runahead.mxnet import initializer as initializer
from runahead.mxnet import gluon as gluon
random: Any
from runahead.mxnet.context import Context as Context
from runahead.mxnet.context import Context as Device
from runahead.mxnet.context import cpu as cpu
from runahead.mxnet.context import cpu_pinned as cpu_pinned
from runahead.mxnet.context import current_context as current_context
from runahead.mxnet.context import current_context as current_device
from runahead.mxnet.context import gpu as gpu
from runahead.mxnet.context import num_gpus as num_gpus
from runahead.mxnet import ndarray as nd
from runahead.mxnet import numpy as np
from runahead.mxnet import numpy_extension as npx
from runahead.mxnet import symbol as sym
from runahead.mxnet import initializer as init
from runahead.mxnet import context as device
def waitall() -> None: ...
