"""Arrays as text, in the style of numpy and of torch, without numpy.

Both take the values as a buffer with the format "f" and the shape of the array. Of an array with more than 1000
elements they show the first and last three of each axis.
"""

import math
import struct

_SHOW_ALL = 1000   # elements
_EDGE = 3          # elements shown at each end of a long axis


def numpy_text(values, separator=" ", indent=0):
    """As numpy.array2string: the shortest digits that give the same float32, at most 8 behind the point."""
    view = memoryview(values)
    if not view.shape and not indent:
        return repr(float(_shortest(view[()]))) if math.isfinite(view[()]) else _special(view[()])
    # numpy leaves room for the brackets at the end of a line, and repr() for another one.
    return _text(view, _numpy_words, separator, 75 - view.ndim - bool(indent), indent)


def torch_text(values, indent=0):
    """As torch prints a tensor: four digits behind the point."""
    return _text(memoryview(values), _torch_words, ", ", 80, indent)


def _text(view, words_of, separator, width, indent):
    shape = view.shape
    if 0 in shape:
        return "[]"
    if not shape:
        return words_of([view[()]])[0].strip()
    flat = view.cast("B").cast(view.format)
    long = math.prod(shape) > _SHOW_ALL
    shown = [_shown(n, long) for n in shape]
    places = list(_places(shape, shown))
    words = iter(words_of([flat[place] for place in places]))
    return _rows(shown, words, separator, width, indent)


def _shown(length, long):
    """The indices of an axis that are shown; None stands for the ones that are left out."""
    if long and length > 2 * _EDGE:
        return [*range(_EDGE), None, *range(length - _EDGE, length)]
    return list(range(length))


def _places(shape, shown, begin=0):
    """The places of all shown elements in the flat array, in order."""
    if not shape:
        yield begin
        return
    stride = math.prod(shape[1:])
    for index in shown[0]:
        if index is not None:
            yield from _places(shape[1:], shown[1:], begin + index * stride)


def _rows(shown, words, separator, width, indent):
    if len(shown) == 1:
        return _row(["..." if index is None else next(words) for index in shown[0]], separator, width, indent + 1)
    parts = ["..." if index is None else _rows(shown[1:], words, separator, width, indent + 1) for index in shown[0]]
    end = separator.rstrip() + "\n" * (len(shown) - 1) + " " * (indent + 1)
    return "[" + end.join(parts) + "]"


def _row(words, separator, width, indent):
    lines, line = [], ""
    for word in words:
        if line and indent + len(line) + len(separator) + len(word) > width:
            lines.append(line + separator.rstrip())
            line = word
        else:
            line = line + separator + word if line else word
    return "[" + ("\n" + " " * indent).join([one.rstrip() for one in lines] + [line]) + "]"


def _is_wide(numbers):
    """Do the sizes of the numbers differ so much that they need exponents?"""
    sizes = [abs(x) for x in numbers if x != 0 and math.isfinite(x)]
    return bool(sizes) and (max(sizes) >= 1e8 or min(sizes) < 1e-4 or max(sizes) / min(sizes) > 1000)


def _numpy_words(numbers):
    if _is_wide(numbers):
        mantissas = [_shortest(x).split("e")[0] for x in numbers if math.isfinite(x)]
        digits = min(8, max(len(text.partition(".")[2]) for text in mantissas))
        words = [f"{x:#.{digits}e}" if math.isfinite(x) else _special(x) for x in numbers]
    else:
        words = [f"{float(_shortest(x)):.8f}".rstrip("0") if math.isfinite(x) else _special(x) for x in numbers]
        behind = max((len(word.partition(".")[2]) for word in words if "." in word), default=0)
        words = [word.ljust(len(word.partition(".")[0]) + 1 + behind) if "." in word else word for word in words]
    return _aligned(words)


def _torch_words(numbers):
    finite = [x for x in numbers if math.isfinite(x)]
    if all(x == int(x) for x in finite):
        form = "{:.4e}" if finite and max(map(abs, finite)) >= 1e8 else "{:.0f}."
    else:
        form = "{:.4e}" if _is_wide(numbers) else "{:.4f}"
    return _aligned([form.format(x) if math.isfinite(x) else _special(x) for x in numbers])


def _aligned(words):
    width = max((len(word) for word in words), default=0)
    return [word.rjust(width) for word in words]


def _special(x):
    return "nan" if math.isnan(x) else "inf" if x > 0 else "-inf"


def _shortest(x):
    """The shortest digits, with an exponent, that give the same float32."""
    wanted = struct.pack("f", x)
    for digits in range(9):
        text = f"{x:.{digits}e}"
        if struct.pack("f", float(text)) == wanted:
            return text
    return text
