"""MXNet's names on Runahead's engine: what programs for MXNet 1.x and 2.0 use to train small networks.

All arrays are float32. Runahead is not MXNet: it has no convolutions, no sparse arrays, no data sets and no sgd
variant but plain SGD with momentum. A missing name raises an AttributeError that names it.
"""

from .. import missing as _missing
from . import context, ndarray, numpy, numpy_extension, symbol
from . import autograd, initializer, gluon
from . import _random_seed as random
from .context import Context, Device, cpu, cpu_pinned, current_context, current_device, gpu, num_gpus

nd = ndarray
np = numpy
npx = numpy_extension
sym = symbol
init = initializer
device = context
__version__ = "2.0.0+runahead"

__getattr__ = _missing.names_of("mxnet")


def waitall():
    """Waits until all ops of the process have ended."""
    ndarray.waitall()
