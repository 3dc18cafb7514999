// The lesson of a page: asks for the student's prediction, and shows the timeline, what happened and why only
// after the answer. All rules and words are in viewer.wasm (lesson_viewer.cpp).
"use strict";

class Lesson {
  constructor(viewer, sheet) {
    this.viewer = viewer;
    viewer.put(sheet);
    if (!viewer.call.open_lesson()) throw new Error("the lesson in this page is damaged");
    this.answered = false;
    this.node = document.getElementById("lesson-view");
    this.form = document.createElement("form");
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.answer();
    });
    this.outcome = document.createElement("div");
    this.outcome.setAttribute("aria-live", "polite");
    this.group = document.createElement("details");
    this.node.append(this.form, this.outcome, this.group);
    this.makeClass();
  }

  // Shows everything again in the language of the page. What the student has typed stays.
  show() {
    this.viewer.call.lesson_texts();
    this.texts = Object.fromEntries(this.viewer.pairs());
    document.querySelector("h1").textContent = `${this.texts.lesson}: ${this.texts.title}`;
    if (this.answered) {
      this.showOutcome();
    } else {
      this.showQuestions();
    }
    this.showClassTexts();
  }

  element(name, text, parent) {
    const made = document.createElement(name);
    made.textContent = text;
    parent.append(made);
    return made;
  }

  // ---- the prediction ---------------------------------------------------------------------------------------

  showQuestions() {
    const typed = this.typed();
    this.form.replaceChildren();
    this.element("p", this.texts.question, this.form).className = "question";
    this.element("p", this.texts.predict_first, this.form).className = "dim";
    this.viewer.call.lesson_questions();
    this.questions = this.viewer.pairs();
    this.questions.forEach((question, index) => this.showQuestion(question, index, typed[index]));
    const button = this.element("button", this.texts.write_down, this.form);
    button.id = "lesson-write-down";
    const enable = () => {
      button.disabled = this.typed().some((answer) => answer === "");
    };
    this.form.oninput = enable;
    enable();
  }

  showQuestion([question, unit, range, ...choices], index, typed) {
    const set = this.element("fieldset", "", this.form);
    this.element("legend", question, set);
    choices.forEach((words, number) => {
      const label = this.element("label", words, set);
      const input = document.createElement("input");
      input.type = "radio";
      input.name = `lesson-${index}`;
      input.value = String(number);
      input.checked = typed === input.value;
      label.prepend(input);
    });
    if (choices.length === 0) {
      const label = this.element("label", unit, set);
      const input = document.createElement("input");
      input.name = `lesson-${index}`;
      input.inputMode = "decimal";
      input.autocomplete = "off";
      input.setAttribute("aria-label", `${question} ${unit}`);
      input.value = typed || "";
      label.prepend(input);
      this.element("small", range, set).id = `lesson-range-${index}`;
      input.setAttribute("aria-describedby", `lesson-range-${index}`);
    }
    this.element("p", "", set).className = "wrong";
  }

  // The answers as they are typed: a number of a choice, or a number; "": none yet.
  typed() {
    return (this.questions || []).map((_, index) => {
      const inputs = [...this.form.elements].filter((input) => input.name === `lesson-${index}`);
      const given = inputs.find((input) => input.type !== "radio" || input.checked);
      return given ? given.value.trim().replace(",", ".") : "";
    });
  }

  answer() {
    const sets = this.form.querySelectorAll("fieldset");
    for (const set of sets) {
      set.querySelector(".wrong").textContent = "";
      set.querySelector("input").removeAttribute("aria-invalid");
    }
    this.viewer.put(new TextEncoder().encode(this.typed().map((text) => text + RECORD_END).join("")));
    const refused = this.viewer.call.lesson_answer();
    if (refused >= 0) {
      const [, , range] = this.questions[refused];
      sets[refused].querySelector(".wrong").textContent = range;
      sets[refused].querySelector("input").setAttribute("aria-invalid", "true");
      sets[refused].querySelector("input").focus();
      return;
    }
    this.unseal();
  }

  // ---- what happened ----------------------------------------------------------------------------------------

  unseal() {
    this.answered = true;
    delete document.body.dataset.sealed;
    this.form.remove();
    this.show();
    if (window.runahead) window.runahead.ask();
  }

  showOutcome() {
    this.outcome.replaceChildren();
    this.viewer.call.lesson_outcome();
    for (const [kind, ...fields] of this.viewer.pairs()) {
      if (kind === "code") this.showCode(fields);
      if (kind === "outcome") this.showOne(fields);
      if (kind === "device") this.element("p", fields[0], this.outcome).className = "dim";
      if (kind === "look_for") this.element("p", `${fields[0]}: ${fields[1]}`, this.outcome);
      if (kind === "why_title") this.element("h2", fields[0], this.outcome);
      if (kind === "why") this.element("p", fields[0], this.outcome);
    }
  }

  showCode([words, code]) {
    const line = this.element("p", "", this.outcome);
    const [before, after] = words.split(code);
    line.append(before);
    this.element("output", code, line).id = "lesson-code";
    line.append(after || "");
  }

  showOne([question, said, machine, was, verdict, good]) {
    this.element("p", question, this.outcome).className = "dim";
    for (const text of [said, machine]) if (text) this.element("p", text, this.outcome);
    this.element("p", was, this.outcome).className = "was";
    this.element("p", verdict, this.outcome).className = good === "1" ? "good" : "dim";
  }

  // ---- the class --------------------------------------------------------------------------------------------

  makeClass() {
    this.group.id = "class";
    this.groupTitle = this.element("summary", "", this.group);
    this.groupHint = this.element("p", "", this.group);
    this.codes = this.element("textarea", "", this.group);
    this.codes.rows = 4;
    this.codes.spellcheck = false;
    const line = this.element("p", "", this.group);
    this.showButton = this.element("button", "", line);
    this.showButton.type = "button";
    this.showButton.addEventListener("click", () => this.showClass());
    this.runButton = this.element("button", "", line);
    this.runButton.type = "button";
    this.runButton.hidden = true;
    this.runButton.addEventListener("click", () => {
      this.runButton.hidden = true;
      this.unseal();
    });
    this.result = this.element("div", "", this.group);
    this.result.id = "class-result";
    this.result.setAttribute("aria-live", "polite");
  }

  showClassTexts() {
    this.groupTitle.textContent = this.texts.class;
    this.groupHint.textContent = this.texts.class_hint;
    this.codes.setAttribute("aria-label", this.texts.class_hint);
    this.showButton.textContent = this.texts.class_show;
    this.runButton.textContent = this.texts.class_show_run;
    if (this.result.childElementCount > 0) this.showClass();
  }

  showClass() {
    this.viewer.put(new TextEncoder().encode(this.codes.value));
    const read = this.viewer.call.lesson_class();
    this.result.replaceChildren();
    let table = null, most = 1;
    const records = this.viewer.pairs();
    for (const [kind, , count] of records) if (kind === "row") most = Math.max(most, Number(count));
    for (const [kind, ...fields] of records) {
      if (kind === "codes") this.element("p", fields[0], this.result);
      if (kind === "refused") this.element("p", fields[0], this.result).className = "wrong";
      if (kind === "question") {
        table = this.element("table", "", this.result);
        table.createCaption().textContent = [fields[0], fields[1], fields[2]].filter((text) => text).join(" - ");
      }
      if (kind === "row") this.showRow(table, fields, most);
    }
    this.runButton.hidden = this.answered || read === 0;
  }

  showRow(table, [label, count, measured], most) {
    const row = table.insertRow();
    const head = this.element("th", label, row);
    head.scope = "row";
    row.insertCell().textContent = count;
    const bar = document.createElement("meter");
    bar.setAttribute("aria-hidden", "true");  // the count is beside it
    bar.max = most;
    bar.value = Number(count);
    row.insertCell().append(bar);
    row.insertCell().textContent = measured === "1" ? "\u25c0" : "";
    if (measured !== "1") return;
    row.className = "was";
    row.setAttribute("aria-current", "true");
  }
}
if (typeof window !== "undefined") window.RunaheadLesson = Lesson;
