/// What changes while somebody looks: a message's numbers and the dashboard by server-sent events, anything else by asking
/// again.

import { get, query } from "../api.js";
import { takePlace } from "./places.js";

/// Follows a message until it is final or what this returns is called. `changed(funnel)` for every change,
/// `connected(true or false)` as the stream comes and goes. Where it cannot be had, the numbers are asked for instead.
export function watch(seqno, changed, connected) {
  return stream(() => new EventSource(`/v1/admin/messages/${seqno}/events`), "funnel", changed,
    () => get(`/messages/${seqno}`), connected);
}

/// Follows what happens in an app, or in all, in the same way.
/// - look: asks for what the stream would tell.
export function watchOverview(scope, changed, look, connected) {
  return stream(() => new EventSource(`/v1/admin/overview/events${query(scope)}`), "overview", changed, look, connected);
}

/// Failures of a stream one after the other, after which the page asks instead.
const patience = 3;
/// Milliseconds after which a stream that failed is tried again. The page asks meanwhile.
const retryPace = 30_000;

/// A page that is seen listens when it has a place among the streams of this browser (`places.js`). It asks now and then
/// while it has none, and until it hears something: a proxy may keep back an answer that has no end. A hidden page does
/// neither.
function stream(open, name, changed, look, connected = () => {}) {
  let timer;
  let retry;
  let isOver = false;
  let isEnded = false;
  let failures = 0;
  let source = null;
  let giveBack = null;
  /// Counts what was begun: an answer of something earlier begins nothing more.
  let round = 0;
  document.addEventListener("visibilitychange", turn);
  turn();

  /// Listens while somebody sees the page, and not otherwise.
  function turn() {
    if (isOver) return;
    if (document.hidden) {
      rest();
      connected(false);
    } else if (!isEnded && source === null && timer === undefined) {
      // Until there is a place; mostly it is there at once.
      timer = setTimeout(ask, 1000);
      giveBack = takePlace(follow, leave);
    }
  }

  function stopAsking() {
    round += 1;
    clearTimeout(timer);
    timer = undefined;
  }

  function rest() {
    stopAsking();
    source?.close();
    source = null;
    clearTimeout(retry);
    giveBack?.();
    giveBack = null;
  }

  /// The place is another window's now.
  function leave() {
    if (source === null) return;
    source.close();
    source = null;
    connected(false);
    stopAsking();
    timer = setTimeout(ask, 1000);
  }

  function follow() {
    if (isOver || isEnded || source !== null) return;
    source = open();
    source.addEventListener(name, (event) => {
      stopAsking();
      failures = 0;
      connected(true);
      changed(JSON.parse(event.data));
    });
    // The server says so when nothing will change any more; without it the browser would connect again.
    source.addEventListener("end", () => {
      isEnded = true;
      rest();
      connected(false);
    });
    source.onerror = () => {
      connected(false);
      failures += 1;
      if (source?.readyState === EventSource.CLOSED || failures > patience) {
        rest();
        // It may be had later: the server was away, or too busy. Then one further failure is enough.
        failures = patience;
        retry = setTimeout(() => {
          rest();
          turn();
        }, retryPace);
        ask();
      } else if (source !== null && timer === undefined) {
        // The browser connects again by itself.
        timer = setTimeout(ask, 4000);
      }
    };
  }

  async function ask() {
    if (isOver || document.hidden) return;
    const mine = (round += 1);
    try {
      const now = await look();
      if (mine !== round) return;
      changed(now);
    } catch {
      // The next look may do better.
    }
    if (mine === round && !isOver && !document.hidden) timer = setTimeout(ask, 4000);
  }

  return () => {
    isOver = true;
    document.removeEventListener("visibilitychange", turn);
    rest();
  };
}

/// Calls `look` now and then, not while the page is hidden. - Returns: what ends it.
export function every(milliseconds, look) {
  let isOver = false;
  let timer;
  async function turn() {
    if (isOver) return;
    if (!document.hidden) await look().catch(() => {});
    if (!isOver) timer = setTimeout(turn, milliseconds);
  }
  timer = setTimeout(turn, milliseconds);
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
