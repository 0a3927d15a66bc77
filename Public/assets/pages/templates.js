/// Messages to write again and again.

import { get, post, putTo, query, remove } from "../api.js";
import { h } from "../dom.js";
import { confirm, formDialog } from "../parts/dialog.js";
import { field } from "../parts/form.js";
import { complain, empty, head } from "../parts/notice.js";
import { list } from "../parts/table.js";
import { enc, link } from "../router.js";
import { t, time } from "../words.js";
import { messageTitle, needApp, whichApp } from "./common.js";

export async function templatesPage() {
  const { chosen, nothing } = needApp();
  if (nothing) return nothing;
  const templates = list({ caption: t("nav.templates"), load: (cursor) => get(`/templates${query({ appId: chosen.appId, cursor, limit: 50 })}`), empty: empty(t("templates.none"), t("templates.none.detail")), columns: [
    { title: t("people.name"), lead: true, cell: (item) => [h("b", null, item.name), h("span", { class: "under" }, messageTitle(item.message))] },
    { title: t("templates.updated"), fit: true, cell: (item) => time(item.updatedAt) },
    { title: h("span", { class: "unseen" }, t("do.change")), end: true, cell: (item) => h("div", { class: "row" },
      h("a", { class: "button small", href: link("/compose", { template: item.templateId }) }, t("templates.use")),
      h("button", { class: "button small", onclick: () => edit(item) }, t("do.change")), h("button", { class: "button small bad", onclick: () => takeOut(item) }, t("do.remove"))) },
  ] });
  await templates.ready;

  async function edit(item) {
    const alert = typeof item?.message.alert === "string" ? { body: item.message.alert } : item?.message.alert ?? {};
    const saved = await formDialog({ title: item?.name ?? t("templates.new"), fields: [field({ name: "name", label: t("people.name"), value: item?.name ?? "", required: true }),
      field({ name: "title", label: t("message.title"), value: alert.title ?? "", pointer: "/message/alert/title" }), field({ name: "body", label: t("message.body"), type: "area", value: alert.body ?? "", required: true, pointer: "/message" })],
    save: ({ name, title, body }) => {
      const message = { ...item?.message, alert: { ...alert, body, ...(title ? { title } : {}) } };
      return item ? putTo(`/templates/${enc(item.templateId)}`, { name, message }) : post("/templates", { appId: chosen.appId, name, message });
    } });
    if (saved) templates.reload();
  }

  async function takeOut(item) {
    try {
      if (!await confirm({ title: t("do.remove"), bad: true, action: t("do.remove"), body: h("p", null, item.name) })) return;
      await remove(`/templates/${enc(item.templateId)}`);
      templates.reload();
    } catch (problem) {
      complain(problem);
    }
  }
  return h("div", null, head(t("nav.templates"), { detail: whichApp(chosen), actions: [h("button", { class: "button main", onclick: () => edit(null) }, t("templates.new"))] }), templates.node);
}
