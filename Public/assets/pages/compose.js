/// Writing a message: who gets it, what it says, when and how fast; beside it how it will look, its exact size and how many
/// it reaches. Size and count come from the server's dry run: the console has no rules of its own. What is written is kept at
/// each key.

import { get, post, putTo, query, randomKey, remove } from "../api.js";
import { h, later, put } from "../dom.js";
import { audiencePart, audienceState, elsewhere } from "../parts/audience.js";
import { choose, confirm } from "../parts/dialog.js";
import { field, segmented, showAtFields } from "../parts/form.js";
import { askBeforeUnload, drop, keep, kept } from "../parts/kept.js";
import { bestHour } from "../parts/heat.js";
import { messageFields } from "../parts/message-fields.js";
import { alertOf, copyOf, describe, draftOf, isLater, languageName, occurrenceOf, timeWords } from "../parts/message-model.js";
import { complain, head, note, say } from "../parts/notice.js";
import { messagePreview } from "../parts/preview.js";
import { followTest } from "../parts/test-result.js";
import { testersPart } from "../parts/testers.js";
import { enc, follow, go, link } from "../router.js";
import { app, apps, chooseApp, may, oneApp, refreshApps } from "../session.js";
import { bytes, number, t, told } from "../words.js";
import { mostCounted, needApp, reach, shortened } from "./common.js";

/// Above so many devices the number must be typed before anything is sent.
const many = 1000;

/// What the page begins with: what was kept of it here; else what the address names.
async function beginning(name, asked, chosen) {
  const found = kept(name);
  if (found) return { ...found, isKept: true };
  const begin = (appId, message, audience, from = {}) => ({ appId, message, audience: audienceState(audience), from });
  if (asked.template) {
    const template = await get(`/templates/${enc(asked.template)}`);
    return begin(template.appId, draftOf(template.message), null);
  }
  if (asked.draft) {
    const draft = await get(`/drafts/${enc(asked.draft)}`);
    return begin(draft.appId, draftOf(draft.message), draft.message.audience, { draft: asked.draft, name: draft.name });
  }
  if (asked.copy || asked.change) {
    const path = `/messages/${enc(asked.copy ?? asked.change)}`;
    const [record, { sendAt }] = await Promise.all([get(`${path}/request`), get(path)]);
    const message = asked.change ? draftOf(occurrenceOf(record, sendAt)) : copyOf(record.message);
    return begin(record.appId, message, record.message.audience, asked.change ? { change: asked.change } : {});
  }
  const audience = asked.clientUid ? { clientUids: [asked.clientUid] } : asked.group ? { groups: [asked.group] } : asked.device ? { devices: [asked.device] } : asked.segment ? { segment: asked.segment } : null;
  return begin(chosen.appId, {}, audience);
}

