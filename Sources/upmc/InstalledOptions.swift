internal import ArgumentParser
internal import Domain
internal import Operations
internal import Reactor

/// `upmc import --registrations`: imports devices that are registered with another push server.
struct InstalledOptions: ParsableArguments {
  @Option(help: "The file: one registered device a line.")
  var registrations: String?

  @Option(help: "The app's id.")
  var app: String?

  @Option(help: "Other names of columns: theirs=ours, with commas between them; theirs= passes a column over.")
  var columns: String?

  @Option(help: "The other server's GROUPSEQs, and what they are here: theirs=ours, with commas between them.")
  var groups: String?

  @Flag(help: "Show what each column is taken for and what would happen, and change nothing.")
  var dryRun = false

  @Flag(
    help: """
      You answer for whose device is whose: confidential messages go to these devices too. Without, a user's device \
      counts as one that nobody has vouched for.
      """)
  var vouched = false

  @Option(
    help: """
      The last SEQNO of the other server: messages get higher ones here. Devices drop a message whose number they have \
      seen. There is no way back.
      """)
  var afterSeqno: Int64?

  @Option(help: "Write what is wrong, line by line, into this file as CSV.")
  var errors: String?

  /// True if an option was given that applies only to `--registrations` and that other imports refuse.
  var isUsed: Bool {
    app != nil || columns != nil || groups != nil || dryRun || vouched || errors != nil
      || afterSeqno != nil
  }

  /// Maximum number of faulty lines that are printed.
  private static let shownFaults = 20
  /// Maximum number of faulty lines that `--errors` writes.
  private static let keptFaults = 100_000

  /// Imports the file and prints the result.
  /// - Parameter isStrict: true to check all lines first, and to import nothing if one is faulty.
  func run(isStrict: Bool, _ output: OutputOptions) throws {
    guard let registrations, let app else { return }
    if let afterSeqno { try InstalledBase.check(start: Seqno(afterSeqno)) }
    let bytes = try InputFile.open(registrations)
    var options = InstalledBase.Options(appID: app)
    options.columns = try Self.pairs(columns, of: "--columns")
    options.groups = try groupNumbers()
    (options.isVouched, options.isDryRun) = (vouched, dryRun)
    try withDatabase { database in
      let phones = (try? database.masterKey()).map(PhoneNumberSeal.init)
      if isStrict, !dryRun {
        var trial = options
        trial.isDryRun = true
        var base = try InstalledBase(bytes, trial, phones: phones, by: .here, on: database.connection)
        let faults = try take(&base, output)
        guard base.report.wrong == 0 else {
          try tell(base, faults, output)
          let wrong = base.report.wrong == 1 ? "1 line is wrong" : "\(base.report.wrong) lines are wrong"
          throw CommandError(
            "Nothing was brought in: \(wrong). Fix the file, or leave wrong lines out by running it without --all-or-nothing."
          )
        }
      }
      var base = try InstalledBase(bytes, options, phones: phones, by: .here, on: database.connection)
      tellColumns(base, output)
      let faults = try take(&base, output)
      try tell(base, faults, output)
      guard let afterSeqno, !dryRun else { return }
      if try InstalledBase.continueSeqnos(after: Seqno(afterSeqno), of: app, by: .here, on: database.connection) {
        Output.complain("The next message gets a SEQNO higher than \(afterSeqno).")
      }
    }
  }

  private func take(_ base: inout InstalledBase, _ output: OutputOptions) throws -> [InstalledFault] {
    var faults: [InstalledFault] = []
    var told = 0
    while let wrong = try next(&base, faults, output) {
      faults += wrong.prefix(Self.keptFaults - faults.count)
      let percent = base.offset * 100 / max(1, base.size)
      guard percent >= told + 5, percent < 100 else { continue }
      told = percent
      Output.complain("\(percent) %: \(base.report.sentence)")
    }
    return faults
  }

  /// Imports the next lines and returns their faults; nil at the end of the file. If that fails, prints the faults
  /// found so far.
  private func next(
    _ base: inout InstalledBase, _ faults: [InstalledFault], _ output: OutputOptions
  ) throws -> [InstalledFault]? {
    do {
      return try base.next()
    } catch {
      Output.complain("It broke off, and goes on when it is run again. So far:")
      do { try tell(base, faults, output) } catch let other { Output.complain("\(other)") }
      throw error
    }
  }

  private func tellColumns(_ base: InstalledBase, _ output: OutputOptions) {
    let lines = base.columns.columns.map { column in
      column.field.map { "column \(column.name) is \($0.name)" } ?? "column \(column.name) is passed over"
    }
    for (line, column) in zip(lines, base.columns.columns) where dryRun || column.field == nil {
      if dryRun, !output.json { Output.line(line) } else { Output.complain(line) }
    }
    if dryRun, !output.json { Output.line("The file is \(base.encoding).") }
  }

  private func tell(_ base: InstalledBase, _ faults: [InstalledFault], _ output: OutputOptions) throws {
    if let errors {
      do {
        try PrivateFile.replace(errors, InstalledFault.csv(faults))
      } catch {
        throw CommandError("What is wrong could not be written to \(errors): \(error)")
      }
    }
    if !output.json {
      for fault in faults.prefix(Self.shownFaults) { Output.line(fault.sentence) }
      if base.report.wrong > Self.shownFaults {
        let place = errors.map { "they are in \($0)" } ?? "--errors FILE writes them into a file"
        Output.line("… and \(base.report.wrong - Int64(Self.shownFaults)) more wrong lines: \(place).")
      }
      for (reason, count) in base.report.reasons.sorted(by: { $0.value > $1.value }) {
        Output.line("\(count) lines: \(reason.column.isEmpty ? "the line" : reason.column) \(reason.what)")
      }
    }
    output.show(base.report, base.report.sentence)
  }

  // MARK: Parsing options

  private static func pairs(_ text: String?, of option: String) throws -> [(theirs: String, ours: String)] {
    try (text ?? "").split(separator: ",").map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, !parts[0].isEmpty else {
        throw CommandError("\(option) takes pairs such as theirs=ours, with commas between them; \(pair) is none.")
      }
      return (String(parts[0]), String(parts[1]))
    }
  }

  private func groupNumbers() throws -> [Int64: Int64] {
    var numbers: [Int64: Int64] = [:]
    for (theirs, ours) in try Self.pairs(groups, of: "--groups") {
      guard let theirs = Int64(theirs), let ours = Int64(ours) else {
        throw CommandError("--groups takes numbers, such as 7=12; \(theirs)=\(ours) are none.")
      }
      numbers[theirs] = ours
    }
    return numbers
  }
}

extension InstalledFault {
  fileprivate var sentence: String { "line \(line): \(column.isEmpty ? "" : "\(column) ")\(what). \(remedy)" }
}

extension InstalledBase.Report {
  fileprivate var sentence: String {
    let counts =
      "\(lines) lines: \(new) new, \(changed) changed, \(unchanged) unchanged, \(kept) left to the device, "
      + "\(otherApps) of other apps, \(wrong) wrong."
    if isDryRun { return "So it would be, and nothing was changed. \(counts)" }
    return new + changed == 0 ? "Nothing has changed. \(counts)" : counts
  }
}
