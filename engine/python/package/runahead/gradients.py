"""The gradient of each op, written with ops.

RULES maps the name of an op, as the extension reports it to the tape, to one Part for each input. A part's function
gets the recorded op (tape.Node: inputs, output, attributes, shapes) and the gradient of the op's output. It returns
the gradient of the input. `needs` lists the inputs, or OUTPUT, whose values the function reads: the tape keeps no
others.
"""

import functools
import math

from . import _runahead as engine
from .ops import device_of as _device_of
from .ops import shape_of as _shape_of

OUTPUT = -1


class Part:
    __slots__ = ("function", "needs")

    def __init__(self, function, *needs):
        self.function = function
        self.needs = needs


# Ops whose output does not change when an input changes a little, or has no useful derivative.
_CONSTANT = frozenset(["equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "sign", "floor",
                       "argmax", "one_hot", "relu_gradient", "l2_loss_gradient"])


def has_no_gradient(name):
    """Is the output a constant for the tape?"""
    return name in _CONSTANT


def parts_of(name, input_count):
    """Returns the parts of the op, one for each input. An op without a rule is an error when its gradient is wanted."""
    rule = RULES.get(name)
    if rule is None:
        return [Part(functools.partial(_no_rule, name))] * input_count
    return rule(input_count) if callable(rule) else rule


def _no_rule(name, node, gradient):
    raise NotImplementedError(f"backward: Runahead has no gradient for the op {name}")


def _fit(gradient, shape):
    """Sums over the axes along which an input of this shape was broadcast."""
    return gradient if _shape_of(gradient) == shape else engine.sum_to(gradient, shape)


def _greater_equal(a, b):
    return engine.binary("greater_equal", a, b)


def _less(a, b):
    return engine.binary("less", a, b)


# ---- elementwise ----

def _power_base(node, gradient):
    base, exponent = node.inputs
    if not isinstance(exponent, engine.Array) and exponent == 2:
        return _fit(gradient * (base * 2.0), node.shapes[0])
    return _fit(gradient * (exponent * engine.binary("power", base, exponent - 1.0)), node.shapes[0])


def _power_exponent(node, gradient):
    base = node.inputs[0]
    log = engine.unary("log", base) if isinstance(base, engine.Array) else math.log(base)
    return _fit(gradient * node.output * log, node.shapes[1])


def _where(node, gradient, wanted):
    chosen = engine.binary("not_equal" if wanted else "equal", node.inputs[0], 0.0)
    return _fit(gradient * chosen, node.shapes[1 if wanted else 2])


def _clip(node, gradient):
    low, high = node.attributes
    inside = _greater_equal(node.inputs[0], low) * engine.binary("less_equal", node.inputs[0], high)
    return gradient * inside


# ---- reductions ----

def _spread(node, array):
    """Broadcasts the result of a reduction, or its gradient, to the shape of the reduction's input."""
    shape = node.shapes[0]
    axes, keepdims = node.attributes
    if not keepdims:
        axes = range(len(shape)) if axes is None else axes
        kept = tuple(1 if axis in axes else n for axis, n in enumerate(shape))
        if kept != _shape_of(array):
            array = engine.reshape(array, kept)
    return array if _shape_of(array) == shape else engine.broadcast_to(array, shape)


def _mean(node, gradient):
    count = math.prod(node.shapes[0]) // max(1, math.prod(_shape_of(gradient)))
    return _spread(node, gradient * (1.0 / max(1, count)))


def _extreme(node, gradient):
    """max, min: the gradient flows to each element that equals the result."""
    chosen = engine.binary("equal", node.inputs[0], _spread(node, node.output))
    return _spread(node, gradient) * chosen


def _prod(node, gradient):
    return _spread(node, gradient * node.output) / node.inputs[0]


def _norm(node, gradient):
    return _spread(node, gradient / node.output) * node.inputs[0]


def _softmax(node, gradient):
    axes = node.attributes[:1]
    total = engine.reduce("sum", gradient * node.output, axes, True)
    return node.output * (gradient - total)


def _log_softmax(node, gradient):
    total = engine.reduce("sum", gradient, node.attributes[:1], True)
    return gradient - engine.unary("exp", node.output) * total


# ---- shapes and places ----

def _pick(node, gradient):
    rows, columns = node.shapes[0]
    return engine.one_hot(node.inputs[1], columns) * engine.reshape(gradient, (rows, 1))


def _transpose(node, gradient):
    axes = node.attributes[0]
    if axes is None:
        return engine.transpose(gradient, None)
    back = [0] * len(axes)
    for position, axis in enumerate(axes):
        back[axis] = position
    return engine.transpose(gradient, tuple(back))


def _slice(node, gradient):
    whole = engine.full(type(gradient), node.shapes[0], 0.0, _device_of(gradient))
    engine.assign_slice(whole, node.attributes[0], gradient)
    return whole


def _concat(count):
    return [Part(functools.partial(_concat_input, i)) for i in range(count)]


def _concat_input(i, node, gradient):
    axis = node.attributes[0]
    begin = sum(shape[axis] for shape in node.shapes[:i])
    ranges = [(0, n, 1) for n in _shape_of(gradient)]
    ranges[axis] = (begin, begin + node.shapes[i][axis], 1)
    return engine.slice(gradient, tuple(ranges))


