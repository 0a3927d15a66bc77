/// The sections of the console, for the way in at the left and for the palette.

import { may, session } from "../session.js";

/// Sections, and what in them needs a permission.
export const ways = [
  { items: [
    { path: "/", icon: "home", key: "nav.dashboard" },
    { path: "/compose", icon: "compose", key: "nav.compose", needs: "send" },
    { path: "/messages", icon: "messages", key: "nav.messages" },
    { path: "/approvals", icon: "audit", key: "approvals.title" },
  ] },
  { key: "nav.audience", items: [
    { path: "/people", icon: "people", key: "nav.people", needs: "viewPeople" },
    { path: "/devices", icon: "devices", key: "nav.devices", needs: "viewPeople" },
    { path: "/groups", icon: "groups", key: "nav.groups", needs: "viewPeople" },
    { path: "/segments", icon: "segments", key: "nav.segments", needs: "viewPeople" },
    { path: "/imports", icon: "imports", key: "nav.imports", needs: "managePeople" },
    { path: "/aside", icon: "aside", key: "nav.aside", needs: "manageQuarantine" },
  ] },
  { key: "nav.content", items: [
    { path: "/drafts", icon: "compose", key: "nav.drafts", needs: "manageContent" },
    { path: "/templates", icon: "templates", key: "nav.templates", needs: "manageContent" },
    { path: "/channels", icon: "channels", key: "nav.channels" },
    { path: "/senders", icon: "accounts", key: "nav.senders", needs: "manageContent" },
    { path: "/test-groups", icon: "people", key: "nav.testers", needs: "manageContent" },
    { path: "/media", icon: "media", key: "nav.media", needs: "send" },
  ] },
  { key: "nav.insight", items: [{ path: "/statistics", icon: "statistics", key: "nav.statistics" }] },
  { key: "nav.administration", items: [
    { path: "/apps", icon: "apps", key: "nav.apps", needs: "manageApps" },
    { path: "/webhooks", icon: "webhooks", key: "nav.webhooks", needs: "manageEvents" },
    { path: "/keys", icon: "keys", key: "nav.keys", needs: "manageAccounts" },
    { path: "/accounts", icon: "accounts", key: "nav.accounts", needs: "manageAccounts" },
    { path: "/audit", icon: "audit", key: "nav.audit", needs: "viewAudit" },
    { path: "/server", icon: "channels", key: "nav.server", needs: "manageQuarantine", isOfAllApps: true },
  ] },
];

/// Whether whoever is signed in may see a section.
export const isOpen = (item) => (!item.needs || may(item.needs)) && !(item.isOfAllApps && session.appId);
