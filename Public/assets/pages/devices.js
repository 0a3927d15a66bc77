/// Devices: the list, and one of them.

import { get, post, query } from "../api.js";
import { h } from "../dom.js";
import { complain, empty, facts, head, note, say, state } from "../parts/notice.js";
import { list } from "../parts/table.js";
import { tagsCard } from "../parts/tags.js";
import { enc, follow, link, noteQuery } from "../router.js";
import { may } from "../session.js";
import { exactTime, t, time, word } from "../words.js";
import { needApp, searchField, whichApp } from "./common.js";

export function deviceColumns(appID) {
  return [
    { title: t("device.one"), lead: true, cell: (item) => [h("a", { class: "title", href: link(`/devices/${item.device}`) }, item.model || item.platform || item.psidPrefix),
      h("span", { class: "under mono" }, item.device)] },
    appID ? { title: t("people.person"), cell: (item) => (item.clientUid ? h("a", { href: link(`/people/${enc(appID)}/${enc(item.clientUid)}`) }, item.clientName || item.clientUid)
      : h("span", { class: "soft" }, t("people.guest"))) } : null,
    { title: t("device.network"), fit: true, cell: (item) => [item.pnsId, h("span", { class: "under" }, word("environment", item.environment))] },
    { title: t("device.system"), cell: (item) => [item.osVersion || "", item.appVersion ? h("span", { class: "under" }, t("device.app-version", { version: item.appVersion })) : null] },
    { title: t("device.state"), fit: true, cell: (item) => (item.quarantine ? h("span", { class: "state warn" }, t("device.aside")) : state(item.state, "device")) },
    { title: t("device.registered"), fit: true, cell: (item) => time(item.registeredAt) },
  ].filter(Boolean);
}

export async function devicesPage(context) {
  const { chosen, nothing } = needApp();
  if (nothing) return nothing;
  let q = context.query.q ?? "";
  // Eight digits as lists show them, or a whole token: of APNs, or of FCM.
  const isToken = () => /^([0-9a-f]{8}|[0-9a-f]{64,}|[\w-]{8,}:[\w-]{100,})$/i.test(q);
  let by = "clientUid";
  const load = async (cursor) => {
    const ask = (name) => get(`/devices${query({ appId: chosen.appId, [name]: q, cursor, limit: 50 })}`);
    if (cursor) return ask(by);
    by = isToken() ? "psid" : "clientUid";
    const [asked, found] = [q, await ask(by)];
    if (by === "clientUid" || found.items.length || asked !== q) return found;
    // Eight digits that begin no token may begin a CUID.
    by = "clientUid";
    return ask(by);
  };
  const devices = list({ caption: t("nav.devices"), columns: deviceColumns(chosen.appId), load,
    returning: context.returning, empty: () => (q ? empty(t("devices.none-such"), t("devices.none-such.detail")) : empty(t("devices.none"), t("devices.none.detail"))) });
  await devices.ready;
  return h("div", null, head(t("nav.devices"), { detail: whichApp(chosen) }),
    h("div", { class: "filters" }, searchField(t("devices.search"), q, (value) => {
    q = value;
    noteQuery({ q });
    return devices.restart();
  })), devices.node);
}

export async function devicePage(context) {
  const device = await get(`/devices/${enc(context.params.device)}`);
  const tags = await tagsCard(device.appId, { device: device.device });
  const consent = (value) => (value === null ? t("consent.unknown") : t(value ? "consent.yes" : "consent.no"));

  async function restore() {
    try {
      await post("/quarantine/restore", { appId: device.appId, device: device.device });
      say(t("aside.restored", { n: 1 }));
      follow();
    } catch (problem) {
      complain(problem);
    }
  }

  return h("div", null,
    head(device.model || device.platform || t("device.one"), { crumb: h("a", { href: "#/devices" }, t("nav.devices")), actions: [
      may("send") ? h("a", { class: "button", href: link("/compose", { app: device.appId, device: device.device }) }, t("person.send")) : null] }),
    device.quarantine ? h("div", { class: "notes" }, note("warn", t("device.aside.detail", { reason: word("reason", device.quarantine.reason) }), " ", exactTime(device.quarantine.at), " ",
      may("manageQuarantine") ? h("button", { class: "button small", onclick: restore }, t("aside.restore")) : null)) : null,
    h("div", { class: "grid wide-narrow" },
      h("section", { class: "card" }, h("h2", null, t("device.facts")), facts(
        [t("device.state"), state(device.state, "device")], [t("message.app"), device.appId],
        [t("people.person"), device.clientUid ? h("a", { href: link(`/people/${enc(device.appId)}/${enc(device.clientUid)}`) }, device.clientName || device.clientUid) : t("people.guest")],
        [t("people.badge"), device.badge], [t("device.network"), `${device.pnsId} · ${word("environment", device.environment)}`],
        [t("device.token"), h("code", null, `${device.psidPrefix}…`)], ["DEVICE_ID", h("code", null, device.deviceId)],
        [t("device.platform"), [device.platform, device.model, device.osVersion].filter(Boolean).join(" · ")], [t("device.version"), device.appVersion],
        [t("device.locale"), [device.locale, device.timeZone].filter(Boolean).join(" · ")],
        [t("device.created"), exactTime(device.createdAt)], [t("device.registered"), exactTime(device.registeredAt)], [t("device.bound"), exactTime(device.boundAt)])),
      h("div", { class: "stack" },
        h("section", { class: "card" }, h("h2", null, t("consent.title")), facts([t("consent.notification"), consent(device.consent.notification)],
          [t("consent.ad"), consent(device.consent.ad)], [t("consent.nightAd"), consent(device.consent.nightAd)])),
        tags,
        h("section", { class: "card" }, h("h2", null, t("nav.groups")), device.groups.length
          ? h("ul", { class: "picked" }, device.groups.map((group) => h("li", { class: "chip plain" }, h("a", { href: link(`/groups/${group.groupSeq}`) }, group.name))))
          : h("p", { class: "soft" }, t("person.no-groups"))))));
}
