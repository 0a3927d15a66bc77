/// A server's limits for request bodies: the size of each, whether it is kept in memory or in a file, and the total
/// that all requests may hold.
final class BodyRules {
  /// Memory budget of large requests.
  let memory: ByteBudget
  /// Disk budget of spooled bodies.
  let disk: ByteBudget
  /// Size in bytes up to which a body is accepted without asking the handler.
  let unaskedBytes: Int
  private let standardBytes: Int
  private let spoolDirectory: String?
  private let handler: any RequestHandler

  /// Creates the rules of a server.
  /// - Parameters:
  ///   - standard: size limit in bytes for bodies for which the handler sets no other.
  ///   - spoolDirectory: directory for long bodies; nil to keep all bodies in memory.
  init(standard: Int, memory: Int, disk: Int, spoolDirectory: String?, handler: any RequestHandler) {
    standardBytes = standard
    unaskedBytes = min(HTTPLimits.unaskedBodyBytes, standard)
    self.memory = ByteBudget(limit: memory)
    self.disk = ByteBudget(limit: disk)
    self.spoolDirectory = spoolDirectory
    self.handler = handler
  }

  /// Returns whether the handler must be asked about the body before any of it is read.
  func isLong(_ framing: RequestHead.Framing) -> Bool {
    switch framing {
    case .none: false
    case .length(let length): length > unaskedBytes
    case .chunked: true
    }
  }

  /// Returns the body's size limit in bytes. For a long body, asks the handler, and creates the spool file if needed.
  func limit(for request: Request, _ framing: RequestHead.Framing) -> Int {
    guard isLong(framing) else { return unaskedBytes }
    let limit = handler.bodyLimit(for: request, standard: standardBytes)
    if case .length(let length) = framing, length <= standardBytes { return limit }
    // A body that may exceed the standard limit is written to a file if the handler requests that. If the file cannot
    // be created, the body stays in memory.
    guard limit > standardBytes, let spoolDirectory, handler.spoolsBody(of: request) else { return limit }
    request.store.beginSpool(in: spoolDirectory)
    return limit
  }

  /// Returns whether a body of the announced length would fit into its budget now.
  func hasRoom(for request: Request, _ framing: RequestHead.Framing) -> Bool {
    guard case .length(let length) = framing else { return true }
    if request.store.isSpooled { return disk.hasRoom(for: length) }
    return length <= HTTPLimits.freeBodyBytes || memory.hasRoom(for: length)
  }

  /// Counts the bytes that the current request holds against the budgets. Returns false if that exceeds one.
  func count(_ request: Request) -> Bool {
    request.shares.count(held: request.store.heldBytes, of: memory, spooled: request.store.spooledBytes, of: disk)
  }
}
