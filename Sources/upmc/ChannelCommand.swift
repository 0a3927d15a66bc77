internal import ArgumentParser
internal import Domain
internal import JSON
internal import Operations
internal import Server
internal import Store

/// `upmc channel`: broadcast channels of APNs.
struct ChannelCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "channel", abstract: "Make broadcast channels at Apple, publish on them, list and delete them.",
    discussion: """
      One update on a channel reaches every Live Activity that follows it (iOS 18). Apple must have given the app's \
      identifier the broadcast capability; create, adopt, delete and list --at-apple ask Apple from this machine.
      """,
    subcommands: [Create.self, Adopt.self, List.self, Show.self, Publish.self, Delete.self])

  struct Create: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make a channel, and print Apple's name of it, which the app follows.",
      discussion: "  upmc channel create com.example.bank --name match-7 --storage latest")

    @Argument(help: "The app's id.")
    var appID: String

    @Option(help: "Your name for it.")
    var name: String

    @Option(help: "Which of Apple's services.")
    var environment = PushEnvironment.production

    @Option(help: "What Apple keeps for devices that are away; it stays so for the channel's whole life.")
    var storage = ChannelStorage.none

    @OptionGroup var output: OutputOptions

    func run() throws {
      var body = JSONWriter()
      body.object { body in
        body.member("name", name)
        body.member("environment", environment.name)
        body.member("storage", storage.name)
      }
      try ChannelCommand.make(body, of: appID, output, "Made")
    }
  }

  struct Adopt: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Take over a channel that the app has at Apple already.",
      discussion: "  upmc channel adopt com.example.bank dHN0LXNyY2gtY2hubA== --name match-6")

    @Argument(help: "The app's id.")
    var appID: String

    @Argument(help: "Apple's name of the channel; `upmc channel list --at-apple` shows it.")
    var apnsChannelID: String

    @Option(help: "Your name for it.")
    var name: String

    @Option(help: "Which of Apple's services.")
    var environment = PushEnvironment.production

    @OptionGroup var output: OutputOptions

    func run() throws {
      var body = JSONWriter()
      body.object { body in
        body.member("name", name)
        body.member("environment", environment.name)
        body.member("apnsChannelId", apnsChannelID)
      }
      try ChannelCommand.make(body, of: appID, output, "Adopted")
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the channels of an app, oldest first, or those that Apple has.",
      discussion: """
          upmc channel list com.example.bank
          upmc channel list com.example.bank --at-apple --environment sandbox
        """)

    @Argument(help: "The app's id.")
    var appID: String

    @Option(help: "Only this of Apple's services (with --at-apple: production, if not said).")
    var environment: PushEnvironment?

    @Flag(help: "Ask Apple, and show which of them are known here.")
    var atApple = false

    @Option(help: "How many of those that are stored here.")
    var limit = 100

    @OptionGroup var output: OutputOptions

    func run() throws {
      try withDatabase { database in
        guard atApple else {
          return try ListOutput.show(
            output, limit: limit, none: "There are no channels.",
            { (entry: ChannelService.Entry) in entry.sentence }
          ) { page in
            try ChannelService.list(
              appID, in: environment?.name, page, by: .here, on: database.connection)
          }
        }
        let all = try ChannelService.atApple(
          appID, in: (environment ?? .production).name, at: try database.channels, by: .here, on: database.connection)
        for item in all.items {
          output.show(item, "\(item.apnsChannel)  \(item.channel.map { "\($0)" } ?? "not known here")")
        }
        if all.items.isEmpty, !output.json { Output.line("Apple has no channels of the app.") }
      }
    }
  }

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show how a channel stands, and whether Apple has taken its latest update.",
      discussion: "  upmc channel show com.example.bank 3")

    @OptionGroup var channel: ChannelArguments
    @OptionGroup var output: OutputOptions

    func run() throws {
      try withDatabase { database in
        let entry = try ChannelService.find(
          channel.number, of: channel.appID, by: .here, on: database.connection)
        output.show(entry, entry.sentence)
      }
    }
  }

  struct Publish: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Publish an update on a channel.",
      discussion: """
        The update is JSON, as the admin API takes it. It is stored, and a running server publishes it; of what comes faster \
        than Apple takes it, the latest wins.

          upmc channel publish com.example.bank 3 --update \\
            '{"liveActivity":{"event":"update","timestamp":1795685400,"contentState":{"home":2,"away":1}}}'
        """)

    @OptionGroup var channel: ChannelArguments

    @Option(help: "The update: a JSON object.")
    var update: String

    @Option(help: "A request with the same key, within a day, is answered as before and publishes nothing.")
    var idempotencyKey: String?

    @OptionGroup var output: OutputOptions

    func run() throws {
      try withDatabase { database in
        let accepted = try ChannelPublishing.publish(
          Array(update.utf8), on: channel.number, of: channel.appID, idempotencyKey: idempotencyKey, by: .here,
          on: database.connection)
        output.show(
          accepted,
          accepted.isSuperseded
            ? "It is not published: one with a later timestamp was there already, version \(accepted.version)."
            : "Version \(accepted.version) is queued; a running server publishes it.")
      }
    }
  }

  struct Delete: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Delete a channel, at Apple and then here.", discussion: "  upmc channel delete com.example.bank 3")

    @OptionGroup var channel: ChannelArguments
    @OptionGroup var output: OutputOptions

    func run() throws {
      try withDatabase { database in
        let entry = try ChannelService.find(channel.number, of: channel.appID, by: .here, on: database.connection)
        try ChannelService.delete(
          channel.number, of: channel.appID, at: try database.channels, by: .here, on: database.connection)
        output.show(entry, "Deleted channel \(channel.number).")
      }
    }
  }

  /// Makes or adopts the channel that `body` describes.
  private static func make(_ body: JSONWriter, of appID: String, _ output: OutputOptions, _ verb: String) throws {
    let new = try ChannelService.New.object.read(body: body.bytes)
    try withDatabase { database in
      let entry = try ChannelService.create(
        appID, new, at: try database.channels, by: .here, on: database.connection)
      output.show(
        entry, "\(verb) channel \(entry.record.channel). Apple's name of it: \(entry.record.apnsChannel)")
    }
  }
}

