#!/usr/bin/env python3
"""Drives the real window with mouse and keyboard: run, toggle a barrier, zoom, pan, select, measure, save, reopen, close.

    window_test.py PROGRAM OUTPUT_FOLDER [--together] [CASE...]

Each case has a display of its own; --together runs them at the same time. Checks use the report that the program writes.
Pictures stay in the output folder. Exits 77 (skipped) without Xvfb or xdotool.
"""
import base64
import csv
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import time
import traceback
import zlib
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from class_codes import increment_code  # noqa: E402
from display import Display  # noqa: E402
from drop import drop_files  # noqa: E402
from window_case import RUN, WORKLOAD, Case, Skipped, length, lesson, live, middle_of  # noqa: E402
from window_walk import panels, record_waitall, what_does_not_fit, what_if  # noqa: E402


def run_starts_a_workload_and_a_key_toggles_its_barrier(case):
    window = case.open(*WORKLOAD)
    assert window.report()["run"] is None, "nothing runs before Run is pressed"
    case.picture("before_run")
    window.click("run")
    window.wait("it runs with some data", lambda r: live(r) and r["strip"] and r["strip"]["after"]["steps"] > 20)
    assert window.report()["run"]["barrier"] == "none"
    case.picture("barrier_none")
    window.key("2")
    report = window.wait("the barrier is another", lambda r: r["run"]["barrier"] != "none")
    chosen = report["run"]["barrier"]
    report = window.wait("the strip compares", lambda r: r["strip"]["before"]["steps"] > 0 and
                         r["strip"]["after"]["steps"] > 20 and r["strip"]["after_phase"] != "draining" and chosen in r["strip"]["change"])
    before, after = report["strip"]["before"], report["strip"]["after"]
    speed, memory = report["strip"]["answers"]
    assert "less memory" in memory["words"] and speed["words"], report["strip"]["answers"]
    settled = report["strip"]["before_phase"] == report["strip"]["after_phase"] == "settled"
    assert speed["note"] and (settled or not speed["final"]), "it shows its spread, or why it is not final"
    assert report["strip"]["curves"]["changes"] == 1 and report["strip"]["curves"]["points"], report["strip"]
    assert after["blocked_ratio"] > before["blocked_ratio"], f"the frontend waits more: {before} {after}"
    assert after["max_run_ahead_ops"] < before["max_run_ahead_ops"], f"it runs ahead less: {before} {after}"
    assert after["peak_bytes"] < before["peak_bytes"], f"it uses less memory: {before} {after}"
    case.picture("barrier_toggled")
    window.click("barrier:none")
    window.wait("the barrier is gone", lambda r: r["run"]["barrier"] == "none" and
                r["strip"]["change"].endswith("-> none") and r["strip"]["after"]["steps"] > 5)
    case.picture("barrier_back")
    case.quit(window)


def a_window_is_no_larger_than_its_screen(case):
    window = case.open(*RUN)
    window.click("run")
    report = window.wait("the strip has figures", lambda r: live(r) and r["strip"] and "strip_label" in r["widgets"])
    x0, y0, x1, y1 = report["widgets"]["strip_label"]
    assert x0 >= 0 and x1 <= 1280 and y1 <= 720, f"the strip is on the screen: {report['widgets']['strip_label']}"
    case.picture("whole")
    case.quit(window)


a_window_is_no_larger_than_its_screen.screen = (1280, 720)


def zoom_and_pan_stop_following_and_live_resumes(case):
    window = case.running()
    window.wait("there is room to pan", lambda r: r["trace"]["extent_ns"][1] > 2.5e9)
    assert window.report()["follow"], "a live view follows"
    at = case.over_plot(window)
    before = length(window.report())
    window.display.do("click", 4)
    report = window.wait("the wheel zooms in", lambda r: length(r) < before and not r["follow"])
    view = report["view_ns"]
    window.display.do("mousedown", 1)
    window.display.do("mousemove_relative", "--sync", "--", -60, 0)
    window.display.do("mousemove_relative", "--sync", "--", -60, 0)
    window.display.do("mouseup", 1)
    shift = 120 / (report["plot"][2] - report["plot"][0]) * (view[1] - view[0])
    report = window.wait("a drag by 120 px to the left pans by as much to later",
                         lambda r: abs(r["view_ns"][0] - view[0] - shift) < 0.01 * shift)
    assert abs(length(report) - (view[1] - view[0])) <= 2, "a pan keeps the zoom"
    assert live(report), "the program goes on while the view stands still"
    here = report["view_ns"]
    steps = report["run"]["steps"]
    report = window.wait("steps go on", lambda r: r["run"]["steps"] > steps + 3)
    assert report["view_ns"] == here, "nothing jumps while the view stands still"
    case.picture("panned")
    window.click("live")
    window.wait("the view follows again", lambda r: r["follow"] and r["view_ns"][1] > here[1])
    assert at
    case.quit(window)


def a_click_selects_a_slice_and_escape_clears_it(case):
    window = case.paused()
    slices = window.report()["slices"]
    x0, y0, x1, y1 = slices[0]["rect"]
    window.move((x0 + x1) / 2, (y0 + y1) / 2)
    window.display.do("click", 1)
    report = window.wait("a slice is selected", lambda r: r["selected"] is not None)
    assert report["selected"]["track"] == slices[0]["track"], "it is the one under the mouse"
    assert report["selected"]["row"] == slices[0]["row"], "it is the one under the mouse"
    case.picture("selected")
    before = report["view_ns"]
    window.key("f")
    window.wait("F fits it", lambda r: r["view_ns"] != before)
    window.key("Escape")
    window.wait("nothing is selected", lambda r: r["selected"] is None)
    case.quit(window)


def a_right_click_on_a_slice_opens_its_menu(case):
    window = case.paused()
    slices = window.still("there are slices", lambda r: r["slices"] or None)
    window.move(*middle_of(slices[0]["rect"]))
    window.display.do("click", 3)
    report = window.wait("its menu is open, and it is selected", lambda r: "slice:find" in r["widgets"] and r["selected"])
    name = report["selected"]["name"]
    case.picture("slice_menu")
    window.click("slice:measure")
    window.wait("its time is measured", lambda r: r["range_ns"] is not None)
    window.move(*middle_of(slices[0]["rect"]))
    window.display.do("click", 3)
    window.click("slice:find")
    report = window.wait("all slices with its name are found", lambda r: r["find"] and r["find"].get("count", 0) > 0 and
                         r["find"]["words"])
    assert name in report["find"]["words"], report["find"]
    window.key("Escape")
    window.wait("the list is closed", lambda r: r["find"] is None)
    window.key("ctrl+f")
    window.wait("Ctrl+F opens it again", lambda r: r["find"] is not None)
    case.quit(window)


def escape_closes_a_popup_and_nothing_else(case):
    window = case.paused()
    x, y = middle_of(window.report()["slices"][0]["rect"])
    window.move(x, y)
    window.display.do("click", 1)
    window.wait("a slice is selected", lambda r: r["selected"] is not None)

    def opens(what, widget):
        window.wait(what + " is open", lambda r: widget in r["widgets"])
        window.key("Escape")
        report = window.wait(what + " is closed", lambda r: widget not in r["widgets"])
        assert report["selected"] is not None, "Esc closed only the popup"

    at_name(window, "main")
    window.display.do("click", 3)
    opens("the menu of a track", "track:hide")
    window.click("menu")
    opens("the menu", "menu:reset")
    at_name(window, "main")
    window.display.do("click", 3)
    opens("the menu of a track", "track:hide")
    window.move(x, y)
    before = window.report()["view_ns"]
    window.display.do("mousedown", 1)
    window.display.do("mousemove_relative", "--sync", "--", -60, 0)
    window.display.do("mousemove_relative", "--sync", "--", -60, 0)
    window.display.do("mouseup", 1)
    window.wait("the next drag pans", lambda r: r["view_ns"][0] > before[0])
    window.key("Escape")
    window.wait("the next Esc clears the selection", lambda r: r["selected"] is None)
    case.quit(window)


def each_key_does_what_the_list_of_keys_says(case):
    window = case.paused()
    view = lambda r: tuple(r["view_ns"])

    def hold(key, what, condition):
        before = window.report()
        window.display.do("keydown", key)
        try:
            window.wait(what, lambda r: condition(before, r))
        finally:
            window.display.do("keyup", key)
        return window.still("the view stands still", view)

    slices = window.still("there are slices off the frontend",
                          lambda r: [s for s in r["slices"] if s["track"] not in ("main", "")] or None)
    window.move(*middle_of(slices[0]["rect"]))
    window.display.do("click", 1)
    chosen = window.wait("a slice off the frontend is selected", lambda r: r["selected"] is not None)["selected"]
    hold("w", "W zooms in", lambda old, new: length(new) < length(old))
    hold("s", "S zooms out", lambda old, new: length(new) > length(old))
    hold("d", "D pans to later", lambda old, new: view(new)[0] > view(old)[0] and view(new)[1] > view(old)[1])
    hold("a", "A pans to earlier", lambda old, new: view(new)[0] < view(old)[0] and view(new)[1] < view(old)[1])
    window.key("Home")
    all_in_view = window.wait("Home shows all", lambda r: r["view_ns"][0] <= r["trace"]["extent_ns"][0] and
                              length(r) >= 0.99 * (r["trace"]["extent_ns"][1] - r["trace"]["extent_ns"][0]))
    window.key("f")
    window.wait("F returns to the slice", lambda r: length(r) < length(all_in_view))
    case.over_plot(window)
    case.zoom_to_slices(window, 5)
    same = lambda r, other: r["selected"] is not None and all(r["selected"][k] == other[k] for k in ("track", "row"))
    window.key("period")
    after = window.wait(". selects the next one", lambda r: r["selected"] and not same(r, chosen))["selected"]
    assert after["track"] == chosen["track"] and after["row"] > chosen["row"], (chosen, after)
    window.key("comma")
    window.wait(", goes back", lambda r: same(r, chosen))
    window.key("bracketleft")
    caused = window.wait("[ follows the arrow to where it came from", lambda r: not same(r, chosen))["selected"]
    assert caused["op"] == chosen["op"] or caused["track"] != chosen["track"], (chosen, caused)
    window.key("bracketright")
    window.wait("] follows one onwards", lambda r: not same(r, caused))
    seen = length(window.report())
    window.display.do("click", 5)
    before = view(window.wait("the wheel zooms out", lambda r: length(r) > seen))
    window.key("f")
    window.wait("F shows the selection", lambda r: view(r) != before)
    window.key("m")
    window.wait("M marks a range", lambda r: r["range_ns"] is not None)
    window.key("Escape")
    window.wait("Esc clears what is selected", lambda r: r["selected"] is None and r["range_ns"] is None)
    window.key("m")
    seen = window.wait("M without a selection measures the view", lambda r: r["range_ns"] is not None)
    assert seen["view_ns"][0] <= seen["range_ns"][0] < seen["range_ns"][1] <= seen["view_ns"][1], seen["range_ns"]
    window.key("m")
    window.wait("a second M removes the range", lambda r: r["range_ns"] is None)
    window.key("t")
    window.wait("T filters the tracks", lambda r: "search" in r["widgets"])
    window.type("main")
    window.wait("by what is typed", lambda r: r["search"] == "main")
    window.key("Escape")
    window.wait("Esc shows all tracks", lambda r: r["search"] == "" and "search" not in r["widgets"])
    panels = [("l", lambda r: r["legend"]), ("F3", lambda r: r["debug"]), ("question", lambda r: r["help"]),
              ("F1", lambda r: r["help"]), ("p", lambda r: r["presentation"]), ("g", lambda r: r["graph"] is not None),
              ("b", lambda r: r["waits"] is not None), ("e", lambda r: r["causes"] is not None), ("k", lambda r: r["memory"] is not None),
              ("x", lambda r: r["whatif"] is not None),
              ("c", lambda r: r["compare"] is not None)]
    for key, shown in panels:
        window.key(key)
        window.wait(key + " opens it", shown)
        window.key(key)
        window.wait(key + " closes it", lambda r: not shown(r))
    for key, name in ("slash", "find"), ("q", "query"):
        window.key(key)
        window.wait(key + " opens it", lambda r: r[name] is not None)
        window.click(name + ":close")
        window.wait("it is closed", lambda r: r[name] is None)
    window.key("j")
    window.wait("J opens the class", lambda r: r["class"] is not None)
    window.key("Escape")
    window.wait("Esc closes it", lambda r: r["class"] is None)
    case.over_plot(window, 0.3, 0.4)
    window.key("n")
    window.wait("N writes a note", lambda r: "note" in r["widgets"])
    window.key("Escape")
    window.wait("Esc leaves it", lambda r: "note" not in r["widgets"])
    for key, barrier in ("3", "waitall"), ("1", "none"):
        window.key(key)
        window.wait("a number sets the barrier", lambda r: r["run"]["barrier"] == barrier)
    window.key("space")
    window.wait("space goes on", lambda r: r["run"]["state"] == "running")
    window.key("End")
    window.wait("End follows the newest", lambda r: r["follow"])
    window.key("space")
    steps = window.wait("space pauses", lambda r: r["run"]["state"] == "paused")["run"]["steps"]
    window.key("ctrl+r")
    window.wait("Ctrl+R begins anew", lambda r: live(r) and r["run"]["state"] == "running" and r["run"]["steps"] < steps)
    for keys, dialog in ("ctrl+o", "open"), ("ctrl+s", "save"):
        window.key(keys)
        window.wait("the dialog is there", lambda r: r["dialog"] == dialog and "file_cancel" in r["widgets"])
        window.key("Escape")
        window.wait("Esc closes it", lambda r: r["dialog"] == "")
    case.quit(window)


