"""mx.sym: expressions without values, which hybridize() and export() make from a network.

A Symbol is a variable, or a call of a function of mxnet.nd, mxnet.np or mxnet.npx, an operator or a method, on
Symbols. A Graph runs an expression: it calls these functions on arrays, one after the other.
"""

import itertools
import json
import operator

from .. import missing

_FORMAT = "runahead-symbol 1"

_OPERATORS = {name: getattr(operator, name) for name in ("add", "sub", "mul", "truediv", "pow", "matmul", "neg", "abs",
                                                         "getitem", "eq", "ne", "lt", "le", "gt", "ge")}

_METHODS = frozenset("""abs argmax astype broadcast_like broadcast_to clip cos dot exp expand_dims flatten floor log
    log_softmax max mean min norm one_hot pick prod reciprocal relu reshape sigmoid sign sin slice_axis softmax sqrt
    square squeeze sum swapaxes take tanh transpose""".split())

_numbers = {}  # the kind of a name -> counter


def _new_name(kind):
    return f"{kind}{next(_numbers.setdefault(kind, itertools.count()))}"


class Symbol:
    """A variable or the result of a function. Make variables with mx.sym.var("name")."""

    __slots__ = ("op", "name", "arguments", "keywords")

    def __init__(self, op, name, arguments=(), keywords=None):
        self.op = op                    # None: a variable; else such as "npx.relu", "operator.add", "method.reshape"
        self.name = name
        self.arguments = arguments      # Symbols, constants, and lists of them
        self.keywords = keywords or {}

    def __repr__(self):
        return f"<Symbol {self.name}>"

    def __getattr__(self, name):
        if name in _METHODS:
            return lambda *arguments, **keywords: _call("method." + name, (self, *arguments), keywords)
        raise AttributeError(
            f"a Symbol has no '{name}': it has no values and no shape, because it only describes a computation")

    def __bool__(self):
        raise TypeError("a Symbol is neither true nor false: it has no values")

    def __iter__(self):
        raise TypeError("a Symbol cannot be iterated: it has no shape")

    def list_arguments(self):
        """The names of the variables, in the order of their first use."""
        return [symbol.name for symbol in _sorted(self) if symbol.op is None]

    def tojson(self):
        """The expression as JSON: nodes, each after its inputs, and the index of the head."""
        order = _sorted(self)
        index = {id(symbol): i for i, symbol in enumerate(order)}
        nodes = []
        for symbol in order:
            node = {"op": symbol.op or "null", "name": symbol.name}
            if symbol.op is not None:
                node["arguments"] = [_encode(one, index) for one in symbol.arguments]
                if symbol.keywords:
                    node["keywords"] = {key: _encode(one, index) for key, one in symbol.keywords.items()}
            nodes.append(node)
        return json.dumps({"format": _FORMAT, "nodes": nodes, "head": index[id(self)]}, indent=2)

    def save(self, fname):
        with open(fname, "w") as file:
            file.write(self.tojson() + "\n")


def _operator_method(name, swapped):
    def method(self, *others):
        arguments = (*others, self) if swapped else (self, *others)
        return _call("operator." + name, arguments, {})
    return method


for _name in _OPERATORS:
    setattr(Symbol, f"__{_name}__", _operator_method(_name, False))
    if _name in ("add", "sub", "mul", "truediv", "pow", "matmul"):
        setattr(Symbol, f"__r{_name}__", _operator_method(_name, True))
Symbol.__hash__ = object.__hash__


def var(name, **keywords):
    """A variable."""
    return Symbol(None, name)


Variable = var


def fromjson(text):
    """Reads what Symbol.tojson() wrote."""
    data = json.loads(text)
    if data.get("format") != _FORMAT:
        raise ValueError("not a symbol file of Runahead")
    symbols = []
    for node in data["nodes"]:
        if node["op"] == "null":
            symbols.append(var(node["name"]))
            continue
        keywords = {key: _decode(one, symbols) for key, one in node.get("keywords", {}).items()}
        arguments = tuple(_decode(one, symbols) for one in node["arguments"])
        symbols.append(Symbol(node["op"], node["name"], arguments, keywords))
    return symbols[data["head"]]


load_json = fromjson


def load(fname):
    """Reads a symbol file."""
    with open(fname) as file:
        return fromjson(file.read())


