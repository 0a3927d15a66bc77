/// Devices that are put aside because a push network refused their tokens; giving them back.

import { get, post, query } from "../api.js";
import { h } from "../dom.js";
import { confirm } from "../parts/dialog.js";
import { complain, empty, head, say } from "../parts/notice.js";
import { list } from "../parts/table.js";
import { link } from "../router.js";
import { t, time, word } from "../words.js";
import { needApp, whichApp } from "./common.js";

export async function asidePage() {
  const { chosen, nothing } = needApp();
  if (nothing) return nothing;
  const devices = list({ caption: t("nav.aside"), load: (cursor) => get(`/quarantine${query({ appId: chosen.appId, cursor, limit: 50 })}`),
    empty: empty(t("aside.none"), t("aside.none.detail")), columns: [
      { title: t("device.one"), lead: true, cell: (item) => [h("a", { class: "title mono", href: link(`/devices/${item.device}`) }, `${item.psidPrefix}…`), h("span", { class: "under" }, item.clientUid ?? t("people.guest"))] },
      { title: t("device.network"), fit: true, cell: (item) => [item.pnsId, h("span", { class: "under" }, word("environment", item.environment))] },
      { title: t("delivery.reason"), cell: (item) => [word("reason", item.reason), word("reason", item.reason) === item.reason ? null : h("code", { class: "under" }, item.reason)] },
      { title: t("message.one"), fit: true, cell: (item) => (item.seqno ? h("a", { href: link(`/messages/${item.seqno}`) }, item.seqno) : "") },
      { title: t("aside.since"), fit: true, cell: (item) => time(item.at) },
      { title: h("span", { class: "unseen" }, t("aside.restore")), end: true, cell: (item) => h("button", { class: "button small", onclick: () => restore({ device: item.device }) }, t("aside.restore")) },
    ] });
  await devices.ready;

  async function restore(which) {
    try {
      const answer = await post("/quarantine/restore", { appId: chosen.appId, ...which });
      say(t("aside.restored", { n: answer.restored }));
      devices.reload();
    } catch (problem) {
      complain(problem);
    }
  }

  async function restoreAll() {
    const isSure = await confirm({ title: t("aside.all"), action: t("aside.all"), body: h("p", null, t("aside.all.body", { app: chosen.name || chosen.appId })) });
    if (isSure) restore({ all: true });
  }

  return h("div", null, head(t("nav.aside"), { detail: [t("aside.detail"), " ", whichApp(chosen)], actions: [
    devices.items.length ? h("button", { class: "button", onclick: restoreAll }, t("aside.all")) : null] }), devices.node);
}
