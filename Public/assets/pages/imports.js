/// Bringing in people from a CSV file, in parts, with its progress and every line that was refused.

import { call, get, post, query } from "../api.js";
import { h, put, renew } from "../dom.js";
import { confirm } from "../parts/dialog.js";
import { Form, field } from "../parts/form.js";
import { groupList, knownGroups } from "../parts/groups.js";
import { askBeforeUnload } from "../parts/kept.js";
import { every } from "../parts/live.js";
import { complain, empty, facts, head, note, say, state } from "../parts/notice.js";
import { roomLine } from "../parts/room.js";
import { list } from "../parts/table.js";
import { enc, go, link } from "../router.js";
import { exactTime, number, percent, t, time, told } from "../words.js";
import { needApp, whichApp } from "./common.js";

/// Well below what the server takes at once; small enough that the progress moves.
const partBytes = 1_048_576;

export async function importsPage(context) {
  const { chosen, nothing } = needApp();
  if (nothing) return nothing;
  const groups = await knownGroups(chosen.appId);
  const former = list({ caption: t("imports.former"), load: (cursor) => get(`/imports${query({ appId: chosen.appId, cursor, limit: 30 })}`), empty: empty(t("imports.none")), columns: [
    { title: t("imports.one"), lead: true, cell: (item) => [h("a", { class: "title", href: link(`/imports/${item.importId}`) }, t(`imports.${item.kind}`)), h("span", { class: "under" }, item.createdBy)] },
    { title: t("message.state"), fit: true, cell: (item) => state(item.state, "import") },
    { title: t("imports.lines"), end: true, cell: (item) => number(item.lines) },
    { title: t("imports.imported"), end: true, cell: (item) => number(item.imported) },
    { title: t("imports.rejected"), end: true, cell: (item) => number(item.rejected) },
    { title: t("message.created"), fit: true, cell: (item) => time(item.createdAt) },
  ] });
  const progress = h("div", { class: "progress", role: "status", hidden: true });
  const stop = h("div", { class: "row", hidden: true });
  const kind = field({ name: "kind", label: t("imports.kind"), type: "select", value: "users", options: [["users", t("imports.users")], ["members", t("imports.members")], ["devices", t("imports.devices")]], onchange: shown });
  const group = field({ name: "groupSeq", label: t("imports.group"), control: groupList(chosen.appId, groups, { value: groups[0]?.groupSeq ?? "", name: "groupSeq" }), hint: groups.length ? null : t("groups.none") });
  const file = field({ name: "file", label: t("imports.file"), type: "file", accept: ".csv,text/csv", required: true, hint: t("imports.hint") });
  const skip = field({ name: "skipErrors", label: t("imports.skip"), hint: t("imports.skip.hint"), type: "check", value: true, onchange: shown });
  const room = roomLine(chosen.appId, "imports");
  room.look();
  const form = new Form([kind, group, file, skip], { action: t("imports.begin"), submit: async (values) => {
    const made = await post("/imports", { appId: chosen.appId, kind: values.kind, skipErrors: values.skipErrors, ...(values.kind === "members" ? { groupSeq: values.groupSeq } : {}) });
    // It goes on while somebody is elsewhere in the console, who is not called back from there.
    const stopAsking = askBeforeUnload(() => true);
    put(stop, cancelButton(() => made, () => {}));
    stop.hidden = false;
    try {
      const isWhole = await bring(made, values.file, progress);
      if (!context.stale()) go(`/imports/${made.importId}`);
      else if (isWhole) say(t("imports.brought", { id: made.importId }));
    } catch (problem) {
      if (!context.stale()) throw problem;
      complain(problem);
    } finally {
      stop.hidden = true;
      stopAsking();
    }
  } });
  function shown() {
    group.node.hidden = kind.value !== "members";
    // Only an import that does not skip errors stores its parts.
    room.node.hidden = skip.value;
  }
  shown();
  await former.ready;
  return h("div", null, head(t("nav.imports"), { detail: whichApp(chosen) ?? t("imports.detail") }),
    h("div", { class: "stack" }, h("section", { class: "card" }, h("h2", null, t("imports.new")), form.node, room.node, progress, stop),
      h("section", { class: "card" }, h("h2", null, t("imports.former")), former.node)));
}

/// A button that cancels an import after a question, which says what stays imported.
/// - shown(): the import that the page shows. - ended: called with the cancelled import.
function cancelButton(shown, ended) {
  return h("button", { class: "button bad", type: "button", id: "cancel-import", onclick: async () => {
    try {
      const found = await get(`/imports/${enc(shown().importId)}`);
      const isSure = await confirm({ title: t("imports.cancel"), bad: true, action: t("imports.cancel"), no: t("imports.cancel.no"),
        body: h("p", null, t(found.skipErrors ? "imports.cancel.body" : "imports.cancel.whole", counts(found))) });
      if (isSure) ended(await post(`/imports/${enc(found.importId)}/cancel`));
    } catch (problem) {
      complain(problem);
    }
  } }, t("imports.cancel"));
}

const counts = (found) => ({ lines: number(found.lines), imported: number(found.imported) });

