"""Walks through the window: every panel, dialog and workload in turn, and a lesson from its question to its explanation.
look(window, name) is called when something new is on the screen and nothing moves any more.
"""
import os
import subprocess

from window_case import RUN, Skipped, lesson, live, middle_of


def when_still(window, what):
    """Waits until no glyph is missing and nothing moves; returns the words that do not fit their places."""
    report = window.wait(f"all glyphs are there: {what}", lambda r: r["all_glyphs"])
    assert report["missing_glyphs"] == [], [chr(c) for c in report["missing_glyphs"]]
    return window.still(what, lambda r: [[c["words"], round(c["needed_px"]), round(c["room_px"])] for c in r["clipped"]])


def what_does_not_fit(window, what):
    """Returns the window's own words that do not fit their place, once nothing moves any more."""
    report = window.report()
    clipped = when_still(window, what)
    assert report["language"] == window.report()["language"]
    return [[what, *words] for words in clipped]


def speaks(case, window, code):
    """Checks that the window shows that language. If it shows English and says why, the case is skipped."""
    if window.report()["language"] != code:
        assert "fonts-noto-cjk" in window.report()["error"], "it says why it is English"
        case.quit(window)
        raise Skipped("fonts-noto-cjk is not installed")


def panels(case, words, code, look):
    """All panels and dialogs of a run; `words` say how the window looks (--size, --light, --scale)."""
    window = case.open(*RUN, *words, "--language", code)
    speaks(case, window, code)
    look(window, "before the run")
    window.click("run")
    window.wait("it has taken steps", lambda r: live(r) and r["run"]["steps"] > 5)
    window.key("2")
    window.wait("the strip compares", lambda r: r["strip"] and r["strip"]["before"]["steps"] > 0 and
                r["strip"]["after"]["steps"] > 5 and r["strip"]["after_phase"] != "draining")
    window.key("space")
    window.wait("it is paused", lambda r: r["run"]["state"] == "paused" and r["run"]["ops_in_flight"] == 0)
    look(window, "paused")
    slices = case.zoom_to_work(window)
    window.move(*middle_of(slices[0]["rect"]))
    window.display.do("click", 1)
    window.wait("a slice is selected", lambda r: r["selected"] is not None)
    look(window, "selected")
    case.over_plot(window, 0.3, 0.1)
    window.display.do("keydown", "ctrl", "mousedown", 1)
    case.over_plot(window, 0.5, 0.5)
    case.over_plot(window, 0.7, 0.9)
    window.display.do("mouseup", 1, "keyup", "ctrl")
    window.wait("an area is selected", lambda r: r["area"] and r["area"]["answered"])
    look(window, "area")
    case.over_plot(window, 0.3, 0.5)
    window.display.do("keydown", "shift", "mousedown", 1)
    window.display.do("mousemove_relative", "--sync", 90, 0)
    window.display.do("mouseup", 1, "keyup", "shift")
    window.wait("a range is measured", lambda r: r["range_ns"] is not None and r["range_measured"])
    look(window, "range")
    for key, name, shown in (("g", "graph", lambda r: r["graph"] and r["graph"]["nodes"]),
                             ("slash", "find", lambda r: r["find"] and r["find"]["answered"]),
                             ("b", "waits", lambda r: r["waits"] and r["waits"]["groups"]),
                             ("e", "causes", lambda r: r["causes"] and r["causes"]["answered"]),
                             ("x", "whatif", lambda r: r["whatif"] is not None),
                             ("k", "memory", lambda r: r["memory"] and r["memory"]["holders"]),
                             ("c", "compare", lambda r: r["compare"] and r["compare"]["answered"]),
                             ("q", "query", lambda r: r["query"] is not None), ("l", "legend", lambda r: r["legend"]),
                             ("F3", "debug", lambda r: r["debug"]), ("question", "help", lambda r: r["help"])):
        window.move(640, 300)
        window.key(key)
        window.wait(f"{name} is shown", shown)
        look(window, name)
        if name == "causes":
            look_at_idle_time(window, look)
        # In the panels "find" and "query", a text field has the keyboard focus. Therefore the key would not close
        # them.
        if name in ("find", "query"):
            window.click(name + ":close")
        elif name != "graph":  # the graph stays open next to the other panels
            window.key(key)
    window.key("g")
    window.click("menu")
    window.click("menu:language")
    window.wait("the languages are listed", lambda r: "language:ja" in r["widgets"])
    look(window, "menu")
    window.click("status")
    window.wait("the menu is closed", lambda r: "menu:language" not in r["widgets"])
    window.key("j")
    window.wait("class is shown", lambda r: r["class"])
    window.type("hello")
    look(window, "class")
    window.key("Escape")
    window.wait("class is closed", lambda r: r["class"] is None)

    def ask_for_page():
        window.click("menu")
        window.click("menu:export")
    for ask, name in ((lambda: window.key("ctrl+s"), "save"), (ask_for_page, "page"), (lambda: window.key("ctrl+o"), "open"),
                      (lambda: window.click("record"), "record")):
        ask()
        window.wait(f"the dialog is there: {name}", lambda r: r["dialog"] == name and "file_accept" in r["widgets"])
        look(window, f"dialog {name}")
        window.click("file_cancel")
        window.wait("it is closed", lambda r: r["dialog"] == "")
    window.click("stop")
    window.wait("it has stopped", lambda r: not r["run"]["live"])
    window.key("Escape")
    window.click("workload")
    names = [w.split(":")[1] for w in window.wait("the list is open", lambda r: "workload:increment" in r["widgets"])
             ["widgets"] if w.startswith("workload:")]
    look(window, "workloads")
    for name in names:
        if "workload:increment" not in window.report()["widgets"]:
            window.click("workload")
        window.click("workload:" + name)
        window.wait(f"{name} is chosen", lambda r: r["choice"]["workload"] == name and
                    "workload:increment" not in r["widgets"])
        look(window, f"workload {name}")
    for stage in range(2, 6):
        window.click(f"stage:{stage}")
        window.wait(f"the lesson is at step {stage}", lambda r: lesson(r)["stage"] == stage)
        look(window, f"lesson step {stage}")
    window.click("workload")
    window.click("exercise:1")
    window.wait("the exercise is chosen", lambda r: r["exercise"] == 1)
    window.click("run")
    window.wait("it has results", lambda r: r["run"] and r["run"]["state"] == "finished" and r["results"])
    look(window, "results")
    case.quit(window)


