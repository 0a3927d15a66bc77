/// Messages, newest first: campaigns, single sends and tests apart, so that none is buried under the others.

import { get, query } from "../api.js";
import { h } from "../dom.js";
import { field } from "../parts/form.js";
import { miniFunnel } from "../parts/funnel.js";
import { every } from "../parts/live.js";
import { empty, head, note, state } from "../parts/notice.js";
import { clock, instant } from "../parts/period.js";
import { list } from "../parts/table.js";
import { link, noteQuery } from "../router.js";
import { app, may } from "../session.js";
import { language, t, time, word } from "../words.js";
import { messageTitle, searchField } from "./common.js";

const states = ["open", "scheduled", "queued", "sending", "paused", "completed", "cancelled", "expired", "failed"];
const lanes = ["urgent", "normal", "bulk"];
const purposes = ["campaign", "single", "test", "all"];

const columns = () => [
  { title: t("message.title"), lead: true, cell: (item) => [h("a", { class: "title", href: link(`/messages/${item.seqno}`) }, messageTitle(item)),
    h("span", { class: "under" }, [item.seqno, item.appId, item.resendOf && t("message.resend-of", { seqno: item.resendOf })].filter(Boolean).join(" · "))] },
  { title: t("message.state"), fit: true, cell: (item) => state(item.state) },
  { title: t("message.lane"), fit: true, cell: (item) => word("lane", item.lane) },
  { title: t("message.funnel"), cell: miniFunnel },
  { title: t("approvals.by"), cell: (item) => [item.requestedBy ?? "", item.sender ? h("span", { class: "under" }, item.sender) : null] },
  { title: t("message.when"), fit: true, cell: (item) => (item.sendAt ? [time(item.sendAt), h("span", { class: "under" }, t("message.scheduled"))] : time(item.createdAt)) },
];

export async function messagesPage(context) {
  const purpose = purposes.includes(context.query.purpose) ? context.query.purpose : "campaign";
  const wanted = { state: "", lane: "", from: "", to: "", q: "", sender: "", ...context.query };
  const zone = clock();
  const midnight = (text, after = 0) => {
    const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
    return match ? new Date(instant({ year: +match[1], month: +match[2], day: +match[3] + after }, zone)).toISOString() : null;
  };
  const during = momentsOf(wanted.during);
  const load = (cursor) => get(`/messages${query({ appId: app()?.appId, purpose: purpose === "all" ? null : purpose, state: wanted.state, lane: wanted.lane, text: wanted.q, sender: wanted.sender,
    from: midnight(wanted.from), to: during?.to ?? midnight(wanted.to, 1), activeFrom: during?.from, cursor, limit: 50 })}`);
  const isFiltered = () => ["state", "lane", "from", "to", "q", "sender"].some((name) => wanted[name]) || during !== null;
  const messages = list({ caption: t(`purpose.${purpose}`), columns: columns(), load, key: (item) => item.seqno, returning: context.returning,
    empty: () => (isFiltered() ? empty(t("messages.none-such"), t("messages.none-such.detail"))
      : empty(t("messages.none"), t(`messages.none.${purpose}`), may("send") && purpose !== "single" ? h("a", { class: "button main", href: "#/compose" }, t("nav.compose")) : null)) });
  // While the first page is all there is to see, it keeps up with what happens.
  context.onLeave(every(4000, () => messages.refresh()));
  await messages.ready;
  const narrow = (name) => (value) => {
    wanted[name] = value;
    noteQuery({ [name]: value });
    return messages.restart();
  };
  const select = (name, label, words, group) => field({ name, label, type: "select", value: wanted[name],
    options: [["", t("filter.all")], ...words.map((one) => [one, word(group, one)])], onchange: (event) => narrow(name)(event.target.value) }).node;
  const day = (name, label) => field({ name, label, type: "date", value: wanted[name], onchange: (event) => narrow(name)(event.target.value) }).node;
  return h("div", null,
    head(t("nav.messages"), { actions: [may("send") ? h("a", { class: "button main", href: "#/compose" }, t("nav.compose")) : null] }),
    h("nav", { class: "tabs", "aria-label": t("messages.kinds") }, purposes.map((one) => h("a", { href: link("/messages", { purpose: one === "campaign" ? null : one }), "aria-current": one === purpose ? "page" : null }, t(`purpose.${one}`)))),
    h("div", { class: "filters" }, searchField(t("messages.search"), wanted.q, narrow("q")), select("state", t("message.state"), states, "state"), select("lane", t("message.lane"), lanes, "lane"),
      searchField(t("field.sender"), wanted.sender, narrow("sender"), { name: "sender", type: "text" }), during ? null : day("from", t("filter.from")), during ? null : day("to", t("filter.to"))),
    during ? note("", h("span", { id: "during" }, t("messages.during", { from: on(during.from, zone), to: on(during.to, zone), zone })), " ",
      h("a", { href: link("/messages", { ...context.query, during: null }) }, t("messages.during.all")))
      : wanted.from || wanted.to ? h("p", { class: "soft small period" }, t("messages.clock", { zone })) : null,
    messages.node);
}

/// The two moments of `from/to`; null: they are none.
function momentsOf(text) {
  const [from, to] = (text ?? "").split("/").map((one) => new Date(one));
  return to && from < to ? { from: from.toISOString(), to: to.toISOString() } : null;
}

const on = (moment, zone) => new Intl.DateTimeFormat(language, { timeZone: zone, dateStyle: "medium", timeStyle: "short" }).format(new Date(moment));
