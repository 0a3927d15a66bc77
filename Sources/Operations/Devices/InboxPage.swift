package import Domain
package import JSON
internal import Postgres
internal import Store
internal import Time

/// The page of its user's inbox that a device requests.
package struct InboxQuestion: Sendable {
  let before: Int64
  let limit: Int

  /// Parses the query parameters. Without a limit, a page has `inboxPage` entries; without a cursor, it begins with the
  /// newest one.
  /// - Throws: `.invalidField` if the limit is not from 1 to `inboxPageMost`, or the cursor belongs to another list.
  package init(limit: String?, cursor: String?) throws(Problem) {
    let page = try PageRequest(limit: limit ?? String(Operations.Limits.inboxPage), cursor: cursor)
    guard page.limit <= Operations.Limits.inboxPageMost else {
      throw Problem(.invalidField, "limit must be a whole number from 1 to \(Operations.Limits.inboxPageMost).")
    }
    self.limit = page.limit
    before = try page.number(first: .max)
  }
}

/// A page of a person's inbox as seen by one of the person's devices: each message as it would be pushed to that
/// device, in its language and with the person's values, but with complete texts instead of links to hosted pages. Each
/// payload contains a pushkey for the device, so the device can confirm the read as it does for a push.
package struct InboxPage: Sendable {
  let device: Devices.Record
  /// The entries, newest first. An entry beyond `limit` is not shown and only indicates that a next page exists.
  let entries: [Inboxes.Entry]
  let limit: Int
  let unread: Int64
  let badge: Int16
  let userName: String

  /// Returns the page in the form that is sent to the device, with each entry's payload filled in.
  /// - Parameter keys: creates the pushkeys of the payloads.
  package func shown(by keys: PushKeyring) -> Shown {
    let shown = entries.prefix(limit)
    return Shown(
      items: shown.map { Shown.Item(entry: $0, payload: payload(of: $0, keys)) }, unread: unread,
      next: entries.count > limit ? shown.last.map { PageRequest.cursor(behind: String($0.seqno)) } : nil)
  }

  package struct Shown: Sendable {
    let items: [Item]
    let unread: Int64
    let next: String?

    struct Item: Sendable {
      let entry: Inboxes.Entry
      /// The message's payload; nil if a newer release has written it in a form unknown here. The entry is listed
      /// nevertheless.
      let payload: [UInt8]?

      static let object = JSONObject<Item>(
        "InboxItem", isNamed: false,
        [
          .always("seqno", .sequence, \.entry.seqno), .always("sentAt", .moment, \.entry.sentAt),
          .always("endsAt", .moment, \.entry.endsAt, "It leaves the inbox then."),
          .always("readAt", .orNull(.moment), \.entry.readAt, "Null: unread."),
          .always(
            "payload", .orNull(.raw(JSONSchema.reference(PayloadSchemas.received.apns))), \.payload,
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
      // The hosted pages may expire before the inbox entry, and size does not matter here, so include the complete
      // values.
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

/// Looks up the inboxes requested by a batch's devices, all together.
struct InboxLook {
  private final class State {
    var entries: [Int: [Inboxes.Entry]] = [:]
    var unread: [Inboxes.View: Int64] = [:]
    /// For each operation, the key of its entries in `entries` and that of its unread count.
    var places: [Int: (place: Int, view: Inboxes.View)] = [:]
  }

  private let state = State()

  /// Returns the steps that read the entries and the unread counts; none if there are no requests.
  /// - Parameter asked: the requests, only of devices that may see their user's entries. Other requests get an empty
  ///   page.
  func steps(_ asked: [(operation: Int, view: Inboxes.View, part: InboxQuestion)], at now: Timestamp) -> [Step] {
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
  /// Default number of entries per page, each with its complete payload.
  static let inboxPage = 20
  /// Maximum number of entries per page.
  package static let inboxPageMost = 100
  /// Number of a person's newest entries among which unread ones are counted, at about two microseconds each.
  package static let inboxUnread = 1_000
}
