internal import Domain
internal import JSON
internal import Postgres
internal import Store

/// How large a message's payload becomes, so that one too large for somebody is refused before anything of it is stored.
///
/// The field limits give a bound that costs nothing; only when that bound passes the network's limit is the audience
/// searched for whoever has the longest names.
struct PayloadSize: Sendable {
  /// Bytes without names.
  private let constant: Int
  /// How often each name occurs.
  private let weights: AudienceSizes.Weights
  private let limit = Domain.Limits.payloadBytes

  init(_ message: MessageRequest) {
    let template = PayloadTemplate(message, seqno: Operations.Limits.largestSeqno, sendDate: "yyyyMMddHH")
    constant = template.largestBytes(clientUIDBytes: 0, clientNameBytes: 0)
    weights = AudienceSizes.Weights(
      clientUID: template.largestBytes(clientUIDBytes: 1, clientNameBytes: 0) - constant,
      clientName: template.largestBytes(clientUIDBytes: 0, clientNameBytes: 1) - constant)
  }

  var showsClientName: Bool { weights.clientName > 0 }

  private var fitsEverybody: Bool {
    constant + weights.clientUID * Domain.Limits.clientUIDBytes * Operations.Limits.escapedBytes
      + weights.clientName * Domain.Limits.clientNameBytes * Operations.Limits.escapedBytes <= limit
  }

  /// - Throws: `.payloadTooLarge`.
  func check(_ recipients: [(userKey: UserKey, name: String)]) throws(Problem) {
    guard !fitsEverybody else { return }
    try check(largest: recipients.max { names($0) < names($1) })
  }

  /// - Throws: `.payloadTooLarge`.
  func check(_ audience: ResolvedAudience, of app: App.Number, on connection: Connection) throws(Problem) {
    guard !fitsEverybody else { return }
    guard weights.clientUID > 0 || showsClientName else { return try check(largest: nil) }
    switch audience.reach {
    case .segment:
      try check(largest: try connection.answer(AudienceSizes.largest(app: app, after: "", upto: "v", weights)))
    case .csv(let csv):
      try check(largest: try connection.answer(AudienceSizes.largest(app: app, csv: csv, weights)))
    case .keys(let after, let upto):
      try check(largest: try connection.answer(AudienceSizes.largest(app: app, after: after, upto: upto, weights)))
    case .groups(let groups):
      try check(largest: try connection.answer(AudienceSizes.largest(app: app, groups: groups, weights)))
    case .members(let members):
      let users = Set(members.map { Users.Key(app: app, userKey: $0.userKey) })
      let known = showsClientName ? try connection.answer(Users.find(users)) : [:]
      try check(users.map { (userKey: $0.userKey, name: known[$0]?.name ?? "") })
    }
  }

  private func check(largest: (userKey: UserKey, name: String)?) throws(Problem) {
    let bytes = constant + (largest.map(names) ?? 0)
    guard bytes > limit else { return }
    let recipient = largest.map { names($0) > 0 ? $0.userKey.description : "" } ?? ""
    throw Problem(
      .payloadTooLarge,
      """
      The payload for \(recipient.isEmpty ? "every recipient" : recipient) would have \(bytes) bytes; the network takes \
      \(limit). Shorten alert, ext or data by \(bytes - limit) bytes.
      """)
  }

  /// Bytes that a recipient's names fill.
  private func names(_ recipient: (userKey: UserKey, name: String)) -> Int {
    weights.clientUID * Self.escaped(recipient.userKey.description) + weights.clientName * Self.escaped(recipient.name)
  }

  private static func escaped(_ text: String) -> Int {
    var bytes: [UInt8] = []
    JSONWriter.escape(text.utf8, into: &bytes)
    return bytes.count
  }
}

extension Operations.Limits {
  /// Bytes that one byte of a name may fill in JSON: a control character is written as six.
  static let escapedBytes = 6
  /// The number that payloads are measured with before they have one: more digits than a SEQNO will ever need.
  static let largestSeqno: Int64 = 999_999_999_999
}
