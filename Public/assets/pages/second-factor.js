/// The second factor: setting up an authenticator app, its recovery codes, and taking it off.

import { get, post, putTo } from "../api.js";
import { h, put } from "../dom.js";
import { confirm, copyButton, formDialog, show } from "../parts/dialog.js";
import { Form, field } from "../parts/form.js";
import { complain, failure, say } from "../parts/notice.js";
import { qrDrawing } from "../parts/qr.js";
import { session, signOut } from "../session.js";
import { number, t } from "../words.js";
import { entryPage } from "./sign-in.js";

const path = "/session/second-factor";

const codeField = (name, label, hint) =>
  field({ name, label, hint, autocomplete: "one-time-code", required: true, spellcheck: "false", maxlength: 40, code: true });

/// In front of everything else, where the role needs a second factor and the account has none.
/// - done: called once it is set up. left: called when somebody signs out instead.
export async function enrolPage(done, left) {
  const box = h("div");
  await begin(box, false, async (codes) => {
    put(box, h("h2", null, t("factor.codes")), codeList(codes), h("div", { class: "foot row" },
      h("button", { class: "button main", type: "button", id: "factor-done", onclick: done }, t("factor.codes.kept"))));
    box.querySelector("#factor-done").focus();
  });
  const leave = async () => {
    try {
      await signOut();
    } catch (problem) {
      return complain(problem);
    }
    left();
  };
  return entryPage(h("h1", null, t("factor.needed.title")), h("p", { class: "soft" }, t("factor.needed.detail", { role: t(`role.${session.role}`) })),
    box, h("button", { class: "button quiet", type: "button", onclick: leave }, t("account.out")));
}

/// Shows a new secret and asks for its first code, and for the password unless somebody came by a link.
/// - isReplaced: a factor is in force already, whose code is asked for in place of the password.
async function begin(box, isReplaced, done) {
  let made;
  try {
    made = await post(path, undefined);
  } catch (problem) {
    put(box, failure(problem));
    return;
  }
  const fields = [codeField("code", t("factor.code"), t("factor.first.hint"))];
  if (isReplaced) fields.unshift(codeField("present", t("factor.present"), t("factor.code.hint")));
  else if (session.signedInBy !== "link") {
    fields.unshift(field({ name: "password", label: t("password.current"), type: "password", autocomplete: "current-password", required: true }));
  }
  const form = new Form(fields, { action: t("factor.turn-on"), submit: async (values) => done((await putTo(path, values)).recoveryCodes) });
  put(box, h("ol", { class: "enrol" }, h("li", null, t("factor.step.app")), h("li", null, t("factor.step.scan"))),
    qrDrawing(made.uri, t("factor.qr")),
    h("details", null, h("summary", null, t("factor.by-hand")), h("p", null, h("code", { "data-secret": true }, grouped(made.secret)))),
    form.node);
}

const grouped = (secret) => secret.replace(/(.{4})(?=.)/g, "$1 ");

function codeList(codes) {
  const shown = h("ul", { class: "codes" }, codes.map((code) => h("li", null, h("code", { "data-code": true }, code))));
  return h("div", null, h("p", null, t("factor.codes.detail")), shown, copyButton(codes.join("\n"), shown));
}

/// The part of the page about one's own account.
export function factorSection() {
  const box = h("section", { class: "card", id: "factor" });
  draw();
  return box;

  async function draw() {
    try {
      const { on, needed, recoveryCodesLeft } = await get(path);
      put(box, h("h2", null, t("factor.title")),
        h("p", null, h("span", { class: `state ${on ? "good" : "warn"}`, "data-factor": on ? "on" : "off" }, t(on ? "factor.on" : "factor.off"))),
        h("p", { class: "soft" }, t(on ? "factor.on.detail" : "factor.off.detail")),
        on ? h("p", { class: recoveryCodesLeft < 3 ? "note warn" : "" }, t("factor.codes.left", { n: number(recoveryCodesLeft) })) : null,
        h("div", { class: "foot row" }, on ? [
          button("factor-codes", "factor.codes.new", renew), button("factor-replace", "factor.replace", () => setUp(true)),
          needed ? null : button("factor-off", "factor.turn-off", turnOff, "bad")] : button("factor-on", "factor.turn-on", () => setUp(false), "main")));
    } catch (problem) {
      put(box, h("h2", null, t("factor.title")), problem.status === 409 ? h("p", { class: "soft" }, t("factor.elsewhere")) : failure(problem, draw));
    }
  }

  function button(id, key, action, kind = "") {
    return h("button", { class: `button ${kind}`, type: "button", id, onclick: () => action().catch(complain) }, t(key));
  }

  async function setUp(isReplaced) {
    await begin(box, isReplaced, async (codes) => {
      await show(t("factor.codes"), codeList(codes));
      draw();
    });
    box.prepend(h("h2", null, t("factor.title")));
    box.querySelector("input")?.focus();
  }

  async function renew() {
    const made = await formDialog({ title: t("factor.codes.new"), detail: t("factor.codes.new.detail"), action: t("do.create"),
      fields: [codeField("code", t("factor.code"), t("factor.code.hint"))], save: (values) => post(`${path}/recovery-codes`, values) });
    if (!made) return;
    await show(t("factor.codes"), codeList(made.recoveryCodes));
    draw();
  }

  async function turnOff() {
    if (!await confirm({ title: t("factor.turn-off"), bad: true, action: t("factor.turn-off"), body: h("p", null, t("factor.turn-off.body")) })) return;
    const isOff = await formDialog({ title: t("factor.turn-off"), action: t("factor.turn-off"), fields: [codeField("code", t("factor.code"), t("factor.code.hint"))],
      save: async (values) => {
        await post(`${path}/removal`, values);
        return true;
      } });
    if (!isOff) return;
    say(t("factor.off"));
    draw();
  }
}
