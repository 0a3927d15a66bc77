/// What happened over time, compared with an earlier time, and divided by what; and when people read.

import { get, query } from "../api.js";
import { h } from "../dom.js";
import { chart, timeline } from "../parts/chart.js";
import { field } from "../parts/form.js";
import { heat } from "../parts/heat.js";
import { empty, head } from "../parts/notice.js";
import { countedBy, dateText, local, periodFields, periodNote, periodOf, pointsOf, scopeOf, statisticsTabs } from "../parts/period.js";
import { table } from "../parts/table.js";
import { link, refine } from "../router.js";
import { app, may } from "../session.js";
import { number, percent, t, word } from "../words.js";

const divisions = ["lane", "network", "app", "reason", "appVersion"];
const outcomes = ["accepted", "received", "read"];
const losses = ["rejected", "expired", "skipped", "cancelled"];
const people = ["joined", "left"];
const rankedDays = 400;

export async function statisticsPage(context) {
  const per = divisions.includes(context.query.per) ? context.query.per : "lane";
  let period = periodOf(context.query);
  let answers = await ask(period, per);
  const counted = countedBy(answers[0], period, context.query);
  if (counted) [period, answers] = [counted, await ask(counted, per)];
  const [report, divided, before, times] = answers;
  const { unit, zone } = period;
  const scope = scopeOf(period);
  const names = [...outcomes, ...losses, ...people];
  const points = pointsOf(period.from, period.to, unit, zone);
  const { values } = timeline(report, names, points);
  const old = before && timeline(before, names, pointsOf(period.earlier.from, period.earlier.to, unit, zone)).values;
  const toPoint = unit === "day" || unit === "week" || unit === "month" ? (point) => link("/statistics", { ...context.query, range: null, by: null, ...daysFrom(point, points, period) }) : null;
  const lines = (label, shown, colours, more = {}) => chart({ label, points, unit, zone, onLeave: context.onLeave, href: toPoint,
    series: [...shown.map((name, index) => ({ label: t(`funnel.${name}`), colour: colours[index], values: values[name] })),
      ...(old ? shown.map((name, index) => ({ label: t("statistics.earlier", { name: t(`funnel.${name}`) }), colour: colours[index], values: points.map((_, place) => old[name][place] ?? null), isQuiet: true })) : [])], ...more });
  const total = report.total;
  const days = { from: period.firstDay, to: period.lastDay };
  // Numbers are of the time at which something happened. Up to its end a message may have added to these; receipts and reads
  // come long after it, and which messages they are of in a period is not kept.
  const place = (name) => (people.includes(name) ? (may("viewPeople") ? "#/devices" : null)
    : ["received", "read"].includes(name) ? null : link("/messages", { during: `${scope.from}/${scope.to}`, purpose: "all" }));
  const nothing = report.items.length === 0;
  return h("div", null, head(t("nav.statistics"), { detail: app() ? app().name : t("app.all"),
    actions: [h("a", { class: "button", href: `/v1/admin/exports/statistics${query({ ...scope, by: unit })}`, download: `statistics-${days.from}-${days.to}.csv` }, t("do.export"))] }),
    statisticsTabs("over", context.query),
    h("div", { class: "filters" }, periodFields(period),
      field({ name: "per", label: t("statistics.per"), type: "select", value: per, options: divisions.map((name) => [name, t(`statistics.per.${name}`)]), onchange: (event) => refine({ per: event.target.value }) }).node),
    periodNote(period),
    h("dl", { class: "tiles" }, [...outcomes, ...losses.slice(0, 3), ...people].map((name) => h("div", { class: "tile" }, h("dt", null, t(`funnel.${name}`)),
      h("dd", null, place(name) ? h("a", { href: place(name) }, number(total[name])) : number(total[name])),
      h("dd", null, ["received", "read"].includes(name) ? [percent(total[name], total.accepted), before ? " · " : ""] : "", before ? difference(total[name], before.total[name], period.comparison) : "")))),
    nothing ? h("section", { class: "card" }, empty(t("statistics.none"), t("statistics.none.detail"), may("send") ? h("a", { class: "button main", href: "#/compose" }, t("nav.compose")) : null)) : h("div", { class: "grid two" },
      h("section", { class: "card" }, h("h2", null, t("statistics.outcomes")), lines(t("statistics.outcomes"), outcomes, ["accepted", "received", "read"]).node),
      h("section", { class: "card" }, h("h2", null, t("statistics.losses")), lines(t("statistics.losses"), losses, ["rejected", "skipped", "pending", "soft"], { kind: "bar", isStacked: true }).node),
      h("section", { class: "card" }, h("h2", null, t("statistics.people")), lines(t("statistics.people"), people, ["read", "rejected"], { kind: "bar" }).node),
      h("section", { class: "card" }, h("h2", null, t(`statistics.per.${per}`)), h("div", { class: "table-box" }, division(divided, per))),
      times ? h("section", { class: "card wide" }, h("h2", null, t("heat.title")), heat(times.items)) : null));
}

/// What the server says of a period: in all, divided, of the earlier period, and by hour of the week.
function ask(period, per) {
  const { unit } = period;
  const scope = scopeOf(period);
  const earlier = period.earlier && { from: new Date(period.earlier.from).toISOString(), to: new Date(period.earlier.to).toISOString() };
  const hasHours = period.to - period.from <= rankedDays * 86_400_000;
  return Promise.all([
    get(`/statistics${query({ ...scope, by: unit })}`), get(`/statistics${query({ ...scope, by: unit, per })}`),
    earlier ? get(`/statistics${query({ appId: scope.appId, ...earlier, by: unit })}`) : null,
    hasHours ? get(`/statistics/hours${query(scope)}`) : null]);
}

/// The days of a bar: from where it begins to the day before the next.
function daysFrom(point, points, period) {
  const next = points[points.indexOf(point) + 1] ?? period.to;
  return { from: dateText(local(Math.max(point, period.from), period.zone)), to: dateText(local(next - 1, period.zone)) };
}

/// How a number differs from the earlier one: short for the eye, a sentence for whoever hears it.
function difference(value, old, comparison) {
  const against = t(`statistics.compare.${comparison}`);
  if (old === 0) return h("span", { class: "nowrap" }, ` ${t("statistics.was", { old: number(old) })}`);
  const share = percent(Math.abs(value - old), Math.abs(old));
  const key = value > old ? "more" : value < old ? "less" : "same";
  return h("span", { class: "nowrap", title: t("statistics.was", { old: number(old) }) }, h("span", { "aria-hidden": "true" }, ` ${{ more: "▲", less: "▼", same: "=" }[key]} ${key === "same" ? "" : share}`),
    h("span", { class: "unseen" }, ` ${t(`statistics.${key}`, { share, against })}`));
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
