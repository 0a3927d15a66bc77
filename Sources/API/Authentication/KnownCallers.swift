internal import HTTPServer
internal import Operations
internal import Reactor
internal import Synchronization

/// The credential in a request of the admin API, not verified yet.
enum Credential: Sendable {
  case apiKey(String)
  case session(String)

  /// Parses the credential of a request. If there is an Authorization header, cookies are ignored. Nil if that header
  /// has no bearer token, or if there is neither that header nor a session cookie.
  /// - Parameter isSecure: whether browsers reach the console by HTTPS only, which determines the cookie's name.
  init?(in headers: [(name: String, value: String)], isSecure: Bool) {
    if headers.contains(where: { $0.name == "authorization" }) {
      guard let token = BearerToken.find(in: headers) else { return nil }
      self = .apiKey(token)
    } else {
      guard let token = SessionCookie.session.value(in: headers, isSecure: isSecure) else { return nil }
      self = .session(token)
    }
  }

  /// Token of the session; nil for an API key.
  var session: String? {
    if case .session(let token) = self { token } else { nil }
  }
}

/// The callers that can be recognized without the database: those with API keys in the catalog, which is reloaded every
/// second, and those with sessions or newer keys that an admin thread has authenticated. Callable from any thread.
///
/// **This grants no access**: the thread that carries out a request authenticates it again. It only determines whose
/// quota a waiting request uses, and whether a long body is accepted.
final class KnownCallers: Sendable {
  private struct Known {
    let caller: Caller
    let provedAt: Instant
  }

  /// A cache with two generations: when the newer one is full, it becomes the older one, and the former older one is
  /// dropped. An entry that is looked up in the older one is copied to the newer one.
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

  /// Returns the caller whose quota a waiting request with this credential uses; nil if the credential is not known.
  func caller(_ credential: Credential) -> Caller? {
    if case .apiKey(let key) = credential, let caller = catalog.caller(apiKey: key) { return caller }
    return known(credential)?.caller
  }

  /// Returns the caller if it may send a long body: its API key is in the catalog, or an admin thread has authenticated
  /// the credential within `AdminLimits.proofLife`. Nil if the credential must be authenticated first.
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

  /// Records that a credential was authenticated now, as that of `caller`.
  func note(_ credential: Credential, _ caller: Caller) {
    let known = Known(caller: caller, provedAt: clock.now)
    memory.withLock { $0.note(known, Self.hash(credential)) }
  }

  /// Removes a credential that is no longer valid. API keys in the catalog stay known until the next reload.
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
