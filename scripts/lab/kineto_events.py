"""Writes a recording of our engine as the trace that PyTorch's profiler (Kineto) would have written of the run.

    write_trace(program, "a.runahead", "a.json")

It measures what can be predicted from the events of Kineto alone (predict-pairs --as kineto). The times are those of
the recording. What is written:

| category | of the recording | in the trace |
|---|---|---|
| user_annotation | each step | ProfilerStep#N |
| cpu_op | each enqueue | a slice with the op's name, and the call that launches in it: cudaLaunchKernel, or cudaMemcpyAsync for a copy. The launch begins where the op could be ready: before, the engine looks up dependencies |
| kernel, gpu_memcpy | the execution of each op | a slice on a stream, with the correlation of its launch |
| cuda_runtime | a wait of the barrier | a call outside operators: cudaDeviceSynchronize for waitall, one for each device, otherwise cudaEventSynchronize |
| cpu_op, cuda_runtime | a wait of the workload itself | an operator (aten::item, aten::to or workload::wait) with the call that waits in it: so it is known from a wait of the barrier by its place. After a copy to the host the call is cudaStreamSynchronize, otherwise as for the barrier |

Devices: each stream of a simulated or real device is a stream. Each worker of device cpu is a stream of a device too.
That is a model: CUDA's streams execute their work in the order of the launches, and our engine executes ops in the
order in which they became ready. `share_out_of_order` says how often these differ. A copy that the frontend makes itself
is time of its operator.

What is left out: dependencies, the times at which ops were ready, memory and when the program drops its blocks, what a
wait waits for, where a step waits, which limit held the frontend, and the settings of the engine. Ops that were skipped
or never started have no slice.
"""
import bisect
import itertools
import json
import pathlib
import subprocess

WAITS_AT_POINTS = ("wait_to_read", "waitall", "item", "asnumpy", "print")
READS = {"item": "aten::item", "asnumpy": "aten::to", "print": "aten::to"}
OWN_WAIT = "workload::wait"  # wait_to_read and waitall that the barrier did not make
COPIES = {"copy_to_host": "Memcpy DtoH (Device -> Pinned)", "copy_to_device": "Memcpy HtoD (Pinned -> Device)",
          "copy_on_device": "Memcpy DtoD (Device -> Device)"}
FIRST_STREAM = 20  # not 7 or 0: the numbers of the default stream, for which CUDA has rules of its own
CONTEXT = 1
KINETO_TIMEOUT_S = 120


class Recording:
    """The rows of a recording that the trace is made of. Times are in nanoseconds."""

    def __init__(self, program, path):
        def rows(sql):
            done = subprocess.run([program, "query", str(path), sql, "--json"], capture_output=True, check=True, timeout=KINETO_TIMEOUT_S)
            answer = json.loads(done.stdout)
            return [dict(zip(answer["columns"], row)) for row in answer["rows"]]

        self.barrier = {row["key"]: row["value"] for row in rows("SELECT key, value FROM metadata")}.get("barrier", "none").split(":")[0]
        self.tracks = {row["id"]: row for row in rows("SELECT id, name, kind, device, pid, tid FROM track")}
        columns = "SELECT ts, dur, s.name, s.kind, track, op, bytes, flags FROM slice s JOIN track t ON t.id = track"
        self.host = rows(f"{columns} WHERE t.kind = 'frontend' ORDER BY ts, dur DESC")
        self.work = rows(f"{columns} WHERE t.kind IN ('worker', 'stream') ORDER BY ts")
        self.ready = {row["id"]: row["ready"] for row in rows("SELECT id, ready FROM op")}
        self.points = {}
        for row in rows("SELECT ts, track FROM instant WHERE name = 'wait point' ORDER BY ts"):
            self.points.setdefault(row["track"], []).append(row["ts"])


def end_of(row):
    return row["ts"] + row["dur"]


