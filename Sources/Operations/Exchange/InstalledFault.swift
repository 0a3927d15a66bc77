/// A fault in a line.
package struct InstalledFault: Error, Equatable, Sendable {
  package let line: Int64
  /// The column's name in the SDK protocol; empty if the fault concerns the whole line.
  package let column: String
  /// A phrase that continues after the column's name; quotes nothing from the line.
  package let what: String
  /// What to do about it.
  package let remedy: String

  /// Returns the faults as CSV.
  package static func csv(_ faults: [InstalledFault]) -> [UInt8] {
    var writer = CSVWriter()
    writer.begin(["line", "column", "error", "whatToDo"])
    for fault in faults { writer.row([String(fault.line), fault.column, fault.what, fault.remedy]) }
    return writer.bytes
  }
}
