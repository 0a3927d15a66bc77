/// The server's own health: what is wrong now and what to do, nodes, queues, push networks, webhooks, the database, and what ends.

import { all, get } from "../api.js";
import { h, put, renew } from "../dom.js";
import { every } from "../parts/live.js";
import { facts, head, note } from "../parts/notice.js";
import { table } from "../parts/table.js";
import { bytes, distance, exactTime, number, t, time, word } from "../words.js";

const lanes = ["urgent", "normal", "bulk"];
const day = 86_400;
/// How often it is asked, in milliseconds.
const pace = 5000;

export async function serverPage(context) {
  const alerts = h("div", { class: "notes", role: "status" });
  const seen = h("p", { class: "soft small period" });
  const body = h("div", { class: "grid two" });
  let last = null;
  let paused = [];
  let silentSince = null;

  async function look() {
    try {
      const [state, known] = await Promise.all([get("/server"), all("/apps")]);
      paused = known.filter((one) => one.pausedReason);
      silentSince = null;
      // Rates are those between two looks.
      show(state, last);
      last = { state, at: Date.now() };
    } catch (problem) {
      if (!last || problem.status === 401 || problem.status === 403) throw problem;
      silentSince ??= new Date(last.at).toISOString();
      renew(alerts, note("bad", h("strong", null, t("server.silent")), " ", t("server.silent.detail", { since: distance(silentSince) }), " ", problem.message));
    }
  }

  function show(state, before) {
    const of = (name, labels = {}) => state.samples.filter((one) => one.name === name && Object.entries(labels).every(([key, value]) => one.labels[key] === value));
    const value = (name, labels) => of(name, labels)[0]?.value ?? null;
    const sum = (samples, name, labels) => samples.filter((one) => one.name === name && Object.entries(labels).every(([key, wanted]) => one.labels[key] === wanted)).reduce((total, one) => total + one.value, 0);
    const found = firing(state, value, of);
    renew(alerts, found.length === 0 ? note("good", t("server.fine")) : found.map(([key, values, kind]) => note(kind, h("strong", null, t(`server.alert.${key}`, values)), " ", t(`server.alert.${key}.do`))),
      state.complaints.map((sentence) => note("warn", sentence)));
    put(seen, t("server.seen", { version: state.version }));
    // Sending of an app is stopped by its breaker, by a fault of its credential or by somebody.
    const pausedNow = paused;
    const networks = [...new Set(of("upmc_push_in_flight").map((one) => one.labels.network))].sort();
    const rate = (network, result) => {
      if (!before) return "–";
      const count = (one) => sum(one.samples, "upmc_push_answers_total", result ? { network, result } : { network });
      return number(Math.max(0, Math.round((count(state) - count(before.state)) / ((Date.now() - before.at) / 1000))));
    };
    const milliseconds = (seconds) => (seconds === null ? "–" : t("server.ms", { n: number(Math.round(seconds * 1000)) }));
    const slowest = (network, share) => {
      const values = of(`upmc_push_answer_seconds_${share}`, { network }).map((one) => one.value);
      return milliseconds(values.length ? Math.max(...values) : null);
    };
    const failed = (network) => sum(state.samples, "upmc_push_answers_total", { network }) - sum(state.samples, "upmc_push_answers_total", { network, result: "accepted" });
    const card = (title, ...content) => h("section", { class: "card" }, h("h2", null, title), content);
    const wide = (title, ...content) => h("section", { class: "card wide" }, h("h2", null, title), content);
    // Narrow screens scroll it: the keyboard must reach it.
    const boxed = (name, made) => h("div", { class: "table-box", tabindex: "0", role: "region", "aria-label": t(name) }, made);
    renew(body,
      wide(t("server.nodes"), boxed("server.nodes", table(t("server.nodes"), [{ title: t("server.node"), lead: true, cell: (node) => [h("b", null, node.host ?? node.nodeId.slice(0, 8)), h("span", { class: "under mono", title: node.nodeId }, node.nodeId.slice(0, 8))] },
        { title: t("server.version"), fit: true, cell: (node) => node.version ?? "–" },
        { title: t("server.started"), fit: true, cell: (node) => (node.startedAt ? time(node.startedAt) : "–") },
        { title: t("server.holds"), end: true, cell: (node) => [number(node.claims), h("span", { class: "under" }, t("server.holds.devices", { n: number(node.claimedDevices) }))] },
        { title: t("message.state"), fit: true, cell: (node) => h("span", { class: `state ${node.isAlive ? "good" : "bad"}` }, t(node.isAlive ? "server.alive" : "server.gone")) },
        { title: t("server.lease"), fit: true, cell: (node) => time(node.aliveUntil) }], state.nodes))),
      card(t("server.queues"), facts([t("server.claims"), number(value("upmc_claims"))], [t("server.overdue"), number(value("upmc_overdue_deliveries"))], [t("server.paused"), number(value("upmc_apps_paused"))]),
        boxed("server.queues", table(t("server.queues"), [{ title: t("message.lane"), lead: true, cell: (lane) => h("b", null, word("lane", lane)) },
        { title: t("server.waiting"), end: true, cell: (lane) => h("a", { href: `#/messages?purpose=all&state=open&lane=${lane}` }, number(sum(state.samples, "upmc_messages_waiting", { lane }))) },
        { title: t("server.oldest"), end: true, cell: (lane) => length(Math.max(0, ...["queued", "sending"].map((one) => value("upmc_messages_oldest_seconds", { lane, state: one }) ?? 0))) }], lanes))),
      wide(t("server.networks"), h("p", { class: "soft small" }, t("server.this-node"), " ", t("server.breaker", { n: number(value("upmc_breaker_opened_total")) })),
        pausedNow.length ? h("ul", { class: "notes" }, pausedNow.map((one) => h("li", null, note("bad", h("a", { href: `#/apps/${one.appId}` }, one.name || one.appId), " ", told(one.pausedReason))))) : h("p", { id: "breakers-closed" }, t("server.breakers.closed")),
        boxed("server.networks", table(t("server.networks"), [{ title: t("statistics.per.network"), lead: true, cell: (network) => h("b", null, network.toUpperCase()) },
        { title: t("server.rate"), end: true, cell: (network) => rate(network) }, { title: t("server.in-flight"), end: true, cell: (network) => number(value("upmc_push_in_flight", { network })) },
        { title: t("server.connections"), end: true, cell: (network) => number(value("upmc_push_connections", { network })) },
        { title: "p50", end: true, cell: (network) => slowest(network, "p50") }, { title: "p99", end: true, cell: (network) => slowest(network, "p99") },
        { title: t("server.not-taken"), end: true, cell: (network) => number(failed(network)) }], networks))),
      card(t("server.webhooks"), facts([t("server.events-waiting"), number(value("upmc_events_waiting"))], [t("server.events-oldest"), length(value("upmc_events_oldest_seconds"))],
        [t("server.events-dead"), h("a", { href: "#/webhooks" }, number(value("upmc_events_dead")))])),
      card(t("server.database"), facts([t("server.version"), state.database.version], [t("server.size"), bytes(state.database.bytes)],
        [t("server.wal"), state.database.walBytes === null ? t("server.wal.hidden") : bytes(state.database.walBytes)], [t("server.free"), t("server.free.unknown")],
        [t("server.answer"), milliseconds(value("upmc_database_answer_seconds"))],
        [t("server.connections"), t("server.of", { n: number(state.database.connections), most: number(state.database.maxConnections) })], [t("server.transaction"), length(state.database.oldestTransactionSeconds)],
        [t("server.replication"), state.database.replicationSeconds === null ? t("server.no-replica") : length(state.database.replicationSeconds)],
        [t("server.partitions"), number(value("upmc_seqnos_left"))], [t("server.history"), length(value("upmc_history_oldest_seconds"))])),
      wide(t("server.ends"), boxed("server.ends", table(t("server.ends"), [{ title: t("server.what"), lead: true, cell: (one) => h("b", null, one.name) },
        { title: t("server.end"), fit: true, cell: (one) => (one.at ? [exactTime(new Date(one.at * 1000).toISOString()), h("span", { class: "under" }, distance(one.at * 1000))] : t("server.never")) }], ends(of)))));
  }

  await look();
  context.onLeave(every(pace, () => look()));
  return h("div", null, head(t("nav.server"), { detail: t("server.detail"), actions: [h("a", { class: "button", href: "/operations/grafana-dashboard.json", download: "upmc-grafana.json" }, t("server.grafana"))] }), alerts, seen, body);
}

