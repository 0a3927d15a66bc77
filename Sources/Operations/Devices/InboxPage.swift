package import Domain
package import JSON
internal import Postgres
internal import Store

/// Which part of its person's inbox a device asks for.
package struct InboxQuestion: Sendable {
  let before: Int64
  let limit: Int

  /// - Parameters: as they stand in a query string.
  package init(limit: String?, cursor: String?) throws(Problem) {
    let page = try PageRequest(limit: limit ?? String(Operations.Limits.inboxPage), cursor: cursor)
    guard page.limit <= Operations.Limits.inboxPageMost else {
      throw Problem(.invalidField, "limit must be a whole number from 1 to \(Operations.Limits.inboxPageMost).")
    }
    self.limit = page.limit
    before = try page.number(first: .max)
  }
}

/// A part of a person's inbox as one of its devices sees it: each message as that device's push would have shown it, in its
/// language, with the person's values; the pushkey is the device's own, so it confirms a read like any other.
package struct InboxPage: Sendable {
  let device: Devices.Record
  /// Up to one more than the limit; that one tells that there is a next page.
  let entries: [Inboxes.Entry]
  let limit: Int
  let unread: Int64
  let badge: Int16
  let userName: String

  /// As the device is shown it.
  package func shown(by keys: PushKeyring) -> Shown {
    let shown = entries.prefix(limit)
    return Shown(
      items: shown.map { Shown.Item(entry: $0, payload: payload(of: $0, keys)) }, unread: unread,
      next: entries.count > limit ? shown.last.map { String($0.seqno) } : nil)
  }

  package struct Shown: Sendable {
    let items: [Item]
    let unread: Int64
    let next: String?

    struct Item: Sendable {
      let entry: Inboxes.Entry
      /// Nil: a newer release wrote what this one cannot read. That it is there is shown all the same.
      let payload: [UInt8]?

      static let object = JSONObject<Item>(
        "InboxItem", isNamed: false,
        [
          .always("seqno", .sequence, \.entry.seqno), .always("sentAt", .moment, \.entry.sentAt),
          .always("endsAt", .moment, \.entry.endsAt, "It leaves the inbox then."),
          .always("readAt", .orNull(.moment), \.entry.readAt, "Null: unread."),
          .always(
            "payload", .orNull(.raw(.object([("type", "object")]))), \.payload,
            "As the push shows it; null when a newer release wrote what this one cannot read."),
        ])
    }

    package static let object = JSONObject<Shown>(
      "InboxPage",
      [
        .always("items", .list(of: Item.object.form), \.items),
        .always("unread", .count, \.unread, "How many of the newest 1000 entries are unread."),
        PageRequest.nextCursor.of(\.next),
      ])
  }

  private func payload(of entry: Inboxes.Entry, _ keys: PushKeyring) -> [UInt8]? {
    guard var request = try? MessageRequest(stored: entry.request) else { return nil }
    if var links = entry.links {
      // Pages end before entries may: here is room for all of it.
      (links.ext, links.text) = (nil, nil)
      request.content = request.content.replacing(links)
    }
    request.content.appHasExtension = entry.appHasExtension
    let template = PayloadTemplate(request, seqno: entry.seqno, sendDate: entry.sendDate)
    let name = entry.filled?.name ?? ""
    var bytes: [UInt8] = []
    template.append(
      for: PayloadTemplate.Recipient(
        userKey: device.userKey, clientName: name.isEmpty ? userName : name, badge: badge,
        psid: device.psid,
        language: template.languages.place(locale: device.attributes.locale), variables: entry.filled?.variables ?? []),
      keys: keys, to: &bytes)
    return bytes
  }
}

/// What the devices of a batch ask of inboxes, looked up together.
struct InboxLook {
  private final class State {
    var entries: [Int: [Inboxes.Entry]] = [:]
    var unread: [Inboxes.View: Int64] = [:]
    /// By operation, where its answer stands, and what was looked at.
    var places: [Int: (place: Int, view: Inboxes.View)] = [:]
  }

  private let state = State()

  /// - Parameter asked: by operation, of devices that may see their person's entries.
  func steps(_ asked: [(operation: Int, view: Inboxes.View, part: InboxQuestion)], at now: Int64) -> [Step] {
    guard !asked.isEmpty else { return [] }
    let state = state
    for (place, one) in asked.enumerated() { state.places[one.operation] = (place, one.view) }
    let questions = asked.map { Inboxes.Question(view: $0.view, before: $0.part.before, limit: $0.part.limit + 1) }
    return [
      Inboxes.list(questions, at: now).map { state.entries = $0 },
      Inboxes.unread(in: Set(asked.map(\.view)), at: now, ofNewest: Operations.Limits.inboxUnread).map {
        state.unread = $0
      },
    ]
  }

  func page(
    at operation: Int, _ part: InboxQuestion, on device: Devices.Record, _ shown: (badge: Int16, name: String)
  ) -> InboxPage {
    let asked = state.places[operation]
    return InboxPage(
      device: device, entries: asked.flatMap { state.entries[$0.place] } ?? [], limit: part.limit,
      unread: asked.flatMap { state.unread[$0.view] } ?? 0, badge: shown.badge, userName: shown.name)
  }
}

extension Operations.Limits {
  /// Entries of one page: each is a whole payload.
  static let inboxPage = 20
  package static let inboxPageMost = 100
  /// The newest entries of a person, of which the unread ones are counted: two microseconds each.
  package static let inboxUnread = 1_000
}
