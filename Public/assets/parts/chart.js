/// Charts of what happened over time, drawn by Chart.js, with the same numbers as a table for whoever cannot see them.

import { h } from "../dom.js";
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
};

/// A chart of several lines or bars.
/// - points: moments; series: `{label, colour, values}`; unit: minute, hour or day.
/// - onLeave: takes what must happen when the page goes.
export function chart({ label, points, series, unit, kind = "line", isStacked = false, isLow = false, onLeave }) {
  const canvas = h("canvas", { role: "img", "aria-label": t("chart.label", { label }) });
  const box = h("div", { class: `chart ${isLow ? "low" : ""}` }, canvas);
  let drawn;
  let isOver = false;
  const text = (moment) => timeText(moment, moments[unit]);

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
        label: one.label, data: one.values, borderColor: colour(one.colour), backgroundColor: colour(one.colour), borderWidth: kind === "line" ? 2 : 0,
        pointRadius: points.length > 40 ? 0 : 2, pointHitRadius: 12, tension: 0.25, maxBarThickness: 42, fill: false,
      })),
    };
  }

  function options() {
    const grid = { color: colour("line"), borderColor: colour("line") };
    const ticks = { color: colour("soft"), maxRotation: 0, autoSkipPadding: 18 };
    return {
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
  return {
    node: h("figure", null, box, asTable()),
    /// Takes other numbers of the same kind.
    update(newPoints, newSeries) {
      points = newPoints;
      series = newSeries;
      if (drawn) {
        drawn.data = data();
        drawn.update();
      }
    },
  };

  function asTable() {
    const details = h("details", { class: "small", ontoggle: () => {
      if (!details.open || details.querySelector("table")) return;
      details.append(h("div", { class: "table-box" }, h("table", null, h("caption", { class: "unseen" }, label),
        h("thead", null, h("tr", null, h("th", { scope: "col" }, t("chart.time")), series.map((one) => h("th", { scope: "col", class: "end" }, one.label)))),
        h("tbody", null, points.map((point, index) => h("tr", null, h("th", { scope: "row" }, text(point)),
          series.map((one) => h("td", { class: "end" }, number(one.values[index])))))))));
    } }, h("summary", null, t("chart.table")));
    return details;
  }
}

/// Numbers by moment with the empty moments filled in, so that silence is seen as such.
export function timeline(report, unit, names) {
  const step = { minute: 60_000, hour: 3_600_000, day: 86_400_000 }[unit];
  const rows = new Map();
  for (const item of report.items) {
    const at = new Date(item.at).getTime();
    const row = rows.get(at) ?? {};
    for (const name of names) row[name] = (row[name] ?? 0) + (item[name] ?? 0);
    rows.set(at, row);
  }
  const known = [...rows.keys()].sort((one, other) => one - other);
  let at = new Date(report.from).getTime();
  // Days begin where the app's do: they are laid along those that are there.
  at = known.length ? known[0] - Math.ceil((known[0] - at) / step) * step : Math.floor(at / step) * step;
  if (at < new Date(report.from).getTime() - step) at += step;
  const points = [];
  for (const end = new Date(report.to).getTime(); at < end && points.length < 1500; at += step) points.push(at);
  const near = (point) => rows.get(point) ?? {};
  return { points, values: Object.fromEntries(names.map((name) => [name, points.map((point) => near(point)[name] ?? 0)])) };
}
