#!/usr/bin/env python3
"""Stops, slows and kills programs and their watchers, and checks that the other side goes on.

  watcher_test.py [--rounds N]     N random kills (default 6)
Environment: RUNAHEAD (our program), RUNAHEAD_PROGRAM (tests/cli/recorded_program), RUNAHEAD_TEST_SEED.
"""
import json
import os
import pathlib
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

from ssh_test import until

RUNAHEAD = os.environ.get("RUNAHEAD", "")
PROGRAM = os.environ.get("RUNAHEAD_PROGRAM", "")
ROUNDS = 6


class Watchers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ra-watch-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.environment = {**os.environ, "XDG_RUNTIME_DIR": str(self.folder)}
        self.started = []
        self.addCleanup(self.end_all)

    def end_all(self):
        for process in self.started:
            if process.poll() is None:
                process.kill()
            process.communicate()

    def start(self, words, **environment):
        process = subprocess.Popen(words, env={**self.environment, **environment}, text=True, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        self.started.append(process)
        return process

    def program(self, name="own"):
        """A program that records until SIGINT, and has begun."""
        mark, recording = self.folder / f"{name}.mark", self.folder / f"{name}.runahead"
        process = self.start([PROGRAM, "handles", mark], RUNAHEAD_RECORD=str(recording))
        until(lambda: mark.exists() or process.poll() is not None, "the program runs")
        self.assertIsNone(process.poll(), "the program ended at once")
        return process, recording

    def watcher(self, program, *words):
        return self.start([RUNAHEAD, "attach", str(program.pid), "--headless", "--json", *words])

    def ended(self, process, *exit_codes):
        out, err = process.communicate(timeout=60)
        self.assertIn(process.returncode, exit_codes, out + err)
        return json.loads(out) if out.startswith("{") else out

    def info(self, recording):
        told = subprocess.run([RUNAHEAD, "info", recording, "--json"], text=True, capture_output=True)
        self.assertEqual(told.returncode, 0, told.stderr)
        return json.loads(told.stdout)

    def end(self, program, recording):
        """The program ends when it is asked to, and its recording has everything."""
        program.send_signal(signal.SIGINT)
        self.ended(program, 4)
        info = self.info(recording)
        self.assertEqual(info["lost"], {})
        self.assertEqual(info["metadata"]["recording.ended"], "yes")
        return info

    def has_open(self, process, path):
        try:
            return any(file.resolve() == path.resolve() for file in pathlib.Path(f"/proc/{process.pid}/fd").iterdir())
        except OSError:  # a file was closed meanwhile
            return False

    def size_grows(self, recording):
        before = recording.stat().st_size
        until(lambda: recording.stat().st_size > before, "the program writes on")

    def test_a_stopped_or_slow_watcher_does_not_hold_up_the_program(self):
        program, recording = self.program()
        watcher = self.watcher(program)
        until(lambda: self.has_open(watcher, recording) or watcher.poll() is not None, "the watcher reads the recording")
        self.size_grows(recording)
        watcher.send_signal(signal.SIGSTOP)
        for _ in range(5):
            self.size_grows(recording)
        watcher.send_signal(signal.SIGCONT)
        self.size_grows(recording)
        for _ in range(20):  # a watcher that is slow: it runs half of the time
            watcher.send_signal(signal.SIGSTOP)
            time.sleep(0.01)
            watcher.send_signal(signal.SIGCONT)
            time.sleep(0.01)
        self.size_grows(recording)
        slices = self.end(program, recording)["slices"]
        report = self.ended(watcher, 0)
        self.assertTrue(report["ended"])
        self.assertLessEqual(report["slices"], slices)

    def test_noise_does_not_disturb_the_program(self):
        program, recording = self.program()
        place = until(lambda: list(self.folder.glob(f"runahead/{program.pid}.sock")), "the port is open")[0]
        for noise in (b"", b"\0" * 60000, os.urandom(60000), b"set\t\t", b"list\tlist", b"set\tx\t1"):
            with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as peer:
                peer.connect(str(place))
                peer.recv(1 << 16)
                if noise:
                    peer.send(noise)
        self.size_grows(recording)
        self.end(program, recording)

    def test_random_kills_of_either_side(self):
        seed = int(os.environ.get("RUNAHEAD_TEST_SEED", "0"), 0) or random.randrange(1 << 32)
        print(f"RUNAHEAD_TEST_SEED={seed}", flush=True)
        chance = random.Random(seed)
        for turn in range(ROUNDS):
            program, recording = self.program(f"turn{turn}")
            copy = self.folder / f"copy{turn}.runahead"
            watcher = self.watcher(program, *(["-o", copy] if chance.random() < 0.5 else []))
            time.sleep(chance.uniform(0, 0.3))  # the moment of the kill
            if chance.random() < 0.5:
                watcher.kill()
                watcher.communicate()
                self.size_grows(recording)
                self.end(program, recording)
            else:
                program.kill()
                program.communicate()
                out, err = watcher.communicate(timeout=60)
                if watcher.returncode == 0:  # else the watcher came too late, and says so
                    report = json.loads(out)
                    self.assertFalse(report["ended"])
                    if copy.exists():
                        self.assertEqual(self.info(copy)["slices"], report["slices"])
                else:
                    self.assertEqual(len(err.strip().splitlines()), 1, err)
                self.info(recording)
            for file in (recording, copy):
                file.unlink(missing_ok=True)


if __name__ == "__main__":
    if "--rounds" in sys.argv:
        at = sys.argv.index("--rounds")
        ROUNDS = int(sys.argv[at + 1])
        del sys.argv[at:at + 2]
    unittest.main(verbosity=2)
