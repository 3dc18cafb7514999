#!/usr/bin/env python3
"""Tests scripts/lab/predict-pairs with a program that gives known answers."""
import contextlib
import importlib.machinery
import importlib.util
import io
import json
import math
import os
import pathlib
import random
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True

# `run` takes 0.5 s for 100 steps, or 1 s with a barrier that waits. A device named virtual:6 fails a run, and virtual:7
# refuses a prediction. `predict` says 100 steps/s, whatever the change is.
PROGRAM = """#!{python}
import json, pathlib, sys
words = sys.argv[1:]
def value(flag): return words[words.index(flag) + 1] if flag in words else ""
if words[0] == "list":
    names = {{"plain": "cpu", "broken": "virtual:6", "refused": "virtual:7"}}
    print(json.dumps({{"workloads": [{{"name": n, "default_device": d, "workers": 1, "barriers": ["none", "waitall"]}} for n, d in names.items()]}}))
elif words[0] == "run":
    with open(__file__ + ".runs", "a") as runs: runs.write("recorded\\n" if value("--record") else "run\\n")
    if value("--device") == "virtual:6": sys.exit("runahead: the device is gone")
    if value("--record"): pathlib.Path(value("--record")).write_text(value("--device"))
    wall = 1.0 if value("--barrier") == "waitall" else 0.5
    print(json.dumps({{"steps_per_s": 100 / wall, "peak_bytes": 2000000, "wall_s": wall, "steps_s": wall, "blocked_s": 0, "final_wait_s": 0, "ops": 10,
        "late_ops": 0, "max_run_ahead_steps": 1, "held_by_limit": 0, "devices": [{{"ops": 10, "simulated": False}}]}}))
elif words[0] == "predict":
    if "virtual:7" in pathlib.Path(words[1]).read_text(): sys.exit("runahead: no prediction is made")
    figures = {{"steps_per_s": 100.0, "blocked_ratio": 0, "peak_bytes": 1000000, "max_run_ahead_steps": 1}}
    print(json.dumps({{"measured": figures, "replayed": figures, "drift": 0.001, "predicted": dict(figures, low=90.0, high=110.0)}}))
"""


