/// Which list a message stands in.
package enum MessagePurpose: Int16, CaseIterable, Sendable {
  /// To an audience: everyone, groups, a segment, a file.
  case campaign = 0
  /// To users or devices that are named.
  case single = 1
  /// A trial of what is to be sent.
  case test = 2

  package var name: String {
    switch self {
    case .campaign: "campaign"
    case .single: "single"
    case .test: "test"
    }
  }

  /// Whether its deliveries count in statistics: those of tests do not. SQL that sums messages up uses
  /// `Statistics.isCounted`.
  package var isCounted: Bool { self != .test }
}

extension MessageRequest {
  package var purpose: MessagePurpose {
    if isTest { return .test }
    return namesRecipients ? .single : .campaign
  }

  /// True when each recipient is named: by CUID, device or token.
  var namesRecipients: Bool {
    switch audience {
    case .clientUIDs, .devices, .psids: true
    case .all, .members, .groups, .segment, .savedSegment, .csv, .deliveries: false
    }
  }
}
