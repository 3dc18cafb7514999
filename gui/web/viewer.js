// The page's side of the viewer: unpacks the recording, passes mouse, keys and touch to viewer.wasm, performs
// its draw commands on the canvas, and shows its facts as tables. Nothing here makes a request.
"use strict";

const FONT = '13px "Noto Sans", "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';
const UNIT_END = "\x1f", RECORD_END = "\x1e";

// ---- unpacking ----------------------------------------------------------------------------------------------

function bytesOfBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);  // browsers since 2025
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

// Decompresses a raw deflate stream (RFC 1951). Browsers older than DecompressionStream("deflate-raw") use this.
function inflate(input, bytes) {
  const output = new Uint8Array(bytes);
  let at = 0, out = 0, held = 0, count = 0;
  const bits = (n) => {
    while (count < n) {
      held |= input[at++] << count;
      count += 8;
    }
    const value = held & ((1 << n) - 1);
    held >>>= n;
    count -= n;
    return value;
  };
  // A code as two arrays: how many codes each length has, and the symbols in the order of their codes.
  const codeOf = (lengths) => {
    const counts = new Uint16Array(16), begins = new Uint16Array(17), symbols = new Uint16Array(lengths.length);
    for (const length of lengths) counts[length]++;
    counts[0] = 0;
    for (let length = 1; length < 16; ++length) begins[length + 1] = begins[length] + counts[length];
    lengths.forEach((length, symbol) => {
      if (length) symbols[begins[length]++] = symbol;
    });
    return { counts, symbols };
  };
  const symbol = ({ counts, symbols }) => {
    let code = 0, first = 0, index = 0;
    for (let length = 1; length < 16; ++length) {
      code |= bits(1);
      const here = counts[length];
      if (code - here < first) return symbols[index + code - first];
      index += here;
      first = (first + here) << 1;
      code <<= 1;
    }
    throw new Error("the data is damaged");
  };
  const LENGTHS = [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131,
    163, 195, 227, 258];
  const LENGTH_BITS = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
  const DISTANCES = [1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537,
    2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577];
  const distanceBits = (s) => (s < 4 ? 0 : (s >> 1) - 1);
  const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
  const compressed = (literals, distances) => {
    for (;;) {
      let s = symbol(literals);
      if (s === 256) return;
      if (s < 256) {
        output[out++] = s;
        continue;
      }
      s -= 257;
      const length = LENGTHS[s] + bits(LENGTH_BITS[s]);
      const d = symbol(distances);
      const from = out - DISTANCES[d] - bits(distanceBits(d));
      if (from < 0 || out + length > bytes) throw new Error("the data is damaged");
      for (let i = 0; i < length; ++i) output[out++] = output[from + i];
    }
  };
  for (let last = false; !last;) {
    last = bits(1) === 1;
    const kind = bits(2);
    if (kind === 0) {
      held = count = 0;
      const length = input[at] | (input[at + 1] << 8);
      at += 4;
      output.set(input.subarray(at, at + length), out);
      at += length;
      out += length;
    } else if (kind === 1) {
      const lengths = new Uint8Array(288).fill(8);
      lengths.fill(9, 144, 256).fill(7, 256, 280);
      compressed(codeOf(lengths), codeOf(new Uint8Array(30).fill(5)));
    } else {
      const literals = bits(5) + 257, distances = bits(5) + 1, used = bits(4) + 4;
      const lengths = new Uint8Array(19);
      for (let i = 0; i < used; ++i) lengths[ORDER[i]] = bits(3);
      const code = codeOf(lengths), all = new Uint8Array(literals + distances);
      for (let i = 0; i < all.length;) {
        const s = symbol(code);
        if (s < 16) {
          all[i++] = s;
          continue;
        }
        const value = s === 16 ? all[i - 1] : 0;
        const times = s === 16 ? 3 + bits(2) : s === 17 ? 3 + bits(3) : 11 + bits(7);
        all.fill(value, i, i + times);
        i += times;
      }
      compressed(codeOf(all.subarray(0, literals)), codeOf(all.subarray(literals)));
    }
  }
  return output;
}

// The stream of the bytes of a raw deflate stream; null: the browser does not know this format.
function inflated(packed) {
  let stream;
  try {
    stream = new DecompressionStream("deflate-raw");
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof ReferenceError)) throw error;
    return null;
  }
  return new Blob([packed]).stream().pipeThrough(stream);
}

