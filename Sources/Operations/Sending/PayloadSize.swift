internal import Domain
internal import JSON
internal import Postgres
internal import Store

/// Computes the maximum size of a message's payload, so that one that is too large for any recipient is refused before
/// anything is stored.
///
/// The field limits give an upper bound without a query; only if that bound exceeds the network's limit is the audience
/// searched for the longest names. A message in several languages is measured in each, against the recipients who get
/// that language.
struct PayloadSize: Sendable {
  /// Measures of the text in one language: its index in the language table, its bytes without names, and how often each
  /// name occurs.
  private struct Text: Sendable {
    let place: Int
    let bytes: Int
    let weights: AudienceSizes.Weights
    /// Uses of `%VAR1%` to `%VAR9%`, whose values come from a file's lines.
    let numbered: AudienceSizes.Numbered

    init(_ place: Int, _ measure: PayloadTemplate.Measure, _ defaults: [Int: String]) {
      self.place = place
      bytes = measure.bytes
      weights = AudienceSizes.Weights(
        clientUID: measure.uses[.clientUID] ?? 0, clientName: measure.uses[.clientName] ?? 0)
      var numbered = AudienceSizes.Numbered()
      for number in 1...9 {
        numbered.uses[number - 1] = measure.uses[.number(number)] ?? 0
        numbered.otherwise[number - 1] = defaults[number] ?? ""
      }
      self.numbered = numbered
    }

    var showsNames: Bool {
      weights.clientUID > 0 || weights.clientName > 0 || numbered.uses.contains { $0 > 0 }
    }
  }

  /// Values of a recipient that affect the payload's size.
  struct Named {
    let userKey: UserKey
    let name: String
    var variables: [String] = []
  }

  /// Texts that may be too large for some recipient; texts that certainly fit are left out.
  private let doubtful: [Text]
  private let languages: LanguageTable
  /// Limit in bytes for recipients reached through APNs.
  private let limit: Int
  /// Limit in bytes for recipients reached through FCM, where the payload is embedded as a string under its own key.
  private let fcmLimit: Int
  /// File whose lines supply the recipients' names and variables; nil for other audiences.
  private let csv: Int64?
  let showsClientName: Bool

  init(_ message: MessageRequest) {
    var message = message
    // Assume an extension even if the app has none: it may get one before the message is sent.
    message.content.appHasExtension = true
    let template = PayloadTemplate(message, seqno: Operations.Limits.largestSeqno, sendDate: "yyyyMMddHH")
    let limit = template.limitBytes
    let pushType = message.content.pushType
    // Other push types do not go through FCM.
    let fcmLimit = pushType == .alert || pushType == .background ? Domain.Limits.fcmPayloadBytes : limit
    doubtful = template.measures.enumerated().filter { $1.bound > fcmLimit }.map {
      Text($0, $1, message.content.variables)
    }
    languages = template.languages
    self.limit = limit
    self.fcmLimit = fcmLimit
    csv = message.csv
    showsClientName = template.needsClientName
  }

  var fitsEverybody: Bool { doubtful.isEmpty }

  /// Checks a message in a single language against known recipients, without queries. Without recipients, checks the
  /// payload without names.
  /// - Parameter hasFCM: whether some recipients are reached through FCM.
  /// - Throws: `.payloadTooLarge`.
  func check(_ recipients: [Named], hasFCM: Bool) throws(Problem) {
    let limit = hasFCM ? fcmLimit : limit
    for text in doubtful { try check(text, largest: recipients.max { names($0, text) < names($1, text) }, limit) }
  }

  /// Checks a message in every language against its audience. If the message shows names, finds the recipient with the
  /// largest payload. For a segment or a resend, people outside the audience count too: everybody in the file that
  /// supplies the names or, without a file, all of the app's users. Must not be called within a transaction.
  /// - Parameter milliseconds: maximum time of each search.
  /// - Returns: false if a search took longer, because the audience has tens of millions of devices. Then a recipient
  ///   whose payload is too large is rejected when the message is sent.
  /// - Throws: `.payloadTooLarge`.
  func check(
    _ audience: ResolvedAudience, of app: App.Number, on connection: Connection,
    within milliseconds: Int = Operations.Limits.searchMilliseconds
  ) throws(Problem) -> Bool {
    guard !fitsEverybody else { return true }
    let limit = try self.limit(for: audience, of: app, on: connection)
    // Text that is the same for every recipient needs no search.
    for text in doubtful where !text.showsNames || text.bytes > limit { try check(text, largest: nil, limit) }
    if case .members(let members) = audience.reach {
      try check(members, of: app, on: connection)
      return true
    }
    let found: Problem?
    do throws(PostgresError) {
      found = try connection.transaction { () throws(PostgresError) -> Problem? in
        try connection.run(AudienceSizes.limitSearch(milliseconds: milliseconds))
        return try search(audience, limit, app, connection)
      }
    } catch {
      guard error.sqlState == .queryCanceled else { throw Problem(error) }
      return false
    }
    if let found { throw found }
    return true
  }

  private func search(
    _ audience: ResolvedAudience, _ limit: Int, _ app: App.Number, _ connection: Connection
  ) throws(PostgresError) -> Problem? {
    let locales = languages.isEmpty ? [:] : try locales(of: audience, app, connection)
    for text in doubtful {
      // No recipient gets the text in this language.
      guard languages.isEmpty || locales[text.place] != nil else { continue }
      let largest = try largest(text, audience, locales[text.place] ?? [], app, connection)
      if let problem = objection(text, largest: largest, limit) { return problem }
    }
    return nil
  }

