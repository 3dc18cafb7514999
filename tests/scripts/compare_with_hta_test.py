#!/usr/bin/env python3
"""Tests scripts/lab/compare-with-hta on a small trace of PyTorch's profiler. RUNAHEAD is the program."""
import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import pathlib
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def load_script():
    loader = importlib.machinery.SourceFileLoader("compare_with_hta", str(ROOT / "scripts/lab/compare-with-hta"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("compare_with_hta", loader))
    loader.exec_module(module)
    return module


script = load_script()


class Trace:
    """One thread, and streams of GPU 0. Times are in us."""

    def __init__(self):
        self.events = []

    def call(self, name, begin, duration, correlation):
        self.events.append({"ph": "X", "cat": "cuda_runtime", "name": name, "pid": 100, "tid": 100, "ts": begin, "dur": duration,
                            "args": {"correlation": correlation}})

    def work(self, name, stream, begin, duration, correlation, category="kernel"):
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": 0, "tid": stream, "ts": begin, "dur": duration,
                            "args": {"stream": stream, "correlation": correlation}})

    def launch(self, name, call, stream, begin, duration, correlation, call_name="cudaLaunchKernel"):
        self.call(call_name, call, 5, correlation)
        self.work(name, stream, begin, duration, correlation)
        for phase, pid, tid, ts in (("s", 100, 100, call), ("f", 0, stream, begin)):
            self.events.append({"ph": phase, "cat": "ac2g", "name": "ac2g", "id": correlation, "pid": pid, "tid": tid, "ts": ts, "bp": "e"})

    def record(self, name, stream, begin, duration, correlation, wait_on=-1, record_call=-1):
        self.events.append({"ph": "X", "cat": "cuda_sync", "name": name, "pid": 0, "tid": stream, "ts": begin, "dur": duration,
                            "args": {"stream": stream, "correlation": correlation, "wait_on_stream": wait_on,
                                     "wait_on_cuda_event_record_corr_id": record_call}})


def two_streams():
    trace = Trace()
    trace.launch("first", 1000, 7, 1010, 100, 1)            # into an empty queue
    trace.launch("second", 1020, 7, 1115, 95, 2)            # waits for the first
    trace.call("cudaEventRecord", 1030, 2, 3)
    trace.call("cudaStreamWaitEvent", 1040, 2, 4)
    trace.record("Stream Wait Event", 20, 1041, 1, 4, wait_on=7, record_call=3)
    trace.launch("other", 1050, 20, 1212, 50, 5)            # waits for the second
    trace.call("cudaEventQuery", 1060, 2, 6)
    trace.record("Event Sync", -1, 1061, 1, 6, wait_on=7, record_call=3)
    trace.call("cudaDeviceSynchronize", 1070, 200, 7)
    trace.record("Context Sync", -1, 1071, 198, 7)
    trace.launch("of a graph", 1300, 7, 1310, 10, 8, call_name="cudaGraphLaunch")
    trace.call("cudaStreamSynchronize", 1305, 20, 9)        # not recorded
    return trace


class CompareWithHta(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "trace.json"

    def run_script(self, trace, *options, ours=script.Ours):
        self.path.write_text(json.dumps({"traceEvents": trace.events}), encoding="utf-8")
        out, err = io.StringIO(), io.StringIO()
        before, script.Ours = script.Ours, ours
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                code = script.main([str(self.path), "--runahead", os.environ["RUNAHEAD"], *options])
        finally:
            script.Ours = before
        return code, out.getvalue(), err.getvalue()

    def test_each_edge_is_in_both_or_has_a_reason(self):
        code, text, err = self.run_script(two_streams())
        self.assertEqual((code, err), (0, ""))
        for line in ("  in both: 1 launch, 2 stream order, 1 between streams, 1 completion",
                     "  only HTA: 1 completion: a query does not wait",
                     "  only HTA: 1 completion: work of another stream ended later",
                     "  only Runahead: 1 launch: HTA has the edge from the work before it instead: the queue was not empty",
                     "  only Runahead: 1 launch: HTA has the edge from the other stream instead",
                     "  only Runahead: 1 launch: HTA does not know the call cudaGraphLaunch",
                     "  only Runahead: 1 completion: no record of the synchronisation"):
            self.assertIn(line + "\n", text)

    def test_the_idle_time_of_a_stream_is_split_as_hta_splits_it(self):
        text = self.run_script(two_streams())[1]
        self.assertIn("  idle, HTA: stream 7 0.105 ms: host wait 0.100, kernel wait 0.005, other 0.000\n", text)
        self.assertIn("  idle, Runahead: gpu 0 ", text)

    def test_an_edge_that_only_hta_has_is_an_error(self):
        class Less(script.Ours):
            def read_order(self):
                self.edges["completion"], self.edges["stream_wait"] = [], []
                super().read_order()
        code, text, err = self.run_script(two_streams(), ours=Less)
        self.assertEqual((code, err), (1, "3 edges of HTA are not explained\n"))
        self.assertIn("  only HTA: 1 between streams: NOT EXPLAINED\n    second (2) -> other (5)\n", text)

    def test_the_list_names_the_edges(self):
        text = self.run_script(two_streams(), "--list")[1]
        self.assertIn("    second (2) -> cudaEventQuery (6)\n", text)


if __name__ == "__main__":
    unittest.main()
