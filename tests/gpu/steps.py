"""The steps of tests/gpu/run. Each step is a function that returns the row's figure or raises. Steps share only the
Place. Therefore steps_test.py can replace our programs by small fake programs.

Times are wall-clock seconds, rates are per second, sizes are bytes.
"""
import dataclasses
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tarfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Results that must agree on all devices. WITHIN is the largest relative difference that is allowed. A small
# difference is normal, because devices add products in different orders.
COMPARED = {"training_memory": ["first_loss", "final_loss"], "inference_memory": ["mean_prediction"],
            "queue_vs_finish": ["y"], "data_parallel": ["first_loss", "final_loss"], "dependency_graph": ["z"]}
WITHIN = 2e-3
# The limits that the measurements must meet.
LEAST_OF_PLAIN = 0.95  # least rate of the engine's copies, as a share of a plain cudaMemcpy's rate
# largest slowdown by recording with CUPTI, for kernels that take at least FROM_KERNEL_US
MOST_SLOWDOWN = 1.02
FROM_KERNEL_US = 20
MOST_PREDICTION_ERROR = 0.05  # median of pairs
LAUNCHES = 100_000
KEPT_BYTES = 8_000_000  # a recording up to this size is kept, so that it can be opened on other machines
# Counts the slices of kernels that come from CUPTI. Only these slices have the argument "grid", because only
# CUPTI knows a kernel's grid.
KERNELS = """SELECT count(*) FROM slice s JOIN track t ON t.id = s.track WHERE t.kind = 'stream' AND s.kind = 'execute'
  AND s.args IN (SELECT id FROM args WHERE key = 'grid')"""
LAUNCH_ARROWS = "SELECT count(*) FROM flow WHERE kind = 'launch_to_device'"
DEVICE_WAITS = "SELECT count(*) FROM slice WHERE name LIKE 'wait for %' AND kind = 'wait'"
CLOCK_ERROR = "SELECT max(value) FROM counter WHERE track_name = 'clock error, at least'"


class NotHere(Exception):
    """Something that the step needs is not on this machine."""


class Missed(Exception):
    """The step was measured, but did not reach its aim."""


@dataclasses.dataclass
class Place:
    """The folders and programs that the steps use."""
    build: pathlib.Path  # folder of our programs
    out: pathlib.Path  # folder of the files that the run keeps
    played: bool = False  # CUDA is simulated on the host
    python: str = sys.executable  # the Python that has PyTorch
    sanitizer: str = ""  # path of compute-sanitizer; empty: search for it
    ends: float = float("inf")  # time.monotonic() at which all steps must be over

    def left(self):
        return self.ends - time.monotonic()

    def checked(self, words, most=240, **environment):
        """Runs a command and returns its stdout. If the command fails, raises an error with its last line of output.
        If it takes longer than `most` seconds or than left(), raises subprocess.TimeoutExpired. In both cases the
        complete output goes to the end of out/failed.log."""
        words = [str(word) for word in words]
        try:
            ended = subprocess.run(words, cwd=ROOT, env={**os.environ, **environment}, text=True,
                                   timeout=max(1, min(most, self.left())), capture_output=True)
        except subprocess.TimeoutExpired as error:
            self.log_failure(words, f"stopped after {error.timeout:.0f} s", *(
                text.decode(errors="replace") if isinstance(text, bytes) else text for text in (error.stdout, error.stderr)))
            raise
        if ended.returncode != 0:
            self.log_failure(words, f"exit {ended.returncode}", ended.stdout, ended.stderr)
            said = (ended.stderr.strip() or ended.stdout.strip()).splitlines()
            raise RuntimeError(f"exit {ended.returncode}: " + (said[-1] if said else "nothing said"))
        return ended.stdout

    def log_failure(self, words, why, *texts):
        with open(self.out / "failed.log", "a") as log:
            log.write("\n".join(["$ " + " ".join(words), *(text for text in texts if text), why, "", ""]))

    def program(self, name):
        found = self.build / name
        if not found.exists():
            raise NotHere(f"{name} was not built (see the build's row for what is off)")
        return found

    def runahead(self, *words, **options):
        return self.checked([self.program("runahead"), *words], **options)

    def run_workload(self, workload, devices, *words):
        names = [devices] if isinstance(devices, str) else devices
        arguments = [word for name in names for word in ("--device", name)]
        return json.loads(self.runahead("run", workload, *arguments, *words, "--json"))

    def ask(self, recording, sql):
        return json.loads(self.runahead("query", recording, "--json", sql))["rows"][0][0]

    def lost_in(self, recording):
        return json.loads(self.runahead("info", recording, "--json"))["lost"]

    def record(self, recording, *words):
        """Runs a command under `runahead record`. Returns its stdout."""
        return self.runahead("record", "-o", recording, "--", *words)

    def needs_gpu(self):
        if self.played:
            raise NotHere("a GPU: CUDA is played by the host")


