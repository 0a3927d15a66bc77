/// The campaigns of a period, the best first.

import { get, query } from "../api.js";
import { h } from "../dom.js";
import { field } from "../parts/form.js";
import { empty, head } from "../parts/notice.js";
import { periodFields, periodNote, periodOf, scopeOf, statisticsTabs } from "../parts/period.js";
import { list } from "../parts/table.js";
import { link, noteQuery, refine } from "../router.js";
import { app, may } from "../session.js";
import { number, percent, t, time, word } from "../words.js";
import { messageTitle, searchField } from "./common.js";

const orders = ["newest", "targeted", "accepted", "received", "read"];
const kinds = ["notice", "ad", "essential"];

export async function campaignRankingPage(context) {
  const period = periodOf(context.query, "month");
  const sort = orders.includes(context.query.sort) ? context.query.sort : "read";
  const kind = kinds.includes(context.query.kind) ? context.query.kind : "";
  const wanted = { q: context.query.q ?? "", sender: context.query.sender ?? "" };
  const scope = scopeOf(period);
  const asked = () => ({ ...scope, sort, kind, text: wanted.q, sender: wanted.sender });
  const heading = (order, title) => (order === sort ? h("span", null, `${title} ▼`) : h("a", { href: link("/statistics/campaigns", { ...context.query, ...wanted, sort: order }) }, title));
  const share = (item, part, whole) => [percent(item[part], whole), h("span", { class: "under" }, number(item[part]))];
  const columns = [
    { title: t("message.title"), lead: true, cell: (item) => [h("a", { class: "title", href: link(`/messages/${item.seqno}`) }, messageTitle(item)),
      h("span", { class: "under" }, [item.seqno, item.appId, word("kind", item.kind), item.sender].filter(Boolean).join(" · "))] },
    { title: heading("newest", t("message.when")), label: t("message.when"), fit: true, cell: (item) => time(item.createdAt) },
    { title: heading("targeted", t("funnel.targeted")), label: t("funnel.targeted"), end: true, cell: (item) => number(item.targeted) },
    ...["accepted", "received", "read"].map((name) => ({ title: heading(name, t(`funnel.${name}`)), label: t(`funnel.${name}`), end: true,
      cell: (item) => share(item, name, name === "accepted" ? item.targeted : item.accepted) })),
  ];
  const isFiltered = () => kind || wanted.q || wanted.sender;
  const ranking = list({ caption: t("statistics.tab.campaigns"), columns, key: (item) => item.seqno, returning: context.returning,
    load: (cursor) => get(`/statistics/campaigns${query({ ...asked(), cursor, limit: 50 })}`),
    empty: () => (isFiltered() ? empty(t("messages.none-such"), t("messages.none-such.detail")) : empty(t("statistics.none"), t("statistics.none.detail"), may("send") ? h("a", { class: "button main", href: "#/compose" }, t("nav.compose")) : null)) });
  await ranking.ready;
  const select = (name, label, value, options) => field({ name, label, type: "select", value, options, onchange: (event) => refine({ [name]: event.target.value }) }).node;
  const file = h("a", { class: "button", download: `campaigns-${period.firstDay}-${period.lastDay}.csv` }, t("do.export"));
  const tellFile = () => file.setAttribute("href", `/v1/admin/exports/campaigns${query(asked())}`);
  tellFile();
  const narrow = (name) => (text) => {
    wanted[name] = text;
    noteQuery({ [name]: text });
    tellFile();
    return ranking.restart();
  };
  return h("div", null, head(t("statistics.tab.campaigns"), { detail: app() ? app().name : t("app.all"), crumb: h("a", { href: "#/statistics" }, t("nav.statistics")),
    actions: [file] }),
    statisticsTabs("campaigns", context.query),
    h("div", { class: "filters" }, periodFields(period, { hasUnits: false, hasComparison: false }),
      select("sort", t("ranking.sort"), sort, orders.map((one) => [one, t(`ranking.sort.${one}`)])),
      select("kind", t("compose.kind"), kind, [["", t("filter.all")], ...kinds.map((one) => [one, word("kind", one)])]),
      searchField(t("messages.search"), wanted.q, narrow("q")), searchField(t("field.sender"), wanted.sender, narrow("sender"), { name: "sender", type: "text" })),
    periodNote(period), h("p", { class: "soft small period" }, t("ranking.detail")), ranking.node);
}
