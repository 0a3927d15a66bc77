internal import FoundationEssentials
package import Domain
package import JSON
package import Postgres
package import Store
package import Time

/// Creates, changes and deletes webhooks.
///
/// Each webhook has its own signing secret, shown only when it is created or renewed. An address that can never be
/// called is refused here (`WebhookAddresses`); the IP addresses of its host are checked at each connection, because
/// names and networks change.
package enum WebhookService {
  package struct Entry: DescribedAnswer {
    package let record: Webhooks.Record
    /// The new secret, if it was just created or renewed; otherwise nil.
    package var secret: String?

    package static let object = JSONObject<Entry>(
      "Webhook", members.map { $0.of(\.record) } + [.optional("secret", secretForm, \.secret, "Only when it is new.")])
  }

  package struct Made: DescribedAnswer {
    package let record: Webhooks.Record
    package let secret: String

    package static let object = JSONObject<Made>(
      "WebhookMade", members.map { $0.of(\.record) } + [.always("secret", secretForm, \.secret, "Shown once.")])
  }

  private static let members: [JSONField<Webhooks.Record>] = [
    .always("webhookId", .sequence, \.webhook, "Its number."), .always("appId", .appID, \.appID),
    .always("url", .anyText, \.url), .always("kinds", .list(of: .anyText), \.kinds, "The kinds of events it receives."),
    .always("active", .flag, \.isActive), .always("createdAt", .moment, \.createdAt),
    .always(
      "formerSecretEndsAt", .orNull(.moment), \.formerEndsAt,
      "Until then the former secret signs too, beside the present one; null: it does not."),
    .always(
      "waiting", .orNull(.count), \.waiting,
      "Events on their way; null: more than \(Webhooks.countedDeliveries)."),
    .always(
      "dead", .orNull(.count), \.dead, "Events given up; null: more than \(Webhooks.countedDeliveries)."),
  ]

  package struct NewWebhook: Sendable {
    package var appID = ""
    package var url = ""
    package var kinds: [EventKind] = []

    package init() {}

    package static let object = JSONObject(
      "NewWebhook", from: NewWebhook(),
      [
        .required("appId", .appID, \.appID),
        .required("url", urlForm, \.url, missing: "is needed, for example https://sms.example.com/upmc"),
        .required(
          "kinds", kindsForm, \.kinds, "The kinds of events it is to receive.",
          missing: "is needed: some of \(EventKind.wanted.map(\.rawValue).joined(separator: ", "))"),
      ])
  }

  /// Changes to a webhook; nil leaves a property unchanged.
  package struct Change: Sendable {
    package var url: String?
    package var kinds: [EventKind]?
    package var isActive: Bool?
    package var renewsSecret = false
    /// Time, in seconds, for which the former secret also signs after a new one is created; 0 ends it immediately.
    /// Ignored without `renewsSecret`.
    package var overlap: Int32 = 86_400

    package init() {}

    package static let object = JSONObject(
      "WebhookChange", from: Change(),
      [
        .given("url", urlForm, \.url), .given("kinds", kindsForm, \.kinds), .given("active", .flag, \.isActive),
        .given("renewSecret", .flag, \.renewsSecret, "True: the answer holds a new secret."),
        .given(
          "keepSecretFor", .seconds(Operations.Limits.secretOverlap), \.overlap,
          "How long the old secret signs beside the new one; PT0S: no longer. P1D when absent."),
        .refused("appId", "cannot be changed"),
      ])
  }

  /// Form of a webhook's URL. Its schema, which only describes the API, lists the characters that a URL can contain
  /// unescaped, without quotes, braces and the like. The schema is stricter than `check`, because it forbids `@`
  /// everywhere and not only before the host.
  private static let urlForm = JSONForm.text(upTo: Operations.Limits.webhookURLBytes).described(
    JSONSchema.text(matching: "^https?://[!$-.0-9;=A-Z\\[\\]_a-z~][!#-;=?A-Z\\[\\]_a-z~]*$")
      .adding("maxLength", .number(Operations.Limits.webhookURLBytes)))
  private static let kindsForm: JSONForm<[EventKind]> = .list(
    of: .words(EventKind.wanted), 1...Operations.Limits.webhookKinds,
    tooMany: "is one more than the \(Operations.Limits.webhookKinds) that may be named",
    tooFew: "must name one at least")
  private static let secretForm = JSONForm.anyText.described(JSONSchema.text(matching: "^whsec_[A-Za-z0-9+/]{43}=$"))

  package static func create(
    _ new: NewWebhook, at addresses: WebhookAddresses, master: MasterKey, by caller: Caller,
    on connection: Connection, now: Timestamp
  ) throws(Problem) -> Made {
    let app = try connection.app(new.appID)
    try caller.require(.manageApps, in: app)
    let (url, kinds) = (new.url, words(new.kinds))
    try check(url, addresses)
    guard try connection.answer(Webhooks.count(of: app.number)) < Operations.Limits.webhooksOfApp else {
      throw Problem(
        .conflict,
        "The app \(app.appID) has \(Operations.Limits.webhooksOfApp) webhooks, and can have no more. Delete some first."
      )
    }
    let webhook = try connection.answer(Webhooks.number())
    let secret = MasterKey.makeBytes()
    let sealed = master.seal(secret, for: Webhooks.place(of: webhook))
    let audited = AuditTrail.Change("webhook.create", String(webhook), in: app).to { writer in
      writer.member("url", url)
      writer.member("kinds", array: { writer in for kind in kinds { writer.value(kind) } })
    }
    try connection.commit { () throws(PostgresError) in
      try connection.run(
        Webhooks.create(
          webhook, app: app.number, url: url, sealed: sealed, kinds: kinds, at: now))
      try connection.run(AuditTrail.add(audited, by: caller))
    }
    return Made(record: try record(webhook, .manageApps, caller, connection), secret: text(secret))
  }

  package static func list(
    _ appID: String?, _ page: PageRequest, by caller: Caller, on connection: Connection
  ) throws(Problem) -> ItemPage<Entry> {
    try caller.require(.manageEvents)
    var app = caller.app
    if let appID {
      let named = try connection.app(appID)
      try caller.require(.manageEvents, in: named)
      app = named.number
    }
    let after = Webhooks.Number(clamping: try page.number(first: 0))
    let records = try connection.answer(Webhooks.list(app: app, after: after, limit: page.limit + 1))
    return ItemPage(records.map { Entry(record: $0) }, limit: page.limit) { String($0.record.webhook) }
  }

  package static func find(_ webhook: String, by caller: Caller, on connection: Connection) throws(Problem) -> Entry {
    Entry(record: try record(number(webhook), .manageEvents, caller, connection))
  }

  package static func change(
    _ webhook: String, _ change: Change, at addresses: WebhookAddresses, master: MasterKey, by caller: Caller,
    on connection: Connection
  ) throws(Problem) -> Entry {
    let number = try number(webhook)
    _ = try record(number, .manageApps, caller, connection)
    guard change.url != nil || change.kinds != nil || change.isActive != nil || change.renewsSecret else {
      throw Problem(.impossible, "Give url, kinds, active or renewSecret.")
    }
    if let url = change.url { try check(url, addresses) }
    let kinds = change.kinds.map(words)
    let secret = change.renewsSecret ? MasterKey.makeBytes() : nil
    let sealed = secret.map { master.seal($0, for: Webhooks.place(of: number)) }
    let isThere = try connection.commit { () throws(PostgresError) in
      guard let before = try connection.run(Webhooks.lock(number)) else { return false }
      try connection.run(
        Webhooks.change(
          number, url: change.url, kinds: kinds, isActive: change.isActive, sealed: sealed,
          overlap: change.overlap))
      let audited = AuditTrail.Change("webhook.change", String(number), app: before.app)
        .from { writer in
          writer.member("url", before.url)
          writer.member("kinds", array: { writer in for kind in before.kinds { writer.value(kind) } })
          writer.member("active", before.isActive)
        }
        .to { writer in
          if let url = change.url { writer.member("url", url) }
          if let kinds { writer.member("kinds", array: { writer in for kind in kinds { writer.value(kind) } }) }
          if let isActive = change.isActive { writer.member("active", isActive) }
          if change.renewsSecret { writer.member("secretRenewed", true) }
        }
      try connection.run(AuditTrail.add(audited, by: caller))
      return true
    }
    guard isThere else { throw unknown(number) }
    return Entry(record: try record(number, .manageApps, caller, connection), secret: secret.map(text))
  }

  package static func delete(_ webhook: String, by caller: Caller, on connection: Connection) throws(Problem) {
    let number = try number(webhook)
    _ = try record(number, .manageApps, caller, connection)
    let isThere = try connection.commit { () throws(PostgresError) in
      guard let before = try connection.run(Webhooks.lock(number)) else { return false }
      try connection.run(Webhooks.delete(number))
      let audited = AuditTrail.Change("webhook.delete", String(number), app: before.app)
        .from { $0.member("url", before.url) }
      try connection.run(AuditTrail.add(audited, by: caller))
      return true
    }
    guard isThere else { throw unknown(number) }
  }

  /// Decrypts a signing secret. Returns nil if it was not encrypted with this master key for this webhook.
  package static func secret(_ sealed: [UInt8], of webhook: Int32, master: MasterKey) -> [UInt8]? {
    try? master.open(sealed, for: Webhooks.place(of: webhook))
  }

  // MARK: Internals

  static func record(
    _ webhook: Webhooks.Number, _ permission: Permission, _ caller: Caller, _ connection: Connection
  ) throws(Problem) -> Webhooks.Record {
    try caller.require(permission)
    // Report webhooks of other apps as nonexistent.
    guard let record = try connection.answer(Webhooks.find(webhook)), caller.reaches(record.app) else {
      throw unknown(webhook)
    }
    return record
  }

  static func unknown(_ webhook: Webhooks.Number) -> Problem {
    Problem(.unknownWebhook, "There is no webhook \(webhook).")
  }

  static func number(_ text: String) throws(Problem) -> Webhooks.Number {
    guard let number = Webhooks.Number(text), number > 0 else {
      throw Problem(.unknownWebhook, "A webhook's number is a whole number, as its creation answered it.")
    }
    return number
  }

  /// Returns the kinds' names without duplicates, in the order given.
  private static func words(_ kinds: [EventKind]) -> [String] {
    kinds.reduce(into: []) { words, kind in if !words.contains(kind.rawValue) { words.append(kind.rawValue) } }
  }

  /// Returns the secret in the format that standardwebhooks.com specifies, so that receivers' libraries accept it
  /// unchanged.
  private static func text(_ secret: [UInt8]) -> String { "whsec_" + Data(secret).base64EncodedString() }

  private static func check(_ url: String, _ addresses: WebhookAddresses) throws(Problem) {
    let rest = url.hasPrefix("https://") ? url.dropFirst(8) : url.hasPrefix("http://") ? url.dropFirst(7) : ""
    let authority = rest.prefix { !"/?#".contains($0) }
    let isPlain = url.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"\"<>\\^`{|}".utf8.contains($0) }
    guard !authority.isEmpty, !authority.hasPrefix(":"), !authority.contains("@"), isPlain,
      url.utf8.count <= Operations.Limits.webhookURLBytes
    else {
      throw Problem(
        at: "/url",
        """
        must be an address like https://sms.example.com/upmc, without a user, percent-encoded where needed, of at most \
        \(Operations.Limits.webhookURLBytes) bytes
        """)
    }
    if let objection = addresses.objection(url) { throw Problem(.impossible, at: "/url", objection) }
  }
}

extension Operations.Limits {
  /// Permitted times for which a webhook's former secret also signs, in seconds: up to 30 days.
  static let secretOverlap: ClosedRange<Int64> = 0...2_592_000
  /// Maximum number of webhooks of an app. An event is stored for each of them in the transaction that causes it, which
  /// other apps' deliveries wait for.
  package static let webhooksOfApp: Int64 = 50
  /// Longest URL that all intermediaries can be expected to accept, in bytes.
  static let webhookURLBytes = 2_048
  /// Maximum number of kinds named in a request, including duplicates; only a handful exist.
  static let webhookKinds = 100
  /// Maximum number of given-up events that are replayed per call; repeat the call for the rest. Replays by time and of
  /// single events have no limit.
  static let replayedEvents = 10_000
}
