/// A lock screen as it will look, more or less: systems cut texts where they like.

import { h } from "../dom.js";
import { alertOf, filled } from "./message-model.js";
import { t, timeText } from "../words.js";

/// - kind: ios or android. - isOpen: as it is unfolded.
export function lockScreen(kind, { app, title, subtitle, body, badge, media, picture, isOpen = false, none = t("compose.preview.none") }) {
  const now = new Date();
  const isEmpty = !title && !body;
  return h("div", { class: `phone ${kind}`, role: "img", "aria-label": isEmpty ? none : t("compose.preview.says", { title: title ?? "", body: body ?? "" }) },
    h("div", { class: "screen" }, h("div", { class: "clock" }, timeText(now, { hour: "2-digit", minute: "2-digit" })), h("div", { class: "day" }, timeText(now, { weekday: "long", month: "long", day: "numeric" })),
      isEmpty ? h("div", { class: "none" }, none) : h("div", { class: `push ${isOpen ? "tall" : ""}` },
        h("div", { class: "app-icon" }, [...app][0]?.toUpperCase() ?? "?", badge ? h("b", null, badge) : null),
        h("div", null, h("header", null, h("span", null, app), h("span", null, t("compose.preview.now"))), title ? h("div", { class: "t" }, title) : null,
          subtitle ? h("div", { class: "t small" }, subtitle) : null, h("div", { class: "b" }, body)),
        picture ? h("img", { class: isOpen ? "" : "thumb", src: picture, alt: "" }) : media ? h("div", { class: "media" }, t("compose.preview.media")) : null)));
}

/// The same of a message.
/// - language: of its translations; null: its own text. - values: what stands for its variables. - none: said where there is no text.
export function messagePreview(kind, message, { app, language = null, values = {}, pictures = {}, isOpen = false, none }) {
  const alert = language ? alertOf({ alert: message.translations?.[language] }) : alertOf(message);
  const known = message.fillVariables === false ? {} : { ...message.variables, ...values };
  return lockScreen(kind, { app, title: filled(alert.title, known), subtitle: filled(alert.subtitle, known), body: filled(alert.body, known),
    badge: message.badge && !message.badge.clear ? String(message.badge.set ?? message.badge.increment ?? 1) : null,
    media: message.media ?? message.mediaUrl, picture: pictures[message.media], isOpen, none });
}
