"""The import hook: lets a script's `import mxnet` find runahead.mxnet, and so on for d2l, d2lzh and torch.

If another finder knows a package of that name, it wins, so an installed package is never replaced by itself.
install(replace=[...]) replaces the packages that it names. torch is Runahead's only if install() is asked for it.
"""

# Not importlib.abc: it imports 20 ms of modules that nothing here needs.
import importlib
import importlib.machinery
import importlib.util
import sys

ALWAYS = ("mxnet", "d2l", "d2lzh")
ON_REQUEST = ("torch",)

# Other names of a module in the library that has it.
_SYNONYMS = {"mxnet.nd": "mxnet.ndarray", "mxnet.np": "mxnet.numpy", "mxnet.npx": "mxnet.numpy_extension",
             "mxnet.sym": "mxnet.symbol", "mxnet.init": "mxnet.initializer", "mxnet.device": "mxnet.context"}


def install(replace=()):
    """Installs the hook; a second call adds to `replace`."""
    replace = set(replace)
    unknown = replace.difference(ALWAYS + ON_REQUEST)
    if unknown:
        raise ValueError(
            f"install: Runahead has no module {sorted(unknown)[0]}; it has {', '.join(ALWAYS + ON_REQUEST)}")
    for finder in sys.meta_path:
        if isinstance(finder, _Finder):
            finder.replace |= replace
            return
    sys.meta_path.insert(0, _Finder(replace))


def announce_installed(say):
    """From now on, say(text) is called when a script imports an installed package that Runahead could replace."""
    next(finder for finder in sys.meta_path if isinstance(finder, _Finder)).say = say


class _Finder:
    """Finds the module `mxnet.gluon` in runahead.mxnet.gluon. It is the first finder, and asks the others itself."""

    def __init__(self, replace):
        self.replace = replace
        self.say = None

    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top not in ALWAYS and top not in ON_REQUEST:
            return None
        if name != top and not self._is_ours(top):
            return None
        if name == top and top not in self.replace:
            if self._others_find(name, path):
                if self.say is not None and top in ALWAYS:
                    self.say(f"{name} is the installed package, which is not recorded; --replace {name} takes "
                             "Runahead's")
                return None
            if top in ON_REQUEST:
                raise ModuleNotFoundError(f"No module named '{name}'; Runahead has its own: python3 -m runahead "
                                          f"--{name}-as-runahead, or runahead.install(replace=['{name}'])", name=name)
        own = "runahead." + _SYNONYMS.get(name, name)
        if importlib.util.find_spec(own) is None:
            raise ModuleNotFoundError(f"No module named '{name}': Runahead's {top} has no such module", name=name)
        return importlib.machinery.ModuleSpec(name, _Loader(own))

    def _others_find(self, name, path):
        """Is a package of this name installed? A folder without __init__.py is none, although Python imports it."""
        finders = [finder for finder in sys.meta_path if finder is not self and hasattr(finder, "find_spec")]
        specs = [finder.find_spec(name, path) for finder in finders]
        return any(spec is not None and spec.origin is not None for spec in specs)

    @staticmethod
    def _is_ours(top):
        return getattr(sys.modules.get(top), "__name__", "").startswith("runahead.")


class _Loader:
    """Loads the module `own` under its own name, and lets the other name mean the same module object."""

    def __init__(self, own):
        self._own = own

    def create_module(self, spec):
        module = importlib.import_module(self._own)
        self._own_spec = module.__spec__
        return module

    def exec_module(self, module):
        module.__spec__ = self._own_spec  # the import system has put the spec of the other name there
