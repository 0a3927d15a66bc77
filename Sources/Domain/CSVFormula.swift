/// Cells of CSV files that a spreadsheet would run as a formula. In the files that the server writes, an apostrophe
/// stands in front of them; it is removed when such a file is read.
package enum CSVFormula {
  /// Returns whether spreadsheets would run a cell as a formula, which its first character decides. Some spreadsheets
  /// treat full-width signs like the plain ones.
  package static func isFormula(_ cell: String) -> Bool {
    cell.unicodeScalars.first.map(signs.contains) ?? false
  }

  private static let signs: Set<Unicode.Scalar> = ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"]

  /// Returns a cell without the apostrophe in front of a formula. Any other cell is returned unchanged.
  package static func read(_ cell: String) -> String {
    cell.utf8.first == 0x27 && isFormula(String(cell.dropFirst())) ? String(cell.dropFirst()) : cell
  }
}
