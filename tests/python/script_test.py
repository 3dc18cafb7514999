"""python3 -m runahead and the import hook, each case in a process of its own.

PYTHONPATH names the folder of the package.
"""

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest

import runahead.__main__


class Script(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(textwrap.dedent(text))
        return path

    def run_words(self, *words, path=()):
        environment = dict(os.environ, PYTHONPATH=os.pathsep.join([*path, os.environ["PYTHONPATH"]]))
        return subprocess.run([sys.executable, "-m", "runahead", *words], cwd="/",
                              env=environment, capture_output=True, text=True)

    def run_script(self, text, *words, options=(), path=()):
        return self.run_words(*options, self.write("script.py", text), *words, path=path)

    def check(self, text, *words, **keywords):
        done = self.run_script(text, *words, **keywords)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done


class Running(Script):
    def test_a_script_runs_as_python_runs_it(self):
        self.write("beside.py", "value = 7")
        done = self.check("""
            import os, sys, beside, __main__
            assert __name__ == "__main__" and __main__.beside is beside
            assert sys.argv == [__file__, "a", "--json"] and sys.path[0] == os.path.dirname(os.path.realpath(__file__))
            print(beside.value)
            """, "a", "--json")
        self.assertEqual(done.stdout, "7\n")

    def test_exit_codes(self):
        self.assertEqual(self.run_script("import sys; sys.exit(3)").returncode, 3)
        failed = self.run_script("1 / 0")
        self.assertEqual(failed.returncode, 1)
        self.assertIn("line 1, in <module>", failed.stderr)
        self.assertNotIn("__main__.py", failed.stderr)
        self.assertEqual(self.run_script("raise SystemExit('no')").stderr, "no\n")

    def test_json_is_alone_on_stdout(self):
        done = self.check("""
            import os, mxnet as mx
            print((mx.nd.ones((1,)) + 1).asscalar(), "from the script")
            os.system("echo from a child")
            """, options=["--json"])
        self.assertEqual(json.loads(done.stdout)["ops"], 2)
        self.assertIn("2.0 from the script", done.stderr)
        self.assertIn("from a child", done.stderr)

    def test_wrong_words_are_one_line_and_code_2(self):
        script = self.write("nothing.py", "")
        for words in ([], ["nowhere.py"], ["--workers", "0", script], ["--limit", "5", script],
                      ["--engine", "fast", script], ["--capacity", "0", script], ["--device-map", "gpu0=cpu", script],
                      ["--barrier", "fence", script],
                      ["--device-map", "gpu:0=toaster", script], ["--unknown", script], ["--spin", "x", script]):
            out, errors = io.StringIO(), io.StringIO()
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
                code = runahead.__main__.main(words)
            self.assertEqual((code, out.getvalue()), (2, ""), words)
            self.assertRegex(errors.getvalue(), r"\Arunahead: [^\n]*\n\Z", words)
        self.assertEqual(self.run_words().returncode, 2)

    def test_an_option_beside_observe_torch_is_named_as_it_was_given(self):
        for words in (["--spin", "0"], ["--capacity", "64M"], ["--gpus", "0"], ["--limit", "ops:5"], ["--json"],
                      ["--torch-as-runahead"], ["--waiter-helps"]):
            errors = io.StringIO()
            with contextlib.redirect_stderr(errors):
                code = runahead.__main__.main(["--observe-torch", *words, "nothing.py"])
            self.assertEqual((code, errors.getvalue().partition(" has no meaning")[0]), (2, "runahead: " + words[0]))

    def test_an_interrupt_at_the_end_is_said(self):
        done = self.run_script("""
            import os, signal, threading
            class Last(threading.Thread):
                def run(self):
                    joined.wait()
                    os.kill(os.getpid(), signal.SIGINT)
                    while not over.wait(1):  # the signal came just before the join began to wait, which does not end by it
                        os.kill(os.getpid(), signal.SIGINT)
                def join(self):  # called at the end of the script
                    try:
                        joined.set()
                        super().join()
                    finally:
                        over.set()
            joined, over = threading.Event(), threading.Event()
            Last().start()
            """)
        self.assertEqual((done.returncode, done.stderr), (130, "runahead: interrupted\n"))

    def test_the_engine_takes_its_options(self):
        self.check("""
            import mxnet as mx, runahead
            assert runahead.barrier() == "wait_to_read", runahead.barrier()
            assert (mx.nd.ones((1,)) + 1).asscalar() == 2
            assert runahead.stats()["engine"] == "naive"
            """, options=["--barrier", "wait_to_read", "--engine", "naive", "--workers", "2", "--limit", "ops:50",
                          "--limit", "bytes:64Mi", "--alloc", "execute", "--order", "oldest"])

    def test_a_script_ends_with_the_program_that_started_it(self):
        script = self.write("script.py", """
            import time
            print("begun", flush=True)
            time.sleep(60)
            print("outlived")
            """)
        starter = ("import os, subprocess, sys\n"
                   "os.environ['RUNAHEAD_ENDS_WITH'] = str(os.getpid())\n"
                   "subprocess.run(sys.argv[1:])\n")
        with subprocess.Popen([sys.executable, "-c", starter, os.environ["RUNAHEAD"], "python", script],
                              stdout=subprocess.PIPE, text=True) as started:
            self.assertEqual(started.stdout.readline(), "begun\n")
            started.kill()
            self.assertEqual(started.stdout.read(), "")  # up to the end of the script, which has the pipe too

    def test_a_simulated_gpu_is_announced_once(self):
        done = self.check("""
            import mxnet as mx
            for i in range(3):
                mx.nd.ones((1,), ctx=mx.gpu(1)).wait_to_read()
            """)
        self.assertEqual(done.stderr.count("simulated"), 1)
        self.assertIn("GPU 1 is simulated (virtual:1)", done.stderr)

    def test_gpus_and_their_devices(self):
        done = self.check("""
            import mxnet as mx
            print(mx.num_gpus(), [mx.nd.ones((1,), ctx=mx.gpu(i)).ctx for i in range(3)])
            """, options=["--gpus", "3", "--device-map", "gpu:0=virtual:2,gpu:2=virtual:0"])
        self.assertEqual(done.stdout, "3 [gpu(0), gpu(1), gpu(2)]\n")
        self.assertIn("GPU 0 is simulated (virtual:2)", done.stderr)

    def test_a_gpu_may_be_a_model_that_has_times_only(self):
        done = self.check("""
            import mxnet as mx, runahead
            x = mx.np.ones((4000, 4000), ctx=mx.gpu(0))
            for _ in range(50):
                y = mx.np.dot(x, x)
            mx.npx.waitall()
            print(y.ctx, mx.np.ones((1,), ctx=mx.gpu(1)).item())
            try:
                y.asnumpy()
            except runahead.EngineError as error:
                print(error)
            """, options=["--device-map", "gpu:0=virtual:0,preset=h100,gpu:1=virtual:1"])
        self.assertIn("gpu(0) 1.0", done.stdout)
        self.assertIn("holds no values (a timing-only preset)", done.stdout)
        self.assertIn("GPU 0 is simulated (virtual:0,preset=h100): its times come from a model, its arrays have no values", done.stderr)

    def test_threads_and_ops_of_the_script_end_before_the_figures(self):
        done = self.check("""
            import threading, mxnet as mx
            gate = threading.Event()
            def late():
                gate.wait()
                mx.nd.ones((2,)) + 1
                print("late")
            threading.Thread(target=late).start()
            gate.set()
            """, options=["--json"])
        self.assertGreaterEqual(json.loads(done.stdout)["ops"], 2)


class Importing(Script):
    def test_every_spelling_is_the_same_module(self):
        self.check("""
            import mxnet as mx, mxnet.numpy, mxnet.gluon.nn as nn
            from mxnet import autograd, gluon, init, nd, np, npx, sym
            from mxnet.gluon import loss as gloss, nn as again
            import mxnet.np as np2, mxnet.ndarray
            assert nn is again is gluon.nn and np2 is np is mxnet.numpy and nd is mx.nd is mxnet.ndarray
            import runahead.mxnet
            assert runahead.mxnet is mx and mx.__spec__.name == "runahead.mxnet"
            """)

    def test_d2l_in_all_editions(self):
        done = self.check("""
            import d2l, d2lzh
            from d2l import mxnet as d2l2
            assert d2l.try_gpu is d2l2.try_gpu and str(d2l2.try_all_gpus()) == "[gpu(0), gpu(1)]"
            with d2l2.Benchmark("new"): pass
            with d2l.benchmark("old: %.1f sec"): pass
            with d2lzh.Benchmark("zh."): pass
            timer = d2l.Timer()
            assert timer.stop() >= 0 and timer.avg() == timer.sum() == timer.cumsum()[0]
            """)
        self.assertRegex(done.stdout, r"\Anew: 0\.\d{4} sec\nold: 0\.\d sec\nzh\. time: 0\.\d{4} sec\n\Z")

    def test_d2l_for_torch(self):
        done = self.check("""
            import torch
            from d2l import torch as d2l
            print(d2l.try_gpu(), d2l.try_gpu(9), torch.ones(1, device=d2l.try_gpu()).device)
            """, options=["--torch-as-runahead"])
        self.assertEqual(done.stdout, "cuda:0 cpu cuda:0\n")

    def test_torch_is_ours_only_on_request(self):
        self.write("site/torch/__init__.py", "installed = True")
        site = [os.path.join(self.folder, "site")]
        self.check("import torch; assert torch.installed", path=site)
        self.check("import torch; assert torch.__version__.endswith('runahead')",
                   options=["--torch-as-runahead"], path=site)

    def test_an_installed_package_stays_unless_it_is_named(self):
        self.write("site/mxnet/__init__.py", "installed = True")
        self.write("site/mxnet/gluon.py", "installed = True")
        site = [os.path.join(self.folder, "site")]
        done = self.check("import mxnet, mxnet.gluon; assert mxnet.installed and mxnet.gluon.installed", path=site)
        self.assertIn("mxnet is the installed package", done.stderr)
        done = self.check("import mxnet.gluon; assert mxnet.gluon.nn", options=["--replace", "mxnet"], path=site)
        self.assertEqual(done.stderr, "")

    def test_a_folder_of_that_name_is_no_package(self):
        self.write("d2l/data.txt", "no Python here")
        self.check("from d2l import mxnet as d2l; d2l.try_gpu()")

    def test_a_missing_name_is_named(self):
        done = self.check("""
            import mxnet as mx
            def message(code):
                try:
                    exec(code)
                except (AttributeError, ImportError) as error:
                    print(error)
            message("mx.np.fft")
            message("mx.nd.random.gamma")
            message("mx.gluon.nn.Conv2D")
            message("import mxnet.image")
            message("from mxnet.gluon import rnn")
            message("from d2l import mxnet as d2l; d2l.Animator")
            message("mx.sym.Custom")
            """)
        lines = done.stdout.splitlines()
        for line, name in zip(lines, ("mxnet.np.fft", "mxnet.nd.random.gamma", "mxnet.gluon.nn.Conv2D", "mxnet.image",
                                      "'rnn'", "d2l.mxnet.Animator", "mxnet.sym.Custom")):
            self.assertIn(name, line)
        self.assertEqual(len(lines), 7)

    def test_nothing_is_loaded_before_its_first_use(self):
        self.check("""
            import subprocess, sys
            code = "import sys; before = set(sys.modules); import runahead; "
            code += "loaded = [name for name in set(sys.modules) - before if name.startswith('runahead.')]; "
            subprocess.run([sys.executable, "-c", code + "assert not loaded, loaded"], check=True)
            """)


if __name__ == "__main__":
    unittest.main()
