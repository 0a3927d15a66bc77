/// The tree of groups, and one group with its members.

import { all, call, get, post, query, remove } from "../api.js";
import { h, put } from "../dom.js";
import { confirm, formDialog } from "../parts/dialog.js";
import { field } from "../parts/form.js";
import { brought, groupName, groupSearch, outcome, topOf } from "../parts/groups.js";
import { complain, empty, head, note, say } from "../parts/notice.js";
import { list } from "../parts/table.js";
import { enc, follow, go, link } from "../router.js";
import { may } from "../session.js";
import { number, t, time } from "../words.js";
import { needApp, whichApp } from "./common.js";

async function makeGroup(appID, parent) {
  const made = await formDialog({ title: t("groups.new"), action: t("do.create"), detail: parent ? t("groups.below", { name: parent.name }) : null,
    fields: [field({ name: "name", label: t("groups.name"), required: true })],
    save: ({ name }) => post("/groups", { appId: appID, name, ...(parent ? { parent: parent.groupSeq } : {}) }) });
  if (!made) return;
  say(t("groups.made"));
  go(`/groups/${made.groupSeq}`);
}

export async function groupsPage() {
  const { chosen, nothing } = needApp();
  if (nothing) return nothing;
  const top = await all("/groups", { appId: chosen.appId });
  const tree = h("div", { class: "tree" });
  const said = h("p", { class: "hint", role: "status" });
  const show = (groups, hasMore, areFound) => {
    put(tree, groups.length ? branch(groups, areFound ? groupName : undefined) : null);
    put(said, outcome(groups.length, hasMore, areFound));
  };
  const search = groupSearch(chosen.appId, top, show);
  show(...topOf(top), false);
  const add = may("manageGroups") ? h("button", { class: "button main", onclick: () => makeGroup(chosen.appId) }, t("groups.new")) : null;
  return h("div", null, head(t("nav.groups"), { detail: whichApp(chosen) ?? t("groups.detail"), actions: [add] }),
    search ? h("div", { class: "filters" }, search) : null,
    h("section", { class: "card" }, top.length ? [tree, said] : empty(t("groups.none"), t("groups.none.detail"))));
}

/// That not all groups are shown, if so.
const rest = (groups) => (groups.length >= brought ? h("p", { class: "hint" }, outcome(groups.length, true, false)) : null);

/// - named: what a group is called.
function branch(groups, named = (group) => group.name) {
  return h("ul", null, groups.map((group) => {
    const below = h("div", { hidden: true });
    const fold = group.hasGroups ? h("button", { class: "fold", "aria-expanded": "false", "aria-label": t("groups.unfold", { name: group.name }), onclick: async () => {
      const isOpen = fold.getAttribute("aria-expanded") === "true";
      if (!isOpen && !below.hasChildNodes()) {
        try {
          const found = await all("/groups", { appId: group.appId, parent: group.groupSeq });
          put(below, branch(found), rest(found));
        } catch (problem) {
          return complain(problem);
        }
      }
      fold.setAttribute("aria-expanded", String(!isOpen));
      fold.textContent = isOpen ? "▸" : "▾";
      below.hidden = isOpen;
    } }, "▸") : h("span", { class: "fold", "aria-hidden": "true" });
    return h("li", null, h("div", { class: "node" }, fold, h("a", { class: "name", href: link(`/groups/${group.groupSeq}`) }, named(group)),
      h("span", { class: "soft small number", "data-members": group.groupSeq }, memberCount(group)),
      h("span", { class: "soft small" }, `GROUPSEQ ${group.groupSeq}`)), below);
  }));
}

/// How many members a group has itself; large ones are not counted to the end.
const memberCount = ({ members }) => (members === undefined ? "" : members === null ? t("groups.many") : t("groups.count", { n: number(members) }));

