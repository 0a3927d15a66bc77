internal import Crypto
package import Domain
package import Postgres
internal import Reactor
internal import Store

/// Authorization: the rules for what each role may do.
///
/// A caller has one role and access to one app or all. Operations call `require` first, except those on the caller's
/// own session and account. Every route of the admin API declares its permission, so a caller without it learns
/// nothing, not even whether its request was well-formed.
package enum Authorization {
  /// Returns the caller that an API key identifies.
  /// - Parameter token: the API key as issued.
  /// - Throws: `.badCredential` if the key is unknown, revoked or expired, or this version does not know its role.
  package static func authenticate(_ token: String, on connection: Connection) throws(Problem) -> Caller {
    guard let key = try connection.answer(Secrets.findAPIKey(sha256: hash(token))), let caller = Caller(key) else {
      throw Problem(
        .badCredential, "This API key is not known, was revoked, or has ended. Make one with `upmc key create`.")
    }
    return caller
  }

  /// Returns the SHA-256 of a text. API keys, session tokens and sign-in links are stored only as this hash, by which
  /// they can be looked up. They are 256 random bits, so an unsalted hash cannot be reversed.
  package static func hash(_ token: String) -> [UInt8] {
    SHA256.hash(Array(token.utf8))
  }
}

/// Role of an API key or account. The raw values are stored in the database.
package enum Role: String, CaseIterable, Sendable {
  /// A back-office system: sends and controls messages, reads their outcomes, and vouches for users.
  case sender
  /// A person who runs campaigns.
  case `operator`
  /// A person who may see messages, content, users and devices, but change nothing.
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

/// What a caller may do. `Role.allows` lists the permissions of each role.
package enum Permission: String, CaseIterable, Sendable {
  case send
  case viewMessages
  /// Creating vouchers: an app's own server confirms at login that the next device to name a user belongs to that user.
  case vouch
  /// Pausing, resuming and cancelling messages, and changing their pace.
  case control
  case manageGroups
  /// Listing and changing tags, changing saved segments, and deleting uploaded lists of recipients. Uploading them
  /// requires `send`.
  case manageAudiences
  /// Seeing and restoring quarantined devices, and seeing the state of the database and the nodes.
  case manageQuarantine
  /// Managing apps, their credentials and webhooks, and creating API keys. `manageAccounts` lists and revokes keys.
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
  /// Approving another person's message, or rejecting anybody's.
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
  /// Number of the API key; nil for callers without one.
  package let apiKey: Int32?
  /// The sending device of a device-to-device send, which becomes the origin of its messages; nil for other callers.
  package let device: DeviceID?
  /// Number of the console account; nil for other callers.
  package let account: Int32?
  /// The Unix user who runs a command; nil for other callers, and for what the program does without a request.
  package let unixUser: String?
  /// Name as recorded in the audit log: that of the API key, the login of the account, `command line` with the Unix
  /// user if one is known, or `nobody`. Empty for devices, servers admitted by address, and unnamed keys.
  package let name: String
  /// Origin of the call: the client's address, or the host's name for commands; empty if unknown.
  package var origin = ""
  /// ID of the HTTP request; empty for commands and devices.
  package var requestID = ""
  /// Whether the request to the admin API, over HTTP or from the command line, has a method other than GET. False for
  /// all other calls.
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

  /// Creates the caller for the holder of an API key. Returns nil if this version does not know the key's role.
  init?(_ key: Secrets.APIKey) {
    guard let role = Role(rawValue: key.role) else { return nil }
    self.init(role: role, app: key.app, apiKey: key.number, name: key.name)
  }

  /// An unauthenticated caller, for routes that require no permission. It may access no app.
  package static let nobody = Caller(role: .viewer, app: 0, apiKey: nil, name: "nobody")

  /// The program itself, for what it does at startup without a request; may do everything, in all apps.
  package static let commandLine = Caller(role: .admin, app: nil, apiKey: nil, name: "command line")

  /// Returns the caller for a person at the command line. Access to the master key allows everything except approving
  /// one's own messages.
  package static func commandLine(of unixUser: String) -> Caller {
    var caller = Caller(role: .admin, app: nil, apiKey: nil, unixUser: unixUser, name: "command line (\(unixUser))")
    caller.origin = HostName.current
    return caller
  }

  /// The person who makes the request; nil if the caller is no person, such as an API key or a device.
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
  /// if the call would change something, send, or vouch for a user in an app that is being deleted. Reading, exporting
  /// and erasing people stay possible there.
  package func require(_ permission: Permission, in app: App) throws(Problem) {
    try require(permission)
    guard reaches(app.number) else {
      throw Problem(.forbidden, "This credential is for another app than \(app.appID).")
    }
    guard isChanging || permission == .send || permission == .vouch, !permission.holdsWhileDeleted else { return }
    if let problem = app.refusalWhileDeleted { throw problem }
  }

  /// Throws `.invalidField` at `/from` unless the request names as its origin the calling device, or, if the caller is
  /// not a device, none.
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
