/// Limits on the bodies of one server's requests: how long each may be, where it goes, and how much all may hold
/// together.
final class BodyRules {
  /// Memory held by large requests.
  let memory: ByteBudget
  /// Disk space held by long bodies.
  let disk: ByteBudget
  /// Bytes of a body up to which the handler is not asked.
  let unaskedBytes: Int
  private let standardBytes: Int
  private let spoolDirectory: String?
  private let handler: any RequestHandler

  /// - Parameters:
  ///   - standard: body limit in bytes, unless the handler sets another one.
  ///   - spoolDirectory: nil: long bodies stay in memory.
  init(standard: Int, memory: Int, disk: Int, spoolDirectory: String?, handler: any RequestHandler) {
    standardBytes = standard
    unaskedBytes = min(HTTPLimits.unaskedBodyBytes, standard)
    self.memory = ByteBudget(limit: memory)
    self.disk = ByteBudget(limit: disk)
    self.spoolDirectory = spoolDirectory
    self.handler = handler
  }

  /// Whether the handler must be asked about such a body before any of it is read.
  func isLong(_ framing: RequestHead.Framing) -> Bool {
    switch framing {
    case .none: false
    case .length(let length): length > unaskedBytes
    case .chunked: true
    }
  }

  /// The body's limit in bytes. Asks the handler about a long body, and prepares its spool file.
  func limit(for request: Request, _ framing: RequestHead.Framing) -> Int {
    guard isLong(framing) else { return unaskedBytes }
    let limit = handler.bodyLimit(for: request, standard: standardBytes)
    if case .length(let length) = framing, length <= standardBytes { return limit }
    // A body that may exceed the standard, or has no announced length, goes to a file if its handler wants that; if no
    // file can be made it stays in memory.
    guard limit > standardBytes, let spoolDirectory, handler.spoolsBody(of: request) else { return limit }
    request.store.beginSpool(in: spoolDirectory)
    return limit
  }

  /// Whether a body of the announced length would fit into the budget now.
  func hasRoom(for request: Request, _ framing: RequestHead.Framing) -> Bool {
    guard case .length(let length) = framing else { return true }
    if request.store.isSpooled { return disk.hasRoom(for: length) }
    return length <= HTTPLimits.freeBodyBytes || memory.hasRoom(for: length)
  }

  /// Counts what the current request holds now. Returns false when that exceeds a budget.
  func count(_ request: Request) -> Bool {
    request.room.count(held: request.store.heldBytes, of: memory, spooled: request.store.spooledBytes, of: disk)
  }
}
