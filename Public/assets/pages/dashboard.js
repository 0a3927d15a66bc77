/// What happens right now, and what needs somebody. An empty system shows the way to its first push instead.

import { all, get, query } from "../api.js";
import { h, put, renew } from "../dom.js";
import { chart, timeline } from "../parts/chart.js";
import { pointsOf } from "../parts/period.js";
import { miniFunnel } from "../parts/funnel.js";
import { every, watchOverview } from "../parts/live.js";
import { head, note, state } from "../parts/notice.js";
import { table, updateRows } from "../parts/table.js";
import { link } from "../router.js";
import { app, apps, may, refreshApps } from "../session.js";
import { distance, number, percent, t, time, told, word } from "../words.js";
import { beginPage, isBegun } from "./begin.js";
import { credentialEnd, messageTitle } from "./common.js";
import { counted, deadWebhooks } from "./webhooks.js";

/// How often it is asked what needs somebody, in milliseconds: no stream tells of it.
const attentionPace = 60_000;

export async function dashboardPage(context) {
  const scope = () => ({ appId: app()?.appId });
  // All requests at once: each that waits for another's response costs a round trip.
  const asked = Promise.all([attention(), look()]);
  asked.catch(() => {});
  if (!(await isBegun())) return beginPage(context);
  const tiles = h("dl", { class: "tiles" });
  const running = h("div");
  const recent = h("div");
  const reasons = h("div");
  const names = ["accepted", "received", "read", "rejected", "expired"];
  const colours = { accepted: "accepted", received: "received", read: "read", rejected: "rejected", expired: "skipped" };
  let drawn;
  let body = null;

  /// The latest campaigns, row by row in place.
  function update(items) {
    if (body && items.length) return updateRows(body, recentColumns(), items.slice(0, 6), (item) => item.seqno);
    put(recent, recentList(items));
    body = recent.querySelector("tbody");
  }

  async function look() {
    const messages = (items) => get(`/messages${query({ ...scope(), limit: 12, ...items })}`);
    const [minutes, byReason, campaigns, openCampaigns, openSingles] = await Promise.all([
      get(`/statistics${query({ ...scope(), by: "minute" })}`), get(`/statistics${query({ ...scope(), by: "minute", per: "reason" })}`),
      messages({ purpose: "campaign" }), messages({ purpose: "campaign", state: "open" }), messages({ purpose: "single", state: "paused" }),
    ]);
    return { minutes, reasons: byReason, campaigns, openCampaigns, openSingles };
  }

  function draw({ minutes, reasons: byReason, campaigns, openCampaigns, openSingles }) {
    if (context.stale()) return;
    const { points, values } = timeline(minutes, names, pointsOf(new Date(minutes.from).getTime(), new Date(minutes.to).getTime(), "minute"));
    const total = minutes.total;
    const latest = (name) => values[name].slice(-5).reduce((one, other) => one + other, 0);
    put(tiles,
      tile("accepted", t("dashboard.accepted"), number(total.accepted), t("dashboard.last-five", { n: number(latest("accepted")) })),
      tile("received", t("dashboard.received"), percent(total.received, total.accepted), number(total.received)),
      tile("read", t("dashboard.read"), percent(total.read, total.accepted), number(total.read)),
      tile("rejected", t("dashboard.rejected"), number(total.rejected), percent(total.rejected, total.accepted + total.rejected)),
      tile("expired", t("dashboard.expired"), number(total.expired), percent(total.expired, total.accepted + total.expired)));
    const series = names.map((name) => ({ label: t(`funnel.${name}`), colour: colours[name], values: values[name] }));
    drawn.update(points, series);
    renew(running, runningList(openCampaigns),
      openSingles.items.length ? note("warn", t("dashboard.singles-paused", { n: openSingles.nextCursor ? `${openSingles.items.length}+` : openSingles.items.length }), " ", h("a", { href: link("/messages", { purpose: "single", state: "paused" }) }, t("do.look"))) : null);
    update(campaigns.items);
    renew(reasons, reasonList(byReason));
  }

  drawn = chart({ label: t("dashboard.chart"), points: [], series: names.map((name) => ({ label: t(`funnel.${name}`), colour: colours[name], values: [] })),
    unit: "minute", onLeave: context.onLeave });
  const [warnings, now] = await asked;
  draw(now);
  const live = h("span", { class: "live off", id: "live" });
  context.onLeave(watchOverview(scope(), draw, look, (isConnected) => {
    live.classList.toggle("off", !isConnected);
    put(live, t(isConnected ? "live.on" : "live.off"));
  }));
  const notes = h("div", { class: "notes", id: "attention" }, warnings);
  context.onLeave(every(attentionPace, async () => {
    const latest = await attention();
    if (!context.stale()) renew(notes, latest);
  }));
  return h("div", null,
    head(t("nav.dashboard"), { actions: [may("send") ? h("a", { class: "button main", href: "#/compose" }, t("nav.compose")) : null] }),
    notes,
    h("h2", { class: "unseen" }, t("dashboard.hour")), tiles,
    h("div", { class: "grid wide-narrow" },
      h("div", { class: "stack" },
        h("section", { class: "card" }, h("div", { class: "card-head" }, h("h2", null, t("dashboard.chart")), live), drawn.node),
        h("section", { class: "card" }, h("div", { class: "card-head" }, h("h2", null, t("dashboard.recent")), h("a", { href: "#/messages" }, t("do.all"))), recent)),
      h("div", { class: "stack" },
        h("section", { class: "card" }, h("h2", null, t("dashboard.running")), running),
        h("section", { class: "card" }, h("h2", null, t("dashboard.reasons")), reasons))));
}

