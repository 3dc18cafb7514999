// Only in pages that `runahead serve` makes of a recording that is still being written. Asks the server every
// second whether the recording has grown, loads what it has then, and keeps the end in view, until the user
// looks elsewhere. The button "Live" follows the end again.
"use strict";

class Follower {
  constructor(page, version) {
    this.page = page;
    this.version = version;
    this.following = true;
    this.ended = false;
    this.button = document.createElement("button");
    this.button.id = "live";
    this.button.type = "button";
    this.button.addEventListener("click", () => {
      this.following = !this.following;
      this.shown = null;
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
    this.button.textContent = texts.live;
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

  // Looks once, and again later. A slow connection is given as much time as it took.
  async look() {
    const begin = performance.now();
    try {
      const state = await (await this.fetched("state")).json();
      this.noticeTheUser();
      if (state.version !== this.version && (this.following || !state.live)) {
        const bytes = new Uint8Array(await (await this.fetched("recording")).arrayBuffer());
        this.version = state.version;
        this.open(bytes);
      }
      this.ended = !state.live;
      this.show();
    } catch (error) {
      this.show(error.message);
    }
    if (!this.ended) setTimeout(() => this.look(), Math.max(1000, 2 * (performance.now() - begin)));
  }

  // A view that ends elsewhere than this page put it was moved by the user.
  noticeTheUser() {
    const { view_begin, view_end } = this.page.viewer.call;
    if (!this.shown) return;
    const length = Number(view_end() - view_begin());
    if (Math.abs(Number(view_end() - this.shown.end)) > 0.02 * length) this.following = false;
  }

  open(bytes) {
    const viewer = this.page.viewer, call = viewer.call;
    const begin = call.view_begin(), end = call.view_end();
    if (!viewer.open(bytes)) throw new Error("the recording cannot be shown");
    this.page.draw(0);  // shows all of the recording
    const all = { begin: call.view_begin(), end: call.view_end() };
    // At first all of it is in view, and remains so.
    if (this.following && this.shown && end - begin < (this.shown.all.end - this.shown.all.begin) * 98n / 100n) {
      call.set_view(all.end - (end - begin), all.end);
    } else if (!this.following && begin < end) {
      call.set_view(begin, end);
    }
    this.shown = { end: all.end, all };
    this.page.look();
  }
}

// The viewer of this page starts by itself; then this script follows.
(function start() {
  if (!window.runahead) {
    setTimeout(start, 50);
    return;
  }
  window.follower = new Follower(window.runahead, document.getElementById("follow").dataset.version);
})();
