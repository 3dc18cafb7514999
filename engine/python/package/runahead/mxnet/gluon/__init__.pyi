# Made by engine/python/make_stubs.py. Do not edit.
from collections.abc import Iterator, Sequence
from typing import Any
from typing_extensions import Self
from runahead import _runahead as _engine
_float = float  # torch.Tensor has a method of this name
from runahead.mxnet.array import NDArray as Array
from runahead.mxnet.context import Context as Place

from runahead.mxnet.gluon import parameter as parameter
from runahead.mxnet.gluon import block as block
from runahead.mxnet.gluon import loss as loss
from runahead.mxnet.gluon import nn as nn
from runahead.mxnet.gluon import utils as utils
from runahead.mxnet.gluon.block import Block as Block
from runahead.mxnet.gluon.block import HybridBlock as HybridBlock
from runahead.mxnet.gluon.block import SymbolBlock as SymbolBlock
from runahead.mxnet.gluon.parameter import Parameter as Parameter
from runahead.mxnet.gluon.parameter import ParameterDict as ParameterDict
from runahead.mxnet.gluon import trainer as trainer
from runahead.mxnet.gluon.trainer import Trainer as Trainer
