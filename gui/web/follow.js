// Only in pages that `runahead serve` makes of a recording that is still being written. Asks the server every
// second whether the recording has grown, loads what it has then, and keeps the end in view, until the user
// looks elsewhere. The button "Live" follows the end again.
"use strict";

class Follower {
  // stream: the number of the stream whose first bytes the page has; 0: none (gui/serve/block_stream.h).
  constructor(page, version, stream) {
    this.page = page;
    this.version = version;
    this.stream = stream;
    this.recording = stream > 0 ? page.recording : new Uint8Array();
    delete page.recording;
    this.following = true;
    this.ended = false;
    page.draw(0);
    // The view that shows all of the recording. As long as the user has all in view, it remains so.
    this.begin = page.viewer.call.view_begin();
    this.end = page.viewer.call.view_end();
    this.button = document.createElement("button");
    this.button.id = "live";
    this.button.type = "button";
    this.button.addEventListener("click", () => {
      this.following = !this.following;
      const call = page.viewer.call;
      if (this.following) this.toEnd(call.view_end() - call.view_begin());
      this.show();
    });
    this.status = document.createElement("span");
    this.status.id = "follow-status";
    this.status.setAttribute("role", "status");
    document.querySelector("header").append(this.button, this.status);
    this.show();
    this.look();
  }

  texts() {
    this.page.viewer.call.page_texts();
    return Object.fromEntries(this.page.viewer.pairs());
  }

  show(error) {
    const texts = this.texts();
    this.button.textContent = (this.following ? "\u25cf " : "\u25cb ") + texts.live;
    this.button.title = texts.live_hint;
    this.button.hidden = this.ended;
    this.button.setAttribute("aria-pressed", String(this.following));
    this.status.textContent = error || (this.ended ? texts.ended.replace("{0}", document.title) : "");
  }

  async fetched(what) {
    const answer = await fetch(what, { cache: "no-store" });
    if (!answer.ok) throw new Error(`${what}: HTTP ${answer.status}`);
    return answer;
  }

  // Loads what was added to the recording since it was loaded last.
  async grow() {
    let answer = null;
    try {
      answer = await this.fetched(`growth/${this.stream}/${this.recording.length}`);
    } catch {
      // A recording with a damaged block has no stream.
      this.stream = 0;
      this.recording = new Uint8Array(await (await this.fetched("recording")).arrayBuffer());
      return;
    }
    const from = Number(answer.headers.get("X-Runahead-From")), more = new Uint8Array(await answer.arrayBuffer());
    const all = new Uint8Array(from + more.length);
    all.set(this.recording.subarray(0, from));
    all.set(more, from);
    this.stream = Number(answer.headers.get("X-Runahead-Stream"));
    this.recording = all;
  }

  // Looks once, and again later. A slow connection is given as much time as it took.
  async look() {
    const begin = performance.now();
    try {
      const state = await (await this.fetched("state")).json();
      this.noticeTheUser();
      if (state.version !== this.version && (this.following || !state.live)) {
        await this.grow();
        this.version = state.version;
        this.open(this.recording);
      }
      this.ended = !state.live;
      this.show();
    } catch (error) {
      this.show(error.message);
    }
    if (!this.ended) setTimeout(() => this.look(), Math.max(1000, 2 * (performance.now() - begin)));
  }

  // Following ends when the user moves the view away from the end of the recording.
  noticeTheUser() {
    const { view_end, trace_end } = this.page.viewer.call;
    if (view_end() < trace_end()) this.following = false;
  }

  // Shows the end, in a view of this length.
  toEnd(length) {
    const call = this.page.viewer.call, end = call.trace_end() + length / 20n;
    call.set_view(end - length, end);
    this.page.draw(1);  // a second is enough for a glide; a page in the background gets no frames
  }

  open(bytes) {
    const viewer = this.page.viewer, call = viewer.call;
    const begin = call.view_begin(), end = call.view_end();
    const all = begin <= this.begin && end >= this.end;
    if (!viewer.open(bytes)) throw new Error("the recording cannot be shown");
    this.page.draw(0);  // shows all of the recording
    this.begin = call.view_begin();
    this.end = call.view_end();
    if (!this.following) call.set_view(begin, end);
    if (this.following && !all) this.toEnd(end - begin);
    this.page.look();
  }
}

// The viewer of this page starts by itself; then this script follows.
function start() {
  if (!window.runahead) {
    setTimeout(start, 50);
    return;
  }
  const { version, stream } = document.getElementById("follow").dataset;
  window.follower = new Follower(window.runahead, version, Number(stream));
}
if (typeof document !== "undefined") start();
if (typeof module !== "undefined") module.exports = { Follower };
