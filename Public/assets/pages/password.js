/// Choosing another password.

import { h } from "../dom.js";
import { head } from "../parts/notice.js";
import { t } from "../words.js";
import { passwordForm } from "./sign-in.js";

export async function passwordPage() {
  return h("div", null, head(t("account.password"), { detail: t("password.signs-out") }),
    h("section", { class: "card" }, passwordForm(true, () => location.reload()).node));
}
