/// A message as the API knows it, and what people say of it. Every page that shows, writes or copies a message does it by
/// these: nothing that a message holds gets lost on the way.

import { all } from "../api.js";
import { link } from "../router.js";
import { h } from "../dom.js";
import { oneGroup } from "./groups.js";
import { exactTime, language, number, t, word } from "../words.js";

/// What stands at a place such as `alert.title`; undefined: nothing.
export function at(message, path) {
  return path.split(".").reduce((one, name) => (one === null || typeof one !== "object" ? undefined : one[name]), message);
}

/// Puts a value there; undefined takes it away, with what is empty around it.
export function set(message, path, value) {
  const [name, ...rest] = path.split(".");
  if (rest.length === 0) {
    if (value === undefined) delete message[name];
    else message[name] = value;
    return;
  }
  const inner = message[name] && typeof message[name] === "object" ? message[name] : {};
  set(inner, rest.join("."), value);
  if (Object.keys(inner).length) message[name] = inner;
  else delete message[name];
}

/// A message to be written: a copy without whom it is for, its alerts as objects.
export function draftOf(request) {
  const { appId, audience, dryRun, test, template, sealed, from, ...message } = structuredClone(request ?? {});
  const parts = (alert) => (typeof alert === "string" ? { body: alert } : alert);
  if (message.alert !== undefined) message.alert = parts(message.alert);
  for (const [tag, alert] of Object.entries(message.translations ?? {})) message.translations[tag] = parts(alert);
  return message;
}

/// The same for a new message made after one that was sent: its time and its sender's reference are not the new one's.
export function copyOf(request) {
  const message = draftOf(request);
  for (const name of ["sendAt", "localTime", "repeat", "reference"]) delete message[name];
  return message;
}

/// A message of a repetition with its own time: what was accepted says when the first one of them was due.
/// - record: of the message. - dueAt: when it is due itself.
export function occurrenceOf({ message, repeat }, dueAt) {
  if (!repeat?.occurrence) return message;
  if (message.localTime) return { ...message, localTime: wallTimeAfter(message.localTime, repeat.every, repeat.occurrence) };
  return { ...message, sendAt: dueAt };
}

/// The same time of the wall clock so many days, weeks or months later; where a month lacks the day, on its last one.
function wallTimeAfter(localTime, every, count) {
  const [date, clock] = localTime.split("T");
  const [year, month, day] = date.split("-").map(Number);
  const on = (months, days) => new Date(Date.UTC(year, month - 1 + months, days));
  const last = on(count + 1, 0).getUTCDate();
  const moved = every === "month" ? on(count, Math.min(day, last)) : on(0, day + count * (every === "week" ? 7 : 1));
  return `${moved.toISOString().slice(0, 10)}T${clock}`;
}

/// Whether another occurrence of a repetition follows the one that is due at `dueAt`. - zone: of the app.
export function isFollowed(repeat, dueAt, zone) {
  if (!repeat || repeat.ended || !dueAt) return false;
  const day = new Intl.DateTimeFormat("sv-SE", { timeZone: zone }).format(new Date(dueAt));
  return wallTimeAfter(`${day}T00:00`, repeat.every, 1).slice(0, 10) <= repeat.until;
}

export const alertOf = (message) => (typeof message.alert === "string" ? { body: message.alert } : message.alert ?? {});

/// `PT30M` as seconds; null for what is none.
export function secondsOf(duration) {
  const match = /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/.exec(duration ?? "");
  if (!match) return null;
  const [weeks, days, hours, minutes, seconds] = match.slice(1).map((one) => Number(one ?? 0));
  return (((weeks * 7 + days) * 24 + hours) * 60 + minutes) * 60 + seconds;
}

/// `PT30M` in words: 30 minutes, 30분.
export function durationText(duration) {
  let rest = secondsOf(duration);
  if (rest === null) return String(duration ?? "");
  const parts = [];
  for (const [unit, size] of [["day", 86_400], ["hour", 3600], ["minute", 60], ["second", 1]]) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count) parts.push(new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }).format(count));
  }
  return parts.join(" ") || "0";
}

export function paceText(pace) {
  if (!pace) return t("pace.none");
  return pace.perSecond ? t("pace.words.second", { n: number(pace.perSecond) }) : t("pace.words.portions", { n: number(pace.devices), wait: durationText(pace.wait) });
}

/// Whom a message is for, in words. Names of groups and segments are asked for.
export async function audienceWords(audience, appID) {
  if (!audience) return "";
  const few = (list) => list.slice(0, 5).join(", ") + (list.length > 5 ? ` ${t("audience.more", { n: number(list.length - 5) })}` : "");
  if (audience.all) return t("audience.all");
  if (audience.members !== undefined) return t(audience.members ? "audience.members" : "audience.guests");
  if (audience.clientUids) return `${t("audience.users")}: ${few(audience.clientUids)}`;
  if (audience.devices) return `${t("audience.devices")}: ${few(audience.devices)}`;
  if (audience.psids) return t("audience.tokens", { n: number(audience.psids.length) });
  if (audience.csv) return t("audience.csv");
  if (audience.groups) {
    const groups = await Promise.all(audience.groups.slice(0, 20).map(oneGroup));
    return `${t("audience.groups")}: ${few(groups.map(({ name }) => name))}`;
  }
  if (audience.segment) {
    if (typeof audience.segment === "object") return [t("audience.conditions"), h("details", { class: "small" }, h("summary", null, t("do.show")), h("pre", { tabindex: "0" }, JSON.stringify(audience.segment, null, 1)))];
    const found = (await all("/segments", { appId: appID }).catch(() => [])).find((one) => one.segmentId === String(audience.segment));
    return `${t("audience.segment")}: ${found?.name ?? audience.segment}`;
  }
  return JSON.stringify(audience);
}

