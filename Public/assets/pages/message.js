/// One message: its record, its numbers as they change, why it waits, what can still be done with it, and its people.

import { call, get, post, randomKey } from "../api.js";
import { h, put, renew } from "../dom.js";
import { choices, segmented } from "../parts/form.js";
import { confirm, formDialog } from "../parts/dialog.js";
import { funnelBars, funnelRest, reasonList } from "../parts/funnel.js";
import { every, watch } from "../parts/live.js";
import { alertOf, audienceWords, describe, isFollowed, languageName, occurrenceOf, paceText } from "../parts/message-model.js";
import { complain, facts, head, note, say, state } from "../parts/notice.js";
import { paceField, paceValue } from "../parts/pace.js";
import { messagePreview } from "../parts/preview.js";
import { progress } from "../parts/rate.js";
import { enc, go, link } from "../router.js";
import { apps, may } from "../session.js";
import { exactTime, number, t, told, word } from "../words.js";
import { messageTitle } from "./common.js";
import { fallbacksPart, shardsPart } from "./message-parts.js";
import { messagePeople } from "./message-people.js";

const finals = ["completed", "cancelled", "expired", "failed"];

export async function messagePage(context) {
  const { seqno } = context.params;
  const [first, found] = await Promise.all([get(`/messages/${enc(seqno)}`), get(`/messages/${enc(seqno)}/request`)]);
  let funnel = first;
  let record = found;
  const message = courseOf(record, funnel);
  const numbers = h("div");
  const reasons = h("div");
  const badge = h("span", { id: "message-state" });
  const buttons = h("div", { class: "row" });
  const live = h("span", { class: "live off", role: "status" });
  const rate = h("p", { class: "soft", id: "rate", role: "status" });
  const pace = h("p", { class: "soft", id: "pace-now" });
  const why = h("div", { class: "notes", id: "why" });
  const measured = progress();
  /// Counts the events of the stream.
  let events = 0;

  function draw() {
    put(badge, state(funnel.state));
    put(numbers, funnelBars(funnel), funnelRest(funnel));
    const list = reasonList(funnel.reasons, (reason) => link(`/messages/${seqno}`, { tab: "failures", reason }));
    renew(reasons, list ?? h("p", { class: "soft" }, t("message.no-reasons")));
    const isOver = finals.includes(funnel.state);
    renew(why, isOver ? null : record.waits.map(waiting), funnel.stateReason ? note(funnel.state === "paused" ? "warn" : "bad", told(funnel.stateReason)) : null,
      funnel.estimate ? note("", t("message.estimate")) : null,
      funnel.unknown > 0 ? note("", t("message.unknown", { n: number(funnel.unknown) })) : null);
    put(rate, measured.words(funnel));
    put(pace, isOver ? "" : `${t("pace.kind")}: ${paceText(record.pace)}`);
    const wanted = allowed(funnel).map(([name]) => name).join();
    if (buttons.dataset.actions !== wanted) {
      buttons.dataset.actions = wanted;
      put(buttons, allowed(funnel).map(([name, kind]) => h("button", { class: `button ${kind}`, "data-action": name, onclick: () => act(name) }, t(name === "cancel" ? "cancel.ask" : `do.${name}`))));
    }
  }

  async function act(name) {
    const before = events;
    try {
      const answer = await actions[name](funnel, record);
      if (!answer) return;
      // An event that came meanwhile may be newer than the answer. If it is older, another one follows.
      if (events === before) funnel = answer;
      await again();
      draw();
    } catch (problem) {
      complain(problem);
    }
  }

  /// What holds it back changes by itself: it is asked for now and then.
  async function again() {
    record = await get(`/messages/${enc(seqno)}/request`);
  }

  draw();
  context.onLeave(watch(seqno, (latest) => {
    events += 1;
    const isChanged = latest.state !== funnel.state;
    funnel = latest;
    measured.add(latest);
    if (isChanged) again().then(draw).catch(() => {});
    draw();
  }, (isConnected) => {
    live.classList.toggle("off", !isConnected);
    renew(live, t(isConnected ? "live.on" : "live.off"));
  }));
  context.onLeave(every(5000, async () => {
    if (finals.includes(funnel.state)) return;
    await again();
    if (!context.stale()) draw();
  }));
  const tab = context.query.tab ?? "overview";
  const named = ["overview", "people", "failures", ...(message.sms ? ["fallbacks"] : []), "shards"];
  const tabs = h("nav", { class: "tabs", "aria-label": t("message.parts") }, named.map((name) =>
    h("a", { href: link(`/messages/${seqno}`, { tab: name === "overview" ? null : name }), "aria-current": name === tab ? "page" : null }, t(`message.${name}`))));
  const parts = { people: messagePeople, failures: messagePeople, fallbacks: fallbacksPart, shards: shardsPart };
  const body = parts[tab] ? await parts[tab](context, seqno, tab, funnel) : await overview();
  return h("div", null,
    head(messageTitle(funnel), { crumb: [h("a", { href: link("/messages", { purpose: record.purpose }) }, t(`purpose.${record.purpose}`)), ` · ${seqno}`], actions: [buttons] }),
    h("div", { class: "row" }, badge, live), why, tabs, body);

  async function overview() {
    return h("div", { class: "grid wide-narrow" },
      h("div", { class: "stack" }, h("section", { class: "card", id: "funnel" }, h("div", { class: "card-head" }, h("h2", null, t("message.funnel")), pace), numbers, rate),
        h("section", { class: "card" }, h("h2", null, t("message.reasons")), reasons),
        h("section", { class: "card", id: "record" }, h("h2", null, t("message.facts")), await recordFacts(record, funnel))),
      previewCard(record));
  }
}