def json_line(text):
    """Finds the first line of the text that is a JSON object, and returns the parsed object."""
    return json.loads(next(line for line in text.splitlines() if line.startswith("{")))


def with_unit(rate):
    return f"{rate / 1e9:.2f} GB/s"


def unit_tests(name, chosen):
    def run(place):
        out = place.checked([place.program(name), f"--gtest_filter={chosen}", "--gtest_brief=1"])
        count = re.search(r"\[  PASSED  \] (\d+) test", out)
        if not count or count.group(1) == "0":
            raise RuntimeError("no test ran: " + out.strip()[-100:])
        return f"{count.group(1)} tests"
    return run


def compare_workload(workload):
    def run(place):
        here = place.run_workload(workload, "cuda:0")
        figure = f"{here['steps_per_s']:.1f} steps/s, peak {here['peak_bytes'] / 1e6:.1f} MB"
        if here["lost"]:
            raise RuntimeError(f"lost {here['lost']}")
        if workload in COMPARED:
            there = place.run_workload(workload, "cpu")
            for key in COMPARED[workload]:
                a, b = here["result"][key], there["result"][key]
                if abs(a - b) > WITHIN * max(abs(a), abs(b)):
                    raise RuntimeError(f"{key} is {a}, on the cpu {b}")
                figure += f", {key} {a:.6g} (cpu {b:.6g})"
        return figure
    return run


def bandwidth(rounds=3):
    """Compares the engine's copies with a plain loop. Both run alternately. Reports the medians of the rounds."""
    def run(place):
        ours, plain = [], []
        for _ in range(1 if place.played else rounds):
            ours.append(json_line(place.checked([place.program("tests/gpu/gpu_copies"), "cuda:0"])))
            if not place.played:
                plain.append(json_line(place.checked([place.program("tests/gpu/gpu_bandwidth")])))
        parts, short = [], False
        for key in ours[0]:
            rate = statistics.median(one[key] for one in ours)
            part = f"{key} {with_unit(rate)}"
            if plain:
                share = statistics.median(a[key] / b[key] for a, b in zip(ours, plain))
                part += f" ({share:.1%} of a plain loop's {with_unit(statistics.median(one[key] for one in plain))})"
                short = short or share < LEAST_OF_PLAIN
            parts.append(part)
        if short:
            raise Missed(", ".join(parts) + f"; the aim is {LEAST_OF_PLAIN:.0%}")
        return ", ".join(parts)
    return run


def efficiency(workload, devices):
    def run(place):
        results = [place.run_workload(workload, devices)["result"] for _ in range(5)]
        median = statistics.median(result["efficiency"] for result in results)
        return f"efficiency {median:.3f} (median of 5), apart {results[0]['apart_s']:.4f} s, together " \
               f"{results[0]['together_s']:.4f} s"
    return run


