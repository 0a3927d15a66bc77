package import Domain
package import JSON
package import Postgres
internal import Store
package import Time

/// Uploads an audience as a CSV file.
///
/// All or nothing: a file with invalid lines is refused, with a list of the first of them, unless the caller asks to
/// skip them.
/// The text can be UTF-8 or CP949, which spreadsheets on Korean Windows write.
package enum CSVUploads {
  /// Time for which a file that no message uses is kept: 7 days. It is short because the file contains personal names.
  static let unusedPeriod: Duration = .seconds(7 * 86_400)

  static func gone(_ csv: Int64) -> Problem {
    Problem(.unknownUpload, "There is no uploaded file \(csv) of this app, or it has expired. Upload it again.")
  }

  package struct Stored: DescribedAnswer {
    package let csv: Int64
    package let file: CSVFile
    package let encoding: String
    package let devices: Int64
    package let unknownCount: Int
    package let unknown: [String]
    /// Time at which the file is deleted, unless a message that uses it keeps it for longer.
    package let expiresAt: Timestamp

    package static let object = JSONObject<Stored>(
      "CSVStored",
      [
        .always("csvId", .sequence, \.csv, "Its number, for the audience of a send."),
        .always("lines", .count, \.file.lineCount, "Users in it."),
        .always("duplicates", .count, \.file.duplicates, "Lines left out."),
        .always("encoding", .words(FileEncoding.allCases.map(\.name)), \.encoding),
        .always("devices", .count, \.devices, "That it reaches now."),
        .always("unknown", .count, \.unknownCount, "Users without a device."),
        .always("unknownUsers", .list(of: .anyText), \.unknown, "The first of them."),
        .always("faults", .count, \.file.faultCount, "Wrong lines, left out."),
        .always("errors", .list(of: faultObject.form), \.file.faults, "The first of them."),
        .always("expiresAt", .moment, \.expiresAt),
      ])

    private static let faultObject = JSONObject<CSVFile.Fault>(
      "CSVFault", isNamed: false, [.always("line", .count, \.line), .always("detail", .sentence, \.reason)])
  }

  /// Stores a file as an audience, and audits that. The file is deleted after 7 days, or, if messages use it, 90 days
  /// after the latest time at which one of them is due or expires. Uploading the same file again yields the same
  /// audience, keeps it for at least 7 more days, and is not audited.
  /// - Parameter skipsFaults: whether to leave out invalid lines instead of refusing the file. Nil, for callers whose
  ///   interface has no such option, refuses the file without advising the option.
  /// - Returns: the audience, with the devices that it reaches now.
  /// - Throws: `.impossible` for invalid lines, with the first of them as fields, for an invalid header, and for a file
  ///   without users or in UTF-16; `.bodyTooLarge` for too many lines; `.conflict` if the app is being deleted,
  ///   or its files would exceed `audienceBytesOfApp`; `.forbidden`; `.unknownApp`.
  package static func store(
    _ bytes: ByteSource, of appID: String, skipsFaults: Bool?, by caller: Caller, on connection: Connection,
    now: Timestamp
  ) throws(Problem) -> Stored {
    let app = try connection.app(appID, allowing: caller, to: .send)
    let (text, encoding) = try CSVText.decode(bytes, on: connection)
    // The text is read twice, to find its faults and to store it, so its parsed lines are never all in memory.
    var reading = CSVReading(text)
    while try reading.next() != nil {}
    let file = reading.file
    if file.faultCount > 0, skipsFaults != true { throw refusal(file, maySkip: skipsFaults != nil) }
    guard file.lineCount > 0 else { throw Problem(.impossible, "The file has no line with a user.") }
    let hash = try bytes.sha256()
    let record = try connection.commitReading { () throws(Problem) in
      let (record, isNew) = try connection.answer(
        CSVAudiences.create(
          app: app.number, sha256: hash, lines: file.lineCount, bytes: text.count, at: now,
          expiresAt: now + unusedPeriod))
      guard isNew else { return record }
      let taken = try connection.answer(
        StoredUploads.fileBytes(of: app.number, atLeast: Operations.Limits.leastAudienceBytes))
      try UploadRoom.check(taken, upTo: Operations.Limits.audienceBytesOfApp, of: app)
      try store(text, of: record.csv, on: connection)
      let uploaded = AuditTrail.Change("audience.upload", String(record.csv), in: app)
        .to { $0.member("lines", file.lineCount) }
      try connection.answer(AuditTrail.add(uploaded, by: caller))
      return record
    }
    let census = try CSVReach(
      record.csv, app.number, connection, now: now, unknownAtMost: Operations.Limits.shownUnknown)
    return Stored(
      csv: record.csv, file: file, encoding: encoding.name, devices: census.devices, unknownCount: census.unknownCount,
      unknown: census.unknown, expiresAt: record.expiresAt)
  }

  private static func store(_ text: ByteSource, of csv: Int64, on connection: Connection) throws(Problem) {
    var reading = CSVReading(text)
    var failure: Problem?
    do throws(PostgresError) {
      try CSVAudiences.store(of: csv, on: connection) { () throws(PostgresError) in
        do throws(Problem) {
          return try reading.next()
        } catch {
          failure = error
          throw PostgresError(origin: .refusal, message: "the file could not be read again")
        }
      }
    } catch {
      throw failure ?? Problem(error)
    }
  }

  private static func refusal(_ file: CSVFile, maySkip: Bool) -> Problem {
    let fields = file.faults.map { Problem.Field(pointer: "/lines/\($0.line)", detail: $0.reason) }
    guard maySkip else {
      return Problem(
        .impossible,
        """
        \(file.faultCount) lines of the file are wrong, the first of them: line \(file.faults[0].line) \
        \(file.faults[0].reason). Fix them, and send the whole file again.
        """,
        fields: fields)
    }
    return Problem(
      .impossible,
      """
      \(file.faultCount) lines of the file are wrong, the first of them: line \(file.faults[0].line) \
      \(file.faults[0].reason). Fix them, or send the others with skipErrors=true.
      """,
      fields: fields)
  }
}

/// Reads a file's lines part by part.
private struct CSVReading {
  private(set) var file = CSVFile()
  private let text: ByteSource
  private var offset = 0

  init(_ text: ByteSource) {
    self.text = text
  }

  /// Returns the valid lines of the next part, possibly none; nil at the end.
  mutating func next() throws(Problem) -> [CSVFile.Line]? {
    guard offset < text.count else { return nil }
    let part = try text.part(at: offset, Operations.Limits.partBytes)
    offset += part.count
    return try file.read(part, isLast: offset == text.count)
  }
}

extension Operations.Limits {
  /// Maximum number of users without a device that the answer lists.
  static let shownUnknown = 1_000
}
