package import Domain
internal import JSON
package import Store

/// A message that a device sends to one user of its app: checked like any other, and no more than it may hold.
///
/// ```
///   form or JSON ─► app allows it? known fields, one user? ─► admitSend: the device, its user, its minute (committed)
///                                                              │
///                                             a send by that device ◄┘   one commit with its neighbours, as any single send
/// ```
/// What the device may not decide (when, how fast, to how many, which lane, whether a short message is paid for) has no
/// field here. Who it was is written into the message. It gets no pages either: what does not fit the payload is refused.
package struct DeviceSend: Sendable {
  /// The fields a device may give, beside the audience. Names as in a send.
  private static let fields: Set<String> = [
    "audience", "alert", "badge", "sound", "category", "mutableContent", "contentAvailable", "ext", "data",
    "fillVariables", "expiresIn", "dbIn", "reference",
  ]

  /// Longest idempotency key: the device's id stands in front of it.
  private static let keyBytes = Domain.Limits.idempotencyKeyBytes - 37

  package let app: App
  /// `device-ios` or `device-android`.
  private let sender: String
  private let members: [(name: String, json: [UInt8])]
  private let idempotencyKey: String?
  private let door: App.Confidentiality.Door

  /// - Parameters:
  ///   - body: a JSON object with the fields of a send that a device may give.
  ///   - door: where it came from.
  package init(
    body: [UInt8], app: App, sender: String, idempotencyKey: String?, door: App.Confidentiality.Door = .api
  ) throws(Problem) {
    try Self.demandPermission(of: app)
    guard Self.senders.contains(sender) else {
      throw Problem(at: "/sender", "must be \(Self.senders.sorted().joined(separator: " or "))")
    }
    if let idempotencyKey, !(1...Self.keyBytes).contains(idempotencyKey.utf8.count) {
      throw Problem(.invalidField, "A device's Idempotency-Key must have 1 to \(Self.keyBytes) bytes.")
    }
    self.idempotencyKey = idempotencyKey
    self.door = door
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
    // Everything is known but who it is from: what is wrong costs the device nothing of its minute.
    let request = try MessageRequest(json: composed(from: nil))
    guard case .clientUIDs(let users) = request.audience, users.count == 1 else {
      throw Problem(at: "/audience", "must name one user: {\"clientUids\":[\"kim01\"]}")
    }
    lane = request.lane
    // What is too large for whoever gets it. Somebody's long name is only found when the message is stored.
    try PayloadSize(request).check([], hasFCM: false)
  }

  /// Asked before anything else: whether devices of this app may send at all now.
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

  /// Asks whether the device may send now. Answered `.admitted`.
  package func admission(_ claim: AuthKeyring.Claim) -> Operation {
    .admitSend(claim, perMinute: app.deviceSendsPerMinute)
  }

  /// The send itself.
  /// - Parameter device: as `.admitted` answered it.
  /// - Throws: `.payloadTooLarge` by its batch when it is too large for the receiver's name, `.busy` when it cannot go out now, `.conflict` when the app is paused.
  package func send(from device: Devices.Record, catalog: Catalog) throws(Problem) -> Operation {
    let caller = Caller(role: .sender, app: app.number, apiKey: nil, device: device.device)
    let origin = SenderDevice(device: device.device, clientUID: device.userKey.description)
    // A device's keys are its own: they cannot meet those of the back office, or of another device.
    let key = idempotencyKey.map { "\(device.device) \($0)" }
    guard
      let send = DirectSend(
        body: composed(from: origin), idempotencyKey: key, caller: caller, catalog: catalog, movesText: false,
        door: door)
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
