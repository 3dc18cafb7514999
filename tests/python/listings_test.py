"""The listings of the lessons: each one runs, and its lines are on the timeline.

RUNAHEAD names the program, PYTHONPATH the folder of the package.
"""

import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

import runahead

FOLDER = os.path.join(os.path.dirname(os.path.dirname(runahead.__file__)), "runahead_listings")
PROGRAM = os.environ["RUNAHEAD"]
# A test needs fewer ops than a lesson. These constants of a listing have smaller values here.
MOST = {"SIZE": 64, "TIMES": 50, "BATCHES": 3, "BATCH": 32, "FEATURES": 16, "COUNT": 1000}


def shorter(text):
    """The listing with its constants cut down to MOST."""
    def cut(line):
        names = [name.strip() for name in line.group(1).split(",")]
        values = [int(value.replace("_", "")) for value in re.findall(r"[\d_]+", line.group(2))]
        return f"{line.group(1)} = {', '.join(str(min(v, MOST.get(n, v))) for n, v in zip(names, values))}"
    return re.sub(r"^([A-Z, ]+) = ([\d_, ]+)$", cut, text, flags=re.MULTILINE)


class Listings(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_listing(self, name, text):
        script, recording = os.path.join(self.folder, name + ".py"), os.path.join(self.folder, name + ".runahead")
        with open(script, "w") as file:
            file.write(text)
        ran = subprocess.run([sys.executable, "-m", "runahead", "--record", recording, script],
                             capture_output=True, text=True, timeout=100)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return recording

    def ask(self, recording, question):
        answer = subprocess.run([PROGRAM, "query", recording, question, "--json"], capture_output=True, text=True, check=True)
        return json.loads(answer.stdout)["rows"]

    def test_each_listing_has_the_name_of_a_workload(self):
        listed = json.loads(subprocess.run([PROGRAM, "list", "--json"], capture_output=True, text=True, check=True).stdout)
        workloads = {workload["name"] for workload in listed["workloads"]}
        listings = {name.removesuffix(".py") for name in os.listdir(FOLDER) if name.endswith(".py")}
        self.assertGreaterEqual(len(listings), 12)
        self.assertLessEqual(listings, workloads)

    def test_each_listing_runs_and_has_its_lines_on_the_timeline(self):
        for file in sorted(os.listdir(FOLDER)):
            if not file.endswith(".py"):
                continue
            name = file.removesuffix(".py")
            with self.subTest(name):
                with open(os.path.join(FOLDER, file)) as listing:
                    text = listing.read()
                if re.search(r"^import numpy$", text, re.MULTILINE) and importlib.util.find_spec("numpy") is None:
                    self.skipTest("numpy is not installed")
                recording = self.run_listing(name, shorter(text))
                with_lines = self.ask(recording, "SELECT count(*) AS n FROM slice s JOIN args a ON a.id = s.args "
                                                 f"WHERE a.key = 'line' AND a.value LIKE '%{file}:%'")
                self.assertGreater(int(with_lines[0][0]), 3, name)


if __name__ == "__main__":
    unittest.main()
