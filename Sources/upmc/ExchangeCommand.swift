internal import ArgumentParser
internal import FoundationEssentials
internal import Operations
internal import Postgres
internal import Server
internal import Store

/// `upmc import`: people from files.
struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Bring in people from a file.",
    discussion: """
      The first line names the columns: clientUid (needed), clientName, groupSeqs and tags (several between semicolons); \
      with --group only clientUid; with --devices device and tags. Prints each wrong line with its number and reason.

        upmc import com.example.bank people.csv
        upmc import com.example.bank members.csv --group 12 --all-or-nothing
      """)

  @Argument(help: "The app's id.")
  var appID: String

  @Argument(help: "The file.")
  var file: String

  @Option(help: "GROUPSEQ: the file names members of this group.")
  var group: Int64?

  @Flag(help: "The file names devices and the tags that they get.")
  var devices = false

  @Flag(help: "One wrong line, and nobody is brought in.")
  var allOrNothing = false

  @OptionGroup var output: OutputOptions

  func run() throws {
    guard let data = FileManager.default.contents(atPath: file) else {
      throw CommandError("The file \(file) cannot be read. Give the path of a file that is there and may be read.")
    }
    try withDatabase { database in
      let connection = database.connection
      var entry = try Importing.begin(
        devices ? .devices : group == nil ? .users : .members, of: appID, group: group, skipsErrors: !allOrNothing,
        by: .here,
        on: connection)
      let size = Operations.Limits.importPartBytes
      let count = max(1, (data.count + size - 1) / size)
      for number in 1...count {
        let piece = data[((number - 1) * size)..<min(number * size, data.count)]
        entry = try Importing.take(
          Importing.Part(number: Int32(number), bytes: Array(piece), isLast: number == count), of: entry.number,
          by: .here, on: connection, now: connection.run(WallClock.now()))
        if count > 1 { Output.complain("\(number * 100 / count) %: \(entry.sentence)") }
      }
      if !output.json, entry.hasFaults {
        try ListOutput.show(
          output, limit: .max, none: "", { (fault: Importing.FaultEntry) in "line \(fault.line): \(fault.error)" }
        ) { page in try Importing.faults(of: entry.number, page, by: .here, on: connection) }
      }
      output.show(entry, entry.sentence)
    }
  }
}

extension Importing.Entry {
  fileprivate var sentence: String {
    "Import \(number) is \(state): \(imported) people of \(lines) lines brought in, \(rejected) lines were wrong."
  }
}

/// `upmc export`: lists as CSV on standard output.
struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write users, members, deliveries or the audit log as CSV.",
    discussion: """
        upmc export users --app com.example.bank > users.csv
        upmc export members --group 12 > members.csv
        upmc export deliveries --message 104 > deliveries.csv
        upmc export audit > audit.csv
      """)

  enum List: String, ExpressibleByArgument, CaseIterable { case users, members, deliveries, audit }

  @Argument(help: "users, members, deliveries or audit.")
  var list: List

  @Option(name: .customLong("app"), help: "The app's id: needed for users.")
  var appID: String?

  @Option(help: "Users whose CUID begins so.")
  var prefix = ""

  @Option(help: "GROUPSEQ: needed for members.")
  var group: Int64?

  @Option(help: "The message's number: needed for deliveries.")
  var message: Int64?

  func validate() throws {
    switch list {
    case .users where appID == nil: throw ValidationError("Say whose users: --app.")
    case .members where group == nil: throw ValidationError("Say whose members: --group.")
    case .deliveries where message == nil: throw ValidationError("Say of which message: --message.")
    default: break
    }
  }

  func run() throws {
    try withDatabase { database in
      let connection = database.connection
      var export =
        switch list {
        case .users: try Exporting.users(of: appID ?? "", prefix: prefix, by: .here, on: connection)
        case .members: try Exporting.members(of: group ?? 0, by: .here, on: connection)
        case .deliveries: try Exporting.deliveries(of: message ?? 0, by: .here, on: connection)
        case .audit: try Exporting.audit(of: appID, by: .here, on: connection)
        }
      while let piece = try export.next(on: connection) { Output.piece(piece) }
    }
  }
}