def shift_and_drag_measure_a_range(case):
    window = case.paused()
    case.over_plot(window, 0.3, 0.5)
    window.display.do("keydown", "shift", "mousedown", 1)
    window.display.do("mousemove_relative", "--sync", 90, 0)
    window.display.do("mousemove_relative", "--sync", 90, 0)
    window.display.do("mouseup", 1, "keyup", "shift")
    report = window.wait("a range is measured", lambda r: r["range_ns"] is not None)
    assert report["range_ns"][1] > report["range_ns"][0]
    window.wait("its figures are there", lambda r: "clear_range" in r["widgets"])
    case.picture("range")
    window.click("clear_range")
    window.wait("it is cleared", lambda r: r["range_ns"] is None)
    case.quit(window)


def part_of(report, name):
    found = [part for part in report["parts"] if part["name"] == name]
    return found[0] if found else None


def a_click_on_a_part_measures_it(case):
    path = os.path.join(case.folder, "hybridize.runahead")
    subprocess.run([case.program, "run", "hybridize", "--set", "frontend_us=200", "--record", path], check=True,
                   stdout=subprocess.DEVNULL, timeout=120)
    window = case.open(path, "--size", "1280x720")
    window.key("Home")
    report = window.wait("the ruler shows the parts of the run, and the strip names the last part with steps",
                         lambda r: len(r["parts"]) == 4 and r["settled"] and r["strip"]["part"] == "compiled")
    assert [part["name"] for part in report["parts"]] == ["preparation", "op by op", "compiled", "results"]
    steps_per_s = report["strip"]["after"]["steps_per_s"]
    assert "compiled" in report["strip"]["title"], report["strip"]["title"]
    assert part_of(report, "op by op")["label"] == "op by op", "the name of a wide region is complete"
    case.picture("parts")

    x, y = middle_of(part_of(report, "op by op")["rect"])
    window.move(x, y)
    window.display.do("click", 1)
    report = window.wait("all figures are of the part that was clicked", lambda r: r["strip"]["part"] == "op by op" and
                         r["range_ns"] == part_of(r, "op by op")["range_ns"] and "clear_range" in r["widgets"])
    assert report["strip"]["after"]["steps"] == 0, report["strip"]["after"]
    assert part_of(report, "op by op")["chosen"]
    case.picture("measured")

    window.move(x + 30, y)  # at another place: it is no double click
    window.display.do("click", 1)
    report = window.wait("a second click stops measuring it",
                         lambda r: r["range_ns"] is None and r["strip"]["part"] == "compiled")
    assert report["strip"]["after"]["steps_per_s"] == steps_per_s
    case.quit(window)


def a_live_run_shows_its_preparation_and_measures_its_steps(case):
    window = case.running()
    report = window.wait("both parts are there", lambda r: part_of(r, "steps") is not None and r["strip"] and
                         r["strip"]["part"] == "steps")
    window.key("Home")
    report = window.wait("the complete run is shown", lambda r: part_of(r, "preparation") and part_of(r, "steps"))
    end = part_of(report, "steps")["range_ns"][1]
    report = window.wait("the part grows with the run", lambda r: part_of(r, "steps") and part_of(r, "preparation") and
                         part_of(r, "steps")["range_ns"][1] > end)
    case.picture("live")
    preparation = part_of(report, "preparation")["range_ns"]
    assert report["strip"]["after"]["seconds"] * 1e9 <= report["trace"]["extent_ns"][1] - preparation[1]
    case.quit(window)


def ctrl_and_drag_select_rows_and_a_time_range(case):
    window = case.paused()
    rows = {row["name"]: row["rect"] for row in window.report()["rows"]}
    first, last = middle_of(rows["main"])[1], middle_of(rows["compute"])[1]
    x0, _, x1, _ = window.report()["plot"]
    window.move(x0 + (x1 - x0) * 0.3, first)
    window.display.do("keydown", "ctrl", "mousedown", 1)
    window.move(x0 + (x1 - x0) * 0.5, (first + last) / 2)
    window.move(x0 + (x1 - x0) * 0.8, last)
    window.display.do("mouseup", 1, "keyup", "ctrl")
    report = window.wait("the area reaches the last row, and has its statistics",
                         lambda r: r["area"] and r["area"]["answered"] and "clear_area" in r["widgets"] and
                         r["area_frames"] and r["area_frames"][0][3] >= last)
    area, frames = report["area"], report["area_frames"]
    assert len(frames) == 1, frames
    assert frames[0][1] <= first <= rows["main"][3] and rows["compute"][1] <= last <= frames[0][3], (frames, rows)
    assert area["tracks"] >= 2 and area["count"] == sum(name["count"] for name in area["names"]) > 0, area
    length_ns = area["range_ns"][1] - area["range_ns"][0]
    assert sum(name["total_ns"] for name in area["names"]) <= length_ns * area["lanes"], area
    assert report["range_ns"] is None and report["selected"] is None
    case.picture("area")
    # The area keeps its rows and its times while the view changes.
    window.display.do("click", 4)
    report = window.wait("the view is closer", lambda r: r["area_frames"] and r["area_frames"] != frames)
    assert report["area"] == area
    height = report["area_frames"][0][3] - report["area_frames"][0][1]
    assert abs(height - (frames[0][3] - frames[0][1])) < 1, (frames, report["area_frames"])
    window.key("Down")
    window.wait("its frame scrolls with the rows", lambda r: r["scroll_px"] > 0 and r["area"] == area and
                (not r["area_frames"] or r["area_frames"][0][3] < frames[0][3]))
    table_is_copied_and_saved(case, window, "area:names", "area-names")
    window.key("Escape")
    window.wait("Escape clears it", lambda r: r["area"] is None and r["area_frames"] == [])
    case.quit(window)


def a_run_is_saved_and_opened_again(case):
    window = case.running()
    window.wait("there is something to save", lambda r: r["trace"]["slices"] > 200)
    window.click("stop")
    saved_slices = window.wait("it has stopped", lambda r: not r["run"]["live"])["trace"]["slices"]
    path = os.path.join(case.folder, "saved.runahead")
    window.key("ctrl+s")
    window.wait("the dialog asks for a name", lambda r: r["dialog"] == "save" and "file_accept" in r["widgets"])
    window.key("ctrl+a")
    window.type(path)
    window.key("Return")
    window.wait("it is saved", lambda r: r["notice"].startswith("Saved") and not r["job"])
    assert os.path.getsize(path) > 0
    window.key("ctrl+o")
    window.wait("the dialog asks what to open", lambda r: r["dialog"] == "open" and "file_accept" in r["widgets"])
    case.picture("open_dialog")
    window.type(path)
    window.key("Return")
    report = window.wait("it is open", lambda r: r["opened"] == path and not r["job"])
    assert report["trace"]["slices"] == saved_slices, f"all of it: {report['trace']} {saved_slices}"
    assert report["run"] is None and not report["error"]
    case.picture("reopened")
    window.key("ctrl+o")
    window.wait("the dialog asks again", lambda r: r["dialog"] == "open" and "file_accept" in r["widgets"])
    not_a_trace = os.path.join(case.folder, "not_a_trace.runahead")
    with open(not_a_trace, "w") as file:
        file.write("nothing of the kind")
    window.type(not_a_trace)
    window.key("Return")
    report = window.wait("the error is one line", lambda r: r["error"])
    assert not_a_trace in report["error"] and "\n" not in report["error"], report["error"]
    assert report["opened"] == path, "what was open stays open"
    case.picture("error")
    window.click("menu")
    window.click("menu:picture")
    window.wait("the dialog asks where to", lambda r: r["dialog"] == "picture" and "file_accept" in r["widgets"])
    picture = os.path.join(case.folder, "of_the_window.png")
    window.key("ctrl+a")
    window.type(picture)
    window.key("Return")
    window.wait("the picture is saved", lambda r: r["notice"].startswith("Saved of_the_window.png"))
    with open(picture, "rb") as file:
        header = file.read(24)
    assert header[:8] == b"\x89PNG\r\n\x1a\n" and header[16:24] == struct.pack(">II", 1280, 720), header
    window.click("menu")
    window.click("menu:recent")
    window.click("recent:0")
    window.wait("it is opened again", lambda r: r["opened"] == path and not r["job"] and r["settled"])
    shutil.copy(path, os.path.join(case.folder, "twin.runahead"))
    window.key("ctrl+o")
    window.wait("the dialog lists both", lambda r: {"file:saved.runahead", "file:twin.runahead"} <= set(r["widgets"]))
    window.click("file:saved.runahead")
    window.display.do("keydown", "ctrl")
    window.click("file:twin.runahead")
    window.display.do("keyup", "ctrl")
    case.picture("two_marked")
    window.key("Return")
    report = window.wait("both are on one timeline", lambda r: r["opened"].endswith("saved.runahead and 1 more") and not r["job"])
    assert report["trace"]["slices"] == 2 * saved_slices, report["trace"]
    case.quit(window)


def a_recording_keeps_the_end_as_it_was_asked_and_the_choice_is_remembered(case):
    window = case.running()
    path = os.path.join(case.folder, "end.runahead")
    window.click("record")
    window.wait("the dialog asks how much to keep", lambda r: r["dialog"] == "record" and "keep:seconds" in r["widgets"])
    window.click("keep:seconds:field")
    window.key("ctrl+a")
    window.type("2")
    case.picture("record_dialog")
    window.click("file_name")
    window.key("ctrl+a")
    window.type(path)
    window.key("Return")
    report = window.wait("it records, and says how much is retained", lambda r: r["recording"] == path and "recording" in r["widgets"])
    assert report["recording_kept"] == "keeps the last 2 s", report["recording_kept"]
    window.wait("the oldest parts are deleted", lambda r: os.path.exists(path.replace(".runahead", ".0004.runahead")))
    case.picture("recording")
    window.click("record")
    window.wait("the result is shown", lambda r: r["notice"].endswith("end.runahead (keeps the last 2 s)"))
    assert os.path.getsize(path) > 0 and not os.path.exists(path.replace(".runahead", ".0004.runahead"))
    case.quit(window)
    window = case.running()
    window.click("record")
    window.wait("the dialog is as it was left", lambda r: r["dialog"] == "record" and "file_accept" in r["widgets"])
    window.key("ctrl+a")
    window.type(os.path.join(case.folder, "again.runahead"))
    window.key("Return")
    window.wait("the choice was remembered", lambda r: r["recording_kept"] == "keeps the last 2 s")
    case.quit(window)
    assert os.path.getsize(os.path.join(case.folder, "again.runahead")) > 0, "closing joined its parts"


def table_is_copied_and_saved(case, window, widget, name=None):
    """Copies and saves the table with the two buttons of `widget`; returns the rows of the file."""
    window.click(widget + ":copy")
    window.wait("it says what was copied", lambda r: r["notice"].startswith("Copied to the clipboard"))
    window.click(widget + ":save")
    window.wait("the dialog asks for a name", lambda r: r["dialog"] == "table" and "file_accept" in r["widgets"])
    path = os.path.join(case.folder, (name or widget.replace(":", "_")) + ".csv")
    window.key("ctrl+a")
    window.type(path)
    window.key("Return")
    window.wait("the table is saved", lambda r: r["notice"].startswith("Saved " + os.path.basename(path)))
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    assert len(rows) > 1 and all(len(row) == len(rows[0]) for row in rows), rows[:3]
    return rows


def every_table_is_copied_and_saved(case):
    window = case.running()
    window.key("2")
    window.wait("the frontend waits", lambda r: r["run"]["barrier"] != "none" and r["strip"]["after"]["steps"] > 5)
    window.key("space")
    window.wait("it is paused", lambda r: r["run"]["state"] == "paused" and r["run"]["ops_in_flight"] == 0)
    window.key("slash")
    window.wait("statistics by name are there", lambda r: r["find"] and r["find"].get("names"))
    rows = table_is_copied_and_saved(case, window, "find")
    name = rows[1][0]
    window.click("find:words")
    window.type(name)
    window.wait("slices are found", lambda r: r["find"] and r["find"].get("listed") and r["find"]["words"] == name)
    case.picture("found")
    assert table_is_copied_and_saved(case, window, "find", "found")[1][0] == name
    window.click("find:close")
    for key, name in ("b", "waits"), ("k", "memory"):
        window.key(key)
        window.wait(name + " are reported", lambda r: r[name] and (r[name].get("groups") or r[name].get("holders")))
        table_is_copied_and_saved(case, window, name)
        window.click(name + ":close")
    case.over_plot(window, 0.3, 0.5)
    window.display.do("keydown", "shift", "mousedown", 1)
    window.display.do("mousemove_relative", "--sync", 90, 0)
    window.display.do("mousemove_relative", "--sync", 90, 0)
    window.display.do("mouseup", 1, "keyup", "shift")
    window.wait("a range is measured", lambda r: r["range_measured"] and "range:figures:save" in r["widgets"])
    case.picture("range")
    table_is_copied_and_saved(case, window, "range:figures")
    case.quit(window)


