"""Blocks: the layers and networks of gluon."""

import contextlib
import itertools
import math
import re

from ... import array_file, missing
from ...ops import check_dtype, device_of, shape_of
from .. import ndarray, symbol
from ..context import engine_device
from ..numpy_extension import array_class
from .parameter import Parameter, ParameterDict

__getattr__ = missing.names_of("mxnet.gluon.block")

_numbers = {}  # name of a class -> counter


class Block:
    """A part of a network. A subclass puts blocks and parameters into attributes, and defines forward()."""

    def __init__(self, prefix=None, params=None):
        if params is not None:
            raise missing.unsupported("a block with params=..., which shares the parameters of another block")
        kind = type(self).__name__.lower()
        number = next(_numbers.setdefault(kind, itertools.count()))
        self._prefix = f"{kind}{number}_" if prefix is None else prefix
        self._children = {}     # name -> Block
        self._own = {}          # attribute -> Parameter
        self._params = ParameterDict(self._prefix)

    def __setattr__(self, name, value):
        if isinstance(value, Block):
            self._children[name] = value
        elif isinstance(value, Parameter):
            if not value.name.startswith(self._prefix):
                value.name = self._prefix + name
            self._own[name] = value
        super().__setattr__(name, value)

    def __repr__(self):
        lines = [f"  ({name}): " + repr(child).replace("\n", "\n  ") for name, child in self._children.items()]
        return f"{type(self).__name__}(\n" + "\n".join(lines) + "\n)"

    @property
    def prefix(self):
        return self._prefix

    @property
    def name(self):
        return self._prefix.rstrip("_")

    @property
    def params(self):
        """The parameters of this block alone. params.get("weight", shape=...) makes one."""
        self._params.update((parameter.name, parameter) for parameter in self._own.values())
        return self._params

    def name_scope(self):
        """Does nothing: names of blocks are unique."""
        return contextlib.nullcontext(self)

    def register_child(self, block, name=None):
        self._children[str(len(self._children)) if name is None else name] = block

    def collect_params(self, select=None):
        """All parameters of this block and the blocks in it. `select` is a regular expression for names."""
        found = ParameterDict(self._prefix)
        for _, parameter in self._named_parameters():
            if select is None or re.match(select, parameter.name):
                found[parameter.name] = parameter
        return found

    def _named_parameters(self, path=""):
        """(name by place in the network, parameter)"""
        for name, parameter in itertools.chain(self._own.items(), ((one.name, one) for one in self._params.values()
                                                                    if one not in self._own.values())):
            yield path + name, parameter
        for name, child in self._children.items():
            yield from child._named_parameters(f"{path}{name}.")

    def apply(self, fn):
        """Calls fn(block) for all blocks in this one, then for this one."""
        for child in self._children.values():
            child.apply(fn)
        fn(self)
        return self

    def initialize(self, init=None, ctx=None, verbose=False, force_reinit=False, device=None):
        """Gives all parameters their first values. `init` None: random numbers between -0.07 and 0.07, biases 0."""
        self.collect_params().initialize(init, ctx, verbose, force_reinit, device)

    def hybridize(self, active=True, **keywords):
        """Hybridizes the blocks in this one that can be. See HybridBlock.hybridize()."""
        for child in self._children.values():
            child.hybridize(active, **keywords)

    def reset_ctx(self, ctx):
        self.collect_params().reset_ctx(ctx)

    def zero_grad(self):
        self.collect_params().zero_grad()

    def save_parameters(self, filename):
        """Writes all parameters, in the format of runahead.array_file."""
        array_file.save(filename, {name: parameter.data().detach() for name, parameter in self._named_parameters()})

    def load_parameters(self, filename, ctx=None, allow_missing=False, ignore_extra=False, device=None):
        """Reads what save_parameters() wrote."""
        ctx = ctx if device is None else device
        arrays, _ = array_file.load(filename, array_class(), engine_device(None))
        own = dict(self._named_parameters())
        absent, extra = sorted(own.keys() - arrays.keys()), sorted(arrays.keys() - own.keys())
        if absent and not allow_missing:
            raise ValueError(f"{filename}: the parameter {absent[0]} is missing")
        if extra and not ignore_extra:
            raise ValueError(f"{filename}: the network has no parameter {extra[0]}")
        for name, array in arrays.items():
            if name in own:
                own[name].load_array(array, ctx)

    def cast(self, dtype):
        check_dtype(dtype)

    def __call__(self, *args):
        return self.forward(*args)

    def forward(self, *args):
        raise NotImplementedError(f"{type(self).__name__} has no forward()")


