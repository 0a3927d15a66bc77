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

  /// Creates the values for a message that needs nothing but names, which the caller knows.
  init(names: [UserKey: String]) {
    self.names = names
  }

  /// No values: for messages that need none, or whose names the caller passes to `target`.
  static let none = RecipientValues(names: [:])

  /// Returns true if the message needs values besides name and badge count: the device's language, variables from an
  /// uploaded file, or a token other than the device's ordinary one.
  static func areNeeded(by message: DispatchMessage) -> Bool {
    !message.push.template.languages.isEmpty || message.valuesFile != nil || message.request.content.tokenKind != .alert
  }

  /// Reads those values of a message's recipients that the message needs.
  /// - Parameter readsNames: false if the caller knows the names already. Names in the uploaded file are read
  ///   nevertheless.
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

  /// Returns true if there is a token to send to: always, if the message uses the device's ordinary token; otherwise if
  /// the device has a token of the required kind that is not in `done`.
  func hasToken(_ member: Audiences.Member, besides done: FurtherTokensDone = FurtherTokensDone()) -> Bool {
    tokens == nil || !further(of: member, besides: done).isEmpty
  }

  /// Returns the token to send to next: the first of the required kind that is not in `done`. Returns the device's
  /// ordinary token if there is none, or if the message uses that.
  func psid(of member: Audiences.Member, besides done: FurtherTokensDone = FurtherTokensDone()) -> String {
    further(of: member, besides: done).first ?? member.psid
  }

  private func further(of member: Audiences.Member, besides done: FurtherTokensDone) -> [String] {
    (tokens?[member.device] ?? []).filter { !done.psids.contains($0) }
  }

  /// Returns the target for a device, with the values that its payload needs and the token that `psid(of:besides:)`
  /// returns.
  /// - Parameters:
  ///   - place: the device's position in a block; nil if it has none.
  ///   - name: the user's name, if the caller has it; a name that these values contain takes precedence.
  ///   - done: the device's tokens that have a final result already.
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
