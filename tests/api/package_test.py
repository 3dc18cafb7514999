#!/usr/bin/env python3
"""Installs the package, builds the example with it outside the tree, runs the example, and opens its recording.

    package_test.py CMAKE BUILD_FOLDER PROGRAM EXAMPLE_FOLDER OUTPUT_FOLDER
"""
import json
import os
import shutil
import subprocess
import sys

REQUESTS = 500


def run(*words, code=0, **more):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=600, **more)
    assert done.returncode == code, f"{words} ended with {done.returncode}, not {code}:\n{done.stdout}{done.stderr}"
    return done


def main():
    cmake, build, program, example, output = sys.argv[1:]
    shutil.rmtree(output, ignore_errors=True)
    prefix, source, made = (os.path.join(output, name) for name in ("prefix", "source", "made"))
    shutil.copytree(example, source)
    run(cmake, "--install", build, "--prefix", prefix, "--component", "api")
    run(cmake, "-S", source, "-B", made, f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_BUILD_TYPE=Release")
    run(cmake, "--build", made)

    recording = os.path.join(output, "example.runahead")
    said = run(os.path.join(made, "example"), recording, REQUESTS).stdout
    assert said == "lost 0\n", said
    info = json.loads(run(program, "info", recording, "--json").stdout)
    assert info["complete"] and info["lost"] == {}, info

    def one(sql, file=recording):
        return json.loads(run(program, "query", file, sql, "--json").stdout)["rows"]

    counts = dict(one("SELECT s.name || '@' || t.path, count(*) FROM slice s JOIN track t ON t.id = s.track GROUP BY 1"))
    assert counts == {"ask@Frontend/frontend": REQUESTS, "answer@Threads/worker": REQUESTS,
                      "compute@Threads/worker": REQUESTS, "request@Server/requests": REQUESTS,
                      "loop@Frames/loop": REQUESTS - 1}, counts
    # For each request, a flow goes from the zone "ask" to the zone "answer" of the other thread.
    arrows = one("""SELECT count(*) FROM flow f JOIN slice a ON a.track = f.from_track AND a.name = 'ask'
                    AND f.from_ts BETWEEN a.ts AND a.ts + a.dur JOIN slice b ON b.track = f.to_track
                    AND b.name = 'answer' AND f.to_ts BETWEEN b.ts AND b.ts + b.dur WHERE f.name = 'request'""")
    assert arrows == [[REQUESTS]], arrows
    halves = one("SELECT name, message, from_track IS NULL, to_track IS NULL FROM flow WHERE message <> 0 ORDER BY message")
    assert halves == [["hello", 1, 0, 1], ["", 2, 1, 0]], halves
    samples = one("SELECT count(*), min(value) FROM counter WHERE track_name = 'waiting'")
    assert samples == [[2 * REQUESTS, 0.0]], samples
    instants = one("SELECT i.name, t.path FROM instant i JOIN track t ON t.id = i.track")
    assert instants == [["first request", "Frontend/frontend"]], instants

    # Now `runahead record` starts the same program. The program then writes no recording of its own. Its
    # events are in the recording of `runahead record`.
    whole = os.path.join(output, "whole.runahead")
    started = run(program, "record", "-o", whole, "--", os.path.join(made, "example"), recording + "2", REQUESTS)
    assert started.stdout == "lost 0\n" and f"recorded {whole}: " in started.stderr, started
    assert one("SELECT count(*) FROM slice", whole) == one("SELECT count(*) FROM slice"), started.stderr
    assert not os.path.exists(recording + "2"), "all is in one recording"

    nowhere = os.path.join(output, "missing", "x.runahead")
    refused = run(os.path.join(made, "example"), nowhere, 1, code=1)
    assert nowhere in refused.stderr and refused.stdout == "", refused

    off = os.path.join(output, "off.runahead")
    run(os.path.join(made, "example_off"), off, REQUESTS)
    assert not os.path.exists(off), "switched off, nothing is recorded"
    needed = run("readelf", "-d", os.path.join(made, "example_off")).stdout
    assert "librunahead" not in needed, needed
    return 0


if __name__ == "__main__":
    sys.exit(main())
