package import Time

/// Outcome of a delivery. The raw values are stored in the database.
package enum OutcomeStatus: Int16, CaseIterable, Sendable {
  /// The push network accepted the push.
  case accepted = 1
  /// The push network refused the push permanently.
  case rejected = 2
  /// The message expired before the push network accepted the push.
  case expired = 3
  case cancelled = 4
  /// The server did not send the push, for a reason (`SkipReason`).
  case skipped = 5
  /// Not final: the delivery waits until it is due.
  case deferred = 6

  package var isFinal: Bool { self != .deferred }

  /// True if the delivery ended without reaching the push network's acceptance, and nobody has cancelled it: rejected,
  /// expired or skipped. Such deliveries are listed as failures and can be sent again.
  package var isFailure: Bool {
    switch self {
    case .rejected, .expired, .skipped: true
    case .accepted, .cancelled, .deferred: false
    }
  }

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

/// The reason why a delivery was not sent.
package enum SkipReason: String, CaseIterable, Sendable {
  /// The device was unregistered, or its token removed, between the request and the delivery.
  case gone = "gone"
  /// The device or its token now belongs to another user.
  case rebound = "rebound"
  /// The result of an earlier submission is unknown, and the message must not be submitted again.
  case unknownNotResent = "unknown-not-resent"
  /// The device is quarantined because the network refused its token, until it registers again or is released.
  case quarantine = "quarantine"
  /// The user has not consented to this kind of message, or has withdrawn consent.
  case consent = "consent"
  /// This server cannot send to the device's push network, or the app has no credential for it.
  case noProvider = "no-provider"
  /// The device has registered no token of the kind that the push type requires.
  case noToken = "no-token"
  /// The message is confidential, and the device's user is not proved.
  case unproved = "unproved"
}

/// Result of one submission to a push network.
package enum SubmissionResult: Equatable, Sendable {
  /// The network has accepted the push.
  case accepted
  /// Refused permanently, for a reason that does not concern the device's token. The reason is the network's own code.
  case rejected(reason: String)
  /// Refused because the token is not valid (any more). `since` is when the network learned that, nil if it did not
  /// say; a registration after that time remains valid.
  case badToken(reason: String, since: Timestamp?)
  /// Refused temporarily: retry after a delay. `after` is the delay in seconds that the network requested; nil if it
  /// requested none.
  case retry(reason: String, after: Int?)
  /// Refused because this device gets too many pushes: all deliveries to this device must wait, but no others. `after`
  /// is the delay in seconds that the network requested; nil if it requested none.
  case deviceBusy(reason: String, after: Int?)
  /// The credential is not valid in this APNs environment; the device may belong to the other one.
  case wrongEnvironment(reason: String)
  /// Certainly not processed, so it is safe to resubmit.
  case notProcessed
  /// Possibly processed: the connection was lost, or there was no response in time.
  case unknown(reason: String)
  /// Refused because the app's credential or configuration is at fault: the app must pause until an operator corrects
  /// it.
  case credentialFault(reason: String)
  /// The app has no credential for this network.
  case noCredential(reason: String)
  /// Not submitted, because the device's data was read too long ago and must be read again first.
  case stale

  /// The same result with its reason escaped and shortened for storing (`KeyText`), because it comes from a peer.
  package var kept: SubmissionResult {
    switch self {
    case .accepted, .notProcessed, .stale: self
    case .rejected(let reason): .rejected(reason: KeyText.kept(reason))
    case .badToken(let reason, let since): .badToken(reason: KeyText.kept(reason), since: since)
    case .retry(let reason, let after): .retry(reason: KeyText.kept(reason), after: after)
    case .deviceBusy(let reason, let after): .deviceBusy(reason: KeyText.kept(reason), after: after)
    case .wrongEnvironment(let reason): .wrongEnvironment(reason: KeyText.kept(reason))
    case .unknown(let reason): .unknown(reason: KeyText.kept(reason))
    // These reasons are whole sentences, as shown to operators.
    case .credentialFault(let reason): .credentialFault(reason: KeyText.kept(reason, bytes: KeyText.sentenceBytes))
    case .noCredential(let reason): .noCredential(reason: KeyText.kept(reason, bytes: KeyText.sentenceBytes))
    }
  }
}
