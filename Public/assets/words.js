/// The console's words, one catalogue for each language; and numbers and times as that language writes them.

import { h } from "./dom.js";

export const languages = { en: "English", ko: "한국어" };

let catalogue = {};
export let language = "en";

/// Takes the language that was chosen here before, or the browser's own.
export async function loadWords(wanted = localStorage.getItem("upmc.language") ?? navigator.language.slice(0, 2)) {
  language = wanted in languages ? wanted : "en";
  const answer = await fetch(`/assets/words/${language}.json`);
  catalogue = await answer.json();
  document.documentElement.lang = language;
}

/// Remembers the language; the page is loaded anew by whoever asks for this.
export function chooseLanguage(wanted) {
  localStorage.setItem("upmc.language", wanted);
}

export const knows = (key) => key in catalogue;

/// The words for a key; `{name}` is replaced by the value of that name.
export function t(key, values = {}) {
  const text = catalogue[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/// A word that the API uses, such as a state; the word itself where the catalogue has none.
export function word(group, value) {
  const key = `${group}.${value}`;
  return knows(key) ? catalogue[key] : String(value ?? "");
}

export const number = (value) => (value === null || value === undefined ? "–" : new Intl.NumberFormat(language).format(value));

export function percent(part, whole) {
  if (!whole) return "–";
  const share = part / whole;
  const digits = share > 0 && share < 0.1 ? 1 : 0;
  return new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: digits }).format(share);
}

export function bytes(value) {
  const units = ["byte", "kilobyte", "megabyte"];
  let unit = 0;
  while (value >= 10_000 && unit < 2) {
    value /= 1000;
    unit += 1;
  }
  return new Intl.NumberFormat(language, { style: "unit", unit: units[unit], maximumFractionDigits: 1 }).format(value);
}

function formatter(options) {
  return new Intl.DateTimeFormat(language, { hourCycle: "h23", ...options });
}

const long = { year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit" };

export function timeText(moment, options = { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" }) {
  return formatter(options).format(new Date(moment));
}

/// A point in time, the short way; the whole of it when pointed at.
export function time(moment, options) {
  if (!moment) return "–";
  return h("time", { datetime: moment, title: formatter({ ...long, timeZoneName: "short" }).format(new Date(moment)) },
    timeText(moment, options));
}

export const exactTime = (moment) => time(moment, long);

/// How long ago or how soon, in the largest fitting unit.
export function distance(moment) {
  const seconds = (new Date(moment) - Date.now()) / 1000;
  const steps = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];
  const [unit, size] = steps.find(([, size]) => Math.abs(seconds) >= size) ?? steps[3];
  return new Intl.RelativeTimeFormat(language, { numeric: "auto" }).format(Math.round(seconds / size), unit);
}