def a_program_is_watched_while_it_runs_and_its_switch_is_turned(case):
    pipeline = os.path.join(os.path.dirname(case.program), "pipeline")
    recording = os.path.join(case.folder, "pipeline.runahead")
    program = subprocess.Popen([pipeline, "120"], env={**os.environ, "RUNAHEAD_RECORD": recording,
                                                       "XDG_RUNTIME_DIR": case.folder})
    try:
        window = case.open("--size", "1280x720")
        window.key("ctrl+o")
        window.wait("the dialog lists the program", lambda r: f"program:{program.pid}" in r["widgets"])
        case.picture("programs")
        window.click(f"program:{program.pid}")
        report = window.wait("it follows the program", lambda r: r["followed"] and r["trace"]["slices"] > 100)
        assert report["strip"] is None or "summary" in report["strip"], "nothing has changed yet"
        slices = report["trace"]["slices"]
        window.wait("the trace grows", lambda r: r["trace"]["slices"] > slices + 100)
        window.wait("the queue grows", lambda r: r["strip"] and r["strip"].get("summary", {}).get("peak_bytes", 0) > 50 * 65536)
        case.picture("before")
        window.click("control:queue bound:8")
        report = window.wait("the strip compares", lambda r: r["strip"] and r["strip"].get("change") and
                             r["strip"]["after_phase"] in ("settling", "settled") and r["strip"]["after"]["steps"] > 50)
        assert report["strip"]["change"] == "queue bound: none -> 8", report["strip"]
        before, after = report["strip"]["before"], report["strip"]["after"]
        assert after["peak_bytes"] <= 9 * 65536 < before["peak_bytes"], f"the bound holds: {before} {after}"
        assert after["blocked_ratio"] > 0.2 > before["blocked_ratio"], f"the producer waits: {before} {after}"
        case.picture("after")
        program.kill()
        program.wait()
        report = window.wait("the program has ended", lambda r: not r["followed"])
        assert "has ended" in report["notice"], report["notice"]
        assert not any(name.startswith("control:") for name in report["widgets"]), "its switches are gone"
        case.quit(window)
    finally:
        program.kill()
        program.wait()


# The pause in each step is short, as of a data loader. Without it, the script would use a processor all the time.
SCRIPT = """\
import time; from mxnet import autograd, gluon, init, np, npx
net = gluon.nn.Sequential()
net.add(gluon.nn.Dense(64, activation='relu'), gluon.nn.Dense(1))
net.initialize(init.Normal(0.1))
x, y = np.ones((64, 16)), np.ones((64, 1))
trainer = gluon.Trainer(net.collect_params(), 'sgd', {'learning_rate': 0.01})
loss = gluon.loss.L2Loss()
while not time.sleep(0.005):
    with autograd.record():
        l = loss(net(x), y)
    l.backward()
    trainer.step(64)
"""


def python_folder(case):
    """The folder of the Python package that belongs to the program. A build without it skips the case."""
    folder = os.path.join(os.path.dirname(case.program), "python")
    if not os.path.exists(os.path.join(folder, "runahead", "__main__.py")):
        raise Skipped("this build has no Python package")
    return folder


def a_script_is_run_and_its_waiting_line_is_marked(case):
    python_folder(case)
    script = os.path.join(case.folder, "train.py")
    with open(script, "w") as file:
        file.write(SCRIPT)
    window = case.open(script, "--size", "1280x720")
    lines = lambda r: {line["line"]: line for line in (r["script"] or {}).get("lines", [])}
    window.wait("it follows the script", lambda r: r["followed"] and r["trace"]["slices"] > 100 and
                "control:barrier:waitall" in r["widgets"])
    report = window.wait("the lines of the script are shown",
                         lambda r: {9, 11, 12} & set(lines(r)) and lines(r).get(12, {}).get("enqueues", 0) > 10)
    assert report["script"]["file"] == "train.py" and report["script"]["has_text"], report["script"]
    case.picture("script_free")
    window.click("control:barrier:waitall")
    report = window.wait("the line of the barrier waits", lambda r: lines(r).get(12, {}).get("waits", 0) > 10 and
                         r["script"]["worst"] == 12)
    assert lines(report)[12]["waiting_ns"] > lines(report)[12]["enqueueing_ns"], report["script"]
    assert "waitall" in lines(report)[12]["names"], report["script"]
    case.picture("script_waits")
    window.click("script:line:12")
    window.wait("a wait of the line is selected", lambda r: r["selected"] and r["selected"]["name"] == "waitall")
    window.click("script:stop")
    report = window.wait("it has stopped, and the window says so",
                         lambda r: not r["followed"] and "train.py was stopped" in r["notice"])
    assert not report["error"], report["error"]
    window.key("y")
    window.wait("the key hides the lines", lambda r: r["script"] is None)
    window.key("y")
    window.click("script:restart")
    window.wait("it runs anew", lambda r: r["followed"] and "control:barrier:none" in r["widgets"] and
                0 < r["trace"]["slices"] and lines(r).get(12, {}).get("enqueues", 0) > 10 and
                not lines(r)[12]["waits"])
    case.quit(window)


def a_lesson_runs_its_listing(case):
    folder = python_folder(case)
    window = case.open("--workload", "queue_vs_finish", "--size", "1280x720")
    window.click("lesson:listing")
    report = window.wait("the listing has run", lambda r: "queue_vs_finish.py has ended" in r["notice"])
    assert not report["error"], report["error"]
    report = window.wait("its lines are shown", lambda r: r["script"] and r["script"]["lines"])
    assert report["script"]["file"] == "queue_vs_finish.py" and report["script"]["has_text"], report["script"]
    report = window.wait("the recording fills the view", lambda r: not r["follow"] and
                         r["view_ns"][1] - r["view_ns"][0] < 1.2 * (r["trace"]["extent_ns"][1] - r["trace"]["extent_ns"][0]))
    case.picture("listing")
    with open(os.path.join(folder, "runahead_listings", "queue_vs_finish.py")) as file:
        waiting = file.read().splitlines()[report["script"]["worst"] - 1]
    assert "wait" in waiting or "item" in waiting, waiting
    case.quit(window)


def files_are_dropped_onto_the_window(case):
    path = os.path.join(case.folder, "tränings körning 1.json")
    with open(path, "w") as file:
        json.dump({"traceEvents": [{"ph": "X", "name": "dropped", "pid": 1, "tid": 1, "ts": 0, "dur": 900}]}, file)
    missing = os.path.join(case.folder, "no such file.json")
    window = case.open(*WORKLOAD)
    assert drop_files(case.display.name, window.id(), [path], 640, 300), "the window takes files"
    report = window.wait("it is open", lambda r: r["opened"] == path and not r["job"])
    assert report["trace"]["slices"] == 1 and not report["error"], report
    case.picture("dropped")
    assert drop_files(case.display.name, window.id(), [missing], 640, 300)
    report = window.wait("a file that cannot be opened is an error", lambda r: r["error"])
    assert missing in report["error"] and report["opened"] == path, report["error"]
    case.quit(window)


def the_graph_and_the_timeline_select_each_others_op(case):
    window = case.paused()
    assert window.report()["graph"] is None, "the graph is closed at first"
    window.key("g")
    report = window.wait("the graph of the latest step is shown", lambda r: r["graph"] is not None and r["graph"]["nodes"])
    assert report["graph"]["edges"] > 0, "ops of a step depend on each other"
    assert any(node["critical"] for node in report["graph"]["nodes"]), "one chain is the critical one"
    node = report["graph"]["nodes"][-1]
    window.click("graph:op:%d" % node["op"])
    report = window.wait("a click on a node selects its op's slice",
                         lambda r: r["selected"] is not None and r["selected"]["op"] == node["op"])
    assert report["selected"]["track"] != "main", "where it runs"
    report = window.wait("the node is the selected one",
                         lambda r: [n["op"] for n in r["graph"]["nodes"] if n["selected"]] == [node["op"]])
    case.picture("graph")
    before = report["graph"]["layer_px"]
    window.display.do("click", 4)
    window.wait("the wheel zooms the graph", lambda r: r["graph"]["layer_px"] > before and not r["graph"]["fitted"])
    view = window.report()["view_ns"]
    window.key("f")
    report = window.wait("F fits the graph, with the mouse over it", lambda r: r["graph"]["fitted"])
    assert report["view_ns"] == view, "and leaves the timeline alone"
    case.over_plot(window, 0.5)
    window.key("f")
    window.wait("F fits the selected slice, with the mouse over the timeline", lambda r: r["view_ns"] != view)
    slice_of = lambda s: (s["track"], s["row"])
    others = [s for s in case.zoom_to_slices(window, 5) if slice_of(s) != slice_of(report["selected"])]
    window.move(*middle_of(others[0]["rect"]))
    window.display.do("click", 1)
    report = window.wait("another slice is selected", lambda r: slice_of(r["selected"]) == slice_of(others[0]))
    window.wait("its node is the selected one, in the graph of its step", lambda r: report["selected"]["op"] == 0 or
                [n["op"] for n in r["graph"]["nodes"] if n["selected"]] == [report["selected"]["op"]])
    window.click("graph:in_flight")
    window.wait("the ops in flight then are shown", lambda r: r["graph"]["mode"] == "in flight")
    window.key("g")
    window.wait("G closes the graph", lambda r: r["graph"] is None)
    case.quit(window)


def a_question_is_answered_and_a_row_leads_to_its_slice(case):
    window = case.paused()
    report = window.wait("its button or that of the other panels is shown",
                         lambda r: "query" in r["widgets"] or "more_views" in r["widgets"])
    if "query" not in report["widgets"]:  # it does not fit beside the others
        window.click("more_views")
        window.wait("the other panels are listed", lambda r: "query" in r["widgets"])
    window.click("query")
    window.wait("the query panel is shown", lambda r: r["query"] is not None and "query:ask" in r["widgets"])
    window.click("query:ask")
    report = window.wait("the first example is answered", lambda r: r["query"]["answered"])
    assert report["query"]["error"] == "" and report["query"]["rows"] > 3, report["query"]
    case.picture("by_name")
    window.click("query:examples")
    window.wait("the examples are listed", lambda r: "query:example:1" in r["widgets"])
    window.click("query:example:1")
    report = window.wait("the longest slices are there", lambda r: "id" in r["query"].get("columns", []) and
                         "query:row:2" in r["widgets"])
    assert table_is_copied_and_saved(case, window, "query")[0] == report["query"]["columns"]
    window.click("query:row:2")
    report = window.wait("a click selects the row's slice", lambda r: r["selected"] is not None)
    case.picture("longest")
    window.click("query:sql")
    window.key("ctrl+a")
    window.type("SELEC 1")
    window.key("ctrl+Return")
    report = window.wait("the error is shown", lambda r: r["query"].get("error"))
    assert "syntax error" in report["query"]["error"], report["query"]
    case.picture("wrong")
    window.key("ctrl+a")
    window.type("SELECT count(*) FROM slice WHERE open = 0")
    window.key("ctrl+Return")
    report = window.wait("it can be run again", lambda r: r["query"].get("first") and not r["query"]["error"])
    assert report["query"]["first"] == [str(report["trace"]["slices"])], report["query"]
    window.click("query:close")
    window.wait("they are closed", lambda r: r["query"] is None)
    case.quit(window)


def slices_are_found_by_what_is_typed_and_a_bar_narrows_them(case):
    window = case.paused()
    window.key("slash")
    report = window.wait("the statistics of all names are there",
                         lambda r: r["find"] is not None and r["find"].get("names", 0) > 3 and "find:row:1" in r["widgets"])
    case.picture("names")
    window.click("find:row:1")
    report = window.wait("a name's slices are found", lambda r: r["find"].get("words", "").startswith("name=") and
                         r["find"]["count"] > 0 and "find:row:1" in r["widgets"] and "histogram" in r["widgets"])
    window.click("find:row:1")
    window.wait("a click selects the row's slice", lambda r: r["selected"] is not None)
    case.picture("slices")
    window.click("find:words")
    window.key("ctrl+a")
    window.type("kind=execute")
    report = window.wait("all executions are found", lambda r: r["find"].get("words") == "kind=execute" and
                         r["find"]["bins"] > 1)
    everything = report["find"]["count"]
    window.click("histogram")
    window.click("find:words")
    window.key("ctrl+a")
    window.type("dur>soon")
    window.wait("unreadable words are an error", lambda r: "'dur>soon'" in r["find"].get("error", ""))
    case.picture("wrong")
    window.key("ctrl+a")
    window.type("kind=execute dur>=0ns")
    window.wait("the words are read again", lambda r: r["find"].get("error") == "" and
                r["find"].get("words") == "kind=execute dur>=0ns" and r["find"]["count"] == everything)
    window.click("find:close")
    window.wait("it is closed", lambda r: r["find"] is None)
    case.quit(window)


