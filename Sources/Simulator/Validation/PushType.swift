/// The eleven values of `apns-push-type`, with the requirements of each.
///
/// Source: "Sending notification requests to APNs", table of push types.
package enum PushType: String, CaseIterable, Sendable {
  // In order of frequency, because parsing tries them in this order.
  case alert
  case background
  case voip
  case liveactivity
  case location
  case pushtotalk
  case complication
  case fileprovider
  case widgets
  case controls
  case mdm

  /// Suffix that `apns-topic` has after the bundle identifier; nil if there is none.
  package var topicSuffix: String? {
    switch self {
    case .alert, .background, .mdm: nil
    case .voip: ".voip"
    case .liveactivity: ".push-type.liveactivity"
    case .location: ".location-query"
    case .pushtotalk: ".voip-ptt"
    case .complication: ".complication"
    case .fileprovider: ".pushkit.fileprovider"
    case .widgets: ".push-type.widgets"
    case .controls: ".push-type.controls"
    }
  }

  /// Maximum size of the payload in bytes.
  package var payloadLimitBytes: Int {
    self == .voip ? Limits.voipPayloadBytes : Limits.payloadBytes
  }

  /// True if the type needs a provider token, because certificates cannot cover its topic.
  package var needsProviderToken: Bool { self == .location }

  /// Parses a header value. Returns nil for an unknown type.
  package init?(_ value: Span<UInt8>) {
    guard let found = PushType.allCases.first(where: { ASCII.equal(value, $0.rawValue) }) else { return nil }
    self = found
  }
}