class HybridBlock(Block):
    """A block that can run as a graph. A subclass defines hybrid_forward(self, F, x, ...), its parameters as keywords.

    F is mxnet.nd with arrays, and mxnet.sym when the block is traced. A subclass may define forward(self, x) instead,
    as in MXNet 2.0; such a block is never traced and runs op by op.
    """

    def __init__(self, prefix=None, params=None):
        super().__init__(prefix, params)
        self._active = False
        self._graph = None
        self._input_names = ()

    def __setattr__(self, name, value):
        super().__setattr__(name, value)
        if isinstance(value, (Block, Parameter)):
            super().__setattr__("_graph", None)

    def register_child(self, block, name=None):
        if not isinstance(block, HybridBlock):
            raise ValueError(f"{type(self).__name__}: {type(block).__name__} is no HybridBlock, and cannot be traced: "
                             "use Sequential for it")
        super().register_child(block, name)
        self._graph = None

    def hybridize(self, active=True, **keywords):
        """Traces the block at its next call, and runs the trace from then on.

        The trace calls hybrid_forward() once, with Symbols. Later calls do not run hybrid_forward(): its prints and
        its Python conditions are gone. The ops stay the same: Runahead enqueues them one by one from Python, and
        fuses none. Keywords such as static_alloc have no effect.
        """
        self._active = active
        self._graph = None
        super().hybridize(active, **keywords)

    def infer_shape(self, *args):
        """Completes the shapes of the block's own parameters from its inputs. A subclass may define it."""
        raise NotImplementedError(f"{type(self).__name__} has parameters of unknown shape, and no infer_shape()")

    def __call__(self, *args):
        if self._active and self._is_traceable() and not any(isinstance(one, symbol.Symbol) for one in args):
            return self._run_graph(args)
        return self.forward(*args)

    def forward(self, x, *args):
        if isinstance(x, symbol.Symbol):
            return self.hybrid_forward(symbol, x, *args, **{name: one.var() for name, one in self._own.items()})
        device = device_of(x)
        for parameter in self._own.values():
            if not parameter.is_ready() and parameter._deferred:
                self.infer_shape(x, *args)
        return self.hybrid_forward(ndarray, x, *args, **{name: one.array_on(device) for name, one in self._own.items()})

    def hybrid_forward(self, F, x, *args, **parameters):
        raise NotImplementedError(f"{type(self).__name__} has no hybrid_forward() and no forward()")

    def _is_traceable(self):
        return type(self).forward is HybridBlock.forward and all(
            isinstance(child, HybridBlock) and child._is_traceable() for child in self._children.values())

    # ---- the graph ----

    def _trace(self, count):
        self._input_names = ("data",) if count == 1 else tuple(f"data{i}" for i in range(count))
        head = self.forward(*(symbol.var(name) for name in self._input_names))
        if not isinstance(head, symbol.Symbol):
            raise missing.unsupported(
                f"hybridize: {type(self).__name__} returns {type(head).__name__}; a trace of this")
        self._graph = symbol.Graph(head)
        self._in_graph = {one.name: one for one in self.collect_params().values() if one.name in self._graph.variables}

    def _run_graph(self, args):
        if self._graph is None or len(args) != len(self._input_names):
            self._trace(len(args))
        device = device_of(args[0])
        arrays = dict(zip(self._input_names, args))
        deferred = False
        for name, parameter in self._in_graph.items():
            if parameter.is_ready() or not parameter._deferred:
                arrays[name] = parameter.array_on(device)
            else:
                deferred = True
        return self._graph.run(arrays, self._complete_parameters(device) if deferred else None)

    def _complete_parameters(self, device):
        """For the first run: makes the parameters of a step as soon as the shape of its input is known."""
        by_slot = {self._graph.variables[name]: parameter for name, parameter in self._in_graph.items()}

        def complete(op, arguments, values):
            for place, slot in enumerate(arguments):
                parameter = by_slot.get(slot) if type(slot) is symbol._Slot else None
                if parameter is None or values[slot] is not None:
                    continue
                if not parameter.is_ready() and op == "npx.fully_connected" and place == 1:
                    parameter.infer_shape(dense_weight_shape(parameter.shape[0], values[arguments[0]], arguments[-1]))
                values[slot] = parameter.array_on(device)

        return complete

    def export(self, path, epoch=0, remove_amp_cast=True):
        """Writes PATH-symbol.json and PATH-0000.params, and returns both names. SymbolBlock.imports() reads them.

        Both formats are Runahead's own: mxnet.symbol and runahead.array_file describe them.
        """
        if self._graph is None:
            raise RuntimeError("export: call hybridize(), then call the block with an input, before export()")
        files = f"{path}-symbol.json", f"{path}-{epoch:04d}.params"
        self._graph.head.save(files[0])
        array_file.save(files[1], {name: one.data().detach() for name, one in self._in_graph.items()})
        return files


def dense_weight_shape(units, x, flatten):
    """The shape of a Dense layer's weight for the input `x`."""
    shape = shape_of(x)
    return units, math.prod(shape[1:] if flatten else shape[-1:])


class SymbolBlock(HybridBlock):
    """A network read from files that export() wrote."""

    def __init__(self, outputs, inputs, params=None):
        super().__init__(params=params)
        inputs = inputs if isinstance(inputs, (list, tuple)) else [inputs]
        self._input_names = tuple(one if isinstance(one, str) else one.name for one in inputs)
        self._graph = symbol.Graph(outputs)
        self._active = True
        self._in_graph = {}
        for name in self._graph.variables:
            if name not in self._input_names:
                self._in_graph[name] = Parameter(name, allow_deferred_init=True)
        self._params.update(self._in_graph)

    @staticmethod
    def imports(symbol_file, input_names, param_file=None, ctx=None):
        """Reads a symbol file, and its parameters."""
        block = SymbolBlock(symbol.load(symbol_file), input_names)
        if param_file is not None:
            arrays, _ = array_file.load(param_file, array_class(), engine_device(None))
            for name, parameter in block._in_graph.items():
                if name not in arrays:
                    raise ValueError(f"{param_file}: the parameter {name} is missing")
                parameter.load_array(arrays[name], ctx)
        return block

    def hybridize(self, active=True, **keywords):
        """Does nothing: the block is a graph already."""

    def _trace(self, count):
        raise ValueError(f"the network has {len(self._input_names)} inputs, not {count}")
