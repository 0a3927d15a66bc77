package import Domain
internal import HTTP2
internal import Reactor

/// A queued batch and how far it has been submitted.
package final class QueuedBatch {
  // The batch unpacked: every push needs its parts.
  let address: BatchAddress
  package let message: PushMessage
  package let targets: [PushTarget]
  package let standing: RouteCondition
  let readUntilNanoseconds: Int64
  /// The next target to submit for the first time.
  var cursor = 0

  init(_ batch: PushBatch, _ standing: RouteCondition) {
    address = batch.address
    message = batch.message
    targets = batch.targets
    readUntilNanoseconds = batch.readUntilNanoseconds
    self.standing = standing
  }

  var isSubmitted: Bool { cursor == targets.count }

  /// True if its bindings were read recently enough to hold, and its message has not expired.
  func isWorthSending(at now: Instant, wallSeconds: Int64) -> Bool {
    now.nanoseconds - readUntilNanoseconds < PushBatch.freshNanoseconds && wallSeconds < message.expiresAtSeconds
  }
}

/// One target between queue and result.
package struct Submission {
  package let batch: QueuedBatch
  /// Position in the batch.
  package let target: Int
  /// How often we have resent it.
  package internal(set) var resends: UInt8 = 0
  /// It was resent once after an answer about our credential; the next such answer is final.
  package var hadSecondChance = false

  init(batch: QueuedBatch, target: Int) {
    self.batch = batch
    self.target = target
  }
}

/// A submission that waits for its answer on a connection.
struct InFlight {
  let submission: Submission
  let streamID: Int32
  let submittedAt: Instant
  /// It timed out and was reset.
  var isGivenUp = false
}

/// The submissions of one connection that wait for their answers.
struct InFlightTable {
  private var slots: [InFlight?] = []
  private var freeSlots: [Int] = []
  private(set) var count = 0

  /// Reserves the slot of the next request: the tag that it is submitted with.
  mutating func reserve() -> Int {
    if let free = freeSlots.popLast() { return free }
    slots.append(nil)
    return slots.count - 1
  }

  /// Releases a slot whose request was not taken.
  mutating func release(_ slot: Int) {
    freeSlots.append(slot)
  }

  mutating func put(_ request: InFlight, at slot: Int) {
    slots[slot] = request
    count += 1
  }

  /// Nil if the request is no longer there.
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

  /// Marks requests that have waited `limit` or longer and returns their streams, and the mean age of all requests.
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

/// How a request on a connection ended.
enum Ending {
  /// Status 200.
  case accepted
  case refused(Refusal)
  /// Certainly not processed (RFC 9113 §8.7).
  case notProcessed
  /// It may have been processed.
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

  /// True if the peer has answered the request.
  var isAnswer: Bool {
    switch self {
    case .accepted, .refused: true
    case .notProcessed, .unknown: false
    }
  }
}
