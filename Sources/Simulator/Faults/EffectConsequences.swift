internal import HTTP2

/// The consequences of an effect for counters, devices and providers.
extension Effect {
  /// Name of the effect in counters.
  var name: String {
    switch self {
    case .answer(let answer): answer.reason
    case .slow: Fault.Kind.slow.rawValue
    case .silence: Fault.Kind.silence.rawValue
    case .reorder: Fault.Kind.reorder.rawValue
    case .reset: Fault.Kind.reset.rawValue
    case .shape: Fault.Kind.shape.rawValue
    case .goAway: Fault.Kind.goAway.rawValue
    case .collapse: Fault.Kind.collapse.rawValue
    case .violation: Fault.Kind.violation.rawValue
    case .withholdWindow: Fault.Kind.withholdWindow.rawValue
    case .cut: Fault.Kind.cut.rawValue
    case .refuse: Fault.Kind.refuse.rawValue
    case .delayHandshake: Fault.Kind.delayHandshake.rawValue
    case .breakHandshake: Fault.Kind.breakHandshake.rawValue
    case .wrongHost: Fault.Kind.wrongHost.rawValue
    case .expiredCertificate: Fault.Kind.expiredCertificate.rawValue
    case .delaySettings: Fault.Kind.delaySettings.rawValue
    case .ignoreSettings: Fault.Kind.ignoreSettings.rawValue
    case .unknownSettings: Fault.Kind.unknownSettings.rawValue
    }
  }

  /// True if the device receives the push. False if the push is refused or not processed (RFC 9113, 8.7). Also true if
  /// the provider cannot know, so that a repeated push shows up as a duplicate.
  var delivers: Bool {
    switch self {
    case .answer, .violation: false
    case .reset(let code, _): code != ErrorCode.refusedStream.rawValue
    case .goAway(let plan): plan.lastStream == .honest
    case .shape(let shape): shape == .interim || shape == .withoutID || shape == .extraHeaders
    default: true
    }
  }

  /// True if the provider gets a response that the push was accepted, now or later.
  var accepts: Bool {
    switch self {
    case .silence, .reset, .cut: false
    case .goAway(let plan): plan.ending != .silent && delivers
    default: delivers
    }
  }
}
