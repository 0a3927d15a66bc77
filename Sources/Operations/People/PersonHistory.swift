package import Domain
package import JSON
package import Postgres
package import Store

/// What was sent to one person, and what became of it on each of its devices.
package enum PersonHistory {
  /// One message as it went to the person. Of what it says only the title, and of a confidential one nothing.
  package struct Entry: JSONAnswer {
    package let message: PersonMessages.Message
    package let deliveries: [PersonMessages.Delivery]
    let showsTitle: Bool

    package func write(to writer: inout JSONWriter) {
      writer.member("seqno", String(message.seqno))
      writer.member("state", message.state.name)
      writer.member("lane", message.lane.name)
      writer.member("kind", message.kind)
      writer.member("sender", message.sender)
      writer.member("title", title)
      if message.isConfidential { writer.member("confidential", true) }
      writer.member("createdAt", Timestamp.text(message.createdAt))
      writer.member("sendAt", message.dueAt.map(Timestamp.text))
      writer.member(
        "devices", array: { writer in for delivery in deliveries { writer.object { write(delivery, to: &$0) } } })
      if let fallback = message.fallback {
        writer.member("fallback", object: { write(fallback, to: &$0) })
      } else {
        writer.member("fallback", raw: "null".utf8)
      }
    }

    /// Nil when the message has none, or the reader may not see it.
    package var title: String? { showsTitle && !message.isConfidential ? message.title : nil }

    private func write(_ delivery: PersonMessages.Delivery, to writer: inout JSONWriter) {
      writer.member("device", delivery.device.description)
      writer.member("status", delivery.status.name)
      writer.member("reason", delivery.reason)
      writer.member("attempts", delivery.attempts)
      writer.member("at", delivery.at.map(Timestamp.text))
      writer.member("receivedAt", delivery.receivedAt.map(Timestamp.text))
      writer.member("readAt", delivery.readAt.map(Timestamp.text))
    }

    private func write(_ fallback: PersonMessages.Fallback, to writer: inout JSONWriter) {
      writer.member("state", fallback.decision?.name ?? "waiting")
      writer.member("dueAt", Timestamp.text(fallback.dueAt))
      writer.member("decidedAt", fallback.decidedAt.map(Timestamp.text))
    }

    /// For people: a line for the message, one for each device.
    package var story: String {
      let named = message.isConfidential ? "(confidential)" : title ?? ""
      let head =
        "\(Timestamp.text(message.createdAt))  \(message.seqno)  \(message.lane.name)  \(message.sender ?? "-")  \(named)"
      let devices = deliveries.map { delivery in
        let words = [
          delivery.status.name, delivery.reason.map { "(\($0))" }, delivery.at.map(Timestamp.text),
          delivery.receivedAt.map { "received \(Timestamp.text($0))" },
          delivery.readAt.map { "read \(Timestamp.text($0))" },
        ]
        return "    \(delivery.device)  \(words.compactMap { $0 }.joined(separator: " "))"
      }
      let fallback = message.fallback.map { "    short message: \($0.decision?.name ?? "waiting")" }
      return ([head] + devices + [fallback].compactMap { $0 }).joined(separator: "\n")
    }
  }

  /// Messages that were asked for in the last 90 days, also those reserved then, and went to the devices a user has now, newest first, as far as their deliveries are kept.
  package static func list(
    _ clientUID: String, of appID: String, _ page: PageRequest, by caller: Caller,
    on connection: Connection, now: Int64
  ) throws(Problem) -> ItemPage<Entry> {
    let (user, _, devices) = try UserDirectory.find(clientUID, of: appID, by: caller, on: connection)
    try AuditTrail.note(.userMessages, of: user.app, by: caller, on: connection)
    let ids = devices.map(\.record.device)
    let (found, last) = try search(user, ids, page, since: now - Operations.Limits.historyMicroseconds, connection)
    let shown = Array(found.prefix(page.limit))
    let messages = try connection.answer(PersonMessages.messages(shown, of: user))
    var deliveries = try connection.answer(PersonMessages.deliveries(of: shown, for: user, on: ids))
    let entries = messages.map { message in
      let own = deliveries.removeValue(forKey: message.seqno) ?? []
      return Entry(
        message: message, deliveries: own.sorted { $0.device.description < $1.device.description },
        showsTitle: caller.role.allows(.viewContent))
    }
    let next = found.count > page.limit ? shown.last : last
    return ItemPage(items: entries, nextCursor: next.map(String.init))
  }

  /// Up to one more than the page holds.
  /// - Returns: what was found; and where the search ended before the list did, nil at the list's end.
  private static func search(
    _ user: Users.Key, _ devices: [DeviceID], _ page: PageRequest, since: Int64, _ connection: Connection
  ) throws(Problem) -> (found: [Int64], last: Int64?) {
    let part = Operations.Limits.historyPart(devices: devices.count)
    var found: [Int64] = []
    var before = try page.number(first: .max)
    for _ in 0..<max(1, Operations.Limits.historyPlaces / (part * max(1, devices.count))) {
      let messages = try connection.answer(
        PersonMessages.recent(of: user.app, before: before, since: since, limit: part))
      if !messages.isEmpty {
        found += try connection.answer(PersonMessages.find(messages, for: user.userKey, on: devices))
      }
      guard messages.count == part, let last = messages.last?.seqno else { return (found, nil) }
      if found.count > page.limit { return (found, last) }
      before = last
    }
    return (found, before)
  }
}

extension Operations.Limits {
  /// What is shown of a person's past: what was asked for in 90 days.
  static let historyMicroseconds: Int64 = 90 * 86_400 * 1_000_000
  /// Messages that a search for a person looks at together: as many as its places are for, for who has many devices.
  static func historyPart(devices: Int) -> Int { max(1, min(1_000, historyPlaces / max(1, devices))) }
  /// Places, one a message and device, that one page looks at, 5 µs each: less than a tenth of a second. The next page goes on.
  static let historyPlaces = 15_000
}
