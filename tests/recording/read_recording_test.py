#!/usr/bin/env python3
"""Tests that a reader written from docs/recording-format.md reads the same rows as the program, in every table.

    read_recording_test.py PROGRAM WRITE_RECORDING OUTPUT_FOLDER
"""
import json
import os
import random
import shutil
import subprocess
import sys
import time

import read_recording

READER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "read_recording.py")

# An SQL table has these columns before the columns that ROWS (read_recording.py) lists for its rows.
PLACES = {"slice": ["track", "depth"], "counter": ["track"]}


def query(kind):
    """The SQL for the rows of a kind, with the columns that the reader writes. They have the order of a file."""
    table = read_recording.ROWS[kind][0]
    columns = read_recording.fixed_columns(kind) + read_recording.added_columns(kind)
    names = PLACES.get(table, []) + [column.name for column in columns if column.shown]
    return f"SELECT {', '.join(names)} FROM {table}"


QUERIES = {rows[0]: query(kind) for kind, rows in read_recording.ROWS.items()}
QUERIES["track"] = "SELECT id, name, kind, parent, device, simulated, pid, tid FROM track"
RUNS = [["overlap", "--device", "virtual:0"], ["dependency_graph"], ["training_memory", "--set", "steps=20", "--barrier", "item"]]


def run(*words, code=0, seed=None):
    environment = dict(os.environ, RUNAHEAD_TEST_SEED=str(seed)) if seed is not None else None
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, env=environment)
    assert done.returncode == code, f"{words} ended with {done.returncode}:\n{done.stderr}"
    return done


def compare_descriptions(write_recording, output):
    """Checks that the reader knows exactly the columns that the program describes."""
    path = os.path.join(output, "columns.json")
    run(write_recording, "columns", path)
    with open(path, encoding="utf-8") as file:
        ours = json.load(file)
    theirs = {rows[0]: {"block": kind,
                        "columns": [[column.ident, column.name, column.meaning, added]
                                    for added, some in ((False, read_recording.fixed_columns(kind)),
                                                        (True, read_recording.added_columns(kind)))
                                    for column in some]}
              for kind, rows in read_recording.ROWS.items()}
    assert ours == theirs, f"row_description.h says\n{json.dumps(ours)}\nand read_recording.py\n{json.dumps(theirs)}"


class File:
    """What the reader in Python finds in a file. It reads the file once for all tables."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        self.recording = read_recording.Recording(self.data)

    def table(self, name):
        return as_json(self.recording.table(name))

    def by_index(self, name):
        return as_json(self.recording.by_index(self.data, name))


def as_json(rows):
    return [json.loads(json.dumps(row)) for row in rows]


def in_program(program, path, table):
    return json.loads(run(program, "query", path, QUERIES[table], "--json").stdout)["rows"]


def sorted_rows(rows):
    return sorted(rows, key=lambda row: json.dumps(row))


def compare_instants(program, file):
    """Checks a recording with late instants. A read by the index gives them in order, as the program does."""
    ours, theirs = in_program(program, file, "instant"), File(file)
    in_file, by_index = theirs.table("instant"), theirs.by_index("instant")
    by_time = sorted(in_file, key=lambda row: row[0])  # a stable sort keeps the file order of equal times
    assert in_file != by_time, "none came late: it proves nothing"
    assert by_index == by_time, "the index leads to other instants, or to another order"
    assert ours == by_time, "the program says other instants, or another order"


def compare(program, path, tables=tuple(QUERIES), by_index=True):
    file = File(path)
    for table in tables:
        ours, theirs = in_program(program, path, table), file.table(table)
        assert sorted_rows(ours) == sorted_rows(theirs), f"{table} of {path} differs"
        if not by_index:
            continue
        assert theirs or table == "instant", f"{table} of {path} is empty: it proves nothing"
        if table != "track":
            found = file.by_index(table)
            assert sorted_rows(found) == sorted_rows(theirs), f"the index of {path} leads to other rows of {table}"


def write_every_kind(write_recording, path, seed):
    """Writes random rows of every kind. Some seeds leave a kind without rows: then the next seed is tried."""
    for number in range(seed, seed + 100):
        run(write_recording, "every_kind", path, seed=number)
        file = File(path)
        if all(file.table(table) for table in QUERIES):
            return
    raise AssertionError(f"no seed from {seed} on gives rows of every kind")


def compare_damaged(program, whole, output, seed):
    """Flips bits in several places and in the last footer. Both readers then read the undamaged blocks in order."""
    bits, file = random.Random(seed), os.path.join(output, "damaged.runahead")
    for _ in range(2):
        with open(whole, "rb") as source:
            data = bytearray(source.read())
        for at in [len(data) - 20] + [bits.randrange(len(data) - 16) for _ in range(3)]:
            data[at] ^= 1 << bits.randrange(8)
        with open(file, "wb") as damaged:
            damaged.write(data)
        compare(program, file, by_index=False)
        lost = json.loads(run(program, "info", file, "--json").stdout)["lost"]
        losses = dict(File(file).table("loss"))
        assert lost["file_damaged"] == losses[19] and "file_truncated" not in lost and 8 not in losses, (lost, losses)


def main():
    program, write_recording, output = sys.argv[1:]
    shutil.rmtree(output, ignore_errors=True)
    os.makedirs(output)
    compare_descriptions(write_recording, output)
    for words in RUNS:
        file = os.path.join(output, words[0] + ".runahead")
        run(program, "run", *words, "--record", file)
        compare(program, file)
    for what in ("late_instants", "many_runs"):
        late = os.path.join(output, what + ".runahead")
        run(write_recording, what, late)
        compare_instants(program, late)
    many = os.path.join(output, "many_lanes.runahead")
    run(write_recording, "many_lanes", many)
    compare(program, many, ("slice", "counter"))
    every = os.path.join(output, "every_kind.runahead")
    seed = int(os.environ.get("RUNAHEAD_TEST_SEED", time.time_ns()))
    print(f"RUNAHEAD_TEST_SEED={seed}")
    write_every_kind(write_recording, every, seed)
    compare(program, every)
    compare_damaged(program, file, output, seed)
    damaged = os.path.join(output, "cut.runahead")
    with open(file, "rb") as whole, open(damaged, "wb") as cut:
        cut.write(whole.read()[:os.path.getsize(file) // 2])
    assert run(sys.executable, READER, damaged, "slice").stdout, "what is whole is there"
    with open(damaged, "wb") as other:
        other.write(b"nothing of the kind, and long enough")
    assert "not a recording" in run(sys.executable, READER, damaged, "slice", code=1).stderr
    return 0


if __name__ == "__main__":
    sys.exit(main())
