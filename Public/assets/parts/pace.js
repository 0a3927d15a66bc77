/// How fast a message goes out: as fast as possible, so many a second, or in portions.

import { h } from "../dom.js";
import { choices, field } from "./form.js";
import { t } from "../words.js";

/// Fields for a form; `paceValue` makes of their values what the API takes.
export function paceField(changed = () => {}) {
  const perSecond = field({ name: "perSecond", label: t("pace.perSecond"), type: "number", min: 1, max: 1_000_000, value: "500", pointer: "/pace/perSecond", oninput: changed });
  const devices = field({ name: "devices", label: t("pace.devices"), type: "number", min: 1, value: "1000", pointer: "/pace/devices", oninput: changed });
  const minutes = field({ name: "minutes", label: t("pace.minutes"), type: "number", min: 1, max: 1440, value: "1", pointer: "/pace/wait", oninput: changed });
  const kind = { name: "pace", value: "none", input: document.createElement("input"), pointer: "/pace", complain: () => {} };
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
  const isWhole = () => [perSecond, devices, minutes].every((one) => one.node.hidden || Number(one.value) >= 1);
  return { fields: [kind, perSecond, devices, minutes], isWhole, node: h("div", { class: "fields" }, kind.node, h("div", { class: "fields pair" }, perSecond.node, devices.node, minutes.node)) };
}

/// null: no limit.
export function paceValue(values) {
  if (values.pace === "second") return { perSecond: Number(values.perSecond) };
  if (values.pace === "portions") return { devices: Number(values.devices), wait: `PT${Number(values.minutes)}M` };
  return null;
}
