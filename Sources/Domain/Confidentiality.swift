/// What an app decides about what its messages say.
extension App {
  /// Which messages are confidential without saying so: what they say is sealed from the moment they are accepted, shown
  /// to nobody, and wiped when they are over.
  package struct Confidentiality: Equatable, Sendable {
    package var lanes: Set<Lane> = []
    /// Also sends through the SDK's door, whose servers know nothing of it.
    package var coversSDK = false

    package init() {}

    /// As a new app has it: one-time codes go out in the urgent lane.
    package static let ofNewApps: Confidentiality = {
      var rules = Confidentiality()
      rules.lanes = [.urgent]
      return rules
    }()

    package func covers(_ request: MessageRequest, from door: Door) -> Bool {
      switch door {
      case .api: request.isConfidential || lanes.contains(request.lane)
      case .sdk: request.isConfidential || coversSDK && lanes.contains(request.lane)
      // What the server itself says is no secret: it asks a device to show that it is there.
      case .server: request.isConfidential
      }
    }

    /// Where a send comes from.
    package enum Door: Sendable {
      case api, sdk, server
    }

    /// Stored: a bit for each lane.
    package var bits: Int16 { lanes.reduce(0) { $0 | 1 << $1.rawValue } }

    package init(bits: Int16, coversSDK: Bool) {
      lanes = Set(Lane.allCases.filter { bits & 1 << $0.rawValue != 0 })
      self.coversSDK = coversSDK
    }
  }
}
