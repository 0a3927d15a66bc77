/// Reads by weekday and hour of the app's clock: darker where more was read.

import { h } from "../dom.js";
import { empty } from "./notice.js";
import { language, number, percent, t } from "../words.js";

const levels = 5;
/// 2024-01-01 was a Monday.
const weekdayName = (weekday, style = "short") => new Intl.DateTimeFormat(language, { weekday: style, timeZone: "UTC" }).format(Date.UTC(2024, 0, weekday));
const hourName = (hour) => `${String(hour).padStart(2, "0")}:00`;

/// Fewer reads than these say nothing about an hour.
const leastReads = 100;

/// The best weekday and hour, with how many reads it is taken from; that they are too few, where they are; null: nothing was read.
export function bestHour(items) {
  const total = items.reduce((sum, item) => sum + item.read, 0);
  if (total === 0) return null;
  if (total < leastReads) return t("heat.few", { n: number(total), least: number(leastReads) });
  const best = items.reduce((one, other) => (other.read > one.read ? other : one));
  return t("heat.sentence", { weekday: weekdayName(best.weekday, "long"), from: hourName(best.hour), to: hourName((best.hour + 1) % 24), share: percent(best.read, total), reads: number(best.read), n: number(total) });
}

export function heat(items) {
  const reads = new Map(items.map((item) => [item.weekday * 24 + item.hour, item.read]));
  const of = (weekday, hour) => reads.get(weekday * 24 + hour) ?? 0;
  const most = Math.max(0, ...reads.values());
  if (most <= 0) return empty(t("heat.none"), t("heat.none.detail"));
  const best = items.find((item) => item.read === most);
  const hours = Array.from({ length: 24 }, (_, hour) => hour);
  const byHour = hours.map((hour) => [hour, [1, 2, 3, 4, 5, 6, 7].reduce((sum, weekday) => sum + of(weekday, hour), 0)]).sort((one, other) => other[1] - one[1])[0];
  return h("div", null,
    h("p", { id: "best-hour" }, bestHour(items)), h("p", null, t("heat.best", { hour: hourName(byHour[0]), reads: number(byHour[1]), weekday: weekdayName(best.weekday, "long"), at: hourName(best.hour), most: number(most) })),
    h("div", { class: "heat-box", tabindex: "0", role: "region", "aria-label": t("heat.title") }, h("table", { class: "heat" }, h("caption", { class: "unseen" }, t("heat.title")),
      h("thead", null, h("tr", null, h("td"), hours.map((hour) => h("th", { scope: "col" }, String(hour))))),
      h("tbody", null, [1, 2, 3, 4, 5, 6, 7].map((weekday) => h("tr", null, h("th", { scope: "row" }, weekdayName(weekday)),
        hours.map((hour) => h("td", { class: `heat-${of(weekday, hour) > 0 ? Math.ceil(of(weekday, hour) / most * levels) : 0}`, title: `${weekdayName(weekday)} ${hourName(hour)}: ${number(of(weekday, hour))}` },
          h("span", { class: "unseen" }, number(of(weekday, hour))))))))),
    ));
}
