internal import ArgumentParser
internal import Domain
internal import Operations
internal import Server
internal import Store

/// `upmc template`, `upmc draft` and `upmc sender`: saved messages.
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

    @OptionGroup var output: OutputOptions

    func run() throws {
      try withDatabase { database in
        try ListOutput.show(
          output, limit: limit, none: "There are no \(Words.kind.word)s.",
          { (entry: SavedMessageService.Entry) in entry.sentence }
        ) { page in
          try SavedMessageService.list(Words.kind, of: appID, page, by: .here, on: database.connection)
        }
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

    @OptionGroup var output: OutputOptions

    func run() throws {
      try withDatabase { database in
        let entry = try SavedMessageService.show(number, Words.kind, by: .here, on: database.connection)
        output.show(entry, "\(entry.sentence)\n\(entry.record.message)")
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

    @OptionGroup var output: OutputOptions

    func run() throws {
      let new = SavedMessageService.New(name: name, sender: sender, message: Array(message.utf8))
      try withDatabase { database in
        let entry =
          if let replace {
            try SavedMessageService.replace(replace, Words.kind, with: new, by: .here, on: database.connection)
          } else {
            try SavedMessageService.create(new, Words.kind, of: appID, by: .here, on: database.connection)
          }
        output.show(entry, "Kept \(Words.kind.word) \(entry.record.number).")
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

    @OptionGroup var output: OutputOptions

    func run() throws {
      try withDatabase { database in
        let entry = try SavedMessageService.show(number, Words.kind, by: .here, on: database.connection)
        try SavedMessageService.delete(number, Words.kind, by: .here, on: database.connection)
        output.show(entry, "Deleted \(Words.kind.word) \(number).")
      }
    }
  }
}

/// A kind of saved message with its help texts.
protocol SavedWords {
  static var kind: SavedMessages.Kind { get }
  static var abstract: String { get }
  /// Options of the help's example.
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

extension SavedMessageService.Entry {
  fileprivate var sentence: String {
    "\(record.number)  \(record.sender.map { "\($0)  " } ?? "")\(record.name)  \(record.updatedBy)"
  }
}
