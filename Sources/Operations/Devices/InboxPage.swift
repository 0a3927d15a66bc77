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

  /// The members of the answer.
  package func write(to writer: inout JSONWriter, keys: PushKeyring) {
    let shown = entries.prefix(limit)
    writer.member(
      "items",
      array: { writer in
        for entry in shown { writer.object { write(entry, to: &$0, keys) } }
      })
    writer.member("unread", unread)
    writer.member("nextCursor", entries.count > limit ? shown.last.map { String($0.seqno) } : nil)
  }

  private func write(_ entry: Inboxes.Entry, to writer: inout JSONWriter, _ keys: PushKeyring) {
    writer.member("seqno", String(entry.seqno))
    writer.member("sentAt", Timestamp.text(entry.sentAt))
    writer.member("endsAt", Timestamp.text(entry.endsAt))
    writer.member("readAt", entry.readAt.map(Timestamp.text))
    // A newer release may have written what this one cannot read: that it is there is shown all the same.
    writer.member("payload", raw: payload(of: entry, keys) ?? Array("null".utf8))
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
        clientUID: device.userKey.description, clientName: name.isEmpty ? userName : name, badge: badge,
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
