internal import Crypto
package import Domain

/// Bytes read in parts, from memory or from larger storage.
package struct ByteSource: Sendable {
  package let count: Int
  private let read: @Sendable (_ offset: Int, _ bytes: Int) throws(Problem) -> [UInt8]

  package init(_ bytes: [UInt8]) {
    self.init(count: bytes.count) { offset, wanted in Array(bytes[offset..<min(offset + wanted, bytes.count)]) }
  }

  /// Creates a source.
  /// - Parameters:
  ///   - count: number of bytes in all.
  ///   - read: returns the `bytes` bytes at `offset`; fewer only at the end. Called with offsets below `count`, and any
  ///     number of times.
  package init(count: Int, read: @escaping @Sendable (_ offset: Int, _ bytes: Int) throws(Problem) -> [UInt8]) {
    self.count = count
    self.read = read
  }

  /// Returns the part that begins at `offset`, counted from 0; shorter than `bytes` only at the end, and empty after
  /// it.
  /// - Throws: `.internalError` if the storage returns fewer bytes than expected, and the problems of the storage.
  package func part(at offset: Int, _ bytes: Int) throws(Problem) -> [UInt8] {
    guard offset < count else { return [] }
    let part = try read(offset, bytes)
    guard part.count == min(bytes, count - offset) else {
      throw Self.unreadable("it is shorter than before")
    }
    return part
  }

  /// Returns the problem for stored data that can no longer be read.
  package static func unreadable(_ reason: String) -> Problem {
    Problem(.internalError, "What was uploaded could not be read again (\(reason)). Send it once more.")
  }

  /// Returns the SHA-256 hash of the whole content.
  func sha256() throws(Problem) -> [UInt8] {
    var hash = SHA256()
    try forEachPart(of: Operations.Limits.partBytes) { hash.update($0) }
    return hash.finalize()
  }

  /// Calls `body` with each part in turn, of `bytes` bytes each; only the last one can be shorter. Stops at the first
  /// error, of reading or of `body`.
  func forEachPart(of bytes: Int, _ body: ([UInt8]) throws(Problem) -> Void) throws(Problem) {
    for offset in stride(from: 0, to: count, by: bytes) { try body(try part(at: offset, bytes)) }
  }
}