/// Which channel.
struct ChannelArguments: ParsableArguments {
  @Argument(help: "The app's id.")
  var appID: String

  @Argument(help: "The channel's number.")
  var number: Int64
}

extension CommandDatabase {
  /// Apple's list of channels, asked from here.
  fileprivate var channels: AppleChannels {
    get throws { try AppleChannels(configuration, master: try masterKey(), on: connection) }
  }
}

extension ChannelService.Entry {
  fileprivate var sentence: String {
    let standing =
      record.version == 0
      ? "nothing published"
      : "version \(record.version)\(record.version > record.published ? " waits for Apple" : "")"
    return """
      \(record.channel)  \(record.apnsChannel)  \(record.name)  \(record.environment.name)  \(record.storage.name)  \
      \(standing)\(record.word.map { "  Apple: \($0)" } ?? "")
      """
  }
}

extension PushEnvironment: ExpressibleByArgument {
  /// Nil for an unknown name.
  public init?(argument: String) { self.init(name: argument) }
  /// Names for the help text.
  public static var allValueStrings: [String] { allCases.map(\.name) }
  /// The default's name for the help text.
  public var defaultValueDescription: String { name }
}

extension ChannelStorage: ExpressibleByArgument {
  /// Nil for an unknown name.
  public init?(argument: String) {
    guard let storage = Self.allCases.first(where: { $0.name == argument }) else { return nil }
    self = storage
  }
  /// Names for the help text.
  public static var allValueStrings: [String] { allCases.map(\.name) }
  /// The default's name for the help text.
  public var defaultValueDescription: String { name }
}
