/// Every step of one message for one person, in words.

import { get } from "../api.js";
import { h } from "../dom.js";
import { head, note, state } from "../parts/notice.js";
import { enc, link } from "../router.js";
import { exactTime, t, word } from "../words.js";

const bad = ["rejected", "expired", "cancelled", "skipped", "unregistered", "quarantined"];
const good = ["accepted", "received", "read"];

export async function explainPage(context) {
  const { seqno, clientUid } = context.params;
  const story = await get(`/messages/${enc(seqno)}/users/${enc(clientUid)}/explain`);
  return h("div", null,
    head(t("explain.title", { seqno, clientUid }), { crumb: [h("a", { href: "#/messages" }, t("nav.messages")), " · ",
      h("a", { href: link(`/messages/${seqno}`) }, seqno), " · ", h("a", { href: link(`/messages/${seqno}`, { tab: "people" }) }, t("message.people"))] }),
    h("div", { class: "row below" }, state(story.state)),
    h("section", { class: "card" }, h("ol", { class: "steps" }, story.steps.map((step) => h("li", { class: kind(step), "data-code": step.code },
      h("div", null, h("p", null, h("b", null, word("step", step.code))), h("p", null, step.text),
        h("p", { class: "soft small" }, [step.at ? exactTime(step.at) : null, step.reason ? h("code", null, ` ${step.reason}`) : null,
          step.device ? [" ", h("a", { class: "mono", href: link(`/devices/${step.device}`) }, step.device)] : null]),
        step.advice ? note("accent advice", h("b", null, t("explain.advice")), " ", step.advice) : null))))));
}

function kind(step) {
  if (bad.some((word) => step.code.includes(word))) return "bad";
  return good.some((word) => step.code.includes(word)) ? "good" : "";
}
