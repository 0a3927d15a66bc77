/// How much storage an app's uploads use, shown where files are uploaded, so that nobody first learns of the limit from a
/// refusal.

import { get } from "../api.js";
import { h, put } from "../dom.js";
import { note } from "./notice.js";
import { enc } from "../router.js";
import { may } from "../session.js";
import { language, number, t } from "../words.js";

const size = (bytes) => `${new Intl.NumberFormat(language, { maximumFractionDigits: 1 }).format(bytes / 2 ** 30)} GiB`;

const kinds = {
  media: (found) => [found.mediaBytes, found.mediaLimit, size], audiences: (found) => [found.audienceBytes, found.audienceLimit, size],
  imports: (found) => [found.importParts, found.importPartsLimit, number],
};

/// - Returns: `{node, look()}`: the line, and a function that loads it again. The line is empty for those who may not send.
export function roomLine(appID, kind) {
  const node = h("div", { "data-room": kind });
  async function look() {
    if (!may("send")) return;
    const found = await get(`/apps/${enc(appID)}/storage`).catch(() => null);
    if (!found) return;
    const [taken, limit, shown] = kinds[kind](found);
    const words = t(`room.${kind}`, { taken: shown(taken), limit: shown(limit) });
    put(node, taken < 0.9 * limit ? h("p", { class: "soft small" }, words) : note("warn", words, " ", t(kind === "imports" ? "room.full.imports" : "room.full")));
  }
  return { node, look };
}
