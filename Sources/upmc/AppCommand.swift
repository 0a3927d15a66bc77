internal import ArgumentParser
internal import Domain
internal import JSON
internal import Operations

/// `upmc app`: manages apps.
struct AppCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "app",
    abstract: "Make apps, give them credentials and settings, list, resume, export and delete them.",
    subcommands: [
      Create.self, SetCredential.self, SetApp.self, SetPolicies.self, ShowIdentity.self,
      SetAds.self, ClientKeyCommand.self, List.self, Resume.self, Storage.self,
      AppExportCommand.self, DeleteApp.self, RestoreApp.self,
    ])

  struct Create: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make an app, and print the client key that goes into it.",
      discussion: """
        APP_ID is the iOS bundle identifier; it is also the topic at Apple's. The client key only identifies the app: it \
        is inside every copy of it, and may be shown again (`upmc app list`).

        --identity says what it takes to call a device a user's. proof, as it is at first: the app's own server vouches \
        for each user, by a proof or a voucher. open: the device's word, as servers of old had it; whoever knows a \
        customer's id then gets that customer's pushes. strict: a proof, and a push that the device brings back.

          upmc app create com.example.bank --name "Example Bank"
        """)

    @Argument(help: "Bundle identifier, for example com.example.bank.")
    var appID: String

    @Option(help: "Name for people.")
    var name: String

    @Option(help: "IANA time zone of the send date in payloads, and of days. Without: \(Create.standardZone).")
    var timeZone: String?

    @Option(help: "What it takes to call a device a user's.")
    var identity = App.Identity.proof

    @OptionGroup var call: CallOptions

    func run() throws {
      try call.withAPI { api in
        let app = try api.answer(
          .post(
            "apps",
            body: .members([
              "appId": .text(appID), "name": .text(name), "timeZone": .optional(timeZone),
              "identity": .text(identity.name),
            ]))
        ).json
        let zone = timeZone == nil ? " Its time zone is \(Self.standardZone): --time-zone names another." : ""
        call.output.show(
          app,
          "Made \(app.text("appId")), identity \(app.text("identity")).\(zone) Its client key: \(app.text("clientKey"))"
        )
      }
    }

    /// The server's default time zone.
    static let standardZone = Administration.NewApp().timeZone
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the apps with their client keys.",
      discussion: """
        An app whose credential Apple refuses is paused: its messages wait until `upmc app credential` or \
        `upmc app resume`.

          upmc app list --json
        """)

    @OptionGroup var call: CallOptions

    func run() throws {
      try call.withAPI { api in
        try ListOutput.show(
          api, .get("apps"), call.output, limit: .max, none: "There are no apps. `upmc app create` makes one.",
          Self.sentence)
      }
    }

    private static func sentence(_ app: JSONTree) -> String {
      let end = app.optional("purgeAfter")
      let pause =
        end.map { "  \(app.text("state")), grace ends \($0)" }
        ?? app.optional("pausedReason").map { "  paused: \($0)" } ?? ""
      return """
        \(app.text("appId"))  \(app.text("name"))  \(app.text("timeZone"))  \(app.text("identity"))  \
        \(app.text("clientKey"))\(pause)
        """
    }
  }

  struct Resume: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Let the messages of a paused app go on.",
      discussion: """
        upmc pauses an app by itself when Apple refuses its credential, or so many of its tokens that a setting must be \
        wrong; `upmc app list` says which. Fix that first (`upmc app credential` also resumes the app), or it is paused \
        again. Its messages have waited meanwhile, and no device was dropped.

          upmc app resume com.example.bank
        """)

    @Argument(help: "The app's id.")
    var appID: String

    @OptionGroup var call: CallOptions

    func run() throws {
      try call.withAPI { api in
        let app = try api.answer(.post("apps", appID, "resume")).json
        call.output.show(app, "Messages of \(app.text("appId")) go on.")
      }
    }
  }

  struct Storage: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show how much storage an app's uploads use, and the limits.",
      discussion: """
        Beyond a limit uploads are refused. Expired files make room by themselves; so does cancelling an import that \
        nobody goes on with (`upmc import --cancel`).

          upmc app storage com.example.bank
        """)

    @Argument(help: "The app's id.")
    var appID: String

    @OptionGroup var call: CallOptions

    func run() throws {
      try call.withAPI { api in
        let use = try api.answer(.get("apps", appID, "storage")).json
        call.output.show(
          use,
          """
          media: \(Self.mebibytes(use, "mediaBytes")) of \(Self.mebibytes(use, "mediaLimit")) MiB
          audience files: \(Self.mebibytes(use, "audienceBytes")) of \(Self.mebibytes(use, "audienceLimit")) MiB
          parts of imports: \(use.number("importParts")) of \(use.number("importPartsLimit"))
          """)
      }
    }

    /// Returns a number of bytes in MiB, rounded up.
    private static func mebibytes(_ use: JSONTree, _ name: String) -> Int64 {
      (use.number(name) + 1_048_575) / 1_048_576
    }
  }
}

extension App.Identity: ExpressibleByArgument {
  /// Returns the mode with this name; nil for an unknown one.
  public init?(argument: String) { self.init(name: argument) }
  /// All names, for the help text.
  public static var allValueStrings: [String] { allCases.map(\.name) }
  /// This mode's name, which the help text shows for a default.
  public var defaultValueDescription: String { name }
}
