import Domain
import JSON
import Simulator

/// Receives every push that the simulator accepted and compares it with what was requested.
final class Recorder {
  private unowned let driver: Driver
  private(set) var received = 0
  private(set) var repeated = 0
  /// Pushes of final messages: sent by a frozen server after another had already repeated them.
  private(set) var late = 0
  /// Latency of urgent messages from the request to the network, in microseconds; and of those requested in quiet
  /// times.
  private(set) var urgent: [Int64] = []
  private(set) var calmUrgent: [Int64] = []
  /// When the last disturbance ended, in microseconds since 1970.
  private var disturbedUntil: Int64 = 0
  /// Kills not yet followed by a delivery.
  private var wounds: [Wound] = []
  private(set) var recoveries: [Recovery] = []
  /// Until when the current act on the center lasts, in microseconds since 1970.
  private var activeUntil: Int64 = 0

  private struct Wound {
    let kind: String
    let at: Int64
    /// Nothing else was done to the center until it recovered.
    var isAlone: Bool
  }

  /// From a kill to the next delivery.
  struct Recovery {
    let kind: String
    let microseconds: Int64
    let isAlone: Bool
  }

  init(_ driver: Driver) {
    self.driver = driver
  }

  /// Records an act on the center that lasts until `until`, in microseconds since 1970.
  func noteDeed(_ kind: String, at: Int64, until: Int64, isKill: Bool) {
    for index in wounds.indices { wounds[index].isAlone = false }
    if isKill { wounds.append(Wound(kind: kind, at: at, isAlone: at > activeUntil)) }
    activeUntil = max(activeUntil, until)
    // A few seconds more, until reconnections and retries are done.
    disturbedUntil = max(disturbedUntil, until + 6_000_000)
  }

