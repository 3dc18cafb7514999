"""The tape: records ops, and enqueues the ops of their gradients. Both frontends use it.

An array that takes part in a recorded computation has a `_node`:
  Leaf    the program asked for the gradient of this array (attach_grad, requires_grad)
  Node    a recorded op made this array
A Node refers to the nodes of its inputs. It keeps an input or the output only if a gradient of the op needs the values,
so that the memory of the other arrays is free before the backward pass. The gradients are ops too: see gradients.py.

The tape does not see ops that change an array in place, but each array counts them. If a program changes an array whose
values a gradient needs, backward() raises an error.
"""

import sys
import threading

from . import _runahead
from .gradients import OUTPUT, has_no_gradient, parts_of
from .ops import Array as _Array
from .ops import device_of as _device_of
from .ops import shape_of as _shape_of

_changes_of = _Array.changes.__get__


class Leaf:
    """Marks an array whose gradient the program wants.

    request  "write": backward() replaces the gradient; "add": it adds to the gradient
    fresh    backward() has written the gradient, and no optimizer has used it yet
    """

    __slots__ = ("request", "fresh")

    def __init__(self, request):
        if request not in ("write", "add"):
            raise ValueError(f"grad_req '{request}': there are write, add and null")
        self.request = request
        self.fresh = False


class Node:
    """A recorded op.

    parents     for each input: the Node that made it, the array itself if it is a leaf, None if no gradient flows there
    inputs      for each input: the array if a gradient needs its values, a number, or None
    output      an alias of the output, or None. An alias, because the output refers to this node
    changes     for each array in inputs and for output: how often it had been changed in place when the op was recorded
    attributes  the other arguments of the op; of copy_to: the device of the input
    parents is None after a backward pass that did not keep the graph.
    """

    __slots__ = ("name", "parents", "inputs", "output", "changes", "attributes", "shapes")


class _State(threading.local):
    recording = None  # None: as _by_default says
    training = False


_state = _State()
_by_default = False   # is a thread recording that has not said otherwise? torch: True
_recorders = 0        # recording scopes that are open, in all threads
_lock = threading.Lock()  # guards _recorders


def is_recording():
    """Does this thread record?"""
    return _by_default if _state.recording is None else _state.recording


def is_training():
    return _state.training


def record_by_default():
    """From now on each thread records unless it is inside Recording(False)."""
    global _by_default
    _by_default = True
    _runahead.set_tape(_record)


class Recording:
    """A scope in which this thread records, or does not record. `training` None: as outside."""

    def __init__(self, recording, training=None):
        self._wanted = (recording, training)

    def __enter__(self):
        self._before = (_state.recording, _state.training)
        recording, training = self._wanted
        if recording is not None:
            _state.recording = recording
            if recording:
                _count_recorders(1)
        if training is not None:
            _state.training = training
        return self

    def __exit__(self, *error):
        _state.recording, _state.training = self._before
        if self._wanted[0]:
            _count_recorders(-1)


def _count_recorders(change):
    global _recorders
    with _lock:
        _recorders += change
        _runahead.set_tape(_record if _recorders or _by_default else None)


def mark(array, request):
    """Asks for the gradient of `array`. The array is no longer part of an earlier recorded computation."""
    array._node = Leaf(request)


def take_last_head():
    """The array whose backward() was called last, or None. Optimizers name it in step(). A second call returns None."""
    head, _last_head[0] = _last_head[0], None
    return head


_last_head = [None]


def _record(name, inputs, output, attributes):
    """Called by the extension after each op with a marked input."""
    if not is_recording() or has_no_gradient(name):
        return
    parents = []
    for value in inputs:
        node = value._node if isinstance(value, _Array) else None
        parents.append(value if type(node) is Leaf else node)
    if not any(parent is not None for parent in parents):
        return
    needed = set()
    for part, parent in zip(parts_of(name, len(inputs)), parents):
        if parent is not None and part is not None:
            needed.update(part.needs)
    node = Node()
    node.name = name
    node.parents = parents
    node.inputs = [value if i in needed or not isinstance(value, _Array) else None for i, value in enumerate(inputs)]
    node.output = _runahead.alias(output) if OUTPUT in needed else None
    node.changes = _changes_of_kept(node)
    # The gradient of a copy goes back to the device of the input, which needs no values.
    node.attributes = (_device_of(inputs[0]),) if name == "copy_to" else attributes
    node.shapes = [_shape_of(value) if isinstance(value, _Array) else None for value in inputs]
    output._node = node


def _changes_of_kept(node):
    kept = [*node.inputs, node.output]
    return [_changes_of(value) for value in kept if isinstance(value, _Array)]


def backward(heads, gradients, retain_graph=False):
    """Enqueues the gradients of `heads` with respect to all leaves, and hands them to the leaves.

    gradients  for each head the gradient that flows into it; None: ones
    """
    _Pass(heads, gradients, retain_graph, None).run()
    _last_head[0] = heads[-1]


