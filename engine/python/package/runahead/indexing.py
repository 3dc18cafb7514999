"""a[key] and a[key] = value: numbers, slices, ..., None, and one list or array of indices for the first axis.

A slice is a copy, made by an op of its own. Only a[:] and a[...] give the array itself. So `b = a[0]; b += 1` does
not change `a`, but `a[0] += 1` does.
"""

from . import _runahead as engine
from .ops import Array, device_of, shape_of

_ALL = slice(None)


def get(array, key):
    if key is Ellipsis or (isinstance(key, slice) and key == _ALL):
        return array
    if isinstance(key, (Array, list)) or hasattr(key, "__array__"):
        return engine.take(array, _indices(array, key), 0)
    if not shape_of(array) and array.shape:
        array = engine.reshape(array, array.shape)  # nd shows an array without axes as one of length 1
    ranges, shape = parse(key, shape_of(array))
    part = array if _is_whole(ranges, shape_of(array)) else engine.slice(array, ranges)
    return part if shape_of(part) == shape else engine.reshape(part, shape)


def set(array, key, value):
    if isinstance(key, (Array, list)) or hasattr(key, "__array__"):
        raise IndexError("a[indices] = value: Runahead assigns to numbers and slices only")
    ranges, shape = parse(key, array.shape)
    if not shape_of(array):
        ranges, shape = (), ()
    if not isinstance(value, (Array, int, float)):
        value = engine.from_values(type(array), value, None, device_of(array))
    if not isinstance(value, Array):
        _set_whole_or_part(array, ranges, float(value))
        return
    if device_of(value) != device_of(array):
        value = engine.copy_to(value, device_of(array))
    if value is not array or not _is_whole(ranges, shape_of(array)):
        _set_whole_or_part(array, ranges, _fit(value, shape, ranges))


def _set_whole_or_part(array, ranges, value):
    if _is_whole(ranges, shape_of(array)) and (not isinstance(value, Array) or shape_of(value) == shape_of(array)):
        engine.assign(array, value)
    else:
        engine.assign_slice(array, ranges, value)


def _fit(value, shape, ranges):
    """Gives `value`, which fits `shape`, the axes that a number in the key removed."""
    region = tuple(len(range(*one)) for one in ranges)
    if region == shape or value.ndim == 0:
        return value
    if shape_of(value) != shape:
        value = engine.broadcast_to(value, shape)
    return engine.reshape(value, region)


def _is_whole(ranges, shape):
    return all(one == (0, n, 1) for one, n in zip(ranges, shape))


def _indices(array, key):
    if isinstance(key, Array):
        return key
    dtype = str(getattr(key, "dtype", ""))
    if dtype.startswith("bool") or (isinstance(key, list) and any(isinstance(one, bool) for one in key)):
        raise IndexError("Runahead has no boolean masks: the shape of the result would depend on values")
    return engine.from_values(type(array), key, None, device_of(array))


def parse(key, shape):
    """Returns a range (start, stop, step) for each axis, as slice.indices() gives it, and the shape of the result."""
    keys = _without_ellipsis(key if isinstance(key, tuple) else (key,), len(shape))
    ranges, result, axis = [], [], 0
    for one in keys:
        if one is None:
            result.append(1)
            continue
        if axis == len(shape):
            raise IndexError(f"too many indices: the array has {len(shape)} axes")
        if isinstance(one, slice):
            ranges.append(one.indices(shape[axis]))
            result.append(len(range(*ranges[-1])))
        else:
            ranges.append(_one(one, shape[axis], axis))
        axis += 1
    for n in shape[axis:]:
        ranges.append((0, n, 1))
        result.append(n)
    return tuple(ranges), tuple(result)


def _one(index, length, axis):
    if not hasattr(index, "__index__") or isinstance(index, bool):
        raise IndexError(f"index {index!r}: Runahead takes numbers, slices, ... and None, or one list of numbers alone")
    number = index.__index__()
    if not -length <= number < length:
        raise IndexError(f"index {number} is out of range for axis {axis} of length {length}")
    number += length if number < 0 else 0
    return number, number + 1, 1


def _without_ellipsis(keys, ndim):
    """Replaces ... by the slices that it stands for."""
    places = [i for i, one in enumerate(keys) if one is Ellipsis]
    if not places:
        return keys
    if len(places) > 1:
        raise IndexError("an index can have only one '...'")
    missing = ndim - sum(one is not None and one is not Ellipsis for one in keys)
    return keys[:places[0]] + (_ALL,) * max(0, missing) + keys[places[0] + 1:]
