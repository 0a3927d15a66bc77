package import Domain
package import JSON
package import Postgres
internal import Crypto
internal import Store

/// Uploading an audience as a file.
///
/// All or nothing: a file with a wrong line is refused with its lines' faults, unless the caller wants the good ones. The
/// text may be UTF-8 or, as spreadsheets on Korean Windows write it, CP949.
package enum CSVUploads {
  /// A file that no message uses is dropped after this, in microseconds (7 days): it is full of names.
  static let unusedMicroseconds: Int64 = 7 * 86_400 * 1_000_000

  static func gone(_ csv: Int64) -> Problem {
    Problem(.unknownUpload, "There is no uploaded file \(csv) of this app, or it has expired. Upload it again.")
  }

  package struct Stored: JSONAnswer {
    package let csv: Int64
    package let file: CSVFile
    package let encoding: String
    package let devices: Int64
    package let unknownCount: Int
    package let unknown: [String]
    /// Microseconds since 1970.
    package let expiresAt: Int64

    package func write(to writer: inout JSONWriter) {
      writer.member("csv", String(csv))
      writer.member("lines", file.lines.count)
      writer.member("duplicates", file.duplicates)
      writer.member("encoding", encoding)
      writer.member("devices", devices)
      writer.member("unknown", unknownCount)
      writer.member("unknownUsers", array: { writer in for user in unknown { writer.value(user) } })
      writer.member("faults", file.faultCount)
      writer.member(
        "errors",
        array: { writer in
          for fault in file.faults {
            writer.object { writer in
              writer.member("line", fault.line)
              writer.member("detail", fault.reason)
            }
          }
        })
      writer.member("expiresAt", Timestamp.text(expiresAt))
    }
  }

  /// Stores a file; it is gone 7 days later, or 30 days after the last message that used it ended. The same file again is
  /// the same audience.
  /// - Parameter skipsFaults: wrong lines are left out instead of refusing the file.
  package static func store(
    _ bytes: [UInt8], of appID: String, skipsFaults: Bool, by caller: Caller, on connection: Connection, now: Int64
  ) throws(Problem) -> Stored {
    let app = try connection.app(appID, allowing: caller, to: .send)
    let (text, encoding) = try decode(bytes, on: connection)
    let file = try CSVFile(text)
    if file.faultCount > 0, !skipsFaults { throw refusal(file) }
    guard !file.lines.isEmpty else { throw Problem(.impossible, "The file has no line with a user.") }
    let hash = Array(SHA256.hash(data: bytes))
    let record = try connection.commit { () throws(PostgresError) in
      let (record, isNew) = try connection.run(
        CSVAudiences.create(
          app: app.number, sha256: hash, lines: file.lines.count, at: now, expiresAt: now + unusedMicroseconds))
      guard isNew else { return record }
      try CSVAudiences.store(file.lines, of: record.csv, on: connection)
      let uploaded = Auditing.Change("audience.upload", String(record.csv), in: app)
        .to { $0.member("lines", file.lines.count) }
      try connection.run(Auditing.add(uploaded, by: caller))
      return record
    }
    let census = try CSVCensus(
      record.csv, app.number, connection, now: now, unknownAtMost: Operations.Limits.shownUnknown)
    return Stored(
      csv: record.csv, file: file, encoding: encoding, devices: census.devices, unknownCount: census.unknownCount,
      unknown: census.unknown, expiresAt: record.expiresAt)
  }

  /// The file as UTF-8.
  private static func decode(
    _ bytes: [UInt8], on connection: Connection
  ) throws(Problem) -> (text: [UInt8], encoding: String) {
    guard !bytes.isEmpty else { throw Problem(.impossible, "The file is empty.") }
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      throw Problem(.impossible, "The file is UTF-16. Save it as UTF-8 (\"CSV UTF-8\" in a spreadsheet).")
    }
    guard String(validating: bytes, as: UTF8.self) == nil else { return (bytes, "UTF-8") }
    do throws(PostgresError) {
      return (try connection.run(CSVAudiences.decodeKorean(bytes)), "CP949")
    } catch {
      guard error.sqlState == .characterNotInRepertoire || error.sqlState == .untranslatableCharacter else {
        throw Problem(error)
      }
      throw Problem(.impossible, "The file is neither UTF-8 nor CP949 (EUC-KR). Save it as UTF-8.")
    }
  }

  private static func refusal(_ file: CSVFile) -> Problem {
    Problem(
      .impossible,
      """
      \(file.faultCount) lines of the file are wrong, the first of them: line \(file.faults[0].line) \
      \(file.faults[0].reason). Mend them, or send the others with skipErrors=true.
      """,
      fields: file.faults.map { Problem.Field(pointer: "/lines/\($0.line)", detail: $0.reason) })
  }
}

extension Operations.Limits {
  /// Unknown users of a file that are named in the answer.
  static let shownUnknown = 1_000
}
