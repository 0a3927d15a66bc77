/// The rules by which an app's messages are confidential.
extension App {
  /// The lanes whose messages are confidential by default: their content is encrypted when accepted, never displayed,
  /// and wiped when the message is complete.
  package struct Confidentiality: Equatable, Sendable {
    package var lanes: Set<Lane> = []
    /// True if this also applies to sends through the SDK's wire protocol, which cannot request confidentiality.
    package var coversSDK = false

    package init() {}

    /// Default for a new app: messages in the urgent lane, which one-time codes use.
    package static let ofNewApps: Confidentiality = {
      var rules = Confidentiality()
      rules.lanes = [.urgent]
      return rules
    }()

    package func covers(_ request: MessageRequest, from interface: Interface) -> Bool {
      switch interface {
      case .api: request.isConfidential || lanes.contains(request.lane)
      case .sdk: request.isConfidential || coversSDK && lanes.contains(request.lane)
      // Content created by the server is not secret: it only makes a device prove that it owns its token.
      case .server: request.isConfidential
      }
    }

    /// The interface through which a send arrives.
    package enum Interface: Sendable {
      case api, sdk, server
    }

    /// The lanes as stored: one bit per lane.
    package var bits: Int16 { lanes.reduce(0) { $0 | 1 << $1.rawValue } }

    package init(bits: Int16, coversSDK: Bool) {
      lanes = Set(Lane.allCases.filter { bits & 1 << $0.rawValue != 0 })
      self.coversSDK = coversSDK
    }
  }
}
