/// How an app treats the content of its messages.
extension App {
  /// Messages that are confidential by default: their content is sealed as soon as they are accepted, shown to nobody,
  /// and wiped when they are finished.
  package struct Confidentiality: Equatable, Sendable {
    package var lanes: Set<Lane> = []
    /// Also applies to sends through the SDK's wire protocol, whose clients know nothing of it.
    package var coversSDK = false

    package init() {}

    /// Default for a new app: one-time codes are sent in the urgent lane.
    package static let ofNewApps: Confidentiality = {
      var rules = Confidentiality()
      rules.lanes = [.urgent]
      return rules
    }()

    package func covers(_ request: MessageRequest, from door: Door) -> Bool {
      switch door {
      case .api: request.isConfidential || lanes.contains(request.lane)
      case .sdk: request.isConfidential || coversSDK && lanes.contains(request.lane)
      // The server's own content is no secret: it asks a device to prove possession of its token.
      case .server: request.isConfidential
      }
    }

    /// The interface through which a send arrives.
    package enum Door: Sendable {
      case api, sdk, server
    }

    /// Stored as one bit per lane.
    package var bits: Int16 { lanes.reduce(0) { $0 | 1 << $1.rawValue } }

    package init(bits: Int16, coversSDK: Bool) {
      lanes = Set(Lane.allCases.filter { bits & 1 << $0.rawValue != 0 })
      self.coversSDK = coversSDK
    }
  }
}
