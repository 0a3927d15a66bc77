/// All messages, newest first.

import { get, query } from "../api.js";
import { h } from "../dom.js";
import { field } from "../parts/form.js";
import { miniFunnel } from "../parts/funnel.js";
import { every } from "../parts/live.js";
import { empty, head, state } from "../parts/notice.js";
import { list, table } from "../parts/table.js";
import { link, refine } from "../router.js";
import { app, may } from "../session.js";
import { t, time, word } from "../words.js";
import { messageTitle } from "./common.js";

const states = ["scheduled", "queued", "sending", "paused", "completed", "cancelled", "expired", "failed"];
const lanes = ["urgent", "normal", "bulk"];

function columns() {
  return [
    { title: t("message.title"), lead: true, cell: (item) => [h("a", { class: "title", href: link(`/messages/${item.seqno}`) }, messageTitle(item)),
      h("span", { class: "under" }, [item.seqno, item.appId, item.resendOf && t("message.resend-of", { seqno: item.resendOf })].filter(Boolean).join(" · "))] },
    { title: t("message.state"), fit: true, cell: (item) => state(item.state) },
    { title: t("message.lane"), fit: true, cell: (item) => word("lane", item.lane) },
    { title: t("message.funnel"), cell: miniFunnel },
    { title: t("message.when"), fit: true, cell: (item) => (item.sendAt ? [time(item.sendAt), h("span", { class: "under" }, t("message.scheduled"))] : time(item.createdAt)) },
  ];
}

export async function messagesPage(context) {
  const { state: wantedState, lane, day } = context.query;
  const path = (cursor) => `/messages${query({ appId: app()?.appId, state: wantedState, lane, cursor, limit: 50,
    from: day ? new Date(`${day}T00:00:00`).toISOString() : null,
    to: day ? new Date(new Date(`${day}T00:00:00`).getTime() + 86_400_000).toISOString() : null })}`;
  const load = (cursor) => get(path(cursor));
  const messages = list({ caption: t("nav.messages"), columns: columns(), load,
    empty: wantedState || lane || day ? empty(t("messages.none-such"), t("messages.none-such.detail"))
      : empty(t("messages.none"), t("messages.none.detail"), may("send") ? h("a", { class: "button main", href: "#/compose" }, t("nav.compose")) : null) });
  // While the first page is all there is to see, it keeps up with what happens.
  context.onLeave(every(4000, async () => {
    if (messages.items.length === 0 || messages.items.length > 50 || messages.node.contains(document.activeElement)) return;
    const page = await load();
    if (context.stale()) return;
    messages.items = page.items;
    messages.node.querySelector("table")?.replaceWith(table(t("nav.messages"), columns(), page.items));
  }));
  await messages.ready;
  const select = (name, label, value, words, group) => field({ name, label, type: "select", value: value ?? "",
    options: [["", t("filter.all")], ...words.map((one) => [one, word(group, one)])], onchange: (event) => refine({ [name]: event.target.value }) }).node;
  return h("div", null,
    head(t("nav.messages"), { actions: [may("send") ? h("a", { class: "button main", href: "#/compose" }, t("nav.compose")) : null] }),
    h("div", { class: "filters" }, select("state", t("message.state"), wantedState, states, "state"), select("lane", t("message.lane"), lane, lanes, "lane"),
      field({ name: "day", label: t("filter.day"), type: "date", value: day ?? "", onchange: (event) => refine({ day: event.target.value }) }).node),
    messages.node);
}
