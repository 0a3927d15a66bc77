package import Domain
package import JSON
package import Postgres
internal import Store
internal import Time

/// The complete record of a message: its sender and approver, content, audience, and what it is waiting for.
package struct MessageRecord: DescribedAnswer {
  let seqno: Seqno
  let record: MessageRecords.Record
  let waits: [Wait]

  /// A reason why the message, or a part of it, is waiting.
  package struct Wait: Sendable {
    /// `app-paused`, `approval`, `time`, `window`, `local-time`, `pace`, `canary` or `canary-stopped`, which concern
    /// the whole message; or the reason of deferred deliveries, such as `night`.
    let reason: String
    /// Time at which the wait ends; for deferred deliveries, the earliest of their due times. Nil if the time is
    /// unknown or the wait lasts until an operator acts.
    var until: Timestamp?
    /// Number of deferred deliveries; nil for a wait of the whole message, which concerns all pending devices.
    var devices: Int64?
  }

  private static let wait = JSONObject<Wait>(
    "MessageWait", isNamed: false,
    [
      .always("reason", .anyText, \.reason), .always("until", .orNull(.moment), \.until),
      .always("devices", .orNull(.count), \.devices),
    ])
  private static let repetition = JSONObject<MessageRecords.Repetition>(
    "MessageSeries", isNamed: false,
    [
      .always("every", .anyText, \.unit), .always("until", .anyText, \.until, "The last day."),
      .always("occurrence", .count, { Int64($0.occurrence) }, "From 0."), .always("ended", .flag, \.isEnded),
    ])

  package static let object = JSONObject<MessageRecord>(
    "MessageRecord",
    [
      .always("seqno", .sequence, \.seqno), .always("appId", .appID, \.record.appID),
      .always("state", .state, \.record.state), .always("purpose", .purpose, \.record.purpose),
      .always("createdAt", .moment, \.record.createdAt),
      .always(
        "requestedBy", .orNull(.anyText), \.record.requestedBy,
        "An account's login, a user of the command line, or the name of an API key."),
      .always("approvalId", .orNull(.sequence), \.record.approval, "Of the approval that let it go."),
      .always("approvedBy", .orNull(.anyText), \.record.approvedBy),
      .always("approvedAt", .orNull(.moment), \.record.approvedAt),
      .always(
        "message", .raw(.object([("type", "object")])), { Array($0.record.request.utf8) },
        "The send as it was accepted, its template filled in. A confidential one without what it says."),
      .always(
        "pace", .orNull(.raw(JSONSchema.reference("Pace"))), { $0.record.pace.map(Self.json) },
        "In force now; null: none."),
      .always("repeat", .orNull(repetition.form), \.record.repetition),
      .always("waits", .list(of: wait.form), \.waits, "What holds it back now; empty for one that has ended."),
    ])

  private static func json(_ pace: Pace) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { pace.write(to: &$0) }
    return writer.bytes
  }

  /// Returns the record of a message; `waits` is empty if the message has ended.
  /// - Throws: `.unknownMessage`, also if the caller may not access its app.
  package static func find(_ seqno: Seqno, for caller: Caller, on connection: Connection) throws(Problem)
    -> MessageRecord
  {
    try caller.require(.viewMessages)
    guard let record = try connection.answer(MessageRecords.find(seqno)), caller.reaches(record.app) else {
      throw Problem(.unknownMessage, "There is no message \(seqno).")
    }
    guard !record.state.isFinal else { return MessageRecord(seqno: seqno, record: record, waits: []) }
    let waiting = try connection.answer(MessageRecords.waiting(seqno))
    return MessageRecord(
      seqno: seqno, record: record,
      waits: waits(record)
        + waiting.map { Wait(reason: $0.reason, until: $0.until, devices: $0.devices) })
  }

  private static func waits(_ record: MessageRecords.Record) -> [Wait] {
    let holds = record.holds
    var waits: [Wait] = []
    if holds.isAppPaused { waits.append(Wait(reason: "app-paused")) }
    if holds.isHeldForApproval { waits.append(Wait(reason: "approval")) }
    if record.state == .scheduled {
      waits.append(Wait(reason: "time", until: record.dueAt))
    } else if let until = holds.localTimeUntil {
      waits.append(Wait(reason: "local-time", until: until))
    }
    if let until = holds.windowUntil { waits.append(Wait(reason: "window", until: until)) }
    if let until = holds.paceUntil { waits.append(Wait(reason: "pace", until: until)) }
    switch holds.canary {
    case .filling, .watching: waits.append(Wait(reason: "canary", until: holds.canaryUntil))
    case .stopped: waits.append(Wait(reason: "canary-stopped"))
    case .passed, nil: break
    }
    return waits
  }
}
