package import Reactor

/// A body that was too long to be kept in memory: complete, in a file that ends with this object.
package final class SpooledBody: Sendable {
  private let file: SpoolFile
  /// Bytes.
  package let count: Int
  /// Its room on the disk, which ends with it.
  private let share: BodyShare?

  init(_ file: SpoolFile, count: Int, _ share: BodyShare? = nil) {
    self.file = file
    self.count = count
    self.share = share
  }

  /// At most `bytes` bytes from `offset` on; fewer only at the end.
  package func read(at offset: Int, upTo bytes: Int) throws(SystemError) -> [UInt8] {
    try file.read(max(0, min(bytes, count - offset)), at: offset)
  }
}
