"""Files with named arrays: the parameters of a model, and on request a description of the model.

The format is Runahead's own; MXNet and PyTorch cannot read it. A file has three parts:
  1. the line `runahead-arrays 1`
  2. a line of JSON: {"arrays": [{"name": ..., "shape": [...]}, ...], "model": ...}
     "model" describes how the arrays are used; null if the file has arrays only
  3. the values of all arrays, in the order of "arrays", without gaps: float32, little-endian, row-major
"""

import array
import json
import math
import sys

from . import _runahead as engine
from .ops import shape_of

_MAGIC = b"runahead-arrays 1\n"


def save(path, arrays, model=None):
    """Waits for the arrays of the dict `arrays` and writes them."""
    rows = [{"name": name, "shape": list(shape_of(one))} for name, one in arrays.items()]
    with open(path, "wb") as file:
        file.write(_MAGIC)
        file.write(json.dumps({"arrays": rows, "model": model}).encode() + b"\n")
        for one in arrays.values():
            file.write(_little_endian(memoryview(engine.values(one, "save"))))


def load(path, cls, device):
    """Reads a file. Returns the dict of arrays, and the model's description."""
    with open(path, "rb") as file:
        if file.readline() != _MAGIC:
            raise ValueError(f"{path}: not a file of Runahead's arrays")
        head = json.loads(file.readline())
        arrays = {}
        for row in head["arrays"]:
            count = math.prod(row["shape"])
            data = file.read(4 * count)
            if len(data) != 4 * count:
                raise ValueError(f"{path}: the file ends inside the array {row['name']}")
            values = memoryview(_little_endian(data)).cast("f")
            arrays[row["name"]] = engine.from_values(cls, values, tuple(row["shape"]), device)
    return arrays, head["model"]


def _little_endian(data):
    """The same bytes, or on a big-endian machine with those of each number turned round."""
    if sys.byteorder == "little":
        return data
    values = array.array("f", bytes(data))
    values.byteswap()
    return values.tobytes()
