#!/usr/bin/env python3
"""Watches programs over ssh: `runahead attach ssh://HOST -- COMMAND` with a real sshd on a loopback port. The test
starts sshd with keys of its own, and ends it.

`--half 0` and `--half 1` each run every second case. Environment: RUNAHEAD (our program), RUNAHEAD_PROGRAM
(tests/cli/recorded_program). Exit 77: there is no sshd.
"""
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

SSHD = shutil.which("sshd") or shutil.which("sshd", path="/usr/sbin:/usr/local/sbin")
RUNAHEAD = os.environ.get("RUNAHEAD", "")
PROGRAM = os.environ.get("RUNAHEAD_PROGRAM", "")
CUT_S = 10
CLOCK_S = 2
PRINT = "--print" in sys.argv
HALF = int(sys.argv[sys.argv.index("--half") + 1]) if "--half" in sys.argv else None
TABLES = """SELECT name, kind, depth, count(*) FROM slice GROUP BY name, kind, depth
  UNION ALL SELECT name, kind, 0, 1 FROM track WHERE name NOT LIKE '%RSS%' ORDER BY 1, 2, 3"""


def until(condition, what, process=None, limit_s=60):
    """Waits for a condition. The limit, and the end of the process, only end a test that has failed."""
    end = time.monotonic() + limit_s
    while not (found := condition()):
        if process and process.poll() is not None:
            raise AssertionError(f"never: {what}; the process ended: {process.communicate()}")
        if time.monotonic() > end:
            raise AssertionError(f"never: {what}")
        time.sleep(0.02)
    return found


def parent_of(process):
    try:
        return int((process / "stat").read_text().rpartition(")")[2].split()[1])
    except OSError:  # the process has ended
        return 0


def children_of(pid):
    return [int(process.name) for process in pathlib.Path("/proc").glob("[0-9]*") if parent_of(process) == pid]


class Server:
    """An sshd on a loopback port."""

    def __init__(self, folder):
        self.folder, self.process = folder, None
        for key in ("host", "user"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / key], check=True)
        (folder / "user.pub").rename(folder / "authorized")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        (folder / "sshd").write_text(
            f"Port {self.port}\nListenAddress 127.0.0.1\nHostKey {folder}/host\nPidFile none\nUsePAM no\nStrictModes no\n"
            f"AuthorizedKeysFile {folder}/authorized\nPasswordAuthentication no\nPermitUserEnvironment no\n"
            f"SetEnv TMPDIR={folder} XDG_RUNTIME_DIR={folder}/run\n")
        (folder / "ssh").write_text(
            f"Host *\nIdentityFile {folder}/user\nIdentitiesOnly yes\nUserKnownHostsFile /dev/null\n"
            "StrictHostKeyChecking no\nLogLevel ERROR\n")
        (folder / "run").mkdir(mode=0o700)
        if os.geteuid() == 0:
            pathlib.Path("/run/sshd").mkdir(exist_ok=True)  # sshd of root needs this folder

    def start(self):
        self.process = subprocess.Popen([SSHD, "-D", "-e", "-f", self.folder / "sshd"], stderr=subprocess.DEVNULL)
        until(self.answers, "sshd answers")

    def answers(self):
        with socket.socket() as test:
            return test.connect_ex(("127.0.0.1", self.port)) == 0

    def cut(self):
        """Ends sshd with all its connections. The programs that it started go on."""
        connections = children_of(self.process.pid)
        processes = [self.process.pid, *connections, *(child for one in connections for child in children_of(one)
                                                       if is_sshd(child))]
        for pid in processes:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait()
        self.process = None

    def stop(self):
        if self.process:
            self.cut()


