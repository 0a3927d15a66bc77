/// The frame around every page: the way in at the left, the bar above with the app, and the page itself.

import { asset, h, put } from "./dom.js";
import { icon } from "./icons.js";
import { address, link, mayLeave } from "./router.js";
import { app, apps, chooseApp, may, session, signOut } from "./session.js";
import { chooseTheme, theme, themes } from "./theme.js";
import { chooseLanguage, language, languages, t } from "./words.js";
import { reloadFreely } from "./parts/kept.js";
import { complain, failure, loading, say } from "./parts/notice.js";
import { loaded, offerReload } from "./parts/release.js";
import { isOpen, ways } from "./parts/ways.js";

export function frame(root, { signedOut, appChosen }) {
  const page = h("main", { id: "page", tabindex: "-1" });
  const side = h("nav", { class: "side", id: "side", "aria-label": t("nav.label") });
  const menu = h("button", { class: "icon-button menu-button", "aria-label": t("nav.menu"), "aria-expanded": "false", "aria-controls": "side",
    onclick: () => drawer(true) }, icon("menu"));
  const veil = h("button", { class: "veil", "aria-label": t("nav.close"), hidden: true, onclick: () => drawer(false) });

  function drawer(isOpen) {
    side.classList.toggle("open", isOpen);
    veil.hidden = !isOpen;
    menu.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) side.querySelector("a")?.focus();
  }

  side.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && side.classList.contains("open")) {
      drawer(false);
      menu.focus();
    }
  });

  const chooser = h("div", { class: "grow" });
  const bar = h("header", { class: "bar" }, menu, chooser, finder(), appearance(), account(signedOut));
  put(root, h("a", { class: "skip", href: "#page", onclick: (event) => { event.preventDefault(); page.focus(); } }, t("nav.skip")),
    h("div", { class: "frame" }, side, h("div", { class: "content" }, bar, page)), veil);
  fillSide(side);
  fillChooser(chooser, appChosen);

  async function display(route, context) {
    drawer(false);
    mark(side);
    fillChooser(chooser, appChosen);
    delete page.dataset.ready;
    const focused = context.isRefined ? placeOfFocus(page) : null;
    // What was only refined stays in sight until the other is there.
    if (!context.isRefined) put(page, loading());
    let node;
    try {
      if (!route) node = nowhere();
      else if (route.needs && !may(route.needs)) node = forbidden();
      else node = await route.page(context);
    } catch (problem) {
      if (context.stale()) return;
      node = problem.isOfOtherRelease ? failure(problem, reloadFreely, t("release.reload")) : failure(problem, () => display(route, context));
    }
    if (context.stale()) return;
    put(page, node);
    const heading = page.querySelector("h1");
    document.title = heading ? `${heading.textContent} · UPMC` : "UPMC";
    page.dataset.ready = context.path;
    // Whoever cannot see the page hears where they are; a page that was only refined keeps the focus where it was, while
    // what had it is there.
    if (focused) page.querySelector(focused)?.focus({ preventScroll: true });
    if (heading && (focused || !context.isRefined) && document.activeElement === document.body) {
      heading.tabIndex = -1;
      heading.focus({ preventScroll: true });
    }
    if (!context.isRefined) window.scrollTo(0, context.returning?.y ?? 0);
  }
  return { display };
}

/// What finds the field that has the focus in a page that was drawn anew.
function placeOfFocus(page) {
  const one = document.activeElement;
  if (!page.contains(one)) return null;
  if (one.tagName === "H1") return "h1";
  if (one.name) return `${one.tagName}[name="${CSS.escape(one.name)}"]`;
  if (one.id && !/-\d+$/.test(one.id)) return `#${CSS.escape(one.id)}`;
  return one.getAttribute("aria-label") ? `${one.tagName}[aria-label="${CSS.escape(one.getAttribute("aria-label"))}"]` : null;
}

function nowhere() {
  return h("div", { class: "empty" }, h("h1", null, t("page.nowhere")), h("p", null, t("page.nowhere.detail")),
    h("a", { class: "button", href: "#/" }, t("nav.dashboard")));
}

function forbidden() {
  return h("div", { class: "empty" }, h("h1", null, t("page.forbidden")), h("p", null, t("page.forbidden.detail")),
    h("a", { class: "button", href: "#/" }, t("nav.dashboard")));
}

