/// Choosing who gets a message: everyone, members, guests, users by CUID, groups, or a saved segment.

import { all, offers, query } from "../api.js";
import { h } from "../dom.js";
import { choices, field } from "./form.js";
import { t } from "../words.js";

/// - wanted: what the address asks for, such as a group. - changed: called after each change.
export async function audiencePart(appID, wanted, changed) {
  const [groups, segments] = await Promise.all([all("/groups", { appId: appID }).catch(() => []),
    offers(`/segments${query({ appId: appID, limit: 1 })}`).then((known) => (known ? all("/segments", { appId: appID }) : [])).catch(() => [])]);
  if (wanted.group && !groups.some((one) => one.groupSeq === wanted.group)) groups.push({ groupSeq: wanted.group, name: `GROUPSEQ ${wanted.group}` });
  let kind = wanted.clientUid ? "users" : wanted.group ? "groups" : wanted.device ? "devices" : "users";
  const users = field({ name: "clientUids", label: t("audience.users.label"), hint: t("audience.users.hint"), type: "area", rows: 3, code: true, value: wanted.clientUid ?? "", oninput: changed });
  const devices = field({ name: "devices", label: t("audience.devices"), type: "area", rows: 2, code: true, value: wanted.device ?? "", oninput: changed });
  const boxes = groups.map((group) => h("input", { type: "checkbox", value: group.groupSeq, checked: group.groupSeq === wanted.group, onchange: changed }));
  const groupList = h("fieldset", { class: "field" }, h("legend", null, t("nav.groups")), groups.length
    ? groups.map((group, index) => h("label", { class: "check" }, boxes[index], h("span", null, group.name))) : h("p", { class: "soft" }, t("groups.none")), h("p", { class: "hint" }, t("groups.subtree")));
  const segment = field({ name: "segment", label: t("nav.segments"), type: "select", value: wanted.segment ?? segments[0]?.segment ?? "", options: segments.map((one) => [one.segment, one.name]), onchange: changed });
  const kinds = ["users", "groups", segments.length ? "segment" : null, "members", "guests", "all", wanted.device ? "devices" : null].filter(Boolean);
  const parts = { users: users.node, groups: groupList, segment: segment.node, devices: devices.node };
  const show = () => {
    for (const [name, node] of Object.entries(parts)) node.hidden = name !== kind;
  };
  show();
  const words = (text) => text.split(/[\n,;]+/).map((one) => one.trim()).filter(Boolean);
  const picked = () => boxes.filter((box) => box.checked).map((box) => box.value);
  const values = {
    users: () => words(users.value).length ? { clientUids: words(users.value) } : null,
    devices: () => words(devices.value).length ? { devices: words(devices.value) } : null,
    groups: () => picked().length ? { groups: picked() } : null,
    segment: () => segment.value ? { segment: segment.value } : null,
    members: () => ({ members: true }), guests: () => ({ members: false }), all: () => ({ all: true }),
  };
  return {
    field: { ...users, name: "audience", pointer: "/audience", complain: users.complain },
    value: () => values[kind](),
    words: () => (kind === "groups" ? groups.filter((one) => picked().includes(one.groupSeq)).map((one) => one.name).join(", ") : t(`audience.${kind}`)),
    node: h("div", { class: "fields" }, choices({ name: "audience", label: t("audience.title"), value: kind, options: kinds.map((one) => [one, t(`audience.${one}`)]), choose: (one) => {
      kind = one;
      show();
      changed();
    } }), Object.values(parts)),
  };
}
