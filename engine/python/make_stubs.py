"""Writes the type stubs (.pyi) of the package runahead from its modules.

    PYTHONPATH=FOLDER_OF_THE_PACKAGE python3 engine/python/make_stubs.py [--check]

Many functions of the package are made by other functions, so a type checker cannot read their arguments. The stubs
name them. The types come from the names of the arguments, which mean the same everywhere. The program writes each stub
beside the source of its module. With --check it writes nothing: if stubs differ, it prints their names, and the exit
code is 1.
"""

import importlib
import inspect
import os
import sys
import types

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "package", "runahead")

MODULES = """
    mxnet mxnet.array mxnet.autograd mxnet.context mxnet.gluon mxnet.gluon.block mxnet.gluon.loss mxnet.gluon.nn
    mxnet.gluon.parameter mxnet.gluon.trainer mxnet.gluon.utils mxnet.initializer mxnet.ndarray mxnet.numpy
    mxnet.numpy_extension mxnet.symbol torch torch._functions torch._tensor torch.autograd torch.cuda torch.jit
    torch.nn torch.nn.functional torch.nn.init torch.nn.module torch.nn.parallel torch.optim d2l.common d2l.mxnet
    d2l.torch d2lzh
""".split()

# The type of an argument of this name. "Array" is the array class of the frontend.
ARGUMENTS = {
    "axis": "int | Sequence[int] | None", "dim": "int | Sequence[int] | None", "axes": "Sequence[int] | None",
    "depth": "int", "keepdims": "bool", "keepdim": "bool", "shape": "int | Sequence[int]",
    "newshape": "int | Sequence[int]", "size": "int | Sequence[int] | None", "dtype": "object", "out": "Array | None",
    "ctx": "Place | None", "device": "Place | None", "context": "Place", "devices": "Sequence[Place]",
    "data": "Array", "lhs": "Array | float", "rhs": "Array | float", "a": "Array", "b": "Array", "x": "Array",
    "y": "Array", "input": "Array", "other": "Array | float", "tensor": "Array", "weight": "Array",
    "bias": "Array | None", "indices": "Array | Sequence[int]", "index": "Array", "condition": "Array",
    "pred": "Array", "label": "Array", "target": "Array", "arrays": "Sequence[Array]", "seq": "Sequence[Array]",
    "tensors": "Sequence[Array]", "heads": "Array | Sequence[Array]", "gradient": "Array | None",
    "variables": "Array | Sequence[Array]", "head_grads": "Array | Sequence[Array] | None",
    "retain_graph": "bool | None", "create_graph": "bool", "train_mode": "bool", "out_grad": "Array | None",
    "grad_req": "str", "name": "str", "fname": "str", "filename": "str", "batch_size": "float", "lr": "float",
    "requires_grad": "bool", "non_blocking": "bool", "reduction": "str", "fill_value": "float", "units": "int",
    "in_units": "int", "in_features": "int", "out_features": "int", "learning_rate": "float", "a_min": "float",
    "a_max": "float", "loc": "float", "scale": "float", "low": "float", "high": "float", "mean": "float",
    "std": "float", "seed": "int", "path": "str", "epoch": "int",
}
RETURNS_NOTHING = frozenset("""
    waitall wait_to_read wait_to_write attach_grad backward zero_grad step synchronize set_np reset_np add
    initialize hybridize save save_parameters set_data set_learning_rate allreduce_grads update sgd plot set_figsize
    use_svg_display set_axes empty_cache set_device register_child wait load_state_dict add_module register_buffer
    mark_variables load_parameters reset_ctx cast setattr set_grad start __init__ __setitem__ __setattr__
""".split())
OVERRIDDEN = frozenset(["forward", "hybrid_forward", "infer_shape", "__call__"])  # blocks take different arguments
RETURNS = {
    "asscalar": "float", "item": "float", "tolist": "Any", "asnumpy": "Any", "numpy": "Any", "__len__": "int",
    "__bool__": "bool", "__float__": "float", "__int__": "int", "__repr__": "str", "__str__": "str",
    "__iter__": "Iterator[Any]", "is_recording": "bool", "is_training": "bool", "num_gpus": "int",
    "device_count": "int", "is_available": "bool", "is_np_array": "bool", "current_device": "Any", "stop": "float",
    "avg": "float", "cumsum": "list[float]", "split": "Any", "try_all_gpus": "list[Any]", "allclose": "bool",
    "equal": "Any", "is_tensor": "bool", "tojson": "str", "__exit__": "None", "__format__": "str", "numel": "int",
    "dim": "int",
}


# Modules whose functions return arrays unless RETURNS says otherwise.
ARRAYS = ("mxnet.array", "mxnet.ndarray", "mxnet.numpy", "mxnet.numpy_extension", "torch._functions",
          "torch.nn.functional", "torch.nn.init")
SPECIAL = ("__init__", "__getitem__", "__setitem__", "__len__", "__iter__", "__enter__", "__exit__", "__call__")
ARRAY_CLASSES = ("NDArray", "ndarray", "Tensor")


def stub_of(name):
    """The text of the stub of the module runahead.`name`."""
    module = importlib.import_module("runahead." + name)
    lines = []
    for key, value in vars(module).items():
        if key.startswith("_"):
            continue
        if isinstance(value, types.ModuleType):
            lines += _submodule(key, value)
        elif inspect.isclass(value) or inspect.isfunction(value):
            lines += _own_or_imported(module, name, key, value)
        elif not callable(value):
            lines.append(f"{key}: {type(value).__name__ if isinstance(value, (int, float, str, bool)) else 'Any'}")
    head = ["# Made by engine/python/make_stubs.py. Do not edit.",
            "from collections.abc import Iterator, Sequence", "from typing import Any",
            "from typing_extensions import Self",
            "from runahead import _runahead as _engine", "_float = float  # torch.Tensor has a method of this name",
            *_names_of_types(name), ""]
    return "\n".join(head + lines) + "\n"


