/// Lists that come page by page.

import { h, put } from "../dom.js";
import { t } from "../words.js";
import { failure, loading } from "./notice.js";

/// A table of items. Columns: `{title, cell(item), end, lead, fit}`; `lead` marks what names the row.
export function table(caption, columns, items) {
  // The roles are written out: narrow screens show rows as blocks, and would lose them otherwise.
  return h("table", { class: "cards", role: "table" }, h("caption", { class: "unseen" }, caption),
    h("thead", { role: "rowgroup" }, h("tr", { role: "row" },
      columns.map((column) => h("th", { scope: "col", role: "columnheader", class: classes(column) }, column.title)))),
    h("tbody", { role: "rowgroup" }, items.map((item) => row(columns, item))));
}

function row(columns, item) {
  return h("tr", { role: "row" }, columns.map((column) =>
    h("td", { role: "cell", class: classes(column), "data-label": typeof column.title === "string" ? column.title : "" }, column.cell(item))));
}

const classes = (column) => [column.end && "end", column.lead && "lead", column.fit && "fit"].filter(Boolean).join(" ") || null;

/// A list with its further pages behind a button.
/// - load(cursor): one page, `{items, nextCursor}`.
/// - empty: a node for when there is nothing.
export function list({ caption, columns, load, empty, first }) {
  const box = h("div", { class: "table-box", tabindex: "-1" });
  const api = { node: box, reload: () => begin(load(undefined)), items: [] };

  async function begin(page) {
    put(box, loading());
    try {
      const { items, nextCursor } = await page;
      api.items = items;
      if (items.length === 0 && !nextCursor) {
        put(box, empty);
        return;
      }
      const body = table(caption, columns, items);
      put(box, body);
      further(body, nextCursor);
    } catch (problem) {
      if (problem.name !== "AbortError") put(box, failure(problem, api.reload));
    }
  }

  function further(body, cursor) {
    if (!cursor) return;
    const button = h("button", { class: "button small", onclick: async () => {
      button.disabled = true;
      try {
        const { items, nextCursor } = await load(cursor);
        api.items.push(...items);
        const rows = items.map((item) => row(columns, item));
        body.tBodies[0].append(...rows);
        bar.remove();
        further(body, nextCursor);
        rows[0]?.querySelector("a, button")?.focus();
      } catch (problem) {
        button.disabled = false;
        put(bar, failure(problem));
      }
    } }, t("list.more"));
    // A filtered page may be empty and yet not the last: the server stops searching after many rows.
    const bar = h("div", { class: "more" }, api.items.length === 0 ? h("span", { class: "soft" }, t("list.searching")) : null, button);
    box.append(bar);
  }

  api.ready = begin(first ?? load(undefined));
  return api;
}
