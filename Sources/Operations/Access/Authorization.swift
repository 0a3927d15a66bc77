internal import Crypto
package import Domain
package import Postgres
internal import Reactor
internal import Store

/// Who may do what: the only place with rules about roles.
///
/// A caller has one role and reaches one app or all. Every operation asks `require` first; every route of the admin API
/// names its permission, so that a caller without it learns nothing, not even whether its request was well-formed.
package enum Authorization {
  /// Finds out who is calling.
  /// - Parameter token: an API key as it was handed out.
  package static func authenticate(_ token: String, on connection: Connection) throws(Problem) -> Caller {
    guard let key = try connection.answer(Secrets.findAPIKey(sha256: hash(token))), let caller = Caller(key) else {
      throw Problem(.badCredential, "This API key is not known, or was revoked. Make one with `upmc key create`.")
    }
    return caller
  }

  /// API keys are 256 random bits: a plain hash of them cannot be reversed, and may be looked up by equality.
  package static func hash(_ token: String) -> [UInt8] {
    SHA256.hash(Array(token.utf8))
  }
}

/// What an API key is for. Raw values are stored.
package enum Role: String, CaseIterable, Sendable {
  /// A back-office system: sends, and looks at what became of it.
  case sender
  /// A person who runs campaigns.
  case `operator`
  /// Looks, changes nothing.
  case viewer
  case admin

  package func allows(_ permission: Permission) -> Bool {
    switch permission {
    case .viewMessages, .viewContent: true
    case .send, .control: self != .viewer
    case .vouch: self == .sender || self == .admin
    case .viewPeople: self != .sender
    case .manageGroups, .manageQuarantine, .manageAudiences, .managePeople, .manageContent, .approve, .importPeople,
      .exportPeople, .manageEvents:
      self == .operator || self == .admin
    case .manageApps, .erasePeople, .manageAccounts, .viewAudit: self == .admin
    }
  }
}

/// Kinds of things that a role may or may not do.
package enum Permission: String, CaseIterable, Sendable {
  case send
  case viewMessages
  /// Saying that the next device that names a user is the user's: what the app's own server does at log-in.
  case vouch
  /// Pausing, resuming, cancelling, pacing.
  case control
  case manageGroups
  /// Tags and saved segments.
  case manageAudiences
  /// Devices that are put aside.
  case manageQuarantine
  /// Apps, their credentials, and API keys.
  case manageApps
  /// Users, devices and groups: who they are.
  case viewPeople
  /// Badges.
  case managePeople
  /// Taking everything out, or away, that is known of a person.
  case erasePeople
  /// Templates, senders, drafts.
  case viewContent
  case manageContent
  /// Files of people.
  case importPeople
  /// Lists of people as files.
  case exportPeople
  /// Letting a large message of somebody else go out.
  case approve
  case manageAccounts
  case viewAudit
  /// What webhooks were told, and telling it again.
  case manageEvents
}

/// Whoever asks for an operation, already proved.
package struct Caller: Equatable, Sendable {
  package let role: Role
  /// The only app it reaches; nil: all.
  package let app: App.Number?
  /// Its API key's number; nil: a console account or the command line.
  package let apiKey: Int32?
  /// The device that sends, when a device does; its messages bear its name.
  package let device: DeviceID?
  /// Its console account's number.
  package let account: Int32?
  /// Who runs the command, at the command line.
  package let unixUser: String?
  /// What the key or account is called, for the audit log.
  package let name: String
  /// The address it calls from (the machine's name for the command line), and the id of its request.
  package var origin = ""
  package var requestID = ""

  package init(
    role: Role, app: App.Number?, apiKey: Int32?, device: DeviceID? = nil, account: Int32? = nil,
    unixUser: String? = nil, name: String = ""
  ) {
    self.unixUser = unixUser
    self.device = device
    self.role = role
    self.app = app
    self.apiKey = apiKey
    self.account = account
    self.name = name
  }

  /// Nil for a role that only a newer version knows.
  init?(_ key: Secrets.APIKey) {
    guard let role = Role(rawValue: key.role) else { return nil }
    self.init(role: role, app: key.app, apiKey: key.number, name: key.name)
  }

  /// Somebody who has not proved anything; for routes that ask for no permission.
  package static let nobody = Caller(role: .viewer, app: 0, apiKey: nil, name: "nobody")

  /// The program itself: what it does when it starts, nobody has asked for.
  package static let commandLine = Caller(role: .admin, app: nil, apiKey: nil, name: "command line")

  /// Somebody at the command line. Whoever can read the master key may do everything, but be two persons.
  package static func commandLine(of unixUser: String) -> Caller {
    var caller = Caller(role: .admin, app: nil, apiKey: nil, unixUser: unixUser, name: "command line (\(unixUser))")
    caller.origin = HostName.current
    return caller
  }

  /// The person who asks; nil: a program, or a device.
  var asker: Principal? {
    if let account { return .account(account) }
    return unixUser.map(Principal.unixUser)
  }

  /// - Throws: `.forbidden` when the role does not allow it.
  package func require(_ permission: Permission) throws(Problem) {
    guard role.allows(permission) else {
      throw Problem(.forbidden, "The role \(role.rawValue) may not do this.")
    }
  }

  /// - Throws: `.forbidden` when the role does not allow it, or the app is not the caller's.
  package func require(_ permission: Permission, in app: App) throws(Problem) {
    try require(permission)
    guard reaches(app.number) else {
      throw Problem(.forbidden, "This credential is for another app than \(app.appID).")
    }
  }

  /// - Throws: when the request names another device as its sender than the one that asks.
  func requireOrigin(of request: MessageRequest) throws(Problem) {
    guard request.origin?.device == device else {
      throw Problem(at: "/from", "is written by the server, for messages that devices send")
    }
  }

  /// It signs in with a key, by its address, or as a device; people have an account, or the command line.
  var isProgram: Bool { apiKey != nil || device != nil || account == nil && name.isEmpty }

  package func reaches(_ number: App.Number) -> Bool {
    app == nil || app == number
  }
}
