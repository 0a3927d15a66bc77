/// Writing a segment's conditions: a row for each, of what, how, and which; or as JSON, for what rows cannot say. Beside it
/// how many devices it has at this moment.

import { get, post, query } from "../api.js";
import { freshID, h, later, put } from "../dom.js";
import { segmented } from "./form.js";
import { groupList, knownGroups } from "./groups.js";
import { conditionsOf, kinds, rowsOf } from "./segment-rows.js";
import { may } from "../session.js";
import { number, t } from "../words.js";

/// A field for a form; its value is the conditions.
/// - conditions: what is there already. - onLeave: takes what must happen once it is gone.
export async function segmentField(appID, conditions) {
  const known = rowsOf(conditions);
  const named = (known?.rows ?? []).filter((row) => row.kind === "groups").map((row) => row.which);
  const [groups, tags] = await Promise.all([knownGroups(appID, [...new Set(named)]),
    may("manageAudiences") ? get(`/tags${query({ appId: appID })}`).then((answer) => answer.tags).catch(() => []) : []]);
  let mode = known ? "rows" : "json";
  let { join, rows } = known ?? { join: "all", rows: [] };
  const body = h("div", { class: "conditions" });
  const count = h("p", { class: "reach", role: "status" });
  const error = h("p", { class: "error", id: freshID("conditions-error"), hidden: true });
  const area = h("textarea", { class: "code", rows: 10, spellcheck: "false", "aria-label": t("segments.json"), "aria-describedby": error.id, oninput: () => changed() });
  const look = later(400, ask);
  let turn = 0;

  /// - Throws: what is wrong with JSON.
  function value() {
    return mode === "json" ? JSON.parse(area.value) : conditionsOf(join, rows);
  }

  function changed() {
    complain(null);
    if (isWhole()) return look();
    look.stop();
    ask();
  }

  async function ask() {
    const mine = (turn += 1);
    let wanted;
    try {
      wanted = value();
    } catch {
      wanted = null;
    }
    if (!wanted || !isWhole()) return put(count, h("span", { class: "soft" }, t("segments.incomplete")));
    try {
      const answer = await post("/segment-counts", { appId: appID, conditions: wanted });
      if (mine === turn) put(count, h("b", { class: "number", id: "segment-count" }, number(answer.devices)), " ", t("compose.devices", { n: number(answer.devices) }));
    } catch (problem) {
      if (mine === turn) put(count, h("span", { class: "soft" }, problem.errors?.map((one) => one.detail).join(" ") || problem.message));
    }
  }

  const isWhole = () => mode === "json" || (rows.length > 0 && rows.every((row) => kinds[row.kind].isWhole(row)));

  function complain(text) {
    error.hidden = !text;
    put(error, text ?? "");
    if (text) area.setAttribute("aria-invalid", "true");
    else area.removeAttribute("aria-invalid");
  }

  function draw(focus) {
    if (mode === "json") return put(body, area);
    const list = h("ul", { class: "rules" }, rows.map((row, index) => drawRow(row, index)));
    const more = h("button", { class: "button small", type: "button", id: "add-condition", onclick: () => {
      rows.push(kinds.platform.fresh());
      draw(rows.length - 1);
      changed();
    } }, t("segments.add"));
    put(body, rows.length > 1 ? h("div", { class: "row" }, segmented(t("segments.join"), [["all", t("segments.all")], ["any", t("segments.any")]], join, (one) => {
      join = one;
      changed();
    })) : null, list, h("div", null, more));
    if (focus !== undefined) (list.children[focus]?.querySelector("select") ?? more).focus();
  }

  function drawRow(row, index) {
    const place = { n: index + 1 };
    const what = choice(t("segments.what", place), row.kind, Object.keys(kinds).map((name) => [name, t(`segments.kind.${name}`)]), (name) => {
      rows[index] = kinds[name].fresh(groups);
      draw(index);
      changed();
    });
    const kind = kinds[row.kind];
    const how = kind.operators.length > 1 ? choice(t("segments.how", place), row.how, kind.operators.map((name) => [name, t(`segments.how.${name}`)]), (name) => {
      row.how = name;
      // Days and moments are written in different fields.
      if (kind.redraws) draw(index);
      changed();
    }) : h("span", { class: "soft only" }, t(`segments.how.${kind.operators[0]}`));
    const which = kind.control({ row, groups, tags, label: t("segments.which", place), changed, choice,
      groupChoice: (label, value, chosen) => groupList(appID, groups, { value, choose: chosen, "aria-label": label }) });
    return h("li", { class: "rule" }, what, how, which, h("button", { class: "icon-button", type: "button", "aria-label": t("segments.drop", place), title: t("do.remove"), onclick: () => {
      rows.splice(index, 1);
      draw(Math.max(0, index - 1));
      changed();
    } }, "×"));
  }

  function choose(wanted) {
    if (wanted === mode) return;
    if (wanted === "json") {
      area.value = JSON.stringify(conditionsOf(join, rows), null, 1);
    } else {
      let found = null;
      try {
        found = rowsOf(JSON.parse(area.value));
      } catch {
        // Told below.
      }
      if (!found) {
        complain(t("segments.only-json"));
        return;
      }
      ({ join, rows } = found);
    }
    mode = wanted;
    complain(null);
    draw();
    pressed();
  }

  area.value = JSON.stringify(conditions, null, 1);
  const views = segmented(t("segments.view"), [["rows", t("segments.rows")], ["json", "JSON"]], mode, (wanted) => {
    choose(wanted);
    pressed();
  });
  function pressed() {
    [...views.children].forEach((button, index) => button.setAttribute("aria-pressed", String(["rows", "json"][index] === mode)));
  }
  draw();
  ask();
  const node = h("fieldset", { class: "field segment" }, h("legend", null, t("segments.conditions")), h("div", { class: "row spread" }, views, count), body, error);
  return {
    name: "conditions", pointer: "/conditions", node, complain,
    /// What a form asks of a control.
    input: {
      checkValidity: () => {
        try {
          value();
        } catch {
          return false;
        }
        return isWhole();
      },
      get validity() { return { valueMissing: mode === "rows" }; },
      get validationMessage() { return t("segments.bad"); },
      focus: () => (body.querySelector("[data-empty], textarea, select") ?? views.firstChild).focus(),
    },
    get value() { return value(); },
  };
}

function choice(label, value, options, choose) {
  return h("select", { "aria-label": label, value, onchange: (event) => choose(event.target.value) }, options.map(([word, text]) => h("option", { value: word }, text)));
}
