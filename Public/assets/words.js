/// The console's words, one catalogue for each language; and numbers and times as that language writes them.

import { asset, h } from "./dom.js";

export const languages = { en: "English", ko: "한국어" };

let catalogue = {};
/// Texts that the database keeps in English, as patterns, the same in the reader's language, and where they stand. All else
/// the server says in the language of the request.
let sayings = [];
const translated = ["ko"];
export let language = "en";

let loaded;
/// Is kept once `loadWords` has ended, well or not.
export const wordsLoaded = new Promise((resolve) => { loaded = resolve; });

/// Takes the language that was chosen here before, or the browser's own.
export async function loadWords(wanted = localStorage.getItem("upmc.language") ?? navigator.language.slice(0, 2)) {
  language = wanted in languages ? wanted : "en";
  tellServer(language);
  const file = async (name) => (await fetch(asset(`words/${name}.json`))).json();
  try {
    const [words, found] = await Promise.all([file(language), translated.includes(language) ? file(`${language}-told`) : []]);
    catalogue = words;
    sayings = found.map(([pattern, text]) => [new RegExp(pattern, "s"), text]);
    document.documentElement.lang = language;
  } finally {
    loaded();
  }
}

/// The page comes with the words that it will need, so the server has to know which.
function tellServer(wanted) {
  const told = `upmc-language=${wanted}`;
  if (!document.cookie.split("; ").includes(told)) document.cookie = `${told}; path=/; max-age=31536000; samesite=strict`;
}

/// Remembers the language; the page is loaded anew by whoever asks for this.
export function chooseLanguage(wanted) {
  localStorage.setItem("upmc.language", wanted);
  tellServer(wanted);
}

/// The catalogues of the other languages, for whoever looks for a word of theirs.
export const otherWords = () => Promise.all(Object.keys(languages).filter((code) => code !== language)
  .map(async (code) => (await fetch(asset(`words/${code}.json`))).json()));

export const knows = (key) => key in catalogue;

/// The words for a key; `{name}` is replaced by the value of that name, and `{name|device|devices}` by the form for that
/// number: for one, and for any other.
export function t(key, values = {}) {
  const text = catalogue[key] ?? key;
  return withParticles(text.replace(/\{(\w+)(?:\|([^|}]*)\|([^|}]*))?\}/g, (whole, name, one, other) => {
    if (!(name in values)) return whole;
    if (other === undefined) return String(values[name]);
    return isOne(values[name]) ? one : other;
  }));
}

/// Numbers come as the language writes them.
const isOne = (value) => new Intl.PluralRules(language).select(Number(String(value).replaceAll(",", ""))) === "one";

/// Korean particles as the catalogues write them, after a final consonant and after a vowel.
const particles = { "을(를)": ["을", "를"], "이(가)": ["이", "가"], "은(는)": ["은", "는"], "와(과)": ["과", "와"], "(으)로": ["으로", "로"] };
/// Final consonants of the digits as they are read: 영 일 이 삼 사 오 육 칠 팔 구.
const digitEnds = ["ㅇ", "ㄹ", "", "ㅁ", "", "", "ㄱ", "ㄹ", "ㄹ", ""];

