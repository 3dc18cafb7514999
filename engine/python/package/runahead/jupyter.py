"""`%load_ext runahead` for Jupyter and IPython: the cell magic `%%runahead` records one cell and shows its timeline.

    %%runahead --barrier wait_to_read
    from mxnet import np
    y = np.ones((1000, 1000)) @ np.ones((1000, 1000))
    print(y)

The cell runs in the notebook's process, as without the magic. Its output then has a picture of the timeline and a
table: for each line, how many ops it enqueued, how long enqueueing took, and how long the line waited. Ops that the
cell has not waited for are awaited at its end, in the row "end of the cell". Lines count from the line of the magic.
The picture needs the program `runahead`, beside the package or in PATH. A cell with `await` outside a function does
not run under the magic.
"""

import html
import linecache
import os
import shutil
import subprocess
import sys
import tempfile
import time

from IPython.core.error import UsageError
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring
from IPython.display import HTML, Image, display

from . import _runahead, hook

_END = "end of the cell"
_STYLE = ("<style>.runahead td, .runahead th { text-align: right } "
          ".runahead td:nth-child(-n+2), .runahead th:nth-child(-n+2) { text-align: left }</style>")

_files = {}  # what a recording calls a cell, such as "In [4]" -> the name of its code for Python


def load(shell):
    """Installs the import hook and the magic."""
    hook.install()
    _leave_out_ipython()
    _runahead.name_files(lambda file: _name_of_cell(shell, file))
    shell.register_magic_function(_make_magic(shell), "cell", "runahead")


def _leave_out_ipython():
    """IPython runs the cells and shows their values, but its lines are not those of a cell."""
    _runahead.place("<decorator-gen-")
    for name in ("IPython", "ipykernel", "traitlets", "decorator"):
        file = getattr(sys.modules.get(name), "__file__", None)
        if file is not None:
            folder, base = os.path.split(file)
            _runahead.place(os.path.join(folder, "") if base == "__init__.py" else file)


def _name_of_cell(shell, file):
    """ "In [4]" for the code of a cell, whose file is a temporary path. None: the file is no cell."""
    number = getattr(shell.compile, "_filename_map", {}).get(file)
    if number is None:
        return None
    name = f"In [{number}]"
    _files[name] = file
    return name


def _make_magic(shell):
    @magic_arguments()
    @argument("--barrier", metavar="P", help="how the cell waits after each step, such as none or wait_to_read")
    @argument("--by", choices=("line", "op"), default="line", help="a row of the table is a line (default) or an op")
    @argument("--width", type=int, default=1200, metavar="PIXELS", help="width of the picture (default: 1200)")
    @argument("--height", type=int, default=500, metavar="PIXELS", help="height of the picture (default: 500)")
    @argument("--light", action="store_true", help="a light picture")
    @argument("-o", "--output", metavar="FILE", help="keep the recording in this file")
    def runahead(line, cell):
        """Runs the cell and shows its timeline."""
        __tracebackhide__ = True
        options = parse_argstring(runahead, line)
        barrier = _runahead.barrier()
        if options.barrier is not None:
            _set_barrier(options.barrier)
        try:
            with tempfile.TemporaryDirectory(prefix="runahead_") as folder:
                error = _record(shell, cell, options, folder)
        finally:
            _runahead.set_barrier(barrier)
        if error is not None:
            raise error

    return runahead


def _set_barrier(text):
    try:
        _runahead.set_barrier(text)
    except ValueError as error:
        raise UsageError(f"%%runahead: {error}") from None


def _record(shell, cell, options, folder):
    """Runs the cell and shows what it did. Returns the error of the cell, or None."""
    file = os.path.abspath(os.path.expanduser(options.output or os.path.join(folder, "cell.runahead")))
    _wait("before the cell", "runahead: an op of an earlier cell failed: ")
    _runahead.unfinish_step()
    try:
        ours = _runahead.start_recording(file)
    except RuntimeError as error:
        raise UsageError(f"%%runahead: {error}") from None
    begin = time.perf_counter()
    try:
        error = _run(shell, cell)
        late = _wait(_END, None)
        seconds = time.perf_counter() - begin
    finally:
        _runahead.unfinish_step()
        _stop()
    if ours:
        _show(file, options, folder, seconds)
    else:
        print("runahead: RUNAHEAD_RECORD is set, so this process already records all its cells into one file. The cell "
              "has no picture and no table of its own.", file=sys.stderr)
    return error if error is not None else late


def _stop():
    try:
        _runahead.stop_recording()
    except RuntimeError as error:
        print(f"runahead: {error}", file=sys.stderr)


def _wait(name, prefix):
    """Waits for all ops. Returns the error of an op that failed, or None; with a prefix it prints the error."""
    try:
        _runahead.wait_all(name)
    except (RuntimeError, KeyboardInterrupt) as error:
        if prefix is not None:
            print(f"{prefix}{error}", file=sys.stderr)
        return error
    return None


