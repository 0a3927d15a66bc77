package import JSON

/// Schemas of the payload that arrives on a device, as `PayloadWriter` writes it, for the API description.
///
/// ```
///   APNs                          FCM
///   the payload itself            data.message: the payload as a JSON text
///   {"aps":…,"mps":…,…}           {"message":"{\"aps\":…,\"mps\":…,…}"}
/// ```
package enum PayloadSchemas {
  package static let all: [JSONTree.Member] = [payload, aps, alert, activityText, sound, mps, data]

  /// Names of the schemas of what a device receives from each network: the payload itself, or FCM's `data`.
  package static let received = (apns: payload.name, fcm: data.name)

  private static let payload: JSONTree.Member = (
    "PushPayload",
    JSONSchema.object(
      """
      What arrives on a phone: through APNs as the payload itself, through FCM as a text in `data` (`PushData`). The members \
      of the message's `data` stand beside these, under their own names.
      """,
      [
        .optional("aps", JSONSchema.reference("PushAPS"), "For the system. Apple's own vocabulary."),
        .optional("mps", JSONSchema.reference("PushMPS"), "For the app: what a receipt and a read are made of."),
        .optional("mdm", JSONSchema.anyText, "The magic word of a push to a managed device, which has nothing else."),
        .optional(
          ContentRules.mediaKey, JSONSchema.anyText,
          "Where the picture, the sound or the film is. Fetch it without a key."),
      ]
    ).adding(
      "additionalProperties", .object([("description", "A member of the message's `data`, of any type.")]))
  )

  private static let aps: JSONTree.Member = (
    "PushAPS",
    JSONSchema.object([
      .optional(
        "alert",
        JSONSchema.oneOf([
          JSONSchema.anyText.titled("PushAlertText"), JSONSchema.reference("PushAlert"),
        ]), "What people see. Of a Live Activity each line may be a text of the app's."),
      .optional("badge", JSONSchema.badgeCount, "The number on the app's icon; 0 removes it."),
      .optional(
        "sound",
        JSONSchema.oneOf([JSONSchema.anyText.titled("PushSoundName"), JSONSchema.reference("PushCriticalSound")]),
        "A file in the app, or `default`."),
      .optional("mutable-content", one, "The app's notification service extension is started."),
      .optional("content-available", one, "The app is woken in the background."),
      .optional("content-changed", JSONSchema.flag, "Controls and widgets are to be loaded anew."),
      .optional("category", JSONSchema.anyText), .optional("thread-id", JSONSchema.anyText),
      .optional("target-content-id", JSONSchema.anyText),
      .optional("interruption-level", JSONSchema.words(InterruptionLevel.allCases.map(\.rawValue))),
      .optional("relevance-score", .object([("type", "number")])), .optional("filter-criteria", JSONSchema.anyText),
      .optional("timestamp", JSONSchema.count, "Of a Live Activity, as all that follow. Seconds since 1970."),
      .optional("event", JSONSchema.words(["start", "update", "end"])),
      .optional("content-state", anyObject), .optional("stale-date", JSONSchema.count, "Seconds since 1970."),
      .optional("dismissal-date", JSONSchema.count, "Seconds since 1970."),
      .optional("attributes-type", JSONSchema.anyText), .optional("attributes", anyObject),
      .optional("input-push-token", one), .optional("input-push-channel", JSONSchema.anyText),
    ])
  )

  private static let alert: JSONTree.Member = (
    "PushAlert",
    JSONSchema.object([
      .optional("title", line("PushTitle")), .optional("title-loc-key", JSONSchema.anyText),
      .optional("title-loc-args", texts), .optional("subtitle", JSONSchema.anyText),
      .optional("subtitle-loc-key", JSONSchema.anyText), .optional("subtitle-loc-args", texts),
      .optional("body", line("PushBody")), .optional("loc-key", JSONSchema.anyText), .optional("loc-args", texts),
      .optional("action-loc-key", JSONSchema.anyText), .optional("launch-image", JSONSchema.anyText),
      .optional("sound", JSONSchema.anyText, "Of a Live Activity only."),
    ])
  )

  private static let activityText: JSONTree.Member = (
    "PushActivityText",
    JSONSchema.object(
      "A text of the app's, in the alert of a Live Activity.",
      [.required("loc-key", JSONSchema.anyText), .optional("loc-args", texts)])
  )

  private static let sound: JSONTree.Member = (
    "PushCriticalSound",
    JSONSchema.object(
      "Heard even when the phone is muted.",
      [
        .required("critical", one), .required("name", JSONSchema.anyText),
        .optional("volume", .object([("type", "number"), ("minimum", .number(0)), ("maximum", .number(1))])),
      ])
  )

  private static let mps: JSONTree.Member = (
    "PushMPS",
    JSONSchema.object(
      "The names are those of apps built with the existing SDK.",
      [
        .required("appid", JSONSchema.appID, "The app."),
        .required("seqno", JSONSchema.sequence, "The message's number."),
        .required("sender", JSONSchema.anyText, "As the send said; `admin` otherwise."),
        .required(
          "senddate", JSONSchema.text(matching: "^[0-9]{10}$"),
          "The hour it was sent, yyyyMMddHH in the app's time zone."),
        .required("db_in", JSONSchema.words(["Y", "N"]), "`N`: its history is not to be kept on the phone."),
        .optional("sms", JSONSchema.words(["Y"]), "An SMS follows unless this push is confirmed."),
        .optional(
          "ext", JSONSchema.anyText,
          "The sender's extra data; where it did not fit, an address that ends in `_ext.html` to fetch it from."),
        .required(
          "pushkey", JSONSchema.text(matching: "^[0-9a-f]{40}$"),
          "Proves a receipt or a read of this message by this token: pass it to /v1/receipts and /v1/reads."),
      ])
  )

  private static let data: JSONTree.Member = (
    "PushData",
    JSONSchema.object(
      "What an app finds in `data` of an FCM message.",
      [
        .required(
          "message",
          JSONSchema.anyText.adding([
            ("contentMediaType", "application/json"), ("contentSchema", JSONSchema.reference("PushPayload")),
          ]), "The payload as a JSON text.")
      ])
  )

  private static func line(_ name: String) -> JSONTree {
    JSONSchema.oneOf([JSONSchema.anyText.titled("\(name)Text"), JSONSchema.reference("PushActivityText")])
  }

  private static let one: JSONTree = .object([("type", "integer"), ("enum", .list([.number(1)]))])
  private static let texts = JSONSchema.list(of: JSONSchema.anyText)
  private static let anyObject: JSONTree = .object([("type", "object")])
}
