internal import Domain
internal import JSON
internal import Postgres
internal import Store

/// Refuses a message whose payload would be too large for somebody, before anything of it is stored.
///
/// The field limits give a bound that costs nothing; only when that bound passes the network's limit is the audience
/// searched for whoever has the longest names.
enum PayloadSize {
  static func check(
    _ message: MessageRequest, for audience: ResolvedAudience, of app: App.Number, on connection: Connection
  ) throws(Problem) {
    let template = PayloadTemplate(message, seqno: Operations.Limits.largestSeqno, sendDate: "yyyyMMddHH")
    let limit = Domain.Limits.payloadBytes
    let bound = template.largestBytes(
      clientUIDBytes: Domain.Limits.clientUIDBytes * Operations.Limits.escapedBytes,
      clientNameBytes: Domain.Limits.clientNameBytes * Operations.Limits.escapedBytes)
    guard bound > limit else { return }

    let constant = template.largestBytes(clientUIDBytes: 0, clientNameBytes: 0)
    let weights = AudienceSizes.Weights(
      clientUID: template.largestBytes(clientUIDBytes: 1, clientNameBytes: 0) - constant,
      clientName: template.largestBytes(clientUIDBytes: 0, clientNameBytes: 1) - constant)
    guard weights.clientUID > 0 || weights.clientName > 0 else {
      return try refuse(constant, above: limit, "every recipient")
    }
    guard let largest = try largest(weights, audience, app, connection) else {
      return try refuse(constant, above: limit, "every recipient")
    }
    let bytes =
      constant + weights.clientUID * escaped(largest.userKey.description) + weights.clientName * escaped(largest.name)
    try refuse(bytes, above: limit, largest.userKey.description)
  }

  private static func refuse(_ bytes: Int, above limit: Int, _ recipient: String) throws(Problem) {
    guard bytes > limit else { return }
    throw Problem(
      .payloadTooLarge,
      """
      The payload for \(recipient) would have \(bytes) bytes; the network takes \(limit). \
      Shorten alert, ext or data by \(bytes - limit) bytes.
      """)
  }

  /// Whose variables fill the most bytes.
  private static func largest(
    _ weights: AudienceSizes.Weights, _ audience: ResolvedAudience, _ app: App.Number, _ connection: Connection
  ) throws(Problem) -> (userKey: UserKey, name: String)? {
    switch audience.reach {
    case .keys(let after, let upto):
      return try connection.answer(AudienceSizes.largest(app: app, after: after, upto: upto, weights))
    case .groups(let groups):
      return try connection.answer(AudienceSizes.largest(app: app, groups: groups, weights))
    case .members(let members):
      let users = Set(members.map { Users.Key(app: app, userKey: $0.userKey) })
      let known = weights.clientName > 0 ? try connection.answer(Users.find(users)) : [:]
      func bytes(_ recipient: (userKey: UserKey, name: String)) -> Int {
        weights.clientUID * escaped(recipient.userKey.description) + weights.clientName * escaped(recipient.name)
      }
      return users.map { (userKey: $0.userKey, name: known[$0]?.name ?? "") }.max { bytes($0) < bytes($1) }
    }
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