// The pieces as one array of `bytes` bytes.
function joined(pieces, bytes) {
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

// The bytes of a raw deflate stream that is `bytes` long when unpacked, as pieces in their order. A large recording is
// never copied into one array.
async function pieces(packed, bytes) {
  const stream = inflated(packed);
  if (!stream) return [inflate(packed, bytes)];
  const reader = stream.getReader(), found = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return found;
    found.push(value);
  }
}

async function unpacked(packed, bytes) {
  const stream = inflated(packed);
  return stream ? new Uint8Array(await new Response(stream).arrayBuffer()) : inflate(packed, bytes);
}

// ---- the viewer ---------------------------------------------------------------------------------------------

// Calls the functions of viewer.wasm, and passes texts and bytes to and from its memory.
class Viewer {
  // `wasm`: the bytes of viewer.wasm, or the promise of its module.
  static async start(wasm) {
    const module = await (wasm instanceof Uint8Array ? WebAssembly.compile(wasm) : wasm);
    // The C library asks for the functions of WASI. The viewer needs none of them.
    const imports = {};
    for (const { module: from, name } of WebAssembly.Module.imports(module)) {
      imports[from] = imports[from] || {};
      imports[from][name] = name === "proc_exit" ? () => { throw new Error("the viewer has stopped"); } : () => 52;
    }
    const instance = await WebAssembly.instantiate(module, imports);
    const viewer = new Viewer();
    viewer.call = instance.exports;
    if (viewer.call._initialize) viewer.call._initialize();
    return viewer;
  }

  put(bytes) {
    const at = this.call.buffer(bytes.length);
    new Uint8Array(this.call.memory.buffer, at, bytes.length).set(bytes);
  }

  answer() {
    return new TextDecoder().decode(
      new Uint8Array(this.call.memory.buffer, this.call.answer(), this.call.answer_bytes()));
  }

  open(recording) {
    return this.openPieces([recording]);
  }

  // Opens a recording whose bytes are in several arrays. `sideB`: it is the second side of a comparison, in which the
  // window marks no change of the barrier either.
  openPieces(parts, sideB = false) {
    const at = this.call.buffer(parts.reduce((sum, part) => sum + part.length, 0));
    const room = new Uint8Array(this.call.memory.buffer);
    let to = at;
    for (const part of parts) {
      room.set(part, to);
      to += part.length;
    }
    if (!this.call.open_recording()) return false;
    if (!sideB) this.call.show_change();
    return true;
  }

  // The pairs of texts that an answer has.
  pairs() {
    return this.answer().split(RECORD_END).filter((pair) => pair).map((pair) => pair.split(UNIT_END));
  }

  // The label and the facts of the selected slice (0), or of the slice under the mouse (1): {label, facts}.
  facts(of) {
    if (!this.call.facts(of)) return null;
    const [[label], ...facts] = this.pairs();
    return { label, facts };
  }
}

// ---- drawing ------------------------------------------------------------------------------------------------

// The width of each ASCII character, of one other character and of a wide one (set_font() in viewer.cpp).
function letterWidths(context) {
  context.font = FONT;
  const widths = new Float32Array(130);
  for (let c = 32; c < 127; ++c) widths[c] = context.measureText(String.fromCharCode(c)).width;
  widths[128] = context.measureText("\u00c6").width;
  widths[129] = context.measureText("\u3002").width;
  return new Uint8Array(widths.buffer);
}

const colourNames = new Map();
function colourOf(rgba) {
  let name = colourNames.get(rgba);
  if (name === undefined) {
    name = `rgba(${rgba & 255},${(rgba >> 8) & 255},${(rgba >> 16) & 255},${((rgba >>> 24) & 255) / 255})`;
    colourNames.set(rgba, name);
  }
  return name;
}

