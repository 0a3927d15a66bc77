/// What several pages say in the same way.

import { get, query } from "../api.js";
import { h, later } from "../dom.js";
import { oneApp, apps, app } from "../session.js";
import { number, t } from "../words.js";
import { field } from "../parts/form.js";
import { empty } from "../parts/notice.js";

/// What a message is called in lists: its title, its text, or what it is for.
export function messageTitle(item) {
  const alert = item.alert;
  const text = typeof alert === "string" ? alert : alert?.title || alert?.body || alert?.titleLocKey || alert?.locKey;
  return text ? shortened(text, 90) : t(item.confidential ? "message.confidential" : "message.silent");
}

export const shortened = (text, length) => (text.length > length ? `${text.slice(0, length - 1)}…` : text);

/// The server counts the devices of an audience up to here.
export const mostCounted = 1_000_000;

/// How many devices an audience has; null: more than are counted.
export const reach = (targeted) => (targeted === null ? `${number(mostCounted)}+` : number(targeted));

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

/// A search field that asks once the typing has stopped, also within a syllable: some input methods end the last one only
/// when the field is left. `search` may not draw the page anew: the field keeps the focus, and the syllable stays whole.
export function searchField(label, value, search, { name = "q", type = "search" } = {}) {
  const asked = later(250, (text) => search(text));
  const made = field({ name, label, type, value, oninput: (event) => asked(event.target.value.trim()) });
  made.input.setAttribute("spellcheck", "false");
  if (name === "q") {
    made.input.id = "search";
    made.node.querySelector("label").htmlFor = "search";
  }
  return made.node;
}

/// The first people whose CUID begins so, and those whose name does. Whoever searches need not say which it is.
/// - Returns: `{items, nextCursor, isNamed}`. Further pages are by CUID; by name, where no CUID fits (`isNamed`).
export async function findPeople(appID, text, limit, options) {
  const ask = (by) => get(`/users${query({ appId: appID, [by]: text, limit })}`, options);
  const [byUid, byName] = await Promise.all([ask("prefix"), ask("name")]);
  if (byUid.items.length === 0) return { ...byName, isNamed: true };
  const known = new Set(byUid.items.map((one) => one.clientUid));
  return { items: [...byUid.items, ...byName.items.filter((one) => !known.has(one.clientUid))], nextCursor: byUid.nextCursor, isNamed: false };
}
