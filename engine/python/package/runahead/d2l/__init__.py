"""The helpers of the book "Dive into Deep Learning" that its chapters on asynchronous computation use.

    from d2l import mxnet as d2l       from d2l import torch as d2l       import d2l    (the first edition: mxnet)

Runahead wrote them anew, for its own frontends. They need no other package; plots need matplotlib.
"""

import importlib as _importlib

_FRONTENDS = ("mxnet", "torch")


def __getattr__(name):
    if name in _FRONTENDS or name.startswith("__"):
        raise AttributeError(name)  # `from d2l import torch` then imports the submodule
    return getattr(_importlib.import_module(__name__ + ".mxnet"), name)
