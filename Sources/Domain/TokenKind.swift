/// The use of a push token. A device has one token for alerts, its PSID; it can have one of each other kind, and one
/// for each of its Live Activities. The raw values are stored in the database.
package enum TokenKind: Int16, CaseIterable, Sendable {
  case alert = 1
  case voip = 2
  case pushToTalk = 3
  case liveActivityStart = 4
  case liveActivityUpdate = 5
  case complication = 6
  case fileProvider = 7
  case location = 8
  case widgets = 9
  case controls = 10

  package var name: String {
    switch self {
    case .alert: "alert"
    case .voip: "voip"
    case .pushToTalk: "push-to-talk"
    case .liveActivityStart: "live-activity-start"
    case .liveActivityUpdate: "live-activity-update"
    case .complication: "complication"
    case .fileProvider: "file-provider"
    case .location: "location"
    case .widgets: "widgets"
    case .controls: "controls"
    }
  }

  /// The kinds besides the PSID of which a device has at most one. Tokens of Live Activities are registered per
  /// activity.
  package static let further = allCases.filter { $0 != .alert && $0 != .liveActivityUpdate }

  /// Returns the kind in `further` with this name; nil if there is none, as for `alert`.
  package init?(further name: String) {
    guard let kind = Self.further.first(where: { $0.name == name }) else { return nil }
    self = kind
  }
}