function fillSide(side) {
  put(side, h("a", { class: "brand", href: "#/" }, h("img", { src: asset("icon.svg"), alt: "" }), "UPMC"));
  for (const section of ways) {
    const list = h("ul");
    const heading = section.key ? h("h2", null, t(section.key)) : null;
    for (const item of section.items) {
      if (!isOpen(item)) continue;
      const entry = h("li", null, h("a", { href: link(item.path), "data-path": item.path }, icon(item.icon), t(item.key)));
      list.append(entry);
    }
    if (list.children.length > 0) side.append(...(heading ? [heading] : []), list);
  }
  mark(side);
}

function mark(side) {
  const here = `/${address().path.split("/")[1] ?? ""}`;
  for (const way of side.querySelectorAll("a[data-path]")) {
    if (way.dataset.path === here) way.setAttribute("aria-current", "page");
    else way.removeAttribute("aria-current");
  }
}

function fillChooser(chooser, appChosen) {
  if (apps.length === 0) return put(chooser);
  const select = h("select", { id: "app-chooser", "aria-label": t("app.one"), onchange: (event) => { chooseApp(event.target.value); appChosen(); } },
    apps.length > 1 ? h("option", { value: "" }, t("app.all")) : null,
    apps.map((entry) => h("option", { value: entry.appId }, entry.name || entry.appId)));
  select.value = app()?.appId ?? "";
  return put(chooser, h("label", { for: "app-chooser" }, h("span", null, t("app.one")), select));
}

const isApple = /Mac|iP(hone|ad|od)/.test(navigator.platform);

/// Finds pages, messages and people. Its module is loaded when it is opened first.
async function openPalette() {
  if (document.querySelector("dialog[open]")) return;
  try {
    const { palette } = await loaded(() => import("./parts/palette.js"));
    if (!document.querySelector("dialog[open]")) palette();
  } catch (problem) {
    if (problem.isOfOtherRelease) await offerReload();
    else complain(problem);
  }
}

/// The bar's button for it. The key works wherever the focus is.
function finder() {
  return h("button", { class: "button find", id: "find", "aria-label": t("palette.open"), "aria-keyshortcuts": isApple ? "Meta+K" : "Control+K", onclick: openPalette },
    icon("search"), h("span", null, t("palette.open")), h("kbd", { "aria-hidden": "true" }, isApple ? "⌘K" : "Ctrl K"));
}

document.addEventListener("keydown", (event) => {
  const isAsked = event.key.toLowerCase() === "k" && (isApple ? event.metaKey : event.ctrlKey) && !event.shiftKey && !event.altKey;
  if (!isAsked || event.isComposing || !document.getElementById("find")) return;
  event.preventDefault();
  openPalette();
});

function appearance() {
  const label = () => t(`theme.${theme()}`);
  const button = h("button", { class: "icon-button", title: label(), "aria-label": t("theme.choose", { theme: label() }), onclick: () => {
    chooseTheme(themes[(themes.indexOf(theme()) + 1) % themes.length]);
    button.title = label();
    button.setAttribute("aria-label", t("theme.choose", { theme: label() }));
    say(label());
  } }, icon("sun"));
  return button;
}

/// Loads the page anew in another language. What is being written is kept, so that nobody need be asked.
function speak(code) {
  chooseLanguage(code);
  reloadFreely();
}

export function languageButtons() {
  return Object.entries(languages).filter(([code]) => code !== language).map(([code, name]) =>
    h("button", { type: "button", lang: code, class: "button quiet", onclick: () => speak(code) }, name));
}

function account(signedOut) {
  const leave = async () => {
    if (!await mayLeave()) return;
    try {
      await signOut();
    } catch (problem) {
      // The browser still has the session: whoever walks away must know.
      return complain(problem);
    }
    signedOut();
  };
  const box = h("details", { class: "me" },
    h("summary", { "aria-label": t("account.menu", { name: session.name || session.login }) }, icon("people"),
      h("span", { class: "name" }, session.name || session.login)),
    h("div", { class: "me-menu" },
      h("div", { class: "who" }, h("div", null, session.login), h("div", { class: "soft" }, t(`role.${session.role}`))),
      h("a", { href: "#/security" }, t("security.title")),
      session.signedInBy === "openid" ? null : h("a", { href: "#/password" }, t("account.password")),
      Object.entries(languages).filter(([code]) => code !== language).map(([code, name]) =>
        h("button", { lang: code, onclick: () => speak(code) }, name)),
      h("a", { href: t("account.docs.page"), target: "_blank", rel: "noopener" }, t("account.docs")),
      h("button", { id: "sign-out", onclick: leave }, t("account.out"))));
  document.addEventListener("click", (event) => { if (!box.contains(event.target) || event.target.closest("a")) box.open = false; });
  box.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      box.open = false;
      box.querySelector("summary").focus();
    }
  });
  return box;
}
