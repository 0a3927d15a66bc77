internal import Domain
internal import Store
internal import Tracing

/// Input of thread `complete`. A batch's `started` precedes its `results`.
enum CompleterInput: Sendable {
  /// Recipients were claimed and are being submitted.
  case started(Flight)
  /// Recipients were claimed and must be submitted once their bindings are read: due ones and those in doubt.
  case waiting(claim: Claims.Hold, DispatchMessage, [WaitingTarget])
  /// Like `waiting`, but ignored if the claim is known: an audit and the claim's own launch can both report it.
  case found(claim: Claims.Hold, DispatchMessage, [WaitingTarget])
  /// Recipients were claimed and are decided without submission.
  case decided(claim: Claims.Hold, DispatchMessage, [WaitingTarget], OutcomeStatus, reason: String)
  case results([PushResult])
  /// These messages were paused or cancelled: re-check their pending retries at once.
  case recall(Set<Int64>)
  /// This node's claims according to the database.
  case audit([Claims.Hold])
}

/// A batch in flight.
struct Flight: Sendable {
  let batch: PushBatch
  let claim: Claims.Hold
  let message: DispatchMessage
  /// Tries of each target so far, not counting this one.
  let attempts: [Tries]
  /// Each target's position in a block; empty if the claim is no block.
  var places: [BlockPlace?] = []
  /// The completer knows the recipients already: this is a resubmission.
  var isRepeat = false
  /// The refusal in question, if the batch asks another environment about it.
  var question: TokenQuestion?
  /// Nil if it is not recorded.
  var span: OpenSpan?
}

/// A recipient waiting for its next try.
struct WaitingTarget: Sendable {
  let device: DeviceID
  let userKey: UserKey
  var attempts: Tries
  /// Its position in a block; nil if the claim is no block.
  var place: BlockPlace?
  /// True if the network may already have got this delivery, and the resend is not counted yet.
  var countsAsResent = false
  /// Of its further tokens, those that need nothing more.
  var done = FurtherTokensDone()
  /// The next submission goes to the other environment's host, to ask about this refusal.
  var doubt: TokenDoubt?
}

extension WaitingTarget {
  /// The recipient of a submission, for the next one.
  init(_ target: PushTarget, attempts: Tries, place: BlockPlace?) {
    self.init(
      device: target.device, userKey: target.userKey, attempts: attempts, place: place,
      done: target.further?.done ?? FurtherTokensDone())
  }

  /// With one of its tokens done.
  func besides(_ psid: String, _ status: OutcomeStatus) -> WaitingTarget {
    var waiting = self
    waiting.done = done.adding(psid, wasAccepted: status == .accepted)
    return waiting
  }

  /// Of the delivery: accepted where one of its tokens took it, whatever became of the last one.
  func outcome(_ status: OutcomeStatus, _ reason: String?) -> (OutcomeStatus, String?) {
    status.isFinal && done.wasAccepted ? (.accepted, nil) : (status, reason)
  }
}
