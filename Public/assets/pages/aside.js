/// Devices in quarantine because a push network refused their tokens: why, how many, and their release, one by one,
/// all of a reason, or all.

import { get, post, query } from "../api.js";
import { h, put } from "../dom.js";
import { confirm } from "../parts/dialog.js";
import { complain, empty, head, say } from "../parts/notice.js";
import { list, table } from "../parts/table.js";
import { link, refine } from "../router.js";
import { number, t, time, word } from "../words.js";
import { needApp, whichApp } from "./common.js";

/// A reason in words, with the network's own word below.
const reasonCell = (reason) => [word("reason", reason), word("reason", reason) === reason ? null : h("code", { class: "under" }, reason)];

export async function asidePage(context) {
  const { chosen, nothing } = needApp();
  if (nothing) return nothing;
  const wanted = context.query.reason ?? "";
  const reasons = h("div");
  const devices = list({ caption: t("nav.aside"), load: (cursor) => get(`/quarantine${query({ appId: chosen.appId, reason: wanted, cursor, limit: 50 })}`),
    empty: empty(t("aside.none"), t("aside.none.detail")), columns: [
      { title: t("device.one"), lead: true, cell: (item) => [h("a", { class: "title mono", href: link(`/devices/${item.device}`) }, `${item.psidPrefix}…`), h("span", { class: "under" }, item.clientUid ?? t("people.guest"))] },
      { title: t("device.network"), fit: true, cell: (item) => [item.pnsId, h("span", { class: "under" }, word("environment", item.environment))] },
      { title: t("delivery.reason"), cell: (item) => reasonCell(item.reason) },
      { title: t("message.one"), fit: true, cell: (item) => (item.seqno ? h("a", { href: link(`/messages/${item.seqno}`) }, item.seqno) : "") },
      { title: t("aside.since"), fit: true, cell: (item) => time(item.at) },
      { title: h("span", { class: "unseen" }, t("aside.restore")), end: true, cell: (item) => h("button", { class: "button small", onclick: () => restore({ device: item.device }) }, t("aside.restore")) },
    ] });
  await Promise.all([devices.ready, count()]);

  /// Why devices are here, and how many: the first look of somebody who asks what went wrong.
  async function count() {
    const found = (await get(`/quarantine/reasons${query({ appId: chosen.appId })}`)).reasons;
    put(reasons, found.length === 0 ? null : h("section", { class: "card", id: "reasons" }, h("h2", null, t("aside.reasons")), h("div", { class: "table-box" }, table(t("aside.reasons"), [
      { title: t("delivery.reason"), lead: true, cell: (one) => reasonCell(one.reason) },
      { title: t("device.network"), fit: true, cell: (one) => one.pnsId },
      { title: t("aside.devices"), end: true, cell: (one) => h("b", { class: "number", "data-reason": one.reason }, number(one.devices)) },
      { title: t("aside.latest"), fit: true, cell: (one) => time(one.latest) },
      { title: h("span", { class: "unseen" }, t("aside.restore")), end: true, cell: (one) => h("div", { class: "row" },
        h("button", { class: "button small", "aria-pressed": String(one.reason === wanted), "data-show": one.reason, onclick: () => refine({ reason: one.reason === wanted ? "" : one.reason }) }, t(one.reason === wanted ? "aside.show-all" : "do.show")),
        h("button", { class: "button small", "data-restore": one.reason, onclick: () => restoreReason(one) }, t("aside.restore"))) },
    ], found))));
  }

  async function restore(which) {
    try {
      const answer = await post("/quarantine/restore", { appId: chosen.appId, ...which });
      say(t("aside.restored", { n: number(answer.restored) }));
      devices.reload();
      await count();
    } catch (problem) {
      complain(problem);
    }
  }

  async function restoreReason({ reason, devices: n }) {
    const isSure = await confirm({ title: t("aside.restore"), action: t("aside.restore"), body: h("p", null, t("aside.reason.body", { app: chosen.name || chosen.appId, reason: word("reason", reason), n: number(n) })) });
    if (isSure) restore({ reason });
  }

  async function restoreAll() {
    const isSure = await confirm({ title: t("aside.all"), action: t("aside.all"), body: h("p", null, t("aside.all.body", { app: chosen.name || chosen.appId })) });
    if (isSure) restore({ all: true });
  }

  return h("div", null, head(t("nav.aside"), { detail: [t("aside.detail"), " ", whichApp(chosen)], actions: [
    devices.items.length ? h("button", { class: "button", onclick: restoreAll }, t("aside.all")) : null] }),
  h("div", { class: "stack" }, reasons, h("div", null, wanted ? h("h2", null, t("aside.only", { reason: word("reason", wanted) })) : null, devices.node)));
}
