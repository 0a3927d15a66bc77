/// The way to the first push: app, credential, device, message. Shown in place of the dashboard until one was sent.

import { all, get, query } from "../api.js";
import { h } from "../dom.js";
import { head } from "../parts/notice.js";
import { link } from "../router.js";
import { apps, may } from "../session.js";
import { t } from "../words.js";
import { every } from "../parts/live.js";
import { follow } from "../router.js";

let begun = false;

/// True once any message was sent; asked for until then.
export async function isBegun() {
  begun ||= (await get("/messages?limit=1")).items.length > 0;
  return begun;
}

export async function beginPage(context) {
  const first = apps[0];
  const credentials = first && may("manageApps") ? await all("/credentials").catch(() => null) : null;
  const hasCredential = credentials === null ? Boolean(first) : credentials.length > 0;
  const ready = credentials?.[0]?.appId ?? first?.appId;
  const hasDevice = first && may("viewPeople") ? await anyDevice() : false;
  const steps = [
    { key: "app", done: Boolean(first), href: "#/apps", needs: "manageApps" },
    { key: "credential", done: hasCredential, href: first ? link(`/apps/${first.appId}`) : "#/apps", needs: "manageApps" },
    { key: "device", done: hasDevice, href: ready ? link(`/apps/${ready}`) : "#/apps", needs: "viewPeople" },
    { key: "push", done: false, href: "#/compose", needs: "send" },
  ];
  const now = steps.findIndex((step) => !step.done);
  // The third step is done elsewhere: a device registers by itself.
  if (steps[now]?.key === "device") {
    context.onLeave(every(3000, async () => {
      if (await anyDevice()) follow();
    }));
  }
  return h("div", null, head(t("begin.title"), { detail: t("begin.detail") }),
    h("section", { class: "card" }, h("ol", { class: "begin" }, steps.map((step, index) => h("li", { class: step.done ? "done" : index === now ? "now" : "", value: index + 1 },
      h("div", null, h("h2", null, t(`begin.${step.key}`), step.done ? h("span", { class: "unseen" }, ` (${t("begin.done")})`) : null),
        h("p", { class: "soft" }, t(`begin.${step.key}.detail`))),
      may(step.needs) && !step.done && index <= now ? h("a", { class: `button ${index === now ? "main" : ""}`, href: step.href }, t(`begin.${step.key}.do`)) : null)))));
}

async function anyDevice() {
  for (const entry of apps.slice(0, 20)) {
    const page = await get(`/devices${query({ appId: entry.appId, limit: 1 })}`);
    if (page.items.length > 0) return true;
  }
  return false;
}
