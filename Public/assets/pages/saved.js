/// Messages that are kept instead of sent: drafts, templates, and names that messages bear.

import { get, post, putTo, query, remove } from "../api.js";
import { h } from "../dom.js";
import { confirm, formDialog } from "../parts/dialog.js";
import { field } from "../parts/form.js";
import { messageFields } from "../parts/message-fields.js";
import { draftOf } from "../parts/message-model.js";
import { complain, empty, head } from "../parts/notice.js";
import { list } from "../parts/table.js";
import { enc, link } from "../router.js";
import { may } from "../session.js";
import { t, time } from "../words.js";
import { messageTitle, needApp, whichApp } from "./common.js";

const kinds = {
  templates: { id: "templateId", use: (item) => link("/compose", { template: item.templateId }), isEdited: true },
  drafts: { id: "draftId", use: (item) => link("/compose", { draft: item.draftId }), isEdited: false },
  senders: { id: "senderId", use: null, isEdited: true },
};

export const templatesPage = (context) => savedPage("templates", context);
export const draftsPage = (context) => savedPage("drafts", context);
export const sendersPage = (context) => savedPage("senders", context);

async function savedPage(kind, context) {
  const { chosen, nothing } = needApp();
  if (nothing) return nothing;
  const { id, use, isEdited } = kinds[kind];
  const found = list({ caption: t(`nav.${kind}`), returning: context.returning, load: (cursor) => get(`/${kind}${query({ appId: chosen.appId, cursor, limit: 50 })}`),
    empty: empty(t(`${kind}.none`), t(`${kind}.none.detail`), kind === "drafts" && may("send") ? h("a", { class: "button main", href: "#/compose" }, t("nav.compose")) : null), columns: [
      { title: t("people.name"), lead: true, cell: (item) => [kind === "drafts" ? h("a", { class: "title", href: use(item) }, item.name) : h("b", null, item.sender ? `${item.sender} · ${item.name ?? ""}` : item.name),
        h("span", { class: "under" }, kind === "senders" ? JSON.stringify(item.message) : messageTitle(item.message))] },
      { title: t("templates.updated"), fit: true, cell: (item) => [time(item.updatedAt), h("span", { class: "under" }, item.updatedBy ?? "")] },
      { title: h("span", { class: "unseen" }, t("do.change")), end: true, cell: (item) => h("div", { class: "row" },
        use && may("send") ? h("a", { class: "button small", href: use(item) }, t(`${kind}.use`)) : null,
        isEdited ? h("button", { class: "button small", onclick: () => edit(item) }, t("do.change")) : null,
        h("button", { class: "button small bad", "aria-label": t("saved.remove-one", { name: item.name ?? item.sender }), onclick: () => takeOut(item) }, t("do.remove"))) },
    ] });
  await found.ready;

  async function edit(item) {
    const message = draftOf(item?.message);
    const fields = messageFields({ message, changed: () => {}, appId: chosen.appId, timed: false });
    // A sender has what its messages have in common: no text is needed.
    if (kind === "senders") for (const one of fields.fields) one.input.required = false;
    const named = [kind === "senders" ? field({ name: "sender", label: t("field.sender"), value: item?.sender ?? "", required: true, code: true, pointer: "/sender" }) : null,
      field({ name: "name", label: t("people.name"), value: item?.name ?? "", required: kind !== "senders", pointer: "/name" })].filter(Boolean);
    const at = (one) => ({ ...one, name: null, pointer: `/message${one.pointer}` });
    const saved = await formDialog({ title: item?.name ?? t(`${kind}.new`), wide: true, fields: [...named, { name: null, node: h("div", { class: "fields" }, fields.node, fields.when) }], also: () => fields.fields.map(at),
      save: (values) => {
        // Variables may be filled in when it is used.
        const gaps = fields.gaps({ hasLines: true });
        if (gaps.length) throw { status: 422, errors: gaps.map((one) => ({ pointer: `/message${one.field.pointer}`, detail: one.text })) };
        const body = { ...values, message };
        return item ? putTo(`/${kind}/${enc(item[id])}`, body) : post(`/${kind}`, { appId: chosen.appId, ...body });
      } });
    if (saved) found.reload();
  }

  async function takeOut(item) {
    try {
      if (!await confirm({ title: t("do.remove"), bad: true, action: t("do.remove"), body: h("p", null, item.name ?? item.sender) })) return;
      await remove(`/${kind}/${enc(item[id])}`);
      found.reload();
    } catch (problem) {
      complain(problem);
    }
  }
  return h("div", null, head(t(`nav.${kind}`), { detail: whichApp(chosen) ?? t(`${kind}.detail`), actions: [isEdited ? h("button", { class: "button main", onclick: () => edit(null) }, t(`${kind}.new`))
    : may("send") ? h("a", { class: "button main", href: "#/compose" }, t("nav.compose")) : null] }), found.node);
}
