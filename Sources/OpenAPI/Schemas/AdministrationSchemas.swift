internal import Domain
internal import Operations

/// Apps, groups, quarantine; and the server itself.
extension Schemas {
  static let administration: [Node.Member] = [
    (
      "NewGroup",
      Schema.object(
        isClosed: true,
        [
          .needed("appId", Schema.appID), .needed("name", Schema.text(upTo: Domain.Limits.groupNameBytes)),
          .optional("parent", Schema.optional(Schema.reference("GroupSeq")), "The group above it; absent at the top."),
        ])
    ),
    ("GroupCreated", Schema.object([.needed("groupSeq", Schema.sequence, "GROUPSEQ.")])),
    (
      "App",
      Schema.object([
        .needed("appId", Schema.appID), .needed("name", Schema.anyText),
        .needed("timeZone", Schema.anyText, "IANA name."), .needed("clientKey", Schema.anyText),
        .needed("devicePolicy", devicePolicies, "`single`: a user has one device, the last registered."),
        .needed("userProof", Schema.flag, "Naming a user needs a proof."),
        .needed("badgeSync", Schema.flag, "A user's other devices are told new counts."),
        .needed("deviceSends", Schema.count, "Messages that one device may send in a minute."),
        .needed("pausedReason", Schema.optional(Schema.anyText), "Why it is paused; null when it is not."),
      ])
    ),
    (
      "QuarantinePage",
      Schema.object([
        .needed(
          "items",
          Schema.list(
            of: Schema.object([
              .needed("device", Schema.uuid), .needed("clientUid", Schema.optional(Schema.anyText)),
              .needed("pnsId", networks), .needed("environment", environments),
              .needed("psidPrefix", Schema.anyText, "The first eight characters of the push token."),
              .needed("reason", Schema.anyText, "In the network's own word."),
              .needed("seqno", Schema.sequence, "The message that was refused."), .needed("at", Schema.moment),
            ]))), nextCursor,
      ])
    ),
    (
      "Restoration",
      Schema.oneOf([
        restoration("device", Schema.uuid, "This one."),
        restoration("since", Schema.moment, "Those put aside since."),
        restoration("all", Schema.constant(.flag(true)), "Everyone."),
      ])
    ),
    ("Restored", Schema.object([.needed("restored", Schema.count, "Devices that came back.")])),
  ]

  static let server: [Node.Member] = [
    ("Health", Schema.object([.needed("status", Schema.constant("ok"))])),
    ("Document", .object([("type", "object"), ("description", "An OpenAPI 3.1 document.")])),
    (
      "Readiness",
      Schema.object([
        .needed("status", Schema.words(["ok", "degraded"])),
        .needed("complaints", Schema.list(of: Schema.anyText), "What keeps pushes from leaving."),
        .needed("credentials", Schema.count), .needed("lastAcceptedAt", Schema.optional(Schema.moment)),
        .needed("overdueDeliveries", Schema.count), .needed("nodes", Schema.count),
      ])
    ),
    ("Text", .object([("type", "string"), ("description", "Plain text.")])),
    ("Page", .object([("type", "string"), ("description", "HTML.")])),
  ]

  static let devicePolicies = Schema.words([App.DevicePolicy.multi.name, App.DevicePolicy.single.name])

  private static func restoration(_ name: String, _ schema: Node, _ about: String) -> Node {
    Schema.object(isClosed: true, [.needed("appId", Schema.appID), .needed(name, schema, about)])
  }
}
