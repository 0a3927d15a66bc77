internal import Crypto
package import Domain
package import Postgres
internal import Reactor
internal import Store

/// Authorization: the only place with rules about roles.
///
/// A caller has one role and access to one app or all. Every operation calls `require` first, and every route of the
/// admin API declares its permission, so a caller without it learns nothing, not even whether its request was
/// well-formed.
package enum Authorization {
  /// Returns the caller that an API key identifies.
  /// - Parameter token: the API key as issued.
  /// - Throws: `.badCredential` if the key is unknown, revoked or over.
  package static func authenticate(_ token: String, on connection: Connection) throws(Problem) -> Caller {
    guard let key = try connection.answer(Secrets.findAPIKey(sha256: hash(token))), let caller = Caller(key) else {
      throw Problem(
        .badCredential, "This API key is not known, was revoked, or has ended. Make one with `upmc key create`.")
    }
    return caller
  }

  /// Returns the hash under which an API key is stored. Keys are 256 random bits, so a plain hash cannot be reversed,
  /// and it allows look-up by equality.
  package static func hash(_ token: String) -> [UInt8] {
    SHA256.hash(Array(token.utf8))
  }
}

/// Role of an API key or account. The raw values are stored in the database.
package enum Role: String, CaseIterable, Sendable {
  /// A back-office system: sends messages and reads their outcomes.
  case sender
  /// A person who runs campaigns.
  case `operator`
  /// Read-only access.
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

/// A permission of a role.
package enum Permission: String, CaseIterable, Sendable {
  case send
  case viewMessages
  /// Vouching that the next device that names a user really belongs to that user, as the app's own server does at
  /// login.
  case vouch
  /// Pausing, resuming and cancelling messages, and changing their pace.
  case control
  case manageGroups
  /// Changing tags and saved segments.
  case manageAudiences
  /// Seeing and restoring quarantined devices.
  case manageQuarantine
  /// Managing apps, their credentials, and API keys.
  case manageApps
  /// Seeing the identities of users, devices and groups.
  case viewPeople
  /// Setting users' badge counts.
  case managePeople
  /// Exporting or erasing everything known about a person.
  case erasePeople
  /// Seeing templates, senders and drafts.
  case viewContent
  case manageContent
  /// Importing people from files.
  case importPeople
  /// Exporting lists of people as files.
  case exportPeople
  /// Approving another person's large message.
  case approve
  case manageAccounts
  case viewAudit
  /// Viewing webhook events and redelivering them.
  case manageEvents

  /// Whether the permission also holds, with any HTTP method, for apps that are being deleted: reading, exporting, and
  /// erasing people.
  var holdsWhileDeleted: Bool {
    switch self {
    case .viewMessages, .viewContent, .viewPeople, .viewAudit, .exportPeople, .erasePeople: true
    default: false
    }
  }
}

/// The authenticated caller of an operation.
package struct Caller: Equatable, Sendable {
  package let role: Role
  /// The only app the caller may access; nil for all apps.
  package let app: App.Number?
  /// Number of the API key; nil for a console account or the command line.
  package let apiKey: Int32?
  /// The sending device in a device-to-device send; it becomes the origin of its messages.
  package let device: DeviceID?
  /// Number of the console account.
  package let account: Int32?
  /// The Unix user who runs a command; nil for other callers.
  package let unixUser: String?
  /// Name of the key or account, as recorded in the audit log.
  package let name: String
  /// Origin of the call: the client's address, or the host's name for commands.
  package var origin = ""
  /// ID of the request; empty for commands.
  package var requestID = ""
  /// Whether the request changes something, judged by its HTTP method.
  package var isChanging = false

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

  /// Creates the caller for the holder of an API key; nil if this version does not know the key's role.
  init?(_ key: Secrets.APIKey) {
    guard let role = Role(rawValue: key.role) else { return nil }
    self.init(role: role, app: key.app, apiKey: key.number, name: key.name)
  }

  /// An unauthenticated caller, for routes that require no permission.
  package static let nobody = Caller(role: .viewer, app: 0, apiKey: nil, name: "nobody")

  /// The program itself, for what it does at startup without a request.
  package static let commandLine = Caller(role: .admin, app: nil, apiKey: nil, name: "command line")

  /// Returns the caller for a person at the command line. Access to the master key allows everything except acting as
  /// two people.
  package static func commandLine(of unixUser: String) -> Caller {
    var caller = Caller(role: .admin, app: nil, apiKey: nil, unixUser: unixUser, name: "command line (\(unixUser))")
    caller.origin = HostName.current
    return caller
  }

  /// The person who makes the request; nil for a program or a device.
  var asker: Principal? {
    if let account { return .account(account) }
    return unixUser.map(Principal.unixUser)
  }

  /// Throws `.forbidden` if the role does not have the permission.
  package func require(_ permission: Permission) throws(Problem) {
    guard role.allows(permission) else {
      throw Problem(.forbidden, "The role \(role.rawValue) may not do this.")
    }
  }

  /// Throws `.forbidden` if the role does not have the permission or the caller may not access the app, and `.conflict`
  /// if the call would change something in an app that is being deleted. Erasing people stays possible there.
  package func require(_ permission: Permission, in app: App) throws(Problem) {
    try require(permission)
    guard reaches(app.number) else {
      throw Problem(.forbidden, "This credential is for another app than \(app.appID).")
    }
    guard isChanging || permission == .send || permission == .vouch, !permission.holdsWhileDeleted else { return }
    if let problem = app.refusalWhileDeleted { throw problem }
  }

  /// Throws `.invalidField` if the request names a sending device other than the calling one.
  func requireOrigin(of request: MessageRequest) throws(Problem) {
    guard request.origin?.device == device else {
      throw Problem(at: "/from", "is written by the server, for messages that devices send")
    }
  }

  /// Whether the caller is a program: it authenticates with an API key, by address, or as a device. A person has an
  /// account or uses the command line.
  var isProgram: Bool { apiKey != nil || device != nil || account == nil && name.isEmpty }

  package func reaches(_ number: App.Number) -> Bool {
    app == nil || app == number
  }
}
