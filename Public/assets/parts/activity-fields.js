/// The fields of a Live Activity within a message.

import { h, put } from "../dom.js";
import { field } from "./form.js";
import { at, set } from "./message-model.js";
import { t, word } from "../words.js";

/// A Live Activity: what happens to it, and what it shows then. Its title and text are the message's own.
export function activityFields({ message, api, checks, touched, text, json, bound, switched }) {
  const isGiven = (event) => (event ? message.liveActivity?.event === event : Boolean(message.liveActivity));
  const seconds = { type: "datetime-local", read: (value) => (value === undefined ? "" : new Date((value - new Date(value * 1000).getTimezoneOffset() * 60) * 1000).toISOString().slice(0, 16)),
    write: (value) => (value ? Math.floor(new Date(value).getTime() / 1000) : undefined) };
  const object = (path, label, more) => json(path, label, { rows: 3, ...more });
  const event = field({ name: "liveActivity.event", label: t("field.activity.event"), type: "select", value: message.liveActivity?.event ?? "", pointer: "/liveActivity/event",
    options: [["", t("field.activity.none")], ...["start", "update", "end"].map((one) => [one, word("field.activity", one)])], onchange: () => {
      const { liveActivity = {} } = message;
      // What one event cannot have goes; what is new is asked for below.
      const { activityId, attributes, inputPushToken, inputPushChannel, dismissalDate, ...rest } = liveActivity;
      const own = { start: { attributes, inputPushToken, inputPushChannel }, update: { activityId }, end: { activityId, dismissalDate } }[event.value];
      set(message, "liveActivity", own ? JSON.parse(JSON.stringify({ ...rest, ...own, event: event.value, timestamp: liveActivity.timestamp ?? Math.floor(Date.now() / 1000) })) : undefined);
      draw();
      touched();
    } });
  event.node.dataset.member = "liveActivity";
  const rest = h("div", { class: "fields" });
  function draw() {
    api.fields = api.fields.filter((one) => one === event || !one.name.startsWith("liveActivity."));
    put(rest, isGiven() ? [
      object("liveActivity.contentState", t("field.activity.contentState"), { hint: t("channels.state.hint"), placeholder: '{"minutes": 12}' }),
      isGiven("start") ? h("div", { class: "fields pair" }, text("liveActivity.attributesType", t("field.activity.attributesType"), { code: true, hint: t("field.activity.attributesType.start") }),
        object("liveActivity.attributes", t("field.activity.attributes")))
        : h("div", { class: "fields pair" }, text("liveActivity.activityId", t("field.activity.activityId"), { code: true, hint: t("field.activity.activityId.hint") }),
          text("liveActivity.attributesType", t("field.activity.attributesType"), { code: true, hint: t("field.activity.attributesType.hint") })),
      isGiven("start") ? h("div", { class: "fields pair" }, switched("liveActivity.inputPushToken", t("field.activity.inputPushToken")),
        text("liveActivity.inputPushChannel", t("field.activity.inputPushChannel"), { code: true, optional: true })) : null,
      h("div", { class: "fields pair" }, bound("liveActivity.timestamp", t("field.activity.timestamp"), { ...seconds, hint: t("field.activity.timestamp.hint") }),
        bound("liveActivity.staleDate", t("field.activity.staleDate"), seconds), isGiven("end") ? bound("liveActivity.dismissalDate", t("field.activity.dismissalDate"), seconds) : null),
    ] : null);
  }
  const lacking = (path, when) => checks.push(() => {
    const place = api.fields.find((one) => one.name === path);
    return place && when() && at(message, path) === undefined ? { field: place, name: place.node.querySelector("label").textContent, text: t("form.needed") } : null;
  });
  lacking("liveActivity.contentState", () => isGiven() && !isGiven("end"));
  lacking("liveActivity.timestamp", () => isGiven());
  for (const path of ["liveActivity.attributesType", "liveActivity.attributes"]) lacking(path, () => isGiven("start"));
  api.fields.push(event);
  draw();
  return [h("p", { class: "hint" }, t("compose.activity.hint")), event.node, rest];
}
