/// Questions and small forms that stand in front of the page.

import { freshID, h } from "../dom.js";
import { t } from "../words.js";
import { Form } from "./form.js";

/// Asks before something is done. Resolves to false when the answer is no.
/// - typed: what must be typed in before it can be done: for what cannot be undone, or reaches many.
export function confirm({ title, body, action, bad = false, typed = null, typedLabel = null }) {
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
    (input ?? (bad ? box.querySelector("[data-cancel]") : press)).focus();
  });

  function foot(_, press) {
    return h("div", { class: "foot" },
      h("button", { class: "button", type: "button", "data-cancel": true, onclick: (event) => event.target.closest("dialog").close() }, t("do.cancel")), press);
  }
}

/// A form in a dialog. `save(values)` may throw a problem, which is then shown at its fields.
/// Resolves to what `save` returned; undefined when it was left.
export function formDialog({ title, fields, action = t("do.save"), save, detail, wide = false }) {
  return new Promise((resolve) => {
    let result;
    const form = new Form(fields, { action, cancel: () => box.close(), title, detail, submit: async (values) => {
      result = await save(values);
      box.close();
    } });
    const box = dialog(form.node, title, () => resolve(result), wide);
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
  const copy = h("button", { class: "button", type: "button", onclick: async () => {
    await navigator.clipboard?.writeText(text);
    copy.textContent = t("do.copied");
  } }, t("do.copy"));
  return show(title, h("p", null, detail), h("div", { class: "secret" }, h("code", { "data-secret": true }, text), copy), more);
}

function dialog(content, label, closed, wide = false) {
  const before = document.activeElement;
  const box = h("dialog", { "aria-label": label, class: wide ? "wide" : null, onclose: () => {
    box.remove();
    if (before?.isConnected) before.focus();
    closed();
  } }, content);
  document.body.append(box);
  box.showModal();
  return box;
}
