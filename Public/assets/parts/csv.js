/// An audience from a file: chosen, brought in, and what the server found in it: users, devices, and every wrong line.

import { call, query } from "../api.js";
import { h, put } from "../dom.js";
import { field } from "./form.js";
import { complain, note } from "./notice.js";
import { table } from "./table.js";
import { number, t } from "../words.js";

/// - changed: called once a file is there, or is not any more.
export function csvPart(appID, changed) {
  const result = h("div", { class: "fields", role: "status", id: "csv-result" });
  let stored = null;
  const file = field({ name: "csv", label: t("csv.file"), hint: t("csv.hint"), type: "file", accept: ".csv,.txt,text/csv,text/plain", onchange: bring });

  async function bring() {
    stored = null;
    file.complain(null);
    put(result);
    changed();
    if (!file.value) return;
    put(result, h("p", { class: "soft" }, t("csv.bringing")));
    const asked = file.value;
    try {
      const answer = await call("POST", `/audiences/csv${query({ appId: appID, skipErrors: "true" })}`, new Blob([asked], { type: "text/csv" }));
      if (file.value !== asked) return;
      stored = answer;
      put(result, report(answer));
    } catch (problem) {
      if (file.value !== asked) return;
      put(result);
      if (problem.status === 0 || problem.status >= 500) complain(problem);
      file.complain(problem.errors?.length ? problem.errors.map((one) => `${one.pointer}: ${one.detail}`).join(" ") : problem.message);
    }
    changed();
  }

  return {
    field: file, node: h("div", { class: "fields" }, file.node, result),
    value: () => (stored && stored.lines > 0 ? { csv: stored.csv } : null),
    words: () => t("csv.words", { n: number(stored?.lines ?? 0) }),
  };
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

/// What a file holds; wrong lines stay out of the audience, and each is told.
function report(answer) {
  return [
    h("p", null, t("csv.found", { lines: number(answer.lines), devices: number(answer.devices) })),
    answer.duplicates > 0 ? note("", t("csv.duplicates", { n: number(answer.duplicates) })) : null,
    answer.unknown > 0 ? note("warn", t("csv.unknown", { n: number(answer.unknown), names: answer.unknownUsers.slice(0, 8).join(", ") })) : null,
    answer.faults > 0 ? h("div", { id: "csv-faults", class: "fields", "data-faults": answer.faults }, note("bad", t("csv.faults", { n: number(answer.faults) })),
      h("div", { class: "table-box" }, table(t("csv.faults.title"), [
        { title: t("imports.line"), lead: true, fit: true, cell: (one) => h("b", { class: "number", "data-line": one.line }, t("imports.line-number", { n: number(one.line) })) },
        { title: t("imports.error"), cell: (one) => fault(one.detail) },
      ], answer.errors.slice(0, 200)))) : null,
  ];
}
