/// One message: its numbers as they change, what can still be done with it, why some did not get it, and its people.

import { call, get, post, query } from "../api.js";
import { h, put } from "../dom.js";
import { choices } from "../parts/form.js";
import { confirm, formDialog } from "../parts/dialog.js";
import { funnelBars, funnelRest, reasonList } from "../parts/funnel.js";
import { watch } from "../parts/live.js";
import { complain, facts, head, note, say, state } from "../parts/notice.js";
import { enc, go, link } from "../router.js";
import { may } from "../session.js";
import { exactTime, number, t, told, word } from "../words.js";
import { messageTitle } from "./common.js";
import { messagePeople } from "./message-people.js";
import { paceField, paceValue } from "../parts/pace.js";

const finals = ["completed", "cancelled", "expired", "failed"];

export async function messagePage(context) {
  const { seqno } = context.params;
  let funnel = await get(`/messages/${enc(seqno)}`);
  const message = await described(seqno);
  const numbers = h("div");
  const reasons = h("div");
  const badge = h("span", { id: "message-state" });
  const buttons = h("div", { class: "row" });
  const live = h("span", { class: "live off", role: "status" });
  const why = h("div", { class: "notes" });

  function draw() {
    put(badge, state(funnel.state));
    put(numbers, funnelBars(funnel), funnelRest(funnel));
    const list = reasonList(funnel.reasons, (reason) => link(`/messages/${seqno}`, { tab: "failures", reason }));
    put(reasons, list ?? h("p", { class: "soft" }, t("message.no-reasons")));
    put(why, funnel.stateReason ? note(funnel.state === "paused" ? "warn" : "bad", told(funnel.stateReason)) : null,
      funnel.estimate ? note("", t("message.estimate")) : null,
      funnel.unknown > 0 ? note("", t("message.unknown", { n: number(funnel.unknown) })) : null);
    const wanted = allowed(funnel).map(([name]) => name).join();
    if (buttons.dataset.actions !== wanted) {
      buttons.dataset.actions = wanted;
      put(buttons, allowed(funnel).map(([name, kind]) => h("button", { class: `button ${kind}`, "data-action": name, onclick: () => act(name) }, t(`do.${name}`))));
    }
  }

  async function act(name) {
    try {
      const answer = await actions[name](funnel, message);
      if (!answer) return;
      funnel = answer;
      draw();
    } catch (problem) {
      complain(problem);
    }
  }

  draw();
  context.onLeave(watch(seqno, (latest) => {
    funnel = latest;
    draw();
  }, (isConnected) => {
    live.classList.toggle("off", !isConnected);
    put(live, t(isConnected ? "live.on" : "live.off"));
  }));
  const tab = context.query.tab ?? "overview";
  const tabs = h("nav", { class: "tabs", "aria-label": t("message.parts") }, ["overview", "people", "failures"].map((name) =>
    h("a", { href: link(`/messages/${seqno}`, { tab: name === "overview" ? null : name }), "aria-current": name === tab ? "page" : null }, t(`message.${name}`))));
  const body = tab === "overview" ? overview() : await messagePeople(context, seqno, tab);
  return h("div", null,
    head(message ? messageTitle(message) : t("message.number", { seqno }), {
      crumb: [h("a", { href: "#/messages" }, t("nav.messages")), ` · ${seqno}`], actions: [buttons] }),
    h("div", { class: "row" }, badge, live), why, tabs, body);

  function overview() {
    return h("div", { class: "grid wide-narrow" },
      h("div", { class: "stack" }, h("section", { class: "card", id: "funnel" }, h("h2", null, t("message.funnel")), numbers),
        h("section", { class: "card" }, h("h2", null, t("message.reasons")), reasons)),
      h("section", { class: "card" }, h("h2", null, t("message.facts")), aboutMessage(message, funnel)));
  }
}

/// The message's entry in the list: what it says, and when. The list is asked for what comes right before the next number.
async function described(seqno) {
  if (!/^\d{1,18}$/.test(seqno)) return null;
  const page = await get(`/messages${query({ cursor: String(BigInt(seqno) + 1n), limit: 1 })}`).catch(() => null);
  return page?.items.find((item) => item.seqno === seqno) ?? null;
}

function aboutMessage(message, funnel) {
  const alert = message?.alert;
  return facts(
    [t("message.app"), message?.appId],
    [t("message.title"), typeof alert === "object" ? alert?.title : null],
    [t("message.body"), typeof alert === "string" ? alert : alert?.body],
    [t("message.confidential"), message?.confidential ? t("message.confidential.detail") : null],
    [t("message.lane"), message && word("lane", message.lane)],
    [t("message.created"), message && exactTime(message.createdAt)],
    [t("message.due"), (funnel.sendAt ?? message?.sendAt) && exactTime(funnel.sendAt ?? message.sendAt)],
    [t("message.finished"), message?.finishedAt && exactTime(message.finishedAt)],
    [t("message.resend"), funnel.resendOf && h("a", { href: link(`/messages/${funnel.resendOf}`) }, t("message.resend-of", { seqno: funnel.resendOf }))],
    [t("message.reference"), funnel.reference?.key],
    [t("message.resent"), funnel.resent > 0 ? number(funnel.resent) : null]);
}

/// What may be done with a message in this state.
function allowed(funnel) {
  const running = ["queued", "sending", "scheduled"].includes(funnel.state);
  const found = [];
  if (may("control")) {
    if (running) found.push(["pause", ""]);
    if (funnel.state === "paused") found.push(["resume", "main"]);
    if (running || funnel.state === "paused") found.push(["pace", ""], ["cancel", "bad"]);
  }
  if (may("send") && finals.includes(funnel.state) && funnel.targeted > 0) found.push(["resend", ""]);
  return found;
}

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
  cancel: async (funnel) => {
    const isSure = await confirm({ title: t("cancel.title"), bad: true, action: t("cancel.do", { n: number(funnel.pending) }),
      body: h("p", null, t("cancel.body", { pending: number(funnel.pending), accepted: number(funnel.accepted) })) });
    return isSure ? control(funnel, "cancel") : null;
  },
  pace: async (funnel) => {
    const pace = paceField();
    return formDialog({ title: t("pace.title"), fields: pace.fields, save: async (values) => {
      const answer = await call("PATCH", `/messages/${funnel.seqno}`, { pace: paceValue(values) });
      say(t("pace.saved"));
      return answer;
    } });
  },
  resend: async (funnel) => {
    const counts = { failed: funnel.rejected + funnel.expired + funnel.skipped, "not-received": Math.max(0, funnel.accepted - funnel.received), "not-read": Math.max(0, funnel.accepted - funnel.read) };
    let to = Object.keys(counts).find((name) => counts[name] > 0) ?? "failed";
    const action = () => t("resend.do", { n: number(counts[to]) });
    const options = Object.keys(counts).map((name) => [name, `${t(`resend.${name}`)} (${number(counts[name])})`]);
    const body = h("div", { class: "fields" }, h("p", null, t("resend.body")), choices({ name: "to", label: t("resend.to"), options, value: to, choose: (name) => {
      to = name;
      body.closest("dialog").querySelector("[type=submit]").textContent = action();
    } }));
    const isSure = await confirm({ title: t("resend.title"), body, action: action() });
    if (!isSure) return null;
    const answer = await post(`/messages/${funnel.seqno}/resend`, { to });
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

