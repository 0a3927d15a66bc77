internal import Domain
package import JSON

/// One page of a list: `{"items":[…],"nextCursor":…}`. The cursor belongs to the list and is nobody else's business; null
/// means that nothing follows. A page of a search may hold fewer items than asked for, also none, and still have a next.
package struct ItemPage<Item: JSONAnswer>: JSONAnswer {
  package let items: [Item]
  package let nextCursor: String?

  package init(items: [Item], nextCursor: String?) {
    self.items = items
    self.nextCursor = nextCursor
  }

  /// - Parameters:
  ///   - items: up to one more than the limit; that one is not shown, and tells that there is a next page.
  ///   - cursor: where the page after an item begins.
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
  /// Named after its items.
  package static func object(of item: JSONObject<Item>) -> JSONObject<ItemPage> {
    JSONObject(
      "\(item.name)Page", [.always("items", .list(of: item.form), \.items), PageRequest.nextCursor.of(\.nextCursor)])
  }
}

extension ItemPage: DescribedAnswer where Item: DescribedAnswer {
  package static var object: JSONObject<ItemPage> { object(of: Item.object) }
}
