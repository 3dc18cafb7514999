"""Methods that both array classes have in the same spelling.

The operators (+, -, ==, @, ...) are not here: the extension has them, so that `x + 1` runs no Python of ours.
"""

from . import _runahead as engine
from . import indexing, ops


def _unary(name):
    def method(self):
        return engine.unary(name, self)
    method.__name__ = name
    method.__doc__ = f"Enqueues {name} of each element."
    return method


class ArrayMethods:
    __slots__ = ()

    __hash__ = object.__hash__   # == gives an array, so arrays are told apart by identity
    __array_ufunc__ = None       # numpy_number * array is left to the array

    abs = _unary("abs")
    cos = _unary("cos")
    exp = _unary("exp")
    floor = _unary("floor")
    log = _unary("log")
    reciprocal = _unary("reciprocal")
    relu = _unary("relu")
    sigmoid = _unary("sigmoid")
    sign = _unary("sign")
    sin = _unary("sin")
    sqrt = _unary("sqrt")
    square = _unary("square")
    tanh = _unary("tanh")

    def __getitem__(self, key):
        return indexing.get(self, key)

    def __setitem__(self, key, value):
        indexing.set(self, key, value)

    def __len__(self):
        if not self.shape:
            raise TypeError("an array without axes has no length")
        return self.shape[0]

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def __bool__(self):
        return bool(self._one("bool"))

    def __float__(self):
        return self._one("float")

    def __int__(self):
        return int(self._one("int"))

    def __format__(self, spec):
        return format(engine.item(self, "format"), spec) if spec else str(self)

    def _one(self, name):
        if ops.size_of(self) != 1:
            raise ValueError(f"{name}(array): the array has {ops.size_of(self)} elements, not 1")
        return engine.item(self, name)

    def item(self):
        """Waits for the array, and returns its only element as a number."""
        return self._one("item")

    def tolist(self):
        """Waits for the array, and returns its elements as nested lists."""
        return memoryview(engine.values(self, "tolist")).tolist()

    @property
    def T(self):
        """The array with its axes reversed: a copy."""
        return ops.transpose(self)

    def dot(self, other):
        """The product of two matrices or vectors."""
        return ops.dot(self, other)
