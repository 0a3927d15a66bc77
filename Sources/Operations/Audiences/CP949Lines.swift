internal import Domain
internal import Postgres
internal import Store

/// Whole lines in CP949 as UTF-8, decoded by the database. Lines that are not in it are no text in UTF-8 either, so they are
/// told like any other (`CSVReader`).
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
        // A byte that no text has makes it wrong for certain, and is in the way of no quote.
        marked += one.bytes + [0xFF]
        left.removeFirst()
      }
      marked += end
    }
    return marked
  }

  /// Lends lines with their numbers from 0; CR and LF end one each, and the last one ends without.
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
