internal import Domain
internal import JSON
internal import Operations

/// The limit and start of a page of a user's groups, ordered by number. Users have few groups, so all are read, and the
/// page is selected from them.
struct GroupPage {
  private let limit: Int
  private let after: Int64

  /// Parses the query parameters of the page. Without a limit, `Operations.Limits.pageDefault` applies; without a
  /// cursor, it is the first page.
  /// - Throws: `.invalidField` if the limit is out of range, or the cursor is not one of this list.
  init(limit: String?, cursor: String?) throws(Problem) {
    self.limit = try PageRequest(limit: limit).limit
    guard let cursor else {
      after = 0
      return
    }
    guard let after = SequenceNumber.parse(try PageRequest.place(behind: cursor)) else {
      throw Problem(.invalidField, "cursor must be the nextCursor of the page before.")
    }
    self.after = after
  }

  func part(of groups: [(group: Int64, name: String)]) -> Answer {
    let rest = groups.drop { $0.group <= after }
    let items = Array(rest.prefix(limit))
    return Answer(
      items: items,
      next: items.count < rest.count ? items.last.map { PageRequest.cursor(behind: String($0.group)) } : nil)
  }

  struct Answer {
    let items: [(group: Int64, name: String)]
    let next: String?

    static let object = JSONObject<Answer>(
      "GroupPage",
      [.always("items", .list(of: group.form), \.items), PageRequest.nextCursor.of(\.next)])

    private static let group = JSONObject<(group: Int64, name: String)>(
      "GroupOfUser", isNamed: false,
      [.always("groupSeq", .sequence, { $0.group }, "GROUPSEQ."), .always("name", .anyText, { $0.name })])
  }
}