def two_gpus(place):
    listed = json.loads(place.runahead("devices", "--json"))["devices"]
    if sum(1 for device in listed if device["name"].startswith("cuda:") and device["available"]) < 2:
        raise NotHere("a second GPU")
    return efficiency("auto_parallel", ["cuda:0", "cuda:1"])(place)


def every_launch(place):
    """Checks that all launched kernels are in the recording, and reports its clock error."""
    place.needs_gpu()
    recording = place.build / "launches.runahead"
    launched = json_line(place.record(recording, place.program("tests/gpu/gpu_launches"), LAUNCHES))["launched"]
    seen, lost, size = place.ask(recording, KERNELS), place.lost_in(recording), recording.stat().st_size
    error_ns = place.ask(recording, CLOCK_ERROR)
    recording.unlink()
    if seen != launched:
        raise RuntimeError(f"{seen} kernels seen of {launched}, lost {lost}")
    clock = "no clock error seen" if error_ns is None else f"clock error at least {error_ns / 1000:.2f} us"
    return f"{seen} of {launched} kernels, lost {lost or 'nothing'}, {size / launched:.1f} B a launch on disk, {clock}"


def launches_slowdown(kernel_us, count, pairs=3):
    """Launches on one stream, alternately without and with recording. Times first launch to last kernel end."""
    def run(place):
        place.needs_gpu()
        recording = place.build / "slowdown.runahead"
        plain = [place.program("tests/gpu/gpu_launches"), count, kernel_us, 1]
        off, on = [], []
        for _ in range(pairs):
            off.append(json_line(place.checked(plain))["seconds"])
            on.append(json_line(place.record(recording, *plain))["seconds"])
        recording.unlink(missing_ok=True)
        ratio = statistics.median(b / a for a, b in zip(off, on))
        rate = count / statistics.median(off)
        figure = f"{ratio:.3f} x with CUPTI on (median of {pairs} pairs), {rate:.0f} kernels/s without, each " \
                 f"{1e6 / rate:.1f} us with its launch"
        if kernel_us >= FROM_KERNEL_US and ratio > MOST_SLOWDOWN:
            raise Missed(f"{figure}; the aim is {MOST_SLOWDOWN}")
        return figure
    return run


def needs_cupti_in_run(place):
    place.needs_gpu()
    if "--no-cupti" not in place.runahead("run", "--help"):
        raise NotHere("`runahead run` with CUPTI: it has no --no-cupti")


def workload_slowdown(workload, pairs=5):
    """Measures steps/s of a recorded workload of our engine, alternately with and without CUPTI."""
    def run(place):
        needs_cupti_in_run(place)
        recording = place.build / "slowdown.runahead"
        def steps_per_s(*words):
            return place.run_workload(workload, "cuda:0", "--record", recording, *words)["steps_per_s"]
        rates = [(steps_per_s("--no-cupti"), steps_per_s()) for _ in range(pairs)]
        recording.unlink(missing_ok=True)
        ratio = statistics.median(off / on for off, on in rates)
        return f"{ratio:.3f} x with CUPTI on (median of {pairs} pairs), {statistics.median(r[0] for r in rates):.1f} " \
               f"steps/s without, {statistics.median(r[1] for r in rates):.1f} with"
    return run


def keep(place, recording):
    """Describes a recording that is kept. Raises an error if it has no kernels of CUPTI or is too large."""
    kernels, size, lost = place.ask(recording, KERNELS), recording.stat().st_size, place.lost_in(recording)
    figure = f"{recording.name}: {kernels} kernels, {size / 1e3:.0f} kB, lost {lost or 'nothing'}"
    if kernels == 0:
        raise RuntimeError(figure + ": none of CUPTI's kernels is in it")
    if size > KEPT_BYTES:
        recording.unlink()
        raise RuntimeError(figure + ": too large to be left behind")
    return figure


