/// What came of a test, beside what is being written.

import { h, put } from "../dom.js";
import { watch } from "./live.js";
import { note } from "./notice.js";
import { link } from "../router.js";
import { number, t, word } from "../words.js";

/// Shows in `box` how a test ends: how many devices its network accepted, and why others got nothing.
/// - Returns: what stops following it.
export function followTest(seqno, box) {
  let isOver = false;
  return watch(seqno, (funnel) => {
    const { pending, accepted, targeted, reasons = {} } = funnel;
    const lost = targeted - accepted - pending;
    put(box, note(lost > 0 ? "bad" : "", h("a", { href: link(`/messages/${seqno}`, lost > 0 ? { tab: "failures" } : {}) }, t("compose.test.number", { seqno })), " ",
      pending > 0 ? t("compose.test.waiting", { n: number(pending) }) : t("compose.test.accepted", { n: number(accepted), of: number(targeted) }),
      lost > 0 ? h("ul", null, Object.entries(reasons).map(([reason, count]) => h("li", { "data-reason": reason }, `${word("reason", reason)} · ${number(count)}`))) : null));
    // The column beside the form scrolls by itself, and this is its last part.
    if (!isOver) box.scrollIntoView({ block: "nearest" });
    isOver = pending === 0;
  });
}
