/// When a second person is asked: the rule alone. Pure.
package enum SecondPerson {
  /// Why somebody is asked. Raw values are stored.
  package enum Because: Int16, CaseIterable, Sendable {
    /// The message is for more devices than the app lets one person send to.
    case size = 1
    /// It is so together with what the same person has sent within the hour.
    case hour = 2
    /// When its audience was frozen there were more than had been asked for, or approved.
    case growth = 3

    package var name: String {
      switch self {
      case .size: "size"
      case .hour: "hour"
      case .growth: "growth"
      }
    }
  }

  /// An audience may grow so much between an approval and the moment when it is frozen.
  package static let tolerancePercent: Int64 = 10

  /// Nil: it may go out.
  /// - Parameters:
  ///   - devices: of the message; nil: more than are counted at once.
  ///   - approved: for how many a second person has let it go already.
  ///   - withinHour: devices of other messages of this person that nobody was asked about.
  ///   - most: what one person may send to.
  package static func isAsked(
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

/// Whether a message is kept from going out until it is certain that one person may send it. Raw values are stored.
package enum MessageHold: Int16, Sendable {
  case none = 0
  /// Its devices are counted first.
  case uncounted = 1
  /// It waits for a second person.
  case waiting = 2
}
