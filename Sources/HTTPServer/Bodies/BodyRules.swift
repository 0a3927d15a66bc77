/// How long the bodies of one server's requests may be, where they go, and what they may hold together.
final class BodyRules {
  /// What large requests hold in memory.
  let memory: ByteBudget
  /// What long bodies hold on the disk.
  let disk: ByteBudget
  /// Bytes of a body about which the handler need not be asked.
  let unaskedBytes: Int
  private let standardBytes: Int
  private let spoolDirectory: String?
  private let handler: any RequestHandler

  /// - Parameters:
  ///   - standard: bytes of a body, unless the handler allows more.
  ///   - spoolDirectory: nil: long bodies stay in memory.
  init(standard: Int, memory: Int, disk: Int, spoolDirectory: String?, handler: any RequestHandler) {
    standardBytes = standard
    unaskedBytes = min(HTTPLimits.unaskedBodyBytes, standard)
    self.memory = ByteBudget(limit: memory)
    self.disk = ByteBudget(limit: disk)
    self.spoolDirectory = spoolDirectory
    self.handler = handler
  }

  /// Whether the handler must be asked about such a body before any of it is awaited.
  func isLong(_ framing: RequestHead.Framing) -> Bool {
    switch framing {
    case .none: false
    case .length(let length): length > unaskedBytes
    case .chunked: true
    }
  }

  /// How many bytes the present body may have. Asks the handler about a long one, and prepares where it goes.
  func limit(for request: Request, _ framing: RequestHead.Framing) -> Int {
    guard isLong(framing) else { return unaskedBytes }
    let limit = handler.bodyLimit(for: request, standard: standardBytes)
    if case .length(let length) = framing, length <= standardBytes { return limit }
    // One that is longer than any other, or of a length that nobody knows, goes to a file if its handler wants that; where
    // none can be had it stays in memory.
    guard limit > standardBytes, let spoolDirectory, handler.spoolsBody(of: request) else { return limit }
    request.store.beginSpool(in: spoolDirectory)
    return limit
  }

  /// Whether what was announced would fit beside the others now.
  func hasRoom(for request: Request, _ framing: RequestHead.Framing) -> Bool {
    guard case .length(let length) = framing else { return true }
    if request.store.isSpooled { return disk.hasRoom(for: length) }
    return length <= HTTPLimits.freeBodyBytes || memory.hasRoom(for: length)
  }

  /// Counts what the present request holds by now. False when that would be too much.
  func count(_ request: Request) -> Bool {
    request.room.count(held: request.store.heldBytes, of: memory, spooled: request.store.spooledBytes, of: disk)
  }
}