/// What holds it back, and until when.
function waiting(wait) {
  const key = `wait.${wait.reason}`;
  const words = t(key) === key ? word("reason", wait.reason) : t(key);
  return h("div", { class: `note ${["app-paused", "canary-stopped", "approval"].includes(wait.reason) ? "bad" : "warn"}`, "data-wait": wait.reason },
    wait.devices === null ? words : t("wait.devices", { words, n: number(wait.devices) }), wait.until ? [" · ", exactTime(wait.until)] : null);
}

/// A message with its own course: sent again, it has neither the time nor the canary nor the short messages of the first.
function courseOf(record, funnel) {
  if (!funnel.resendOf) return occurrenceOf(record, funnel.sendAt);
  const { localTime, canary, sms, fallback, ...message } = record.message;
  return message;
}

/// Who asked for it, who let it go, whom it is for, and all that it says.
async function recordFacts(record, funnel) {
  const { message } = record;
  const alert = alertOf(message);
  return facts(
    [t("message.app"), apps.find((one) => one.appId === record.appId)?.name || record.appId],
    [t("approvals.by"), record.requestedBy || t("message.by.program")],
    [t("message.approved"), record.approvedBy && [record.approvedBy, " · ", exactTime(record.approvedAt), " · ", h("a", { href: link(`/approvals/${record.approvalId}`) }, t("do.show"))]],
    [t("compose.who"), await audienceWords(message.audience, record.appId)],
    [t("message.title"), alert.title], [t("message.body"), alert.body],
    ...describe({ ...courseOf(record, funnel), pace: undefined, repeat: undefined }),
    [t("field.repeat"), record.repeat && [t("field.repeat.words", { every: word("every", record.repeat.every), until: record.repeat.until }), " · ", t("message.occurrence", { n: record.repeat.occurrence + 1 }), record.repeat.ended ? ` · ${t("message.series-ended")}` : ""]],
    [t("message.created"), exactTime(record.createdAt)],
    [t("message.due"), funnel.sendAt && exactTime(funnel.sendAt)],
    [t("message.resend"), funnel.resendOf && h("a", { href: link(`/messages/${funnel.resendOf}`) }, t("message.resend-of", { seqno: funnel.resendOf }))],
    [t("message.resent"), funnel.resent > 0 ? number(funnel.resent) : null],
    [t("compose.section.json"), h("details", { class: "small" }, h("summary", null, t("do.show")), h("pre", { tabindex: "0" }, JSON.stringify(message, null, 1)))]);
}

function previewCard(record) {
  const box = h("div");
  const languages = Object.keys(record.message.translations ?? {});
  let [kind, shown] = ["ios", ""];
  const draw = () => put(box, messagePreview(kind, record.message, { app: apps.find((one) => one.appId === record.appId)?.name ?? record.appId, language: shown || null, isOpen: true, none: record.message.confidential ? t("message.confidential.detail") : undefined }));
  draw();
  return h("section", { class: "card stack" }, h("h2", { class: "unseen" }, t("compose.preview")),
    h("div", { class: "row" }, segmented(t("compose.preview"), [["ios", "iPhone"], ["android", "Android"]], kind, (one) => { kind = one; draw(); }),
      languages.length ? segmented(t("field.translations"), [["", t("compose.preview.own")], ...languages.map((one) => [one, languageName(one)])], shown, (one) => { shown = one; draw(); }) : null), box);
}

