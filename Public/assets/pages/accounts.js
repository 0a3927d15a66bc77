/// Accounts of people who use the console; each is opened by a link that works once.

import { call, get, post, query, remove } from "../api.js";
import { h } from "../dom.js";
import { confirm, formDialog, secret } from "../parts/dialog.js";
import { field } from "../parts/form.js";
import { complain, empty, head, say } from "../parts/notice.js";
import { list } from "../parts/table.js";
import { session } from "../session.js";
import { t, time, word } from "../words.js";
import { reachFields, roles } from "./keys.js";

export async function accountsPage() {
  const accounts = list({ caption: t("nav.accounts"), load: (cursor) => get(`/accounts${query({ cursor, limit: 50 })}`), empty: empty(t("accounts.none")), columns: [
    { title: t("accounts.one"), lead: true, cell: (item) => [h("b", null, item.name), h("span", { class: "under" }, item.login)] },
    { title: t("role.title"), fit: true, cell: (item) => word("role", item.role) },
    { title: t("reach.app"), cell: (item) => item.appId ?? t("app.all") },
    { title: t("message.state"), fit: true, cell: (item) => (item.disabledAt ? h("span", { class: "state" }, t("accounts.disabled"))
      : h("span", { class: `state ${item.hasPassword || item.byIdentityProvider ? "good" : "warn"}` }, t(item.hasPassword || item.byIdentityProvider ? "accounts.active" : "accounts.invited"))) },
    { title: t("factor.short"), fit: true, cell: (item) => (item.byIdentityProvider ? t("accounts.provider") : t(item.hasSecondFactor ? "factor.on" : "factor.off")) },
    { title: t("message.created"), fit: true, cell: (item) => time(item.createdAt) },
    { title: h("span", { class: "unseen" }, t("do.change")), end: true, cell: (item) => h("div", { class: "row" },
      item.hasSecondFactor && item.login !== session.login ? h("button", { class: "button small", "data-reset": item.login, "aria-label": t("factor.reset-one", { name: item.name }), onclick: () => run(() => reset(item)) }, t("factor.reset.short")) : null,
      item.disabledAt || item.byIdentityProvider || item.login === session.login ? null : h("button", { class: "button small", "aria-label": t("accounts.link-for", { name: item.name }), onclick: () => run(() => invite(item)) }, t("accounts.link")),
      h("button", { class: "button small", "aria-label": t("accounts.change-one", { name: item.name }), onclick: () => run(() => change(item)) }, t("do.change")),
      item.login === session.login ? null : h("button", { class: `button small ${item.disabledAt ? "" : "bad"}`, "aria-label": `${t(item.disabledAt ? "accounts.enable" : "accounts.disable")}: ${item.name}`,
        onclick: () => run(() => disable(item)) }, t(item.disabledAt ? "accounts.enable" : "accounts.disable"))) },
  ] });
  await accounts.ready;

  async function run(action) {
    try {
      await action();
    } catch (problem) {
      complain(problem);
    }
  }

  const showLink = (made) => secret(t("accounts.link"), `${location.origin}${made.path}`, t("accounts.link.detail"));

  async function invite(item) {
    await showLink(await post(`/accounts/${item.accountId}/link`));
  }

  async function make() {
    const made = await formDialog({ title: t("accounts.new"), action: t("do.create"), fields: [field({ name: "login", label: t("sign-in.login"), hint: t("accounts.login.hint"), required: true }),
      field({ name: "name", label: t("people.name"), required: true }), ...reachFields("operator")],
    save: ({ login, name, role, appId }) => post("/accounts", { login, name, role, ...(appId ? { appId } : {}) }) });
    if (!made) return;
    await showLink(made);
    accounts.reload();
  }

  async function change(item) {
    const isMe = item.login === session.login;
    const changed = await formDialog({ title: t("accounts.change-one", { name: item.name }), fields: [field({ name: "name", label: t("people.name"), value: item.name, required: true }),
      isMe ? [] : field({ name: "role", label: t("role.title"), type: "select", value: item.role, options: roles.map((one) => [one, t(`role.${one}`)]) })].flat(),
    save: (values) => call("PATCH", `/accounts/${item.accountId}`, values) });
    if (changed) accounts.reload();
  }

  async function reset(item) {
    if (!await confirm({ title: t("factor.reset"), bad: true, action: t("factor.reset"), body: h("p", null, t("factor.reset.body", { name: item.name })) })) return;
    await remove(`/accounts/${item.accountId}/second-factor`);
    say(t("do.saved"));
    accounts.reload();
  }

  async function disable(item) {
    if (!item.disabledAt && !await confirm({ title: t("accounts.disable"), bad: true, action: t("accounts.disable"), body: h("p", null, t("accounts.disable.body", { name: item.name })) })) return;
    await call("PATCH", `/accounts/${item.accountId}`, { disabled: !item.disabledAt });
    say(t("do.saved"));
    accounts.reload();
  }

  return h("div", null, head(t("nav.accounts"), { detail: t("accounts.detail"), actions: [h("button", { class: "button main", onclick: () => run(make) }, t("accounts.new"))] }), accounts.node);
}