export async function composePage(context) {
  await refreshApps().catch(() => {});
  const { nothing } = needApp();
  if (nothing) return nothing;
  const asked = context.query;
  const name = `compose ${link("/compose", asked)}`;
  const work = await beginning(name, asked, apps.find((one) => one.appId === asked.app) ?? oneApp());
  // Another app was chosen above meanwhile: the text stays, what belongs to the other app does not.
  if (work.isKept && context.isRefined && app() && app().appId !== work.appId) Object.assign(work, { appId: app().appId, audience: elsewhere(work.audience) });
  const chosen = apps.find((one) => one.appId === work.appId) ?? oneApp();
  work.appId = chosen.appId;
  work.pictures ??= {};
  work.key ??= randomKey();
  const { message, from } = work;
  const written = () => JSON.stringify([message, { ...work.audience, sample: null }]);
  let start = "";
  const isDirty = () => written() !== start;
  let dry = null;
  let values = {};
  let kind = "ios";
  let isOpen = false;
  let shown = null;
  const looking = later(500, () => look());
  const changed = () => {
    if (isDirty()) keep(name, { ...work, start });
    else drop(name);
    looking();
  };
  const fields = messageFields({ message, changed, appId: chosen.appId, pictures: work.pictures });
  const audience = await audiencePart(chosen.appId, work.audience, changed);
  // Behind the fields: what they choose by themselves is nobody's work.
  start = work.start ?? written();
  const [testers, best] = await Promise.all([testersPart(chosen.appId), get(`/statistics/hours${query({ appId: chosen.appId })}`).then(({ items }) => bestHour(items)).catch(() => null)]);
  const shownFields = () => [...fields.fields, audience.field];
  const screen = h("div");
  const views = h("div", { class: "row" });
  const result = h("div", { role: "status", "aria-live": "polite" });
  const trouble = h("div", { class: "notes", role: "alert", id: "trouble" });
  const tested = h("div", { class: "notes", role: "status", id: "test-result" });
  let unfollow = () => {};
  /// The test that no answer has come to: `{text, key}`; null: none.
  let unanswered = null;
  let isTesting = false;
  const send = h("button", { class: "button main", id: "send", type: "submit" }, t(from.change ? "compose.change.do" : "compose.send"));

  const request = () => ({ appId: chosen.appId, audience: audience.value(), ...message });
  const gaps = () => fields.gaps({ hasLines: work.audience.kind === "csv" });
  const isWritten = () => Boolean(alertOf(message).body?.trim() || alertOf(message).locKey || (!message.alert && (message.badge || message.contentAvailable || message.liveActivity || message.mdm || message.pushType)));

  /// What stands for the variables: of the first line of a file, or the first person who is named.
  let asking = null;
  async function findValues() {
    if (work.audience.kind === "csv") return work.audience.sample ?? {};
    const clientUid = audience.first();
    if (!clientUid) return {};
    if (asking?.clientUid !== clientUid) {
      const found = may("viewPeople") ? get(`/users${query({ appId: chosen.appId, prefix: clientUid, limit: 1 })}`).then(({ items }) => items.find((one) => one.clientUid === clientUid)?.clientName).catch(() => null) : Promise.resolve(null);
      asking = { clientUid, found };
    }
    const clientName = await asking.found;
    return { CUID: clientUid, ...(clientName ? { CNAME: clientName } : {}) };
  }

  function draw() {
    const languages = Object.keys(message.translations ?? {});
    if (shown && !languages.includes(shown)) shown = null;
    put(views, segmented(t("compose.preview"), [["ios", "iPhone"], ["android", "Android"]], kind, (one) => { kind = one; draw(); }),
      segmented(t("compose.preview.fold"), [["folded", t("compose.preview.folded")], ["open", t("compose.preview.open")]], isOpen ? "open" : "folded", (one) => { isOpen = one === "open"; draw(); }),
      languages.length ? segmented(t("field.translations"), [["", t("compose.preview.own")], ...languages.map((one) => [one, languageName(one)])], shown ?? "", (one) => { shown = one || null; draw(); }) : null);
    put(screen, messagePreview(kind, message, { app: chosen.name || chosen.appId, language: shown, values, pictures: work.pictures, isOpen }));
  }

  let turn = 0;
  /// Fields that were said to lack something.
  let flagged = [];
  /// Asks the server what would happen, and shows it.
  async function look() {
    draw();
    dry = null;
    const mine = (turn += 1);
    values = await findValues();
    if (mine !== turn || context.stale()) return;
    if (Object.keys(values).length) draw();
    if (!isWritten() || !audience.value()) return put(result, h("p", { class: "soft" }, t("compose.incomplete")));
    // What the form lacks by its own knowledge the server need not be asked.
    const missing = gaps();
    if (missing.length) return put(result, h("p", { class: "soft", id: "missing" }, t("compose.missing", { names: missing.map((one) => one.name).join(", ") })));
    for (const one of flagged) one.complain(null);
    flagged = [];
    try {
      const answer = await post("/messages", { ...request(), dryRun: true });
      if (mine !== turn || context.stale()) return;
      dry = answer;
      showAtFields({ errors: [{ pointer: "/", detail: "" }] }, shownFields(), { focus: false });
      put(trouble);
      put(result, report(answer));
    } catch (problem) {
      if (mine !== turn || context.stale()) return;
      put(result, note("bad", showAtFields({ ...problem, errors: [], title: problem.title, message: problem.message }, [], { focus: false }).join(" ")));
    }
  }

  function report(answer) {
    return [h("p", null, h("span", { class: "count", id: "audience-count" }, reach(answer.targeted)), " ", t("compose.devices", { n: number(answer.targeted) })),
      answer.unknown.length ? note("warn", t("compose.unknown", { names: answer.unknown.slice(0, 8).join(", ") })) : null,
      answer.payloads.map((one) => h("div", { class: "bytes", "data-bytes": one.bytes }, h("p", null, `${one.pnsId}: `, h("b", null, bytes(one.bytes)), " / ", bytes(4096)),
        h("span", { class: "meter" }, h("i", { class: one.bytes > 4096 ? "c-rejected" : "c-accepted", style: { width: `${Math.min(100, one.bytes / 40.96)}%` } })),
        h("details", { class: "small" }, h("summary", null, t("compose.payload")), h("pre", { tabindex: "0" }, JSON.stringify(one.payload, null, 1))))),
      answer.refusals.map((one) => note("bad", one.detail)), (answer.notes ?? []).map((one) => note("", one))];
  }

  /// Makes a test; a press while one is on its way makes no second one. A test whose answer was lost is the same when it is
  /// pressed again as it was.
  async function test() {
    if (isTesting) return;
    const clientUids = testers.clientUids();
    if (clientUids.length === 0) return testers.focus();
    const made = { ...request(), audience: { clientUids }, test: true };
    // Not behind campaigns.
    if (made.lane === "bulk") made.lane = "normal";
    for (const one of ["sendAt", "localTime", "repeat", "pace", "canary", "window", "inbox"]) delete made[one];
    // A file's values come with its lines; the first line's stand for them.
    const sample = Object.fromEntries(Object.entries(work.audience.kind === "csv" ? work.audience.sample ?? {} : {}).filter(([one]) => one.startsWith("VAR")));
    if (Object.keys(sample).length) made.variables = { ...made.variables, ...sample };
    const text = JSON.stringify(made);
    if (text !== unanswered?.text) unanswered = { text, key: randomKey() };
    isTesting = true;
    try {
      const answer = await post("/messages", made, { headers: { "Idempotency-Key": unanswered.key } });
      unanswered = null;
      unfollow();
      if (answer.seqno && answer.targeted > 0) unfollow = followTest(answer.seqno, tested);
      say(answer.targeted === 0 ? t("compose.tested.none", { clientUid: clientUids.join(", ") }) : t("compose.tested", { seqno: answer.seqno ?? "", n: number(answer.targeted) }), answer.targeted === 0 ? "bad" : "");
    } catch (problem) {
      complain(problem);
    } finally {
      isTesting = false;
    }
  }

  /// What is missing, said at its field. False: nothing is.
  function lacks() {
    const body = fields.fields.find((one) => one.name === "body");
    body.complain(isWritten() ? null : t("form.needed"));
    audience.field.complain(audience.value() ? null : t("form.needed"));
    if (isWritten() && audience.value()) return showGaps();
    put(trouble, note("bad", t(audience.value() ? "compose.lacks.body" : "compose.lacks.audience")));
    if (audience.value()) body.input.focus();
    else if (work.audience.kind === "users") audience.field.input.focus();
    else audience.node.querySelector("input:checked")?.focus();
    return true;
  }

  /// Says at their fields what they lack, and goes to the first. False: nothing is missing.
  function showGaps() {
    const missing = gaps();
    for (const { field: one, text } of missing) one.complain(text);
    flagged = missing.map((one) => one.field);
    put(trouble, missing.length ? note("bad", t("compose.missing", { names: missing.map((one) => one.name).join(", ") })) : null);
    if (missing.length === 0) return false;
    const [first] = missing;
    for (let one = first.field.input.closest("details"); one; one = one.parentElement.closest("details")) one.open = true;
    first.field.input.focus();
    return true;
  }

  async function submit(event) {
    event.preventDefault();
    if (send.disabled || lacks()) return;
    send.disabled = true;
    try {
      looking.stop();
      await look();
      if (!dry) {
        // The server says at which fields it is.
        await post("/messages", { ...request(), dryRun: true });
        return;
      }
      if (dry.refusals.length) return complain({ title: t("compose.refused"), message: dry.refusals[0].detail });
      const made = request();
      const count = reach(dry.targeted);
      const size = dry.targeted ?? mostCounted;
      const above = chosen.approvalAbove ?? null;
      const asks = above !== null && (dry.targeted === null || size > above);
      const waits = isLater(made);
      const isSure = await confirm({ title: t(asks ? "compose.confirm.approval" : waits ? "compose.confirm.later" : "compose.confirm", { n: count }), bad: size > many, careful: true,
        no: t("compose.confirm.no"), action: t(asks ? "compose.confirm.ask" : waits ? "compose.confirm.schedule" : "compose.confirm.do", { n: count }), typed: size > many ? String(size) : null, typedLabel: t("compose.confirm.type", { n: number(size) }),
        // What was sent within the hour counts too: only the server knows whether a second person is asked.
        body: [summary(made), from.change && above !== null ? note("warn", t("compose.confirm.replaces", { seqno: from.change })) : null] });
      if (!isSure) return;
      const headers = { "Idempotency-Key": work.key };
      const answer = from.change ? await putTo(`/messages/${enc(from.change)}`, made, { headers }) : await post("/messages", made, { headers });
      done();
      if (from.draft && may("manageContent")) await removeDraft(from.draft);
      go(answer.approvalId ? `/approvals/${answer.approvalId}` : `/messages/${answer.seqno}`);
    } catch (problem) {
      if (problem.code === "upmc:idempotency-conflict") work.key = randomKey();
      put(trouble, showAtFields(problem, shownFields()).map((text) => note("bad", text)));
    } finally {
      send.disabled = false;
    }
  }

  function summary(made) {
    const alert = alertOf(made);
    return h("div", { class: "summary" }, h("blockquote", null, [alert.title, alert.body].filter(Boolean).join("\n")),
      h("div", { class: "scrolls", tabindex: "0", role: "group", "aria-label": t("message.facts") }, h("dl", { class: "facts" }, [[t("message.app"), chosen.name || chosen.appId], [t("compose.who"), audience.words()], [t("field.timing"), timeWords(made)], ...describe(made)]
        .map(([label, value]) => [h("dt", null, label), h("dd", null, value)]))));
  }

  /// It is sent or kept elsewhere: nothing is to be asked any more.
  function done() {
    drop(name);
    context.guard(null);
    stopAsking();
  }

  const removeDraft = (draft) => remove(`/drafts/${enc(draft)}`).catch(() => {});

  async function saveDraft() {
    const alert = alertOf(message);
    const body = { name: from.name ?? shortened(alert.title || alert.body || t("drafts.nameless"), 60), message: { ...message, ...(audience.value() ? { audience: audience.value() } : {}) } };
    if (from.draft) await putTo(`/drafts/${enc(from.draft)}`, body);
    else await post("/drafts", { appId: chosen.appId, ...body });
    done();
    say(from.change ? t("drafts.saved.change", { seqno: from.change }) : t("drafts.saved"));
  }

  const stopAsking = askBeforeUnload(isDirty);
  context.onLeave(() => {
    unfollow();
    turn += 1;
    looking.stop();
    stopAsking();
  });
  context.guard(async () => {
    if (!isDirty()) return true;
    const answer = await choose(t("compose.leave.title"), h("p", null, t("compose.leave.body")), [["stay", t("compose.leave.stay")], ["discard", t("compose.leave.discard"), "bad"],
      ...(may("manageContent") ? [["save", t("compose.leave.save"), "main"]] : [])]);
    if (answer === "save") {
      try {
        await saveDraft();
      } catch (problem) {
        complain(problem);
        return false;
      }
    }
    if (answer === "discard") drop(name);
    return answer === "save" || answer === "discard";
  });
  draw();
  put(result, h("p", { class: "soft" }, t("compose.incomplete")));
  if (work.isKept || Object.keys(asked).length) looking();
  const whose = apps.length > 1 ? field({ name: "appId", label: t("message.app"), type: "select", value: chosen.appId, options: apps.map((one) => [one.appId, one.name || one.appId]), onchange: (event) => {
    keep(name, { ...work, start, appId: event.target.value, audience: elsewhere(work.audience) });
    if (app()) chooseApp(event.target.value);
    follow({ isRefined: true });
  } }).node : null;
  if (whose) whose.dataset.member = "appId";
  return h("div", null, head(t(from.change ? "compose.change" : "nav.compose"), { detail: from.change ? t("compose.change.detail", { seqno: from.change }) : null, actions: [
    may("manageContent") ? h("button", { class: "button", type: "button", id: "save-draft", onclick: () => saveDraft().then(() => go("/drafts")).catch(complain) }, t("drafts.save")) : null] }),
    h("div", { class: "notes", id: "standing" }, chosen.pausedReason ? note("bad", h("b", null, t("attention.paused", { app: chosen.name || chosen.appId })), " ", told(chosen.pausedReason), " ", t("compose.paused"), " ",
      h("a", { href: link(`/apps/${chosen.appId}`) }, t("do.look"))) : null,
    work.isKept && isDirty() ? note("", t("compose.restored")) : null),
    h("form", { class: "compose", novalidate: true, onsubmit: submit, onkeydown: (event) => {
      // Enter in a line of text sends nothing.
      if (event.key === "Enter" && event.target.matches("input:not([type=checkbox], [type=radio], [type=file])")) event.preventDefault();
    } },
      h("div", { class: "stack" },
        h("section", { class: "card" }, h("h2", null, t("compose.who")), h("div", { class: "fields" }, whose, audience.node)),
        h("section", { class: "card" }, h("h2", null, t("compose.what")), fields.node),
        h("section", { class: "card" }, h("h2", null, t("compose.when")), h("p", { class: "soft small", id: "best-hour", hidden: !best }, best), best ? h("p", { class: "soft small", id: "best-hour-clock" }, t("heat.clock", { zone: chosen.timeZone })) : null, fields.when)),
      h("div", { class: "beside" },
        h("section", { class: "card" }, h("h2", null, t("compose.reach")), result, trouble, h("div", { class: "row" }, send)),
        h("section", { class: "card" }, h("h2", { class: "unseen" }, t("compose.preview")), views, screen),
        h("section", { class: "card" }, h("div", { class: "fields" }, testers.node, h("button", { class: "button", type: "button", id: "test-send", onclick: test }, t("compose.test")), tested)))));
}
