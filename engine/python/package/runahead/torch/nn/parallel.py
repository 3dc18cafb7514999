"""torch.nn.parallel: splits a batch for several devices."""

from ... import missing as _missing
from ... import ops as _ops

__getattr__ = _missing.names_of("torch.nn.parallel")


def scatter(inputs, target_gpus, dim=0):
    """Splits a tensor into parts that differ by at most one row, and copies part i to GPU i, without a wait."""
    axis = _ops.as_axis(dim, inputs.ndim)
    length, count = _ops.shape_of(inputs)[axis], len(target_gpus)
    longest = -(-length // count)
    parts = [_ops.slice_along(inputs, axis, begin, min(begin + longest, length)) for begin in range(0, length, longest)]
    return tuple(part.to(place, non_blocking=True) for part, place in zip(parts, target_gpus))
