"""The type stubs of the package agree with its modules. PYTHONPATH names the folder of the package."""

import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "engine", "python"))
import make_stubs


class Stubs(unittest.TestCase):
    def test_each_stub_is_what_make_stubs_writes(self):
        self.assertEqual(make_stubs.main(["--check"]), 0, "run engine/python/make_stubs.py")

    def test_each_function_of_the_extension_has_a_stub(self):
        from runahead import _runahead
        with open(os.path.join(make_stubs.FOLDER, "_runahead.pyi")) as file:
            stub = file.read()
        for name, value in vars(_runahead).items():
            if callable(value) and not name.startswith("_"):
                self.assertRegex(stub, rf"(def|class) {name}[(:]", name)


if __name__ == "__main__":
    unittest.main()
