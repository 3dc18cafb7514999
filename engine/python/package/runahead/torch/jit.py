"""torch.jit: scripted networks.

script() takes an nn.Sequential. It lists the layers once, and then runs the list. The ops stay the same: Runahead
enqueues them one by one, and fuses none. save() writes the layers and their parameters, in the format of
runahead.array_file; PyTorch cannot read it.
"""

from .. import array_file as _array_file
from .. import missing as _missing
from . import nn as _nn
from ._tensor import Tensor as _Tensor, engine_device as _engine_device

__getattr__ = _missing.names_of("torch.jit")

# Layers that can be saved: the class, and the arguments that make an equal layer.
_SAVED = {"Linear": lambda layer: [layer.in_features, layer.out_features, layer.bias is not None],
          "ReLU": lambda layer: [], "Sigmoid": lambda layer: [], "Tanh": lambda layer: [], "Identity": lambda layer: [],
          "Flatten": lambda layer: [layer.start_dim, layer.end_dim]}


class ScriptModule(_nn.Module):
    """A scripted network. It shares the parameters of the module that it was made from."""

    def __init__(self, module):
        super().__init__()
        self.original_name = type(module).__name__
        self.module = module
        self.__dict__["_layers"] = list(_layers(module))

    def forward(self, input):
        for layer in self._layers:
            input = layer(input)
        return input

    def state_dict(self):
        return self.module.state_dict()

    def save(self, f):
        """Writes the layers and their parameters. torch.jit.load() reads them."""
        model, arrays = [], {}
        for i, layer in enumerate(self._layers):
            kind = type(layer).__name__
            model.append({"layer": kind, "arguments": _SAVED[kind](layer)})
            arrays.update((f"{i}.{name}", tensor) for name, tensor in layer.state_dict().items())
        _array_file.save(f, arrays, {"sequential": model})


def script(obj):
    """Makes a ScriptModule of an nn.Sequential of known layers."""
    if isinstance(obj, ScriptModule):
        return obj
    for layer in _layers(obj):
        if type(layer).__name__ not in _SAVED or type(layer).__module__ != _nn.__name__:
            raise _missing.unsupported(
                f"torch.jit.script of {type(layer).__name__}, which is no Sequential of known layers,")
    return ScriptModule(obj)


def save(m, f):
    m.save(f)


def load(f, map_location=None):
    """Reads what ScriptModule.save() wrote."""
    arrays, model = _array_file.load(f, _Tensor, _engine_device(map_location))
    if not isinstance(model, dict) or "sequential" not in model:
        raise ValueError(f"{f}: the file has no scripted network")
    layers = [getattr(_nn, one["layer"])(*one["arguments"]) for one in model["sequential"]]
    network = _nn.Sequential(*layers).to("cpu" if map_location is None else map_location)
    network.load_state_dict(arrays)
    return ScriptModule(network)


def _layers(module):
    """The layers of nested Sequentials, in order."""
    if isinstance(module, _nn.Sequential):
        for child in module:
            yield from _layers(child)
    elif isinstance(module, _nn.Module):
        yield module
    else:
        raise TypeError(f"torch.jit.script: {type(module).__name__} is no nn.Module")