/// Chooses each particle by the syllable or digit before it, closing quotes and brackets aside. After any other letter both
/// forms stay, because the spelling of a Latin name does not say how it is read.
function withParticles(text) {
  return text.replace(/([가-힣\d])([”’"')\]]*)(을\(를\)|이\(가\)|은\(는\)|와\(과\)|\(으\)로)/g, (_, last, closing, particle) => {
    const final = (last.charCodeAt(0) - 0xac00) % 28;
    const end = last >= "가" ? ["", "ㄹ"][[0, 8].indexOf(final)] ?? "closed" : digitEnds[last];
    const isOpen = end === "" || (end === "ㄹ" && particle === "(으)로");
    return last + closing + particles[particle][isOpen ? 1 : 0];
  });
}

/// A text that the database keeps, in the reader's language; as it came where it is somebody's own.
export function told(sentence) {
  if (!sentence || sayings.length === 0) return sentence ?? "";
  for (const [pattern, text] of sayings) {
    const match = pattern.exec(sentence);
    if (match) return withParticles(text.replace(/\$(\d)/g, (_, index) => match[index] ?? ""));
  }
  return sentence;
}

/// Labels of fields whose key is not `field.` and the pointer's path.
const labels = {
  "/alert": "message.body", "/alert/body": "message.body", "/alert/title": "message.title", "/alert/subtitle": "message.subtitle",
  "/appId": "app.one", "/audience": "audience.title", "/clientUids": "audience.users.label", "/conditions": "segments.conditions",
  "/credential": "credential.title", "/expires": "keys.ends", "/expiresIn": "compose.life", "/kind": "compose.kind",
  "/lane": "message.lane", "/login": "sign-in.login", "/media": "compose.media", "/name": "groups.name", "/pace": "pace.kind",
  "/passphrase": "credential.passphrase", "/password": "sign-in.password", "/role": "role.title", "/sendAt": "compose.at",
  "/tags": "device.tags", "/url": "webhooks.url",
};

/// What the console calls the field at a JSON pointer; the path without its slash for a field that has no label.
export function fieldLabel(pointer) {
  const key = labels[pointer] ?? `field.${pointer.slice(1).replaceAll("/", ".")}`;
  return knows(key) ? t(key) : pointer.slice(1);
}

/// A word that the API uses, such as a state; the word itself where the catalogue has none.
export function word(group, value) {
  const key = `${group}.${value}`;
  return knows(key) ? catalogue[key] : String(value ?? "");
}

export const number = (value) => (value === null || value === undefined ? "–" : new Intl.NumberFormat(language).format(value));

/// A share of a whole. Only all of it reads 100 %, and only none of it 0 %.
export function percent(part, whole) {
  if (!whole) return "–";
  const share = part / whole;
  const isNearEnd = (share > 0 && share < 0.1) || (share > 0.99 && share < 1);
  const text = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: isNearEnd ? 1 : 0 });
  if (share > 0 && share < 0.001) return `<${text.format(0.001)}`;
  if (share > 0.999 && share < 1) return `>${text.format(0.999)}`;
  return text.format(share);
}

export function bytes(value) {
  const units = ["byte", "kilobyte", "megabyte"];
  let unit = 0;
  while (value >= 10_000 && unit < 2) {
    value /= 1000;
    unit += 1;
  }
  return new Intl.NumberFormat(language, { style: "unit", unit: units[unit], maximumFractionDigits: 1, unitDisplay: unit === 0 ? "long" : "short" }).format(value);
}

function formatter(options) {
  return new Intl.DateTimeFormat(language, { hourCycle: "h23", ...options });
}

const long = { year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit" };
const short = { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" };

/// A point in time as the options say; a day of another year than the present one with its year.
export function timeText(moment, options = short) {
  const year = (one) => formatter({ year: "numeric", timeZone: options.timeZone }).format(one);
  const date = new Date(moment);
  const isOld = options.day !== undefined && year(date) !== year(Date.now());
  return formatter(isOld ? { year: "numeric", ...options } : options).format(date);
}

/// A point in time, the short way; the whole of it when pointed at.
export function time(moment, options) {
  if (!moment) return "–";
  return h("time", { datetime: moment, title: formatter({ ...long, timeZoneName: "short" }).format(new Date(moment)) },
    timeText(moment, options));
}

export const exactTime = (moment) => time(moment, long);

/// How long ago or how soon, in the largest fitting unit. A day is 24 hours here: what is 33 hours ahead may be on the day
/// after tomorrow, so no day is called by its name.
export function distance(moment) {
  const seconds = (new Date(moment) - Date.now()) / 1000;
  const steps = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];
  const [unit, size] = steps.find(([, size]) => Math.abs(seconds) >= size) ?? steps[3];
  return new Intl.RelativeTimeFormat(language, { numeric: unit === "day" ? "always" : "auto" }).format(Math.round(seconds / size), unit);
}
