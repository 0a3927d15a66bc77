internal import Crypto
package import Domain
package import JSON
internal import Postgres
internal import Store
internal import Time

/// Result of a dry run: the size of the audience, a payload for each push network and each language, notes for the
/// sender, and why the message would be refused for its size or for lack of a public URL. Nothing is stored.
package struct DryRun: Sendable {
  /// Payload for one recipient.
  package struct Sample: Sendable {
    package let network: PushNetwork
    package let device: DeviceID
    /// Language of the text; nil for the text that is used if no language matches.
    package let language: String?
    package let payload: [UInt8]
  }

  /// Number of devices; nil if there are too many to count in the request.
  package let targeted: Int64?
  /// JSON array of the audience's entries that match no active device or no group.
  package let unknown: [UInt8]
  package let headers: PushHeaders
  package let samples: [Sample]
  /// Notes for the sender: what the app needs in order to show the message as intended, and how the message differs
  /// from the request. Empty if there are none.
  package let notes: [Sentence]
  /// Why a send would refuse the message for its size or for lack of a public URL; empty if it would not.
  package let refusals: [Problem]

  /// Resolves the audience of a message, checks its size and media as a send would, and builds its sample payloads. The
  /// caller has checked everything else. If there are `refusals`, the samples show the content as it is in the request;
  /// otherwise as it would be sent.
  /// - Parameter hosting: addresses of the pages to which content moves that does not fit.
  /// - Throws: what a send would throw for the audience and the media. A payload that is too large and a missing public
  ///   URL are not thrown, but become `refusals`.
  init(
    _ message: MessageRequest, _ app: App, hosting: ContentHosting, on connection: Connection, now: Timestamp
  ) throws(Problem) {
    let audience = try ResolvedAudience(message.audience, of: app.number, on: connection, now: now)
    targeted = audience.targeted
    unknown = audience.unknownJSON
    var shown = message
    shown.content.android = (message.content.android ?? AndroidContent()).over(app.android)
    headers = PushHeaders(shown, appID: app.appID, seqno: .zero)
    shown.content.appHasExtension = app.hasExtension
    var notes = ContentNotes.notes(message.content)
    notes += try ExtensionCheck.notes(shown, app, on: connection)
    notes += try AdvertisingRules.notes(message, app, on: connection)
    do {
      let plan = try HostingPlan(message, audience, app, hosting, on: connection, now: now)
      shown.content = shown.content.replacing(plan.links)
      notes += plan.notes
      refusals = []
    } catch  where error.code == .payloadTooLarge || error.code == .notConfigured {
      refusals = [error]
    }
    samples = try Self.samples(shown, audience, app, connection, now)
    self.notes = notes
  }

  private static func samples(
    _ message: MessageRequest, _ audience: ResolvedAudience, _ app: App, _ connection: Connection, _ now: Timestamp
  ) throws(Problem) -> [Sample] {
    var members: [PushNetwork: Audiences.Member] = [:]
    for member in try audience.samples(of: app.number, on: connection, now: now) where members[member.network] == nil {
      members[member.network] = member
    }
    guard !members.isEmpty else { return [] }
    let users = Set(members.values.map { Users.Key(app: app.number, userKey: $0.userKey) })
    let known = try connection.answer(Users.find(users))
    let lines: [UserKey: CSVAudiences.Values] =
      if let csv = message.csv {
        try connection.answer(CSVAudiences.values(csv, of: Set(members.values.map(\.userKey))))
      } else {
        [:]
      }
    let sendDate = try connection.answer(Messages.sendDate(at: now, timeZone: app.timeZone))
    let template = PayloadTemplate(message, seqno: .zero, sendDate: sendDate)
    // A random key, because the pushkey of a message that is not stored must not be valid.
    let keys = PushKeyring(present: SymmetricKey.random())
    let languages = [nil] + message.content.translations.map(\.language.tag)
    return members.values.sorted { $0.network.rawValue < $1.network.rawValue }.flatMap { member in
      let user = known[Users.Key(app: app.number, userKey: member.userKey)] ?? (badge: 0, name: "")
      let line = lines[member.userKey]
      return languages.enumerated().map { place, language in
        let recipient = PayloadTemplate.Recipient(
          userKey: member.userKey,
          clientName: line.map(\.name).flatMap { $0.isEmpty ? nil : $0 } ?? user.name,
          badge: message.badge.count(after: user.badge), psid: member.psid, language: place,
          variables: line?.variables ?? [])
        var payload: [UInt8] = []
        template.append(for: recipient, keys: keys, to: &payload)
        return Sample(network: member.network, device: member.device, language: language, payload: payload)
      }
    }
  }

  package static let object = JSONObject<DryRun>(
    "DryRun",
    [
      .always("seqno", .null, { _ in nil }), .always("state", .constant("dry-run"), { _ in "dry-run" }),
      .always("targeted", .orNull(.count), \.targeted), ResolvedAudience.unknownField.of(\.unknown),
      .always(
        "payloads", .list(of: Payload.object.form),
        { dryRun in dryRun.samples.map { Payload(sample: $0, type: dryRun.headers.pushType) } },
        "What one device of each push network would get, in each language of the message."),
      .always("headers", shownHeaders.form, \.headers),
      .always(
        "notes", .list(of: .sentence), \.notes, "What the app needs so that the message is shown as it was meant."),
      .always(
        "refusals", .list(of: refusal.form), \.refusals, "Why it would be refused; empty when it would not."),
    ])

  /// A sample as the response contains it.
  private struct Payload {
    let sample: Sample
    let type: PushType

    static let object = JSONObject<Payload>(
      "DryRunPayload", isNamed: false,
      [
        .always("pnsId", .network, \.sample.network), .always("device", .device, \.sample.device),
        .always("pushType", .words(PushType.allCases), \.type), .optional("language", .anyText, \.sample.language),
        .always("bytes", .count, \.sample.payload.count),
        .always("payload", .raw(.object([("type", "object")])), \.sample.payload),
      ])
  }

  private static let shownHeaders = JSONObject<PushHeaders>(
    "DryRunHeaders", isNamed: false,
    [
      .always("topic", .anyText, \.topic), .always("pushType", .words(PushType.allCases), \.pushType),
      .always("priority", .number(1...10), { Int64($0.priority.rawValue) }),
      .always("keptForDevice", .flag, \.isKeptForDevice),
      .optional("android", AndroidContent.shown.form, { $0.android.isEmpty ? nil : $0.android }),
    ])

  private static let refusal = JSONObject<Problem>(
    "DryRunRefusal", isNamed: false,
    [
      .always("type", .words(Problem.Code.allCases), \.code), .always("detail", .sentence, \.sentence),
    ])
}

