/// Further parts of a message: whom a short message was asked for, and how far its shards are.

import { get, query } from "../api.js";
import { h } from "../dom.js";
import { empty, state } from "../parts/notice.js";
import { list } from "../parts/table.js";
import { enc, link } from "../router.js";
import { may } from "../session.js";
import { number, t, time, word } from "../words.js";

export async function fallbacksPart(context, seqno) {
  const found = list({ caption: t("message.fallbacks"), returning: context.returning, load: (cursor) => get(`/messages/${enc(seqno)}/fallbacks${query({ cursor, limit: 50 })}`), empty: empty(t("fallbacks.none")), columns: [
    { title: t("people.person"), lead: true, cell: (item) => (may("viewPeople") ? h("a", { class: "title", href: link(`/messages/${seqno}/people/${enc(item.clientUid)}`) }, item.clientUid) : item.clientUid) },
    { title: t("message.state"), fit: true, cell: (item) => word("fallback", item.state ?? item.decision) },
    { title: t("fallbacks.due"), fit: true, cell: (item) => time(item.dueAt) },
    { title: t("delivery.at"), fit: true, cell: (item) => time(item.decidedAt) },
  ] });
  await found.ready;
  return found.node;
}

export async function shardsPart(context, seqno) {
  let sums = null;
  const found = list({ caption: t("message.shards"), returning: context.returning, load: async (cursor) => {
    const page = await get(`/messages/${enc(seqno)}/shards${query({ cursor, limit: 50 })}`);
    sums ??= page;
    return page;
  }, empty: empty(t("shards.none"), t("shards.none.detail")), columns: [
    { title: t("shards.one"), lead: true, cell: (item) => h("b", { class: "number" }, number(item.shard)) },
    { title: t("shards.wave"), end: true, cell: (item) => number(item.wave) },
    { title: t("funnel.targeted"), end: true, cell: (item) => number(item.targeted) },
    { title: t("shards.claimed"), end: true, cell: (item) => number(item.claimed) },
    { title: t("message.state"), fit: true, cell: (item) => h("span", { class: `state ${item.exhausted ? "good" : "busy"}` }, t(item.exhausted ? "shards.done" : "shards.open")) },
  ] });
  await found.ready;
  return h("div", { class: "stack" }, h("p", { class: "soft" }, t("shards.detail"), " ", sums?.shards ? t("shards.sum", { done: number(sums.exhausted), n: number(sums.shards), claimed: number(sums.claimed), targeted: number(sums.targeted) }) : ""), found.node);
}
