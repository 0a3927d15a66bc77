/// Bringing in a picture, sound or film, to be named by messages.

import { call, query } from "../api.js";
import { h, put } from "../dom.js";
import { Form, field } from "../parts/form.js";
import { facts, head } from "../parts/notice.js";
import { bytes, exactTime, t } from "../words.js";
import { needApp, whichApp } from "./common.js";

export async function mediaPage() {
  const { chosen, nothing } = needApp();
  if (nothing) return nothing;
  const result = h("div", { role: "status" });
  const form = new Form([field({ name: "file", label: t("media.file"), type: "file", required: true, hint: t("media.hint"), accept: "image/*,audio/*,video/*" })], { action: t("media.bring"), submit: async ({ file }) => {
    const made = await call("POST", `/uploads${query({ appId: chosen.appId })}`, file);
    put(result, h("section", { class: "card" }, h("h2", null, t("media.done")), facts([t("media.id"), h("code", null, made.uploadId)], [t("media.type"), made.contentType], [t("media.size"), bytes(made.bytes)],
      [t("media.url"), h("code", null, made.url)], [t("media.ends"), exactTime(made.expiresAt)])));
  } });
  return h("div", null, head(t("nav.media"), { detail: whichApp(chosen) }), h("section", { class: "card" }, form.node), result);
}
