internal import Domain
internal import JSON

/// A refusal by APNs, interpreted as far as possible.
package struct APNsAnswer: Equatable, Sendable {
  package let status: Int
  /// The reason in APNs' own word; empty if it gave none.
  package let reasonText: String
  /// With 410: when APNs last confirmed that the token was no longer valid, in milliseconds since 1970.
  package let timestamp: Int64?
  /// Seconds to wait, if the service says so (not documented for APNs, but part of HTTP).
  package let retryAfter: Int?

  /// - Parameter body: JSON with `reason`, and `timestamp` if the status is 410. Anything else counts as no reason.
  package init(status: Int, body: [UInt8], retryAfter: Int? = nil) {
    self.status = status
    self.retryAfter = retryAfter
    let details = Self.details(body)
    reasonText = details.reason
    timestamp = details.timestamp
  }

  /// Nil for an undocumented reason.
  package var reason: APNsReason? { APNsReason(rawValue: reasonText) }

  /// What to do. An unknown reason is judged by its status class alone, and never costs a device its token.
  package var action: APNsReason.Action {
    if let reason { return reason.action }
    switch status {
    case 403: return .pauseApp
    // Gone since a given time: that is enough without a reason. An unknown reason, however, may mean anything.
    case 410: return timestamp != nil && reasonText.isEmpty ? .retireToken : .refuseMessage
    case 429: return .retryDevice
    case 500...: return .retryLater
    default: return .refuseMessage
    }
  }

  /// The reason to show: APNs' word, or the status if it gave none.
  package var shownReason: String { reasonText.isEmpty ? "status \(status)" : KeyText.kept(reasonText) }

  /// The reason in a body or in the debug data of a GOAWAY; empty if there is none.
  package static func reason(in body: [UInt8]) -> String {
    KeyText.kept(details(body).reason)
  }

  private static func details(_ body: [UInt8]) -> (reason: String, timestamp: Int64?) {
    guard !body.isEmpty else { return ("", nil) }
    var reason = ""
    var timestamp: Int64?
    var reader = JSONReader(body)
    // What was read before a syntax error still counts.
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
