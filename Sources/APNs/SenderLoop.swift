internal import Domain
internal import Logging
internal import PushTransport
internal import Reactor
internal import TLS

/// Processes the sender's inbox: keeps credentials and provider tokens, and passes batches to a `PushRouter`. Confined
/// to the sender's thread.
final class SenderLoop: PoolProvider {
  let noCredential = "this app has no usable APNs credential"
  private let configuration: APNsConfiguration
  private let loop: EventLoop
  private let router: PushRouter
  private let tokenNeeded: @Sendable (ProviderTokenRequest) -> Void

  private var credentials: [App.Number: APNsCredential] = [:]
  private var tokens: [KeyName: ProviderToken] = [:]
  private var tokenAskedAt: [KeyName: Instant] = [:]
  private var context: TLSContext?

  init(
    configuration: APNsConfiguration, gate: RouteAdmission, resolvers: [Endpoint: Resolver], inbox: Inbox<APNsCommand>,
    clock: any Clock, results: @escaping PushResultSink, tokenNeeded: @escaping @Sendable (ProviderTokenRequest) -> Void
  ) throws(SystemError) {
    self.configuration = configuration
    self.tokenNeeded = tokenNeeded
    loop = try EventLoop(clock: clock)
    router = PushRouter(
      configuration: configuration.wire, loop: loop, gate: gate, resolvers: resolvers, results: results
    ) { result, key in
      _ = inbox.offer(.resolved(result, for: key))
    }
    router.planner = self
    try loop.attach(inbox) { [unowned self] commands in receive(commands) }
  }

  // MARK: Commands

  private func receive(_ commands: [APNsCommand]) {
    for command in commands {
      switch command {
      case .batch(let batch): router.receive(batch)
      case .credential(let credential, let app):
        credentials[app] = credential
        router.credentialChanged(of: app)
      case .token(let token): set(token)
      case .resolved(let result, let key): router.resolved(result, for: key)
      case .forgive(let app): router.forgive(app)
      case .stop(let timeout): router.stop(within: timeout)
      }
    }
  }

  func run() {
    loop.run()
  }

  // MARK: Pools

  func poolKey(of route: PushRoute, isIsolated: Bool) -> PoolKey? {
    guard let credential = credentials[route.app] else { return nil }
    return PoolKey(
      credential: CredentialKey(credential).identity, environment: route.environment,
      isolated: isIsolated ? route.app : nil)
  }

  func makePool(_ key: PoolKey, for route: PushRoute) throws(TLSError) -> PoolPlan? {
    guard let credential = credentials[route.app] else { return nil }
    var token: ProviderToken?
    let context: TLSContext
    switch credential {
    case .token(let key):
      token = tokens[key]
      context = try sharedContext()
    case .certificate(let identity):
      context = try TLSContext.client(trust: configuration.trust, identity: identity)
    }
    var needsProof = true
    if case .certificate = credential { needsProof = false }
    let adapter = APNsAdapter(
      credential, environment: key.environment, token: token, now: { [unowned self] in router.wallSeconds }
    ) { [unowned self] in needToken($0, refused: $1) }
    return PoolPlan(
      endpoint: configuration.endpoint(key.environment).wire, context: context, needsProof: needsProof, adapter: adapter
    )
  }

  /// Returns the TLS context for connections that use provider tokens, created on first use.
  private func sharedContext() throws(TLSError) -> TLSContext {
    if let context { return context }
    let made = try TLSContext.client(trust: configuration.trust)
    context = made
    return made
  }

  // MARK: Provider tokens

  private func set(_ token: ProviderToken) {
    tokens[token.key] = token
    for pool in router.pools { (pool.adapter as? APNsAdapter)?.set(token, of: pool) }
  }

  private func needToken(_ key: KeyName, refused: ProviderToken?) {
    let now = loop.clock.now
    if let asked = tokenAskedAt[key], now - asked < .seconds(APNs.Limits.tokenRequestSeconds) { return }
    tokenAskedAt[key] = now
    tokenNeeded(ProviderTokenRequest(key, refused: refused))
  }
}

/// An input of the sender's thread, passed through its inbox.
enum APNsCommand: Sendable {
  case batch(PushBatch)
  case credential(APNsCredential?, for: App.Number)
  case token(ProviderToken)
  case forgive(App.Number)
  case resolved(Result<[SocketAddress], SystemError>, for: PoolKey)
  case stop(within: Duration)
}
