"""mx.random: the seed of all random arrays of the process."""

from .. import missing as _missing
from ..ops import SEEDS as _SEEDS

__getattr__ = _missing.names_of("mxnet.random")


def seed(seed_state, ctx="all"):
    """The random arrays that are made from now on depend on `seed_state` only. Before the first call, the seed is 0."""
    _SEEDS.set(seed_state)