def gradients_of(heads, gradients, variables, retain_graph=False):
    """Returns the gradients of `heads` with respect to `variables`, and leaves their .grad alone."""
    found = _Pass(heads, gradients, retain_graph, variables).run()
    for variable, gradient in zip(variables, found):
        if gradient is None:
            raise ValueError("grad: a variable takes no part in the recorded computation of the heads")
    return found


class _Pass:
    """One backward pass.

    pending_  Node -> the gradient of its output so far
    leaves_   id of a leaf array -> [array, gradient so far, uses whose gradient is not there yet]
    """

    def __init__(self, heads, gradients, retain_graph, variables):
        self._retain = retain_graph
        self._pending = {}
        self._leaves = {}
        self._variables = variables
        self._wanted = {}       # Node or id of a leaf -> gradient, for `variables`
        self._handed_out = {}   # id -> gradient that an array already refers to
        roots = []
        for head, gradient in zip(heads, gradients):
            if head._node is None:
                raise ValueError("backward: the array is not part of a recorded computation; enqueue its ops inside "
                                 "autograd.record(), or from arrays that require a gradient")
            if gradient is None:
                gradient = _runahead.full(type(head), _shape_of(head), 1.0, _device_of(head))
            else:
                if _shape_of(gradient) != _shape_of(head):
                    raise ValueError(f"backward: the gradient has the shape {_shape_of(gradient)}, the array "
                                     f"{_shape_of(head)}")
                self._handed_out[id(gradient)] = gradient
            roots.append((head if type(head._node) is Leaf else head._node, gradient))
        for variable in variables or ():
            if variable._node is None:
                raise ValueError("grad: a variable is not part of a recorded computation")
            self._wanted[self._key(variable)] = None
        self._order = self._sort([root for root, _ in roots])
        for root, gradient in roots:
            self._add(root, gradient)

    @staticmethod
    def _key(array):
        return id(array) if type(array._node) is Leaf else array._node

    def run(self):
        before = _state.recording
        _state.recording = False
        try:
            while self._order:
                self._step(self._order.pop())
        finally:
            _state.recording = before
        return [self._wanted[self._key(variable)] for variable in self._variables or ()]

    def _sort(self, roots):
        """Returns the nodes that `roots` depend on, each after its parents. Counts the uses of each leaf."""
        order, seen, stack = [], set(), []

        def visit(parent):
            if parent is None:
                return
            if isinstance(parent, _Array):
                self._leaves.setdefault(id(parent), [parent, None, 0])[2] += 1
            elif parent not in seen:
                seen.add(parent)
                if parent.parents is None:
                    raise RuntimeError(f"backward: an earlier backward() freed the recorded op {parent.name}; keep the "
                                       "graph with retain_graph=True")
                stack.append((parent, iter(parent.parents)))

        for root in roots:
            visit(root)
            while stack:
                node, parents = stack[-1]
                for parent in parents:
                    depth = len(stack)
                    visit(parent)
                    if len(stack) > depth:
                        break
                else:
                    stack.pop()
                    order.append(node)
        return order

    def _step(self, node):
        gradient = self._pending.pop(node, None)
        if node in self._wanted:
            self._wanted[node] = gradient
        parts = parts_of(node.name, len(node.parents))
        if gradient is not None and node.changes != _changes_of_kept(node):
            raise RuntimeError(f"backward: the gradient of {node.name} needs the values of an array that the program "
                               "has changed in place since; use a copy of the array")
        for part, parent in zip(parts, node.parents):
            if parent is None:
                continue
            flows = gradient is not None and part is not None
            self._add(parent, part.function(node, gradient) if flows else None)
        if not self._retain:
            node.parents = node.inputs = node.output = None

    def _add(self, to, gradient):
        """Adds a gradient to a node or a leaf; None: nothing flows, but one use of the leaf is done."""
        if not isinstance(to, _Array):
            if gradient is not None:
                so_far = self._pending.get(to)
                self._pending[to] = gradient if so_far is None else so_far + gradient
            return
        leaf = self._leaves[id(to)]
        if gradient is not None:
            leaf[1] = gradient if leaf[1] is None else leaf[1] + gradient
        leaf[2] -= 1
        if leaf[2] == 0 and leaf[1] is not None:
            self._deliver(to, leaf[1])
            leaf[1] = None

    def _deliver(self, array, gradient):
        if self._variables is not None:
            if id(array) in self._wanted:
                self._wanted[id(array)] = self._own(gradient)
            return
        leaf, old = array._node, array.grad
        leaf.fresh = True
        if old is None:
            array.grad = self._own(gradient)
        elif leaf.request == "add":
            old += gradient
        elif sys.getrefcount(old) > 3:  # 3: array.grad, `old` and the argument. The program keeps the gradient's array
            _runahead.assign(old, gradient)
        else:
            array.grad = self._own(gradient)

    def _own(self, gradient):
        """Returns an array that no other gradient refers to. Both inputs of + get the same one, for example."""
        if id(gradient) in self._handed_out:
            gradient = _runahead.copy_to(gradient, _device_of(gradient))
        self._handed_out[id(gradient)] = gradient
        return gradient
