internal import Domain

/// A file in pieces that end where lines do. A line with more bytes than a record may have is cut anywhere: `CSVReader`
/// refuses it.
struct CSVPieces {
  private let file: ByteSource
  private let partBytes: Int
  private(set) var offset = 0
  /// What has no end of a line yet.
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
