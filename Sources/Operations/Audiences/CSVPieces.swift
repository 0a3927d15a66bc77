internal import Domain

/// Splits a file into pieces that end at line ends, so that no line and no character is divided. Only a line longer
/// than `csvRecordBytes`, which `CSVReader` refuses, can be divided, at any byte.
struct CSVPieces {
  private let file: ByteSource
  private let partBytes: Int
  private(set) var offset = 0
  /// Beginning of a line whose end has not been read yet.
  private var rest: [UInt8] = []

  init(_ file: ByteSource, partBytes: Int) {
    self.file = file
    self.partBytes = partBytes
  }

  var isAtEnd: Bool { offset == file.count && rest.isEmpty }

  mutating func next() throws(Problem) -> [UInt8]? {
    while !isAtEnd {
      let part = try file.part(at: offset, partBytes)
      offset += part.count
      rest += part
      let end = offset == file.count ? rest.count : endOfLines
      guard end > 0 else { continue }
      let piece = Array(rest[..<end])
      rest.removeFirst(end)
      return piece
    }
    return nil
  }

  private var endOfLines: Int {
    if let last = rest.lastIndex(where: CSVReader.endsLine) { return last + 1 }
    return rest.count > Domain.Limits.csvRecordBytes ? rest.count : 0
  }
}
