internal import ArgumentParser
internal import Domain
internal import JSON

/// `upmc channel`: manages broadcast channels of APNs.
struct ChannelCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "channel", abstract: "Make broadcast channels at Apple, publish on them, list and delete them.",
    discussion: """
      One update on a channel reaches every Live Activity that follows it (iOS 18). Apple must have given the app's \
      identifier the broadcast capability.
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

    @OptionGroup var call: CallOptions

    func run() throws {
      try ChannelCommand.make(
        .members(["name": .text(name), "environment": .text(environment.name), "storage": .text(storage.name)]),
        of: appID, call, "Made")
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

    @OptionGroup var call: CallOptions

    func run() throws {
      try ChannelCommand.make(
        .members([
          "name": .text(name), "environment": .text(environment.name), "apnsChannelId": .text(apnsChannelID),
        ]), of: appID, call, "Adopted")
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

    @OptionGroup var call: CallOptions

    func run() throws {
      try call.withAPI { api in
        guard atApple else {
          return try ListOutput.show(
            api, .get("apps", appID, "channels", query: ["environment": environment?.name]), call.output, limit: limit,
            none: "There are no channels.", ChannelCommand.sentence)
        }
        var request = AdminRequest.get(
          "apps", appID, "channels-at-apple", query: ["environment": (environment ?? .production).name])
        request.sealing = .secret
        let items = try api.answer(request).json.list("items")
        for item in items {
          call.output.show(item, "\(item.text("apnsChannelId"))  \(item.optional("channelId") ?? "not known here")")
        }
        if items.isEmpty, !call.output.json { Output.line("Apple has no channels of the app.") }
      }
    }
  }

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show how a channel stands, and whether Apple has taken its latest update.",
      discussion: "  upmc channel show com.example.bank 3")

    @OptionGroup var channel: ChannelArguments
    @OptionGroup var call: CallOptions

    func run() throws {
      try call.withAPI { api in
        let entry = try api.answer(.get("apps", channel.appID, "channels", String(channel.number))).json
        call.output.show(entry, ChannelCommand.sentence(entry))
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

    @OptionGroup var call: CallOptions

    func run() throws {
      var request = AdminRequest(.post, ["apps", channel.appID, "channels", String(channel.number), "updates"])
      request.setJSON(Array(update.utf8))
      if let idempotencyKey { request.headers.append(("idempotency-key", idempotencyKey)) }
      try call.withAPI { api in
        let accepted = try api.answer(request).json
        let version = accepted.number("version")
        call.output.show(
          accepted,
          accepted.text("state") == "superseded"
            ? "It is not published: one with a later timestamp was there already, version \(version)."
            : "Version \(version) is queued; a running server publishes it.")
      }
    }
  }

  struct Delete: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Delete a channel, at Apple and then here.", discussion: "  upmc channel delete com.example.bank 3")

    @OptionGroup var channel: ChannelArguments
    @OptionGroup var confirmation: Confirmation
    @OptionGroup var call: CallOptions

    func run() throws {
      let path = ["apps", channel.appID, "channels", String(channel.number)]
      try call.withAPI { api in
        let entry = try api.answer(AdminRequest(.get, path)).json
        try confirmation.ask("Activities that follow \(entry.text("name")) get nothing any more.")
        _ = try api.answer(AdminRequest(.delete, path, sealing: .secret))
        call.output.show(entry, "Deleted channel \(channel.number).")
      }
    }
  }

  /// Creates or adopts the channel that `body` describes.
  private static func make(_ body: JSONTree, of appID: String, _ call: CallOptions, _ verb: String) throws {
    try call.withAPI { api in
      let entry = try api.answer(.post("apps", appID, "channels", body: body, sealing: .secret)).json
      call.output.show(
        entry, "\(verb) channel \(entry.text("channelId")). Apple's name of it: \(entry.text("apnsChannelId"))")
    }
  }

  private static func sentence(_ channel: JSONTree) -> String {
    let version = channel.number("version")
    let state =
      version == 0 ? "nothing published" : "version \(version)\(channel.flag("isWaiting") ? " waits for Apple" : "")"
    return """
      \(channel.text("channelId"))  \(channel.text("apnsChannelId"))  \(channel.text("name"))  \
      \(channel.text("environment"))  \(channel.text("storage"))  \(state)\
      \(channel.optional("word").map { "  Apple: \($0)" } ?? "")
      """
  }
}

/// Options that identify a channel.
struct ChannelArguments: ParsableArguments {
  @Argument(help: "The app's id.")
  var appID: String

  @Argument(help: "The channel's number.")
  var number: Int64
}

extension PushEnvironment: ExpressibleByArgument {
  /// Returns the environment with this name; nil if unknown.
  public init?(argument: String) { self.init(name: argument) }
  /// All names, for the help text.
  public static var allValueStrings: [String] { allCases.map(\.name) }
  /// This value's name, which the help text shows for a default.
  public var defaultValueDescription: String { name }
}

extension ChannelStorage: ExpressibleByArgument {
  /// Returns the storage policy with this name; nil if unknown.
  public init?(argument: String) {
    guard let storage = Self.allCases.first(where: { $0.name == argument }) else { return nil }
    self = storage
  }
  /// All names, for the help text.
  public static var allValueStrings: [String] { allCases.map(\.name) }
  /// This value's name, which the help text shows for a default.
  public var defaultValueDescription: String { name }
}
