internal import APNs
internal import Domain
internal import Logging
internal import Operations
internal import Postgres
internal import Reactor
internal import Store
internal import TLS
internal import Time

/// Supplies the APNs sender with credentials from the database and with provider tokens. All nodes share one token per
/// key, which is minted while its row is locked. Used only on the thread `catalog`.
final class APNsCredentialRefresher {
  private let sender: APNsSender
  private let requests: Inbox<ProviderTokenRequest>
  private let master: MasterKey
  private let health: Health
  private let clock: any Clock
  private let keyIsNew: (App.Number) -> Void
  /// The time at which this server started by the database's clock.
  private let beganAt: Timestamp
  /// True after the first refresh: a credential that changes later was stored while the server was running.
  private var hasLooked = false
  private let log = Logger(label: "apns-credentials")
  private var keys: [App.Number: SigningKey] = [:]
  private var sealed: [App.Number: [UInt8]] = [:]
  /// The time at which each credential in use was stored: if a credential was only re-encrypted, the one in use is
  /// kept.
  private var inUse: [App.Number: Timestamp] = [:]
  /// The master keys with which each credential could not be used: with others it is tried again.
  private var failed: [App.Number: [MasterKey.ID]] = [:]
  private(set) var tokens: [KeyName: ProviderToken] = [:]

  /// Creates a refresher.
  /// - Parameters:
  ///   - beganAt: when the server started by the database's clock.
  ///   - keyIsNew: called for each key stored since then, including those stored before the first refresh.
  init(
    sender: APNsSender, requests: Inbox<ProviderTokenRequest>, master: MasterKey, health: Health, clock: any Clock,
    beganAt: Timestamp, keyIsNew: @escaping (App.Number) -> Void = { _ in }
  ) {
    self.beganAt = beganAt
    self.keyIsNew = keyIsNew
    self.health = health
    self.sender = sender
    self.requests = requests
    self.master = master
    self.clock = clock
  }

  func turn(_ connection: Connection) throws {
    // Before the reading: what is stored meanwhile may not be among what was read.
    let readAt = clock.now
    try readCredentials(connection)
    hasLooked = true
    sender.credentialsAreKnown(asOf: readAt)
    var refused: [KeyName: ProviderToken] = [:]
    for request in requests.takeAll() {
      if let token = request.refused { refused[request.key] = token }
    }
    let now = clock.wallTime
    for (key, signing) in Dictionary(keys.values.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first }) {
      let present = tokens[key]
      if present == nil || present?.isDue(atSeconds: now.seconds) == true || refused[key] == present {
        try renew(signing, refused: refused[key], now: now, connection)
      }
    }
  }

  /// Passes credentials that have changed to the sender.
  private func readCredentials(_ connection: Connection) throws {
    var present: Set<App.Number> = []
    for credential in try connection.run(Secrets.credentials()) where credential.network == .apns {
      present.insert(credential.app)
      let mayOpenNow = failed[credential.app].map { $0 != master.ids } ?? false
      guard sealed[credential.app] != credential.sealed || mayOpenNow else { continue }
      sealed[credential.app] = credential.sealed
      if let storedAt = credential.storedAt, inUse[credential.app] == storedAt { continue }
      use(credential)
    }
    for app in sealed.keys where !present.contains(app) {
      sealed[app] = nil
      inUse[app] = nil
      failed[app] = nil
      keys[app] = nil
      sender.set(nil, for: app)
      health.note(nil, of: app, .apns)
    }
  }

  private func use(_ credential: Secrets.Credential) {
    let app = credential.app
    keys[app] = nil
    inUse[app] = nil
    failed[app] = nil
    do {
      switch try APNsSecret(credential, master) {
      case .key(let key):
        keys[app] = key
        if hasLooked || credential.storedAt.map({ $0 >= beganAt }) == true { keyIsNew(app) }
        sender.set(.token(key.name), for: app)
        health.note(Health.Credential(isUsable: true), of: app, .apns)
      case .certificate(let identity):
        sender.set(.certificate(identity), for: app)
        health.note(
          Health.Credential(isUsable: true, endsAt: Timestamp(seconds: identity.certificate.notAfter)), of: app, .apns)
        warnOfEnd(identity, app)
      }
      inUse[app] = credential.storedAt
    } catch {
      // The stored credential cannot be used, and the operator no longer wants the previous one.
      failed[app] = master.ids
      sender.set(nil, for: app)
      health.note(Health.Credential(isUsable: false), of: app, .apns)
      log.error("an APNs credential cannot be used", metadata: ["app": "\(app)", "error": "\(error)"])
    }
  }

  private func warnOfEnd(_ identity: TLSIdentity, _ app: App.Number) {
    let days = (identity.certificate.notAfter - clock.wallTime.seconds) / 86_400
    guard days < ServerLimits.certificateWarningDays else { return }
    log.warning(
      "a push certificate ends soon: make a new one, or use a .p8 key, and set it with `upmc app credential`",
      metadata: ["app": "\(app)", "days": .stringConvertible(days)])
  }

  /// Adopts the token that another node minted, or mints one, never more often than Apple allows.
  private func renew(
    _ key: SigningKey, refused: ProviderToken?, now: Timestamp, _ connection: Connection
  ) throws {
    let token = try SharedProviderToken.take(key, refused: refused, now: now, master, connection)
    guard let token else { return }
    tokens[key.name] = token
    sender.set(token)
  }
}
