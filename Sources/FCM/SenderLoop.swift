internal import Domain
internal import Logging
internal import PushTransport
internal import Reactor
internal import TLS

/// Processes the sender's inbox: keeps credentials and the state of accounts and projects, and passes batches to a
/// `PushRouter`. Confined to the sender's thread.
final class SenderLoop: PoolProvider {
  let noCredential = "this app has no usable FCM service account"
  private let configuration: FCMConfiguration
  private let loop: EventLoop
  private let router: PushRouter
  private let askTokenAddress: (_ endpoint: Endpoint, _ account: String) -> Bool

  private var credentials: [App.Number: FCMCredential] = [:]
  /// The accounts by `name`: apps with the same service account (the same private key) share its access token.
  private var accounts: [String: AccountInUse] = [:]
  /// The projects by id: accounts of one Firebase project share its quota.
  private var projects: [String: Project] = [:]
  /// The number of nodes that send for the same projects.
  private var nodes = 1
  private var context: TLSContext?
  /// The TLS context for connections to token endpoints; nil until first used.
  private var tokenContext: TLSContext?

  init(
    configuration: FCMConfiguration, gate: RouteAdmission, resolver: Resolver, tokenResolver: Resolver,
    inbox: Inbox<FCMCommand>, clock: any Clock, results: @escaping PushResultSink
  ) throws(SystemError) {
    self.configuration = configuration
    loop = try EventLoop(clock: clock)
    router = PushRouter(
      configuration: configuration.wire, loop: loop, gate: gate, resolvers: [configuration.endpoint: resolver],
      results: results
    ) { result, key in
      _ = inbox.offer(.resolved(result, for: key))
    }
    askTokenAddress = { endpoint, account in
      tokenResolver.ask(
        Resolver.Question(endpoint: endpoint, asker: account) { result in
          _ = inbox.offer(.tokenAddress(result, account: account))
        })
    }
    router.planner = self
    try loop.attach(inbox) { [unowned self] commands in receive(commands) }
  }

  private func receive(_ commands: [FCMCommand]) {
    for command in commands {
      switch command {
      case .batch(let batch): router.receive(batch)
      case .credential(let credential, let app): set(credential, for: app)
      case .forgive(let app): router.forgive(app)
      case .resolved(let result, let key): router.resolved(result, for: key)
      case .share(let nodes): share(among: nodes)
      case .tokenAddress(let result, let account): accounts[account]?.tokens.resolved(result)
      case .stop(let timeout):
        for account in accounts.values { account.tokens.stop() }
        router.stop(within: timeout)
      }
    }
  }

  func run() {
    loop.run()
  }

  private func set(_ credential: FCMCredential?, for app: App.Number) {
    credentials[app] = credential
    router.credentialChanged(of: app)
    forgetUnused()
  }

  /// Removes accounts that no app uses and that have no connection left, and projects without an account.
  private func forgetUnused() {
    let adapters = adapters
    let named = Set(credentials.values.map(Self.name))
    for (name, account) in accounts
    where !named.contains(name) && !adapters.contains(where: { $0.adapter.account === account }) {
      account.tokens.stop()
      accounts[name] = nil
    }
    projects = projects.filter { project in accounts.values.contains { $0.project === project.value } }
  }

  private func share(among nodes: Int) {
    guard nodes != self.nodes else { return }
    self.nodes = nodes
    configuration.wire.logger.info("nodes share the quota of each project", metadata: ["nodes": "\(nodes)"])
    for project in projects.values { project.share(among: nodes) }
  }

  /// Returns the identity of an account, which includes its private key: a file with the same names but another key
  /// shares nothing with it.
  private static func name(_ credential: FCMCredential) -> String {
    let account = credential.account
    return "\(account.fingerprint) \(account.email) \(account.keyID) \(account.projectID) \(credential.tokenURL)"
  }

  // MARK: Pools

  func poolKey(of route: PushRoute, isIsolated: Bool) -> PoolKey? {
    guard let credential = credentials[route.app] else { return nil }
    // FCM has only one environment. Apps with the same account share connections if they encode messages alike.
    return PoolKey(
      credential: "\(Self.name(credential)) \(credential.style.name)", environment: .production,
      isolated: isIsolated ? route.app : nil)
  }

  func makePool(_ key: PoolKey, for route: PushRoute) throws(TLSError) -> PoolPlan? {
    guard let credential = credentials[route.app] else { return nil }
    let context = try sharedContext()
    let adapter = FCMAdapter(
      account(credential), style: credential.style, validatesOnly: configuration.validatesOnly, loop: loop)
    return PoolPlan(endpoint: configuration.endpoint, context: context, needsProof: false, adapter: adapter)
  }

  private func sharedContext() throws(TLSError) -> TLSContext {
    if let context { return context }
    let made = try TLSContext.client(trust: configuration.trust)
    context = made
    return made
  }

  /// Returns the TLS context, which all accounts share: loading the machine's certificate authorities is slow, and each
  /// account fetches tokens repeatedly.
  private func sharedTokenContext() throws(TLSError) -> TLSContext {
    if let tokenContext { return tokenContext }
    let made = try TLSContext.client(trust: configuration.trust, protocols: ["http/1.1"])
    tokenContext = made
    return made
  }

  private func account(_ credential: FCMCredential) -> AccountInUse {
    let account = credential.account
    let name = Self.name(credential)
    if let known = accounts[name] { return known }
    let ask = askTokenAddress
    let tokens = AccessTokens(
      account, url: credential.tokenURL, loop: loop, wire: configuration.wire, timeout: configuration.tokenTimeout,
      context: { [unowned self] () throws(TLSError) in try sharedTokenContext() },
      resolve: { endpoint in ask(endpoint, name) })
    tokens.heardTime = configuration.wire.heardTime
    tokens.isWanted = { [weak self] in
      self?.credentials.values.contains { Self.name($0) == name } == true
    }
    let made = AccountInUse(tokens: tokens, project: project(account.projectID))
    tokens.changed = { [weak self, weak made] change in
      guard let self, let made else { return }
      for (pool, adapter) in adapters where adapter.account === made { adapter.tokenChanged(change, of: pool) }
    }
    accounts[name] = made
    return made
  }

  private func project(_ id: String) -> Project {
    if let known = projects[id] { return known }
    let pacer = Pacer(messagesPerMinute: configuration.messagesPerMinute, nodes: nodes, at: loop.clock.now)
    let made = Project(pacer, loop: loop)
    made.restingLanesChanged = { [weak self, weak made] in
      guard let self, let made else { return }
      for (pool, adapter) in adapters where adapter.account.project === made { pool.restingLanesChanged() }
    }
    projects[id] = made
    return made
  }

  private var adapters: [(pool: Pool, adapter: FCMAdapter)] {
    router.pools.compactMap { pool in (pool.adapter as? FCMAdapter).map { (pool, $0) } }
  }
}

/// An input of the sender's thread, passed through its inbox.
enum FCMCommand: Sendable {
  case batch(PushBatch)
  case credential(FCMCredential?, for: App.Number)
  case forgive(App.Number)
  /// The number of nodes that send for the same projects has changed.
  case share(nodes: Int)
  case resolved(Result<[SocketAddress], SystemError>, for: PoolKey)
  /// The look-up of an account's token endpoint has ended.
  case tokenAddress(Result<[SocketAddress], SystemError>, account: String)
  case stop(within: Duration)
}
