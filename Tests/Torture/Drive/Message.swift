import Domain
import Simulator

/// A sent message and everything known about it.
final class Message {
  enum Kind: String { case campaign, badges, urgent, rollCall }

  /// What one device received of it.
  struct Cell {
    /// How often the network received it.
    var received: UInt8 = 0
    /// When it was last received, in microseconds since 1970.
    var receivedAt: Int64 = 0
    var isReceiptAnswered = false
    var isReadAnswered = false
  }

  /// The badge of a user whose every count is known.
  struct Badge {
    /// The count with the message.
    let after: Int
    /// The count once all its deliveries have failed and the increment is undone.
    let takenBack: Int
  }

  /// A device that received it twice, and when, in microseconds since 1970.
  struct Repeat {
    let device: Int
    let first: Int64
    let second: Int64
  }

  let number: Int
  let kind: Kind
  let body: String
  /// When it was requested, in microseconds since 1970.
  let askedAt: Int64
  /// The only devices it may reach; nil for its whole audience.
  let recipients: Set<Int>?
  /// The badge that every payload must carry; nil if unknown.
  let badge: Badge?
  /// A payload carried the count that holds after a negative end.
  var wasTakenBack = false
  /// The idempotency key: however often it is sent, there is one message.
  var key: String { "torture-\(number)" }

  /// From the center's response or from a payload.
  var seqno: Seqno?
  var isAnswered = false
  var collapseID: [UInt8]?
  var firstReceivedAt: Int64?
  /// When a pause or cancellation was acknowledged, in microseconds since 1970; nil while it may be sent.
  var stoppedAt: Int64?
  var tally: Tally?
  var isFinal: Bool { tally?.isFinal ?? false }
  private(set) var cells: [Int: Cell] = [:]
  private(set) var received = 0
  private(set) var repeated = 0
  /// The first few, as evidence.
  private(set) var repeats: [Repeat] = []

  init(number: Int, kind: Kind, body: String, askedAt: Int64, recipients: Set<Int>? = nil, badge: Badge? = nil) {
    self.number = number
    self.kind = kind
    self.body = body
    self.askedAt = askedAt
    self.recipients = recipients
    self.badge = badge
  }

  /// Records an arrival; returns how many there have been.
  func receive(_ device: Int, at time: Int64) -> Int {
    var cell = cells[device] ?? Cell()
    cell.received &+= 1
    if cell.received > 1 {
      repeated += 1
      if repeats.count < 6 { repeats.append(Repeat(device: device, first: cell.receivedAt, second: time)) }
    }
    cell.receivedAt = time
    cells[device] = cell
    received += 1
    return Int(cell.received)
  }

  func noteReceipt(_ device: Int) { cells[device, default: Cell()].isReceiptAnswered = true }
  func noteRead(_ device: Int) { cells[device, default: Cell()].isReadAnswered = true }
}

/// A message's numbers as reported by the center.
struct Tally {
  let state: String
  let targeted: Int?
  let pending: Int?
  let accepted: Int
  let rejected: Int
  let expired: Int
  let cancelled: Int
  let skipped: Int
  let unknown: Int
  let resent: Int
  let text: String

  /// Nil if the response is not as expected.
  init?(_ reply: Reply) {
    guard reply.status == 200, let state = reply.string("state"), let accepted = reply.int("accepted"),
      let rejected = reply.int("rejected"), let expired = reply.int("expired"),
      let cancelled = reply.int("cancelled"), let skipped = reply.int("skipped"),
      let unknown = reply.int("unknown"), let resent = reply.int("resent")
    else { return nil }
    self.state = state
    targeted = reply.int("targeted")
    pending = reply.int("pending")
    self.accepted = accepted
    self.rejected = rejected
    self.expired = expired
    self.cancelled = cancelled
    self.skipped = skipped
    self.unknown = unknown
    self.resent = resent
    text = reply.text
  }

  /// The message is final and none of its deliveries is in flight.
  var isSettled: Bool { isFinal && (pending ?? 0) == 0 }
  var isFinal: Bool { ["completed", "cancelled", "expired", "failed"].contains(state) }
  var ended: Int { accepted + rejected + expired + cancelled + skipped }

  /// Whether the same devices ended in the same way.
  func isSameEnd(as other: Tally) -> Bool {
    state == other.state && targeted == other.targeted && accepted == other.accepted && rejected == other.rejected
      && expired == other.expired && cancelled == other.cancelled && skipped == other.skipped
  }

  /// Why the numbers are inconsistent (I2); nil if they are consistent.
  var objection: String? {
    guard let targeted, let pending else {
      return ended == 0 ? nil : "devices have ended before the audience was counted"
    }
    if pending < 0 { return "more devices have ended than were targeted" }
    if targeted != pending + ended { return "the numbers do not add up" }
    if isFinal, pending != 0, state == "completed" { return "it is completed while devices are pending" }
    return nil
  }
}
