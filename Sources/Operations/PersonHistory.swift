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
        "\(Timestamp.text(message.createdAt))  \(message.seqno)  \(message.lane.name)  \(message.sender)  \(named)"
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

  /// Messages of the last 90 days that went to the devices a user has now, newest first, as far as their deliveries are kept.
  package static func list(
    _ clientUID: String, of appID: String, _ page: Reporting.PageRequest, by caller: Caller,
    on connection: Connection, now: Int64
  ) throws(Problem) -> ItemPage<Entry> {
    let (user, _, devices) = try People.find(clientUID, of: appID, by: caller, on: connection)
    try Auditing.note(.userMessages, of: user.app, by: caller, on: connection)
    let search = PersonMessages.Search(
      user: user, devices: devices.map(\.record.device), before: try page.number(first: .max),
      since: now - Operations.Limits.historyMicroseconds, window: Operations.Limits.searchedRows)
    let found = try connection.answer(PersonMessages.find(search, limit: page.limit + 1))
    let shown = Array(found.prefix(page.limit))
    let messages = try connection.answer(PersonMessages.messages(shown, of: user))
    var deliveries = try connection.answer(
      PersonMessages.deliveries(of: shown, for: user, on: search.devices))
    let entries = messages.map { message in
      let own = deliveries.removeValue(forKey: message.seqno) ?? []
      return Entry(
        message: message, deliveries: own.sorted { $0.device.description < $1.device.description },
        showsTitle: caller.role.allows(.viewContent))
    }
    if found.count > page.limit { return ItemPage(items: entries, nextCursor: shown.last.map(String.init)) }
    let edge = try connection.answer(PersonMessages.edge(search))
    return ItemPage(items: entries, nextCursor: edge.map(String.init))
  }
}

extension Operations.Limits {
  /// What is shown of a person's past: 90 days.
  static let historyMicroseconds: Int64 = 90 * 86_400 * 1_000_000
}