const yes = (value) => (value === undefined ? null : t(value ? "form.yes" : "form.no"));

/// All that a message says about itself, as pairs of a name and its words, without its title and text.
export function describe(message) {
  const alert = alertOf(message);
  const languages = Object.keys(message.translations ?? {});
  const variables = Object.entries(message.variables ?? {});
  return [
    [t("message.subtitle"), alert.subtitle],
    [t("field.translations"), languages.map((tag) => languageName(tag)).join(", ")],
    [t("field.variables"), variables.map(([name, value]) => `%${name}% = ${value}`).join(", ")],
    [t("compose.kind"), message.kind && t(`kind.${message.kind}`)],
    [t("message.confidential"), message.confidential ? t("message.confidential.detail") : null],
    [t("field.badge"), badgeText(message.badge)],
    [t("field.sound"), message.sound === null ? t("field.sound.silent") : typeof message.sound === "object" ? t("field.sound.critical") : message.sound],
    [t("compose.media"), message.media ?? message.mediaUrl],
    ["EXT", message.ext && (message.ext.startsWith("<!doctype") ? t("field.ext.page") : message.ext.slice(0, 200))],
    [t("field.data"), message.data && h("code", null, JSON.stringify(message.data))],
    [t("field.category"), message.category], [t("field.threadId"), message.threadId],
    [t("field.interruptionLevel"), message.interruptionLevel && word("interruption", message.interruptionLevel)],
    [t("field.android"), message.android && h("code", null, JSON.stringify(message.android))],
    [t("message.lane"), word("lane", message.lane ?? "normal")],
    [t("compose.life"), durationText(message.expiresIn ?? "P1D")],
    [t("field.localTime"), message.localTime && `${message.localTime.replace("T", " ")} · ${t("field.localTime.words")}`],
    [t("field.repeat"), message.repeat && t("field.repeat.words", { every: word("every", message.repeat.every), until: message.repeat.until })],
    [t("field.window"), message.window && t("field.window.words", { from: message.window.from, to: message.window.to, zone: word("zone", message.window.zone ?? "app") })],
    [t("pace.kind"), message.pace && paceText(message.pace)],
    [t("field.canary"), message.canary && t("field.canary.words", {
      size: message.canary.percent ? `${message.canary.percent}%` : number(message.canary.devices), wait: durationText(message.canary.wait ?? "PT5M"), limit: message.canary.maxRejectedPercent ?? 10 })],
    [t("field.sms"), message.sms ? t("field.sms.words", { after: durationText(message.fallback?.after ?? "PT3M"), unless: word("unless", message.fallback?.unless ?? "received") }) : null],
    [t("compose.inbox"), message.inbox && durationText(message.inbox)],
    [t("field.sender"), message.sender], [t("field.collapseId"), message.collapseId],
    [t("field.mutableContent"), yes(message.mutableContent)], [t("field.dbIn"), message.dbIn === false ? t("form.no") : null],
    [t("field.onUnknown"), message.onUnknown === "skip" ? t("field.onUnknown.skip") : null],
    [t("message.reference"), message.reference?.key],
  ].filter((pair) => pair[1]);
}

/// The same for when it goes: those that the confirmation must say too.
export function timeWords(message) {
  return message.sendAt ? exactTime(message.sendAt) : message.localTime ? `${message.localTime.replace("T", " ")} · ${t("field.localTime.words")}` : t("compose.at.now");
}

/// Whether the message waits for its time. One whose time has just passed is sent at once.
export const isLater = (message) => Boolean(message.localTime || (message.sendAt && new Date(message.sendAt) > Date.now()));

function badgeText(badge) {
  if (!badge) return null;
  if (badge.increment) return t("field.badge.words.increment", { n: badge.increment });
  return badge.set ? t("field.badge.words.set", { n: badge.set }) : t("field.badge.words.clear");
}

export function languageName(tag) {
  try {
    return new Intl.DisplayNames([language], { type: "language" }).of(tag.replace("_", "-"));
  } catch {
    return tag;
  }
}

/// A text with its `%…%` filled in, as the recipient of `values` gets it.
export function filled(text, values) {
  return (text ?? "").replace(/%(CUID|CNAME|VAR[1-9])%/g, (whole, name) => values[name] ?? whole);
}

/// `%VAR1%` … that stand in a text and have no value, each with the text's name: `[["alert/body", "VAR1"], …]`.
export function emptyVariables(message) {
  if (message.fillVariables === false) return [];
  const { alert, translations, ext, mdm, data, liveActivity } = message;
  const texts = { alert, ext, mdm, data, translations, liveActivity: liveActivity && { contentState: liveActivity.contentState, attributes: liveActivity.attributes } };
  const found = new Map();
  const search = (value, path) => {
    if (typeof value === "string") {
      for (const [, name] of value.matchAll(/%(VAR[1-9])%/g)) if (message.variables?.[name] === undefined) found.set(name, found.get(name) ?? path);
    } else if (value !== null && typeof value === "object") {
      for (const [name, inner] of Object.entries(value)) search(inner, path ? `${path}/${name}` : name);
    }
  };
  search(texts, "");
  return [...found].map(([name, path]) => [path, name]);
}

export const messageLink = (seqno) => link(`/messages/${seqno}`);
