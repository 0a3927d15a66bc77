/// Who gets a test of what is being written: people by CUID, remembered in this browser, and the app's test groups.

import { get, putTo } from "../api.js";
import { h, put } from "../dom.js";
import { formDialog } from "./dialog.js";
import { field } from "./form.js";
import { enc } from "../router.js";
import { may } from "../session.js";
import { number, t } from "../words.js";

const stored = (key) => localStorage.getItem(key) ?? "";

/// Returns `{node, clientUids(), focus()}`.
export async function testersPart(appId) {
  const path = `/apps/${enc(appId)}/test-groups`;
  const keys = { me: `upmc.me.${appId}`, groups: `upmc.testers.${appId}` };
  const me = field({ name: "me", label: t("compose.me"), value: stored(keys.me), hint: t("compose.me.hint"), code: true, placeholder: "CUID, CUID" });
  let { groups } = await get(path);
  const chosen = new Set(stored(keys.groups).split("\n").filter((name) => groups.some((one) => one.name === name)));
  const typed = () => me.value.split(/[\s,;]+/).filter(Boolean);
  const list = h("div");

  const draw = () => put(list, groups.length === 0 ? null : h("fieldset", { class: "field", id: "test-groups" }, h("legend", null, t("nav.testers")),
    groups.map((one) => h("label", { class: "check" }, h("input", { type: "checkbox", value: one.name, checked: chosen.has(one.name), onchange: (event) => {
      if (event.target.checked) chosen.add(one.name);
      else chosen.delete(one.name);
    } }), h("span", null, one.name, " ", h("span", { class: "soft small", title: one.clientUids.join(", ") }, t("groups.count", { n: number(one.clientUids.length) })))))));

  async function make() {
    const made = await testGroupForm({ isNew: true, clientUids: typed() }, async (group) => { ({ groups } = await saveTestGroup(path, group)); });
    if (!made) return;
    chosen.add(made.name);
    draw();
  }

  draw();
  return {
    node: h("div", { class: "fields" }, me.node, list, may("manageContent") ? h("div", { class: "row" },
      h("button", { class: "button small", type: "button", id: "save-test-group", onclick: make }, t("testers.save")), h("a", { class: "small", href: "#/test-groups" }, t("testers.all"))) : null),
    focus: () => me.input.focus(),
    /// Everyone once; who is chosen is remembered.
    clientUids: () => {
      localStorage.setItem(keys.me, me.value.trim());
      localStorage.setItem(keys.groups, [...chosen].join("\n"));
      return [...new Set([...typed(), ...groups.filter((one) => chosen.has(one.name)).flatMap((one) => one.clientUids)])];
    },
  };
}

/// A form for a group. `save(group)` stores it. Resolves to the group, or undefined.
export function testGroupForm(group, save) {
  return formDialog({ title: t(group.isNew ? "testers.new" : "testers.change"), fields: [
    field({ name: "name", label: t("people.name"), value: group.name ?? "", required: true, pointer: "/name" }),
    field({ name: "clientUids", label: t("groups.add.who"), hint: t("groups.add.hint"), type: "area", rows: 5, code: true, required: true, value: (group.clientUids ?? []).join("\n"), pointer: "/clientUids" })],
  save: async (values) => {
    const made = { name: values.name.trim(), clientUids: [...new Set(values.clientUids.split(/[\s,;]+/).filter(Boolean))] };
    await save(made);
    return made;
  } });
}

/// The groups of an app besides this one, with those that others have made meanwhile.
const others = async (path, name) => (await get(path)).groups.filter((one) => one.name !== name);

/// Removes a group of an app.
export async function dropTestGroup(path, name) {
  return putTo(path, { groups: await others(path, name) });
}

/// Stores a group among an app's others; `former` is the one that it replaces. What is wrong with it is told at its fields.
export async function saveTestGroup(path, group, former = null) {
  const rest = await others(path, former);
  try {
    return await putTo(path, { groups: [...rest, group] });
  } catch (problem) {
    const own = `/groups/${rest.length}`;
    problem.errors = problem.errors?.map((one) => ({ ...one, pointer: one.pointer.startsWith(own) ? one.pointer.slice(own.length) : one.pointer }));
    throw problem;
  }
}
