internal import Crypto
package import Domain
internal import JSON
internal import Postgres
internal import Store

/// What would happen if a message were sent now: the exact audience, a payload for each push network in it, and why it
/// would be refused. Nothing is stored.
package struct DryRun: Sendable {
  /// The payload of one recipient.
  package struct Sample: Sendable {
    package let network: PushNetwork
    package let device: DeviceID
    package let payload: [UInt8]
  }

  package let targeted: Int64?
  /// A JSON array.
  package let unknown: [UInt8]
  package let samples: [Sample]
  package let refusals: [Problem]

  init(_ message: MessageRequest, _ app: App, on connection: Connection, now: Int64) throws(Problem) {
    let audience = try ResolvedAudience(message.audience, of: app.number, on: connection, now: now)
    targeted = audience.targeted
    unknown = audience.unknownJSON
    samples = try Self.samples(message, audience, app, connection, now)
    do {
      try PayloadSize(message).check(audience, of: app.number, on: connection)
      refusals = []
    } catch  where error.code == .payloadTooLarge {
      refusals = [error]
    }
  }

  private static func samples(
    _ message: MessageRequest, _ audience: ResolvedAudience, _ app: App, _ connection: Connection, _ now: Int64
  ) throws(Problem) -> [Sample] {
    var members: [PushNetwork: Audiences.Member] = [:]
    for member in try audience.samples(of: app.number, on: connection, now: now) where members[member.network] == nil {
      members[member.network] = member
    }
    guard !members.isEmpty else { return [] }
    let users = Set(members.values.map { Users.Key(app: app.number, userKey: $0.userKey) })
    let known = try connection.answer(Users.find(users))
    let sendDate = try connection.answer(Messages.sendDate(at: now, timeZone: app.timeZone))
    let template = PayloadTemplate(message, seqno: 0, sendDate: sendDate)
    // The pushkeys of a message that does not exist prove nothing: any key will do.
    let keys = PushKeyring(present: SymmetricKey(size: .bits256))
    return members.values.sorted { $0.network.rawValue < $1.network.rawValue }.map { member in
      let user = known[Users.Key(app: app.number, userKey: member.userKey)] ?? (badge: 0, name: "")
      let recipient = PayloadTemplate.Recipient(
        clientUID: member.userKey.description, clientName: user.name,
        badge: message.badge.count(after: user.badge), psid: member.psid)
      var payload: [UInt8] = []
      template.append(for: recipient, keys: keys, to: &payload)
      return Sample(network: member.network, device: member.device, payload: payload)
    }
  }

  func write(to writer: inout JSONWriter) {
    writer.member("seqno", nil as String?)
    writer.member("state", "dry-run")
    writer.member("targeted", targeted)
    writer.member("unknown", raw: unknown)
    writer.member(
      "payloads",
      array: { writer in
        for sample in samples {
          writer.object { writer in
            writer.member("pnsId", sample.network.pnsID)
            writer.member("device", sample.device.description)
            writer.member("bytes", sample.payload.count)
            writer.member("payload", raw: sample.payload)
          }
        }
      })
    writer.member(
      "refusals",
      array: { writer in
        for problem in refusals {
          writer.object { writer in
            writer.member("type", problem.code.rawValue)
            writer.member("detail", problem.detail)
          }
        }
      })
  }
}
