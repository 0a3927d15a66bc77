/// A module that is not there: behind a balancer, while a release is being rolled out, the page may be of one release and the
/// server that answers of another. Loading the page anew mostly makes them one; whoever sits before it says when.

import { h } from "../dom.js";
import { reloadFreely } from "./kept.js";
import { confirm } from "./dialog.js";
import { mayLeave } from "../router.js";
import { t } from "../words.js";

/// Loads a module. - Throws: what says that the release has changed, where the server answers but the module is not there.
export async function loaded(load) {
  try {
    return await load();
  } catch (problem) {
    if (!await answers()) throw problem;
    const changed = new Error(t("release.changed.detail"), { cause: problem });
    throw Object.assign(changed, { title: t("release.changed"), status: 404, isOfOtherRelease: true });
  }
}

async function answers() {
  try {
    return (await fetch("/", { cache: "no-store" })).ok;
  } catch {
    return false;
  }
}

/// Offers to load the page anew where something that opens over a page is not there.
export async function offerReload() {
  const isWanted = await confirm({ title: t("release.changed"), body: h("p", null, t("release.changed.detail")), action: t("release.reload") });
  if (isWanted && await mayLeave()) reloadFreely();
}
