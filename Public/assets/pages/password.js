/// Choosing another password.

import { h } from "../dom.js";
import { head } from "../parts/notice.js";
import { session } from "../session.js";
import { t } from "../words.js";
import { passwordForm } from "./sign-in.js";

/// Whoever came by a link may have lost the current password, and is not asked for it.
export async function passwordPage() {
  return h("div", null, head(t("account.password"), { detail: t("password.signs-out") }),
    h("section", { class: "card" }, passwordForm(session.signedInBy !== "link", () => location.reload()).node));
}