// Performs the draw commands of the last frame (DrawOp in canvas/imgui.h).
function perform(viewer, context) {
  const memory = viewer.call.memory.buffer;
  const at = viewer.call.draw_words(), count = viewer.call.draw_word_count(), texts = viewer.call.draw_texts();
  const f = new Float32Array(memory, at, count), u = new Uint32Array(memory, at, count);
  const decoder = new TextDecoder();
  let fill = -1, font = -1;
  const fillWith = (colour) => {
    if (colour !== fill) context.fillStyle = colourOf((fill = colour));
  };
  const path = (...points) => {
    context.beginPath();
    context.moveTo(points[0], points[1]);
    for (let p = 2; p < points.length; p += 2) context.lineTo(points[p], points[p + 1]);
  };
  context.textBaseline = "middle";
  for (let i = 0; i < count;) {
    switch (u[i]) {
      case 1: {
        fillWith(u[i + 5]);
        const width = f[i + 3] - f[i + 1], height = f[i + 4] - f[i + 2];
        if (f[i + 6] > 0 && context.roundRect) {
          context.beginPath();
          context.roundRect(f[i + 1], f[i + 2], Math.max(width, 0), Math.max(height, 0), f[i + 6]);
          context.fill();
        } else {
          context.fillRect(f[i + 1], f[i + 2], width, height);
        }
        i += 7;
        break;
      }
      case 2:
        context.strokeStyle = colourOf(u[i + 5]);
        context.lineWidth = f[i + 7];
        context.strokeRect(f[i + 1] + 0.5, f[i + 2] + 0.5, f[i + 3] - f[i + 1] - 1, f[i + 4] - f[i + 2] - 1);
        i += 8;
        break;
      case 3:
        context.strokeStyle = colourOf(u[i + 5]);
        context.lineWidth = f[i + 6];
        path(f[i + 1], f[i + 2], f[i + 3], f[i + 4]);
        context.stroke();
        i += 7;
        break;
      case 4: {
        if (f[i + 3] !== font) context.font = FONT.replace("13px", (font = f[i + 3]) + "px");
        fillWith(u[i + 4]);
        const text = decoder.decode(new Uint8Array(memory, texts + u[i + 5], u[i + 6]));
        context.fillText(text, f[i + 1], f[i + 2] + f[i + 3] / 2);
        i += 7;
        break;
      }
      case 5:
        fillWith(u[i + 7]);
        path(f[i + 1], f[i + 2], f[i + 3], f[i + 4], f[i + 5], f[i + 6]);
        context.fill();
        i += 8;
        break;
      case 6:
        fillWith(u[i + 4]);
        context.beginPath();
        context.arc(f[i + 1], f[i + 2], f[i + 3], 0, 2 * Math.PI);
        context.fill();
        i += 5;
        break;
      case 7:
        context.strokeStyle = colourOf(u[i + 9]);
        context.lineWidth = f[i + 10];
        context.beginPath();
        context.moveTo(f[i + 1], f[i + 2]);
        context.bezierCurveTo(f[i + 3], f[i + 4], f[i + 5], f[i + 6], f[i + 7], f[i + 8]);
        context.stroke();
        i += 11;
        break;
      case 8:
        context.save();
        context.beginPath();
        context.rect(f[i + 1], f[i + 2], f[i + 3] - f[i + 1], f[i + 4] - f[i + 2]);
        context.clip();
        i += 5;
        break;
      case 9:
        context.restore();
        fill = font = -1;
        i += 1;
        break;
      default:
        throw new Error(`unknown draw command ${u[i]}`);
    }
  }
}

// How many facts of the selected slice are said: usually its kind, track, begin and duration.
const SPOKEN_FACTS = 4;

