"""What a script leaves in its recording: the lines of its enqueues and waits, its steps, its barrier.

Environment: RUNAHEAD (our program). PYTHONPATH names the folder of the package.
"""

import json
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest

LINES = "(SELECT id, value FROM args WHERE key = 'line')"
RUNAHEAD = os.environ.get("RUNAHEAD", "runahead")

SCRIPT = """
from mxnet import autograd, gluon, init, np, npx
net = gluon.nn.Sequential()
net.add(gluon.nn.Dense(4, activation='relu'), gluon.nn.Dense(1))
net.initialize(init.Normal(0.1))
x, y = np.ones((8, 3)), np.ones((8, 1))
trainer = gluon.Trainer(net.collect_params(), 'sgd', {'learning_rate': 0.1})
loss = gluon.loss.L2Loss()
for step in range(5):
    with autograd.record():
        l = loss(net(x), y)
    l.backward()
    trainer.step(8)
print(l.mean().item())
"""


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=100)
    if done.returncode != 0:
        raise AssertionError(f"{words}: exit {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


class Recording(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.script = os.path.join(folder.name, "train.py")
        self.file = os.path.join(folder.name, "train.runahead")
        with open(self.script, "w") as file:
            file.write(textwrap.dedent(SCRIPT).lstrip())

    def record(self, *options):
        return run(RUNAHEAD, "python", "--record", self.file, *options, self.script)

    def query(self, sql):
        return json.loads(run(RUNAHEAD, "query", self.file, "--json", sql))["rows"]

    def test_each_enqueue_and_each_wait_has_the_line_of_the_script(self):
        self.record()
        lines = dict(self.query(f"SELECT s.kind || ' ' || s.name, group_concat(DISTINCT a.value) FROM slice s "
                                f"LEFT JOIN {LINES} a ON a.id = s.args WHERE s.name <> 'end of the script' "
                                "AND s.kind IN ('enqueue', 'wait') GROUP BY 1"))
        self.assertEqual(lines["enqueue l2_loss"], "train.py:10")
        self.assertEqual(lines["enqueue dense"], "train.py:10")
        self.assertEqual(lines["enqueue relu_gradient"], "train.py:11")
        self.assertEqual(lines["enqueue sgd_update"], "train.py:12")
        self.assertEqual(lines["wait item"], "train.py:13")
        self.assertEqual([name for name, line in lines.items() if line is None], [])

    def test_the_recording_names_the_script_and_its_lines_without_its_folder(self):
        folder = os.path.dirname(self.script)
        run(RUNAHEAD, "python", "--record", self.file, os.path.join(folder, "..", os.path.basename(folder), "train.py"))
        self.assertEqual(self.query("SELECT value FROM metadata WHERE key = 'process.script'"), [[self.script]])
        self.assertEqual(self.query(f"SELECT DISTINCT a.value FROM slice s JOIN {LINES} a ON a.id = s.args "
                                    "WHERE s.name = 'l2_loss' AND s.kind = 'enqueue'"), [["train.py:10"]])

    def test_a_step_ends_where_the_trainer_steps(self):
        self.record()
        info = json.loads(run(RUNAHEAD, "info", self.file, "--json"))
        self.assertEqual(info["lost"], {})
        self.assertEqual(self.query("SELECT count(*) FROM slice WHERE kind = 'step' "
                                    "AND flags NOT LIKE '%unfinished%'"), [[5]])

    def test_the_barrier_waits_at_the_end_of_each_step(self):
        self.record("--barrier", "wait_to_read")
        self.assertEqual(self.query(f"SELECT count(*), group_concat(DISTINCT a.value) FROM slice s JOIN {LINES} a "
                                    "ON a.id = s.args WHERE s.kind = 'wait' AND s.name = 'wait_to_read'"),
                         [[5, "train.py:12"]])

    def test_each_step_says_where_the_barrier_waits_under_every_barrier(self):
        for barrier in ("none", "wait_to_read"):
            self.record("--barrier", barrier)
            self.assertEqual(self.query("SELECT count(*), group_concat(DISTINCT t.name), group_concat(DISTINCT a.value) "
                                        f"FROM instant i JOIN track t ON t.id = i.track JOIN {LINES} a ON a.id = i.args "
                                        "WHERE i.name = 'wait point'"), [[5, "main", "train.py:12"]], barrier)
        self.assertEqual(self.query("SELECT count(*) FROM instant i WHERE i.name = 'wait point' AND i.op = (SELECT w.op "
                                    "FROM slice w WHERE w.name = 'wait_to_read' AND w.ts >= i.ts ORDER BY w.ts LIMIT 1)"),
                         [[5]])

    def test_zones_around_the_first_op_are_on_the_track_of_the_script(self):
        with open(self.script, "w") as file:
            file.write("import runahead\nfrom mxnet import np\n"
                       "with runahead.zone('load'):\n    runahead.instant('begin')\n"
                       "with runahead.zone('first'):\n    np.ones(3).wait_to_read()\n")
        self.record()
        self.assertEqual(self.query("SELECT s.name, t.name FROM slice s JOIN track t ON t.id = s.track "
                                    "WHERE s.name IN ('load', 'first') ORDER BY s.name"), [["first", "main"], ["load", "main"]])
        self.assertEqual(json.loads(run(RUNAHEAD, "info", self.file, "--json"))["lost"], {})

    def test_the_program_says_what_was_measured(self):
        figures = json.loads(self.record("--json"))
        self.assertEqual((figures["steps"], figures["ops_failed"]), (5, 0))
        self.assertGreater(figures["ops"], 50)


if __name__ == "__main__":
    unittest.main()
