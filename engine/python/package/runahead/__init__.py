"""Python on Runahead's asynchronous engine.

The subpackages offer the names of other libraries on this engine: `runahead.mxnet`, `runahead.torch`, `runahead.d2l`
and `runahead.d2lzh`. An operation only enqueues an op and returns; workers and devices execute it later.

    from runahead import mxnet as mx           # or: python3 -m runahead SCRIPT.py, for a script that imports mxnet
    y = mx.np.ones((1000, 1000)) + 1           # enqueues two ops
    print(y)                                   # waits for them

This module has what belongs to no frontend: the settings of the engine, the figures of a run, and marks on the
timeline. Nothing is loaded before its first use, so that RUNAHEAD_RECORD can still be set after `import runahead`.
"""

# Names of the C extension that are public here. __getattr__ loads the extension at the first use of one of them.
_OF_THE_EXTENSION = ("EngineError", "barrier", "configure", "device_names", "increment_in_cpp", "instant", "place",
                     "set_barrier", "stats", "step", "zone")

__all__ = [*_OF_THE_EXTENSION, "install", "set_gpus"]


def install(replace=()):
    """Lets `import mxnet`, `import d2l` and `import d2lzh` find Runahead's modules.

    An installed package of that name comes first, unless `replace` names it: install(replace=["torch"]) also turns
    torch into runahead.torch.
    """
    from . import hook
    hook.install(replace)


def set_gpus(count=None, names=None):
    """Says what GPUs the frontends see. See runahead.devices.set_gpus()."""
    from . import devices
    devices.set_gpus(count, names)


def load_ipython_extension(shell):
    """`%load_ext runahead`: the cell magic `%%runahead`. See runahead.jupyter."""
    from . import jupyter
    jupyter.load(shell)


def __getattr__(name):
    if name in _OF_THE_EXTENSION:
        from . import _runahead
        return getattr(_runahead, name)
    raise AttributeError(f"module 'runahead' has no name '{name}'")


def __dir__():
    return sorted(__all__)
