internal import Domain
internal import Operations

/// Prints lists: one item per line, and how to continue.
enum ListOutput {
  /// Reads a list page by page until `limit` items have been printed.
  static func show<Item: JSONAnswer>(
    _ output: OutputOptions, limit: Int, none: String, _ sentence: (Item) -> String,
    page: (PageRequest) throws -> ItemPage<Item>
  ) throws {
    var shown = 0
    var cursor: String?
    repeat {
      let size = min(limit - shown, Operations.Limits.pageSizes.upperBound)
      let next = try page(PageRequest(limit: String(size), cursor: cursor))
      for item in next.items { output.show(item, sentence(item)) }
      shown += next.items.count
      cursor = next.nextCursor
    } while cursor != nil && shown < limit
    guard !output.json else { return }
    if shown == 0 { Output.line(none) }
    if cursor != nil { Output.line("There are more: raise --limit.") }
  }

  /// Returns an object as JSON text, for items that have no sentence.
  static func text(_ answer: some JSONAnswer) -> String { String(decoding: answer.json, as: UTF8.self) }
}
