internal import Domain
internal import Postgres
internal import Store
internal import Time

/// A reader that divides an audience into shards, for planning, and the shards into batches, for claiming. All devices
/// of a user are in the same batch, except in a resend or in a list of devices or tokens.
struct AudienceReader {
  struct Part {
    let part: Shards.Record.Part
    let targeted: Int64
    let isLast: Bool
  }

  struct Batch {
    let members: [Audiences.Member]
    let rest: Shards.Record.Part
    let isLast: Bool
  }

  private let audience: Audience
  private let app: App.Number
  private let frozenAt: Timestamp

  init(_ audience: Audience, app: App.Number, frozenAt: Timestamp) {
    self.audience = audience
    self.app = app
    self.frozenAt = frozenAt
  }

  /// The range of user keys that the audience spans, from `after` (excluded) to `upto` (included): keys of guests start
  /// with `g`, those of users with `u`. Nil if the audience is not such a range.
  private var keys: (after: String, upto: String)? {
    switch audience {
    case .all, .groups, .segment, .csv: ("", "v")
    case .members(true): ("u", "v")
    case .members(false): ("g", "h")
    case .clientUIDs, .devices, .psids, .deliveries, .savedSegment: nil
    }
  }

  private var entryCount: Int {
    switch audience {
    case .clientUIDs(let list): list.count
    case .devices(let list): list.count
    case .psids(let list): list.count
    case .all, .members, .groups, .deliveries, .segment, .savedSegment, .csv: 0
    }
  }

  // MARK: Planning

  /// Returns the next shard to write; nil after the last. A list of recipients is one shard, returned with `isLast` for
  /// any `before`; other shards never have `isLast`.
  /// - Parameter before: the key at which the last shard written ended; nil for the first.
  func nextPart(after before: String?, _ connection: Connection) throws(PostgresError) -> Part? {
    if case .deliveries(let seqno, let target) = audience {
      return try ResendReader(seqno, target, frozenAt: frozenAt).nextPart(after: before, connection)
    }
    guard let keys else {
      let all = 0..<entryCount
      return Part(part: .entries(all), targeted: Int64(try members(all, connection).count), isLast: true)
    }
    let after = before ?? keys.after
    if namesUsers { return try nextUserPart(after, keys.upto, connection) }
    let next = try connection.run(
      Audiences.nextPart(app: app, after: after, upto: keys.upto, frozenAt: frozenAt, devices: Limits.shardDevices))
    guard let next else { return nil }
    var count = next.count
    if case .segment(let segment) = audience {
      count = try connection.run(
        Segments.count(segment, app: app, after: after, upto: next.end, frozenAt: frozenAt, limit: .max))
    }
    return Part(part: .keys(after: after, upto: next.end), targeted: count, isLast: false)
  }

  // MARK: Users by name

  /// True if the audience lists user keys, in a group or file, whose devices are then looked up.
  private var namesUsers: Bool {
    switch audience {
    case .groups, .csv: true
    default: false
    }
  }

  private func nextUsers(
    _ after: String, _ upto: String, limit: Int, _ connection: Connection
  ) throws(PostgresError) -> [UserKey] {
    switch audience {
    case .groups(let groups):
      let subtree = try connection.run(Audiences.subtree(app: app, groups: groups))
      return try connection.run(
        Audiences.groupKeys(app: app, groups: subtree, after: after, upto: upto, frozenAt: frozenAt, limit: limit))
    case .csv(let csv): return try connection.run(CSVAudiences.keys(csv, after: after, upto: upto, limit: limit))
    default: return []
    }
  }

  private func nextUserPart(
    _ after: String, _ upto: String, _ connection: Connection
  ) throws(PostgresError) -> Part? {
    let users = try nextUsers(after, upto, limit: Limits.shardDevices / 10, connection)
    guard let last = users.last else { return nil }
    let members = try connection.run(Audiences.ofUsers(app: app, users, frozenAt: frozenAt))
    return Part(part: .keys(after: after, upto: last.text), targeted: Int64(members.count), isLast: false)
  }

  // MARK: Claiming

  /// Returns the next batch of a shard. A batch can be empty without being the last, if the users or recipients read
  /// have no devices.
  /// - Parameter limit: maximum number of devices, exceeded only if a single user has more. At most
  ///   `Limits.claimEntries` entries of a list in the request are read.
  func nextBatch(_ part: Shards.Record.Part, limit: Int, _ connection: Connection) throws(PostgresError) -> Batch {
    switch part {
    case .entries(let range):
      let (members, taken) = try members(range.prefix(min(limit, Limits.claimEntries)), upTo: limit, connection)
      let rest = taken.upperBound..<range.upperBound
      return Batch(members: members, rest: .entries(rest), isLast: rest.isEmpty)
    case .keys(let after, let upto):
      if case .deliveries(let seqno, let target) = audience {
        return try ResendReader(seqno, target, frozenAt: frozenAt).nextBatch(after, upto, limit: limit, connection)
      }
      if namesUsers { return try nextUserBatch(after, upto, limit, connection) }
      return try nextRangeBatch(after, upto, limit, connection)
    }
  }

