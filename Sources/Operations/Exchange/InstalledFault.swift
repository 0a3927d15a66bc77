/// What is wrong with a line.
package struct InstalledFault: Error, Equatable, Sendable {
  package let line: Int64
  /// By its name on the wire; empty: the line as such.
  package let column: String
  /// In words that go on behind the column. Nothing of the line itself is in them.
  package let what: String
  /// What to do about it.
  package let remedy: String

  /// A list of them, as comma-separated lines.
  package static func csv(_ faults: [InstalledFault]) -> [UInt8] {
    var writer = CSVWriter()
    writer.begin(["line", "column", "error", "whatToDo"])
    for fault in faults { writer.row([String(fault.line), fault.column, fault.what, fault.remedy]) }
    return writer.bytes
  }
}
