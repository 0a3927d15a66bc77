/// Servers that are told what happens; and one of them, with what it was told, what waits, and what was given up.

import { all, call, get, post, query, remove } from "../api.js";
import { h, renew } from "../dom.js";
import { confirm, formDialog, secret } from "../parts/dialog.js";
import { field } from "../parts/form.js";
import { every } from "../parts/live.js";
import { complain, empty, facts, head, note, say, state } from "../parts/notice.js";
import { list } from "../parts/table.js";
import { enc, follow, go, link, refine } from "../router.js";
import { app, apps, may, oneApp } from "../session.js";
import { distance, exactTime, number, t, time, told as toldOf, word } from "../words.js";

const kinds = ["message.finished", "message.reopened", "sms.requested", "token.dropped", "device.added", "deliveries.received", "deliveries.read", "deliveries.failed", "credential.expiring"];

/// A count of events; the API counts up to 10,000.
export const counted = (count) => (count === null ? `${number(10_000)}+` : number(count));

export async function webhooksPage(context) {
  const found = list({ caption: t("webhooks.title"), key: (item) => item.webhookId, load: (cursor) => get(`/webhooks${query({ appId: app()?.appId, cursor, limit: 50 })}`), empty: empty(t("webhooks.none"), t("webhooks.none.detail")), columns: [
    { title: t("webhooks.url"), lead: true, cell: (item) => [h("a", { class: "title", href: link(`/webhooks/${item.webhookId}`) }, item.url), h("span", { class: "under" }, [item.appId, ...item.kinds.map((one) => word("event", one))].join(" · "))] },
    { title: t("message.state"), fit: true, cell: (item) => state(item.active ? "active" : "paused", "webhook") },
    { title: t("webhooks.waiting"), end: true, cell: (item) => counted(item.waiting) },
    { title: t("webhooks.dead"), end: true, cell: (item) => (item.dead === 0 ? number(0) : h("a", { class: "bad", href: link(`/webhooks/${item.webhookId}`, { state: "dead" }) }, counted(item.dead))) },
  ] });
  await found.ready;
  context.onLeave(every(5000, found.refresh));

  async function make() {
    const appId = field({ name: "appId", label: t("app.one"), type: "select", value: oneApp()?.appId, options: apps.map((one) => [one.appId, one.name || one.appId]) });
    const made = await formDialog({ title: t("webhooks.new"), detail: t("webhooks.detail"), action: t("do.create"), fields: [...(apps.length > 1 ? [appId] : []), ...webhookFields()],
      save: (values) => post("/webhooks", { appId: values.appId ?? oneApp().appId, url: values.url, kinds: wanted(values) }) });
    if (!made) return;
    await secret(t("webhooks.secret"), made.secret, t("webhooks.secret.detail"));
    go(`/webhooks/${made.webhookId}`);
  }
  return h("div", null, head(t("webhooks.title"), { detail: t("webhooks.detail"), actions: [may("manageApps") && apps.length ? h("button", { class: "button main", id: "new-webhook", onclick: make }, t("webhooks.new")) : null] }), found.node);
}

/// The fields of a webhook; one box for each kind of event.
function webhookFields(item) {
  return [field({ name: "url", label: t("webhooks.url"), hint: t("webhooks.url.hint"), type: "url", required: true, code: true, value: item?.url ?? "", placeholder: "https://" }),
    ...kinds.map((kind, index) => field({ name: kind, label: word("event", kind), hint: t(`event.${kind}.detail`), type: "check", pointer: index === 0 ? "/kinds" : `/kinds/${kind}`,
      value: item ? item.kinds.includes(kind) : kind === "message.finished" }))];
}

