/// Apple's kinds of push (the value of `apns-push-type`), and the requirements of each.
///
/// Source: "Sending notification requests to APNs", table of push types; "Generating a remote notification".
package enum PushType: String, CaseIterable, Sendable {
  /// Something the user sees or hears: alert, badge or sound.
  case alert
  /// Wakes the app, shows nothing.
  case background
  case voip
  case complication
  case fileprovider
  /// For the device itself, from a device management server.
  case mdm
  case location
  case pushtotalk
  case liveactivity
  case controls
  case widgets

  /// Follows the bundle identifier in `apns-topic`; empty if there is none.
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

  /// Largest body in bytes.
  package var payloadBytes: Int {
    self == .voip ? Domain.Limits.voipPayloadBytes : Domain.Limits.payloadBytes
  }

  /// The priorities that Apple accepts for it; the first is the default.
  package var priorities: [PushPriority] {
    switch self {
    case .background: [.considerate]
    case .voip, .pushtotalk: [.immediate]
    case .liveactivity, .location: [.immediate, .considerate]
    case .alert, .complication, .fileprovider, .mdm, .controls, .widgets: [.immediate, .considerate, .low]
    }
  }

  /// Returns which of a device's tokens it is sent to.
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

  /// The app's own code gets the payload and may confirm it with the values in `mps`. The other types are handled by
  /// the system.
  package var carriesMPS: Bool {
    switch self {
    case .alert, .background, .voip, .complication, .location, .pushtotalk: true
    case .fileprovider, .mdm, .liveactivity, .controls, .widgets: false
    }
  }

  package var carriesAPS: Bool { self != .mdm && self != .fileprovider }

  /// A call, or someone speaking right now, is worthless to a device that comes back later; Apple advises a single
  /// attempt.
  package var isKeptForDevice: Bool { self != .voip && self != .pushtotalk }

  /// Certificates cannot cover its topic.
  package var needsProviderToken: Bool { self == .location }
}

/// How soon Apple delivers a push: the value of `apns-priority`.
package enum PushPriority: Int16, CaseIterable, Sendable {
  case immediate = 10
  /// Takes the device's battery into account.
  case considerate = 5
  /// Without waking the device.
  case low = 1
}
