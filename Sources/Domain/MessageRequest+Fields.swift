package import JSON
internal import Time

/// The members of a send, with their parsing and their API description.
extension MessageRequest {
  static let object = JSONObject(
    "Send", about: "A message. It needs what its push type shows: an `alert`, a `badge`, `contentAvailable` …",
    from: MessageRequest(),
    [
      .required("appId", .appID, \.appID, "APP_ID: whose devices."),
      .required(
        "audience", Audience.choice.form, \.audience, missing: "is needed: {\"all\":true}, {\"clientUids\":[…]} …"),
    ] + sayable + [
      .elsewhere(
        "template", JSONSchema.reference("SegmentNumber"),
        "The number of a template of the app: what it says stands for what is not said here."),
      .given("dryRun", .flag, \.dryRun, "Try it out: nothing is stored."),
      .given(
        "test", .flag, \.isTest,
        "A trial to users or devices that are named: it goes out as any other, is listed as a test, and counts in no statistics."
      ),
      .given("reference", SenderReference.object.form, \.reference),
      JSONField.given("from", SenderDevice.object.form, \.origin).unlisted,
      JSONField.given("sealed", .flag, \.isContentSealed).stored,
    ])

  /// The schemas of a send, in the order of the description.
  package static let schemas: [JSONTree.Member] = [
    object.named, ("KeptMessage", kept.schema), Audience.choice.named, SequenceNumber.groupSeqSchema,
    SequenceNumber.numberSchema, BadgeRequest.choice.named,
  ]

  package static let timingSchemas: [JSONTree.Member] = [
    Fallback.object.named, Pace.named, Canary.named, Repetition.object.named, SendWindow.object.named,
  ]

  private static let kept = JSONObject(
    "KeptMessage", about: "What a send says, whatever its recipients.", from: MessageRequest(), sayable)

  /// The members of a send that a template may contain: everything that does not concern its recipients.
  private static let sayable: [JSONField<MessageRequest>] =
    MessageContent.texts.map { $0.placed(\.content) } + [.given("badge", BadgeRequest.choice.form, \.badge)]
    + MessageContent.settings.map { $0.placed(\.content) } + course

  /// The members of a send that determine how, when and to which devices of the audience a message is sent.
  private static let course: [JSONField<MessageRequest>] = [
    .given("lane", .lane, \.lane, "A full lane never delays the one before it. `normal` by default."),
    .given(
      "kind", .words(MessageKind.allCases), \.kind,
      """
      `ad` goes only to devices that agreed to advertising, at night only to those that agreed to that too (the \
      others get it in the morning), and must begin as the app's rules for ads say; `essential` (one-time passwords, \
      alarms) even to those that withdrew consent to notifications; `notice` by default. Others are skipped, reason \
      `consent`.
      """),
    .given(
      "confidential", .flag, \.isConfidential,
      """
      What it says is sealed from the moment it is accepted, stands in no list, export or log, and is wiped when the \
      message, its short messages and their events are over, a day after its end at the latest; sending it again is then \
      409 `upmc:content-wiped`. It does not move to a page. In apps whose identity is `proof` or `strict` it goes only to \
      devices whose user somebody has vouched for; the others are skipped as `unproved`. Messages of the app's \
      `confidentialLanes` are confidential without it.
      """),
    .given(
      "expiresIn", .seconds(Domain.Limits.expirySeconds), \.expiresInSeconds,
      "Nothing is sent later than this after it was due; a day by default."),
    .given(
      "inbox", .seconds(Domain.Limits.inboxSeconds), \.inboxSeconds,
      """
      It stays in the inboxes of its persons for so long after its time (`GET /v1/devices/{device}/inbox`): of everybody \
      whom it was meant for and whose consents let it go, whether a push came or not, and whatever `dbIn` says. It needs an \
      `alert`, and is never had for a confidential message. In none by default.
      """),
    .given("dbIn", .flag, \.dbIn, "DB_IN: keep the history of each recipient. True by default."),
    .given(
      "sms", .flag, \.sms,
      """
      Ask for a short message (the event `sms.requested`, once for each person) if the push is not confirmed in time.
      """),
    .given("fallback", Fallback.object.form, \.fallback),
    .given("sender", .text(upTo: 64), \.sender, "Who sends, as the payload says; `admin` by default."),
    .given(
      "onUnknown", unknownPolicy, \.onUnknown,
      "When nobody knows whether a push arrived: send it again (default), or rather not."),
    .given("pace", .pace, \.pace), .given("canary", .canary, \.canary),
    .given("sendAt", .moment, "When it goes out. Not beside `localTime`.") { $0.set(.at($1)) },
    .given("localTime", .localTime, "When it goes out, by each device's own clock.") { $0.set(.local($1)) },
    .given("repeat", Repetition.object.form, \.repetition), .given("window", SendWindow.object.form, \.window),
  ]

  private static let unknownPolicy = JSONForm<String>.words(["resend", "skip"]).mapped(
    by: { $0 == "skip" ? UnknownPolicy.skip : .resend }, else: "is not known",
    written: { $0 == .skip ? "skip" : "resend" })

  private mutating func set(_ timing: Timing) {
    self.timing = timing
    timingCount += 1
  }
}

extension BadgeRequest {
  static let choice = JSONChoice<BadgeRequest>(
    "BadgeRequest", "What happens to the badge. Absent: the icon stays as it is.",
    [
      .of(
        "increment", .badge, "The user's count grows by this, once per message; the payload shows the new count."
      ) { .increment($0) },
      .of("set", .badge, "The count becomes this.") { .set($0) },
      .of("clear", .alwaysTrue, "The count becomes 0.") { _ in .clear },
    ])
}

extension JSONForm<Canary> {
  fileprivate static let canary = JSONForm(
    JSONSchema.reference("Canary"), read: { (reader) throws(JSONError) in try Canary.read(&reader) })
}

extension JSONReader {
  /// Parses a value that a badge can be set to: a number in 1…1000. Throws the sentence `Problem.badgeRange` for
  /// anything else.
  package mutating func readBadge() throws(JSONError) -> Int16 {
    let refusal = JSONError(Problem.badgeRange)
    guard try peek() == .number else { throw refusal }
    let number: Int64
    do {
      number = try readInteger()
    } catch {
      throw refusal
    }
    guard let value = Int16(exactly: number), Domain.Limits.badgeValue.contains(value) else { throw refusal }
    return value
  }
}
