/// How fast a message goes out: as fast as possible, so many a second, or in batches.

import { h } from "../dom.js";
import { choices, field } from "./form.js";
import { t } from "../words.js";

const minutesOf = (wait) => {
  const match = /^PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?$/.exec(wait ?? "");
  return match ? Number(match[1] ?? 0) * 60 + Number(match[2] ?? 0) + Number(match[3] ?? 0) / 60 : 1;
};

/// Fields for a form. - pace: the present one; null: none.
export function paceField(changed = () => {}, pace = null) {
  const number = (name, label, value, pointer, more) => field({ name, label, type: "number", min: 1, value: String(value), pointer, oninput: changed, ...more });
  const perSecond = number("perSecond", t("pace.perSecond"), pace?.perSecond ?? 500, "/pace/perSecond", { max: 1_000_000 });
  const devices = number("devices", t("pace.devices"), pace?.devices ?? 1000, "/pace/devices");
  const minutes = number("minutes", t("pace.minutes"), pace?.wait ? minutesOf(pace.wait) : 1, "/pace/wait", { max: 1440, min: 0.1, step: "any" });
  const kind = { name: "pace", value: pace ? (pace.perSecond ? "second" : "portions") : "none", input: document.createElement("input"), pointer: "/pace", complain: () => {} };
  const show = () => {
    perSecond.node.hidden = kind.value !== "second";
    devices.node.hidden = kind.value !== "portions";
    minutes.node.hidden = kind.value !== "portions";
  };
  kind.node = choices({ name: "pace", label: t("pace.kind"), value: kind.value,
    options: [["none", t("pace.none")], ["second", t("pace.second")], ["portions", t("pace.portions")]], choose: (word) => {
      kind.value = word;
      show();
      changed();
    } });
  show();
  /// False while a number that is needed is being written.
  const isWhole = () => [perSecond, devices, minutes].every((one) => one.node.hidden || Number(one.value) > 0);
  return { fields: [kind, perSecond, devices, minutes], isWhole, node: h("div", { class: "fields" }, kind.node, h("div", { class: "fields pair" }, perSecond.node, devices.node, minutes.node)) };
}

/// What the API takes; null: no limit.
export function paceOf(made) {
  return paceValue(Object.fromEntries(made.fields.map((one) => [one.name, one.value])));
}

export function paceValue(values) {
  if (values.pace === "second") return { perSecond: Number(values.perSecond) };
  const minutes = Number(values.minutes);
  if (values.pace === "portions") return { devices: Number(values.devices), wait: Number.isInteger(minutes) ? `PT${minutes}M` : `PT${Math.round(minutes * 60)}S` };
  return null;
}
