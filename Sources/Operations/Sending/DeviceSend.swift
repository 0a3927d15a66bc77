package import Domain
internal import JSON
package import Store
package import Tracing

/// A message from a device to one user of its app: checked like any other, but with fewer fields.
///
/// ```
///   form or JSON ─► app allows it? known fields, one user? ─► admitSend: device, user, rate limit (committed)
///                                                              │
///                             a send by that device ◄──────────┘   batched into one commit, as any single send
/// ```
/// There is no field for what a device may not decide (time, pace, number of recipients, lane, paid SMS fallback). The
/// message records the sending device. Nothing is moved to pages: a payload that does not fit is refused.
package struct DeviceSend: Sendable {
  /// Fields that a device may set, including the audience, named as in a send.
  private static let fields: Set<String> = [
    "audience", "alert", "badge", "sound", "category", "mutableContent", "contentAvailable", "ext", "data",
    "fillVariables", "expiresIn", "dbIn", "reference",
  ]

  /// Maximum length of a device's idempotency key in bytes: the usual one without the device's id and the blank that
  /// are put before the key.
  private static let keyBytes = Domain.Limits.idempotencyKeyBytes - 37

  package let app: App
  /// `device-ios` or `device-android`.
  private let sender: String
  private let members: [(name: String, json: [UInt8])]
  private let idempotencyKey: String?
  private let interface: App.Confidentiality.Interface

  /// Validates a request, without queries.
  /// - Parameters:
  ///   - body: a JSON object with the members of a send that a device may set.
  ///   - sender: one of `senders`.
  ///   - interface: the API through which the request came.
  /// - Throws: as `demandPermission`; `.payloadTooLarge` if the payload is too large even without a recipient's name;
  ///   or a problem with the body, the sender, the idempotency key, or an audience that is not exactly one user.
  package init(
    body: [UInt8], app: App, sender: String, idempotencyKey: String?, interface: App.Confidentiality.Interface = .api
  ) throws(Problem) {
    try Self.demandPermission(of: app)
    guard Self.senders.contains(sender) else {
      throw Problem(at: "/sender", "must be \(Sentence(anyOf: Self.senders.sorted()))")
    }
    if let idempotencyKey, !(1...Self.keyBytes).contains(idempotencyKey.utf8.count) {
      throw Problem(.invalidField, "A device's Idempotency-Key must have 1 to \(Self.keyBytes) bytes.")
    }
    self.idempotencyKey = idempotencyKey
    self.interface = interface
    self.app = app
    self.sender = sender
    var members: [(name: String, json: [UInt8])] = []
    var reader = JSONReader(body)
    do throws(JSONError) {
      try reader.readObject { (reader, key) throws(JSONError) in
        guard Self.fields.contains(key) else { throw .unknownField }
        members.append((key, try reader.readRaw()))
      }
      try reader.finish()
    } catch {
      throw Problem(error)
    }
    self.members = members
    // Only the sending device is unknown so far. Refuse invalid requests here, before they count against the device's
    // rate limit.
    let request = try MessageRequest(json: composed(from: nil))
    guard case .clientUIDs(let users) = request.audience, users.count == 1 else {
      throw Problem(at: "/audience", "must name one user: {\"clientUids\":[\"kim01\"]}")
    }
    lane = request.lane
    // Refuses a payload that is too large even without a name. Whether a recipient's name makes it too large is only
    // found when the message is stored.
    try PayloadSize(request).check([], hasFCM: false)
  }

  /// Throws `.forbidden` unless the app lets its devices send, and `.conflict` if the app is paused. Call it before
  /// anything else.
  package static func demandPermission(of app: App) throws(Problem) {
    guard app.deviceSendsPerMinute > 0 else {
      throw Problem(
        .forbidden,
        "Devices of \(app.appID) may not send. An administrator may allow it: upmc app set \(app.appID) --device-sends 10."
      )
    }
    guard app.pausedReason == nil else { throw heldBack(app) }
  }

  private static func heldBack(_ app: App) -> Problem {
    Problem(.conflict, "Messages of \(app.appID) are held back until an administrator resumes the app.")
  }

  package static let senders: Set<String> = ["device-ios", "device-android"]

  package private(set) var lane = Lane.normal

  /// Returns the operation that checks whether the device may send now, and counts the send against its rate limit. The
  /// result is `.admitted` if it may.
  package func admission(_ claim: AuthKeyring.Claim) -> Operation {
    .admitSend(claim, perMinute: app.deviceSendsPerMinute)
  }

  /// Returns the operation that sends the message.
  /// - Parameter device: the row from `.admitted`.
  /// - Throws: `.conflict` if the app is paused, `.busy` if the message cannot be sent now for another reason. The
  ///   operation itself fails with `.payloadTooLarge` if the recipient's name makes the payload too large.
  package func send(
    from device: Devices.Record, catalog: Catalog, trace: TraceContext? = nil
  ) throws(Problem) -> Operation {
    let caller = Caller(role: .sender, app: app.number, apiKey: nil, device: device.device)
    let origin = SenderDevice(device: device.device, clientUID: device.userKey.description)
    // The device's id as prefix prevents collisions with keys of the back office and of other devices.
    let key = idempotencyKey.map { "\(device.device) \($0)" }
    guard
      let send = DirectSend(
        body: composed(from: origin), idempotencyKey: key, caller: caller, catalog: catalog, movesText: false,
        interface: interface, trace: trace)
    else {
      if catalog.app(number: app.number)?.pausedReason != nil { throw Self.heldBack(app) }
      throw Problem(.busy, "Messages of this app cannot be sent now. Try again in a moment.")
    }
    return .send(send)
  }

  private func composed(from origin: SenderDevice?) -> [UInt8] {
    var writer = JSONWriter(capacity: 512)
    writer.object { writer in
      writer.member("appId", app.appID)
      writer.member("sender", sender)
      if let origin { writer.member("from", object: origin.write) }
      for member in members { writer.member(member.name, raw: member.json) }
    }
    return writer.bytes
  }
}
