internal import Domain
internal import Postgres
internal import Store
internal import Time

/// The changes that answers about tokens require, made within the transaction that writes the outcomes: devices are
/// removed or quarantined, or their environment is corrected. If the circuit breaker opens, the app is paused and
/// everything that the flood of refusals caused is undone.
///
/// Locks the rows of the apps first, so that a second node sees that the first has paused the app, and quarantines no
/// more devices.
struct TokenMaintenance {
  /// Results that the completer applies once the transaction is committed.
  struct Result {
    /// Apps that the circuit breaker has paused, and the reasons.
    var opened: [(app: App.Number, reason: String)] = []
    /// Apps paused because of their credential.
    var faulty: Set<App.Number> = []
    /// Apps whose windows must be cleared, because they are paused or no longer exist.
    var cleared: Set<App.Number> = []
    /// Routes that are no longer suspect if refusals of tokens read before their app was resumed are ignored.
    var forgiven: [(route: PushRoute, resumedAt: Timestamp)] = []
  }

  private struct Flood {
    let route: PushRoute
    let window: AnswerWindow
    let appID: String
  }

  private let findings: [TokenFinding]
  private let now: Timestamp
  private var states: [App.Number: AppPauses.State] = [:]
  private var floods: [Flood] = []
  var result = Result()

  /// Locks the rows of the apps concerned and decides which suspect routes open their breaker. Queries nothing if no
  /// app is concerned.
  /// - Parameter faulty: apps that this transaction may pause because of their credential.
  init(
    _ findings: [TokenFinding], _ breaker: CircuitBreaker, faulty: some Collection<App.Number>, now: Timestamp,
    _ connection: Connection
  ) throws(PostgresError) {
    self.findings = findings
    self.now = now
    let apps = Set(findings.map(\.route.app)).union(breaker.suspects.map(\.app)).union(faulty)
    guard !apps.isEmpty else { return }
    // Take an exclusive lock if an app may be paused: two transactions that hold a shared lock and then both write
    // would deadlock.
    let mayPause = !breaker.suspects.isEmpty || !faulty.isEmpty
    states = try connection.run(AppPauses.states(of: apps, alone: mayPause))
    for route in breaker.suspects { judge(route, breaker) }
  }

  private mutating func judge(_ route: PushRoute, _ breaker: CircuitBreaker) {
    guard let state = states[route.app], !state.isPaused else {
      // The app has been paused already, by another node perhaps, or no longer exists.
      result.cleared.insert(route.app)
      return
    }
    if let window = breaker.window(route, since: state.resumedAt) {
      floods.append(Flood(route: route, window: window, appID: state.appID))
    } else {
      result.forgiven.append((route, state.resumedAt ?? .zero))
    }
  }

  /// Returns true for a refusal to ignore: its app is paused, or was resumed after the token was read, so that the
  /// cause may be repaired by now.
  private func isVoid(_ finding: TokenFinding) -> Bool {
    guard finding.isRefusal, let state = states[finding.route.app] else { return false }
    return state.isPaused || state.resumedAt.map { finding.readAt < $0 } == true
  }

  /// The deliveries of refusals that count towards a flood: rejections of them may be undone.
  var refused: Set<Confirmations.Delivery> { Set(findings.filter(\.isRefusal).map(\.delivery)) }

  /// The deliveries of void refusals: rejections of them are undone in the transaction that writes them.
  var void: Set<Confirmations.Delivery> { Set(findings.filter(isVoid).map(\.delivery)) }

  // MARK: Devices

