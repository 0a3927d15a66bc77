/// Choosing groups on any level of the tree: those at the top are shown at once, all others are found by a part of their
/// name. A group below others is shown with their names, because a name is unique only below one parent.

import { all, get, query } from "../api.js";
import { h, later, put } from "../dom.js";
import { complain } from "./notice.js";
import { enc } from "../router.js";
import { may } from "../session.js";
import { t } from "../words.js";

/// How many groups one search shows at most, and how many are loaded one by one by their number.
const most = 50;
/// With at most this many groups at the top and none below them, there is no search field.
const few = 10;
/// `all` loads at most this many groups at the top, or below one. The others are found by name only.
export const brought = 1000;

export const groupName = (group) => [...(group.above ?? []), group.name].join(" › ");

/// A group whose name is not known.
const nameless = (groupSeq) => ({ groupSeq, name: `GROUPSEQ ${groupSeq}` });

/// One group; named by its number if it is gone, which is said, or may not be seen.
export const oneGroup = (groupSeq) => get(`/groups/${enc(groupSeq)}`).catch((problem) =>
  (problem.status === 404 ? { groupSeq, name: t("groups.gone", { groupSeq }) } : nameless(groupSeq)));

/// The groups at the top of an app, and those of `wanted`, which are already chosen.
export async function knownGroups(appID, wanted = []) {
  if (!may("viewPeople")) return wanted.map(nameless);
  const top = await all("/groups", { appId: appID });
  const others = wanted.filter((one) => !top.some(({ groupSeq }) => groupSeq === one));
  const found = await Promise.all(others.slice(0, most).map(oneGroup));
  return [...top, ...found, ...others.slice(most).map(nameless)];
}

/// The known groups at the top, and whether there are more.
export function topOf(known) {
  const groups = known.filter((one) => !one.above?.length);
  return [groups, groups.length >= brought];
}

/// A field that finds groups by a part of their name; null if all groups are shown anyway.
/// - known: groups that are found are added to it. - show: called with the groups to choose from, whether there are
///   more, and whether they are results of a search.
export function groupSearch(appID, known, show) {
  const [top, hasMore] = topOf(known);
  if (top.length <= few && !top.some((one) => one.hasGroups)) return null;
  let turn = 0;
  const search = later(250, async (text) => {
    const mine = (turn += 1);
    if (!text) return show(top, hasMore, false);
    const found = [];
    let cursor;
    try {
      // The server looks through so many groups at a time: a page may be short, also empty, and not the last one.
      do {
        const { items, nextCursor } = await get(`/groups${query({ appId: appID, name: text, limit: most - found.length, cursor })}`);
        if (mine !== turn) return;
        found.push(...items);
        cursor = nextCursor;
      } while (cursor && found.length < most);
      known.push(...found.filter((item) => !known.some((one) => one.groupSeq === item.groupSeq)));
      show(found.sort((one, other) => groupName(one).localeCompare(groupName(other))), Boolean(cursor), true);
    } catch (problem) {
      if (mine === turn) complain(problem);
    }
  });
  return h("input", { type: "search", name: "group-search", "aria-label": t("groups.search"), placeholder: t("groups.search"), autocomplete: "off", spellcheck: "false",
    oninput: (event) => search(event.target.value.trim()), onkeydown: (event) => {
      // Enter must not submit the form around this field.
      if (event.key === "Enter") event.preventDefault();
    } });
}

/// The result of a search in words; without a search, whether there are more groups than those shown.
export function outcome(count, hasMore, areFound) {
  if (hasMore) return t(areFound ? "groups.search.more" : "groups.search.rest");
  return areFound && count === 0 ? t("groups.search.none") : "";
}

/// A checkbox for each group. - known: from `knownGroups`. - chosen(): the chosen numbers. - choose: called with the new ones.
export function groupBoxes(appID, known, chosen, choose) {
  const list = h("div", { class: "group-boxes" });
  const said = h("p", { class: "hint", role: "status" });
  const box = (group) => h("label", { class: "check" }, h("input", { type: "checkbox", value: group.groupSeq, checked: chosen().includes(group.groupSeq), onchange: (event) =>
    choose(event.target.checked ? [...chosen(), group.groupSeq] : chosen().filter((one) => one !== group.groupSeq)) }), h("span", null, groupName(group)));
  function show(groups, hasMore, areFound) {
    const picked = known.filter((one) => chosen().includes(one.groupSeq));
    put(list, [...picked, ...groups.filter((one) => !picked.includes(one) && !chosen().includes(one.groupSeq))].map(box));
    put(said, outcome(groups.length, hasMore, areFound));
  }
  const search = groupSearch(appID, known, show);
  show(...topOf(known), false);
  if (known.length === 0) put(said, t("groups.none"));
  return [search, list, said];
}

/// A list from which one group is chosen, with the field that finds more. Its first input is the list. A search chooses
/// the first group that it finds, unless the present choice is among the results; clearing the search restores the
/// present choice.
/// - value: the number of the chosen group. - choose: called with the number of a new choice.
export function groupList(appID, known, { value, choose = () => {}, ...more }) {
  let picked = value;
  const select = h("select", { ...more, onchange: () => {
    picked = select.value;
    choose(picked);
  } });
  const said = h("p", { class: "hint", role: "status" });
  if (value && !known.some((one) => one.groupSeq === value)) known.push(nameless(value));
  function show(groups, hasMore, areFound) {
    const before = select.value;
    const isThere = groups.some(({ groupSeq }) => groupSeq === picked);
    const present = known.filter((one) => one.groupSeq === picked && !isThere);
    put(select, [...(areFound ? groups : present), ...(areFound ? present : groups)].map((one) => h("option", { value: one.groupSeq }, groupName(one))));
    if (picked && (isThere || !areFound)) select.value = picked;
    put(said, outcome(groups.length, hasMore, areFound));
    if (before && select.value !== before) choose(select.value);
  }
  const search = groupSearch(appID, known, show);
  show(...topOf(known), false);
  return h("span", { class: "suggesting" }, select, search, search ? said : null);
}
