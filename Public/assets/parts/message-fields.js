/// The fields of a message: what is plain first, the rest in sections that open, and its JSON for what has no field. They
/// read and write the message itself; what they do not know stays in it as it is.

import { call, query } from "../api.js";
import { h, put } from "../dom.js";
import { choices, field } from "./form.js";
import { activityFields } from "./activity-fields.js";
import { courseFields } from "./message-course.js";
import { at, durationText, emptyVariables, languageName, set } from "./message-model.js";
import { paceField, paceOf } from "./pace.js";
import { writePage } from "./page-editor.js";
import { t, word } from "../words.js";

const same = (value) => value;

/// - message: is changed by the fields. - changed: called after each change. - appId: whose uploads they are.
/// - pictures: where the console sees uploads that came in here, by id. - timed: whether a time is asked for (not in a template).
/// - full: whether a section with more fields stands open at first.
/// Returns `{node, when, fields, redraw}`; `when` holds what says when and how fast.
export function messageFields({ message, changed, appId, pictures = {}, timed = true }) {
  const what = h("div", { class: "fields" });
  const when = h("div", { class: "fields" });
  const api = { node: what, when, fields: [], redraw, redrawJSON: () => {}, gaps };
  /// Of each field that needs something: what it lacks now, or nothing.
  let checks = [];

  /// What the form itself knows to be missing, as `{field, name, text}`: the server need not be asked before it is there.
  /// - hasLines: the audience is a file, whose lines have values of their own.
  function gaps({ hasLines = false } = {}) {
    // Of a field that lacks several things, the last.
    const found = [...new Map(checks.map((check) => check()).filter(Boolean).map((gap) => [gap.field, gap])).values()];
    for (const [path, variable] of hasLines ? [] : emptyVariables(message)) {
      const at = api.fields.find((one) => one.name === `variables.${variable}`);
      if (at && !found.some((one) => one.field === at)) found.push({ field: at, name: `%${variable}%`, text: t("field.variables.needed", { name: `%${variable}%`, path }) });
    }
    return found;
  }

  /// Remembers that a field is needed while `isMissing`, and that problems are shown at it. - name: as people read it.
  function needs(field, name, isMissing, text = () => t("form.needed")) {
    if (!api.fields.includes(field)) api.fields.push(field);
    checks.push(() => (isMissing() ? { field, name, text: text() } : null));
  }

  function touched() {
    api.redrawJSON();
    changed();
  }

  /// A field for one place of the message.
  function bound(path, label, { name = path, read = same, write = (value) => value || undefined, ...more } = {}) {
    /// Why what is written there cannot be read: the message has what was there before.
    let fault = null;
    const made = field({ name, label, pointer: `/${path.replaceAll(".", "/")}`, ...more, value: read(at(message, path)) ?? "",
      [["select", "check"].includes(more.type) ? "onchange" : "oninput"]: () => {
        const value = write(made.value);
        fault = value instanceof Error ? value.message : null;
        made.complain(fault);
        if (fault) return changed();
        set(message, path, value);
        touched();
      } });
    needs(made, label, () => fault && made.node.isConnected, () => fault);
    made.node.dataset.member = path.split(".")[0];
    made.node.dataset.path = path;
    return made.node;
  }

  const text = (path, label, more) => bound(path, label, more);
  const switched = (path, label, { on = true, hint } = {}) => bound(path, label, { type: "check", hint, read: (value) => value === on, write: (value) => (value ? on : undefined) });
  const select = (path, label, options, more = {}) => bound(path, label, { type: "select", options, ...more });
  const count = (value) => (value === "" ? undefined : Number(value));
  /// A span of time: those that people choose, and the one that is there.
  function duration(path, label, values, { none = null, ...more } = {}) {
    const present = at(message, path);
    const known = present && !values.includes(present) ? [...values, present] : values;
    return select(path, label, [...(none ? [["", none]] : []), ...known.map((one) => [one, durationText(one)])], more);
  }
  function group(member, ...children) {
    return h("div", { class: "fields pair", "data-member": member }, children);
  }
  function section(name, ...children) {
    const fields = h("div", { class: "fields" }, children);
    // What a section holds is in sight.
    const paths = [...fields.querySelectorAll("[data-member]")].flatMap((one) => (one.dataset.path ?? one.dataset.member).split(" "));
    return h("details", { class: "section", "data-section": name, open: paths.some((one) => at(message, one) !== undefined) },
      h("summary", null, t(`compose.section.${name}`)), fields);
  }

  function redraw() {
    api.fields = [];
    checks = [];
    put(what,
      text("alert.title", t("message.title"), { name: "title", optional: true }),
      text("alert.body", t("message.body"), { name: "body", type: "area", hint: t("compose.variables"), required: true }),
      h("div", { class: "fields pair" },
        select("kind", t("compose.kind"), ["notice", "ad", "essential"].map((one) => [one, t(`compose.kind.${one}`)]), { read: (value) => value ?? "notice", write: (value) => (value === "notice" ? undefined : value) }),
        badge()),
      switched("confidential", t("compose.confidential"), { hint: t("compose.confidential.hint") }),
      section("media", picture(), text("mediaUrl", t("field.mediaUrl"), { code: true, type: "url", placeholder: "https://" }), ...extension(), json("data", t("field.data"), { hint: t("field.data.hint"), placeholder: '{"deeplink": "app://…"}' })),
      section("texts", text("alert.subtitle", t("message.subtitle"), { name: "subtitle" }), translations(), variables(),
        select("fillVariables", t("field.fillVariables"), [["", t("form.yes")], ["false", t("form.no")]], { read: (value) => (value === false ? "false" : ""), write: (value) => (value ? false : undefined) })),
      section("look", sound(),
        h("div", { class: "fields pair" }, text("category", t("field.category"), { code: true, hint: t("field.category.hint") }), text("threadId", t("field.threadId"), { code: true, hint: t("field.threadId.hint") })),
        h("div", { class: "fields pair" },
          select("interruptionLevel", t("field.interruptionLevel"), [["", t("form.standard")], ...["passive", "active", "time-sensitive", "critical"].map((one) => [one, word("interruption", one)])]),
          bound("relevanceScore", t("field.relevanceScore"), { type: "number", min: 0, max: 1, step: "any", write: count })),
        h("div", { class: "fields pair" }, text("targetContentId", t("field.targetContentId"), { code: true }), text("filterCriteria", t("field.filterCriteria"), { code: true })),
        h("div", { class: "fields pair" },
          select("mutableContent", t("field.mutableContent"), [["", t("field.mutableContent.app")], ["true", t("form.yes")], ["false", t("form.no")]], {
            read: (value) => (value === undefined ? "" : String(value)), write: (value) => (value === "" ? undefined : value === "true") }),
          text("collapseId", t("field.collapseId"), { code: true, hint: t("field.collapseId.hint") })),
        switched("contentAvailable", t("field.contentAvailable"))),
      section("activity", ...activityFields({ message, api, checks, touched, text, json, bound, switched })),
      section("android", h("p", { class: "hint" }, t("compose.android.hint")),
        h("div", { class: "fields pair" }, text("android.channelId", t("field.android.channelId"), { code: true }), text("android.tag", t("field.android.tag"), { code: true })),
        h("div", { class: "fields pair" }, text("android.icon", t("field.android.icon"), { code: true }), text("android.color", t("field.android.color"), { code: true, placeholder: "#1B2A4E" })),
        h("div", { class: "fields pair" }, text("android.image", t("field.android.image"), { code: true, type: "url", placeholder: "https://" }), text("android.clickAction", t("field.android.clickAction"), { code: true })),
        h("div", { class: "fields pair" },
          select("android.priority", t("field.android.priority"), [["", t("form.standard")], ["high", t("field.android.priority.high")], ["normal", t("field.android.priority.normal")]]),
          text("android.analyticsLabel", t("field.android.analyticsLabel"), { code: true }))),
      section("delivery",
        fallback(),
        h("div", { class: "fields pair" }, text("sender", t("field.sender"), { hint: t("field.sender.hint") }), duration("inbox", t("compose.inbox"), ["P1D", "P7D", "P30D", "P90D", "P365D"], { none: t("field.inbox.none"), hint: t("compose.inbox.hint") })),
        h("div", { class: "fields pair" },
          select("onUnknown", t("field.onUnknown"), [["", t("field.onUnknown.resend")], ["skip", t("field.onUnknown.skip")]]),
          select("priority", t("field.priority"), [["", t("form.standard")], ["10", t("field.priority.10")], ["5", t("field.priority.5")], ["1", t("field.priority.1")]], { read: (value) => (value === undefined ? "" : String(value)), write: (value) => (value ? Number(value) : undefined) })),
        select("pushType", t("field.pushType"), [["", t("form.standard")], ...["alert", "background", "voip", "complication", "fileprovider", "mdm", "location", "pushtotalk", "liveactivity", "controls", "widgets"].map((one) => [one, one])]),
        switched("dbIn", t("field.dbIn.off"), { on: false }), switched("keepForDevice", t("field.keepForDevice.off"), { on: false })),
      whole());
    put(when, timed ? timing() : null,
      h("div", { class: "fields pair" }, duration("expiresIn", t("compose.life"), ["PT10M", "PT30M", "PT1H", "PT6H", "P1D", "P3D", "P7D"], { read: (value) => value ?? "P1D", optional: false, write: same }), lanes()),
      pace(),
      section("course", ...courseFields({ message, timed, touched, needs, fields: api.fields })));
  }

  function badge() {
    const present = message.badge ?? {};
    const kind = "increment" in present ? "increment" : "set" in present ? "set" : "clear" in present ? "clear" : "";
    const write = () => {
      size.node.hidden = !["increment", "set"].includes(mode.value);
      set(message, "badge", mode.value === "" ? undefined : mode.value === "clear" ? { clear: true } : { [mode.value]: Number(size.value) || 1 });
      touched();
    };
    const mode = field({ name: "badge", label: t("field.badge"), type: "select", value: kind, pointer: "/badge", onchange: write,
      options: [["", t("field.badge.none")], ["increment", t("field.badge.increment")], ["set", t("field.badge.set")], ["clear", t("field.badge.clear")]] });
    const size = field({ name: "badgeCount", label: t("field.badge.count"), type: "number", min: 1, max: 1000, value: String(present.increment ?? present.set ?? 1), oninput: write });
    size.node.hidden = !["increment", "set"].includes(kind);
    needs(size, t("field.badge.count"), () => !size.node.hidden && !(Number(size.value) >= 1));
    api.fields.push(mode);
    return h("div", { class: "fields", "data-member": "badge" }, mode.node, size.node);
  }

  function sound() {
    const present = message.sound;
    const isCritical = typeof present === "object" && present !== null;
    const write = () => {
      file.node.hidden = mode.value !== "named";
      if (mode.value === "critical") set(message, "sound", isCritical ? present : { critical: true });
      else set(message, "sound", mode.value === "silent" ? null : mode.value === "named" && file.value ? file.value : undefined);
      touched();
    };
    const mode = field({ name: "sound", label: t("field.sound"), type: "select", pointer: "/sound", onchange: write,
      value: present === null ? "silent" : isCritical ? "critical" : present ? "named" : "",
      options: [["", t("form.standard")], ["silent", t("field.sound.silent")], ["named", t("field.sound.named")], ["critical", t("field.sound.critical")]] });
    const file = field({ name: "soundName", label: t("field.sound.file"), code: true, value: typeof present === "string" ? present : "", placeholder: "alert.aif", oninput: write });
    file.node.hidden = mode.value !== "named";
    needs(file, t("field.sound.file"), () => mode.value === "named" && !file.value);
    api.fields.push(mode);
    return group("sound", mode.node, file.node);
  }

  function picture() {
    const id = bound("media", t("compose.media"), { code: true, hint: t("compose.media.hint") });
    const file = field({ name: "picture", label: t("compose.picture"), hint: t("media.hint"), type: "file", optional: true, accept: "image/*,audio/*,video/*", onchange: async () => {
      file.complain(null);
      if (!file.value) return;
      try {
        const made = await call("POST", `/uploads${query({ appId })}`, file.value);
        const seen = /^https?:\/\/[^/]+(\/m\/[\w-]+\.\w+)$/.exec(made.url)?.[1];
        if (seen && made.contentType?.startsWith("image/")) pictures[made.uploadId] = seen;
        message.media = made.uploadId;
        id.querySelector("input").value = made.uploadId;
        touched();
      } catch (problem) {
        file.complain([problem.title, problem.message].filter(Boolean).join(" — "));
      }
    } });
    return h("div", { class: "fields pair" }, file.node, id);
  }

  /// EXT, by hand or as a page that is written here.
  function extension() {
    const ext = bound("ext", "EXT", { hint: t("compose.ext.hint") });
    const box = h("div", { class: "row" });
    const button = (key, id, action, kind = "") => h("button", { class: `button ${kind}`, type: "button", id, onclick: action }, t(key));
    let written = null;
    const take = (value) => {
      set(message, "ext", value);
      ext.querySelector("input").value = value ?? "";
      touched();
    };
    async function write() {
      const made = await writePage(appId, written);
      if (!made) return;
      written = made.page;
      take(made.text);
      draw();
      box.querySelector("#write-page").focus();
    }
    function drop() {
      written = null;
      take(undefined);
      draw();
      box.querySelector("#write-page").focus();
    }
    function draw() {
      ext.hidden = written !== null;
      put(box, written ? [h("span", { class: "chip plain", id: "page-written" }, t("page.written", { title: written.title })), button("page.change", "write-page", write), button("do.remove", "drop-page", drop, "bad")]
        : button("page.write", "write-page", write));
    }
    draw();
    return [ext, box];
  }

  function json(path, label, more = {}) {
    return bound(path, label, { type: "area", rows: 2, code: true, ...more, read: (value) => (value === undefined ? "" : JSON.stringify(value)), write: (value) => {
      if (!value.trim()) return undefined;
      try {
        return JSON.parse(value);
      } catch {
        return new Error(t("field.json.bad"));
      }
    } });
  }

  function translations() {
    const list = h("div", { class: "fields" });
    checks.push(() => {
      const [empty] = Object.entries(message.translations ?? {}).find(([, alert]) => !alert?.body?.trim() && !alert?.locKey) ?? [];
      const at = empty && api.fields.findLast((one) => one.name === `translations.${empty}.body`);
      return at ? { field: at, name: `${t("message.body")} (${languageName(empty)})`, text: t("form.needed") } : null;
    });
    const tag = field({ name: "language", label: t("field.translations.add"), placeholder: "ko, en-GB", code: true, optional: true });
    const draw = () => put(list, Object.keys(message.translations ?? {}).map((one) => h("fieldset", { class: "field block", "data-language": one },
      h("legend", null, languageName(one)),
      h("div", { class: "fields" },
        text(`translations.${one}.title`, t("message.title"), { lang: one }), text(`translations.${one}.subtitle`, t("message.subtitle"), { lang: one }),
        text(`translations.${one}.body`, t("message.body"), { type: "area", lang: one }),
        h("div", { class: "row" }, h("button", { class: "button small bad", type: "button", onclick: () => {
          set(message, `translations.${one}`, undefined);
          draw();
          touched();
        } }, t("do.remove")))))));
    const add = () => {
      const wanted = tag.value.trim();
      if (!/^[A-Za-z]{2,8}([_-][A-Za-z0-9]{1,8})*$/.test(wanted)) return tag.complain(t("field.translations.bad"));
      tag.complain(null);
      message.translations = { ...message.translations, [wanted]: message.translations?.[wanted] ?? { body: "" } };
      tag.value = "";
      draw();
      touched();
      list.querySelector(`[data-language="${CSS.escape(wanted)}"] input`)?.focus();
    };
    draw();
    return h("div", { class: "fields", "data-member": "translations" }, list,
      h("div", { class: "row with-button" }, tag.node, h("button", { class: "button", type: "button", id: "add-language", onclick: add }, t("do.add"))));
  }

  function variables() {
    return h("details", { class: "section small", "data-member": "variables", open: Boolean(message.variables) }, h("summary", null, t("field.variables")), h("p", { class: "hint" }, t("field.variables.hint")),
      h("div", { class: "fields three" }, [1, 2, 3, 4, 5, 6, 7, 8, 9].map((one) => text(`variables.VAR${one}`, `%VAR${one}%`))));
  }

  function fallback() {
    const rest = h("div", { class: "fields", "data-member": "fallback", hidden: !message.sms },
      duration("fallback.after", t("field.fallback.after"), ["PT1M", "PT3M", "PT10M", "PT30M", "PT1H"], { none: t("form.standard") }),
      select("fallback.unless", t("field.fallback.unless"), [["", t("form.standard")], ["received", word("unless", "received")], ["read", word("unless", "read")]]));
    const asks = field({ name: "sms", label: t("field.sms"), type: "check", value: message.sms === true, pointer: "/sms", onchange: () => {
      rest.hidden = !asks.value;
      set(message, "sms", asks.value ? true : undefined);
      // It means something beside `sms` alone.
      if (!asks.value) {
        set(message, "fallback", undefined);
        for (const one of rest.querySelectorAll("select")) one.value = "";
      }
      touched();
    } });
    asks.node.dataset.member = "sms";
    api.fields.push(asks);
    return h("div", { class: "fields pair" }, asks.node, rest);
  }

  function lanes() {
    const made = choices({ name: "lane", label: t("message.lane"), value: message.lane ?? "normal", options: ["urgent", "normal", "bulk"].map((one) => [one, word("lane", one)]), choose: (one) => {
      set(message, "lane", one);
      touched();
    } });
    made.dataset.member = "lane";
    return made;
  }

  function pace() {
    const made = paceField(() => {
      if (!made.isWhole()) return;
      set(message, "pace", paceOf(made) ?? undefined);
      touched();
    }, message.pace);
    made.node.dataset.member = "pace";
    checks.push(() => {
      const empty = made.isWhole() ? null : made.fields.slice(1).find((one) => !one.node.hidden && !(Number(one.value) > 0));
      return empty ? { field: empty, name: t("pace.kind"), text: t("form.needed") } : null;
    });
    api.fields.push(...made.fields.filter((one) => one.node.classList?.contains("field") && one.complain));
    return made.node;
  }

  /// Now, at a moment, or by each device's clock.
  function timing() {
    let kind = message.localTime ? "local" : message.sendAt ? "at" : "now";
    const here = (moment) => {
      const date = new Date(moment);
      return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
    };
    const show = () => {
      when.node.hidden = kind === "now";
      when.node.querySelector(".hint").hidden = kind === "local";
    };
    const write = () => {
      show();
      set(message, "sendAt", kind === "at" && when.value ? new Date(when.value).toISOString() : undefined);
      set(message, "localTime", kind === "local" && when.value ? when.value : undefined);
      touched();
    };
    const when = field({ name: "sendAt", label: t("compose.at"), type: "datetime-local", pointer: "/sendAt", hint: t("compose.at.hint"),
      value: message.localTime?.slice(0, 16) ?? (message.sendAt ? here(message.sendAt) : ""), oninput: write });
    show();
    needs(when, t("compose.at"), () => kind !== "now" && !when.value);
    needs(when, t("compose.at"), () => kind === "at" && when.value && new Date(when.value) < Date.now() - 3_600_000, () => t("compose.at.past"));
    api.fields.push({ ...when, pointer: "/localTime" }, { ...when, pointer: "/repeat" });
    return h("div", { class: "fields", "data-member": "sendAt localTime" }, choices({ name: "timing", label: t("field.timing"), value: kind,
      options: ["now", "at", "local"].map((one) => [one, t(`field.timing.${one}`)]), choose: (one) => {
        kind = one;
        write();
        if (one !== "now") when.input.focus();
      } }), when.node);
  }

  /// The whole message, for what has no field.
  function whole() {
    let isBad = false;
    const area = field({ name: "json", label: t("field.json"), type: "area", rows: 12, code: true, hint: t("field.json.hint"), value: JSON.stringify(message, null, 1), oninput: () => {
      let read;
      try {
        read = JSON.parse(area.value);
        if (read === null || typeof read !== "object" || Array.isArray(read)) throw new Error();
      } catch {
        isBad = true;
        area.complain(t("field.json.bad"));
        return changed();
      }
      isBad = false;
      area.complain(null);
      for (const name of Object.keys(message)) delete message[name];
      Object.assign(message, read);
      changed();
    }, onchange: () => {
      if (!isBad) redraw();
    } });
    needs(area, t("field.json"), () => isBad, () => t("field.json.bad"));
    api.redrawJSON = () => {
      isBad = false;
      area.complain(null);
      area.value = JSON.stringify(message, null, 1);
    };
    return h("details", { class: "section", "data-section": "json" }, h("summary", null, t("compose.section.json")), area.node);
  }

  redraw();
  return api;
}
