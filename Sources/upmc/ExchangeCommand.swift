internal import ArgumentParser
internal import Domain
internal import Operations
internal import Postgres
internal import Server
internal import Store

/// `upmc import`: imports people and devices from files.
struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Bring in people, or the devices of another push server, from a file.",
    discussion: """
      The first line names the columns: clientUid (needed), clientName, groupSeqs and tags (several between semicolons); \
      with --group only clientUid; with --devices device and tags. Prints each wrong line with its number and reason.

        upmc import com.example.bank people.csv
        upmc import com.example.bank members.csv --group 12 --all-or-nothing

      With --registrations the file is the export of another push server, one registered device a line: PSID (needed), \
      PNSID, DEVICE_ID, APNS_MODE, CUID, CNAME, PHONENUM, DEVICE_TYPE, DEVICE_MD, OS_VER, APP_VER, LOCALE, TIME_ZONE, \
      NOTIFICATION_YN, AD_YN, NIGHT_AD_YN, GROUPSEQ, APP_ID. A device that has registered here by itself is left as it \
      is; running the same file again changes nothing. --all-or-nothing goes through the file twice: should the second time \
      break off, what has come in stays, and the same command goes on.

        upmc import --registrations devices.csv --app com.example.bank --dry-run
        upmc import --registrations devices.csv --app com.example.bank --columns "TOKEN=PSID,USER_NO=CUID,MEMO="

      Files are UTF-8 or CP949 (EUC-KR), with commas, and double quotes where a field needs them. What most lines are \
      written in is the file's encoding; a line that is not in it is wrong.
      """)

  @Argument(help: "The app's id.")
  var appID: String?

  @Argument(help: "The file.")
  var file: String?

  @Option(help: "GROUPSEQ: the file names members of this group.")
  var group: Int64?

  @Flag(help: "The file names devices and the tags that they get.")
  var devices = false

  @Flag(help: "Every line is looked at first: one wrong line, and nothing is brought in.")
  var allOrNothing = false

  @OptionGroup(title: "Devices of another push server")
  var installed: InstalledOptions

  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard installed.registrations == nil else {
      guard appID == nil, file == nil, group == nil, !devices, installed.app != nil else {
        throw ValidationError("With --registrations give the app by --app, and neither --group nor --devices.")
      }
      return
    }
    guard appID != nil, file != nil, !installed.isUsed else {
      throw ValidationError("Give the app's id and the file, or --registrations and --app.")
    }
  }

  func run() throws {
    guard installed.registrations == nil else { return try installed.run(isStrict: allOrNothing, output) }
    guard let appID, let file else { return }
    let bytes = try InputFile.open(file)
    try withDatabase { database in
      let connection = database.connection
      var new = ImportService.New()
      new.appID = appID
      new.kind = devices ? .devices : group == nil ? .users : .members
      (new.group, new.skipsErrors) = (group, !allOrNothing)
      // `CSVParts` has already decoded the parts.
      new.encoding = .utf8
      var entry = try ImportService.begin(new, by: .here, on: connection)
      var parts = try CSVParts(bytes, on: connection, partBytes: Operations.Limits.importPartBytes)
      var number: Int32 = 0
      while let part = try parts.next() {
        number += 1
        entry = try ImportService.take(
          ImportService.Part(number: number, bytes: part.bytes, isLast: part.isLast), of: entry.number, by: .here,
          on: connection, now: connection.run(WallClock.now()))
        if number > 1 || !part.isLast { Output.complain("\(parts.offset * 100 / bytes.count) %: \(entry.sentence)") }
      }
      if !output.json, entry.hasFaults {
        try ListOutput.show(
          output, limit: .max, none: "", { (fault: ImportService.FaultEntry) in "line \(fault.line): \(fault.error)" }
        ) { page in try ImportService.faults(of: entry.number, page, by: .here, on: connection) }
      }
      output.show(entry, entry.sentence)
    }
  }
}

extension ImportService.Entry {
  fileprivate var sentence: String {
    "Import \(number) is \(state): \(imported) people of \(lines) lines brought in, \(rejected) lines were wrong."
  }
}

/// `upmc export`: writes a list as CSV to standard output.
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
        case .users: try CSVExport.users(of: appID ?? "", prefix: prefix, by: .here, on: connection)
        case .members: try CSVExport.members(of: group ?? 0, by: .here, on: connection)
        case .deliveries: try CSVExport.deliveries(of: message ?? 0, by: .here, on: connection)
        case .audit: try CSVExport.audit(of: appID, by: .here, on: connection)
        }
      while let piece = try export.next(on: connection) { Output.piece(piece) }
    }
  }
}
