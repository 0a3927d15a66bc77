package import Domain
package import JSON
package import Postgres
package import Store
internal import Time

/// Lists messages, newest first, and the failures of one message.
package enum MessageListing {
  /// A message with its numbers, as returned in lists.
  package struct Entry: DescribedAnswer {
    package let record: MessageLists.Record

    package static let object = JSONObject<Entry>(
      "Message", isNamed: false,
      [
        .always("seqno", .sequence, \.record.funnel.seqno), .always("appId", .anyText, \.record.appID),
        .always("state", .state, \.record.funnel.state), .always("lane", .lane, \.record.lane),
        .always("purpose", .purpose, \.record.purpose),
        ShownMessage.alert.of(\.record.alert), ShownMessage.confidential.of(\.record.funnel.isConfidential),
        .always("createdAt", .moment, \.record.createdAt),
        .always("sendAt", .orNull(.moment), \.record.funnel.dueAt),
        .always("finishedAt", .orNull(.moment), \.record.finishedAt),
        .always("apiKeyId", .orNull(.sequence), \.record.apiKey),
        .always(
          "requestedBy", .orNull(.anyText), \.record.requestedBy,
          "An account's login, a user of the command line, or the name of an API key."),
        .always("sender", .orNull(.anyText), \.record.sender, "As the request says; null: `admin`."),
      ] + Funnel.counts.map { $0.of(\.record.funnel) } + [
        ShownMessage.stateReason.of(\.record.funnel.stateReason), ShownMessage.resendOf.of(\.record.funnel.resendOf),
      ])
  }

  /// Conditions for listed messages, as given in a query string; nil means no condition.
  package struct Question: Sendable {
    package var appID: String?
    package var state: String?
    package var purpose: String?
    package var lane: String?
    package var from: String?
    package var to: String?
    package var activeFrom: String?
    package var text: String?
    package var sender: String?

    package init() {}
  }

  /// Value of `Question.state` that selects all messages that have not ended.
  package static let open = "open"

  package static func list(
    _ question: Question, _ page: PageRequest, by caller: Caller, on connection: Connection
  ) throws(Problem) -> ItemPage<Entry> {
    try caller.require(.viewMessages)
    let filter = try filter(question, caller, connection)
    let before = try page.seqno(first: .max)
    let window = Operations.Limits.searchedRows
    let entries = try connection.answer(
      MessageLists.list(filter, before: before, window: window, limit: page.limit + 1)
    ).map(Entry.init)
    guard entries.count <= page.limit else {
      return ItemPage(entries, limit: page.limit) { String($0.record.funnel.seqno) }
    }
    let edge = try connection.answer(MessageLists.edge(filter, before: before, window: window))
    return ItemPage(items: entries, behind: edge.map(String.init))
  }

  private static func filter(
    _ question: Question, _ caller: Caller, _ connection: Connection
  ) throws(Problem) -> MessageLists.Filter {
    var filter = MessageLists.Filter()
    filter.app = try Administration.scope(question.appID, .viewMessages, caller, connection)
    if question.state == open {
      filter.isOpen = true
    } else {
      filter.state = try word(question.state, "state", MessageState.allCases, \.name)
    }
    filter.purpose = try word(question.purpose, "purpose", MessagePurpose.allCases, \.name)
    filter.lane = try word(question.lane, "lane", Lane.allCases, \.name)
    if let text = question.text, !text.isEmpty { filter.text = text }
    if let sender = question.sender, !sender.isEmpty { filter.sender = sender }
    filter.from = try moment(question.from, "from")
    filter.to = try moment(question.to, "to")
    filter.activeFrom = try moment(question.activeFrom, "activeFrom")
    return filter
  }

  /// Returns the value that a word of a query string stands for.
  /// - Parameters:
  ///   - name: the parameter's name, for the error message.
  ///   - word: returns the word of a value.
  /// - Returns: nil if `text` is nil.
  /// - Throws: `.invalidField` if no value has this word.
  static func word<Value>(
    _ text: String?, _ name: String, _ values: [Value], _ word: (Value) -> String
  ) throws(Problem) -> Value? {
    guard let text else { return nil }
    guard let known = values.first(where: { word($0) == text }) else {
      throw Problem(.invalidField, "\(name) must be one of \(values.map(word).joined(separator: ", ")).")
    }
    return known
  }

  /// Parses a time from a query string, in which an unescaped plus sign has become a blank: blanks are turned back into
  /// plus signs.
  /// - Parameter name: the parameter's name, for the error message.
  /// - Returns: nil if `text` is nil.
  /// - Throws: `.invalidField` if the text is not a time.
  static func moment(_ text: String?, _ name: String) throws(Problem) -> Timestamp? {
    guard let text else { return nil }
    guard let moment = Timestamp(text.replacing(" ", with: "+")) else {
      throw Problem(.invalidField, "\(name) must be a time such as 2026-12-24T09:00:00+09:00, not \"\(text)\".")
    }
    return moment
  }

  // MARK: Failures

  /// Lists a message's deliveries that were rejected, expired or skipped, and notes in the audit trail that the caller
  /// has read them. If `reason` is rare, a page can be short or even empty and still have a successor.
  /// - Parameter reason: only failures with this reason; nil for all.
  /// - Throws: `.unknownMessage`, also if the caller may not access its app; `.notKept` if the message's deliveries are
  ///   no longer stored.
  package static func failures(
    of seqno: Seqno, reason: String?, _ page: PageRequest, for caller: Caller, on connection: Connection
  ) throws(Problem) -> ItemPage<DeliveryPages.Delivery> {
    let app = try ReportService.requireHistory(of: seqno, for: caller, on: connection)
    try AuditTrail.note(.deliveries, of: app, by: caller, on: connection)
    let after = try page.delivery()
    let (found, rest) = try connection.answer { () throws(PostgresError) in
      try DeliveryPages.failures(
        of: seqno, after: after, reason: reason, window: Operations.Limits.searchedRows, limit: page.limit + 1,
        on: connection)
    }
    guard found.count <= page.limit else { return ItemPage(found, limit: page.limit) { $0.place.cursor } }
    return ItemPage(items: found, behind: rest?.cursor)
  }
}
