/// The rules that determine which of an app's messages are confidential.
extension App {
  /// The lanes whose messages are confidential by default. The content of a confidential message is encrypted when it
  /// is accepted, never displayed, and wiped after the message is complete.
  package struct Confidentiality: Equatable, Sendable {
    package var lanes: Set<Lane> = []
    /// True if the rule also applies to sends through the SDK's wire protocol, which cannot request confidentiality
    /// themselves.
    package var coversSDK = false

    package init() {}

    /// Default for a new app: messages in the urgent lane, which one-time codes use, but not sends through the SDK's
    /// wire protocol.
    package static let ofNewApps: Confidentiality = {
      var rules = Confidentiality()
      rules.lanes = [.urgent]
      return rules
    }()

    package func covers(_ request: MessageRequest, from interface: Interface) -> Bool {
      switch interface {
      case .api: request.isConfidential || lanes.contains(request.lane)
      case .sdk: request.isConfidential || coversSDK && lanes.contains(request.lane)
      // Content created by the server is not secret: the push only makes a device prove that it owns its token.
      case .server: request.isConfidential
      }
    }

    /// The interface through which a send arrives.
    package enum Interface: Sendable {
      case api, sdk, server
    }

    /// The lanes as stored: bit n is set for the lane with the raw value n.
    package var bits: Int16 { lanes.reduce(0) { $0 | 1 << $1.rawValue } }

    package init(bits: Int16, coversSDK: Bool) {
      lanes = Set(Lane.allCases.filter { bits & 1 << $0.rawValue != 0 })
      self.coversSDK = coversSDK
    }
  }
}
