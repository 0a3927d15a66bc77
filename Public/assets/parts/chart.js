/// Charts of what happened over time, drawn by Chart.js, with the same numbers as a table for whoever cannot see them.

import { h, renew } from "../dom.js";
import { colour } from "../theme.js";
import { language, number, t, timeText } from "../words.js";

let library = null;

/// The library comes from the system's package; without it there is only the table.
async function load() {
  library ??= import("../vendor/chart.js/chart.mjs").then((module) => {
    module.Chart.register(...module.registerables);
    return module.Chart;
  });
  return library;
}

const moments = {
  minute: { hour: "2-digit", minute: "2-digit" },
  hour: { month: "short", day: "numeric", hour: "2-digit" },
  day: { month: "short", day: "numeric" },
  week: { month: "short", day: "numeric" },
  month: { year: "numeric", month: "short" },
};

/// A chart of several lines or bars.
/// - points: moments; series: `{label, colour, values, isQuiet}`; unit: minute, hour, day, week or month; zone: the clock; absent: the browser's.
/// - href: where a point leads; null: nowhere.
/// - onLeave: takes what must happen when the page goes.
export function chart({ label, points, series, unit, kind = "line", isStacked = false, isLow = false, zone, href = null, onLeave }) {
  const canvas = h("canvas", { role: "img", "aria-label": t("chart.label", { label }) });
  const box = h("div", { class: `chart ${isLow ? "low" : ""}` }, canvas);
  let drawn;
  let isOver = false;
  const text = (moment) => timeText(moment, { ...moments[unit], timeZone: zone });

  load().then(async (Chart) => {
    // The page may still be waiting for its numbers: a chart is drawn where it can be measured.
    while (!box.isConnected && !isOver) await new Promise(requestAnimationFrame);
    if (isOver) return;
    drawn = new Chart(canvas, { type: kind, data: data(), options: options() });
  }).catch(() => box.replaceWith(h("p", { class: "soft small" }, t("chart.absent"))));

  function data() {
    return {
      labels: points.map(text),
      datasets: series.map((one) => ({
        label: one.label, data: one.values, borderColor: colour(one.colour), backgroundColor: colour(one.colour), borderWidth: kind === "line" ? (one.isQuiet ? 1.5 : 2) : 0,
        ...(one.isQuiet ? { borderDash: [4, 4], backgroundColor: `${colour(one.colour)}55`, stack: "earlier" } : {}),
        pointRadius: points.length > 40 ? 0 : 2, pointHitRadius: 12, tension: 0.25, maxBarThickness: 42, fill: false,
      })),
    };
  }

  function options() {
    const grid = { color: colour("line"), borderColor: colour("line") };
    const ticks = { color: colour("soft"), maxRotation: 0, autoSkipPadding: 18 };
    return {
      onClick: (_, found) => { if (href && found.length > 0) location.hash = href(points[found[0].index]); },
      responsive: true, maintainAspectRatio: false, animation: false, locale: language, interaction: { mode: "index", intersect: false },
      plugins: { legend: { display: series.length > 1, position: "bottom", align: "start", labels: { color: colour("ink"), boxWidth: 12, boxHeight: 12, padding: 16 } } },
      scales: { x: { stacked: isStacked, grid: { ...grid, display: false }, ticks }, y: { stacked: isStacked, beginAtZero: true, grid, ticks: { ...ticks, precision: 0, maxTicksLimit: 6 } } },
    };
  }

  const themed = () => {
    if (!drawn) return;
    drawn.data = data();
    drawn.options = options();
    drawn.update();
  };
  window.addEventListener("upmc-theme", themed);
  onLeave(() => {
    isOver = true;
    window.removeEventListener("upmc-theme", themed);
    drawn?.destroy();
  });
  const numbers = h("div", { class: "table-box" });
  const details = h("details", { class: "small", ontoggle: tell }, h("summary", null, t("chart.table")));
  return {
    node: h("figure", null, box, details),
    /// Takes other numbers of the same kind.
    update(newPoints, newSeries) {
      points = newPoints;
      series = newSeries;
      tell();
      if (drawn) {
        drawn.data = data();
        drawn.update();
      }
    },
  };

  /// The same numbers as a table, while it is open.
  function tell() {
    if (!details.open) return;
    if (!numbers.parentNode) details.append(numbers);
    renew(numbers, h("table", null, h("caption", { class: "unseen" }, label),
      h("thead", null, h("tr", null, h("th", { scope: "col" }, t("chart.time")), series.map((one) => h("th", { scope: "col", class: "end" }, one.label)))),
      h("tbody", null, points.map((point, index) => h("tr", null, h("th", { scope: "row" }, href ? h("a", { href: href(point) }, text(point)) : text(point)),
        series.map((one) => h("td", { class: "end" }, number(one.values[index]))))))));
  }
}

/// Numbers by moment with the empty moments filled in, so that silence is seen as such.
/// - points: where the units begin, ascending; an item belongs to the last that is not after it.
export function timeline(report, names, points) {
  const values = Object.fromEntries(names.map((name) => [name, points.map(() => 0)]));
  for (const item of report.items) {
    const at = new Date(item.at).getTime();
    let place = points.length - 1;
    while (place > 0 && points[place] > at) place -= 1;
    if (place >= 0) for (const name of names) values[name][place] += item[name] ?? 0;
  }
  return { points, values };
}