def _take(node, gradient):
    """Adds each row of the gradient to the row that was taken, as a matrix product."""
    shape, indices = node.shapes[0], node.inputs[1]
    if node.attributes[0] != 0:
        raise NotImplementedError("backward: Runahead has the gradient of take only for axis 0")
    count = math.prod(_shape_of(indices))
    chosen = engine.one_hot(engine.reshape(indices, (count,)), shape[0])
    rows = engine.reshape(gradient, (count, math.prod(shape[1:])))
    return engine.reshape(engine.matmul(chosen, rows, True, False), shape)


# ---- products and losses ----

def _matmul_left(node, gradient):
    right = node.inputs[1]
    transpose_left, transpose_right = node.attributes
    if transpose_left:
        return engine.matmul(right, gradient, transpose_right, True)
    return engine.matmul(gradient, right, False, not transpose_right)


def _matmul_right(node, gradient):
    left = node.inputs[0]
    transpose_left, transpose_right = node.attributes
    if transpose_right:
        return engine.matmul(gradient, left, True, transpose_left)
    return engine.matmul(left, gradient, not transpose_left, False)


def _l2_loss(node, gradient):
    """The gradient of the prediction. It is minus the gradient of the label."""
    difference = engine.l2_loss_gradient(node.inputs[0], node.inputs[1])
    shape = node.shapes[0]
    if len(shape) > 1:
        gradient = engine.reshape(gradient, shape[:1] + (1,) * (len(shape) - 1))
    return difference * gradient


RULES = {
    "add": (Part(lambda node, g: _fit(g, node.shapes[0])), Part(lambda node, g: _fit(g, node.shapes[1]))),
    "subtract": (Part(lambda node, g: _fit(g, node.shapes[0])), Part(lambda node, g: _fit(-g, node.shapes[1]))),
    "multiply": (Part(lambda node, g: _fit(g * node.inputs[1], node.shapes[0]), 1),
                 Part(lambda node, g: _fit(g * node.inputs[0], node.shapes[1]), 0)),
    "divide": (Part(lambda node, g: _fit(g / node.inputs[1], node.shapes[0]), 1),
               Part(lambda node, g: _fit(-(g * node.output / node.inputs[1]), node.shapes[1]), 1, OUTPUT)),
    "power": (Part(_power_base, 0, 1), Part(_power_exponent, 0, OUTPUT)),
    "maximum": (Part(lambda node, g: _fit(g * _greater_equal(*node.inputs), node.shapes[0]), 0, 1),
                Part(lambda node, g: _fit(g * _less(*node.inputs), node.shapes[1]), 0, 1)),
    "minimum": (Part(lambda node, g: _fit(g * engine.binary("less_equal", *node.inputs), node.shapes[0]), 0, 1),
                Part(lambda node, g: _fit(g * engine.binary("greater", *node.inputs), node.shapes[1]), 0, 1)),
    "negative": (Part(lambda node, g: -g),),
    "abs": (Part(lambda node, g: g * engine.unary("sign", node.inputs[0]), 0),),
    "exp": (Part(lambda node, g: g * node.output, OUTPUT),),
    "log": (Part(lambda node, g: g / node.inputs[0], 0),),
    "sqrt": (Part(lambda node, g: g * 0.5 / node.output, OUTPUT),),
    "square": (Part(lambda node, g: g * (node.inputs[0] * 2.0), 0),),
    "tanh": (Part(lambda node, g: g * (1.0 - engine.unary("square", node.output)), OUTPUT),),
    "sigmoid": (Part(lambda node, g: g * (node.output * (1.0 - node.output)), OUTPUT),),
    "relu": (Part(lambda node, g: engine.relu_gradient(g, node.output), OUTPUT),),
    "sin": (Part(lambda node, g: g * engine.unary("cos", node.inputs[0]), 0),),
    "cos": (Part(lambda node, g: -(g * engine.unary("sin", node.inputs[0])), 0),),
    "reciprocal": (Part(lambda node, g: -(g * engine.unary("square", node.output)), OUTPUT),),
    "clip": (Part(_clip, 0),),
    "where": (None, Part(lambda node, g: _where(node, g, True), 0), Part(lambda node, g: _where(node, g, False), 0)),
    "reduce:sum": (Part(_spread),),
    "reduce:mean": (Part(_mean),),
    "reduce:max": (Part(_extreme, 0, OUTPUT),),
    "reduce:min": (Part(_extreme, 0, OUTPUT),),
    "reduce:prod": (Part(_prod, 0, OUTPUT),),
    "reduce:norm": (Part(_norm, 0, OUTPUT),),
    "softmax": (Part(_softmax, OUTPUT),),
    "log_softmax": (Part(_log_softmax, OUTPUT),),
    "pick": (Part(_pick, 1), None),
    "reshape": (Part(lambda node, g: engine.reshape(g, node.shapes[0])),),
    "transpose": (Part(_transpose),),
    "broadcast_to": (Part(lambda node, g: engine.sum_to(g, node.shapes[0])),),
    "sum_to": (Part(lambda node, g: engine.broadcast_to(g, node.shapes[0])),),
    "slice": (Part(_slice),),
    "concat": _concat,
    "take": (Part(_take, 1), None),
    "copy_to": (Part(lambda node, g: engine.copy_to(g, node.attributes[0])),),
    "matmul": (Part(_matmul_left, 1), Part(_matmul_right, 0)),
    "dense": (Part(lambda node, g: engine.matmul(g, node.inputs[1], False, False), 1),
              Part(lambda node, g: engine.matmul(g, node.inputs[0], True, False), 0),
              Part(lambda node, g: engine.reduce("sum", g, (0,), False))),
    "l2_loss": (Part(_l2_loss, 0, 1), Part(lambda node, g: -_l2_loss(node, g), 0, 1)),
}
