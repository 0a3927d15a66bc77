package import Domain
package import JSON
package import Postgres
package import Store

/// Creates, deletes and lists broadcast channels of APNs, both at Apple and in our database.
///
/// A channel is created at Apple before it is stored here, and deleted at Apple before it is deleted here. A crash in
/// between leaves a channel only at Apple, where `atApple` lists it and `create` can adopt it, or only in our database,
/// from which `delete` removes it when called again.
package enum ChannelService {
  package struct New: Sendable {
    var name = ""
    var environment = PushEnvironment.production
    var storage: ChannelStorage?
    var apnsChannel: String?

    package init() {}

    package static let object = JSONObject(
      "NewChannel", from: New(),
      [
        .required("name", .text(upTo: Domain.Limits.nameBytes), \.name, "Yours, for example `match-7`."),
        .given("environment", .environment, \.environment, "`production` by default."),
        .given(
          "storage", .storage, \.storage,
          """
          What APNs keeps for devices that are away: `none` (default; Apple grants more updates for it) or `latest`, for up \
          to 8 hours. It stays so for the channel's whole life.
          """),
        .given(
          "apnsChannelId", .apnsChannel, \.apnsChannel,
          "Adopts a channel that the app has at Apple already; without `storage`, which Apple knows."),
      ])
  }

  package struct Entry: DescribedAnswer {
    package let record: Channels.Record

    package static let object = JSONObject<Entry>(
      "Channel",
      [
        .always("channelId", .sequence, \.record.channel, "Its number here."),
        .always(
          "apnsChannelId", .anyText, \.record.apnsChannel,
          "Apple's name of it: what the app follows, and `inputPushChannel` of a message that starts an activity."),
        .always("name", .anyText, \.record.name), .always("environment", .environment, \.record.environment),
        .always("storage", .storage, \.record.storage), .always("createdAt", .moment, \.record.createdAt),
        .always("version", .count, \.record.version, "Of the latest update, counted from 1; 0: there was none."),
        .always(
          "isWaiting", .flag, { $0.record.version > $0.record.published },
          "The latest update has not been taken by Apple yet."),
        .always("publishedAt", .orNull(.moment), \.record.publishedAt, "When Apple took one last."),
        .always(
          "word", .orNull(.anyText), \.record.word,
          "Why Apple did not take the last one, in its own word; null when it did."),
      ])

    /// Writes the settings that are audited.
    func writeSettings(to writer: inout JSONWriter) {
      writer.member("name", record.name)
      writer.member("environment", record.environment.name)
      writer.member("storage", record.storage.name)
      writer.member("apnsChannelId", record.apnsChannel)
    }
  }

  package static func create(
    _ appID: String, _ new: New, at directory: any ChannelDirectory, by caller: Caller, on connection: Connection
  ) throws(Problem) -> Entry {
    let app = try connection.app(appID, allowing: caller, to: .send)
    let taken = try connection.answer(Channels.taken(app.number, new.environment, name: new.name))
    guard taken.named == 0 else { throw Problem.channelNameTaken }
    guard taken.channels < Domain.Limits.channelsPerEnvironment else {
      throw Problem(
        .conflict,
        """
        The app has \(taken.channels) channels in \(new.environment.name), and Apple makes no more. Delete those that are \
        over.
        """)
    }
    let (apnsChannel, storage) = try place(new, of: app, at: directory, on: connection)
    do throws(Problem) {
      return try connection.commit { () throws(PostgresError) in
        let entry = Entry(
          record: try connection.run(
            Channels.create(app.number, new.environment, storage, apnsChannel: apnsChannel, name: new.name)))
        let change = AuditTrail.Change("channel.create", new.name, in: app).to { entry.writeSettings(to: &$0) }
        try connection.run(AuditTrail.add(change, by: caller))
        return entry
      }
    } catch {
      // `.conflict` means that nothing was stored, mostly because another request has taken the name meanwhile: delete
      // the channel that this request has created at Apple. After any other error, our row may have been stored after
      // all, so the channel stays.
      if error.code == .conflict, new.apnsChannel == nil {
        try? directory.delete(apnsChannel, of: app, in: new.environment, on: connection)
      }
      throw error
    }
  }

  /// Returns the channel's id and storage policy at Apple. Creates the channel there, or verifies that a channel to be
  /// adopted exists.
  /// - Throws: `.impossible` if the channel to be adopted does not exist or has another storage policy, and the
  ///   problems of the directory.
  private static func place(
    _ new: New, of app: App, at directory: any ChannelDirectory, on connection: Connection
  ) throws(Problem) -> (String, ChannelStorage) {
    guard let known = new.apnsChannel else {
      let storage = new.storage ?? .none
      return (try directory.create(storage, of: app, in: new.environment, on: connection), storage)
    }
    guard let storage = try directory.storage(of: known, of: app, in: new.environment, on: connection) else {
      throw Problem(.impossible, at: "/apnsChannelId", "is no channel that the app has at Apple in this environment")
    }
    guard new.storage == nil || new.storage == storage else {
      throw Problem(.impossible, at: "/storage", "is \(storage.name) at Apple, and cannot be changed")
    }
    return (known, storage)
  }

  /// Lists an app's channels in our database, in the order of their numbers.
  /// - Parameter environment: name of the only environment to list; nil for all.
  /// - Throws: `.invalidField` for an unknown environment or another list's cursor, `.forbidden`, `.unknownApp`.
  package static func list(
    _ appID: String, in environment: String?, _ page: PageRequest, by caller: Caller, on connection: Connection
  ) throws(Problem) -> ItemPage<Entry> {
    let app = try connection.app(appID, allowing: caller, to: .viewMessages)
    let environment = try environment.map { name throws(Problem) in try Self.environment(name) }
    let records = try connection.answer(
      Channels.list(app.number, in: environment, after: try page.number(first: 0), limit: page.limit + 1))
    return ItemPage(records.map(Entry.init), limit: page.limit) { String($0.record.channel) }
  }

  package static func find(
    _ channel: Int64?, of appID: String, by caller: Caller, on connection: Connection
  ) throws(Problem) -> Entry {
    let app = try connection.app(appID, allowing: caller, to: .viewMessages)
    return Entry(record: try record(channel, of: app, on: connection))
  }

  package static func delete(
    _ channel: Int64?, of appID: String, at directory: any ChannelDirectory, by caller: Caller,
    on connection: Connection
  ) throws(Problem) {
    let app = try connection.app(appID, allowing: caller, to: .send)
    let record = try record(channel, of: app, on: connection)
    // Delete it at Apple first. If that fails, the channel is still stored here, and the call can be repeated.
    try directory.delete(record.apnsChannel, of: app, in: record.environment, on: connection)
    try connection.commit { () throws(PostgresError) in
      guard let last = try connection.run(Channels.lock(record.channel)) else { return }
      try connection.run(Channels.delete(record.channel))
      let change = AuditTrail.Change("channel.delete", record.name, in: app).from {
        Entry(record: last).writeSettings(to: &$0)
      }
      try connection.run(AuditTrail.add(change, by: caller))
    }
  }

  static func record(
    _ channel: Int64?, of app: App, on connection: Connection
  ) throws(Problem) -> Channels.Record {
    guard let channel, let record = try connection.answer(Channels.find(channel)), record.app == app.number else {
      throw Problem(.unknownChannel, "The app has no such channel; its number is what its creation answered.")
    }
    return record
  }

  private static func environment(_ name: String) throws(Problem) -> PushEnvironment {
    guard let environment = PushEnvironment(name: name) else {
      let known = Sentence(anyOf: PushEnvironment.allCases.map(\.name))
      throw Problem(.invalidField, "environment must be \(known).")
    }
    return environment
  }

  // MARK: Apple's list

  /// A channel that exists at Apple.
  package struct AtApple: DescribedAnswer {
    package let apnsChannel: String
    /// Number of the channel in our database; nil if it is not stored there.
    package let channel: Int64?

    package static let object = JSONObject<AtApple>(
      "ChannelAtApple", isNamed: false,
      [
        .always("apnsChannelId", .anyText, \.apnsChannel),
        .always("channelId", .orNull(.sequence), \.channel, "Its number here; null: this server does not know it."),
      ])
  }

  package struct AllAtApple: DescribedAnswer {
    package let items: [AtApple]

    package static let object = JSONObject<AllAtApple>(
      "ChannelsAtApple", [.always("items", .list(of: AtApple.object.form), \.items)])
  }

  /// Lists all of the app's channels at Apple in an environment, sorted by Apple's id, with their numbers in our
  /// database.
  /// - Throws: `.invalidField` for an unknown environment, `.forbidden`, `.unknownApp`, and the problems of the
  ///   directory.
  package static func atApple(
    _ appID: String, in environment: String, at directory: any ChannelDirectory, by caller: Caller,
    on connection: Connection
  ) throws(Problem) -> AllAtApple {
    let app = try connection.app(appID, allowing: caller, to: .viewMessages)
    let environment = try Self.environment(environment)
    let names = try directory.list(of: app, in: environment, on: connection)
    let numbers = try connection.answer(Channels.numbers(app.number, environment))
    return AllAtApple(items: names.sorted().map { AtApple(apnsChannel: $0, channel: numbers[$0]) })
  }
}

extension Problem {
  static let channelNameTaken = Problem(
    .conflict, "The app has a channel of this name in this environment already. Choose another name.")
}

extension JSONForm<ChannelStorage> {
  static let storage = JSONForm<String>.words(ChannelStorage.allCases.map(\.name)).mapped(
    by: { word in ChannelStorage.allCases.first { $0.name == word } }, else: "is not known", written: \.name)
}

extension JSONForm<String> {
  fileprivate static let apnsChannel = JSONForm.text(
    upTo: Domain.Limits.channelIDBytes, pattern: "^[A-Za-z0-9+/_=-]+$"
  ).mapped(
    by: { text in
      text.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2D, 0x2F, 0x3D, 0x5F: true
        default: false
        }
      } ? text : nil
    }, else: "must be Apple's name of a channel, in base64", written: { $0 })
}
