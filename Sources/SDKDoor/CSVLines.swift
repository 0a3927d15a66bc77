internal import Domain

/// The lines of an uploaded file: `CUID,NAME[,VAR1…VAR9]` in UTF-8, one person each (RFC 4180, quotes and all).
struct CSVLines {
  struct Line: Equatable {
    let clientUID: String
    let name: String
    let variables: [String]
  }

  let lines: [Line]

  var clientUIDs: [String] { lines.map(\.clientUID) }
  var hasVariables: Bool { lines.contains { !$0.variables.isEmpty } }

  init(_ file: [UInt8]) throws(Refusal) {
    guard var text = String(validating: file, as: UTF8.self) else {
      throw Refusal(field: "upload_file", "is not UTF-8")
    }
    if text.unicodeScalars.first == "\u{FEFF}" { text.unicodeScalars.removeFirst() }
    guard !text.utf8.contains(0) else { throw Refusal(field: "upload_file", "holds a NUL, which cannot be stored") }
    var lines: [Line] = []
    for (number, cells) in try Self.rows(Array(text.utf8)) {
      guard let clientUID = cells.first, !clientUID.isEmpty else {
        throw Self.fault(number, "has no CUID")
      }
      guard clientUID.utf8.count <= Domain.Limits.clientUIDBytes else {
        throw Self.fault(number, "has a CUID of more than \(Domain.Limits.clientUIDBytes) bytes")
      }
      guard cells.count <= 11 else { throw Self.fault(number, "has more than CUID, NAME and nine variables") }
      lines.append(
        Line(
          clientUID: clientUID, name: cells.count > 1 ? cells[1] : "", variables: Array(cells.dropFirst(2))))
    }
    guard !lines.isEmpty else { throw Refusal(field: "upload_file", "has no lines") }
    self.lines = lines
  }

  /// Cells by line; empty lines are left out.
  private static func rows(_ bytes: [UInt8]) throws(Refusal) -> [(number: Int, cells: [String])] {
    var rows: [(number: Int, cells: [String])] = []
    var cells: [String] = []
    var cell: [UInt8] = []
    var (isQuoted, wasQuoted) = (false, false)
    var (line, start, index) = (1, 1, 0)
    func endCell() {
      cells.append(String(decoding: cell, as: UTF8.self))
      cell.removeAll()
      wasQuoted = false
    }
    func endRow() {
      endCell()
      if cells != [""] { rows.append((start, cells)) }
      cells.removeAll()
    }
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      if byte == 10 { line += 1 }
      if isQuoted {
        if byte != UInt8(ascii: "\"") {
          cell.append(byte)
        } else if index < bytes.count, bytes[index] == UInt8(ascii: "\"") {
          cell.append(byte)
          index += 1
        } else {
          (isQuoted, wasQuoted) = (false, true)
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\"") where cell.isEmpty && !wasQuoted: isQuoted = true
      case UInt8(ascii: ","): endCell()
      case 13 where index == bytes.count || bytes[index] == 10: break
      case 10:
        endRow()
        start = line
      case _ where wasQuoted: throw fault(line, "has something behind a closing quote")
      default: cell.append(byte)
      }
    }
    guard !isQuoted else { throw fault(start, "has a quote that is not closed") }
    endRow()
    return rows
  }

  private static func fault(_ line: Int, _ fault: String) -> Refusal {
    Refusal(.serverError, "upload_file: line \(line) \(fault).")
  }
}