  private func nextRangeBatch(
    _ after: String, _ upto: String, _ limit: Int, _ connection: Connection
  ) throws(PostgresError) -> Batch {
    var members = try read(after: after, upto: upto, limit: limit + 1, connection)
    guard members.count > limit, let last = members.last else {
      return Batch(members: members, rest: .keys(after: upto, upto: upto), isLast: true)
    }
    // The last user may have more devices: leave the user to the next batch, unless there is no other.
    let whole = members.prefix { $0.userKey != last.userKey }
    if let end = whole.last?.userKey {
      return Batch(members: Array(whole), rest: .keys(after: end.text, upto: upto), isLast: false)
    }
    members = try read(after: after, upto: last.userKey.text, limit: .max, connection)
    return Batch(members: members, rest: .keys(after: last.userKey.text, upto: upto), isLast: false)
  }

  private func read(
    after: String, upto: String, limit: Int, _ connection: Connection
  ) throws(PostgresError) -> [Audiences.Member] {
    guard case .segment(let segment) = audience else {
      return try connection.run(
        Audiences.rangeRead(app: app, after: after, upto: upto, frozenAt: frozenAt, limit: limit))
    }
    return try connection.run(
      Segments.read(segment, app: app, after: after, upto: upto, frozenAt: frozenAt, limit: limit))
  }

  private func nextUserBatch(
    _ after: String, _ upto: String, _ limit: Int, _ connection: Connection
  ) throws(PostgresError) -> Batch {
    let users = try nextUsers(after, upto, limit: limit, connection)
    guard let last = users.last else {
      return Batch(members: [], rest: .keys(after: upto, upto: upto), isLast: true)
    }
    let members = try connection.run(Audiences.ofUsers(app: app, users, frozenAt: frozenAt))
    let fitting = Self.fitting(users, members, limit: limit)
    let end = fitting < users.count ? users[fitting - 1] : last
    return Batch(
      members: members.filter { $0.userKey <= end }, rest: .keys(after: end.text, upto: upto), isLast: end.text == upto)
  }

  /// Returns how many of the first users have at most `limit` devices together; at least one of those who have any.
  private static func fitting(_ users: [UserKey], _ members: [Audiences.Member], limit: Int) -> Int {
    guard members.count > limit else { return users.count }
    let counts = members.reduce(into: [:]) { counts, member in counts[member.userKey, default: 0] += 1 }
    var total = 0
    for (index, user) in users.enumerated() {
      let count = counts[user] ?? 0
      if total > 0, total + count > limit { return index }
      total += count
    }
    return users.count
  }

  /// Returns the devices of the first recipients in a range of the request's list, and the part of the range that these
  /// recipients are. From a list of users, takes as many as have at most `limit` devices together, and at least one
  /// that has any; from a list of devices or tokens, the whole range.
  private func members(
    _ range: Range<Int>, upTo limit: Int, _ connection: Connection
  ) throws(PostgresError) -> (members: [Audiences.Member], taken: Range<Int>) {
    let members = try members(range, connection)
    guard case .clientUIDs(let list) = audience, members.count > limit else { return (members, range) }
    let users = list[range].map(UserKey.init(clientUID:))
    let taken = users.prefix(Self.fitting(users, members, limit: limit))
    let chosen = Set(taken)
    return (members.filter { chosen.contains($0.userKey) }, range.prefix(taken.count))
  }

  /// Returns the devices of a range of the request's recipient list; none if the audience is not a list.
  private func members(_ range: Range<Int>, _ connection: Connection) throws(PostgresError) -> [Audiences.Member] {
    switch audience {
    case .clientUIDs(let list):
      try connection.run(Audiences.ofUsers(app: app, list[range].map(UserKey.init(clientUID:)), frozenAt: frozenAt))
    case .devices(let list): try connection.run(Audiences.ofDevices(app: app, Array(list[range]), frozenAt: frozenAt))
    case .psids(let list): try connection.run(Audiences.ofTokens(app: app, Array(list[range]), frozenAt: frozenAt))
    case .all, .members, .groups, .deliveries, .segment, .savedSegment, .csv: []
    }
  }
}
