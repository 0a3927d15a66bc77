internal import Domain
package import JSON

/// One page of a list: `{"items":[…],"nextCursor":…}`. The cursor is opaque; null marks the last page. A page of a
/// filtered list may hold fewer items than requested, even none, and still have a successor.
package struct ItemPage<Item: JSONAnswer>: JSONAnswer {
  package let items: [Item]
  package let nextCursor: String?

  package init(items: [Item], nextCursor: String?) {
    self.items = items
    self.nextCursor = nextCursor
  }

  /// Creates a page.
  /// - Parameters:
  ///   - items: up to `limit` + 1 items; the extra one is not shown, and only indicates that there is a next page.
  ///   - cursor: returns the cursor for the page after an item.
  init(_ items: [Item], limit: Int, cursor: (Item) -> String) {
    let shown = Array(items.prefix(limit))
    self.init(items: shown, nextCursor: items.count > limit ? shown.last.map(cursor) : nil)
  }

  package func write(to writer: inout JSONWriter) {
    writer.member("items", array: { writer in for item in items { writer.object { item.write(to: &$0) } } })
    writer.member("nextCursor", nextCursor)
  }
}

extension PageRequest {
  package static let nextCursor = JSONField<String?>.always(
    "nextCursor", .orNull(.anyText), { $0 }, "For the next page; null on the last.")
}

extension ItemPage {
  /// Returns the schema, whose name is derived from that of its items.
  package static func object(of item: JSONObject<Item>) -> JSONObject<ItemPage> {
    JSONObject(
      "\(item.name)Page", [.always("items", .list(of: item.form), \.items), PageRequest.nextCursor.of(\.nextCursor)])
  }
}

extension ItemPage: DescribedAnswer where Item: DescribedAnswer {
  package static var object: JSONObject<ItemPage> { object(of: Item.object) }
}
