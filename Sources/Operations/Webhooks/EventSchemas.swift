package import Domain
package import JSON

/// Descriptions and `data` schemas of webhook events, by kind, for the description of the API. A test compares every
/// event that other tests receive with these schemas.
extension EventKind {
  /// Name of the schema of the whole body.
  package var eventName: String { "\(schemaName)Event" }

  /// Description that states when the event occurs.
  package var about: String {
    switch self {
    case .smsRequested:
      """
      A push was not confirmed in time: send an SMS to this person. Once for each person and message. Of a confidential \
      message `phone` is null, because nobody has vouched for the number.
      """
    case .messageFinished: "A message has ended. Its receipts and reads may still come."
    case .messageReopened:
      """
      Takes a `message.finished` back: the network had refused devices because of a setting of ours, and they are sent to \
      after all. Another `message.finished` follows.
      """
    case .deliveriesReceived:
      """
      Devices have confirmed the arrival of a message: up to 500 to an event, a few seconds after the confirmations. Each \
      delivery once.
      """
    case .deliveriesRead: "Users have opened a message on a device, in the same way."
    case .deliveriesFailed:
      """
      A message that has ended did not reach these devices: up to 500 to an event. After a `message.reopened` some are \
      tried again, and the next end tells what failed since.
      """
    case .tokenDropped: "A push network said that a device's token is dead."
    case .deviceAdded: "A user who has a device got another one."
    case .credentialExpiring: "A push certificate ends soon: told 30 days, 7 days and one day before."
    case .webhookTest: "Somebody tries the webhook out."
    }
  }

  /// Example of `data` for the description.
  package var example: String {
    switch self {
    case .smsRequested:
      """
      {"phone":"01012345678","seqno":"104","clientUid":"kim01","clientName":"Kim","unless":"received",\
      "title":"이체 완료","body":"Kim님, 10,000원이 이체되었습니다.","sender":"UMSUI","reference":{"key":"order-7"}}
      """
    case .messageFinished:
      """
      {"seqno":"104","state":"completed","targeted":3,"accepted":2,"rejected":1,"expired":0,"cancelled":0,"skipped":0,\
      "reference":null,"createdAt":"2026-11-21T09:30:00.123Z"}
      """
    case .messageReopened: #"{"seqno":"104","reference":{"key":"order-7"}}"#
    case .deliveriesReceived, .deliveriesRead:
      """
      {"seqno":"104","reference":{"key":"order-7"},"recipients":[\
      {"device":"b7f4a1d0-52c9-8e3b-9a60-0c1d2e3f4a5b","clientUid":"kim01","at":"2026-11-21T09:30:04.000Z"}]}
      """
    case .deliveriesFailed:
      """
      {"seqno":"104","reference":null,"recipients":[\
      {"device":"b7f4a1d0-52c9-8e3b-9a60-0c1d2e3f4a5b","clientUid":"kim01","at":"2026-11-21T09:30:04.000Z",\
      "status":"rejected","reason":"Unregistered"}]}
      """
    case .tokenDropped:
      """
      {"device":"b7f4a1d0-52c9-8e3b-9a60-0c1d2e3f4a5b","clientUid":"kim01","pnsId":"APNS","psidPrefix":"00fc13ad",\
      "deviceId":"5C1F0A5E"}
      """
    case .deviceAdded:
      """
      {"device":"b7f4a1d0-52c9-8e3b-9a60-0c1d2e3f4a5b","clientUid":"kim01","pnsId":"APNS","psidPrefix":"00fc13ad",\
      "deviceId":"5C1F0A5E","identity":"proof"}
      """
    case .credentialExpiring:
      #"{"pnsId":"APNS","credential":"apns-certificate","endsAt":"2026-12-21T09:30:00Z","days":30}"#
    case .webhookTest: "{}"
    }
  }

  /// Schemas of the body and of its `data` for each kind, in the order of the kinds, followed by those of the
  /// recipients to which they refer.
  package static let schemas: [JSONTree.Member] =
    allCases.flatMap { kind in
      [(kind.eventName, kind.event), (kind.schemaName, JSONSchema.object(kind.members))]
    } + [
      ("Recipient", JSONSchema.object(recipient)),
      (
        "FailedRecipient",
        JSONSchema.object(
          recipient + [
            .required("status", JSONSchema.words(["rejected", "expired", "skipped"])),
            .required("reason", JSONSchema.optional(JSONSchema.anyText), "Of the push network, or ours."),
          ])
      ),
    ]

