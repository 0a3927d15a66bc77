/// Addresses of pages: `#/messages/104?tab=people`. They stay behind the hash, so that the server sees none of them.

let routes = [];
let leave = [];
let show = () => {};
let turn = 0;
/// Asks before the page is left; null: nothing would be lost.
let guard = null;
/// Its question that is not answered yet.
let asking = null;
/// The number of the present entry of the browser's history, and how each entry was left: how far down, how long its list.
let entry = 0;
let last = 0;
let ignored = false;
const positions = new Map();
let rows = () => 0;

/// A page is `async (context) => node`. The context has `params`, `query`, `stale()` (the reader has gone elsewhere),
/// `onLeave(action)`, `guard(ask)`, `isRefined` (only the query has changed) and `returning` (`{y, rows}` after Back).
export function route(pattern, page, options = {}) {
  routes.push({ parts: pattern.split("/").filter(Boolean), page, pattern, ...options });
}

export function address() {
  const [path, search = ""] = location.hash.replace(/^#/, "").split("?");
  return { path: path || "/", query: Object.fromEntries(new URLSearchParams(search)) };
}

function match(path) {
  const parts = path.split("/").filter(Boolean).map(safelyDecoded);
  for (const candidate of routes) {
    if (candidate.parts.length !== parts.length) continue;
    const params = {};
    const fits = candidate.parts.every((part, index) => {
      if (!part.startsWith(":")) return part === parts[index];
      params[part.slice(1)] = parts[index];
      return true;
    });
    if (fits) return { route: candidate, params };
  }
  return null;
}

function safelyDecoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/// Begins to follow the address. `display(route, promise of a node)` shows what a page made.
export function start(display) {
  show = display;
  window.addEventListener("hashchange", moved);
  return follow();
}

export function stop() {
  window.removeEventListener("hashchange", moved);
  end();
}

function end() {
  turn += 1;
  guard = null;
  rows = () => 0;
  for (const action of leave) action();
  leave = [];
}

/// Whether the page may be left: asks where something would be lost.
export async function mayLeave() {
  return guard === null || guard();
}

async function moved() {
  if (ignored) {
    ignored = false;
    return;
  }
  if (guard) {
    const wanted = location.hash;
    const isBack = history.state?.entry !== undefined && history.state.entry < entry;
    asking ??= guard().finally(() => { asking = null; });
    const isLeft = await asking;
    // Somebody went elsewhere meanwhile, and was asked there.
    if (location.hash !== wanted) return;
    if (!isLeft) {
      ignored = true;
      history.go(isBack ? 1 : -1);
      return;
    }
  }
  positions.set(entry, { y: window.scrollY, rows: rows() });
  return follow();
}

/// Lists tell how many rows they show, so that they are as long again after Back.
export function remember(count) {
  rows = count;
}

/// Shows the page of the present address, anew.
export function follow({ isRefined = false } = {}) {
  end();
  const mine = turn;
  const { path, query } = address();
  const found = match(path);
  const known = history.state?.entry;
  if (known === undefined) {
    last += 1;
    entry = last;
    history.replaceState({ entry }, "");
  } else {
    entry = known;
    last = Math.max(last, known);
  }
  const context = {
    params: found?.params ?? {}, query, path, isRefined,
    returning: isRefined || known === undefined ? null : positions.get(entry) ?? null,
    stale: () => mine !== turn,
    onLeave: (action) => (mine === turn ? leave.push(action) : action()),
    guard: (ask) => { if (mine === turn) guard = ask; },
  };
  return show(found?.route ?? null, context);
}

/// Where a link to a page leads.
export function link(path, items = {}) {
  const search = new URLSearchParams(Object.entries(items).filter(([, value]) => value !== undefined && value !== null && value !== ""));
  return `#${path}${search.size ? `?${search}` : ""}`;
}

export const enc = encodeURIComponent;

export function go(path, items) {
  const wanted = link(path, items);
  if (location.hash === wanted) return follow();
  location.hash = wanted;
}

/// Changes the query of the present page without leaving it for the history, and without drawing it anew: the page knows.
export function noteQuery(items) {
  const { path, query } = address();
  history.replaceState({ entry }, "", link(path, { ...query, ...items }));
}

/// The same, and draws the page anew.
export function refine(items) {
  noteQuery(items);
  return follow({ isRefined: true });
}
