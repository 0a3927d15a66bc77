/// Lists that come page by page.

import { h, put } from "../dom.js";
import { remember } from "../router.js";
import { t } from "../words.js";
import { failure, loading } from "./notice.js";

/// A table of items. Columns: `{title, label, cell(item), end, lead, fit}`; `lead` marks what names the row, `label` is the title as text.
export function table(caption, columns, items) {
  // The roles are written out: narrow screens show rows as blocks, and would lose them otherwise.
  return h("table", { class: "cards", role: "table" }, h("caption", { class: "unseen" }, caption),
    h("thead", { role: "rowgroup" }, h("tr", { role: "row" },
      columns.map((column) => h("th", { scope: "col", role: "columnheader", class: classes(column) }, column.title)))),
    h("tbody", { role: "rowgroup" }, items.map((item) => row(columns, item))));
}

/// What a row was made of.
const sources = new WeakMap();

function row(columns, item) {
  const made = h("tr", { role: "row" }, columns.map((column) =>
    h("td", { role: "cell", class: classes(column), "data-label": column.label ?? (typeof column.title === "string" ? column.title : "") }, column.cell(item))));
  sources.set(made, JSON.stringify(item));
  return made;
}

const classes = (column) => [column.end && "end", column.lead && "lead", column.fit && "fit"].filter(Boolean).join(" ") || null;

/// Brings the rows of a table up to date in place: what has not changed stays, with its focus and its place.
/// - key: what names an item among them.
export function updateRows(body, columns, items, key) {
  const old = new Map([...body.rows].map((one) => [key(JSON.parse(sources.get(one))), one]));
  let place = body.firstElementChild;
  for (const item of items) {
    const known = old.get(key(item));
    old.delete(key(item));
    let wanted = known;
    if (!known || sources.get(known) !== JSON.stringify(item)) {
      wanted = row(columns, item);
      if (known) {
        const at = [...known.querySelectorAll("a, button, input")].indexOf(document.activeElement);
        if (known === place) place = wanted;
        known.replaceWith(wanted);
        if (at >= 0) wanted.querySelectorAll("a, button, input")[at]?.focus({ preventScroll: true });
      }
    }
    if (wanted === place) place = place.nextElementSibling;
    else body.insertBefore(wanted, place);
  }
  for (const one of old.values()) one.remove();
}

/// A list with its further pages behind a button.
/// - load(cursor): one page, `{items, nextCursor}`.
/// - empty: a node for when there is nothing, or a function that makes one.
/// - key: names an item; with it `refresh` brings the first page up to date in place.
/// - returning: how long the list was when it was left (`context.returning`).
/// `reload` shows it anew, as long as it is; `restart`, from its beginning, because something else is looked for.
export function list({ caption, columns, load, empty, first, key = null, returning = null }) {
  const box = h("div", { class: "table-box", tabindex: "-1" });
  const api = { node: box, reload: () => begin(load(undefined), true, api.items.length), restart: () => begin(load(undefined), true), items: [], refresh };
  let turn = 0;
  /// Where the next page begins; undefined: there is none.
  let next;
  /// More than the first page is shown, or is on its way.
  let isLonger = false;
  remember(() => api.items.length);

  /// - length: how long it is to be, if there is so much.
  async function begin(page, isAgain, length = 0) {
    const mine = (turn += 1);
    if (!isAgain) put(box, loading());
    try {
      let { items, nextCursor } = await page;
      const first = items.length;
      while (mine === turn && nextCursor && items.length < Math.min(length, 1000)) {
        const page = await load(nextCursor);
        items = [...items, ...page.items];
        nextCursor = page.nextCursor;
      }
      // Asked again meanwhile: an older answer must not stand in its place.
      if (mine !== turn) return;
      api.items = items;
      next = nextCursor;
      isLonger = items.length > first;
      // What has the focus goes.
      const hasFocus = box.contains(document.activeElement);
      if (items.length === 0 && !nextCursor) {
        put(box, typeof empty === "function" ? empty() : empty);
      } else {
        const body = table(caption, columns, items);
        put(box, body);
        further(body);
      }
      if (hasFocus) box.focus({ preventScroll: true });
    } catch (problem) {
      if (problem.name !== "AbortError" && mine === turn) put(box, failure(problem, api.reload));
    }
  }

  function append(body, items) {
    api.items.push(...items);
    const rows = items.map((item) => row(columns, item));
    body.tBodies[0].append(...rows);
    return rows;
  }

  /// The first page as it is now; nothing while more than that is shown. The next page begins behind its last row, so that
  /// no row falls between the two.
  async function refresh() {
    if (!key || isLonger) return;
    const mine = turn;
    const { items, nextCursor } = await load(undefined);
    const body = box.querySelector("tbody");
    if (mine !== turn || isLonger) return;
    if (!body || items.length === 0) {
      if (items.length !== api.items.length) begin(Promise.resolve({ items, nextCursor }), true);
      return;
    }
    api.items = items;
    next = nextCursor;
    updateRows(body, columns, items, key);
    const bar = box.querySelector(".more");
    if (!next) bar?.remove();
    else if (!bar) further(box.querySelector("table"));
  }

  function further(body) {
    if (!next) return;
    const button = h("button", { class: "button small", onclick: async () => {
      button.disabled = true;
      const wasLonger = isLonger;
      isLonger = true;
      const mine = turn;
      try {
        const { items, nextCursor } = await load(next);
        if (mine !== turn) return;
        next = nextCursor;
        const rows = append(body, items);
        bar.remove();
        further(body);
        rows[0]?.querySelector("a, button")?.focus();
      } catch (problem) {
        if (mine !== turn) return;
        isLonger = wasLonger;
        button.disabled = false;
        put(bar, failure(problem), button);
      }
    } }, t("list.more"));
    // A filtered page may be empty and yet not the last: the server stops searching after many rows.
    const bar = h("div", { class: "more" }, api.items.length === 0 ? h("span", { class: "soft" }, t("list.searching")) : null, button);
    box.append(bar);
  }

  api.ready = begin(first ?? load(undefined), false, returning?.rows);
  return api;
}