function tile(name, label, value, under) {
  return h("div", { class: "tile", "data-tile": name }, h("dt", null, label), h("dd", null, value), h("dd", null, under));
}

/// Campaigns that run, wait or are paused: all of them are found, however many single sends came after them.
function runningList({ items, nextCursor }) {
  if (items.length === 0) return h("p", { class: "soft" }, t("dashboard.quiet"));
  return h("div", { class: "stack" }, h("ul", { class: "stack", id: "running" }, items.map((item) => h("li", null,
    h("div", { class: "row" }, h("a", { href: link(`/messages/${item.seqno}`) }, messageTitle(item)), state(item.state)),
    item.state === "scheduled" && item.sendAt ? h("p", { class: "soft small" }, time(item.sendAt), " · ", distance(item.sendAt)) : miniFunnel(item)))),
  nextCursor ? h("a", { href: link("/messages", { state: "open" }) }, t("dashboard.all-open")) : null);
}

const recentColumns = () => [
  { title: t("message.title"), lead: true, cell: (item) => [h("a", { class: "title", href: link(`/messages/${item.seqno}`) }, messageTitle(item)),
    h("span", { class: "under" }, `${item.seqno} · ${item.appId}`)] },
  { title: t("message.state"), fit: true, cell: (item) => state(item.state) },
  { title: t("message.funnel"), cell: miniFunnel },
  { title: t("message.created"), fit: true, cell: (item) => time(item.createdAt) },
];

function recentList(messages) {
  if (messages.length === 0) return h("p", { class: "soft" }, t("messages.none"));
  return h("div", { class: "table-box" }, table(t("dashboard.recent"), recentColumns(), messages.slice(0, 6)));
}

function reasonList(report) {
  const sums = new Map();
  for (const item of report.items) {
    if (!item.reason) continue;
    sums.set(item.reason, (sums.get(item.reason) ?? 0) + item.rejected + item.expired + item.skipped + item.cancelled);
  }
  const sorted = [...sums].filter(([, count]) => count > 0).sort((one, other) => other[1] - one[1]).slice(0, 8);
  if (sorted.length === 0) return h("p", { class: "soft" }, t("dashboard.no-reasons"));
  return h("ul", { class: "stack" }, sorted.map(([reason, count]) => h("li", { class: "row" },
    h("b", { class: "number" }, number(count)), h("span", null, word("reason", reason)),
    word("reason", reason) === reason ? null : h("code", { class: "soft small" }, reason))));
}

/// Paused apps, apps that cannot push, credentials that end soon, messages that wait for a second person.
async function attention() {
  const notes = [];
  const [waiting, dead, credentials] = await Promise.all([
    may("managePeople") ? get("/approvals?state=waiting&limit=10").catch(() => null) : null, deadWebhooks(app()?.appId),
    may("manageApps") ? all("/credentials").catch(() => null) : null, refreshApps().catch(() => {})]);
  for (const entry of apps.filter((entry) => entry.pausedReason)) {
    notes.push(note("bad", h("b", null, t("attention.paused", { app: entry.name || entry.appId })), " ", told(entry.pausedReason), " ",
      h("a", { href: link(`/apps/${entry.appId}`) }, t("do.look"))));
  }
  if (waiting?.items.length) notes.push(note("warn", t("attention.approvals", { n: waiting.nextCursor ? `${waiting.items.length}+` : waiting.items.length }), " ", h("a", { href: "#/approvals" }, t("do.look"))));
  for (const entry of dead) {
    notes.push(note("bad", t("attention.webhook", { url: entry.url, n: counted(entry.dead) }), " ", h("a", { href: link(`/webhooks/${entry.webhookId}`, { state: "dead" }) }, t("do.look"))));
  }
  if (credentials) {
    for (const entry of apps.filter((entry) => !credentials.some((one) => one.appId === entry.appId))) {
      notes.push(note("warn", t("attention.no-credential", { app: entry.name || entry.appId }), " ", h("a", { href: link(`/apps/${entry.appId}`) }, t("do.add"))));
    }
    for (const entry of credentials) {
      const end = credentialEnd(entry);
      if (end && new Date(end) - Date.now() < 30 * 86_400_000) {
        notes.push(note("warn", t("attention.credential", { app: entry.appId, when: distance(end) }), " ", h("a", { href: link(`/apps/${entry.appId}`) }, t("do.look"))));
      }
    }
  }
  return notes;
}