def load_script():
    loader = importlib.machinery.SourceFileLoader("predict_pairs", str(ROOT / "scripts/lab/predict-pairs"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("predict_pairs", loader))
    loader.exec_module(module)
    return module


script = load_script()
KINDS = ["none", "wait_to_read", "waitall", "item", "asnumpy", "print", "window:2", "ops:100", "bytes:256M"]


def workload(name, workers=1):
    return {"name": name, "default_device": "cpu", "workers": workers, "barriers": KINDS}


class Draw(unittest.TestCase):
    def each_pair(self):
        for name in script.WORKLOADS:
            for turn in range(40):
                yield script.draw_pair(7, workload(name), turn)

    def test_b_differs_from_a(self):
        for pair in self.each_pair():
            self.assertNotEqual(script.run_words(pair, False), script.run_words(pair, True), pair)

    def test_each_workload_uses_each_of_its_devices(self):
        for name, (_, devices, _, _) in script.WORKLOADS.items():
            drawn = {tuple(script.draw_pair(7, workload(name), turn)["devices"]) for turn in range(len(devices))}
            self.assertEqual(drawn, {tuple(one) for one in devices})

    def test_a_run_on_simulated_devices_alone_never_changes_its_workers(self):
        for pair in self.each_pair():
            if "workers" in pair["changes"]:
                self.assertIn("cpu", pair["devices"])

    def test_the_same_seed_draws_the_same_pair(self):
        self.assertEqual(script.draw_pair(3, workload("warmup"), 5), script.draw_pair(3, workload("warmup"), 5))
        self.assertNotEqual(script.draw_pair(3, workload("warmup"), 5), script.draw_pair(4, workload("warmup"), 5))

    def test_predict_and_run_get_the_same_changes(self):
        pair = {"workload": "warmup", "devices": ["cpu"], "parameters": {}, "changes": {"alloc": "execute", "limit_ops": 5},
                "settings": {"barrier": "none", "alloc": "enqueue", "order": "fifo", "workers": 1}}
        self.assertIn("alloc=execute", script.predict_words(pair, "a"))
        words = script.run_words(pair, True)
        self.assertEqual(words[words.index("--alloc") + 1], "execute")
        self.assertEqual(words[words.index("--limit") + 1], "ops:5")

    def test_drawn_numbers_stay_in_their_range(self):
        rng = random.Random(1)
        self.assertTrue(all(2 <= script.log_uniform(rng, 2, 300) <= 300 for _ in range(1000)))


class Figures(unittest.TestCase):
    def test_p90_is_a_nearest_rank(self):
        self.assertEqual(script.p90(list(range(1, 11))), 9)
        self.assertEqual(script.p90([4]), 4)

    def test_the_noise_is_the_error_of_the_first_run_as_a_prediction_of_the_others(self):
        runs = [{"steps_per_s": rate} for rate in (90, 100, 110, 95)]
        self.assertAlmostEqual(script.repeat_error(runs, "steps_per_s"), 0.1)
        self.assertIsNone(script.repeat_error(runs[:1], "steps_per_s"))

    def test_each_prediction_is_compared_with_the_run_after_its_recording(self):
        runs = [{"steps_per_s": rate} for rate in (100, 200, 400)]
        self.assertAlmostEqual(script.next_run_error([110, 180, 408], runs), 0.02)  # of +10 %, -10 % and +2 %
        self.assertAlmostEqual(script.next_run_error([None, 180, 360], runs), 0.1)
        self.assertIsNone(script.next_run_error([None, None, None], runs))

    def test_the_prediction_of_a_pair_is_the_median_of_each_figure(self):
        predictions = [{"drift": drift, "predicted": {"low": low, "peak_bytes": peak}, "notes": [str(low)]}
                       for drift, low, peak in ((0.3, 90, None), (0.1, 80, 7), (0.2, 100, 8))]
        self.assertEqual(script.median_prediction(predictions),
                         {"drift": 0.2, "predicted": {"low": 90, "peak_bytes": None}, "notes": ["90"]})

    def test_a_pair_without_a_prediction_is_an_error_without_a_bound(self):
        known = {key: 0.1 for key in ("error", "next_run_error", "peak_error", "holds", "half_width", "drift", "peak_drift", "same_error", "same_peak_error",
                                      "recording_error", "recording_peak_error", "floor", "peak_floor", "single_error", "single_peak_error")}
        summary = script.Summary([dict(known, state="predicted"), {"state": "refused"}])
        self.assertEqual(summary.errors, [0.1])
        self.assertEqual(summary.all_errors, [0.1, math.inf])


class Script(unittest.TestCase):
    def measure(self, *words):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "runahead"
            program.write_text(PROGRAM.format(python=sys.executable))
            program.chmod(0o755)
            rows = os.path.join(folder, "rows.json")
            out = io.StringIO()
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
                code = script.main(["--program", str(program), "--repeat", "2", "--json", rows, "--keep", os.path.join(folder, "keep"), *words])
            self.assertEqual(code, 0)
            self.runs = pathlib.Path(f"{program}.runs").read_text().split()
            self.kept = sorted(os.listdir(os.path.join(folder, "keep")))
            return out.getvalue(), json.loads(pathlib.Path(rows).read_text())["rows"]

    def test_failed_and_refused_pairs_stay_in_the_table(self):
        text, rows = self.measure("--pairs", "3")
        self.assertEqual([row["state"] for row in rows], ["predicted", "failed", "refused"])
        self.assertIn("3 pairs: 1 predicted, 1 refused, 1 failed", text)
        self.assertIn("the device is gone", text)
        self.assertIn("no prediction is made", text)
        self.assertEqual(len(rows[2]["runs_a"]), 2)  # for the spread of A

    def test_runs_that_warm_up_come_first_and_are_not_measured(self):
        _, rows = self.measure("--pairs", "1", "--only", "plain", "--warm-up", "2")
        self.assertEqual(self.runs, ["run"] * 4 + ["recorded"] * 4)
        self.assertEqual([len(rows[0]["runs_a"]), len(rows[0]["runs_b"])], [2, 2])

    def test_an_error_is_relative_to_the_run_of_b(self):
        _, rows = self.measure("--pairs", "8", "--only", "plain")
        for row in rows:
            self.assertAlmostEqual(row["error"], abs(100 - row["true_steps_per_s"]) / row["true_steps_per_s"])
            self.assertEqual(row["predicted_rates"], [100.0, 100.0])
            self.assertAlmostEqual(row["next_run_error"], abs(100 - row["true_steps_per_s"]) / row["true_steps_per_s"])
            self.assertAlmostEqual(row["peak_error"], 0.5)
            self.assertEqual(row["holds"], row["true_steps_per_s"] == 100)
        self.assertEqual({row["true_steps_per_s"] for row in rows}, {100.0, 200.0})

    def test_the_recordings_of_a_and_b_are_kept(self):
        self.measure("--pairs", "1", "--only", "plain")
        self.assertEqual(self.kept, [f"pair-001-plain-{run}.runahead" for run in ("a", "a2", "b", "b2")])

    def test_a_disturbed_run_is_made_again_while_there_is_patience(self):
        shares = iter([0.5, 0.3] + [0.05] * 100)
        script.disturbed, kept = lambda action: (action(), next(shares)), script.disturbed
        script.WAIT_FOR_CALM_S, wait_s = 0, script.WAIT_FOR_CALM_S
        try:
            _, rows = self.measure("--pairs", "1", "--only", "plain", "--patience", "3")
            self.assertEqual([run["others"] for run in rows[0]["runs_a"]], [0.05, 0.05])
            self.assertEqual(self.runs.count("recorded"), 6)
            shares = iter([0.5] * 100)
            _, rows = self.measure("--pairs", "1", "--only", "plain", "--patience", "3")
            self.assertLess(self.runs.count("recorded"), 20)  # each run takes 0.5 or 1 s of the patience
            self.assertEqual(rows[0]["runs_a"][0]["others"], 0.5)
        finally:
            script.disturbed, script.WAIT_FOR_CALM_S = kept, wait_s

    def test_calm_pairs_are_taken_over_and_the_others_measured(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "runahead"
            program.write_text(PROGRAM.format(python=sys.executable))
            program.chmod(0o755)
            rows = pathlib.Path(folder) / "rows.json"
            words = ["--program", str(program), "--pairs", "3", "--only", "plain", "--repeat", "2", "--warm-up", "0", "--json", str(rows), "--keep", folder, "--go-on"]

            def start():
                with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                    self.assertEqual(script.main(words), 0)
                return json.loads(rows.read_text())

            kept = script.disturbed
            try:
                script.disturbed = lambda action: (action(), 0.01)
                before = start()
                before["rows"][1]["runs_b"][0]["others"] = 0.3  # of two runs
                rows.write_text(json.dumps(before))
                script.disturbed = lambda action: (action(), 0.02)
                after = start()
            finally:
                script.disturbed = kept
            self.assertEqual([row["number"] for row in after["rows"]], [1, 2, 3])
            self.assertEqual([row["runs_b"][0]["others"] for row in after["rows"]], [0.01, 0.02, 0.01])
            self.assertEqual(pathlib.Path(f"{program}.runs").read_text().split().count("recorded"), 4 * 4)

    def test_kept_recordings_are_predicted_from_again(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "runahead"
            first, second, keep = (os.path.join(folder, name) for name in ("first.json", "second.json", "keep"))

            def start(figures, *words):
                program.write_text(PROGRAM.format(python=sys.executable).replace('"steps_per_s": 100.0', f'"steps_per_s": {figures}'))
                program.chmod(0o755)
                with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                    self.assertEqual(script.main(["--program", str(program), "--keep", keep, *words]), 0)

            start("100.0", "--pairs", "3", "--repeat", "2", "--json", first)
            runs = pathlib.Path(f"{program}.runs").read_text()
            start("150.0", "--again", first, "--json", second)
            self.assertEqual(pathlib.Path(f"{program}.runs").read_text(), runs)  # nothing ran
            before, after = (json.loads(pathlib.Path(file).read_text()) for file in (first, second))
            self.assertEqual([before["seed"], before["repeat"]], [after["seed"], after["repeat"]])
            self.assertEqual([row["state"] for row in after["rows"]], ["predicted", "failed", "refused"])
            self.assertEqual(after["rows"][0]["prediction"]["predicted"]["steps_per_s"], 150)
            self.assertEqual(after["rows"][0]["runs_b"], before["rows"][0]["runs_b"])
            true = after["rows"][0]["true_steps_per_s"]
            self.assertAlmostEqual(after["rows"][0]["error"], abs(150 - true) / true)


if __name__ == "__main__":
    unittest.main()
