/// What is being written, kept in this tab at each key: it survives a reload, another language, another app and the end of a
/// session. It belongs to whoever wrote it, and goes when they sign out.

import { session } from "../session.js";

const mark = "upmc.kept.";
let isFree = false;

/// - name: of the form, such as `compose`. - Returns: what was kept of it by this account; null: nothing.
export function kept(name) {
  try {
    const found = JSON.parse(sessionStorage.getItem(mark + name));
    return found?.login === session?.login ? found.value : null;
  } catch {
    return null;
  }
}

export function keep(name, value) {
  try {
    sessionStorage.setItem(mark + name, JSON.stringify({ login: session?.login, value }));
  } catch {
    // A full storage keeps no more; the page itself still has it.
  }
}

export function drop(name) {
  sessionStorage.removeItem(mark + name);
}

export function forgetKept() {
  for (const name of Object.keys(sessionStorage)) if (name.startsWith(mark)) sessionStorage.removeItem(name);
}

/// Has the browser ask before the tab is closed or loaded anew, while `isDirty()`. - Returns: what ends it.
export function askBeforeUnload(isDirty) {
  const ask = (event) => {
    if (!isFree && isDirty()) event.preventDefault();
  };
  window.addEventListener("beforeunload", ask);
  return () => window.removeEventListener("beforeunload", ask);
}

/// Loads the page anew without being asked: everything is kept.
export function reloadFreely() {
  isFree = true;
  location.reload();
}

/// Goes to another site without being asked: everything is kept.
export function leaveFreely(url) {
  isFree = true;
  location.assign(url);
}