def _encode(value, index):
    if isinstance(value, Symbol):
        return {"node": index[id(value)]}
    if isinstance(value, slice):
        return {"slice": [value.start, value.stop, value.step]}
    if isinstance(value, (list, tuple)):
        return {"list": [_encode(one, index) for one in value]}
    if value is Ellipsis:
        return {"ellipsis": True}
    return value


def _decode(value, symbols):
    if not isinstance(value, dict):
        return value
    if "node" in value:
        return symbols[value["node"]]
    if "slice" in value:
        return slice(*value["slice"])
    return Ellipsis if "ellipsis" in value else tuple(_decode(one, symbols) for one in value["list"])


def _sorted(head):
    """All symbols that `head` depends on, each after its inputs."""
    order, seen, stack = [], set(), [(head, False)]
    while stack:
        symbol, inputs_done = stack.pop()
        if inputs_done:
            order.append(symbol)
        elif id(symbol) not in seen:
            seen.add(id(symbol))
            stack.append((symbol, True))
            stack.extend((one, False) for one in reversed(list(_inputs(symbol))))
    return order


def _inputs(symbol):
    def within(value):
        if isinstance(value, Symbol):
            yield value
        elif isinstance(value, (list, tuple)):
            for one in value:
                yield from within(one)
    yield from within(symbol.arguments)
    yield from within(list(symbol.keywords.values()))


def _call(op, arguments, keywords):
    name = keywords.pop("name", None) or _new_name(op.rpartition(".")[2])
    return Symbol(op, name, tuple(arguments), keywords)


def _function(op):
    """Returns the function that a node of a graph calls."""
    kind, _, name = op.partition(".")
    if kind == "operator":
        return _OPERATORS[name]
    if kind == "method":
        return lambda self, *arguments, **keywords: getattr(self, name)(*arguments, **keywords)
    return getattr(_MODULES[kind], name)


class _Functions:
    """The functions of a module of arrays, for Symbols: sym.np.dot(a, b) makes a Symbol."""

    def __init__(self, kind, module):
        self._kind, self._module = kind, module

    def __getattr__(self, name):
        if name.startswith("_") or not callable(getattr(self._module, name)):
            raise AttributeError(f"mxnet.sym: Runahead's mxnet.{self._kind} has no function '{name}'")
        return lambda *arguments, **keywords: _call(f"{self._kind}.{name}", arguments, keywords)


class _Slot(int):
    """The place of a value in a run of a Graph."""


class Graph:
    """A Symbol that can be run. The order of its steps is fixed, so a run only calls functions."""

    def __init__(self, head):
        order = _sorted(head)
        slots = {id(symbol): _Slot(i) for i, symbol in enumerate(order)}
        self.head = head
        self.variables = {symbol.name: slots[id(symbol)] for symbol in order if symbol.op is None}
        self._size = len(order)
        self._head_slot = slots[id(head)]
        self._steps = [(symbol.op, _function(symbol.op), slots[id(symbol)], _with_slots(symbol.arguments, slots),
                        {key: _with_slots(one, slots) for key, one in symbol.keywords.items()})
                       for symbol in order if symbol.op is not None]

    def run(self, arrays, before_step=None):
        """Enqueues the ops of all steps.

        arrays       the values of the variables, by name
        before_step  before_step(op, argument slots, values) is called before each step; it may fill in variables
        """
        values = [None] * self._size
        for name, array in arrays.items():
            values[self.variables[name]] = array
        for op, function, slot, arguments, keywords in self._steps:
            if before_step is not None:
                before_step(op, arguments, values)
            filled = [_filled(one, values) for one in arguments]
            if keywords:
                values[slot] = function(*filled, **{key: _filled(one, values) for key, one in keywords.items()})
            else:
                values[slot] = function(*filled)
        return values[self._head_slot]


def _with_slots(value, slots):
    if isinstance(value, Symbol):
        return slots[id(value)]
    return tuple(_with_slots(one, slots) for one in value) if isinstance(value, (list, tuple)) else value


def _filled(value, values):
    if type(value) is _Slot:
        return values[value]
    return tuple(_filled(one, values) for one in value) if type(value) is tuple else value


from . import ndarray as _ndarray, numpy as _numpy, numpy_extension as _numpy_extension  # noqa: E402

_MODULES = {"nd": _ndarray, "np": _numpy, "npx": _numpy_extension}
np = _Functions("np", _numpy)
npx = _Functions("npx", _numpy_extension)
_nd = _Functions("nd", _ndarray)
_missing = missing.names_of("mxnet.sym")


def __getattr__(name):
    try:
        return getattr(_nd, name)
    except AttributeError:
        return _missing(name)
