internal import Domain
internal import Postgres
internal import Store

/// The parsed lines of one part: what each line says about a user or a device, and the faults that a line shows by
/// itself. Parse before the transaction: on a slow machine, parsing may take longer than a transaction may be idle.
struct ImportLines {
  private(set) var people: [(line: CSVReader.Line, person: Person)] = []
  private(set) var devices: [(line: CSVReader.Line, device: Device)] = []
  private(set) var faults: [Imports.Fault] = []

  /// Error in a line, as text for the operator.
  struct Fault: Error { let text: String }

  /// Parses a part, and advances `record`: its header, encoding, unfinished last line and counts. Writes nothing.
  init(
    _ part: ImportPart, _ record: inout Imports.Record, on connection: Connection
  ) throws(PostgresError) {
    for line in try Self.lines(of: part, &record, on: connection) {
      guard case .fields(let fields) = line.record else {
        if case .faulty(let reason) = line.record { fault(line, reason.english, &record) }
        continue
      }
      guard let header = record.header else {
        record.header = Self.header(fields, record.kind)
        if record.header == nil { fault(line, Self.wrongHeader(record.kind), &record) }
        continue
      }
      let columns = header.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      switch record.kind {
      case .devices:
        switch Device.read(fields, columns: columns) {
        case .success(let device): devices.append((line, device))
        case .failure(let reason): fault(line, reason.text, &record)
        }
      case .users, .members:
        switch Person.read(fields, columns: columns) {
        case .success(let person): people.append((line, person))
        case .failure(let reason): fault(line, reason.text, &record)
        }
      }
    }
  }

  private mutating func fault(_ line: CSVReader.Line, _ error: String, _ record: inout Imports.Record) {
    record.rejected += 1
    faults.append(Imports.Fault(line, error))
  }

  /// Returns the lines that end in this part, numbered as in the file, and detects the encoding if it is unknown. The
  /// bytes after them are kept in `record`, in the file's encoding: both encodings agree on where a line ends, since
  /// neither has a quote, comma or line break inside a character.
  private static func lines(
    of part: ImportPart, _ record: inout Imports.Record, on connection: Connection
  ) throws(PostgresError) -> [CSVReader.Line] {
    let bytes = record.rest + part.bytes
    let passed = record.lines
    let reader = CSVReader(bytes, passed: passed, isLast: part.isLast)
    (record.rest, record.lines) = (reader.rest, reader.passed)
    let whole = bytes[..<reader.taken]
    // The first non-ASCII lines decide for the whole file.
    if record.encoding == nil { record.encoding = CSVEncoding.find(in: whole) }
    guard record.encoding == .cp949 else { return reader.lines }
    return CSVReader(try CP949Lines.decode(Array(whole), on: connection), passed: passed, isLast: true).lines
  }

  // MARK: Columns

  /// Returns the columns that are imported from a file of this kind; only the first is required.
  static func columns(_ kind: Imports.Kind) -> [String] {
    switch kind {
    case .users: ["clientUid", "clientName", "groupSeqs", "tags"]
    case .members: ["clientUid"]
    case .devices: ["device", "tags"]
    }
  }

  /// Columns of exports that are skipped, so that an exported file of users or members can be imported. An exported
  /// file of devices is refused, because its other columns are unknown here.
  private static func ignored(_ kind: Imports.Kind) -> [String] {
    switch kind {
    case .users: ["badge", "devices"]
    case .members: ["clientName", "joinedAt"]
    case .devices: DeviceExport.columns.filter { !columns(.devices).contains($0) }
    }
  }

  /// Returns the columns in their order, comma-separated; nil if the line is not a header, because a name is unknown or
  /// occurs twice, or the required column is missing.
  private static func header(_ fields: [String], _ kind: Imports.Kind) -> String? {
    let known = columns(kind) + ignored(kind)
    // Each column occurs at most once, so refuse a line of a thousand commas immediately.
    guard fields.count <= known.count else { return nil }
    let names = fields.map { CSVHeader.match($0, in: known) ?? "" }
    guard names.contains(columns(kind)[0]), !names.contains(""), Set(names).count == names.count else { return nil }
    return names.joined(separator: ",")
  }

  private static func wrongHeader(_ kind: Imports.Kind) -> String {
    "the first line must name the columns: \(columns(kind).joined(separator: ", ")); \(columns(kind)[0]) is needed"
  }

  /// A user as described by a line.
  struct Person {
    let user: UserKey
    let name: String
    let groups: [Groups.Number]
    let tags: [String]

    static func read(_ fields: [String], columns: [String]) -> Result<Person, Fault> {
      guard fields.count == columns.count else {
        return .failure(Fault(text: "has \(fields.count) fields instead of \(columns.count)"))
      }
      var (clientUID, name) = ("", "")
      var groups: [Groups.Number] = []
      var tags: [String] = []
      for (column, cell) in zip(columns, fields) {
        let field = CSVFormula.read(cell)
        switch column {
        case "clientUid": clientUID = field
        // In a file of members, the name is only informative.
        case "clientName": name = field
        case "tags":
          tags = field.split(separator: ";").map(String.init)
          if let fault = ImportLines.fault(in: tags) { return .failure(fault) }
        case "groupSeqs":
          for text in field.split(separator: ";") {
            guard let group = Int64(text.filter { $0 != " " }) else {
              return .failure(Fault(text: "groupSeqs: \"\(text)\" is no GROUPSEQ"))
            }
            groups.append(group)
          }
        default: break
        }
      }
      guard !clientUID.isEmpty else { return .failure(Fault(text: "clientUid is empty")) }
      guard clientUID.utf8.count <= Domain.Limits.clientUIDBytes else {
        return .failure(Fault(text: "clientUid is longer than \(Domain.Limits.clientUIDBytes) bytes"))
      }
      guard clientUID != UserKey.guestUID else { return .failure(Fault(text: "GUEST means: no user")) }
      guard name.utf8.count <= Domain.Limits.clientNameBytes else {
        return .failure(Fault(text: "clientName is longer than \(Domain.Limits.clientNameBytes) bytes"))
      }
      return .success(Person(user: UserKey(clientUID: clientUID), name: name, groups: groups, tags: tags))
    }
  }

  /// A device and its tags as described by a line.
  struct Device {
    let device: DeviceID
    let tags: [String]

    static func read(_ fields: [String], columns: [String]) -> Result<Device, Fault> {
      guard fields.count == columns.count else {
        return .failure(Fault(text: "has \(fields.count) fields instead of \(columns.count)"))
      }
      let cells = Dictionary(zip(columns, fields.map(CSVFormula.read))) { one, _ in one }
      guard let device = DeviceID(cells["device"] ?? "") else {
        return .failure(Fault(text: "device must be a device's id, as lists show it"))
      }
      let tags = (cells["tags"] ?? "").split(separator: ";").map(String.init)
      if let fault = ImportLines.fault(in: tags) { return .failure(fault) }
      return .success(Device(device: device, tags: tags))
    }
  }

  /// Returns the fault of the first invalid tag; nil if all are valid.
  private static func fault(in tags: [String]) -> Fault? {
    tags.lazy.compactMap { tag in Tag.objection(to: tag).map { Fault(text: "the tag \"\(tag)\" \($0)") } }.first
  }
}

extension Imports.Fault {
  /// Creates the fault of a line, with the beginning of its text.
  init(_ line: CSVReader.Line, _ error: String) {
    let text = String(String.UnicodeScalarView(line.text.unicodeScalars.prefix(200).filter { $0 != "\0" }))
    self.init(line: line.number, text: text, error: error)
  }
}
