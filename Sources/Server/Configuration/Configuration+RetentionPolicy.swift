internal import Dispatcher

/// The variables of the retention policy.
extension Configuration {
  static let keepingVariables = [
    Variable(
      name: "UPMC_KEEP_HISTORY_DAYS", standard: "90",
      meaning: "days after a message's end for which the server knows who got, received and read it; 0: for ever",
      korean: "메시지가 끝난 뒤 누가 받고 읽었는지를 보관하는 일수. 0은 영구 보관"),
    Variable(
      name: "UPMC_KEEP_MESSAGES_DAYS", standard: "400",
      meaning: "days after its end for which a message and its numbers are kept, statistics stay; 0: for ever",
      korean: "메시지가 끝난 뒤 메시지와 집계를 보관하는 일수(통계는 남음). 0은 영구 보관"),
  ]

  /// The number of days for which delivery history is kept; nil for ever.
  package var keptHistoryDays: Int32? { keeping.historyDays }

  /// Stores the value of a retention variable. Returns false when the variable is not one of these.
  mutating func setKeeping(_ name: String, _ value: String) throws(Mistake) -> Bool {
    switch name {
    case "UPMC_KEEP_HISTORY_DAYS": keeping.historyDays = try Self.days(name, value)
    case "UPMC_KEEP_MESSAGES_DAYS": keeping.messageDays = try Self.days(name, value)
    default: return false
    }
    return true
  }

  /// Performs the checks that concern both variables.
  func checkKeeping() throws(Mistake) {
    guard let messages = keeping.messageDays else { return }
    guard let history = keeping.historyDays, history <= messages else {
      throw Mistake(
        description: """
          UPMC_KEEP_MESSAGES_DAYS is less than UPMC_KEEP_HISTORY_DAYS: a message cannot go before its history. Set it to 0 \
          or to as much.
          """)
    }
  }

  private static func days(_ name: String, _ value: String) throws(Mistake) -> Int32? {
    guard let days = Int32(value), (0...36_500).contains(days) else {
      throw Mistake(description: "\(name)=\(value) is no number of days. Write 0 (for ever) to 36500.")
    }
    return days == 0 ? nil : days
  }
}
