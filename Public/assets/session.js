/// Who is signed in, what they may do, and which app they look at.

import { all, call, useSession } from "./api.js";

/// The session as the server answers it; null: nobody is signed in.
export let session = null;
/// The apps that this person reaches.
export let apps = [];

let chosen = null;
/// When they were asked for, on this browser's clock.
let askedAt = 0;
/// The apps of whoever is signed in, asked for before that is known. A list, or null; null: not asked for.
let appsAsked = null;

/// Remembers that somebody signed in here, because scripts cannot see the cookie: whoever comes anew is not asked after.
const trace = "upmc.signed-in";

/// Asks the server who is signed in. False when nobody is.
export async function findSession(whenSignedOut) {
  if (!localStorage.getItem(trace)) return false;
  // At once, because most who come back are signed in.
  appsAsked = all("/apps", {}, { quiet: true }).catch(() => null);
  try {
    take(await call("GET", "/session", undefined, { quiet: true }), whenSignedOut);
    return true;
  } catch (problem) {
    if (problem.status !== 401) throw problem;
    forget();
    return false;
  }
}

export async function signIn(proof, whenSignedOut) {
  take(await call("POST", "/session", proof, { quiet: true }), whenSignedOut);
}

/// How one may sign in here: `{password, identityProvider}`.
export const signInMethods = () => call("GET", "/session/methods", undefined, { quiet: true });

/// Where the browser goes to sign in at the identity provider.
export const beginAtProvider = async () => (await call("POST", "/session/openid", undefined, { quiet: true })).url;

/// With what the identity provider has sent back.
export async function signInByProvider(answer, whenSignedOut) {
  take(await call("POST", "/session/openid/answer", answer, { quiet: true }), whenSignedOut);
}

/// The second factor has been set up: everything is open now.
export const factorIsSet = () => { session = { ...session, hasSecondFactor: true, needsSecondFactor: false }; };

function take(answer, whenSignedOut) {
  session = answer;
  localStorage.setItem(trace, "1");
  useSession(answer.csrfToken, whenSignedOut, (problem, token) => isRenewed(problem, token, whenSignedOut));
}

/// Whether the session is another one than that of the token, because somebody has signed in anew in another tab. Where that
/// is somebody else, the page asks for whoever works on it.
async function isRenewed(problem, token, whenSignedOut) {
  const found = await call("GET", "/session", undefined, { quiet: true }).catch(() => null);
  if (!found || !session || found.csrfToken === token) return false;
  if (found.login !== session.login) return whenSignedOut(problem);
  take(found, whenSignedOut);
  return true;
}

/// - Throws: why the session goes on, for example because the server cannot be reached.
export async function signOut() {
  try {
    // Another tab may have signed in anew since: the session's present token counts.
    useSession((await call("GET", "/session", undefined, { quiet: true })).csrfToken);
    await call("DELETE", "/session", undefined, { quiet: true });
  } catch (problem) {
    // It was over already.
    if (problem.status !== 401) throw problem;
  }
  forget();
}

export function forget() {
  localStorage.removeItem(trace);
  session = null;
  apps = [];
  useSession(null);
}

/// What roles may do, for hiding what would be refused: the server decides. Names are its permissions.
const everyone = ["viewMessages"];
const sender = [...everyone, "send", "control"];
const viewer = [...everyone, "viewPeople"];
const operator = [...sender, ...viewer, "manageGroups", "manageQuarantine", "managePeople", "manageContent", "manageAudiences", "manageEvents", "exportPeople"];
const permissions = { sender, viewer, operator, admin: [...operator, "manageApps", "erasePeople", "manageAccounts", "viewAudit"] };

export const may = (permission) => permissions[session?.role]?.includes(permission) ?? false;

export async function loadApps() {
  const asked = appsAsked;
  appsAsked = null;
  apps = await asked ?? await all("/apps");
  askedAt = Date.now();
  // Each tab has its own; a new one begins with the last that was chosen.
  chosen = sessionStorage.getItem("upmc.app") ?? localStorage.getItem("upmc.app");
  if (chosen !== "" && !apps.some((app) => app.appId === chosen)) chosen = apps.length === 1 ? apps[0].appId : "";
}

/// The apps as they are by now: since somebody signed in, one may have been paused, or may need approval. Those that were
/// asked for seconds ago are new enough.
export async function refreshApps() {
  if (Math.abs(Date.now() - askedAt) < 10_000) return;
  apps = await all("/apps");
  askedAt = Date.now();
}

/// The app that was chosen above; null: all of them.
export const app = () => apps.find((entry) => entry.appId === chosen) ?? null;
/// The chosen app, or the first: for pages that are about one app.
export const oneApp = () => app() ?? apps[0] ?? null;

export function chooseApp(appID) {
  chosen = appID;
  localStorage.setItem("upmc.app", appID);
  sessionStorage.setItem("upmc.app", appID);
}
