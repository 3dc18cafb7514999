"""The words of `python3 -m runahead`: reads them, and says what the engine shall do."""

import argparse
import json
import re
import sys

from . import hook

_UNITS = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30}

_DESCRIPTION = """Runs SCRIPT.py with Runahead's modules for mxnet, d2l and d2lzh. An installed package of one of these
names is used instead, unless --replace names it. The options must come before SCRIPT.py."""


class WrongWords(Exception):
    """The command line is wrong: exit code 2."""


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        raise WrongWords(f"{message}; see python3 -m runahead --help")


def parse(words):
    """Returns the options. `engine_options` is for configure(), `device_map` for set_gpus()."""
    options = _parser().parse_args(words)
    if options.observe_torch:
        _refuse_beside_observing(options)
    options.replace = options.replace + (["torch"] if options.torch_as_runahead else [])
    options.device_map = dict(pair for pairs in options.device_map for pair in pairs)
    options.engine_options = _engine_options(options)
    return options


def _refuse_beside_observing(options):
    """The observer runs the program as it is: no option of the engine has a meaning."""
    given = [name for name, value in vars(options).items()
             if name not in ("script", "args", "record", "observe_torch") and value not in (None, [])
             and value is not False]
    if given:
        raise WrongWords(f"--{given[0].replace('_', '-')} has no meaning with --observe-torch: the engine is not used")


def _parser():
    parser = _Parser(prog="python3 -m runahead", description=_DESCRIPTION, allow_abbrev=False,
                     usage="python3 -m runahead [options] SCRIPT.py [ARGS...]")
    names = hook.ALWAYS + hook.ON_REQUEST
    parser.add_argument("script", metavar="SCRIPT.py", help="the Python program")
    parser.add_argument("args", nargs=argparse.REMAINDER, metavar="ARGS", help="the program's own words")
    parser.add_argument("--record", metavar="FILE", help="record the run into this file")
    parser.add_argument("--json", action="store_true",
                        help="print the figures of the run as one JSON object; what the script prints goes to stderr")
    parser.add_argument("--observe-torch", action="store_true",
                        help="record the operators of the installed torch; the engine is not used (observe_torch.py)")
    parser.add_argument("--torch-as-runahead", action="store_true", help="`import torch` means runahead.torch")
    parser.add_argument("--replace", action="append", default=[], choices=names, metavar="NAME",
                        help=f"use Runahead's module even if a package NAME is installed: {', '.join(names)}")
    parser.add_argument("--gpus", type=_whole(0, 64), metavar="N", help="how many GPUs the script sees (default: 2)")
    parser.add_argument("--device-map", action="append", type=_device_map, default=[], metavar="gpu:I=DEVICE",
                        help="the device behind GPU I, such as gpu:0=cuda:0 (default: the simulated virtual:I); "
                             "several pairs with commas, or several times")
    engine = parser.add_argument_group("the engine, as for `runahead run`")
    engine.add_argument("--barrier", metavar="P",
                        help="how the script waits after each step, such as none or wait_to_read")
    engine.add_argument("--engine", choices=("threaded", "naive"))
    engine.add_argument("--workers", type=_whole(1, 256), metavar="N", help="worker threads of device cpu")
    engine.add_argument("--copy-workers", type=_whole(0, 256), metavar="N",
                        help="extra threads of device cpu for copies only")
    engine.add_argument("--blas-threads", type=_whole(1, 256), metavar="N",
                        help="threads that one matrix product may use")
    engine.add_argument("--bulk", type=_whole(0, 100_000), metavar="N", help="enqueue up to this many ops as one")
    engine.add_argument("--spin", type=_microseconds, metavar="US",
                        help="microseconds that an idle or waiting thread spins before it sleeps")
    engine.add_argument("--waiter-helps", action="store_true", default=None,
                        help="a waiting frontend runs ready ops of device cpu")
    engine.add_argument("--limit", action="append", type=_limit, default=[], metavar="ops:N|bytes:N",
                        help="safety limit: ops or bytes of results in flight; repeat for both")
    engine.add_argument("--capacity", type=_size, metavar="SIZE", help="memory of each device")
    engine.add_argument("--alloc", choices=("enqueue", "execute"), help="when the memory of a result is allocated")
    engine.add_argument("--order", choices=("oldest", "fifo"), help="which ready op runs first")
    return parser


def _engine_options(options):
    names = ("barrier", "engine", "workers", "copy_workers", "blas_threads", "bulk", "waiter_helps", "alloc", "order")
    chosen = {name: getattr(options, name) for name in names}
    chosen.update(spin_us=options.spin, capacity_bytes=options.capacity)
    chosen.update(("limit_" + kind, most) for kind, most in options.limit)
    return {name: value for name, value in chosen.items() if value is not None}


def _whole(least, most):
    def parse_number(text):
        if not re.fullmatch("[0-9]+", text) or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"'{text}' is no whole number between {least} and {most}")
        return int(text)
    return parse_number


def _microseconds(text):
    if not re.fullmatch(r"[0-9]+(\.[0-9]*)?", text) or float(text) > 1e6:
        raise argparse.ArgumentTypeError(f"'{text}' is no number between 0 and 1000000")
    return float(text)


def _size(text):
    found = re.fullmatch("([0-9]+)(k|M|G|Ki|Mi|Gi|)", text)
    if not found or int(found[1]) == 0:
        raise argparse.ArgumentTypeError(f"'{text}' is no size above 0, such as 64M")
    return int(found[1]) * _UNITS[found[2]]


def _limit(text):
    kind, _, most = text.partition(":")
    if kind == "ops" and re.fullmatch("0*[1-9][0-9]*", most):
        return kind, int(most)
    if kind == "bytes":
        return kind, _size(most)
    raise argparse.ArgumentTypeError(f"'{text}': not ops:N or bytes:N, such as ops:5000 or bytes:256M")


def _device_map(text):
    pairs = []
    for one in re.split(",(?=gpu)", text):  # a device may have a comma: virtual:0,preset=h100
        found = re.fullmatch("gpu:([0-9]{1,2})=(.+)", one)
        if not found:
            raise argparse.ArgumentTypeError(f"'{one}': not gpu:I=DEVICE, such as gpu:0=cuda:0")
        pairs.append((int(found[1]), found[2]))
    return pairs


def say(message):
    """Prints one line on stderr."""
    print("runahead: " + " ".join(str(message).split()), file=sys.stderr)


def _description(action):
    """What an option is, for the man page and the completions of shells (gui/cli/reference/description.h)."""
    positional = not action.option_strings
    return {"flags": action.option_strings, "name": str(action.metavar or action.dest) if positional else "",
            "value": "" if action.nargs == 0 else str(action.metavar or "TEXT"),
            "choices": [str(choice) for choice in action.choices or ()], "help": action.help or "",
            "required": positional and action.nargs != argparse.REMAINDER,
            "repeats": action.nargs == argparse.REMAINDER}


if __name__ == "__main__":
    print(json.dumps([_description(action) for action in _parser()._actions], indent=1))
