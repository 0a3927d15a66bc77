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
  otherWords().then((all) => {
    others = all;
    if (field.value) search();
  }).catch(() => {});

  function show(groups) {
    const filled = groups.filter((one) => one.items.length > 0);
    put(found, filled.map(({ label, items }) => h("div", { role: "group", "aria-label": label },
      h("div", { class: "soft small", "aria-hidden": "true" }, label),
      items.map((item) => h("div", { role: "option", id: freshID("way"), "aria-selected": "false", "data-path": item.path,
        onclick: () => leave(item), onpointermove: (event) => mark(event.currentTarget) }, icon(item.icon), h("span", null, item.text),
      item.detail ? h("span", { class: "soft small" }, item.detail) : null)))));
    const count = found.querySelectorAll("[role=option]").length;
    put(said, count === 0 ? t("palette.none") : null);
    mark(found.querySelector("[role=option]"));
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
    mark(options[(at + by + options.length) % options.length] ?? null);
  }

  function leave({ path, items }) {
    box.close();
    go(path, items);
  }

  const pages = (text) => ways.flatMap((section) => section.items).filter(isOpen)
    .filter((item) => !text || [t(item.key), ...others.map((words) => words[item.key] ?? "")].some((name) => fits(name, text)))
    .map((item) => ({ path: item.path, icon: item.icon, text: t(item.key) }));

  async function search() {
    searching?.abort();
    searching = new AbortController();
    const { signal } = searching;
    const text = field.value.trim();
    const groups = [{ label: t("palette.pages"), items: pages(text) }];
    show(groups);
    if (!text) return;
    const number = /^#?(\d{1,18})$/.exec(text)?.[1];
    const reached = app() ? [app()] : apps.slice(0, 3);
    const [one, titled, ...people] = await Promise.all([
      number ? get(`/messages/${number}`, { signal }).catch(() => null) : null,
      text.length > 1 ? get(`/messages${query({ appId: app()?.appId, text, limit: most })}`, { signal }).catch(() => null) : null,
      ...(may("viewPeople") ? reached.map((each) => findPeople(each.appId, text, most, { signal }).catch(() => null)) : [])]);
    if (signal.aborted) return;
    const messages = [...(one ? [one] : []), ...(titled?.items ?? []).filter((each) => each.seqno !== one?.seqno)];
    groups.push({ label: t("nav.messages"), items: messages.map((each) => ({ path: `/messages/${each.seqno}`, icon: "messages", text: messageTitle(each), detail: `#${each.seqno}` })) });
    groups.push({ label: t("nav.people"), items: people.flatMap((page, index) => (page?.items ?? []).slice(0, most).map((each) => ({
      path: `/people/${enc(reached[index].appId)}/${enc(each.clientUid)}`, icon: "people", text: userName(each), detail: reached.length > 1 ? reached[index].name || reached[index].appId : null }))) });
    show(groups);
  }

  const asked = later(150, search);
  field.addEventListener("input", (event) => { if (!event.isComposing) asked(); });
  field.addEventListener("compositionend", () => asked());
  field.addEventListener("keydown", (event) => {
    // A key that ends a syllable chooses nothing.
    if (event.isComposing) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      step(event.key === "ArrowDown" ? 1 : -1);
    } else if (event.key === "Enter") {
      event.preventDefault();
      found.querySelector("[aria-selected=true]")?.click();
    }
  });
  show([{ label: t("palette.pages"), items: pages("") }]);
  field.focus();
}

const consonants = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ";
const syllables = { first: 0xAC00, last: 0xD7A3, each: 588 };

/// The first consonants of a name's syllables, and the first letters of its words.
function initials(name) {
  return [...name].map((letter) => {
    const code = letter.codePointAt(0);
    return code >= syllables.first && code <= syllables.last ? consonants[Math.floor((code - syllables.first) / syllables.each)] : letter;
  }).join("");
}

/// Whether a name has these letters in it, Korean ones also as parts of a syllable, or begins its words with them.
export function fits(name, text) {
  const plain = (one) => one.toLowerCase().normalize("NFD").replace(/\s/g, "");
  const words = name.split(/[\s·/-]+/).map((one) => one[0] ?? "").join("");
  return plain(name).includes(plain(text)) || initials(name).replace(/\s/g, "").includes(text) || (text.length > 1 && plain(words).startsWith(plain(text)));
}
