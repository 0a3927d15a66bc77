/// A server's rules for request bodies: the size limit of each, whether it is kept in memory or in a file, and the
/// budgets that all of them share.
final class BodyRules {
  /// Memory budget of large requests.
  let memory: ByteBudget
  /// Disk budget of spooled bodies.
  let disk: ByteBudget
  /// Announced size in bytes up to which a body is accepted without asking the handler.
  let unaskedBytes: Int
  private let standardBytes: Int
  private let spoolDirectory: String?
  private let handler: any RequestHandler

  /// Creates the rules of a server.
  /// - Parameters:
  ///   - standard: size limit in bytes for bodies for which the handler sets no other.
  ///   - memory: limit of the memory budget in bytes.
  ///   - disk: limit of the disk budget in bytes.
  ///   - spoolDirectory: directory for long bodies; nil to keep all bodies in memory.
  init(standard: Int, memory: Int, disk: Int, spoolDirectory: String?, handler: any RequestHandler) {
    standardBytes = standard
    unaskedBytes = min(HTTPLimits.unaskedBodyBytes, standard)
    self.memory = ByteBudget(limit: memory)
    self.disk = ByteBudget(limit: disk)
    self.spoolDirectory = spoolDirectory
    self.handler = handler
  }

  /// Returns whether the handler must be asked about the body before any of it is read: if it is chunked, or its
  /// announced length exceeds `unaskedBytes`.
  func isLong(_ framing: RequestHead.Framing) -> Bool {
    switch framing {
    case .none: false
    case .length(let length): length > unaskedBytes
    case .chunked: true
    }
  }

  /// Returns the body's size limit in bytes: `unaskedBytes`, or for a long body (`isLong`) what the handler decides.
  /// Also creates the spool file of a long body that may exceed the standard limit, if the handler wants one.
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

  /// Returns whether a body of the announced length would fit into its budget now. True for a body without an announced
  /// length, and for one too small to be counted.
  func hasRoom(for request: Request, _ framing: RequestHead.Framing) -> Bool {
    guard case .length(let length) = framing else { return true }
    if request.store.isSpooled { return disk.hasRoom(for: length) }
    return length <= HTTPLimits.freeBodyBytes || memory.hasRoom(for: length)
  }

  /// Counts the bytes that the current request holds in memory and on disk against the budgets. Returns false if a
  /// budget would be exceeded; the request must then be refused.
  func count(_ request: Request) -> Bool {
    request.shares.count(held: request.store.heldBytes, of: memory, spooled: request.store.spooledBytes, of: disk)
  }
}
