internal import Domain

/// Writes comma-separated lines (RFC 4180) into `bytes`. A cell that a spreadsheet would run as a formula gets an
/// apostrophe in front (`CSVFormula`); a nil cell is empty.
struct CSVWriter {
  private(set) var bytes: [UInt8] = []

  /// Writes the byte order mark and the header line, with which a file begins.
  mutating func begin(_ header: [String]) {
    bytes += [0xEF, 0xBB, 0xBF]
    row(header)
  }

  mutating func row(_ cells: [String?]) {
    for (index, cell) in cells.enumerated() {
      if index > 0 { bytes.append(0x2C) }
      append(cell ?? "")
    }
    bytes += [13, 10]
  }

  private mutating func append(_ cell: String) {
    let isFormula = CSVFormula.isFormula(cell)
    guard isFormula || cell.utf8.contains(where: { [0x22, 0x2C, 10, 13].contains($0) }) else {
      bytes += cell.utf8
      return
    }
    bytes.append(0x22)
    if isFormula { bytes.append(0x27) }
    for byte in cell.utf8 {
      if byte == 0x22 { bytes.append(0x22) }
      bytes.append(byte)
    }
    bytes.append(0x22)
  }
}