  /// Returns the payload limit in bytes: that of FCM if it is lower and the audience may contain FCM devices. Unless
  /// its devices are known, an audience may contain devices of every network for which the app has a credential.
  private func limit(
    for audience: ResolvedAudience, of app: App.Number, on connection: Connection
  ) throws(Problem) -> Int {
    guard fcmLimit < limit else { return limit }
    if case .members(let members) = audience.reach { return members.contains { $0.network == .fcm } ? fcmLimit : limit }
    let networks = try connection.answer(AppPauses.networks(of: [app]))
    return networks[app]?.contains(.fcm) == true ? fcmLimit : limit
  }

  private func largest(
    _ text: Text, _ audience: ResolvedAudience, _ locales: [String], _ app: App.Number, _ connection: Connection
  ) throws(PostgresError) -> Named? {
    // Applies to a resend to a part of the file's users too.
    if let csv {
      let line = try connection.run(
        AudienceSizes.largest(app: app, csv: csv, locales: locales, text.weights, text.numbered))
      return line.map { Named(userKey: $0.userKey, name: $0.name, variables: $0.variables) }
    }
    let found: (userKey: UserKey, name: String)?
    switch audience.reach {
    case .keys(let after, let upto):
      found = try connection.run(
        AudienceSizes.largest(app: app, after: after, upto: upto, locales: locales, text.weights))
    case .segment:
      found = try connection.run(
        AudienceSizes.largest(app: app, after: "", upto: "v", locales: locales, text.weights))
    case .groups(let groups):
      found = try connection.run(AudienceSizes.largest(app: app, groups: groups, locales: locales, text.weights))
    case .members, .csv: found = nil
    }
    return found.map { Named(userKey: $0.userKey, name: $0.name) }
  }

  private func locales(
    of audience: ResolvedAudience, _ app: App.Number, _ connection: Connection
  ) throws(PostgresError) -> [Int: [String]] {
    let all: [String] =
      switch audience.reach {
      case .keys(let after, let upto): try connection.run(Devices.locales(app: app, after: after, upto: upto))
      case .segment: try connection.run(Devices.locales(app: app, after: "", upto: "v"))
      case .groups(let groups): try connection.run(Devices.locales(app: app, groups: groups))
      case .csv(let csv): try connection.run(Devices.locales(app: app, csv: csv))
      case .members: []
      }
    return Dictionary(grouping: all) { languages.place(locale: $0) }
  }

  private func check(
    _ members: [Audiences.Member], of app: App.Number, on connection: Connection
  ) throws(Problem) {
    let limit = members.contains { $0.network == .fcm } ? fcmLimit : limit
    let users = Set(members.map { Users.Key(app: app, userKey: $0.userKey) })
    let known = showsClientName ? try connection.answer(Users.find(users)) : [:]
    let locales = languages.isEmpty ? [:] : try connection.answer(Devices.locales(of: members.map(\.device)))
    let byPlace = Dictionary(grouping: members) { languages.place(locale: locales[$0.device] ?? "") }
    for text in doubtful {
      let named = (byPlace[text.place] ?? []).map { member in
        Named(userKey: member.userKey, name: known[Users.Key(app: app, userKey: member.userKey)]?.name ?? "")
      }
      try check(text, largest: named.max { names($0, text) < names($1, text) }, limit)
    }
  }

  private func check(_ text: Text, largest: Named?, _ limit: Int) throws(Problem) {
    if let problem = objection(text, largest: largest, limit) { throw problem }
  }

  /// Returns the problem of a text that is too large for the recipient with the largest payload; nil if it fits.
  private func objection(_ text: Text, largest: Named?, _ limit: Int) -> Problem? {
    let bytes = text.bytes + (largest.map { names($0, text) } ?? 0)
    guard bytes > limit else { return nil }
    let recipient =
      largest.flatMap { names($0, text) > 0 ? Sentence(verbatim: $0.userKey.description) : nil } ?? "every recipient"
    return Problem(
      .payloadTooLarge,
      """
      The payload for \(recipient) would have \(bytes) bytes; the network takes \(limit). Shorten alert, ext or data by \
      \(bytes - limit) bytes.
      """)
  }

  /// Returns the number of bytes that a recipient's CUID, name and values occupy in a text, escaped for JSON. The
  /// text's default replaces a value that the recipient lacks.
  private func names(_ recipient: Named, _ text: Text) -> Int {
    var bytes =
      text.weights.clientUID * Self.escaped(recipient.userKey.description)
      + text.weights.clientName * Self.escaped(recipient.name)
    for (index, uses) in text.numbered.uses.enumerated() where uses > 0 {
      let own = index < recipient.variables.count ? recipient.variables[index] : ""
      bytes += uses * Self.escaped(own.isEmpty ? text.numbered.otherwise[index] : own)
    }
    return bytes
  }

  private static func escaped(_ text: String) -> Int {
    var bytes: [UInt8] = []
    JSONWriter.escape(text, into: &bytes)
    return bytes.count
  }
}

extension PayloadTemplate.Measure {
  /// Maximum size for any recipient, in bytes.
  fileprivate var bound: Int {
    uses.reduce(bytes) { bound, use in
      let longest =
        switch use.key {
        case .clientUID: Domain.Limits.clientUIDBytes
        case .clientName: Domain.Limits.clientNameBytes
        case .number: Domain.Limits.variableBytes
        }
      return bound + use.value * longest * Operations.Limits.escapedBytes
    }
  }
}

extension Operations.Limits {
  /// Maximum time in milliseconds of a search for the largest payload in an audience.
  static let searchMilliseconds = 15_000
  /// Maximum number of bytes in JSON for one byte of a name: a control character becomes six.
  static let escapedBytes = 6
  /// SEQNO with which payloads are measured: as many digits as a server can reach that numbers its messages from
  /// `highestStart`.
  static let largestSeqno = Seqno(9_999_999_999_999_999)
}
