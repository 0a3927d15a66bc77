internal import Domain
internal import JSON
internal import Postgres
internal import Store
internal import Time

/// An audience resolved at the time of the request: whom it reaches, the number of devices, and the entries that match
/// no device or group.
///
/// Used for the answer, the payload check, the decision whether a second person must approve, and dry runs. It does not
/// determine who gets the message: the planner resolves the audience again when the message is due.
struct ResolvedAudience {
  enum Reach {
    /// Users with keys in (after, upto].
    case keys(after: String, upto: String)
    /// Groups, including their subgroups.
    case groups([Int64])
    case members([Audiences.Member])
    /// The users of an uploaded file.
    case csv(Int64)
    /// The users of a segment. For the payload's size, all of the app's users are considered.
    case segment(Segment)

    /// The groups on which the audience depends.
    var groups: Set<Int64> {
      switch self {
      case .groups(let groups): Set(groups)
      case .segment(let segment): segment.namedGroups
      case .keys, .members, .csv: []
      }
    }
  }

  let reach: Reach
  /// Number of devices; nil if there are too many to count in the request.
  let targeted: Int64?
  /// Entries without an active device, and groups that do not exist, as given in the request; of a segment, the groups
  /// that its conditions name. For an uploaded file, only the first `audienceEntries`; empty for other audiences.
  let unknown: [String]

  init(_ audience: Audience, of app: App.Number, on connection: Connection, now: Timestamp) throws(Problem) {
    switch audience {
    case .all: try self.init(keys: ("", "~"), app, connection, now)
    // User keys begin with `u` and guest keys with `g`; the next letter ends each range.
    case .members(true): try self.init(keys: ("u", "v"), app, connection, now)
    case .members(false): try self.init(keys: ("g", "h"), app, connection, now)
    case .groups(let groups): try self.init(groups: groups, app, connection, now)
    case .clientUIDs(let clientUIDs):
      let keys = clientUIDs.map { UserKey(clientUID: $0) }
      let members = try connection.answer(Audiences.ofUsers(app: app, keys, frozenAt: now))
      let known = Set(members.map(\.userKey))
      self.init(members, unknown: keys.filter { !known.contains($0) }.map(\.description))
    case .devices(let devices):
      let members = try connection.answer(Audiences.ofDevices(app: app, devices, frozenAt: now))
      let known = Set(members.map(\.device))
      self.init(members, unknown: devices.filter { !known.contains($0) }.map(\.description))
    case .psids(let psids):
      let members = try connection.answer(Audiences.ofTokens(app: app, psids, frozenAt: now))
      let known = Set(members.map(\.psid))
      self.init(members, unknown: psids.filter { !known.contains($0) })
    case .segment(let segment): try self.init(segment: segment, app, connection, now)
    case .csv(let csv): try self.init(csv: csv, app, connection, now)
    case .savedSegment: preconditionFailure("a saved segment is looked up before its devices are")
    case .deliveries(let seqno, let target):
      try self.init(deliveriesOf: seqno, target, connection, now)
    }
  }

  private init(
    deliveriesOf seqno: Seqno, _ target: ResendTarget, _ connection: Connection, _ now: Timestamp
  ) throws(Problem) {
    // The payload check considers all of the app's users, although only some of the message's recipients get the
    // resend.
    reach = .keys(after: "", upto: "~")
    let most = Operations.Limits.countedDevices + 1
    let withRows = try connection.answer(
      Resends.count(of: seqno, target, after: .lowest, upto: .highest, frozenAt: now, limit: most))
    let inBlocks =
      withRows >= most
      ? 0
      : try connection.answer(
        Resends.count(of: seqno, target, afterBlock: -1, upto: .max, frozenAt: now, limit: most - withRows))
    targeted = Self.exact(withRows + inBlocks)
    unknown = []
  }

  private init(
    segment: Segment, _ app: App.Number, _ connection: Connection, _ now: Timestamp
  ) throws(Problem) {
    reach = .segment(segment)
    targeted = Self.exact(
      try connection.answer(
        Segments.count(
          segment, app: app, after: "", upto: "v", frozenAt: now, limit: Operations.Limits.countedDevices + 1)))
    // Everybody is outside of a group that does not exist, so `not` it may be far too many.
    let groups = segment.namedGroups
    let known = groups.isEmpty ? [:] : try connection.answer(Groups.joinRules(of: groups))
    unknown = groups.filter { known[$0]?.app != app }.sorted().map { String($0) }
  }

