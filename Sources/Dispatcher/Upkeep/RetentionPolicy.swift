/// How long history and messages are kept.
package struct RetentionPolicy: Sendable {
  /// Days for which the recipients of a message (outcomes, receipts and reads) are kept after its end; nil to keep them
  /// for ever.
  package var historyDays: Int32? = 90
  /// Days for which a message and its totals are kept after its end; nil to keep them for ever. Ignored if
  /// `historyDays` is nil: then messages are kept too. Statistics are always kept.
  package var messageDays: Int32? = 400

  package init() {}

  /// Returns the policy that keeps everything for the longer of this policy's times and the given ones.
  /// - Parameters:
  ///   - historyDays: like the property, but 0 means for ever; nil if unknown, which keeps this policy's value.
  ///   - messageDays: likewise.
  func longer(historyDays: Int32?, messageDays: Int32?) -> RetentionPolicy {
    func longest(_ own: Int32?, _ other: Int32?) -> Int32? {
      guard let own, other != 0 else { return nil }
      return max(own, other ?? own)
    }
    var policy = self
    policy.historyDays = longest(self.historyDays, historyDays)
    policy.messageDays = longest(self.messageDays, messageDays)
    return policy
  }

  /// Hours after which a new range of SEQNOs is started: a thirtieth of `historyDays`, but at least 24. Nil if history
  /// is kept for ever, so that no ranges are needed.
  var rangeHours: Int32? { historyDays.map { max(24, $0 * 24 / 30) } }
}