/// What may be done with a message in this state.
function allowed(funnel) {
  const running = ["queued", "sending"].includes(funnel.state);
  const found = [];
  if (may("control")) {
    if (running) found.push(["pause", ""]);
    if (funnel.state === "paused") found.push(["resume", "main"]);
    if (funnel.state === "scheduled" && may("send") && !funnel.confidential) found.push(["edit", ""]);
    if (running || funnel.state === "paused" || funnel.state === "scheduled") found.push(["pace", ""], ["cancel", "bad"]);
  }
  if (may("send") && !funnel.confidential) found.push(["copy", ""]);
  if (may("send") && finals.includes(funnel.state) && funnel.targeted > 0) found.push(["resend", ""]);
  return found;
}

/// The keys of resends that no answer has come to: pressed again, such a one is the same resend, and goes out once.
const resends = new Map();

const control = (funnel, action) => post(`/messages/${funnel.seqno}/${action}`);

const actions = {
  pause: async (funnel) => {
    const answer = await control(funnel, "pause");
    say(t("message.paused", { n: number(answer.pending) }));
    return answer;
  },
  resume: async (funnel) => {
    const isSure = await confirm({ title: t("resume.title"), body: h("p", null, t("resume.body", { n: number(funnel.pending) })), action: t("resume.do", { n: number(funnel.pending) }) });
    return isSure ? control(funnel, "resume") : null;
  },
  cancel: async (funnel, record) => {
    const isSure = await confirm({ title: t("cancel.title"), bad: true, action: t("cancel.do", { n: number(funnel.pending) }), no: t("cancel.no"),
      body: h("div", { class: "notes" }, h("p", null, t("cancel.body", { pending: number(funnel.pending), accepted: number(funnel.accepted) })),
        isFollowed(record.repeat, funnel.sendAt, apps.find((one) => one.appId === record.appId)?.timeZone)
          ? note("warn", t(funnel.state === "scheduled" ? "cancel.series" : "cancel.series.later", { until: record.repeat.until })) : null) });
    return isSure ? control(funnel, "cancel") : null;
  },
  pace: async (funnel, record) => {
    const pace = paceField(undefined, record.pace);
    return formDialog({ title: t("pace.title"), detail: `${t("pace.now")} ${paceText(record.pace)}`, fields: pace.fields, save: async (values) => {
      const answer = await call("PATCH", `/messages/${funnel.seqno}`, { pace: paceValue(values) });
      say(t("pace.saved"));
      return answer;
    } });
  },
  copy: async (funnel) => { go("/compose", { copy: funnel.seqno }); },
  edit: async (funnel) => { go("/compose", { change: funnel.seqno }); },
  resend: async (funnel) => {
    const counts = { failed: funnel.rejected + funnel.expired + funnel.skipped, "not-received": Math.max(0, funnel.accepted - funnel.received), "not-read": Math.max(0, funnel.accepted - funnel.read) };
    let to = Object.keys(counts).find((name) => counts[name] > 0) ?? "failed";
    const action = () => t("resend.do", { n: number(counts[to]) });
    const options = Object.keys(counts).map((name) => [name, `${t(`resend.${name}`)} (${number(counts[name])})`]);
    const body = h("div", { class: "fields" }, h("p", null, t("resend.body")), choices({ name: "to", label: t("resend.to"), options, value: to, choose: (name) => {
      to = name;
      body.closest("dialog").querySelector("[type=submit]").textContent = action();
    } }));
    const isSure = await confirm({ title: t("resend.title"), body, action: action(), careful: true });
    if (!isSure) return null;
    const name = `${funnel.seqno} ${to}`;
    if (!resends.has(name)) resends.set(name, randomKey());
    const answer = await post(`/messages/${funnel.seqno}/resend`, { to }, { headers: { "Idempotency-Key": resends.get(name) } });
    resends.delete(name);
    if (answer.approvalId) {
      say(t("approvals.asked"));
      go(`/approvals/${answer.approvalId}`);
      return null;
    }
    say(t("resend.sent", { seqno: answer.seqno, n: number(answer.targeted) }));
    go(`/messages/${answer.seqno}`);
    return null;
  },
};
