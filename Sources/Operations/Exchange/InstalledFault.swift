/// A fault in a line of the file, with its remedy.
package struct InstalledFault: Error, Equatable, Sendable {
  package let line: Int64
  /// The column's name in the SDK protocol; empty if the line could not be split into fields.
  package let column: String
  /// Description of the fault, in words that follow the column's name. Contains no data from the line.
  package let what: String
  /// Remedy for the fault.
  package let remedy: String

  /// Returns the faults as a CSV file, one line each after the header.
  package static func csv(_ faults: [InstalledFault]) -> [UInt8] {
    var writer = CSVWriter()
    writer.begin(["line", "column", "error", "whatToDo"])
    for fault in faults { writer.row([String(fault.line), fault.column, fault.what, fault.remedy]) }
    return writer.bytes
  }
}
