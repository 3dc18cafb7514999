#!/usr/bin/env python3
"""The man pages and completions that the program writes name every command and every flag of --help, and the tools that
read them find no fault. A tool that is not installed is left out.

    reference_test.py      RUNAHEAD: the program   PYTHON_PACKAGE: the folder of the Python package; empty: it is not built
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

PROGRAM = os.environ["RUNAHEAD"]
PYTHON_PACKAGE = os.environ.get("PYTHON_PACKAGE", "")


def run(*words, **more):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=60, **more)
    assert done.returncode == 0, (words, done.returncode, done.stdout, done.stderr)
    return done.stdout + done.stderr


def read(*names):
    with open(os.path.join(*names), encoding="utf-8") as file:
        return file.read()


def flags_in(text):
    """The flags of a text of --help: those at the begin of a line."""
    flags = set()
    for line in text.splitlines():
        if begin := re.match(r"  (-[\w-]+(?:,\s?-[\w-]+)*)", line):
            flags.update(re.split(r",\s?", begin[1]))
    return flags


def commands_in(text):
    return re.findall(r"^  (\w+)  ", text.split("Subcommands:")[1].split("Exit codes:")[0], re.MULTILINE)


def check_page(page, flags):
    bold = {flag.replace("\\-", "-") for flag in re.findall(r"\\fB(\\-[\w\\-]+)\\fR", read(page))}
    assert not flags - bold, (page, flags - bold)


def check_with_tools(pages):
    """The tools that show man pages find no fault. One call for all pages, because `man` starts many processes."""
    if shutil.which("man"):
        said = run("man", "--warnings", "-E", "UTF-8", "-l", *pages, env=dict(os.environ, MANWIDTH="80", LC_ALL="C.UTF-8"))
        assert "warning" not in said and "RUNAHEAD-PREDICT(1)" in said, said[-1000:]
    if shutil.which("mandoc"):
        said = subprocess.run(["mandoc", "-T", "lint", *pages], capture_output=True, text=True, timeout=60).stdout
        assert said == "", said


def bash(script, lines):
    """What the completion offers for the last word of each of the lines."""
    calls = [f"COMP_WORDS=({' '.join(map(repr, words))}); COMP_CWORD={len(words) - 1}; _runahead; echo \"${{COMPREPLY[*]}}\""
             for words in lines]
    said = run("bash", "-c", f"source '{script}'\n" + "\n".join(calls))
    return [line.split() for line in said.splitlines()]


def fish(script, words):
    line = " ".join(words)
    return {each.split("\t")[0] for each in run("fish", "-c", f"source '{script}'; complete -C '{line}'").splitlines()}


def check_completions(share, commands, flags):
    script = os.path.join(share, "bash-completion", "completions", "runahead")
    offered = bash(script, [["runahead", command, "-"] for command in commands])
    for command, found in zip(commands, offered):
        assert not flags[command] - set(found), (command, flags[command] - set(found))
    expected = [([""], commands), (["run", "--engine", "t"], ["threaded"]), (["run", "--engine", "=", "n"], ["naive"]),
                (["run", "--barrier", "wait_"], ["wait_to_read"]), (["run", "over"], ["overlap"]),
                (["info", "x"], [])]  # bash itself completes file names
    found = bash(script, [["runahead", *words] for words, _ in expected])
    assert found == [words for _, words in expected], found
    assert "--version" in bash(script, [["runahead", "-"]])[0]

    zsh = os.path.join(share, "zsh", "vendor-completions", "_runahead")
    for command in commands:
        part = read(zsh).split(f"\n    {command})\n")[1].split(";;")[0]
        found = set(re.findall(r"'\*?(-[\w-]+?)[=+]?\[", part))
        assert not flags[command] - found, (command, flags[command] - found)
    if shutil.which("zsh"):
        run("zsh", "-n", zsh)

    script = os.path.join(share, "fish", "vendor_completions.d", "runahead.fish")
    for command in commands:
        lines = [line for line in read(script).splitlines() if f"__fish_seen_subcommand_from {command}'" in line]
        found = {"--" + name for line in lines for name in re.findall(r" -l (\S+)", line)}
        found |= {"-" + name for line in lines for name in re.findall(r" -s (\S)", line)}
        assert not flags[command] - found, (command, flags[command] - found)
    if shutil.which("fish"):
        env_words = fish(script, ["runahead", "run", "--eng"])
        assert env_words == {"--engine"} or "--engine=" in env_words, env_words
        assert "predict" in fish(script, ["runahead", "pre"])
        assert "threaded" in fish(script, ["runahead", "run", "--engine", "t"])


def python_options(folder):
    """The options of the Python package, as its own description, and the file of it that the program reads."""
    file = os.path.join(folder, "python_options.json")
    env = dict(os.environ, PYTHONPATH=PYTHON_PACKAGE, PYTHONDONTWRITEBYTECODE="1")
    text = run(sys.executable, "-m", "runahead.command_line", env=env)
    with open(file, "w", encoding="utf-8") as out:
        out.write(text)
    said = run(sys.executable, "-m", "runahead", "--help", env=env)
    flags = set(re.findall(r"^  (?:-h, )?(--[a-z-]+)", said, re.MULTILINE))
    assert {"--help", "--record", "--observe-torch", "--limit"} <= flags, said
    return file, flags


def main():
    with tempfile.TemporaryDirectory() as folder:
        share = os.path.join(folder, "share")
        words, flags = [], {"python": set()}
        if PYTHON_PACKAGE:
            file, flags["python"] = python_options(folder)
            words = ["--python-options", file]
        run(PROGRAM, "reference", share, *words, env=dict(os.environ, SOURCE_DATE_EPOCH="86400"))
        commands = commands_in(run(PROGRAM, "--help"))
        assert "run" in commands and "predict" in commands and "agent" not in commands, commands
        for command in commands:
            if command != "python":
                flags[command] = flags_in(run(PROGRAM, command, "--help"))
                assert {"-h", "--help"} <= flags[command], (command, flags[command])
        pages = os.path.join(share, "man", "man1")
        assert sorted(os.listdir(pages)) == sorted(["runahead.1"] + [f"runahead-{command}.1" for command in commands])
        check_page(os.path.join(pages, "runahead.1"), {"-h", "--help", "--version"})
        assert '"1970-01-02"' in read(pages, "runahead.1"), "the date is that of SOURCE_DATE_EPOCH"
        for command in commands:
            check_page(os.path.join(pages, f"runahead-{command}.1"), flags[command])
        check_with_tools([os.path.join(pages, name) for name in sorted(os.listdir(pages))])
        check_completions(share, commands, flags)
    return 0


if __name__ == "__main__":
    sys.exit(main())
