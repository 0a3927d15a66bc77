/// What several pages say in the same way.

import { h } from "../dom.js";
import { oneApp, apps, app } from "../session.js";
import { t } from "../words.js";
import { empty } from "../parts/notice.js";

/// What a message is called in lists: its title, its text, or what it is for.
export function messageTitle(item) {
  const alert = item.alert;
  const text = typeof alert === "string" ? alert : alert?.title || alert?.body || alert?.titleLocKey || alert?.locKey;
  return text ? shortened(text, 90) : t(item.confidential ? "message.confidential" : "message.silent");
}

export const shortened = (text, length) => (text.length > length ? `${text.slice(0, length - 1)}…` : text);

/// When a credential ends; null when it does not say.
export const credentialEnd = (credential) => credential.shown?.endsAt ?? credential.shown?.notAfter ?? null;

/// For pages about one app: the app, or a page that says to make one first.
export function needApp() {
  const chosen = oneApp();
  if (chosen) return { chosen };
  return { nothing: h("div", null, h("h1", { class: "unseen" }, t("app.none")), empty(t("app.none"), t("app.none.detail"), h("a", { class: "button main", href: "#/apps" }, t("nav.apps")))) };
}

/// Says which app a page is about when all were chosen above.
export function whichApp(chosen) {
  return apps.length > 1 && !app() ? t("app.shown", { app: chosen.name || chosen.appId }) : null;
}

export const userName = (item) => (item.clientName ? `${item.clientName} · ${item.clientUid}` : item.clientUid);

/// A search field that asks once the typing has stopped.
export function searchField(label, value, search) {
  const id = "search";
  let timer;
  return h("div", { class: "field" }, h("label", { for: id }, label),
    h("input", { id, type: "search", value, autocomplete: "off", spellcheck: "false", oninput: (event) => {
      clearTimeout(timer);
      timer = setTimeout(() => search(event.target.value.trim()), 250);
    } }));
}
