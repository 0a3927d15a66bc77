internal import Domain
internal import FCM
internal import Logging
internal import Operations
internal import Postgres
internal import Reactor
internal import Store
internal import Time

/// Supplies the FCM sender with service accounts from the database. The sender obtains access tokens itself. Used only
/// on the thread `catalog`.
final class FCMCredentialRefresher {
  private let sender: FCMSender
  private let master: MasterKey
  private let health: Health
  private let log = Logger(label: "fcm-credentials")
  /// The credentials passed to the sender, as they are stored in the database.
  private var known: [App.Number: Stored] = [:]
  /// The time at which each credential in use was stored.
  private var inUse: [App.Number: Timestamp] = [:]
  /// The master keys with which each credential could not be used: with others it is tried again.
  private var failed: [App.Number: [MasterKey.ID]] = [:]

  private struct Stored: Equatable {
    let sealed: [UInt8]
    let publicPart: String
  }

  private let tokens: TokenAddress

  /// Creates a refresher.
  /// - Parameter tokens: the address at which access tokens are obtained. An account that names another one is not
  ///   used.
  init(sender: FCMSender, master: MasterKey, health: Health, tokens: TokenAddress) {
    self.tokens = tokens
    self.health = health
    self.sender = sender
    self.master = master
  }

  func turn(_ connection: Connection) throws {
    // Before the reading: what is stored meanwhile may not be among what was read.
    let readAt = SystemClock().now
    var present: Set<App.Number> = []
    for credential in try connection.run(Secrets.credentials()) where credential.network == .fcm {
      present.insert(credential.app)
      let stored = Stored(sealed: credential.sealed, publicPart: credential.publicPart)
      let mayOpenNow = failed[credential.app].map { $0 != master.ids } ?? false
      guard known[credential.app] != stored || mayOpenNow else { continue }
      known[credential.app] = stored
      // A credential that was only re-encrypted stays in use.
      if let storedAt = credential.storedAt, inUse[credential.app] == storedAt { continue }
      use(credential)
    }
    for app in Array(known.keys) where !present.contains(app) {
      known[app] = nil
      inUse[app] = nil
      failed[app] = nil
      sender.set(nil, for: app)
      health.note(nil, of: app, .fcm)
    }
    sender.credentialsAreKnown(asOf: readAt)
  }

  private func use(_ credential: Secrets.Credential) {
    inUse[credential.app] = nil
    failed[credential.app] = nil
    do {
      guard credential.kind == Administration.fcmServiceAccountKind else {
        throw ServerError("The credential is of the kind \(credential.kind), which this version does not know.")
      }
      let place = Administration.place(ofCredentialFor: credential.app, credential.network)
      let json = String(decoding: try master.open(credential.sealed, for: place), as: UTF8.self)
      let settings = try Administration.FCMSettings(publicPart: credential.publicPart)
      let style = FCMStyle(
        content: FCMStyle.Content(rawValue: settings.style) ?? .data,
        platforms: FCMStyle.Platforms(rawValue: settings.platforms) ?? .all)
      sender.set(
        FCMCredential(account: try ServiceAccount(json: json, tokens: tokens), style: style, tokenURL: tokens.url),
        for: credential.app)
      health.note(Health.Credential(isUsable: true), of: credential.app, .fcm)
      inUse[credential.app] = credential.storedAt
    } catch {
      // The stored credential cannot be used, and the operator no longer wants the previous one.
      failed[credential.app] = master.ids
      sender.set(nil, for: credential.app)
      health.note(Health.Credential(isUsable: false), of: credential.app, .fcm)
      log.error("a service account cannot be used", metadata: ["app": "\(credential.app)", "error": "\(error)"])
    }
  }
}
