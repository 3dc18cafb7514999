#!/usr/bin/env python3
"""Tests scripts/lab/kineto_events.py with the rows of a small recording."""
import collections
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "scripts/lab"))
import kineto_events  # noqa: E402

MAIN, WORKER, STREAM = 1, 2, 3


class Rows:
    """What kineto_events.Recording reads."""

    def __init__(self, barrier="none"):
        self.barrier = barrier
        self.tracks = {MAIN: {"device": "", "pid": 10, "tid": 11}, WORKER: {"device": "", "pid": 10, "tid": 12},
                       STREAM: {"device": "virtual:0", "pid": 10, "tid": 13}}
        self.host, self.work, self.ready, self.points = [], [], {}, {}

    def on_host(self, kind, name, ts, dur, op=None):
        self.host.append({"ts": ts, "dur": dur, "name": name, "kind": kind, "track": MAIN, "op": op, "bytes": 0, "flags": ""})

    def op(self, number, name, enqueued, begin, dur, track=STREAM, kind="execute"):
        self.on_host("enqueue", name, enqueued, 10, number)
        self.ready[number] = enqueued + 4
        self.work.append({"ts": begin, "dur": dur, "name": name, "kind": kind, "track": track, "op": number, "bytes": 64, "flags": ""})

    def writer(self):
        self.host.sort(key=lambda row: (row["ts"], -row["dur"]))
        self.work.sort(key=lambda row: row["ts"])
        return kineto_events.Writer(self)

    def events(self):
        found = collections.defaultdict(list)
        for event in self.writer().trace()["traceEvents"]:
            found[event["cat"]].append(event)
        return found


class KinetoEvents(unittest.TestCase):
    def test_an_op_is_an_operator_a_launch_and_a_kernel(self):
        rows = Rows()
        rows.op(7, "matmul", 1000, 2000, 500)
        events = rows.events()
        launch, kernel = events["cuda_runtime"][0], events["kernel"][0]
        self.assertEqual(events["cpu_op"][0]["name"], "matmul")
        self.assertEqual((launch["name"], launch["ts"], launch["dur"]), ("cudaLaunchKernel", 1.004, 0.006))
        self.assertEqual((kernel["ts"], kernel["dur"], kernel["args"]["device"]), (2.0, 0.5, 0))
        self.assertEqual(kernel["args"]["correlation"], launch["args"]["correlation"])

    def test_a_copy_is_a_memcpy(self):
        rows = Rows()
        rows.op(7, "copy to host", 1000, 2000, 500, kind="copy_to_host")
        events = rows.events()
        self.assertEqual(events["cuda_runtime"][0]["name"], "cudaMemcpyAsync")
        self.assertEqual(events["gpu_memcpy"][0]["args"]["bytes"], 64)

    def test_each_worker_and_each_stream_has_a_number(self):
        rows = Rows()
        rows.op(7, "a", 1000, 2000, 500)
        rows.op(8, "b", 1100, 2000, 500, track=WORKER)
        places = {(kernel["args"]["device"], kernel["args"]["stream"]) for kernel in rows.events()["kernel"]}
        self.assertEqual(len(places), 2)
        self.assertEqual(len({device for device, _ in places}), 2)

    def test_a_wait_of_the_barrier_is_in_no_operator_and_one_of_the_workload_is(self):
        rows = Rows("wait_to_read")
        rows.on_host("step", "step", 900, 9000)
        rows.op(7, "a", 1000, 2000, 500)
        rows.on_host("wait", "item", 1100, 1500, 7)
        rows.points = {MAIN: [3000]}
        rows.on_host("wait", "wait_to_read", 3010, 100, 7)
        rows.on_host("wait", "waitall", 4000, 100)
        events = rows.events()
        operators = [(event["name"], event["ts"]) for event in events["cpu_op"]]
        self.assertEqual(operators, [("a", 1.0), ("aten::item", 1.1), ("workload::wait", 4.0)])
        waits = [event["name"] for event in events["cuda_runtime"][1:]]
        self.assertEqual(waits, ["cudaEventSynchronize", "cudaEventSynchronize", "cudaDeviceSynchronize"])
        self.assertEqual([event["name"] for event in events["user_annotation"]], ["ProfilerStep#1"])

    def test_a_wait_that_held_the_frontend_is_one_of_the_barrier(self):
        rows = Rows("ops:2")
        rows.on_host("wait", "held by ops:2", 1100, 1500)
        self.assertEqual(rows.events()["cpu_op"], [])

    def test_the_copy_that_the_frontend_makes_itself_is_not_in_the_call(self):
        rows = Rows()
        rows.on_host("wait", "asnumpy", 1000, 1500, 7)
        rows.on_host("copy_to_host", "copy to host", 2000, 400)
        call = rows.events()["cuda_runtime"][0]
        self.assertEqual((call["ts"], call["dur"]), (1.0, 1.0))

    def test_a_wait_for_all_is_a_call_for_each_device(self):
        rows = Rows("waitall")
        rows.op(7, "a", 1000, 2000, 500)
        rows.op(8, "b", 1100, 2000, 900, track=WORKER)
        rows.on_host("wait", "waitall", 1200, 2000)
        calls = [event for event in rows.events()["cuda_runtime"] if event["name"] == "cudaDeviceSynchronize"]
        self.assertEqual([(call["ts"], call["dur"]) for call in calls], [(1.2, 1.3), (2.5, 0.7)])

    def test_work_that_ran_after_work_that_was_launched_later_is_counted(self):
        rows = Rows()
        rows.op(7, "a", 1000, 3000, 500)
        rows.op(8, "b", 1100, 2000, 500)
        self.assertEqual(rows.writer().share_out_of_order(), 0.5)


if __name__ == "__main__":
    unittest.main()
