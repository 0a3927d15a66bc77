internal import Domain
internal import Postgres
internal import Store
internal import Time

/// The validated lines of one part: users, memberships and devices' tags to import, and faulty lines.
struct ImportBatch {
  private(set) var people: [ImportedPeople.Person] = []
  private(set) var memberships: [Groups.Membership] = []
  var tagged: [ImportedDevices.Tagged] = []
  private(set) var faults: [Imports.Fault]

  /// The groups that users of the valid lines join.
  var groups: Set<Groups.Number> { Set(memberships.map(\.group)) }

  /// Validates the lines of a part against the database, and counts the valid and the faulty ones in `record`. Writes
  /// nothing; `bringIn` writes the valid lines.
  init(_ lines: ImportLines, _ record: inout Imports.Record, on connection: Connection) throws(PostgresError) {
    faults = lines.faults
    try judge(lines.people, &record, connection)
    try judge(lines.devices, &record, connection)
    faults.sort { $0.line < $1.line }
    // The number of stored faults is limited; further ones are only counted.
    let kept = max(0, Operations.Limits.importFaults - Int(clamping: record.rejected) + faults.count)
    faults = Array(faults.prefix(kept))
  }

  private mutating func judge(
    _ found: [(line: CSVReader.Line, person: ImportLines.Person)], _ record: inout Imports.Record,
    _ connection: Connection
  ) throws(PostgresError) {
    guard !found.isEmpty else { return }
    let app = record.app
    let own = record.group.map { [$0] } ?? []
    let named = Set(found.flatMap(\.person.groups) + own)
    let apps = named.isEmpty ? [:] : try connection.run(Groups.joinRules(of: named)).mapValues(\.app)
    var known: Set<UserKey> = []
    if record.kind == .members { known = try connection.run(GroupTree.known(Set(found.map(\.person.user)), of: app)) }
    let overloaded = try self.overloaded(found.map(\.person), of: app, connection)
    var names: [UserKey: String] = [:]
    var tags: [UserKey: Set<String>] = [:]
    var joined: Set<Groups.Membership> = []
    for (line, person) in found {
      let groups = person.groups + own
      if let group = groups.first(where: { apps[$0] != app }) {
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
      for group in groups {
        joined.insert(Groups.Membership(user: Users.Key(app: app, userKey: person.user), group: group))
      }
      // The last non-empty name of a user counts.
      if record.kind == .users, !person.name.isEmpty || names[person.user] == nil { names[person.user] = person.name }
    }
    if record.kind == .users {
      people = names.map { user, name in
        ImportedPeople.Person(user: user, name: name, tags: (tags[user] ?? []).sorted())
      }.sorted { $0.user < $1.user }
    }
    memberships = Array(joined)
  }

  /// Writes the valid lines: tags of devices, then memberships, then users, in the order in which all transactions
  /// write these. Call it within the transaction that saves the import's progress.
  func bringIn(_ record: Imports.Record, on connection: Connection, now: Timestamp) throws(PostgresError) {
    try bringInTags(record, on: connection)
    if !memberships.isEmpty { try connection.run(Groups.join(memberships, at: now)) }
    if !people.isEmpty { try connection.run(ImportedPeople.save(people, of: record.app)) }
  }

  /// Returns the users who would have more than `tagsPerOwner` tags, counting their stored tags and those of all their
  /// lines in this part.
  private func overloaded(
    _ people: [ImportLines.Person], of app: App.Number, _ connection: Connection
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
    faults.append(Imports.Fault(line, error))
  }
}

extension Operations.Limits {
  /// Maximum number of faulty lines stored per import with their reasons; further ones are only counted.
  static let importFaults = 100_000
}
