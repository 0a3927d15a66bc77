/// Messages to many that wait for approval.

import { get, post, query } from "../api.js";
import { h } from "../dom.js";
import { confirm, formDialog } from "../parts/dialog.js";
import { field } from "../parts/form.js";
import { every } from "../parts/live.js";
import { complain, empty, facts, head, note, say, state } from "../parts/notice.js";
import { alertOf, audienceWords, describe, isLater, occurrenceOf, timeWords } from "../parts/message-model.js";
import { messagePreview } from "../parts/preview.js";
import { list } from "../parts/table.js";
import { enc, follow, go, link } from "../router.js";
import { app, apps, may, session } from "../session.js";
import { exactTime, number, t, time } from "../words.js";
import { messageTitle, mostCounted, reach } from "./common.js";

export async function approvalsPage(context) {
  const found = list({ caption: t("approvals.title"), key: (item) => item.approvalId, load: (cursor) => get(`/approvals${query({ appId: app()?.appId, cursor, limit: 50 })}`), empty: empty(t("approvals.none")), columns: [
    { title: t("message.title"), lead: true, cell: (item) => [h("a", { class: "title", href: link(`/approvals/${item.approvalId}`) }, messageTitle(item.message)), h("span", { class: "under" }, `${item.appId} · ${item.requestedBy} · ${because(item)}`)] },
    { title: t("message.state"), fit: true, cell: (item) => state(item.state, "approval") },
    { title: t("funnel.targeted"), end: true, cell: (item) => reach(item.targeted) },
    { title: t("message.created"), fit: true, cell: (item) => time(item.requestedAt) },
  ] });
  await found.ready;
  context.onLeave(every(15_000, found.refresh));
  return h("div", null, head(t("approvals.title")), found.node);
}

/// Why somebody is asked: how large it is, what was sent before it, or that it has grown.
function because(item) {
  return t(`approvals.because.${item.because}`, { n: number(item.sentWithinHour) });
}

/// The request's message with its own due time: it may be a later occurrence of a repeating message.
async function dueOf({ message, seqno }) {
  if (!seqno || !message.repeat) return message;
  const [{ repeat }, { sendAt }] = await Promise.all([get(`/messages/${enc(seqno)}/request`), get(`/messages/${enc(seqno)}`)]);
  return occurrenceOf({ message, repeat }, sendAt);
}

export async function approvalPage(context) {
  const path = `/approvals/${enc(context.params.approval)}`;
  const item = await get(path);
  const run = (action) => async () => {
    try {
      await action();
    } catch (problem) {
      complain(problem);
    }
  };
  const approve = run(async () => {
    if (!await confirm({ title: approving, action: isLater(due) ? approving : t("compose.confirm.do", { n: reach(item.targeted) }), typed: String(item.targeted ?? mostCounted),
      typedLabel: t("compose.confirm.type", { n: number(item.targeted ?? mostCounted) }), body: h("p", null, [messageTitle(message), isLater(due) ? timeWords(due) : null].filter(Boolean).join(" · ")) })) return;
    const answer = await post(`${path}/approve`);
    go(`/messages/${answer.seqno}`);
  });
  const reject = run(async () => {
    const done = await formDialog({ title: t("approvals.reject"), action: t("approvals.reject"), fields: [field({ name: "reason", label: t("delivery.reason") })], save: ({ reason }) => post(`${path}/reject`, reason ? { reason } : {}) });
    if (done) say(t("do.saved")), follow();
  });
  // Somebody else may decide, or its time may end.
  if (item.state === "waiting") {
    context.onLeave(every(5000, async () => {
      if ((await get(path)).state !== "waiting" && !context.stale()) follow({ isRefined: true });
    }));
  }
  const { message } = item;
  const due = await dueOf(item).catch(() => message);
  const approving = t(isLater(due) ? "approvals.approve.later" : "approvals.approve");
  const alert = alertOf(message);
  const isOwn = item.requestedBy === session.login;
  const isOpen = item.state === "waiting" && may("managePeople");
  const decides = isOpen && !isOwn;
  const app = apps.find((one) => one.appId === item.appId);
  return h("div", null, head(messageTitle(message), { crumb: h("a", { href: "#/approvals" }, t("approvals.title")), actions: [
    decides ? h("button", { class: "button main", id: "approve", onclick: approve }, approving) : null, isOpen ? h("button", { class: "button bad", id: "reject", onclick: reject }, t(isOwn ? "approvals.withdraw" : "approvals.reject")) : null] }),
  h("div", { class: "notes", id: "approval-notes" }, isOpen && isOwn ? note("", t("approvals.own")) : item.state === "waiting" && !isOpen ? note("", t("approvals.asked")) : null),
  h("div", { class: "grid wide-narrow" },
    h("section", { class: "card" }, facts([t("message.state"), state(item.state, "approval")], [t("message.app"), app?.name || item.appId], [t("compose.who"), await audienceWords(message.audience, item.appId)], [t("funnel.targeted"), reach(item.targeted)],
      [t("message.resend"), item.resendOf && h("a", { href: link(`/messages/${item.resendOf}`) }, `${t("message.resend-of", { seqno: item.resendOf })} · ${t(`resend.${message.to ?? "failed"}`)}`)],
      [t("message.title"), alert.title], [t("message.body"), alert.body], [t("field.timing"), item.resendOf ? null : timeWords(due)], ...(item.resendOf ? [] : describe(due)), [t("approvals.by"), item.requestedBy], [t("approvals.because"), because(item)],
      [t("message.created"), exactTime(item.requestedAt)], [t("approvals.ends"), item.state === "waiting" && item.endsAt && exactTime(item.endsAt)], [t("approvals.decided"), item.decidedBy], [t("delivery.reason"), item.reason], [t("message.one"), item.seqno && h("a", { href: link(`/messages/${item.seqno}`) }, item.seqno)]),
    h("details", { class: "small below-facts" }, h("summary", null, t("approvals.request")), h("pre", { tabindex: "0" }, JSON.stringify(message, null, 1)))),
    h("section", { class: "card" }, h("h2", { class: "unseen" }, t("compose.preview")), messagePreview("ios", message, { app: app?.name ?? item.appId, isOpen: true }))));
}
