internal import ArgumentParser
internal import FoundationEssentials
internal import JSON
internal import Operations
internal import Reactor

/// `upmc app export`: writes an app's stored data into a directory.
struct AppExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write what is stored of an app into a directory of files.",
    discussion: """
      Users (with their groups, tags and counts), active devices, the app's audit log, and the deliveries of each message as \
      CSV; the app, its groups, segments and messages as JSON, one to a line. manifest.json, which is written last, says how \
      many there are of each. Push tokens, secrets and what confidential messages said are in none. The directory must not \
      exist; what is in it tells of persons, and only its owner may read it.

        upmc app export com.example.bank --to /backup/com.example.bank
      """)

  @Argument(help: "The app's id.")
  var appID: String

  @Option(help: "The directory, which is made.")
  var to: String

  @Flag(help: "Leave out what became of each device of each message.")
  var withoutDeliveries = false

  @OptionGroup var call: CallOptions

  func run() throws {
    try call.withAPI { api in
      // Request the app first, so that an unknown app creates no directory.
      let app = try api.answer(.get("apps", appID)).json
      do {
        try FileManager.default.createDirectory(
          atPath: to, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
      } catch {
        throw CommandError("The directory \(to) cannot be made: name one that is not there yet, below one that is.")
      }
      var export = AppExport(api: api, appID: appID, directory: to)
      try export.list("app.ndjson", [app])
      try export.file("users.csv", .get("exports", "users", query: ["appId": appID]))
      try export.file("devices.csv", .get("exports", "devices", query: ["appId": appID]))
      try export.file("audit.csv", .get("exports", "audit", query: ["appId": appID]))
      try export.groups()
      _ = try export.pages("segments.ndjson", .get("segments", query: ["appId": appID])) { _ in }
      try export.messages(deliveries: !withoutDeliveries)
      let manifest = try export.finish()
      call.output.show(manifest, "Exported \(appID) into \(to). \(export.sentence)")
    }
  }
}

/// Writes the files of an export, page by page.
private struct AppExport {
  let api: any AdminAPI
  let appID: String
  let directory: String
  /// Number of lines of each file, without the header line.
  private var counts: [(name: String, count: Int)] = []
  /// Number of messages whose deliveries are past their retention.
  private var notKept = 0

  init(api: any AdminAPI, appID: String, directory: String) {
    self.api = api
    self.appID = appID
    self.directory = directory
  }

  var sentence: String { counts.map { "\($0.name): \($0.count)" }.joined(separator: ", ") }

  private func create(_ name: String) throws -> GrowingFile { try GrowingFile("\(directory)/\(name)") }

  mutating func list(_ name: String, _ items: [JSONTree]) throws {
    let file = try create(name)
    for item in items { try file.append(item.bytes + [UInt8(ascii: "\n")]) }
    try file.finish()
    counts.append((name, items.count))
  }

  /// Writes a CSV export as it arrives.
  mutating func file(_ name: String, _ request: AdminRequest) throws {
    counts.append((name, try rows(of: request, into: try create(name))))
  }

  private func rows(of request: AdminRequest, into file: GrowingFile) throws -> Int {
    var lines = CSVLineCount()
    var fault: (any Error)?
    try api.download(request) { piece in
      guard fault == nil else { return }
      lines.count(piece)
      do { try file.append(piece) } catch { fault = error }
    }
    if let fault { throw fault }
    try file.finish()
    return max(0, lines.lines - 1)
  }

  /// Writes a list page by page and calls `each` with every item. Returns the number of items.
  mutating func pages(_ name: String, _ request: AdminRequest, _ each: (JSONTree) throws -> Void) throws -> Int {
    let file = try create(name)
    let count = try pages(request, into: file, each)
    try file.finish()
    counts.append((name, count))
    return count
  }

  private func pages(
    _ request: AdminRequest, into file: GrowingFile, _ each: (JSONTree) throws -> Void
  ) throws -> Int {
    var count = 0
    var cursor: String?
    repeat {
      var page = request
      page.add("limit", String(Operations.Limits.pageSizes.upperBound))
      if let cursor { page.add("cursor", cursor) }
      let answer = try api.answer(page).json
      for item in answer.list("items") {
        try file.append(item.bytes + [UInt8(ascii: "\n")])
        try each(item)
        count += 1
      }
      cursor = answer.optional("nextCursor")
    } while cursor != nil
    return count
  }

  /// Writes the tree of groups, parents before children.
  mutating func groups() throws {
    let file = try create("groups.ndjson")
    var above: [String?] = [nil]
    var count = 0
    while let parent = above.popLast() {
      count += try pages(.get("groups", query: ["appId": appID, "parent": parent]), into: file) { group in
        above.append(group.text("groupSeq"))
      }
    }
    try file.finish()
    counts.append(("groups.ndjson", count))
  }

  /// Writes the messages, and the deliveries of each to a separate file.
  mutating func messages(deliveries: Bool) throws {
    if deliveries {
      try FileManager.default.createDirectory(
        atPath: "\(directory)/deliveries", withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }
    let export = self
    var (rows, missing) = (0, 0)
    _ = try pages("messages.ndjson", .get("messages", query: ["appId": appID])) { message in
      guard deliveries else { return }
      let seqno = message.text("seqno")
      let path = "deliveries/\(seqno).csv"
      do {
        rows += try export.rows(
          of: .get("exports", "deliveries", query: ["seqno": seqno]), into: export.create(path))
      } catch let refusal as Refusal where refusal.code == "upmc:not-kept" {
        try FileManager.default.removeItem(atPath: "\(export.directory)/\(path)")
        missing += 1
      }
    }
    if deliveries { counts.append(("deliveries", rows)) }
    notKept = missing
  }

  /// Writes the manifest, whose presence marks a complete export.
  mutating func finish() throws -> JSONTree {
    let manifest = JSONTree.members([
      "appId": .text(appID), "messagesWithoutDeliveries": .number(notKept),
      "counts": .object(counts.map { ($0.name, .number($0.count)) }),
    ])
    let file = try create("manifest.json")
    try file.append(manifest.bytes + [UInt8(ascii: "\n")])
    try file.finish()
    return manifest
  }
}

/// Counts the records of a CSV file. Quoted fields may contain line breaks.
struct CSVLineCount {
  private(set) var lines = 0
  private var isQuoted = false

  mutating func count(_ piece: [UInt8]) {
    for byte in piece {
      // A quote within a quoted field is doubled, so the parity is right without a special case.
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      if byte == UInt8(ascii: "\n"), !isQuoted { lines += 1 }
    }
  }
}
