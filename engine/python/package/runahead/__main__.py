"""python3 -m runahead [options] SCRIPT.py [ARGS...]

Runs a script as python3 would, with the import hook installed (hook.py). Exit codes: that of the script; 1 if an op
of the script failed and no wait of the script has reported it; 2 if the command line is wrong.
"""

import builtins
import importlib.machinery
import json
import os
import sys
import threading
import types

from . import command_line, hook
from .command_line import WrongWords, say


def main(words):
    try:
        options = command_line.parse(words)
        if options.observe_torch:
            from . import observe_torch
            return observe_torch.run(options.script, options.args, options.record)
        source = _read(options.script)
        if options.record is not None:
            os.environ["RUNAHEAD_RECORD"] = os.path.abspath(options.record)  # read when the extension is loaded
        failed = _set_up(options)
    except WrongWords as error:
        say(error)
        return 2
    if failed:
        return 1
    stdout = _stdout_to_stderr() if options.json else None
    hook.install(options.replace)
    hook.announce_installed(say)
    code = _run(options.script, source, options.args)
    return _finish(code, stdout)


def _read(script):
    try:
        with open(script, "rb") as file:
            return file.read()
    except OSError as error:
        raise WrongWords(f"cannot open {script}: {error.strerror}") from None


def _set_up(options):
    """Loads the extension and passes on the options. Returns True after it has reported a failure."""
    try:
        from . import _runahead, devices
    except ImportError as error:
        say(f"cannot load the extension: {_other_python() or error}")
        return True
    try:
        _runahead.configure(**options.engine_options)
        devices.set_gpus(options.gpus, options.device_map)
    except ValueError as error:
        raise WrongWords(error) from None
    except RuntimeError as error:  # a device that is not available, for example
        say(error)
        return True
    return False


def _other_python():
    """A sentence, if the extension is there, but for another version of Python."""
    here = os.path.dirname(os.path.abspath(__file__))
    built = sorted(name for name in os.listdir(here) if name.startswith("_runahead.") and name.endswith(".so"))
    if not built or any(name.endswith(suffix) for name in built for suffix in importlib.machinery.EXTENSION_SUFFIXES):
        return ""
    return f"{built[0]} is for another Python than this one ({sys.version.split()[0]})"


def _stdout_to_stderr():
    """Lets everything that is printed, also by child processes, go to stderr. Returns the real stdout."""
    sys.stdout.flush()
    stdout = os.dup(1)
    os.dup2(2, 1)
    return stdout


def _run(script, source, args):
    """Runs the script as the module __main__. Returns its exit code."""
    module = types.ModuleType("__main__")
    module.__dict__.update(__file__=script, __builtins__=builtins, __cached__=None)
    sys.modules["__main__"] = module
    sys.argv = [script, *args]
    if not sys.flags.safe_path:
        sys.path[0] = os.path.dirname(os.path.realpath(script))
    try:
        exec(compile(source, script, "exec"), module.__dict__)
    except SystemExit as error:
        return _exit_code(error.code)
    except BaseException as error:
        error.__traceback__ = error.__traceback__.tb_next  # without this frame
        sys.excepthook(type(error), error, error.__traceback__)
        return 130 if isinstance(error, KeyboardInterrupt) else 1
    return 0


def _exit_code(code):
    if code is None or isinstance(code, int):
        return 0 if code is None else code & 0xFF
    print(code, file=sys.stderr)
    return 1


def _finish(code, stdout):
    """Waits for the ops that the script left behind, and prints the figures. Returns the exit code."""
    from . import _runahead
    try:
        for thread in threading.enumerate():  # Python, too, waits for threads that are no daemons
            if thread is not threading.current_thread() and not thread.daemon:
                thread.join()
        _runahead.wait_all("end of the script")
        if held := _runahead.stats()["held_by_limit"]:
            say(f"the safety limit held the script back {held} times; --limit raises it")
    except (RuntimeError, KeyboardInterrupt) as error:
        if code == 0:
            say(str(error) or "interrupted")
            code = 130 if isinstance(error, KeyboardInterrupt) else 1
    sys.stdout.flush()
    if stdout is not None and code == 0:
        with open(stdout, "w") as out:
            json.dump(_runahead.stats(), out, indent=2)
            out.write("\n")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