// A browser needs seconds to lay out a text of a million characters, so a page shows the begin of such a text.
const MOST_SHOWN = 500;
const shown = (text) => (text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)} \u2026` : text);

// ---- the page -----------------------------------------------------------------------------------------------

// TimelineKey (gui/timeline/interaction.h) for each KeyboardEvent.code.
const KEYS = {
  KeyW: 0, KeyS: 1, KeyA: 2, ArrowLeft: 2, KeyD: 3, ArrowRight: 3, KeyF: 4, Home: 5, KeyM: 6, Period: 7, Comma: 8,
  BracketRight: 9, BracketLeft: 10, Escape: 11, ArrowUp: 12, ArrowDown: 13,
};

// The name of the timeline for a screen reader.
const TIMELINE = { en: "Timeline", ja: "タイムライン", zh: "时间线" };

// A timeline on a canvas. The page of a comparison has two of them.
class Timeline {
  constructor(page, viewer, canvas) {
    this.page = page;
    this.viewer = viewer;
    this.canvas = canvas;
    this.context = canvas.getContext("2d", { alpha: false });
    this.acted = false;  // the user may have folded a group since the last drawing
    viewer.put(letterWidths(this.context));
    viewer.call.set_font();
    this.listen();
    new ResizeObserver(() => page.ask()).observe(canvas);
  }

  // The view, in nanoseconds of the trace.
  view() {
    return [this.viewer.call.view_begin(), this.viewer.call.view_end()];
  }

  // Lets the viewer act on the input, and makes the next picture. `dt`: seconds since the picture before. Returns true
  // if the next frame will be another one.
  frame(dt) {
    return this.viewer.call.frame(this.canvas.clientWidth, this.canvas.clientHeight, 1, dt) !== 0;
  }

  // Draws the picture.
  paint() {
    const ratio = devicePixelRatio || 1;
    const width = Math.round(this.canvas.clientWidth * ratio), height = Math.round(this.canvas.clientHeight * ratio);
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
    }
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    perform(this.viewer, this.context);
  }

  // The top left corner of the plot, in px of the canvas.
  plot() {
    return [this.viewer.call.plot_x(), this.viewer.call.plot_y()];
  }

  listen() {
    const call = this.viewer.call, canvas = this.canvas;
    const at = (event, over) => {
      const box = canvas.getBoundingClientRect();
      call.mouse(event.clientX - box.left, event.clientY - box.top, over);
      call.modifiers(event.shiftKey, event.ctrlKey || event.metaKey);
      this.page.ask();
    };
    let pressed = { at: -Infinity, x: 0, y: 0 };
    canvas.addEventListener("pointermove", (event) => (fingers.size === 2 ? pinch(event) : at(event, true)));
    canvas.addEventListener("pointerleave", (event) => at(event, false));
    // Two fingers zoom: the wheel turns by the notches that change the length of the view as much as their distance.
    const fingers = new Map();
    const distance = () => {
      const [a, b] = [...fingers.values()];
      return Math.max(Math.abs(a.x - b.x), 10);
    };
    const pinch = (event) => {
      const before = distance();
      fingers.set(event.pointerId, event);
      const [a, b] = [...fingers.values()], box = canvas.getBoundingClientRect();
      call.mouse((a.x + b.x) / 2 - box.left, (a.y + b.y) / 2 - box.top, true);
      call.wheel(0, Math.log(distance() / before) / Math.log(1.25));
      this.page.ask();
    };
    const lift = (event) => fingers.delete(event.pointerId);
    canvas.addEventListener("pointercancel", (event) => {
      lift(event);
      call.release();
    });
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      if (event.pointerType === "touch") fingers.set(event.pointerId, event);
      if (fingers.size === 2) {
        call.release();
        return;
      }
      canvas.setPointerCapture(event.pointerId);
      canvas.focus();
      at(event, true);
      const again = event.timeStamp - pressed.at < 400 && Math.hypot(event.x - pressed.x, event.y - pressed.y) < 6;
      call.press(again ? 2 : 1);
      this.page.draw(0);  // so that the press is where the mouse is now
      pressed = { at: again ? -Infinity : event.timeStamp, x: event.x, y: event.y };
    });
    canvas.addEventListener("pointerup", (event) => {
      lift(event);
      at(event, true);
      call.release();
      this.acted = true;
      this.page.draw(0);
    });
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      at(event, true);
      const unit = event.deltaMode === 0 ? 100 : 3;
      call.wheel(-event.deltaX / unit, -event.deltaY / unit);
    }, { passive: false });
    canvas.addEventListener("keydown", (event) => {
      const key = KEYS[event.code];
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      const rows = event.shiftKey && (event.code === "ArrowUp" || event.code === "ArrowDown");
      if (rows || event.code === "Enter") {
        event.preventDefault();
        if (rows) call.other_row(event.code === "ArrowDown");
        else call.toggle_group();
        this.acted = true;
        this.page.ask();
        return;
      }
      if (key === undefined) return;
      event.preventDefault();
      call.modifiers(event.shiftKey, false);
      call.key(key, true);
      this.page.ask();
    });
    const up = (event) => {
      if (KEYS[event.code] !== undefined) call.key(KEYS[event.code], false);
    };
    canvas.addEventListener("keyup", up);
    for (const event of ["focus", "keydown", "pointerdown"]) {
      canvas.addEventListener(event, () => {
        this.page.active = this;
        this.page.ask();
      });
    }
    canvas.addEventListener("blur", () => {
      for (let key = 0; key < 14; ++key) call.key(key, false);
    });
  }
}

class Page {
  // `other`: the viewer of side B of a comparison; undefined: there is none.
  constructor(viewer, other) {
    this.viewer = viewer;
    this.canvas = document.getElementById("timeline");
    this.details = document.getElementById("details");
    this.said = document.getElementById("said");
    this.last = 0;
    this.waiting = false;
    this.dark = !matchMedia("(prefers-color-scheme: light)").matches;
    viewer.call.languages();
    this.languages = viewer.pairs();
    const spoken = this.languages.findIndex(([code]) => navigator.language.startsWith(code));
    this.language = Math.max(spoken, 0);
    this.timelines = [new Timeline(this, viewer, this.canvas)];
    this.active = this.timelines[0];  // the one that the user has used last
    if (other) this.comparison = new window.RunaheadComparison(this, other);
    this.chooseLanguages();
    this.follow(location.hash);
    addEventListener("hashchange", () => {
      if (location.hash !== this.link) this.follow(location.hash);
    });
    this.ask();
  }

  chooseLanguages() {
    const choice = document.getElementById("language");
    for (const [code, name] of this.languages) choice.add(new Option(name, code));
    choice.addEventListener("change", () => {
      this.language = choice.selectedIndex;
      this.look();
    });
    const find = document.getElementById("find");
    find.addEventListener("input", () => this.find(find.value));
    addEventListener("keydown", (event) => {
      const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
      if (event.key === "/" && !typing) {
        event.preventDefault();
        find.focus();
      }
      if (event.key === "Escape" && event.target === find) {
        find.value = "";
        this.find("");
        this.canvas.focus();
      }
    });
    document.getElementById("theme").addEventListener("click", () => {
      this.dark = !this.dark;
      this.look();
    });
  }

  look() {
    const root = document.documentElement;
    root.dataset.theme = this.dark ? "dark" : "light";
    root.lang = this.languages[this.language][0];
    for (const { viewer } of this.timelines) viewer.call.set_look(this.dark, this.language);
    this.viewer.call.page_texts();
    const texts = this.texts = Object.fromEntries(this.viewer.pairs());
    this.showNote();
    const choice = document.getElementById("language");
    choice.selectedIndex = this.language;
    choice.setAttribute("aria-label", texts.language);
    this.canvas.setAttribute("aria-label", TIMELINE[root.lang]);
    if (this.comparison) this.comparison.show(texts, TIMELINE[root.lang]);
    const theme = document.getElementById("theme");
    theme.textContent = texts.theme;
    theme.setAttribute("aria-pressed", String(!this.dark));
    const find = document.getElementById("find");
    find.setAttribute("aria-label", texts.find);
    find.placeholder = `${texts.find} (/)`;
    find.title = texts.find_hint;
    this.find(find.value);
    if (this.viewer.lesson) this.viewer.lesson.show();
    this.shownFacts = undefined;
    if (this.report) this.report.show();
    this.ask();
  }

  // Says that the page has a part of a trace, or a summary.
  showNote() {
    const note = document.getElementById("note");
    note.replaceChildren();
    for (const timeline of this.timelines) {
      timeline.viewer.call.page_note();
      const words = timeline.viewer.answer();
      if (words) note.append(...this.tag(timeline), words, " ");
    }
    note.hidden = note.textContent === "";
  }

  // The letter of the side of a comparison, with a blank. Without a comparison: nothing.
  tag(timeline) {
    return this.comparison ? [this.comparison.tag(timeline), " "] : [];
  }

  // Lists the slices that the text asks for. All others are dimmed in the timeline.
  find(words) {
    const list = document.getElementById("found");
    list.replaceChildren();
    const outcomes = this.timelines.map((timeline) => this.findIn(timeline, words, list));
    list.hidden = outcomes[0] === 0;
    if (outcomes[0] === 2) list.textContent = this.viewer.answer();
    // A screen reader says how many there are, or what is wrong with the words.
    const captions = [...list.querySelectorAll("caption")].map((caption) => caption.textContent);
    document.getElementById("found-said").textContent = captions.join(". ") || list.textContent;
    this.ask();
  }

  findIn(timeline, words, list) {
    const viewer = timeline.viewer;
    viewer.put(new TextEncoder().encode(words));
    const outcome = viewer.call.find();
    if (outcome !== 1) return outcome;
    const [[summary], ...slices] = viewer.pairs();
    const table = document.createElement("table");
    table.createCaption().append(...this.tag(timeline), summary);
    if (slices.length > 0) this.headRow(table, ["name", "kind", "duration", "track"]);
    const body = table.createTBody();
    slices.forEach(([name, ...rest], index) => {
      const row = body.insertRow();
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = shown(name);
      button.addEventListener("click", () => {
        viewer.call.show_found(index);
        this.active = timeline;
        this.ask();
      });
      this.headCell(row, "row").append(button);
      for (const text of rest) row.insertCell().textContent = shown(text);
    });
    list.append(table);
    return outcome;
  }

  // The headers of the columns. `words`: the names of their texts.
  headRow(table, words) {
    const row = table.createTHead().insertRow();
    for (const word of words) this.headCell(row, "col").textContent = this.texts[word];
  }

  headCell(row, scope) {
    const head = document.createElement("th");
    head.scope = scope;
    row.append(head);
    return head;
  }

  // Shows a place of the report. `lower`: on the timeline of side B.
  showPlace({ track, from, to, lower }) {
    this.active = this.timelines[lower ? 1 : 0];
    this.active.viewer.call.show_place(track === undefined ? -1 : track, BigInt(from), BigInt(to));
    this.ask();
  }

  // The link to this view: its range in nanoseconds, the language and the theme. The view of side B is in it if it does
  // not go with that of side A.
  linkNow() {
    const views = this.comparison && !this.comparison.linked ? this.timelines : this.timelines.slice(0, 1);
    const [a, b] = views.map((one) => one.view().join(".."));
    return `#view=${a}${b ? `&b=${b}` : ""}&language=${this.languages[this.language][0]}` +
      `&theme=${this.dark ? "dark" : "light"}`;
  }

  // Shows what a link says. What it does not say, or says wrongly, stays as it is.
  follow(link) {
    const said = new URLSearchParams(link.slice(1));
    const range = (name) => {
      const found = /^(-?\d{1,18})\.\.(-?\d{1,18})$/.exec(said.get(name) || "");
      return found && BigInt(found[1]) < BigInt(found[2]) ? [BigInt(found[1]), BigInt(found[2])] : null;
    };
    const a = range("view"), b = range("b");
    if (a) this.viewer.call.set_view(...a);
    if (b && this.comparison) this.comparison.showApart(b);
    else if (a && this.comparison) this.comparison.link(true);
    const language = this.languages.findIndex(([code]) => code === said.get("language"));
    if (language >= 0) this.language = language;
    if (["dark", "light"].includes(said.get("theme"))) this.dark = said.get("theme") === "dark";
    this.look();
  }

  // Puts the link into the address bar, once the view is still.
  keepLink() {
    clearTimeout(this.linkTimer);
    this.linkTimer = setTimeout(() => {
      this.link = this.linkNow();
      history.replaceState(null, "", this.link);
    }, 250);
  }

  plot() {
    return this.timelines[0].plot();
  }

  ask() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame((now) => this.frame(now));
  }

  frame(now) {
    this.waiting = false;
    this.draw(Math.min((now - this.last) / 1000, 0.1));
    this.last = now;
  }

  // Lets the viewers act on the input, and draws. `dt`: seconds since the drawing before.
  draw(dt) {
    if (this.timelines.some(({ canvas }) => canvas.clientWidth === 0 || canvas.clientHeight === 0)) return;
    if (this.comparison) this.comparison.beforeFrame();
    const more = this.timelines.map((timeline) => timeline.frame(dt));
    if (this.comparison) this.comparison.afterFrame();
    for (const timeline of this.timelines) timeline.paint();
    this.showFacts();
    if (more.includes(true)) this.ask();
    this.keepLink();
  }

  showFacts() {
    const all = this.timelines.map((timeline) => timeline.viewer.facts(0));
    this.timelines.forEach(({ viewer }, index) => {
      if (all[index] && viewer.call.wants_causes()) setTimeout(() => this.readCauses(viewer));
    });
    this.say(all[this.timelines.indexOf(this.active)]);
    const key = JSON.stringify(all);
    if (key === this.shownFacts) return;
    this.shownFacts = key;
    this.details.replaceChildren();
    this.details.hidden = all.every((facts) => !facts);
    all.forEach((facts, index) => facts && this.details.append(this.factsTable(facts, this.timelines[index])));
  }

  factsTable({ label, facts }, timeline) {
    const caption = document.createElement("caption");
    caption.append(...this.tag(timeline), shown(label));
    const table = document.createElement("table");
    table.append(caption);
    for (const [name, value] of facts) {
      const row = table.insertRow();
      this.headCell(row, "row").textContent = shown(name);
      row.insertCell().textContent = shown(value);
    }
    return table;
  }

  // Tells a screen reader which slice is selected, and how long the measured range is. The table has the rest.
  say(facts) {
    const more = facts ? facts.facts.filter(([, value]) => !facts.label.startsWith(value)).slice(0, SPOKEN_FACTS) : [];
    const told = facts ? [facts.label, ...more.map((fact) => fact.join(": "))] : [];
    const viewer = this.active.viewer;
    if (viewer.call.measured()) told.push(viewer.answer());
    if (this.comparison && told.length > 0) told.unshift(this.comparison.letter(this.active));
    const words = told.map(shown).join(", ");
    if (this.said.textContent !== words) this.said.textContent = words;
  }

  // Adds to the facts of a call what it waited for. It reads the whole trace once, so the facts are shown first.
  readCauses(viewer) {
    if (viewer.call.wants_causes()) viewer.call.read_causes();
    this.ask();
  }
}

