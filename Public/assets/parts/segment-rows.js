/// The conditions of a segment as rows: what each kind can say, how it is written, and how it stands in the API's JSON.

import { freshID, h, put } from "../dom.js";
import { groupName } from "./groups.js";
import { t } from "../words.js";

const lists = (text) => text.split(/[,;\n]+/).map((one) => one.trim()).filter(Boolean);

/// Values as a text that `lists` reads; null where it would read others, because one of them holds a comma, for example.
function listText(values) {
  const text = values.join(", ");
  return JSON.stringify(lists(text)) === JSON.stringify(values) ? text : null;
}

function input({ row, label, changed }, more = {}) {
  return h("input", { "aria-label": label, value: row.which ?? "", autocomplete: "off", spellcheck: "false", ...more, oninput: (event) => {
    row.which = event.target.value;
    changed();
  } });
}

/// The same with what there is to choose from: it follows what stands before the last comma, so that a further value is
/// suggested too.
function suggesting(made, words) {
  if (words.length === 0) return made;
  const id = freshID("suggestions");
  const options = h("datalist", { id });
  const draw = () => {
    const before = made.value.slice(0, made.value.lastIndexOf(",") + 1);
    const present = lists(before);
    put(options, words.filter((one) => !present.includes(one)).map((one) => h("option", { value: before ? `${before} ${one}` : one }, one)));
  };
  made.setAttribute("list", id);
  made.addEventListener("input", draw);
  draw();
  return h("span", { class: "suggesting" }, made, options);
}

/// A condition that names several values: is one of them, or none of them.
function oneOf(name, placeholder, fold = (text) => text) {
  return {
    operators: ["is", "is-not"], isWhole: (row) => lists(row.which).length > 0, fresh: () => ({ kind: name, how: "is", which: "" }),
    control: (part) => input(part, { placeholder }),
    json: (row) => negated(row, { [name]: lists(row.which).map(fold) }),
    read: (values, isNot) => {
      const which = Array.isArray(values) ? listText(values) : null;
      return which === null ? null : [{ kind: name, how: isNot ? "is-not" : "is", which }];
    },
  };
}

/// The same with few values, to choose from.
function chosen(name, options, read, write) {
  return {
    operators: ["is"], isWhole: () => true, fresh: () => ({ kind: name, how: "is", which: options[0] }),
    control: ({ row, label, changed, choice }) => choice(label, row.which, options.map((one) => [one, t(`segments.${name}.${one}`)]), (one) => {
      row.which = one;
      changed();
    }),
    json: (row) => ({ [name]: write(row.which) }), read,
  };
}

const negated = (row, condition) => (row.how === "is-not" ? { not: condition } : condition);

function version(name) {
  return {
    operators: ["from", "before", "upTo"], isWhole: (row) => /^\d{1,9}(\.\d{1,9}){0,7}$/.test(row.which.trim()), fresh: () => ({ kind: name, how: "from", which: "" }),
    control: (part) => input(part, { placeholder: "2.10", inputmode: "decimal" }),
    json: (row) => ({ [name]: { [row.how]: row.which.trim() } }),
    read: (range, isNot) => (isNot ? null : parts(name, range, ["from", "before", "upTo"])),
  };
}

function parts(name, range, operators, which = (value) => value) {
  const found = Object.entries(range).map(([how, value]) => (operators.includes(how) ? { kind: name, how, which: which(value, how) } : null));
  return found.includes(null) || found.some((row) => row.which === null) ? null : found;
}

const days = (text) => /^P(\d+)D$/.exec(text)?.[1] ?? null;
const relative = (how) => ["within", "notWithin"].includes(how);

