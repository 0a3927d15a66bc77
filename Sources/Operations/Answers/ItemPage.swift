internal import Domain
package import JSON

/// One page of a list: `{"items":[…],"nextCursor":…}`. The cursor is opaque; null marks the last page. A page of a
/// filtered list can contain fewer items than requested, even none, and still have a successor.
package struct ItemPage<Item: JSONAnswer>: JSONAnswer {
  package let items: [Item]
  package let nextCursor: String?

  /// Creates a page that shows all `items`.
  /// - Parameter place: position after which the next page begins, which the cursor encodes; nil on the last page.
  package init(items: [Item], behind place: String?) {
    self.items = items
    nextCursor = place.map(PageRequest.cursor)
  }

  /// Creates a page of the first `limit` items. There is a next page, which begins after the last item shown, if there
  /// are more.
  /// - Parameters:
  ///   - items: up to `limit` + 1; the extra item is not shown and only indicates that a next page exists.
  ///   - limit: maximum number of items shown, at least 1.
  ///   - isCut: whether there are more than `items`, however few these are.
  ///   - place: returns the position of an item in its list.
  init(_ items: [Item], limit: Int, isCut: Bool = false, place: (Item) -> String) {
    let shown = Array(items.prefix(limit))
    self.init(items: shown, behind: isCut || items.count > limit ? shown.last.map(place) : nil)
  }

  package func write(to writer: inout JSONWriter) {
    writer.member("items", array: { writer in for item in items { writer.object { item.write(to: &$0) } } })
    writer.member("nextCursor", nextCursor)
  }
}

extension PageRequest {
  package static let nextCursor = JSONField<String?>.always(
    "nextCursor", .orNull(JSONForm.anyText.described(JSONSchema.cursor)), { $0 }, "For the next page; null on the last."
  )
}

extension ItemPage {
  /// Returns the description of the page's JSON object, which is named after that of its items.
  package static func object(of item: JSONObject<Item>) -> JSONObject<ItemPage> {
    JSONObject(
      "\(item.name)Page", [.always("items", .list(of: item.form), \.items), PageRequest.nextCursor.of(\.nextCursor)])
  }
}

extension ItemPage: DescribedAnswer where Item: DescribedAnswer {
  package static var object: JSONObject<ItemPage> { object(of: Item.object) }
}

extension Operations.Limits {
  /// Size of the texts, in bytes, with which a page of items with long texts ends: one item can have megabytes, and a
  /// page 1,000 of them.
  static let pageBytes = 1_048_576
}
