package import Domain
package import JSON
package import Postgres
internal import Store

/// Imports the devices of another push server from its export. Used at the command line by an operator who is
/// responsible for the file: create an instance and call `next` until it returns nil.
///
/// ```
///   file ──► parts of UTF-8 ──► lines ──► validated ──► compared with existing rows ──► new or changed: written
///                                          └ invalid: reported     └ unchanged, or the device has acted: not written
/// ```
/// A batch has at most `installedLines` lines; those that change something are written in a few transactions, or in one
/// per `installedNames` lines if each user may have only one device. An interrupted import continues when it is run
/// again, and repeating a complete one changes nothing. If several lines of a file have the same DEVICE_ID, the same
/// token, or the same user and each user may have only one device, the first is imported and the others are reported as
/// faults. No device and no webhook is notified: bindings are imported without a push.
package struct InstalledBase {
  package struct Options: Sendable {
    package var appID: String
    /// The file's own column names and their meaning; an empty meaning skips the column.
    package var columns: [(theirs: String, ours: String)] = []
    /// Maps GROUPSEQs of the other server to those of this one. A GROUPSEQ that is missing is the same on both.
    package var groups: [Int64: Int64] = [:]
    /// Whether the operator vouches for the users of the devices, as the app's own server would.
    package var isVouched = false
    /// Whether the import only reports, without writing.
    package var isDryRun = false

    package init(appID: String) { self.appID = appID }
  }

  package struct Report: JSONAnswer {
    package var isDryRun = false
    package var lines: Int64 = 0
    package var new: Int64 = 0
    package var changed: Int64 = 0
    package var unchanged: Int64 = 0
    package var kept: Int64 = 0
    package var otherApps: Int64 = 0
    package var wrong: Int64 = 0
    /// Counts of invalid lines by reason.
    package var reasons: [Reason: Int64] = [:]

    package struct Reason: Hashable, Sendable {
      package let column: String
      package let what: String
    }

    package func write(to writer: inout JSONWriter) {
      writer.member("dryRun", isDryRun)
      writer.member("lines", lines)
      writer.member("new", new)
      writer.member("changed", changed)
      writer.member("unchanged", unchanged)
      writer.member("kept", kept)
      writer.member("otherApps", otherApps)
      writer.member("wrong", wrong)
      writer.member(
        "reasons",
        array: { writer in
          for (reason, count) in reasons.sorted(by: { $0.value > $1.value }) {
            writer.object { writer in
              writer.member("column", reason.column)
              writer.member("what", reason.what)
              writer.member("lines", count)
            }
          }
        })
    }
  }

  package let columns: InstalledColumns
  package private(set) var report = Report()
  /// Number of bytes of the file read so far, out of `size`; the lines read last may not be imported yet.
  package var offset: Int { parts.offset }
  package let size: Int
  package var encoding: String { parts.encoding.name }

  private let options: Options
  private let caller: Caller
  private let context: InstalledLine.Context
  private let sha256: [UInt8]
  private let connection: Connection
  private var parts: CSVParts
  private let reading: InstalledReading
  private let share: InstalledShare
  /// Number of parts passed to `reading` whose lines it has not returned yet. The beginning of the file counts as one.
  private var partsUnderWay = 1
  /// Parsed lines waiting to be imported, one element per batch.
  private var waiting: ArraySlice<InstalledReading.Lines> = []
  private var marks = InstalledMarks()
  private var hasBegun = false

  /// Reads the header line, checks the options, and starts the threads that parse and import. Imports nothing yet.
  /// - Parameter phones: encrypts telephone numbers; nil if they cannot be encrypted: the file must then have no column
  ///   for them.
  /// - Throws: `.impossible` if the file is empty or UTF-16, its header is invalid, or it has a column for telephone
  ///   numbers but `phones` is nil; `.unknownApp`; `.unknownGroup` if `groups` leads to a group that the app does not
  ///   have; `.conflict` if the app is being deleted, except for a dry run; `.forbidden`.
  package init(
    _ file: ByteSource, _ options: Options, phones: PhoneNumberSeal?, by caller: Caller, on connection: Connection
  ) throws(Problem) {
    let app = try connection.app(options.appID, allowing: caller, to: .importPeople)
    if !options.isDryRun, let problem = app.refusalWhileDeleted { throw problem }
    var parts = try CSVParts(file, on: connection, partBytes: Operations.Limits.installedPartBytes)
    var reader = CSVReader([], passed: 0, isLast: false)
    while reader.lines.isEmpty, let part = try parts.next() {
      reader = CSVReader(reader.rest + part.bytes, passed: reader.passed, isLast: part.isLast)
    }
    guard case .fields(let header)? = reader.lines.first?.record else {
      throw Problem(.impossible, "The first line of the file must name its columns, with commas between them.")
    }
    columns = try InstalledColumns(header, renamed: options.columns)
    guard phones != nil || !columns.has(.phone) else {
      throw Problem(
        .impossible, "Telephone numbers are kept sealed: run this where the server's master key is, or leave them out.")
    }
    let groups = try connection.answer(Groups.joinRules(of: Array(options.groups.values)))
    for (theirs, ours) in options.groups.sorted(by: { $0.key < $1.key }) where groups[ours]?.app != app.number {
      throw Problem(.unknownGroup, "The app has no group \(ours), which \(theirs) is said to be.")
    }
    context = InstalledLine.Context(
      app: app, columns: columns, groups: options.groups, timeZones: try connection.answer(TimeZones.all()))
    reading = try InstalledReading(behind: reader, context)
    share = try InstalledShare(
      InstalledBatch(
        app: app, level: options.isVouched ? .proof : .open, phones: phones, isDryRun: options.isDryRun),
      connect: connection.another)
    report.isDryRun = options.isDryRun
    size = file.count
    sha256 = options.isDryRun ? [] : try file.sha256()
    (self.options, self.caller, self.connection, self.parts) = (options, caller, connection, parts)
  }

  // MARK: Importing

  /// Imports the next batch of lines and adds it to `report`. Blocks. A dry run only compares the lines; otherwise, the
  /// first batch and the end of the file are audited.
  /// - Returns: the faults of these lines, by line number, empty if there are none; nil after the last batch. Do not
  ///   call it again after nil.
  package mutating func next() throws(Problem) -> [InstalledFault]? {
    guard let lines = try nextLines() else {
      try finish()
      return nil
    }
    try begin()
    report.lines += lines.count
    report.otherApps += lines.otherApps
    var (good, faults) = (lines.good, lines.faults)
    try checkGroups(&good, &faults)
    try take(mark(good, &faults), &faults)
    faults.sort { $0.line < $1.line }
    report.wrong += Int64(faults.count)
    for fault in faults { report.reasons[Report.Reason(column: fault.column, what: fault.what), default: 0] += 1 }
    return faults
  }

  /// Returns the next batch of parsed lines, waiting until it has been parsed; nil after the last one.
  private mutating func nextLines() throws(Problem) -> InstalledReading.Lines? {
    while waiting.isEmpty {
      // Hand over parts before waiting, so that they are parsed while earlier lines are imported.
      while partsUnderWay < Operations.Limits.installedParts, let part = try parts.next() {
        reading.take(part)
        partsUnderWay += 1
      }
      guard partsUnderWay > 0 else { return nil }
      let arrived = reading.next()
      partsUnderWay -= arrived.count
      waiting = arrived.joined().map(\.self)[...]
    }
    return waiting.removeFirst()
  }

  /// Returns the lines that repeat neither a device nor a token of an earlier line, nor its user if each user may have
  /// only one device. Adds the other lines to the faults.
  private mutating func mark(_ lines: [InstalledLine], _ faults: inout [InstalledFault]) -> [InstalledLine] {
    var first: [InstalledLine] = []
    for line in lines {
      guard let repeated = marks.add(line, isSingle: context.app.devicePolicy == .single) else {
        first.append(line)
        continue
      }
      faults.append(
        InstalledFault(
          line: line.number, column: repeated.name, what: "stands in an earlier line too",
          remedy: "The first line counts: put the device's last registration first."))
    }
    return first
  }

  private func checkGroups(_ lines: inout [InstalledLine], _ faults: inout [InstalledFault]) throws(Problem) {
    let named = Set(lines.flatMap(\.groups))
    guard !named.isEmpty else { return }
    let rules = try connection.answer(Groups.joinRules(of: named))
    lines.removeAll { line in
      guard line.groups.contains(where: { rules[$0]?.app != context.app.number }) else { return false }
      faults.append(
        InstalledFault(
          line: line.number, column: InstalledColumns.Field.groups.name,
          what: "names a group that the app does not have",
          remedy: "Make the group first, and say which it is: --groups theirs=ours."))
      return true
    }
  }

  private mutating func take(_ lines: [InstalledLine], _ faults: inout [InstalledFault]) throws(Problem) {
    guard !lines.isEmpty else { return }
    for (line, verdict) in zip(lines, try share.run(lines, on: connection)) {
      switch verdict {
      case .new: report.new += 1
      case .changed: report.changed += 1
      case .unchanged: report.unchanged += 1
      case .kept: report.kept += 1
      case .refused(let column, let what, let remedy):
        faults.append(InstalledFault(line: line.number, column: column.name, what: what, remedy: remedy))
      }
    }
  }

  // MARK: Auditing

  private mutating func begin() throws(Problem) {
    guard !options.isDryRun, !hasBegun else { return }
    hasBegun = true
    try note("registrations.begin") { writer in
      writer.member("vouched", options.isVouched)
      writer.member("bytes", size)
    }
  }

  private func finish() throws(Problem) {
    guard !options.isDryRun, hasBegun else { return }
    try note("registrations.finish") { writer in report.write(to: &writer) }
  }

  private func note(_ action: String, _ write: (inout JSONWriter) -> Void) throws(Problem) {
    // The import is identified by the file's content, since file names are arbitrary.
    let change = AuditTrail.Change(action, "sha256:\(Hex.encode(sha256))", in: context.app).to(write)
    _ = try connection.commit { () throws(PostgresError) in try connection.run(AuditTrail.add(change, by: caller)) }
  }
}

extension Operations.Limits {
  static let installedPartBytes = 1_048_576
}
