#!/usr/bin/env python3
"""What the program shows at a terminal: the width, the colours, and the progress of a run. A pseudo terminal stands for
the terminal.

    terminal_test.py      RUNAHEAD: the program
"""
import fcntl
import json
import os
import pathlib
import re
import select
import signal
import struct
import subprocess
import tempfile
import termios
import time
import unicodedata
import unittest

PROGRAM = os.environ["RUNAHEAD"]
ESCAPES = re.compile(r"\x1b\[[0-9;]*[mK]")
LONG = "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, std::array<char*, 1ul> >(int)"
WIDE = "学習率の計算 training 训练步骤 update of all the parameters of the model"


def columns(text):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


class Terminal:
    """Runs the program with a pseudo terminal as stdout and stderr."""

    def __init__(self, words, width, **environment):
        self.master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
        env = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "TERM")}
        env.update({"TERM": "xterm", **environment})

        def take_terminal():
            os.setsid()
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)

        self.process = subprocess.Popen([PROGRAM, *map(str, words)], stdin=slave, stdout=slave, stderr=slave, env=env,
                                        preexec_fn=take_terminal, pass_fds=[slave])
        os.close(slave)
        self.said = ""

    def read(self, until=None, seconds=60):
        """Reads until the text has appeared, or to the end."""
        end = time.monotonic() + seconds
        while until is None or until not in self.said:
            left = end - time.monotonic()
            assert left > 0, f"no {until!r} in {self.said!r}"
            if not select.select([self.master], [], [], left)[0]:
                continue
            try:
                part = os.read(self.master, 65536)
            except OSError:  # the other side is closed
                part = b""
            if not part:
                assert until is None, f"ended without {until!r}: {self.said!r}"
                break
            self.said += part.decode(errors="replace")
        return self.said

    def press(self, key):
        os.write(self.master, key)

    def end(self):
        self.read()
        code = self.process.wait(timeout=60)
        os.close(self.master)
        return code, self.said.replace("\r\n", "\n")


def piped(*words):
    done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


class AtATerminal(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="ra-terminal-")
        folder = pathlib.Path(cls.folder.name)
        cls.trace, cls.short, cls.recorded = folder / "long.json", folder / "short.json", folder / "run.runahead"
        slices = []
        for i in range(40):
            name = (LONG, WIDE, "sgemm", f"op {i % 3}")[i % 4]
            slices.append({"ph": "X", "pid": 1, "tid": i % 2, "ts": i * 100, "dur": 40 + i, "name": name, "cat": "kernel"})
        many = {f"key_{i:02}": "value " * 40 for i in range(30)}
        for path, events in ((cls.trace, slices), (cls.short, [s for s in slices if len(s["name"]) < 9])):
            path.write_text(json.dumps({"traceEvents": events, **many}), encoding="utf-8")
        piped("run", "overlap", "--record", cls.recorded)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def shown(self, *words, width=80, **environment):
        code, said = Terminal(words, width, **environment).end()
        self.assertEqual(code, 0, said)
        return said

    def commands(self):
        return [("stats", self.trace), ("stats", self.recorded), ("info", self.trace), ("info", self.recorded),
                ("compare", self.trace, self.short), ("compare", self.recorded, self.recorded), ("explain", self.recorded),
                ("explain", self.trace)]

    def test_every_line_fits_the_terminal(self):
        for width in (60, 80, 120):
            for words in self.commands():
                for line in ESCAPES.sub("", self.shown(*words, width=width)).split("\n"):
                    self.assertLessEqual(columns(line), width, (words, width, line))

    def test_long_names_keep_both_ends_and_are_whole_with_wide_and_in_a_pipe(self):
        said = ESCAPES.sub("", self.shown("stats", self.trace, width=120))
        self.assertRegex(said, r"void at::\S.*\.\.\..*\(int\)")
        self.assertNotIn(LONG, said)
        self.assertIn(LONG, self.shown("stats", self.trace, "--wide"))
        self.assertIn(LONG, piped("stats", self.trace))
        self.assertIn(WIDE, piped("compare", self.trace, self.short))

    def test_columns_are_left_out_with_a_line_that_says_so(self):
        said = ESCAPES.sub("", self.shown("stats", self.trace, width=60))
        self.assertRegex(said, r"\(too narrow for: .*bytes")
        self.assertNotIn("too narrow", self.shown("stats", self.trace, "--wide", width=60))

    def test_wide_characters_take_two_columns(self):
        lines = ESCAPES.sub("", self.shown("stats", self.trace, width=120)).split("\n")
        heading = next(line for line in lines if line.startswith("name"))
        row = next(line for line in lines if line.startswith("学習"))
        at = columns(heading[:heading.index("count")]) + len("count")
        before = ""
        for c in row:
            if columns(before) == at:
                break
            before += c
        self.assertRegex(before, r" 10$")

    def test_many_rows_of_metadata_become_a_short_list(self):
        said = ESCAPES.sub("", self.shown("info", self.trace))
        self.assertRegex(said, r"and \d+ more rows of metadata; --wide shows all")
        self.assertIn("key_29", self.shown("info", self.trace, "--wide"))
        self.assertIn("key_29", piped("info", self.trace))

    def test_colours_only_where_they_are_wanted(self):
        self.assertIn("\x1b[1m", self.shown("stats", self.recorded))
        for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            self.assertNotIn("\x1b", self.shown("stats", self.recorded, **environment))
        self.assertIn("\x1b[1m", self.shown("stats", self.recorded, NO_COLOR=""))
        for words in self.commands():
            self.assertNotIn("\x1b", piped(*words), words)

    def test_without_a_terminal_the_width_does_not_matter(self):
        for words in self.commands():
            narrow = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, timeout=60,
                                    env={**os.environ, "COLUMNS": "40", "TERM": "dumb"}).stdout.decode()
            self.assertEqual(narrow, piped(*words))

    def test_a_run_shows_its_progress_on_one_line_and_clears_it(self):
        terminal = Terminal(("run", "overlap", "--duration", "1500ms"), 70)
        terminal.read(until=" of 1.50 s")
        code, said = terminal.end()
        self.assertEqual(code, 0, said)
        parts = said.split("\r\x1b[K")
        self.assertGreater(len(parts), 2, said)
        for part in parts[1:-1]:
            self.assertNotIn("\n", part)
            self.assertLess(columns(part), 70)
        self.assertNotIn("ahead\n", parts[-1])  # the report begins on an empty line

    def test_a_run_without_a_terminal_shows_none(self):
        done = subprocess.run([PROGRAM, "run", "overlap", "--duration", "700ms", "--json"], capture_output=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        json.loads(done.stdout)

    def test_ctrl_c_leaves_a_clean_terminal(self):
        terminal = Terminal(("run", "overlap", "--duration", "60s"), 80)
        terminal.read(until="ahead")
        terminal.press(b"\x03")  # the terminal makes SIGINT of it
        code, said = terminal.end()
        self.assertEqual(code, 128 + signal.SIGINT, said)
        last = said.split("\r\x1b[K")[-1]
        self.assertRegex(last, r"^runahead: interrupted after \d+ steps?\n$")


if __name__ == "__main__":
    unittest.main()
