/// Addresses of pages: `#/messages/104?tab=people`. They stay behind the hash, so that the server sees none of them.

let routes = [];
let leave = [];
let show = () => {};
let turn = 0;

/// A page is `async (context) => node`. The context has `params`, `query`, `stale()` (the reader has gone elsewhere) and
/// `onLeave(action)`.
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
  window.addEventListener("hashchange", follow);
  return follow();
}

export function stop() {
  window.removeEventListener("hashchange", follow);
  end();
}

function end() {
  turn += 1;
  for (const action of leave) action();
  leave = [];
}

/// Shows the page of the present address, anew.
export function follow() {
  end();
  const mine = turn;
  const { path, query } = address();
  const found = match(path);
  const context = {
    params: found?.params ?? {}, query, path,
    stale: () => mine !== turn,
    onLeave: (action) => (mine === turn ? leave.push(action) : action()),
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

/// Changes the query of the present page without leaving it for the history.
export function refine(items) {
  const { path, query } = address();
  history.replaceState(null, "", link(path, { ...query, ...items }));
  return follow();
}
