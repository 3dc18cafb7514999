// Runs the viewer of a page without a browser, for page_test.cpp:
//   node read_page.js PAGE scene WIDTH HEIGHT BEGIN END LANGUAGE [ACTION...]   prints the scene of a plot of this size, after
//                                                each ACTION: select:TRACK:FROM:TO (a slice), fold (the group of the
//                                                selected slice), clear (Escape)
//   node read_page.js PAGE place TRACK FROM TO   prints the label and the facts of what is selected at this place of
//                                                the report, with what a call waited for
//   node read_page.js PAGE report    prints the report
//   node read_page.js PAGE note LANGUAGE    prints what the page says about its trace, and its first view
//   node read_page.js PAGE lesson LANGUAGE ANSWER...   prints what the lesson says before the answers, and then what it says
//                                                      after them
//   node read_page.js PAGE class LANGUAGE CODES        prints what the lesson says about the codes of a class
//   node read_page.js PAGE sides [fold]   prints the sides of a comparison, what the page says about each trace, and the
//                                         scene of side B at the time of side A's view; fold: after the first group was
//                                         folded in A, and B took A's choices
//   node read_page.js PAGE inflate   checks that both ways to unpack give the same bytes
"use strict";
const fs = require("fs");
const path = require("path");
const { Viewer, inflate, bytesOfBase64, unpacked } = require(path.join(__dirname, "../../gui/web/viewer.js"));

const NAMES_PX = 220, HEAD_PX = 72;  // the names left of the plot; overview and ruler above it

function partOf(html, id) {
  const found = html.match(new RegExp(`<script[^>]* id="${id}"[^>]* data-bytes="(\\d+)">([^<]*)</script>`));
  if (!found) throw new Error(`the page has no part ${id}`);
  return { bytes: Number(found[1]), packed: bytesOfBase64(found[2]) };
}

async function opened(html, id = "recording", sideB = false) {
  const [wasm, recording] = ["viewer-wasm", id].map((part) => partOf(html, part));
  const viewer = await Viewer.start(await unpacked(wasm.packed, wasm.bytes));
  if (!viewer.openPieces([await unpacked(recording.packed, recording.bytes)], sideB)) throw new Error("the recording is damaged");
  const widths = new Float32Array(130).fill(7);  // TextAdvance::average()
  widths[129] = 14;
  viewer.put(new Uint8Array(widths.buffer));
  viewer.call.set_font();
  return viewer;
}

function draw(viewer, width, height) {
  for (let i = 0; viewer.call.frame(NAMES_PX + Number(width), HEAD_PX + Number(height), 1, 1) && i < 100; ++i);
}

const KEY_NEXT = 7, KEY_CLEAR = 11;  // TimelineKey

const actions = {
  select: (viewer, [track, from, to]) => viewer.call.show_place(Number(track), BigInt(from), BigInt(to)),
  fold: (viewer) => viewer.call.toggle_group(),
  clear: (viewer) => {
    viewer.call.key(KEY_CLEAR, true);
    viewer.call.key(KEY_CLEAR, false);
  },
};

async function scene(html, [width, height, begin, end, language, ...steps]) {
  const viewer = await opened(html);
  viewer.call.set_look(true, Number(language));
  for (const step of steps) {
    const [name, ...words] = step.split(":");
    draw(viewer, width, height);
    actions[name](viewer, words);
    draw(viewer, width, height);
  }
  viewer.call.set_view(BigInt(begin), BigInt(end));
  draw(viewer, width, height);
  viewer.call.scene_as_text();
  process.stdout.write(viewer.answer());
}

async function place(html, [track, from, to]) {
  const viewer = await opened(html);
  draw(viewer, 1000, 400);
  viewer.call.show_place(Number(track), BigInt(from), BigInt(to));
  draw(viewer, 1000, 400);
  if (viewer.call.wants_causes()) viewer.call.read_causes();
  const shown = viewer.facts(0);
  const lines = shown ? [shown.label, ...shown.facts.map((fact) => fact.join(": "))] : ["nothing is selected"];
  process.stdout.write(lines.join("\n"));
}