function moment(name) {
  const local = (text) => {
    const at = new Date(text);
    return Number.isNaN(at.getTime()) ? null : new Date(at - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
  };
  return {
    operators: ["within", "notWithin", "since", "before"], redraws: true, fresh: () => ({ kind: name, how: "within", which: "30" }),
    isWhole: (row) => (relative(row.how) ? /^[1-9]\d{0,4}$/.test(row.which) : !Number.isNaN(new Date(row.which).getTime())),
    control: (part) => {
      const { row } = part;
      if (relative(row.how) !== /^\d*$/.test(row.which)) row.which = relative(row.how) ? "30" : "";
      return relative(row.how) ? h("span", { class: "unit" }, input(part, { type: "number", min: 1, max: 36500 }), t("segments.days")) : input(part, { type: "datetime-local" });
    },
    json: (row) => ({ [name]: { [row.how]: relative(row.how) ? `P${row.which}D` : new Date(row.which).toISOString() } }),
    read: (range, isNot) => (isNot ? null : parts(name, range, ["within", "notWithin", "since", "before"], (value, how) => (relative(how) ? days(value) : local(value)))),
  };
}

/// By their names in the API.
export const kinds = {
  platform: oneOf("platform", "ios, android", (one) => one.toLowerCase()),
  appVersion: version("appVersion"),
  osVersion: version("osVersion"),
  seen: moment("seen"),
  registered: moment("registered"),
  tags: {
    operators: ["any", "all", "none"], isWhole: (row) => lists(row.which).length > 0, fresh: () => ({ kind: "tags", how: "any", which: "" }),
    control: (part) => suggesting(input(part, { placeholder: "vip, gold" }), part.tags),
    json: (row) => ({ tags: { [row.how]: lists(row.which) } }),
    read: (tags, isNot) => (isNot ? null : parts("tags", tags, ["any", "all", "none"], listText)),
  },
  language: oneOf("language", "ko, en", (one) => one.toLowerCase()),
  country: oneOf("country", "KR, US", (one) => one.toUpperCase()),
  timeZone: oneOf("timeZone", "Asia/Seoul"),
  member: chosen("member", ["yes", "no"], (value, isNot) => [{ kind: "member", how: "is", which: value !== isNot ? "yes" : "no" }], (which) => which === "yes"),
  consent: {
    operators: ["agreed", "refused"], isWhole: () => true, fresh: () => ({ kind: "consent", how: "agreed", which: "ad" }),
    control: ({ row, label, changed, choice }) => choice(label, row.which, ["notification", "ad", "nightAd"].map((one) => [one, t(`segments.consent.${one}`)]), (one) => {
      row.which = one;
      changed();
    }),
    json: (row) => ({ consent: { [row.which]: row.how === "agreed" } }),
    read: (consents, isNot) => (isNot ? null : Object.entries(consents).map(([which, isGiven]) => ({ kind: "consent", how: isGiven ? "agreed" : "refused", which }))),
  },
  groups: {
    operators: ["is", "is-not"], isWhole: (row) => row.which !== "", fresh: (groups = []) => ({ kind: "groups", how: "is", which: groups[0]?.groupSeq ?? "" }),
    control: ({ row, groups, label, changed, groupChoice }) => (groups.length || row.which ? groupChoice(label, row.which, (one) => {
      row.which = one;
      changed();
    }) : h("span", { class: "soft only" }, t("groups.none"))),
    json: (row) => negated(row, { groups: [row.which] }),
    read: (groups, isNot) => (groups.length === 1 ? [{ kind: "groups", how: isNot ? "is-not" : "is", which: String(groups[0]) }] : null),
  },
  clientUids: oneOf("clientUids", "kim01, lee02"),
};

/// The API's JSON for rows. - join: all or any.
export function conditionsOf(join, rows) {
  const made = rows.map((row) => kinds[row.kind].json(row));
  if (made.length === 1) return made[0];
  if (join === "any") return { any: made };
  const names = made.flatMap(Object.keys);
  // Side by side where each name is there once: it reads better, and means the same.
  return new Set(names).size === names.length ? Object.assign({}, ...made) : { all: made };
}

/// Rows for the API's JSON; null when rows cannot say it.
export function rowsOf(conditions) {
  const isObject = (one) => one !== null && typeof one === "object" && !Array.isArray(one);
  if (!isObject(conditions)) return null;
  const names = Object.keys(conditions);
  const only = names.length === 1 && ["all", "any"].includes(names[0]) ? names[0] : null;
  const items = only ? conditions[only] : names.map((name) => ({ [name]: conditions[name] }));
  if (!Array.isArray(items) || items.length === 0) return null;
  const rows = [];
  for (const item of items) {
    const found = isObject(item) && Object.keys(item).length === 1 ? single(item) : null;
    // Several rows of one item belong together by "and".
    if (!found || found.length === 0 || (only === "any" && found.length > 1)) return null;
    rows.push(...found);
  }
  return { join: only ?? "all", rows };

  function single(item) {
    const isNot = "not" in item;
    const inner = isNot ? item.not : item;
    if (!isObject(inner) || Object.keys(inner).length !== 1) return null;
    const [name] = Object.keys(inner);
    try {
      return kinds[name]?.read(inner[name], isNot) ?? null;
    } catch {
      return null;
    }
  }
}

/// A row in words, for lists.
export function sentence(row, groups = []) {
  const group = groups.find((one) => one.groupSeq === row.which);
  const which = row.kind === "groups" && group ? groupName(group)
    : ["member", "consent"].includes(row.kind) ? t(`segments.${row.kind}.${row.which}`) : relative(row.how) ? t("segments.so-many-days", { n: row.which }) : row.which;
  return t("segments.sentence", { kind: t(`segments.kind.${row.kind}`), how: kinds[row.kind].operators.length > 1 ? t(`segments.how.${row.how}`) : "", which }).replace(/\s+/g, " ").trim();
}
