/// The people of one message: what became of each device, and which did not get it.

import { get, query } from "../api.js";
import { h } from "../dom.js";
import { field } from "../parts/form.js";
import { empty, state } from "../parts/notice.js";
import { list } from "../parts/table.js";
import { enc, go, link, refine } from "../router.js";
import { may } from "../session.js";
import { t, time, word } from "../words.js";

const statuses = ["accepted", "rejected", "expired", "cancelled", "skipped", "pending"];

/// - tab: people or failures.
export async function messagePeople(context, seqno, tab, funnel = {}) {
  const { status, reason } = context.query;
  const reasons = [...new Set([...Object.keys(funnel.reasons ?? {}), reason].filter(Boolean))];
  /// The file is of those that are listed.
  const wanted = tab === "failures" ? { status: "failed", reason } : { status };
  const path = (cursor) => (tab === "failures"
    ? `/messages/${enc(seqno)}/failures${query({ reason, cursor, limit: 50 })}` : `/messages/${enc(seqno)}/deliveries${query({ status, cursor, limit: 50 })}`);
  const person = (item) => {
    if (!item.clientUid) return h("span", { class: "soft" }, t("people.guest"));
    if (!may("viewPeople")) return item.clientUid;
    return h("a", { class: "title", href: link(`/messages/${seqno}/people/${enc(item.clientUid)}`) }, item.clientUid);
  };
  const deliveries = list({ caption: t(`message.${tab}`), returning: context.returning, load: (cursor) => get(path(cursor)), empty: empty(t("people-of.none"), t("people-of.none.detail")), columns: [
    { title: t("people.person"), lead: true, cell: (item) => [person(item), h("span", { class: "under mono" }, item.device)] },
    { title: t("delivery.status"), fit: true, cell: (item) => state(item.status, "delivery") },
    { title: t("delivery.reason"), cell: (item) => (item.reason ? [word("reason", item.reason), word("reason", item.reason) === item.reason ? null : h("code", { class: "under" }, item.reason)] : "") },
    { title: t("delivery.received"), fit: true, cell: (item) => (item.receivedAt ? time(item.receivedAt) : "") },
    { title: t("delivery.read"), fit: true, cell: (item) => (item.readAt ? time(item.readAt) : "") },
    { title: t("delivery.at"), fit: true, cell: (item) => time(item.at, { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit" }) },
  ] });
  await deliveries.ready;
  const filter = tab === "failures"
    ? field({ name: "reason", label: t("delivery.reason"), type: "select", value: reason ?? "", options: [["", t("filter.all")], ...reasons.map((one) => [one, word("reason", one) === one ? one : `${word("reason", one)} (${one})`])],
      onchange: (event) => refine({ reason: event.target.value }) })
    : field({ name: "status", label: t("delivery.status"), type: "select", value: status ?? "", options: [["", t("filter.all")], ...statuses.map((one) => [one, word("delivery", one)])],
      onchange: (event) => refine({ status: event.target.value }) });
  const who = field({ name: "clientUid", label: t("explain.who"), placeholder: "CUID", code: true });
  return h("div", null,
    h("div", { class: "filters" }, filter.node,
      may("viewPeople") ? h("form", { class: "row", onsubmit: (event) => {
        event.preventDefault();
        if (who.value.trim()) go(`/messages/${seqno}/people/${enc(who.value.trim())}`);
      } }, who.node, h("button", { class: "button", id: "explain" }, t("explain.do"))) : null,
      may("exportPeople") ? h("a", { class: "button", href: `/v1/admin/exports/deliveries${query({ seqno, ...wanted })}`, download: `message-${seqno}.csv` }, t("do.export")) : null),
    deliveries.node);
}