async function report(html) {
  const { bytes, packed } = partOf(html, "report-data");
  process.stdout.write(await unpacked(packed, bytes));
}

async function note(html, [language]) {
  const viewer = await opened(html);
  viewer.call.set_look(true, Number(language));
  viewer.call.page_note();
  const text = viewer.answer();
  draw(viewer, 800, 200);
  process.stdout.write(`${text}\n${viewer.call.view_begin()}..${viewer.call.view_end()}\n`);
}

async function sides(html, [fold]) {
  const attributes = Object.fromEntries([...html.match(/id="compared"([^>]*)>/)[1].matchAll(/data-([a-z-]+)="([^"]*)"/g)]
    .map((match) => [match[1], match[2]]));
  const viewers = [await opened(html), await opened(html, attributes.bytes === "0" ? "recording" : "compared", true)];
  viewers.forEach((viewer, index) => {
    const side = "ab"[index];
    viewer.call.set_look(true, 0);
    viewer.call.page_note();
    const note = viewer.answer().split(":")[0];
    process.stdout.write([attributes[side], attributes[`${side}-name`], attributes[`${side}-time`], note].join(" | ") + "\n");
  });
  const [a, b] = viewers;
  draw(a, 600, 300);
  if (fold) {
    a.call.key(KEY_NEXT, true);  // selects the first slice
    a.call.toggle_group();
    a.call.track_choices();
    b.put(new TextEncoder().encode(a.answer()));
    b.call.take_track_choices();
  }
  const offset = BigInt(attributes.b.split(" ")[0]) - BigInt(attributes.a.split(" ")[0]);
  b.call.show_overview(false);
  b.call.move_view(a.call.view_begin() + offset, a.call.view_end() + offset);
  b.call.frame(NAMES_PX + 600, HEAD_PX / 2 + 300, 1, 1);
  b.call.scene_as_text();
  process.stdout.write(b.answer());
}

function openLesson(html, viewer, language) {
  const found = html.match(/<script[^>]* id="lesson">([^<]*)</);
  viewer.put(bytesOfBase64(found[1]));
  if (!viewer.call.open_lesson()) throw new Error("the lesson is damaged");
  viewer.call.set_look(true, Number(language));
}

const printed = (viewer) => process.stdout.write(viewer.pairs().map((fields) => fields.join(" | ") + "\n").join(""));

async function lesson(html, [language, ...answers]) {
  const viewer = await opened(html);
  openLesson(html, viewer, language);
  viewer.call.lesson_texts();
  printed(viewer);
  viewer.call.lesson_questions();
  printed(viewer);
  viewer.put(new TextEncoder().encode(answers.map((answer) => answer + "\x1e").join("")));
  const refused = viewer.call.lesson_answer();
  process.stdout.write(refused < 0 ? "---- answered\n" : `---- answer ${refused} is refused\n`);
  if (refused >= 0) return;
  viewer.call.lesson_outcome();
  printed(viewer);
}

async function classOf(html, [language, ...codes]) {
  const viewer = await opened(html);
  openLesson(html, viewer, language);
  viewer.put(new TextEncoder().encode(codes.join("\n")));
  process.stdout.write(`${viewer.call.lesson_class()} read\n`);
  printed(viewer);
}

async function inflateBoth(html) {
  for (const id of ["viewer-wasm", "recording", "report-data"]) {
    const { bytes, packed } = partOf(html, id);
    const ours = inflate(packed, bytes), theirs = await unpacked(packed, bytes);
    if (ours.length !== bytes || Buffer.compare(ours, theirs) !== 0) throw new Error(`${id} differs`);
  }
  process.stdout.write("equal");
}

const [page, what, ...rest] = process.argv.slice(2);
const html = fs.readFileSync(page, "utf8");
const modes = { scene, place, report, note, sides, lesson, class: classOf, inflate: inflateBoth };
modes[what](html, rest).catch((error) => {
  process.stderr.write(`${error.stack}\n`);
  process.exit(1);
});