export async function groupPage(context) {
  const { groupSeq } = context.params;
  const group = await get(`/groups/${enc(groupSeq)}`);
  const [below, parent] = await Promise.all([
    group.hasGroups ? all("/groups", { appId: group.appId, parent: group.groupSeq }) : [],
    group.parent ? get(`/groups/${enc(group.parent)}`).catch(() => null) : null]);
  const members = list({ caption: t("groups.members"), load: (cursor) => get(`/groups/${enc(groupSeq)}/members${query({ cursor, limit: 50 })}`),
    empty: empty(t("groups.no-members"), t("groups.no-members.detail")), columns: [
      { title: t("people.person"), lead: true, cell: (item) => (item.clientUid
        ? [h("a", { class: "title", href: link(`/people/${enc(group.appId)}/${enc(item.clientUid)}`) }, item.clientName || item.clientUid), h("span", { class: "under" }, item.clientUid)]
        : [h("span", { class: "soft" }, t("people.guest")), h("span", { class: "under mono" }, item.device)]) },
      { title: t("groups.joined"), fit: true, cell: (item) => time(item.joinedAt) },
      may("manageGroups") ? { title: h("span", { class: "unseen" }, t("do.remove")), fit: true, end: true, cell: (item) => (item.clientUid
        ? h("button", { class: "button small", "aria-label": t("groups.remove", { name: item.clientUid }), onclick: () => takeOut(item.clientUid) }, t("do.remove")) : "") } : null,
    ].filter(Boolean) });
  const count = h("span", { class: "soft small", id: "member-count" }, memberCount(group));
  await members.ready;

  async function run(action) {
    try {
      return await action();
    } catch (problem) {
      complain(problem);
      return undefined;
    }
  }

  /// The list and the number above it.
  async function showMembers() {
    members.reload();
    put(count, memberCount(await get(`/groups/${enc(groupSeq)}`)));
  }

  const takeOut = (clientUid) => run(async () => {
    await post(`/groups/${enc(groupSeq)}/members/remove`, { clientUids: [clientUid] });
    say(t("groups.removed", { name: clientUid }));
    await showMembers();
  });

  async function addMembers() {
    const answer = await formDialog({ title: t("groups.add"), action: t("do.add"), fields: [
      field({ name: "clientUids", label: t("groups.add.who"), hint: t("groups.add.hint"), type: "area", rows: 6, code: true, required: true })],
    save: ({ clientUids }) => post(`/groups/${enc(groupSeq)}/members`, { clientUids: clientUids.split(/[\s,;]+/).filter(Boolean) }) });
    if (!answer) return;
    say(answer.unknown.length ? t("groups.added-some", { n: number(answer.members), unknown: answer.unknown.slice(0, 5).join(", ") }) : t("groups.added", { n: number(answer.members) }), answer.unknown.length ? "bad" : "");
    await run(showMembers);
  }

  async function rename() {
    const changed = await formDialog({ title: t("groups.rename"), fields: [field({ name: "name", label: t("groups.name"), value: group.name, required: true })],
      save: ({ name }) => call("PATCH", `/groups/${enc(groupSeq)}`, { name }) });
    if (changed) follow();
  }

  const erase = () => run(async () => {
    const isSure = await confirm({ title: t("groups.delete"), bad: true, action: t("groups.delete"), body: h("p", null, t("groups.delete.body", { name: group.name })) });
    if (!isSure) return;
    await remove(`/groups/${enc(groupSeq)}`);
    go("/groups");
  });

  const manages = may("manageGroups");
  return h("div", null,
    head(group.name, { crumb: [h("a", { href: "#/groups" }, t("nav.groups")), parent ? [" · ", h("a", { href: link(`/groups/${parent.groupSeq}`) }, parent.name)] : null, ` · GROUPSEQ ${group.groupSeq}`], actions: [
      may("send") ? h("a", { class: "button main", href: link("/compose", { app: group.appId, group: group.groupSeq }) }, t("groups.send")) : null,
      manages ? h("button", { class: "button", onclick: rename }, t("groups.rename")) : null,
      manages ? h("button", { class: "button bad", onclick: erase }, t("groups.delete")) : null] }),
    h("div", { class: "grid wide-narrow" },
      h("section", { class: "card" }, h("div", { class: "card-head" }, h("h2", null, t("groups.members"), " ", count), h("div", { class: "row" },
        may("exportPeople") ? h("a", { class: "button small", href: `/v1/admin/exports/members${query({ groupSeq })}`, download: `group-${groupSeq}.csv` }, t("do.export")) : null,
        manages ? h("button", { class: "button small", id: "add-members", onclick: addMembers }, t("groups.add")) : null)), members.node),
      h("section", { class: "card" }, h("div", { class: "card-head" }, h("h2", null, t("groups.under")),
        manages ? h("button", { class: "button small", onclick: () => makeGroup(group.appId, group) }, t("groups.new")) : null),
      below.length ? h("ul", { class: "stack" }, below.map((one) => h("li", { class: "row" }, h("a", { href: link(`/groups/${one.groupSeq}`) }, one.name), h("span", { class: "soft small" }, memberCount(one))))) : h("p", { class: "soft" }, t("groups.no-below")), rest(below),
      note("", t("groups.subtree")))));
}
