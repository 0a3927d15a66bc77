/// Choosing who gets a message: everyone, members, guests, users by CUID or from a file, groups, or a saved segment. What is
/// chosen stands in a plain object, so that it can be kept and copied.

import { all } from "../api.js";
import { h } from "../dom.js";
import { csvPart } from "./csv.js";
import { choices, field } from "./form.js";
import { groupBoxes, groupName, knownGroups } from "./groups.js";
import { may } from "../session.js";
import { t } from "../words.js";

/// The entries of a list as people write it.
const listed = (text) => text.split(/[\n,;]+/).map((one) => one.trim()).filter(Boolean);

/// Whether entries are the same when they are written as a list and read again: one may hold a comma.
const canBeListed = (entries) => JSON.stringify(listed(entries.join("\n"))) === JSON.stringify(entries);

/// What is chosen, of the audience of a request; of none: nothing yet.
export function audienceState(audience) {
  const state = { kind: "users", users: "", devices: "", groups: [], segment: "", csv: null, sample: null, raw: null };
  if (!audience) return state;
  if (audience.all) state.kind = "all";
  else if (audience.members !== undefined) state.kind = audience.members ? "members" : "guests";
  else if (audience.clientUids && canBeListed(audience.clientUids)) Object.assign(state, { kind: "users", users: audience.clientUids.join("\n") });
  else if (audience.devices) Object.assign(state, { kind: "devices", devices: audience.devices.join("\n") });
  else if (audience.groups) Object.assign(state, { kind: "groups", groups: audience.groups.map(String) });
  else if (audience.csv) Object.assign(state, { kind: "csv", csv: { csvId: audience.csv } });
  else if (audience.segment && typeof audience.segment !== "object") Object.assign(state, { kind: "segment", segment: String(audience.segment) });
  else Object.assign(state, { kind: "raw", raw: audience });
  return state;
}

/// What of it means something in another app: groups, segments and files belong to one.
export function elsewhere(state) {
  return ["groups", "segment", "csv", "raw"].includes(state.kind) ? audienceState(null) : { ...state, groups: [], segment: "", csv: null, sample: null };
}

/// - state: is changed by the fields. - changed: called after each change.
export async function audiencePart(appID, state, changed) {
  const [groups, segments] = await Promise.all([knownGroups(appID, state.groups), all("/segments", { appId: appID })]);
  if (state.kind === "segment" && state.segment && !segments.some((one) => one.segmentId === state.segment)) segments.push({ segmentId: state.segment, name: state.segment });
  state.segment ||= segments[0]?.segmentId ?? "";
  const write = (name) => (event) => {
    state[name] = event.target.value;
    changed();
  };
  const users = field({ name: "clientUids", label: t("audience.users.label"), hint: t("audience.users.hint"), type: "area", rows: 3, code: true, value: state.users, pointer: "/audience", oninput: write("users") });
  const devices = field({ name: "devices", label: t("audience.devices"), type: "area", rows: 2, code: true, value: state.devices, oninput: write("devices") });
  const groupList = h("fieldset", { class: "field" }, h("legend", null, t("nav.groups")), groupBoxes(appID, groups, () => state.groups, (chosen) => {
    state.groups = chosen;
    changed();
  }), h("p", { class: "hint" }, t("groups.subtree")));
  const segment = field({ name: "segment", label: t("nav.segments"), type: "select", value: state.segment, options: segments.map((one) => [one.segmentId, one.name]), onchange: write("segment") });
  const csv = csvPart(appID, state, changed);
  const raw = h("div", { class: "field" }, h("p", { class: "hint" }, t("audience.raw.hint")), h("pre", { tabindex: "0" }, JSON.stringify(state.raw, null, 1)));
  const kinds = ["users", "csv", may("viewPeople") ? "groups" : null, segments.length ? "segment" : null, "members", "guests", "all", state.kind === "devices" ? "devices" : null, state.raw ? "raw" : null].filter(Boolean);
  const parts = { users: users.node, groups: groupList, segment: segment.node, devices: devices.node, csv: csv.node, raw };
  const show = () => {
    for (const [name, node] of Object.entries(parts)) node.hidden = name !== state.kind;
    if (state.kind === "csv") csv.look();
  };
  show();
  const values = {
    csv: csv.value,
    users: () => (listed(state.users).length ? { clientUids: listed(state.users) } : null),
    devices: () => (listed(state.devices).length ? { devices: listed(state.devices) } : null),
    groups: () => (state.groups.length ? { groups: state.groups } : null),
    segment: () => (state.segment ? { segment: state.segment } : null),
    members: () => ({ members: true }), guests: () => ({ members: false }), all: () => ({ all: true }), raw: () => state.raw,
  };
  const few = (list) => list.slice(0, 3).join(", ") + (list.length > 3 ? ` ${t("audience.more", { n: list.length - 3 })}` : "");
  const words = {
    groups: () => `${t("audience.groups")}: ${few(groups.filter((one) => state.groups.includes(one.groupSeq)).map(groupName))}`,
    csv: csv.words, users: () => `${t("audience.users")}: ${few(listed(state.users))}`,
    segment: () => `${t("audience.segment")}: ${segments.find((one) => one.segmentId === state.segment)?.name ?? ""}`,
  };
  return {
    field: { ...users, name: "audience", pointer: "/audience", complain: users.complain },
    value: () => values[state.kind]?.() ?? null,
    words: () => words[state.kind]?.() ?? t(`audience.${state.kind}`),
    /// The first user who is named; null: none is.
    first: () => (state.kind === "users" ? listed(state.users)[0] ?? null : null),
    node: h("div", { class: "fields", "data-member": "audience" }, choices({ name: "audience", label: t("audience.title"), value: state.kind, options: kinds.map((one) => [one, t(`audience.${one}`)]), choose: (one) => {
      state.kind = one;
      show();
      changed();
    } }), Object.values(parts)),
  };
}
