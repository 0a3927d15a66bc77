internal import Domain
internal import Postgres
internal import Store

/// The personal data that a message inserts for each recipient, besides the badge: names, languages, variables, and the
/// token of the required kind. Read with one query of each kind for all recipients, and only what the message needs.
struct RecipientValues {
  private var names: [UserKey: String] = [:]
  private var locales: [DeviceID: String] = [:]
  private var variables: [UserKey: [String]] = [:]
  /// The tokens of the required kind per device; nil if the message uses each device's ordinary token.
  private var tokens: [DeviceID: [String]]?

  /// Creates values for a message whose names are known and that needs nothing else.
  init(names: [UserKey: String]) {
    self.names = names
  }

  /// The values for messages that insert no personal data beyond what is already known: none.
  static let none = RecipientValues(names: [:])

  /// Returns false if the message inserts no personal data except the name and the badge count.
  static func areNeeded(by message: DispatchMessage) -> Bool {
    !message.push.template.languages.isEmpty || message.valuesFile != nil || message.request.content.tokenKind != .alert
  }

  /// Reads the values of a message's recipients.
  /// - Parameter readsNames: false if the caller knows the names already.
  init(
    _ members: [Audiences.Member], _ message: DispatchMessage, _ connection: Connection, readsNames: Bool = true
  ) throws(PostgresError) {
    guard !members.isEmpty else { return }
    let template = message.push.template
    if readsNames, template.needsClientName {
      let users = Set(members.map { Users.Key(app: message.app, userKey: $0.userKey) })
      for (user, found) in try connection.run(Users.find(users)) { names[user.userKey] = found.name }
    }
    if !template.languages.isEmpty { locales = try connection.run(Devices.locales(of: members.map(\.device))) }
    if let csv = message.valuesFile {
      for (user, line) in try connection.run(CSVAudiences.values(csv, of: Set(members.map(\.userKey)))) {
        variables[user] = line.variables
        if !line.name.isEmpty { names[user] = line.name }
      }
    }
    let content = message.request.content
    if content.tokenKind != .alert {
      tokens = try connection.run(
        Tokens.ofDevices(
          app: message.app, members.map(\.device), kind: content.tokenKind,
          activities: content.liveActivity?.selection ?? ActivitySelection()))
    }
  }

  /// Returns the user's values from an uploaded file, in the form stored with the inbox entry; nil if the file has none
  /// for the user.
  func kept(for user: UserKey) -> InboxValues? {
    variables[user].map { InboxValues(name: names[user] ?? "", variables: $0) }
  }

  /// Returns false if the device has no token of the required kind, or all of its tokens have been sent to.
  func hasToken(_ member: Audiences.Member, besides done: FurtherTokensDone = FurtherTokensDone()) -> Bool {
    tokens == nil || !further(of: member, besides: done).isEmpty
  }

  /// Returns the token to send to next.
  func psid(of member: Audiences.Member, besides done: FurtherTokensDone = FurtherTokensDone()) -> String {
    further(of: member, besides: done).first ?? member.psid
  }

  private func further(of member: Audiences.Member, besides done: FurtherTokensDone) -> [String] {
    (tokens?[member.device] ?? []).filter { !done.psids.contains($0) }
  }

  /// Returns the target for a device, with the values that its payload needs.
  /// - Parameter name: the user's name, if the caller has it; a name from the uploaded file takes precedence.
  func target(
    _ member: Audiences.Member, at place: BlockPlace?, of message: DispatchMessage, badge: Int16, name: String? = nil,
    besides done: FurtherTokensDone = FurtherTokensDone()
  ) -> PushTarget {
    let tokens = further(of: member, besides: done)
    return PushTarget(
      device: member.device, userKey: member.userKey, psid: tokens.first ?? member.psid, badge: badge,
      clientName: names[member.userKey] ?? name ?? "",
      language: locales[member.device].map { message.push.template.languages.place(locale: $0) } ?? 0,
      variables: variables[member.userKey] ?? [], appVersion: member.appVersion,
      place: place.flatMap { $0.coordinates(hasFallback: message.fallback != nil) },
      further: tokens.isEmpty
        ? nil : FurtherTarget(registration: member.psid, rest: tokens.count - 1, done: done))
  }
}
