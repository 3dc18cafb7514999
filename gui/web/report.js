// The report of a page: tabs with tables from the object that gui/web/report/report.h describes. All texts are set as
// text, never as HTML. A row with a place shows it on the timeline.
"use strict";

const LONG_TEXT = 240;

// An element with a text and with attributes. An attribute whose value is undefined is left out.
function made(tag, text = "", attributes = {}) {
  const element = document.createElement(tag);
  element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) element.setAttribute(name, value);
  }
  return element;
}

class PageReport {
  // `page`: the Page of viewer.js. `told`: the object.
  constructor(page, told) {
    this.page = page;
    this.told = told;
    this.root = document.getElementById("report");
    // The section that is shown; null: none. A lesson needs the space for its timeline.
    this.open = page.viewer.lesson ? null : this.language().sections[0].id;
    this.chosen = null;     // the row that was chosen, as [section, table, row]
    this.tellKeys();
    page.report = this;
    this.show();
    addEventListener("beforeprint", () => this.beforePrint());
    addEventListener("afterprint", () => this.afterPrint());
  }

  language() {
    return this.told[this.page.languages[this.page.language][0]];
  }

  // The keys of the timeline: read by a screen reader, and shown while the keyboard is used there.
  tellKeys() {
    this.keys = this.page.timelines.map(({ canvas }) => {
      const keys = made("p", "", { id: `${canvas.id}-keys`, class: "unseen" });
      canvas.after(keys);
      canvas.setAttribute("aria-describedby", keys.id);
      return keys;
    });
  }

  // Builds the report in the language of the page. What was open stays open.
  show() {
    const { report, keys, sections } = this.language();
    for (const one of this.keys) one.textContent = keys;
    this.root.hidden = false;
    this.root.setAttribute("aria-label", report);
    const tabs = made("div", "", { role: "tablist", "aria-label": report });
    this.tabs = sections.map((section) => this.tab(section));
    this.panels = sections.map((section) => this.panel(section));
    tabs.append(...this.tabs);
    tabs.addEventListener("keydown", (event) => this.walkTabs(event));
    this.root.replaceChildren(tabs, ...this.panels);
    this.choose(this.open);
  }

  tab({ id, title }) {
    const tab = made("button", title, {
      type: "button", role: "tab", id: `tab-${id}`, "aria-controls": `panel-${id}`, "data-section": id,
    });
    tab.addEventListener("click", () => this.choose(this.open === id ? null : id));
    return tab;
  }

  // Shows one section, or none.
  choose(id) {
    this.open = id;
    this.tabs.forEach((tab, index) => {
      const chosen = tab.dataset.section === id;
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen || (id === null && index === 0) ? 0 : -1;
      this.panels[index].classList.toggle("shut", !chosen);
    });
  }

  // Arrow keys, Home and End move between the tabs.
  walkTabs(event) {
    const at = this.tabs.indexOf(document.activeElement), last = this.tabs.length - 1;
    const to = { ArrowRight: at === last ? 0 : at + 1, ArrowLeft: at === 0 ? last : at - 1, Home: 0, End: last }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    this.choose(this.tabs[to].dataset.section);
    this.tabs[to].focus();
  }

  panel(section) {
    const { id, title, summary, notes, tables } = section;
    const panel = made("div", "", {
      role: "tabpanel", id: `panel-${id}`, "aria-labelledby": `tab-${id}`, tabindex: "0", class: "shut",
    });
    panel.append(made("h2", title));
    if (summary) panel.append(made("p", summary, { class: "answer" }));
    const beside = made("div", "", { class: "tables" });
    tables.forEach((table, index) => beside.append(this.table(id, index, table)));
    panel.append(beside);
    for (const note of notes) panel.append(made("p", note, { class: "note" }));
    panel.addEventListener("keydown", (event) => this.walkRows(panel, event));
    return panel;
  }

