/// The list in which the console shows a message.
package enum MessagePurpose: Int16, CaseIterable, Sendable {
  /// Sent to an audience: everyone, all users or all guests, groups, a segment, a file, or recipients of an earlier
  /// message.
  case campaign = 0
  /// Sent to users or devices listed in the request.
  case single = 1
  /// A test before the message is sent to an audience.
  case test = 2

  package var name: String {
    switch self {
    case .campaign: "campaign"
    case .single: "single"
    case .test: "test"
    }
  }

  /// True if deliveries count in statistics; false for tests. SQL that sums up messages uses `Statistics.isCounted`.
  package var isCounted: Bool { self != .test }
}

extension MessageRequest {
  package var purpose: MessagePurpose {
    if isTest { return .test }
    return namesRecipients ? .single : .campaign
  }

  /// True if the request lists each recipient, by CUID, device or token.
  var namesRecipients: Bool {
    switch audience {
    case .clientUIDs, .devices, .psids: true
    case .all, .members, .groups, .segment, .savedSegment, .csv, .deliveries: false
    }
  }
}
