/// The sign-in page: login and password, or what a link that works once has opened.

import { putTo } from "../api.js";
import { asset, h, put } from "../dom.js";
import { languageButtons } from "../frame.js";
import { dialog } from "../parts/dialog.js";
import { Form, field } from "../parts/form.js";
import { leaveFreely } from "../parts/kept.js";
import { note } from "../parts/notice.js";
import { beginAtProvider, forget, session, signInMethods } from "../session.js";
import { t } from "../words.js";

export function entryPage(...children) {
  document.title = "UPMC";
  return h("div", { class: "sign-in" }, h("main", { class: "card", id: "page" },
    h("p", { class: "brand" }, h("img", { src: asset("icon.svg"), alt: "" }), "UPMC"), children,
    h("div", { class: "below" }, languageButtons())));
}

/// Asks for login and password and then, where the account has a second factor, for its code.
/// - enter: signs in with what was given, and throws what is wrong. - give: a button beside the first one, or nothing.
function proofForm(login, enter, { title, detail, give } = {}) {
  const box = h("div", { class: "proof" });
  const form = new Form([
    field({ name: "login", label: t("sign-in.login"), autocomplete: "username", value: login, required: true, spellcheck: "false" }),
    field({ name: "password", label: t("sign-in.password"), type: "password", autocomplete: "current-password", required: true }),
  ], { action: t("sign-in.enter"), title, detail, submit: (values) => enterOrAsk(box, { login: values.login, password: values.password }, enter, give) });
  if (give) form.node.querySelector(".foot").prepend(give());
  return put(box, form.node);
}

async function enterOrAsk(box, proof, enter, give) {
  try {
    await enter(proof);
  } catch (problem) {
    if (problem.code !== "upmc:second-factor-needed") throw problem;
    put(box, codeForm(proof, enter, give).node);
    box.querySelector("input").focus();
  }
}

/// The code of the second factor, for a proof that was right as far as it went.
function codeForm(proof, enter, give) {
  const form = new Form([
    field({ name: "code", label: t("factor.code"), hint: t("factor.code.hint"), autocomplete: "one-time-code", required: true, spellcheck: "false", maxlength: 40, code: true }),
  ], { action: t("sign-in.enter"), title: t("factor.ask"), submit: ({ code }) => enter({ ...proof, code }) });
  if (give) form.node.querySelector(".foot").prepend(give());
  return form;
}

/// The way to the identity provider, where there is one. Passwords that are not taken here are not asked for.
function otherWays(form) {
  const box = h("div", { class: "ways" });
  signInMethods().then(({ password, identityProvider }) => {
    // Why somebody is asked stays, and what leaves the question.
    if (!password) for (const one of form.querySelectorAll(".field, [type=submit]")) one.hidden = true;
    if (!identityProvider) return;
    const trouble = h("div", { role: "alert", class: "note bad", hidden: true });
    const press = h("button", { type: "button", class: "button", id: "provider", onclick: async () => {
      press.disabled = true;
      try {
        rememberPlace();
        leaveFreely(await beginAtProvider());
      } catch (problem) {
        press.disabled = false;
        trouble.hidden = false;
        put(trouble, problem.message);
      }
    } }, t("sign-in.provider", { name: identityProvider }));
    put(box, password ? h("p", { class: "soft small" }, t("sign-in.or")) : null, press, trouble);
    if (!password) press.focus();
  }).catch(() => {});
  return box;
}

const place = "upmc.place";

/// The page that was open, so that it is there again behind the identity provider.
function rememberPlace() {
  sessionStorage.setItem(place, location.hash);
}

export function rememberedPlace() {
  const hash = sessionStorage.getItem(place) ?? "";
  sessionStorage.removeItem(place);
  return hash.startsWith("#/") ? hash : "#/";
}

/// The same over the page that is there. Resolves to true once somebody is signed in, to false when that is given up.
/// - login: who was signed in. isOver: the session has ended; otherwise it is only too old for what was asked.
export function signInOver(login, isOver, enter) {
  return new Promise((resolve) => {
    let isIn = false;
    const form = proofForm(login, async (proof) => {
      await enter(proof);
      isIn = true;
      box.close();
    }, { title: t("sign-in.title"), detail: t(isOver ? "sign-in.over.detail" : "sign-in.fresh.detail"),
      give: () => h("button", { class: "button", type: "button", "data-give-up": true, onclick: () => box.close() }, t(isOver ? "sign-in.give-up" : "do.cancel")) });
    const box = dialog(h("div", null, form, otherWays(form)), t("sign-in.title"), () => resolve(isIn));
    box.id = "sign-in-over";
    // What is below is lost without it: Escape does not close it.
    if (isOver) box.addEventListener("cancel", (event) => event.preventDefault());
    form.querySelector("[type=password]").focus();
  });
}

/// - problem: why somebody has to sign in who did not expect to.
export function signInPage(problem, enter) {
  const form = proofForm("", enter);
  return entryPage(h("h1", null, t("sign-in.title")), problem ? note("warn", reason(problem)) : null,
    form, otherWays(form), h("p", { class: "soft small" }, t("sign-in.hint")));
}

function reason(problem) {
  // What the identity provider's answer lacks is said; everything else is a session that is over.
  if (problem.isOfProvider) return problem.message || problem.title;
  return t(problem.code === "upmc:bad-credential" && !session ? "sign-in.over" : "sign-in.again");
}

/// A link opens an account that has a second factor.
export function linkCodePage(link, enter) {
  return entryPage(h("h1", null, t("sign-in.title")), codeForm({ link }, enter).node);
}

/// A link of another account than the one that is signed in here.
/// - stay: goes on as who is signed in. change: signs in as whoever the link is for.
export function replacePage(login, stay, change) {
  const form = new Form([], { action: t("sign-in.replace"), submit: change });
  return entryPage(h("h1", null, t("sign-in.replace.title")), h("p", { class: "soft" }, t("sign-in.replace.detail", { login })),
    h("button", { type: "button", class: "primary", onclick: stay }, t("sign-in.stay", { login })), form.node);
}

/// After a sign-in link: the account needs a password of its own.
export function choosePasswordPage(done) {
  return entryPage(h("h1", null, t("password.choose")), h("p", { class: "soft" }, t("password.choose.detail", { login: session.login })),
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