def a_search_dims_the_other_slices_and_keeps_one_kind(case):
    window = case.paused()
    assert window.report()["dimmed_boxes"] == 0
    window.key("ctrl+f")
    window.wait("the list is open", lambda r: r["find"] and r["find"].get("names"))
    window.type("matmul")
    report = window.wait("the other slices are dimmed", lambda r: r["find"].get("words") == "matmul" and
                         r["dimmed_boxes"] > 0 and "find:kind:execute" in r["widgets"])
    kinds = report["find"]["kinds"]
    assert len(kinds) > 1 and sum(kinds.values()) == report["find"]["count"], kinds
    case.picture("search")
    window.click("find:kind:execute")
    report = window.wait("one kind is left", lambda r: r["find"].get("words") == "matmul kind=execute")
    assert report["find"]["kinds"] == {"execute": kinds["execute"]}, report["find"]
    window.click("find:kind:execute")
    report = window.wait("all kinds are back", lambda r: r["find"].get("words") == "matmul")
    assert report["find"]["kinds"] == kinds, report["find"]
    window.click("find:words")
    window.key("ctrl+a", "BackSpace")
    window.wait("an empty search dims nothing", lambda r: r["find"].get("names") and r["dimmed_boxes"] == 0)
    window.type("matmul")
    window.wait("they are dimmed again", lambda r: r["dimmed_boxes"] > 0)
    window.key("Escape")
    window.wait("Escape ends the search", lambda r: r["find"] is None and r["dimmed_boxes"] == 0)
    case.quit(window)


def figure_of(report, key):
    return next(f for f in report["compare"]["figures"] if f["figure"] == key)


def two_recordings_are_compared_and_their_views_move_together(case):
    a, b = (os.path.join(case.folder, name + ".runahead") for name in ("none", "waitall"))
    for path, barrier in ((a, "none"), (b, "waitall")):
        subprocess.run([case.program, "run", "training_memory", "--device", "virtual:0", "--barrier", barrier, "--set",
                        "steps=20", "--record", path], check=True, stdout=subprocess.DEVNULL, timeout=120)
    window = case.open(a, "--size", "1280x720")
    window.wait("it is open", lambda r: r["opened"] == a and r["settled"])
    window.key("c")
    report = window.wait("a recording without a change says so", lambda r: r["compare"] and r["compare"]["answered"])
    assert report["compare"]["mode"] == "change" and report["compare"]["problem"], report["compare"]
    window.click("compare:mode:recording")
    window.wait("it asks which", lambda r: r["compare"]["mode"] == "recording" and "compare:open" in r["widgets"])
    window.click("compare:open")
    window.wait("the dialog asks for the other", lambda r: r["dialog"] == "compare" and "file_accept" in r["widgets"])
    window.type(b)
    window.key("Return")
    report = window.wait("both are compared", lambda r: r["compare"]["other"] == "waitall.runahead" and
                         r["compare"].get("figures") and r["compare"]["lower"] and r["settled"])
    steps = figure_of(report, "steps_per_s")
    assert abs(steps["ratio"] - steps["b"] / steps["a"]) < 1e-9, steps
    peak = figure_of(report, "peak_memory")
    assert peak["ratio"] < 1, f"a barrier uses less memory: {peak}"
    assert report["compare"]["names"], "names are matched"
    case.picture("two_recordings")
    shift = report["compare"]["b_range_ns"][0] - report["compare"]["a_range_ns"][0]

    def together(r):
        return [t + shift for t in r["view_ns"]] == r["compare"]["lower"]["view_ns"]
    assert together(report), "aligned at the start of each range"
    case.over_plot(window, 0.5, 0.6)
    before = length(report)
    window.display.do("click", 4)
    report = window.wait("the wheel over A zooms both", lambda r: length(r) < before and together(r))
    x0, y0, x1, y1 = report["compare"]["lower"]["plot"]
    window.move((x0 + x1) / 2, y0 + (y1 - y0) * 0.6)
    before = length(report)
    window.display.do("click", 4)
    report = window.wait("and so does the wheel over B", lambda r: length(r) < before and together(r))
    window.key("w")
    before = length(report)
    report = window.wait("so does a key, once", lambda r: length(r) < before and together(r) and
                         "compare:bar_b" in r["widgets"])
    window.move(*middle_of(report["widgets"]["compare:bar_b"]))
    y0 = report["compare"]["lower"]["plot"][1]
    window.display.do("mousedown", 1)
    window.display.do("mousemove_relative", "--sync", "--", 0, -10)
    window.display.do("mousemove_relative", "--sync", "--", 0, -20)
    window.display.do("mouseup", 1)
    report = window.wait("the line between them can be dragged", lambda r: r["compare"]["lower"]["plot"][1] < y0 - 10)
    x0, y0, x1, y1 = report["compare"]["lower"]["plot"]
    window.click("compare:link")
    window.wait("the link is off", lambda r: not r["compare"]["linked"])
    window.move((x0 + x1) / 2, y0 + (y1 - y0) * 0.6)
    upper, lower = report["view_ns"], report["compare"]["lower"]["view_ns"]
    window.display.do("click", 5)
    window.wait("B alone zooms", lambda r: r["compare"]["lower"]["view_ns"] != lower and r["view_ns"] == upper)
    window.click("compare:link")
    window.wait("linked again they show the same", lambda r: r["compare"]["linked"] and together(r))
    lower = lambda r: r["compare"]["lower"]
    x0, y0, x1, _ = row_of(lower(window.report()), "Frontend")["rect"]
    window.move(x0 + (x1 - x0) * 0.4, y0 + 8)
    window.display.do("click", 1)
    window.wait("a group that is folded in B is folded in A", lambda r: row_of(lower(r), "Frontend")["folded"] and
                row_of(r, "Frontend")["folded"])
    case.picture("folded")
    figures = table_is_copied_and_saved(case, window, "compare:figures")
    assert figures[0][1:] == ["A", "B", "B/A"], figures[0]
    assert table_is_copied_and_saved(case, window, "compare:names")[0][0] == "Name"
    window.click("compare:row:0")
    window.wait("a click on a name shows its durations", lambda r: r["compare"]["name"] and
                "compare:histogram" in r["widgets"])
    case.picture("name")
    x0, y0, x1, y1 = window.report()["widgets"]["compare:histogram"]
    # Clicks until a bar is hit. The outermost bars always exist, and are within reach of the outermost clicks.
    for share in (0.01, 0.99, 0.1, 0.3, 0.5, 0.7, 0.9):
        window.move(x0 + (x1 - x0) * share, y0 + (y1 - y0) * 0.3)
        window.display.do("click", 1)
        report = window.still("the click has been seen", lambda r: [r["compare"]["listed_a"], r["compare"]["listed_b"]])
        if any(listed["count"] for listed in report):
            break
    report = window.wait("a bar leads to its slices", lambda r: r["selected"] or r["compare"]["lower"]["selected"])
    name = report["compare"]["name"]
    for side, of in (("a", lambda r: r["selected"]), ("b", lambda r: r["compare"]["lower"]["selected"])):
        if report["compare"]["listed_" + side]["count"] == 0:
            continue
        window.click("compare:%s:next" % side)
        window.wait("a slice of side %s is selected" % side, lambda r: of(r) and of(r)["name"] == name)
    case.picture("slices")
    window.click("compare:filter")
    window.type("sgd")
    window.wait("the filter leaves the names that contain it", lambda r: r["compare"]["names"] and
                all("sgd" in n["name"] for n in r["compare"]["names"]))
    window.click("compare:close")
    report = window.wait("it is closed, and the room is the timeline's again",
                         lambda r: r["compare"] is None and "compare:bar_b" not in r["widgets"])
    case.picture("closed")
    case.quit(window)


def before_and_after_a_change_are_compared_on_one_recording(case):
    window = case.running()
    window.wait("it has some steps", lambda r: r["strip"] and r["strip"]["after"]["steps"] > 20)
    window.key("2")
    window.wait("the barrier is another", lambda r: r["strip"]["before"]["steps"] > 0 and r["strip"]["after"]["steps"] > 20 and
                r["strip"]["after_phase"] != "draining")
    window.key("c")
    report = window.wait("a run that goes on is compared, and followed on",
                         lambda r: r["compare"] and r["compare"].get("figures") and r["follow"])
    assert report["compare"]["changes"] == 1 and report["compare"]["lower"] is None, report["compare"]
    case.picture("live")
    window.click("stop")
    window.wait("it has stopped", lambda r: not r["run"]["live"] and r["settled"])
    window.click("compare:align")
    report = window.wait("both timelines are shown", lambda r: r["compare"]["lower"] and not r["follow"])
    assert report["compare"]["a_range_ns"][1] <= report["compare"]["b_range_ns"][0], "A is before, B after"
    assert report["compare"]["a_settled"] and report["compare"]["b_settled"], "neither side holds a backlog"
    # The frontend waits on both sides: before for the limit of bytes in flight, after for the barrier.
    ahead, blocked = figure_of(report, "median_run_ahead_steps"), figure_of(report, "blocked")
    assert ahead["a"] > 4 and 0 < ahead["b"] <= 2, f"the barrier holds the frontend back: {ahead}"
    assert 0 < blocked["a"] < 1 and 0 < blocked["b"] < 1, blocked
    case.picture("before_and_after")
    window.click("compare:mode:ranges")
    window.wait("it asks for ranges", lambda r: r["compare"]["mode"] == "ranges" and r["compare"].get("problem") and
                "compare:set_a" in r["widgets"])
    for button, at in (("compare:set_a", 0.2), ("compare:set_b", 0.6)):
        marked = window.report()["range_ns"]
        case.over_plot(window, at, 0.5)
        window.display.do("keydown", "shift", "mousedown", 1)
        window.display.do("mousemove_relative", "--sync", 40, 0)
        window.display.do("mousemove_relative", "--sync", 40, 0)
        window.display.do("mouseup", 1, "keyup", "shift")
        window.wait("a range is marked", lambda r: r["range_ns"] and r["range_ns"] != marked)
        window.click(button)
    report = window.wait("two ranges are compared", lambda r: r["compare"].get("figures") and
                         r["compare"]["answered_mode"] == "ranges" and r["compare"]["lower"])
    assert report["compare"]["a_range_ns"] != report["compare"]["b_range_ns"]
    case.picture("ranges")
    window.key("c")
    window.wait("C closes it", lambda r: r["compare"] is None)
    case.quit(window)


def closing_the_window_in_the_middle_of_a_run_ends_it_cleanly(case):
    window = case.running()
    window.ask_to_close()
    assert window.wait_for_end() == 0


def what_is_set_is_remembered_and_one_click_resets_it(case):
    window = case.open("--size", "1280x720")
    assert window.report()["light"] is False
    window.click("menu")
    window.click("menu:about")
    about = window.wait("the panel About is there", lambda r: r["version_text"])["version_text"]
    said = subprocess.run([case.program, "--version"], capture_output=True, text=True, timeout=60).stdout
    assert about + "\n" == said, (about, said)
    case.picture("about")
    window.key("Escape")
    window.wait("Esc closes it", lambda r: r["version_text"] is None)
    window.click("menu")
    window.click("menu:light")
    window.wait("the theme is light", lambda r: r["light"])
    window.key("Escape")
    window.wait("the menu is closed", lambda r: "menu:light" not in r["widgets"])
    window.key("F3")
    window.wait("the debug panel is there", lambda r: r["debug"])
    case.picture("light")
    case.quit(window)
    window = case.open()
    report = window.report()
    assert report["light"] and report["debug"], "both were remembered"
    window.click("menu")
    window.click("menu:reset")
    window.wait("all is as it was", lambda r: not r["light"] and not r["debug"])
    case.quit(window)


def an_exercise_is_picked_from_the_list_and_run(case):
    window = case.open("--workload", "overlap", "--size", "1280x720")
    assert window.report()["exercise"] is None
    window.click("workload")
    window.wait("the list is open", lambda r: "exercise:8" in r["widgets"])
    case.picture("exercise_list")
    window.click("exercise:1")
    report = window.wait("the exercise is chosen", lambda r: r["exercise"] == 1 and "exercise" in r["widgets"])
    assert report["choice"]["workload"] == "increment", report["choice"]
    assert report["choice"]["settings"]["frontend_us"] == "20", report["choice"]
    assert report["run"] is None, "choosing starts nothing"
    case.picture("exercise_chosen")
    window.click("run")
    report = window.wait("it has run to its end", lambda r: r["run"] and r["run"]["state"] == "finished" and
                         any(row["shape_here"] for row in r["published"]) and "results" in r["widgets"])
    assert report["run"]["workload"] == "increment" and report["exercise"] == 1
    rows = {row["label"]: row for row in report["published"] if row["shape_here"]}
    assert rows["a wait after each"]["shape_here"] > 0
    results = {row["label"]: row.get("figures") for row in report["results"]}
    assert len(results["n max(t1, t2), without"]) == 2, results
    assert any(label.startswith("The frontend is the bottleneck") for label in results), results
    case.picture("exercise_measured")
    window.click("workload")
    window.click("workload:overlap")
    window.wait("a workload ends it", lambda r: r["exercise"] is None and r["choice"]["workload"] == "overlap")
    case.quit(window)