  private static let recipient: [JSONSchema.Property] = [
    .required("device", JSONSchema.uuid),
    .required("clientUid", JSONSchema.optional(JSONSchema.anyText), "Null for a guest."),
    .required("at", JSONSchema.moment, "Confirmed by a clock of the device's, but not before the send; or failed."),
  ]

  private var schemaName: String {
    switch self {
    case .smsRequested: "SMSRequested"
    case .messageFinished: "MessageFinished"
    case .messageReopened: "MessageReopened"
    case .deliveriesReceived: "DeliveriesReceived"
    case .deliveriesRead: "DeliveriesRead"
    case .deliveriesFailed: "DeliveriesFailed"
    case .tokenDropped: "TokenDropped"
    case .deviceAdded: "DeviceAdded"
    case .credentialExpiring: "CredentialExpiring"
    case .webhookTest: "WebhookTest"
    }
  }

  private var event: JSONTree {
    JSONSchema.object(
      about,
      [
        .required(
          "id", JSONSchema.uuid, "The event's id, the same as in `webhook-id`. It may come twice: keep the ids."),
        .required("kind", JSONSchema.words([rawValue])), .required("appId", JSONSchema.appID),
        .required("at", JSONSchema.moment, "When it happened."), .required("data", JSONSchema.reference(schemaName)),
      ])
  }

  private var members: [JSONSchema.Property] {
    switch self {
    case .smsRequested:
      [
        .required("phone", orNull(JSONSchema.anyText), "PHONENUM, as an app built with the existing SDK said it."),
        Self.seqno, .required("clientUid", JSONSchema.anyText), .required("clientName", JSONSchema.anyText),
        .required("unless", JSONSchema.words(Fallback.Condition.allCases.map(\.name)), "What did not happen in time."),
        .optional("title", orNull(JSONSchema.anyText), "Of the push. Absent when it was confidential and is wiped."),
        .optional("body", orNull(JSONSchema.anyText), "Likewise."),
        .optional(
          "confidential", JSONSchema.alwaysTrue, "The texts were sealed until now: keep them no longer than needed."),
        .required("sender", orNull(JSONSchema.anyText)),
        .optional("reference", Self.reference, "As the send said."),
      ]
    case .messageFinished:
      [
        Self.seqno, .required("state", JSONSchema.words(["completed", "cancelled", "expired", "failed"])),
        .required("targeted", orNull(JSONSchema.count), "Devices."), .required("accepted", JSONSchema.count),
        .required("rejected", JSONSchema.count), .required("expired", JSONSchema.count),
        .required("cancelled", JSONSchema.count), .required("skipped", JSONSchema.count),
        .required("reference", orNull(Self.reference), "As the send said."), .required("createdAt", JSONSchema.moment),
      ]
    case .messageReopened: [Self.seqno, .required("reference", orNull(Self.reference), "As the send said.")]
    case .deliveriesReceived, .deliveriesRead, .deliveriesFailed:
      [
        Self.seqno, .required("reference", orNull(Self.reference), "As the send said."),
        .required(
          "recipients",
          JSONSchema.list(
            of: JSONSchema.reference(self == .deliveriesFailed ? "FailedRecipient" : "Recipient"), 1...500)),
      ]
    case .tokenDropped: Self.device + [.required("clientUid", orNull(JSONSchema.anyText), "Null for a guest.")]
    case .deviceAdded:
      Self.device + [
        .required("clientUid", JSONSchema.anyText),
        .required(
          "identity", JSONSchema.words(App.Identity.allCases.map(\.name)), "How it was shown that it is the user's."),
      ]
    case .credentialExpiring:
      [
        Self.network, .required("credential", JSONSchema.anyText, "Its kind."),
        .required("endsAt", JSONSchema.moment, "No push leaves after that."),
        .required("days", .object([("type", "integer"), ("enum", .list([30, 7, 1].map { .number($0) }))])),
      ]
    case .webhookTest: []
    }
  }

  private func orNull(_ schema: JSONTree) -> JSONTree { JSONSchema.optional(schema) }

  private static let seqno = JSONSchema.Property.required("seqno", JSONSchema.sequence, "The message.")
  private static let network = JSONSchema.Property.required(
    "pnsId", JSONSchema.words(PushNetwork.allCases.map(\.pnsID)))
  private static let reference = JSONSchema.reference(SenderReference.object.name)
  private static let device: [JSONSchema.Property] = [
    .required("device", JSONSchema.uuid), network,
    .required("psidPrefix", JSONSchema.anyText, "The first eight characters of the token."),
    .required("deviceId", JSONSchema.anyText, "DEVICE_ID: what the installation calls itself."),
  ]
}
