internal import Domain
internal import Store

/// Somebody's word that a waiting send may go out.
struct SendConsent: Sendable {
  let approval: Approvals.Number
  let by: Caller
  /// Of the request as it came first.
  let requestSHA256: [UInt8]
  let requestedAt: Int64
  /// What whoever consents has seen.
  let targeted: Int64?
}