  /// UPMC tests a new key once, with a push to a token that belongs to no device.
  private func isTrial(_ push: AcceptedPush) -> Bool {
    push.payload.elementsEqual(#"{"aps":{"badge":0}}"#.utf8)
      && Cast.owner(of: push.token).number >= driver.cast.devices.count
  }

  func take(_ push: AcceptedPush) {
    if isTrial(push) { return }
    received += 1
    recover(push.atMicroseconds)
    guard let payload = Payload(push.payload), payload.message < driver.messages.count else {
      return violate("I3", "a payload that nobody asked for", push)
    }
    let message = driver.messages[payload.message]
    if let known = message.seqno, known != payload.seqno {
      violate("I1", "message \(message.number) has a second SEQNO: \(known) and \(payload.seqno)", push)
    }
    message.seqno = payload.seqno
    note(push, payload, message)
    let (number, generation) = Cast.owner(of: push.token)
    guard number < driver.cast.devices.count else { return violate("I3", "a token that nobody registered", push) }
    checkRecipient(push, message, number, generation)
    checkIDs(push, message, payload, number)
    checkBadge(push, message, payload)
    checkStopped(push, message)
    if message.isFinal { late += 1 }
    if message.receive(number, at: push.atMicroseconds) > 1 { repeated += 1 }
    if message.firstReceivedAt == nil {
      message.firstReceivedAt = push.atMicroseconds
      if message.kind == .urgent { noteLatency(message, push.atMicroseconds) }
    }
    driver.confirmer.offer(message, payload, number, push.token)
  }

  private func note(_ push: AcceptedPush, _ payload: Payload, _ message: Message) {
    driver.history?.noteDelivery(
      run: 1, at: push.atMicroseconds, seqno: "\(payload.seqno)", token: push.token.description,
      id: push.id.description,
      collapseID: push.collapseID, badge: payload.badge, key: message.key)
  }

  private func recover(_ at: Int64) {
    guard !wounds.isEmpty else { return }
    for wound in wounds where at > wound.at {
      recoveries.append(Recovery(kind: wound.kind, microseconds: at - wound.at, isAlone: wound.isAlone))
    }
    wounds.removeAll { at > $0.at }
  }

  private func noteLatency(_ message: Message, _ at: Int64) {
    urgent.append(at - message.askedAt)
    if message.askedAt > disturbedUntil { calmUrgent.append(at - message.askedAt) }
  }

  // MARK: Checks

  /// A pause or cancellation takes effect soon on all nodes (P5), unless a fault disturbs them.
  private func checkStopped(_ push: AcceptedPush, _ message: Message) {
    let timeout = Torture.Limits.stopped.components.seconds * 1_000_000
    guard let stopped = message.stoppedAt, push.atMicroseconds > stopped + timeout, disturbedUntil < stopped else {
      return
    }
    let late = (push.atMicroseconds - stopped) / 1000
    violate("P5", "message \(message.number) was sent \(late) ms after it was stopped", push)
  }

  private func checkRecipient(_ push: AcceptedPush, _ message: Message, _ number: Int, _ generation: Int) {
    if let recipients = message.recipients, !recipients.contains(number) {
      violate("I3", "message \(message.number) (\(message.kind)) went to device \(number), not of its audience", push)
    }
    let device = driver.cast.devices[number]
    if generation < device.generation & 0xFFFF, message.askedAt > device.generationSince {
      violate(
        "I3", "message \(message.number) went to the old token of device \(number), replaced before it was asked for",
        push)
    }
  }

  /// A delivery always carries the ids derived from message and device.
  private func checkIDs(_ push: AcceptedPush, _ message: Message, _ payload: Payload, _ number: Int) {
    let id = push.id.description
    // A shared token belongs to one of the two devices.
    let devices = driver.sharedTokens.owners(of: number) ?? [number]
    if !devices.contains(where: { driver.cast.devices[$0].id.submissionID(of: payload.seqno).description == id }) {
      violate("I3", "apns-id \(id) is not the one of message \(payload.seqno) and device \(number)", push)
    }
    if message.collapseID == nil { message.collapseID = push.collapseID ?? [] }
    if message.collapseID != push.collapseID {
      violate("I3", "message \(payload.seqno) has two collapse-ids", push)
    }
  }

  private func checkBadge(_ push: AcceptedPush, _ message: Message, _ payload: Payload) {
    if let badge = payload.badge, !(0...1000).contains(badge) { violate("I5", "badge \(badge) is out of range", push) }
    // A late arrival, after the end, carries the count of that moment.
    guard let expected = message.badge, !message.isFinal, payload.badge != expected.after else { return }
    guard payload.badge != expected.takenBack else {
      message.wasTakenBack = true
      return
    }
    violate(
      "I5",
      "message \(message.number) carries badge \(payload.badge.map(String.init) ?? "none"), not \(expected.after)", push
    )
  }

  private func violate(_ invariant: String, _ what: String, _ push: AcceptedPush) {
    let payload = String(decoding: push.payload, as: UTF8.self)
    driver.verdict.violate(invariant, "\(what); apns-id \(push.id), token \(push.token): \(payload.prefix(400))")
  }
}

/// The relevant parts of a payload.
struct Payload {
  let message: Int
  let seqno: Seqno
  let pushkey: String
  let badge: Int?

  init?(_ json: [UInt8]) {
    var message: Int?
    var seqno: Seqno?
    var pushkey: String?
    var badge: Int?
    var reader = JSONReader(json)
    do {
      try reader.readObject { (reader, name) throws(JSONError) in
        switch name {
        case "m": message = Int(try reader.readInteger())
        case "aps":
          try reader.readObject { (reader, name) throws(JSONError) in
            if name == "badge" { badge = Int(try reader.readInteger()) } else { try reader.skip() }
          }
        case "mps":
          try reader.readObject { (reader, name) throws(JSONError) in
            switch name {
            case "seqno": seqno = Seqno(try reader.readString())
            case "pushkey": pushkey = try reader.readString()
            default: try reader.skip()
            }
          }
        default: try reader.skip()
        }
      }
      try reader.finish()
    } catch {
      return nil
    }
    guard let message, message >= 0, let seqno, let pushkey else { return nil }
    self.message = message
    self.seqno = seqno
    self.pushkey = pushkey
    self.badge = badge
  }
}