def _submodule(key, module):
    path = module.__name__.split(".")
    if ".".join(path[1:]) in MODULES:
        return [f"from {'.'.join(path[:-1])} import {path[-1]} as {key}"]
    return [f"{key}: Any"] if path[0] == "runahead" and path[1] in ("mxnet", "torch") else []


def _own_or_imported(module, name, key, value):
    origin = value.__module__
    if "Tensor." in value.__qualname__:  # a function of torch that wraps a method
        if name == "torch._functions":
            return [_function(key, value, "Array")]
        home = importlib.import_module("runahead.torch._functions")
        found = [one for one, other in vars(home).items() if other is value]
        return [f"from {home.__name__} import {found[0]} as {key}"]
    makers = ("runahead.mxnet.array", "runahead.torch._functions")
    if origin in makers and inspect.isfunction(value) and value.__name__ != key:
        origin = module.__name__  # made by another function for this module
    if origin == module.__name__ or (inspect.isfunction(value) and "<locals>" in value.__qualname__):
        usual = "Array" if name in ARRAYS else "Any"
        return _class(key, value) if inspect.isclass(value) else [_function(key, value, usual)]
    if origin.partition(".")[2] in MODULES:
        return [f"from {origin} import {value.__name__} as {key}"]
    return []


def _names_of_types(name):
    """Array and Place: what a stub calls the array class and the places of its frontend."""
    if name.startswith(("torch", "d2l.torch")):
        lines = ["Array = Tensor" if name == "torch._tensor" else "from runahead.torch._tensor import Tensor as Array",
                 "Place = device | str | int" if name == "torch._tensor"
                 else "from runahead.torch._tensor import Place"]
    else:
        array = "ndarray" if "numpy" in name else "NDArray"
        lines = ["Array = NDArray" if name == "mxnet.array" else f"from runahead.mxnet.array import {array} as Array",
                 "Place = Context" if name == "mxnet.context"
                 else "from runahead.mxnet.context import Context as Place"]
    return lines


def _class(key, value):
    names = ["_engine.Array" if base.__name__ == "Array" else base.__name__ for base in value.__bases__]
    bases = [base for base in names if base == "_engine.Array" or base in ("tuple", "dict", "RuntimeError")
             or hasattr(sys.modules[value.__module__], base) and base != "ArrayMethods" and base[0] != "_"]
    lines = [f"class {key}({', '.join(bases)}):" if bases else f"class {key}:"]
    returns = "Self" if key in ARRAY_CLASSES else "Any"
    members = {}
    for base in reversed(value.__mro__):
        own = base.__module__.startswith("runahead.")
        if base is value or own and (base.__name__ == "ArrayMethods" or base.__name__[0] == "_"):
            members.update(vars(base))
    for name, member in members.items():
        if name.startswith("_") and name not in SPECIAL:
            continue
        if isinstance(member, property):
            lines += ["    @property", f"    def {name}(self) -> Any: ..."]
            if member.fset is not None:
                lines += [f"    @{name}.setter", f"    def {name}(self, value: Any) -> None: ..."]
        elif isinstance(member, staticmethod):
            lines += ["    @staticmethod", "    " + _function(name, member.__func__, returns)]
        elif callable(member) and not inspect.isclass(member):
            lines.append("    " + _function(name, member, returns))
    return lines if len(lines) > 1 else [lines[0] + " ..."]


def _function(name, function, usual):
    if name in OVERRIDDEN:
        return f"def {name}(self, *args: Any, **kwargs: Any) -> Any: ..."
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return f"def {name}(*args: Any, **kwargs: Any) -> {usual}: ..."
    words, keyword_only = [], False
    for one in parameters:
        mark = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
        if one.kind == one.KEYWORD_ONLY and not keyword_only and not any(word.startswith("*") for word in words):
            words.append("*")
        keyword_only = keyword_only or one.kind == one.KEYWORD_ONLY
        kind = "" if one.name == "self" else ": Any" if mark else ": " + _type(one)
        default = " = ..." if one.default is not one.empty else ""
        words.append(mark + one.name + kind + default)
    returns = "None" if name in RETURNS_NOTHING else RETURNS.get(name, usual).replace("float", "_float")
    return f"def {name}({', '.join(words)}) -> {returns}: ..."


def _type(parameter):
    known = ARGUMENTS.get(parameter.name, "Any").replace("float", "_float")
    if known != "Any" and parameter.default is None and "None" not in known and known != "object":
        known += " | None"
    return known


def main(words):
    stubs = {os.path.join(FOLDER, *name.split(".")): stub_of(name) for name in MODULES}
    different = []
    for place, text in stubs.items():
        file = os.path.join(place, "__init__.pyi") if os.path.isdir(place) else place + ".pyi"
        try:
            with open(file) as old:
                same = old.read() == text
        except OSError:
            same = False
        if not same:
            different.append(os.path.relpath(file, FOLDER))
            if "--check" not in words:
                with open(file, "w") as new:
                    new.write(text)
    if "--check" in words and different:
        print("these stubs differ from their modules: " + ", ".join(different))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
