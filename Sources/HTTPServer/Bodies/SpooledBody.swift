package import Reactor

/// A complete request body that was too long for memory, in a file without a name whose space is freed with this
/// object. Decision 094.
package final class SpooledBody: Sendable {
  private let file: SpoolFile
  /// Size of the body in bytes.
  package let count: Int
  /// The body's share of the disk budget, released with this object; nil if nothing was counted.
  private let share: BodyShare?

  init(_ file: SpoolFile, count: Int, _ share: BodyShare? = nil) {
    self.file = file
    self.count = count
    self.share = share
  }

  /// Reads up to `bytes` bytes from `offset`; fewer only at the end of the body, and none beyond it. Can block for the
  /// disk.
  package func read(at offset: Int, upTo bytes: Int) throws(SystemError) -> [UInt8] {
    try file.read(max(0, min(bytes, count - offset)), at: offset)
  }
}
