"""Lesson 12. The same number of values is read twice: side by side, and one of each cache line. Needs numpy."""
import numpy

import runahead

LINE = 16  # values of 4 bytes in a cache line of 64 bytes
COUNT = 4_000_000

values = numpy.ones(COUNT * LINE, dtype=numpy.float32)
in_order, with_stride = values[:COUNT], values[::LINE]

for _ in range(5):
    with runahead.zone("in order"):
        in_order.sum()
    with runahead.zone("one value of each line"):
        with_stride.sum()
