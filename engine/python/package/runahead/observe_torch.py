"""Observes an unmodified PyTorch program: runs it, and shows each operator in Runahead.

    runahead live -- python3 -m runahead.observe_torch TRAIN.py ARGS
    runahead record -o run.runahead -- python3 -m runahead.observe_torch TRAIN.py ARGS
    python3 -m runahead.observe_torch --record run.runahead TRAIN.py ARGS

Recorded:
- a slice for each operator, each node of the backward pass and each record_function(), nested as they run. Its
  argument "line" is the line of Python that called it: the nearest one outside torch and the standard library.
  A node of the backward pass, and the operators in it, have the line of the forward operator.
- an arrow ("flow") from each forward operator to its node of the backward pass.
- the bytes of live memory of torch's CPU allocator, from the import of torch on.
- a step for each Optimizer.step(). A program with several optimizers has a step for each of them.
- each DataLoader worker, and each other process that multiprocessing forks or spawns, in a recording of its own.
  `runahead live` shows all processes on one timeline; `runahead merge` joins the files.
- on a GPU, the kernels and copies, through CUPTI.

Not seen:
- what runs inside one operator, such as the threads of OpenMP, and operators of other libraries (numpy).
- the single operators of a region that torch.compile has compiled; its kernels on a GPU are seen.
- memory of a GPU's caching allocator by operator; memory of numpy; blocks that are older than `import torch`.
- processes that multiprocessing starts by "forkserver", and those of a bare os.fork().
- the last 100 ms of a process that ends by os._exit() or is killed.

How: a small C++ file (observe_torch.cpp) is compiled once against the installed torch, into ~/.cache/runahead
(or XDG_CACHE_HOME). It needs a C++ compiler, the headers of torch, and for the lines those of Python (3.8 to
3.13). Without a compiler or the headers of torch, a TorchDispatchMode takes its place. It sees less, is slower,
and says so on stderr.
"""
import builtins
import ctypes
import glob
import hashlib
import importlib.abc
import importlib.machinery
import importlib.util
import io
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import threading
import types

_HERE = os.path.dirname(os.path.abspath(__file__))
_SOURCE = os.path.join(_HERE, "observe_torch.cpp")


def _say(text):
    print(f"runahead: {text}", file=sys.stderr, flush=True)


# ---- librunahead ----------------------------------------------------------------------------------------------


def _folders_above():
    folder = _HERE
    while os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
        yield folder


def _library_files():
    """Places of librunahead, the best first."""
    yield os.environ.get("RUNAHEAD_LIBRARY", "")
    injection = os.environ.get("CUDA_INJECTION64_PATH", "")  # `runahead record` has set it
    folders = [_HERE, os.path.join(_HERE, "lib")]
    if injection.endswith("librunahead_injection.so"):
        beside = os.path.dirname(injection)
        folders += [beside, os.path.dirname(beside), os.path.join(beside, "instrumentation", "api")]
    for above in _folders_above():
        built = glob.glob(os.path.join(above, "build", "*", "instrumentation", "api"))
        folders += sorted(built, key=os.path.getmtime, reverse=True) + [above]
        folders += sorted(glob.glob(os.path.join(above, "*-linux-gnu")))  # the library folder of Debian
    for folder in folders:
        yield from sorted(glob.glob(os.path.join(folder, "librunahead.so*")), key=len)
    yield "librunahead.so.0.1"


def load_library():
    """librunahead, whose loading starts the recording that RUNAHEAD_RECORD asks for. Raises OSError."""
    tried = []
    for file in _library_files():
        if not file or (os.path.isabs(file) and not os.path.exists(file)):
            continue
        try:
            # Global, and under its own name: CUDA's injection library then uses the same copy.
            library = ctypes.CDLL(file, mode=ctypes.RTLD_GLOBAL)
        except OSError as error:
            tried.append(str(error))
            continue
        if not hasattr(library, "runahead_make_site_at"):
            tried.append(f"{file}: too old")
            continue
        library.runahead_make_site.restype = ctypes.c_void_p
        library.runahead_make_site_at.restype = ctypes.c_void_p
        library.runahead_make_site_at.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_uint32]
        library.runahead_make_frames.restype = ctypes.c_void_p
        library.runahead_zone_begin.argtypes = [ctypes.c_void_p]
        library.runahead_frame.argtypes = [ctypes.c_void_p]
        library.runahead_record_child.restype = ctypes.c_void_p
        library.runahead_end.restype = ctypes.c_void_p
        library.runahead_free.argtypes = [ctypes.c_void_p]
        library.file = file
        return library
    raise OSError("librunahead.so was not found; set RUNAHEAD_LIBRARY to its file" +
                  "".join("\n  " + line for line in tried))


