/// Who did what, when, from where, and what it was before and after.

import { get, query } from "../api.js";
import { h } from "../dom.js";
import { field } from "../parts/form.js";
import { empty, head } from "../parts/notice.js";
import { list } from "../parts/table.js";
import { refine } from "../router.js";
import { app } from "../session.js";
import { exactTime, t, word } from "../words.js";

const actions = ["app", "credential", "api-key", "account", "session", "message", "group", "quarantine", "user", "people", "import", "audience", "tags", "upload", "template", "segment", "approval"];

export async function auditPage(context) {
  const { action, actor, object } = context.query;
  const entries = list({ caption: t("nav.audit"), load: (cursor) => get(`/audit${query({ appId: app()?.appId, action, actor, object, cursor, limit: 50 })}`),
    empty: empty(t("audit.none")), columns: [
      { title: t("audit.what"), lead: true, cell: (item) => [h("b", null, word("audit", item.action)), " ", h("span", null, item.object), h("span", { class: "under" }, [item.action, item.appId].filter(Boolean).join(" · "))] },
      { title: t("audit.who"), cell: (item) => [item.actor || word("by", item.by), h("span", { class: "under" }, [word("by", item.by), word("role", item.role)].join(" · "))] },
      { title: t("audit.from"), fit: true, cell: (item) => item.origin },
      { title: t("audit.when"), fit: true, cell: (item) => exactTime(item.at) },
      { title: t("audit.change"), cell: (item) => (item.before || item.after ? h("details", null, h("summary", null, t("do.show")),
        item.before ? [h("p", { class: "soft small" }, t("audit.before")), h("pre", null, JSON.stringify(item.before, null, 1))] : null,
        item.after ? [h("p", { class: "soft small" }, t("audit.after")), h("pre", null, JSON.stringify(item.after, null, 1))] : null) : "") },
    ] });
  await entries.ready;
  const text = (name, label, value) => field({ name, label, value: value ?? "", onchange: (event) => refine({ [name]: event.target.value.trim() }) }).node;
  return h("div", null, head(t("nav.audit"), { detail: t("audit.detail"), actions: [
    h("a", { class: "button", href: `/v1/admin/exports/audit${query({ appId: app()?.appId, action, actor, object })}`, download: "audit.csv" }, t("do.export"))] }),
  h("div", { class: "filters" },
    field({ name: "action", label: t("audit.action"), type: "select", value: action ?? "", options: [["", t("filter.all")], ...actions.map((one) => [one, word("audited", one)])], onchange: (event) => refine({ action: event.target.value }) }).node,
    text("actor", t("audit.who"), actor), text("object", t("audit.object"), object)), entries.node);
}