/// What the rules for Prometheus would say of these values now. Rules about an increase over time are left to Prometheus.
function firing(state, value, of) {
  const found = [];
  const now = Date.now() / 1000;
  const tell = (key, is, values = {}, kind = "bad") => { if (is) found.push([key, values, kind]); };
  const above = (name, limit) => (value(name) ?? 0) > limit;
  tell("database", value("upmc_database_up") === 0);
  tell("lease", value("upmc_lease_held") === 0);
  tell("clock", Math.abs(value("upmc_clock_ahead_seconds") ?? 0) > 1, { n: length(Math.abs(value("upmc_clock_ahead_seconds") ?? 0)) });
  const urgent = Math.max(0, ...of("upmc_messages_oldest_seconds", { lane: "urgent" }).filter((one) => ["queued", "sending"].includes(one.labels.state)).map((one) => one.value));
  tell("urgent", urgent > 60, { n: length(urgent) });
  tell("paused", above("upmc_apps_paused", 0), { n: number(value("upmc_apps_paused")) });
  for (const one of of("upmc_push_held_back")) tell("network", one.value > 0, { network: one.labels.network.toUpperCase() });
  for (const one of of("upmc_credential_usable")) tell("credential", one.value === 0, { app: one.labels.app, network: one.labels.network.toUpperCase() });
  for (const one of ends(of)) tell("ends", one.at && one.at - now < 14 * day, { name: one.name, when: distance(one.at * 1000) }, "warn");
  tell("overdue", above("upmc_overdue_deliveries", 1000), { n: number(value("upmc_overdue_deliveries")) });
  tell("partitions", (value("upmc_seqnos_left") ?? Infinity) < 100_000, { n: number(value("upmc_seqnos_left")) });
  tell("history", above("upmc_history_drop_waiting_seconds", day), { n: length(value("upmc_history_drop_waiting_seconds")) }, "warn");
  tell("settings", above("upmc_settings_differ", 0), { n: number(value("upmc_settings_differ")) }, "warn");
  tell("webhooks", above("upmc_events_oldest_seconds", 900), { n: length(value("upmc_events_oldest_seconds")) }, "warn");
  const versions = new Set(state.nodes.filter((node) => node.isAlive && node.version).map((node) => node.version));
  tell("versions", versions.size > 1, { versions: [...versions].sort().join(", ") }, "warn");
  tell("stranded", state.nodes.some((node) => !node.isAlive && node.claims > 0 && Date.now() - Date.parse(node.aliveUntil) > 120_000), { n: number(state.nodes.filter((node) => !node.isAlive).reduce((sum, node) => sum + node.claims, 0)) });
  tell("connections", state.database.connections > 0.9 * state.database.maxConnections, { n: number(state.database.connections), most: number(state.database.maxConnections) }, "warn");
  tell("dead", above("upmc_events_dead", 0), { n: number(value("upmc_events_dead")) }, "warn");
  return found;
}

/// What has an end, the next first.
function ends(of) {
  return [...of("upmc_certificate_expiry_timestamp_seconds").map((one) => ({ name: t("server.tls"), at: one.value })), ...of("upmc_api_key_expiry_timestamp_seconds").map((one) => ({ name: t("server.key"), at: one.value })),
    ...of("upmc_credential_usable").map((one) => ({ name: `${one.labels.app} · ${one.labels.network.toUpperCase()}`, at: of("upmc_credential_expiry_timestamp_seconds", one.labels)[0]?.value ?? null }))]
    .sort((one, other) => (one.at ?? Infinity) - (other.at ?? Infinity));
}

/// A length of time in its largest fitting unit.
function length(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  const [unit, size] = [["day", day], ["hour", 3600], ["minute", 60], ["second", 1]].find(([, size]) => seconds >= size) ?? ["second", 1];
  return new Intl.NumberFormat(document.documentElement.lang, { style: "unit", unit, unitDisplay: "long", maximumFractionDigits: seconds < 10 ? 1 : 0 }).format(seconds / size);
}
