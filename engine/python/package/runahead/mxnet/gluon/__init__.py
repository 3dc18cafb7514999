"""mx.gluon: networks, their parameters, losses and the trainer."""

from ... import missing as _missing
from . import loss, nn, parameter, utils
from .block import Block, HybridBlock, SymbolBlock
from .parameter import Parameter, ParameterDict
from .trainer import Trainer

__getattr__ = _missing.names_of("mxnet.gluon")
