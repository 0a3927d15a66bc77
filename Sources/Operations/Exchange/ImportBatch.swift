internal import Domain
internal import Postgres
internal import Store
internal import Time

/// The parsed and validated lines of one part: users to import, their groups, and faults.
struct ImportBatch {
  private(set) var people: [ImportedPeople.Person] = []
  private(set) var memberships: [Groups.Membership] = []
  var tagged: [ImportedDevices.Tagged] = []
  private(set) var faults: [Imports.Fault] = []

  /// Error in a line, as text for the operator.
  struct Fault: Error { let text: String }

  /// Parses a part and advances the import's progress.
  init(
    _ part: ImportService.Part, _ record: inout Imports.Record, on connection: Connection
  ) throws(PostgresError) {
    var found: [(line: CSVReader.Line, person: Person)] = []
    var devices: [(line: CSVReader.Line, device: DeviceLine)] = []
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
      if record.kind == .devices {
        switch DeviceLine.read(fields, columns: columns) {
        case .success(let device): devices.append((line, device))
        case .failure(let reason): fault(line, reason.text, &record)
        }
        continue
      }
      switch Person.read(fields, columns: columns) {
      case .success(let person): found.append((line, person))
      case .failure(let reason): fault(line, reason.text, &record)
      }
    }
    try judge(found, &record, connection)
    try judge(devices, &record, connection)
    faults.sort { $0.line < $1.line }
    // The number of stored faults is limited; further ones are only counted.
    let kept = max(0, Operations.Limits.importFaults - Int(clamping: record.rejected) + faults.count)
    faults = Array(faults.prefix(kept))
  }

  /// Returns the records that end in this part. The rest is kept with the import, in the file's encoding: both
  /// encodings agree on where a record ends, since neither has a quote, comma or line break inside a character.
  private static func lines(
    of part: ImportService.Part, _ record: inout Imports.Record, on connection: Connection
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

  private mutating func judge(
    _ found: [(line: CSVReader.Line, person: Person)], _ record: inout Imports.Record, _ connection: Connection
  ) throws(PostgresError) {
    guard !found.isEmpty else { return }
    let app = record.app
    let named = Set(found.flatMap(\.person.groups))
    let apps = named.isEmpty ? [:] : try connection.run(Groups.joinRules(of: named)).mapValues(\.app)
    var known: Set<UserKey> = []
    if record.kind == .members { known = try connection.run(GroupTree.known(Set(found.map(\.person.user)), of: app)) }
    let overloaded = try self.overloaded(found.map(\.person), of: app, connection)
    var names: [UserKey: String] = [:]
    var tags: [UserKey: Set<String>] = [:]
    var joined: Set<Groups.Membership> = []
    for (line, person) in found {
      if let group = person.groups.first(where: { apps[$0] != app }) {
        fault(line, "the app has no group \(group)", &record)
        continue
      }
      if record.kind == .members, !known.contains(person.user) {
        fault(line, "the app has no user \(person.user.description)", &record)
        continue
      }
      if overloaded.contains(person.user) {
        fault(line, "gives \(person.user.description) more than \(Domain.Limits.tagsPerOwner) tags", &record)
        continue
      }
      record.imported += 1
      if !person.tags.isEmpty { tags[person.user, default: []].formUnion(person.tags) }
      let groups = person.groups + (record.group.map { [$0] } ?? [])
      for group in groups {
        joined.insert(Groups.Membership(user: Users.Key(app: app, userKey: person.user), group: group))
      }
      // A user's last line counts, but an empty name does not clear an earlier one.
      if record.kind == .users, !person.name.isEmpty || names[person.user] == nil { names[person.user] = person.name }
    }
    if record.kind == .users {
      people = names.map { user, name in
        ImportedPeople.Person(user: user, name: name, tags: (tags[user] ?? []).sorted())
      }.sorted { $0.user < $1.user }
    }
    memberships = Array(joined)
  }

  /// Writes the valid lines: memberships before users, which is the order in which everyone writes both.
  func bringIn(_ record: Imports.Record, on connection: Connection, now: Timestamp) throws(PostgresError) {
    try bringInTags(record, on: connection)
    if !memberships.isEmpty { try connection.run(Groups.join(memberships, at: now)) }
    if !people.isEmpty { try connection.run(ImportedPeople.save(people, of: record.app)) }
  }

  /// Returns the users who would have too many tags, counting all of their lines.
  private func overloaded(
    _ people: [Person], of app: App.Number, _ connection: Connection
  ) throws(PostgresError) -> Set<UserKey> {
    var tags: [UserKey: Set<String>] = [:]
    for person in people where !person.tags.isEmpty { tags[person.user, default: []].formUnion(person.tags) }
    guard !tags.isEmpty else { return [] }
    let tagged = tags.map { ImportedPeople.Person(user: $0.key, name: "", tags: Array($0.value)) }
    let known = try connection.run(
      ImportedPeople.overloaded(tagged, of: app, limit: Domain.Limits.tagsPerOwner))
    return known.union(tags.filter { $0.value.count > Domain.Limits.tagsPerOwner }.keys)
  }

  mutating func fault(_ line: CSVReader.Line, _ error: String, _ record: inout Imports.Record) {
    record.rejected += 1
    let text = String(String.UnicodeScalarView(line.text.unicodeScalars.prefix(200).filter { $0 != "\0" }))
    faults.append(Imports.Fault(line: line.number, text: text, error: error))
  }

  // MARK: Columns

  /// Returns the columns of a file of this kind; the first is required.
  static func columns(_ kind: Imports.Kind) -> [String] {
    switch kind {
    case .users: ["clientUid", "clientName", "groupSeqs", "tags"]
    case .members: ["clientUid"]
    case .devices: ["device", "tags"]
    }
  }

  /// Columns of exports that cannot be imported; they are skipped, so that an exported file can be imported.
  private static func ignored(_ kind: Imports.Kind) -> [String] {
    switch kind {
    case .users: ["badge", "devices"]
    case .members: ["clientName", "joinedAt"]
    case .devices: []
    }
  }

  /// Returns the columns in their order, comma-separated; nil if the line is not a header.
  private static func header(_ fields: [String], _ kind: Imports.Kind) -> String? {
    let known = columns(kind) + ignored(kind)
    // Each column occurs at most once, so a line of a thousand commas is refused at once.
    guard fields.count <= known.count else { return nil }
    let names = fields.map { CSVHeader.match($0, in: known) ?? "" }
    guard names.contains(columns(kind)[0]), !names.contains(""), Set(names).count == names.count else { return nil }
    return names.joined(separator: ",")
  }

  private static func wrongHeader(_ kind: Imports.Kind) -> String {
    "the first line must name the columns: \(columns(kind).joined(separator: ", ")); \(columns(kind)[0]) is needed"
  }

  /// A user as given by a line.
  private struct Person {
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
        let field = CSVWriter.read(cell)
        switch column {
        case "clientUid": clientUID = field
        // In a file of members, the name is only informative.
        case "clientName": name = field
        case "tags":
          tags = field.split(separator: ";").map(String.init)
          if let fault = ImportBatch.fault(in: tags) { return .failure(fault) }
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
}

extension Operations.Limits {
  /// Faulty lines stored per import with their reasons; further ones are only counted.
  static let importFaults = 100_000
}
