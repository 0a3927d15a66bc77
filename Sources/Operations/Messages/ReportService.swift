package import Domain
package import JSON
package import Postgres
package import Store

/// A message's results: its totals and each of its deliveries.
package enum ReportService {
  package struct FunnelAnswer: DescribedAnswer {
    package let funnel: Funnel
    /// A JSON object with the number of deliveries by reason, of those that were not accepted.
    let reasons: [UInt8]

    /// Whether the message failed because the server began to process it long after its due time. Such a message is
    /// `failed`, and either some of its deliveries were skipped as `late` or its audience was empty.
    package var cameTooLate: Bool {
      funnel.state == .failed && (funnel.targeted == 0 || count(of: Schedules.lateReason) > 0)
    }

    /// Returns the number of deliveries that ended for a reason; 0 if `reasons` is malformed.
    private func count(of reason: String) -> Int64 {
      var count: Int64 = 0
      var reader = JSONReader(reasons)
      do throws(JSONError) {
        try reader.readObject { (reader, key) throws(JSONError) in
          let number = try reader.readInteger()
          if key == reason { count = number }
        }
      } catch {
        return 0
      }
      return count
    }

    package static let object = JSONObject<FunnelAnswer>(
      "Funnel",
      [
        .always("seqno", .sequence, \.funnel.seqno), .always("state", .state, \.funnel.state),
      ] + Funnel.counts.map { $0.of(\.funnel) } + [
        .always("unknown", .count, \.funnel.unknown, "Submissions whose answer never came."),
        .always("resent", .count, \.funnel.resent, "Submissions beyond the first."),
        .always(
          "reasons", .raw(.object([("type", "object"), ("additionalProperties", JSONSchema.count)])), \.reasons,
          "How many for which reason, of all that was not accepted."),
        .always("appId", .appID, \.funnel.appID), ShownMessage.alert.of(\.funnel.alert),
        ShownMessage.confidential.of(\.funnel.isConfidential), .always("createdAt", .moment, \.funnel.createdAt),
        ShownMessage.stateReason.of(\.funnel.stateReason), ShownMessage.resendOf.of(\.funnel.resendOf),
        .optional("sendAt", .moment, \.funnel.dueAt, "When it is or was due."),
        .optional(
          "reference", .raw(JSONSchema.reference("SenderReference")), { $0.funnel.reference.map { Array($0.utf8) } }),
        .optional("from", .raw(JSONSchema.reference("SenderDevice")), { $0.funnel.origin.map { Array($0.utf8) } }),
        // A scheduled message's audience is counted when the message is due, so until then the number is an estimate.
        .optional(
          "estimate", .alwaysTrue, { $0.funnel.state == .scheduled ? true : nil },
          "`targeted` is an estimate until it is due."),
      ])
  }

  package static func funnel(_ seqno: Seqno, for caller: Caller, on connection: Connection) throws(Problem)
    -> FunnelAnswer
  {
    try caller.require(.viewMessages)
    let (found, reasons) = try find(seqno, for: caller, on: connection)
    return FunnelAnswer(funnel: found.funnel, reasons: Array(reasons.utf8))
  }

  /// Returns a message's numbers, and its reasons as JSON.
  /// - Throws: `.unknownMessage`, also if the caller may not access its app.
  static func find(_ seqno: Seqno, for caller: Caller, on connection: Connection) throws(Problem)
    -> (found: Funnels.Found, reasons: String)
  {
    // Report messages of other apps as nonexistent.
    guard let (found, reasons) = try connection.answer(Funnels.find(seqno)), caller.reaches(found.app) else {
      throw Problem(.unknownMessage, "There is no message \(seqno).")
    }
    return (found, reasons)
  }

  /// Returns a message's funnel without checking permissions, for viewers whom the caller has authorized; nil if the
  /// message no longer exists or the database is unavailable.
  package static func watched(_ seqno: Seqno, on connection: Connection) -> FunnelAnswer? {
    guard let (found, reasons) = try? connection.answer(Funnels.find(seqno)) else { return nil }
    return FunnelAnswer(funnel: found.funnel, reasons: Array(reasons.utf8))
  }

  // MARK: Deliveries

  /// Returns the problem for a message whose totals exist but whose individual deliveries are no longer stored.
  static func notKept(_ seqno: Seqno) -> Problem {
    Problem(
      .notKept,
      """
      Who got message \(seqno) is not kept any more: the time for which history is kept is over, or it was sent with dbIn \
      false. Its numbers are at /v1/admin/messages/\(seqno).
      """)
  }

  /// Checks that the caller may see a message's deliveries and that they are still stored.
  /// - Returns: the message's app.
  /// - Throws: `.forbidden`; `.unknownMessage`, also if the caller may not access the app; `.notKept`.
  @discardableResult
  static func requireHistory(of seqno: Seqno, for caller: Caller, on connection: Connection) throws(Problem)
    -> App.Number
  {
    try caller.require(.viewMessages)
    let found = try find(seqno, for: caller, on: connection).found
    if !found.isKept { throw notKept(seqno) }
    return found.app
  }

  /// Lists a message's deliveries that have an outcome or wait for their next attempt, and notes in the audit trail
  /// that the caller has read them. `page.status` limits the list to one status; nil lists all.
  /// - Throws: `.unknownMessage`, also if the caller may not access its app; `.notKept` if the deliveries are no longer
  ///   stored.
  package static func deliveries(
    of seqno: Seqno, _ page: PageRequest, for caller: Caller, on connection: Connection
  ) throws(Problem) -> ItemPage<DeliveryPages.Delivery> {
    let app = try requireHistory(of: seqno, for: caller, on: connection)
    try AuditTrail.note(.deliveries, of: app, by: caller, on: connection)
    let after = try page.delivery()
    let found = try connection.answer { () throws(PostgresError) in
      try DeliveryPages.next(of: seqno, after: after, status: page.status, limit: page.limit + 1, on: connection)
    }
    return ItemPage(found, limit: page.limit) { $0.place.cursor }
  }
}

extension Operations.Limits {
  /// Permitted numbers of items per page of a list; of a device's inbox, at most `inboxPageMost`. The largest page of
  /// deliveries has about 200 KB.
  package static let pageSizes = 1...1000
  package static let pageDefault = 100
}
