/// The door: login and password, or what a link that works once has opened.

import { putTo } from "../api.js";
import { h } from "../dom.js";
import { languageButtons } from "../frame.js";
import { dialog } from "../parts/dialog.js";
import { Form, field } from "../parts/form.js";
import { note } from "../parts/notice.js";
import { session, forget } from "../session.js";
import { t } from "../words.js";

function door(...children) {
  document.title = "UPMC";
  return h("div", { class: "door" }, h("main", { class: "card", id: "page" },
    h("p", { class: "brand" }, h("img", { src: "/assets/icon.svg", alt: "" }), "UPMC"), children,
    h("div", { class: "below" }, languageButtons())));
}

/// The same over the page that is there. Resolves to true once somebody is signed in, to false when the page is given up.
/// - login: who was signed in.
export function signInOver(login, problem, enter) {
  return new Promise((resolve) => {
    let isIn = false;
    const form = new Form([
      field({ name: "login", label: t("sign-in.login"), autocomplete: "username", value: login, required: true, spellcheck: "false" }),
      field({ name: "password", label: t("sign-in.password"), type: "password", autocomplete: "current-password", required: true }),
    ], { action: t("sign-in.enter"), title: t("sign-in.title"), detail: t("sign-in.over.detail"), submit: async (values) => {
      await enter({ login: values.login, password: values.password });
      isIn = true;
      box.close();
    } });
    form.node.querySelector(".foot").prepend(h("button", { class: "button", type: "button", "data-give-up": true, onclick: () => box.close() }, t("sign-in.give-up")));
    const box = dialog(form.node, t("sign-in.title"), () => resolve(isIn));
    box.id = "sign-in-over";
    // What is below is lost without it: Escape does not close it.
    box.addEventListener("cancel", (event) => event.preventDefault());
    form.node.querySelector("[type=password]").focus();
  });
}

/// - problem: why somebody has to sign in who did not expect to.
export function signInPage(problem, enter) {
  const form = new Form([
    field({ name: "login", label: t("sign-in.login"), autocomplete: "username", required: true, spellcheck: "false" }),
    field({ name: "password", label: t("sign-in.password"), type: "password", autocomplete: "current-password", required: true }),
  ], { action: t("sign-in.enter"), submit: ({ login, password }) => enter({ login, password }) });
  return door(h("h1", null, t("sign-in.title")), problem ? note("warn", t(problem.code === "upmc:bad-credential" && !session ? "sign-in.over" : "sign-in.again")) : null,
    form.node, h("p", { class: "soft small" }, t("sign-in.hint")));
}

/// A link of another account than the one that is signed in here.
/// - stay: goes on as who is signed in. change: signs in as whoever the link is for.
export function replacePage(login, stay, change) {
  const form = new Form([], { action: t("sign-in.replace"), submit: change });
  return door(h("h1", null, t("sign-in.replace.title")), h("p", { class: "soft" }, t("sign-in.replace.detail", { login })),
    h("button", { type: "button", class: "primary", onclick: stay }, t("sign-in.stay", { login })), form.node);
}

/// After a sign-in link: the account needs a password of its own.
export function choosePasswordPage(done) {
  return door(h("h1", null, t("password.choose")), h("p", { class: "soft" }, t("password.choose.detail", { login: session.login })),
    passwordForm(false, done).node);
}

/// - done: called once it is changed; everybody is signed out then.
export function passwordForm(asksCurrent, done) {
  const again = field({ name: "again", label: t("password.again"), type: "password", autocomplete: "new-password", required: true });
  return new Form([
    asksCurrent ? field({ name: "current", label: t("password.current"), type: "password", autocomplete: "current-password", required: true }) : [],
    field({ name: "new", label: t("password.new"), type: "password", autocomplete: "new-password", hint: t("password.rule"), required: true }),
    again,
  ].flat(), { action: t("password.save"), submit: async (values) => {
    if (values.new !== values.again) {
      again.complain(t("password.differs"));
      again.input.focus();
      return;
    }
    const body = { new: values.new };
    if (asksCurrent) body.current = values.current;
    await putTo("/session/password", body);
    forget();
    done();
  } });
}