def what_if(case, words, code, look):
    """The panel What if of a recording, with a change made by hand."""
    path = record_waitall(case)
    window = case.open(path, *words, "--language", code)
    speaks(case, window, code)
    window.wait("it is open", lambda r: r["opened"] == path and r["settled"])
    window.key("x")
    window.wait("the changes are ranked", lambda r: r["whatif"] and r["whatif"].get("candidates"))
    look(window, "what if")
    window.click("whatif:barrier")
    window.click("whatif:barrier:window:1")
    window.wait("the change is predicted", lambda r: r["whatif"]["by_hand"] is not None)
    look(window, "what if by hand")
    case.quit(window)


def record_waitall(case):
    """Records a run that waits in every step; returns the path."""
    path = os.path.join(case.folder, "waitall.runahead")
    subprocess.run([case.program, "run", "training_memory", "--device", "virtual:0", "--barrier", "waitall", "--set",
                    "steps=20", "--record", path], check=True, stdout=subprocess.DEVNULL, timeout=120)
    return path


def look_at_idle_time(window, look):
    """Selects an idle gap of the view, if there is one that can be clicked."""
    gaps = [gap for gap in window.report()["idle_gaps"] if gap["rect"][2] - gap["rect"][0] > 8]
    if not gaps:
        return
    window.move(*middle_of(gaps[0]["rect"]))
    window.display.do("click", 1)
    window.wait("an idle gap is selected", lambda r: r["selected_idle"] is not None)
    look(window, "idle gap")


def follow_lesson(case, workload, words, code, look):
    """Follows one lesson: question, prediction, run part by part, comparison, explanation. Predicts the first choice, or 2
    for a number."""
    window = case.open("--workload", workload, *words, "--language", code)
    speaks(case, window, code)
    window.wait("its lesson is at the question", lambda r: lesson(r).get("stage") == 1)
    look(window, "1 question")
    window.click("lesson:predict")
    report = window.wait("predictions are asked for", lambda r: lesson(r)["stage"] == 2)
    for index in range(len(lesson(report)["outcomes"])):
        predict(window, index)
    look(window, "2 prediction")
    window.click("lesson:write_down")
    report = window.wait("they are written down", lambda r: lesson(r)["written_down"] and lesson(r)["stage"] == 3)
    parts = lesson(report)["parts"]
    for part in parts:
        window.click("run_part:" + part)
        if lesson(report)["toggled"] and part != parts[-1]:  # the run goes on until the next part is toggled
            window.wait(f"there is enough of part {part}", lambda r: lesson(r)["running"] == part and r["strip"] and
                        r["strip"]["after"]["steps"] > 60 and r["strip"]["after"]["seconds"] > 2, 120)
        else:
            window.wait(f"part {part} is measured", lambda r: part in lesson(r)["figures"], 120)
    window.wait("all is measured", lambda r: lesson(r)["complete"])
    look(window, "3 run")
    window.click("lesson:to_compare")
    window.wait("what happened is shown", lambda r: lesson(r)["stage"] == 4)
    look(window, "4 what happened")
    window.click("lesson:to_why")
    window.wait("it is explained", lambda r: lesson(r)["stage"] == 5 and "explanation" in r["widgets"])
    look(window, "5 why")
    case.quit(window)


def predict(window, index):
    report = window.wait("the question is on the screen",
                         lambda r: f"predict:{index}" in r["widgets"] or f"choice:{index}:0" in r["widgets"])
    if f"choice:{index}:0" in report["widgets"]:
        window.click(f"choice:{index}:0")
    else:
        window.click(f"predict:{index}")
        window.key("ctrl+a")
        window.type("2")
        window.key("Return")
    window.wait("it is predicted", lambda r: lesson(r)["outcomes"][index]["predicted"] is not None)
