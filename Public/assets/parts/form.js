/// Fields with labels, hints and errors; forms that show a problem of the API at the field it is about.

import { freshID, h, put } from "../dom.js";
import { fieldLabel, t } from "../words.js";

/// One field. `control` may be any element with a value; by default it is made by `type`.
/// - pointer: where the API complains about it (a JSON pointer or the beginning of one).
export function field({ name, label, type = "text", value = "", hint, options, pointer, control, required = false, ...more }) {
  const id = freshID(name ?? "field");
  const made = control ?? makeControl(type, id, name, value, options, required, more);
  const input = made.matches?.("input, select, textarea") ? made : made.querySelector("input, select, textarea") ?? made;
  input.id ||= id;
  const error = h("p", { class: "error", id: `${id}-error`, hidden: true });
  const help = hint ? h("p", { class: "hint", id: `${id}-hint` }, hint) : null;
  if (type === "check") {
    input.setAttribute("aria-describedby", `${id}-error`);
    return answer(h("div", { class: "field" },
      h("label", { class: "check" }, made, h("span", null, label, hint ? h("span", { class: "hint" }, hint) : null)), error));
  }
  input.setAttribute("aria-describedby", [help?.id, error.id].filter(Boolean).join(" "));
  return answer(h("div", { class: "field" },
    h("label", { for: input.id }, label, required ? null : more.optional ? h("span", { class: "soft" }, ` · ${t("form.optional")}`) : null),
    help, made, error));

  function answer(node) {
    return {
      name, node, input, pointer: pointer ?? `/${name}`,
      get value() {
        if (type === "check") return input.checked;
        if (type === "file") return input.files[0] ?? null;
        return input.value;
      },
      set value(text) {
        if (type === "check") input.checked = text;
        else input.value = text;
      },
      /// Shows what is wrong, or that nothing is.
      complain(text) {
        error.hidden = !text;
        put(error, text ?? "");
        if (text) input.setAttribute("aria-invalid", "true");
        else input.removeAttribute("aria-invalid");
      },
    };
  }
}

function makeControl(type, id, name, value, options, required, more) {
  const common = { id, name, required: required && type !== "check", autocomplete: more.autocomplete ?? "off", placeholder: more.placeholder,
    maxlength: more.maxlength, min: more.min, max: more.max, step: more.step, accept: more.accept, inputmode: more.inputmode,
    spellcheck: more.code ? "false" : null, class: more.code ? "code" : null, oninput: more.oninput, onchange: more.onchange,
    rows: more.rows, lang: more.lang };
  if (type === "select") {
    return h("select", { ...common, value }, options.map(([word, text]) => h("option", { value: word }, text)));
  }
  if (type === "area") return h("textarea", { ...common, value });
  if (type === "check") return h("input", { ...common, type: "checkbox", checked: value === true, value: "on" });
  return h("input", type === "file" ? { ...common, type } : { ...common, type, value });
}

/// A form of fields. `submit(values)` is called with their values by name; a problem that it throws is shown.
export class Form {
  constructor(fields, { action, submit, cancel, title, detail, bad = false, also = () => [] }) {
    this.also = also;
    this.fields = fields.flat().filter((entry) => entry.name);
    this.trouble = h("div", { role: "alert", class: "note bad", hidden: true });
    const press = h("button", { class: `button main ${bad ? "bad" : ""}`, type: "submit" }, action);
    this.node = h("form", { class: "fields", novalidate: true, onsubmit: async (event) => {
      event.preventDefault();
      if (press.disabled || !this.check()) return;
      press.disabled = true;
      try {
        await submit(Object.fromEntries(this.fields.map((entry) => [entry.name, entry.value])));
      } catch (problem) {
        this.show(problem);
      } finally {
        press.disabled = false;
      }
    } },
    title ? h("h2", null, title) : null, detail ? h("p", { class: "soft" }, detail) : null,
    fields.map((entry) => (Array.isArray(entry) ? h("div", { class: "fields pair" }, entry.map((one) => one.node)) : entry.node ?? entry)),
    this.trouble,
    h("div", { class: "foot row" }, cancel ? h("button", { class: "button", type: "button", "data-cancel": true, onclick: cancel }, t("do.cancel")) : null, press));
  }

  /// What the browser can tell by itself. False, with the first such field focused, when something is missing.
  check() {
    let first = null;
    for (const entry of this.fields) {
      const isFine = entry.input.checkValidity?.() ?? true;
      entry.complain(isFine ? null : entry.input.validity.valueMissing ? t("form.needed") : entry.input.validationMessage);
      if (!isFine) first ??= entry;
    }
    this.trouble.hidden = true;
    first?.input.focus();
    return first === null;
  }

  show(problem) {
    if (problem.status === undefined) console.error(problem);
    const rest = showAtFields(problem, [...this.fields, ...this.also()]);
    this.trouble.hidden = rest.length === 0;
    put(this.trouble, rest.map((text) => h("p", null, text)));
  }
}

/// Puts a problem's errors at their fields, and goes to the first. - Returns: what has no field of its own.
export function showAtFields(problem, fields, { focus = true } = {}) {
  const rest = [];
  for (const entry of fields) entry.complain(null);
  let first = null;
  for (const error of problem.errors ?? []) {
    const at = fields.find((entry) => error.pointer === entry.pointer || error.pointer.startsWith(`${entry.pointer}/`));
    if (at) {
      at.complain(error.detail);
      first ??= at;
    } else {
      rest.push(error.pointer === "/" || !error.pointer ? error.detail : `${fieldLabel(error.pointer)}: ${error.detail}`);
    }
  }
  if (first && focus) {
    // It may stand in a section that is closed.
    for (let one = first.input.closest("details"); one; one = one.parentElement.closest("details")) one.open = true;
    first.input.focus();
  }
  if (!problem.errors?.length) rest.push([problem.title, problem.message].filter(Boolean).join(" — "));
  return rest;
}

/// Words to choose from, all in sight. - choose: called with the new one.
export function choices({ name, label, options, value, choose }) {
  const group = freshID(name);
  return h("fieldset", { class: "field" }, h("legend", null, label),
    h("div", { class: "choices" }, options.map(([word, text]) => h("label", null,
      h("input", { type: "radio", name: group, value: word, checked: word === value, onchange: () => choose(word) }), text))));
}

/// Buttons of which one is pressed.
export function segmented(label, options, value, choose) {
  const buttons = options.map(([word, text]) => h("button", { type: "button", "aria-pressed": String(word === value), onclick: () => {
    for (const button of buttons) button.setAttribute("aria-pressed", String(button === buttons[options.findIndex(([other]) => other === word)]));
    choose(word);
  } }, text));
  return h("div", { class: "segmented", role: "group", "aria-label": label }, buttons);
}
