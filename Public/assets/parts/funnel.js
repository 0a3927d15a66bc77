/// A message's numbers: as bars one below the other, as one small bar, and as a legend of what did not arrive.

import { h } from "../dom.js";
import { number, percent, t, word } from "../words.js";

const steps = ["targeted", "accepted", "received", "read"];
const others = ["pending", "rejected", "expired", "cancelled", "skipped"];

function bar(parts, whole) {
  return h("span", { class: "meter", "aria-hidden": "true" }, parts.filter(([, value]) => value > 0).map(([name, value]) =>
    h("i", { class: `c-${name}`, style: { width: `${whole ? Math.max(0.4, (100 * value) / whole) : 0}%` } })));
}

/// From targeted to read.
export function funnelBars(funnel) {
  const whole = funnel.targeted ?? 0;
  return h("ol", { class: "funnel", "aria-label": t("funnel.label") }, steps.map((name) => h("li", { "data-step": name },
    h("span", null, t(`funnel.${name}`)),
    bar(name === "targeted" ? [["targeted", whole]] : [[name, funnel[name]]], whole),
    h("span", { class: "number" }, number(funnel[name])),
    h("span", { class: "share" }, name === "targeted" ? "" : percent(funnel[name], whole)))));
}

/// The rest: what is still to come and what will not.
export function funnelRest(funnel) {
  const shown = others.filter((name) => funnel[name] > 0);
  if (shown.length === 0) return null;
  return h("ul", { class: "legend", "aria-label": t("funnel.rest") }, shown.map((name) => h("li", { "data-step": name },
    h("i", { class: `c-${name}`, "aria-hidden": "true" }), t(`funnel.${name}`), h("b", { class: "number" }, number(funnel[name])))));
}

/// All in one line, for lists.
export function miniFunnel(funnel) {
  const whole = funnel.targeted ?? 0;
  const parts = [["read", funnel.read], ["received", Math.max(0, funnel.received - funnel.read)],
    ["accepted", Math.max(0, funnel.accepted - funnel.received)], ["pending", funnel.pending ?? 0], ["skipped", funnel.skipped],
    ["cancelled", funnel.cancelled], ["expired", funnel.expired], ["rejected", funnel.rejected]];
  return h("div", { class: "mini" }, bar(parts, whole),
    h("span", { class: "small number" }, t("funnel.mini", { accepted: number(funnel.accepted), targeted: number(funnel.targeted), read: percent(funnel.read, funnel.accepted) })));
}

/// Reasons of what was not accepted, the most frequent first.
export function reasonList(reasons, link) {
  const entries = Object.entries(reasons ?? {}).sort((one, other) => other[1] - one[1]);
  if (entries.length === 0) return null;
  return h("ul", { class: "stack" }, entries.map(([reason, count]) => h("li", { class: "row" },
    h("b", { class: "number" }, number(count)), h("a", { href: link(reason) }, word("reason", reason)),
    word("reason", reason) === reason ? null : h("code", { class: "soft small" }, reason))));
}
