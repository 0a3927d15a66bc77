/// Choosing who gets a message: everyone, members, guests, users by CUID or from a file, groups, or a saved segment.

import { all, offers } from "../api.js";
import { h } from "../dom.js";
import { csvPart } from "./csv.js";
import { choices, field } from "./form.js";
import { may } from "../session.js";
import { t } from "../words.js";

/// - wanted: what the address asks for, such as a group. - changed: called after each change.
export async function audiencePart(appID, wanted, changed) {
  const [groups, segments] = await Promise.all([may("viewPeople") ? all("/groups", { appId: appID }).catch(() => []) : [],
    offers("/segments").then((known) => (known ? all("/segments", { appId: appID }) : [])).catch(() => [])]);
  if (wanted.group && !groups.some((one) => one.groupSeq === wanted.group)) groups.push({ groupSeq: wanted.group, name: `GROUPSEQ ${wanted.group}` });
  let kind = wanted.clientUid ? "users" : wanted.group ? "groups" : wanted.device ? "devices" : wanted.segment ? "segment" : "users";
  const users = field({ name: "clientUids", label: t("audience.users.label"), hint: t("audience.users.hint"), type: "area", rows: 3, code: true, value: wanted.clientUid ?? "", oninput: changed });
  const devices = field({ name: "devices", label: t("audience.devices"), type: "area", rows: 2, code: true, value: wanted.device ?? "", oninput: changed });
  const boxes = groups.map((group) => h("input", { type: "checkbox", value: group.groupSeq, checked: group.groupSeq === wanted.group, onchange: changed }));
  const groupList = h("fieldset", { class: "field" }, h("legend", null, t("nav.groups")), groups.length
    ? groups.map((group, index) => h("label", { class: "check" }, boxes[index], h("span", null, group.name))) : h("p", { class: "soft" }, t("groups.none")), h("p", { class: "hint" }, t("groups.subtree")));
  const segment = field({ name: "segment", label: t("nav.segments"), type: "select", value: wanted.segment ?? segments[0]?.segment ?? "", options: segments.map((one) => [one.segment, one.name]), onchange: changed });
  const csv = csvPart(appID, changed);
  const kinds = ["users", "csv", may("viewPeople") ? "groups" : null, segments.length ? "segment" : null, "members", "guests", "all", wanted.device ? "devices" : null].filter(Boolean);
  const parts = { users: users.node, groups: groupList, segment: segment.node, devices: devices.node, csv: csv.node };
  const show = () => {
    for (const [name, node] of Object.entries(parts)) node.hidden = name !== kind;
  };
  show();
  const words = (text) => text.split(/[\n,;]+/).map((one) => one.trim()).filter(Boolean);
  const picked = () => boxes.filter((box) => box.checked).map((box) => box.value);
  const values = {
    csv: csv.value,
    users: () => words(users.value).length ? { clientUids: words(users.value) } : null,
    devices: () => words(devices.value).length ? { devices: words(devices.value) } : null,
    groups: () => picked().length ? { groups: picked() } : null,
    segment: () => segment.value ? { segment: segment.value } : null,
    members: () => ({ members: true }), guests: () => ({ members: false }), all: () => ({ all: true }),
  };
  return {
    field: { ...users, name: "audience", pointer: "/audience", complain: users.complain },
    value: () => values[kind](),
    words: () => (kind === "groups" ? groups.filter((one) => picked().includes(one.groupSeq)).map((one) => one.name).join(", ") : kind === "csv" ? csv.words() : t(`audience.${kind}`)),
    node: h("div", { class: "fields" }, choices({ name: "audience", label: t("audience.title"), value: kind, options: kinds.map((one) => [one, t(`audience.${one}`)]), choose: (one) => {
      kind = one;
      show();
      changed();
    } }), Object.values(parts)),
  };
}
