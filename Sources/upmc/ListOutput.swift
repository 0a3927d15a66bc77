internal import JSON
internal import Operations

/// Prints lists: one item per line, then a hint if there are more.
enum ListOutput {
  /// Reads a list page by page and prints it, until `limit` items have been printed.
  /// - Parameter request: the request for the list, without limit and cursor.
  static func show(
    _ api: any AdminAPI, _ request: AdminRequest, _ output: OutputOptions, limit: Int, none: String,
    _ sentence: (JSONTree) -> String
  ) throws {
    var shown = 0
    var cursor: String?
    repeat {
      var page = request
      page.add("limit", String(min(limit - shown, Operations.Limits.pageSizes.upperBound)))
      if let cursor { page.add("cursor", cursor) }
      let answer = try api.answer(page).json
      let items = answer.list("items")
      for item in items { output.show(item, sentence(item)) }
      shown += items.count
      cursor = answer.optional("nextCursor")
    } while cursor != nil && shown < limit
    guard !output.json else { return }
    if shown == 0 { Output.line(none) }
    if cursor != nil { Output.line("There are more: raise --limit.") }
  }

  /// Prints a list as a table, or each item as JSON. Columns are as wide as their widest cell, so the table is meant
  /// for lists that fit on a screen.
  static func table(
    _ api: any AdminAPI, _ request: AdminRequest, _ output: OutputOptions, limit: Int, none: String,
    columns: [String], _ cells: (JSONTree) -> [String]
  ) throws {
    guard !output.json else { return try show(api, request, output, limit: limit, none: none) { $0.line } }
    var rows: [[String]] = []
    var cursor: String?
    repeat {
      var page = request
      page.add("limit", String(min(limit - rows.count, Operations.Limits.pageSizes.upperBound)))
      if let cursor { page.add("cursor", cursor) }
      let answer = try api.answer(page).json
      rows += answer.list("items").map(cells)
      cursor = answer.optional("nextCursor")
    } while cursor != nil && rows.count < limit
    if rows.isEmpty { return Output.line(none) }
    for line in lines(columns, rows) { Output.line(line) }
    if cursor != nil { Output.line("There are more: raise --limit.") }
  }

  /// Returns the lines of a table with a heading, without trailing spaces.
  static func lines(_ columns: [String], _ rows: [[String]]) -> [String] {
    let all = [columns] + rows
    let widths = columns.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
    return all.map { row in
      let line = row.indices.map { row[$0] + String(repeating: " ", count: widths[$0] - row[$0].count) }
        .joined(separator: "  ")
      return String(line.reversed().drop { $0 == " " }.reversed())
    }
  }
}
