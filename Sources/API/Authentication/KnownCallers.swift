internal import HTTPServer
internal import Operations
internal import Reactor
internal import Synchronization

/// What a request brings to prove who it is of.
enum Credential: Sendable {
  case apiKey(String)
  case session(String)

  /// Nil when it brings none. Who sends an Authorization header means that, whatever cookies came along.
  init?(in headers: [(name: String, value: String)], isSecure: Bool) {
    if headers.contains(where: { $0.name == "authorization" }) {
      guard let token = BearerToken.find(in: headers) else { return nil }
      self = .apiKey(token)
    } else {
      guard let token = SessionCookie.token(in: headers, isSecure: isSecure) else { return nil }
      self = .session(token)
    }
  }

  /// The session's token, where it is one.
  var session: String? {
    if case .session(let token) = self { token } else { nil }
  }
}

/// Who has proved lately who they are, as far as that can be told without a database: API keys from the catalog, which reads
/// them every second; sessions, and keys made a moment ago, from the admin threads, which note whom they let in. Any thread.
///
/// **It opens no door**: every request is still proved by the thread that carries it out. It tells in whose name a request
/// waits, and whether a long body may come.
final class KnownCallers: Sendable {
  private struct Known {
    let caller: Caller
    let provedAt: Instant
  }

  /// The older half is dropped as a whole when the newer one is full; whoever is looked for again moves over.
  private struct Memory {
    var newer: [[UInt8]: Known] = [:]
    var older: [[UInt8]: Known] = [:]

    mutating func note(_ known: Known, _ hash: [UInt8]) {
      if newer.count >= AdminLimits.knownCallers {
        older = newer
        newer = [:]
      }
      newer[hash] = known
    }
  }

  private let catalog: Catalog
  private let clock: any Clock
  private let memory = Mutex(Memory())

  init(catalog: Catalog, clock: any Clock) {
    self.catalog = catalog
    self.clock = clock
  }

  /// In whose name a request with this credential waits; nil: a stranger's.
  func caller(_ credential: Credential) -> Caller? {
    if case .apiKey(let key) = credential, let caller = catalog.caller(apiKey: key) { return caller }
    return known(credential)?.caller
  }

  /// Who may bring a long body; nil when that has to be proved first.
  func proved(_ credential: Credential) -> Caller? {
    if case .apiKey(let key) = credential, let caller = catalog.caller(apiKey: key) { return caller }
    guard let known = known(credential), clock.now - known.provedAt < AdminLimits.proofLife else { return nil }
    return known.caller
  }

  private func known(_ credential: Credential) -> Known? {
    let hash = Self.hash(credential)
    return memory.withLock { memory in
      if let known = memory.newer[hash] { return known }
      guard let known = memory.older[hash] else { return nil }
      memory.note(known, hash)
      return known
    }
  }

  /// A thread has let it in.
  func note(_ credential: Credential, _ caller: Caller) {
    let known = Known(caller: caller, provedAt: clock.now)
    memory.withLock { $0.note(known, Self.hash(credential)) }
  }

  /// It opens nothing any more.
  func forget(_ credential: Credential) {
    let hash = Self.hash(credential)
    memory.withLock { memory in
      memory.newer[hash] = nil
      memory.older[hash] = nil
    }
  }

  private static func hash(_ credential: Credential) -> [UInt8] {
    switch credential {
    case .apiKey(let token), .session(let token): Authorization.hash(token)
    }
  }
}