def the_report_of_waits_leads_to_the_worst_of_them(case):
    window = case.open("--workload", "barriers", "--size", "1280x720", "--autostart")
    window.wait("it has run to its end", lambda r: r["run"] and r["run"]["state"] == "finished" and r["settled"])
    window.key("b")
    report = window.wait("the waits are reported", lambda r: r["waits"] and r["waits"]["groups"])
    groups = report["waits"]["groups"]
    totals = [group["total_ns"] for group in groups]
    assert totals == sorted(totals, reverse=True) and totals[0] > 0, totals
    assert {"waitall", "wait_to_read"} <= {group["wait"] for group in groups}, groups
    for group in groups:
        assert 0 < group["longest_ns"] <= group["total_ns"], group
    assert report["waits"]["count"] == sum(group["count"] for group in groups), report["waits"]
    case.picture("waits")
    is_idle(window)
    window.click("waits:copy")
    window.wait("the table is on the clipboard", lambda r: r["notice"].startswith("Copied"))
    window.click("waits:row:0")
    report = window.wait("the worst wait is selected", lambda r: r["selected"])
    assert report["selected"]["name"] == groups[0]["wait"], (report["selected"], groups[0])
    case.picture("waits_worst")
    window.key("slash")
    window.wait("the search takes its place", lambda r: r["find"] is not None and r["waits"] is None)
    window.key("Escape")
    window.wait("the search is closed", lambda r: r["find"] is None)
    window.key("b")
    window.wait("the waits are back", lambda r: r["waits"] and r["waits"]["groups"] and r["find"] is None)
    window.click("waits:close")
    window.wait("it is closed", lambda r: r["waits"] is None)
    case.quit(window)


