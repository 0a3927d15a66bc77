/// Users of an app, found by how their CUID or their name begins.

import { get, query } from "../api.js";
import { h } from "../dom.js";
import { empty, head } from "../parts/notice.js";
import { list } from "../parts/table.js";
import { enc, link, noteQuery } from "../router.js";
import { may } from "../session.js";
import { number, t } from "../words.js";
import { findPeople, needApp, searchField, whichApp } from "./common.js";

export async function peoplePage(context) {
  const { chosen, nothing } = needApp();
  if (nothing) return nothing;
  let q = context.query.q ?? "";
  const load = async (cursor) => {
    if (isNamed && cursor) return get(`/users${query({ appId: chosen.appId, name: q, cursor, limit: 50 })}`);
    if (cursor || !q) return get(`/users${query({ appId: chosen.appId, prefix: q, cursor, limit: 50 })}`);
    const asked = q;
    const found = await findPeople(chosen.appId, asked, 50);
    // An older answer says nothing about what is looked for now.
    if (asked === q) isNamed = found.isNamed;
    return found;
  };
  let isNamed = false;
  const users = list({ caption: t("nav.people"), load,
    returning: context.returning, empty: () => (q ? empty(t("people.none-such"), t("people.none-such.detail")) : empty(t("people.none"), t("people.none.detail"))), columns: [
      { title: t("people.person"), lead: true, cell: (item) => [
        h("a", { class: "title", href: link(`/people/${enc(chosen.appId)}/${enc(item.clientUid)}`) }, item.clientName || item.clientUid), h("span", { class: "under" }, item.clientUid)] },
      { title: t("people.devices"), end: true, cell: (item) => number(item.devices) },
      { title: t("people.badge"), end: true, cell: (item) => number(item.badge) },
    ] });
  await users.ready;
  const file = may("exportPeople") ? h("a", { class: "button", id: "export-people", download: `users-${chosen.appId}.csv` }, t("do.export")) : null;
  /// The file is of those that are listed. By their names there is none.
  const tellFile = () => {
    file?.setAttribute("href", `/v1/admin/exports/users${query({ appId: chosen.appId, prefix: q })}`);
    if (file) file.hidden = q !== "" && isNamed;
  };
  tellFile();
  return h("div", null, head(t("nav.people"), { detail: whichApp(chosen), actions: [file] }),
  h("div", { class: "filters" }, searchField(t("people.search"), q, (wanted) => {
    q = wanted;
    noteQuery({ q });
    tellFile();
    return users.restart().then(tellFile);
  })), users.node);
}