def _text_of(library, text):
    """Takes over a text of the library. Empty: none."""
    if not text:
        return ""
    copy = ctypes.string_at(text).decode("utf-8", "replace")
    library.runahead_free(text)
    return copy


# ---- the compiled observer ------------------------------------------------------------------------------------


def _header_folder(library):
    for folder in [_HERE, os.path.join(_HERE, "include")] + [
            os.path.join(above, "instrumentation", "api") for above in _folders_above()] + [
            os.path.join(os.path.dirname(library.file), "..", "include", "runahead")]:
        if os.path.exists(os.path.join(folder, "runahead.h")):
            return os.path.normpath(folder)
    raise OSError("runahead.h was not found")


def _cache_folder():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "runahead")


def _read(path):
    with open(path, "rb") as file:
        return file.read()


def _compiler():
    for name in (os.environ.get("CXX", ""), "c++", "g++", "clang++"):
        found = shutil.which(name.split()[0]) if name.split() else None
        if found:
            return [found] + name.split()[1:]
    raise OSError("there is no C++ compiler")


class _Build:
    """The command that compiles the observer for one torch and one Python."""

    def __init__(self, torch, library):
        torch_folder = os.path.dirname(torch.__file__)
        self.include = [os.path.join(torch_folder, "include"),
                        os.path.join(torch_folder, "include", "torch", "csrc", "api", "include"),
                        "/usr/include/torch/csrc/api/include"]
        if not any(os.path.exists(os.path.join(folder, "ATen", "record_function.h"))
                   for folder in self.include + ["/usr/include"]):
            raise OSError(f"torch {torch.__version__} has no headers (Debian: libtorch-dev)")
        self.api = _header_folder(library)
        self.libraries = os.path.join(torch_folder, "lib")
        self.abi = int(getattr(torch._C, "_GLIBCXX_USE_CXX11_ABI", True))
        self.version = torch.__version__
        self.python = sysconfig.get_paths()["include"]
        self.has_python = os.path.exists(os.path.join(self.python, "Python.h"))
        # ATen's headers of torch 2.x use C++17; later ones may use C++20.
        self.standards = ["c++17", "c++20"]

    def name(self):
        key = hashlib.sha256(b"\0".join(
            [_read(_SOURCE), _read(os.path.join(self.api, "runahead.h")), self.version.encode(),
             sys.version.encode(), sysconfig.get_platform().encode(), self.libraries.encode(),
             str((self.abi, self.has_python)).encode()])).hexdigest()[:16]
        return f"observe_torch-{self.version}-{sys.implementation.cache_tag}-{key}.so"

    def command(self, out, standard):
        command = _compiler() + [f"-std={standard}", "-O2", "-shared", "-fPIC", "-fvisibility=hidden", "-w",
                                 f"-D_GLIBCXX_USE_CXX11_ABI={self.abi}", f"-I{self.api}"]
        for folder in self.include + [self.python]:
            command += ["-isystem", folder]
        if not self.has_python:
            command.append("-DRUNAHEAD_WITHOUT_LINES")
        return command + [_SOURCE, "-o", out, f"-L{self.libraries}", "-ltorch_cpu", "-lc10"]

    def run(self, folder):
        """The file of the observer, compiled if it is not in the cache."""
        out = os.path.join(folder, self.name())
        if os.path.exists(out):
            return out
        os.makedirs(folder, exist_ok=True)
        _say(f"compiling the observer for torch {self.version} (once)")
        # Several processes may compile at once: each writes a file of its own, and the last one stays.
        made = tempfile.mkdtemp(prefix=".compiling-", dir=folder)
        try:
            temporary = os.path.join(made, "observe_torch.so")
            for standard in self.standards:
                done = subprocess.run(self.command(temporary, standard), stdin=subprocess.DEVNULL,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                if done.returncode == 0:
                    os.replace(temporary, out)
                    return out
            with open(os.path.join(folder, "observe_torch.log"), "w") as log:
                log.write(done.stdout)
            raise OSError(f"the observer does not compile for torch {self.version}, "
                          f"see {os.path.join(folder, 'observe_torch.log')}")
        finally:
            shutil.rmtree(made, ignore_errors=True)


def _library_folders():
    return {os.path.join(folder, "") for folder in
            (sysconfig.get_paths()["stdlib"], sysconfig.get_paths()["platstdlib"], os.path.dirname(os.__file__))}


class _CompiledObserver:
    def __init__(self, torch, library, script_folder):
        self._file = _Build(torch, library).run(_cache_folder())
        self._code = ctypes.CDLL(self._file)
        self._code.runahead_observe_torch.restype = ctypes.c_char_p
        self._code.runahead_observe_torch.argtypes = [ctypes.POINTER(ctypes.c_char_p), ctypes.c_size_t,
                                                      ctypes.c_size_t, ctypes.c_char_p]
        self._code.runahead_sees_lines.restype = ctypes.c_bool
        first = sorted(_library_folders())
        folders = first + [os.path.join(os.path.dirname(torch.__file__), ""), os.path.join(_HERE, "")]
        skipped = (ctypes.c_char_p * len(folders))(*[os.fsencode(folder) for folder in folders])
        error = self._code.runahead_observe_torch(skipped, len(folders), len(first),
                                                  os.fsencode(os.path.join(script_folder, "")))
        if error:
            raise OSError(error.decode())
        if not self._code.runahead_sees_lines():
            _say("the operators have no Python line: the headers of this Python are missing, or it is newer "
                 "than 3.13")

    def stop(self):
        self._code.runahead_stop_observing_torch()


# ---- without a compiler ---------------------------------------------------------------------------------------


class _DispatchObserver:
    """Records operators by a TorchDispatchMode. It sees those of the main thread below autograd: no nodes of the
    backward pass, no arrows, no nested operators, no memory."""

    def __init__(self, torch, library, script_folder):
        from torch.utils._python_dispatch import TorchDispatchMode
        begin, end, make_site = library.runahead_zone_begin, library.runahead_zone_end, library.runahead_make_site_at
        skipped = (os.path.join(os.path.dirname(torch.__file__), ""), _HERE) + tuple(_library_folders())
        base = os.path.join(script_folder, "")
        sites = {}

        def site_here(name, frame):
            while frame is not None and frame.f_code.co_filename.startswith(skipped):
                frame = frame.f_back
            key = (name, frame and frame.f_code, frame and frame.f_lasti)
            site = sites.get(key)
            if site is None:
                file = frame.f_code.co_filename if frame is not None else ""
                file = file[len(base):] if file.startswith(base) else file
                site = sites[key] = make_site(name.encode(), os.fsencode(file), frame.f_lineno if frame else 0)
            return site

        class Mode(TorchDispatchMode):
            def __torch_dispatch__(self, operator, types, args=(), kwargs=None):
                begin(site_here(operator._schema.name, sys._getframe(1)))
                try:
                    return operator(*args, **(kwargs or {}))
                finally:
                    end()

        self._mode = Mode()
        self._mode.__enter__()
        self._follow_scopes(torch, library, site_here)

    def _follow_scopes(self, torch, library, site_here):
        """record_function() is a zone too, and that of Optimizer.step() ends a step."""
        scope = torch.autograd.profiler.record_function
        enter, leave = scope.__enter__, scope.__exit__
        steps = library.runahead_make_frames(b"step")

        def begin(self):
            library.runahead_zone_begin(site_here(self.name, sys._getframe(1)))
            return enter(self)

        def end(self, *error):
            leave(self, *error)
            library.runahead_zone_end()
            if self.name.startswith("Optimizer.step#"):
                library.runahead_frame(steps)

        scope.__enter__, scope.__exit__ = begin, end

    def stop(self):
        pass  # the process ends


def _observer(torch, library, script_folder):
    try:
        if os.environ.get("RUNAHEAD_OBSERVE_TORCH") == "dispatch":
            raise OSError("RUNAHEAD_OBSERVE_TORCH=dispatch")
        return _CompiledObserver(torch, library, script_folder)
    except Exception as error:
        reason = str(error)
    try:
        observer = _DispatchObserver(torch, library, script_folder)
    except Exception as error:
        _say(f"nothing of torch {torch.__version__} is recorded: {reason}; and without it: {error}")
        return None
    _say(f"{reason}; so there are no nodes of the backward pass, no arrows, no nested operators and no memory, "
         "and operators are slower")
    return observer


# ---- the program ----------------------------------------------------------------------------------------------


class _TorchImport(importlib.abc.MetaPathFinder):
    """Calls `then(torch)` when the program has imported torch. Importing it earlier would change the program:
    the environment that it sets before the import would come too late."""

    def __init__(self, then):
        self._then = then

    def find_spec(self, name, path, target=None):
        if name != "torch":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec("torch")
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def execute_and_tell(module):
            execute(module)
            self._then(module)

        spec.loader.exec_module = execute_and_tell
        return spec


def _name_threads(library):
    begin = threading.Thread._bootstrap_inner

    def named(thread):
        library.runahead_name_thread(thread.name.encode())
        begin(thread)

    threading.Thread._bootstrap_inner = named
    # Named a frontend now: if its first step made it one, the slices that are open then would end there.
    library.runahead_name_frontend(b"main")


# Runs before multiprocessing's own code. The child goes on if it fails.
_IN_A_SPAWNED_CHILD = '''import sys
sys.path.insert(0, {0!r})
try:
    import runahead.observe_torch
    runahead.observe_torch.observe_here({1!r})
except Exception as error:
    print("runahead: a spawned process is not recorded:", error, file=sys.stderr)
sys.path.remove({0!r})
'''


class _Children:
    """Records the processes that multiprocessing starts."""

    def __init__(self, library, script_folder):
        import multiprocessing.spawn
        import multiprocessing.util
        self._library = library
        self._util = multiprocessing.util
        multiprocessing.util.register_after_fork(self, _Children._begin)
        command = multiprocessing.spawn.get_command_line

        def command_that_observes(**more):
            words = command(**more)
            if "-c" in words:
                at = words.index("-c") + 1
                words[at] = _IN_A_SPAWNED_CHILD.format(os.path.dirname(_HERE), script_folder) + words[at]
            return words

        multiprocessing.spawn.get_command_line = command_that_observes

    def _begin(self):  # in each child, also in a spawned one
        name = self._name()
        error = _text_of(self._library, self._library.runahead_record_child(name.encode()))
        if error:
            return _say(error)
        self._library.runahead_name_thread(name.encode())
        # The process ends by os._exit(), after multiprocessing has run these functions. Those of its queues come
        # later (priority -5), and may wait until the parent kills the process.
        self._util.Finalize(None, self._end, exitpriority=0)

    def _end(self):
        _end_recording(self._library)

    @staticmethod
    def _name():
        import multiprocessing
        process = multiprocessing.current_process()
        target, arguments = getattr(process, "_target", None), getattr(process, "_args", ())
        if getattr(target, "__name__", "") == "_worker_loop":
            names = target.__code__.co_varnames[:target.__code__.co_argcount]
            if "worker_id" in names and names.index("worker_id") < len(arguments):
                return f"DataLoader worker {arguments[names.index('worker_id')]}"
        return process.name


def _end_recording(library):
    error = _text_of(library, library.runahead_end())
    if error:
        _say(error)


def _shown_without(own, hook):
    """An excepthook that leaves the frames of this file out of the traceback, as if Python had run the script."""
    def show(kind, error, trace):
        inner = trace
        while inner is not None and inner.tb_frame is not own:
            inner = inner.tb_next
        trace = inner.tb_next if inner is not None else trace
        hook(kind, error.with_traceback(trace), trace)
    return show


def _main_module(script):
    main = types.ModuleType("__main__")
    main.__dict__.update(__file__=script, __builtins__=builtins, __cached__=None,
                         __loader__=importlib.machinery.SourceFileLoader("__main__", script))
    return main


def _ask_for_recording(record):
    if record:
        os.environ["RUNAHEAD_RECORD"] = os.path.abspath(record)
    return os.environ.get("RUNAHEAD_RECORD", "")


def _ask_for_cuda(library):
    """As `runahead record` does: CUDA loads the library that records the GPU, when the program starts CUDA."""
    folder = os.path.dirname(library.file)
    for place in (folder, os.path.join(folder, "runahead"), os.path.join(folder, "..", "..")):
        injection = os.path.normpath(os.path.join(place, "librunahead_injection.so"))
        if os.path.isabs(injection) and os.path.exists(injection):
            os.environ.setdefault("CUDA_INJECTION64_PATH", injection)
            return


def _give_children_other_files():
    """If nobody keeps notes, each child that records would take the file of its parent."""
    file = os.environ["RUNAHEAD_RECORD"]
    if "RUNAHEAD_RECORD_NOTES" not in os.environ and "%p" not in file:
        name, extension = os.path.splitext(file)
        os.environ["RUNAHEAD_RECORD"] = f"{name}.pid%p{extension}"


def observe_here(script_folder, library=None):
    """Observes torch in this process as soon as it is imported. Returns a list that is empty until then."""
    import atexit
    library = library or load_library()
    observers, children, seen = [], [], []

    def end():  # registered first, so it runs after the functions of the program
        for observer in observers:
            observer.stop()
        _end_recording(library)

    def observe(torch):
        seen.append(torch)
        observer = _observer(torch, library, script_folder)
        observers.extend([observer] if observer is not None else [])
        children.append(_Children(library, script_folder))  # kept: multiprocessing has only a weak reference

    atexit.register(end)
    _name_threads(library)
    if "torch" in sys.modules:
        observe(sys.modules["torch"])
    else:
        sys.meta_path.insert(0, _TorchImport(observe))
    return seen


def run(script, args, record=None):
    """Runs the Python program `script` as `python3 SCRIPT ARGS` does, and observes its torch. `record` is the
    file of the recording; None: the file that RUNAHEAD_RECORD names. Raises what the script raises, so the
    interpreter ends as it would without Runahead. Call it once, on the main thread, as the last thing."""
    import atexit
    if not _ask_for_recording(record):
        raise SystemExit("runahead: nothing would be recorded: use `runahead live -- ...`, `runahead record -o FILE "
                         "-- ...` or --record FILE")
    try:
        library = load_library()
    except OSError as error:
        raise SystemExit(f"runahead: {error}")
    _give_children_other_files()
    _ask_for_cuda(library)
    path = os.path.abspath(script)
    folder = os.path.dirname(os.path.realpath(path))
    atexit.register(lambda: seen or _say("the program has not imported torch, so no operator was recorded"))
    seen = observe_here(os.path.dirname(path), library)
    sys.argv[:] = [script, *args]
    if not getattr(sys.flags, "safe_path", False):
        sys.path[0] = folder
    try:
        with io.open_code(path) as file:
            text = file.read()
    except OSError as error:
        seen.append(None)
        print(f"{sys.executable}: can't open file {path!r}: [Errno {error.errno}] {error.strerror}", file=sys.stderr)
        raise SystemExit(2)
    main = _main_module(path)
    sys.modules["__main__"] = main
    try:
        exec(compile(text, path, "exec", dont_inherit=True), main.__dict__)
    except SystemExit:
        raise
    except BaseException:
        sys.excepthook = _shown_without(sys._getframe(), sys.excepthook)
        raise


def main(words):
    record = None
    if words[:1] == ["--record"] and len(words) > 1:
        record, words = words[1], words[2:]
    if not words or words[0].startswith("-"):
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        raise SystemExit(2)
    run(words[0], words[1:], record)


if __name__ == "__main__":
    main(sys.argv[1:])
