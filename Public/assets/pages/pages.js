/// Which page stands at which address, and what somebody must be allowed to see it.

import { route } from "../router.js";
import { accountsPage } from "./accounts.js";
import { appPage, appsPage } from "./apps.js";
import { approvalPage, approvalsPage } from "./approvals.js";
import { asidePage } from "./aside.js";
import { auditPage } from "./audit.js";
import { composePage } from "./compose.js";
import { dashboardPage } from "./dashboard.js";
import { devicePage, devicesPage } from "./devices.js";
import { explainPage } from "./explain.js";
import { groupPage, groupsPage } from "./groups.js";
import { importPage, importsPage } from "./imports.js";
import { keysPage } from "./keys.js";
import { mediaPage } from "./media.js";
import { messagePage } from "./message.js";
import { messagesPage } from "./messages.js";
import { passwordPage } from "./password.js";
import { peoplePage } from "./people.js";
import { personPage } from "./person.js";
import { draftsPage, sendersPage, templatesPage } from "./saved.js";
import { segmentsPage } from "./segments.js";
import { statisticsPage } from "./statistics.js";
import { webhookPage, webhooksPage } from "./webhooks.js";

export function registerPages() {
  route("/", dashboardPage);
  route("/compose", composePage, { needs: "send" });
  route("/messages", messagesPage);
  route("/messages/:seqno", messagePage);
  route("/messages/:seqno/people/:clientUid", explainPage, { needs: "viewPeople" });
  route("/approvals", approvalsPage, { needs: "managePeople", asks: "/approvals" });
  route("/approvals/:approval", approvalPage, { needs: "managePeople", asks: "/approvals" });
  route("/people", peoplePage, { needs: "viewPeople" });
  route("/people/:app/:clientUid", personPage, { needs: "viewPeople" });
  route("/devices", devicesPage, { needs: "viewPeople" });
  route("/devices/:device", devicePage, { needs: "viewPeople" });
  route("/groups", groupsPage, { needs: "viewPeople" });
  route("/groups/:groupSeq", groupPage, { needs: "viewPeople" });
  route("/segments", segmentsPage, { needs: "viewPeople", asks: "/segments" });
  route("/imports", importsPage, { needs: "managePeople", asks: "/imports" });
  route("/imports/:import", importPage, { needs: "managePeople", asks: "/imports" });
  route("/aside", asidePage, { needs: "manageQuarantine" });
  route("/templates", templatesPage, { needs: "manageContent", asks: "/templates" });
  route("/drafts", draftsPage, { needs: "manageContent", asks: "/drafts" });
  route("/senders", sendersPage, { needs: "manageContent", asks: "/senders" });
  route("/media", mediaPage, { needs: "send" });
  route("/statistics", statisticsPage);
  route("/apps", appsPage);
  route("/apps/:app", appPage);
  route("/webhooks", webhooksPage, { needs: "manageEvents", asks: "/webhooks" });
  route("/webhooks/:webhook", webhookPage, { needs: "manageEvents", asks: "/webhooks" });
  route("/keys", keysPage, { needs: "manageAccounts" });
  route("/accounts", accountsPage, { needs: "manageAccounts" });
  route("/audit", auditPage, { needs: "viewAudit" });
  route("/password", passwordPage);
}
