"""`%load_ext runahead` and `%%runahead`: notebooks are executed without a browser, and their outputs are checked.

Environment: RUNAHEAD (our program). PYTHONPATH names the folder of the package. Exit code 77: Jupyter is missing.
"""

import base64
import html
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

try:
    import ipykernel  # noqa: F401: the kernel that runs the cells
    import nbclient
    import nbformat
    import nbclient.exceptions
except ImportError as error:
    print(f"skipped: {error}; install jupyter-nbconvert, python3-ipykernel and jupyter-client")
    sys.exit(77)

os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"  # ipykernel's debugger warns at each start
RUNAHEAD = os.environ.get("RUNAHEAD", "runahead")
SIGNATURE = b"\x89PNG\r\n\x1a\n"

TRAIN = """from mxnet import autograd, gluon, init, np
net = gluon.nn.Dense(1)
net.initialize(init.Normal(0.1))
x, y = np.ones((8, 3)), np.ones((8, 1))
trainer = gluon.Trainer(net.collect_params(), 'sgd', {'learning_rate': 0.1})
loss = gluon.loss.L2Loss()
def train(steps):
    for step in range(steps):
        with autograd.record():
            l = loss(net(x), y)
        l.backward()
        trainer.step(8)
    return l
"""


def run_notebook(folder, cells, **variables):
    """Executes the cells. Returns a list of outputs for each cell."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "python3", "language": "python"}
    before = dict(os.environ)
    os.environ.update(variables, IPYTHONDIR=os.path.join(folder, "ipython"), JUPYTER_RUNTIME_DIR=folder)
    try:
        nbclient.NotebookClient(notebook, timeout=100, allow_errors=True, kernel_name="python3").execute(cwd=folder)
    finally:
        os.environ.clear()
        os.environ.update(before)
    return [cell.outputs for cell in notebook.cells]


def of_kind(outputs, kind):
    return [output["data"][kind] for output in outputs if kind in output.get("data", {})]


def text_of(outputs, stream="stdout"):
    return "".join(output["text"] for output in outputs if output.get("name") == stream)


def table(outputs):
    """The caption, and the rows as {first cell: [the other cells]}."""
    text = next(text for text in of_kind(outputs, "text/html") if 'class="runahead"' in text)
    plain = lambda words: html.unescape(re.sub("<[^>]*>", "", words))
    rows = [[plain(cell) for cell in re.findall("<td>(.*?)</td>", row)]
            for row in re.findall("<tr>(<td>.*?)</tr>", text)]
    return plain(re.search("<caption>(.*?)</caption>", text)[1]), {row[0]: row[1:] for row in rows}


def picture_size(outputs):
    data = base64.b64decode(of_kind(outputs, "image/png")[0])
    assert data.startswith(SIGNATURE)
    return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")


class Notebook(unittest.TestCase):
    """One notebook, so that the kernel starts once."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.kept = os.path.join(cls.folder.name, "kept.runahead")
        cls.gpu = os.path.join(cls.folder.name, "gpu.runahead")
        cls.cells = run_notebook(cls.folder.name, [
            "%load_ext runahead\nimport runahead",
            TRAIN,
            f"%%runahead --width 900 --height 400 --light -o {cls.kept}\n"
            "l = train(3)\n"
            "print(l.mean().item())\n"
            "z = (np.ones((64, 64)) + 1) * 2\n"
            "z.sum()\n",
            "print(runahead.barrier()); print(z[0, 0].item())",
            "%%runahead --barrier wait_to_read --by op\nl = train(4)",
            f"%%runahead -o {cls.gpu}\nrunahead.install(replace=['torch'])\nimport torch\n"
            "t = torch.ones(64, 64, device='cuda') @ torch.ones(64, 64, device='cuda')\nl = train(2)",
            "%%runahead\nw = np.ones((2,)) + 1\n1 / 0\nnever = 1\n",
            "%%runahead\nif (\n",
            "%%runahead --barrier fence\npass\n",
            "import os, runahead.jupyter as j\nj._program = lambda: None",
            "%%runahead\nnp.ones((2,)) + 1\n",
            "1 / 0\n",
        ])

    def test_a_cell_shows_its_timeline(self):
        self.assertEqual(picture_size(self.cells[2]), (900, 400))

    def test_the_rows_are_the_lines_of_the_cells(self):
        caption, rows = table(self.cells[2])
        self.assertEqual(rows["In [2]:10"][0], "l = loss(net(x), y)")  # a function of another cell
        self.assertGreaterEqual(int(rows["In [2]:10"][1]), 6)
        self.assertEqual(rows["In [3]:3"][:2], ["print(l.mean().item())", "1"])
        self.assertRegex(rows["In [3]:3"][3], r"^[\d.]+ (µs|ms|ns|s)$")  # item() waits
        self.assertEqual(rows["In [3]:4"][:2], ["z = (np.ones((64, 64)) + 1) * 2", "3"])
        self.assertEqual(rows["In [3]:4"][3], "")
        self.assertEqual(rows["In [3]:5"][:2], ["z.sum()", "1"])
        self.assertEqual(list(rows)[-1], "end of the cell")
        self.assertEqual(set(rows) - {f"In [2]:{line}" for line in range(1, 14)},
                         {"In [3]:3", "In [3]:4", "In [3]:5", "end of the cell"})
        ops = sum(int(row[1] or 0) for row in rows.values())
        self.assertRegex(caption, rf"^{ops} ops in .*; blocked \d+ %, of which \d+ % at the end of the cell; "
                                  r"peak memory [\d.]+ kB on cpu$")

    def test_a_cell_shows_its_values_as_usual(self):
        self.assertRegex(text_of(self.cells[2]), r"^0\.\d+\n$")
        self.assertIn("16384", of_kind(self.cells[2], "text/plain")[0])

    def test_the_recording_is_kept(self):
        done = subprocess.run([RUNAHEAD, "query", self.kept, "--json",
                               "SELECT count(*) FROM slice WHERE kind = 'step' AND flags NOT LIKE '%unfinished%'"],
                              capture_output=True, text=True, check=True)
        self.assertEqual(json.loads(done.stdout)["rows"], [[3]])

    def test_the_barrier_is_that_of_the_cell_only(self):
        _, rows = table(self.cells[4])
        self.assertRegex(rows["wait_to_read"][3], r"\d")
        self.assertEqual(rows["sgd_update"][1], "8")  # a weight and a bias, four times
        self.assertEqual(text_of(self.cells[3]), "none\n4.0\n")

    def test_a_cell_of_torch_names_the_simulated_gpu(self):
        caption, rows = table(self.cells[5])
        self.assertRegex(caption, r"peak memory .* on cpu, [\d.]+ kB on virtual:0 \(simulated\)$")
        self.assertEqual(rows["In [6]:4"][1], "3")
        self.assertIn("GPU 0 is simulated", text_of(self.cells[5], "stderr"))

    def test_a_second_recording_is_complete(self):
        info = subprocess.run([RUNAHEAD, "info", self.gpu, "--json"], capture_output=True, text=True, check=True)
        self.assertEqual(json.loads(info.stdout)["lost"], {})

    def test_an_error_is_shown_as_without_the_magic_after_the_timeline(self):
        outputs = self.cells[6]
        _, rows = table(outputs)
        self.assertEqual(rows["In [7]:2"][:2], ["w = np.ones((2,)) + 1", "2"])
        errors = [output for output in outputs if output["output_type"] == "error"]
        usual = self.cells[11][0]
        self.assertEqual([error["ename"] for error in errors], ["ZeroDivisionError"])
        self.assertEqual(outputs[-1], errors[0])
        self.assertEqual(len(errors[0]["traceback"]), len(usual["traceback"]))
        stack = re.sub("\x1b\\[[0-9;]*m", "", "\n".join(errors[0]["traceback"]))
        self.assertRegex(stack, r"--> +3 1 / 0|----> 3 1/ ?0")
        self.assertNotIn("jupyter.py", stack)

    def test_a_syntax_error_is_shown_once(self):
        self.assertEqual([output["ename"] for output in self.cells[7] if output["output_type"] == "error"],
                         ["SyntaxError"])

    def test_a_wrong_option_is_said(self):
        self.assertIn("fence", text_of(self.cells[8], "stderr") + str(self.cells[8]))
        self.assertEqual(of_kind(self.cells[8], "image/png"), [])

    def test_without_the_program_there_is_the_table_and_a_line(self):
        self.assertEqual(of_kind(self.cells[10], "image/png"), [])
        self.assertEqual(table(self.cells[10])[1]["In [11]:2"][1], "2")
        self.assertIn("No picture: the program runahead is not beside", str(of_kind(self.cells[10], "text/html")))


class RecordedProcess(unittest.TestCase):
    def test_a_process_that_is_recorded_says_so(self):
        with tempfile.TemporaryDirectory() as folder:
            cells = run_notebook(folder, ["%load_ext runahead\nfrom mxnet import np", "%%runahead\nnp.ones((2,)) + 1"],
                                 RUNAHEAD_RECORD=os.path.join(folder, "all.runahead"))
            self.assertIn("RUNAHEAD_RECORD is set", text_of(cells[1], "stderr"))
            self.assertEqual(of_kind(cells[1], "image/png"), [])
            self.assertTrue(of_kind(cells[1], "text/plain"))
            self.assertTrue(os.path.exists(os.path.join(folder, "all.runahead")))


if __name__ == "__main__":
    unittest.main()