// What the page says before its viewer can: [unpacking, opening, drawing].
const STAGES = {
  en: ["Unpacking the trace ...", "Opening the trace: {0} MB ...", "Drawing the first picture ..."],
  ja: ["トレースを展開しています...", "トレースを開いています: {0} MB...", "最初の図を描いています..."],
  zh: ["正在解压跟踪...", "正在打开跟踪：{0} MB...", "正在绘制第一幅画面..."],
};

// A recording with more bytes may take a second to open.
const LARGE = 2e6;

// The language of a link, otherwise that of the browser, otherwise English.
function languageAtFirst() {
  const asked = new URLSearchParams(location.hash.slice(1)).get("language") || navigator.language;
  return Object.keys(STAGES).find((code) => asked.startsWith(code)) || "en";
}

// Says what the page does now. Opening a large trace keeps the browser busy, so it is shown before that begins.
async function tell(stage, bytes) {
  const megabytes = Math.max(Math.round((bytes || 0) / 1e6), 1);
  document.getElementById("loading").textContent = STAGES[languageAtFirst()][stage].replace("{0}", megabytes);
  if (!(bytes > LARGE)) return;  // soon done
  await new Promise((done) => {
    requestAnimationFrame(() => setTimeout(done));
    setTimeout(done, 200);  // a page in the background has no frames
  });
}