/// Each attempt of a delivery, newest first: when, what came of it, and after how long.
function attempts(history) {
  if (!history?.length) return null;
  return h("details", { class: "small", "data-attempts": history.length }, h("summary", null, t("webhooks.history")),
    h("ol", { class: "attempts" }, [...history].reverse().map((one) => h("li", null, time(one.at, { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit" }),
      h("b", { class: one.reason ? "bad-text" : "good-text" }, one.status ? `HTTP ${one.status}` : t("webhooks.no-answer")), h("span", { class: "soft number" }, t("webhooks.milliseconds", { n: number(one.milliseconds) })),
      one.reason ? h("span", { class: "under soft" }, toldOf(one.reason)) : null))));
}

const wanted = (values) => kinds.filter((kind) => values[kind]);

export async function webhookPage(context) {
  const path = `/webhooks/${enc(context.params.webhook)}`;
  let item = await get(path);
  const manages = may("manageApps");
  const shown = ["waiting", "delivered", "dead"].includes(context.query.state) ? context.query.state : "";
  const run = (action) => async () => {
    try {
      await action();
    } catch (problem) {
      complain(problem);
    }
  };
  const told = list({ caption: t("webhooks.told"), key: (one) => one.id, load: (cursor) => get(`${path}/deliveries${query({ state: shown, cursor, limit: 50 })}`), empty: empty(t("webhooks.told.none")), columns: [
    { title: t("webhooks.event"), lead: true, cell: (one) => [h("b", { class: "nowrap" }, word("event", one.kind)), h("span", { class: "under" }, time(one.at)), h("details", { class: "small" }, h("summary", null, t("webhooks.data")), h("pre", { tabindex: "0" }, JSON.stringify(one.data, null, 1)))] },
    { title: t("message.state"), fit: true, cell: (one) => state(one.state, "event") },
    { title: t("webhooks.answer"), cell: (one) => [one.status ? `HTTP ${one.status} · ` : "", h("span", { class: "number" }, t("webhooks.tries", { n: number(one.attempts) })), one.reason ? h("span", { class: "under" }, toldOf(one.reason)) : null, one.nextAt ? h("span", { class: "under" }, t("webhooks.next", { when: distance(one.nextAt) })) : null, attempts(one.history)] },
    { title: h("span", { class: "unseen" }, t("webhooks.replay")), end: true, cell: (one) => (one.state === "waiting" ? "" : h("button", { class: "button small", onclick: run(() => replay({ id: one.id })) }, t("webhooks.replay"))) },
  ] });
  await told.ready;
  const again = h("button", { class: "button main", id: "replay-dead", onclick: run(replayDead) }, t("webhooks.replay-dead"));
  const power = h("button", { class: "button small", onclick: run(turn) });
  const notes = h("div", { class: "notes" });
  const about = h("div");
  /// What changes by itself.
  const draw = () => {
    again.hidden = item.dead === 0;
    power.textContent = t(item.active ? "webhooks.off" : "webhooks.on");
    renew(notes, item.dead === 0 ? null : note("bad", t("webhooks.dead.note", { n: counted(item.dead) })));
    renew(about, facts([t("message.state"), state(item.active ? "active" : "paused", "webhook")], [t("app.one"), item.appId], [t("webhooks.kinds"), item.kinds.map((one) => word("event", one)).join(", ")],
      [t("webhooks.waiting"), counted(item.waiting)], [t("webhooks.dead"), counted(item.dead)], [t("message.created"), exactTime(item.createdAt)]));
  };
  draw();
  context.onLeave(every(5000, async () => {
    item = await get(path);
    draw();
    await told.refresh();
  }));

  async function replay(what) {
    const answer = await post(`${path}/replay`, what);
    say(t("webhooks.replayed", { n: number(answer.replayed) }));
    follow();
  }

  async function replayDead() {
    let { dead } = item;
    if (!await confirm({ title: t("webhooks.replay-dead"), action: t("webhooks.replay-dead"), body: h("p", null, t("webhooks.replay-dead.body", { n: counted(dead), url: item.url })) })) return;
    let count = 0;
    let answer;
    // A call replays a limited number. What failed since it was asked is not meant.
    do {
      answer = await post(`${path}/replay`, { dead: true });
      count += answer.replayed;
      // There were more events than the API counts. Ask again until few enough are left.
      if (dead === null) {
        const left = (await get(path)).dead;
        if (left !== null) dead = count + left;
      }
    } while (answer.replayed > 0 && (dead === null || count < dead));
    say(t("webhooks.replayed", { n: number(count) }));
    follow();
  }

  async function test() {
    await post(`${path}/test`);
    say(t("webhooks.tested"));
    follow();
  }

  async function change() {
    const saved = await formDialog({ title: t("do.change"), fields: webhookFields(item), save: (values) => call("PATCH", path, { url: values.url, kinds: wanted(values) }) });
    if (saved) follow();
  }

  async function renewSecret() {
    if (!await confirm({ title: t("webhooks.renew"), bad: true, action: t("webhooks.renew"), body: h("p", null, t("webhooks.renew.body")) })) return;
    const made = await call("PATCH", path, { renewSecret: true });
    await secret(t("webhooks.secret"), made.secret, t("webhooks.secret.detail"));
  }

  async function turn() {
    if (item.active && !await confirm({ title: t("webhooks.off"), bad: true, action: t("webhooks.off"), body: h("p", null, t("webhooks.off.body")) })) return;
    await call("PATCH", path, { active: !item.active });
    follow();
  }

  async function end() {
    if (!await confirm({ title: t("do.remove"), bad: true, action: t("do.remove"), body: h("p", null, t("webhooks.remove.body", { url: item.url })) })) return;
    await remove(path);
    go("/webhooks");
  }

  return h("div", null, head(item.url, { crumb: h("a", { href: "#/webhooks" }, t("webhooks.title")), actions: [
    h("button", { class: "button", id: "test-webhook", onclick: run(test) }, t("webhooks.test")), again] }),
  notes,
  h("div", { class: "grid wide-narrow" },
    h("section", { class: "card" }, h("div", { class: "card-head" }, h("h2", null, t("webhooks.told")),
      h("select", { class: "short", "aria-label": t("message.state"), value: shown, onchange: (event) => refine({ state: event.target.value }) },
        [["", t("webhooks.every")], ...["waiting", "delivered", "dead"].map((one) => [one, t(`event.${one}`)])].map(([value, text]) => h("option", { value }, text)))), told.node),
    h("section", { class: "card" }, h("h2", null, t("message.facts")), about,
    manages ? h("div", { class: "row below-facts" }, h("button", { class: "button small", onclick: run(change) }, t("do.change")), h("button", { class: "button small", onclick: run(renewSecret) }, t("webhooks.renew")),
      power, h("button", { class: "button small bad", onclick: run(end) }, t("do.remove"))) : null)));
}

/// For the dashboard: webhooks that gave events up.
export async function deadWebhooks(appID) {
  if (!may("manageEvents")) return [];
  return (await all("/webhooks", { appId: appID }).catch(() => [])).filter((item) => item.dead !== 0);
}
