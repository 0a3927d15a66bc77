/// The eleven values of `apns-push-type`, and what each one demands.
///
/// Source: "Sending notification requests to APNs", table of push types.
package enum PushType: String, CaseIterable, Sendable {
  // Ordered by how often they are sent: recognition tries them in this order.
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

  /// What stands behind the bundle identifier in `apns-topic`; nil when the topic is the bare identifier.
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

  /// Largest body in bytes.
  package var payloadLimitBytes: Int {
    self == .voip ? Limits.voipPayloadBytes : Limits.payloadBytes
  }

  /// Location pushes are sent with a provider token only; certificates cannot name their topic.
  package var needsProviderToken: Bool { self == .location }

  /// Recognises a header value; nil when Apple has no such type.
  package init?(_ value: Span<UInt8>) {
    guard let found = PushType.allCases.first(where: { ASCII.equal(value, $0.rawValue) }) else { return nil }
    self = found
  }
}
