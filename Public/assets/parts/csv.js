/// An audience from a file: chosen, brought in, and what the server found in it: users, devices, and every wrong line.

import { call, query } from "../api.js";
import { h, put } from "../dom.js";
import { field } from "./form.js";
import { complain, note } from "./notice.js";
import { roomLine } from "./room.js";
import { table } from "./table.js";
import { fieldLabel, number, t } from "../words.js";

/// - state: what was kept of it: `{csv}`, the server's answer, and `{sample}`, the values of its first line.
/// - changed: called once a file is there, or is not any more.
export function csvPart(appID, state, changed) {
  const result = h("div", { class: "fields", role: "status", id: "csv-result" });
  const room = roomLine(appID, "audiences");
  const file = field({ name: "csv", label: t("csv.file"), hint: t("csv.hint"), type: "file", accept: ".csv,.txt,text/csv,text/plain", onchange: bring });

  async function bring() {
    state.csv = null;
    state.sample = null;
    file.complain(null);
    put(result);
    changed();
    if (!file.value) return;
    put(result, h("p", { class: "soft" }, t("csv.bringing")));
    const asked = file.value;
    try {
      const answer = await call("POST", `/audiences/csv${query({ appId: appID, skipErrors: "true" })}`, new Blob([asked], { type: "text/csv" }));
      if (file.value !== asked) return;
      state.csv = answer;
      state.sample = await firstLine(asked);
      put(result, report(answer));
      room.look();
    } catch (problem) {
      if (file.value !== asked) return;
      put(result);
      room.look();
      if (problem.status === 0 || problem.status >= 500) complain(problem);
      file.complain(problem.errors?.length ? problem.errors.map((one) => `${fieldLabel(one.pointer)}: ${one.detail}`).join(" ") : problem.message);
    }
    changed();
  }

  if (state.csv?.lines !== undefined) put(result, report(state.csv));
  else if (state.csv) put(result, note("", t("csv.kept")));
  return {
    field: file, node: h("div", { class: "fields" }, file.node, room.node, result),
    /// To be called when this part is shown.
    look: room.look,
    value: () => (state.csv && state.csv.lines !== 0 ? { csv: state.csv.csvId } : null),
    words: () => (state.csv?.lines === undefined ? t("audience.csv") : t("csv.words", { n: number(state.csv.lines) })),
  };
}

/// The values of the first user of a file, by the names that texts have for them: what a preview and a test show.
async function firstLine(file) {
  const bytes = await file.slice(0, 65_536).arrayBuffer();
  let text;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
  } catch {
    text = new TextDecoder("euc-kr").decode(bytes);
  }
  const rows = text.replace(/^\uFEFF/, "").split(/\r?\n/).slice(0, 20).map(cells).filter((one) => one.length > 0);
  const titles = rows[0]?.map((one) => one.trim().toUpperCase());
  const isTitled = titles?.includes("CUID");
  const names = isTitled ? titles : ["CUID", "NAME", ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((one) => `VAR${one}`)];
  const line = rows.slice(isTitled ? 1 : 0).find((one) => one[names.indexOf("CUID")]?.trim());
  if (!line) return null;
  return Object.fromEntries(names.map((name, index) => [name === "NAME" ? "CNAME" : name, line[index]]).filter(([, value]) => value !== undefined));
}

function cells(line) {
  if (!line.trim()) return [];
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map((match) => (match[1] !== undefined ? match[1].replaceAll('""', '"') : match[2]));
}

/// What the server says of a wrong line, in the reader's language; its own words where they are new.
const faults = [
  [/^has (\d+) fields; there may be (\d+)$/, "csv.fault.fields"], [/^needs a CUID of 1 to (\d+) bytes$/, "csv.fault.cuid"], [/^names GUEST/, "csv.fault.guest"],
  [/^has a (NAME|VAR\d) longer than (\d+) bytes$/, "csv.fault.long"], [/^holds U\+0000$/, "csv.fault.zero"], [/^has text behind a closing quote$/, "csv.fault.behind"],
  [/^has a quote that is never closed$/, "csv.fault.open"],
];

function fault(detail) {
  for (const [pattern, key] of faults) {
    const match = pattern.exec(detail);
    if (match) return t(key, { a: match[1], b: match[2] });
  }
  return detail;
}

/// The wrong lines as a file: their numbers, and what is wrong.
function faultFile(errors) {
  const lines = errors.map((one) => `${one.line},"${fault(one.detail).replaceAll('"', '""')}"`);
  return `data:text/csv;charset=utf-8,${encodeURIComponent(`\uFEFF${t("imports.line")},${t("imports.error")}\n${lines.join("\n")}\n`)}`;
}

/// The server tells of the first wrong lines only: what is downloaded must not pass for all of them.
const downloadWords = ({ faults, errors }) => (errors.length < faults ? t("csv.faults.first", { n: number(errors.length) }) : t("csv.faults.download"));

/// What a file holds; wrong lines stay out of the audience, and each is told.
function report(answer) {
  return [
    h("p", null, t("csv.found", { lines: number(answer.lines), devices: number(answer.devices) })),
    answer.duplicates > 0 ? note("", t("csv.duplicates", { n: number(answer.duplicates) })) : null,
    answer.unknown > 0 ? note("warn", t("csv.unknown", { n: number(answer.unknown), names: answer.unknownUsers.slice(0, 8).join(", ") })) : null,
    answer.faults > 0 ? h("div", { id: "csv-faults", class: "fields", "data-faults": answer.faults }, note("bad", t("csv.faults", { n: number(answer.faults) })),
      h("div", { class: "row" }, h("a", { class: "button small", id: "csv-faults-download", download: "wrong-lines.csv", href: faultFile(answer.errors) }, downloadWords(answer))),
      h("div", { class: "table-box" }, table(t("csv.faults.title"), [
        { title: t("imports.line"), lead: true, fit: true, cell: (one) => h("b", { class: "number", "data-line": one.line }, t("imports.line-number", { n: number(one.line) })) },
        { title: t("imports.error"), cell: (one) => fault(one.detail) },
      ], answer.errors.slice(0, 200)))) : null,
  ];
}
