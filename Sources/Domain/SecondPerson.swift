/// Decides whether a message needs the approval of a second person.
package enum SecondPerson {
  /// The reason why approval is needed. The raw values are stored in the database.
  package enum Because: Int16, CaseIterable, Sendable {
    /// The message has more devices than one person may send to in this app.
    case size = 1
    /// The message has no more devices than one person may send to, but exceeds that number together with the same
    /// person's other messages within an hour.
    case hour = 2
    /// A second person had approved the message, but when its audience was frozen, it had grown by more than
    /// `tolerancePercent`, and exceeded the number that one person may send to.
    case growth = 3

    package var name: String {
      switch self {
      case .size: "size"
      case .hour: "hour"
      case .growth: "growth"
      }
    }
  }

  /// Percentage by which an audience may grow between its approval and its freezing without another approval.
  static let tolerancePercent: Int64 = 10

  /// Returns the reason why approval is needed; nil if the message may be sent without. A message that was approved
  /// needs another approval only if it has grown above both `most` and the tolerance.
  /// - Parameters:
  ///   - devices: number of devices of the message; nil if there are too many to count at once, which needs approval
  ///     unless the message was approved.
  ///   - approved: number of devices that a second person has already approved; nil if none.
  ///   - withinHour: number of devices of this person's other messages within an hour that needed no approval.
  ///   - most: number of devices that one person may send to.
  package static func approvalReason(
    devices: Int64?, approved: Int64? = nil, withinHour: Int64 = 0, most: Int64
  ) -> Because? {
    guard let devices else { return approved == nil ? .size : nil }
    if let approved {
      let (tolerated, isEndless) = approved.addingReportingOverflow(
        approved / 100 * tolerancePercent
          + approved % 100 * tolerancePercent / 100)
      return isEndless || devices <= max(most, tolerated) ? nil : .growth
    }
    if devices > most { return .size }
    return devices > 0 && withinHour > most - devices ? .hour : nil
  }
}

/// Whether a message is held until a second person approves it. The raw values are stored in the database.
package enum MessageHold: Int16, Sendable {
  case none = 0
  /// The message's devices must be counted before it is known whether approval is needed.
  case uncounted = 1
  /// The message waits for a second person's approval.
  case waiting = 2
}
