/// What the console says on its own account: short notices, failures, waiting, and pages with nothing on them.

import { h } from "../dom.js";
import { t, word } from "../words.js";

const toasts = h("div", { class: "toasts", role: "status", "aria-live": "polite" });
document.body.append(toasts);

/// A notice that goes away by itself.
export function say(text, kind = "") {
  const toast = h("p", { class: `toast ${kind}` }, text);
  // Inside an open dialog, because everything else is out of reach then.
  const open = document.querySelector("dialog[open]");
  (open ?? document.body).append(toasts);
  toasts.append(toast);
  setTimeout(() => {
    toast.remove();
    document.body.append(toasts);
  }, kind === "bad" ? 9000 : 4500);
}

export function complain(problem) {
  if (problem.name === "AbortError") return;
  say([problem.title, problem.message].filter(Boolean).join(" — ") || t("problem.other"), "bad");
}

/// Stands in place of what could not be loaded.
export function failure(problem, again, action = t("do.again")) {
  if (problem.status === undefined) console.error(problem);
  return h("div", { class: "empty", role: "alert" },
    h("h1", null, problem.title ?? t("problem.other")), h("p", null, problem.message),
    problem.requestID ? h("p", { class: "small" }, t("problem.request", { id: problem.requestID })) : null,
    again ? h("button", { class: "button", onclick: () => again() }, action) : null);
}

export const loading = () => h("p", { class: "loading", role: "status" }, t("loading"));

export function empty(title, detail, ...actions) {
  return h("div", { class: "empty" }, h("h2", null, title), detail ? h("p", null, detail) : null, actions);
}

export function note(kind, ...children) {
  return h("div", { class: `note ${kind}` }, children);
}

const kinds = {
  scheduled: "warn", queued: "busy", sending: "busy", paused: "warn", completed: "good", cancelled: "", expired: "bad", failed: "bad",
  accepted: "good", rejected: "bad", skipped: "warn", pending: "busy", deferred: "busy", unknown: "warn",
  active: "good", unregistered: "", "token-refused": "bad", "awaiting-approval": "warn", done: "good", running: "busy",
  open: "busy", finished: "good", refused: "bad", waiting: "busy", delivered: "good", dead: "bad", approved: "good",
};

/// A state as a coloured word. - group: of the catalogue.
export function state(value, group = "state") {
  return h("span", { class: `state ${kinds[value] ?? ""}`.trim(), "data-state": value }, word(group, value));
}

/// The head of a page: its heading, a sentence, and what can be done.
export function head(title, { detail, crumb, actions } = {}) {
  return h("header", { class: "head" },
    h("div", { class: "title" },
      crumb ? h("p", { class: "crumb" }, crumb) : null, h("h1", { tabindex: "-1" }, title), detail ? h("p", null, detail) : null),
    actions?.some(Boolean) ? h("div", { class: "actions" }, actions) : null);
}

/// Pairs of a name and a value; those without a value are left out.
export function facts(...pairs) {
  return h("dl", { class: "facts" }, pairs.filter((pair) => pair && pair[1] !== undefined && pair[1] !== null && pair[1] !== "")
    .map(([name, value]) => [h("dt", null, name), h("dd", null, value)]));
}