/// Sends the file part by part; a part that fails on its way is sent again, which changes nothing if it had arrived.
/// - Returns: whether the whole file has arrived; false if the import was cancelled meanwhile, here or elsewhere.
async function bring(made, file, progress) {
  progress.hidden = false;
  const parts = Math.max(1, Math.ceil(file.size / partBytes));
  for (let part = 1; part <= parts; part += 1) {
    const piece = new Blob([file.slice((part - 1) * partBytes, part * partBytes)], { type: "text/csv" });
    const path = `/imports/${enc(made.importId)}/parts/${part}${part === parts ? "?last=true" : ""}`;
    const answer = await again(() => call("PUT", path, piece)).catch(async (problem) => {
      if (problem.status === 409 && (await get(`/imports/${enc(made.importId)}`)).state === "cancelled") return null;
      throw problem;
    });
    if (!answer) return false;
    put(progress, h("span", { class: "meter" }, h("i", { class: "c-accepted", style: { width: `${(100 * part) / parts}%` } })),
      h("p", null, t("imports.progress", { percent: percent(part, parts), lines: number(answer.lines) })));
  }
  return true;
}

async function again(action, tries = 4) {
  for (let turn = 1; ; turn += 1) {
    try {
      return await action();
    } catch (problem) {
      if (turn >= tries || (problem.status !== 0 && problem.status < 500)) throw problem;
      await new Promise((resolve) => setTimeout(resolve, 500 * 2 ** turn));
    }
  }
}

/// A cell of a CSV file. One that a spreadsheet would run as a formula is defused, as in the server's own files.
const cell = (value) => `"${String(value).replace(/^[=+\-@\t\r]/, "'$&").replaceAll('"', '""')}"`;

export async function importPage(context) {
  const path = `/imports/${enc(context.params.import)}`;
  let found = await get(path);
  const about = h("div");
  const notes = h("div", { class: "notes", role: "status" });
  const cancel = cancelButton(() => found, (answer) => {
    found = answer;
    draw();
    errors.reload();
  });
  const words = { open: () => note("", t("imports.open")), refused: () => note("bad", t("imports.refused")),
    cancelled: () => note("warn", t(found.skipErrors ? "imports.cancelled" : "imports.cancelled.whole", counts(found))) };
  const top = head(t("imports.title", { id: found.importId }), { crumb: h("a", { href: "#/imports" }, t("nav.imports")), actions: [cancel] });
  const draw = () => {
    renew(notes, words[found.state]?.() ?? null);
    // A button that goes takes the focus with it.
    if (found.state !== "open" && document.activeElement === cancel) top.querySelector("h1").focus();
    cancel.hidden = found.state !== "open";
    renew(about, facts([t("message.state"), state(found.state, "import")], [t("imports.one"), t(`imports.${found.kind}`)], [t("imports.lines"), number(found.lines)],
    [t("imports.imported"), number(found.imported)], [t("imports.rejected"), number(found.rejected)], [t("message.created"), exactTime(found.createdAt)], [t("imports.by"), found.createdBy],
    [t("message.finished"), found.finishedAt && exactTime(found.finishedAt)]));
  };
  draw();
  const errors = list({ caption: t("imports.errors"), load: (cursor) => get(`${path}/errors${query({ cursor, limit: 100 })}`), empty: empty(t("imports.no-errors")), columns: [
    { title: t("imports.line"), lead: true, cell: (item) => h("b", { class: "number" }, t("imports.line-number", { n: number(item.line) })) },
    { title: t("imports.error"), cell: (item) => told(item.error) },
    { title: t("imports.text"), cell: (item) => h("code", null, item.text) },
  ] });
  if (found.state === "open") {
    context.onLeave(every(1500, async () => {
      if (found.state !== "open") return;
      found = await get(path);
      draw();
      if (found.state !== "open") errors.reload();
    }));
  }
  await errors.ready;
  const download = h("button", { class: "button small", id: "import-errors-download", onclick: () => save().catch(complain) }, t("imports.download"));
  /// All wrong lines as a file: their numbers, what is wrong, and what they hold.
  async function save() {
    download.disabled = true;
    try {
      const wrong = [];
      let cursor;
      do {
        const page = await get(`${path}/errors${query({ cursor, limit: 1000 })}`);
        wrong.push(...page.items);
        cursor = page.nextCursor;
      } while (cursor);
      const rows = wrong.map((one) => [one.line, told(one.error), one.text].map(cell).join(","));
      const text = `\uFEFF${[t("imports.line"), t("imports.error"), t("imports.text")].map(cell).join(",")}\r\n${rows.join("\r\n")}\r\n`;
      const url = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
      h("a", { href: url, download: `import-${found.importId}-errors.csv` }).click();
      setTimeout(() => URL.revokeObjectURL(url), 60_000);
    } finally {
      download.disabled = false;
    }
  }
  return h("div", null, top, notes, h("div", { class: "grid wide-narrow" }, h("section", { class: "card" }, h("div", { class: "card-head" }, h("h2", null, t("imports.errors")), found.rejected > 0 || found.state === "open" ? download : null), errors.node), h("section", { class: "card" }, h("h2", null, t("message.facts")), about)));
}
