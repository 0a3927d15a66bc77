/// What happened over time, and divided by what.

import { get, query } from "../api.js";
import { h } from "../dom.js";
import { chart, timeline } from "../parts/chart.js";
import { field } from "../parts/form.js";
import { empty, head } from "../parts/notice.js";
import { table } from "../parts/table.js";
import { refine } from "../router.js";
import { app } from "../session.js";
import { number, percent, t, word } from "../words.js";

/// Ranges: how long, and in which unit.
const ranges = { hour: [3_600_000, "minute"], day: [86_400_000, "hour"], week: [7 * 86_400_000, "hour"], month: [30 * 86_400_000, "day"], year: [365 * 86_400_000, "day"] };
const divisions = ["lane", "network", "app", "reason", "appVersion"];
const outcomes = ["accepted", "received", "read"];
const losses = ["rejected", "expired", "skipped", "cancelled"];
const people = ["joined", "left"];

export async function statisticsPage(context) {
  const range = context.query.range in ranges ? context.query.range : "day";
  const per = divisions.includes(context.query.per) ? context.query.per : "lane";
  const [length, unit] = ranges[range];
  const to = new Date(Math.ceil((Date.now() + 1000) / 1000) * 1000);
  const scope = { appId: app()?.appId, from: new Date(to - length).toISOString(), to: to.toISOString(), by: unit };
  const [report, divided] = await Promise.all([get(`/statistics${query(scope)}`), get(`/statistics${query({ ...scope, by: unit === "minute" ? "minute" : "day", per })}`)]);
  const { points, values } = timeline(report, unit, [...outcomes, ...losses, ...people]);
  const lines = (label, names, colours, more = {}) => chart({ label, points, unit, onLeave: context.onLeave,
    series: names.map((name, index) => ({ label: t(`funnel.${name}`), colour: colours[index], values: values[name] })), ...more });
  const total = report.total;
  const nothing = report.items.length === 0;
  return h("div", null, head(t("nav.statistics"), { detail: app() ? app().name : t("app.all") }),
    h("div", { class: "filters" },
      field({ name: "range", label: t("statistics.range"), type: "select", value: range, options: Object.keys(ranges).map((name) => [name, t(`statistics.${name}`)]), onchange: (event) => refine({ range: event.target.value }) }).node,
      field({ name: "per", label: t("statistics.per"), type: "select", value: per, options: divisions.map((name) => [name, t(`statistics.per.${name}`)]), onchange: (event) => refine({ per: event.target.value }) }).node),
    h("dl", { class: "tiles" }, [...outcomes, ...losses.slice(0, 2), ...people].map((name) => h("div", { class: "tile" }, h("dt", null, t(`funnel.${name}`)), h("dd", null, number(total[name])),
      h("dd", null, ["received", "read"].includes(name) ? percent(total[name], total.accepted) : "")))),
    nothing ? h("section", { class: "card" }, empty(t("statistics.none"), t("statistics.none.detail"))) : h("div", { class: "grid two" },
      h("section", { class: "card" }, h("h2", null, t("statistics.outcomes")), lines(t("statistics.outcomes"), outcomes, ["accepted", "received", "read"]).node),
      h("section", { class: "card" }, h("h2", null, t("statistics.losses")), lines(t("statistics.losses"), losses, ["rejected", "skipped", "pending", "soft"], { kind: "bar", isStacked: true }).node),
      h("section", { class: "card" }, h("h2", null, t("statistics.people")), lines(t("statistics.people"), people, ["read", "rejected"], { kind: "bar" }).node),
      h("section", { class: "card" }, h("h2", null, t(`statistics.per.${per}`)), h("div", { class: "table-box" }, division(divided, per)))));
}

/// Sums by what the report is divided by.
function division(report, per) {
  const member = { app: "appId", network: "pnsId" }[per] ?? per;
  const sums = new Map();
  for (const item of report.items) {
    const name = item[member] ?? "";
    const sum = sums.get(name) ?? Object.fromEntries([...outcomes, ...losses].map((one) => [one, 0]));
    for (const one of Object.keys(sum)) sum[one] += item[one];
    sums.set(name, sum);
  }
  const weight = (sum) => sum.accepted + sum.rejected + sum.expired + sum.skipped + sum.received;
  const rows = [...sums].sort((one, other) => weight(other[1]) - weight(one[1])).slice(0, 50);
  const named = (name) => (name === "" ? t(`statistics.no.${per}`) : per === "lane" ? word("lane", name) : per === "reason" ? word("reason", name) : name);
  const shown = per === "lane" || per === "app" ? [...outcomes, "rejected"] : per === "reason" ? losses : ["accepted", "rejected", "expired", "skipped"];
  return table(t(`statistics.per.${per}`), [{ title: t(`statistics.per.${per}`), lead: true, cell: ([name]) => h("b", null, named(name)) },
    ...shown.map((one) => ({ title: t(`funnel.${one}`), end: true, cell: ([, sum]) => number(sum[one]) }))], rows);
}
