internal import Domain
internal import Store

/// What `complete` is told, in this order for each batch.
enum CompleterInput: Sendable {
  /// Recipients have been claimed and are being submitted now.
  case started(Flight)
  /// Recipients have been claimed and must be submitted once their bindings are read: due ones, and those in doubt.
  case waiting(claim: Claims.Hold, DispatchMessage, [WaitingTarget])
  /// Like `waiting`, but ignored if the claim is known already: an audit and the claim's own launch can both report it.
  case found(claim: Claims.Hold, DispatchMessage, [WaitingTarget])
  /// Recipients have been claimed and are decided without being submitted.
  case decided(claim: Claims.Hold, DispatchMessage, [WaitingTarget], OutcomeStatus, reason: String)
  case results([PushResult])
  /// These messages were paused or cancelled: look at once at what of them waits for its next try.
  case recall(Set<Int64>)
  /// The claims that the database says are ours.
  case audit([Claims.Hold])
}

/// A batch under way.
struct Flight: Sendable {
  let batch: PushBatch
  let claim: Claims.Hold
  let message: DispatchMessage
  /// For each target, tries so far, this one not counted.
  let attempts: [Tries]
  /// For each target, where it stands in a block; empty when the claim is none.
  var places: [BlockPlace?] = []
  /// The recipients are known to the completer already: they come back from waiting.
  var isRepeat = false
  /// The other environment's host is being asked about this refusal.
  var question: TokenQuestion?
}

/// A recipient that waits for its next try.
struct WaitingTarget: Sendable {
  let device: DeviceID
  let userKey: UserKey
  var attempts: Tries
  /// Where it stands in a block.
  var place: BlockPlace?
  /// True when the next submission may be a second one for the network and has not been counted as such yet.
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