  /// Removes, quarantines or corrects the devices, counts the removed ones in the statistics, and creates the events
  /// for dropped tokens. Ignores void refusals. Must be called before the outcomes are written.
  /// - Parameter others: deliveries in claims that other nodes hold by now, whose refusals are ignored too.
  func changeDevices(
    _ connection: Connection, besides others: Set<Confirmations.Delivery> = [], writer: Int32
  ) throws(PostgresError) {
    let valid = findings.filter { !isVoid($0) && !($0.isRefusal && others.contains($0.delivery)) }
    guard !valid.isEmpty else { return }
    // Tokens before devices, in the order of devices that set tokens meanwhile.
    let dead = valid.compactMap(\.deadFurtherToken)
    if !dead.isEmpty { try connection.run(Tokens.retire(dead: dead, at: now)) }
    let locked = try connection.run(Devices.lock(Set(valid.map(\.delivery.device))))
    let records = Dictionary(locked.map { ($0.device, $0) }) { first, _ in first }
    var dropped: Set<DeviceID> = []
    var refused: [DeviceID: Quarantine.Entry] = [:]
    var lessons: [DeviceID: PushEnvironment] = [:]
    for finding in valid {
      let device = finding.delivery.device
      guard let record = records[device], let change = finding.change(of: record) else { continue }
      switch change {
      case .drop: dropped.insert(device)
      case .quarantine(let reason):
        if refused[device] == nil {
          refused[device] = Quarantine.Entry(device: device, reason: reason, seqno: finding.delivery.seqno)
        }
      case .learn(let environment): lessons[device] = environment
      }
    }
    if !dropped.isEmpty {
      try connection.run(Quarantine.drop(dropped))
      var tally = Statistics.Tally()
      for device in dropped {
        guard let record = records[device] else { continue }
        var key = Statistics.Key(app: record.app)
        key.network = record.network
        key.appVersion = record.attributes.appVersion
        key.reason = "token-refused"
        tally.countLeft(key)
      }
      try connection.run(Statistics.add(tally, writer: writer, at: now))
    }
    var gone = dropped
    if !refused.isEmpty {
      // These error codes mean that the token has become invalid for good, although the device is only quarantined, for
      // lack of a time. Other codes may indicate an error in our configuration: those devices return after its repair,
      // and customers must not be told to delete them.
      gone.formUnion(
        try connection.run(Quarantine.add(Array(refused.values), at: now))
          .filter { refused[$0].map { TokenAssessment.isEnding($0.reason) } ?? false })
    }
    if !gone.isEmpty { try connection.run(Events.tokensDropped(gone)) }
    if !lessons.isEmpty { try connection.run(Quarantine.learn(lessons.map { ($0.key, $0.value) })) }
  }

  // MARK: Floods

  /// Pauses the apps whose breaker opens, and undoes what their floods of refusals caused; also undoes the rejections
  /// that belong to void refusals. Must be called after the outcomes are written.
  /// - Parameters:
  ///   - decided: the deliveries whose outcomes this transaction has written. A void refusal of another delivery is not
  ///     undone: that delivery already had a final outcome, which remains.
  ///   - others: messages that this transaction changes afterwards.
  mutating func undoFloods(
    _ connection: Connection, decided: Set<Confirmations.Delivery>, writer: Int32, locking others: Set<Seqno>
  ) throws(PostgresError) {
    var deliveries = void.intersection(decided)
    for flood in floods {
      // Other nodes may have met the flood a little earlier.
      let lately = now - .seconds(Limits.floodSeconds)
      let since = min(flood.window.undone.map(\.readAt).min() ?? now, lately)
      let route = flood.route
      var undone = Set(flood.window.undone.map(\.delivery))
      // Quarantines by other nodes since then belong to the same flood.
      undone.formUnion(
        try connection.run(Quarantine.flood(route.app, route.network, route.environment, since: since)))
      let devices = Set(undone.map(\.device))
      _ = try connection.run(Devices.lock(devices))
      _ = try connection.run(Quarantine.release(devices, since: since))
      deliveries.formUnion(undone)
      let reason = Self.reason(flood)
      try connection.run(AppPauses.pause(route.app, reason: reason))
      result.opened.append((route.app, reason))
      result.cleared.insert(route.app)
    }
    guard !deliveries.isEmpty else { return }
    try RejectionReversal(deliveries, now: now, connection).run(connection, writer: writer, locking: others)
  }

  private static func reason(_ flood: Flood) -> String {
    """
    \(flood.window.refusals.count) of the last \(flood.window.count) answers of \(flood.route.network.pnsID) \
    \(flood.route.environment.name) refused the device token (\(flood.window.summary)). So many are a wrong setting, not \
    dead devices: no token was dropped, and the messages wait. Check that bundle id, credential and the environment that \
    the app registers belong together, then resume it: upmc app resume \(flood.appID)
    """
  }
}

extension TokenFinding {
  /// True if the finding counts towards a flood of refusals.
  fileprivate var isRefusal: Bool {
    switch kind {
    case .refused, .disallowed: true
    case .dead, .belongs: false
    }
  }
}
