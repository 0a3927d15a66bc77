/// What was sent to a person, and what became of it on each device.

import { get, query } from "../api.js";
import { h } from "../dom.js";
import { empty, state } from "../parts/notice.js";
import { list } from "../parts/table.js";
import { enc, link } from "../router.js";
import { t, time, word } from "../words.js";

export async function personMessages(appID, clientUid) {
  const devices = (item, cell) => item.devices.map((one) => h("div", null, cell(one)));
  const name = (item) => (item.confidential ? t("history.confidential") : item.title ?? t("history.untitled"));
  const messages = list({ caption: t("history.title"), empty: empty(t("history.none"), t("history.none.detail")),
    load: (cursor) => get(`/users/${enc(clientUid)}/messages${query({ appId: appID, cursor, limit: 20 })}`), columns: [
      { title: t("history.message"), lead: true, cell: (item) => [
        h("a", { class: "title", href: link(`/messages/${item.seqno}/people/${enc(clientUid)}`) }, name(item)),
        h("span", { class: "under" }, h("a", { class: "mono", href: link(`/messages/${item.seqno}`) }, item.seqno), ` · ${[word("lane", item.lane), item.sender].filter(Boolean).join(" · ")}`)] },
      { title: t("delivery.status"), fit: true, cell: (item) => devices(item, (one) => [state(one.status, "delivery"),
        one.reason ? h("span", { class: "under" }, word("reason", one.reason)) : null]) },
      { title: t("delivery.received"), fit: true, cell: (item) => devices(item, (one) => (one.receivedAt ? time(one.receivedAt) : "–")) },
      { title: t("delivery.read"), fit: true, cell: (item) => devices(item, (one) => (one.readAt ? time(one.readAt) : "–")) },
      { title: t("history.fallback"), fit: true, cell: (item) => (item.fallback ? word("fallback", item.fallback.state) : "") },
      { title: t("history.at"), fit: true, cell: (item) => time(item.sendAt ?? item.createdAt) },
    ] });
  await messages.ready;
  return h("section", { class: "card", id: "history" }, h("h2", null, t("history.title")), messages.node);
}
