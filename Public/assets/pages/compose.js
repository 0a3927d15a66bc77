/// Writing a message: who gets it, what it says, when and how fast; beside it how it will look, its exact size and how many
/// it reaches. Size and count come from the server's dry run: the console has no rules of its own.

import { call, get, post, query, randomKey } from "../api.js";
import { h, later, put } from "../dom.js";
import { audiencePart } from "../parts/audience.js";
import { confirm } from "../parts/dialog.js";
import { choices, field, segmented, showAtFields } from "../parts/form.js";
import { complain, head, note, say } from "../parts/notice.js";
import { paceField, paceValue } from "../parts/pace.js";
import { writePage } from "../parts/page-editor.js";
import { lockScreen } from "../parts/preview.js";
import { go } from "../router.js";
import { apps, oneApp } from "../session.js";
import { bytes, exactTime, number, t, told, word } from "../words.js";
import { needApp, whichApp } from "./common.js";

/// Above so many devices the number must be typed before anything is sent.
const many = 1000;

export async function composePage(context) {
  const { nothing } = needApp();
  if (nothing) return nothing;
  const chosen = apps.find((one) => one.appId === context.query.app) ?? oneApp();
  const asked = context.query;
  const draft = asked.template ? (await get(`/templates/${encodeURIComponent(asked.template)}`)).message : {};
  const alert = typeof draft.alert === "string" ? { body: draft.alert } : draft.alert ?? {};
  let key = randomKey();
  let dry = null;
  const changed = later(500, () => look());
  const on = { oninput: changed };
  const audience = await audiencePart(chosen.appId, asked, changed);
  const title = field({ name: "title", label: t("message.title"), value: alert.title ?? "", pointer: "/alert/title", ...on });
  const body = field({ name: "body", label: t("message.body"), type: "area", value: alert.body ?? "", pointer: "/alert", hint: t("compose.variables"), required: true, ...on });
  const badge = field({ name: "badge", label: t("compose.badge"), type: "check", value: Boolean(draft.badge), onchange: changed });
  const silent = field({ name: "silent", label: t("compose.silent"), type: "check", value: draft.sound === null, onchange: changed });
  const media = field({ name: "media", label: t("compose.media"), value: draft.media ?? "", hint: t("compose.media.hint"), optional: true, code: true, ...on });
  const picture = field({ name: "picture", label: t("compose.picture"), hint: t("media.hint"), type: "file", optional: true, accept: "image/*,audio/*,video/*", onchange: bring });
  const ext = field({ name: "ext", label: "EXT", value: draft.ext ?? "", hint: t("compose.ext.hint"), optional: true, ...on });
  const page = pagePart(chosen.appId, ext, changed);
  const purpose = field({ name: "kind", label: t("compose.kind"), type: "select", value: draft.kind ?? "notice", onchange: changed, required: true,
    options: ["notice", "ad", "essential"].map((one) => [one, t(`compose.kind.${one}`)]) });
  const confidential = field({ name: "confidential", label: t("compose.confidential"), hint: t("compose.confidential.hint"), type: "check", value: draft.confidential === true, onchange: changed });
  const at = field({ name: "sendAt", label: t("compose.at"), type: "datetime-local", hint: t("compose.at.hint"), optional: true, ...on });
  const life = field({ name: "expiresIn", label: t("compose.life"), type: "select", value: draft.expiresIn ?? "P1D", onchange: changed,
    options: [["PT10M", t("compose.life.10m")], ["PT1H", t("compose.life.1h")], ["P1D", t("compose.life.1d")], ["P7D", t("compose.life.7d")]] });
  const inbox = field({ name: "inbox", label: t("compose.inbox"), hint: t("compose.inbox.hint"), type: "number", min: 1, max: 365, optional: true, value: /^P(\d+)D$/.exec(draft.inbox ?? "")?.[1] ?? "", ...on });
  let lane = draft.lane ?? "normal";
  const lanes = choices({ name: "lane", label: t("message.lane"), value: lane, options: ["urgent", "normal", "bulk"].map((one) => [one, t(`lane.${one}`)]), choose: (one) => {
    lane = one;
    changed();
  } });
  const pace = paceField(changed);
  const me = field({ name: "me", label: t("compose.me"), value: localStorage.getItem(`upmc.me.${chosen.appId}`) ?? "", hint: t("compose.me.hint"), code: true, placeholder: "CUID" });
  const fields = [title, body, badge, silent, purpose, confidential, media, ext, at, life, inbox, audience.field];
  const screen = h("div");
  const result = h("div", { role: "status", "aria-live": "polite" });
  const trouble = h("div", { class: "notes", role: "alert" });
  const send = h("button", { class: "button main", id: "send", type: "submit" }, t("compose.send"));
  let kind = "ios";

  function request() {
    const values = Object.fromEntries(pace.fields.map((one) => [one.name, one.value]));
    const made = { appId: chosen.appId, audience: audience.value(), alert: title.value ? { title: title.value, body: body.value } : { body: body.value }, lane, expiresIn: life.value };
    if (badge.value) made.badge = { increment: 1 };
    if (silent.value) made.sound = null;
    if (purpose.value !== "notice") made.kind = purpose.value;
    if (confidential.value) made.confidential = true;
    if (inbox.value) made.inbox = `P${Number(inbox.value)}D`;
    if (media.value.trim()) made.media = media.value.trim();
    if (ext.value) made.ext = ext.value;
    if (at.value) made.sendAt = new Date(at.value).toISOString();
    const limit = paceValue(values);
    if (limit) made.pace = limit;
    return made;
  }

  /// Brings a picture in; its id stands in the field below.
  async function bring() {
    picture.complain(null);
    if (!picture.value) return;
    try {
      media.value = (await call("POST", `/uploads${query({ appId: chosen.appId })}`, picture.value)).uploadId;
      changed();
    } catch (problem) {
      picture.complain([problem.title, problem.message].filter(Boolean).join(" — "));
    }
  }

  function draw() {
    put(screen, lockScreen(kind, { app: chosen.name || chosen.appId, title: title.value, body: body.value, badge: badge.value, media: media.value.trim() }));
  }

  let turn = 0;
  /// Asks the server what would happen, and shows it.
  /// - isSent: what is missing is for the server to say.
  async function look(isSent = false) {
    draw();
    dry = null;
    const mine = (turn += 1);
    if (!body.value.trim() || !audience.value() || (!isSent && !pace.isWhole())) return put(result, h("p", { class: "soft" }, t("compose.incomplete")));
    try {
      const answer = await post("/messages", { ...request(), dryRun: true });
      if (mine !== turn || context.stale()) return;
      dry = answer;
      showAtFields({ errors: [{ pointer: "/", detail: "" }] }, fields);
      put(trouble);
      put(result, report(answer));
    } catch (problem) {
      if (mine !== turn || context.stale()) return;
      put(result, note("bad", showAtFields({ ...problem, errors: [], title: problem.title, message: problem.message }, []).join(" ")));
    }
  }

  function report(answer) {
    return [h("p", null, h("span", { class: "count", id: "audience-count" }, number(answer.targeted)), " ", t("compose.devices")),
      answer.unknown.length ? note("warn", t("compose.unknown", { names: answer.unknown.slice(0, 8).join(", ") })) : null,
      answer.payloads.map((one) => h("div", { class: "bytes", "data-bytes": one.bytes }, h("p", null, `${one.pnsId}: `, h("b", null, bytes(one.bytes)), " / ", bytes(4096)),
        h("span", { class: "meter" }, h("i", { class: one.bytes > 4096 ? "c-rejected" : "c-accepted", style: { width: `${Math.min(100, one.bytes / 40.96)}%` } })),
        h("details", { class: "small" }, h("summary", null, t("compose.payload")), h("pre", { tabindex: "0" }, JSON.stringify(one.payload, null, 1))))),
      answer.refusals.map((one) => note("bad", told(one.detail))), (answer.notes ?? []).map((one) => note("", told(one)))];
  }

  async function test() {
    const clientUid = me.value.trim();
    if (!clientUid) return me.input.focus();
    localStorage.setItem(`upmc.me.${chosen.appId}`, clientUid);
    const made = { ...request(), audience: { clientUids: [clientUid] }, lane: "urgent" };
    delete made.sendAt;
    delete made.pace;
    try {
      const answer = await post("/messages", made, { headers: { "Idempotency-Key": randomKey() } });
      say(answer.targeted === 0 ? t("compose.tested.none", { clientUid }) : t("compose.tested", { seqno: answer.seqno, n: number(answer.targeted) }), answer.targeted === 0 ? "bad" : "");
    } catch (problem) {
      complain(problem);
    }
  }

  async function submit(event) {
    event.preventDefault();
    if (send.disabled) return;
    send.disabled = true;
    try {
      changed.stop();
      await look(true);
      if (!dry) return;
      if (dry.refusals.length) return complain({ title: t("compose.refused"), message: told(dry.refusals[0].detail) });
      const made = request();
      const count = number(dry.targeted);
      const isSure = await confirm({ title: t(made.sendAt ? "compose.confirm.later" : "compose.confirm", { n: count }), bad: dry.targeted === null || dry.targeted > many,
        action: t("compose.confirm.do", { n: count }), typed: dry.targeted > many ? String(dry.targeted) : null, typedLabel: t("compose.confirm.type", { n: count }),
        body: h("div", { class: "summary" }, h("blockquote", null, [made.alert.title, made.alert.body].filter(Boolean).join("\n")),
          h("p", null, `${chosen.name || chosen.appId} · ${audience.words()} · ${word("lane", lane)}`), made.sendAt ? h("p", null, exactTime(made.sendAt)) : null) });
      if (!isSure) return;
      const answer = await post("/messages", made, { headers: { "Idempotency-Key": key } });
      key = randomKey();
      go(answer.approvalId ? `/approvals/${answer.approvalId}` : `/messages/${answer.seqno}`);
    } catch (problem) {
      if (problem.code === "upmc:idempotency-conflict") key = randomKey();
      put(trouble, showAtFields(problem, fields).map((text) => note("bad", text)));
    } finally {
      send.disabled = false;
    }
  }

  draw();
  context.onLeave(() => {
    turn += 1;
    changed.stop();
  });
  put(result, h("p", { class: "soft" }, t("compose.incomplete")));
  if (asked.template || asked.clientUid || asked.group || asked.segment || asked.device) changed();
  return h("div", null, head(t("nav.compose"), { detail: whichApp(chosen) }),
    h("form", { class: "compose", novalidate: true, onsubmit: submit },
      h("div", { class: "stack" },
        h("section", { class: "card" }, h("h2", null, t("compose.who")), audience.node),
        h("section", { class: "card" }, h("h2", null, t("compose.what")), h("div", { class: "fields" }, title.node, body.node, purpose.node, confidential.node, badge.node, silent.node,
          h("details", { class: "section", open: Boolean(draft.ext || draft.media) }, h("summary", null, t("compose.further")),
            h("div", { class: "fields" }, h("div", { class: "fields pair" }, picture.node, media.node), ext.node, page)))),
        h("section", { class: "card" }, h("h2", null, t("compose.when")), h("div", { class: "fields" }, h("div", { class: "fields pair" }, at.node, life.node), inbox.node, lanes, pace.node))),
      h("div", { class: "beside" },
        h("section", { class: "card" }, h("h2", { class: "unseen" }, t("compose.preview")),
          h("div", { class: "row" }, segmented(t("compose.preview"), [["ios", "iPhone"], ["android", "Android"]], kind, (one) => {
            kind = one;
            draw();
          })), screen),
        h("section", { class: "card" }, h("h2", null, t("compose.reach")), result, trouble, h("div", { class: "row" }, send)),
        h("section", { class: "card" }, h("div", { class: "fields" }, me.node, h("button", { class: "button", type: "button", id: "test-send", onclick: test }, t("compose.test")))))));
}


/// What opens when the message is tapped, written here. It goes out as EXT, which is then not written by hand.
function pagePart(appID, ext, changed) {
  let written = null;
  const box = h("div", { class: "row" });
  const button = (key, id, action, kind = "") => h("button", { class: `button ${kind}`, type: "button", id, onclick: action }, t(key));
  async function write() {
    const made = await writePage(appID, written);
    if (!made) return;
    written = made.page;
    ext.value = made.text;
    draw();
  }
  function drop() {
    written = null;
    ext.value = "";
    draw();
  }
  function draw(isFirst = false) {
    ext.node.hidden = written !== null;
    put(box, written ? [h("span", { class: "chip plain", id: "page-written" }, t("page.written", { title: written.title })), button("page.change", "write-page", write), button("do.remove", "drop-page", drop, "bad")]
      : button("page.write", "write-page", write));
    if (isFirst) return;
    box.querySelector("#write-page").focus();
    changed();
  }
  draw(true);
  return box;
}
