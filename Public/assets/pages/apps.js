/// Apps; and one app with its credentials, client key and settings.

import { all, call, get, post, putTo, query, remove } from "../api.js";
import { h } from "../dom.js";
import { confirm, formDialog, secret } from "../parts/dialog.js";
import { Form, field } from "../parts/form.js";
import { complain, empty, facts, head, note, say } from "../parts/notice.js";
import { list } from "../parts/table.js";
import { enc, follow, go, link } from "../router.js";
import { loadApps, may, session } from "../session.js";
import { exactTime, number, t, time, told, word } from "../words.js";
import { adRulesCard } from "./ad-rules.js";
import { credentialEnd } from "./common.js";

const identities = () => ["open", "proof", "strict"].map((name) => [name, t(`identity.${name}`)]);

export async function appsPage() {
  const found = list({ caption: t("nav.apps"), load: (cursor) => get(`/apps${query({ cursor, limit: 50 })}`), empty: empty(t("app.none"), t("app.none.detail")), columns: [
    { title: t("app.one"), lead: true, cell: (item) => [h("a", { class: "title", href: link(`/apps/${item.appId}`) }, item.name || item.appId), h("span", { class: "under mono" }, item.appId)] },
    { title: t("app.zone"), cell: (item) => item.timeZone },
    { title: t("message.state"), fit: true, cell: (item) => h("span", { class: `state ${item.pausedReason ? "bad" : "good"}` }, t(item.purgeAfter ? `app.${item.state}` : item.pausedReason ? "app.paused" : "app.active")) },
  ] });
  await found.ready;
  async function make() {
    const made = await formDialog({ title: t("app.new"), action: t("do.create"), fields: [
      field({ name: "appId", label: "APP_ID", hint: t("app.id.hint"), required: true, code: true }), field({ name: "name", label: t("people.name"), required: true }),
      field({ name: "timeZone", label: t("app.zone"), value: "Asia/Seoul", required: true }),
      field({ name: "identity", label: t("identity.title"), hint: t("identity.hint"), type: "select", value: "proof", options: identities() })], save: (values) => post("/apps", values) });
    if (!made) return;
    await loadApps();
    go(`/apps/${enc(made.appId)}`);
  }
  return h("div", null, head(t("nav.apps"), { actions: [may("manageApps") ? h("button", { class: "button main", id: "new-app", onclick: make }, t("app.new")) : null] }), found.node);
}