def write_loading_steps(path):
    """A trace as PyTorch's profiler writes it: 6 steps of 10 ms. In each, a GPU is idle for 5 ms while the host loads data."""
    cpu = lambda name, cat, ts, dur, **args: {"ph": "X", "cat": cat, "name": name, "pid": 1, "tid": 1, "ts": ts, "dur": dur,
                                              "args": args}
    events = [{"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {"name": "main"}}]
    for i in range(6):
        at = 10_000 * i
        events += [cpu(f"ProfilerStep#{i}", "user_annotation", at, 10_000),
                   cpu("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "user_annotation", at + 10, 4_900),
                   cpu("cudaLaunchKernel", "cuda_runtime", at + 4_950, 20, correlation=i + 1),
                   cpu("cudaDeviceSynchronize", "cuda_runtime", at + 5_000, 4_900, correlation=100 + i),
                   {"ph": "X", "cat": "kernel", "name": "matmul", "pid": 0, "tid": 7, "ts": at + 4_980, "dur": 4_900,
                    "args": {"device": 0, "stream": 7, "correlation": i + 1}}]
    with open(path, "w") as file:
        json.dump({"traceEvents": events}, file)


def a_wait_leads_to_its_work_and_both_come_into_view(case):
    # 40 rows of Python lie above the call, and 40 between the call and the kernel. The call is 1/1000 of the trace.
    depth = 40
    span = lambda name, cat, ts, dur, tid, **args: {"ph": "X", "cat": cat, "name": name, "pid": 0 if cat == "kernel" else 1,
                                                    "tid": tid, "ts": ts, "dur": dur, "args": args}
    events = [span(f"frame {i}", "python_function", 0, 1_000_000, 1) for i in range(depth)]
    events += [span(f"later {i}", "python_function", 600_000, 1_000, 1) for i in range(depth)]
    events += [span("cudaLaunchKernel", "cuda_runtime", 500_000, 20, 1, correlation=1),
               span("cudaDeviceSynchronize", "cuda_runtime", 500_050, 1_000, 1, correlation=2),
               span("gemm", "kernel", 500_030, 1_000, 7, device=0, stream=7, correlation=1)]
    path = os.path.join(case.folder, "deep.json")
    with open(path, "w") as file:
        json.dump({"traceEvents": events}, file)
    window = case.open(path, "--size", "1280x720")
    window.wait("it is open", lambda r: r["trace"]["slices"] > depth and not r["job"])
    shown = lambda r: [s for s in r["slices"] if r["selected"] and (s["track"], s["depth"]) ==
                       (r["selected"]["track"], r["selected"]["depth"]) and s["rect"][2] - s["rect"][0] > 60]
    window.key("b")
    window.wait("the wait is reported", lambda r: r["waits"] and r["waits"]["groups"])
    window.click("waits:row:0")
    report = window.wait("the call is in view, and wide", lambda r: shown(r) and r["wait_cause"] and r["arrows"] > 0)
    assert report["selected"]["name"] == "cudaDeviceSynchronize", report["selected"]
    assert report["wait_cause"]["work"] == report["wait_cause"]["waited_for"] == "gemm", report["wait_cause"]
    stream_shown = lambda r: any(row["name"] == "stream 7" and row["rect"][3] <= r["plot"][3] for row in r["rows"])
    assert not stream_shown(report), "the kernel is not in view"
    case.picture("call")
    window.click("awaited_work")
    window.wait("the kernel is selected and in view", lambda r: r["selected"]["name"] == "gemm" and stream_shown(r))
    case.picture("kernel")
    case.quit(window)


def the_causes_of_a_trace_lead_to_its_timeline(case):
    path = os.path.join(case.folder, "steps.json")
    write_loading_steps(path)
    window = case.open(path, "--size", "1280x720")
    window.wait("it is open", lambda r: r["trace"]["slices"] > 0 and not r["job"])
    assert window.report()["cause_marks"] is None and window.report()["idle_gaps"] == []
    window.key("e")
    report = window.wait("it is explained", lambda r: r["causes"] and r["causes"]["answered"])
    causes = report["causes"]
    assert causes["steps"] == 6 and causes["findings"][0]["rule"] == "data_loading", causes
    device = causes["devices"][0]
    assert 0.4 < device["idle"]["data_loading"] / 60e6 < 0.6, device
    assert abs(device["busy_ns"] + sum(device["idle"].values()) - (causes["range_ns"][1] - causes["range_ns"][0])) <= 1, device
    report = window.wait("the timeline shows its row", lambda r: any(gap["label"] for gap in r["idle_gaps"]))
    assert report["path_lines"] > 0 and report["cause_marks"] == {"idle": True, "path": True}
    case.picture("causes")
    is_idle(window)
    window.click("causes:finding:0")
    report = window.wait("its longest gap is selected", lambda r: r["selected_idle"] is not None)
    assert report["selected_idle"]["range_ns"] == causes["findings"][0]["range_ns"], report["selected_idle"]
    assert report["selected_idle"]["cause"] == "data_loading", report["selected_idle"]
    begin, end = report["selected_idle"]["range_ns"]
    report = window.wait("the view shows it", lambda r: r["view_ns"][0] < begin and end < r["view_ns"][1])
    assert length(report) < 5 * (end - begin), "not the whole trace"
    case.picture("finding")
    window.click("idle_next")
    report = window.wait("the next work is selected", lambda r: r["selected"] is not None)
    assert report["selected"]["name"] == "matmul" and report["selected_idle"] is None, report["selected"]
    window.click("causes:finding:0")
    window.wait("the gap is back", lambda r: r["selected_idle"] is not None and r["selected"] is None)
    window.key("Escape")
    window.wait("nothing is selected", lambda r: r["selected_idle"] is None)
    window.key("Home")
    wide = lambda r: [gap for gap in r["idle_gaps"] if gap["rect"][2] - gap["rect"][0] > 20]  # noqa: E731
    gaps = window.still("the gaps stand", lambda r: wide(r) if len(wide(r)) > 2 else None)
    window.move(*middle_of(gaps[2]["rect"]))
    window.display.do("click", 1)
    report = window.wait("a click selects a gap", lambda r: r["selected_idle"] is not None)
    assert report["selected_idle"]["range_ns"] == gaps[2]["range_ns"], (report["selected_idle"], gaps[2])
    case.picture("gap")
    window.key("i")
    window.wait("I hides the marks", lambda r: r["cause_marks"] is None and r["idle_gaps"] == [] and r["path_lines"] == 0)
    window.click("causes:show_idle")
    window.wait("one kind of them is shown", lambda r: r["idle_gaps"] and r["path_lines"] == 0)
    window.click("causes:copy")
    window.wait("the findings are on the clipboard", lambda r: r["notice"].startswith("Copied"))
    window.click("causes:close")
    window.wait("it is closed, and its marks are gone", lambda r: r["causes"] is None and r["cause_marks"] is None)
    window.key("i")
    window.wait("the marks stay without the panel", lambda r: r["idle_gaps"] and r["causes"] is None)
    window.click("more_views")
    window.wait("the panels without a button are listed", lambda r: "query" in r["widgets"])
    window.click("query")
    window.wait("one of them is opened", lambda r: r["query"] is not None)
    case.quit(window)


def the_report_of_memory_names_who_holds_the_peak(case):
    path = os.path.join(case.folder, "run.runahead")
    subprocess.run([case.program, "run", "training_memory", "--device", "virtual:0", "--barrier", "none", "--set",
                    "steps=20", "--record", path], check=True, stdout=subprocess.DEVNULL, timeout=120)
    told = json.loads(subprocess.run([case.program, "stats", path, "--json"], check=True, stdout=subprocess.PIPE,
                                     timeout=120).stdout)["memory"]
    device = max(told, key=lambda d: d["peak_bytes"])
    window = case.open(path, "--size", "1280x720")
    window.wait("it is open", lambda r: r["opened"] == path and r["settled"])
    window.key("k")
    report = window.wait("the holders are named", lambda r: r["memory"] and r["memory"]["holders"])
    memory = report["memory"]
    assert memory["lifetimes"] and memory["at_ns"] == memory["peak_ns"] == device["at_ns"], memory
    assert memory["counted"] == memory["named"] == device["peak_bytes"] == sum(memory["categories"].values()), memory
    assert [h["bytes"] for h in memory["holders"]] == [h["bytes"] for h in device["holders"]], (memory, device)
    assert "activations" in memory["categories"], memory
    case.picture("peak")
    window.click("memory:copy")
    window.wait("the table is on the clipboard", lambda r: r["notice"].startswith("Copied"))
    main = memory["holders"][0]
    window.click("memory:row:0")
    report = window.wait("the op that allocated it is selected", lambda r: r["selected"])
    assert report["selected"]["name"] == main["op"] and report["selected"]["op"] == main["largest_op"], report["selected"]
    case.picture("its_op")
    window.click("memory:selection")
    report = window.wait("another time is reported", lambda r: r["memory"]["at_ns"] != r["memory"]["peak_ns"])
    assert report["memory"]["counted"] == report["memory"]["named"] <= memory["counted"], report["memory"]
    case.picture("at_the_selection")
    window.click("memory:peak")
    report = window.wait("it is back at the peak, and the counter is in sight", lambda r: r["memory"]["at_ns"] ==
                         r["memory"]["peak_ns"] and any(c["name"] == "live " + device["device"] for c in r["counters"]))
    counter = next(row for row in report["counters"] if row["name"] == "live " + device["device"])
    window.move((report["plot"][0] + report["plot"][2]) / 2, (counter["y0_px"] + counter["y1_px"]) / 2)
    window.display.do("click", 1)
    report = window.wait("a click on its counter reports that time", lambda r: r["memory"]["at_ns"] !=
                         r["memory"]["peak_ns"])
    begin, end = report["view_ns"]
    assert abs(report["memory"]["at_ns"] - (begin + end) / 2) < (end - begin) / 50, report["memory"]
    case.picture("at_a_click")
    window.click("memory:close")
    window.wait("it is closed", lambda r: r["memory"] is None)
    case.quit(window)


def a_note_is_written_at_the_mouse_and_kept_in_the_file(case):
    window = case.paused()
    case.over_plot(window, 0.5, 0.3)
    window.key("n")
    window.wait("the field is there", lambda r: "note" in r["widgets"])
    window.type("here it waits")
    case.picture("writing")
    window.key("Return")
    report = window.wait("it is on the timeline", lambda r: r["notes"] and "note" not in r["widgets"])
    note = report["notes"][0]
    begin, end = report["view_ns"]
    assert note["words"] == "here it waits" and abs(note["at_ns"] - (begin + end) / 2) < (end - begin) / 50, note
    case.picture("written")
    window.key("n")
    window.wait("the field has the words that are there", lambda r: "note" in r["widgets"])
    window.key("ctrl+a")
    window.type("a longer word")
    window.key("Return")
    report = window.wait("it has changed", lambda r: r["notes"] and r["notes"][0]["words"] == "a longer word")
    assert report["notes"] == [{"at_ns": note["at_ns"], "words": "a longer word"}], report["notes"]
    window.key("n")
    window.wait("the field is there", lambda r: "note" in r["widgets"])
    window.key("Escape")
    window.wait("it is left as it was", lambda r: "note" not in r["widgets"] and len(r["notes"]) == 1)
    path = os.path.join(case.folder, "noted.runahead")
    window.click("stop")
    window.wait("it has stopped", lambda r: not r["run"]["live"])
    window.key("ctrl+s")
    window.wait("the dialog asks for a name", lambda r: r["dialog"] == "save" and "file_accept" in r["widgets"])
    window.key("ctrl+a")
    window.type(path)
    window.key("Return")
    window.wait("it is saved", lambda r: r["notice"].startswith("Saved") and not r["job"])
    case.quit(window)
    window = case.open(path, "--size", "1280x720")
    report = window.wait("the note is in the file", lambda r: r["opened"] == path and r["notes"])
    assert report["notes"] == [{"at_ns": note["at_ns"], "words": "a longer word"}], report["notes"]
    case.picture("opened")
    case.quit(window)


def a_lesson_is_followed_from_its_question_to_its_explanation(case):
    window = case.open("--workload", "increment", "--size", "1280x720")
    report = window.wait("its lesson is at the question", lambda r: lesson(r).get("stage") == 1)
    assert report["lesson"]["number"] == 5 and not report["lesson"]["written_down"], report["lesson"]
    case.picture("1_question")
    window.click("lesson:predict")
    window.click("predict:0")
    window.key("ctrl+a")
    window.type("3")
    window.key("Return")
    window.click("choice:1:0")
    window.wait("both are predicted", lambda r: [o["predicted"] for o in lesson(r)["outcomes"]] == [3, 0])
    case.picture("2_prediction")
    window.click("lesson:write_down")
    report = window.wait("they are written down", lambda r: lesson(r)["written_down"] and lesson(r)["stage"] == 3)
    assert report["run"] is None, "nothing has run yet"
    window.click("run_part:run")
    report = window.wait("the part is measured", lambda r: lesson(r)["complete"])
    assert report["lesson"]["figures"]["run"]["sync_us"] > 0, report["lesson"]
    case.picture("3_run")
    window.click("lesson:to_compare")
    report = window.wait("the result is beside the prediction", lambda r: lesson(r)["stage"] == 4)
    outcome = report["lesson"]["outcomes"][0]
    figures = report["lesson"]["figures"]["run"]
    assert abs(outcome["measured"] - figures["sync_us"] / figures["async_us"]) < 1e-9, outcome
    ratio = outcome["measured"] / outcome["predicted"]
    wanted = "Close" if 0.5 <= ratio <= 2 else "Too low" if ratio > 2 else "Too high"
    assert outcome["verdict"].startswith(wanted) or ratio == 1, outcome
    case.picture("4_what_happened")
    window.click("lesson:to_why")
    window.wait("it is explained", lambda r: lesson(r)["stage"] == 5 and "explanation" in r["widgets"])
    case.picture("5_why")
    # The prediction is written down. Therefore a click on another choice must not change it.
    window.click("stage:2")
    window.wait("the prediction is on the screen", lambda r: lesson(r)["stage"] == 2)
    window.click("choice:1:1")
    window.click("stage:5")
    report = window.wait("the explanation is back", lambda r: lesson(r)["stage"] == 5)
    assert report["lesson"]["outcomes"][1]["predicted"] == 0, report["lesson"]
    window.click("menu")
    window.click("menu:reset_class")
    report = window.wait("the next class begins", lambda r: lesson(r).get("stage") == 1 and not r["lesson"]["figures"])
    assert report["run"] is None and report["trace"]["slices"] == 0, report["trace"]
    case.quit(window)


def the_codes_of_a_class_are_shown_beside_what_happened(case):
    window = case.open("--workload", "increment", "--size", "1280x720")
    window.key("j")
    window.wait("the panel is open", lambda r: r["class"] and "class:codes" in r["widgets"])
    codes = [increment_code(ratio, i % 2) for i, ratio in enumerate([1, 2, 3, 5, 8, 10, 12, 20, 50, 100])]
    mistyped = codes[2][:-1] + ("2" if codes[2][-1] != "2" else "3")
    window.type(", ".join(codes[:5]) + "; " + " ".join(codes[5:]) + " ")
    window.wait("ten codes are read", lambda r: r["class"]["codes"] == 10)
    window.key("ctrl+a")
    window.key("ctrl+c")
    window.key("ctrl+End")
    for count in (20, 30, 40):
        window.key("ctrl+v")
        window.wait("ten more codes are pasted", lambda r: r["class"]["codes"] == count)
    window.type(mistyped + " hello")
    report = window.wait("all is read", lambda r: r["class"]["field"].endswith("hello"))
    assert report["class"]["codes"] == 40, report["class"]
    assert [line.split(":")[0] for line in report["class"]["refused"]] == ["code " + mistyped, "code hello"], report["class"]
    first, second = report["class"]["questions"]
    assert sum(row["count"] for row in first["rows"]) == 40 and [row["count"] for row in second["rows"]] == [20, 20]
    assert not first["measured"] and not first["judged"], "nothing has run, so there is nothing beside the predictions"
    window.still("the histograms are drawn", lambda r: r["widgets"].get("class:question:1"))
    case.picture("predicted")
    window.key("ctrl+a")
    window.key("ctrl+x")
    window.wait("the field is empty", lambda r: r["class"]["codes"] == 0 and r["class"]["field"] == "")
    window.key("ctrl+v")
    window.wait("the codes are pasted", lambda r: r["class"]["codes"] == 40)
    window.key("Escape")
    window.wait("Esc closes the panel", lambda r: r["class"] is None)
    window.click("lesson:class")
    window.wait("the codes are still there", lambda r: r["class"] and r["class"]["codes"] == 40)
    window.click("class:count")
    window.key("ctrl+v")
    window.wait("Ctrl+V adds the codes without a click into the field", lambda r: r["class"]["codes"] == 80)
    window.click("class:clear")
    window.wait("the field is empty", lambda r: r["class"]["field"] == "")
    window.click("class:paste")
    window.wait("a button pastes too", lambda r: r["class"]["codes"] == 40)
    window.key("Escape")
    window.wait("Esc closes the panel", lambda r: r["class"] is None)
    window.click("stage:3")
    window.click("run_part:run")
    window.wait("the part is measured", lambda r: lesson(r)["complete"])
    window.key("j")
    report = window.wait("the panel is open", lambda r: r["class"] and r["class"]["codes"] == 40)
    assert not report["class"]["questions"][0]["measured"], "the lesson is not at its fourth step"
    window.key("Escape")
    window.wait("Esc closes the panel", lambda r: r["class"] is None)
    window.click("lesson:to_compare")
    window.wait("what happened is shown", lambda r: lesson(r)["stage"] == 4)
    window.key("j")
    report = window.wait("what happened is beside the predictions", lambda r: r["class"] and r["class"]["questions"] and
                         r["class"]["questions"][0]["measured"])
    assert sum(row["measured"] for row in report["class"]["questions"][0]["rows"]) == 1, report["class"]
    window.still("the histograms are drawn", lambda r: r["widgets"].get("class:question:1"))
    case.picture("what_happened")
    window.key("Escape")
    window.wait("Esc closes the panel", lambda r: r["class"] is None)
    window.key("p")
    window.wait("it is a presentation", lambda r: r["presentation"])
    window.key("j")
    report = window.wait("the class is shown large", lambda r: r["class"] and "class:question:0" in r["widgets"])
    window.still("the histograms are drawn", lambda r: r["widgets"].get("class:question:0"))
    case.picture("presentation")
    window.key("Escape")
    window.wait("Esc closes the panel", lambda r: r["class"] is None)
    window.key("p")
    window.wait("the presentation has ended", lambda r: not r["presentation"])
    window.click("menu")
    window.click("menu:reset_class")
    window.wait("the next class begins", lambda r: lesson(r).get("stage") == 1)
    window.key("j")
    window.wait("it has no codes yet", lambda r: r["class"] and r["class"]["field"] == "" and r["class"]["codes"] == 0)
    case.quit(window)


def a_page_is_exported_from_the_window_and_shown_in_the_browser(case):
    shown, tools = os.path.join(case.folder, "shown"), os.path.join(case.folder, "tools")
    os.makedirs(tools)
    with open(os.path.join(tools, "xdg-open"), "w") as file:
        file.write(f"#!/bin/sh\nprintf %s \"$1\" > '{shown}'\n")
    os.chmod(os.path.join(tools, "xdg-open"), 0o755)
    window = case.open(*WORKLOAD, "--autostart", path=tools)
    window.wait("the workload has taken steps", lambda r: live(r) and r["run"]["steps"] > 5)
    page = os.path.join(case.folder, "run.html")
    window.click("menu")
    window.click("menu:export")
    report = window.wait("the dialog is there", lambda r: r["dialog"] == "page" and "file_accept" in r["widgets"])
    case.picture("dialog")
    window.click("page:size:50")
    window.click("file_name")
    window.key("ctrl+a")
    window.type(os.path.join(case.folder, "run"))
    window.key("Return")
    report = window.wait("the page is written", lambda r: r["exported"] or r["error"], 240)
    if "no viewer" in report["error"]:
        raise Skipped("this build has no viewer for pages")
    assert report["exported"].startswith(f"Exported {page}: ") and report["exported"].endswith(", exact"), report["exported"]
    assert report["error"] == "" and live(report), "the run goes on"
    with open(page, "rb") as file:
        assert file.read(15) == b"<!DOCTYPE html>"
    window.still("the message is drawn", lambda r: r["widgets"].get("page:show"))
    case.picture("exported")
    window.click("page:show")
    window.wait("the browser gets the page", lambda r: os.path.exists(shown) and open(shown).read() == page)
    window.click("page:dismiss")
    window.wait("the message is gone", lambda r: r["exported"] is None)
    # The same name again, with the measured range: the dialog asks first.
    written = os.stat(page).st_mtime_ns
    window.key("m")
    window.wait("the view is measured", lambda r: r["range_ns"] is not None)
    window.click("menu")
    window.click("menu:export")
    window.wait("the dialog is there", lambda r: r["dialog"] == "page" and "file_accept" in r["widgets"])
    window.click("page:range")
    window.click("file_name")
    window.key("ctrl+a")
    window.type(page)
    window.key("Return")
    window.still("the dialog asks before it replaces the page", lambda r: r["dialog"] == "page" or None)
    assert os.stat(page).st_mtime_ns == written
    window.click("file_accept")
    window.wait("the page is written again", lambda r: r["exported"] and os.stat(page).st_mtime_ns != written, 240)
    case.quit(window)


def report_of_page(path):
    """The report in a page of Runahead."""
    with open(path, encoding="utf-8") as file:
        packed = re.search(r'id="report-data"[^>]*>([^<]*)<', file.read())[1]
    return json.loads(zlib.decompress(base64.b64decode(packed), -15))


def a_comparison_is_exported_as_a_page(case):
    window = case.running()
    window.wait("it has some steps", lambda r: r["strip"] and r["strip"]["after"]["steps"] > 20)
    window.key("2")
    window.wait("the barrier is another", lambda r: r["strip"]["before"]["steps"] > 0 and r["strip"]["after"]["steps"] > 20 and
                r["strip"]["after_phase"] != "draining")
    window.click("stop")
    window.wait("it has stopped", lambda r: not r["run"]["live"] and r["settled"])
    window.key("c")
    report = window.wait("both times are compared", lambda r: r["compare"] and r["compare"].get("figures") and
                         not r["compare"]["running"])
    window.click("menu")
    window.click("menu:export")
    window.wait("the dialog offers the comparison", lambda r: r["dialog"] == "page" and "page:compared" in r["widgets"])
    window.click("page:compared")
    case.picture("dialog")
    page = os.path.join(case.folder, "compared.html")
    window.click("file_name")
    window.key("ctrl+a")
    window.type(page)
    window.key("Return")
    written = window.wait("the page is written", lambda r: r["exported"] or r["error"], 240)
    if "no viewer" in written["error"]:
        raise Skipped("this build has no viewer for pages")
    first = report_of_page(page)["en"]["sections"][0]
    assert first["id"] == "compare", first["id"]
    sides, figures = first["tables"][0]["rows"], first["tables"][1]["rows"]
    assert [row["go"]["from"] for row in sides] == [str(report["compare"][side][0]) for side in ("a_range_ns", "b_range_ns")], sides
    assert len(figures) == len(report["compare"]["figures"]), figures
    case.quit(window)


def a_lesson_is_exported_for_a_class(case):
    window = case.open("--workload", "increment", "--size", "1600x1000")
    window.click("stage:3")
    window.click("run_part:run")
    window.wait("the part is measured", lambda r: lesson(r)["complete"])
    assert "lesson:export" not in window.report()["widgets"], "what happened is not shown yet"
    window.click("lesson:to_compare")
    window.click("lesson:export")
    window.wait("the dialog proposes the lesson", lambda r: r["dialog"] == "page" and "page:lesson" in r["widgets"])
    case.picture("dialog")
    window.click("file_name")
    window.key("ctrl+a")
    window.type(os.path.join(case.folder, "lesson"))
    window.key("Return")
    report = window.wait("the page is written", lambda r: r["exported"] or r["error"], 240)
    if "no viewer" in report["error"]:
        raise Skipped("this build has no viewer for pages")
    with open(os.path.join(case.folder, "lesson.html"), encoding="utf-8") as file:
        page = file.read()
    assert "<body data-sealed>" in page and "Lesson 5: " in page, "the page asks before it shows the trace"
    case.quit(window)


def a_toggled_lesson_is_recorded_and_opens_with_its_predictions(case):
    window = case.open("--workload", "training_memory", "--device", "virtual:0", "--size", "1280x720")
    path = os.path.join(case.folder, "lesson.runahead")
    window.click("stage:2")
    window.click("predict:0")
    window.key("ctrl+a")
    window.type("50")
    window.key("Return")
    window.click("choice:1:2")
    window.wait("both are predicted", lambda r: [o["predicted"] for o in lesson(r)["outcomes"]] == [50, 2])
    window.click("lesson:write_down")
    window.click("run_part:free")
    window.wait("it has run ahead", lambda r: live(r) and lesson(r)["running"] == "free" and r["run"]["steps"] > 60
                and r["strip"]["after"]["seconds"] > 2.5)
    window.click("run_part:held")
    report = window.wait("both segments are measured", lambda r: lesson(r)["complete"])
    assert report["run"]["barrier"] == "wait_to_read", report["run"]
    case.picture("toggled")
    window.click("lesson:to_compare")
    report = window.wait("what happened is shown", lambda r: lesson(r)["stage"] == 4)
    assert report["lesson"]["outcomes"][0]["measured"] > 5, report["lesson"]["outcomes"]
    case.picture("toggled_what_happened")
    window.click("stop")
    window.wait("the run has ended", lambda r: not live(r))
    window.key("ctrl+s")
    window.wait("the dialog asks for a name", lambda r: r["dialog"] == "save" and "file_accept" in r["widgets"])
    window.key("ctrl+a")
    window.type(path)
    window.key("Return")
    window.wait("it is saved", lambda r: r["notice"].startswith("Saved") and not r["job"])
    case.quit(window)

    window = case.open(path, "--size", "1280x720")
    report = window.wait("the recording opens with its lesson",
                         lambda r: lesson(r).get("of_recording") and lesson(r)["complete"])
    assert report["lesson"]["number"] == 6 and report["lesson"]["written_down"], report["lesson"]
    assert [o["predicted"] for o in report["lesson"]["outcomes"]] == [50, 2], report["lesson"]["outcomes"]
    window.click("stage:4")
    window.wait("what happened is shown", lambda r: lesson(r)["stage"] == 4)
    case.picture("as_recorded")
    case.quit(window)


def names_of(report):
    return [row["name"] for row in report["rows"]]


def row_of(report, name):
    return next(row for row in report["rows"] if row["name"] == name)


def at_name(window, name):
    """Moves the mouse onto a track's name, a little left of its middle: away from the three dots at its end."""
    x0, y0, x1, y1 = window.still(f"'{name}' is on the screen", lambda r: next(
        (row["rect"] for row in r["rows"] if row["name"] == name), None))
    window.move(x0 + (x1 - x0) * 0.4, y0 + 8)
    return x0, y0, x1, y1


def a_lesson_is_followed_in_a_presentation(case):
    window = case.open("--workload", "warmup", "--size", "1280x720")
    number = lesson(window.report())["number"]
    assert number == 1
    window.key("p")
    report = window.wait("the lesson's question is on the screen", lambda r: r["presentation"] and
                         "lesson:predict" in r["widgets"] and lesson(r)["stage"] == 1)

    found = []

    def shown_beside_half_a_window(what):
        found.extend(what_does_not_fit(window, what))
        report = window.report()
        switch = [w for w in report["widgets"] if w.startswith("barrier:")]
        assert switch, "the switch is there"
        area = report["timeline_px"]
        assert area[3] - area[1] >= 360, f"{what}: half of the window is the timeline's: {area}"
        case.picture(what.replace(" ", "_"))

    shown_beside_half_a_window("1 question")
    window.click("lesson:predict")
    window.wait("the first prediction is asked", lambda r: lesson(r)["stage"] == 2)
    predictions = report["lesson"]["predictions"]
    for i, choices in enumerate(predictions):
        if choices:
            window.click("choice:%d:0" % i)
        else:
            window.click("predict:%d" % i)
            window.key("ctrl+a")
            window.type("3")
            window.key("Return")
        window.wait("it is predicted", lambda r: lesson(r)["outcomes"][i]["predicted"] is not None)
        shown_beside_half_a_window("2 prediction %d" % i)
        if i + 1 < len(predictions):
            window.click("lesson:page_on")
    window.click("lesson:write_down")
    report = window.wait("they are written down", lambda r: lesson(r)["written_down"] and lesson(r)["stage"] == 3 and
                         any(w.startswith("run_part:") for w in r["widgets"]))
    while not report["lesson"]["complete"]:
        shown_beside_half_a_window("3 run")
        done = len(report["lesson"]["figures"])
        part = next(w for w in report["widgets"] if w.startswith("run_part:"))
        window.click(part)
        report = window.wait("a part is measured", lambda r: len(lesson(r)["figures"]) > done and
                             (lesson(r)["complete"] or any(w.startswith("run_part:") for w in r["widgets"])))
    window.click("lesson:to_compare")
    window.wait("what happened is shown", lambda r: lesson(r)["stage"] == 4 and "outcome:0" in r["widgets"])
    shown_beside_half_a_window("4 what happened")
    window.click("lesson:to_why")
    window.wait("it is explained", lambda r: lesson(r)["stage"] == 5 and "explanation" in r["widgets"])
    shown_beside_half_a_window("5 why")
    assert lesson(window.report())["number"] == number and not found, found
    window.key("p")
    window.wait("the presentation is over", lambda r: not r["presentation"])
    case.quit(window)


def flows_go_further_and_colours_are_chosen_and_remembered(case):
    window = case.paused()
    window.key("l")
    window.click("colour:name")
    window.wait("colours are by name", lambda r: r["colour_by"] == "name")
    case.picture("by_name")
    window.key("o")
    window.wait("O takes the next choice", lambda r: r["colour_by"] == "step")
    case.picture("by_step")
    window.key("l")
    window.wait("the legend is closed", lambda r: not r["legend"] and "legend:close" not in r["widgets"])
    window.key("g")
    report = window.wait("the graph is shown", lambda r: r["graph"] is not None and r["graph"]["nodes"])
    node = report["graph"]["nodes"][-1]
    window.click("graph:op:%d" % node["op"])
    window.wait("an op's slice is selected", lambda r: r["selected"] is not None and r["selected"]["op"] == node["op"])
    window.key("g")
    report = window.wait("its direct flows are drawn", lambda r: r["graph"] is None and r["flow_steps"] == 1 and
                         r["arrows"] > 0 and "flows:more" in r["widgets"])
    direct = report["arrows"]
    window.key("plus")
    window.wait("+ draws a step more", lambda r: r["flow_steps"] == 2 and r["arrows"] > direct)
    window.click("flows:more")
    window.wait("so does the button", lambda r: r["flow_steps"] == 3)
    case.picture("flows")
    window.key("minus")
    window.wait("- draws the direct ones", lambda r: r["flow_steps"] == 1 and r["arrows"] == direct)
    case.quit(window)
    window = case.open(*WORKLOAD)
    assert window.report()["colour_by"] == "step", "the choice is remembered"
    case.quit(window)


def is_idle(window):
    """Waits until two checks a second apart find no new frame: nothing is left to draw."""
    deadline = time.monotonic() + 30
    while True:
        count = window.report()["frames"]["count"]
        seen = time.monotonic()
        while time.monotonic() < seen + 1:
            time.sleep(0.05)
        if window.report()["frames"]["count"] == count:
            return
        assert time.monotonic() < deadline, "an idle window draws nothing"


def a_zoom_glides_and_the_window_is_idle_again(case):
    case.settings(motion=True)
    window = case.paused()
    before = window.wait("nothing moves", lambda r: not r["gliding"])["view_ns"]
    x, _ = case.over_plot(window, 0.5)
    plot = window.report()["plot"]
    share = (x - plot[0]) / (plot[2] - plot[0])
    under = lambda r: r["view_ns"][0] + share * length(r)
    held = under(window.report())
    window.display.do("click", "--repeat", 4, "--delay", 20, 4)
    report = window.wait("the zoom has ended", lambda r: not r["gliding"] and
                         length(r) < 0.45 * (before[1] - before[0]))
    assert abs(under(report) - held) < 0.003 * length(report), "the time under the pointer stayed there"
    assert abs(length(report) * 1.25 ** 4 / (before[1] - before[0]) - 1) < 0.001, "no notch is lost"
    window.key("Home")
    close = report["view_ns"]
    report = window.wait("Home shows all", lambda r: not r["gliding"] and r["view_ns"] != close and
                         r["view_ns"][0] <= r["trace"]["extent_ns"][0])
    window.click("menu")
    window.click("menu:motion")
    window.key("Escape")
    case.over_plot(window, 0.5)
    window.display.do("click", 4)
    window.wait("without motion it is there at once", lambda r: length(r) < length(report) and not r["gliding"])
    window.click("stop")
    window.wait("it has stopped", lambda r: not r["run"]["live"] and r["settled"])
    is_idle(window)
    case.quit(window)


def tracks_are_pinned_hidden_and_moved_and_stay_so(case):
    window = case.paused()
    before = names_of(window.report())
    assert before.index("Frontend") < before.index("Memory"), before
    _, y0, x1, _ = at_name(window, "Memory")
    window.move(x1 - 10, y0 + 12)  # the three dots at the end of the name
    window.display.do("click", 1)
    window.click("track:pin")
    report = window.wait("the group is pinned", lambda r: names_of(r)[0] == "Memory" and row_of(r, "Memory")["held"])
    case.picture("pinned")
    held = row_of(report, "Memory")["rect"]
    at_name(window, "Frontend")
    window.display.do("click", 5)  # turns the wheel over the names
    report = window.wait("the others are scrolled", lambda r: r["scroll_px"] > 0)
    assert row_of(report, "Memory")["rect"] == held, "and the pinned group is not"
    window.display.do("click", "--repeat", 9, 4)
    window.wait("they are scrolled back", lambda r: r["scroll_px"] == 0)

    at_name(window, "main")
    window.display.do("click", 3)
    window.click("track:hide")
    report = window.wait("main is hidden, which the window says", lambda r: "main" not in names_of(r) and
                         "hidden_tracks" in r["widgets"])

    _, y0, _, _ = at_name(window, "Throughput")
    below = row_of(window.report(), "Throughput")["rect"]
    other = next(row for row in window.report()["rows"] if row["indent"] == 0 and row["rect"][1] > held[3])
    assert other["name"] != "Throughput", names_of(window.report())
    window.display.do("mousedown", 1)
    window.display.do("mousemove_relative", "--sync", "--", 0, -20)
    window.move((below[0] + below[2]) / 2, other["rect"][1] + 3)
    window.wait("a line shows where it would go", lambda r: r["landing"])
    case.picture("dragged")
    window.display.do("mouseup", 1)
    moved = lambda r: names_of(r).index("Throughput") < names_of(r).index(other["name"])
    window.wait("the group is above the other one", moved)
    edge = window.report()["plot"][0]
    window.move(edge, held[1] + 5)
    window.display.do("mousedown", 1)
    window.display.do("mousemove_relative", "--sync", 20, 0)
    window.display.do("mousemove_relative", "--sync", 20, 0)
    window.display.do("mouseup", 1)
    wide = window.wait("the names have more room", lambda r: r["plot"][0] > edge + 20)["plot"][0]
    at_name(window, "Throughput")
    window.display.do("click", 1)
    window.wait("a click on its name folds a group", lambda r: row_of(r, "Throughput")["folded"])
    case.quit(window)

    window = case.open(*WORKLOAD, "--autostart")
    report = window.wait("it is as it was set", lambda r: "Throughput" in names_of(r) and other["name"] in names_of(r) and
                         names_of(r)[0] == "Memory")
    assert "main" not in names_of(report) and moved(report), names_of(report)
    assert report["plot"][0] == wide, "the names have as much room"
    window.wait("the group is folded", lambda r: "Throughput" in names_of(r) and row_of(r, "Throughput")["folded"])
    window.click("hidden_tracks")
    window.click("hidden:main")
    window.wait("main is back", lambda r: "main" in names_of(r) and "hidden_tracks" not in r["widgets"])
    window.click("menu")
    window.click("menu:reset")
    window.wait("it is as captured", lambda r: names_of(r)[0] == "Frontend" and not row_of(r, "Memory")["held"] and
                r["plot"][0] == edge)
    case.quit(window)


def nothing_is_clipped(case, code):
    found = []

    def look(window, what):
        found.extend(what_does_not_fit(window, what))
        case.picture(what.replace(" ", "_"))

    panels(case, ["--size", "1280x720"], code, look)
    what_if(case, ["--size", "1280x720"], code, look)
    assert not found, found


def nothing_is_clipped_in_english(case):
    nothing_is_clipped(case, "en")


def nothing_is_clipped_in_chinese(case):
    nothing_is_clipped(case, "zh")


def nothing_is_clipped_in_japanese(case):
    nothing_is_clipped(case, "ja")


def the_language_is_switched_while_it_runs_and_remembered(case):
    window = case.running()
    assert window.report()["language"] == "en"
    window.click("menu")
    window.click("menu:language")
    window.wait("the languages are listed", lambda r: "language:zh" in r["widgets"])
    window.click("language:zh")
    try:
        window.wait("it speaks Chinese", lambda r: r["language"] == "zh" and r["all_glyphs"])
    except AssertionError:
        if os.path.exists("/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc"):
            raise
        raise Skipped("fonts-noto-cjk is not installed")
    steps = window.report()["run"]["steps"]
    window.wait("the run goes on", lambda r: r["run"]["steps"] > steps)
    window.key("Escape")
    case.picture("switched")
    case.quit(window)
    window = case.open()
    assert window.report()["language"] == "zh", "it is remembered"
    window.click("menu")
    window.click("menu:reset")
    window.wait("it is as the environment says", lambda r: r["language"] == "en")
    case.quit(window)


def names_in_any_script_are_drawn_in_an_english_window(case):
    path = os.path.join(case.folder, "names.json")
    names = ["訓練ループ", "前向传播", "순전파", "шаг обучения", "dot"]
    events = [{"ph": "X", "name": name, "pid": 1, "tid": 1, "ts": 1000 * i, "dur": 900} for i, name in enumerate(names)]
    with open(path, "w") as file:
        json.dump({"traceEvents": events}, file)
    window = case.open(path, "--size", "1280x720")
    report = window.wait("it is open", lambda r: r["trace"]["slices"] == len(names) and r["all_glyphs"] and not r["job"])
    assert report["language"] == "en"
    wide = [c for c in report["missing_glyphs"] if c >= 0x2E80]
    case.picture("names")
    if wide and not os.path.exists("/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc"):
        raise Skipped("fonts-noto-cjk is not installed")
    assert report["missing_glyphs"] == [], [chr(c) for c in report["missing_glyphs"]]
    case.quit(window)


def a_file_of_another_tool_shows_its_summary_and_no_barriers(case):
    path = os.path.join(case.folder, "steps.json")
    events = [{"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{i}", "pid": 1, "tid": 1, "ts": 2000 * i,
               "dur": 1000 * (i + 1)} for i in range(2)]
    events.append({"ph": "i", "s": "g", "name": "Record Window End", "pid": 1, "tid": 1, "ts": 3000})
    with open(path, "w") as file:
        json.dump({"traceEvents": events}, file)
    window = case.open("--workload", "training_memory", "--size", "1280x720")
    barriers = lambda r: [widget for widget in r["widgets"] if widget.startswith("barrier:")]
    assert barriers(window.report()), "a run can choose its barrier"
    case.quit(window)
    window = case.open(path, "--size", "1280x720")
    report = window.wait("the strip has its summary", lambda r: r["strip"] and "summary" in r["strip"] and not r["job"])
    assert report["strip"]["summary"]["steps"] == 2, report["strip"]
    assert abs(report["strip"]["summary"]["median_step_s"] - 1e-3) < 1e-6, "by nearest rank"
    assert report["strip"]["summary"]["devices"] == [] and "blocked_s" not in report["strip"]["summary"], report["strip"]
    assert not barriers(report) and report["colour_by"] == "name", sorted(report["widgets"])
    case.picture("summary")
    window.key("2")
    window.key("p")
    report = window.wait("it is a presentation", lambda r: r["presentation"])
    assert report["choice"]["barrier"] == "none", "a key changes no barrier that is not shown"
    assert not barriers(report) and not [w for w in report["widgets"] if w.startswith("lesson")], sorted(report["widgets"])
    case.picture("summary_presentation")
    window.key("p")
    window.wait("the presentation is over", lambda r: not r["presentation"])
    window.click("run")
    report = window.wait("a run has barriers again", lambda r: live(r) and barriers(r))
    assert report["colour_by"] == "kind", "each has its own colours"
    case.quit(window)


def the_changes_that_help_most_are_ranked_and_predicted(case):
    path = record_waitall(case)
    window = case.open(path, "--size", "1280x720")
    window.wait("it is open", lambda r: r["opened"] == path and r["settled"])
    assert window.report()["whatif"] is None
    window.key("x")
    report = window.wait("the changes are ranked", lambda r: r["whatif"] and r["whatif"].get("candidates"))
    ranked = {c["change"]: c for c in report["whatif"]["candidates"]}
    gains = [c["gain"] for c in report["whatif"]["candidates"]]
    assert gains == sorted(gains, reverse=True) and report["whatif"]["refusal"] == "", report["whatif"]
    assert report["whatif"]["curve"] == 16 and 1 <= report["whatif"]["knee"] <= 16, report["whatif"]
    case.picture("ranked")
    window.click("whatif:barrier")
    window.click("whatif:barrier:none")
    report = window.wait("a change made by hand is predicted", lambda r: r["whatif"]["by_hand"] is not None)
    assert report["whatif"]["by_hand"]["change"] == "barrier=none", report["whatif"]["by_hand"]
    assert report["whatif"]["by_hand"]["problem"] == "", report["whatif"]["by_hand"]
    if "barrier=none" in ranked:
        assert report["whatif"]["by_hand"]["steps_per_s"] == ranked["barrier=none"]["steps_per_s"]
    window.click("whatif:barrier")
    window.click("whatif:barrier:window:1")
    x0, y0, x1, y1 = window.wait("the window has a slider", lambda r: "whatif:window" in r["widgets"])["widgets"]["whatif:window"]
    window.move(x1 - 3, (y0 + y1) / 2)
    window.display.do("click", 1)
    window.wait("the newest change is predicted", lambda r: r["whatif"]["by_hand"] and
                r["whatif"]["by_hand"]["change"] == "barrier=window:16")
    case.picture("by_hand")
    window.click("whatif:undo")
    window.wait("nothing is changed", lambda r: r["whatif"]["by_hand"] is None)
    window.click("whatif:copy")
    window.wait("the list is on the clipboard", lambda r: r["notice"].startswith("Copied"))
    best = next(iter(ranked))
    window.click("whatif:row:0")
    report = window.wait("the predicted timeline is below", lambda r: r["whatif"] is None and r["compare"] and
                         r["compare"]["other"] == "predicted: " + best and r["compare"]["lower"])
    assert report["compare"]["figures"], report["compare"]
    case.picture("timeline")
    case.quit(window)


def what_if_predicts_a_run_that_was_stopped_without_its_cancelled_steps(case):
    window = case.running()
    window.key("x")
    # While the run goes on, the panel predicts as soon as the rate is steady, which may take long on a busy machine.
    window.wait("the panel is open", lambda r: r["whatif"] is not None)
    window.click("stop")
    report = window.wait("the whole run is replayed", lambda r: not live(r) and r["whatif"] and r["whatif"]["answered"]
                         and r["whatif"]["recent"] is None)
    assert 0 < report["whatif"]["steps"] < report["run"]["steps"], (report["whatif"], report["run"])
    case.picture("stopped")
    case.quit(window)


def the_gain_without_a_synchronisation_is_predicted(case):
    path = os.path.join(case.folder, "steps.json")
    write_loading_steps(path)
    window = case.open(path, "--size", "1280x720")
    window.wait("it is open", lambda r: r["trace"]["slices"] > 0 and not r["job"])
    window.key("x")
    report = window.wait("the changes are ranked", lambda r: r["whatif"] and r["whatif"].get("candidates"))
    dropped = [c for c in report["whatif"]["candidates"] if c["change"].startswith("sync:cudaDeviceSynchronize")]
    assert len(dropped) == 1 and dropped[0]["gain"] > 0.5, report["whatif"]
    assert report["whatif"]["curve"] == 0, "the memory of other tools' traces is not predicted"
    case.picture("other_tool")
    window.key("e")
    report = window.wait("it is explained", lambda r: r["causes"] and r["causes"]["answered"])
    gains = {f["rule"]: f["predicted_gain"] for f in report["causes"]["findings"]}
    assert gains["sync_in_every_step"] == dropped[0]["gain"] and gains["data_loading"] is None, gains
    case.picture("causes")
    case.quit(window)
    path = os.path.join(case.folder, "host.json")
    with open(path, "w") as file:
        json.dump({"traceEvents": [{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 1}]}, file)
    window = case.open(path, "--size", "1280x720")
    window.wait("it is open", lambda r: r["trace"]["slices"] > 0 and not r["job"])
    window.key("x")
    report = window.wait("it says why nothing is predicted", lambda r: r["whatif"] and r["whatif"].get("refusal"))
    assert "no work of a device" in report["whatif"]["refusal"], report["whatif"]
    case.picture("refused")
    case.quit(window)


CASES = [run_starts_a_workload_and_a_key_toggles_its_barrier, a_window_is_no_larger_than_its_screen,
         a_file_of_another_tool_shows_its_summary_and_no_barriers,
         zoom_and_pan_stop_following_and_live_resumes,
         a_click_on_a_part_measures_it, a_live_run_shows_its_preparation_and_measures_its_steps,
         a_click_selects_a_slice_and_escape_clears_it, each_key_does_what_the_list_of_keys_says, shift_and_drag_measure_a_range,
         ctrl_and_drag_select_rows_and_a_time_range, a_search_dims_the_other_slices_and_keeps_one_kind,
         a_run_is_saved_and_opened_again,
         a_recording_keeps_the_end_as_it_was_asked_and_the_choice_is_remembered, every_table_is_copied_and_saved,
         files_are_dropped_onto_the_window, a_script_is_run_and_its_waiting_line_is_marked, a_lesson_runs_its_listing,
         a_program_is_watched_while_it_runs_and_its_switch_is_turned,
         closing_the_window_in_the_middle_of_a_run_ends_it_cleanly,
         what_is_set_is_remembered_and_one_click_resets_it,
         an_exercise_is_picked_from_the_list_and_run, the_graph_and_the_timeline_select_each_others_op,
         a_question_is_answered_and_a_row_leads_to_its_slice,
         slices_are_found_by_what_is_typed_and_a_bar_narrows_them,
         the_report_of_waits_leads_to_the_worst_of_them, the_causes_of_a_trace_lead_to_its_timeline,
         the_changes_that_help_most_are_ranked_and_predicted,
         what_if_predicts_a_run_that_was_stopped_without_its_cancelled_steps, the_gain_without_a_synchronisation_is_predicted,
         a_wait_leads_to_its_work_and_both_come_into_view,
         the_report_of_memory_names_who_holds_the_peak,
         a_note_is_written_at_the_mouse_and_kept_in_the_file, escape_closes_a_popup_and_nothing_else,
         a_right_click_on_a_slice_opens_its_menu,
         a_lesson_is_followed_from_its_question_to_its_explanation,
         the_codes_of_a_class_are_shown_beside_what_happened,
         a_page_is_exported_from_the_window_and_shown_in_the_browser, a_comparison_is_exported_as_a_page,
         a_lesson_is_exported_for_a_class,
         a_toggled_lesson_is_recorded_and_opens_with_its_predictions,
         two_recordings_are_compared_and_their_views_move_together,
         before_and_after_a_change_are_compared_on_one_recording,
         tracks_are_pinned_hidden_and_moved_and_stay_so, a_zoom_glides_and_the_window_is_idle_again,
         a_lesson_is_followed_in_a_presentation, flows_go_further_and_colours_are_chosen_and_remembered,
         nothing_is_clipped_in_english,
         nothing_is_clipped_in_chinese, nothing_is_clipped_in_japanese,
         the_language_is_switched_while_it_runs_and_remembered,
         names_in_any_script_are_drawn_in_an_english_window]


def run_case(function, program, output):
    folder = os.path.join(output, function.__name__)
    os.makedirs(output, exist_ok=True)
    screen = os.path.join(output, "screen_" + function.__name__)
    os.makedirs(screen, exist_ok=True)
    display = Display(screen, *getattr(function, "screen", (1920, 1080)))
    case = Case(display, program, folder)
    try:
        function(case)
        return True
    except Skipped as why:
        print(f"SKIPPED: {function.__name__}: {why}")
        return None
    except Exception:  # any exception is a failure of this case; print its traceback
        traceback.print_exc()
        case.picture("failed")
        return False
    finally:
        for window in case.windows:
            window.kill()
        display.close()
        shutil.rmtree(screen, ignore_errors=True)


def main():
    program, output = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    for tool in ("Xvfb", "xdotool"):
        if shutil.which(tool) is None:
            print(f"SKIPPED: {tool} is not installed (apt install xvfb xdotool)")
            return 77
    cases = {f.__name__: f for f in CASES}
    words = sys.argv[3:]
    together = "--together" in words
    wanted = [word for word in words if word != "--together"] or list(cases)
    unknown = [name for name in wanted if name not in cases]
    if unknown:
        print("no such case: " + ", ".join(unknown))
        return 2
    with ThreadPoolExecutor(len(wanted) if together else 1) as runners:
        ended = runners.map(lambda name: run_case(cases[name], program, output), wanted)
        results = dict(zip(wanted, ended))
    failed = [name for name in wanted if results[name] is False]
    if all(result is None for result in results.values()):
        return 77
    print("failed: " + ", ".join(failed) if failed else "passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
