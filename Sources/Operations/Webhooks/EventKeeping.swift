package import Domain
package import JSON
package import Postgres
package import Store

/// What a webhook was told, what it missed, and telling it again; and the short messages of a message.
package enum EventKeeping {
  package struct Entry: JSONAnswer {
    package let entry: Events.Entry

    package func write(to writer: inout JSONWriter) {
      writer.member("id", entry.id.description)
      writer.member("kind", entry.kind)
      writer.member("at", Timestamp.text(entry.at))
      writer.member("state", entry.state.name)
      writer.member("attempts", entry.attempts)
      writer.member("nextAt", entry.state == .waiting ? Timestamp.text(entry.dueAt) : nil)
      writer.member("endedAt", entry.endedAt.map(Timestamp.text))
      writer.member("status", entry.status)
      writer.member("reason", entry.reason)
      writer.member("data", raw: entry.data)
    }
  }

  /// Deliveries of a webhook, newest first.
  package static func list(
    _ webhook: String, state: String?, _ page: PageRequest, by caller: Caller, on connection: Connection
  ) throws(Problem) -> ItemPage<Entry> {
    let number = try WebhookKeeping.number(webhook)
    _ = try WebhookKeeping.record(number, .manageEvents, caller, connection)
    var known: Events.State?
    if let state {
      known = Events.State.allCases.first { $0.name == state }
      guard known != nil else {
        throw Problem(
          .invalidField, "state must be one of \(Events.State.allCases.map(\.name).joined(separator: ", ")).")
      }
    }
    let entries = try connection.answer(
      Events.list(number, before: try page.number(first: .max), state: known, limit: page.limit + 1))
    return ItemPage(entries.map(Entry.init), limit: page.limit) { String($0.entry.event) }
  }

  package struct Tested: JSONAnswer {
    package let id: UUIDValue

    package func write(to writer: inout JSONWriter) {
      writer.member("id", id.description)
    }
  }

  /// Has an event sent that means nothing, to see whether it arrives.
  package static func test(_ webhook: String, by caller: Caller, on connection: Connection) throws(Problem) -> Tested {
    let number = try WebhookKeeping.number(webhook)
    let record = try WebhookKeeping.record(number, .manageEvents, caller, connection)
    guard record.isActive else {
      throw Problem(.conflict, "The webhook is switched off; nothing is sent to it. Set active to true first.")
    }
    let id = try connection.commit { () throws(PostgresError) -> UUIDValue? in
      guard let id = try connection.run(Events.test(number)) else { return nil }
      let audited = Auditing.Change("webhook.test", String(number), app: record.app)
      try connection.run(Auditing.add(audited, by: caller))
      return id
    }
    guard let id else { throw Problem(.unknownWebhook, "There is no webhook \(number).") }
    return Tested(id: id)
  }

  package struct Replayed: JSONAnswer {
    package let count: Int

    package func write(to writer: inout JSONWriter) {
      writer.member("replayed", count)
    }
  }

  /// Reads `{"dead":true}`, `{"since":"…"}` or `{"id":"…"}`.
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
        case "id":
          guard let id = UUIDValue(try reader.readString()) else { throw JSONError("must be an event's id (a UUID)") }
          wishes.append(.event(id))
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

  /// Lets deliveries begin anew, with the ids they had.
  package static func replay(
    _ replay: Events.Replay, to webhook: String, by caller: Caller, on connection: Connection
  ) throws(Problem) -> Replayed {
    let number = try WebhookKeeping.number(webhook)
    let record = try WebhookKeeping.record(number, .manageEvents, caller, connection)
    let count = try connection.commit { () throws(PostgresError) in
      let count = try connection.run(Events.replay(replay, to: number, limit: Operations.Limits.replayedEvents))
      let audited = Auditing.Change("webhook.replay", String(number), app: record.app).to { writer in
        writer.member("replayed", count)
      }
      try connection.run(Auditing.add(audited, by: caller))
      return count
    }
    return Replayed(count: count)
  }

  // MARK: Short messages

  /// The short message of one person.
  package struct Fallback: JSONAnswer {
    package let entry: Fallbacks.Entry

    package func write(to writer: inout JSONWriter) {
      writer.member("clientUid", entry.userKey.clientUID)
      writer.member("state", entry.decision?.name ?? "waiting")
      writer.member("dueAt", Timestamp.text(entry.dueAt))
      writer.member("decidedAt", entry.decidedAt.map(Timestamp.text))
      writer.member("lateAt", entry.lateAt.map(Timestamp.text))
    }
  }

  /// What became of the short messages of a message, in the order of the users' names.
  package static func fallbacks(
    of seqno: Int64, _ page: PageRequest, by caller: Caller, on connection: Connection
  ) throws(Problem) -> ItemPage<Fallback> {
    _ = try Reporting.funnel(seqno, for: caller, on: connection)
    let after = page.cursor.map(UserKey.init(clientUID:)) ?? UserKey(stored: "")
    let entries = try connection.answer(Fallbacks.list(seqno, after: after, limit: page.limit + 1))
    return ItemPage(entries.map(Fallback.init), limit: page.limit) { $0.entry.userKey.description }
  }
}
