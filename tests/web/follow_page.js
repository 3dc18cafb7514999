// Runs follow.js without a browser, for page_test.cpp: a recording grows, is replaced, is damaged, and ends.
//   node follow_page.js   prints each request, and what the viewer then shows
"use strict";
const path = require("path");

// ---- what a browser has ---------------------------------------------------------------------------------------
const later = [];
global.setTimeout = (call) => later.push(call);
const element = () => ({ dataset: {}, append() {}, addEventListener() {}, setAttribute() {} });
global.document = { title: "run", createElement: element, querySelector: element, getElementById: () => null };
global.window = {};

const { Follower } = require(path.join(__dirname, "../../gui/web/follow.js"));
later.length = 0;  // it waits for the viewer of a page

// ---- the server -----------------------------------------------------------------------------------------------
const server = { version: 1, live: true, stream: 1, blocks: "", damaged: false };
const said = [];
global.fetch = async (what) => {
  if (what !== "state") said.push(what);
  const [, stream, from] = what.split("/").map(Number);
  const goes_on = stream === server.stream && from <= server.blocks.length;
  const sent = what === "state" ? JSON.stringify({ version: String(server.version), live: server.live })
    : what === "recording" ? "whole" : server.blocks.slice(goes_on ? from : 0);
  return {
    ok: !(server.damaged && what.startsWith("growth")), status: 503,
    json: async () => JSON.parse(sent),
    arrayBuffer: async () => new TextEncoder().encode(sent).buffer,
    headers: { get: (name) => String(name === "X-Runahead-Stream" ? server.stream : goes_on ? from : 0) },
  };
};

// ---- the page -------------------------------------------------------------------------------------------------
const viewer = {
  call: { view_begin: () => 0n, view_end: () => 10n, trace_end: () => 10n, set_view() {}, page_texts() {} },
  pairs: () => [["ended", "{0} has ended"], ["live", "Live"], ["live_hint", ""]],
  open(bytes) {
    said.push(`shows ${new TextDecoder().decode(bytes)}`);
    return true;
  },
};

async function main() {
  const print = async (what) => {
    await later.shift()();
    process.stdout.write(`${what}: ${said.splice(0).join(", ")}\n`);
  };
  server.blocks = "ab";
  const page = { viewer, recording: new TextEncoder().encode("ab"), draw() {}, look() {} };
  const follower = new Follower(page, "1", 1);
  await new Promise((done) => setImmediate(done));  // its first look
  await print("nothing new");
  for (const [what, change] of [
    ["it grows", { version: 2, blocks: "abcd" }], ["it grows again", { version: 3, blocks: "abcdef" }],
    ["it is another file", { version: 4, stream: 2, blocks: "xy" }], ["a block is damaged", { version: 5, damaged: true }],
    ["it is repaired", { version: 6, damaged: false, stream: 3, blocks: "uvw" }],
    ["it ends", { version: 7, live: false, blocks: "uvwz" }]]) {
    Object.assign(server, change);
    await print(what);
  }
  process.stdout.write(`${follower.status.textContent}, ${later.length} more looks\n`);
}
main().catch((error) => {
  process.stderr.write(`${error.stack}\n`);
  process.exit(1);
});
