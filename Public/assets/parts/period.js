/// The period that a page of statistics is about: a preset or dates, on the app's clock; and an earlier one to compare it with.

import { h } from "../dom.js";
import { field } from "./form.js";
import { refine } from "../router.js";
import { app, apps } from "../session.js";
import { t } from "../words.js";

/// Presets: how long, and in which unit they are divided at first.
const presets = { hour: [3_600_000, "minute"], day: [86_400_000, "hour"], week: [7 * 86_400_000, "hour"], month: [30 * 86_400_000, "day"], year: [365 * 86_400_000, "day"] };
const dayLength = 86_400_000;
/// The longest period of each unit, and for how long the server keeps it, in days.
const longest = { minute: 1, hour: 62, day: 1000, week: 3660, month: 3660 };
const kept = { minute: 3, hour: 400 };
const comparisons = ["none", "before", "week", "month", "year"];

/// The clock by which days are counted: the app's, or the one that all apps share; else, and if the browser does not know
/// that one, the browser's.
export function clock() {
  const zones = new Set((app() ? [app()] : apps).map((one) => one.timeZone).filter(Boolean));
  const [zone] = zones;
  return zones.size === 1 && isKnown(zone) ? zone : Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/// Whether the browser can tell the time of a zone.
function isKnown(zone) {
  try {
    return Boolean(new Intl.DateTimeFormat("en", { timeZone: zone }));
  } catch {
    return false;
  }
}

/// The period by the clock that the server has counted by, if that is another than the period's: the server takes UTC's
/// while its database does not know the app's. Null: the same, or none that could be shown.
export const countedBy = (report, period, asked) => (report.timeZone && report.timeZone !== period.zone && isKnown(report.timeZone) ? periodOf(asked, "day", report.timeZone) : null);

/// The date and time of a moment on a clock.
export function local(moment, zone) {
  const parts = new Intl.DateTimeFormat("en", { timeZone: zone, hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" }).formatToParts(moment);
  const of = (type) => Number(parts.find((part) => part.type === type).value);
  return { year: of("year"), month: of("month"), day: of("day"), hour: of("hour"), minute: of("minute"), second: of("second") };
}

/// The moment at which a clock shows this. Where the clock jumps over it: as soon after as it jumps.
export function instant({ year, month, day, hour = 0, minute = 0, second = 0 }, zone) {
  const wanted = Date.UTC(year, month - 1, day, hour, minute, second);
  const shown = (at) => {
    const one = local(at, zone);
    return Date.UTC(one.year, one.month - 1, one.day, one.hour, one.minute, one.second);
  };
  const guess = wanted - (shown(wanted) - wanted);
  return guess - (shown(guess) - wanted);
}

const dayOf = (text) => {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text ?? "");
  const date = match && new Date(`${text}T00:00:00Z`);
  return date && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text) ? { year: +match[1], month: +match[2], day: +match[3] } : null;
};
const two = (value) => String(value).padStart(2, "0");
export const dateText = ({ year, month, day }) => `${year}-${two(month)}-${two(day)}`;

function moved(one, { days = 0, months = 0 }) {
  const date = new Date(Date.UTC(one.year, one.month - 1 + months, 1));
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(months === 0 ? one.day : Math.min(one.day, last));
  date.setUTCDate(date.getUTCDate() + days);
  return { ...one, year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

/// The period of an address: `{zone, from, to, preset, firstDay, lastDay, unit, units, comparison, earlier}`; moments in milliseconds.
export function periodOf(asked, usual = "day", zone = clock()) {
  const [first, last] = [dayOf(asked.from), dayOf(asked.to)];
  const hasDates = first && last && dateText(first) <= dateText(last);
  const preset = hasDates ? null : asked.range in presets ? asked.range : usual;
  const now = Math.ceil((Date.now() + 1000) / 1000) * 1000;
  const from = hasDates ? instant(first, zone) : now - presets[preset][0];
  const to = hasDates ? instant(moved(last, { days: 1 }), zone) : now;
  const comparison = comparisons.includes(asked.compare) ? asked.compare : "none";
  const earlier = comparison === "none" ? null : before(from, to, zone, hasDates, comparison);
  const oldest = Math.min(from, earlier?.from ?? from);
  const days = (to - from) / dayLength;
  const units = Object.keys(longest).filter((unit) => days <= longest[unit] + 0.05 && days * dayLength / stepOf[unit] >= 1 && now - oldest <= (kept[unit] ?? Infinity) * dayLength);
  const own = preset ? presets[preset][1] : days <= 2.05 ? "hour" : days <= 92 ? "day" : days <= 400 ? "week" : "month";
  const unit = units.includes(asked.by) ? asked.by : units.includes(own) ? own : units.includes("day") ? "day" : units.at(-1) ?? "day";
  return { zone, from, to, preset, firstDay: dateText(hasDates ? first : local(from, zone)), lastDay: dateText(hasDates ? last : local(to - 1, zone)), unit, units, comparison, earlier,
    isCoarse: !units.includes(own) };
}

const stepOf = { minute: 60_000, hour: 3_600_000, day: dayLength * 0.95, week: dayLength * 6.9, month: dayLength * 27.9 };

function before(from, to, zone, hasDates, comparison) {
  if (comparison === "before" && !hasDates) return { from: from - (to - from), to: from };
  const days = Math.round((to - from) / dayLength);
  const by = { before: { days: -days }, week: { days: -7 }, month: { months: -1 }, year: { months: -12 } }[comparison];
  const shift = (moment) => instant(moved(local(moment, zone), by), zone);
  return { from: shift(from), to: comparison === "before" ? from : shift(to) };
}

/// Where the units of a period begin, on its clock.
export function pointsOf(from, to, unit, zone) {
  const points = [];
  if (unit === "minute" || unit === "hour") {
    const step = stepOf[unit];
    for (let at = Math.floor(from / step) * step; at < to && points.length < 1500; at += step) points.push(at);
    return points;
  }
  let { year, month, day } = local(from, zone);
  if (unit === "week") ({ year, month, day } = moved({ year, month, day }, { days: -((new Date(Date.UTC(year, month - 1, day)).getUTCDay() + 6) % 7) }));
  if (unit === "month") day = 1;
  const by = { day: { days: 1 }, week: { days: 7 }, month: { months: 1 } }[unit];
  for (let one = { year, month, day }; points.length < 1500; one = moved(one, by)) {
    const at = instant(one, zone);
    if (at >= to) return points;
    points.push(at);
  }
  return points;
}

/// What the server is asked with.
export const scopeOf = (period) => ({ appId: app()?.appId, from: new Date(period.from).toISOString(), to: new Date(period.to).toISOString() });

/// The fields that choose a period.
export function periodFields(period, { hasUnits = true, hasComparison = true } = {}) {
  const select = (name, label, value, options, chosen) => field({ name, label, type: "select", value, options, onchange: (event) => refine(chosen(event.target.value)) }).node;
  const day = (name, label, value) => field({ name, label, type: "date", value, max: "9999-12-31", onchange: (event) => {
    if (!dayOf(event.target.value)) return;
    const days = { from: period.firstDay, to: period.lastDay, [name]: event.target.value };
    // The other end follows, so that no period ends before it begins.
    if (days.from > days.to) days[name === "from" ? "to" : "from"] = event.target.value;
    refine({ ...days, range: null });
  } }).node;
  return [
    select("range", t("statistics.range"), period.preset ?? "dates", [...(period.preset ? [] : [["dates", t("statistics.dates")]]), ...Object.keys(presets).map((name) => [name, t(`statistics.${name}`)])],
      (range) => (range === "dates" ? {} : { range, from: null, to: null })),
    day("from", t("filter.from"), period.firstDay), day("to", t("filter.to"), period.lastDay),
    hasUnits ? select("by", t("statistics.by"), period.unit, period.units.map((unit) => [unit, t(`statistics.by.${unit}`)]), (by) => ({ by })) : null,
    hasComparison ? select("compare", t("statistics.compare"), period.comparison, comparisons.map((one) => [one, t(`statistics.compare.${one}`)]), (compare) => ({ compare: compare === "none" ? null : compare })) : null,
  ];
}

/// The clock in words, and that finer numbers are not kept so long.
export const periodNote = (period) => h("p", { class: "soft small period" }, [t("statistics.clock", { zone: period.zone }), period.isCoarse ? t("statistics.coarse") : ""].filter(Boolean).join(" "));

/// The pages of statistics.
export const statisticsTabs = (here, asked) => {
  const search = new URLSearchParams(Object.entries(asked).filter(([name, value]) => ["range", "from", "to"].includes(name) && value));
  const tail = search.size ? `?${search}` : "";
  return h("nav", { class: "tabs", "aria-label": t("nav.statistics") }, [["over", "/statistics"], ["campaigns", "/statistics/campaigns"]].map(([name, path]) =>
    h("a", { href: `#${path}${tail}`, "aria-current": name === here ? "page" : null }, t(`statistics.tab.${name}`))));
};