  private init(csv: Int64, _ app: App.Number, _ connection: Connection, _ now: Timestamp) throws(Problem) {
    let census = try CSVReach(csv, app, connection, now: now, unknownAtMost: Domain.Limits.audienceEntries)
    reach = .csv(csv)
    targeted = census.devices
    unknown = census.unknown
  }

  private init(_ members: [Audiences.Member], unknown: [String]) {
    reach = .members(members)
    targeted = Int64(members.count)
    self.unknown = unknown
  }

  private init(
    keys: (after: String, upto: String), _ app: App.Number, _ connection: Connection, _ now: Timestamp
  ) throws(Problem) {
    reach = .keys(after: keys.after, upto: keys.upto)
    targeted = Self.exact(
      try connection.answer(
        AudienceSizes.range(
          app: app, after: keys.after, upto: keys.upto, frozenAt: now, limit: Operations.Limits.countedDevices + 1)))
    unknown = []
  }

  private init(groups: [Int64], _ app: App.Number, _ connection: Connection, _ now: Timestamp) throws(Problem) {
    let subtree = try connection.answer(Audiences.subtree(app: app, groups: groups))
    reach = .groups(subtree)
    targeted = Self.exact(
      try connection.answer(
        AudienceSizes.groups(app: app, subtree, frozenAt: now, limit: Operations.Limits.countedDevices + 1)))
    let known = Set(subtree)
    unknown = groups.filter { !known.contains($0) }.map { String($0) }
  }

  private static func exact(_ count: Int64) -> Int64? {
    count > Operations.Limits.countedDevices ? nil : count
  }

  /// Number of devices by push network; empty if the devices were only counted and not read.
  var networks: [PushNetwork: Int64] {
    guard case .members(let members) = reach else { return [:] }
    return Self.networks(of: members)
  }

  static func networks(of members: [Audiences.Member]) -> [PushNetwork: Int64] {
    members.reduce(into: [:]) { counts, member in counts[member.network, default: 0] += 1 }
  }

  /// The groups on which it depends, without those that did not exist when it was resolved.
  var groups: Set<Int64> { reach.groups.subtracting(unknown.compactMap { Int64($0) }) }

  /// The problem if one of them has been deleted since: what is `not` in it would be far more.
  static let groupIsGone = Problem(
    .conflict, "A group that the audience names was deleted meanwhile. Look at the audience, and send it again.")

  var unknownJSON: [UInt8] { Self.json(unknown) }

  /// The response member with the unknown entries.
  static let unknownField = JSONField<[UInt8]>.always(
    "unknown", .raw(JSONSchema.list(of: JSONSchema.anyText)), { $0 }, "Entries of the audience that match no one.")

  static func json(_ entries: [String]) -> [UInt8] {
    var writer = JSONWriter()
    writer.array { writer in
      for entry in entries { writer.value(entry) }
    }
    return writer.bytes
  }

  /// Returns devices of the audience, to show what they would receive: all of them if they are known; otherwise, in the
  /// order of their users' keys, the first devices, or all devices of the first users. Empty if there are none.
  func samples(of app: App.Number, on connection: Connection, now: Timestamp) throws(Problem) -> [Audiences.Member] {
    let limit = Operations.Limits.sampledDevices
    switch reach {
    case .members(let members): return members
    case .keys(let after, let upto):
      return try connection.answer(
        Audiences.rangeRead(app: app, after: after, upto: upto, frozenAt: now, limit: limit))
    case .groups(let groups):
      let keys = try connection.answer(
        Audiences.groupKeys(app: app, groups: groups, after: "", upto: "~", frozenAt: now, limit: limit))
      return try connection.answer(Audiences.ofUsers(app: app, keys, frozenAt: now))
    case .csv(let csv):
      let keys = try connection.answer(CSVAudiences.keys(csv, after: "", upto: "v", limit: limit))
      return try connection.answer(Audiences.ofUsers(app: app, keys, frozenAt: now))
    case .segment(let segment):
      return try connection.answer(
        Segments.read(segment, app: app, after: "", upto: "v", frozenAt: now, limit: limit))
    }
  }
}

extension Operations.Limits {
  /// Maximum number of devices, or of users with all their devices, among which a dry run looks for a device of each
  /// push network. Does not apply to an audience whose devices are already known.
  static let sampledDevices = 100
}