def is_sshd(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/comm").read_text().strip() == "sshd"
    except OSError:
        return False


class OverSsh(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ra-ssh-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.server = Server(self.folder)
        self.addCleanup(self.server.stop)
        self.server.start()
        self.ssh = ["--ssh", f"ssh -F {self.folder}/ssh", "--remote-program", RUNAHEAD]
        self.host = f"ssh://127.0.0.1:{self.server.port}"
        os.environ["XDG_RUNTIME_DIR"] = str(self.folder / "here")
        (self.folder / "here").mkdir(mode=0o700)

    def attach(self, *words, source="", out="copy.runahead"):
        """Starts `attach --headless`, which ends with the program."""
        return subprocess.Popen(
            [RUNAHEAD, "attach", source or self.host, *self.ssh, "--headless", "--json", "-o", self.folder / out, *words],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def ended(self, process, exit_code=0):
        out, err = process.communicate(timeout=100)
        self.assertEqual(process.returncode, exit_code, err)
        return (json.loads(out) if out.startswith("{") else out), err

    def rows(self, recording, sql=TABLES):
        told = subprocess.run([RUNAHEAD, "query", recording, "--json", sql], text=True, capture_output=True)
        return json.loads(told.stdout)["rows"]

    def spools(self):
        return list(self.folder.glob("runahead-agent-*"))

    def test_a_link_that_was_cut_goes_on_where_it_stopped(self):
        mark, go = self.folder / "mark", self.folder / "go"
        words = [PROGRAM, "waits", "20000", mark, go]
        watched = self.attach("--", *words)
        until(mark.exists, "the program has written its first half", watched)
        copy = self.folder / "copy.runahead"
        until(lambda: copy.exists() and copy.stat().st_size > 1000, "the first half arrives")
        self.server.cut()
        go.write_text("")
        begin = time.monotonic()
        end_file = self.spools()[0] / "end"
        until(end_file.exists, "the program ends while the link is cut")
        time.sleep(max(0, CUT_S - (time.monotonic() - begin)))  # the length of the cut
        self.server.start()
        report, err = self.ended(watched, exit_code=3)
        self.assertIn("is broken", err)
        self.assertIn("is back", err)
        self.assertEqual(report["lost"], {})
        self.assertTrue(report["ended"])
        here = self.folder / "here.runahead"
        subprocess.run([RUNAHEAD, "record", "-o", here, "--", *words], capture_output=True)
        self.assertEqual(self.rows(copy), self.rows(here))
        self.assertEqual(self.spools(), [], "the spool is removed")

    def test_a_switch_is_turned_from_here_and_from_there(self):
        mark = self.folder / "mark"
        watched = self.attach("--", PROGRAM, "controlled", mark, self.folder / "never")
        until(mark.exists, "the program runs", watched)
        listed = [RUNAHEAD, "attach", "--json"]

        def programs():
            return json.loads(subprocess.run(listed, text=True, capture_output=True).stdout)["programs"]
        until(programs, "the program is listed here")
        here = programs()[0]
        self.assertIn("on 127.0.0.1", here["command"])

        def controls():
            told = subprocess.run([RUNAHEAD, "control", str(here["pid"]), "--json"], text=True, capture_output=True)
            return json.loads(told.stdout)["controls"] if told.returncode == 0 else []
        found = until(controls, "the controls are here")
        there = subprocess.run([RUNAHEAD, "attach", self.host, *self.ssh, "--json"], text=True, capture_output=True)
        pid = json.loads(there.stdout)["programs"][0]["pid"]
        self.assertEqual([control["name"] for control in found], ["barrier", "depth"])
        wrong = subprocess.run([RUNAHEAD, "control", str(here["pid"]), "barrier=nonsense"], text=True, capture_output=True)
        self.assertEqual(wrong.returncode, 1)
        self.assertIn("nonsense", wrong.stderr)
        subprocess.run([RUNAHEAD, "control", str(here["pid"]), "barrier=every step"], check=True)
        subprocess.run([RUNAHEAD, "control", f"{self.host}/{pid}", *self.ssh, "depth=8"], check=True)
        self.ended(watched, exit_code=5)
        marks = self.rows(self.folder / "copy.runahead", "SELECT name FROM instant WHERE name LIKE '%->%'")
        self.assertEqual(len(marks), 2)

    def test_the_processes_of_a_program_are_on_one_timeline(self):
        words = f"{PROGRAM} work 300 & {PROGRAM} work 200 & wait"
        report, _ = self.ended(self.attach("--", "sh", "-c", words))
        self.assertEqual((report["processes"], report["slices"], report["lost"]), (2, 500, {}))
        self.assertEqual(self.spools(), [])

    def test_a_program_that_records_itself_is_joined_with_those_that_it_starts(self):
        report, _ = self.ended(self.attach("--", PROGRAM, "spawn", PROGRAM, "100"))
        copy = self.folder / "copy.runahead"
        self.assertEqual((report["recording"], report["processes"], report["slices"], report["lost"], report["ended"]),
                         (str(copy), 3, 300, {}, True))
        self.assertEqual(self.rows(copy, "SELECT count(*) FROM slice"), [[300]])
        self.assertEqual(list(self.folder.glob("copy*")), [copy], "only the joined recording is kept")
        self.assertEqual(self.spools(), [])

    def test_stopping_in_the_joined_recording_keeps_all_rows(self):
        mark, go = self.folder / "mark", self.folder / "go"
        watched = self.attach("--", PROGRAM, "starts", "100000", PROGRAM, "waits", "10", mark, go)
        copy = self.folder / "copy.runahead"
        until(mark.exists, "the second process runs", watched)

        def both():
            told = subprocess.run([RUNAHEAD, "attach", "--json"], text=True, capture_output=True).stdout
            return [program for program in json.loads(told)["programs"] if "joined" in program["recording"]]
        until(both, "the joined recording takes the place of the other one", watched)
        watched.send_signal(signal.SIGINT)
        report, _ = self.ended(watched)
        go.write_text("")
        until((self.spools()[0] / "end").exists, "the program ends, which nobody watches any more")
        self.assertGreaterEqual(report["slices"], 100000, report)
        self.assertGreaterEqual(self.rows(copy, "SELECT count(*) FROM slice")[0][0], 100000)

    def test_a_link_that_was_cut_goes_on_in_the_joined_recording(self):
        mark, go = self.folder / "mark", self.folder / "go"
        words = f'{PROGRAM} work 100; exec {PROGRAM} waits 1000 {mark} {go}'
        watched = self.attach("--", PROGRAM, "starts", "100", "sh", "-c", words)
        until(mark.exists, "the second process runs", watched)
        joined = self.folder / "copy.joined.runahead"
        until(lambda: joined.exists() and self.rows(joined, "SELECT count(*) FROM slice") == [[1200]],
              "the first rows of all are here", watched)
        self.server.cut()
        go.write_text("")
        until((self.spools()[0] / "end").exists, "the program ends while the link is cut")
        self.server.start()
        report, _ = self.ended(watched, exit_code=3)
        self.assertEqual((report["processes"], report["slices"], report["lost"]), (3, 2200, {}))

    def recorded(self, name, machine="here", wrapper=()):
        """Starts a program that records. Returns it, after its first rows, with the file that lets it go on."""
        mark, go = self.folder / (name + ".mark"), self.folder / (name + ".go")
        environment = {**os.environ, "XDG_RUNTIME_DIR": str(self.folder / machine),
                       "RUNAHEAD_RECORD": str(self.folder / (name + ".runahead"))}
        program = subprocess.Popen([*wrapper, PROGRAM, "waits", "1000", mark, go], env=environment, stdout=subprocess.DEVNULL)
        self.addCleanup(program.kill)
        until(mark.exists, "the program runs", program)
        return program, go

    def attach_to_both(self):
        """Two programs that record, and an attach to both. Returns the programs, each with the file that lets it go on,
        and the attach."""
        here, there = self.recorded("own"), self.recorded("their", "run")
        return *here, *there, self.attach("--with", f"{self.host}/{there[0].pid}", source=str(here[0].pid))

    def metadata(self, recording):
        told = subprocess.run([RUNAHEAD, "info", "--json", recording], text=True, capture_output=True, check=True)
        return json.loads(told.stdout)["metadata"]

    def test_programs_here_and_there_are_on_one_timeline(self):
        here, here_go, there, there_go, watched = self.attach_to_both()
        listed = [RUNAHEAD, "attach", "--json"]
        until(lambda: len(json.loads(subprocess.run(listed, text=True, capture_output=True).stdout)["programs"]) == 3,
              "the program, the copy and both together are listed here", watched)
        for go in (here_go, there_go):
            go.write_text("")
        report, _ = self.ended(watched)
        self.assertEqual((report["processes"], report["slices"], report["lost"]), (2, 4000, {}))
        self.assertEqual([process["clock"] for process in report["clocks"]], ["reference", "shared"])
        for program in (here, there):
            program.wait()
        self.assertEqual(self.rows(self.folder / "copy.runahead", "SELECT count(*) n FROM slice"), [[4000]])

    def test_programs_on_one_timeline_go_on_when_nobody_watches_any_more(self):
        """Also over a link that is cut and comes back in between."""
        here, here_go, there, there_go, watched = self.attach_to_both()
        copy = self.folder / "copy.runahead"
        until(lambda: copy.exists() and copy.stat().st_size > 1000, "both are joined", watched)
        self.server.cut()
        there_go.write_text("")
        there.wait()
        self.server.start()
        until(lambda: self.rows(copy, "SELECT count(*) FROM slice") == [[3000]], "what was recorded meanwhile arrives",
              watched)
        watched.send_signal(signal.SIGINT)
        report, err = self.ended(watched)
        self.assertIn("is back", err)
        self.assertEqual((report["processes"], report["slices"], report["lost"]), (2, 3000, {}))
        self.assertEqual(self.metadata(copy)["recording.ended"], "yes")
        self.assertEqual(children_of(watched.pid), [])
        here_go.write_text("")
        self.assertEqual(here.wait(), 3)
        self.assertEqual(self.rows(self.folder / "own.runahead", "SELECT count(*) FROM slice"), [[2000]])

    def test_a_copy_that_breaks_off_is_said(self):
        here, here_go, there, there_go, watched = self.attach_to_both()
        copy = self.folder / "copy.runahead"
        until(lambda: copy.exists() and self.rows(copy, "SELECT count(*) FROM slice") == [[2000]], "both are joined", watched)
        self.server.cut()
        (self.folder / "their.runahead").rename(self.folder / "gone.runahead")
        there.kill()
        there.wait()
        self.server.start()
        here_go.write_text("")
        report, err = self.ended(watched, exit_code=1)
        self.assertIn("what has arrived is kept", err)
        self.assertEqual(report["slices"], 3000)

    def test_a_control_is_set_after_another_program_has_ended(self):
        mark, stop = self.folder / "mark", self.folder / "stop"
        environment = {**os.environ, "RUNAHEAD_RECORD": str(self.folder / "controlled.runahead")}
        here = subprocess.Popen([PROGRAM, "controlled", mark, stop], env=environment, stdout=subprocess.DEVNULL)
        self.addCleanup(here.kill)
        until(mark.exists, "the program runs", here)
        there, there_go = self.recorded("their", "run")
        watched = self.attach("--with", f"{self.host}/{there.pid}", source=str(here.pid))
        listed = [RUNAHEAD, "attach", "--json"]

        def joined():
            programs = json.loads(subprocess.run(listed, text=True, capture_output=True).stdout)["programs"]
            return [program["pid"] for program in programs if "copy.runahead" in program["recording"]]
        pid = until(joined, "both together are listed", watched)[0]
        there_go.write_text("")
        there.wait()

        def is_set():
            return subprocess.run([RUNAHEAD, "control", str(pid), "depth=8"], capture_output=True).returncode == 0
        until(is_set, "the control is set", watched)
        stop.write_text("")
        report, _ = self.ended(watched)
        self.assertEqual((report["processes"], report["lost"]), (2, {}))

    def test_what_cannot_be_joined_is_refused_before_the_program_starts(self):
        here, _ = self.recorded("own")
        mark = self.folder / "mark"
        own = str(self.folder / "own.runahead")
        for words, why in ((["--with", "1"], "does not record"), (["--with", str(here.pid), "-o", own], "give another name"),
                           (["--with", self.host], "has no process number"),
                           (["--with", str(here.pid), "--with", own], "given twice"),
                           (["--with", self.host + "/7", "--with", self.host + "/7"], "given twice"),
                           (["--with", str(here.pid), "-o", "/nowhere/x.runahead"], "/nowhere")):
            ended = subprocess.run([RUNAHEAD, "attach", self.host, *self.ssh, "--headless", *words, "--", PROGRAM, "waits", "10",
                                    mark, self.folder / "go"], text=True, capture_output=True, timeout=60)
            self.assertNotEqual(ended.returncode, 0)
            self.assertIn(why, ended.stderr)
            self.assertEqual((mark.exists(), self.spools()), (False, []))
        ended = subprocess.run([RUNAHEAD, "attach", self.host, *self.ssh, "--with", str(here.pid)], text=True,
                               capture_output=True, timeout=60)
        self.assertIn("--with needs a program", ended.stderr)

    def test_sources_that_cannot_be_joined_are_refused_in_one_line(self):
        here, _ = self.recorded("own")
        other, _ = self.recorded("other")

        def told(*words):
            ended = subprocess.run([RUNAHEAD, "attach", *words, "--headless"], text=True, capture_output=True, timeout=60)
            self.assertNotEqual(ended.returncode, 0)
            self.assertEqual(len(ended.stderr.strip().splitlines()), 1, ended.stderr)
            return ended.stderr
        own = str(self.folder / "own.runahead")
        self.assertIn("given twice", told(str(here.pid), "--with", own))
        self.assertIn("give another name", told(str(here.pid), "--with", str(other.pid), "-o", own))
        self.assertIn("has no process number", told(str(here.pid), "--with", self.host))
        self.assertIn("does not record", told(str(here.pid), "--with", "1"))
        self.assertIn("does not exist", told(str(here.pid), "--with", "/nowhere/a.runahead"))
        self.assertIn("needs a SOURCE", told("--with", str(here.pid)))
        self.assertIn("not a process number", told(str(here.pid), "--with", "0"))
        self.assertEqual([here.poll(), other.poll()], [None, None])
        merged = subprocess.run([RUNAHEAD, "merge", own, self.folder / "other.runahead", "-o", self.folder / "both.runahead"],
                                text=True, capture_output=True, timeout=60)
        self.assertEqual(merged.returncode, 1)
        self.assertIn("is still being written", merged.stderr)

    def test_the_clock_of_another_machine_is_found_by_round_trips(self):
        """The other machine is a time namespace, in which CLOCK_MONOTONIC is 5000 s ahead. The time stamp counter is the
        same there, so the true offset is known."""
        boot = self.folder / "boot"
        boot.write_text("00000000-0000-0000-0000-000000000000\n")
        away = ["unshare", "--mount", "--time", "--monotonic", "5000", "sh", "-c",
                f'mount --bind {boot} /proc/sys/kernel/random/boot_id && exec "$@"', "sh"]
        if subprocess.run([*away, "true"], stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("no time namespaces here")
        machine = self.folder / "machine"
        machine.write_text("#!/bin/sh\nexec " + " ".join(f"'{word}'" for word in away) + f' {RUNAHEAD} "$@"\n')
        machine.chmod(0o700)
        here, here_go = self.recorded("own")
        there, there_go = self.recorded("their", "run", away)
        pid = there.pid  # unshare and sh become the program
        self.ssh[-1] = str(machine)
        watched = self.attach("--with", f"{self.host}/{pid}", source=str(here.pid))
        copy = self.folder / "copy.runahead"
        until(lambda: copy.exists() and copy.stat().st_size > 1000, "both are joined", watched)
        time.sleep(CLOCK_S)  # in which the clock is asked for again
        for go in (here_go, there_go):
            go.write_text("")
        report, _ = self.ended(watched)
        self.assertEqual((report["processes"], report["slices"], report["lost"]), (2, 4000, {}))
        clock = report["clocks"][1]
        self.assertEqual(clock["clock"], "round trips")
        for program in (here, there):
            program.wait()
        own, their = (self.metadata(self.folder / (name + ".runahead")) for name in ("own", "their"))
        self.assertGreater(int(their["clock.origin_monotonic_ns"]) - int(own["clock.origin_monotonic_ns"]), 4000e9)
        self.assertLess(clock["error_ns"], 1e9)
        if "clock.origin_tsc" not in own:
            return
        ticks = int(their["clock.origin_tsc"]) - int(own["clock.origin_tsc"])
        rate = float(own["clock.tsc_per_s"]) / float(their["clock.tsc_per_s"])
        begins = "SELECT ts FROM slice JOIN track ON track.id = slice.track WHERE pid = %d ORDER BY ts" % pid
        truth = [row[0] / rate + ticks * 1e9 / float(own["clock.tsc_per_s"])
                 for row in self.rows(self.folder / "their.runahead", begins)]
        joined = [row[0] for row in self.rows(copy, begins)]
        self.assertEqual((len(truth), len(joined)), (2000, 2000))
        error_ns = max(abs(a - b) for a, b in zip(truth, joined))
        if PRINT:
            print(f"stated error {clock['error_ns'] / 1e3:.1f} us, largest true error {error_ns / 1e3:.1f} us")
        self.assertLessEqual(error_ns, clock["error_ns"])

    def test_a_program_that_records_already_is_watched(self):
        mark, go = self.folder / "mark", self.folder / "go"
        environment = {**os.environ, "XDG_RUNTIME_DIR": str(self.folder / "run")}
        program = subprocess.Popen([RUNAHEAD, "record", "-o", self.folder / "own.runahead", "--", PROGRAM, "waits",
                                    "1000", mark, go], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until(mark.exists, "the program runs")
        pid = until(lambda: children_of(program.pid), "the program's number")[0]
        watched = self.attach(source=f"{self.host}/{pid}")
        copy = self.folder / "copy.runahead"
        until(lambda: copy.exists() and copy.stat().st_size > 1000, "the first half arrives")
        go.write_text("")
        report, _ = self.ended(watched)
        program.wait()
        self.assertEqual((self.folder / "own.runahead").read_bytes(), copy.read_bytes())
        self.assertEqual(report["slices"], 2000)

    def test_a_program_that_ends_while_the_link_to_it_is_broken_is_copied_to_its_end(self):
        mark, go = self.folder / "mark", self.folder / "go"
        environment = {**os.environ, "XDG_RUNTIME_DIR": str(self.folder / "run"),
                       "RUNAHEAD_RECORD": str(self.folder / "own.runahead")}
        program = subprocess.Popen([PROGRAM, "waits", "20000", mark, go], env=environment, stdout=subprocess.DEVNULL)
        until(mark.exists, "the program runs")
        watched = self.attach(source=f"{self.host}/{program.pid}")
        copy = self.folder / "copy.runahead"
        until(lambda: copy.exists() and copy.stat().st_size > 1000, "the first half arrives", watched)
        self.server.cut()
        go.write_text("")
        program.wait()
        self.server.start()
        self.ended(watched)
        self.assertEqual((self.folder / "own.runahead").read_bytes(), copy.read_bytes())

    def test_a_program_that_nobody_watches_any_more_is_watched_again(self):
        mark, go = self.folder / "mark", self.folder / "go"
        first = self.attach("--", PROGRAM, "waits", "20000", mark, go)
        until(mark.exists, "the program runs", first)
        copy = self.folder / "copy.runahead"
        until(lambda: copy.exists() and copy.stat().st_size > 1000, "the first half arrives", first)
        first.send_signal(signal.SIGINT)
        _, err = self.ended(first)
        self.assertIn("goes on there", err)
        there = subprocess.run([RUNAHEAD, "attach", self.host, *self.ssh, "--json"], text=True, capture_output=True)
        pid = json.loads(there.stdout)["programs"][0]["pid"]
        again = self.attach(source=f"{self.host}/{pid}", out="again.runahead")
        copy = self.folder / "again.runahead"
        until(lambda: copy.exists() and copy.stat().st_size > 1000, "it is copied again", again)
        go.write_text("")
        report, _ = self.ended(again)
        self.assertEqual((report["slices"], report["lost"]), (40000, {}))
        end_file = self.spools()[0] / "end"
        until(end_file.exists, "the first agent's process, which nobody watches, ends")  # it writes into our folder

    def test_the_exit_code_and_the_output_are_those_of_the_program(self):
        told = subprocess.run([RUNAHEAD, "attach", self.host, *self.ssh, "--headless", "--", "sh", "-c",
                               "echo \"it's here\"; echo why >&2; exit 7"], text=True, capture_output=True, timeout=60)
        self.assertEqual((told.returncode, told.stdout), (7, "it's here\n"))
        self.assertIn("why\n", told.stderr)

    def test_a_file_is_replaced_only_by_a_recording_that_has_begun(self):
        old = self.folder / "old.runahead"
        subprocess.run([RUNAHEAD, "record", "-o", old, "--", PROGRAM, "work", "10"], capture_output=True)
        before = old.read_bytes()
        failed = self.attach("--", "/nowhere/program", out="old.runahead")
        self.ended(failed, exit_code=1)
        self.assertEqual(old.read_bytes(), before)
        self.ended(self.attach("--", "true", out="old.runahead"), exit_code=1)
        self.assertEqual(old.read_bytes(), before)

    def test_what_exceeds_the_spool_is_counted(self):
        mark, go = self.folder / "mark", self.folder / "go"
        watched = self.attach("--spool", "30k", "--", PROGRAM, "waits", "300000", mark, go)
        copy = self.folder / "copy.runahead"
        until(lambda: copy.exists() and copy.stat().st_size > 0, "the link is up", watched)
        self.server.cut()
        until(mark.exists, "the program has written its first half")
        go.write_text("")
        spool = self.spools()[0]
        until((spool / "end").exists, "the program ends")
        used = (spool / "recording.runahead").stat()
        self.assertLess(used.st_blocks * 512, used.st_size)
        self.server.start()
        report, _ = self.ended(watched, exit_code=3)
        self.assertGreater(sum(report["lost"].values()), 0)
        self.assertLess(report["slices"], 600000)

    def test_what_is_missing_there_is_said_in_one_line(self):
        def told(*words, ssh=None):  # the last line
            ended = subprocess.run([RUNAHEAD, "attach", self.host, *(ssh or self.ssh), "--headless", *words], text=True,
                                   capture_output=True, timeout=60)
            self.assertNotEqual(ended.returncode, 0)
            self.assertEqual(sum(line.startswith("runahead:") for line in ended.stderr.splitlines()), 1, ended.stderr)
            return ended.stderr.strip().splitlines()[-1]
        self.assertIn("install the same version of runahead there",
                      told("--", "true", ssh=[*self.ssh[:2], "--remote-program", "/nowhere/runahead"]))
        self.assertIn("not found", told("--", "/nowhere/program"))
        self.assertIn("recorded nothing", told("--", "true"))
        self.server.cut()
        self.assertIn("ssh cannot connect", told("--", "true"))
        self.assertEqual(self.spools(), [])


if __name__ == "__main__":
    if not SSHD or not shutil.which("ssh"):
        print("there is no sshd here")
        sys.exit(77)
    names = unittest.defaultTestLoader.getTestCaseNames(OverSsh)
    if HALF is not None:
        names = names[HALF::2]
    unittest.main(argv=[sys.argv[0], *(f"OverSsh.{name}" for name in names)], verbosity=2)
