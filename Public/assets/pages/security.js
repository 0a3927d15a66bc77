/// One's own account: the second factor, and where it is signed in.

import { get, query, remove } from "../api.js";
import { h } from "../dom.js";
import { confirm } from "../parts/dialog.js";
import { complain, head, say } from "../parts/notice.js";
import { list } from "../parts/table.js";
import { t, time, word } from "../words.js";
import { factorSection } from "./second-factor.js";

export async function securityPage() {
  const places = list({ caption: t("places.title"), load: (cursor) => get(`/sessions${query({ cursor, limit: 50 })}`), empty: h("p"), columns: [
    { title: t("audit.from"), lead: true, cell: (item) => [h("b", null, item.origin), item.current ? h("span", { class: "under" }, t("places.here")) : null] },
    { title: t("places.by"), fit: true, cell: (item) => word("places.by", item.by) },
    { title: t("places.since"), fit: true, cell: (item) => time(item.createdAt) },
    { title: t("keys.used"), fit: true, cell: (item) => time(item.usedAt) },
    { title: h("span", { class: "unseen" }, t("places.end")), end: true, cell: (item) => (item.current ? ""
      : h("button", { class: "button small bad", "aria-label": t("places.end-one", { origin: item.origin }), onclick: () => end(item) }, t("places.end"))) },
  ] });
  await places.ready;

  async function end(item) {
    try {
      await remove(`/sessions/${item.sessionId}`);
      say(t("places.ended"));
      places.reload();
    } catch (problem) {
      complain(problem);
    }
  }

  async function endOthers() {
    if (!await confirm({ title: t("places.end-others"), action: t("places.end-others"), bad: true, body: h("p", null, t("places.end-others.body")) })) return;
    try {
      await remove("/sessions");
      say(t("places.ended"));
      places.reload();
    } catch (problem) {
      complain(problem);
    }
  }

  return h("div", null, head(t("security.title"), { detail: t("security.detail") }), factorSection(),
    h("section", { class: "card", id: "places" }, h("h2", null, t("places.title")), places.node,
      h("div", { class: "foot row" }, h("button", { class: "button", id: "end-others", onclick: endOthers }, t("places.end-others")))));
}
