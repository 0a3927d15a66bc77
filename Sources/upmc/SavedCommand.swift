internal import ArgumentParser
internal import JSON
internal import Operations
internal import Store

/// `upmc template`, `upmc draft` and `upmc sender`: manage saved messages.
struct SavedCommand<Words: SavedWords>: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: Words.kind.word, abstract: Words.abstract,
      subcommands: [List.self, Show.self, Keep.self, Delete.self])
  }

  struct List: ParsableCommand {
    static var configuration: CommandConfiguration {
      CommandConfiguration(
        abstract: "List the \(Words.kind.word)s of an app.",
        discussion: "  upmc \(Words.kind.word) list com.example.bank")
    }

    @Argument(help: "The app's id.")
    var appID: String

    @Option(help: "How many.")
    var limit = 100

    @OptionGroup var call: CallOptions

    func run() throws {
      try call.withAPI { api in
        try ListOutput.show(
          api, .get(Words.list, query: ["appId": appID]), call.output, limit: limit,
          none: "There are no \(Words.kind.word)s.", Words.sentence)
      }
    }
  }

  struct Show: ParsableCommand {
    static var configuration: CommandConfiguration {
      CommandConfiguration(
        abstract: "Show what a \(Words.kind.word) says.", discussion: "  upmc \(Words.kind.word) show 5 --json")
    }

    @Argument(help: "Its number.")
    var number: Int64

    @OptionGroup var call: CallOptions

    func run() throws {
      try call.withAPI { api in
        let entry = try api.answer(.get(Words.list, String(number))).json
        call.output.show(entry, "\(Words.sentence(entry))\n\(entry["message"]?.line ?? "")")
      }
    }
  }

  struct Keep: ParsableCommand {
    static var configuration: CommandConfiguration {
      CommandConfiguration(
        abstract: "Keep a \(Words.kind.word), or replace one.",
        discussion: """
          The message is JSON, as the admin API takes it.

            upmc \(Words.kind.word) keep com.example.bank --name Payday\(Words.example)
          """)
    }

    @Argument(help: "The app's id.")
    var appID: String

    @Option(help: "Name, for lists.")
    var name: String

    @Option(help: "The message: a JSON object.")
    var message: String

    @Option(help: "For senders: what their messages bear in `sender`.")
    var sender: String?

    @Option(help: "The number of the one that is replaced.")
    var replace: Int64?

    @OptionGroup var call: CallOptions

    func run() throws {
      let message: JSONTree
      do throws(JSONError) {
        message = try JSONTree(parsing: Array(self.message.utf8))
      } catch {
        throw CommandError("--message is no JSON: \(error).")
      }
      let body: JSONTree = .members([
        "appId": replace == nil ? .text(appID) : nil, "name": .text(name), "sender": .optional(sender),
        "message": message,
      ])
      try call.withAPI { api in
        let request =
          replace.map { AdminRequest(.put, [Words.list, String($0)], body: body) } ?? .post(Words.list, body: body)
        let entry = try api.answer(request).json
        call.output.show(entry, "Kept \(Words.kind.word) \(entry.text(Words.kind.idName)).")
      }
    }
  }

  struct Delete: ParsableCommand {
    static var configuration: CommandConfiguration {
      CommandConfiguration(
        abstract: "Delete a \(Words.kind.word).", discussion: "  upmc \(Words.kind.word) delete 5")
    }

    @Argument(help: "Its number.")
    var number: Int64

    @OptionGroup var call: CallOptions

    func run() throws {
      try call.withAPI { api in
        let entry = try api.answer(.get(Words.list, String(number))).json
        _ = try api.answer(AdminRequest(.delete, [Words.list, String(number)]))
        call.output.show(entry, "Deleted \(Words.kind.word) \(number).")
      }
    }
  }
}

/// A kind of saved message with the help texts of its command.
protocol SavedWords {
  static var kind: SavedMessages.Kind { get }
  static var abstract: String { get }
  /// Options of the example in the help text.
  static var example: String { get }
}

enum TemplateWords: SavedWords {
  static let kind = SavedMessages.Kind.template
  static let abstract = "Keep messages without their audience, to send from: upmc send --template 5."
  static let example = #" --message '{"alert":"The salary is there.","badge":{"increment":1}}'"#
}

enum DraftWords: SavedWords {
  static let kind = SavedMessages.Kind.draft
  static let abstract = "Keep messages that are not finished."
  static let example = #" --message '{"alert":"The salary"}'"#
}

enum SenderWords: SavedWords {
  static let kind = SavedMessages.Kind.sender
  static let abstract = "Keep who sends, with what its messages have in common."
  static let example = #" --sender UMSUI --message '{"lane":"bulk"}'"#
}

extension SavedWords {
  /// Path segment of this kind's lists in the admin API.
  fileprivate static var list: String { "\(kind.word)s" }

  fileprivate static func sentence(_ entry: JSONTree) -> String {
    "\(entry.text(kind.idName))  \(entry.optional("sender").map { "\($0)  " } ?? "")\(entry.text("name"))  "
      + entry.text("updatedBy")
  }
}