export async function appPage(context) {
  const path = `/apps/${enc(context.params.app)}`;
  const found = await get(path);
  const manages = may("manageApps");
  const ads = await adRulesCard(found.appId);
  const credentials = manages ? await all("/credentials", { appId: found.appId }) : [];
  const run = async (action) => {
    try {
      await action();
    } catch (problem) {
      complain(problem);
    }
  };

  async function addKey() {
    const saved = await formDialog({ title: t("credential.key"), detail: t("credential.detail"), fields: [
      field({ name: "file", label: t("credential.p8"), type: "file", accept: ".p8,.pem", required: true, pointer: "/apnsKey/pem" }),
      field({ name: "keyId", label: t("credential.keyId"), required: true, code: true, maxlength: 10, pointer: "/apnsKey/keyId" }),
      field({ name: "teamId", label: t("credential.teamId"), required: true, code: true, maxlength: 10, pointer: "/apnsKey/teamId" })],
    save: async ({ file, keyId, teamId }) => putTo("/credentials", { appId: found.appId, apnsKey: { pem: await file.text(), keyId, teamId } }) });
    if (saved) say(t("credential.saved")), follow();
  }

  async function addCertificate() {
    const saved = await formDialog({ title: t("credential.certificate"), detail: t("credential.detail"), fields: [
      field({ name: "file", label: t("credential.p12"), type: "file", accept: ".p12,.pfx,.pem", required: true, pointer: "/apnsCertificate/file" }),
      field({ name: "passphrase", label: t("credential.passphrase"), type: "password", autocomplete: "new-password", pointer: "/apnsCertificate/passphrase" })],
    save: async ({ file, passphrase }) => {
      const data = new Uint8Array(await file.arrayBuffer());
      const text = btoa(Array.from(data, (byte) => String.fromCharCode(byte)).join(""));
      return putTo("/credentials", { appId: found.appId, apnsCertificate: { file: text, ...(passphrase ? { passphrase } : {}) } });
    } });
    if (saved) say(t("credential.saved")), follow();
  }

  async function addAccount() {
    const saved = await formDialog({ title: t("credential.account"), detail: t("credential.detail"), fields: [
      field({ name: "file", label: t("credential.json"), type: "file", accept: ".json,application/json", required: true, pointer: "/fcmServiceAccount" })],
    save: async ({ file }) => putTo("/credentials", { appId: found.appId, fcmServiceAccount: { json: await file.text() } }) });
    if (saved) say(t("credential.saved")), follow();
  }

  const takeOut = (one) => run(async () => {
    if (!await confirm({ title: t("credential.remove"), bad: true, action: t("credential.remove"), typed: found.appId, body: h("p", null, t("credential.remove.body", { app: found.name })) })) return;
    await remove(`/credentials${query({ appId: found.appId, pnsId: one.pnsId })}`);
    follow();
  });

  const isGoing = found.purgeAfter !== null;

  const deleteApp = () => run(async () => {
    const days = field({ name: "graceDays", label: t("app.delete.grace"), hint: t("app.delete.grace.hint"), type: "number", min: 0, max: 365, value: "30" });
    if (!await confirm({ title: t("app.delete"), bad: true, action: t("app.delete"), typed: found.appId, body: h("div", { class: "stack" }, h("p", null, t("app.delete.body", { app: found.name || found.appId })), days.node) })) return;
    await remove(`${path}${query({ confirm: found.appId, graceDays: days.node.querySelector("input").value })}`);
    await loadApps();
    follow();
  });

  const restoreApp = () => run(async () => {
    await post(`${path}/restore`);
    await loadApps();
    say(t("app.restored"));
    follow();
  });

  /// Only whoever administers the whole server is offered it, and not while what was stored is being removed.
  const end = manages && !session.appId ? h("section", { class: "card fields", id: "end" }, h("h2", null, t("app.delete")),
    h("p", { class: "soft" }, isGoing ? t(`app.${found.state}.detail`) : t("app.delete.detail")),
    isGoing ? facts([t("app.purge-after"), exactTime(found.purgeAfter)], [t("app.purged-rows"), found.purgedRows === null ? null : number(found.purgedRows)]) : null,
    h("div", null, isGoing
      ? found.state === "deleting" ? h("button", { class: "button", id: "restore-app", onclick: restoreApp }, t("app.restore")) : null
      : h("button", { class: "button bad", id: "delete-app", onclick: deleteApp }, t("app.delete")))) : null;

  const lanes = ["", "urgent", "urgent,normal", "urgent,normal,bulk"];
  const present = found.confidentialLanes.join(",");
  if (!lanes.includes(present)) lanes.push(present);
  const laneWords = (one) => (one ? one.split(",").map((lane) => word("lane", lane)).join(", ") : t("app.confidential.none"));
  const fields = [
    field({ name: "name", label: t("people.name"), value: found.name, required: true }), field({ name: "timeZone", label: t("app.zone"), value: found.timeZone, required: true }),
    field({ name: "devicePolicy", label: t("app.policy"), type: "select", value: found.devicePolicy, options: [["multi", t("app.policy.multi")], ["single", t("app.policy.single")]] }),
    field({ name: "deviceSends", label: t("app.device-sends"), type: "number", min: 0, value: String(found.deviceSends) }),
    field({ name: "confidentialLanes", label: t("app.confidential"), hint: t("app.confidential.hint"), type: "select", value: present, options: lanes.map((one) => [one, laneWords(one)]) }),
    field({ name: "extension", label: t("app.extension"), hint: t("app.extension.hint"), type: "select", value: found.extension === false ? "off" : "on", options: [["on", t("app.extension.on")], ["off", t("app.extension.off")]] }),
    "approvalAbove" in found ? field({ name: "approvalAbove", label: t("app.approval"), hint: t("app.approval.hint"), type: "number", min: 0, value: found.approvalAbove === null ? "" : String(found.approvalAbove) }) : [],
  ].flat();
  const asSent = { deviceSends: Number, confidentialLanes: (lanes) => (lanes ? lanes.split(",") : []), extension: (text) => text === "on", approvalAbove: (text) => (text === "" ? null : Number(text)) };
  let before = Object.fromEntries(fields.map((one) => [one.name, one.value]));
  const settings = new Form(fields, { action: t("do.save"), submit: async (values) => {
    // Only what was changed here: the page may be older than what others have set.
    const changed = Object.entries(values).filter(([name, value]) => value !== before[name]);
    if (changed.length) await call("PATCH", path, Object.fromEntries(changed.map(([name, value]) => [name, name in asSent ? asSent[name](value) : value])));
    before = values;
    await loadApps();
    say(t("do.saved"));
  } });

  const standing = await call("GET", `${path}/identity`);
  const unproved = (identity) => standing.unprovedBindings[identity] ?? 0;

  async function changeIdentity() {
    const saved = await formDialog({ title: t("identity.change"), detail: t("identity.detail"), fields: [
      field({ name: "identity", label: t("identity.title"), type: "select", value: found.identity, options: identities(), pointer: "/identity" }),
      field({ name: "observedIdentity", label: t("identity.observed"), hint: t("identity.observed.hint"), type: "select", value: found.observedIdentity ?? "", options: [["", t("identity.observed.none")], ...identities().slice(1)] }),
      field({ name: "unprovedBindings", label: t("identity.unproved"), hint: t("identity.unproved.hint", { n: String(unproved("proof")) }), type: "number", min: 0, value: "", pointer: "/unprovedBindings" })],
    save: async ({ identity, observedIdentity, unprovedBindings }) => call("PATCH", path, {
      identity, observedIdentity: observedIdentity || null, ...(unprovedBindings === "" ? {} : { unprovedBindings: Number(unprovedBindings) }) }) });
    if (saved) {
      await loadApps();
      follow();
    }
  }

  const identity = h("section", { class: "card fields" }, h("h2", null, t("identity.title")), h("p", { class: "soft" }, t(`identity.${found.identity}.detail`)),
    facts([t("identity.title"), t(`identity.${found.identity}`)], [t("identity.observed"), found.observedIdentity && t(`identity.${found.observedIdentity}`)],
      [t("identity.grace"), found.graceEndsAt && exactTime(found.graceEndsAt)], [t("identity.unproved"), String(unproved(found.identity === "open" ? "proof" : found.identity))],
      [t("identity.refused"), String(standing.unprovedRegistrations)]),
    h("div", { class: "row" }, manages ? h("button", { class: "button", id: "change-identity", onclick: () => run(changeIdentity) }, t("identity.change")) : null,
      h("a", { href: t("identity.page"), target: "_blank", rel: "noopener" }, t("identity.more"))));

  return h("div", null, head(found.name || found.appId, { crumb: h("a", { href: "#/apps" }, t("nav.apps")) }),
    found.pausedReason ? h("div", { class: "notes" }, note("bad", t("attention.paused", { app: found.name }), " ", told(found.pausedReason), " ",
      manages && !isGoing ? h("button", { class: "button small", onclick: () => run(async () => {
        await post(`${path}/resume`);
        await loadApps();
        follow();
      }) }, t("do.resume")) : null)) : null,
    found.extensionReports === false ? h("div", { class: "notes", id: "extension" }, note("warn", t("app.extension.silent"))) : null,
    h("div", { class: "grid two begins" }, h("div", { class: "stack" },
      manages ? h("section", { class: "card" }, h("div", { class: "card-head" }, h("h2", null, t("credential.title")), h("div", { class: "row" },
        h("button", { class: "button small main", id: "add-key", onclick: () => run(addKey) }, t("credential.key")), h("button", { class: "button small", onclick: () => run(addCertificate) }, t("credential.certificate")),
        h("button", { class: "button small", onclick: () => run(addAccount) }, t("credential.account")))),
      credentials.length ? credentials.map((one) => h("div", { class: "stack part" }, facts([t("device.network"), one.pnsId], [t("credential.kind"), word("credential", one.kind)],
        ...Object.entries(one.shown ?? {}).filter(([name]) => !["endsAt", "notAfter"].includes(name)).map(([name, value]) => [word("credential", name), String(value)]),
        [t("credential.ends"), credentialEnd(one) && exactTime(credentialEnd(one))], [t("credential.updated"), time(one.updatedAt)],
        [t("credential.check"), one.kind === "apns-key" ? one.check ? `${word("credential.check", one.check.result)} (${one.check.word})` : t("credential.check.none") : null]),
      h("div", null, h("button", { class: "button small bad", onclick: () => takeOut(one) }, t("credential.remove"))))) : empty(t("credential.none"), t("credential.none.detail"))) : null,
      h("section", { class: "card fields" }, h("h2", null, t("app.client-key")), h("p", { class: "soft" }, t("app.client-key.detail")),
        h("div", null, h("button", { class: "button", onclick: () => secret(t("app.client-key"), found.clientKey, t("app.client-key.detail")) }, t("do.show")))), identity), h("div", { class: "stack" },
      manages ? h("section", { class: "card" }, h("h2", null, t("app.settings")), settings.node) : null, ads, end)));
}
