/// What ads of an app must keep to: the hours at which they wait, and what they must say.

import { get, putTo } from "../api.js";
import { h } from "../dom.js";
import { Form, field } from "../parts/form.js";
import { facts, say } from "../parts/notice.js";
import { enc } from "../router.js";
import { may } from "../session.js";
import { t } from "../words.js";

/// A card for an app's page.
export async function adRulesCard(appID) {
  const path = `/apps/${enc(appID)}/ad-rules`;
  const rules = await get(path);
  const clock = (text) => text?.slice(0, 5) ?? "";
  if (!may("manageApps")) {
    return h("section", { class: "card" }, h("h2", null, t("ads.title")), facts([t("ads.night"), rules.night ? `${clock(rules.night.from)} – ${clock(rules.night.to)}` : t("ads.any-hour")],
      [t("ads.label"), rules.label], [t("ads.opt-out"), rules.optOut]));
  }
  const waits = field({ name: "waits", label: t("ads.waits"), hint: t("ads.waits.hint"), type: "check", value: rules.night !== null, pointer: "/waits", onchange: shown });
  const from = field({ name: "from", label: t("ads.from"), type: "time", value: clock(rules.night?.from) || "21:00", pointer: "/night/from", required: true });
  const to = field({ name: "to", label: t("ads.to"), type: "time", value: clock(rules.night?.to) || "08:00", pointer: "/night/to", required: true });
  function shown() {
    for (const one of [from, to]) {
      one.node.hidden = !waits.value;
      one.input.disabled = !waits.value;
    }
  }
  shown();
  const form = new Form([waits, [from, to], field({ name: "label", label: t("ads.label"), hint: t("ads.label.hint"), value: rules.label }),
    field({ name: "optOut", label: t("ads.opt-out"), hint: t("ads.opt-out.hint"), value: rules.optOut })], { action: t("do.save"), submit: async (values) => {
    await putTo(path, { label: values.label.trim(), optOut: values.optOut.trim(), night: values.waits ? { from: values.from, to: values.to } : null });
    say(t("do.saved"));
  } });
  return h("section", { class: "card", id: "ad-rules" }, h("h2", null, t("ads.title")), form.node);
}
