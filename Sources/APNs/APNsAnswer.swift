internal import Domain
internal import JSON
package import Time

/// An APNs error response, parsed as far as possible.
package struct APNsAnswer: Equatable, Sendable {
  package let status: Int
  /// The reason code of APNs; empty if there is none.
  package let reasonText: String
  /// The time at which APNs last confirmed that the token was no longer valid; only for status 410. Nil also if the
  /// time is before 1970: it would say nothing, and PostgreSQL cannot store the earliest ones.
  package let timestamp: Timestamp?
  /// The delay in seconds from `Retry-After`, which APNs does not document but HTTP allows.
  package let retryAfter: Int?

  /// Parses a response from APNs.
  /// - Parameter body: JSON with `reason`, and with `timestamp` for status 410. Any other body counts as having no
  ///   reason.
  package init(status: Int, body: [UInt8], retryAfter: Int? = nil) {
    self.status = status
    self.retryAfter = retryAfter
    let details = Self.details(body)
    reasonText = details.reason
    timestamp = details.timestamp
  }

  /// The reason as a documented code; nil if it is undocumented.
  package var reason: APNsReason? { APNsReason(rawValue: reasonText) }

  /// The action that the sender must take. For an unknown reason it follows from the status class, and never
  /// invalidates the device's token.
  package var action: APNsReason.Action {
    if let reason { return reason.action }
    switch status {
    case 403: return .pauseApp
    // A 410 with a time suffices without a reason. An unknown reason, however, may mean anything.
    case 410: return timestamp != nil && reasonText.isEmpty ? .retireToken : .refuseMessage
    case 429: return .retryDevice
    case 500...: return .retryLater
    default: return .refuseMessage
    }
  }

  /// The reason to display: APNs' code, or the status if there is none.
  package var shownReason: String { reasonText.isEmpty ? "status \(status)" : KeyText.kept(reasonText) }

  /// Extracts the reason from a response body or the debug data of a GOAWAY; empty if there is none.
  package static func reason(in body: [UInt8]) -> String {
    KeyText.kept(details(body).reason)
  }

  private static func details(_ body: [UInt8]) -> (reason: String, timestamp: Timestamp?) {
    guard !body.isEmpty else { return ("", nil) }
    var reason = ""
    var timestamp: Timestamp?
    var reader = JSONReader(body)
    // Keep what was read before a syntax error.
    try? reader.readObject { (reader, name) throws(JSONError) in
      switch name {
      case "reason": reason = try reader.readString()
      case "timestamp":
        let milliseconds = try reader.readInteger()
        timestamp = milliseconds < 0 ? nil : Timestamp(milliseconds: milliseconds)
      default: try reader.skip()
      }
    }
    return (reason, timestamp)
  }
}