  table(section, number, { caption, columns, rows }) {
    const table = made("table");
    table.createCaption().textContent = caption;
    const head = table.createTHead().insertRow();
    for (const { name, number: right } of columns) {
      head.append(name ? made("th", name, { scope: "col", class: right ? "number" : undefined }) : made("td"));
    }
    const body = table.createTBody();
    rows.forEach((row, index) => this.addRow(body, [section, number, index].join(" "), columns, row));
    return table;
  }

  addRow(body, key, columns, { cells, bars, go, parts }) {
    const row = body.insertRow();
    cells.forEach((text, index) => {
      const head = index === 0;
      const cell = made(head ? "th" : "td", "", {
        scope: head ? "row" : undefined, class: columns[index].number ? "number" : undefined,
      });
      const shown = this.shortened(text);
      if (head && (go || parts)) cell.append(this.button(row, key, shown, go, parts));
      else cell.append(shown);
      for (const [column, share] of bars || []) {
        if (column !== index) continue;
        cell.classList.add("with-bar");
        cell.append(this.bar(share));
      }
      row.append(cell);
    });
    if (parts) this.addParts(body, key, cells[0], columns.length, parts);
    if (key === this.chosen) row.setAttribute("aria-current", "true");
  }

  // A long text, such as the name of a C++ kernel, is cut off after some lines. The whole text is in the tooltip.
  shortened(text) {
    return text.length > LONG_TEXT ? made("span", text, { class: "long", title: text }) : text;
  }

  bar(share) {
    const bar = made("span", "", { class: share < 0 ? "bar less" : "bar", "aria-hidden": "true" });
    bar.style.width = `${Math.max(Math.min(Math.abs(share), 1) * 100, 1)}%`;
    return bar;
  }

  button(row, key, shown, go, parts) {
    const button = made("button", "", {
      type: "button", "data-row": key, "aria-expanded": parts ? String(key === this.chosen) : undefined,
      "aria-controls": parts ? `parts-${key.replaceAll(" ", "-")}` : undefined,
    });
    button.append(shown);
    button.addEventListener("click", () => this.press(button, row, key, go));
    return button;
  }

  // Shows the place of a row, and its parts. A second press hides the parts.
  press(button, row, key, go) {
    const again = this.chosen === key && button.getAttribute("aria-expanded") === "true";
    this.shut();
    if (go) this.page.showPlace(go);
    if (again) return;
    this.chosen = key;
    row.setAttribute("aria-current", "true");
    if (!button.hasAttribute("aria-expanded")) return;
    button.setAttribute("aria-expanded", "true");
    row.nextElementSibling.classList.remove("shut");
  }

  shut() {
    this.chosen = null;
    for (const row of this.root.querySelectorAll("tr[aria-current]")) row.removeAttribute("aria-current");
    for (const row of this.root.querySelectorAll("tr.parts")) row.classList.add("shut");
    for (const button of this.root.querySelectorAll("td button[aria-expanded], th button[aria-expanded]")) {
      button.setAttribute("aria-expanded", "false");
    }
  }

  addParts(body, key, caption, width, parts) {
    const row = body.insertRow();
    row.className = key === this.chosen ? "parts" : "parts shut";
    row.id = `parts-${key.replaceAll(" ", "-")}`;
    const cell = row.insertCell();
    cell.colSpan = width;
    const table = made("table");
    table.createCaption().textContent = caption;
    for (const [name, value] of parts) {
      const part = table.insertRow();
      part.append(made("th", name, { scope: "row" }), made("td", value, { class: "number" }));
    }
    cell.append(table);
  }

  // Arrow keys, Home and End move between the buttons of a section.
  walkRows(panel, event) {
    const buttons = [...panel.querySelectorAll("button")], at = buttons.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (at < 0 || to === undefined || !buttons[to]) return;
    event.preventDefault();
    buttons[to].focus();
  }

  // Paper is white: the timeline is drawn in the light theme.
  beforePrint() {
    this.wasDark = this.page.dark;
    this.page.dark = false;
    this.page.look();
    this.page.draw(0);
  }

  afterPrint() {
    this.page.dark = this.wasDark;
    this.page.look();
  }
}

