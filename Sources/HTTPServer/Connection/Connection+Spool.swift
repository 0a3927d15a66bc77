/// Long bodies on the disk: a connection's share of it.
extension Connection {
  /// How long the present body may be. One that is longer than any other, or of a length that nobody knows, goes to a file
  /// if its handler wants that; where none can be had it stays in memory.
  /// - Parameter length: nil when it is chunked.
  func askForBody(of length: Int?) -> Int {
    let standard = server.configuration.bodyBytes
    let limit = server.handler.bodyLimit(for: request, standard: standard)
    if let length, length <= standard { return limit }
    guard limit > standard, server.handler.spoolsBody(of: request) else { return limit }
    if let directory = server.configuration.spoolDirectory { request.store.beginSpool(in: directory) }
    return limit
  }

  /// Counts what is in the file by now. False when that would be too much.
  func countSpool() -> Bool {
    let bytes = request.store.spooledBytes
    guard bytes > 0 else { return true }
    let share = request.spoolShare ?? BodyShare(of: server.spools)
    request.spoolShare = share
    return share.grow(to: bytes)
  }
}
