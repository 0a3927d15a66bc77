internal import Domain
internal import Logging
internal import PushWire
internal import Reactor
internal import TLS

/// The sender's side of the inbox: credentials, what the apps of a project share, and a switchboard that does the rest.
/// Lives on the sender's thread.
final class SenderLoop: PoolPlanner {
  let noCredential = "this app has no usable FCM service account"
  private let configuration: FCMConfiguration
  private let loop: EventLoop
  private let switchboard: Switchboard
  private let askTokenAddress: (_ endpoint: Endpoint, _ account: String) -> Bool

  private var credentials: [App.Number: FCMCredential] = [:]
  /// By the account's name: apps of one Firebase project share its quota and its access token.
  private var projects: [String: Project] = [:]
  private var context: TLSContext?

  init(
    configuration: FCMConfiguration, gate: Gate, resolver: Resolver, tokenResolver: Resolver,
    inbox: Inbox<FCMCommand>, clock: any Clock, results: @escaping PushResultSink
  ) throws(SystemError) {
    self.configuration = configuration
    loop = try EventLoop(clock: clock)
    switchboard = Switchboard(
      configuration: configuration.wire, loop: loop, gate: gate, resolvers: [configuration.endpoint: resolver],
      results: results
    ) { result, key in
      _ = inbox.offer(.resolved(result, for: key))
    }
    askTokenAddress = { endpoint, account in
      tokenResolver.ask(
        Resolver.Question(endpoint: endpoint) { result in _ = inbox.offer(.tokenAddress(result, account: account)) })
    }
    switchboard.planner = self
    try loop.attach(inbox) { [unowned self] commands in receive(commands) }
  }

  private func receive(_ commands: [FCMCommand]) {
    for command in commands {
      switch command {
      case .batch(let batch): switchboard.receive(batch)
      case .credential(let credential, let app): set(credential, for: app)
      case .forgive(let app): switchboard.forgive(app)
      case .resolved(let result, let key): switchboard.resolved(result, for: key)
      case .tokenAddress(let result, let account): projects[account]?.tokens.resolved(result)
      case .stop(let patience):
        for project in projects.values { project.tokens.stop() }
        switchboard.stop(within: patience)
      }
    }
  }

  func run() {
    loop.run()
  }

  private func set(_ credential: FCMCredential?, for app: App.Number) {
    credentials[app] = credential
    switchboard.credentialChanged(of: app)
  }

  private static func name(_ account: ServiceAccount) -> String { "\(account.email) \(account.keyID)" }

  // MARK: Pools

  func poolKey(of route: PushRoute, isIsolated: Bool) -> PoolKey? {
    guard let credential = credentials[route.app] else { return nil }
    // Google has one environment. Apps of a project share connections where they write messages alike.
    return PoolKey(
      credential: "\(Self.name(credential.account)) \(credential.style.name)", environment: .production,
      isolated: isIsolated ? route.app : nil)
  }

  func makePool(_ key: PoolKey, for route: PushRoute) throws(TLSError) -> PoolPlan? {
    guard let credential = credentials[route.app] else { return nil }
    let context = try sharedContext()
    let door = ProjectDoor(
      project(of: credential.account), style: credential.style, validatesOnly: configuration.validatesOnly, loop: loop)
    return PoolPlan(endpoint: configuration.endpoint, context: context, needsProof: false, door: door)
  }

  private func sharedContext() throws(TLSError) -> TLSContext {
    if let context { return context }
    let made = try TLSContext.client(trust: configuration.trust)
    context = made
    return made
  }

  private func project(of account: ServiceAccount) -> Project {
    let name = Self.name(account)
    if let known = projects[name] { return known }
    let ask = askTokenAddress
    let tokens = AccessTokens(
      account, url: configuration.tokenURL ?? account.tokenURI, trust: configuration.trust, loop: loop,
      logger: configuration.wire.logger
    ) { endpoint in ask(endpoint, name) }
    tokens.heardTime = configuration.wire.heardTime
    let made = Project(
      tokens: tokens, pacer: Pacer(messagesPerMinute: configuration.messagesPerMinute, at: loop.clock.now))
    tokens.changed = { [weak self, weak made] change in
      guard let self, let made else { return }
      tell(change, to: made)
    }
    projects[name] = made
    return made
  }

  private func tell(_ change: AccessTokens.Change, to project: Project) {
    for pool in switchboard.pools {
      guard let door = pool.door as? ProjectDoor, door.project === project else { continue }
      door.tokenChanged(change, of: pool)
    }
  }
}

/// What all pools of one service account share.
final class Project {
  let tokens: AccessTokens
  var pacer: Pacer

  init(tokens: AccessTokens, pacer: Pacer) {
    self.tokens = tokens
    self.pacer = pacer
  }
}