async function main() {
  // The unpacked bytes of a part of the page, and how long they are.
  const take = (id) => {
    const element = document.getElementById(id);
    if (!element) return null;
    const part = { packed: bytesOfBase64(element.textContent), ...element.dataset, bytes: Number(element.dataset.bytes) };
    element.remove();
    return part;
  };
  const part = async (id) => {
    const { packed, bytes } = take(id);
    return unpacked(packed, bytes);
  };
  // The browser compiles the viewer while it unpacks the recording.
  const compiling = part("viewer-wasm").then((wasm) => WebAssembly.compile(wasm)), starting = Viewer.start(compiling);
  starting.catch(() => {});  // it is awaited below
  const { packed, bytes } = take("recording");
  await tell(0, bytes);
  const recording = await pieces(packed, bytes), viewer = await starting;
  await tell(1, bytes);
  if (!viewer.openPieces(recording)) throw new Error("the recording in this page is damaged");
  const compared = take("compared"), other = compared ? await window.RunaheadComparison.open(compared, compiling, recording) : undefined;
  const follows = document.getElementById("follow");
  const whole = follows ? joined(recording, bytes) : null;  // follow.js adds to it
  recording.length = 0;
  const lesson = document.getElementById("lesson");
  if (lesson) viewer.lesson = new window.RunaheadLesson(viewer, bytesOfBase64(lesson.textContent));
  await tell(2, bytes);
  const page = new Page(viewer, other);
  if (bytes > LARGE) page.draw(0);
  if (follows) page.recording = whole;
  window.runahead = page;
  new PageReport(page, JSON.parse(new TextDecoder().decode(await part("report-data"))));
  document.getElementById("loading").remove();
}

if (typeof document !== "undefined") {
  main().catch((error) => {
    document.getElementById("loading").textContent = `This page cannot be shown: ${error.message}`;
  });
}
if (typeof module !== "undefined") module.exports = { Viewer, inflate, bytesOfBase64, unpacked };
