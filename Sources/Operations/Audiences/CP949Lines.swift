internal import Domain
internal import Postgres
internal import Store

/// Converts whole lines from CP949 to UTF-8; the database decodes them. Lines that are not valid CP949 are returned as
/// invalid UTF-8, so `CSVReader` reports them like any other.
enum CP949Lines {
  static func decode(_ lines: [UInt8], on connection: Connection) throws(PostgresError) -> [UInt8] {
    var korean: [UInt8] = []
    korean.reserveCapacity(lines.count)
    var wrong: [(line: Int, bytes: ArraySlice<UInt8>)] = []
    forEachLine(lines) { number, line, end in
      if CSVEncoding.isKorean(line: line) { korean += line } else { wrong.append((number, line)) }
      korean += end
    }
    let text = try connection.run(CSVAudiences.decodeKorean(korean))
    guard !wrong.isEmpty else { return text }
    var marked: [UInt8] = []
    var left = wrong[...]
    forEachLine(text) { number, line, end in
      marked += line
      if let one = left.first, one.line == number {
        // 0xFF occurs in no UTF-8 text, so it makes the line invalid without disturbing any quotes.
        marked += one.bytes + [0xFF]
        left.removeFirst()
      }
      marked += end
    }
    return marked
  }

  /// Calls `body` with each line and the byte that ends it, numbered from 0. CR and LF each end a line, so CRLF is
  /// followed by an empty line. The last call has what follows the last line end, possibly nothing, and no end.
  private static func forEachLine(
    _ bytes: [UInt8], _ body: (_ number: Int, _ line: ArraySlice<UInt8>, _ end: ArraySlice<UInt8>) -> Void
  ) {
    var (number, start) = (0, 0)
    for index in bytes.indices where CSVReader.endsLine(bytes[index]) {
      body(number, bytes[start..<index], bytes[index...index])
      (number, start) = (number + 1, index + 1)
    }
    body(number, bytes[start...], [])
  }
}
