package import Domain
package import JSON
package import Postgres
package import Store
internal import Time

/// Lists, tests and replays webhook deliveries. Also lists a message's SMS fallbacks.
package enum EventService {
  package struct Entry: DescribedAnswer {
    package let entry: Events.Entry

    package static let object = JSONObject<Entry>(
      "Event", isNamed: false,
      [
        .always("id", .eventID, \.entry.id),
        .always("kind", .words(EventKind.allCases.map(\.rawValue)), \.entry.kind),
        .always("at", .moment, \.entry.at), .always("state", .words(states), \.entry.state.name),
        .always("attempts", .count, \.entry.attempts),
        .always("nextAt", .orNull(.moment), { $0.entry.state == .waiting ? $0.entry.dueAt : nil }),
        .always("endedAt", .orNull(.moment), \.entry.endedAt),
        .always("status", .orNull(.count), \.entry.status, "HTTP status of the last answer; null without one."),
        .always("reason", .orNull(.anyText), \.entry.reason, "Why the last attempt failed."),
        .always("data", .raw(.object([("type", "object")])), \.entry.data),
        .always(
          "history", .raw(history), \.entry.history,
          "The latest attempts, oldest first; those before a replay too. `milliseconds` from the request to its end."),
      ])

    private static let history = JSONSchema.list(
      of: JSONSchema.object([
        .required("at", JSONSchema.moment), .required("status", JSONSchema.optional(JSONSchema.count)),
        .required("milliseconds", JSONSchema.count), .required("reason", JSONSchema.optional(JSONSchema.anyText)),
      ]))
  }

  /// Names of the states that a delivery can be in.
  package static let states = Events.State.allCases.map(\.name)

  /// Lists a webhook's deliveries, newest event first.
  /// - Parameters:
  ///   - webhook: the webhook's number, as text.
  ///   - state: one of `states`; nil lists all.
  /// - Throws: `.unknownWebhook`, also if the caller may not access its app; `.invalidField` for another state or
  ///   another list's cursor.
  package static func list(
    _ webhook: String, state: String?, _ page: PageRequest, by caller: Caller, on connection: Connection
  ) throws(Problem) -> ItemPage<Entry> {
    let number = try WebhookService.number(webhook)
    _ = try WebhookService.record(number, .manageEvents, caller, connection)
    var known: Events.State?
    if let state {
      known = Events.State.allCases.first { $0.name == state }
      guard known != nil else {
        throw Problem(.invalidField, "state must be one of \(states.joined(separator: ", ")).")
      }
    }
    let found = try connection.answer(
      Events.list(
        number, before: try page.number(first: .max), state: known, bytes: Operations.Limits.pageBytes,
        limit: page.limit + 1))
    return ItemPage(found.records.map(Entry.init), limit: page.limit, isCut: found.isCut) { String($0.entry.event) }
  }

  package struct Tested: DescribedAnswer {
    package let id: UUIDValue

    package static let object = JSONObject<Tested>("WebhookTested", [.always("id", .eventID, \.id, "The event's id.")])
  }

  /// Queues a test event for a webhook, whatever kinds it receives, and audits that. Returns the event's id, by which
  /// `list` shows whether the event has arrived.
  /// - Throws: `.conflict` if the webhook is switched off; `.unknownWebhook`, also if the caller may not access its
  ///   app.
  package static func test(_ webhook: String, by caller: Caller, on connection: Connection) throws(Problem) -> Tested {
    let number = try WebhookService.number(webhook)
    let record = try WebhookService.record(number, .manageEvents, caller, connection)
    guard record.isActive else {
      throw Problem(.conflict, "The webhook is switched off; nothing is sent to it. Set active to true first.")
    }
    let id = try connection.commit { () throws(PostgresError) -> UUIDValue? in
      guard let id = try connection.run(Events.test(number)) else { return nil }
      let audited = AuditTrail.Change("webhook.test", String(number), app: record.app)
      try connection.run(AuditTrail.add(audited, by: caller))
      return id
    }
    guard let id else { throw WebhookService.unknown(number) }
    return Tested(id: id)
  }

  package struct Replayed: DescribedAnswer {
    package let count: Int

    package static let object = JSONObject<Replayed>(
      "Replayed", [.always("replayed", .count, \.count, "Events that will be sent again.")])
  }

  /// Schema of the body of `readReplay`.
  package static let replaySchema: JSONTree.Member = (
    "Replay",
    JSONSchema.oneOf([
      JSONSchema.object(isClosed: true, [.required("dead", JSONSchema.alwaysTrue, "What was given up.")])
        .titled("ReplayDead"),
      JSONSchema.object(isClosed: true, [.required("since", JSONSchema.moment, "Everything of its kinds since then.")])
        .titled("ReplaySince"),
      JSONSchema.object(isClosed: true, [.required("id", JSONSchema.uuid, "This event.")]).titled("ReplayEvent"),
    ])
  )

  /// Parses the request of a replay: `{"dead":true}`, `{"since":"…"}` or `{"id":"…"}`.
  /// - Throws: a problem unless the request is a JSON object with exactly one of these members.
  package static func readReplay(json: [UInt8]) throws(Problem) -> Events.Replay {
    var wishes: [Events.Replay] = []
    var reader = JSONReader(json)
    do throws(JSONError) {
      try reader.readObject { (reader, key) throws(JSONError) in
        switch key {
        case "dead":
          guard try reader.readBool() else { throw JSONError("must be true") }
          wishes.append(.dead)
        case "since": wishes.append(.since(try reader.readMoment()))
        case "id": wishes.append(.event(try JSONForm.eventID.read(&reader)))
        default: throw .unknownField
        }
      }
      try reader.finish()
    } catch {
      throw Problem(error)
    }
    guard let wish = wishes.first, wishes.count == 1 else {
      throw Problem(.invalidField, "Say what to replay: exactly one of {\"dead\":true}, {\"since\":…}, {\"id\":…}.")
    }
    return wish
  }

  /// Queues events for delivery, with their original ids and a new count of attempts, and audits that. `.dead` queues
  /// at most `replayedEvents` events, oldest first. `.since` and `.event` include events that were never sent to the
  /// webhook; `.event` also accepts one of a kind that the webhook does not receive. Events that are already waiting
  /// are left out. An inactive webhook receives the events when it is switched on.
  /// - Returns: the number of events queued, 0 if there are none.
  /// - Throws: `.unknownWebhook`, also if the caller may not access its app.
  package static func replay(
    _ replay: Events.Replay, to webhook: String, by caller: Caller, on connection: Connection
  ) throws(Problem) -> Replayed {
    let number = try WebhookService.number(webhook)
    let record = try WebhookService.record(number, .manageEvents, caller, connection)
    let count = try connection.commit { () throws(PostgresError) in
      let count = try connection.run(Events.replay(replay, to: number, limit: Operations.Limits.replayedEvents))
      let audited = AuditTrail.Change("webhook.replay", String(number), app: record.app).to { writer in
        writer.member("replayed", count)
      }
      try connection.run(AuditTrail.add(audited, by: caller))
      return count
    }
    return Replayed(count: count)
  }

  // MARK: SMS fallbacks

  /// SMS fallback of a message for one person, with its state.
  package struct Fallback: DescribedAnswer {
    package let entry: Fallbacks.Entry

    package static let object = JSONObject<Fallback>(
      "FallbackEntry", isNamed: false,
      [
        .always("clientUid", .orNull(.anyText).described(JSONSchema.anyText), \.entry.userKey.clientUID),
        .always("state", .words(["waiting", "confirmed", "sms-requested", "called-off"])) {
          $0.entry.decision?.name ?? "waiting"
        },
        .always("dueAt", .moment, \.entry.dueAt), .always("decidedAt", .orNull(.moment), \.entry.decidedAt),
        .always("lateAt", .orNull(.moment), \.entry.lateAt, "Confirmed after the short message was asked for."),
      ])
  }

  /// Lists a message's SMS fallbacks, ordered by CUID; empty if the message has none. Notes in the audit trail that the
  /// caller has read them.
  /// - Throws: `.unknownMessage`, also if the caller may not access its app.
  package static func fallbacks(
    of seqno: Seqno, _ page: PageRequest, by caller: Caller, on connection: Connection
  ) throws(Problem) -> ItemPage<Fallback> {
    try caller.require(.viewMessages)
    let app = try ReportService.find(seqno, for: caller, on: connection).found.app
    try AuditTrail.note(.fallbacks, of: app, by: caller, on: connection)
    let after = page.cursor.map(UserKey.init(clientUID:)) ?? UserKey(stored: "")
    let entries = try connection.answer(Fallbacks.list(seqno, after: after, limit: page.limit + 1))
    return ItemPage(entries.map(Fallback.init), limit: page.limit) { $0.entry.userKey.description }
  }
}

extension JSONForm<UUIDValue> {
  fileprivate static let eventID = JSONForm<String>.anyText.described(JSONSchema.uuid).mapped(
    by: { UUIDValue($0) }, else: "must be an event's id (a UUID)", written: \.description)
}