class Writer:
    """Makes the events of one recording."""

    def __init__(self, recording):
        self.rows, self.events = recording, []
        self.correlations = itertools.count(1)
        self.devices, self.streams = {}, {}  # names of devices, and tracks of streams, to their numbers
        ran = [row for row in recording.work if row["op"] and "skipped" not in (row["flags"] or "")]
        self.work = {row["op"]: row for row in reversed(ran)}  # an op that ran in parts: its first one
        self.launches = {row["op"]: self.launch_of(row) for row in recording.host if row["kind"] == "enqueue" and row["op"] in self.work}
        self.last_end = {}  # of each device: of all that was launched so far
        self.policy = self.waits_of_policy()

    def launch_of(self, row):
        """When the launch of an op began, in the slice of its enqueue."""
        ready = self.rows.ready.get(row["op"]) or end_of(row)
        return min(max(row["ts"], min(ready, end_of(row))), self.work[row["op"]]["ts"])

    def share_out_of_order(self):
        """The share of the work that its stream executed after work that was launched later. CUDA's streams never do."""
        latest, count = {}, 0
        for op, row in sorted(self.work.items(), key=lambda item: item[1]["ts"]):
            launched = self.launches.get(op, 0)
            count += launched < latest.get(row["track"], 0)
            latest[row["track"]] = max(latest.get(row["track"], 0), launched)
        return count / max(1, len(self.work))

    def device_of(self, work):
        return self.devices.setdefault(self.rows.tracks[work["track"]]["device"] or "cpu", len(self.devices))

    def stream_of(self, work):
        return self.streams.setdefault(work["track"], FIRST_STREAM + len(self.streams))

    def waits_of_policy(self):
        """The begins of the waits that the barrier made: those that hold a frontend, and the first one after the wait point
        of a step."""
        found = set()
        for track, points in [*self.rows.points.items(), *((t, []) for t in self.rows.tracks if t not in self.rows.points)]:
            slices = [row for row in self.rows.host if row["track"] == track]
            waits = [row["ts"] for row in slices if row["kind"] == "wait"]
            ends = sorted(end_of(row) for row in slices if row["kind"] == "step")
            found.update((track, row["ts"]) for row in slices if row["name"] == "window" or row["name"].startswith("held by"))
            for point in points if self.rows.barrier in WAITS_AT_POINTS else []:
                first, end = bisect.bisect_left(waits, point), bisect.bisect_left(ends, point)
                if first < len(waits) and end < len(ends) and waits[first] <= ends[end]:
                    found.add((track, waits[first]))
        return found

    def add(self, category, name, row, begin, end, **args):
        track = self.rows.tracks[row["track"]]
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": track["pid"], "tid": track["tid"], "ts": begin / 1e3,
                            "dur": max(end - begin, 0) / 1e3, **({"args": args} if args else {})})

    def add_call(self, name, row, begin, end):
        correlation = next(self.correlations)
        self.add("cuda_runtime", name, row, begin, end, correlation=correlation)
        return correlation

    def add_enqueue(self, row):
        self.add("cpu_op", row["name"], row, row["ts"], end_of(row))
        work = self.work.get(row["op"])
        if work is None:
            return
        is_copy = work["kind"] in COPIES
        correlation = self.add_call("cudaMemcpyAsync" if is_copy else "cudaLaunchKernel", row, self.launches[row["op"]], end_of(row))
        device, stream = self.device_of(work), self.stream_of(work)
        self.last_end[device] = max(self.last_end.get(device, 0), end_of(work))
        args = {"device": device, "context": CONTEXT, "stream": stream, "correlation": correlation}
        if is_copy:
            args["bytes"] = work["bytes"]
        self.events.append({"ph": "X", "cat": "gpu_memcpy" if is_copy else "kernel", "name": COPIES[work["kind"]] if is_copy else work["name"],
                            "pid": device, "tid": stream, "ts": work["ts"] / 1e3, "dur": work["dur"] / 1e3, "args": args})

    def add_wait(self, row, inner, copies):
        """`inner`: what the frontend did within the wait; `copies`: the copies to the host that it had just launched."""
        end = min([end_of(row), *(one["ts"] for one in inner if one["kind"] in COPIES)])
        if (row["track"], row["ts"]) not in self.policy:
            begin = copies[0]["ts"] if copies else row["ts"]
            self.add("cpu_op", READS.get(row["name"], OWN_WAIT), row, begin, end_of(row))
        if row["name"] == "waitall":
            self.add_device_waits(row, end)
        else:
            self.add_call("cudaStreamSynchronize" if copies else "cudaEventSynchronize", row, row["ts"], end)

    def add_device_waits(self, row, end):
        """One call for each device. Each returns when all that was launched on its device has ended."""
        begin, devices = row["ts"], list(self.devices.values())
        for device in devices:
            until = end if device == devices[-1] else min(max(begin, self.last_end.get(device, 0)), end)
            self.add_call("cudaDeviceSynchronize", row, begin, until)
            begin = until

    def trace(self):
        steps = itertools.count(1)
        before = None
        for place, row in enumerate(self.rows.host):
            if row["kind"] == "step":
                self.add("user_annotation", f"ProfilerStep#{next(steps)}", row, row["ts"], end_of(row))
            elif row["kind"] == "enqueue":
                self.add_enqueue(row)
                before = row
            elif row["kind"] == "wait":
                inner = list(itertools.takewhile(lambda one: one["ts"] < end_of(row), self.rows.host[place + 1:place + 8]))  # noqa: B023
                work = self.work.get(before["op"]) if before and before["op"] == row["op"] else None
                self.add_wait(row, inner, [before] if work and work["kind"] == "copy_to_host" else [])
        properties = [{"id": number, "name": name} for name, number in self.devices.items()]
        return {"schemaVersion": 1, "deviceProperties": properties, "traceEvents": self.events}


def write_trace(program, recording, path):
    """Returns share_out_of_order(). Raises OSError, subprocess.SubprocessError or ValueError if the recording cannot be
    read."""
    writer = Writer(Recording(program, recording))
    pathlib.Path(path).write_text(json.dumps(writer.trace()))
    return writer.share_out_of_order()
