#!/usr/bin/env python3
"""Tests of tests/gpu/run: its steps with small fake programs, and the verdicts for the errors that steps raise."""
import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import steps  # possible only after sys.path has the folder of steps.py


def load_run():
    loader = importlib.machinery.SourceFileLoader("gpu_run", str(HERE / "run"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("gpu_run", loader))
    loader.exec_module(module)
    return module


gpu_run = load_run()

# The fake `runahead`. The variable FAKE says how the fake programs behave. `record` runs the command. Its
# recording is a JSON object with the number of launched kernels minus FAKE's "unseen".
RUNAHEAD = """
    import json, os, subprocess, sys
    words = sys.argv[1:]
    fake = json.loads(os.environ["FAKE"])
    if words[0] == "record":
        said = subprocess.run(words[4:], text=True, capture_output=True, env={**os.environ, "RECORDED": "1"}).stdout
        launched = json.loads(said)["launched"] if said.startswith("{") else int(said)
        json.dump({"kernels": launched - fake.get("unseen", 0)}, open(words[2], "w"))
        print(said, end="")
    elif words[0] == "query":
        kept = json.load(open(words[1]))
        counted = 0 if "wait for" in words[3] and fake.get("no_waits") else kept["kernels"]
        print(json.dumps({"rows": [[fake.get("clock_ns") if "clock error" in words[3] else counted]]}))
    elif words[0] == "info":
        print(json.dumps({"lost": fake.get("lost", {})}))
    elif words[0] == "devices":
        print(json.dumps({"devices": [{"name": f"cuda:{i}", "available": True} for i in range(fake.get("gpus", 1))]}))
    elif words[0] == "explain":
        print(json.dumps({"synchronisations": [{"call": "cudaStreamSynchronize", "place": "aten::item", "count": 40},
                                               {"call": "cudaDeviceSynchronize", "place": "", "count": 1}]}))
    elif words[0] == "predict":
        slow = "item" in words[1]
        if slow and "sync:cudaStreamSynchronize@aten::item=drop" not in words and "frontend=1" not in words:
            sys.exit("the wait is still there: " + str(words))
        print(json.dumps({"replayed": {"settled_steps_per_s": 50 if slow else 100}, "drift": 0.0,
                          "predicted": {"settled_steps_per_s": fake.get("predicted", 102), "low": 90, "high": 110}}))
    elif "--help" in words:
        print("--no-cupti" if fake.get("cupti_in_run", True) else "")
    else:
        if "--record" in words:
            kernels = 0 if "--no-cupti" in words else fake.get("kernels", 100)
            json.dump({"kernels": kernels}, open(words[words.index("--record") + 1], "w"))
        loss = 1.0 if "cpu" in words else fake.get("loss", 1.0)
        print(json.dumps({"steps_per_s": 100.0 if "--no-cupti" in words else 80.0, "peak_bytes": 1e6,
                          "lost": fake.get("lost", {}), "result": {"first_loss": loss, "final_loss": loss, "efficiency": 0.9,
                          "apart_s": 2.0, "together_s": 1.1}}))
"""
# The fake gpu_launches. FAKE's "slower" is the factor by which recording makes it slower.
LAUNCHES = """
    import json, os, sys
    fake = json.loads(os.environ["FAKE"])
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100000
    slower = fake.get("slower", 1.01) if "RECORDED" in os.environ else 1
    print(json.dumps({"launched": count, "seconds": slower}))
"""
RATES = """
    import json, os
    fake = json.loads(os.environ["FAKE"])
    print(json.dumps({key: 50e9 * fake.get("%s", 1) for key in ("h2d_pinned", "d2h_pinned", "h2d_pageable", "d2h_pageable")}))
"""
PYTHON = """
    import json, os, sys
    fake = json.loads(os.environ["FAKE"])
    if sys.argv[1] == "-c":
        sys.exit(0 if fake.get("torch") else 1)
    if "--steps" in sys.argv:
        loops = {name: {"steps_per_s": rate, "trace": f"{sys.argv[2]}/{name}.json.gz"} for name, rate in (("item", 55), ("plain", 110))}
        print(json.dumps({"loops": {**loops, "graph": {"failed": "no graphs"}},
                          "pairs": [{"name": "item, small", "from": "item", "to": "plain"}, {"name": "graph, small", "from": "plain", "to": "graph"}]}))
        sys.exit(0)
    print(40 if "--count" in sys.argv else 40 + fake.get("torch_more", 0))
"""
SANITIZER = """
    import json, os
    print(json.loads(os.environ["FAKE"]).get("summary", "========= ERROR SUMMARY: 0 errors"))
"""
GTEST = """
    import json, os
    print("[  PASSED  ] %d tests." % json.loads(os.environ["FAKE"]).get("passed", 12))
"""


class Steps(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name, text in {"runahead": RUNAHEAD, "tests/gpu/gpu_launches": LAUNCHES,
                           "tests/gpu/gpu_copies": RATES % "ours", "tests/gpu/gpu_bandwidth": RATES % "plain",
                           "python": PYTHON, "sanitizer": SANITIZER, "a_test": GTEST}.items():
            self.program(name, text)
        self.place = steps.Place(build=self.folder, out=self.folder / "out", python=str(self.folder / "python"),
                                 sanitizer=str(self.folder / "sanitizer"))
        self.place.out.mkdir()
        self.fake()

    def program(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!{sys.executable}\n" + textwrap.dedent(text))
        path.chmod(0o755)

    def fake(self, **facts):
        os.environ["FAKE"] = json.dumps(facts)

    def figure(self, step, *parts):
        figure = step(self.place)
        for part in parts:
            self.assertIn(part, figure)

    def raises(self, error, step, *parts):
        with self.assertRaises(error) as raised:
            step(self.place)
        for part in parts:
            self.assertIn(part, str(raised.exception))

    def test_every_kernel_is_counted_and_the_clock_is_told(self):
        self.fake(clock_ns=1500.0)
        self.figure(steps.every_launch, "100000 of 100000 kernels", "lost nothing", "clock error at least 1.50 us")
        self.assertFalse((self.folder / "launches.runahead").exists())

    def test_a_kernel_that_was_not_seen_fails_the_step(self):
        self.fake(unseen=1, lost={"device_records": 1})
        self.raises(RuntimeError, steps.every_launch, "99999 kernels seen of 100000", "device_records")

    def test_two_percent_are_the_aim_from_20_us_on(self):
        self.fake(slower=1.03)
        self.raises(steps.Missed, steps.launches_slowdown(20, 10), "1.030 x", "the aim is 1.02")
        self.figure(steps.launches_slowdown(2, 10), "1.030 x", "10 kernels/s")
        self.fake(slower=1.01)
        self.figure(steps.launches_slowdown(100, 10), "1.010 x")

    def test_a_workload_is_compared_with_cupti_and_without(self):
        self.figure(steps.workload_slowdown("training_memory"), "1.250 x with CUPTI on", "100.0 steps/s without, 80.0 with")

    def test_a_run_without_the_switch_is_said_to_be_missing(self):
        self.fake(cupti_in_run=False)
        self.raises(steps.NotHere, steps.workload_slowdown("training_memory"), "--no-cupti")
        self.raises(steps.NotHere, steps.keep_workload, "--no-cupti")

    def test_recordings_are_left_behind(self):
        self.figure(steps.keep_workload, "training_memory.runahead: 100 kernels")
        self.figure(steps.keep_launches, "launches.runahead: 2000 kernels")
        self.assertEqual(len(list(self.place.out.iterdir())), 2)

    def test_a_recording_without_a_kernel_is_not_taken_for_one(self):
        self.fake(kernels=0)
        self.raises(RuntimeError, steps.keep_workload, "none of CUPTI's kernels")

    def test_copies_are_held_against_a_plain_loop(self):
        self.figure(steps.bandwidth(), "h2d_pinned 50.00 GB/s (100.0% of a plain loop's 50.00 GB/s)", "d2h_pageable")
        self.fake(ours=0.9)
        self.raises(steps.Missed, steps.bandwidth(), "90.0%", "the aim is 95%")

    def test_results_must_be_those_of_the_cpu(self):
        self.figure(steps.compare_workload("training_memory"), "final_loss 1 (cpu 1)")
        self.fake(loss=1.01)
        self.raises(RuntimeError, steps.compare_workload("training_memory"), "first_loss is 1.01, on the cpu 1.0")

    def test_efficiency_is_a_median(self):
        self.figure(steps.efficiency("overlap", "cuda:0"), "efficiency 0.900 (median of 5)")
        self.raises(steps.NotHere, steps.two_gpus, "a second GPU")
        self.fake(gpus=2)
        self.figure(steps.two_gpus, "efficiency 0.900")

    def test_a_torch_loop_is_compared_with_torchs_own_count(self):
        self.raises(steps.NotHere, steps.torch_loop, "PyTorch")
        self.fake(torch=True)
        self.figure(steps.torch_loop, "torch.runahead: 40 kernels", "as many")
        self.fake(torch=True, torch_more=2)
        self.raises(RuntimeError, steps.torch_loop, "42 kernels, torch's own profiler 40")

    def test_a_torch_loop_is_predicted_from_another_one(self):
        self.raises(steps.NotHere, steps.torch_predictions, "PyTorch")
        self.fake(torch=True)
        self.figure(steps.torch_predictions, "median error 2.0% of 1 pairs", "item, small: predicted 2.04 x (102 steps/s), measured 2.00 x",
                    "in its trace 100 steps/s", "graph, small: no graphs")
        self.assertTrue((self.place.out / "torch_pairs.tar").exists())
        self.fake(torch=True, predicted=120)
        self.raises(steps.Missed, steps.torch_predictions, "median error 20.0%", "the aim is 5%")

    def test_a_jax_loop_has_launches_and_waits(self):
        self.raises(steps.NotHere, steps.jax_loop, "JAX")
        self.fake(torch=True)
        self.figure(steps.jax_loop, "40 kernels", "40 arrows from launches, 40 waits")
        self.fake(torch=True, no_waits=True)
        self.raises(RuntimeError, steps.jax_loop, "0 waits")

    def test_the_sanitizers_summary_is_the_figure(self):
        self.figure(steps.sanitizer, "0 errors")
        self.fake(summary="nothing")
        self.raises(RuntimeError, steps.sanitizer, "no summary")

    def test_no_test_is_no_success(self):
        self.figure(steps.unit_tests("a_test", "*"), "12 tests")
        self.fake(passed=0)
        self.raises(RuntimeError, steps.unit_tests("a_test", "*"), "no test ran")

    def test_where_the_host_plays_cuda_nothing_is_recorded_around_launches(self):
        self.place.played = True
        for step in (steps.every_launch, steps.launches_slowdown(20, 10), steps.keep_workload, steps.torch_loop,
                     steps.sanitizer, steps.keep_launches, steps.workload_slowdown("overlap")):
            self.raises(steps.NotHere, step, "a GPU")
        self.assertNotIn("plain", steps.bandwidth()(self.place))

    def test_a_program_that_fails_says_its_last_line(self):
        self.program("a_test", "import sys; sys.exit('first\\nlast')")
        self.raises(RuntimeError, steps.unit_tests("a_test", "*"), "exit 1: last")

    def test_all_that_a_failed_program_said_is_logged(self):
        self.program("a_test", "import sys; print('on stdout'); sys.exit('first\\nlast')")
        self.raises(RuntimeError, steps.unit_tests("a_test", "*"))
        self.program("a_test", "import time; print('begun', flush=True); time.sleep(60)")
        with self.assertRaises(subprocess.TimeoutExpired):
            self.place.checked([self.folder / "a_test"], most=1)
        log = (self.place.out / "failed.log").read_text()
        for said in ("on stdout", "first\nlast", "exit 1", "begun", "stopped after 1 s"):
            self.assertIn(said, log)


@unittest.skipUnless("RUNAHEAD_GPU_PROGRAM" in os.environ, "needs our program, with SQLite, and the CUPTI module")
class Recordings(unittest.TestCase):
    """Runs the SQL of the steps on a real recording. The recorded test program simulates CUPTI."""

    def test_kernels_are_counted_and_nothing_else(self):
        with tempfile.TemporaryDirectory() as name:
            place = steps.Place(build=pathlib.Path(os.environ["RUNAHEAD_BUILD"]), out=pathlib.Path(name))
            recording = place.out / "launches.runahead"
            place.record(recording, os.environ["RUNAHEAD_GPU_PROGRAM"], "launch", 500)
            self.assertEqual(place.ask(recording, steps.KERNELS), 500)
            self.assertEqual(place.lost_in(recording), {})
            self.assertGreaterEqual(place.ask(recording, steps.CLOCK_ERROR) or 0, 0)
            self.assertIn("500 kernels", steps.keep(place, recording))


class Reports(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.place = steps.Place(build=self.folder, out=self.folder)
        self.report = gpu_run.Report(self.place)

    def verdict(self, error=None):
        def step(_):
            if error:
                raise error
            return "1 us"
        with contextlib.redirect_stdout(io.StringIO()):
            self.report.step("a step", step)
        return json.loads((self.folder / "gpu.json").read_text())["rows"][-1]["verdict"]

    def test_what_a_step_raises_is_its_verdict(self):
        self.assertEqual(self.verdict(), "ok")
        self.assertEqual(self.verdict(steps.NotHere("x")), "not here")
        self.assertTrue(self.report.held())
        self.assertEqual(self.verdict(steps.Missed("x")), "MISSED")
        self.assertFalse(self.report.held())
        self.assertEqual(self.verdict(subprocess.TimeoutExpired("x", 1)), "FAILED")

    def test_every_row_is_written_as_soon_as_it_is_known(self):
        self.verdict()
        self.assertIn("| a step | ok | 1 us |", (self.folder / "gpu.md").read_text())

    def test_after_the_limit_no_step_begins(self):
        self.place.ends = time.monotonic()
        self.assertEqual(self.verdict(), "no time")
        self.assertFalse(self.report.held())


class WithoutAToolkit(unittest.TestCase):
    def test_cublas_and_cupti_are_taken_from_pythons_packages(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            base = folder / "site" / "nvidia" / "cu13"
            for file in ("include/cublas_v2.h", "lib/libcublas.so.13", "lib/libcupti.so.13"):
                (base / file).parent.mkdir(parents=True, exist_ok=True)
                (base / file).write_text(file)
            script = f"import sys; sys.path.insert(0, {str(folder / 'site')!r}); import nvidia; print(*nvidia.__path__)"
            python, sys.executable = sys.executable, str(folder / "python")
            self.addCleanup(setattr, sys, "executable", python)
            pathlib.Path(sys.executable).write_text(f"#!/bin/sh\nexec '{python}' -c \"{script}\"\n")
            pathlib.Path(sys.executable).chmod(0o755)
            made = gpu_run.cuda_of_python(folder / "cuda")
            self.assertEqual((made / "lib" / "libcupti.so").read_text(), "lib/libcupti.so.13")
            self.assertEqual((made / "include" / "cublas_v2.h").read_text(), "include/cublas_v2.h")
            # a second call also works, although the links exist already
            self.assertEqual(gpu_run.cuda_of_python(folder / "cuda"), made)


if __name__ == "__main__":
    unittest.main(verbosity=1)
