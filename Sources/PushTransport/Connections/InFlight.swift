package import Domain
internal import HTTP2
internal import Reactor

/// A queued batch together with how many of its targets have been submitted.
package final class QueuedBatch {
  // The batch's parts, copied out because every push reads them.
  let address: BatchAddress
  package let message: PushMessage
  package let targets: [PushTarget]
  package let condition: RouteCondition
  let readUntilNanoseconds: Int64
  /// The index of the next target that has not been submitted yet.
  var cursor = 0

  init(_ batch: PushBatch, _ condition: RouteCondition) {
    address = batch.address
    message = batch.message
    targets = batch.targets
    readUntilNanoseconds = batch.readUntilNanoseconds
    self.condition = condition
  }

  var isSubmitted: Bool { cursor == targets.count }

  /// Returns true if reading the device tokens ended less than `PushBatch.freshNanoseconds` ago, so that they still
  /// count as valid, the message has not expired, and, for an ad, the device's night has not begun.
  func isWorthSending(at now: Instant, wallSeconds: Int64) -> Bool {
    now.nanoseconds - readUntilNanoseconds < PushBatch.freshNanoseconds && wallSeconds < message.keptUntilSeconds
  }
}

/// One target of a batch, from the queue until its result.
package struct Submission {
  package let batch: QueuedBatch
  /// The index of the target in the batch.
  package let target: Int
  /// The number of times that this module has resent the target.
  package internal(set) var resends: UInt8 = 0
  /// True if the target was resent once after an answer that blames our credential; the next such answer is final.
  package var hadSecondChance = false

  init(batch: QueuedBatch, target: Int) {
    self.batch = batch
    self.target = target
  }
}

/// A submitted request that waits for its answer.
struct InFlight {
  let submission: Submission
  let streamID: Int32
  let submittedAt: Instant
  /// True if the request has timed out, so that its stream is reset.
  var isGivenUp = false
}

/// The open requests of one connection, in reusable slots.
struct InFlightTable {
  private var slots: [InFlight?] = []
  private var freeSlots: [Int] = []
  private(set) var count = 0

  /// Reserves a slot and returns its index, which serves as the tag of the next HTTP/2 request.
  mutating func reserve() -> Int {
    if let free = freeSlots.popLast() { return free }
    slots.append(nil)
    return slots.count - 1
  }

  /// Frees a reserved slot in which no request was put, because the session rejected it.
  mutating func release(_ slot: Int) {
    freeSlots.append(slot)
  }

  mutating func put(_ request: InFlight, at slot: Int) {
    slots[slot] = request
    count += 1
  }

  /// Removes and returns the request in a slot; nil if it was removed before.
  mutating func take(_ slot: Int) -> InFlight? {
    guard slot < slots.count, let request = slots[slot] else { return nil }
    slots[slot] = nil
    freeSlots.append(slot)
    count -= 1
    return request
  }

  mutating func takeAll() -> [InFlight] {
    defer { self = InFlightTable() }
    return slots.compactMap { $0 }
  }

  /// Marks the requests that have been open for `limit` or longer. Returns the stream ids of those newly marked, and
  /// the mean age of all open requests; zero if none is open.
  mutating func review(at now: Instant, limit: Duration) -> (overdue: [Int32], meanAge: Duration) {
    var overdue: [Int32] = []
    var total: Int64 = 0
    for slot in slots.indices {
      guard let request = slots[slot] else { continue }
      let age = now.nanoseconds - request.submittedAt.nanoseconds
      total += age
      guard !request.isGivenUp, age >= limit.nanoseconds else { continue }
      slots[slot]?.isGivenUp = true
      overdue.append(request.streamID)
    }
    return (overdue, .nanoseconds(count == 0 ? 0 : total / Int64(count)))
  }
}

/// The result of a request on a connection.
enum Ending {
  /// The network accepted the push (status 200).
  case accepted
  case refused(Refusal)
  /// The peer guarantees that it has not processed the request (RFC 9113 §8.7).
  case notProcessed
  /// The peer may have processed the request; the text says why there is no answer.
  case unknown(String)

  init(_ end: StreamEnd, of request: InFlight, wallSeconds: Int64) {
    if request.isGivenUp, end.status == 0 {
      self = .unknown("no answer within \(PushTransport.Limits.requestSeconds) s")
    } else if end.isNotProcessed {
      self = .notProcessed
    } else if end.status < 200 || end.errorCode != .noError {
      self = .unknown("stream reset: \(end.errorCode)")
    } else if end.status == 200 {
      self = .accepted
    } else {
      let wait = end.value(of: "retry-after").flatMap { HTTPDate.retryAfter($0, now: wallSeconds) }
      self = .refused(Refusal(status: end.status, body: end.body, retryAfter: wait))
    }
  }

  /// True if the peer has answered the request, by acceptance or refusal.
  var isAnswer: Bool {
    switch self {
    case .accepted, .refused: true
    case .notProcessed, .unknown: false
    }
  }
}

/// An answer with a status other than 200.
package struct Refusal: Sendable {
  package let status: Int
  package let body: [UInt8]
  /// The delay in seconds from the `Retry-After` field, 0 to 86,400; nil if absent or malformed.
  package let retryAfter: Int?

  package init(status: Int, body: [UInt8], retryAfter: Int?) {
    self.status = status
    self.body = body
    self.retryAfter = retryAfter
  }
}
