/// Broadcast channels of an app: made, published on, removed.

import { get, post, query, remove } from "../api.js";
import { h } from "../dom.js";
import { confirm, formDialog } from "../parts/dialog.js";
import { field } from "../parts/form.js";
import { complain, empty, head, say } from "../parts/notice.js";
import { list } from "../parts/table.js";
import { may } from "../session.js";
import { number, t, time, word } from "../words.js";
import { needApp, whichApp } from "./common.js";

export async function channelsPage() {
  const { chosen, nothing } = needApp();
  if (nothing) return nothing;
  const path = `/apps/${encodeURIComponent(chosen.appId)}/channels`;
  const sends = may("send");
  const channels = list({ caption: t("nav.channels"), load: (cursor) => get(`${path}${query({ cursor, limit: 50 })}`), empty: empty(t("channels.none"), t("channels.none.detail")), columns: [
    { title: t("people.name"), lead: true, cell: (item) => [h("b", null, item.name), h("code", { class: "under" }, item.apnsChannelId)] },
    { title: t("channels.environment"), fit: true, cell: (item) => word("environment", item.environment) },
    { title: t("channels.storage"), fit: true, cell: (item) => word("channels.storage", item.storage) },
    { title: t("message.state"), cell: state },
    { title: t("channels.published"), fit: true, cell: (item) => (item.publishedAt ? time(item.publishedAt) : "–") },
    { title: h("span", { class: "unseen" }, t("channels.publish")), end: true, cell: (item) => (sends ? h("div", { class: "row" },
      h("button", { class: "button small", onclick: () => publish(item) }, t("channels.publish")),
      h("button", { class: "button small bad", onclick: () => drop(item) }, t("do.remove"))) : "") },
  ] });
  await channels.ready;

  async function make() {
    const made = await formDialog({ title: t("channels.new"), action: t("do.create"), detail: t("channels.new.detail"), fields: [
      field({ name: "name", label: t("people.name"), required: true, maxlength: 256 }),
      field({ name: "environment", label: t("channels.environment"), type: "select", value: "production", options: ["production", "sandbox"].map((one) => [one, word("environment", one)]) }),
      field({ name: "storage", label: t("channels.storage"), hint: t("channels.storage.hint"), type: "select", value: "none", options: ["none", "latest"].map((one) => [one, word("channels.storage", one)]) }),
    ], save: (values) => post(path, values) });
    if (made) channels.reload();
  }

  async function publish(item) {
    const done = await formDialog({ title: t("channels.publish-on", { name: item.name }), action: t("channels.publish"), detail: t("channels.publish.detail"), fields: [
      field({ name: "event", label: t("channels.event"), type: "select", value: "update", options: ["update", "end"].map((one) => [one, word("channels.event", one)]), pointer: "/liveActivity/event" }),
      field({ name: "state", label: t("channels.state"), hint: t("channels.state.hint"), type: "area", value: "{}", rows: 5, code: true, pointer: "/liveActivity/contentState" }),
      field({ name: "alert", label: t("channels.alert"), hint: t("channels.alert.hint"), optional: true }),
    ], save: (values) => post(`${path}/${item.channelId}/updates`, update(values)) });
    if (!done) return;
    say(t(`channels.${done.state}`));
    channels.reload();
  }

  async function drop(item) {
    if (!await confirm({ title: t("channels.remove"), bad: true, action: t("do.remove"), body: h("p", null, t("channels.remove.body", { name: item.name })) })) return;
    try {
      await remove(`${path}/${item.channelId}`);
      channels.reload();
    } catch (problem) {
      complain(problem);
    }
  }

  return h("div", null, head(t("nav.channels"), { detail: whichApp(chosen) ?? t("channels.detail"), actions: [sends ? h("button", { class: "button main", id: "new-channel", onclick: make }, t("channels.new")) : null] }), channels.node);
}

function state(item) {
  if (item.isWaiting) return h("span", { class: "state" }, t("channels.waiting"));
  if (item.word) return [h("span", { class: "state bad" }, t("channels.refused")), h("span", { class: "under" }, item.word)];
  return item.version ? h("span", { class: "state good" }, t("channels.version", { n: number(item.version) })) : t("channels.unused");
}

/// What the form says, as the API takes it. - Throws: a problem at the field when the state is no JSON.
function update({ event, state, alert }) {
  let contentState;
  try {
    contentState = JSON.parse(state);
  } catch {
    throw { status: 400, errors: [{ pointer: "/liveActivity/contentState", detail: t("segments.bad") }] };
  }
  return { liveActivity: { event, timestamp: Math.floor(Date.now() / 1000), contentState }, ...(alert ? { alert: { body: alert } } : {}) };
}
