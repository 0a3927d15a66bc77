internal import Domain
internal import Reactor
internal import Store
internal import Tracing

/// Input of thread `complete`. A batch's `started` always precedes its `results`.
enum CompleterInput: Sendable {
  /// Recipients were claimed and are being submitted.
  case started(Flight)
  /// Recipients were claimed (deferred ones that are due, those of a dead node, or those of a new claim that could not
  /// be submitted at once) and must be submitted after re-reading their tokens.
  case waiting(claim: Claims.Hold, DispatchMessage, [WaitingTarget])
  /// Like `waiting`, unless this thread knows the claim already: an audit and the claim's own launch can both report
  /// it. Then the input is ignored, and its devices leave the in-flight window.
  case found(claim: Claims.Hold, DispatchMessage, [WaitingTarget])
  /// Recipients were claimed and have an outcome without being submitted.
  case decided(claim: Claims.Hold, DispatchMessage, [WaitingTarget], OutcomeStatus, reason: String)
  case results([PushResult])
  /// These messages were paused or cancelled: check their pending retries at once.
  case recall(Set<Seqno>)
  /// The claims of this node in the thread's lanes, according to the database.
  case audit([Claims.Hold])
}

/// A batch in flight.
struct Flight: Sendable {
  let batch: PushBatch
  let claim: Claims.Hold
  let message: DispatchMessage
  /// When the route's provider had last read the credentials before the batch was offered to it.
  let credentialsReadAt: Instant
  /// Number of earlier tries of each target, without the present one.
  let attempts: [Tries]
  /// Each target's position in a block; empty or all nil if the claim is not a block.
  var places: [BlockPlace?] = []
  /// True if this is a resubmission, whose recipients the completer knows already.
  var isRepeat = false
  /// The refusal that this batch verifies; nil for an ordinary batch.
  var question: TokenQuestion?
  /// The batch's span; nil if the message is not traced.
  var span: OpenSpan?
}

/// A recipient waiting for its next try.
struct WaitingTarget: Sendable {
  let device: DeviceID
  let userKey: UserKey
  var attempts: Tries
  /// The recipient's position in a block; nil if the claim is not a block.
  var place: BlockPlace?
  /// True if the network may have received this delivery before, and the resend is not counted yet.
  var countsAsResent = false
  /// The tokens besides the device's ordinary one that have a final result already.
  var done = FurtherTokensDone()
  /// The refusal that the next submission verifies, in the environment that the question names; nil if there is none.
  var doubt: TokenDoubt?
}

extension WaitingTarget {
  /// Creates the recipient's next try from its last submission.
  init(_ target: PushTarget, attempts: Tries, place: BlockPlace?) {
    self.init(
      device: target.device, userKey: target.userKey, attempts: attempts, place: place,
      done: target.further?.done ?? FurtherTokensDone())
  }

  /// Returns a copy that records the final result of the token `psid`.
  func besides(_ psid: String, _ status: OutcomeStatus) -> WaitingTarget {
    var waiting = self
    waiting.done = done.adding(psid, wasAccepted: status == .accepted)
    return waiting
  }

  /// Returns the outcome of the whole delivery for the result of its last token: accepted if any of the device's tokens
  /// was accepted and the result is final; otherwise the result itself. If one was accepted and nothing may be sent
  /// twice, a deferral counts as accepted too: the database does not store which tokens are done, so a later try would
  /// send to all of them again.
  func outcome(
    _ status: OutcomeStatus, _ reason: String?, onUnknown: UnknownPolicy
  ) -> (OutcomeStatus, String?) {
    done.wasAccepted && (status.isFinal || onUnknown == .skip) ? (.accepted, nil) : (status, reason)
  }

  /// Returns the tries to record with an outcome of the whole delivery. If it is deferred and one of the device's
  /// tokens was accepted, the tries are in doubt: which tokens are done is not stored, and what has arrived must not be
  /// called cancelled.
  func tries(for status: OutcomeStatus) -> Tries {
    !status.isFinal && done.wasAccepted ? attempts.inDoubt : attempts
  }
}

/// A batch in flight, with the number of results that are still missing.
struct OpenFlight {
  let flight: Flight
  private var open: Int
  /// Number of results by name; empty unless the batch is traced.
  private var results: [String: Int] = [:]
  /// The reason, or else the result's name, of the first push that was not accepted; nil if there is none or the batch
  /// is not traced.
  private var reason: String?

  init(_ flight: Flight) {
    self.flight = flight
    open = flight.batch.targets.count
  }

  /// Counts a result. Returns true if it was the last one missing.
  mutating func isOver(after result: SubmissionResult) -> Bool {
    open -= 1
    if flight.span != nil {
      let (name, why) = Self.named(result.kept)
      results[name, default: 0] += 1
      if result != .accepted, reason == nil { reason = why ?? name }
    }
    return open == 0
  }

  func record(_ spans: DispatchSpans?) {
    if flight.span != nil { spans?.pushed(flight, results, reason) }
  }

  private static func named(_ result: SubmissionResult) -> (name: String, reason: String?) {
    switch result {
    case .accepted: ("accepted", nil)
    case .rejected(let reason): ("rejected", reason)
    case .badToken(let reason, _): ("bad_token", reason)
    case .retry(let reason, _): ("retry", reason)
    case .deviceBusy(let reason, _): ("device_busy", reason)
    case .wrongEnvironment(let reason): ("wrong_environment", reason)
    case .notProcessed: ("not_processed", nil)
    case .unknown(let reason): ("unknown", reason)
    case .credentialFault(let reason): ("credential_fault", reason)
    case .noCredential(let reason): ("no_credential", reason)
    case .stale: ("stale", nil)
    }
  }
}
