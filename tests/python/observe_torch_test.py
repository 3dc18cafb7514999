#!/usr/bin/env python3
"""Tests runahead.observe_torch with real training scripts. Exit code 77: no Python of this machine has torch.
Where torch has no headers, the tests of the compiled observer are left out, and the output says so.

RUNAHEAD is the program, RUNAHEAD_LIBRARY is librunahead.so.
"""
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = os.path.normpath(os.path.join(HERE, "..", "..", "engine", "python", "package"))
SCRIPT = os.path.join(HERE, "train_mlp.py")
PROGRAM = os.environ["RUNAHEAD"]
STEPS = 6


def python_with_torch():
    for python in (sys.executable, "/usr/bin/python3"):
        if os.path.exists(python) and subprocess.run(
                [python, "-c", "import importlib.util as u, sys; sys.exit(u.find_spec('torch') is None)"]).returncode == 0:
            return python
    print("skipped: no Python here has torch (Debian: python3-torch, and libtorch-dev for its headers)")
    sys.exit(77)


PYTHON = python_with_torch()
FOLDER = tempfile.mkdtemp(prefix="observe_torch_test-")
CHECKS = []
OF_THE_COMPILED_OBSERVER = []


def check(function):
    CHECKS.append(function)
    return function


def check_of_the_compiled_observer(function):
    OF_THE_COMPILED_OBSERVER.append(function)
    return check(function)


def environment(**more):
    return {**os.environ, "PYTHONPATH": PACKAGE, "OMP_NUM_THREADS": "1", **more}


def started(*words, code=0, **more):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=120,
                          env=environment(**more), cwd=FOLDER)
    assert done.returncode == code, f"{words} ended with {done.returncode}, not {code}:\n{done.stdout}{done.stderr}"
    return done


def observed(recording, *words, code=0, script=SCRIPT, **more):
    file = os.path.join(FOLDER, recording)
    done = started(PROGRAM, "record", "-o", file, "--", PYTHON, "-m", "runahead.observe_torch", script, *words,
                   code=code, **more)
    return file, done


def rows(file, sql):
    return json.loads(started(PROGRAM, "query", file, sql, "--json").stdout)["rows"]


def line_of(mark):
    with open(SCRIPT) as text:
        return "train_mlp.py:" + str(next(i for i, line in enumerate(text, 1) if line.rstrip().endswith("# line: " + mark)))


LINES = "(SELECT id, value FROM args WHERE key = 'line')"


@check_of_the_compiled_observer
def operators_are_counted_as_by_the_profiler_of_torch():
    counts = os.path.join(FOLDER, "counts.json")
    file, done = observed("profiled.runahead", "--steps", STEPS, "--profile", counts)
    assert "lost" not in done.stderr.replace("nothing lost", ""), done.stderr
    with open(counts) as text:
        expected = json.load(text)
    found = dict(rows(file, """SELECT s.name, count(*) FROM slice s JOIN track t ON t.id = s.track
        WHERE t.path NOT LIKE 'Frames/%' GROUP BY 1"""))
    # The profiler adds marks of its own.
    names = {name for name in expected if not name.startswith(("[", "Profiler", "cuda"))}
    different = {name: (expected[name], found.get(name)) for name in names if expected[name] != found.get(name)}
    assert not different, different
    assert set(found) == names, set(found) ^ names
    assert expected["aten::addmm"] == 2 * STEPS and expected["aten::linear"] == 2 * STEPS, expected
    print(f"  {len(names)} names, {sum(expected[name] for name in names)} operators: equal")


@check_of_the_compiled_observer
def operators_have_lines_arrows_and_steps():
    file = os.path.join(FOLDER, "profiled.runahead")
    lines = dict(rows(file, f"""SELECT s.name || ' ' || a.value, count(*) FROM slice s JOIN {LINES} a ON a.id = s.args
                                GROUP BY 1"""))
    # The node of the backward pass has the line of its forward operator.
    for name, mark in (("aten::relu", "relu"), ("ReluBackward0", "relu"), ("aten::threshold_backward", "relu"),
                       ("aten::nll_loss", "loss"), ("NllLossBackward0", "loss")):
        assert lines.get(f"{name} {line_of(mark)}") == STEPS, (name, line_of(mark), lines)
    assert any(key.startswith("autograd::engine::evaluate_function: ReluBackward0 " + line_of("backward"))
               for key in lines), lines
    arrows = dict(rows(file, """SELECT a.name || ' > ' || b.name, count(*) FROM flow f
        JOIN slice a ON a.track = f.from_track AND f.from_ts BETWEEN a.ts AND a.ts + a.dur
        JOIN slice b ON b.track = f.to_track AND f.to_ts BETWEEN b.ts AND b.ts + b.dur
        WHERE b.name LIKE '%Backward0' AND b.name NOT LIKE 'autograd%' AND f.name = a.name GROUP BY 1"""))
    assert arrows == {"aten::addmm > AddmmBackward0": 2 * STEPS, "aten::t > TBackward0": 2 * STEPS,
                      "aten::relu > ReluBackward0": STEPS, "aten::_log_softmax > LogSoftmaxBackward0": STEPS,
                      "aten::nll_loss_forward > NllLossBackward0": STEPS}, arrows
    assert rows(file, "SELECT count(*) FROM slice s JOIN track t ON t.id = s.track WHERE t.path = 'Frames/step'"
                ) == [[STEPS - 1]]
    steps = rows(file, "SELECT max(value) FROM counter WHERE track_name = 'steps finished'")
    assert steps == [[STEPS - 1]], steps
    assert rows(file, "SELECT name FROM track WHERE path LIKE 'Frontend/%' AND kind = 'frontend'") == [["main"]]
    memory = rows(file, "SELECT max(value) > 0, min(value) >= 0 FROM counter WHERE track_name = 'live cpu'")
    assert memory == [[1, 1]], memory


