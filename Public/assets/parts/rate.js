/// How fast a message goes out, and when it will be done, measured while somebody looks.

import { number, t, timeText } from "../words.js";

/// Over the last half minute: what was decided of a message, by its numbers as they came.
export function progress() {
  const seen = [];
  const decided = (funnel) => funnel.accepted + funnel.rejected + funnel.expired + funnel.skipped;
  return {
    add(funnel) {
      const now = Date.now();
      seen.push([now, decided(funnel)]);
      while (seen.length > 2 && seen[0][0] < now - 30_000) seen.shift();
    },
    words(funnel) {
      if (!["queued", "sending"].includes(funnel.state) || seen.length < 2) return "";
      const seconds = (seen.at(-1)[0] - seen[0][0]) / 1000;
      const rate = (seen.at(-1)[1] - seen[0][1]) / Math.max(seconds, 1);
      if (seconds < 2 || rate <= 0) return "";
      const rest = (funnel.pending ?? 0) / rate;
      return t("message.rate", { n: number(rate < 10 ? Math.round(rate * 10) / 10 : Math.round(rate)), at: timeText(Date.now() + rest * 1000, rest > 43_200 ? undefined : { hour: "2-digit", minute: "2-digit" }) });
    },
  };
}
