internal import ArgumentParser
internal import JSON
internal import Operations

/// `upmc import`: imports users, group members and devices from files.
struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Bring in people, or the devices of another push server, from a file.",
    discussion: """
      The first line names the columns: clientUid (needed), clientName, groupSeqs and tags (several between semicolons); \
      with --group only clientUid; with --devices device and tags. Prints each wrong line with its number and reason.

        upmc import com.example.bank people.csv
        upmc import com.example.bank members.csv --group 12 --all-or-nothing

      An import that broke off stays open until it is cancelled. Those whom it has brought in stay.

        upmc import --cancel 9

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

  @Option(help: "Cancel the unfinished import of this number, and bring in nothing.")
  var cancel: Int64?

  @OptionGroup(title: "Devices of another push server")
  var installed: InstalledOptions

  @OptionGroup var call: CallOptions

  func validate() throws {
    if cancel != nil {
      guard appID == nil, file == nil, group == nil, !devices, !allOrNothing, !installed.isUsed,
        installed.registrations == nil
      else { throw ValidationError("With --cancel give only the import's number.") }
      return
    }
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
    if let cancel {
      return try call.withAPI { api in
        let entry = try api.answer(.post("imports", String(cancel), "cancel")).json
        call.output.show(entry, Self.sentence(entry))
      }
    }
    guard installed.registrations == nil else {
      try call.refuseServer("import --registrations", "It reads the file twice beside the database.")
      return try installed.run(isStrict: allOrNothing, call.output)
    }
    guard let appID, let file else { return }
    let bytes = try InputFile.open(file)
    let new: JSONTree = .members([
      "appId": .text(appID), "kind": .text(devices ? "devices" : group == nil ? "users" : "members"),
      "groupSeq": group.map { .text(String($0)) }, "skipErrors": .flag(!allOrNothing),
    ])
    try call.withAPI { api in
      var entry = try api.answer(.post("imports", body: new)).json
      let number = entry.text("importId")
      var (offset, part) = (0, 0)
      repeat {
        let count = min(Operations.Limits.importPartBytes, bytes.count - offset)
        let piece = try bytes.part(at: offset, count)
        offset += count
        part += 1
        var request = AdminRequest(
          .put, ["imports", number, "parts", String(part)], query: ["last": offset == bytes.count ? "true" : "false"])
        request.set(piece, type: "text/csv")
        entry = try api.answer(request).json
        if offset < bytes.count { Output.complain("\(offset * 100 / bytes.count) %: \(Self.sentence(entry))") }
      } while offset < bytes.count && entry.text("state") != "refused"
      if !call.output.json, entry.number("rejected") > 0 {
        try ListOutput.show(api, .get("imports", number, "errors"), call.output, limit: .max, none: "") { fault in
          "line \(fault.text("line")): \(fault.text("error"))"
        }
      }
      call.output.show(entry, Self.sentence(entry))
    }
  }

  private static func sentence(_ entry: JSONTree) -> String {
    "Import \(entry.text("importId")) is \(entry.text("state")): \(entry.number("imported")) people of "
      + "\(entry.number("lines")) lines brought in, \(entry.number("rejected")) lines were wrong."
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

  @OptionGroup var call: CallOptions

  func validate() throws {
    switch list {
    case .users where appID == nil: throw ValidationError("Say whose users: --app.")
    case .members where group == nil: throw ValidationError("Say whose members: --group.")
    case .deliveries where message == nil: throw ValidationError("Say of which message: --message.")
    default: break
    }
  }

  func run() throws {
    let request: AdminRequest =
      switch list {
      case .users: .get("exports", "users", query: ["appId": appID, "prefix": prefix.isEmpty ? nil : prefix])
      case .members: .get("exports", "members", query: ["groupSeq": group.map(String.init)])
      case .deliveries: .get("exports", "deliveries", query: ["seqno": message.map(String.init)])
      case .audit: .get("exports", "audit", query: ["appId": appID])
      }
    try call.withAPI { api in try api.download(request) { Output.piece($0) } }
  }
}