def keep_workload(place):
    needs_cupti_in_run(place)
    recording = place.out / "training_memory.runahead"
    place.run_workload("training_memory", "cuda:0", "--set", "steps=30", "--barrier", "wait_to_read", "--record", recording)
    return keep(place, recording)


def keep_launches(place):
    place.needs_gpu()
    recording = place.out / "launches.runahead"
    place.record(recording, place.program("tests/gpu/gpu_launches"), 2000, FROM_KERNEL_US)
    return keep(place, recording)


def needs_torch(place):
    place.needs_gpu()
    try:
        place.checked([place.python, "-c", "import torch, sys; sys.exit(not torch.cuda.is_available())"])
    except RuntimeError:
        raise NotHere("PyTorch with CUDA") from None


def torch_loop(place):
    needs_torch(place)
    script = ROOT / "tests" / "gpu" / "torch_loop.py"
    counted = int(place.checked([place.python, script, "5", "--count"]).split()[-1])
    recording = place.out / "torch.runahead"
    place.record(recording, place.python, script, "5")
    seen, lost = place.ask(recording, KERNELS), place.lost_in(recording)
    if seen != counted:
        raise RuntimeError(f"{seen} kernels, torch's own profiler {counted}; lost {lost}")
    return keep(place, recording) + ", as many kernels as torch's own profiler counts"


# The changes that make the first loop of a pair of torch_pairs.py the second one.
PAIR_CHANGES = {"item": [], "synchronize": [], "item at the end": ["barrier=window:1"], "pinned": ["pinned=1"],
                "graph": ["graph=1"], "loading": ["loading=ahead"]}
WITHOUT_WAITS = ("item", "synchronize", "item at the end")


def changes_between(place, name, trace, steps):
    changes = list(PAIR_CHANGES[name])
    if name in WITHOUT_WAITS:
        explained = json.loads(place.runahead("explain", trace, "--json"))
        every_step = [group for group in explained["synchronisations"] if group["count"] >= steps / 2]
        changes += [f"sync:{group['call']}@{group['place']}=drop" for group in every_step]
    return [word for change in changes for word in ("--change", change)]


def predict_pair(place, pair, loops, steps):
    """What was predicted for a pair, and what was measured. The error is that of the ratio of the two loops, which were
    measured without a profiler: it makes a loop slower, and a trace of a few steps begins with the work of earlier ones."""
    size_less = pair["name"].rsplit(", ", 1)[0]
    before, after = loops[pair["from"]], loops[pair["to"]]
    for loop in (before, after):
        if "failed" in loop:
            return {"name": pair["name"], "refused": loop["failed"]}
    row = {"name": pair["name"], "ratio": after["steps_per_s"] / before["steps_per_s"]}
    try:
        row["true"] = json.loads(place.runahead("predict", after["trace"], "--change", "frontend=1", "--json"))["replayed"]["settled_steps_per_s"]
        row["changes"] = changes_between(place, size_less, before["trace"], steps)
        told = json.loads(place.runahead("predict", before["trace"], *row["changes"], "--json"))
    except RuntimeError as why:
        return {**row, "refused": str(why)}
    row.update(before=told["replayed"]["settled_steps_per_s"], drift=told["drift"],
               predicted=told["predicted"]["settled_steps_per_s"], low=told["predicted"]["low"], high=told["predicted"]["high"])
    row["error"] = abs(row["predicted"] / row["before"] - row["ratio"]) / row["ratio"]
    return row


def pair_text(row):
    if "refused" in row:
        return f"{row['name']}: {row['refused']}"
    return f"{row['name']}: predicted {row['predicted'] / row['before']:.2f} x ({row['predicted']:.0f} steps/s), measured " \
           f"{row['ratio']:.2f} x, in its trace {row['true']:.0f} steps/s (error {row['error']:.1%})"


