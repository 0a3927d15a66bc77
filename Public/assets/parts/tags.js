/// Tags of a person or of a device: shown, and written anew.

import { get, post, query } from "../api.js";
import { h, put } from "../dom.js";
import { formDialog } from "./dialog.js";
import { field } from "./form.js";
import { say } from "./notice.js";
import { may } from "../session.js";
import { t } from "../words.js";

/// - whose: `{clientUid}` or `{device}`. - Returns: a card; null for those who may not see tags.
export async function tagsCard(appID, whose) {
  if (!may("manageAudiences")) return null;
  const list = h("div");
  const present = async () => (await get(`/tags${query({ appId: appID, ...whose })}`)).tags;
  let tags = await present();
  const draw = () => put(list, tags.length ? h("ul", { class: "picked" }, tags.map((tag) => h("li", { class: "chip plain" }, tag))) : h("p", { class: "soft" }, t("tags.none")));

  async function change() {
    const owners = whose.device ? { devices: [whose.device] } : { clientUids: [whose.clientUid] };
    const saved = await formDialog({ title: t("device.tags"), fields: [
      field({ name: "tags", label: t("device.tags"), hint: t("tags.hint"), type: "area", rows: 3, value: tags.join("\n"), pointer: "/add" })],
    save: async (values) => {
      const wanted = [...new Set(values.tags.split(/[\n,]+/).map((one) => one.trim()).filter(Boolean))];
      // Only what was changed here: programs give tags too, and theirs stay.
      const add = wanted.filter((one) => !tags.includes(one));
      const gone = tags.filter((one) => !wanted.includes(one));
      if (add.length + gone.length > 0) await post("/tags", { appId: appID, ...owners, add, remove: gone });
      return present();
    } });
    if (!saved) return;
    tags = saved;
    draw();
    say(t("do.saved"));
  }

  draw();
  return h("section", { class: "card" }, h("div", { class: "card-head" }, h("h2", null, t("device.tags")),
    h("button", { class: "button small", "aria-label": t("tags.change"), onclick: change }, t("do.change"))), list);
}