def _run(shell, cell):
    """Runs the cell. Returns its error. The shell shows the error later, as it would without the magic."""
    shown = []
    shell._showtraceback = lambda kind, error, text: shown.append(text)
    try:
        # The line of the magic is line 1. A cell that begins with another magic must stay as it is.
        prefix = "" if cell.lstrip().startswith("%%") else "# %%runahead\n"
        result = shell.run_cell(prefix + cell, store_history=False)
    finally:
        del shell._showtraceback
    error = result.error_before_exec or result.error_in_exec
    if error is not None and shown:
        _render_once(error, shown[-1])
    return error


def _render_once(error, text):
    """The next time IPython shows this error, it shows `text`: the stack of the cell, without that of the magic."""
    def render(*_):
        del error._render_traceback_
        return text
    try:
        error._render_traceback_ = render
    except AttributeError:  # the class of the error has __slots__: the stack of the magic is shown too
        pass


# ---- what is shown --------------------------------------------------------------------------------------------

def _show(file, options, folder, seconds):
    try:
        figures = _runahead.recording_figures(file)
    except RuntimeError as error:
        print(f"runahead: {error}", file=sys.stderr)
        return
    picture, missing = _picture(file, options, os.path.join(folder, "cell.png"))
    if picture is not None:
        display(Image(data=picture, format="png"))
    display(HTML(_table(figures, options.by, seconds, missing)))


def _program():
    """The program `runahead`, or None: beside the package in the build folder, below the same prefix, or in PATH."""
    package = os.path.dirname(os.path.abspath(__file__))
    for place in ("../../runahead", "../../../../bin/runahead"):
        program = os.path.normpath(os.path.join(package, place))
        if os.path.isfile(program) and os.access(program, os.X_OK):
            return program
    return shutil.which("runahead")


def _picture(file, options, png):
    """Returns the bytes of the picture and None, or None and what is missing."""
    program = _program()
    if program is None:
        return None, "No picture: the program runahead is not beside the package, and not in PATH."
    words = [program, "screenshot", file, "-o", png, "--size", f"{options.width}x{options.height}"]
    environment = {name: value for name, value in os.environ.items() if name != "RUNAHEAD_RECORD"}
    try:
        done = subprocess.run(words + ["--light"] * options.light, capture_output=True, text=True, timeout=60,
                              env=environment)
        if done.returncode == 0:
            with open(png, "rb") as picture:
                return picture.read(), None
        reason = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
    except (OSError, subprocess.TimeoutExpired) as error:
        reason = str(error)
    return None, f"No picture: {reason}"


def _table(figures, by, seconds, missing):
    rows = _merged(figures["rows"], by)
    waited = sum(row["wait"] for row in rows.values())
    end = rows.get(_END, {"wait": 0})["wait"]
    peaks = ", ".join(f"{_bytes(most)} on {html.escape(device)}" for device, most in sorted(figures["peaks"].items()))
    facts = [f"{sum(row['ops'] for row in rows.values())} ops in {_time(seconds * 1e9)}",
             f"blocked {_share(waited, seconds)}, of which {_share(end, seconds)} at the end of the cell",
             f"peak memory {peaks or '0 B'}"]
    words = (by, "source" if by == "line" else "", "ops", "enqueueing", "waiting")
    head = "".join(f"<th>{word}</th>" for word in words)
    body = "".join(_row(name, by, rows[name]) for name in sorted(rows, key=_order))
    note = f"<p>{html.escape(missing)}</p>" if missing else ""
    return (f'{_STYLE}<table class="runahead"><caption>{"; ".join(facts)}</caption>'
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{note}")


def _merged(figures, by):
    """The rows of the table, by line or by op: the ops and the nanoseconds of enqueueing and of waiting."""
    rows = {}
    for line, name, kind, count, ns in figures:
        key = name if by == "op" or name == _END or not line else line
        row = rows.setdefault(key, {"ops": 0, "enqueue": 0, "wait": 0})
        row[kind] += ns
        if kind == "enqueue":
            row["ops"] += count
    return rows


def _row(name, by, row):
    source = _source(name) if by == "line" else ""
    cells = (html.escape(name), f"<code>{html.escape(source)}</code>" if source else "", str(row["ops"] or ""),
             _time(row["enqueue"]), _time(row["wait"]))
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


def _order(name):
    """Rows in the order of the file and the line; the end of the cell is last."""
    place, _, line = name.rpartition(":")
    return name == _END, place, int(line) if line.isdigit() else 0, name


def _source(name):
    place, _, line = name.rpartition(":")
    return linecache.getline(_files.get(place, place), int(line)).strip()[:80] if line.isdigit() else ""


def _share(ns, seconds):
    return f"{100 * min(1, ns * 1e-9 / seconds):.0f} %"


def _time(ns):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if ns >= size:
            return f"{ns / size:.3g} {unit}" if ns < 999.5 * size else f"{ns / size:.0f} {unit}"
    return f"{ns:.0f} ns" if ns else ""


def _bytes(size):
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= factor:
            return f"{size / factor:.2f} {unit}"
    return f"{size:.0f} B"
