internal import Domain
internal import JSON
internal import Operations

/// Which part of a user's groups is wanted. They come in the order of their numbers, so a page goes on behind the last one
/// of the page before. Users have few groups: all are read, and a part is shown.
struct GroupPage {
  private let limit: Int
  private let after: Int64

  /// - Parameters: as they stand in a query string.
  init(limit: String?, cursor: String?) throws(Problem) {
    self.limit = try PageRequest(limit: limit).limit
    guard let cursor else {
      after = 0
      return
    }
    guard let after = SequenceNumber.parse(cursor) else {
      throw Problem(.invalidField, "cursor must be the nextCursor of the page before.")
    }
    self.after = after
  }

  func write(_ groups: [(group: Int64, name: String)], to writer: inout JSONWriter) {
    let rest = groups.drop { $0.group <= after }
    let items = rest.prefix(limit)
    writer.member(
      "items",
      array: { writer in
        for item in items {
          writer.object { writer in
            writer.member("groupSeq", String(item.group))
            writer.member("name", item.name)
          }
        }
      })
    writer.member("nextCursor", items.count < rest.count ? items.last.map { String($0.group) } : nil)
  }
}
