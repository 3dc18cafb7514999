// Runs the viewer of a page without a browser, for page_test.cpp:
//   node read_page.js PAGE scene WIDTH HEIGHT BEGIN END LANGUAGE   prints the scene of a plot of this size
//   node read_page.js PAGE inflate   checks that both ways to unpack give the same bytes
"use strict";
const fs = require("fs");
const path = require("path");
const { Viewer, inflate, bytesOfBase64, unpacked } = require(path.join(__dirname, "../../gui/web/viewer.js"));

const NAMES_PX = 220, HEAD_PX = 72;  // the names left of the plot; overview and ruler above it

function partOf(html, id) {
  const found = html.match(new RegExp(`<script[^>]* id="${id}" data-bytes="(\\d+)">([^<]*)</script>`));
  if (!found) throw new Error(`the page has no part ${id}`);
  return { bytes: Number(found[1]), packed: bytesOfBase64(found[2]) };
}

async function scene(html, [width, height, begin, end, language]) {
  const [wasm, recording] = ["viewer-wasm", "recording"].map((id) => partOf(html, id));
  const viewer = await Viewer.start(await unpacked(wasm.packed, wasm.bytes));
  if (!viewer.open(await unpacked(recording.packed, recording.bytes))) throw new Error("the recording is damaged");
  const widths = new Float32Array(130).fill(7);  // TextAdvance::average()
  widths[129] = 14;
  viewer.put(new Uint8Array(widths.buffer));
  viewer.call.set_font();
  viewer.call.set_look(true, Number(language));
  viewer.call.set_view(BigInt(begin), BigInt(end));
  for (let i = 0; viewer.call.frame(NAMES_PX + Number(width), HEAD_PX + Number(height), 1, 1) && i < 100; ++i);
  viewer.call.scene_as_text();
  process.stdout.write(viewer.answer());
}

async function inflateBoth(html) {
  for (const id of ["viewer-wasm", "recording"]) {
    const { bytes, packed } = partOf(html, id);
    const ours = inflate(packed, bytes), theirs = await unpacked(packed, bytes);
    if (ours.length !== bytes || Buffer.compare(ours, theirs) !== 0) throw new Error(`${id} differs`);
  }
  process.stdout.write("equal");
}

const [page, what, ...rest] = process.argv.slice(2);
const html = fs.readFileSync(page, "utf8");
(what === "scene" ? scene(html, rest) : inflateBoth(html)).catch((error) => {
  process.stderr.write(`${error.stack}\n`);
  process.exit(1);
});