def torch_predictions(place, steps=40):
    """Predicts PyTorch loops from the traces of other loops (torch_pairs.py), and compares with the runs."""
    needs_torch(place)
    folder = place.out / "torch_pairs"
    folder.mkdir(exist_ok=True)
    said = json.loads(place.checked([place.python, ROOT / "tests" / "gpu" / "torch_pairs.py", folder, "--steps", steps]).splitlines()[-1])
    rows = [predict_pair(place, pair, said["loops"], steps) for pair in said["pairs"]]
    (place.out / "torch_pairs.json").write_text(json.dumps(rows, indent=1))
    with tarfile.open(place.out / "torch_pairs.tar", "w") as kept:
        kept.add(folder, "torch_pairs")
    shutil.rmtree(folder)
    figure = "; ".join(pair_text(row) for row in rows)
    errors = [row["error"] for row in rows if "error" in row]
    if not errors:
        raise RuntimeError(f"no pair was predicted: {figure}")
    figure = f"median error {statistics.median(errors):.1%} of {len(errors)} pairs; {figure}"
    if statistics.median(errors) > MOST_PREDICTION_ERROR:
        raise Missed(f"{figure}; the aim is {MOST_PREDICTION_ERROR:.0%}")
    return figure


def predictions(pairs, seed=1):
    """Predicts runs of our workloads on cuda:0 from other runs (scripts/lab/predict-pairs)."""
    def run(place):
        place.needs_gpu()
        kept = place.out / "cuda_pairs.json"
        place.checked([ROOT / "scripts" / "lab" / "predict-pairs", "--program", place.program("runahead"), "--device", "cuda:0",
                       "--pairs", pairs, "--seed", seed, "--repeat", 3, "--json", kept, "--markdown", place.out / "cuda_pairs.md",
                       "--keep", place.out / "cuda_pairs"])
        rows = json.loads(kept.read_text())["rows"]
        known = [row for row in rows if row["state"] == "predicted"]
        if not known:
            raise RuntimeError(f"no pair of {len(rows)} was predicted; the first: {rows[0]['reason']}")
        errors, noise = [row["error"] for row in known], [row["floor"] for row in known]
        peaks = [row["peak_error"] for row in known if row["peak_error"] is not None]
        figure = f"{len(known)} of {len(rows)} pairs predicted: median error {statistics.median(errors):.1%} of steps/s " \
                 f"(the same run again {statistics.median(noise):.1%}), {statistics.median(peaks):.1%} of peak memory; " \
                 f"the interval holds in {sum(row['holds'] for row in known)}"
        if statistics.median(errors) > max(MOST_PREDICTION_ERROR, statistics.median(noise)):
            raise Missed(f"{figure}; the aim is {MOST_PREDICTION_ERROR:.0%}")
        return figure
    return run


def jax_loop(place):
    """Records a program that uses the driver API: its kernels, the calls that launched them, and its waits."""
    place.needs_gpu()
    try:
        place.checked([place.python, "-c", "import jax, sys; sys.exit(jax.default_backend() != 'gpu')"])
    except RuntimeError:
        raise NotHere("JAX with CUDA") from None
    recording = place.out / "jax.runahead"
    place.record(recording, place.python, ROOT / "tests" / "gpu" / "jax_loop.py", "20")
    launches, waits = place.ask(recording, LAUNCH_ARROWS), place.ask(recording, DEVICE_WAITS)
    figure = f"{keep(place, recording)}, {launches} arrows from launches, {waits} waits"
    if not launches or not waits:
        raise RuntimeError(figure)
    return figure


def sanitizer(place):
    place.needs_gpu()
    found = place.sanitizer or shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
    if not pathlib.Path(found).exists():
        raise NotHere("compute-sanitizer")
    out = place.checked([found, "--error-exitcode", "3", place.program("runahead"), "run", "training_memory", "--device",
                         "cuda:0", "--set", "steps=3", "--json"], most=120)
    summary = re.findall(r"ERROR SUMMARY: .*", out)
    if not summary:
        raise RuntimeError("compute-sanitizer gave no summary")
    return summary[-1]
