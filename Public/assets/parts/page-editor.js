/// A rich page: a title, then texts, pictures and links, one below the other. What it makes is the EXT of a message: too
/// long for a payload, the server puts it on a page of its own, and the app shows it.

import { call, query } from "../api.js";
import { h, put } from "../dom.js";
import { formDialog } from "./dialog.js";
import { field } from "./form.js";
import { complain } from "./notice.js";
import { t } from "../words.js";

const kinds = ["heading", "text", "picture", "link"];
const fresh = { heading: () => ({ kind: "heading", text: "" }), text: () => ({ kind: "text", text: "" }), picture: () => ({ kind: "picture", url: "", alt: "" }), link: () => ({ kind: "link", url: "", text: "" }) };

/// Only addresses that lead somewhere, never a script.
const isAddress = (text) => /^https?:\/\/[^\s"<>]+$/i.test(text);

/// The elements that stand on the page, made in `owner`. What is unfinished is left out.
/// - picture: makes a picture of an address and its description.
function elements(page, owner, picture) {
  const make = (tag, attributes, ...children) => {
    const made = owner.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  };
  const found = page.title.trim() ? [make("h1", {}, page.title.trim())] : [];
  for (const block of page.blocks) {
    if (block.kind === "heading" && block.text.trim()) found.push(make("h2", {}, block.text.trim()));
    if (block.kind === "text") {
      for (const part of block.text.split(/\n\s*\n/).filter((one) => one.trim())) {
        found.push(make("p", {}, ...part.trim().split("\n").flatMap((line, index) => (index ? [make("br", {}), line] : [line]))));
      }
    }
    if (block.kind === "picture" && isAddress(block.url)) found.push(make("p", {}, picture(make, block)));
    if (block.kind === "link" && isAddress(block.url)) found.push(make("p", {}, make("a", { href: block.url }, block.text.trim() || block.url)));
  }
  return found;
}

const always = '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><style>'
  + 'body{font:16px/1.6 -apple-system,system-ui,sans-serif;margin:20px;max-width:640px}img{max-width:100%;height:auto;border-radius:8px}h1{font-size:1.5em;line-height:1.3}</style>';

/// The page as a document of its own, written by the browser from elements: no text can become markup.
export function pageText(page) {
  const made = document.implementation.createHTMLDocument(page.title.trim());
  made.body.append(...elements(page, made, (make, block) => make("img", { src: block.url, alt: block.alt })));
  // What never changes is put in afterwards: this page's policy lets nobody make a style here.
  const text = new XMLSerializer().serializeToString(made.documentElement).replace(/ xmlns="[^"]*"/, "");
  return `<!doctype html>${text.replace("<head>", `<head>${always}`)}`;
}

/// Asks for a page. - Returns: `{page, text}`; undefined when it was left.
/// - page: what was written before.
export async function writePage(appID, page) {
  const draft = structuredClone(page ?? { title: "", blocks: [fresh.text()] });
  const list = h("ol", { class: "blocks" });
  const preview = h("div", { class: "page", role: "group", "aria-label": t("page.preview") });
  const title = field({ name: "title", label: t("page.title"), value: draft.title, required: true, oninput: (event) => {
    draft.title = event.target.value;
    show();
  } });

  function show() {
    const found = elements(draft, document, (make, block) => {
      const seen = shownAt(block.url);
      return seen ? make("img", { src: seen, alt: block.alt }) : make("span", { class: "elsewhere" }, t("page.elsewhere", { url: block.url }));
    });
    // A preview is no part of the console's own outline.
    for (const one of found) {
      if (/^H\d$/.test(one.tagName)) one.setAttribute("role", "presentation");
      for (const link of one.querySelectorAll("a")) {
        link.rel = "noopener";
        link.target = "_blank";
      }
    }
    put(preview, found.length ? found : h("p", { class: "soft" }, t("page.empty")));
  }

  function draw(focus) {
    put(list, draft.blocks.map((block, index) => h("li", { class: "block", "data-kind": block.kind }, h("div", { class: "card-head" }, h("b", null, t(`page.${block.kind}`)), tools(index)), controls(block))));
    if (focus !== undefined) list.children[focus]?.querySelector("input, textarea, button")?.focus();
    show();
  }

  function tools(index) {
    const name = { n: index + 1 };
    const button = (label, text, isOff, action) => h("button", { class: "icon-button", type: "button", "aria-label": label, title: label, disabled: isOff, onclick: action }, text);
    const move = (by) => () => {
      const [block] = draft.blocks.splice(index, 1);
      draft.blocks.splice(index + by, 0, block);
      draw(index + by);
    };
    return h("span", { class: "row" }, button(t("page.up", name), "↑", index === 0, move(-1)), button(t("page.down", name), "↓", index === draft.blocks.length - 1, move(1)),
      button(t("page.drop", name), "×", false, () => {
        draft.blocks.splice(index, 1);
        draw(Math.max(0, index - 1));
      }));
  }

  function controls(block) {
    const write = (name) => (event) => {
      block[name] = event.target.value;
      show();
    };
    const line = (name, label, more = {}) => field({ name: null, label, value: block[name], oninput: write(name), ...more }).node;
    const unseen = (text) => h("span", { class: "unseen" }, text);
    if (block.kind === "heading") return line("text", unseen(t("page.heading")), { required: true });
    if (block.kind === "text") return line("text", unseen(t("page.text")), { type: "area", rows: 4, required: true });
    if (block.kind === "link") return h("div", { class: "fields pair" }, line("text", t("page.link.text")), line("url", t("page.url"), { type: "url", placeholder: "https://", code: true }));
    const file = field({ name: null, label: t("page.picture.file"), type: "file", accept: "image/png,image/jpeg,image/gif", onchange: async () => {
      if (!file.value) return;
      file.complain(null);
      try {
        const made = await call("POST", `/uploads${query({ appId: appID, expiresIn: "P366D" })}`, file.value);
        block.url = made.url;
        draw(draft.blocks.indexOf(block));
      } catch (problem) {
        file.complain([problem.title, problem.message].filter(Boolean).join(" — "));
        if (problem.status === 0) complain(problem);
      }
    } });
    return h("div", { class: "fields" }, h("div", { class: "fields pair" }, file.node, line("url", t("page.url"), { type: "url", placeholder: "https://", code: true })), line("alt", t("page.alt")));
  }

  draw();
  const more = h("div", { class: "row", role: "group", "aria-label": t("page.add") }, kinds.map((kind) => h("button", { class: "button small", type: "button", "data-add": kind, onclick: () => {
    draft.blocks.push(fresh[kind]());
    draw(draft.blocks.length - 1);
  } }, `+ ${t(`page.${kind}`)}`)));
  return formDialog({ title: t("page.write"), wide: true, detail: t("page.detail"), fields: [title, { name: null, node: h("div", { class: "editor" }, h("div", { class: "fields" }, list, more), h("div", { class: "beside-page" }, h("p", { class: "soft small" }, t("page.preview")), preview)) }].filter(Boolean),
    action: t("page.take"), save: () => ({ page: draft, text: pageText(draft) }) });
}

/// Where the console can see a picture: what was uploaded stands on this server too, whatever name devices know it by. Null
/// for pictures elsewhere: the console asks no other server for anything.
function shownAt(url) {
  return /^https?:\/\/[^/]+(\/m\/[\w-]+\.\w+)$/.exec(url)?.[1] ?? null;
}
