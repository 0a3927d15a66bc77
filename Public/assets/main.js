/// The console begins here: words, then who is signed in, then the page of the address.

import { put } from "./dom.js";
import { forgetKept } from "./parts/kept.js";
import { factorIsSet, findSession, loadApps, forget, session, signIn, signInByProvider } from "./session.js";
import { applyTheme } from "./theme.js";
import { follow, start, stop } from "./router.js";
import { frame } from "./frame.js";
import { loadWords, t } from "./words.js";
import { fetchTheRest, registerPages } from "./pages/pages.js";
import { choosePasswordPage, linkCodePage, rememberedPlace, replacePage, signInOver, signInPage } from "./pages/sign-in.js";
import { failure } from "./parts/notice.js";

const root = document.getElementById("root");

async function begin() {
  applyTheme();
  registerPages();
  // A sign-in link's token is used at once and leaves the address, so that it is in no history.
  const token = /^#sign-in=(.+)$/.exec(location.hash)?.[1];
  if (token) history.replaceState(null, "", "#/");
  const answer = providerAnswer();
  try {
    // Who is signed in is asked while the words are on their way, in the language that `loadWords` has chosen by then.
    const [, isSignedIn] = await Promise.all([loadWords(), answer || token ? false : findSession(signedOut)]);
    if (answer) return await enterFromProvider(answer);
    if (token) {
      try {
        await signIn({ link: token }, signedOut);
        return enter();
      } catch (problem) {
        if (problem.code === "upmc:second-factor-needed") return askCode(token);
        return problem.code === "upmc:conflict" ? askWhose(token) : ask(problem);
      }
    }
    return isSignedIn ? enter() : ask();
  } catch (problem) {
    put(root, failure(problem, begin));
  }
}

/// What the identity provider has put into the address, which it leaves at once; null: nothing.
function providerAnswer() {
  const found = new URLSearchParams(location.search);
  // A refusal may come without the state: some providers leave it out. Nothing but its word is shown.
  const isRefusal = /^[a-z_]{1,40}$/.test(found.get("error") ?? "");
  if (!(found.has("code") && found.has("state")) && !isRefusal) return null;
  history.replaceState(null, "", `${location.pathname}${rememberedPlace()}`);
  return { code: found.get("code"), state: found.get("state"), error: found.get("error") };
}

async function enterFromProvider({ code, state, error }) {
  if (!code) return ask({ isOfProvider: true, message: t("sign-in.provider.refused", { error }) });
  try {
    await signInByProvider({ code, state }, signedOut);
    return enter();
  } catch (problem) {
    problem.isOfProvider = true;
    return ask(problem);
  }
}

let asking = null;

/// The session has ended, was ended elsewhere, or is too old for what is asked: whoever works here signs in over the page,
/// and nothing of it is lost. Resolves to true once the same account is signed in again.
function signedOut(problem) {
  if (!session) return Promise.resolve(false);
  asking ??= askOver(problem).finally(() => { asking = null; });
  return asking;
}

async function askOver(problem) {
  const before = session.login;
  const isOver = problem.code !== "upmc:fresh-sign-in-needed";
  const isBack = await signInOver(before, isOver, (proof) => signIn(proof, signedOut));
  if (!isBack) {
    if (isOver) leave(problem);
    return false;
  }
  if (session.login === before && !session.needsPassword && !session.needsSecondFactor) return true;
  stop();
  await enter();
  return false;
}

function leave(problem) {
  forget();
  stop();
  ask(problem);
}

function ask(problem) {
  put(root, signInPage(problem, async (proof) => {
    await signIn(proof, signedOut);
    return enter();
  }));
  root.querySelector("input")?.focus();
}

/// The link's account has a second factor.
function askCode(token, replace = {}) {
  put(root, linkCodePage(token, async (proof) => {
    await signIn({ ...proof, ...replace }, signedOut);
    return enter();
  }));
  root.querySelector("input")?.focus();
}

/// Somebody is signed in, and the link is another account's: whoever follows it is asked first.
async function askWhose(token) {
  if (!await findSession(signedOut)) return ask();
  put(root, replacePage(session.login, enter, async () => {
    try {
      await signIn({ link: token, replace: true }, signedOut);
    } catch (problem) {
      if (problem.code !== "upmc:second-factor-needed") throw problem;
      return askCode(token, { replace: true });
    }
    return enter();
  }));
}

async function enter() {
  if (session.needsPassword) {
    put(root, choosePasswordPage(() => leave()));
    root.querySelector("input")?.focus();
    return;
  }
  if (session.needsSecondFactor) {
    const { enrolPage } = await import("./pages/second-factor.js");
    put(root, await enrolPage(() => {
      factorIsSet();
      return enter();
    }, () => leave()));
    root.querySelector("input")?.focus();
    return;
  }
  await loadApps();
  const { display } = frame(root, { signedOut: () => {
    forgetKept();
    leave();
  }, appChosen: () => follow({ isRefined: true }) });
  await start(display);
  fetchTheRest();
}

begin();