@check_of_the_compiled_observer
def workers_are_processes_of_their_own():
    file, done = observed("workers.runahead", "--steps", STEPS, "--workers", 2)
    assert "2 more processes" in done.stderr, done.stderr
    files = [file] + sorted(glob.glob(os.path.join(FOLDER, "workers.pid*.runahead")))
    assert len(files) == 3, files
    for one in files:
        info = json.loads(started(PROGRAM, "info", one, "--json").stdout)
        assert info["complete"] and info["lost"] == {}, (one, info)
    joined = os.path.join(FOLDER, "joined.runahead")
    started(PROGRAM, "merge", *files, "-o", joined)
    workers = rows(joined, """SELECT substr(t.path, 1, 19), count(*) FROM slice s JOIN track t ON t.id = s.track
                              WHERE s.name = 'aten::stack' AND t.path LIKE 'DataLoader worker%' GROUP BY 1""")
    assert [name for name, _ in workers] == ["DataLoader worker 0", "DataLoader worker 1"], workers
    assert sum(count for _, count in workers) == 2 * STEPS, workers


def without_own_lines(text):
    return [line for line in text.splitlines() if not line.startswith("runahead: ")]


@check
def the_program_ends_as_without_runahead():
    script = os.path.join(FOLDER, "ends.py")
    with open(script, "w") as out:
        out.write("""import atexit, os, signal, sys, time
atexit.register(print, "at exit")
def inner():
    if sys.argv[1] == "raise": raise ValueError("as asked")
    if sys.argv[1] == "exit": sys.exit(7)
    if sys.argv[1] == "message": sys.exit("as asked")
    if sys.argv[1] == "interrupt": os.kill(os.getpid(), signal.SIGINT)
    if sys.argv[1] == "term":
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(60)  # the end of the recording takes some milliseconds
print(__name__, __file__, sys.argv, sys.path[0])
sys.stdout.flush()
inner()
""")
    wrong = os.path.join(FOLDER, "wrong.py")
    with open(wrong, "w") as out:
        out.write("print(1\n")
    recording = os.path.join(FOLDER, "ends.runahead")
    for words in ([script, "raise"], [script, "exit"], [script, "message"], [script, "interrupt"], [script, "term"],
                  [script, ""], [wrong], ["missing.py"]):
        plain = subprocess.run([PYTHON, *words], capture_output=True, text=True, cwd=FOLDER, env=environment())
        ours = subprocess.run([PYTHON, "-m", "runahead.observe_torch", "--record", recording, *words],
                              capture_output=True, text=True, cwd=FOLDER, env=environment())
        assert ours.returncode == plain.returncode, (words, ours, plain)
        assert ours.stdout == plain.stdout, (words, ours, plain)
        assert without_own_lines(ours.stderr) == plain.stderr.splitlines(), (words, ours, plain)
        if words != ["missing.py"]:
            assert json.loads(started(PROGRAM, "info", recording, "--json").stdout)["complete"], words
            os.remove(recording)


@check
def without_a_compiler_the_operators_are_seen_and_the_rest_is_said():
    file, done = observed("dispatch.runahead", "--steps", STEPS, RUNAHEAD_OBSERVE_TORCH="dispatch")
    assert "no nodes of the backward pass" in done.stderr, done.stderr
    found = dict(rows(file, f"""SELECT s.name, count(*) FROM slice s JOIN {LINES} a ON a.id = s.args
                                WHERE a.value LIKE 'train_mlp.py:%' GROUP BY 1"""))
    assert found.get("aten::relu") == STEPS and found.get("aten::addmm") == 2 * STEPS, found
    assert rows(file, "SELECT count(*) FROM slice s JOIN track t ON t.id = s.track WHERE t.path = 'Frames/step'"
                ) == [[STEPS - 1]]


def torch_has_headers():
    _, done = observed("headers.runahead", "--steps", 1)
    return "has no headers" not in done.stderr


def main():
    try:
        compiled = torch_has_headers()
        for one in CHECKS:
            left_out = one in OF_THE_COMPILED_OBSERVER and not compiled
            print(("left out, torch has no headers (Debian: libtorch-dev): " if left_out else "")
                  + one.__name__.replace("_", " "), flush=True)
            if left_out:
                continue
            one()
    finally:
        shutil.rmtree(FOLDER, ignore_errors=True)


main()
