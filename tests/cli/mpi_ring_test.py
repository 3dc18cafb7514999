#!/usr/bin/env python3
"""Puts four MPI ranks on one timeline: live, and from their recordings. An offset and a drift are put into the clock of
one rank, and the messages of the ring must give them back.

Environment: RUNAHEAD (our program), MPI_RING (samples/programs/mpi_ring), SKEWED_RECORDING (skewed_recording.cpp).
Options: --rounds N, --offset-ns N, --ppm X; --print prints what was recovered. Exit 77: there is no mpirun.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

RUNAHEAD, RING, SKEWED = (os.environ.get(name, "") for name in ("RUNAHEAD", "MPI_RING", "SKEWED_RECORDING"))
RANKS, SKEWED_RANK = 4, 2
OPTIONS = argparse.Namespace(rounds=1000, offset_ns=5_000_000_000, ppm=50.0, print=False)
# mpirun refuses to run as root, and to start more processes than there are processors, unless it is told to.
MPI = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
       "OMPI_MCA_rmaps_base_oversubscribe": "1"}
# Open MPI leaks memory, so the address sanitizer does not look for leaks in the ranks.
RANKS_ASAN = f"ASAN_OPTIONS={os.environ.get('ASAN_OPTIONS', '')}:detect_leaks=0"


def run(*words, **options):
    done = subprocess.run([str(word) for word in words], text=True, capture_output=True, timeout=200, **options)
    if done.returncode != 0:
        raise AssertionError(f"{words}: exit {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def flows(recording):
    """The arrows by message: when it left, and when it arrived, in ns."""
    rows = json.loads(run(RUNAHEAD, "query", recording, "--json", "SELECT message, from_ts, to_ts FROM flow"))["rows"]
    return {message: (left, arrived) for message, left, arrived in rows}


def rank_of(recording):
    return int(json.loads(run(RUNAHEAD, "info", recording, "--json"))["metadata"]["process.rank"])


class MpiRing(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ra-mpi-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.command = ["mpirun", "-x", RANKS_ASAN, "-n", RANKS, RING, OPTIONS.rounds]

    def test_all_ranks_are_live_on_one_timeline_with_an_arrow_for_each_message(self):
        kept = self.folder / "live.runahead"
        report = json.loads(run(RUNAHEAD, "live", "--headless", "--json", "-o", kept, "--", *self.command, env=MPI))
        self.assertEqual((report["processes"], report["lost"], report["ended"]), (RANKS, {}, True))
        arrows = flows(kept)
        self.assertEqual(len(arrows), RANKS * OPTIONS.rounds)
        for left, arrived in arrows.values():
            self.assertGreater(arrived, left)
        groups = json.loads(run(RUNAHEAD, "query", kept, "--json",
                                "SELECT name FROM track WHERE parent IS NULL AND kind = 'group'"))["rows"]
        self.assertEqual(sorted(name.split(":")[0] for (name,) in groups), [f"rank {rank}" for rank in range(RANKS)])
        self.assertEqual(list(self.folder.iterdir()), [kept])

    def test_messages_give_back_an_offset_and_a_drift(self):
        run(RUNAHEAD, "record", "-o", self.folder / "ring.runahead", "--", *self.command, env=MPI)
        recordings = {rank_of(path): path for path in self.folder.iterdir()}
        self.assertEqual(sorted(recordings), list(range(RANKS)))
        skewed = self.folder / "skewed.runahead"
        run(SKEWED, recordings[SKEWED_RANK], skewed, OPTIONS.offset_ns, OPTIONS.ppm)
        true, found = self.folder / "true.runahead", self.folder / "found.runahead"
        true_report = self.merge(recordings, true)
        found_report = self.merge({**recordings, SKEWED_RANK: skewed}, found)
        self.assertEqual([process["clock"] for process in true_report["processes"]], ["reference"] + 3 * ["shared"])
        clock = found_report["processes"][SKEWED_RANK]
        self.assertEqual(clock["clock"], "messages")
        truth, aligned = flows(true), flows(found)
        self.assertEqual(truth.keys(), aligned.keys())
        errors = [abs(aligned[message][end] - truth[message][end]) for message in truth for end in (0, 1)]
        self.assertLessEqual(max(errors), clock["error_ns"] + 2)
        self.assertLess(clock["error_ns"], 1_000_000)  # a thousandth of what an unaligned clock would be off
        if OPTIONS.print:
            print(f"injected {OPTIONS.offset_ns / 1e9} s and {OPTIONS.ppm} ppm, {OPTIONS.rounds} rounds: found {-clock['drift_ppm']:.3f} "
                  f"ppm; stated error of the times {clock['error_ns']} ns, largest true error {max(errors)} ns")

    def merge(self, recordings, out):
        return json.loads(run(RUNAHEAD, "merge", *(recordings[rank] for rank in range(RANKS)), "-o", out, "--json"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=OPTIONS.rounds)
    parser.add_argument("--offset-ns", type=int, default=OPTIONS.offset_ns)
    parser.add_argument("--ppm", type=float, default=OPTIONS.ppm)
    parser.add_argument("--print", action="store_true")
    OPTIONS, rest = parser.parse_known_args()
    if not shutil.which("mpirun") or not RING:
        print("there is no mpirun, or the ring was not built")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
