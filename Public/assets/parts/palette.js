/// The palette: type a few letters, and go to a page, a message or a person. A combobox as WAI-ARIA has it: the focus stays in
/// the field, and the chosen line is its active descendant. What was looked for is kept nowhere.

import { get, query } from "../api.js";
import { freshID, h, later, put } from "../dom.js";
import { icon } from "../icons.js";
import { findPeople, messageTitle, userName } from "../pages/common.js";
import { enc, go } from "../router.js";
import { app, apps, may } from "../session.js";
import { otherWords, t } from "../words.js";
import { dialog } from "./dialog.js";
import { isOpen, ways } from "./ways.js";

const most = 5;

export function palette() {
  const listID = freshID("found");
  const field = h("input", { type: "text", role: "combobox", "aria-expanded": "true", "aria-controls": listID, "aria-autocomplete": "list",
    "aria-label": t("palette.label"), placeholder: t("palette.label"), autocomplete: "off", spellcheck: "false", id: "palette" });
  const found = h("div", { role: "listbox", id: listID, "aria-label": t("palette.found") });
  const said = h("p", { class: "soft small", role: "status" });
  const box = dialog(h("div", { class: "palette" }, field, found, said), t("palette.open"), () => searching?.abort());
  box.classList.add("finder");
  let searching = null;
  let others = [];
  /// True from a letter until the server has answered for it.
  let isOpenQuestion = false;
  /// Enter was pressed before there was anything to choose.
  let isWanted = false;
  /// The line that an arrow or the pointer chose: later answers leave it chosen.
  let kept = null;
  otherWords().then((all) => {
    others = all;
    if (field.value) narrow();
  }).catch(() => {});

  function show(groups) {
    const filled = groups.filter((one) => one.items.length > 0);
    put(found, filled.map(({ label, items }) => h("div", { role: "group", "aria-label": label },
      h("div", { class: "soft small", "aria-hidden": "true" }, label),
      items.map((item) => h("div", { role: "option", id: freshID("way"), "aria-selected": "false", "data-path": item.path,
        onclick: () => leave(item), onpointermove: (event) => keep(event.currentTarget) }, icon(item.icon), h("span", null, item.text),
      item.detail ? h("span", { class: "soft small" }, item.detail) : null)))));
    const count = found.querySelectorAll("[role=option]").length;
    put(said, count === 0 && !isOpenQuestion ? t("palette.none") : null);
    mark([...found.querySelectorAll("[role=option]")].find((one) => one.dataset.path === kept) ?? found.querySelector("[role=option]"));
  }

  function keep(option) {
    kept = option?.dataset.path ?? null;
    mark(option);
  }

  function mark(option) {
    found.querySelector("[aria-selected=true]")?.setAttribute("aria-selected", "false");
    if (!option) return field.removeAttribute("aria-activedescendant");
    option.setAttribute("aria-selected", "true");
    field.setAttribute("aria-activedescendant", option.id);
    option.scrollIntoView({ block: "nearest" });
  }

  function step(by) {
    const options = [...found.querySelectorAll("[role=option]")];
    const at = options.findIndex((one) => one.getAttribute("aria-selected") === "true");
    keep(options[(at + by + options.length) % options.length] ?? null);
  }

  function leave({ path, items }) {
    box.close();
    go(path, items);
  }

  const pages = (text) => ways.flatMap((section) => section.items).filter(isOpen)
    .filter((item) => !text || [t(item.key), ...others.map((words) => words[item.key] ?? "")].some((name) => fits(name, text)))
    .map((item) => ({ path: item.path, icon: item.icon, text: t(item.key) }));

  /// The pages at once, so that Enter chooses by what is in the field; the rest when the typing pauses.
  function narrow() {
    searching?.abort();
    kept = null;
    isWanted = false;
    isOpenQuestion = field.value.trim() !== "";
    show([{ label: t("palette.pages"), items: pages(field.value.trim()) }]);
    if (isOpenQuestion) asked();
    else asked.stop();
  }

  async function search() {
    const text = field.value.trim();
    searching = new AbortController();
    const { signal } = searching;
    const groups = [{ label: t("palette.pages"), items: pages(text) }];
    const number = /^#?(\d{1,18})$/.exec(text)?.[1];
    let failed = null;
    const none = (problem) => {
      if (problem.status !== 404) failed = problem;
      return null;
    };
    const [one, titled, people] = await Promise.all([
      number ? get(`/messages/${number}`, { signal }).catch(none) : null,
      // The server looks through the newest ones only: single sends would bury the campaigns.
      text.length > 1 ? get(`/messages${query({ appId: app()?.appId, purpose: "campaign", text, limit: most })}`, { signal }).catch(none) : null,
      // Of all apps at once, where none was chosen.
      text && may("viewPeople") ? findPeople(app()?.appId, text, most, { signal }).catch(none) : null]);
    if (signal.aborted) return;
    isOpenQuestion = false;
    const messages = [...(one ? [one] : []), ...(titled?.items ?? []).filter((each) => each.seqno !== one?.seqno)];
    groups.push({ label: t("nav.messages"), items: messages.map((each) => ({ path: `/messages/${each.seqno}`, icon: "messages", text: messageTitle(each), detail: `#${each.seqno}` })) });
    groups.push({ label: t("nav.people"), items: (people?.items ?? []).slice(0, most).map((each) => ({
      path: `/people/${enc(each.appId)}/${enc(each.clientUid)}`, icon: "people", text: userName(each), detail: !app() && apps.length > 1 ? apps.find((known) => known.appId === each.appId)?.name || each.appId : null })) });
    show(groups);
    // What was not answered is not said to be nothing.
    if (failed) put(said, failed.message || failed.title);
    if (isWanted) found.querySelector("[aria-selected=true]")?.click();
  }

  const asked = later(150, search);
  field.addEventListener("input", narrow);
  field.addEventListener("keydown", (event) => {
    // A key that ends a syllable chooses nothing. Safari tells by the code alone.
    if (event.isComposing || event.keyCode === 229) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      step(event.key === "ArrowDown" ? 1 : -1);
    } else if (event.key === "Enter") {
      event.preventDefault();
      const chosen = found.querySelector("[aria-selected=true]");
      isWanted = !chosen && isOpenQuestion;
      chosen?.click();
    }
  });
  narrow();
  field.focus();
}

/// Letters of Hangul by their place in Unicode's blocks of leading consonants, vowels and trailing consonants.
const blocks = [
  [0x1100, "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"], [0x1161, "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ"],
  [0x11A8, "ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ"],
];

function letter(part) {
  for (const [first, letters] of blocks) {
    const at = part.codePointAt(0) - first;
    if (at >= 0 && at < letters.length) return letters[at];
  }
  return part;
}

/// A text as its letters, so that a syllable in the making fits the one that it becomes: 섹 on the way to 세그.
const spelled = (text) => [...text.toLowerCase().normalize("NFD").replace(/\s/g, "")].map(letter).join("");

/// The first letters of a name's syllables.
const initials = (name) => [...name].map((one) => spelled(one)[0] ?? "").join("");

/// Whether a name has these letters in it, or begins its syllables or words with them.
export function fits(name, text) {
  const wanted = spelled(text);
  const words = name.split(/[\s·/-]+/).map((one) => one[0] ?? "").join("");
  return spelled(name).includes(wanted) || (/^[ㄱ-ㅎ]+$/.test(wanted) && initials(name).includes(wanted))
    || (text.length > 1 && spelled(words).startsWith(wanted));
}
