internal import Domain
internal import Reactor

/// A batch on its way: how far it has been submitted.
final class QueuedBatch {
  let batch: PushBatch
  /// The next target to submit for the first time.
  var cursor = 0

  init(_ batch: PushBatch) {
    self.batch = batch
  }

  var isSubmitted: Bool { cursor == batch.targets.count }

  /// Its bindings were read so recently that they still hold.
  func isFresh(at now: Instant) -> Bool {
    now.nanoseconds - batch.readAtNanoseconds < PushBatch.freshNanoseconds
  }
}

/// One target between queue and result.
struct Submission {
  let batch: QueuedBatch
  /// Position in the batch.
  let target: Int
  /// How often we have sent it again.
  var resends: UInt8 = 0
}

/// A submission that waits for its answer on a connection.
struct InFlight {
  let submission: Submission
  let streamID: Int32
  let submittedAt: Instant
  /// Its time is over and it was reset.
  var isGivenUp = false
}

/// How a request on a connection ended.
enum Ending {
  /// Status 200.
  case accepted
  case refused(APNsAnswer)
  /// Certainly not processed (RFC 9113 §8.7).
  case notProcessed
  /// It may have been processed.
  case unknown(String)
}
