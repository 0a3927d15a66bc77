/// A lock screen as it will look, more or less: systems cut texts where they like.

import { h } from "../dom.js";
import { t, timeText } from "../words.js";

/// - kind: ios or android.
export function lockScreen(kind, { app, title, body, badge, media }) {
  const now = new Date();
  const isEmpty = !title && !body;
  return h("div", { class: `phone ${kind}`, role: "img", "aria-label": isEmpty ? t("compose.preview.none") : t("compose.preview.says", { title, body }) },
    h("div", { class: "screen" }, h("div", { class: "clock" }, timeText(now, { hour: "2-digit", minute: "2-digit" })), h("div", { class: "day" }, timeText(now, { weekday: "long", month: "long", day: "numeric" })),
      isEmpty ? h("div", { class: "none" }, t("compose.preview.none")) : h("div", { class: `push ${kind === "android" ? "tall" : ""}` },
        h("div", { class: "app-icon" }, [...app][0]?.toUpperCase() ?? "?", badge ? h("b", null, "1") : null),
        h("div", null, h("header", null, h("span", null, app), h("span", null, t("compose.preview.now"))), title ? h("div", { class: "t" }, title) : null, h("div", { class: "b" }, body)),
        media ? h("div", { class: "media" }, t("compose.preview.media")) : null)));
}
