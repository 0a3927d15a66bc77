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

/// Tracks what the handler has decided about the current request's body before it arrives: nothing yet (`notAsked`), to
/// hold it back (`held`) or to admit it (`given`). Also stores the body's size limit.
///
/// ```
///   not asked ──► held ──► given ──► end: not asked
///        └───────────────────┘
/// ```
/// Invariant: a request whose handler was asked about its body has its random number already, and was counted by the
/// rate limit.
final class BodyAdmission {
  private enum Leave {
    case notAsked
    /// The body is not read until the handler has authenticated the client and admits the body.
    case held
    case given
  }

  private var leave = Leave.notAsked
  /// Size limit in bytes of the body that is being received; meaningless at other times.
  private(set) var limit = 0

  func asked(isHeld: Bool) {
    leave = isHeld ? .held : .given
  }

  /// Records that the handler admits the body. Returns false, changing nothing, if no body is held back.
  func admitBody() -> Bool {
    guard leave == .held else { return false }
    leave = .given
    return true
  }

  /// Records the size limit of the body. Returns whether the body should be read: false if there is none, or its
  /// announced length exceeds `limit`; true for every chunked body.
  func begin(_ framing: RequestHead.Framing, limit: Int) -> Bool {
    self.limit = limit
    return switch framing {
    case .none: false
    case .length(let length): length <= limit
    case .chunked: true
    }
  }

  /// Resets the state when the request is complete or refused. Returns whether the handler was asked about its body.
  func end() -> Bool {
    guard leave != .notAsked else { return false }
    leave = .notAsked
    return true
  }
}
