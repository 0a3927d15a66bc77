/// Which page stands at which address, and what somebody must be allowed to see it. A page's modules are loaded when it is
/// first shown: a browser has six connections to a server, and fetching all of them would hold up the first.

import { loaded } from "../parts/release.js";
import { route } from "../router.js";

/// Named in one place each, so that none is loaded twice under two names.
const modules = {
  accounts: () => import("./accounts.js"),
  approvals: () => import("./approvals.js"),
  apps: () => import("./apps.js"),
  aside: () => import("./aside.js"),
  audit: () => import("./audit.js"),
  "campaign-ranking": () => import("./campaign-ranking.js"),
  channels: () => import("./channels.js"),
  compose: () => import("./compose.js"),
  dashboard: () => import("./dashboard.js"),
  devices: () => import("./devices.js"),
  explain: () => import("./explain.js"),
  groups: () => import("./groups.js"),
  imports: () => import("./imports.js"),
  keys: () => import("./keys.js"),
  media: () => import("./media.js"),
  message: () => import("./message.js"),
  messages: () => import("./messages.js"),
  password: () => import("./password.js"),
  people: () => import("./people.js"),
  person: () => import("./person.js"),
  saved: () => import("./saved.js"),
  security: () => import("./security.js"),
  segments: () => import("./segments.js"),
  server: () => import("./server.js"),
  statistics: () => import("./statistics.js"),
  "test-groups": () => import("./test-groups.js"),
  webhooks: () => import("./webhooks.js"),
};

/// A page that comes from a module of its own.
const page = (module, name) => async (context) => (await loaded(modules[module]))[name](context);

/// Fetches what was not needed yet, once the first page stands and the browser has nothing else to do.
export function fetchTheRest() {
  const idle = window.requestIdleCallback ?? ((action) => setTimeout(action, 2000));
  idle(async () => {
    for (const load of Object.values(modules)) await load().catch(() => {});
  });
}

export function registerPages() {
  route("/", page("dashboard", "dashboardPage"));
  route("/compose", page("compose", "composePage"), { needs: "send" });
  route("/messages", page("messages", "messagesPage"));
  route("/messages/:seqno", page("message", "messagePage"));
  route("/messages/:seqno/people/:clientUid", page("explain", "explainPage"), { needs: "viewPeople" });
  route("/approvals", page("approvals", "approvalsPage"));
  route("/approvals/:approval", page("approvals", "approvalPage"));
  route("/people", page("people", "peoplePage"), { needs: "viewPeople" });
  route("/people/:app/:clientUid", page("person", "personPage"), { needs: "viewPeople" });
  route("/devices", page("devices", "devicesPage"), { needs: "viewPeople" });
  route("/devices/:device", page("devices", "devicePage"), { needs: "viewPeople" });
  route("/groups", page("groups", "groupsPage"), { needs: "viewPeople" });
  route("/groups/:groupSeq", page("groups", "groupPage"), { needs: "viewPeople" });
  route("/segments", page("segments", "segmentsPage"), { needs: "viewPeople" });
  route("/imports", page("imports", "importsPage"), { needs: "managePeople" });
  route("/imports/:import", page("imports", "importPage"), { needs: "managePeople" });
  route("/aside", page("aside", "asidePage"), { needs: "manageQuarantine" });
  route("/templates", page("saved", "templatesPage"), { needs: "manageContent" });
  route("/channels", page("channels", "channelsPage"));
  route("/drafts", page("saved", "draftsPage"), { needs: "manageContent" });
  route("/senders", page("saved", "sendersPage"), { needs: "manageContent" });
  route("/test-groups", page("test-groups", "testGroupsPage"), { needs: "manageContent" });
  route("/media", page("media", "mediaPage"), { needs: "send" });
  route("/statistics", page("statistics", "statisticsPage"));
  route("/statistics/campaigns", page("campaign-ranking", "campaignRankingPage"));
  route("/server", page("server", "serverPage"), { needs: "manageQuarantine" });
  route("/apps", page("apps", "appsPage"));
  route("/apps/:app", page("apps", "appPage"));
  route("/webhooks", page("webhooks", "webhooksPage"), { needs: "manageEvents" });
  route("/webhooks/:webhook", page("webhooks", "webhookPage"), { needs: "manageEvents" });
  route("/keys", page("keys", "keysPage"), { needs: "manageAccounts" });
  route("/accounts", page("accounts", "accountsPage"), { needs: "manageAccounts" });
  route("/audit", page("audit", "auditPage"), { needs: "viewAudit" });
  route("/password", page("password", "passwordPage"));
  route("/security", page("security", "securityPage"));
}
