/// An app's test groups: named people who get a message before everyone does.

import { get } from "../api.js";
import { h, put } from "../dom.js";
import { confirm } from "../parts/dialog.js";
import { complain, empty, head, say } from "../parts/notice.js";
import { table } from "../parts/table.js";
import { dropTestGroup, saveTestGroup, testGroupForm } from "../parts/testers.js";
import { enc } from "../router.js";
import { t } from "../words.js";
import { needApp, whichApp } from "./common.js";

export async function testGroupsPage() {
  const { chosen, nothing } = needApp();
  if (nothing) return nothing;
  const path = `/apps/${enc(chosen.appId)}/test-groups`;
  const box = h("div", { class: "table-box" });
  let { groups } = await get(path);

  const draw = () => put(box, groups.length === 0 ? empty(t("testers.none"), t("testers.none.detail")) : table(t("nav.testers"), [
    { title: t("people.name"), lead: true, cell: (one) => h("b", null, one.name) },
    { title: t("testers.people"), cell: (one) => one.clientUids.join(", ") },
    { title: h("span", { class: "unseen" }, t("do.change")), end: true, cell: (one) => h("div", { class: "row" },
      h("button", { class: "button small", "aria-label": t("testers.change-one", { name: one.name }), onclick: () => edit(one) }, t("do.change")),
      h("button", { class: "button small bad", "aria-label": t("saved.remove-one", { name: one.name }), onclick: () => takeOut(one) }, t("do.remove"))) },
  ], groups));

  async function edit(group) {
    const saved = await testGroupForm(group, async (made) => { ({ groups } = await saveTestGroup(path, made, group.isNew ? null : group.name)); });
    if (!saved) return;
    say(t("do.saved"));
    draw();
  }

  async function takeOut(group) {
    if (!await confirm({ title: t("do.remove"), bad: true, action: t("do.remove"), body: h("p", null, group.name) })) return;
    try {
      ({ groups } = await dropTestGroup(path, group.name));
      draw();
    } catch (problem) {
      complain(problem);
    }
  }

  draw();
  return h("div", null, head(t("nav.testers"), { detail: whichApp(chosen) ?? t("testers.detail"), actions: [
    h("button", { class: "button main", id: "new-test-group", onclick: () => edit({ isNew: true }) }, t("testers.new"))] }), box);
}
