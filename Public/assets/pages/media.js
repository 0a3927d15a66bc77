/// What was uploaded: pictures, sounds and films that messages show, and audiences from files; how large each is, until when
/// it stays, and its end before that.

import { call, get, query, remove } from "../api.js";
import { h, put } from "../dom.js";
import { confirm } from "../parts/dialog.js";
import { Form, field } from "../parts/form.js";
import { complain, empty, facts, head, say } from "../parts/notice.js";
import { roomLine } from "../parts/room.js";
import { list } from "../parts/table.js";
import { enc, link } from "../router.js";
import { may } from "../session.js";
import { bytes, distance, exactTime, number, t, time } from "../words.js";
import { needApp, whichApp } from "./common.js";

export async function mediaPage(context) {
  const { chosen, nothing } = needApp();
  if (nothing) return nothing;
  const isFiles = context.query.tab === "audiences";
  const tab = (name, label) => h("a", { href: link("/media", name ? { tab: name } : {}), "aria-current": isFiles === Boolean(name) ? "page" : null }, label);
  const content = isFiles ? await audienceFiles(chosen) : await media(chosen);
  return h("div", null, head(t("nav.media"), { detail: whichApp(chosen) ?? t("media.detail") }),
    h("nav", { class: "tabs", "aria-label": t("nav.media") }, tab("", t("media.tab.media")), tab("audiences", t("media.tab.audiences"))), content);
}

const endsCell = (item) => [time(item.expiresAt), h("span", { class: "under" }, distance(item.expiresAt))];

/// A button that deletes something after a question, then updates the list and the storage use.
function deleteButton(name, question, action, list, room) {
  return h("button", { class: "button small bad", "aria-label": t("media.delete.name", { name }), onclick: async () => {
    if (!await confirm({ title: t("media.delete"), bad: true, action: t("media.delete"), body: h("p", null, question) })) return;
    try {
      await action();
      say(t("media.deleted"));
      list().reload();
      room.look();
    } catch (problem) {
      complain(problem);
    }
  } }, t("do.remove"));
}

async function media(chosen) {
  const result = h("div", { role: "status" });
  const room = roomLine(chosen.appId, "media");
  room.look();
  const form = new Form([field({ name: "file", label: t("media.file"), type: "file", required: true, hint: t("media.hint"), accept: "image/*,audio/*,video/*" })], { action: t("media.bring"), submit: async ({ file }) => {
    const made = await call("POST", `/uploads${query({ appId: chosen.appId })}`, file);
    put(result, h("section", { class: "card" }, h("h2", null, t("media.done")), facts([t("media.id"), h("code", null, made.uploadId)], [t("media.type"), made.contentType], [t("media.size"), bytes(made.bytes)],
      [t("media.url"), h("code", null, made.url)], [t("media.ends"), exactTime(made.expiresAt)])));
    stored.reload();
    room.look();
  } });
  const stored = list({ caption: t("media.stored"), load: (cursor) => get(`/uploads${query({ appId: chosen.appId, cursor, limit: 50 })}`), empty: empty(t("media.none"), t("media.none.detail")), columns: [
    { title: t("media.file"), lead: true, cell: (item) => h("div", { class: "media-name" },
      item.contentType.startsWith("image/") ? h("img", { src: item.path, alt: "", loading: "lazy", width: 44, height: 44 }) : null,
      h("div", null, h("a", { class: "title mono", href: item.path, target: "_blank", rel: "noopener" }, item.uploadId), h("span", { class: "under" }, item.contentType))) },
    { title: t("media.size"), end: true, cell: (item) => bytes(item.bytes) },
    { title: t("message.created"), fit: true, cell: (item) => [time(item.createdAt), item.uploadedBy ? h("span", { class: "under" }, item.uploadedBy) : null] },
    { title: t("media.ends"), fit: true, cell: endsCell },
    may("manageContent") ? { title: h("span", { class: "unseen" }, t("do.remove")), end: true, cell: (item) => deleteButton(item.uploadId, t("media.delete.body"), () => remove(`/uploads/${enc(item.uploadId)}${query({ appId: chosen.appId })}`), () => stored, room) } : null,
  ].filter(Boolean) });
  await stored.ready;
  return h("div", { class: "stack" }, h("section", { class: "card" }, h("h2", null, t("media.new")), form.node, room.node), result,
    h("section", { class: "card" }, h("h2", null, t("media.stored")), stored.node));
}

async function audienceFiles(chosen) {
  const room = roomLine(chosen.appId, "audiences");
  room.look();
  const stored = list({ caption: t("media.tab.audiences"), load: (cursor) => get(`/audiences/csv${query({ appId: chosen.appId, cursor, limit: 50 })}`), empty: empty(t("media.audiences.none"), t("media.audiences.none.detail")), columns: [
    { title: t("media.audience"), lead: true, cell: (item) => h("b", { "data-csv": item.csvId }, t("media.audience.name", { csv: item.csvId })) },
    { title: t("media.users"), end: true, cell: (item) => number(item.lines) },
    { title: t("message.created"), fit: true, cell: (item) => time(item.createdAt) },
    { title: t("media.ends"), fit: true, cell: endsCell },
    may("manageAudiences") ? { title: h("span", { class: "unseen" }, t("do.remove")), end: true, cell: (item) => deleteButton(t("media.audience.name", { csv: item.csvId }), t("media.audience.delete"), () => remove(`/audiences/csv/${enc(item.csvId)}${query({ appId: chosen.appId })}`), () => stored, room) } : null,
  ].filter(Boolean) });
  await stored.ready;
  return h("section", { class: "card" }, h("h2", null, t("media.tab.audiences")), h("p", { class: "soft below" }, t("media.audiences.detail")), room.node, stored.node);
}
