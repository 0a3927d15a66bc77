/// The places for open streams, shared by all tabs of a browser. A browser has six connections to a server over HTTP/1.1, and
/// a stream takes one for as long as it is open: without a bound, seven windows side by side would leave none for anything
/// else, and the seventh would never load. Decision 139.

/// Streams at once. The other connections stay free for pages.
const places = 3;

/// Waits for a place. `granted` is called with it, `lost` when it has to be given up before its end.
/// - Returns: what ends the waiting, or gives the place back.
export function takePlace(granted, lost) {
  // Over plain HTTP from another machine browsers offer no locks between tabs.
  return navigator.locks ? takeLock(granted) : takeFocus(granted, lost);
}

/// One of a few locks; a tab that is closed or dies gives it back by that.
function takeLock(granted) {
  const waiting = new AbortController();
  let isOver = false;
  let giveBack = null;
  for (let place = 1; place <= places; place += 1) {
    navigator.locks.request(`upmc.stream.${place}`, { signal: waiting.signal }, () => {
      if (isOver || giveBack) return null;
      return new Promise((resolve) => {
        giveBack = resolve;
        waiting.abort();
        granted();
      });
    }).catch(() => {
      // The waiting ended.
    });
  }
  return () => {
    isOver = true;
    waiting.abort();
    giveBack?.();
  };
}

/// The window that has the focus; there is one at most.
function takeFocus(granted, lost) {
  addEventListener("focus", granted);
  addEventListener("blur", lost);
  if (document.hasFocus()) granted();
  return () => {
    removeEventListener("focus", granted);
    removeEventListener("blur", lost);
  };
}
