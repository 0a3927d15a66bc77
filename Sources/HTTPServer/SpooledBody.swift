package import Reactor

/// A body that was too long to be kept in memory: complete, in a file that ends with this object.
package final class SpooledBody: Sendable {
  private let file: SpoolFile

  init(_ file: consuming SpoolFile) {
    self.file = file
  }

  /// Bytes.
  package var count: Int { file.count }

  /// At most `bytes` bytes from `offset` on; fewer only at the end.
  package func read(at offset: Int, upTo bytes: Int) throws(SystemError) -> [UInt8] {
    try file.read(at: offset, upTo: bytes)
  }
}

/// A connection's share of the disk.
extension Connection {
  /// How long the present body may be, which is longer than any other, or of a length that nobody knows. It goes to a file
  /// if its handler wants that; where none can be had it stays in memory.
  func askForLongBody() -> Int {
    let standard = server.configuration.bodyBytes
    let limit = server.handler.bodyLimit(for: request, standard: standard)
    let share = limit > standard ? server.handler.spoolShare(of: request) : .none
    guard share != .none else { return limit }
    spoolReserve = share == .half ? server.spools.limit / 2 : 0
    if let directory = server.configuration.spoolDirectory { request.store.beginSpool(in: directory) }
    return request.store.isSpooled || share == .whole ? limit : standard
  }

  /// Counts what is in the file by now. False when that would be too much.
  func countSpool() -> Bool {
    let bytes = request.store.spooledBytes
    guard bytes > countedSpoolBytes else { return true }
    guard server.spools.take(bytes - countedSpoolBytes, leaving: spoolReserve) else { return false }
    countedSpoolBytes = bytes
    return true
  }
}
