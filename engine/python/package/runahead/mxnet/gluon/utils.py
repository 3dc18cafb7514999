"""mx.gluon.utils: splits a batch for several devices."""

from ... import _runahead as engine
from ... import missing, ops
from ...ops import shape_of
from ..context import engine_device
from ..numpy_extension import array_class

__getattr__ = missing.names_of("mxnet.gluon.utils")


def split_data(data, num_slice, batch_axis=0, even_split=True):
    """Splits an array along an axis. With even_split=False the parts may differ by one."""
    length = shape_of(data)[batch_axis]
    if num_slice > length or (even_split and length % num_slice != 0):
        raise ValueError(f"split_data: a batch of {length} does not split into {num_slice} equal parts")
    cuts = [i * length // num_slice for i in range(num_slice + 1)]
    return [ops.slice_along(data, batch_axis, begin, end) for begin, end in zip(cuts, cuts[1:])]


def split_and_load(data, ctx_list=None, batch_axis=0, even_split=True, device_list=None):
    """Splits an array, and copies part i to context i."""
    contexts = ctx_list if device_list is None else device_list
    if not isinstance(data, engine.Array):
        data = ops.from_data(array_class(), data, engine_device(None))
    if len(contexts) == 1:
        return [data.as_in_context(contexts[0])]
    parts = split_data(data, len(contexts), batch_axis, even_split)
    return [part.as_in_context(context) for part, context in zip(parts, contexts)]