/// Notes for dry runs about what an app must have in order to display a message as intended, which the server cannot
/// check.
enum ContentNotes {
  static func notes(_ content: MessageContent) -> [Sentence] {
    var notes: [Sentence] = []
    if content.media != nil, content.isMutable == nil {
      notes.append("mutable-content is set, because the app's extension has to fetch the media.")
    }
    if content.isMutableInEffect {
      notes.append(
        """
        mutable-content needs a Notification Service Extension in the app. It has about 30 seconds and 24 MB of memory; \
        when it fails the notification is shown as it was sent.
        """)
    } else if let ext = content.ext, ["1|", "2|", "3|"].contains(where: ext.hasPrefix) {
      notes.append("ext names a picture, but without mutableContent it is not shown in the notification itself.")
    }
    if let category = content.category {
      notes.append(
        """
        The category \(category) does something only if the app registers it, or if its Notification Content Extension \
        names it as UNNotificationExtensionCategory.
        """)
    }
    if case .critical? = content.sound { notes.append(entitlement("critical alerts")) }
    if content.interruptionLevel == .timeSensitive { notes.append(entitlement("time-sensitive notifications")) }
    if content.tokenKind != .alert {
      notes.append(
        """
        A push of the type \(content.pushType.rawValue) goes to a token of its own: devices that have registered none are \
        skipped as no-token.
        """)
    }
    return notes
  }

  private static func entitlement(_ feature: Sentence) -> Sentence {
    "The app needs Apple's entitlement for \(feature); without it they are shown like any other."
  }
}
