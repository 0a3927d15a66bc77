/// The fields of what a message does on its way: its repetition, its hours of the day, and its canary.

import { h } from "../dom.js";
import { field } from "./form.js";
import { durationText, set } from "./message-model.js";
import { t, word } from "../words.js";

/// - timed: whether it has a time, and so may be repeated. - touched: called after each change.
/// - needs(field, name, isMissing, text): remembers when a field is needed, and that problems are shown at it. - fields: all
///   that they are shown at.
export function courseFields({ message, timed, touched, needs, fields }) {
  return [timed ? repeat() : null, sendWindow(), canary()];

  function repeat() {
    const write = () => {
      until.node.hidden = !every.value;
      set(message, "repeat", every.value && until.value ? { every: every.value, until: until.value } : undefined);
      touched();
    };
    const every = field({ name: "every", label: t("field.repeat"), type: "select", value: message.repeat?.every ?? "", pointer: "/repeat/every", hint: t("field.repeat.hint"), onchange: write,
      options: [["", t("field.repeat.none")], ...["day", "week", "month"].map((one) => [one, word("every", one)])] });
    const until = field({ name: "until", label: t("field.repeat.until"), type: "date", value: message.repeat?.until ?? "", pointer: "/repeat/until", oninput: write });
    until.node.hidden = !every.value;
    needs(until, t("field.repeat.until"), () => every.value && !until.value);
    needs(every, t("field.repeat"), () => every.value && !message.sendAt && !message.localTime, () => t("field.repeat.hint"));
    return h("div", { class: "fields pair", "data-member": "repeat" }, every.node, until.node);
  }

  function sendWindow() {
    const write = () => {
      const isOn = from.value && to.value;
      set(message, "window", isOn ? { from: from.value, to: to.value, ...(zone.value === "device" ? { zone: "device" } : {}) } : undefined);
      touched();
    };
    const clock = (name, label) => field({ name: `window${name}`, label, type: "time", value: message.window?.[name]?.slice(0, 5) ?? "", pointer: `/window/${name}`, optional: true, oninput: write });
    const [from, to] = [clock("from", t("field.window.from")), clock("to", t("field.window.to"))];
    const zone = field({ name: "windowZone", label: t("field.window.zone"), type: "select", value: message.window?.zone ?? "app", pointer: "/window/zone", onchange: write, options: ["app", "device"].map((one) => [one, word("zone", one)]) });
    needs(from, t("field.window"), () => to.value && !from.value);
    needs(to, t("field.window"), () => from.value && !to.value);
    needs(to, t("field.window"), () => from.value && from.value === to.value, () => t("field.window.same"));
    return h("fieldset", { class: "field", "data-member": "window" }, h("legend", null, t("field.window")), h("p", { class: "hint" }, t("field.window.hint")), h("div", { class: "fields three" }, from.node, to.node, zone.node));
  }

  function canary() {
    const present = message.canary ?? {};
    const write = () => {
      for (const one of [size, wait, most]) one.node.hidden = !unit.value;
      set(message, "canary", unit.value && size.value ? { [unit.value]: Number(size.value), wait: wait.value, maxRejectedPercent: Number(most.value) } : undefined);
      touched();
    };
    const unit = field({ name: "canary", label: t("field.canary"), type: "select", value: present.percent ? "percent" : present.devices ? "devices" : "", pointer: "/canary", hint: t("field.canary.hint"), onchange: write,
      options: [["", t("field.canary.none")], ["percent", t("field.canary.percent")], ["devices", t("field.canary.devices")]] });
    const size = field({ name: "canarySize", label: t("field.canary.size"), type: "number", min: 1, value: String(present.percent ?? present.devices ?? 1), oninput: write });
    const waits = ["PT1M", "PT5M", "PT10M", "PT30M", "PT1H"];
    const wait = field({ name: "canaryWait", label: t("field.canary.wait"), type: "select", value: present.wait ?? "PT5M", onchange: write,
      options: [...new Set([...waits, present.wait ?? "PT5M"])].map((one) => [one, durationText(one)]) });
    const most = field({ name: "canaryLimit", label: t("field.canary.limit"), type: "number", min: 0, max: 99, value: String(present.maxRejectedPercent ?? 10), oninput: write });
    for (const one of [size, wait, most]) one.node.hidden = !unit.value;
    needs(size, t("field.canary.size"), () => unit.value && !(Number(size.value) >= 1));
    needs(size, t("field.canary.size"), () => unit.value === "percent" && Number(size.value) > 50, () => t("field.canary.most"));
    needs(most, t("field.canary.limit"), () => unit.value && most.value === "");
    fields.push(unit);
    return h("div", { class: "fields", "data-member": "canary" }, unit.node, h("div", { class: "fields three" }, size.node, wait.node, most.node));
  }
}
