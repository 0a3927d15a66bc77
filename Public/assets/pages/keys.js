/// API keys of programs: made, shown once, revoked.

import { get, post, query, remove } from "../api.js";
import { h } from "../dom.js";
import { confirm, formDialog, secret } from "../parts/dialog.js";
import { field } from "../parts/form.js";
import { complain, empty, head, say } from "../parts/notice.js";
import { list } from "../parts/table.js";
import { app, apps } from "../session.js";
import { t, time, word } from "../words.js";

export const roles = ["sender", "operator", "viewer", "admin"];

/// Role and app, as keys and accounts have them.
export function reachFields(role) {
  return [
    field({ name: "role", label: t("role.title"), type: "select", value: role, options: roles.map((one) => [one, `${t(`role.${one}`)} — ${t(`role.${one}.detail`)}`]) }),
    field({ name: "appId", label: t("reach.app"), type: "select", value: app()?.appId ?? "", options: [["", t("app.all")], ...apps.map((one) => [one.appId, one.name || one.appId])] }),
  ];
}

/// The end of a day on this clock, as the API takes it.
function endOfDay(day) {
  const [year, month, date] = day.split("-").map(Number);
  return new Date(year, month - 1, date + 1).toISOString();
}

const isOver = (item) => item.expiresAt && new Date(item.expiresAt) <= Date.now();

function keyState(item) {
  if (item.revokedAt) return h("span", { class: "state" }, t("keys.revoked"));
  if (isOver(item)) return h("span", { class: "state bad" }, t("keys.over"));
  // Within two weeks, as the alert for it says.
  const endsSoon = item.expiresAt && new Date(item.expiresAt) - Date.now() < 14 * 86_400_000;
  return h("span", { class: `state ${endsSoon ? "warn" : "good"}` }, t(endsSoon ? "keys.ends-soon" : "keys.valid"));
}

export async function keysPage() {
  // Keys of all apps reach the chosen one too: a review of who may send sees them.
  const load = (cursor) => get(`/api-keys${query({ cursor, limit: 50, appId: app()?.appId })}`);
  const keys = list({ caption: t("nav.keys"), load, empty: empty(t("keys.none"), t("keys.none.detail")), columns: [
    { title: t("keys.name"), lead: true, cell: (item) => [h("b", null, item.name || t("keys.nameless")), h("span", { class: "under" }, t("keys.number", { n: item.apiKeyId }))] },
    { title: t("role.title"), fit: true, cell: (item) => word("role", item.role) },
    { title: t("reach.app"), cell: (item) => item.appId ?? h("b", null, t("app.all")) },
    { title: t("message.created"), fit: true, cell: (item) => time(item.createdAt) },
    { title: t("keys.used"), fit: true, cell: (item) => (item.lastUsedAt ? time(item.lastUsedAt) : t("keys.unused")) },
    { title: t("keys.ends"), fit: true, cell: (item) => (item.expiresAt ? time(item.expiresAt, { year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" }) : t("keys.endless")) },
    { title: t("message.state"), fit: true, cell: (item) => keyState(item) },
    { title: h("span", { class: "unseen" }, t("keys.revoke")), end: true, cell: (item) => (item.revokedAt || isOver(item) ? "" : h("button", { class: "button small bad", "aria-label": t("keys.revoke-one", { name: item.name || item.apiKeyId }), onclick: () => revoke(item) }, t("keys.revoke"))) },
  ] });
  await keys.ready;

  async function make() {
    const made = await formDialog({ title: t("keys.new"), action: t("do.create"), fields: [field({ name: "name", label: t("keys.name"), hint: t("keys.name.hint"), required: true }), ...reachFields("sender"),
      field({ name: "expiresAt", label: t("keys.ends"), hint: t("keys.ends.hint"), type: "date", optional: true })],
      save: ({ name, role, appId, expiresAt }) => post("/api-keys", { name, role, ...(appId ? { appId } : {}), ...(expiresAt ? { expiresAt: endOfDay(expiresAt) } : {}) }) });
    if (!made) return;
    await secret(t("keys.made"), made.apiKey, t("keys.once"));
    keys.reload();
  }

  async function revoke(item) {
    const isSure = await confirm({ title: t("keys.revoke"), bad: true, action: t("keys.revoke"), body: h("p", null, t("keys.revoke.body", { name: item.name || item.apiKeyId })) });
    if (!isSure) return;
    try {
      await remove(`/api-keys/${item.apiKeyId}`);
      say(t("keys.revoked"));
      keys.reload();
    } catch (problem) {
      complain(problem);
    }
  }

  return h("div", null, head(t("nav.keys"), { detail: t("keys.detail"), actions: [h("button", { class: "button main", onclick: make }, t("keys.new"))] }), keys.node);
}
