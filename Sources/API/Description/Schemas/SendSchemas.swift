internal import JSON
internal import Domain

/// What a send says.
extension Schemas {
  static let send: [JSONTree.Member] = [
    (
      "Send",
      JSONSchema.object(
        "A message. It needs what its push type shows: an `alert`, a `badge`, `contentAvailable` …", isClosed: true,
        [
          .needed("appId", JSONSchema.appID, "APP_ID: whose devices."),
          .needed("audience", JSONSchema.reference("Audience")),
        ] + sayable + [
          .optional(
            "template", JSONSchema.reference("SegmentNumber"),
            "The number of a template of the app: what it says stands for what is not said here."),
          .optional("dryRun", JSONSchema.flag, "Try it out: nothing is stored."),
          .optional("reference", JSONSchema.reference("SenderReference")),
        ])
    ),
    ("KeptMessage", JSONSchema.object("What a send says, whoever gets it.", isClosed: true, sayable)),
    (
      "Audience",
      JSONSchema.oneOf([
        only("all", JSONSchema.constant(.flag(true)), "Everyone of the app, guests included."),
        only("members", JSONSchema.flag, "Those with a user (true), or guests only (false)."),
        only(
          "clientUids", entries(JSONForm<String>.clientUID.schema.adding("not", JSONSchema.constant("GUEST"))),
          "These users, on all their devices. `GUEST` is no audience."),
        only("devices", entries(JSONSchema.uuid), "These devices, by our ids."),
        only("psids", entries(JSONSchema.text(upTo: Domain.Limits.psidBytes)), "These devices, by their push tokens."),
        only("groups", entries(JSONSchema.reference("GroupSeq")), "These groups and all below them."),
        only(
          "segment", JSONSchema.oneOf([JSONSchema.reference("SegmentNumber"), JSONSchema.reference("Segment")]),
          "Devices of which something is true: a saved segment by its number, or its conditions here."),
        only("csv", JSONSchema.reference("SegmentNumber"), "The users of an uploaded file, by its number."),
      ]).adding("description", "Who gets it: exactly one of these. A device gets a message once.")
    ),
    (
      "GroupSeq",
      JSONSchema.oneOf([JSONSchema.sequence, JSONSchema.number(1...999_999_999_999_999_999)])
        .adding("description", "GROUPSEQ, as text or as a number.")
    ),
    (
      "SegmentNumber",
      JSONSchema.oneOf([JSONSchema.sequence, JSONSchema.number(1...999_999_999_999_999_999)])
        .adding("description", "As text or as a number.")
    ),
    (
      "BadgeRequest",
      JSONSchema.oneOf([
        only(
          "increment", JSONSchema.badge,
          "The user's count grows by this, once per message; the payload shows the new count."),
        only("set", JSONSchema.badge, "The count becomes this."),
        only("clear", JSONSchema.constant(.flag(true)), "The count becomes 0."),
      ]).adding("description", "What happens to the badge. Absent: the icon stays as it is.")
    ),
  ]

  /// What a send says, and a template or a sender may keep: without whom it is for.
  static let sayable: [JSONSchema.Property] =
    contentFields + [
      .optional(
        "lane", JSONSchema.words(Lane.allCases.map(\.name)),
        "A full lane never delays the one before it. `normal` by default."),
      .optional(
        "kind", JSONSchema.words(MessageKind.allCases.map(\.rawValue)),
        """
        `ad` goes only to devices that agreed to advertising, at night only to those that agreed to that too (the \
        others get it in the morning), and must begin as the app's rules for ads say; `essential` (one-time passwords, \
        alarms) even to those that withdrew consent to notifications; `notice` by default. Others are skipped, reason \
        `consent`.
        """),
      .optional(
        "confidential", JSONSchema.flag,
        """
        What it says is sealed from the moment it is accepted, stands in no list, export or log, and is wiped when the \
        message, its short messages and their events are over, a day after its end at the latest; sending it again is then \
        409 `upmc:content-wiped`. It does not move to a page. In apps whose identity is `proof` or `strict` it goes only to \
        devices whose user somebody has vouched for; the others are skipped as `unproved`. Messages of the app's \
        `confidentialLanes` are confidential without it.
        """),
      .optional(
        "expiresIn", JSONSchema.duration(Domain.Limits.expirySeconds),
        "Nothing is sent later than this after it was due; a day by default."),
      .optional(
        "inbox", JSONSchema.duration(Domain.Limits.inboxSeconds),
        """
        It stays in the inboxes of its persons for so long after its time (`GET /v1/devices/{device}/inbox`): of everybody \
        whom it was meant for and whose consents let it go, whether a push came or not, and whatever `dbIn` says. It needs an \
        `alert`, and is never had for a confidential message. In none by default.
        """),
      .optional("dbIn", JSONSchema.flag, "DB_IN: keep the history of each recipient. True by default."),
      .optional(
        "sms", JSONSchema.flag,
        """
        Ask for a short message (the event `sms.requested`, once for each person) if the push is not confirmed in time.
        """),
      .optional("fallback", JSONSchema.reference("Fallback")),
      .optional("sender", JSONSchema.text(upTo: 64), "Who sends, as the payload says; `admin` by default."),
      .optional(
        "onUnknown", JSONSchema.words(["resend", "skip"]),
        "When nobody knows whether a push arrived: send it again (default), or rather not."),
      .optional("pace", JSONSchema.reference("Pace")),
      .optional("canary", JSONSchema.reference("Canary")),
      .optional("sendAt", JSONSchema.moment, "When it goes out. Not beside `localTime`."),
      .optional("localTime", localTime, "When it goes out, by each device's own clock."),
      .optional("repeat", JSONSchema.reference("Repetition")),
      .optional("window", JSONSchema.reference("SendWindow")),
    ]

  /// An object with exactly this member.
  private static func only(_ name: String, _ schema: JSONTree, _ about: String) -> JSONTree {
    JSONSchema.object(isClosed: true, [.needed(name, schema, about)])
  }

  private static func entries(_ entry: JSONTree) -> JSONTree {
    JSONSchema.list(of: entry, 1...Domain.Limits.audienceEntries)
  }
}
