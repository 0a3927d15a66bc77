/// Apple's kinds of push (the value of `apns-push-type`), and the requirements of each.
///
/// Source: "Sending notification requests to APNs", table of push types; "Generating a remote notification".
package enum PushType: String, CaseIterable, Sendable {
  /// A visible or audible notification: alert, badge or sound.
  case alert
  /// Wakes the app without showing anything.
  case background
  case voip
  case complication
  case fileprovider
  /// Wakes the device management client; sent by a device management server.
  case mdm
  case location
  case pushtotalk
  case liveactivity
  case controls
  case widgets

  /// Suffix that follows the bundle identifier in `apns-topic`; may be empty.
  package var topicSuffix: String {
    switch self {
    case .alert, .background, .mdm: ""
    case .voip: ".voip"
    case .complication: ".complication"
    case .fileprovider: ".pushkit.fileprovider"
    case .location: ".location-query"
    case .pushtotalk: ".voip-ptt"
    case .liveactivity: ".push-type.liveactivity"
    case .controls: ".push-type.controls"
    case .widgets: ".push-type.widgets"
    }
  }

  /// Maximum size of the payload of a push to devices, in bytes.
  package var payloadBytes: Int {
    self == .voip ? Domain.Limits.voipPayloadBytes : Domain.Limits.payloadBytes
  }

  /// The priorities that Apple accepts for this type; the first is the default.
  package var priorities: [PushPriority] {
    switch self {
    case .background: [.considerate]
    case .voip, .pushtotalk: [.immediate]
    case .liveactivity, .location: [.immediate, .considerate]
    case .alert, .complication, .fileprovider, .mdm, .controls, .widgets: [.immediate, .considerate, .low]
    }
  }

  /// Returns the kind of the device's token to which the push is sent.
  /// - Parameter startsActivity: for `liveactivity`, true if the push starts an activity; otherwise ignored.
  package func tokenKind(startsActivity: Bool) -> TokenKind {
    switch self {
    case .alert, .background, .mdm: .alert
    case .voip: .voip
    case .complication: .complication
    case .fileprovider: .fileProvider
    case .location: .location
    case .pushtotalk: .pushToTalk
    case .liveactivity: startsActivity ? .liveActivityStart : .liveActivityUpdate
    case .controls: .controls
    case .widgets: .widgets
    }
  }

  /// True if the app's own code receives the payload and can confirm it with the values in `mps`. Pushes of other types
  /// are handled by the system and have no `mps`.
  package var carriesMPS: Bool {
    switch self {
    case .alert, .background, .voip, .complication, .location, .pushtotalk: true
    case .fileprovider, .mdm, .liveactivity, .controls, .widgets: false
    }
  }

  package var carriesAPS: Bool { self != .mdm && self != .fileprovider }

  /// True if APNs stores the push for an offline device by default. False for calls and Push to Talk, which are
  /// worthless later; Apple advises a single attempt.
  package var isKeptForDevice: Bool { self != .voip && self != .pushtotalk }

  /// True if the type cannot be sent with a certificate, which does not cover its topic.
  package var needsProviderToken: Bool { self == .location }
}

/// The urgency with which Apple delivers a push (the value of `apns-priority`).
package enum PushPriority: Int16, CaseIterable, Sendable {
  case immediate = 10
  /// May be delayed to save the device's battery.
  case considerate = 5
  /// Does not wake the device.
  case low = 1
}
