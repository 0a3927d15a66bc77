/// Users of an app, found by how their CUID begins.

import { get, offers, query } from "../api.js";
import { h } from "../dom.js";
import { empty, head } from "../parts/notice.js";
import { list } from "../parts/table.js";
import { enc, link, refine } from "../router.js";
import { number, t } from "../words.js";
import { needApp, searchField, whichApp } from "./common.js";

export async function peoplePage(context) {
  const { chosen, nothing } = needApp();
  if (nothing) return nothing;
  const prefix = context.query.q ?? "";
  const load = (cursor) => get(`/users${query({ appId: chosen.appId, prefix, cursor, limit: 50 })}`);
  const users = list({ caption: t("nav.people"), load,
    empty: prefix ? empty(t("people.none-such"), t("people.none-such.detail")) : empty(t("people.none"), t("people.none.detail")), columns: [
      { title: t("people.person"), lead: true, cell: (item) => [
        h("a", { class: "title", href: link(`/people/${enc(chosen.appId)}/${enc(item.clientUid)}`) }, item.clientName || item.clientUid), h("span", { class: "under" }, item.clientUid)] },
      { title: t("people.devices"), end: true, cell: (item) => number(item.devices) },
      { title: t("people.badge"), end: true, cell: (item) => number(item.badge) },
    ] });
  await users.ready;
  const hasExport = await offers("/exports/users");
  return h("div", null, head(t("nav.people"), { detail: whichApp(chosen), actions: [
    hasExport ? h("a", { class: "button", href: `/v1/admin/exports/users${query({ appId: chosen.appId, prefix })}`, download: `users-${chosen.appId}.csv` }, t("do.export")) : null] }),
  h("div", { class: "filters" }, searchField(t("people.search"), prefix, (q) => refine({ q, focus: 1 }))), users.node);
}
