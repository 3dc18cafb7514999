#!/usr/bin/env python3
"""Tests scripts/lab/measured on small files: medians, spreads, aims, and the messages about missing figures."""
import contextlib
import importlib.machinery
import importlib.util
import io
import json
import pathlib
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def load_script():
    loader = importlib.machinery.SourceFileLoader("measured", str(ROOT / "scripts/lab/measured"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("measured", loader))
    loader.exec_module(module)
    return module


measured = load_script()

CONTEXT = {"date": "2026-01-02T03:04:05+00:00", "num_cpus": 2, "machine": "2 x Test CPU", "commit": "abc", "load_avg": [0.25]}
AIMS = {"programs": [{"program": "bench_engine", "title": "Engine", "command": "scripts/bench engine", "rows": [
    {"what": "chain", "benchmark": "run/chain", "unit": "ns per op", "figure": "op_ns", "aim": 90},
    {"what": "recorded chain", "benchmark": "run/recorded", "unit": "ns per op", "figure": "op_ns"},
    {"what": "recording adds", "benchmark": "run/recorded", "minus": "run/chain", "unit": "ns per op", "figure": "op_ns", "aim": 30},
    {"what": "whole, wall time", "benchmark": "run/chain", "unit": "us", "figure": "real_time"},
    {"what": "rate", "benchmark": "run/rate", "unit": "ops/s", "figure": "items_per_second", "aim": 5, "at_least": True},
    {"what": "of an item", "benchmark": "run/rate", "unit": "us", "figure": "time_per_item"},
    {"what": "gone", "benchmark": "run/gone", "unit": "ns", "aim": 1}]}]}


def repetition(name, index, **figures):
    return {"name": name, "run_name": name, "run_type": "iteration", "repetition_index": index, "real_time": 1.5, "cpu_time": 1.25,
            "time_unit": "ms", **figures}


REPETITIONS = [repetition("run/chain/real_time", i, op_ns=ns) for i, ns in enumerate([80, 85, 100])] + [
    repetition("run/recorded/iterations:7", i, op_ns=ns) for i, ns in enumerate([130, 120, 125])] + [
    repetition("run/rate", 0, items_per_second=4e6), repetition("other/threads:2", 0)] + [
    {"name": "run/chain/real_time_median", "run_name": "run/chain/real_time", "run_type": "aggregate", "aggregate_name": "median",
     "real_time": 9, "cpu_time": 9, "time_unit": "ms", "op_ns": 9}]


class Measured(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "bench").mkdir()
        self.write("aims.json", AIMS)

    def write(self, name, content):
        (self.folder / name).write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")

    def run_script(self, commit="abc"):
        """Returns the exit code, the document and stderr."""
        out, err = io.StringIO(), io.StringIO()
        target = self.folder / "measured.md"
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = measured.main(["--bench", str(self.folder / "bench"), "--aims", str(self.folder / "aims.json"), "--out", str(target),
                                  "--commit", commit])
        return code, target.read_text(encoding="utf-8") if target.exists() else "", err.getvalue()

    def test_a_figure_is_the_median_with_its_spread_and_aim(self):
        self.write("bench/bench_engine.json", {"context": CONTEXT, "benchmarks": REPETITIONS})
        code, text, _ = self.run_script()
        self.assertEqual(code, 0)
        for line in ("| chain | ns per op | 85 | 80 to 100 | 90: met |",
                     "| recorded chain | ns per op | 125 | 120 to 130 |  |",
                     "| recording adds | ns per op | 40 |  | 30: MISSED |",
                     "| whole, wall time | us | 1,500 | 1,500 to 1,500 |  |",
                     "| rate | ops/s | 4,000,000 |  | at least 5: met |",
                     "| of an item | us | 0.25 |  |  |",
                     "| `other/threads:2` | ns | 1,250,000 |  |",
                     "Machine: 2 x Test CPU. Commit: abc. Date: 2026-01-02T03:04:05+00:00. Load at the start: 0.25.",
                     "Command: `scripts/bench engine`."):
            self.assertIn(line + "\n", text + "\n")

    def test_what_was_not_measured_says_so_and_keeps_its_aim(self):
        self.write("bench/bench_engine.json", {"context": CONTEXT, "benchmarks": REPETITIONS})
        self.assertIn("| gone | ns | not measured on this commit |  | 1 |\n", self.run_script()[1])

    def test_without_files_every_figure_is_open(self):
        code, text, _ = self.run_script()
        self.assertEqual(code, 0)
        self.assertIn("Nothing has been measured on this commit yet.\n", text)
        self.assertEqual(text.count("| not measured on this commit |"), 7)

    def test_figures_of_another_commit_are_not_shown(self):
        self.write("bench/bench_engine.json", {"context": CONTEXT, "benchmarks": REPETITIONS})
        text = self.run_script(commit="def")[1]
        self.assertIn("The JSON file has figures of commit abc. They are not shown.\n", text)
        self.assertEqual(text.count("| not measured on this commit |"), 7)

    def test_a_file_of_aggregates_gives_their_median_and_variation(self):
        aggregates = [{"name": f"run/chain_{kind}", "run_name": "run/chain", "run_type": "aggregate", "aggregate_name": kind, "real_time": 2,
                       "cpu_time": 2, "time_unit": "us", "op_ns": value} for kind, value in (("mean", 86), ("median", 85.5), ("cv", 0.0312))]
        self.write("bench/bench_engine.json", {"context": CONTEXT, "benchmarks": aggregates})
        self.assertIn("| chain | ns per op | 85.5 | cv 3.1 % | 90: met |\n", self.run_script()[1])

    def test_a_failed_benchmark_has_no_figure(self):
        failed = {**repetition("run/chain", 0, op_ns=1), "error_occurred": True, "error_message": "lost"}
        self.write("bench/bench_engine.json", {"context": CONTEXT, "benchmarks": [failed]})
        self.assertIn("| chain | ns per op | not measured on this commit |  | 90 |\n", self.run_script()[1])

    def test_a_broken_file_is_named_in_one_line(self):
        self.write("bench/bench_engine.json", '{"benchmarks": [')
        code, text, err = self.run_script()
        self.assertEqual((code, text, err.count("\n")), (1, "", 1))
        self.assertIn("bench_engine.json: cannot be read", err)

    def test_numbers_have_three_digits_and_no_exponent(self):
        said = [measured.number(value) for value in (0, 0.0000165, 0.28, 1.2345, 45.67, 999.4, 1234.5, 5e7, -2.5)]
        self.assertEqual(said, ["0", "0.0000165", "0.28", "1.23", "45.7", "999", "1,234", "50,000,000", "-2.5"])

    def test_the_list_of_aims_names_programs_that_exist(self):
        aims = json.loads((ROOT / "scripts/lab/aims.json").read_text(encoding="utf-8"))
        for program in aims["programs"]:
            source = (ROOT / "tests/bench" / (program["program"] + ".cpp")).read_text(encoding="utf-8")
            for row in program["rows"]:
                with self.subTest(program=program["program"], what=row["what"]):
                    self.assertLessEqual({"what", "benchmark", "unit"}, row.keys())
                    self.assertIn(row["benchmark"].split("/")[0].split("<")[0], source)
                    if row.get("figure", "cpu_time") in ("cpu_time", "real_time", "time_per_item"):
                        self.assertIn(row["unit"], measured.NS)
                    elif row["figure"] not in ("items_per_second", "bytes_per_second"):
                        self.assertIn(f'"{row["figure"]}"', source)
        for row in aims["earlier"]["rows"]:
            self.assertIn(row["machine"], aims["earlier"]["machines"])


if __name__ == "__main__":
    unittest.main()
