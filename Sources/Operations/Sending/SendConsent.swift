internal import Domain
internal import Store
internal import Time

/// A second person's approval of a waiting send.
struct SendConsent: Sendable {
  let approval: Approvals.Number
  let by: Caller
  /// Digest of the original request.
  let requestSHA256: [UInt8]
  /// Time of the original request.
  let requestedAt: Timestamp
  /// Number of devices that was shown to the approver; nil if it was not counted.
  let targeted: Int64?
}
