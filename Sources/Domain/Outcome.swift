/// How a delivery stands. Raw values are stored.
package enum OutcomeStatus: Int16, CaseIterable, Sendable {
  /// The push network took it.
  case accepted = 1
  /// The push network refused it for good.
  case rejected = 2
  /// It was worth nothing any more before it could be delivered.
  case expired = 3
  case cancelled = 4
  /// We did not send it, for a reason (unregistered meanwhile, belongs to someone else now …).
  case skipped = 5
  /// Not final: waits for its due time.
  case deferred = 6

  package var isFinal: Bool { self != .deferred }

  package var name: String {
    switch self {
    case .accepted: "accepted"
    case .rejected: "rejected"
    case .expired: "expired"
    case .cancelled: "cancelled"
    case .skipped: "skipped"
    case .deferred: "pending"
    }
  }
}

/// Why we did not send.
package enum SkipReason: String, Sendable {
  /// Unregistered, or its token dropped, between the request and its turn.
  case gone = "gone"
  /// The device or its token belongs to another user now.
  case rebound = "rebound"
  /// The network's answer is unknown and the message asked not to send again.
  case unknownNotResent = "unknown-not-resent"
  /// The network refused the device's token before; it is put aside until it registers again or is given back.
  case quarantine = "quarantine"
  /// The person at the device has not agreed to this kind of message, or has withdrawn consent.
  case consent = "consent"
  /// This server cannot send to the device's push network, or the app has no credential for it.
  case noProvider = "no-provider"
  /// The device has registered no token of the kind that the push type needs.
  case noToken = "no-token"
  /// The message is confidential, and nobody has vouched for the device's user.
  case unproved = "unproved"
}

/// What became of one submission to a push network, as far as the dispatcher must know.
package enum SubmissionResult: Equatable, Sendable {
  /// The network has taken it.
  case accepted
  /// Refused for good; nothing is wrong with the device. The reason in the network's own word.
  case rejected(reason: String)
  /// Refused because the token is not (or no longer) good. `since`: milliseconds since 1970 when the network learnt it,
  /// if it said so: a later registration stands.
  case badToken(reason: String, since: Int64?)
  /// Refused for now: try again after a delay. `after`: what the network asked for, in seconds.
  case retry(reason: String, after: Int?)
  /// Refused because this device gets too much: only it has to wait, and so does everything else for it.
  case deviceBusy(reason: String, after: Int?)
  /// The credential does not open this environment's door: the device may belong to the other one.
  case wrongEnvironment(reason: String)
  /// Certainly not processed: resending is free.
  case notProcessed
  /// It may or may not have been processed (connection lost, no answer in time).
  case unknown(reason: String)
  /// Refused because our credential or configuration is at fault: the app must pause until an operator mends it.
  case credentialFault(reason: String)
  /// The app has no credential for this network.
  case noCredential(reason: String)
  /// Too old to submit: the binding was read too long ago. It must be read again first.
  case stale

  /// The same with words that can be kept: whoever answered may have said anything.
  package var kept: SubmissionResult {
    switch self {
    case .accepted, .notProcessed, .stale: self
    case .rejected(let reason): .rejected(reason: KeyText.kept(reason))
    case .badToken(let reason, let since): .badToken(reason: KeyText.kept(reason), since: since)
    case .retry(let reason, let after): .retry(reason: KeyText.kept(reason), after: after)
    case .deviceBusy(let reason, let after): .deviceBusy(reason: KeyText.kept(reason), after: after)
    case .wrongEnvironment(let reason): .wrongEnvironment(reason: KeyText.kept(reason))
    case .unknown(let reason): .unknown(reason: KeyText.kept(reason))
    // Whole sentences, as they are shown to operators.
    case .credentialFault(let reason): .credentialFault(reason: KeyText.kept(reason, bytes: KeyText.sentenceBytes))
    case .noCredential(let reason): .noCredential(reason: KeyText.kept(reason, bytes: KeyText.sentenceBytes))
    }
  }
}
