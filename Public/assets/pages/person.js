/// One person: devices, groups, badge, and the right to take everything out or away.

import { get, putTo, query, remove } from "../api.js";
import { h } from "../dom.js";
import { confirm, formDialog } from "../parts/dialog.js";
import { field } from "../parts/form.js";
import { complain, empty, facts, head, say } from "../parts/notice.js";
import { table } from "../parts/table.js";
import { tagsCard } from "../parts/tags.js";
import { enc, follow, go, link } from "../router.js";
import { may } from "../session.js";
import { number, t } from "../words.js";
import { deviceColumns } from "./devices.js";
import { personMessages } from "./person-messages.js";

export async function personPage(context) {
  const { app: appID, clientUid } = context.params;
  const path = `/users/${enc(clientUid)}`;
  const person = await get(path + query({ appId: appID }));
  const tags = await tagsCard(appID, { clientUid });
  // Lists of devices do not say what they agreed to: each is asked, for those that people have.
  const consents = await Promise.all(person.devices.slice(0, 10).map((one) => get(`/devices/${enc(one.device)}`).catch(() => one)));
  const history = await personMessages(appID, clientUid);

  async function setBadge() {
    const saved = await formDialog({ title: t("person.badge"), detail: t("person.badge.detail"), fields: [
      field({ name: "badge", label: t("people.badge"), type: "number", min: 0, max: 1000, required: true, value: String(person.badge) })],
    save: ({ badge }) => putTo(`${path}/badge`, { appId: appID, badge: Number(badge) }) });
    if (saved) follow();
  }

  async function erase() {
    const isSure = await confirm({ title: t("person.erase"), bad: true, action: t("person.erase.do"), typed: clientUid, typedLabel: t("person.erase.type", { clientUid }),
      body: h("p", null, t("person.erase.body", { name: person.clientName || clientUid, n: number(person.devices.length) })) });
    if (!isSure) return;
    try {
      const erased = await remove(path + query({ appId: appID }));
      say(t("person.erased", { n: number(erased.devices) }));
      go("/people");
    } catch (problem) {
      complain(problem);
    }
  }

  return h("div", null,
    head(person.clientName || person.clientUid, { crumb: h("a", { href: "#/people" }, t("nav.people")), actions: [
      may("send") ? h("a", { class: "button", href: link("/compose", { app: appID, clientUid }) }, t("person.send")) : null,
      may("erasePeople") ? h("a", { class: "button", href: `/v1/admin${path}/export${query({ appId: appID })}`, download: "person.json" }, t("person.export")) : null,
      may("erasePeople") ? h("button", { class: "button bad", onclick: erase }, t("person.erase")) : null] }),
    // Somebody who calls asks what came, and what did not.
    history,
    h("div", { class: "grid wide-narrow" },
      h("div", { class: "stack" },
        h("section", { class: "card" }, h("h2", null, t("people.devices")),
          person.devices.length ? h("div", { class: "table-box" }, table(t("people.devices"), deviceColumns(), person.devices)) : empty(t("devices.none")))),
      h("div", { class: "stack" },
        consentCard(consents),
        h("section", { class: "card" }, h("h2", null, t("person.facts")), facts(["CUID", h("span", { class: "mono" }, person.clientUid)], [t("people.name"), person.clientName],
          [t("message.app"), person.appId],
          [t("people.badge"), [number(person.badge), " ", may("managePeople") ? h("button", { class: "button small", onclick: setBadge }, t("do.change")) : null]])),
        tags,
        h("section", { class: "card" }, h("h2", null, t("nav.groups")), person.groups.length
          ? h("ul", { class: "picked" }, person.groups.map((group) => h("li", { class: "chip plain" }, h("a", { href: link(`/groups/${group.groupSeq}`) }, group.name))))
          : h("p", { class: "soft" }, t("person.no-groups"))))));
}

/// What each device has agreed to: nobody has to open it to know why an ad did not come.
function consentCard(devices) {
  const said = (value) => (value === null || value === undefined ? t("consent.unknown") : t(value ? "consent.yes" : "consent.no"));
  const withConsent = devices.filter((one) => one.consent);
  if (withConsent.length === 0) return null;
  const words = (one) => facts([t("consent.notification"), said(one.consent.notification)], [t("consent.ad"), said(one.consent.ad)], [t("consent.nightAd"), said(one.consent.nightAd)]);
  const isSame = new Set(withConsent.map((one) => JSON.stringify([one.consent.notification, one.consent.ad, one.consent.nightAd]))).size === 1;
  return h("section", { class: "card", id: "consents" }, h("h2", null, t("consent.title")), isSame ? words(withConsent[0]) : withConsent.map((one) => h("div", { class: "part" },
    h("p", null, h("a", { href: link(`/devices/${one.device}`) }, one.model || one.platform || one.device)), words(one))));
}
