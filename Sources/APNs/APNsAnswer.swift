internal import Domain
internal import JSON

/// One refusal of APNs, understood as far as it can be.
package struct APNsAnswer: Equatable, Sendable {
  package let status: Int
  /// The reason in APNs' own word; empty when it gave none.
  package let reasonText: String
  /// With 410: milliseconds since 1970 when the token was last found not to be good.
  package let timestamp: Int64?
  /// Seconds to wait, where the service says so (not documented for APNs, but HTTP has it).
  package let retryAfter: Int?

  /// - Parameter body: JSON with `reason`, and `timestamp` where the status is 410. Anything else counts as no reason.
  package init(status: Int, body: [UInt8], retryAfter: Int? = nil) {
    self.status = status
    self.retryAfter = retryAfter
    let details = Self.details(body)
    reasonText = details.reason
    timestamp = details.timestamp
  }

  /// Nil for a reason that nobody has documented.
  package var reason: APNsReason? { APNsReason(rawValue: reasonText) }

  /// What to do. An unknown reason is judged by its class of status alone, and never costs a device its token.
  package var action: APNsReason.Action {
    if let reason { return reason.action }
    switch status {
    case 403: return .pauseApp
    // Gone since a time that is given: no word is needed for that. A word that nobody knows may mean anything.
    case 410: return timestamp != nil && reasonText.isEmpty ? .retireToken : .refuseMessage
    case 429: return .retryDevice
    case 500...: return .retryLater
    default: return .refuseMessage
    }
  }

  /// What may be shown: APNs' word, or the status where it gave none.
  package var shownReason: String { reasonText.isEmpty ? "status \(status)" : KeyText.kept(reasonText) }

  /// The reason in a body or in the debug data of a GOAWAY; empty when it is not there.
  package static func reason(in body: [UInt8]) -> String {
    KeyText.kept(details(body).reason)
  }

  private static func details(_ body: [UInt8]) -> (reason: String, timestamp: Int64?) {
    guard !body.isEmpty else { return ("", nil) }
    var reason = ""
    var timestamp: Int64?
    var reader = JSONReader(body)
    // What was read before an error in the text still counts.
    try? reader.readObject { (reader, name) throws(JSONError) in
      switch name {
      case "reason": reason = try reader.readString()
      case "timestamp": timestamp = try reader.readInteger()
      default: try reader.skip()
      }
    }
    return (reason, timestamp)
  }
}
