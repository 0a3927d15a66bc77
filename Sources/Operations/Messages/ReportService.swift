package import Domain
package import JSON
package import Postgres
package import Store

/// What became of a message: its numbers, and each delivery.
package enum ReportService {
  /// The funnel of one message.
  package struct FunnelAnswer: JSONAnswer {
    package let funnel: Funnel
    /// A JSON object: count by reason.
    let reasons: [UInt8]

    /// It failed because its time had long passed. One for nobody has nobody to count as late.
    package var cameTooLate: Bool {
      funnel.state == .failed && (funnel.targeted == 0 || count(of: Schedules.lateReason) > 0)
    }

    /// Deliveries that ended for a reason.
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

    package func write(to writer: inout JSONWriter) {
      writer.member("seqno", String(funnel.seqno))
      writer.member("state", funnel.state.name)
      funnel.writeCounts(to: &writer)
      writer.member("unknown", funnel.unknown)
      writer.member("resent", funnel.resent)
      writer.member("reasons", raw: reasons)
      writer.member("appId", funnel.appID)
      writer.member("alert", raw: (funnel.alert ?? "null").utf8)
      if funnel.isConfidential { writer.member("confidential", true) }
      writer.member("createdAt", Timestamp.text(funnel.createdAt))
      if let reason = funnel.stateReason { writer.member("stateReason", reason) }
      if let resendOf = funnel.resendOf { writer.member("resendOf", String(resendOf)) }
      if let dueAt = funnel.dueAt { writer.member("sendAt", Timestamp.text(dueAt)) }
      if let reference = funnel.reference { writer.member("reference", raw: reference.utf8) }
      if let origin = funnel.origin { writer.member("from", raw: origin.utf8) }
      // The audience is frozen, and counted, when the message is due.
      if funnel.state == .scheduled { writer.member("estimate", true) }
    }
  }

  package static func funnel(_ seqno: Int64, for caller: Caller, on connection: Connection) throws(Problem)
    -> FunnelAnswer
  {
    try caller.require(.viewMessages)
    // To a caller of another app the message does not exist.
    guard let (found, reasons) = try connection.answer(Funnels.find(seqno)), caller.reaches(found.app) else {
      throw Problem(.unknownMessage, "There is no message \(seqno).")
    }
    return FunnelAnswer(funnel: found.funnel, reasons: Array(reasons.utf8))
  }

  /// The funnel for all who were let in to watch it; nil when the message is gone, or the database for the moment.
  package static func watched(_ seqno: Int64, on connection: Connection) -> FunnelAnswer? {
    guard let (found, reasons) = try? connection.answer(Funnels.find(seqno)) else { return nil }
    return FunnelAnswer(funnel: found.funnel, reasons: Array(reasons.utf8))
  }

  /// The newest messages of all apps that the caller reaches, newest first.
  package static func recent(for caller: Caller, on connection: Connection) throws(Problem) -> [FunnelAnswer] {
    try caller.require(.viewMessages)
    var answers: [FunnelAnswer] = []
    for seqno in try connection.answer(Messages.recent(limit: Operations.Limits.recentMessages)) {
      guard let (found, reasons) = try connection.answer(Funnels.find(seqno)), caller.reaches(found.app) else {
        continue
      }
      answers.append(FunnelAnswer(funnel: found.funnel, reasons: Array(reasons.utf8)))
    }
    return answers
  }

  // MARK: Deliveries

  /// One page of deliveries, in the order of their devices.
  package struct DeliveriesAnswer: JSONAnswer {
    package let items: [Funnels.Delivery]
    package let nextCursor: String?

    package func write(to writer: inout JSONWriter) {
      writer.member(
        "items",
        array: { writer in
          for item in items { Self.write(item, to: &writer) }
        })
      writer.member("nextCursor", nextCursor)
    }

    private static func write(_ delivery: Funnels.Delivery, to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("device", delivery.device.description)
        writer.member("clientUid", delivery.userKey.clientUID)
        writer.member("status", delivery.status.name)
        writer.member("reason", delivery.reason)
        writer.member("attempts", delivery.attempts)
        writer.member("at", Timestamp.text(delivery.at))
        writer.member("receivedAt", delivery.receivedAt.map(Timestamp.text))
        writer.member("readAt", delivery.readAt.map(Timestamp.text))
      }
    }
  }

  /// Its numbers are there, and who got it is not.
  static func notKept(_ seqno: Int64) -> Problem {
    Problem(
      .notKept,
      """
      Who got message \(seqno) is not kept any more: the time for which history is kept is over, or it was sent with dbIn \
      false. Its numbers are at /v1/admin/messages/\(seqno).
      """)
  }

  /// That the caller may see who got a message, and that it is known.
  @discardableResult
  static func requireHistory(of seqno: Int64, for caller: Caller, on connection: Connection) throws(Problem)
    -> App.Number
  {
    try caller.require(.viewMessages)
    guard let (found, _) = try connection.answer(Funnels.find(seqno)), caller.reaches(found.app) else {
      throw Problem(.unknownMessage, "There is no message \(seqno).")
    }
    if !found.isKept { throw notKept(seqno) }
    return found.app
  }

  /// Deliveries that have an outcome, or wait for their next try.
  package static func deliveries(
    of seqno: Int64, _ page: PageRequest, for caller: Caller, on connection: Connection
  ) throws(Problem) -> DeliveriesAnswer {
    let app = try requireHistory(of: seqno, for: caller, on: connection)
    try AuditTrail.note(.deliveries, of: app, by: caller, on: connection)
    let after = try page.device()
    // One more than asked for tells whether there is a next page.
    var items = try connection.answer(
      Funnels.deliveries(seqno, after: after, status: page.status, limit: page.limit + 1))
    let hasMore = items.count > page.limit
    if hasMore { items.removeLast() }
    return DeliveriesAnswer(items: items, nextCursor: hasMore ? items.last?.device.description : nil)
  }
}

extension Operations.Limits {
  /// Deliveries of one page: as many as fit an answer of about 200 KB.
  package static let pageSizes = 1...1000
  package static let pageDefault = 100
  /// Messages that are listed when none is named.
  static let recentMessages = 20
}

extension Funnel {
  /// How many devices are where.
  func writeCounts(to writer: inout JSONWriter) {
    writer.member("targeted", targeted)
    writer.member("pending", pending)
    writer.member("accepted", accepted)
    writer.member("rejected", rejected)
    writer.member("expired", expired)
    writer.member("cancelled", cancelled)
    writer.member("skipped", skipped)
    writer.member("received", received)
    writer.member("read", read)
  }
}
