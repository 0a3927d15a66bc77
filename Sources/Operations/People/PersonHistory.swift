package import Domain
package import JSON
package import Postgres
package import Store
package import Time

/// The messages sent to one person, with the outcome on each of the person's devices.
package enum PersonHistory {
  /// A message sent to the person. Of its content, only the title is shown, and not even that if the message is
  /// confidential or the caller may not see contents.
  package struct Entry: DescribedAnswer {
    package let message: PersonMessages.Message
    package let deliveries: [PersonMessages.Delivery]
    let showsTitle: Bool

    package static let object = JSONObject<Entry>(
      "UserMessage", isNamed: false,
      [
        .always("seqno", .sequence, \.message.seqno), .always("state", .state, \.message.state),
        .always("lane", .lane, \.message.lane),
        .always(
          "kind", .orNull(.words(MessageKind.allCases.map(\.rawValue))), \.message.kind,
          "Null, as the sender and the title, when the request is so large (64 KB) that a list does not read it."),
        .always("sender", .orNull(.anyText), \.message.sender),
        .always("title", .orNull(.anyText), \.title, "Null also when it has none or is confidential."),
        .optional("confidential", .flag, { $0.message.isConfidential ? true : nil }),
        .always("createdAt", .moment, \.message.createdAt),
        .always("sendAt", .orNull(.moment), \.message.dueAt, "When it was due; null: at once."),
        .always("devices", .list(of: delivery.form), \.deliveries),
        .always(
          "fallback", .orNull(fallback.form), \.message.fallback,
          "The short message that may stand in for it; null: none."
        ),
      ])

    private static let delivery = JSONObject<PersonMessages.Delivery>(
      "UserMessageDevice", isNamed: false,
      [
        .always("device", .device, \.device), .always("status", .outcome, \.status),
        .always("reason", .orNull(.anyText), \.reason, "Why it ended so, in the network's own word or ours."),
        .always("attempts", .count, \.attempts),
        .always("at", .orNull(.moment), \.at, "When that was; null while it is under way."),
        .always("receivedAt", .orNull(.moment), \.receivedAt), .always("readAt", .orNull(.moment), \.readAt),
      ])

    private static let fallback = JSONObject<PersonMessages.Fallback>(
      "UserMessageFallback", isNamed: false,
      [
        .always(
          "state", .words(["waiting", "confirmed", "sms-requested", "called-off"]), { $0.decision?.name ?? "waiting" }),
        .always("dueAt", .moment, \.dueAt), .always("decidedAt", .orNull(.moment), \.decidedAt),
      ])

    /// The title; nil if the message has none, is confidential, is so large that lists do not read its request, or if
    /// the caller may not see contents.
    package var title: String? { showsTitle && !message.isConfidential ? message.title : nil }
  }

  /// Lists messages to the user, newest first: those requested within the last 90 days (scheduled ones included) whose
  /// deliveries are still stored. Deliveries to devices that no longer belong to the user can be missing. Notes in the
  /// audit trail that the caller has read them. A page can be short or even empty and still have a successor.
  /// - Throws: `.unknownUser`; `.unknownApp`; `.forbidden`; a problem for another list's cursor.
  package static func list(
    _ clientUID: String, of appID: String, _ page: PageRequest, by caller: Caller,
    on connection: Connection, now: Timestamp
  ) throws(Problem) -> ItemPage<Entry> {
    let (user, _, devices) = try UserDirectory.find(clientUID, of: appID, by: caller, on: connection)
    try AuditTrail.note(.userMessages, of: user.app, by: caller, on: connection)
    let ids = devices.map(\.record.device)
    let (found, last) = try search(user, ids, page, since: now - Operations.Limits.historyPeriod, connection)
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
    return ItemPage(items: entries, behind: next.map(String.init))
  }

  /// Finds the user's messages for a page. Stops when it has found more than the page holds, or after about
  /// `historyPlaces` look-ups.
  /// - Returns: the messages, newest first; and the last of the app's messages that was examined, after which the
  ///   search can continue, or nil if none are left.
  private static func search(
    _ user: Users.Key, _ devices: [DeviceID], _ page: PageRequest, since: Timestamp, _ connection: Connection
  ) throws(Problem) -> (found: [Seqno], last: Seqno?) {
    let part = Operations.Limits.historyPart(devices: devices.count)
    var found: [Seqno] = []
    var before = try page.seqno(first: .max)
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
  /// Age up to which a person's messages are listed, counted from the request: 90 days.
  static let historyPeriod: Duration = .seconds(90 * 86_400)
  /// Returns the number of messages examined at a time: 1,000, or fewer for a person with more than 15 devices, so that
  /// they take at most `historyPlaces` look-ups.
  static func historyPart(devices: Int) -> Int { max(1, min(1_000, historyPlaces / max(1, devices))) }
  /// Approximate maximum number of look-ups (one per message and device) for one page: less than a tenth of a second at
  /// 5 µs each. The next page continues where the search has stopped.
  static let historyPlaces = 15_000
}
