/// Saved audiences by condition, with how many devices each would reach.

import { get, post, putTo, query, remove } from "../api.js";
import { h, put } from "../dom.js";
import { confirm, formDialog } from "../parts/dialog.js";
import { field } from "../parts/form.js";
import { knownGroups, oneGroup } from "../parts/groups.js";
import { complain, empty, head, say } from "../parts/notice.js";
import { segmentField } from "../parts/segment.js";
import { rowsOf, sentence } from "../parts/segment-rows.js";
import { list } from "../parts/table.js";
import { link } from "../router.js";
import { may } from "../session.js";
import { number, t, time } from "../words.js";
import { needApp, whichApp } from "./common.js";

export async function segmentsPage() {
  const { chosen, nothing } = needApp();
  if (nothing) return nothing;
  const manages = may("manageAudiences");
  const groups = await knownGroups(chosen.appId);
  const asked = new Map();
  /// A group that is not among them: asked for once, however many segments name it.
  const ask = (groupSeq) => {
    if (!asked.has(groupSeq)) asked.set(groupSeq, oneGroup(groupSeq));
    return asked.get(groupSeq);
  };
  const run = (action) => async () => {
    try {
      await action();
    } catch (problem) {
      complain(problem);
    }
  };
  const segments = list({ caption: t("nav.segments"), load: (cursor) => get(`/segments${query({ appId: chosen.appId, cursor, limit: 50 })}`), empty: empty(t("segments.none"), t("segments.none.detail")), columns: [
    { title: t("people.name"), lead: true, cell: (item) => [h("b", null, item.name), described(item.conditions, groups, ask)] },
    { title: t("templates.updated"), fit: true, cell: (item) => time(item.updatedAt) },
    { title: h("span", { class: "unseen" }, t("do.change")), end: true, cell: (item) => (manages ? h("div", { class: "row" },
      h("a", { class: "button small", href: link("/compose", { segment: item.segmentId }) }, t("person.send")), h("button", { class: "button small", onclick: run(() => edit(item)) }, t("do.change")),
      h("button", { class: "button small bad", onclick: run(async () => {
        if (!await confirm({ title: t("do.remove"), bad: true, action: t("do.remove"), body: h("p", null, item.name) })) return;
        await remove(`/segments/${item.segmentId}`);
        segments.reload();
      }) }, t("do.remove"))) : "") },
  ] });
  await segments.ready;

  async function edit(item) {
    const conditions = await segmentField(chosen.appId, item?.conditions ?? { seen: { within: "P30D" } });
    const saved = await formDialog({ title: item?.name ?? t("segments.new"), wide: true, fields: [field({ name: "name", label: t("people.name"), value: item?.name ?? "", required: true }), conditions],
      save: (values) => item ? putTo(`/segments/${item.segmentId}`, values) : post("/segments", { appId: chosen.appId, ...values }) });
    if (!saved) return;
    segments.reload();
    const count = await post("/segment-counts", { appId: chosen.appId, conditions: saved.conditions }).catch(() => null);
    if (count) say(t("segments.count", { n: number(count.devices) }));
  }
  return h("div", null, head(t("nav.segments"), { detail: whichApp(chosen), actions: [manages ? h("button", { class: "button main", id: "new-segment", onclick: run(() => edit(null)) }, t("segments.new")) : null] }), segments.node);
}

/// A segment's conditions in words, or as JSON if they are too complex. Loads groups that are not at the top, through `ask`.
function described(conditions, groups, ask) {
  const known = rowsOf(conditions);
  if (!known) return h("code", { class: "under" }, JSON.stringify(conditions));
  return h("ul", { class: "picked under" }, known.rows.map((row, index) => h("li", { class: "row" },
    index ? h("span", null, t(`segments.and.${known.join}`)) : null, chip(row, groups, ask))));
}

function chip(row, groups, ask) {
  const shown = h("span", { class: "chip plain" }, sentence(row, groups));
  if (row.kind === "groups" && may("viewPeople") && !groups.some((one) => one.groupSeq === row.which)) {
    ask(row.which).then((group) => put(shown, sentence(row, [group])));
  }
  return shown;
}
