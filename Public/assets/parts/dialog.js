/// Questions and small forms that stand in front of the page.

import { freshID, h } from "../dom.js";
import { t } from "../words.js";
import { Form } from "./form.js";

/// Asks before something is done. Resolves to false when the answer is no.
/// - typed: what must be typed in before it can be done: for what cannot be undone, or reaches many.
/// - no: what the other button says. - careful: that one has the focus, so that a key that is pressed twice does nothing.
export function confirm({ title, body, action, bad = false, careful = bad, typed = null, typedLabel = null, no = t("do.cancel") }) {
  return new Promise((resolve) => {
    let answer = false;
    const press = h("button", { class: `button main ${bad ? "bad" : ""}`, type: "submit", disabled: typed !== null }, action);
    const plain = (text) => text.replace(/[\s,.]/g, "").toLowerCase();
    const input = typed === null ? null : h("input", { id: freshID("typed"), autocomplete: "off", name: "typed", oninput: () => {
      press.disabled = plain(input.value) !== plain(typed);
    } });
    const form = h("form", { method: "dialog", onsubmit: () => { answer = true; } },
      h("h2", null, title), body,
      input ? h("div", { class: "field" }, h("label", { for: input.id }, typedLabel ?? t("confirm.type", { text: typed })), input) : null,
      foot(dialog, press));
    const box = dialog(form, title, () => resolve(answer));
    (input ?? (careful ? box.querySelector("[data-cancel]") : press)).focus();
  });

  function foot(_, press) {
    return h("div", { class: "foot" },
      h("button", { class: "button", type: "button", "data-cancel": true, onclick: (event) => event.target.closest("dialog").close() }, no), press);
  }
}

/// Asks which of several things is to be done. Resolves to the name of the one, or to null.
/// - options: `[name, label, kind]`, the last one being what is done most.
export function choose(title, body, options) {
  return new Promise((resolve) => {
    let chosen = null;
    const box = dialog(h("form", { method: "dialog" }, h("h2", null, title), body,
      h("div", { class: "foot" }, options.map(([name, label, kind]) =>
        h("button", { class: `button ${kind ?? ""}`, type: "button", "data-choice": name, onclick: () => {
          chosen = name;
          box.close();
        } }, label)))), title, () => resolve(chosen));
    box.querySelector("[data-choice]").focus();
  });
}

/// A form in a dialog. `save(values)` may throw a problem, which is then shown at its fields.
/// Resolves to what `save` returned; undefined when it was left.
/// Escape closes it at once while nothing is written in it, and asks before it throws away what is.
/// - also: further fields that problems are shown at.
export function formDialog({ title, fields, action = t("do.save"), save, detail, wide = false, also = () => [] }) {
  return new Promise((resolve) => {
    let result;
    const form = new Form(fields, { action, cancel: () => box.close(), title, detail, also, submit: async (values) => {
      result = await save(values);
      box.close();
    } });
    const box = dialog(form.node, title, () => resolve(result), wide);
    let isWritten = false;
    box.addEventListener("input", () => { isWritten = true; });
    box.addEventListener("cancel", async (event) => {
      // A file chooser inside says so too when it is left.
      if (event.target !== box || !isWritten) return;
      event.preventDefault();
      const isLeft = await confirm({ title: t("form.leave.title"), body: h("p", null, t("form.leave.body")), bad: true, action: t("compose.leave.discard"), no: t("compose.leave.stay") });
      if (isLeft) box.close();
    });
    box.querySelector("input:not([type=hidden]), select, textarea")?.focus();
  });
}

/// Shows something; resolves once it is closed.
export function show(title, ...children) {
  return new Promise((resolve) => {
    dialog(h("form", { method: "dialog" }, h("h2", null, title), children,
      h("div", { class: "foot" }, h("button", { class: "button main" }, t("do.close")))), title, resolve);
  });
}

/// A secret that is shown once, with a button that copies it.
export function secret(title, text, detail, ...more) {
  const shown = h("code", { "data-secret": true }, text);
  return show(title, h("p", null, detail), h("div", { class: "secret" }, shown, copyButton(text, shown)), more);
}

/// A button that copies a text. Without HTTPS browsers give pages no clipboard: what shows the text is selected then.
export function copyButton(text, shown) {
  const copy = h("button", { class: "button", type: "button", onclick: async () => {
    try {
      await navigator.clipboard.writeText(text);
      copy.textContent = t("do.copied");
    } catch {
      getSelection().selectAllChildren(shown);
      copy.textContent = t("do.copy.keys");
    }
  } }, t("do.copy"));
  return copy;
}

/// A dialog with this in it; `closed` is called at its end.
export function dialog(content, label, closed, wide = false) {
  const before = document.activeElement;
  const box = h("dialog", { "aria-label": label, class: wide ? "wide" : null, onclose: () => {
    // What is being told stays in sight.
    document.body.append(...box.querySelectorAll(".toasts"));
    box.remove();
    if (before?.isConnected) before.focus();
    closed();
  } }, content);
  document.body.append(box);
  box.showModal();
  return box;
}
