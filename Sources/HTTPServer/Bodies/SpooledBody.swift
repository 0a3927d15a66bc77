package import Reactor

/// A complete body that was too long for memory, in a file that is removed with this object. Decision 094.
package final class SpooledBody: Sendable {
  private let file: SpoolFile
  /// In bytes.
  package let count: Int
  /// Its share of the disk budget, freed with it.
  private let share: BodyShare?

  init(_ file: SpoolFile, count: Int, _ share: BodyShare? = nil) {
    self.file = file
    self.count = count
    self.share = share
  }

  /// Reads at most `bytes` bytes from `offset` on; fewer only at the end.
  package func read(at offset: Int, upTo bytes: Int) throws(SystemError) -> [UInt8] {
    try file.read(max(0, min(bytes, count - offset)), at: offset)
  }
}
