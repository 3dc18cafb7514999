// Only in the page of a comparison: side B has a timeline of its own below that of side A. Both begin at the begins of
// their ranges. As long as they are linked, zoom and pan of one move the other.
"use strict";

// Space around the longer range, as a part of it, and the height from which both timelines have an overview.
const MARGIN = 50n, ROOM_FOR_OVERVIEWS_PX = 460;

class Comparison {
  // Opens side B in a viewer of its own. `compared`: what the element #compared has; without bytes, B is in the
  // recording of A, whose pieces are `recording`.
  static async open(compared, module, recording) {
    const viewer = await Viewer.start(module);
    const opened = compared.bytes > 0 ? await pieces(compared.packed, compared.bytes) : recording;
    if (!viewer.openPieces(opened, true)) throw new Error("the recording of side B in this page is damaged");
    viewer.compared = compared;
    return viewer;
  }

  constructor(page, viewer) {
    this.page = page;
    const { compared } = viewer;
    this.ranges = [compared.a, compared.b].map((range) => range.split(" ").map(BigInt));
    this.offset = this.ranges[1][0] - this.ranges[0][0];
    this.linked = true;
    this.choices = "";
    const canvas = document.createElement("canvas");
    canvas.id = "timeline-b";
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "application");
    this.main = document.querySelector("main");
    for (const one of [this.main, document.body]) one.classList.add("compared");
    this.main.prepend(this.side("A", page.canvas, compared.aName, compared.aTime),
      this.side("B", canvas, compared.bName, compared.bTime));
    page.timelines.push(new Timeline(page, viewer, canvas));
    this.names = [compared.aName, compared.bName];
    this.alignButton = this.button("align", () => this.align());
    this.linkButton = this.button("link", () => this.link(!this.linked));
    this.align();
  }

  // A bar with the side, its trace and its time, and the timeline below it.
  side(letter, canvas, name, time) {
    const side = document.createElement("div"), bar = document.createElement("p"), plot = document.createElement("div");
    const words = document.createElement("span");
    side.className = "side";
    bar.className = "side-bar";
    plot.className = "side-plot";
    words.textContent = `${name}   ${time}`;
    words.title = words.textContent;
    bar.append(this.tagOf(letter), words);
    plot.append(canvas);
    side.append(bar, plot);
    return side;
  }

  button(id, press) {
    const button = document.createElement("button");
    button.id = id;
    button.type = "button";
    button.addEventListener("click", press);
    document.getElementById("theme").before(button);
    return button;
  }

  letter(timeline) {
    return "AB"[this.page.timelines.indexOf(timeline)];
  }

  tagOf(letter) {
    const tag = document.createElement("span");
    tag.className = "tag";
    tag.dataset.side = letter;
    tag.textContent = letter;
    return tag;
  }

  tag(timeline) {
    return this.tagOf(this.letter(timeline));
  }

  // Shows the words in the language of the page. `timeline`: the word for a timeline.
  show(texts, timeline) {
    this.page.timelines.forEach(({ canvas }, index) => {
      canvas.setAttribute("aria-label", `${timeline} ${"AB"[index]}: ${this.names[index]}`);
    });
    this.alignButton.textContent = texts.align;
    this.alignButton.title = texts.align_hint;
    this.linkButton.textContent = texts.link;
    this.linkButton.title = texts.link_hint;
    this.linkButton.setAttribute("aria-pressed", String(this.linked));
  }

  // Shows both timelines, each from the begin of its range.
  align() {
    const [a, b] = this.ranges.map(([begin, end]) => end - begin), longest = a > b ? a : b, margin = longest / MARGIN;
    this.page.timelines.forEach(({ viewer }, index) => {
      const begin = this.ranges[index][0];
      viewer.call.move_view(begin - margin, begin + longest + margin);
    });
    this.remember();
    this.page.ask();
  }

  link(linked) {
    this.linked = linked;
    this.linkButton.setAttribute("aria-pressed", String(linked));
    if (linked) this.move(1, this.offset);
    this.page.ask();
  }

  // What a link says about a side B that is not linked.
  showApart(view) {
    this.linked = false;
    this.page.timelines[1].viewer.call.move_view(...view);
  }

  remember() {
    this.seen = this.page.timelines.map((timeline) => timeline.view().join());
  }

  // Gives the timeline with this number the view of the other one, moved by `by`.
  move(number, by) {
    const [begin, end] = this.page.timelines[1 - number].view();
    this.page.timelines[number].viewer.call.move_view(begin + by, end + by);
    this.remember();
  }

  beforeFrame() {
    const room = this.main.clientHeight >= ROOM_FOR_OVERVIEWS_PX;
    for (const { viewer } of this.page.timelines) viewer.call.show_overview(room);
  }

  // Moves the timeline that the user has not moved, and folds in both what is folded in one.
  afterFrame() {
    this.shareChoices();
    const now = this.page.timelines.map((timeline) => timeline.view().join());
    const moved = now.map((view, index) => view !== this.seen[index]);
    this.seen = now;
    if (!this.linked || !moved.includes(true)) return;
    const follower = moved[0] ? 1 : 0;
    this.move(follower, follower === 1 ? this.offset : -this.offset);
    this.page.timelines[follower].frame(0);
  }

  shareChoices() {
    this.page.timelines.forEach((timeline, index) => {
      if (!timeline.acted) return;
      timeline.acted = false;
      timeline.viewer.call.track_choices();
      const choices = timeline.viewer.answer();
      if (choices === this.choices) return;
      this.choices = choices;
      const other = this.page.timelines[1 - index];
      other.viewer.put(new TextEncoder().encode(choices));
      other.viewer.call.take_track_choices();
      other.frame(0);
    });
  }
}
if (typeof window !== "undefined") window.RunaheadComparison = Comparison;
